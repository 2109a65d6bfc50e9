"""Softmax-weighted sums folded tile by tile: the inner loop of FlashAttention for one query.

Source: chapter 07, Q027. Letters as there: running maximum m, denominator l, unnormalised accumulator u
(`acc` in published kernels), output o = u / l. A tile is the unit of compute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from engine.attention import Array, softmax
from engine.softmax_state import State, alpha, checked, checked_size, exp, fold

__all__ = [
    "AddTile", "Check", "CompareMax", "Divide", "Mistake", "ReadTile", "Scenario", "Shrink", "State", "Step", "Tile",
    "WholeTable",
    "alpha", "fold", "output", "trace",
]  # fmt: skip


class Mistake(Enum):
    """Wrong ways to fold tiles, each run by the same loop as the right one."""

    NONE = "none"
    NO_RESCALE = "no_rescale"  # the maximum rises, l and u stay on the old scale
    RESCALE_L_ONLY = "rescale_l_only"
    RESCALE_U_ONLY = "rescale_u_only"
    TILE_MAX = "tile_max"  # p uses the tile's own maximum, alpha the running one
    NO_MAX = "no_max"  # exp(s), nothing subtracted


@dataclass(frozen=True)
class Scenario:
    """One query against n keys: `scores` (n,), `values` (n, d), a label a key.

    `order` lists the keys (0-based, each once) as they are read, `tile_size` at a time; None reads them as written.
    Raises ValueError that names the argument.
    """

    scores: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    labels: tuple[str, ...]
    tile_size: int = 1
    mistake: Mistake = Mistake.NONE
    order: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        rows = [tuple(row) for row in self.values]
        n, d = len(self.scores), len(rows[0]) if rows else 0
        if n == 0 or d == 0:
            raise ValueError("scores, values: at least one key and one number a value")
        if {len(row) for row in rows} != {d}:
            raise ValueError("values: every key needs the same number of value numbers")
        s, v = checked(np.asarray(self.scores, dtype=np.float64), np.asarray(rows, dtype=np.float64))
        if len(self.labels) != n:
            raise ValueError(f"labels: {len(self.labels)} of them for {n} keys")
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")
        if self.order is not None and (
            any(type(key) is not int for key in self.order) or sorted(self.order) != list(range(n))
        ):
            raise ValueError(f"order: each of 0 … {n - 1} exactly once, got {self.order}")
        checked_size(self.tile_size)
        for name, value in (
            ("scores", tuple(s.tolist())),
            ("values", tuple(map(tuple, v.tolist()))),
            ("labels", tuple(self.labels)),
            ("order", None if self.order is None else tuple(self.order)),
        ):
            object.__setattr__(self, name, value)

    @property
    def d(self) -> int:
        """Numbers in one value."""
        return len(self.values[0])

    @property
    def reading(self) -> tuple[int, ...]:
        """The keys in the order they are read."""
        return tuple(range(len(self.scores))) if self.order is None else self.order

    @cached_property
    def tiles(self) -> tuple[Tile, ...]:
        """The reading order cut into tiles; the last may be short."""
        n, size = len(self.reading), self.tile_size
        return tuple(Tile(i // size, self.reading[i : i + size]) for i in range(0, n, size))

    @property
    def n_tiles(self) -> int:
        return len(self.tiles)

    @cached_property
    def maxima(self) -> tuple[float, ...]:
        """The largest score of each tile."""
        return tuple(max(self.scores[key] for key in tile.keys) for tile in self.tiles)

    @cached_property
    def parts(self) -> tuple[State, ...]:
        """Each tile on its own, folded the right way."""
        s, v = np.asarray(self.scores), np.asarray(self.values)
        return tuple(State.of(s[list(tile.keys)], v[list(tile.keys)]) for tile in self.tiles)

    @property
    def n_shrinks(self) -> int:
        """How often the maximum rises while something is held."""
        return sum(-np.inf < old < new for old, new in pairwise(accumulate(self.maxima, max)))

    @cached_property
    def first_shrink(self) -> Shrink:
        """Raises ValueError where there is none."""
        for step in trace(self):
            if isinstance(step, Shrink):
                return step
        raise ValueError("scores: the maximum never rises while something is held")

    @cached_property
    def end(self) -> State:
        """What is held when all keys are read."""
        return next(step.held for step in trace(self) if isinstance(step, Divide))


@dataclass(frozen=True)
class Tile:
    """The keys read together; `index` counts tiles from 0."""

    index: int
    keys: tuple[int, ...]


@dataclass(frozen=True)
class WholeTable:
    """The plain way: every score of every query kept until the softmax is done."""


@dataclass(frozen=True)
class ReadTile:
    """A tile arrives; nothing held has changed."""

    tile: Tile
    held: State


@dataclass(frozen=True)
class CompareMax:
    """The tile's maximum against the running one, m_new = max(m_old, m_tile).

    `reference` is what l and u are measured against from here on: m_new, unless nothing is subtracted at all.
    """

    tile: Tile
    held: State
    m_old: float
    m_tile: float
    m_new: float
    reference: float

    @property
    def is_lower(self) -> bool:
        """Whether the tile is visible and stays below the running maximum."""
        return -np.inf < self.m_tile < self.m_old


@dataclass(frozen=True)
class Shrink:
    """The maximum rose while something was held: `before` put on the new scale.

    `alpha` is the factor the new scale asks for; `alpha_l` and `alpha_u` are the factors that were applied.
    """

    tile: Tile
    before: State
    after: State
    m_old: float
    m_new: float
    alpha: float
    alpha_l: float
    alpha_u: float

    @property
    def rise(self) -> float:
        return self.m_new - self.m_old


@dataclass(frozen=True)
class AddTile:
    """The tile's weights p, one a key, added to what is held. `reference` is what was subtracted from the scores."""

    tile: Tile
    before: State
    after: State
    reference: float
    p: tuple[float, ...]

    @property
    def total(self) -> float:
        """By how much l grows: Σ p."""
        return sum(self.p)

    @property
    def added(self) -> Array:
        """By how much u grows: Σ p v, of shape (d,)."""
        return np.asarray(self.after.u - self.before.u)


