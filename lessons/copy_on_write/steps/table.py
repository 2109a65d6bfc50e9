"""What several steps have in common: the small tables, the line of the trace's table, the wrong way, asks for a whole
number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar

from engine.shared_blocks import HAND_OUT, Event, Scenario, Step, Taken
from lessons.copy_on_write.mistakes import MISTAKES
from lessons.copy_on_write.naming import short_name
from lessons.copy_on_write.trace import trace
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Facts
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text

E = TypeVar("E", bound=Event)
Line = tuple[Text | str, ...]

BEFORE, AFTER, NOW = Text("before", "之前"), Text("after", "之后"), Text("now", "现在")
WRONG = Text("wrong way", "错误做法")
SAME_SO_FAR = Text("no difference so far.", "到目前为止没有差别。")
GOES_ON = Text("goes on with what it has.", "带着已有的差别继续。")
MOST_BLOCKS, MOST_NAMES = 5, 8


def row(own: Event, output: Iterable[float | None] = (None,) * 4) -> dict[str, object]:
    """A step as one line of the trace's table: both tables, reference counts, free blocks, the output where there is
    one."""
    tables = {table.name: bracketed(table.blocks) for table in own.memory.tables}
    counts = own.memory.ref_counts
    return {
        "A": tables.get("A", ""),
        "B": tables.get("B", ""),
        "refs": ", ".join(f"{b}:{counts[b]}" for b in HAND_OUT if counts[b]),
        "free": len(own.memory.free),
        **{f"o{i}": x for i, x in enumerate(output, 1)},
    }


def beside(s: Scenario, right: E, wrong: E | None, did: Callable[[E], Text | None] = lambda _: None) -> Text | None:
    """The paragraph on the wrong way: what it did here, else whether its memory still is the right one."""
    return MISTAKES.beside(
        s, wrong, lambda wrong: did(wrong) or (SAME_SO_FAR if wrong.memory == right.memory else GOES_ON)
    )


@lru_cache(maxsize=128)
def wrong_hits(s: Scenario) -> bool:
    """Whether the mistake finds a block that the right way does not."""
    right, wrong = (
        [step.event.blocks for step in trace(way) if isinstance(step.event, Taken)] for way in (MISTAKES.without(s), s)
    )
    return right != wrong


def counts(step: Step, wrong: Event | None) -> Facts:
    """Reference counts and free blocks before and after; a last column for the wrong way where there is one."""
    memories = [step.before, step.memory, *([] if wrong is None else [wrong.memory])]
    held = [b for b in HAND_OUT if any(memory.ref_counts[b] for memory in memories)]
    if len(held) > MOST_BLOCKS:  # those that change, then the newest
        changing = [b for b in held if step.before.ref_counts[b] != step.memory.ref_counts[b]]
        still = [b for b in reversed(held) if b not in changing]
        held = [b for b in held if b in (changing + still)[:MOST_BLOCKS]]
    lines: list[Line] = [
        (Text(f"references of block {b}", f"块 {b} 的引用"), *(str(memory.ref_counts[b]) for memory in memories))
        for b in held
    ]
    lines.append((Text("free blocks", "空闲块数"), *(str(len(memory.free)) for memory in memories)))
    if wrong is None and step.before == step.memory:
        return Facts(("", NOW), tuple((name, number) for name, number, _ in lines))
    return compared(("", BEFORE, AFTER), lines, wrong)


def compared(head: Line, lines: list[Line], wrong: Event | None) -> Facts:
    """Two columns, and a third for the wrong way where there is one."""
    changed = frozenset(i for i, line in enumerate(lines) if line[1] != line[2])
    if wrong is None:
        return Facts(head, tuple(lines), changed)
    spoilt = frozenset(i for i, line in enumerate(lines) if line[-1] != line[-2])
    return Facts((*head, WRONG), tuple(lines), changed, spoilt)


def names(step: Step, looked_at: int | None = None) -> Facts | None:
    """A's and B's names, block by block."""
    n = max(map(len, step.names))
    if not n:
        return None
    lines: list[Line] = [
        (Text(f"logical block {i}", f"逻辑块 {i}"), *(short_name(a[i]) if i < len(a) else "–" for a in step.names))
        for i in range(min(n, MOST_NAMES))
    ]
    changed = frozenset(() if looked_at is None else {looked_at})
    return Facts(("", Text("name, A", "名字，A"), Text("name, B", "名字，B")), tuple(lines), changed)


def whole(prompt: Text, answer: int, guesses: Iterable[Guess]) -> Ask | None:
    """A whole number is asked for, and only that number is right."""
    return asking(prompt, float(answer), guesses, relative=0, absolute=0, shown=str(answer))
