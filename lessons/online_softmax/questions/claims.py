"""Find the error: in claims about the sizes of tables, and about one fold."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import SupportsFloat

from engine.online_softmax import Mistake, Scenario, State
from lessons.kit.controls import Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.form import BY_TILE
from lessons.online_softmax.naming import exponent
from lessons.online_softmax.questions.keys import ONE_NUMBER, below_the_keys, invented, visible

WHICH = Text(
    "One of these claims is wrong. Which one, and what should it say?", "下面有一条说法是错的。是哪一条，应当怎么说？"
)


# --- audit 1.5: the weights are a table as large as the scores


@dataclass(frozen=True)
class Tables:
    """One head: so many queries and keys, and so many numbers in a value."""

    tokens: int = 2_048
    d: int = 128


_SCORES, _WEIGHTS, _OUTPUT = (
    Text("The scores", "分数"),
    Text("The weights after the softmax", "softmax 之后的权重"),
    Text("The output", "输出"),
)


def _table(what: Text, rows: int, columns: int) -> Text:
    size = f"{count(rows)} × {count(columns)} = {count(rows * columns)}"
    return Told("{what}: {size} numbers.", "{what}：{size} 个数。").on(what=what, size=size)


def _holds(n: int) -> Text:
    return Told(
        "Tile by tile, a kernel keeps {n:number} for one query from tile to tile.",
        "逐块计算时，内核为一个查询从一块保存到下一块的是 {n} 个数。",
    ).on(n=n)


_TABLES: Finding[Tables] = Finding(
    (
        Sound(
            "doubted-scores",
            Text("Doubted the table of scores", "怀疑了分数表"),
            lambda t: _table(_SCORES, t.tokens, t.tokens),
            (
                lambda t: _table(_SCORES, t.tokens, t.d),
                lambda t: _table(_SCORES, t.d, t.d),
                lambda t: _table(_SCORES, t.tokens, 1),
            ),
            Text(
                "This one is right: every query is scored against every key.",
                "这条是对的：每个查询都要与每个键算分数。",
            ),
        ),
        Wrong(
            lambda t: _table(_WEIGHTS, t.tokens, t.d),
            lambda t: _table(_WEIGHTS, t.tokens, t.tokens),
            (
                Correction(
                    "one-a-query",
                    Text("One weight per query", "每个查询只有一个权重"),
                    lambda t: _table(_WEIGHTS, t.tokens, 1),
                    Told(
                        "ℓ is one number per query. A query has a weight for each of the {tokens} keys.",
                        "每个查询只有一个的是 ℓ；权重则是 {tokens} 个键各一个。",
                    ),
                ),
                Correction(
                    "d-by-d",
                    Text("Looked at the numbers of a value", "看成了值的维数"),
                    lambda t: _table(_WEIGHTS, t.d, t.d),
                    Told(
                        "A weight belongs to a query and a key. The {d} numbers of a value matter only when the values "
                        "are averaged.",
                        "一个权重属于一个查询和一个键。值的 {d} 个数要到加权平均时才用到。",
                    ),
                ),
            ),
        ),
        Sound(
            "doubted-output",
            Text("Doubted the size of the output", "怀疑了输出的大小"),
            lambda t: _table(_OUTPUT, t.tokens, t.d),
            (
                lambda t: _table(_OUTPUT, t.tokens, t.tokens),
                lambda t: _table(_OUTPUT, t.tokens, 1),
                lambda t: _table(_OUTPUT, t.d, t.d),
            ),
            Told(
                "This one is right: each query gets one weighted average of the values, {d} numbers.",
                "这条是对的：每个查询得到值的一个加权平均，{d} 个数。",
            ),
        ),
        Sound(
            "doubted-state",
            Text("Doubted what the kernel keeps", "怀疑了内核保存的数"),
            lambda t: _holds(t.d + 2),
            (lambda t: _holds(2), lambda t: _holds(t.tokens), lambda t: _holds(t.d)),
            Told(
                "This one is right: the kernel keeps m, ℓ and the {d} numbers of u.",
                "这条是对的：内核保存 m、ℓ 和 u 的 {d} 个数。",
            ),
        ),
    ),
    lambda t: (t.tokens, t.d),
)


def _said_twice(t: Tables) -> Iterator[Text]:
    if not _TABLES.told_apart(t):
        yield Text(
            "With these numbers two of the sentences say the same thing. Change one of the numbers.",
            "用这些数，有两句话说的是一回事。请改动其中一个数。",
        )


TABLES: Question[Tables] = Question(
    slug="find-table",
    title=Text("Find the error: which table is how large?", "找错：哪张表有多大？"),
    prompt=Told(
        "One head without a mask, {tokens} queries and as many keys, values of {d:plain} numbers. ",
        "一个头，没有掩码，{tokens} 个查询和同样多的键，每个值 {d:plain} 个数。",
    )
    + WHICH,
    form=Form(
        (
            Whole("tokens", Text("Queries and keys", "查询与键的个数"), 2, 1_048_576),
            Whole("d", Text("Numbers in a value", "每个值的个数"), 3, 1_024),
        ),
        unfit=_said_twice,
    ),
    inputs=Tables(),
    invent=lambda rng: Tables(
        rng.choice((512, 1_024, 2_048, 4_096, 8_192, 32_768)), rng.choice((32, 48, 64, 80, 96, 128, 256))
    ),
    formula=_TABLES.answer,
    slips=_TABLES.slips,
    working=Text(
        "The softmax turns each score into a weight, so the table of weights is as large as the table of scores. Only "
        "the output has the width of a value.",
        "softmax 把每个分数变成一个权重，所以权重表与分数表一样大。只有输出才是值的宽度。",
    ),
    reply=_TABLES.reply,
    rows=(
        Line(_SCORES, Text("one for each query and key", "每个查询、每个键一个"), "{tokens} × {tokens}"),
        Line(_WEIGHTS, Text("one for each score", "每个分数一个"), "{tokens} × {tokens}"),
        Line(_OUTPUT, Text("one value for each query", "每个查询一个值"), "{tokens} × {d:plain}"),
    ),
)


# --- audit 1.31: maximum and sum are kept, the accumulator is not rescaled


def _alpha(x: float) -> Text:
    return Told("The factor α is {x}.", "因子 α 是 {x}。").on(x=x)


def _l(x: SupportsFloat) -> Text:
    return Told("ℓ becomes {x}.", "ℓ 变成 {x}。").on(x=float(x))


def _u(s: Scenario, times: float) -> Text:
    return Told("u becomes ({u:vector}).", "u 变成（{u:vector}）。").on(u=times * _before(s).u)


def _o(s: Scenario, times: float = 1.0, plus: float = 0.0) -> Text:
    return Told("u ÷ ℓ is ({o:vector}) before and after.", "u ÷ ℓ 前后都是（{o:vector}）。").on(
        o=times * _before(s).output + plus
    )


def _before(s: Scenario) -> State:
    return s.first_shrink.before


def _factor(s: Scenario) -> float:
    return s.first_shrink.alpha


_FOLD: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-alpha",
            Text("Doubted the factor", "怀疑了因子"),
            lambda s: _alpha(_factor(s)),
            (
                lambda s: _alpha(1 / _factor(s)),
                lambda s: _alpha(2.0**-s.first_shrink.rise),
                lambda s: _alpha(s.first_shrink.rise),
            ),
            lambda s: Told(
                r"This one is right: $\alpha = e^{{{power}}}$.", r"这条是对的：$\alpha = e^{{{power}}}$。"
            ).on(power=exponent(s.first_shrink.m_old, s.first_shrink.m_new)),
        ),
        Sound(
            "doubted-l",
            Text("Doubted the denominator", "怀疑了分母"),
            lambda s: _l(_factor(s) * _before(s).l),
            (
                lambda s: _l(_before(s).l),
                lambda s: _l(_before(s).l / _factor(s)),
                lambda s: _l(_before(s).l + _factor(s)),
            ),
            Told(
                "This one is right: {first_shrink.alpha} × {first_shrink.before.l}.",
                "这条是对的：{first_shrink.alpha} × {first_shrink.before.l}。",
            ),
        ),
        Wrong(
            lambda s: _u(s, 1.0),
            lambda s: _u(s, _factor(s)),
            (
                Correction(
                    "inverted",
                    Text("Divided by the factor", "除以了因子"),
                    lambda s: _u(s, 1 / _factor(s)),
                    Text(
                        "That divides by α. The new weights are smaller than the old, so u is multiplied by α.",
                        "这是除以 α。新权重比旧权重小，所以 u 要乘以 α。",
                    ),
                ),
                Correction(
                    "twice",
                    Text("Multiplied twice", "乘了两次"),
                    lambda s: _u(s, _factor(s) ** 2),
                    Text(
                        "That multiplies by α twice. The maximum has risen once, so one factor is right.",
                        "这是乘了两次 α。最大值只上升了一次，所以只乘一次。",
                    ),
                ),
            ),
        ),
        Sound(
            "doubted-quotient",
            Text("Doubted the quotient", "怀疑了商"),
            _o,
            (
                lambda s: _o(s, times=_factor(s)),
                lambda s: _o(s, times=1 / _factor(s)),
                lambda s: _o(s, plus=-s.first_shrink.rise),
            ),
            Text(
                "This one is right: ℓ and u have the same factor, which cancels in the quotient.",
                "这条是对的：ℓ 和 u 同乘一个因子，在商里约掉。",
            ),
        ),
    ),
    visible,
)


def _is_foldable(s: Scenario) -> bool:
    return s.n_shrinks > 0 and 0.001 <= s.first_shrink.rise <= 300 and _FOLD.told_apart(s)


def _no_fold(s: Scenario) -> Iterator[Text]:
    if not _is_foldable(s):
        yield Text(
            "The maximum must rise after the first visible tile, by at least 0.001 and at most 300, and u must not be "
            "0 there.",
            "第一个可见的分块之后，最大值必须上升 0.001 到 300，且那时 u 不能为 0。",
        )


def _foldable(rng: random.Random) -> Scenario:
    while True:
        s = invented(rng, d=1)
        if _is_foldable(s):
            return s


FOLD: Question[Scenario] = Question(
    slug="find-fold",
    title=Text("Find the error: the maximum rises", "找错：最大值上升"),
    prompt=below_the_keys(
        Told(
            "The kernel reads tiles of {tile_size:key}. The maximum first rises from {first_shrink.m_old:short} to "
            "{first_shrink.m_new:short}, and ℓ and u change to the new scale before the tile joins them. ",
            "内核按每个分块 {tile_size} 个键读取。最大值第一次从 {first_shrink.m_old:short} 升到 "
            "{first_shrink.m_new:short}，加入这一分块之前，ℓ 和 u 要换到新基准。",
        )
        + WHICH
    ),
    form=replace(BY_TILE, unfit=_no_fold),
    inputs=ONE_NUMBER,
    invent=_foldable,
    formula=_FOLD.answer,
    slips=_FOLD.slips,
    working=Told(
        "Both sums are multiplied by α = {first_shrink.alpha}, so u becomes ({first_shrink.after.u:vector}).",
        "两个和都乘以 α = {first_shrink.alpha}，所以 u 变成（{first_shrink.after.u:vector}）。",
    ),
    way=lambda s: replace(s, mistake=Mistake.RESCALE_L_ONLY),
    reply=_FOLD.reply,
    rows=(
        Line(
            Text("α", "因子 α"),
            "e^({first_shrink.m_old:short} − ({first_shrink.m_new:short}))",
            "{first_shrink.alpha}",
        ),
        Line(
            Text("ℓ on the new scale", "新基准上的 ℓ"),
            "{first_shrink.alpha} × {first_shrink.before.l}",
            "{first_shrink.after.l}",
        ),
        Line(
            Text("u on the new scale", "新基准上的 u"),
            "{first_shrink.alpha} × ({first_shrink.before.u:vector})",
            "{first_shrink.after.u:vector}",
        ),
        Line(Text("Their quotient, as before", "两者之商，与之前相同"), "u ÷ ℓ", "{first_shrink.after.output:vector}"),
    ),
)
