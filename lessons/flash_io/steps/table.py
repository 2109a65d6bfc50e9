"""The small table beside a step, the step's line of the long one, and where in the walk a step stands."""

from __future__ import annotations

from collections.abc import Iterable

from engine.chip import Moved
from engine.flash_io import Scenario
from lessons.flash_io.naming import ARRAYS, span
from lessons.kit.format import count
from lessons.kit.lesson import Facts
from lessons.kit.text import Text, same

CROSSED = Text("bytes so far", "目前的字节")
READ, WRITTEN = Text("read", "读"), Text("written", "写")
ALL = Text("all arrays", "全部数组")


def crossed(moved: Moved, now: Iterable[str], wrong: Moved | None = None) -> Facts:
    """Bytes through the door so far: of the arrays that cross in this step, and in all."""
    rows = [
        *((ARRAYS[name], count(line.read), count(line.written)) for name in now if (line := moved.of(name))),
        (ALL, count(moved.read), count(moved.written)),
    ]
    spoilt = frozenset({len(rows) - 1}) if wrong is not None and wrong.arrays != moved.arrays else frozenset[int]()
    if spoilt and wrong is not None:
        rows[-1] = (ALL, count(moved.read), count(wrong.written))
        rows.append((Text("as the wrong way counts", "错误做法的计数"), count(wrong.read), count(wrong.written)))
        rows[-2] = (ALL, count(moved.read), count(moved.written))
    changed = frozenset(range(len(rows) - 1 - bool(spoilt)))
    return Facts((CROSSED, READ, WRITTEN), tuple(rows), changed)


def row(moved: Moved, pairs: int) -> dict[str, object]:
    """The step's line of the long table."""
    return {
        "HBM → chip (B)": moved.read,
        "chip → HBM (B)": moved.written,
        "on the chip (B)": moved.on_chip,
        "scores": pairs,
    }


def place(s: Scenario, positions: range, *, keys: bool = False) -> str:
    """A part of an id: which tile of queries or keys."""
    return f"{'k' if keys else 'q'}{positions.start}"


def tile_name(rows: range, keys: range) -> Text:
    """A tile in the strip: queries × keys."""
    return same(f"{span(rows)} × {span(keys)}")
