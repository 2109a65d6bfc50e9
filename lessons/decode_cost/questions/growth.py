"""What grows how fast: a ratio, doubling, and which quantity grows with which power."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from engine.counts import cached, naive, naive_squares, prefill
from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost.form import NEW, form
from lessons.decode_cost.questions.given import HUNDRED, ONE_HEAD, itself, pairs_row, slip, steps
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count, fixed, short
from lessons.kit.places import shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Number, Pick
from lessons.kit.text import Text
from lessons.kit.units import TIMES


def _ratio(n: int) -> float:
    return naive(n).pairs / cached(n).pairs


RATIO: Question[Scenario] = Question(
    slug="ratio",
    title=Text("How many times the pairs?", "配对数是几倍？"),
    prompt=lambda s: Text(
        f"{count(s.n_new)} step{'s' * (s.n_new > 1)} from a single token. {ONE_HEAD.en}How many times as many "
        "query·key pairs are scored without a cache as with one?",
        f"从单个 token 起走 {count(s.n_new)} 步。{ONE_HEAD.zh}没有缓存时的查询·键配对数是有缓存时的几倍？",
    ),
    form=form(NEW),
    inputs=HUNDRED,
    invent=steps(8, 120),
    formula=lambda s: (_ratio(s.n_new),),
    slips=(
        slip(
            "rows",
            Text("The ratio of rows", "行数之比"),
            lambda p, m: naive(m).rows / cached(m).rows,
            Text("That is the ratio of query rows, (N + 1)/2.", "这是查询行数之比，(N + 1)/2。"),
            Mistake.ROWS_AS_PAIRS,
        ),
        slip(
            "squares",
            Text("Squares against a triangle", "方阵比三角形"),
            lambda p, m: naive_squares(m) / cached(m).pairs,
            Text("Without a cache the masked pairs were counted as well.", "没有缓存的一边把被屏蔽的配对也算进去了。"),
            Mistake.FULL_SQUARE,
        ),
        slip(
            "n",
            Text("The number of steps", "步数"),
            lambda p, m: m,
            Text(
                "The last pass is far longer than the first; on average a pass is about a third of the last triangle.",
                "最后一步远比第一步长；平均每步大约是最后那个三角形的三分之一。",
            ),
        ),
        slip(
            "mixed",
            Text("Pairs over rows", "配对除以行"),
            lambda p, m: naive(m).pairs / cached(m).rows,
            Text(
                "Pairs without a cache were divided by rows with one: two units.",
                "没有缓存的配对除以了有缓存的行：两种单位。",
            ),
            Mistake.OWN_KEY,
        ),
    ),
    working=lambda s: Text(f"(N + 2)/3 = {fixed(_ratio(s.n_new))}.", f"(N + 2)/3 = {fixed(_ratio(s.n_new))}。"),
    way=itself,
    reply=Number(TIMES),
    rows=lambda s: (
        pairs_row(
            Text("pairs without a cache, N(N + 1)(N + 2)/6", "没有缓存的配对，N(N + 1)(N + 2)/6"),
            f"{count(s.n_new)} × {count(s.n_new + 1)} × {count(s.n_new + 2)} / 6",
            naive(s.n_new).pairs,
        ),
        pairs_row(
            Text("pairs with a cache, N(N + 1)/2", "有缓存的配对，N(N + 1)/2"),
            f"{count(s.n_new)} × {count(s.n_new + 1)} / 2",
            cached(s.n_new).pairs,
        ),
        Row(
            Text("ratio, (N + 2)/3", "倍数，(N + 2)/3"),
            f"{count(naive(s.n_new).pairs)} / {count(cached(s.n_new).pairs)}",
            TIMES.after(short(_ratio(s.n_new))),
        ),
    ),
)

DOUBLE: Question[Scenario] = Question(
    slug="double",
    title=Text("Double the length", "长度加倍"),
    prompt=lambda s: Text(
        f"With a cache, {count(s.n_new)} step{'s' * (s.n_new > 1)} from a single token become{'s' * (s.n_new == 1)} "
        f"{count(2 * s.n_new)}. By what factor do the query·key pairs of the whole generation grow?",
        f"有缓存，从单个 token 起的 {count(s.n_new)} 步变成 {count(2 * s.n_new)} 步。整段生成的查询·键配对数变成几倍？",
    ),
    form=form(NEW),
    inputs=HUNDRED,
    invent=steps(6, 100),
    formula=lambda s: (cached(2 * s.n_new).pairs / cached(s.n_new).pairs,),
    slips=(
        slip(
            "linear",
            Text("Linear", "按线性算了"),
            lambda p, m: 2.0,
            Text(
                "That is one step, or the rows. Twice as many steps, each up to twice as long, make about four times "
                "the pairs.",
                "这是一步，或者行数。步数加倍，每步又最多加倍，配对数大约是四倍。",
            ),
            Mistake.ROWS_AS_PAIRS,
        ),
        slip(
            "no_cache",
            Text("Without a cache", "按没有缓存算了"),
            lambda p, m: naive(2 * m).pairs / naive(m).pairs,
            Text("That is the growth without a cache, which is cubic.", "这是没有缓存时的增长，立方级。"),
        ),
        slip(
            "constant",
            Text("No growth", "不增长"),
            lambda p, m: 1.0,
            Text(
                "Old pairs are not scored again, but new queries meet old keys: new pairs.",
                "旧的配对不会重算，但新的查询会遇到旧的键：那是新的配对。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"{count(cached(2 * s.n_new).pairs)} ÷ {count(cached(s.n_new).pairs)} = "
        f"{fixed(cached(2 * s.n_new).pairs / cached(s.n_new).pairs)}.",
        f"{count(cached(2 * s.n_new).pairs)} ÷ {count(cached(s.n_new).pairs)} = "
        f"{fixed(cached(2 * s.n_new).pairs / cached(s.n_new).pairs)}。",
    ),
    way=itself,
    reply=Number(TIMES),
    rows=lambda s: (
        pairs_row(
            Text("pairs of N steps, N(N + 1)/2", "N 步的配对，N(N + 1)/2"),
            f"{count(s.n_new)} × {count(s.n_new + 1)} / 2",
            cached(s.n_new).pairs,
        ),
        pairs_row(
            Text("pairs of 2N steps", "2N 步的配对"),
            f"{count(2 * s.n_new)} × {count(2 * s.n_new + 1)} / 2",
            cached(2 * s.n_new).pairs,
        ),
        Row(
            Text("factor", "倍数"),
            f"{count(cached(2 * s.n_new).pairs)} / {count(cached(s.n_new).pairs)}",
            TIMES.after(short(cached(2 * s.n_new).pairs / cached(s.n_new).pairs)),
        ),
    ),
)


# --- which of these grows so fast


@dataclass(frozen=True)
class Grow:
    """`n` steps become 2n; which quantity becomes about `factor` times as large? `four` and `two` choose among those
    that become 4 and 2 times as large."""

    n: int = 100
    factor: int = 8
    four: int = 0
    two: int = 0


ONE, TWO, FOUR, EIGHT = 1, 2, 4, 8
_EIGHT = Text("all pairs of the generation, without a cache", "没有缓存时整段的配对数")
_FOUR = (
    Text("all pairs of the generation, with a cache", "有缓存时整段的配对数"),
    Text("all rows of the generation, without a cache", "没有缓存时整段的行数"),
    Text("the pairs of the last step, without a cache", "没有缓存时最后一步的配对数"),
)
_TWO = (
    Text("the pairs of the last step, with a cache", "有缓存时最后一步的配对数"),
    Text("all rows of the generation, with a cache", "有缓存时整段的行数"),
    Text("the rows of the last step, without a cache", "没有缓存时最后一步的行数"),
)
_ONE = Text("the rows of the last step, with a cache", "有缓存时最后一步的行数")
_FACTORS = (ONE, TWO, FOUR, EIGHT)


def _kinds(g: Grow) -> dict[int, Text]:
    return {ONE: _ONE, TWO: _TWO[g.two], FOUR: _FOUR[g.four], EIGHT: _EIGHT}


def _of(g: Grow, factor: int) -> Callable[[int], int]:
    """The quantity of n steps that grows by this factor."""
    return {
        ONE: lambda n: 1,
        TWO: lambda n: n,
        FOUR: (lambda n: cached(n).pairs, lambda n: naive(n).rows, lambda n: prefill(n).pairs)[g.four],
        EIGHT: lambda n: naive(n).pairs,
    }[factor]


def _shown(g: Grow) -> tuple[int, ...]:
    """Which factor's quantity stands at each place."""
    return tuple(_FACTORS[i] for i in shuffled(len(_FACTORS), g.n, g.four, g.two))


