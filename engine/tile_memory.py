"""How large a tile a chip has room for, and what that does to the bytes that cross, counted.

Source: Dao et al. 2022, theorem 2: Θ(T²d²/M) with tiles sized to a chip of M bytes, whatever the order of the loops.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engine.attention import Array
from engine.checked import checked_int
from engine.chip import Traffic
from engine.flash import standard_attention, tiled_attention
from engine.traffic_laws import tile_numbers
from engine.weights import wave


def tile_bytes(tile_q: int, tile_k: int, d: int, *, itemsize: int) -> int:
    """What one tile needs on the chip while it is folded in: q, k, v, s, p, m, l, u.

    >>> tile_bytes(2, 3, 2, itemsize=4)
    144
    """
    for name, value in (("tile_q", tile_q), ("tile_k", tile_k), ("d", d), ("itemsize", itemsize)):
        checked_int(name, value, 1)
    return tile_numbers(tile_q, tile_k, d, d) * itemsize


def check_memory(memory: int, tile_q: int, tile_k: int, d: int, *, itemsize: int) -> None:
    """Raises ValueError where a chip of `memory` bytes has no room for one tile.

    >>> check_memory(100, 2, 3, 2, itemsize=4)
    Traceback (most recent call last):
    ValueError: memory: one tile of 2 queries × 3 keys needs 144 bytes, has 100
    """
    needed = tile_bytes(tile_q, tile_k, d, itemsize=itemsize)
    if checked_int("memory", memory) < needed:
        raise ValueError(f"memory: one tile of {tile_q} queries × {tile_k} keys needs {needed} bytes, has {memory}")


def tiles_for(memory: int, d: int, *, itemsize: int, keys_outside: bool = False) -> tuple[int, int]:
    """(tile_q, tile_k): the largest outer tile that fits beside an inner tile of as many, but at most d.

    About M / 4d numbers, the rule of the paper's algorithm 1, here with everything on the chip in the account. Raises
    ValueError where not even one query and one key fit.

    >>> tiles_for(4096, 8, itemsize=4), tiles_for(4096, 8, itemsize=4, keys_outside=True)
    ((26, 8), (8, 27))
    """
    check_memory(memory, 1, 1, d, itemsize=itemsize)
    low, high = 1, memory  # the outer tile: low fits, high does not
    while high - low > 1:
        middle = (low + high) // 2
        fits = tile_bytes(*_tile(middle, d, keys_outside), d, itemsize=itemsize) <= memory
        low, high = (middle, high) if fits else (low, middle)
    return _tile(low, d, keys_outside)


def _tile(outer: int, d: int, keys_outside: bool) -> tuple[int, int]:
    inner = min(outer, d)
    return (inner, outer) if keys_outside else (outer, inner)


def paper_tiles(memory: int, d: int, *, itemsize: int) -> tuple[int, int]:
    """(B_r, B_c) of the paper: B_c = ⌈M / 4d⌉ with M in numbers, B_r = min(B_c, d).

    >>> paper_tiles(192 * 1024, 64, itemsize=2)
    (64, 384)
    """
    check_memory(memory, 1, 1, d, itemsize=itemsize)
    b_c = -(-(memory // itemsize) // (4 * d))
    return min(b_c, d), b_c


@lru_cache(maxsize=512)
def counted_tiles(n: int, d: int, memory: int) -> Traffic:
    """One head of n queries and keys run on a chip of `memory` bytes, queries outside, 4 bytes a number."""
    tile_q, tile_k = tiles_for(memory, d, itemsize=4)
    return tiled_attention(*_arrays(n, d), tile_q=tile_q, tile_k=tile_k)[1]


@lru_cache(maxsize=512)
def counted_plain(n: int, d: int) -> Traffic:
    """The same without tiles."""
    return standard_attention(*_arrays(n, d))[1]


def _arrays(n: int, d: int) -> tuple[Array, Array, Array]:
    q, k, v = (wave(phase, n, d, 1).astype(np.float32) for phase in (1, 2, 3))
    return q, k, v


def exponent(sizes: tuple[float, ...], values: tuple[float, ...]) -> float:
    """Of the least-squares line through the logarithms: values grow as size to this power.

    >>> round(exponent((1, 2, 4), (3, 12, 48)), 6)
    2.0
    """
    if len(sizes) != len(values) or len(sizes) < 2 or min(*sizes, *values) <= 0:
        raise ValueError("sizes, values: equally many, at least two, all above 0")
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
