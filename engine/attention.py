"""Attention as one formula: what every other way in this package must agree with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating[Any]]
Mask = npt.NDArray[np.bool_]


def checked_scores(s: npt.ArrayLike, name: str = "s") -> Array:
    """`s` as a floating array; −∞ (masked) may stand in it, NaN and +∞ may not.

    Raises ValueError that names the argument.
    """
    scores = np.asarray(s)
    if scores.dtype.kind != "f":
        scores = scores.astype(np.float64)
    if not (np.maximum.reduce(scores, axis=None, initial=-np.inf) < np.inf):  # NaN, where there is one, is the maximum
        raise ValueError(f"{name}: every score must be a finite number or −∞ (masked); NaN and +∞ are refused")
    return scores


def softmax(s: npt.ArrayLike, axis: int = -1) -> Array:
    """exp(s − max s) / Σ exp(s − max s) along `axis`; a slice that is −∞ throughout gives zeros.

    Raises ValueError where `s` holds NaN or +∞.

    >>> softmax([0.0, 2.0, 1.0]).round(6).tolist()
    [0.090031, 0.665241, 0.244728]
    >>> softmax([-np.inf, -np.inf]).tolist()
    [0.0, 0.0]
    """
    scores = checked_scores(s)
    m = np.maximum.reduce(scores, axis=axis, keepdims=True, initial=-np.inf)
    m = np.where(m == -np.inf, scores.dtype.type(0), m)  # −∞ − (−∞) would be NaN
    with np.errstate(over="ignore"):  # −1e308 − 1e308 is −∞, and weighs 0 either way
        p: Array = np.exp(scores - m, out=np.zeros_like(scores), where=scores > -np.inf)  # a masked one is not computed
    total = np.add.reduce(p, axis=axis, keepdims=True)
    return np.asarray(p / np.where(total > 0, total, scores.dtype.type(1)))  # where the total is 0, so is every p


def attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    scale: float | None = None,
) -> Array:
    """softmax(q kᵀ · scale) v, with `scale` 1/√d unless given.

    Shapes: q (…, T_q, d), k (…, T_k, d), v (…, T_k, d_v) → (…, T_q, d_v); `mask` is boolean, True = may see,
    and broadcasts to (…, T_q, T_k). A query that sees nothing gets 0, as in PyTorch's
    scaled_dot_product_attention. What a mask hides is selected away: it may even be NaN.

    Raises ValueError for shapes that do not fit, a mask that is not boolean, or a visible number that is not finite.

    >>> attention([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]], mask=[[True, False]]).tolist()
    [[1.0, 2.0]]
    """
    q, k, v = (_floating(name, a) for name, a in (("q", q), ("k", k), ("v", v)))
    d = q.shape[-1]
    if d == 0 or k.shape[-1] != d:
        raise ValueError(f"k: {k.shape[-1]} numbers a key, q has {d}; they must be equal and at least 1")
    if v.shape[-2] != k.shape[-2]:
        raise ValueError(f"v: {v.shape[-2]} rows, k has {k.shape[-2]}; every key needs its value")
    shape = (*_batch(q, k, v), q.shape[-2], k.shape[-2])  # of the scores: (…, T_q, T_k)
    visible = np.ones(shape, np.bool_) if mask is None else _visible(mask, shape)
    seen = visible.any(axis=-2)  # (…, T_k), by some query
    asking = visible.any(axis=-1)  # (…, T_q), some key
    for name, array, used in (("q", q, asking), ("k", k, seen), ("v", v, seen)):
        if (used & ~np.isfinite(array).all(axis=-1)).any():
            raise ValueError(f"{name}: every number that is not hidden by the mask must be finite")
    q, k, v = (np.where(np.isfinite(array), array, array.dtype.type(0)) for array in (q, k, v))
    with np.errstate(over="ignore", invalid="ignore"):
        s = (q @ np.swapaxes(k, -1, -2)) * q.dtype.type(1.0 / np.sqrt(d) if scale is None else scale)
    if not np.isfinite(np.broadcast_to(s, shape)[visible]).all():
        raise ValueError("q, k: their products must be finite; these overflow")
    return np.asarray(softmax(np.where(visible, s, s.dtype.type(-np.inf))) @ v)


def _floating(name: str, a: npt.ArrayLike) -> Array:
    array = np.asarray(a)
    if array.ndim < 2:
        raise ValueError(f"{name}: needs at least two axes (positions, numbers a position), got shape {array.shape}")
    return array if np.issubdtype(array.dtype, np.floating) else array.astype(np.float64)


def _batch(q: Array, k: Array, v: Array) -> tuple[int, ...]:
    shape = q.shape[:-2]
    for name, array in (("k", k), ("v", v)):
        try:
            shape = np.broadcast_shapes(shape, array.shape[:-2])
        except ValueError:
            raise ValueError(f"{name}: its axes before the last two must fit {shape}, got {array.shape[:-2]}") from None
    return shape


def _visible(mask: npt.ArrayLike, shape: tuple[int, ...]) -> Mask:
    visible = np.asarray(mask)
    if visible.dtype != np.bool_:
        raise ValueError(f"mask: must be boolean, True = may see, got {visible.dtype}")
    try:
        return np.broadcast_to(visible, shape)
    except ValueError:
        raise ValueError(f"mask: must fit (…, queries, keys) = {shape}, got shape {visible.shape}") from None


def causal_mask(t_q: int, t_k: int) -> Mask:
    """(t_q, t_k) booleans: query i sees key j where j ≤ i + t_k − t_q.

    Aligned bottom-right: the last query sees every key, as in a decode step over a cache. (PyTorch's
    `is_causal=True` aligns top-left, which differs as soon as t_q ≠ t_k.)

    >>> causal_mask(2, 4).astype(int).tolist()
    [[1, 1, 1, 0], [1, 1, 1, 1]]
    """
    if t_q < 0 or t_k < 0:
        raise ValueError(f"t_q, t_k: counts of positions must not be negative, got {t_q} and {t_k}")
    return np.tri(t_q, t_k, k=t_k - t_q, dtype=np.bool_)


def score_table_bytes(t_q: int, t_k: int, *, itemsize: int) -> int:
    """Bytes of the full table of scores of one head: t_q × t_k numbers of `itemsize` bytes. Raises ValueError below 0.

    >>> score_table_bytes(32_768, 32_768, itemsize=2) == 2 * 2**30
    True
    """
    if min(t_q, t_k, itemsize) < 0:
        raise ValueError(f"t_q, t_k, itemsize: must not be negative, got {t_q}, {t_k}, {itemsize}")
    return t_q * t_k * itemsize


def exp_limit(dtype: npt.DTypeLike) -> float:
    """ln of the largest finite number of `dtype`: exp overflows above it, but for rounding in the last place.

    >>> round(exp_limit(np.float16), 4), round(exp_limit(np.float32), 4), round(exp_limit(np.float64), 4)
    (11.0899, 88.7228, 709.7827)
    """
    return float(np.log(np.float64(np.finfo(dtype).max)))
