"""Parts of sentences that many lessons need: runs and lists of numbers."""

from __future__ import annotations

from lessons.kit.text import Text


def run(start: int, n: int) -> Text:
    """`n` positions from `start` on: `12`, `10 and 11`, `10 to 12`."""
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


def bracketed(numbers: tuple[int, ...]) -> str:
    """A list as programs write it: `[7, 2, 19]`."""
    return f"[{', '.join(map(str, numbers))}]"
