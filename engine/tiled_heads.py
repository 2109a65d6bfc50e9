"""The two ways of `engine.flash` for all heads of a layer at once, causal, with the bytes that cross counted as they
cross.

Heads do not touch each other, and neither do query tiles: here they go side by side, as on a GPU, where
`engine.flash` takes one after the other. The same tiles, the same sums, the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.attention import Array, causal_mask, softmax


@dataclass(frozen=True)
class Crossed:
    """Bytes of all heads: `vectors` of q, k, v and o, `tables` of scores and weights, and how large one head's two
    tables are."""

    vectors: int
    tables: int = 0
    both_tables: int = 0


def standard(q: Array, k: Array, v: Array) -> tuple[Array, Crossed]:
    """Scores and weights go out as tables and come back: q (heads, T_q, d), k and v (heads, T_k, d) → (heads, T_q, d).

    Finite numbers.
    """
    s = np.where(causal_mask(q.shape[1], k.shape[1]), q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2]), -np.inf)
    o = softmax(s) @ v
    table = q.shape[1] * k.shape[1] * q.itemsize
    return o, Crossed(sum(a.nbytes for a in (q, k, v, o)), len(q) * 4 * table, 2 * table)


def tiled(q: Array, k: Array, v: Array, tile: int) -> tuple[Array, Crossed]:
    """Key tile by key tile; every query tile that sees some of it reads it. Shapes as `standard`; finite numbers."""
    n, sight = q.shape[1], k.shape[1] - q.shape[1]  # query i sees key j where j ≤ i + sight
    m, l, u = np.full((len(q), n, 1), -np.inf), np.zeros((len(q), n, 1)), np.zeros(q.shape)
    read = q.nbytes
    scaled = q / np.sqrt(q.shape[2])
    for j in range(0, k.shape[1], tile):
        first = max(0, j - sight) // tile * tile  # the query tiles before it see none of these keys
        k_tile, v_tile = k[:, j : j + tile], v[:, j : j + tile]
        read += -(-(n - first) // tile) * (k_tile.nbytes + v_tile.nbytes)
        seen = np.arange(j, j + k_tile.shape[1]) <= np.arange(first, n)[:, None] + sight  # (rows, keys)
        s = np.where(seen, scaled[:, first:] @ k_tile.swapaxes(1, 2), -np.inf)  # (heads, rows, keys)
        m_new = np.maximum(m[:, first:], s.max(axis=2, keepdims=True))  # finite: every query sees key 0
        alpha, p = np.exp(m[:, first:] - m_new), np.exp(s - m_new)
        m[:, first:] = m_new
        l[:, first:] = alpha * l[:, first:] + p.sum(axis=2, keepdims=True)
        u[:, first:] = alpha * u[:, first:] + p @ v_tile
    return u / l, Crossed(read + u.nbytes)
