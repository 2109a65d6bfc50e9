"""FLOP per byte: how much a way computes for every byte it moves, and what a device makes of that.

Source: Williams et al. 2009 (the roofline); audit of doc 001, "memory-bound from N ≥ 2K". FLOP are those of the
two products q kᵀ and p v, 4 T² d a head, a multiplication and an addition each; softmax is left out on both sides.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeVar

from engine.checked import checked_int
from engine.traffic_laws import Shape, pairs_computed, plain, tiled


def intensity(n: int, d: int, itemsize: int) -> Fraction:
    """Of the plain way, n queries and keys, no mask: 4 n² d over its bytes, which is n d / ((n + d) itemsize).

    It grows with n towards `intensity_limit` and never reaches it.

    >>> intensity(2048, 128, 2), intensity_limit(128, 2)
    (Fraction(1024, 17), Fraction(64, 1))
    """
    shape = Shape(n, n, d)
    return Fraction(4 * n * n * d, plain(shape, itemsize=itemsize).total)


def intensity_limit(d: int, itemsize: int) -> Fraction:
    """What the plain way's intensity stays under at every length: d / itemsize. Four passes over n² numbers for
    4 n² d FLOP."""
    return Fraction(checked_int("d", d, 1), checked_int("itemsize", itemsize, 1))


def tiled_intensity(
    n: int, d: int, itemsize: int, *, tile_q: int, tile_k: int, causal: bool = False, keys_outside: bool = False
) -> Fraction:
    """Of tiles: 4 d FLOP for every score computed, over their bytes. For long sequences about tile_q / itemsize with
    queries outside: the tile's size, not the length, decides."""
    shape = Shape(n, n, d, causal)
    moved = tiled(shape, tile_q=tile_q, tile_k=tile_k, keys_outside=keys_outside, itemsize=itemsize)
    return Fraction(4 * d * pairs_computed(shape, tile_q=tile_q, tile_k=tile_k), moved.total)


def ridge(flop_per_s: float, bytes_per_s: float) -> float:
    """FLOP per byte from which on a device is limited by its arithmetic, and under which by its memory.

    >>> ridge(1e15, 4e12)
    250.0
    """
    return _positive("flop_per_s", flop_per_s) / _positive("bytes_per_s", bytes_per_s)


def attainable(intensity: float | Fraction, flop_per_s: float, bytes_per_s: float) -> float:
    """FLOP/s under the roof: intensity · bandwidth, at most the peak. A bound, not a speed.

    >>> attainable(64, 1e15, 4e12), attainable(400, 1e15, 4e12)
    (256000000000000.0, 1000000000000000.0)
    """
    moving = float(_positive("intensity", intensity)) * _positive("bytes_per_s", bytes_per_s)
    return min(moving, _positive("flop_per_s", flop_per_s))


def crossing_length(d: int, itemsize: int, ridge: float | Fraction) -> int | None:
    """The least n at which the plain way reaches the ridge; None: at no length.

    >>> crossing_length(128, 2, 250), crossing_length(128, 2, 60)
    (None, 1920)
    """
    r, limit = Fraction(_positive("ridge", ridge)), intensity_limit(d, itemsize)
    if r >= limit:
        return None
    n = r * d / (limit - r)  # n d / ((n + d) itemsize) = r
    return -(-n.numerator // n.denominator)


Rate = TypeVar("Rate", bound=float | Fraction)


def _positive(name: str, rate: Rate) -> Rate:
    if not 0 < rate < math.inf:
        raise ValueError(f"{name}: a number above 0, got {rate!r}")
    return rate
