"""Attention twice, with every byte that crosses between HBM and the chip counted as it crosses.

Source: chapter 07, Q027; Dao et al. 2022. The tiled way folds tiles by the rule of `engine.online_softmax`, all rows of
a query tile at once; it does the same multiplications as the standard way and never writes the table of scores.
Forward pass of one head. Bytes are no time: what a kernel gains depends on the device.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.attention import Array, causal_mask, softmax
from engine.checked import checked_int
from engine.chip import Chip, Traffic
from engine.tile_state import Rows
from engine.tile_walk import hidden, part, tiles, visible

__all__ = ["Traffic", "checked_arrays", "scores", "standard_attention", "tiled_attention"]


def standard_attention(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, *, causal: bool = False
) -> tuple[Array, Traffic]:
    """Three operations with two tables of T_q × T_k numbers in HBM between them: scores s, weights p.

    Each operation reads what it needs once, as if the chip could hold it: the least that this way can move. Shapes and
    errors as `tiled_attention`; `causal` hides scores but moves them all.

    >>> o, traffic = standard_attention(np.zeros((8, 2)), np.zeros((8, 2)), np.ones((8, 2)))
    >>> traffic.hbm_moved == 8 * (4 * 8 * 2 + 4 * 8 * 8)  # q, k, v, o once; s and p written and read
    True
    """
    q, k, v = checked_arrays(q, k, v)
    chip = Chip("q", "k", "v", "s", "p", "o")
    s_hbm, p_hbm = np.empty((len(q), len(k)), q.dtype), np.empty((len(q), len(k)), q.dtype)
    o_hbm = np.empty((len(q), v.shape[1]), q.dtype)

    q_chip, k_chip = chip.load("q", q), chip.load("k", k)
    s = scores(q_chip, k_chip)
    chip.holds(q_chip, k_chip, s)
    chip.store("s", s_hbm, s)

    s = chip.load("s", s_hbm)
    p = softmax(np.where(causal_mask(*s.shape), s, s.dtype.type(-np.inf)) if causal else s)
    chip.holds(s, p)
    chip.store("p", p_hbm, p)

    p, v_chip = chip.load("p", p_hbm), chip.load("v", v)
    o = p @ v_chip
    chip.holds(p, v_chip, o)
    chip.store("o", o_hbm, o)
    return o_hbm, chip.traffic


def tiled_attention(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, *, tile_q: int, tile_k: int, causal: bool = False
) -> tuple[Array, Traffic]:
    """Query tile by query tile; each reads the key and value tiles it can see and keeps only m, l, u of its rows.

    Shapes: q (T_q, d), k (T_k, d), v (T_k, d_v) → (T_q, d_v). `causal` is aligned bottom-right, as `causal_mask`;
    a tile that is hidden altogether is not read. A query that sees nothing gets 0.
    Raises ValueError for shapes that do not fit, numbers that are not finite, a tile below 1.

    >>> o, traffic = tiled_attention(np.zeros((8, 2)), np.zeros((8, 2)), np.ones((8, 2)), tile_q=4, tile_k=4)
    >>> traffic.hbm_read == 8 * (8 * 2 + 2 * (8 * 2 + 8 * 2))  # q once; k and v once for each of two query tiles
    True
    """
    q, k, v = checked_arrays(q, k, v)
    tile_q, tile_k = checked_int("tile_q", tile_q, 1), checked_int("tile_k", tile_k, 1)
    sight = len(k) - len(q) if causal else None
    chip = Chip("q", "k", "v", "o")
    o_hbm = np.empty((len(q), v.shape[1]), q.dtype)
    for rows in tiles(len(q), tile_q):
        q_tile = chip.load("q", part(q, rows))
        held = Rows.empty(len(rows), v.shape[1], q.dtype)
        chip.holds(q_tile, *held.arrays)
        for keys in tiles(len(k), tile_k):
            if hidden(rows, keys, sight):
                break  # nor does it see any later one
            k_tile, v_tile = chip.load("k", part(k, keys)), chip.load("v", part(v, keys))
            s = np.where(visible(rows, keys, sight), scores(q_tile, k_tile), q.dtype.type(-np.inf))  # (rows, keys)
            fold = held.fold(s, v_tile)
            held = fold.after
            chip.holds(q_tile, k_tile, v_tile, s, fold.p, *held.arrays)
        chip.store("o", part(o_hbm, rows), held.output)
    return o_hbm, chip.traffic


def scores(q: Array, k: Array) -> Array:
    """q kᵀ / √d of finite numbers. Raises ValueError where they overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        s = (q @ k.T) * q.dtype.type(1.0 / np.sqrt(q.shape[1]))
    if not np.isfinite(s).all():
        raise ValueError("q, k: their products must be finite; these overflow")
    return np.asarray(s)


def checked_arrays(*arrays: npt.ArrayLike) -> tuple[Array, Array, Array]:
    """q, k, v as two-dimensional finite arrays of one floating type that fit together, or ValueError that names one."""
    raw = [np.asarray(array) for array in arrays]
    dtype = np.result_type(*raw)
    q, k, v = (array.astype(dtype if np.issubdtype(dtype, np.floating) else np.float64) for array in raw)
    for name, array in (("q", q), ("k", k), ("v", v)):
        if array.ndim != 2:
            raise ValueError(f"{name}: two axes (positions, numbers a position), got shape {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name}: every number must be finite")
    if q.shape[1] == 0 or k.shape[1] != q.shape[1]:
        raise ValueError(f"k: {k.shape[1]} numbers a key, q has {q.shape[1]}; they must be equal and at least 1")
    if len(v) != len(k):
        raise ValueError(f"v: {len(v)} rows, k has {len(k)}; every key needs its value")
    return q, k, v
