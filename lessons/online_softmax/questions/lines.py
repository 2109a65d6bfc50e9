"""Find the line: the fold with one line spoilt, on the scale or at the edges of a tile."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.online_softmax import Mistake, Scenario
from lessons.kit.find_line import Spoilt, find_line
from lessons.kit.text import Text
from lessons.kit.told import Words
from lessons.online_softmax.code import CODE
from lessons.online_softmax.form import BY_TILE, FORM, KEYS, ORDER, TILE
from lessons.online_softmax.presets import CHAPTER
from lessons.online_softmax.questions.keys import invented

_RIGHT: dict[str, Words[Scenario]] = {
    "return np.exp(s - m) if m > -np.inf else np.zeros_like(s)": Text(
        "Scores are measured against m, and a masked key weighs nothing.", "分数以 m 为基准，被屏蔽的键没有权重。"
    ),
    "plain": Text(
        "The plain way subtracts one maximum, that of all scores, and divides once.",
        "普通做法只减去全部分数的最大值，最后除一次。",
    ),
    "return np.zeros_like(u) if l == 0 else u / l": Text(
        "The output is u / ℓ; where no key is visible, it is 0.", "输出是 u / ℓ；没有可见的键时为 0。"
    ),
    "m, l, u = -np.inf, 0.0, np.zeros(values.shape[1])": Text(
        "Before the first tile nothing is held, and any score is above −∞.",
        "第一个分块之前什么也没有，任何分数都大于 −∞。",
    ),
    "read": Text(
        "The keys come in their reading order, a tile at a time, and the last tile may be short.",
        "键按读取顺序、逐个分块到来，最后一个分块可以不满。",
    ),
    "compare": Text(
        "The new maximum is the larger of the running one and the tile’s.",
        "新最大值取当前最大值与本分块最大值中较大的。",
    ),
    "alpha": Text(
        "The factor is e to the old maximum minus the new one, which never exceeds 1.",
        "因子是 e 的“旧最大值减新最大值”次幂，不会超过 1。",
    ),
    "shrink": Text(
        "Both ℓ and u were measured against the old maximum, so both are multiplied by α.",
        "ℓ 和 u 都以旧最大值为基准，所以都要乘 α。",
    ),
    "weights": Text(
        "All weights are measured against the running maximum, as ℓ and u are.",
        "所有权重都以当前最大值为基准，与 ℓ 和 u 一致。",
    ),
    "add": Text("ℓ grows by the weights, u by the weighted values.", "ℓ 加上权重，u 加上加权的值。"),
    "keep": Text("The next tile is compared with the largest score so far.", "下一个分块要与目前为止最大的分数比较。"),
    "divide": Text("The one division comes after the last tile.", "唯一的一次除法在最后一个分块之后。"),
}

FIND_SCALE = find_line(
    slug="line-scale",
    title=Text("Find the line: two scales in one sum", "找出错行：一个和里有两种基准"),
    code=CODE,
    right=_RIGHT,
    spoilt=(
        Spoilt(
            "l, u = alpha * l, alpha * u",
            "l, u = alpha * l, u",
            Text("u stays on the old scale while ℓ changes to the new one.", "ℓ 换到了新基准，u 却留在旧基准上。"),
            Mistake.RESCALE_L_ONLY,
        ),
        Spoilt(
            "l, u = alpha * l, alpha * u",
            "l, u = l, alpha * u",
            Text("ℓ stays on the old scale while u changes to the new one.", "u 换到了新基准，ℓ 却留在旧基准上。"),
            Mistake.RESCALE_U_ONLY,
        ),
        Spoilt(
            "alpha = exp(m, m_new)",
            "alpha = 1.0",
            Text("With α = 1 neither ℓ nor u follows the maximum.", "α 恒为 1，ℓ 和 u 都没有随最大值缩小。"),
            Mistake.NO_RESCALE,
        ),
        Spoilt(
            "alpha = exp(m, m_new)",
            "alpha = exp(m_new, m)",
            Text(
                "The exponent has the wrong sign: what is held grows where it should shrink.",
                "指数的符号反了：已有的累计本应缩小，却变大了。",
            ),
        ),
        Spoilt(
            "p = exp(s, m_new)",
            "p = exp(s, s.max())",
            Text(
                "A tile below the running maximum is measured against its own, so its weights are too large.",
                "低于当前最大值的分块以自己的最大值为基准，权重偏大。",
            ),
            Mistake.TILE_MAX,
        ),
    ),
    form=BY_TILE,
    inputs=CHAPTER,
    invent=invented,
)


def _in_any_order(rng: random.Random) -> Scenario:
    s = replace(invented(rng, n=(4, 6)), tile_size=rng.choice((2, 3)))
    return replace(s, order=tuple(rng.sample(range(len(s.scores)), len(s.scores))))


FIND_EDGE = find_line(
    slug="line-edge",
    title=Text("Find the line: keys are lost or counted wrongly", "找出错行：键丢了，或算错了"),
    code=CODE,
    right=_RIGHT,
    spoilt=(
        Spoilt(
            "tile = order[start : start + tile_size]",
            "tile = order[start : start + tile_size - 1]",
            Text(
                "A slice ends before its second number, so this drops the last key of each full tile.",
                "切片不含终点，这样每个满的分块都丢掉最后一个键。",
            ),
        ),
        Spoilt(
            "for start in range(0, len(order), tile_size):",
            "for start in range(0, len(order) - 1, tile_size):",
            Text(
                "A last tile of a single key is never read.",
                "最后一个分块若只有一个键，就永远读不到。",
            ),
        ),
        Spoilt(
            "s, v = scores[tile], values[tile]",
            "s, v = scores[tile], values[start : start + tile_size]",
            Text(
                "The scores come in reading order, the values as written: a weight meets another key’s value.",
                "分数按读取顺序，值却按书写顺序：权重乘到了别的键的值上。",
            ),
        ),
        Spoilt(
            "l, u = l + p.sum(), u + p @ v",
            "l, u = l + len(p), u + p @ v",
            Text("ℓ counts the keys instead of adding their weights.", "ℓ 数的是键的个数，而不是权重之和。"),
        ),
        Spoilt(
            "m = m_new",
            "m = s.max()",
            Text(
                "The running maximum is forgotten wherever a tile stays below it: the next α is then wrong.",
                "只要某个分块低于当前最大值，最大值就被忘掉，下一个 α 就错了。",
            ),
        ),
    ),
    form=FORM.only(KEYS, TILE, ORDER),
    inputs=replace(
        CHAPTER,
        scores=(1.0, 3.0, 0.0, 2.0, 2.0),
        values=((5.0, 5.0), (10.0, 0.0), (0.0, 20.0), (4.0, 8.0), (12.0, 6.0)),
        labels=tuple("ABCDE"),
        tile_size=2,
        order=(4, 1, 0, 2, 3),
    ),
    invent=_in_any_order,
)
