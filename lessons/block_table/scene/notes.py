"""What is worked out in a step, beside the tokens: the division, the slot, the output."""

from __future__ import annotations

from engine.paged_lookup import (
    SECOND,
    Appended,
    Arrived,
    Filled,
    Freed,
    LookUp,
    Read,
    WhichBlock,
    WhichOffset,
)
from engine.paged_output import Attended, Step, rows
from lessons.block_table.scene.layout import Layout
from lessons.kit.format import fixed
from lessons.kit.phrases import bracketed
from lessons.kit.roles import Role
from lessons.kit.rows import row
from lessons.kit.scene import marked
from lessons.kit.shapes import Cell, Label, Shape
from lessons.kit.text import Text

CELL_W, CELL_H = 82.0, 34.0


def notes(lay: Layout, step: Step, wrong: Step | None) -> list[Shape]:
    """A few lines from `lay.notes_at` on, never wider than 310 nor taller than 150."""
    x, y = lay.notes_at
    size = lay.scenario.block_size

    def line(key: str, at: float, words: Text | str, style: str) -> Label:
        return Label(f"note.{key}", x, y + at, words, f"{style} start")

    match step:
        case WhichBlock(position=p, logical=logical):
            return [
                line("divide", 26, f"{p} ÷ {size} = {logical}, …", "big accent"),
                line("block", 50, Text(f"logical block {logical}", f"逻辑块 {logical}"), "body"),
            ]
        case WhichOffset(position=p, logical=logical, offset=offset):
            return [
                line(
                    "divide",
                    26,
                    Text(f"{p} ÷ {size} = {logical}, remainder {offset}", f"{p} ÷ {size} = {logical} 余 {offset}"),
                    "big accent",
                ),
                line(
                    "block",
                    50,
                    Text(f"logical block {logical}, offset {offset}", f"逻辑块 {logical}，偏移 {offset}"),
                    "body",
                ),
            ]
        case LookUp(position=p, logical=logical, offset=offset, entry=entry, slot=place):
            shapes: list[Shape] = [
                line(
                    "divide",
                    26,
                    Text(f"{p} ÷ {size} = {logical}, remainder {offset}", f"{p} ÷ {size} = {logical} 余 {offset}"),
                    "body",
                ),
                line("entry", 62, f"table[{logical}] = {entry}", "big accent"),
                line(
                    "slot",
                    92,
                    Text(f"slot {entry} × {size} + {offset} = {place}", f"槽位 {entry} × {size} + {offset} = {place}"),
                    "big accent",
                ),
            ]
            if isinstance(wrong, LookUp) and wrong.slot != place:
                shapes.append(
                    line(
                        "wrong",
                        128,
                        Text(
                            f"✗ slot {logical} × {size} + {offset} = {wrong.slot}",
                            f"✗ 槽位 {logical} × {size} + {offset} = {wrong.slot}",
                        ),
                        "body strong bad",
                    )
                )
            return shapes
        case Read():
            return _read(lay, step, wrong)
        case Attended():
            return _output(lay, step, wrong)
        case Appended(position=p, slots=slots, allocated=allocated):
            shown = list(enumerate(slots))
            if len(shown) > 4:
                shown = [*shown[:2], shown[-1]]
            lines: list[Shape] = [
                line(
                    f"write.{p + i}",
                    22 + 24 * at,
                    Text(f"position {p + i} → slot {place}", f"位置 {p + i} → 槽位 {place}"),
                    "body",
                )
                for at, (i, place) in enumerate(shown)
            ]
            if allocated:
                new = ", ".join(map(str, allocated))
                words = Text(f"taken from the pool: {new}", f"从池中取出：{new}")
                lines.append(line("taken", 26 + 24 * len(shown), words, "body strong accent"))
            return lines
        case Arrived(memory=memory):
            table = memory.table(SECOND)
            title = line("b", 20, Text("Block table of B", "请求 B 的块表"), "body strong")
            if 1 <= len(table.blocks) <= 5:
                w = 54.0
                return [
                    title,
                    *(
                        Cell(f"note.b.{j}", x + j * (w + 6), y + 32, str(block), w, CELL_H, roles=(Role.NEW,))
                        for j, block in enumerate(table.blocks)
                    ),
                ]
            return [title, line("b.table", 48, bracketed(table.blocks), "body")]
        case Freed(memory=memory, blocks=blocks):
            n = len(memory.free)
            return [
                line(
                    "free",
                    22,
                    Text(f"back in the pool: {_few(blocks)}", f"归还内存块池：{_few(blocks)}"),
                    "body strong accent",
                ),
                line(
                    "count",
                    46,
                    Text(f"free blocks: {n - len(blocks)} → {n}", f"空闲块数：{n - len(blocks)} → {n}"),
                    "body",
                ),
            ]
        case Filled():
            return []


