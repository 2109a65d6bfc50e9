"""The pool in the picture: each block with its slots, whom it belongs to and how many tables name it."""

from __future__ import annotations

from engine.copy_on_write import Prepared, Wants, Way
from engine.paged_memory import Memory
from engine.shared_blocks import HAND_OUT, LookUp, Named, Step
from lessons.copy_on_write.naming import short_name
from lessons.copy_on_write.scene.layout import CELL_GAP, MARGIN, ROW_H, Layout
from lessons.copy_on_write.scene.request import WRITER, code
from lessons.kit.roles import Role
from lessons.kit.rows import Slot, block
from lessons.kit.shapes import Arrow, Box, Label, Shape
from lessons.kit.text import Text


def pool(lay: Layout, step: Step, y: float, key: str, right: Memory | None) -> list[Shape]:
    title = Text("Physical blocks", "物理块")
    top = y + lay.tops["pool"]
    shapes: list[Shape] = [] if lay.compare else [Label("pool.title", MARGIN, top - 4, title, "body strong start")]
    shown = HAND_OUT[: lay.n_blocks]
    for i, number in enumerate(shown):
        shapes += _block(lay, step, i, number, y, key, right)
    match step.event:
        case Prepared(copied=copy) if copy is not None:
            shapes += _copy_arrow(lay, shown.index(copy.source), y, key)
        case LookUp(hit=hit) if hit in shown:
            x, at = lay.place(shown.index(hit), y)
            shapes.append(Box(f"{key}look", x - 8, at - 29, lay.block_w + 16, ROW_H - 6, "frame"))
    return shapes


def _block(lay: Layout, step: Step, i: int, number: int, y: float, key: str, right: Memory | None) -> tuple[Shape, ...]:
    x, top = lay.place(i, y)
    now, old = step.memory, step.before
    refs, was = now.ref_counts[number], old.ref_counts[number]
    owners = ", ".join(table.name for table in now.tables if number in table.blocks)
    wrong = right is not None and right.ref_counts[number] != refs
    word, style = _count(refs, was, wrong)
    shapes = block(
        f"{key}block.{number}",
        x,
        top,
        Text(f"block {number}", f"块 {number}"),
        [_slot(step, place, key) for place in range(number * lay.size, (number + 1) * lay.size)],
        owner=owners,
        owner_style="small strong",
        below=word,
        below_style=style,
        roles=(Role.SHARED,) if refs > 1 else (),
        name_style="small strong" if refs else "small muted",
        w=lay.slot_w,
        h=38,
        gap=CELL_GAP,
        least=lay.block_w,
    )
    if (name := _name_of(step, number)) is None:
        return shapes
    tone = "accent" if isinstance(step.event, Named) else "muted"
    return (*shapes, Label(f"{key}block.{number}.hash", x + 60, top - 11, short_name(name), f"small {tone} start"))


def _slot(step: Step, place: int, key: str) -> Slot:
    token = step.memory.contents[place]
    value = None if key and token is None else code(token)  # an empty slot of the wrong way is no cell gone wrong
    if _target(step) == place:
        return Slot(str(token or "?"), (Role.NOW,), value)
    new = (Role.NEW,) if token != step.before.contents[place] else ()
    return Slot(str(token or ""), ((WRITER[token.request] if token else Role.FREE), *new), value)


def _target(step: Step) -> int | None:
    """The slot that somebody wants to write to."""
    match step.event:
        case Wants(block=int(number), offset=offset, way=Way.COPY | Way.IN_PLACE):
            return number * step.memory.block_size + offset
    return None


def _name_of(step: Step, number: int) -> str | None:
    """The name of A's block of that number; none without a prefix cache."""
    blocks = step.memory.table("A").blocks
    return next((name for held, name in zip(blocks, step.names[0], strict=False) if held == number), None)


def _count(refs: int, was: int, wrong: bool) -> tuple[Text, str]:
    """How many tables name the block, before and after where that has changed."""
    if refs == was == 0:
        return Text("free", "空闲"), "small muted"
    number = f"{was} → {refs}" if refs != was else f"{refs}"
    mark = " ✗" if wrong else ""
    style = "small strong bad" if wrong else "small strong accent" if refs != was else "small"
    return Text(f"references {number}{mark}", f"引用 {number}{mark}"), style


def _copy_arrow(lay: Layout, source: int, y: float, key: str) -> list[Shape]:
    """From a block to the one beside it, which was handed out next; none across the end of a row."""
    x, top = lay.place(source, y)
    if (source + 1) % lay.per_row == 0:
        return []
    full = lay.size * (lay.slot_w + CELL_GAP) - CELL_GAP
    return [Arrow(f"{key}copy", x + full + 3, top + 19, lay.block_w + lay.gap - full - 6)]
