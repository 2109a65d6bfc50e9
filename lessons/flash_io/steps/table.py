"""The small table beside a step, the step's line of the long one, and where in the walk a step stands."""

from __future__ import annotations

from collections.abc import Iterable

from engine.chip import Moved
from lessons.flash_io.naming import ARRAYS, span
from lessons.kit.format import count
from lessons.kit.lesson import Facts
from lessons.kit.text import Text, same

CROSSED = Text("bytes so far", "目前的字节")
READ, WRITTEN = Text("read", "读"), Text("written", "写")
ALL = Text("all arrays", "全部数组")
MISCOUNTED = Text("as the wrong way counts", "错误做法的计数")


def crossed(moved: Moved, now: Iterable[str], wrong: Moved | None = None) -> Facts:
    """Bytes through the door so far: of the arrays that cross in this step, and in all."""
    lines = [(ARRAYS[name], line) for name in now if (line := moved.of(name))]
    rows = [(name, count(line.read), count(line.written)) for name, line in lines]
    rows.append((ALL, count(moved.read), count(moved.written)))
    if wrong is not None and wrong.arrays != moved.arrays:
        rows.append((MISCOUNTED, count(wrong.read), count(wrong.written)))
    return Facts((CROSSED, READ, WRITTEN), tuple(rows), frozenset(range(len(lines))))


def row(moved: Moved, pairs: int) -> dict[str, object]:
    """The step's line of the long table, whose heads are the same in both languages."""
    return {
        "HBM → SRAM (B)": moved.read,
        "SRAM → HBM (B)": moved.written,
        "SRAM (B)": moved.on_chip,
        "q·k": pairs,
    }


def tile_name(rows: range, keys: range) -> Text:
    """A tile in the strip: queries × keys."""
    return same(f"{span(rows)} × {span(keys)}")
