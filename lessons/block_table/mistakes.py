"""The wrong ways that this lesson runs, and small facts about a step that its picture and its words share."""

from __future__ import annotations

from engine.paged import Mistake
from engine.paged_lookup import SECOND
from engine.paged_memory import Memory
from engine.paged_output import Scenario
from lessons.kit.text import Text

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.LOGICAL_AS_PHYSICAL: Text("logical block used as physical", "把逻辑块当物理块"),
    Mistake.FILL_MODULO: Text("last block’s fill as n mod block size", "末块填充数用 n 对块大小取余"),
    Mistake.MINUS_ONE_WRAPS: Text("table index −1 wraps to the end", "块表下标 −1 绕到末尾"),
}


def total(scenario: Scenario) -> int:
    """A's tokens once all have been appended."""
    return scenario.n_tokens + scenario.n_appended


def in_range(start: int, n: int) -> Text:
    """A run of positions: `12`, `10 and 11`, `10 to 12`."""
    last = start + n - 1
    if n == 1:
        return Text(str(start), str(start))
    if n == 2:
        return Text(f"{start} and {last}", f"{start} 和 {last}")
    return Text(f"{start} to {last}", f"{start} 到 {last}")


def series(numbers: tuple[int, ...]) -> Text:
    """Numbers in a sentence: `7, 2 and 19`."""
    words = [str(n) for n in numbers]
    if len(words) < 2:
        return Text("".join(words), "".join(words))
    return Text(f"{', '.join(words[:-1])} and {words[-1]}", f"{'、'.join(words[:-1])} 和 {words[-1]}")


def bracketed(blocks: tuple[int, ...]) -> str:
    """A table as the chapter writes it: `[7, 2, 19]`."""
    return f"[{', '.join(map(str, blocks))}]"


def held_by_second(memory: Memory) -> int:
    """B's blocks."""
    return sum(len(table.blocks) for table in memory.tables if table.name == SECOND)


def held_by_others(memory: Memory) -> int:
    """Blocks in use that neither A nor B holds."""
    named = {block for table in memory.tables for block in table.blocks}
    return sum(refs > 0 for block, refs in enumerate(memory.ref_counts) if block not in named)


def of_others(memory: Memory) -> Text:
    """Whose the blocks are that are neither A's nor free: `B holds 2, and the other 10 belong to other requests`."""
    b, n = held_by_second(memory), held_by_others(memory)
    if not n:
        return Text(f"B holds {b}, and nobody else holds any", f"B 占 {b} 块，此外没有别的请求")
    belong = "belongs" if n == 1 else "belong"
    return Text(f"B holds {b}, and the other {n} {belong} to other requests", f"B 占 {b} 块，另外 {n} 块属于别的请求")
