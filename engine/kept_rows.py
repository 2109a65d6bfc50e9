"""Where K and V of a generation lie: nowhere between passes, in one reserved stretch, or in blocks taken on demand.

Three ways to keep the same rows; reading gives the same numbers in the same order. Source: chapter 07, Q028.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from engine.attention import Array
from engine.config import Config
from engine.paged import Append, BlockPool, Sequence, blocks_for, slot
from engine.stages import Ints
from engine.three_ledgers import ENTRY

CHAPTER_BLOCKS = (7, 2, 19)  # handed out first: the block table of Q028


class Kept(Protocol):
    """A place for K and V. `length` counts positions seen, `n_entries` what a read looks up in a block table."""

    @property
    def length(self) -> int: ...
    @property
    def kv_bytes(self) -> int: ...
    @property
    def unused_bytes(self) -> int: ...
    @property
    def n_entries(self) -> int: ...
    @property
    def table_bytes(self) -> int: ...
    def make_room(self, where: Ints) -> None:
        """Before a pass: the positions that it will bring."""

    def put(self, layer: int, k: Array, v: Array) -> None:
        """Write the pass's rows, (n_kv_heads, T, head_dim) each."""

    def read(self, layer: int, k_new: Array, v_new: Array) -> tuple[Array, Array]:
        """All rows that the pass's queries look at, the new ones last: (n_kv_heads, T_total, head_dim) each."""


class Workspace:
    """No cache: the running layer's rows and nothing else; the next layer, or pass, writes over them."""

    n_entries = table_bytes = unused_bytes = 0

    def __init__(self, config: Config) -> None:
        empty = np.zeros((config.n_kv_heads, 0, config.head_dim))
        self._rows: tuple[Array, Array] = (empty, empty)

    @property
    def length(self) -> int:
        """Positions of the pass."""
        return int(self._rows[0].shape[1])

    @property
    def kv_bytes(self) -> int:
        """Of one layer."""
        return sum(a.nbytes for a in self._rows)

    def make_room(self, where: Ints) -> None:
        """Rows come as they are."""

    def put(self, layer: int, k: Array, v: Array) -> None:
        """Forget what was there."""
        self._rows = (k, v)

    def read(self, layer: int, k_new: Array, v_new: Array) -> tuple[Array, Array]:
        """What was just put."""
        return self._rows


class Reserved:
    """A cache in one stretch, set aside for `max_len` positions before the first."""

    n_entries = table_bytes = 0

    def __init__(self, config: Config, max_len: int) -> None:
        self._rows = np.zeros((2, config.n_layers, config.n_kv_heads, max_len, config.head_dim))
        self._where: slice = slice(0, 0)

    @property
    def length(self) -> int:
        """Positions held."""
        return int(self._where.stop)

    @property
    def kv_bytes(self) -> int:
        """Of the positions held, all layers."""
        return self._rows[..., : self.length, :].nbytes

    @property
    def unused_bytes(self) -> int:
        """Set aside for positions that have not come."""
        return self._rows.nbytes - self.kv_bytes

    def make_room(self, where: Ints) -> None:
        """There is room: it was set aside."""
        self._where = slice(int(where[0]), int(where[-1]) + 1)

    def put(self, layer: int, k: Array, v: Array) -> None:
        """Write behind what is there."""
        self._rows[0, layer, :, self._where], self._rows[1, layer, :, self._where] = k, v

    def read(self, layer: int, k_new: Array, v_new: Array) -> tuple[Array, Array]:
        """Everything held."""
        return self._rows[0, layer, :, : self.length], self._rows[1, layer, :, : self.length]


class Paged:
    """A cache in blocks of a pool, taken when a position needs one. With `every` 2 only positions 0, 2, 4, … are
    kept."""

    def __init__(self, config: Config, block_size: int, max_len: int, every: int = 1) -> None:
        n = max(20, blocks_for(max_len, block_size))
        free = (*CHAPTER_BLOCKS, *(block for block in range(n) if block not in CHAPTER_BLOCKS))
        self._sequence = Sequence(BlockPool(n, block_size, free))
        self._size, self._every = block_size, every
        shape = (config.n_layers, config.n_kv_heads, n * block_size, config.head_dim)
        self._k, self._v = np.zeros(shape), np.zeros(shape)
        self._row_bytes: int = 2 * self._k[:, :, 0].nbytes
        self._seen, self._chosen = 0, np.zeros(0, np.bool_)
        self._slots: list[int] = []  # of the positions kept, found through the block table once a pass
        self._append = Append((), ())

    @property
    def length(self) -> int:
        """Positions seen, kept or not."""
        return self._seen

    @property
    def block_table(self) -> tuple[int, ...]:
        """The physical block of each logical block."""
        return self._sequence.block_table

    @property
    def kv_bytes(self) -> int:
        """Of the positions kept, all layers."""
        return self._row_bytes * self._sequence.length

    @property
    def unused_bytes(self) -> int:
        """The tail of the last block."""
        return self._row_bytes * (self._size * self.n_entries - self._sequence.length)

    @property
    def n_entries(self) -> int:
        """Blocks that a read translates."""
        return len(self._sequence.block_table)

    @property
    def table_bytes(self) -> int:
        """Of the block table."""
        return ENTRY * self.n_entries

    def make_room(self, where: Ints) -> None:
        """Take what blocks the new positions need."""
        self._chosen = where % self._every == 0
        self._append = self._sequence.append(int(np.count_nonzero(self._chosen)))
        self._seen = int(where[-1]) + 1
        table = self._sequence.block_table
        self._slots = [slot(position, table, self._size) for position in range(self._sequence.length)]

    def put(self, layer: int, k: Array, v: Array) -> None:
        """Write into their slots."""
        slots = list(self._append.slots)
        self._k[layer][:, slots] = k[:, self._chosen]
        self._v[layer][:, slots] = v[:, self._chosen]

    def read(self, layer: int, k_new: Array, v_new: Array) -> tuple[Array, Array]:
        """Everything kept, found through the block table; rows of the pass that were not kept are still at hand."""
        if self._every == 1:
            return self._k[layer][:, self._slots], self._v[layer][:, self._slots]
        old = self._slots[: len(self._slots) - len(self._append.slots)]
        k, v = (
            np.concatenate([storage[layer][:, old], new], axis=1)
            for storage, new in ((self._k, k_new), (self._v, v_new))
        )
        return k, v
