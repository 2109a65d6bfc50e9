"""The wrong ways that this lesson runs, and small facts about a step that its picture and its words share."""

from __future__ import annotations

from engine.paged import Mistake
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
