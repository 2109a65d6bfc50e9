"""What several steps have in common: the small table beside the words, and the line of the trace's table."""

from __future__ import annotations

from collections.abc import Sequence

from engine.paged_lookup import FIRST, SECOND
from engine.paged_output import Step
from lessons.kit.lesson import Facts
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text

Line = tuple[Text | str, ...]

BEFORE, AFTER, WRONG = Text("before", "之前"), Text("after", "之后"), Text("wrong way", "错误做法")
LOGICAL, PHYSICAL = Text("logical", "逻辑"), Text("physical", "物理")
BLOCK, OFFSET, SLOT = Text("block", "块"), Text("offset", "偏移"), Text("position, slot", "位置、槽位")


def row(
    step: Step,
    *,
    slots: tuple[int, ...] | None = None,
    taken: tuple[int, ...] = (),
    freed: tuple[int, ...] = (),
    output: tuple[float, ...] | None = None,
) -> dict[str, object]:
    """A step as one line of the trace's table; empty where the step does not say."""
    tables = {table.name: bracketed(table.blocks) for table in step.memory.tables}
    return {
        "table A": tables.get(FIRST, ""),
        "table B": tables.get(SECOND, ""),
        "slots": None if slots is None else " ".join(map(str, slots)),
        "taken": " ".join(map(str, taken)),
        "freed": " ".join(map(str, freed)),
        "free": len(step.memory.free),
        "o1": None if output is None else output[0],
        "o2": None if output is None else output[1],
    }


def before_and_after(lines: Sequence[tuple[Text, str, str]], wrong: Sequence[str] | None) -> Facts:
    """Lines with what was before and what is now; a last column for the wrong way where there is one."""
    changed = frozenset(i for i, (_, a, b) in enumerate(lines) if a != b)
    if wrong is None:
        return Facts(("", BEFORE, AFTER), tuple(lines), changed)
    return _with_wrong(("", BEFORE, AFTER), lines, wrong, changed)


def looked_up(
    block_size: int, position: int, slot: int, wrong: int | None, keys: tuple[str, str] | None = None
) -> Facts:
    """Block, offset and slot of a position, logical and physical; the slot of the wrong way, where there is one; the
    keys read there, right and wrong, where they are read."""
    logical, offset = divmod(position, block_size)
    lines: list[Line] = [
        (BLOCK, str(logical), str(slot // block_size)),
        (OFFSET, str(offset), str(slot % block_size)),
        (SLOT, str(position), str(slot)),
    ]
    words = ["", "", ""] if wrong is None else [str(wrong // block_size), str(wrong % block_size), str(wrong)]
    if keys is not None:
        lines.append((Text("k read", "读到的 k"), "–", keys[0]))
        words.append(keys[1])
    changed = frozenset({0, 2} if keys is None else {3})
    if wrong is None:
        return Facts(("", LOGICAL, PHYSICAL), tuple(lines), changed)
    return _with_wrong(("", LOGICAL, PHYSICAL), lines, words, changed)


def _with_wrong(head: Line, lines: Sequence[Line], wrong: Sequence[str], changed: frozenset[int]) -> Facts:
    table = tuple((*line, word) for line, word in zip(lines, wrong, strict=True))
    spoilt = frozenset(i for i, line in enumerate(table) if line[-1] != line[-2])
    return Facts((*head, WRONG), table, changed, spoilt)
