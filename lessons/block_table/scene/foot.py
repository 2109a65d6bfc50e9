"""What is worked out in a step, in a line below the pool; with a mistake a second line says what the wrong way gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.paged_lookup import SECOND, Appended, Arrived, Divided, Filled, Freed, LookUp, Read
from engine.paged_output import Attended, Reserved, Saved, Step, rows
from lessons.block_table.naming import differs
from lessons.block_table.scene.layout import FOOT_DY, FOOT_H, MARGIN, Layout
from lessons.kit.format import delta, fixed
from lessons.kit.phrases import run, series
from lessons.kit.roles import Role
from lessons.kit.scene import marked
from lessons.kit.shapes import Cell, Label, Shape, width_of
from lessons.kit.text import Text, same
from lessons.kit.told import Told

CELL_W = 84.0
APART = 28.0  # between two items of a line


@dataclass(frozen=True)
class Words:
    """Words in a line."""

    text: Text
    style: str = "body"

    @property
    def wide(self) -> float:
        letter = 9.6 if "big" in self.style else 8.4
        return letter * max(width_of(self.text.en), width_of(self.text.zh))


@dataclass(frozen=True)
class Cells:
    """Numbers in a line, after what they are called."""

    name: Text
    values: tuple[float, ...]
    role: Role
    texts: tuple[str, ...] = ()  # as they are written; with four decimals unless said
    w: float = CELL_W

    @property
    def lead(self) -> Words:
        return Words(self.name)

    @property
    def wide(self) -> float:
        return self.lead.wide + 10 + len(self.values) * (self.w + 4) - 4


Item = Words | Cells
Line = Sequence[Item]


def foot(lay: Layout, step: Step, wrong: Step | None) -> list[Shape]:
    """One line, or two of which the items stand below each other."""
    first, second = _line(lay, step), _wrong_line(step, wrong)
    places = _places(first, second)
    right = _drawn("foot", lay.foot_y, first, places)
    if wrong is None:
        return right
    return [*right, *marked(_drawn("wrong.foot", lay.foot_y + FOOT_DY, second, places), right, prefix="wrong.")]


def _places(first: Line, second: Line) -> list[tuple[float, float]]:
    """Where each item begins, and where its numbers do if it has any."""
    x, places = MARGIN, []
    for i in range(max(len(first), len(second))):
        both = [line[i] for line in (first, second) if i < len(line)]
        lead = max(item.lead.wide if isinstance(item, Cells) else 0.0 for item in both)
        places.append((x, x + lead + 10))
        x += max(item.wide - (item.lead.wide if isinstance(item, Cells) else 0.0) for item in both) + lead + APART
    return places


def _drawn(key: str, y: float, line: Line, places: list[tuple[float, float]]) -> list[Shape]:
    shapes: list[Shape] = []
    for i, (item, (x, numbers)) in enumerate(zip(line, places, strict=False)):
        bad = " strong bad" if key.startswith("wrong") else ""
        match item:
            case Words(text, style):
                shapes.append(Label(f"{key}.{i}", x, y + 20, text, f"{style} start{bad or ''}"))
            case Cells(name=name, values=values, role=role, w=w):
                shapes.append(Label(f"{key}.{i}.name", x, y + 20, name, f"body start{bad if i == 0 else ''}"))
                texts = item.texts or tuple(fixed(value) for value in values)
                shapes += [
                    Cell(f"{key}.{i}.{j}", numbers + j * (w + 4), y, text, w, FOOT_H, value=value, roles=(role,))
                    for j, (value, text) in enumerate(zip(values, texts, strict=True))
                ]
    return shapes


# --- what stands in the lines

_WAY = Text("✗ wrong way", "✗ 错误做法")


def _line(lay: Layout, step: Step) -> Line:
    size = lay.scenario.block_size
    match step:
        case Reserved(held=held):
            words = Told(
                "{slots} reserved − {tokens} used = {empty} empty", "预留 {slots} − 已用 {tokens} = 空 {empty}"
            )
            return [Words(words.on(held), "big accent")]
        case Filled(memory=memory):
            return [Words(_filled(memory.tables[0].length, len(memory.tables[0].blocks), size))]
        case Divided():
            quotient = Told(
                "{position} ÷ {size} = {logical}, remainder {offset}", "{position} ÷ {size} = {logical} 余 {offset}"
            )
            result = Told("logical block {logical}, offset {offset}", "逻辑块 {logical}，偏移 {offset}")
            return [Words(quotient.on(step, size=size), "big accent"), Words(result.on(step))]
        case LookUp(logical=logical, offset=offset, entry=entry, slot=place):
            return [
                Words(same(f"table[{logical}] = {entry}"), "big accent"),
                Words(_slot(entry, size, offset, place), "big accent"),
            ]
        case Read():
            return _found(step, "")
        case Attended(output=output, plain=plain, error=error):
            return [
                Cells(Text("through the table", "经块表"), output, Role.OUTPUT),
                Cells(Text("contiguous rows", "连续存放"), plain, Role.OUTPUT),
                Words(Text(f"largest difference: {delta(error)}", f"最大差：{delta(error)}"), "body strong"),
            ]
        case Appended(allocated=allocated, memory=memory):
            written = Words(_written(step), "big accent")
            if not allocated:
                return [written]
            entry = len(memory.tables[0].blocks) - 1
            return [written, Words(same(f"table[{entry}] = {allocated[-1]}"), "big accent")]
        case Arrived(memory=memory):
            return [_table_of_b(Text("block table of B", "B 的块表"), memory.table(SECOND).blocks)]
        case Freed():
            return _freed(step)
        case Saved(reserved=reserved, paged=paged):
            slots = Text(
                f"slots held: {reserved.slots} → {paged.slots}", f"占用的槽位：{reserved.slots} → {paged.slots}"
            )
            empty = Text(f"empty: {reserved.empty} → {paged.empty}", f"空着的：{reserved.empty} → {paged.empty}")
            return [Words(slots, "big accent"), Words(empty, "big accent")]


def _wrong_line(step: Step, wrong: Step | None) -> Line:
    """Nothing where the wrong way gets the same."""
    match step, wrong:
        case LookUp(logical=logical, offset=offset, memory=memory), LookUp(slot=place) if place != step.slot:
            return [
                Words(Text("✗ table not read", "✗ 没有查块表")),
                Words(_slot(logical, memory.block_size, offset, place)),
            ]
        case Read(), Read(slot=place) if place != step.slot:
            return _found(wrong, "✗ ")
        case Attended(), Attended(output=output, error=error) if differs(wrong):
            off = Words(Text(f"off by {delta(error)}", f"偏差 {delta(error)}"))
            return [Cells(_WAY, output, Role.OUTPUT), off]
        case Appended(slots=slots), Appended(overwritten=lost) if wrong.slots != slots:
            over = run(lost[0].position, len(lost)) if lost else None
            told = Text("", "") if over is None else Text(f", over position {over.en}", f"，盖掉位置 {over.zh}")
            return [Words(same("✗ ") + _written(wrong) + told)]
        case Arrived(allocated=blocks), Arrived(allocated=others) if blocks != others:
            return [_table_of_b(_WAY, others)]
        case Freed(blocks=blocks), Freed(blocks=others) if blocks != others:
            return [Words(same("✗ ") + item.text) for item in _freed(wrong)]
        case Saved(paged=right), Saved(paged=paged) if paged != right:
            words = Text(
                f"✗ slots held: {paged.slots}; tokens still stored: {paged.tokens} of {right.tokens}",
                f"✗ 占用的槽位：{paged.slots}；还存着的 token：{right.tokens} 个里的 {paged.tokens} 个",
            )
            return [Words(words)]
        case _:
            return []


def _filled(n: int, blocks: int, size: int) -> Text:
    left = blocks * size - n
    return Text(
        f"{blocks} × {size} − {n} = {left} empty in the last block",
        f"{blocks} × {size} − {n} = {left}，即末块里空着的槽位数",
    )


def _slot(block: int | None, size: int, offset: int, place: int | None) -> Text:
    return Text(f"slot {block} × {size} + {offset} = {place}", f"槽位 {block} × {size} + {offset} = {place}")


def _written(step: Appended) -> Text:
    n = len(step.slots)
    return Told("{n|position|positions} {where} → {n|slot|slots} {slots}", "位置 {where} → 槽位 {slots}").on(
        n=n, where=run(step.position, n), slots=run(step.slots[0], n)
    )


def _found(step: Read, sign: str) -> Line:
    place = step.slot or 0
    k, v = (tuple(array[place].tolist()) for array in rows(step.memory.contents))
    return [
        Words(Text(f"{sign}slot {place}", f"{sign}槽位 {place}"), "body strong"),
        Cells(same("k"), k, Role.K),
        Cells(same("v"), v, Role.V),
    ]


def _table_of_b(name: Text, blocks: tuple[int, ...]) -> Item:
    if not blocks:
        return Words(name + same(": []"))
    return Cells(name, tuple(map(float, blocks)), Role.SECOND, tuple(map(str, blocks)), 40)


def _freed(step: Freed) -> list[Words]:
    n, free = len(step.blocks), len(step.memory.free)
    back = Told("{n|block|blocks} {blocks} back in the pool", "块 {blocks} 归还内存块池")
    count = Text(f"free blocks: {free - n} → {free}", f"空闲块数：{free - n} → {free}")
    return [Words(back.on(n=n, blocks=series(step.blocks))), Words(count, "big accent")]
