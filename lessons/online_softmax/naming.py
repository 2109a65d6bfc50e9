"""How this lesson writes its tiles, and what is subtracted from a score."""

from __future__ import annotations

from engine.online_softmax import Scenario, Tile
from lessons.kit.format import short, tex
from lessons.kit.text import Text, listed, literal
from lessons.kit.told import Told


def names(s: Scenario, tile: Tile, *, markdown: bool) -> Text:
    """The tile's labels, or how many keys it has where there are more than three."""
    if len(tile.keys) > 3:
        return Told("{n:key}", "{n} 个键").on(n=len(tile.keys))
    labels = (s.labels[key] for key in tile.keys)
    return listed(tuple(literal(label) if markdown else label for label in labels))


def subtrahend(x: float) -> str:
    """What is subtracted: a negative number in brackets."""
    return short(x) if x >= 0 else f"({short(x)})"


def exponent(x: float, m: float) -> str:
    """x − m inside `$math$`."""
    return f"{tex(short(x))} - {tex(short(m)) if m >= 0 else f'({tex(short(m))})'}"
