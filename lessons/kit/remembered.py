"""A lesson's steps, run once for its figure, its words and its questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import lru_cache
from typing import TypeVar

S = TypeVar("S", bound=Hashable)
T = TypeVar("T")


def remembered(trace: Callable[[S], Iterable[T]]) -> Callable[[S], tuple[T, ...]]:
    """`trace` as tuples, those of the scenarios looked at last kept. Steps are frozen, so that all readers may share
    them."""

    @lru_cache(maxsize=16)
    def steps(scenario: S) -> tuple[T, ...]:
        return tuple(trace(scenario))

    return steps
