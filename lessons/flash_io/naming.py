"""The names of the arrays, and what a step is called by where words and picture meet."""

from __future__ import annotations

from lessons.kit.phrases import run
from lessons.kit.text import Text, same

ARRAYS = {
    "q": same("Q"),
    "k": same("K"),
    "v": same("V"),
    "o": same("O"),
    "s": same("S"),
    "p": same("P"),
    "m": same("m"),
    "l": same("ℓ"),
    "lse": same("LSE"),
    "do": same("dO"),
    "dq": same("dQ"),
    "dk": same("dK"),
    "dv": same("dV"),
    "dp": same("dP"),
    "ds": same("dS"),
}


def span(positions: range) -> str:
    """Positions in a picture: `0–2`, `4`."""
    last = positions.stop - 1
    return str(last) if len(positions) == 1 else f"{positions.start}–{last}"


def spelled(positions: range) -> Text:
    """Positions in a sentence: `0 to 2`, `4`."""
    return run(positions.start, len(positions))
