"""What is held before and after a step: m, ℓ, u, and the output that they would give; the wrong way's below each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.online_softmax import AddTile, Check, CompareMax, Divide, ReadTile, Shrink, State
from lessons.kit.format import fixed, short
from lessons.kit.roles import Role
from lessons.kit.rows import row
from lessons.kit.shapes import Arrow, Box, Cell, Label, Pill, Shape, width_of
from lessons.kit.text import Text, same
from lessons.online_softmax.scene.bars import Holding
from lessons.online_softmax.scene.layout import CELL_W, GAP, PILL_W, WIDTH, Layout

NAMES = {"m": "m", "l": "ℓ", "u": "u", "o": "o"}
ROLES = {"m": Role.SCORE, "l": Role.DENOMINATOR, "u": Role.ACCUMULATOR, "o": Role.OUTPUT}
STOPPED = Text("o = u ÷ ℓ, if the keys ended here", "o = u ÷ ℓ：若键到此为止")
UNCHANGED = Text("u ÷ ℓ stays: both have the same factor", "u ÷ ℓ 不变：两者同乘一个因子")
BELOW = Text("right way above, ✗ wrong way below", "上：正确做法；下：✗ 错误做法")


def place(lay: Layout, step: Holding) -> list[Shape]:
    """The chip, what it is called, and the heads over what stands there before and after."""
    x, y = lay.held_at
    before, after = _titles(step)
    shapes: list[Shape] = [
        Box("chip", x - 12, y + 6, WIDTH - x + 10, lay.body_h - y - 8),
        Label("chip.name", WIDTH - 18, y + 24, Text("Chip (fast memory)", "片上（快速内存）"), "small muted end"),
    ]
    if lay.compare:
        shapes.append(Label("chip.ways", x + 360 * (not lay.beside), y + 24, BELOW, "small bad start"))
    if lay.beside:
        return [
            *shapes,
            Label("title", x, y + 43, before, "small strong start"),
            Label("title.after", lay.cells_x("u", "after"), y + 43, after, "small strong start"),
        ]
    both = before if after == same("") else before + same(" → ") + after
    return [*shapes, Label("title", x, y + 24, both, "small strong start")]


def panel(lay: Layout, step: Holding, *, beside: Holding | None = None) -> list[Shape]:
    """The numbers of one way; of the wrong one, a line below the right way's, `beside` whose step it stands."""
    p = Panel(lay, beside)
    match step:
        case Check():
            return _check(p, step)
        case ReadTile(held=held):
            return [*p.held(held), *p.quotient("before", held, STOPPED)]
        case CompareMax(held=held, reference=reference):
            largest = f"max({short(step.m_old)}, {short(step.m_tile)})"
            used = _short(largest, "max")
            return [
                *p.held(held),
                *p.change("m", used if reference == step.m_new else Text("not used", "不用"), new=reference != held.m),
                *p.cells("m", "after", [reference], new=reference != held.m),
                *p.quotient("before", held, STOPPED),
            ]
        case Shrink(before=before, after=after):
            stays = before.l != 0 != after.l and all(
                math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(before.output, after.output, strict=True)
            )
            return [
                *p.held(before),
                *p.cells("m", "after", [float(after.m)]),
                *p.change("l", _short(f"× {fixed(step.alpha_l)}", "× α"), new=step.alpha_l != 1),
                *p.change("u", _short(f"× {fixed(step.alpha_u)}", "× α"), new=step.alpha_u != 1),
                *p.cells("l", "after", [float(after.l)], new=bool(after.l != before.l)),
                *p.cells("u", "after", after.u.tolist(), new=step.alpha_u != 1),
                *p.quotient("before", before),
                *p.quotient("after", after, UNCHANGED if stays else None),
            ]
        case AddTile(before=before, after=after):
            return [
                *p.held(before),
                *p.cells("m", "after", [float(after.m)]),
                *p.change("l", _short(f"+ {fixed(step.total)}", "+ Σ p"), new=step.total > 0),
                *p.change("u", same("+ Σ p v"), new=step.total > 0),
                *p.cells("l", "after", [float(after.l)], new=step.total > 0),
                *p.cells("u", "after", after.u.tolist(), new=step.total > 0),
                *p.quotient("before", before),
                *p.quotient("after", after, STOPPED),
            ]
        case Divide(held=held, output=output):
            return [
                *p.held(held),
                *p.change("o", same("u ÷ ℓ"), new=True),
                *p.cells("o", "after", output, new=True),
            ]


def _short(word: str, name: str) -> Text:
    """The number on an arrow, or its name where the number is too long."""
    return same(word if width_of(word) <= 10.5 else name)


