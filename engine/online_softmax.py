"""Softmax-weighted sums folded tile by tile: the inner loop of FlashAttention for one query.

Source: chapter 07, Q027. Letters as there: running maximum m, denominator l, unnormalised accumulator u
(`acc` in published kernels), output o = u / l. A tile is the unit of compute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.attention import Array, checked_scores, softmax


def _exp(s: Array, m: np.floating[Any]) -> Array:
    """exp(s − m); 0 throughout where m = −∞, for then every score is masked and −∞ − (−∞) would be NaN."""
    if np.isneginf(m):
        return np.zeros_like(s)
    with np.errstate(over="ignore"):  # NO_MAX overflows on purpose
        return np.asarray(np.exp(s - m))


def _checked(scores: npt.ArrayLike, values: npt.ArrayLike) -> tuple[Array, Array]:
    """Scores (n,) and values (n, d) in the scores' precision, or ValueError that names the argument."""
    s = checked_scores(scores, "scores")
    if s.ndim != 1:
        raise ValueError(f"scores: one axis, a number a key, got shape {s.shape}")
    v = np.asarray(values)
    if v.ndim != 2 or len(v) != len(s):
        raise ValueError(f"values: one row of numbers for each score, got shapes {s.shape} and {v.shape}")
    with np.errstate(over="ignore"):
        v = v.astype(s.dtype)
    if not np.isfinite(v).all():
        raise ValueError(f"values: every number must be finite in {s.dtype}")
    return s, v


def _checked_size(tile_size: int) -> int:
    if isinstance(tile_size, bool) or not isinstance(tile_size, int) or tile_size < 1:
        raise ValueError(f"tile_size: a whole number of keys, at least 1, got {tile_size!r}")
    return tile_size


@dataclass(frozen=True, eq=False)
class State:
    """What is held of all keys read so far: maximum m, l = Σ exp(s − m), u = Σ exp(s − m) v of shape (d,).

    Keeps the precision (float16, float32, float64) of the arrays it is made of.
    """

    m: np.floating[Any]
    l: np.floating[Any]
    u: Array

    def __post_init__(self) -> None:
        u = self.u.copy()  # nobody else's array, so nobody else can change it
        u.setflags(write=False)
        object.__setattr__(self, "u", u)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return bool(self.m == other.m and self.l == other.l and np.array_equal(self.u, other.u))

    def __hash__(self) -> int:
        return hash((float(self.m), float(self.l), tuple(self.u.tolist())))

    @classmethod
    def empty(cls, d: int, dtype: npt.DTypeLike = np.float64) -> State:
        """Nothing read yet: m = −∞, l = 0, u = 0 of shape (d,). The identity of `merge`."""
        if d < 0:
            raise ValueError(f"d: must not be negative, got {d}")
        u = np.zeros(d, dtype)
        m, l = np.array([-np.inf, 0.0], dtype)
        return cls(m, l, u)

    @classmethod
    def of(cls, scores: npt.ArrayLike, values: npt.ArrayLike) -> State:
        """One tile on its own. Shapes (n,) and (n, d).

        Raises ValueError where the lengths differ, a score is NaN or +∞, or a value is not finite.

        >>> State.of([3.0], [[10.0]]).merge(State.of([1.0], [[2.0]])).output.round(6).tolist()
        [9.046377]
        """
        s, v = _checked(scores, values)
        m = np.max(s, initial=s.dtype.type(-np.inf))
        p = _exp(s, m)
        return cls(m, np.sum(p, dtype=s.dtype), p @ v)

    def scaled_to(self, m: np.floating[Any]) -> State:
        """The same sums measured against another reference m ≥ self.m: l and u times exp(self.m − m)."""
        a = alpha(self.m, m)
        return self._times(a, a, m)

    def _times(self, alpha_l: np.floating[Any], alpha_u: np.floating[Any], m: np.floating[Any]) -> State:
        return State(m, alpha_l * self.l, alpha_u * self.u)

    def merge(self, other: State) -> State:
        """Both sets of keys together; commutative, and associative up to rounding.

        Source: chapter 07, Q027; the same rule joins partial results in split-KV ("flash decoding").
        Raises ValueError where the values have different widths.
        """
        if self.u.shape != other.u.shape:
            raise ValueError(f"other: values of {len(other.u)} numbers cannot be added to values of {len(self.u)}")
        m = np.maximum(self.m, other.m)
        a, b = self.scaled_to(m), other.scaled_to(m)
        return State(m, a.l + b.l, a.u + b.u)

    @property
    def output(self) -> Array:
        """o = u / l of shape (d,); 0 where nothing has been seen (l = 0)."""
        if self.l == 0:
            return np.zeros_like(self.u)
        with np.errstate(invalid="ignore"):  # ∞/∞ after an overflow: NaN is the honest answer
            return np.asarray(self.u / self.l)

    @property
    def lse(self) -> float:
        """m + ln l, the logarithm of Σ exp(s); −∞ where nothing has been seen."""
        return -np.inf if self.l == 0 else float(self.m + np.log(self.l))


def alpha(m_old: np.floating[Any], m_new: np.floating[Any]) -> np.floating[Any]:
    """exp(m_old − m_new), and 0 where nothing is held yet (m_old = −∞)."""
    with np.errstate(over="ignore"):  # 1e308 apart is as good as −∞
        return m_new.dtype.type(0) if np.isneginf(m_old) else np.exp(m_old - m_new)


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
        s, v = _checked(np.asarray(self.scores, dtype=np.float64), np.asarray(rows, dtype=np.float64))
        if len(self.labels) != n:
            raise ValueError(f"labels: {len(self.labels)} of them for {n} keys")
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")
        if self.order is not None and (
            any(type(key) is not int for key in self.order) or sorted(self.order) != list(range(n))
        ):
            raise ValueError(f"order: each of 0 … {n - 1} exactly once, got {self.order}")
        _checked_size(self.tile_size)
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

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The reading order cut into tiles; the last may be short."""
        n, size = len(self.reading), self.tile_size
        return tuple(Tile(i // size, self.reading[i : i + size]) for i in range(0, n, size))


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


@dataclass(frozen=True)
class AddTile:
    """The tile's weights p, one a key, added to what is held. `reference` is what was subtracted from the scores."""

    tile: Tile
    before: State
    after: State
    reference: float
    p: tuple[float, ...]


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
        shrunk = held._times(a_l, a_u, scale)
        if m_new > m > -np.inf:
            yield Shrink(tile, held, shrunk, float(m), float(m_new), float(a), float(a_l), float(a_u))

        reference = m_tile if mistake is Mistake.TILE_MAX else scale
        p = _exp(s_tile, reference)
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
    *_, last = trace(scenario)
    assert isinstance(last, Check)
    return np.asarray(last.output)


def fold(scores: npt.ArrayLike, values: npt.ArrayLike, tile_size: int) -> State:
    """Tiles of `tile_size` merged left to right in the precision of `scores`; shapes (n,) and (n, d).

    Each merge rounds l and u to that precision, as a kernel with such accumulators would.
    Raises ValueError as `State.of`, and for a tile size below 1.

    >>> fold(np.zeros(7), np.full((7, 1), 4.0), 3).output.tolist()
    [4.0]
    """
    _checked_size(tile_size)
    s, v = _checked(scores, values)
    held = State.empty(v.shape[-1], s.dtype)
    for i in range(0, len(s), tile_size):
        held = held.merge(State.of(s[i : i + tile_size], v[i : i + tile_size]))
    return held
