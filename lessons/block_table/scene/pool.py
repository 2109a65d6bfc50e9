"""The pool of physical blocks, slot by slot; with a mistake the wrong way's slots below the right way's."""

from __future__ import annotations

from dataclasses import dataclass

from engine.paged_lookup import FIRST, SECOND, Appended, Arrived, LookUp, Read
from engine.paged_memory import Token
from engine.paged_output import Attended, Step
from lessons.block_table.scene.layout import (
    ENTRY_H,
    GAP,
    MARGIN,
    WIDTH,
    Layout,
    slot_key,
)
from lessons.kit.roles import Role
from lessons.kit.scene import marked
from lessons.kit.shapes import Cell, Label, Route, Shape
from lessons.kit.text import Text

TITLE_W = 440.0
LOOKED_AT = 10_000.0  # added to what a slot is compared by: reading another slot is a difference, too


def pool(lay: Layout, step: Step, wrong: Step | None) -> list[Shape]:
    right = _slots(lay, step, "", 0)
    shapes = [*_title(lay, step), *right, *_names(lay, step)]
    if wrong is not None:
        shapes += _marked(lay, wrong, right)
        shapes += _sides(lay)
    return shapes


def _marked(lay: Layout, wrong: Step, right: list[Shape]) -> list[Shape]:
    """The wrong way's slots. Of a lookup the one that is read is marked, not the one that is passed over."""
    shapes = _slots(lay, wrong, "wrong.", lay.wrong_dy)
    own = {f"wrong.{slot_key(place)}" for place in _read(wrong)} if isinstance(wrong, LookUp | Read) else None
    differing = marked(shapes, right, prefix="wrong.")
    return [new if own is None or new.key in own else old for old, new in zip(shapes, differing, strict=True)]


def _title(lay: Layout, step: Step) -> list[Shape]:
    """Where the arrow does not pass."""
    n, free = len(step.memory.ref_counts), len(step.memory.free)
    title = Text("Pool: physical blocks and slot numbers", "内存块池：物理块和槽位号")
    note = Text(
        f"{len(lay.pool_blocks)} of {n} drawn, {free} free",
        f"共 {n} 块，画出 {len(lay.pool_blocks)}，空闲 {free}",
    )
    x = MARGIN if _drop_x(lay) > MARGIN + TITLE_W + 10 else WIDTH - MARGIN - TITLE_W
    y = lay.pool_y - 10
    return [
        Label("pool.title", x, y, title, "body strong start"),
        Label("pool.note", x + TITLE_W, y, note, "small muted end"),
    ]


def _sides(lay: Layout) -> list[Shape]:
    """Which of the two lines of slots is which."""
    shapes: list[Shape] = []
    for i in range(lay.pool_lines):
        y = lay.line_y(i) + lay.slot_h / 2 + 5
        shapes += [
            Label(f"side.{i}", MARGIN, y, Text("right", "正确"), "small strong start"),
            Label(f"wrong.side.{i}", MARGIN, y + lay.wrong_dy, Text("✗ wrong", "✗ 错误"), "small strong bad start"),
        ]
    return shapes


@dataclass(frozen=True)
class _Owners:
    """Whose each block is: a request's, somebody else's, or nobody's."""

    step: Step

    def of(self, block: int) -> str | None:
        tables = self.step.memory.tables
        return next((table.name for table in tables if block in table.blocks), None)

    def somebody(self, block: int) -> bool:
        return self.of(block) is None and self.step.memory.ref_counts[block] > 0


def _slots(lay: Layout, step: Step, key: str, dy: float) -> list[Shape]:
    """A block's slots have its owner's colour, whether a token lies there or not."""
    owners, size = _Owners(step), lay.scenario.block_size
    read, new = _read(step), _written(step)
    shapes: list[Shape] = []
    for block in lay.pool_blocks:
        owner, others = owners.of(block), owners.somebody(block)
        for place in range(block * size, (block + 1) * size):
            found = step.memory.contents[place]
            role = {FIRST: Role.FIRST, SECOND: Role.SECOND}.get(owner or "", Role.OTHER if others else Role.FREE)
            roles = (role, *((Role.NOW,) if place in read else ()), *((Role.NEW,) if place in new else ()))
            x, y = lay.slot_at(place)
            shapes.append(
                Cell(
                    f"{key}{slot_key(place)}",
                    x,
                    y + dy,
                    "·" if others else _short(found),
                    lay.slot_w,
                    lay.slot_h,
                    value=_value(found) + LOOKED_AT * (place in read),
                    name=None if key else _slot_name(place, size, None if others else found),
                    roles=roles,
                )
            )
    return shapes


