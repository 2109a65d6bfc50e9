"""A stack of layers for the clock, in terms of `Arrays`: each x += attention(x) W_o, then x += tanh(x W_1) W_2.

No embedding, norm or logits: they are one row a step with a cache and without.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.attention import Array
from engine.measuring.arrays import Arrays, Tensor, accumulator


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights: q, k, v, o (d_model, d_model), up (d_model, d_ff), down (d_ff, d_model)."""

    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor
    up: Tensor
    down: Tensor


@dataclass(frozen=True, eq=False)
class Stack:
    """`k` and `v` hold (heads, most positions, head_dim) a layer; `mask` (most, most) is 0, and −∞ above the
    diagonal."""

    dtype: str
    layers: tuple[Layer, ...]
    k: tuple[Tensor, ...]
    v: tuple[Tensor, ...]
    mask: Tensor

    @property
    def heads(self) -> int:
        return int(self.k[0].shape[0])


def forward(b: Arrays, stack: Stack, x: Tensor, start: int) -> Tensor:
    """Positions start … start + T − 1, x (T, d_model), seeing themselves and what lies in k and v before `start`."""
    t, d_model = x.shape
    end, heads = start + t, stack.heads
    head_dim = d_model // heads
    x = _copied(b, x, stack.dtype)
    for layer, keys, values in zip(stack.layers, stack.k, stack.v, strict=True):
        q, k, v = (_product(b, x, w, stack.dtype).reshape(t, heads, head_dim) for w in (layer.q, layer.k, layer.v))
        keys[:, start:end] = k.swapaxes(0, 1)
        values[:, start:end] = v.swapaxes(0, 1)
        a = b.empty((heads, t, head_dim), stack.dtype)
        s = b.empty((heads, t, end), stack.dtype)
        m, l = b.empty((heads, t, 1), stack.dtype), b.empty((heads, t, 1), accumulator(stack.dtype))
        b.multiply(q, 1 / math.sqrt(head_dim), q)
        b.matmul(q.swapaxes(0, 1), keys[:, :end].swapaxes(1, 2), s)
        if t > 1:  # a single row sees all there is
            b.add(s, stack.mask[start:end, :end], s)
        b.row_max(s, m)
        b.subtract(s, m, s)
        b.exp(s, s)
        b.row_sum(s, l)
        b.matmul(s, values[:, :end], a)
        b.divide(a, l, a)
        b.add(x, _product(b, a.swapaxes(0, 1).reshape(t, d_model), layer.o, stack.dtype), x)
        hidden = _product(b, x, layer.up, stack.dtype)
        b.tanh(hidden, hidden)
        b.add(x, _product(b, hidden, layer.down, stack.dtype), x)
    return x


def decode(b: Arrays, stack: Stack, rows: Tensor, out: Tensor, *, cached: bool) -> None:
    """One pass for each of the n rows (n, d_model): over the new row alone, or over all rows so far. out (n,
    d_model)."""
    for t in range(rows.shape[0]):
        start = t if cached else 0
        out[t] = forward(b, stack, rows[start : t + 1], start)[-1]


def _product(b: Arrays, a: Tensor, w: Tensor, dtype: str) -> Tensor:
    out = b.empty((a.shape[0], w.shape[1]), dtype)
    b.matmul(a, w, out)
    return out


def _copied(b: Arrays, x: Tensor, dtype: str) -> Tensor:
    out = b.empty(tuple(x.shape), dtype)
    b.copy(x, out)
    return out


def causal(n: int) -> Array:
    """The mask of a `Stack`, to be uploaded."""
    return np.where(np.tri(n, dtype=bool), 0.0, -np.inf)


def decode_issued(n: int, n_layers: int, *, cached: bool) -> int:
    """Of `decode`; the mask is added to every pass of more than one row."""
    masked = 0 if cached else n - 1
    return n * (1 + 17 * n_layers) + masked * n_layers
