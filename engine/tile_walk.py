"""A table of scores cut into tiles: which rows and keys a tile has, and what of it causality hides.

Positions are ranges, so that a tile is its own name. `sight` is how many keys query 0 sees beyond its own number: query
i sees key j where j ≤ i + sight. Aligned bottom-right, sight = T_k − T_q.
"""

from __future__ import annotations

import numpy as np

from engine.attention import Array, Mask


def tiles(n: int, size: int) -> tuple[range, ...]:
    """0 … n − 1 cut into tiles; the last may be short.

    >>> tiles(5, 2)
    (range(0, 2), range(2, 4), range(4, 5))
    """
    return tuple(range(i, min(i + size, n)) for i in range(0, n, size))


def part(array: Array, positions: range) -> Array:
    """The rows at these positions: a view."""
    return array[positions.start : positions.stop]


def hidden(rows: range, keys: range, sight: int | None) -> bool:
    """Whether none of these queries sees any of these keys. `sight` None: everyone sees everything.

    >>> hidden(range(0, 2), range(2, 4), 0), hidden(range(0, 2), range(1, 4), 0)
    (True, False)
    """
    return sight is not None and keys.start > rows.stop - 1 + sight


def visible(rows: range, keys: range, sight: int | None) -> Mask:
    """(rows, keys) booleans, read-only, True = may see.

    >>> visible(range(2, 4), range(0, 4), 0).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    if sight is None:
        mask = np.ones((len(rows), len(keys)), np.bool_)
    else:
        mask = np.arange(keys.start, keys.stop) <= np.arange(rows.start, rows.stop)[:, None] + sight
    mask.setflags(write=False)
    return mask
