"""The timed computations, each written once in terms of `Arrays`. Every buffer is there before the clock starts.

Attention is of `heads` heads without a mask: q, k, v, out (heads, n, d). Letters as in `engine.flash`, whose
`tiled_attention` counts as it runs; this one is for the clock, and does whole tiles at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.measuring.arrays import Arrays, Tensor, accumulator


def plain(b: Arrays, q: Tensor, k: Tensor, v: Tensor, out: Tensor, work: PlainWork) -> None:
    """softmax(q kᵀ / √d) v through one table of scores, in place. The division waits for the output, as in the tiles."""
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


# Decoding: a stack of layers, each x += attention(x) W_o, then x += tanh(x W_1) W_2. No embedding, norm or logits: they
# are one row a step either way.


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights: q, k, v, o (d_model, d_model), up (d_model, d_ff), down (d_ff, d_model)."""

    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor
    up: Tensor
    down: Tensor


@dataclass(frozen=True, eq=False)
class Stack:
    """`k` and `v` hold (heads, most positions, head_dim) a layer; `mask` (most, most) is 0, and −∞ above the diagonal."""

    dtype: str
    layers: tuple[Layer, ...]
    k: tuple[Tensor, ...]
    v: tuple[Tensor, ...]
    mask: Tensor

    @property
    def heads(self) -> int:
        return int(self.k[0].shape[0])


def forward(b: Arrays, stack: Stack, x: Tensor, start: int) -> Tensor:
    """Positions start … start + T − 1, x (T, d_model), seeing themselves and what lies in k and v before `start`."""
    t, d_model = x.shape
    end, heads = start + t, stack.heads
    head_dim = d_model // heads
    x = _copied(b, x, stack.dtype)
    for layer, keys, values in zip(stack.layers, stack.k, stack.v, strict=True):
        q, k, v = (_product(b, x, w, stack.dtype).reshape(t, heads, head_dim) for w in (layer.q, layer.k, layer.v))
        keys[:, start:end] = k.swapaxes(0, 1)
        values[:, start:end] = v.swapaxes(0, 1)
        a = b.empty((heads, t, head_dim), stack.dtype)
        s = b.empty((heads, t, end), stack.dtype)
        m, l = b.empty((heads, t, 1), stack.dtype), b.empty((heads, t, 1), accumulator(stack.dtype))
        b.multiply(q, 1 / math.sqrt(head_dim), q)
        b.matmul(q.swapaxes(0, 1), keys[:, :end].swapaxes(1, 2), s)
        if t > 1:  # a single row sees all there is
            b.add(s, stack.mask[start:end, :end], s)
        b.row_max(s, m)
        b.subtract(s, m, s)
        b.exp(s, s)
        b.row_sum(s, l)
        b.matmul(s, values[:, :end], a)
        b.divide(a, l, a)
        b.add(x, _product(b, a.swapaxes(0, 1).reshape(t, d_model), layer.o, stack.dtype), x)
        hidden = _product(b, x, layer.up, stack.dtype)
        b.tanh(hidden, hidden)
        b.add(x, _product(b, hidden, layer.down, stack.dtype), x)
    return x


def decode(b: Arrays, stack: Stack, rows: Tensor, out: Tensor, *, cached: bool) -> None:
    """One pass for each of the n rows (n, d_model): over the new row alone, or over all rows so far. out (n, d_model)."""
    for t in range(rows.shape[0]):
        start = t if cached else 0
        out[t] = forward(b, stack, rows[start : t + 1], start)[-1]


def _product(b: Arrays, a: Tensor, w: Tensor, dtype: str) -> Tensor:
    out = b.empty((a.shape[0], w.shape[1]), dtype)
    b.matmul(a, w, out)
    return out


def _copied(b: Arrays, x: Tensor, dtype: str) -> Tensor:
    out = b.empty(tuple(x.shape), dtype)
    b.copy(x, out)
    return out


def causal(n: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The mask of a `Stack`, to be uploaded."""
    return np.where(np.tri(n, dtype=bool), 0.0, -np.inf)


# Array operations that the functions above issue, by count.

PLAIN_ISSUED = 8
_START, _TAKE = 3, 13  # of a Fold


def tiled_issued(n_q: int, n_k: int) -> int:
    """Of `tiled`, with n_q tiles of queries and n_k of keys."""
    return n_q * (1 + _START + n_k * _TAKE + 1)


def blocks_issued(n_blocks: int) -> int:
    """Of `block_by_block`."""
    return 1 + _START + n_blocks * _TAKE + 1


def decode_issued(n: int, n_layers: int, *, cached: bool) -> int:
    """Of `decode`; the mask is added to every pass of more than one row."""
    masked = 0 if cached else n - 1
    return n * (1 + 17 * n_layers) + masked * n_layers
