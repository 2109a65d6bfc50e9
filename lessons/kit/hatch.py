"""Strokes across a box that keep clear of what is written in it."""

from __future__ import annotations

from collections.abc import Sequence

Area = tuple[float, float, float, float]  # left, top, right, bottom


def around(middle: float, baseline: float, width: float, size: float) -> Area:
    """The place of a centred text and a little more."""
    return middle - width / 2 - 3, baseline - 0.75 * size - 3, middle + width / 2 + 3, baseline + 0.1 * size + 3


def hatch(w: float, h: float, gap: float = 16.0, clear: Sequence[Area] = ()) -> str:
    """Parallel strokes at 45° cut off at the box and at every area that is to be kept clear."""
    strokes = []
    offset = gap
    while offset < w + h:
        x0, x1 = max(0.0, offset - h), min(offset, w)
        strokes += [f"M{b:g} {offset - b:g} {a:g} {offset - a:g}" for a, b in _rest(x0, x1, offset, clear)]
        offset += gap
    return "".join(strokes)


def _rest(x0: float, x1: float, offset: float, clear: Sequence[Area]) -> list[tuple[float, float]]:
    """What is left of the stroke x + y = offset from x0 to x1 outside the areas: ranges of x, none of them a mere
    dot."""
    rest = []
    for start, end in sorted(
        (max(left, offset - bottom), min(right, offset - top)) for left, top, right, bottom in clear
    ):
        if start < end:
            rest.append((x0, min(start, x1)))
            x0 = max(x0, end)
    rest.append((x0, x1))
    return [(a, b) for a, b in rest if b - a > 1]
