"""Fold the keys of a table: the output, the rescale factor, ℓ and u."""

from __future__ import annotations

import math

from engine.online_softmax import Mistake, Scenario, State
from lessons.kit.format import fixed, short
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Answer, Vector
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.form import BY_TILE
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import subtrahend
from lessons.online_softmax.presets import CHAPTER
from lessons.online_softmax.questions.keys import (
    LARGEST,
    MAXIMA,
    TWO,
    TWO_SAID,
    L,
    P,
    U,
    below_the_keys,
    in_base_two,
    invented,
    led_to,
    mean_of_parts,
)

OWN_MAXIMUM = Text("Used the tile’s own maximum", "用了本分块自己的最大值")
NO_MAXIMUM = Text("Forgot the maximum", "忘了减最大值")

# --- the output


def _o(held: State) -> Answer:
    return tuple(held.output)


def _output_asked(s: Scenario) -> Text:
    how_many = Told(" Give its {d} numbers.", "请写出 {d} 个数。") if s.d > 1 else Text("", "")
    return (
        Told(
            "Read the table in tiles of {tile_size} and fold. What is the output o?",
            "按每个分块 {tile_size} 个键读取并累计。输出 o 是多少？",
        )
        + how_many
    ).on(s)


OUTPUT: Question[Scenario] = Question(
    slug="output",
    title=Text("The output", "输出"),
    prompt=below_the_keys(_output_asked),
    form=BY_TILE,
    inputs=CHAPTER,
    invent=invented,
    formula=lambda s: _o(s.end),
    slips=(
        led_to(Mistake.NO_RESCALE, _o, title=Text("Forgot to rescale ℓ and u", "ℓ 和 u 都忘了缩放")),
        led_to(Mistake.RESCALE_L_ONLY, _o, title=Text("Forgot to rescale u", "忘了缩放 u")),
        led_to(Mistake.RESCALE_U_ONLY, _o, title=Text("Forgot to rescale ℓ", "忘了缩放 ℓ")),
        led_to(Mistake.TILE_MAX, _o, title=OWN_MAXIMUM),
        Slip(
            "mean_of_tiles",
            Text("Averaged the tiles", "把各分块的输出取平均"),
            mean_of_parts,
            Text(
                "Each tile’s own output counted alike. A tile weighs as much as its ℓ on the common scale.",
                "把各分块自己的输出一视同仁了。一个分块的分量应是它在同一基准上的 ℓ。",
            ),
        ),
        Slip("base_two", TWO, lambda s: _o(in_base_two(s).end), TWO_SAID),
    ),
    working=Told(
        "At the end m = {end.m:short}, ℓ = {end.l}, u = ({end.u:vector}), and o = u ÷ ℓ.",
        "最后 m = {end.m:short}，ℓ = {end.l}，u =（{end.u:vector}），o = u ÷ ℓ。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=(LARGEST, P, L, U, Line(Text("o, number by number", "o，逐个数相除"), "u ÷ ℓ", "{end.output:vector}")),
)


# --- the rescale factor


def _alpha(s: Scenario) -> float:
    return s.first_shrink.alpha if s.n_shrinks else 1.0


def _rise(s: Scenario) -> float:
    return s.first_shrink.rise if s.n_shrinks else 0.0


_INVERTED: Slip[Scenario] = Slip(
    "inverted",
    Text("Upside down", "上下颠倒"),
    lambda s: math.exp(min(_rise(s), 700.0)),
    Text(
        "That is e^(new − old), which is above 1. What we hold must shrink: e^(old − new).",
        "这是 e^(新 − 旧)，大于 1。已有累计应当缩小：e^(旧 − 新)。",
    ),
)
_TWO_TO_THE: Slip[Scenario] = Slip("base_two", TWO, lambda s: 2.0 ** -min(_rise(s), 1_000.0), TWO_SAID)

_RISES: tuple[Line[Scenario], ...] = (
    MAXIMA,
    Line(
        Text("Its first rise", "第一次上升"),
        "{first_shrink.m_old:short} → {first_shrink.m_new:short}",
        "{first_shrink.rise:short}",
    ),
    Line(
        Text("α, old less new in the exponent", "α：指数是旧减新"),
        lambda s: f"e^({short(s.first_shrink.m_old)} − {subtrahend(s.first_shrink.m_new)})",
        "{first_shrink.alpha}",
    ),
)
_STAYS: tuple[Line[Scenario], ...] = (
    MAXIMA,
    Line(Text("The maximum never rises: α", "最大值从不上升：α"), "e^0", lambda s: fixed(_alpha(s))),
)

ALPHA: Question[Scenario] = Question(
    slug="alpha",
    title=Text("The rescale factor", "缩放因子"),
    prompt=below_the_keys(
        Told(
            "Tiles of {tile_size}. By what factor α is what we hold multiplied the first time it must change "
            "scale? (If it never has to: 1.)",
            "每个分块 {tile_size} 个键。手中的累计第一次换基准时乘以哪个因子 α？（若从不换：1。）",
        )
    ),
    form=BY_TILE,
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=_alpha,
    slips=(
        _INVERTED,
        _TWO_TO_THE,
        together(_INVERTED, _TWO_TO_THE, lambda s: 2.0 ** min(_rise(s), 1_000.0)),
        Slip(
            "difference",
            Text("The difference itself", "只算了差"),
            _rise,
            Text(
                "That is how far the maximum rose. The factor is e to minus that.",
                "这是最大值上升的幅度。取它的相反数作 e 的指数，才是因子。",
            ),
        ),
        MISTAKES.slip(
            Mistake.NO_RESCALE,
            lambda s: 1.0 if _rise(s) else 0.0,
            lambda s: s,
            title=Text("Forgot to rescale", "忘了缩放"),
            said=Text("A factor of 1 leaves everything on the old scale.", "乘以 1 等于留在旧基准上。"),
        ),
    ),
    working=lambda s: Told(
        "The maximum first rises by {rise:short}: α = e^−{rise:short} = {alpha}.",
        "最大值第一次上升了 {rise:short}：α = e^−{rise:short} = {alpha}。",
    ).on(rise=_rise(s), alpha=_alpha(s)),
    way=lambda s: s,
    rows=lambda s: tuple(line.row(s) for line in (_RISES if s.n_shrinks else _STAYS)),
)


# --- the denominator


def _l(held: State) -> float:
    return float(held.l)


DENOMINATOR: Question[Scenario] = Question(
    slug="denominator",
    title=Text("The denominator ℓ", "分母 ℓ"),
    prompt=below_the_keys(
        Told(
            "Tiles of {tile_size}. ℓ is the sum of the weights against the maximum m. What is it when all keys are "
            "read?",
            "每个分块 {tile_size} 个键。ℓ 是以最大值 m 为基准的权重之和。读完所有键时它是多少？",
        )
    ),
    form=BY_TILE,
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=lambda s: _l(s.end),
    slips=(
        led_to(
            Mistake.NO_RESCALE,
            _l,
            title=Text("Forgot to rescale ℓ", "忘了缩放 ℓ"),
            said=Text(
                "The early keys stayed on the old scale when the maximum rose.",
                "最大值上升时，先读到的键还留在旧基准上。",
            ),
        ),
        led_to(
            Mistake.TILE_MAX,
            _l,
            title=OWN_MAXIMUM,
            said=Text(
                "A later tile was measured against its own maximum, so its keys weigh too much.",
                "后面的分块以自己的最大值为基准，权重偏大。",
            ),
        ),
        led_to(Mistake.NO_MAX, _l, title=NO_MAXIMUM),
        Slip("base_two", TWO, lambda s: _l(in_base_two(s).end), TWO_SAID),
        Slip(
            "count",
            Text("Counted the keys", "数了键的个数"),
            lambda s: len(s.scores),
            Text(
                "That is the number of keys. Each counts e^(s − m), at most 1.",
                "这是键的个数。每个键只算 e^(s − m)，至多为 1。",
            ),
        ),
    ),
    working=Told(
        "Against the final maximum {end.m:short} the weights e^(s − m) sum to {end.l}.",
        "以最终的最大值 {end.m:short} 为基准，各权重 e^(s − m) 之和为 {end.l}。",
    ),
    way=lambda s: s,
    rows=(LARGEST, P, L),
)


# --- the accumulator


def _u(held: State) -> Answer:
    return tuple(held.u)


ACCUMULATOR: Question[Scenario] = Question(
    slug="accumulator",
    title=Text("The accumulator u", "累加器 u"),
    prompt=below_the_keys(
        Told(
            "Tiles of {tile_size}. What is u, with the maximum m as its scale, before the division?",
            "每个分块 {tile_size} 个键。做除法之前，以最大值 m 为基准的 u 是多少？",
        )
    ),
    form=BY_TILE,
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=lambda s: _u(s.end),
    slips=(
        led_to(
            Mistake.RESCALE_L_ONLY,
            _u,
            title=Text("Forgot to rescale u", "忘了缩放 u"),
            said=Text("The maximum rose and the old u was not multiplied by α.", "最大值上升后，旧的 u 没有乘 α。"),
            name="no_rescale",
        ),
        led_to(
            Mistake.TILE_MAX,
            _u,
            title=OWN_MAXIMUM,
            said=Text("A later tile was measured against its own maximum.", "后面的分块以自己的最大值为基准。"),
        ),
        led_to(
            Mistake.NO_MAX,
            _u,
            title=NO_MAXIMUM,
            said=Text("That is Σ e^s v with nothing subtracted.", "这是什么也不减的 Σ e^s v。"),
        ),
        Slip(
            "divided",
            Text("Divided already", "已经除过了"),
            lambda s: _o(s.end),
            Text(
                "That is o = u ÷ ℓ. The accumulator is not divided until the end.",
                "这是 o = u ÷ ℓ。累加器到最后才做除法。",
            ),
        ),
    ),
    working=Told(
        "Each value counts e^(s − m) with m = {end.m:short}: u = ({end.u:vector}).",
        "每个值按 e^(s − m) 计入，m = {end.m:short}：u =（{end.u:vector}）。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=(LARGEST, P, U),
)
