"""What grows how fast: a ratio, doubling, and which quantity grows with which power."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost.form import FORM, NEW
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.questions.given import FROM_ONE, HUNDRED, as_pairs, itself, steps, triangle, triangles
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count, short
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Row, Slip
from lessons.kit.reply import Number, Pick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import TIMES

RATIO: Question[Scenario] = Question(
    slug="ratio",
    title=Text("How many times the pairs?", "配对数是几倍？"),
    prompt=FROM_ONE
    + Text(
        "How many times as many query·key pairs are scored without a cache as with one?",
        "没有缓存时的查询·键配对数是有缓存时的几倍？",
    ),
    form=FORM.only(NEW),
    inputs=HUNDRED,
    invent=steps(8, 120),
    formula=lambda s: s.ratio,
    slips=(
        MISTAKES.slip(
            Mistake.ROWS_AS_PAIRS,
            lambda s: s.plain.rows / s.cached.rows,
            itself,
            name="rows",
            title=Text("The ratio of rows", "行数之比"),
            said=Text("That is the ratio of query rows, (N + 1)/2.", "这是查询行数之比，(N + 1)/2。"),
        ),
        MISTAKES.slip(
            Mistake.FULL_SQUARE,
            lambda s: s.squares / s.cached.pairs,
            itself,
            name="squares",
            title=Text("Squares against a triangle", "方阵比三角形"),
            said=Text(
                "Without a cache the masked pairs were counted as well.", "没有缓存的一边把被屏蔽的配对也算进去了。"
            ),
        ),
        Slip(
            "n",
            Text("The number of steps", "步数"),
            lambda s: s.n_new,
            Text(
                "The last pass is far longer than the first; on average a pass is about a third of the last triangle.",
                "最后一步远比第一步长；平均每步大约是最后那个三角形的三分之一。",
            ),
        ),
        MISTAKES.slip(
            Mistake.OWN_KEY,
            lambda s: s.plain.pairs / s.cached.rows,
            itself,
            name="mixed",
            title=Text("Pairs over rows", "配对除以行"),
            said=Text(
                "Pairs without a cache were divided by rows with one: two units.",
                "没有缓存的配对除以了有缓存的行：两种单位。",
            ),
        ),
    ),
    working=Told("(N + 2)/3 = {ratio}.", "(N + 2)/3 = {ratio}。"),
    way=itself,
    reply=Number(TIMES),
    rows=(
        Line(
            Text("pairs without a cache, N(N + 1)(N + 2)/6", "没有缓存的配对，N(N + 1)(N + 2)/6"),
            lambda s: triangles(s.n_new),
            as_pairs("plain.pairs"),
        ),
        Line(
            Text("pairs with a cache, N(N + 1)/2", "有缓存的配对，N(N + 1)/2"),
            lambda s: triangle(s.n_new),
            as_pairs("cached.pairs"),
        ),
        Line(
            Text("ratio, (N + 2)/3", "倍数，(N + 2)/3"),
            "{plain.pairs} / {cached.pairs}",
            lambda s: TIMES.after(short(s.ratio)),
        ),
    ),
)


def _factor(s: Scenario) -> float:
    return s.doubled.cached.pairs / s.cached.pairs


DOUBLE: Question[Scenario] = Question(
    slug="double",
    title=Text("Double the length", "长度加倍"),
    prompt=Told(
        "With a cache, {n_new:step} from a single token {n_new|becomes|become} {doubled.n_new}. By what factor do "
        "the query·key pairs of the whole generation grow?",
        "有缓存，从单个 token 起的 {n_new} 步变成 {doubled.n_new} 步。整段生成的查询·键配对数变成几倍？",
    ),
    form=FORM.only(NEW),
    inputs=HUNDRED,
    invent=steps(6, 100),
    formula=_factor,
    slips=(
        MISTAKES.slip(
            Mistake.ROWS_AS_PAIRS,
            lambda s: 2,
            itself,
            name="linear",
            title=Text("Linear", "按线性算了"),
            said=Text(
                "That is one step, or the rows. Twice as many steps, each up to twice as long, make about four times "
                "the pairs.",
                "这是一步，或者行数。步数加倍，每步又最多加倍，配对数大约是四倍。",
            ),
        ),
        Slip(
            "no_cache",
            Text("Without a cache", "按没有缓存算了"),
            lambda s: s.doubled.plain.pairs / s.plain.pairs,
            Text("That is the growth without a cache, which is cubic.", "这是没有缓存时的增长，立方级。"),
        ),
        Slip(
            "constant",
            Text("No growth", "不增长"),
            lambda s: 1,
            Text(
                "Old pairs are not scored again, but new queries meet old keys: new pairs.",
                "旧的配对不会重算，但新的查询会遇到旧的键：那是新的配对。",
            ),
        ),
    ),
    working=lambda s: Told(
        "{doubled.cached.pairs} ÷ {cached.pairs} = {factor}.", "{doubled.cached.pairs} ÷ {cached.pairs} = {factor}。"
    ).on(s, factor=_factor(s)),
    way=itself,
    reply=Number(TIMES),
    rows=(
        Line(
            Text("pairs of N steps, N(N + 1)/2", "N 步的配对，N(N + 1)/2"),
            lambda s: triangle(s.n_new),
            as_pairs("cached.pairs"),
        ),
        Line(
            Text("pairs of 2N steps", "2N 步的配对"), lambda s: triangle(2 * s.n_new), as_pairs("doubled.cached.pairs")
        ),
        Line(
            Text("factor", "倍数"),
            "{doubled.cached.pairs} / {cached.pairs}",
            lambda s: TIMES.after(short(_factor(s))),
        ),
    ),
)


# --- which of these grows so fast

ONE, TWO, FOUR, EIGHT = FACTORS = 1, 2, 4, 8


@dataclass(frozen=True)
class Quantity:
    """Something counted in a generation from a single token."""

    name: Text
    of: Callable[[Scenario], int]


_ONE = Quantity(Text("the rows of the last step, with a cache", "有缓存时最后一步的行数"), lambda s: 1)
_TWO = (
    Quantity(Text("the pairs of the last step, with a cache", "有缓存时最后一步的配对数"), lambda s: s.n_positions),
    Quantity(Text("all rows of the generation, with a cache", "有缓存时整段的行数"), lambda s: s.cached.rows),
    Quantity(
        Text("the rows of the last step, without a cache", "没有缓存时最后一步的行数"), lambda s: s.last_plain.rows
    ),
)
_FOUR = (
    Quantity(Text("all pairs of the generation, with a cache", "有缓存时整段的配对数"), lambda s: s.cached.pairs),
    Quantity(Text("all rows of the generation, without a cache", "没有缓存时整段的行数"), lambda s: s.plain.rows),
    Quantity(
        Text("the pairs of the last step, without a cache", "没有缓存时最后一步的配对数"), lambda s: s.last_plain.pairs
    ),
)
_EIGHT = Quantity(
    Text("all pairs of the generation, without a cache", "没有缓存时整段的配对数"), lambda s: s.plain.pairs
)


@dataclass(frozen=True)
class Grow:
    """`n` steps become 2n; which quantity becomes about `factor` times as large? `four` and `two` choose among those
    that become 4 and 2 times as large."""

    n: int = 100
    factor: int = 8
    four: int = 0
    two: int = 0

    @property
    def twice(self) -> int:
        return 2 * self.n

    @property
    def shown(self) -> tuple[int, ...]:
        """Which factor's quantity stands at each place."""
        return tuple(FACTORS[i] for i in shuffled(len(FACTORS), self.n, self.four, self.two))

    def place(self, factor: int) -> float:
        return place(self.shown, factor)

    def quantity(self, factor: int) -> Quantity:
        """The one that grows so."""
        return {ONE: _ONE, TWO: _TWO[self.two], FOUR: _FOUR[self.four], EIGHT: _EIGHT}[factor]

    def counted(self, factor: int) -> tuple[int, int, float]:
        """That quantity of n steps, of 2n steps, and how many times as large it becomes."""
        a, b = (self.quantity(factor).of(Scenario(1, n)) for n in (self.n, self.twice))
        return a, b, round(b / a, 2)


