"""The stages of one forward pass of the little decoder. Each holds all that a picture of it needs.

T new positions, n_old in the cache, T_total = n_old + T. All arrays are read-only; `layer` counts from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.attention import Array, Mask

Ints = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False)
class Embed:
    """The new tokens looked up: x (T, d_model). Positions do not enter here, only in the rotation."""

    tokens: Ints
    positions: Ints
    x: Array


@dataclass(frozen=True, eq=False)
class Norm:
    """h = norm(x), both (T, d_model)."""

    layer: int
    x: Array
    h: Array


@dataclass(frozen=True, eq=False)
class Query:
    """`plain` = h · Wq cut into heads, q the same after rotation: (n_heads, T, head_dim)."""

    layer: int
    h: Array
    plain: Array
    q: Array


@dataclass(frozen=True, eq=False)
class Key:
    """`plain` = h · Wk cut into heads, k the same after rotation: (n_kv_heads, T, head_dim)."""

    layer: int
    h: Array
    plain: Array
    k: Array


@dataclass(frozen=True, eq=False)
class Value:
    """v = h · Wv cut into heads: (n_kv_heads, T, head_dim). Values are not rotated."""

    layer: int
    h: Array
    v: Array


@dataclass(frozen=True, eq=False)
class Append:
    """The new k and v behind the n_old of the cache: k and v (n_kv_heads, T_total, head_dim)."""

    layer: int
    n_old: int
    k: Array
    v: Array


@dataclass(frozen=True, eq=False)
class Scores:
    """s = q kᵀ / √head_dim, −∞ where `visible` (T, T_total) is False: (n_heads, T, T_total)."""

    layer: int
    q: Array
    k: Array
    visible: Mask
    s: Array


@dataclass(frozen=True, eq=False)
class AttentionWeights:
    """p = softmax(s) over the keys: (n_heads, T, T_total)."""

    layer: int
    s: Array
    p: Array


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """o = p · v with each head's own KV head: (n_heads, T, head_dim)."""

    layer: int
    p: Array
    v: Array
    o: Array


@dataclass(frozen=True, eq=False)
class Output:
    """The heads side by side times Wo: `added` (T, d_model)."""

    layer: int
    o: Array
    added: Array


@dataclass(frozen=True, eq=False)
class Residual:
    """`after` = `before` + `added`, all (T, d_model)."""

    layer: int
    before: Array
    added: Array
    after: Array


@dataclass(frozen=True, eq=False)
class FeedForward:
    """`inner` = tanh(norm(before) · W1) (T, d_ff), `added` = inner · W2, `after` = before + added: the layer's end."""

    layer: int
    before: Array
    inner: Array
    added: Array
    after: Array


@dataclass(frozen=True, eq=False)
class Logits:
    """norm(x) · U: one number for each token of the vocabulary, (T, vocab_size)."""

    x: Array
    logits: Array


Stage = (
    Embed
    | Norm
    | Query
    | Key
    | Value
    | Append
    | Scores
    | AttentionWeights
    | WeightedSum
    | Output
    | Residual
    | FeedForward
    | Logits
)
