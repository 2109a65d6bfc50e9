"""One head on small numbers, to be walked tile by tile: sizes, tiles, order of the loops, and the usual mistakes.

Source: doc 001, the tiled kernel (audit 1.27, 1.28); Dao et al. 2022, algorithm 1 (keys outside); Dao 2023 (queries
outside).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import ClassVar

import numpy as np

from engine.attention import Array, Mask
from engine.checked import checked_int
from engine.tile_memory import check_memory
from engine.tile_walk import hidden, tiles, visible
from engine.weights import read_only, wave

Tile = tuple[range, range]  # its rows and its keys


class Mistake(Enum):
    """Wrong ways to write the kernel, and one to count. Each runs in the same loop and stops in the same places."""

    NONE = "none"
    TOP_LEFT = "top_left"  # a tile's mask is aligned top-left: the same as long as T_q = T_k
    COUNT_ONCE = "count_once"  # a tile of K and V is counted the first time only: "one trip per tile"
    UNMASKED = "unmasked"  # tiles that causality cuts through are treated as if all of them were visible
    KEPT_STATE = "kept_state"  # the next query tile starts with the m, l, u that the last one left on the chip
    SCALED_TWICE = "scaled_twice"  # 1/√d once in q and once more in the scores
    UNSCALED = "unscaled"  # 1/√d forgotten


@dataclass(frozen=True)
class Scenario:
    """`n_q` queries and `n_k` keys of `d` numbers, read in tiles of `tile_q` queries and `tile_k` keys.

    `causal` is aligned bottom-right; with more queries than keys the first n_q − n_k see nothing, and get 0.
    `keys_outside`: key tiles in the outer loop, with o, m and l read and written back at every tile. `backward`: the
    pass after it, which rebuilds the weights. `memory`: bytes on the chip, None for as many as a tile needs. Numbers
    are computed in float64 and counted as `itemsize` bytes each, m, l and log-sum-exp too: float32, what kernels keep
    statistics in. Raises ValueError that names the argument.
    """

    n_q: int = 6
    n_k: int = 6
    d: int = 2
    tile_q: int = 2
    tile_k: int = 3
    causal: bool = True
    keys_outside: bool = False
    backward: bool = False
    memory: int | None = None
    mistake: Mistake = Mistake.NONE
    itemsize: ClassVar[int] = 4

    def __post_init__(self) -> None:
        for name in ("n_q", "n_k", "d", "tile_q", "tile_k"):
            checked_int(name, getattr(self, name), 1)
        for name, size, n, things in (
            ("tile_q", self.tile_q, self.n_q, "queries"),
            ("tile_k", self.tile_k, self.n_k, "keys"),
        ):
            if size > n:
                raise ValueError(f"{name}: at most the {n} {things} there are, got {size}")
        for name in ("causal", "keys_outside", "backward"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}: True or False, got {getattr(self, name)!r}")
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")
        if self.memory is not None:
            check_memory(self.memory, self.tile_q, self.tile_k, self.d, itemsize=self.itemsize)

    @property
    def sight(self) -> int | None:
        """Query i sees key j where j ≤ i + sight; None: everyone sees everything."""
        return self.n_k - self.n_q if self.causal else None

    @property
    def n_blind(self) -> int:
        """Queries that see nothing: the first ones, where there are more queries than keys."""
        return max(self.n_q - self.n_k, 0) if self.causal else 0

    @property
    def query_tiles(self) -> tuple[range, ...]:
        return tiles(self.n_q, self.tile_q)

    @property
    def key_tiles(self) -> tuple[range, ...]:
        return tiles(self.n_k, self.tile_k)

    @property
    def grid(self) -> tuple[Tile, ...]:
        """All tiles of the table of scores, in the order of the loops."""
        if self.keys_outside:
            return tuple((rows, keys) for keys in self.key_tiles for rows in self.query_tiles)
        return tuple((rows, keys) for rows in self.query_tiles for keys in self.key_tiles)

    @property
    def skipped(self) -> tuple[Tile, ...]:
        """The tiles that causality hides altogether: neither read nor computed."""
        return tuple(tile for tile in self.grid if hidden(*tile, self.sight))

    def skipped_by(self, outer: range) -> tuple[Tile, ...]:
        """Those among them in one row of tiles; with keys outside, in one column."""
        if self.keys_outside:
            return tuple((rows, outer) for rows in self.query_tiles if hidden(rows, outer, self.sight))
        return tuple((outer, keys) for keys in self.key_tiles if hidden(outer, keys, self.sight))

    @property
    def visits(self) -> tuple[Tile, ...]:
        """The tiles that are computed, in the order of the loops."""
        return tuple(tile for tile in self.grid if not hidden(*tile, self.sight))

    @property
    def partial(self) -> tuple[Tile, ...]:
        """Those among them that causality cuts through."""
        return tuple(tile for tile in self.visits if not visible(*tile, self.sight).all())

    def mask(self, rows: range, keys: range) -> Mask:
        """(rows, keys): what this run lets a tile's queries see, whatever its mistake makes of it."""
        match self.mistake:
            case Mistake.TOP_LEFT if self.causal:
                return visible(rows, keys, 0)
            case Mistake.UNMASKED:
                return visible(rows, keys, None)
            case _:
                return visible(rows, keys, self.sight)

    @property
    def right_scale(self) -> float:
        """1/√d."""
        return float(self.d**-0.5)

    @property
    def scale(self) -> float:
        """What this run multiplies q kᵀ with."""
        match self.mistake:
            case Mistake.SCALED_TWICE:
                return 1 / self.d
            case Mistake.UNSCALED:
                return 1.0
            case _:
                return self.right_scale


UNEQUAL = Scenario(n_q=4, n_k=6)  # new queries over a cache: here TOP_LEFT shows
BLIND = Scenario(n_q=6, n_k=4, tile_k=2)  # more queries than keys: the first two see nothing


@lru_cache(maxsize=64)
def numbers(n_q: int, n_k: int, d: int) -> tuple[Array, Array, Array]:
    """q (n_q, d), k and v (n_k, d): closed form, one digit after the point, so that what is shown is what is computed.

    >>> q, k, v = numbers(6, 6, 2)
    >>> q[3].tolist(), k[3].tolist(), v[3].tolist()
    ([-2.3, 2.0], [-1.4, -1.4], [0.4, -9.0])
    """
    q, k, v = wave(3.3, n_q, d, 3), wave(1.8, n_k, d, 2), wave(1.0, n_k, d, 9)
    return read_only(np.round(q, 1)), read_only(np.round(k, 1)), read_only(np.round(v, 1))


def gradient(n_q: int, d: int) -> Array:
    """(n_q, d): what arrives at the output from the loss, closed form as `numbers`."""
    return read_only(np.round(wave(0.3, n_q, d, 1), 1))