def _names(lay: Layout, step: Step) -> list[Shape]:
    """The number of each slot, and below them the block's and whose it is."""
    owners, size = _Owners(step), lay.scenario.block_size
    shapes: list[Shape] = []
    for block in lay.pool_blocks:
        for place in range(block * size, (block + 1) * size):
            x, y = lay.slot_at(place)
            shapes.append(
                Label(f"number.{place}", x + lay.slot_w / 2, y + lay.numbers_dy, str(place), "small muted middle")
            )
        x, y = lay.slot_at(block * size)
        shapes += _header(lay, block, owners, x, y + lay.numbers_dy + 17)
    return shapes


def _header(lay: Layout, block: int, owners: _Owners, x: float, y: float) -> list[Shape]:
    w, owner = lay.pool_block_w, owners.of(block)
    if w >= 112:
        whose = (
            Text(f"of {owner}", f"属于 {owner}")
            if owner
            else Text("others’", "别人的")
            if owners.somebody(block)
            else Text("free", "空闲")
        )
        return [
            Label(f"block.{block}", x, y, Text(f"block {block}", f"块 {block}"), "small strong start"),
            Label(f"owner.{block}", x + w, y, whose, "small muted end"),
        ]
    word = f"{block} {owner}" if owner else f"{block}"
    return [Label(f"block.{block}", x + w / 2, y, word, "small strong middle")]


def _slot_name(place: int, block_size: int, found: Token | None) -> Text:
    """A slot in words, for whoever picks it: where it is, and what is written in it."""
    block, offset = divmod(place, block_size)
    where = Text(
        f"slot {place} (physical block {block}, offset {offset})", f"槽位 {place}（物理块 {block}，偏移 {offset}）"
    )
    match found:
        case None:
            return where
        case Token(request="A", position=p):
            return where + Text(f", holding position {p}", f"，存着位置 {p}")
        case _:
            return where + Text(f", holding {_short(found)}", f"，存着 {_short(found)}")


def _short(found: Token | None) -> str:
    """A token's name in its slot: A's by position alone, as the model sees them."""
    match found:
        case None:
            return ""
        case Token(request="A", position=p):
            return str(p)
        case Token(request=name, position=p):
            return f"{name.lower()}{p}"


def _value(found: Token | None) -> float:
    """What two ways are compared by: A's tokens. Where B finds room is not an error."""
    return float(found.position) if found is not None and found.request == FIRST else -1.0


def _read(step: Step) -> frozenset[int]:
    match step:
        case LookUp(slot=place) | Read(slot=place) if place is not None:
            return frozenset({place})
        case Attended(slots=slots):
            return frozenset(slots)
        case _:
            return frozenset()


def _written(step: Step) -> frozenset[int]:
    match step:
        case Appended(slots=slots):
            return frozenset(slots)
        case Arrived(memory=memory, allocated=blocks):
            size = memory.block_size
            places = [block * size + i for block in blocks for i in range(size)]
            return frozenset(p for p in places if (t := memory.contents[p]) is not None and t.request == SECOND)
        case _:
            return frozenset()


# --- from the table to the pool


def _drop_x(lay: Layout) -> float:
    """Where the arrow of the position looked up comes down to the first line of the pool."""
    x, y = lay.slot_at(lay.looked_up)
    if y == lay.pool_y:
        return x + lay.slot_w / 2
    return lay.pool_x(lay.looked_up // lay.scenario.block_size) - GAP / 2 - 1


def arrow(lay: Layout, step: Step) -> list[Shape]:
    """From the entry looked up to the slot."""
    if not isinstance(step, LookUp | Read):
        return []
    x, y = lay.slot_at(lay.looked_up)
    start, top = lay.middle(step.position // lay.scenario.block_size), lay.entry_y + ENTRY_H + 1
    lane, target = top + 9, x + lay.slot_w / 2
    end = y - 3
    if y == lay.pool_y:
        legs: tuple[tuple[float, float], ...] = ((0, lane - top), (target - start, 0), (0, end - lane))
    else:
        drop, low = _drop_x(lay), end - 14
        legs = ((0, lane - top), (drop - start, 0), (0, low - lane), (target - drop, 0), (0, end - low))
    return [Route("arrow", start, top, legs)]