@dataclass(frozen=True)
class Divide:
    """The one division: o = u / l."""

    held: State
    output: tuple[float, ...]


@dataclass(frozen=True)
class Check:
    """The output beside softmax over all keys at once, in the order written; `error` is the largest |difference|."""

    held: State
    output: tuple[float, ...]
    plain: tuple[float, ...]
    error: float

    @property
    def differs(self) -> bool:
        """Whether the output is off by more than rounding; NaN is."""
        return not self.error <= 1e-9 * max(1.0, *map(abs, self.plain))


Step = WholeTable | ReadTile | CompareMax | Shrink | AddTile | Divide | Check


def trace(scenario: Scenario) -> Iterator[Step]:
    """Fold the tiles one by one, stopping wherever the reader should look.

    Where it stops depends on the scores alone, never on the mistake: two traces of the same scores run side by side.
    """
    s, v = np.asarray(scenario.scores), np.asarray(scenario.values)  # (n,), (n, d)
    mistake = scenario.mistake
    held = State.empty(scenario.d)
    m = held.m  # the running maximum; held.m is what the sums are measured against
    yield WholeTable()
    for tile in scenario.tiles:
        s_tile, v_tile = s[list(tile.keys)], v[list(tile.keys)]
        yield ReadTile(tile, held)

        m_tile = s_tile.max()
        m_new = np.maximum(m, m_tile)
        scale = np.float64(0) if mistake is Mistake.NO_MAX else m_new
        yield CompareMax(tile, held, float(m), float(m_tile), float(m_new), float(scale))

        a = alpha(m, m_new)
        a_l, a_u = _applied(mistake, a)
        shrunk = held.times(a_l, a_u, scale)
        if m_new > m > -np.inf:
            yield Shrink(tile, held, shrunk, float(m), float(m_new), float(a), float(a_l), float(a_u))

        reference = m_tile if mistake is Mistake.TILE_MAX else scale
        p = exp(s_tile, reference)
        with np.errstate(invalid="ignore", over="ignore"):  # ∞ · 0 after an overflow
            after = replace(shrunk, l=shrunk.l + p.sum(), u=shrunk.u + p @ v_tile)
        yield AddTile(tile, shrunk, after, float(reference), tuple(p.tolist()))
        held, m = after, m_new

    o = tuple(held.output.tolist())
    yield Divide(held, o)
    plain = softmax(s) @ v
    yield Check(held, o, tuple(plain.tolist()), float(np.max(np.abs(held.output - plain))))


def _applied(mistake: Mistake, a: np.floating[Any]) -> tuple[np.floating[Any], np.floating[Any]]:
    """The factors on l and u. A mistake that leaves one out leaves it as it is: times 1."""
    one = np.float64(1)
    match mistake:
        case Mistake.NO_RESCALE | Mistake.NO_MAX:
            return one, one
        case Mistake.RESCALE_L_ONLY:
            return a, one
        case Mistake.RESCALE_U_ONLY:
            return one, a
        case _:
            return a, a


def output(scenario: Scenario) -> Array:
    """The final o of shape (d,), whatever the scenario's mistake makes of it."""
    return scenario.end.output
