"""What several steps have in common: the small table beside the words, and the line of the trace's table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from engine.counts import Work
from lessons.kit.format import count
from lessons.kit.lesson import Facts
from lessons.kit.text import Text

T = TypeVar("T")
Line = tuple[Text | str, ...]

FOUR = (
    Text("rows, without a cache", "行，没有缓存"),
    Text("rows, with a cache", "行，有缓存"),
    Text("pairs, without a cache", "配对，没有缓存"),
    Text("pairs, with a cache", "配对，有缓存"),
)


def four(plain: Work, cached: Work) -> tuple[str, ...]:
    """The four counters, in the order of FOUR."""
    return tuple(map(count, (plain.rows, cached.rows, plain.pairs, cached.pairs)))


def facts(
    head: Line,
    lines: Callable[[T], Sequence[Line]],
    step: T,
    wrong: T | None,
    changed: frozenset[int] = frozenset(),
) -> Facts:
    """The step's lines; the last words of the wrong way's lines beside them where there is one."""
    if wrong is None:
        return Facts(head, tuple(lines(step)), changed)
    table = tuple((*line, other[-1]) for line, other in zip(lines(step), lines(wrong), strict=True))
    spoilt = frozenset(i for i, line in enumerate(table) if line[-1] != line[-2])
    return Facts((*head, Text("wrong way", "错误做法")), table, changed, spoilt)


def row(
    plain: Work | None = None, cached: Work | None = None, held: int | None = None, error: float | None = None
) -> dict[str, object]:
    """A step as one line of the trace's table; empty where the step does not say."""
    return {
        "rows, no cache": None if plain is None else plain.rows,
        "rows, cache": None if cached is None else cached.rows,
        "pairs, no cache": None if plain is None else plain.pairs,
        "pairs, cache": None if cached is None else cached.pairs,
        "positions held": held,
        "max |Δ logit|": error,
    }
