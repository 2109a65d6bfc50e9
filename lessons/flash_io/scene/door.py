"""The door between slow memory and chip: bytes that have crossed, each way."""

from __future__ import annotations

from engine.chip import Moved
from engine.flash_io import Compare, Forward, Gradients, Pass, Rebuild, Stop, WriteKV
from lessons.flash_io.scene.layout import DOOR_W, DOOR_X, Layout
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.shapes import Arrow, Cell, Label, Shape
from lessons.kit.text import Text


def moved(step: Stop) -> Moved:
    """What has crossed so far in the way that the step belongs to."""
    match step:
        case Forward():
            return Moved(())
        case Rebuild() | WriteKV() | Gradients():
            return step.moved
        case Pass():
            return step.plain
        case _:
            return step.now.moved


def door(lay: Layout, step: Stop, own: Stop) -> tuple[Shape, ...]:
    """Read, written and both; where the wrong way counts otherwise, its count, hatched, above the right one."""
    right, mine = moved(step), moved(own)
    title = Text("plain way, B", "普通做法，B") if isinstance(step, Pass) else Text("bytes so far", "目前的字节")
    x, gap = DOOR_X, (lay.room_h - 56) / 3  # of three counters
    return (
        Label("door.title", x + DOOR_W / 2, 68, title, "small strong middle"),
        Label("door.in", x + DOOR_W / 2, 104, Text("read", "读入"), "small muted middle"),
        _counter("read", 112, right.read, mine.read),
        Arrow("door.read.arrow", x, 168, DOOR_W),
        Label("door.out", x + DOOR_W / 2, 104 + gap, Text("written", "写出"), "small muted middle"),
        _counter("written", 112 + gap, right.written, mine.written),
        Arrow("door.written.arrow", x + DOOR_W, 168 + gap, -DOOR_W),
        Label("door.both", x + DOOR_W / 2, 104 + 2 * gap, Text("together", "合计"), "small muted middle"),
        _counter("together", 112 + 2 * gap, right.total, mine.total),
        *_tiles(lay, step),
    )


def _counter(name: str, y: float, right: int, mine: int) -> Cell:
    wrong = right != mine
    small = Text(f"right {count(right)}", f"应为 {count(right)}") if wrong else ""
    roles = (Role.WRONG,) if wrong else ()
    return Cell(f"door.{name}", DOOR_X, y, count(mine), DOOR_W, 44, small, value=float(mine), roles=roles)


def _tiles(lay: Layout, step: Stop) -> tuple[Shape, ...]:
    """What tiles had come to, beside the plain way's count."""
    match step:
        case Pass():
            words = Text(f"tiles: {count(step.now.moved.total)}", f"分块：{count(step.now.moved.total)}")
        case Compare() | Gradients():
            words = Text(f"plain: {count(step.plain.total)}", f"普通：{count(step.plain.total)}")
        case _:
            return ()
    return (Label("door.other", DOOR_X + DOOR_W / 2, lay.height - 8, words, "small strong middle"),)