def _at(g: Grow, factor: int) -> Answer:
    return (float(_shown(g).index(factor) + 1),)


def _measured(g: Grow, factor: int) -> Text:
    value = _of(g, factor)
    a, b = count(value(g.n)), count(value(2 * g.n))
    name = _kinds(g)[factor]
    return Text(
        f"For {name.en}, {a} becomes {b}, × {short(round(value(2 * g.n) / value(g.n), 2))}.",
        f"{name.zh}：{a} 变成 {b}，× {short(round(value(2 * g.n) / value(g.n), 2))}。",
    )


def _chosen(factor: int) -> Text:
    if factor == ONE:
        return Text("One that does not grow", "选了不增长的一个")
    return Text(f"One that becomes about {factor} times as large", f"选了约为 {factor} 倍的一个")


def _grow_slips(factors: tuple[int, int, int]) -> tuple[Slip[Grow], ...]:
    return tuple(
        Slip(f"times_{f}", _chosen(f), lambda g, f=f: _at(g, f), lambda g, f=f: _measured(g, f))  # type: ignore[misc]
        for f in factors
    )


def _grow_question(slug: str, factor: int, title: Text) -> Question[Grow]:
    others = tuple(f for f in _FACTORS if f != factor)
    return Question(
        slug=slug,
        title=title,
        prompt=lambda g: Text(
            f"{count(g.n)} step{'s' * (g.n != 1)} from a single token become {count(2 * g.n)}. Which of these "
            f"becomes about {factor} times as large?",
            f"从单个 token 起的 {count(g.n)} 步变成 {count(2 * g.n)} 步。下面哪一个变成约 {factor} 倍？",
        ),
        form=Form((Whole("n", Text("Steps N", "步数 N"), 10, 200),), lambda values: Grow(**values), asdict),
        inputs=Grow(factor=factor),
        invent=lambda rng: Grow(rng.randint(10, 120), factor, rng.randrange(3), rng.randrange(3)),
        formula=lambda g: _at(g, factor),
        slips=_grow_slips((others[0], others[1], others[2])),
        working=lambda g: _measured(g, factor),
        way=lambda g: Scenario(1, g.n),
        reply=Pick(lambda g: tuple(_kinds(g)[f] for f in _shown(g))),
        rows=lambda g: tuple(
            Row(
                _kinds(g)[f],
                f"{count(_of(g, f)(g.n))} → {count(_of(g, f)(2 * g.n))}",
                TIMES.after(short(round(_of(g, f)(2 * g.n) / _of(g, f)(g.n), 2))),
            )
            for f in (*others, factor)
        ),
    )


CUBIC = _grow_question("cubic", EIGHT, Text("Which grows with the cube?", "哪一个按立方增长？"))
LINEAR = _grow_question("linear", TWO, Text("Which grows linearly?", "哪一个按线性增长？"))
