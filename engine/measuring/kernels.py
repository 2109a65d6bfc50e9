"""The timed computations, each written once in terms of `Arrays`. Every buffer is there before the clock starts.

Attention is of `heads` heads without a mask: q, k, v, out (heads, n, d). Letters as in `engine.flash`, whose
`tiled_attention` counts as it runs; this one is for the clock, and does whole tiles at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.measuring.arrays import Arrays, Tensor, accumulator


def plain(b: Arrays, q: Tensor, k: Tensor, v: Tensor, out: Tensor, work: PlainWork) -> None:
    """softmax(q kᵀ / √d) v through one table of scores, in place. The division waits for the output, as in the
    tiles."""
    b.multiply(q, 1 / math.sqrt(q.shape[-1]), work.q)
    b.matmul(work.q, k.swapaxes(-1, -2), work.s)
    b.row_max(work.s, work.m)
    b.subtract(work.s, work.m, work.s)
    b.exp(work.s, work.s)
    b.row_sum(work.s, work.l)
    b.matmul(work.s, v, out)
    b.divide(out, work.l, out)


@dataclass(frozen=True, eq=False)
class PlainWork:
    """q (heads, t_q, d) scaled; s (heads, t_q, t_k) the table; m, l (heads, t_q, 1)."""

    q: Tensor
    s: Tensor
    m: Tensor
    l: Tensor

    @classmethod
    def of(cls, b: Arrays, dtype: str, heads: int, t_q: int, t_k: int, d: int) -> PlainWork:
        column = (heads, t_q, 1)
        return cls(
            b.empty((heads, t_q, d), dtype),
            b.empty((heads, t_q, t_k), dtype),
            b.empty(column, dtype),
            b.empty(column, accumulator(dtype)),
        )


def tiled(b: Arrays, q: Tensor, k: Tensor, v: Tensor, out: Tensor, work: TiledWork) -> None:
    """The same by tiles of queries and keys, folded by the online softmax: no table of scores, only one tile of it."""
    _, t_q, d = q.shape
    for i in range(0, t_q, work.tile_q):
        fold = work.fold.of_rows(min(work.tile_q, t_q - i))
        b.multiply(q[:, i : i + work.tile_q], 1 / math.sqrt(d), fold.q)
        fold.start(b)
        for j in range(0, k.shape[1], work.tile_k):
            fold.take(b, k[:, j : j + work.tile_k], v[:, j : j + work.tile_k])
        fold.finish(b, out[:, i : i + work.tile_q])


class Fold:
    """Running m, l, u of `rows` queries a head, and one tile of scores.

    q and pv (heads, rows, d), s (heads, rows, tile_k), m_tile (heads, rows, 1) in the inputs' type; m, m_new, l, l_tile
    (heads, rows, 1) and u (heads, rows, d) in the accumulator's.
    """

    def __init__(self, flat: tuple[Tensor, ...], heads: int, rows: int, d: int) -> None:
        self._flat, self._sizes = flat, (heads, rows, d)
        q, self._s, pv, m_tile, m, m_new, l, l_tile, u = flat
        self.q, self.pv, self.u = (_shaped(a, heads, rows, d) for a in (q, pv, u))
        self.m_tile, self.m, self.m_new, self.l, self.l_tile = (
            _shaped(a, heads, rows, 1) for a in (m_tile, m, m_new, l, l_tile)
        )

    @classmethod
    def of(cls, b: Arrays, dtype: str, heads: int, rows: int, tile_k: int, d: int) -> Fold:
        n = heads * rows
        narrow = [b.empty((size,), dtype) for size in (n * d, n * tile_k, n * d, n)]
        wide = [b.empty((size,), accumulator(dtype)) for size in (n, n, n, n, n * d)]
        return cls((*narrow, *wide), heads, rows, d)

    def of_rows(self, rows: int) -> Fold:
        """The same buffers for fewer rows, contiguous still."""
        heads, have, d = self._sizes
        return self if rows == have else Fold(self._flat, heads, rows, d)

    def start(self, b: Arrays) -> None:
        b.fill(self.m, -math.inf)
        b.fill(self.l, 0.0)
        b.fill(self.u, 0.0)

    def take(self, b: Arrays, k: Tensor, v: Tensor) -> None:
        """One tile of keys and values, (heads, keys, d)."""
        heads, rows, _ = self._sizes
        p = s = _shaped(self._s, heads, rows, k.shape[1])
        alpha = self.m
        b.matmul(self.q, k.swapaxes(-1, -2), s)
        b.row_max(s, self.m_tile)
        b.maximum(self.m, self.m_tile, self.m_new)
        b.subtract(s, self.m_new, s)
        b.exp(s, p)
        b.subtract(self.m, self.m_new, alpha)
        b.exp(alpha, alpha)  # exp(−∞) = 0 in the first tile
        b.multiply(self.l, alpha, self.l)
        b.row_sum(p, self.l_tile)
        b.add(self.l, self.l_tile, self.l)
        b.multiply(self.u, alpha, self.u)
        b.matmul(p, v, self.pv)
        b.add(self.u, self.pv, self.u)
        self.m, self.m_new = self.m_new, self.m

    def finish(self, b: Arrays, out: Tensor) -> None:
        b.divide(self.u, self.l, out)


@dataclass(frozen=True, eq=False)
class TiledWork:
    """Tile sizes and the buffers of one tile of queries."""

    tile_q: int
    tile_k: int
    fold: Fold

    @classmethod
    def of(cls, b: Arrays, dtype: str, heads: int, tile_q: int, tile_k: int, d: int) -> TiledWork:
        return cls(tile_q, tile_k, Fold.of(b, dtype, heads, tile_q, tile_k, d))


def _shaped(flat: Tensor, *shape: int) -> Tensor:
    return flat[: math.prod(shape)].reshape(shape)


# One decode step's attention: q (heads, 1, d); keys and values contiguous (heads, n, d) or in a pool of blocks
# (heads, n_blocks, block_size, d), block_table (n / block_size) physical blocks in logical order.


def gathered(
    b: Arrays, q: Tensor, k_pool: Tensor, v_pool: Tensor, block_table: Tensor, out: Tensor, work: GatheredWork
) -> None:
    """Copy the sequence's blocks side by side, then attend as if they had always lain so."""
    heads, n_blocks, block_size, d = work.k.shape
    b.take(k_pool, block_table, 1, work.k)
    b.take(v_pool, block_table, 1, work.v)
    shape = (heads, n_blocks * block_size, d)
    plain(b, q, work.k.reshape(shape), work.v.reshape(shape), out, work.plain)


@dataclass(frozen=True, eq=False)
class GatheredWork:
    """k, v (heads, blocks of the sequence, block_size, d), and what `plain` needs."""

    k: Tensor
    v: Tensor
    plain: PlainWork


def block_by_block(
    b: Arrays, q: Tensor, k_pool: Tensor, v_pool: Tensor, block_table: Sequence[int], out: Tensor, fold: Fold
) -> None:
    """Fold one block after another where it lies; nothing is copied. block_table: whole numbers on the host."""
    b.multiply(q, 1 / math.sqrt(q.shape[-1]), fold.q)
    fold.start(b)
    for block in block_table:
        fold.take(b, k_pool[:, block], v_pool[:, block])
    fold.finish(b, out)


# Array operations that the functions above issue, by count.

PLAIN_ISSUED = 8
_START, _TAKE = 3, 13  # of a Fold


def tiled_issued(n_q: int, n_k: int) -> int:
    """Of `tiled`, with n_q tiles of queries and n_k of keys."""
    return n_q * (1 + _START + n_k * _TAKE + 1)


def blocks_issued(n_blocks: int) -> int:
    """Of `block_by_block`."""
    return 1 + _START + n_blocks * _TAKE + 1