def _few(blocks: tuple[int, ...]) -> str:
    return ", ".join(map(str, blocks[:5])) + (", …" if len(blocks) > 5 else "")


def _read(lay: Layout, step: Read, wrong: Step | None) -> list[Shape]:
    x, y = lay.notes_at

    def found(read: Read, top: float, key: str) -> list[Shape]:
        place = read.slot or 0
        k, v = (array[place].tolist() for array in rows(read.memory.contents))
        title = Text(f"slot {place}", f"槽位 {place}")
        shapes: list[Shape] = [
            Label(f"{key}note.read", x, y + top + 22, title, "body strong start" + (" bad" if key else ""))
        ]
        for i, (name, numbers) in enumerate((("k", k), ("v", v))):
            at = y + top + i * (CELL_H + 4)
            shapes.append(Label(f"{key}note.{name}", x + 104, at + 22, name, "big italic middle"))
            shapes += row(
                f"{key}note.{name}.x",
                x + 126,
                at,
                numbers,
                [fixed(n) for n in numbers],
                roles=(Role.FIRST,),
                w=CELL_W,
                h=CELL_H,
            )
        return shapes

    right = found(step, 2, "")
    if not isinstance(wrong, Read) or wrong.slot == step.slot:
        return right
    return [*right, *marked(found(wrong, 80, "wrong."), right, prefix="wrong.")]


def _output(lay: Layout, step: Attended, wrong: Step | None) -> list[Shape]:
    """The output through the table above the output of contiguous rows, and how far they are apart."""
    x, y = lay.notes_at
    at = x + 136

    def cells(key: str, i: int, numbers: tuple[float, ...]) -> tuple[Cell, ...]:
        return row(
            key,
            at,
            y + i * (CELL_H + 5),
            numbers,
            [fixed(n) for n in numbers],
            roles=(Role.OUTPUT,),
            w=CELL_W,
            h=CELL_H,
        )

    def name(key: str, i: int, words: Text, tone: str = "") -> Label:
        return Label(f"note.{key}", x, y + i * (CELL_H + 5) + 22, words, f"body start{tone}")

    right = cells("o", 0, step.output)
    error = fixed(step.error) if step.error else "0"
    shapes: list[Shape] = [
        name("o", 0, Text("through the table", "经块表")),
        *right,
        name("plain", 1, Text("side by side", "连续存放")),
        *cells("plain", 1, step.plain),
    ]
    if not isinstance(wrong, Attended):
        difference = Text(f"largest |difference|: {error}", f"最大差的绝对值：{error}")
        return [*shapes, name("error", 2, difference, " strong accent")]
    off = fixed(wrong.error) if wrong.error else "0"
    return [
        *shapes,
        name("wrong", 2, Text("wrong way", "错误做法"), " strong bad"),
        *marked(cells("wrong.o", 2, wrong.output), right, prefix="wrong."),
        name("off", 3, Text(f"off by {off} (right way: {error})", f"偏差 {off}（正确做法：{error}）"), ""),
    ]
