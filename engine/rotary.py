"""Rotary position embedding (RoPE), half-split layout: number i of a head is paired with number i + head_dim/2."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.attention import Array

BASE = 10_000.0


@lru_cache(maxsize=256)
def _turns(shape: tuple[int, ...], positions: bytes, half: int, base: float) -> tuple[Array, Array]:
    """What a number and its partner are multiplied by: (T, 2 · half) or (2 · half,). A pass asks for the same in each
    layer."""
    where = np.frombuffer(positions, np.int64).reshape(shape)
    theta = where[..., None] * base ** (-np.arange(half) / half)
    cos, sin = np.cos(theta), np.sin(theta)
    return np.concatenate([cos, cos], axis=-1), np.concatenate([-sin, sin], axis=-1)


def rotate(x: npt.ArrayLike, positions: npt.ArrayLike, base: float = BASE) -> Array:
    """Turn pair i of each row by the angle position · base^(−2i/head_dim), in radians.

    Shapes: x (…, T, head_dim), positions (T,) or one number for all → (…, T, head_dim). Turns add up: turning by
    −position undoes, and turning a stored key by −n moves it n positions down. Source: Su et al. 2021; this layout
    is GPT-NeoX's and Hugging Face's `rotate_half`. Raises ValueError that names the argument.

    >>> rotate([[1.0, 0.0]], [1]).round(6).tolist()
    [[0.540302, 0.841471]]
    >>> rotate(rotate([[1.0, 2.0, 3.0, 4.0]], 19), -4).round(6).tolist() == rotate([[1, 2, 3, 4]], 15).round(6).tolist()
    True
    """
    array = np.asarray(x, dtype=np.float64)
    if array.ndim < 2 or array.shape[-1] % 2 or array.shape[-1] == 0:
        raise ValueError(f"x: (…, T, head_dim) with an even head_dim, got shape {array.shape}")
    where: npt.NDArray[Any] = np.asarray(positions)
    if where.dtype.kind not in "iu" or where.shape not in ((), array.shape[-2:-1]):
        raise ValueError(f"positions: {array.shape[-2]} whole numbers, one a row, or one for all, got {positions!r}")
    half = array.shape[-1] // 2
    cos, sin = _turns(where.shape, where.astype(np.int64).tobytes(), half, base)
    partner = np.concatenate([array[..., half:], array[..., :half]], axis=-1)  # of each number, in the same pair
    return np.asarray(array * cos + partner * sin)
