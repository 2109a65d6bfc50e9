"""Attention twice, with every byte that crosses between HBM and the chip counted as it crosses.

Source: chapter 07, Q027; Dao et al. 2022. The tiled way folds tiles by the rule of `engine.online_softmax`, all rows of
a query tile at once; it does the same multiplications as the standard way and never writes the table of scores.
Forward pass of one head. Bytes are no time: what a kernel gains depends on the device.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.attention import Array, causal_mask, softmax
from engine.checked import checked_int


@dataclass(frozen=True)
class Traffic:
    """Bytes read from and written to HBM, and the most bytes on the chip at once."""

    hbm_read: int
    hbm_written: int
    max_on_chip: int

    @property
    def hbm_moved(self) -> int:
        """Bytes moved either way."""
        return self.hbm_read + self.hbm_written


class _Chip:
    """The only door between HBM and the chip: what passes is counted."""

    def __init__(self) -> None:
        self._read = self._written = self._peak = 0

    def load(self, array: Array) -> Array:
        self._read += array.nbytes
        return array.copy()

    def store(self, hbm: Array, array: Array) -> None:
        self._written += array.nbytes
        hbm[...] = array

    def holds(self, *arrays: Array) -> None:
        """These lie on the chip together."""
        self._peak = max(self._peak, sum(array.nbytes for array in arrays))

    @property
    def traffic(self) -> Traffic:
        return Traffic(self._read, self._written, self._peak)


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
    q, k, v = _checked(q, k, v)
    chip = _Chip()
    s_hbm, p_hbm = np.empty((len(q), len(k)), q.dtype), np.empty((len(q), len(k)), q.dtype)
    o_hbm = np.empty((len(q), v.shape[1]), q.dtype)

    q_chip, k_chip = chip.load(q), chip.load(k)
    s = _scores(q_chip, k_chip)
    chip.holds(q_chip, k_chip, s)
    chip.store(s_hbm, s)

    s = chip.load(s_hbm)
    p = softmax(np.where(causal_mask(*s.shape), s, s.dtype.type(-np.inf)) if causal else s)
    chip.holds(s, p)
    chip.store(p_hbm, p)

    p, v_chip = chip.load(p_hbm), chip.load(v)
    o = p @ v_chip
    chip.holds(p, v_chip, o)
    chip.store(o_hbm, o)
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
    q, k, v = _checked(q, k, v)
    tile_q, tile_k = checked_int("tile_q", tile_q, 1), checked_int("tile_k", tile_k, 1)
    sight = len(k) - len(q) if causal else len(k)  # query i sees key j where j ≤ i + sight
    chip = _Chip()
    o_hbm = np.empty((len(q), v.shape[1]), q.dtype)
    for i in range(0, len(q), tile_q):
        q_tile = chip.load(q[i : i + tile_q])
        rows = len(q_tile)
        m = np.full((rows, 1), -np.inf, q.dtype)
        l = np.zeros((rows, 1), q.dtype)
        u = np.zeros((rows, v.shape[1]), q.dtype)
        chip.holds(q_tile, m, l, u)
        for j in range(0, len(k), tile_k):
            if j > i + rows - 1 + sight:
                break  # the last query of the tile does not see its first key, nor any later one
            k_tile, v_tile = chip.load(k[j : j + tile_k]), chip.load(v[j : j + tile_k])
            seen = np.arange(j, j + len(k_tile)) <= np.arange(i, i + rows)[:, None] + sight  # (rows, keys)
            s = np.where(seen, _scores(q_tile, k_tile), q.dtype.type(-np.inf))  # (rows, keys)
            m_new = np.maximum(m, s.max(axis=1, keepdims=True))
            reference = np.where(np.isneginf(m_new), q.dtype.type(0), m_new)  # −∞ − (−∞) would be NaN
            with np.errstate(over="ignore"):  # a score 1e308 below the maximum weighs 0 either way
                alpha, p = np.exp(m - reference), np.exp(s - reference)
            m, l, u = m_new, alpha * l + p.sum(axis=1, keepdims=True), alpha * u + p @ v_tile
            chip.holds(q_tile, k_tile, v_tile, s, p, m, l, u)
        chip.store(o_hbm[i : i + tile_q], np.divide(u, l, out=np.zeros_like(u), where=l > 0))
    return o_hbm, chip.traffic


def _scores(q: Array, k: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        s = (q @ k.T) * q.dtype.type(1.0 / np.sqrt(q.shape[1]))
    if not np.isfinite(s).all():
        raise ValueError("q, k: their products must be finite; these overflow")
    return np.asarray(s)


def _checked(*arrays: npt.ArrayLike) -> tuple[Array, Array, Array]:
    """q, k, v as two-dimensional finite arrays of one floating type."""
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
