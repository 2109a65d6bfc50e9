"""What the chip holds of all rows of a query tile: m, l, u, and how a tile of keys is folded into them.

Each row is what `engine.softmax_state.State` is for one query; here they go side by side, as in a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.attention import Array


@dataclass(frozen=True, eq=False)
class Rows:
    """Of the keys read so far: maximum m (rows,), l = Σ exp(s − m) (rows,), u = Σ exp(s − m) v (rows, d_v). All
    read-only."""

    m: Array
    l: Array
    u: Array

    def __post_init__(self) -> None:
        for array in self.arrays:
            array.setflags(write=False)

    @classmethod
    def empty(cls, rows: int, d_v: int, dtype: npt.DTypeLike = np.float64) -> Rows:
        """Nothing read yet: m = −∞, l = 0, u = 0."""
        return cls(np.full(rows, -np.inf, dtype), np.zeros(rows, dtype), np.zeros((rows, d_v), dtype))

    def __len__(self) -> int:
        return len(self.m)

    def first(self, rows: int) -> Rows:
        """The first rows of them."""
        return Rows(self.m[:rows], self.l[:rows], self.u[:rows])

    def over(self, old: Rows) -> Rows:
        """These rows, and below them those that `old` has more."""
        n = len(self)
        return Rows(*(np.concatenate((a, b[n:])) for a, b in ((self.m, old.m), (self.l, old.l), (self.u, old.u))))

    def fold(self, s: Array, v: Array) -> Fold:
        """With a tile of keys more: s (rows, keys), −∞ where hidden; v (keys, d_v)."""
        m = np.maximum(self.m, s.max(axis=1))
        reference = np.where(m == -np.inf, m.dtype.type(0), m)  # −∞ − (−∞) would be NaN
        with np.errstate(over="ignore"):  # a score 1e308 below the maximum weighs 0 either way
            alpha, p = np.exp(self.m - reference), np.exp(s - reference[:, None])
        after = Rows(m, alpha * self.l + p.sum(axis=1), alpha[:, None] * self.u + p @ v)
        return Fold(alpha, p, after)

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        return self.m, self.l, self.u

    @property
    def output(self) -> Array:
        """o = u / l (rows, d_v); 0 for a row that has seen nothing."""
        return np.asarray(np.divide(self.u, self.l[:, None], out=np.zeros_like(self.u), where=self.l[:, None] > 0))

    @property
    def lse(self) -> Array:
        """m + ln l (rows,); −∞ for a row that has seen nothing."""
        return self.m + np.log(self.l, out=np.zeros_like(self.l), where=self.l > 0)


@dataclass(frozen=True, eq=False)
class Fold:
    """One tile folded in: `alpha` (rows,) shrank what was held, p (rows, keys) are the tile's weights. Where nothing
    was held, alpha is 0."""

    alpha: Array
    p: Array
    after: Rows

    def __post_init__(self) -> None:
        for array in (self.alpha, self.p):
            array.setflags(write=False)
