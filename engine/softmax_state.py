"""What is held of a softmax-weighted sum: maximum m, denominator l, accumulator u; and how two of them merge.

Source: chapter 07, Q027. Letters as there: `acc` in published kernels is u, and the output is o = u / l.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.attention import Array, checked_scores


def exp(s: Array, m: np.floating[Any]) -> Array:
    """exp(s − m); 0 throughout where m = −∞, for then every score is masked and −∞ − (−∞) would be NaN."""
    if np.isneginf(m):
        return np.zeros_like(s)
    with np.errstate(over="ignore"):  # NO_MAX overflows on purpose
        return np.asarray(np.exp(s - m))


def checked(scores: npt.ArrayLike, values: npt.ArrayLike) -> tuple[Array, Array]:
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


def checked_size(tile_size: int) -> int:
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
        s, v = checked(scores, values)
        m = np.max(s, initial=s.dtype.type(-np.inf))
        p = exp(s, m)
        return cls(m, np.sum(p, dtype=s.dtype), p @ v)

    def scaled_to(self, m: np.floating[Any]) -> State:
        """The same sums measured against another reference m ≥ self.m: l and u times exp(self.m − m)."""
        a = alpha(self.m, m)
        return self.times(a, a, m)

    def times(self, alpha_l: np.floating[Any], alpha_u: np.floating[Any], m: np.floating[Any]) -> State:
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


def fold(scores: npt.ArrayLike, values: npt.ArrayLike, tile_size: int) -> State:
    """Tiles of `tile_size` merged left to right in the precision of `scores`; shapes (n,) and (n, d).

    Each merge rounds l and u to that precision, as a kernel with such accumulators would.
    Raises ValueError as `State.of`, and for a tile size below 1.

    >>> fold(np.zeros(7), np.full((7, 1), 4.0), 3).output.tolist()
    [4.0]
    """
    checked_size(tile_size)
    s, v = checked(scores, values)
    held = State.empty(v.shape[-1], s.dtype)
    for i in range(0, len(s), tile_size):
        held = held.merge(State.of(s[i : i + tile_size], v[i : i + tile_size]))
    return held
