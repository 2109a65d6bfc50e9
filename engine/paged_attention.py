"""Keys and values kept by slot, and attention that reads them through a block table.

Source: chapter 07, Q028; vLLM's PagedAttention. A real kernel reads block by block and gathers nothing; what it
computes is this. Storage has one row a slot on the axis before the last: (…, n_blocks × block_size, d).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.attention import Array, attention
from engine.checked import checked_int
from engine.paged import Copy, Mistake, slot


def gather(
    pool_storage: npt.ArrayLike,
    block_table: Sequence[int],
    length: int,
    block_size: int,
    mistake: Mistake = Mistake.NONE,
) -> Array:
    """The rows of positions 0 … length − 1 in logical order: (…, n_slots, d) → (…, length, d), a copy.

    Raises IndexError where the table does not map that far or names a block outside the storage.

    >>> gather(np.arange(8.0)[:, None], [3, 0], 3, 2).ravel().tolist()
    [6.0, 7.0, 0.0]
    """
    storage = _storage("pool_storage", pool_storage)
    slots = [slot(position, block_table, block_size, mistake) for position in range(checked_int("length", length))]
    if max(slots, default=-1) >= storage.shape[-2]:
        raise IndexError(f"block_table: names slot {max(slots)}, the storage has {storage.shape[-2]}")
    return np.take(storage, np.asarray(slots, np.intp), axis=-2)


def written(pool_storage: npt.ArrayLike, slots: Sequence[int], rows: npt.ArrayLike) -> Array:
    """A copy of the storage with `rows` (…, n, d) in these slots. Raises IndexError for a slot outside the storage."""
    storage = _storage("pool_storage", pool_storage).copy()
    if any(not 0 <= s < storage.shape[-2] for s in slots):
        raise IndexError(f"slots: the storage's are 0 … {storage.shape[-2] - 1}, got {list(slots)}")
    storage[..., np.asarray(slots, np.intp), :] = rows
    return storage


def copied(pool_storage: npt.ArrayLike, copy: Copy | None, block_size: int) -> Array:
    """A copy of the storage in which what copy-on-write asks for has been done; None asks for nothing."""
    storage = _storage("pool_storage", pool_storage)
    if copy is None:
        return storage.copy()
    source, target = copy.source * block_size, copy.target * block_size
    return written(storage, range(target, target + copy.n_slots), storage[..., source : source + copy.n_slots, :])


def paged_attention(
    q: npt.ArrayLike,
    k_storage: npt.ArrayLike,
    v_storage: npt.ArrayLike,
    block_table: Sequence[int],
    length: int,
    block_size: int,
    *,
    mask: npt.ArrayLike | None = None,
    scale: float | None = None,
    mistake: Mistake = Mistake.NONE,
) -> Array:
    """`attention` of q (…, T_q, d) over the `length` keys and values that the table finds: (…, T_q, d_v).

    Raises as `gather` and `attention`.
    """
    k, v = (gather(storage, block_table, length, block_size, mistake) for storage in (k_storage, v_storage))
    return attention(q, k, v, mask=mask, scale=scale)


def _storage(name: str, storage: npt.ArrayLike) -> Array:
    array = np.asarray(storage)
    if array.ndim < 2:
        raise ValueError(f"{name}: at least two axes (slots, numbers a slot), got shape {array.shape}")
    return array