@dataclass(frozen=True)
class Panel:
    """Where the numbers of one way stand."""

    lay: Layout
    beside: Holding | None

    @property
    def wrong(self) -> bool:
        return self.beside is not None

    @property
    def key(self) -> str:
        return "wrong." if self.wrong else ""

    def top(self, letter: str) -> float:
        return self.lay.at(letter)[1] + self.lay.line_h * self.wrong

    def name(self, letter: str) -> Label:
        word, style = ("✗", "body bad start") if self.wrong else (NAMES[letter], "big italic start")
        baseline = self.top(letter) + self.lay.cell_h / 2 + 6
        return Label(f"{self.key}{letter}.name", self.lay.at(letter)[0], baseline, word, style)

    def held(self, held: State) -> list[Shape]:
        """The names of the lines, and what is held before."""
        return [
            *map(self.name, NAMES),
            *self.cells("m", "before", [float(held.m)]),
            *self.cells("l", "before", [float(held.l)]),
            *self.cells("u", "before", held.u.tolist()),
        ]

    def cells(self, letter: str, side: str, numbers: Sequence[float], *, new: bool = False) -> tuple[Cell, ...]:
        return row(
            f"{self.key}{letter}.{side}",
            self.lay.cells_x(letter, side),
            self.top(letter),
            numbers,
            [*map(short if letter == "m" else fixed, numbers)],
            roles=(ROLES[letter], *((Role.NEW,) if new else ())),
            w=CELL_W,
            h=self.lay.cell_h,
            gap=GAP,
        )

    def change(self, letter: str, word: Text, *, new: bool) -> list[Shape]:
        """An arrow from the cells before to those after, and on it what is done; bare where nothing changes."""
        middle, end = self.top(letter) + self.lay.cell_h / 2, self.lay.cells_x(letter, "after")
        n = self.lay.d if letter in "uo" else 1
        start = self.lay.cells_x(letter, "before") + n * (CELL_W + GAP)
        return [
            Arrow(f"{self.key}{letter}.arrow", start, middle, end - 5 - start),
            Pill(f"{self.key}{letter}.pill", end - 19 - PILL_W, middle, word, PILL_W, 26),
        ]

    def quotient(self, side: str, held: State, note: Text | None = None) -> list[Shape]:
        """The output if no more keys came, and a note on it."""
        if held.l != 0:
            shapes: list[Shape] = [*self.cells("o", side, held.output.tolist())]
        else:
            y = self.top("o") + self.lay.cell_h / 2 + 6
            shapes = [Label(f"{self.key}o.{side}.none", self.lay.cells_x("o", side) + CELL_W / 2, y, "–", "num middle")]
        if note is not None and not self.wrong:
            x = self.lay.cells_x("o", "before")
            words = Text("right way: ", "正确做法：") + note if self.lay.compare and note is UNCHANGED else note
            shapes.append(Label("o.note", x, self.lay.note_y, words, "small muted start"))
        return shapes


def _titles(step: Holding) -> tuple[Text, Text]:
    """Of what is held before, and after."""
    match step:
        case ReadTile():
            return Text("Kept so far", "目前保存"), same("")
        case CompareMax():
            return Text("Kept so far", "目前保存"), Text("The maximum now", "现在的最大值")
        case Shrink():
            return Text("On the old scale", "旧基准"), Text("On the new scale", "新基准")
        case AddTile():
            return Text("Before", "相加前"), Text("With the tile", "加入分块后")
        case Divide():
            return Text("All keys read", "已读完全部键"), Text("The output", "输出")
        case Check():
            return Text("The output, two ways", "两种算法的输出"), same("")


def _check(p: Panel, step: Check) -> list[Shape]:
    """The output tile by tile above the output at once, and how far they are apart; the wrong way's below."""
    lay, middle = p.lay, p.lay.cell_h / 2 + 5
    x, top = lay.held_at[0], lay.held_at[1] + lay.head
    lines = {"tiles": 0, "plain": 1, "error": 2, "wrong.tiles": 3, "wrong.error": 4}

    def y(name: str) -> float:
        return top + lines[name] * lay.check_pitch

    def name(key: str, words: Text, tone: str = "") -> Label:
        return Label(f"check.{key}", x, y(key) + middle, words, f"small start{tone}")

    def output(key: str, line: str, numbers: tuple[float, ...]) -> tuple[Cell, ...]:
        texts = [*map(fixed, numbers)]
        roles = (Role.OUTPUT,)
        return row(key, x + 134, y(line), numbers, texts, roles=roles, w=CELL_W, h=lay.cell_h, gap=GAP)

    error = fixed(step.error) if step.error else "0"
    if p.wrong:
        return [
            name("wrong.tiles", Text("✗ wrong way", "✗ 错误做法"), " bad"),
            *output("wrong.o.after", "wrong.tiles", step.output),
            name("wrong.error", Text("✗ off by", "✗ 偏差"), " bad"),
            Label("wrong.check.number", x + 134 + CELL_W / 2, y("wrong.error") + middle, error, "num bad middle"),
        ]
    return [
        name("tiles", Text("tile by tile", "分块累计")),
        *output("o.after", "tiles", step.output),
        name("plain", Text("softmax at once", "一次算完")),
        *output("plain", "plain", step.plain),
        name("error", Text("largest difference", "最大差的绝对值")),
        Label("check.number", x + 134 + CELL_W / 2, y("error") + middle, error, "num strong middle"),
    ]