def _measured(g: Grow, factor: int) -> Text:
    a, b, times = g.counted(factor)
    return Told("For {name}, {a} becomes {b}, × {times:short}.", "{name}：{a} 变成 {b}，× {times:short}。").on(
        g.quantity(factor), a=a, b=b, times=times
    )


def _line(g: Grow, factor: int) -> Row:
    a, b, times = g.counted(factor)
    return Row(g.quantity(factor).name, f"{count(a)} → {count(b)}", TIMES.after(short(times)))


def _chose(factor: int) -> Slip[Grow]:
    if factor == ONE:
        title = Text("One that does not grow", "选了不增长的一个")
    else:
        title = Text(f"One that becomes about {factor} times as large", f"选了约为 {factor} 倍的一个")
    return Slip(f"times_{factor}", title, lambda g: g.place(factor), lambda g: _measured(g, factor))


def _which_grows(slug: str, factor: int, title: Text) -> Question[Grow]:
    others = tuple(f for f in FACTORS if f != factor)
    return Question(
        slug=slug,
        title=title,
        prompt=Told(
            "{n:step} from a single token become {twice}. Which of these becomes about {factor} times as large?",
            "从单个 token 起的 {n} 步变成 {twice} 步。下面哪一个变成约 {factor} 倍？",
        ),
        form=Form((Whole("n", Text("Steps N", "步数 N"), 10, 200),)),
        inputs=Grow(factor=factor),
        invent=lambda rng: Grow(rng.randint(10, 120), factor, rng.randrange(3), rng.randrange(3)),
        formula=lambda g: g.place(factor),
        slips=tuple(_chose(f) for f in others),
        working=lambda g: _measured(g, factor),
        way=lambda g: Scenario(1, g.n),
        reply=Pick(lambda g: tuple(g.quantity(f).name for f in g.shown)),
        rows=lambda g: tuple(_line(g, f) for f in (*others, factor)),
    )


CUBIC = _which_grows("cubic", EIGHT, Text("Which grows with the cube?", "哪一个按立方增长？"))
LINEAR = _which_grows("linear", TWO, Text("Which grows linearly?", "哪一个按线性增长？"))
