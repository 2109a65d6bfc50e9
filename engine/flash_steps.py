"""The steps of `engine.flash_io`'s trace. Each holds all that a picture of it needs; arrays are read-only.

rows and keys are ranges of positions; a tile's arrays have the shape (rows, d), (keys, d) or (rows, keys).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.attention import Array, Mask
from engine.chip import Moved
from engine.flash_scenario import Tile
from engine.tile_state import Rows
from engine.tile_walk import part


@dataclass(frozen=True, eq=False)
class Written:
    """What the tiles' way has written to HBM: o (n_q, d), the others (n_q,), NaN where nothing has been written.

    With queries outside `lse` is, and m and l never are; with keys outside the other way round.
    """

    o: Array
    lse: Array
    m: Array
    l: Array


@dataclass(frozen=True, eq=False)
class Now:
    """Where the tiles' way stands: bytes that have crossed, what lies on the chip, by name, what lies in HBM besides q,
    k and v; how many of `Scenario.visits` are folded in, and how many scores have been computed."""

    moved: Moved
    chip: tuple[tuple[str, Array], ...]
    written: Written
    n_done: int
    n_pairs: int


@dataclass(frozen=True, eq=False)
class Start:
    """q, k and v lie in HBM, and nothing on the chip."""

    now: Now
    q: Array
    k: Array
    v: Array


@dataclass(frozen=True, eq=False)
class Clear:
    """Keys outside only: o = 0, m = −∞, l = 0 are written for every query."""

    now: Now


@dataclass(frozen=True, eq=False)
class LoadQ:
    """A query tile comes in. `held` is what its m, l, u start with: nothing, or with keys outside what HBM has of it
    (u = l · o)."""

    now: Now
    rows: range
    held: Rows


@dataclass(frozen=True, eq=False)
class LoadKV:
    """A tile of keys and values comes in, for the `trip`-th time (1, 2, …)."""

    now: Now
    keys: range
    trip: int

    @property
    def again(self) -> bool:
        """Whether it has been on the chip before."""
        return self.trip > 1


@dataclass(frozen=True, eq=False)
class Score:
    """s = q kᵀ · scale on the chip, −∞ where hidden. `seen` is what the mask should let through, whatever it does."""

    now: Now
    rows: range
    keys: range
    held: Rows
    s: Array
    seen: Mask

    @property
    def n_hidden(self) -> int:
        """Scores of the tile that are masked; 0 in a tile that lies below the diagonal."""
        return int(np.count_nonzero(self.s == -np.inf))

    @property
    def is_partial(self) -> bool:
        """Whether causality cuts through the tile."""
        return not self.seen.all()


@dataclass(frozen=True, eq=False)
class Fold:
    """The tile folded into m, l, u: `alpha` (rows,) shrank what was held before, p are the tile's weights."""

    now: Now
    rows: range
    keys: range
    before: Rows
    after: Rows
    alpha: Array
    p: Array

    @property
    def n_risen(self) -> int:
        """Rows whose maximum rose while something was held."""
        return int(np.count_nonzero((self.after.m > self.before.m) & (self.before.m > -np.inf)))


@dataclass(frozen=True, eq=False)
class Skip:
    """Tiles that causality hides altogether: neither loaded nor computed. All share the outer loop's rows or keys."""

    now: Now
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, eq=False)
class Write:
    """The rows' o = u / l goes out with its log-sum-exp, once; with keys outside o, m and l, after every tile."""

    now: Now
    rows: range
    held: Rows

    @property
    def o(self) -> Array:
        """What was written: (rows, d)."""
        return part(self.now.written.o, self.rows)


@dataclass(frozen=True, eq=False)
class Pass:
    """The plain way: the `number`-th of four passes over a T_q × T_k table. `plain` is what has crossed there so far.

    1: q and k in, s out. 2: s in. 3: p out. 4: p and v in, o out.
    """

    now: Now
    plain: Moved
    number: Literal[1, 2, 3, 4]
    table: Literal["s", "p"]
    way: Literal["read", "written"]
    values: Array  # of the table, (n_q, n_k)


@dataclass(frozen=True, eq=False)
class Compare:
    """Both ways at the end. `law` is what should have crossed by formula; `extra` and `plain_extra` are bytes in HBM
    besides q, k, v and o; `error` is the largest |difference| of the outputs (n_q, d)."""

    now: Now
    plain: Moved
    law: Moved
    extra: int
    plain_extra: int
    output: Array
    expected: Array
    error: float

    @property
    def differs(self) -> bool:
        """Whether the output is off by more than rounding; NaN is."""
        return not self.error <= 1e-9 * max(1.0, float(np.abs(self.expected).max()))

    @property
    def miscounted(self) -> bool:
        """Whether other bytes are in the book than the loops ask for."""
        return self.now.moved.arrays != self.law.arrays


Step = Start | Clear | LoadQ | LoadKV | Score | Fold | Skip | Write | Pass | Compare
