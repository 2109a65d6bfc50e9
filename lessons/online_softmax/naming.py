"""How this lesson writes its tiles, and what is subtracted from a score."""

from __future__ import annotations

from engine.online_softmax import Scenario, Tile
from lessons.kit.format import short, tex
from lessons.kit.text import Text, literal
from lessons.kit.told import Told

MOST_SHOWN = 3
"""Keys of a tile that are named one by one."""


def names(s: Scenario, tile: Tile, *, markdown: bool) -> Text:
    """The tile's labels, or how many keys it has where there are more than three."""
    if len(tile.keys) > MOST_SHOWN:
        return Told("{n:key}", "{n} 个键").on(n=len(tile.keys))
    labels = (s.labels[key] for key in tile.keys)
    *first, last = (literal(label) if markdown else label for label in labels)
    if not first:
        return Text(last, last)
    return Text(f"{', '.join(first)} and {last}", "、".join((*first, last)))


def subtrahend(x: float) -> str:
    """What is subtracted: a negative number in brackets."""
    return short(x) if x >= 0 else f"({short(x)})"


def exponent(x: float | str, m: float) -> str:
    """x − m inside `$math$`."""
    left = x if isinstance(x, str) else tex(short(x))
    return f"{left} - {tex(short(m)) if m >= 0 else f'({tex(short(m))})'}"


def power_of(x: float | str, m: float) -> str:
    """e^(x − m) as `$math$`."""
    return f"$e^{{{exponent(x, m)}}}$"
