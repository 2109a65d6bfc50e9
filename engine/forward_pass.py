"""One forward pass of the little decoder, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.attention import Array, softmax
from engine.config import Config
from engine.rotary import rotate
from engine.stages import (
    Append,
    AttentionWeights,
    Embed,
    FeedForward,
    Ints,
    Key,
    Logits,
    Norm,
    Output,
    Query,
    Residual,
    Scores,
    Stage,
    Value,
    WeightedSum,
)
from engine.weights import Weights, norm, read_only


def stages(
    config: Config, weights: Weights, tokens: Ints, positions: Ints, k_old: tuple[Array, ...], v_old: tuple[Array, ...]
) -> Iterator[Stage]:
    """Run it. Shapes: tokens and positions (T,), k_old and v_old one (n_kv_heads, n_old, head_dim) a layer.

    Arguments are taken as checked: `Decoder.trace` and `Decoder.forward` are the way in.
    """
    t, n_old, kv_head = len(tokens), k_old[0].shape[1], list(config.kv_head)
    visible = config.visible(n_old, t)  # (T, T_total)
    visible.setflags(write=False)

    def heads(flat: Array) -> Array:  # (T, heads · head_dim) → (heads, T, head_dim)
        return read_only(flat.reshape(t, -1, config.head_dim).swapaxes(0, 1))

    x = read_only(weights.embedding[tokens])  # (T, d_model)
    yield Embed(tokens, positions, x)
    for layer, w in enumerate(weights.layers):
        h = read_only(norm(x))
        yield Norm(layer, x, h)

        plain = heads(h @ w.q)
        q = read_only(rotate(plain, positions))
        yield Query(layer, h, plain, q)
        plain = heads(h @ w.k)
        k_new = read_only(rotate(plain, positions))
        yield Key(layer, h, plain, k_new)
        v_new = heads(h @ w.v)
        yield Value(layer, h, v_new)

        k = read_only(np.concatenate([k_old[layer], k_new], axis=1))
        v = read_only(np.concatenate([v_old[layer], v_new], axis=1))
        yield Append(layer, n_old, k, v)

        s = q @ k[kv_head].swapaxes(-1, -2) / np.sqrt(config.head_dim)
        s = read_only(np.where(visible, s, -np.inf))
        yield Scores(layer, q, k, visible, s)
        p = read_only(softmax(s))
        yield AttentionWeights(layer, s, p)
        o = read_only(p @ v[kv_head])
        yield WeightedSum(layer, p, v, o)

        added = read_only(o.swapaxes(0, 1).reshape(t, -1) @ w.o)
        yield Output(layer, o, added)
        between = read_only(x + added)
        yield Residual(layer, x, added, between)
        inner = read_only(np.tanh(norm(between) @ w.w1))
        added = read_only(inner @ w.w2)
        x = read_only(between + added)
        yield FeedForward(layer, between, inner, added, x)
    yield Logits(x, read_only(norm(x) @ weights.unembedding))
