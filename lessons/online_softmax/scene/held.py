"""What is held before and after a step: m, ℓ, u, and the output that they would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.online_softmax import AddTile, Check, CompareMax, Divide, ReadTile, Shrink, State
from lessons.kit.format import fixed, short, vector
from lessons.kit.roles import Role
from lessons.kit.rows import row
from lessons.kit.shapes import Arrow, Cell, Label, Pill, Shape
from lessons.kit.text import Text, same
from lessons.online_softmax.scene.layout import CELL_W, GAP, PILL_W, Layout

Holding = ReadTile | CompareMax | Shrink | AddTile | Divide | Check

NAMES = {"m": "m", "l": "ℓ", "u": "u", "o": "o"}
ROLES = {"m": Role.SCORE, "l": Role.DENOMINATOR, "u": Role.ACCUMULATOR, "o": Role.OUTPUT}
STOPPED = Text("u ÷ ℓ, if we stopped here", "若就此停止：u ÷ ℓ")
UNCHANGED = Text("unchanged: both shrank alike", "不变：两者同比缩小")


def panel(lay: Layout, step: Holding, y: float, key: str, way: Text | None) -> list[Shape]:
    """The rows m, ℓ, u, o before and after one step. Keys start with `key`."""
    p = Panel(lay, y, key)
    shapes = p.titles(*_titles(step), way)
    match step:
        case Check():
            return [*shapes, *_check(p, step)]
        case ReadTile(held=held):
            return [*shapes, *p.held(held), *p.quotient("before", held, STOPPED)]
        case CompareMax(held=held, reference=reference):
            largest = f"max({short(step.m_old)}, {short(step.m_tile)})"
            return [
                *shapes,
                *p.held(held),
                *p.change("m", largest if reference == step.m_new else Text("not used", "不用")),
                *p.cells("m", "after", [reference], new=reference != held.m),
                *p.quotient("before", held, STOPPED),
            ]
        case Shrink(before=before, after=after):
            return [
                *shapes,
                *p.held(before),
                *p.cells("m", "after", [float(after.m)]),
                *p.change("l", f"× {fixed(step.alpha_l)}"),
                *p.change("u", f"× {fixed(step.alpha_u)}"),
                *p.cells("l", "after", [float(after.l)], new=bool(after.l != before.l)),
                *p.cells("u", "after", after.u.tolist(), new=step.alpha_u != 1),
                *p.quotient("before", before, STOPPED),
                *p.quotient("after", after, UNCHANGED),
            ]
        case AddTile(before=before, after=after):
            return [
                *shapes,
                *p.held(before),
                *p.cells("m", "after", [float(after.m)]),
                *p.change("l", f"+ {fixed(step.total)}"),
                *p.change("u", "+ Σ p v"),
                *p.cells("l", "after", [float(after.l)], new=step.total > 0),
                *p.cells("u", "after", after.u.tolist(), new=step.total > 0),
                *p.quotient("before", before, STOPPED),
                *p.quotient("after", after),
            ]
        case Divide(held=held, output=output):
            return [*shapes, *p.held(held), *p.change("o", "u ÷ ℓ"), *p.cells("o", "after", output, new=True)]


@dataclass(frozen=True)
class Panel:
    """Where the rows of one way stand: names, cells before, what is done to them, cells after."""

    lay: Layout
    y: float
    key: str

    @property
    def x(self) -> float:
        return self.lay.held_at[0]

    def side_x(self, side: str) -> float:
        return self.x + 40 + (self.lay.after_x if side == "after" else 0)

    def top(self, letter: str) -> float:
        return self.y + 44 + [*NAMES].index(letter) * self.lay.pitch_y

    def titles(self, before: Text, after: Text, way: Text | None) -> list[Shape]:
        title = _capital(before) if way is None else way + same(" · ") + before
        y, tone = self.y + 30, " bad" if self.key else ""
        return [
            Label(f"{self.key}title", self.x, y, title, f"body strong start{tone}"),
            Label(f"{self.key}title.after", self.side_x("after"), y, _capital(after), "body strong start"),
        ]

    def held(self, held: State) -> list[Shape]:
        """The names of the rows, and what is held before."""
        below = self.lay.cell_h / 2 + 6
        return [
            *(
                Label(f"{self.key}{letter}.name", self.x, self.top(letter) + below, name, "big italic start")
                for letter, name in NAMES.items()
            ),
            *self.cells("m", "before", [float(held.m)]),
            *self.cells("l", "before", [float(held.l)]),
            *self.cells("u", "before", held.u.tolist()),
        ]

    def cells(self, letter: str, side: str, numbers: Sequence[float], *, new: bool = False) -> tuple[Cell, ...]:
        return row(
            f"{self.key}{letter}.{side}",
            self.side_x(side),
            self.top(letter),
            numbers,
            [*map(short if letter == "m" else fixed, numbers)],
            roles=(ROLES[letter], *((Role.NEW,) if new else ())),
            h=self.lay.cell_h,
        )

    def change(self, letter: str, word: Text | str) -> list[Shape]:
        """An arrow from the cells before to those after, and on it what is done."""
        middle = self.top(letter) + self.lay.cell_h / 2
        n = self.lay.d if letter in "uo" else 1
        start, end = self.side_x("before") + n * (CELL_W + GAP) + 2, self.side_x("after")
        return [
            Arrow(f"{self.key}{letter}.arrow", start, middle, end - 8 - start),
            Pill(f"{self.key}{letter}.pill", end - 26 - PILL_W, middle, word, PILL_W, 28),
        ]

    def quotient(self, side: str, held: State, note: Text | None = None) -> list[Shape]:
        """The output if no more keys came; what to think of it where there is room to say so."""
        x, y = self.side_x(side), self.top("o")
        word = vector(held.output) if held.l != 0 else "–"
        shapes: list[Shape] = [Label(f"{self.key}o.{side}", x, y + self.lay.cell_h / 2 + 6, word, "num start")]
        if note is not None and not self.lay.compare:
            key = f"{self.key}o.note" if side == "before" else f"{self.key}o.same"
            shapes.append(Label(key, x, y + 48, note, "small muted start"))
        return shapes


def _titles(step: Holding) -> tuple[Text, Text]:
    """Of what is held before, and after."""
    match step:
        case ReadTile():
            return Text("what we hold", "手中的状态"), same("")
        case CompareMax():
            return Text("what we hold", "手中的状态"), Text("the maximum now", "现在的最大值")
        case Shrink():
            return Text("on the old scale", "旧基准"), Text("on the new scale", "新基准")
        case AddTile():
            return Text("before", "相加前"), Text("with the tile added", "加入本分块后")
        case Divide():
            return Text("all keys read", "已读完全部键"), Text("the output", "输出")
        case Check():
            return Text("the output", "输出"), same("")


def _capital(title: Text) -> Text:
    return Text(title.en[:1].upper() + title.en[1:], title.zh)


def _check(p: Panel, step: Check) -> list[Shape]:
    """The output tile by tile above the output at once, and how far they are apart."""
    at, middle, error = p.x + 150, p.lay.cell_h / 2 + 5, fixed(step.error) if step.error else "0"

    def name(key: str, letter: str, words: Text) -> Label:
        return Label(f"{p.key}check.{key}", p.x, p.top(letter) + middle, words, "body start")

    def output(key: str, letter: str, numbers: tuple[float, ...]) -> tuple[Cell, ...]:
        texts = [*map(fixed, numbers)]
        return row(f"{p.key}{key}", at, p.top(letter), numbers, texts, roles=(Role.OUTPUT,), h=p.lay.cell_h)

    return [
        name("tiles", "m", Text("tile by tile", "分块累计")),
        *output("o.after", "m", step.output),
        name("plain", "l", Text("softmax at once", "一次算完")),
        *output("plain", "l", step.plain),
        name("error", "u", Text("largest |difference|", "最大差的绝对值")),
        Label(f"{p.key}check.number", at + 20, p.top("u") + middle, error, "num strong start"),
    ]
