"""Weights in closed form: no training and no random generator, so that anyone can reproduce every number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.attention import Array
from engine.config import Config


def read_only(a: Array) -> Array:
    """The same array, closed to writing."""
    a.setflags(write=False)
    return a


def wave(a: float, rows: int, columns: int, scale: float) -> Array:
    """(rows, columns) numbers scale · sin(a + 0.7i + 1.3j + 0.11ij), i and j from 0.

    >>> wave(1, 2, 2, 0.5).round(6).tolist()
    [[0.420735, 0.372853], [0.495832, 0.015794]]
    """
    i, j = np.arange(rows)[:, None], np.arange(columns)
    return read_only(scale * np.sin(a + 0.7 * i + 1.3 * j + 0.11 * i * j))


@dataclass(frozen=True, eq=False)
class LayerWeights:
    """One layer. q (d_model, n_heads · head_dim), k and v (d_model, n_kv_heads · head_dim), o back to d_model.

    w1 (d_model, d_ff) and w2 (d_ff, d_model) are the feed-forward part. All read-only.
    """

    q: Array
    k: Array
    v: Array
    o: Array
    w1: Array
    w2: Array

    @classmethod
    def of(cls, config: Config, layer: int) -> LayerWeights:
        """The weights of `layer`, counted from 0, with the adapter's change where it is this layer's."""
        d, q, kv = config.d_model, config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim
        v = wave(3 + layer, d, kv, 0.5)
        if config.adapter is not None and config.adapter[0] == layer:
            v = read_only(v + config.adapter[1] * np.outer(np.sin(1.0 + np.arange(d)), np.cos(1.0 + np.arange(kv))))
        return cls(
            q=wave(1 + layer, d, q, 0.5),
            k=wave(2 + layer, d, kv, 0.5),
            v=v,
            o=wave(4 + layer, q, d, 0.3),
            w1=wave(5 + layer, d, config.d_ff, 0.4),
            w2=wave(6 + layer, config.d_ff, d, 0.3),
        )


@dataclass(frozen=True, eq=False)
class Weights:
    """All of them: embedding (vocab_size, d_model), one LayerWeights a layer, unembedding (d_model, vocab_size)."""

    embedding: Array
    layers: tuple[LayerWeights, ...]
    unembedding: Array

    @classmethod
    def of(cls, config: Config) -> Weights:
        """The embedding is sin(0.9t + 0.4j + 0.1) for number j of token t."""
        t, j = np.arange(config.vocab_size)[:, None], np.arange(config.d_model)
        return cls(
            embedding=read_only(np.sin(0.9 * t + 0.4 * j + 0.1)),
            layers=tuple(LayerWeights.of(config, layer) for layer in range(config.n_layers)),
            unembedding=wave(9, config.d_model, config.vocab_size, 1.0),
        )


def norm(x: Array) -> Array:
    """x / √(mean(x²) + 1e-6) over the last axis: RMSNorm without a learned scale.

    >>> norm(np.array([3.0, 4.0])).round(6).tolist()
    [0.848528, 1.131371]
    """
    return np.asarray(x / np.sqrt(np.add.reduce(x * x, axis=-1, keepdims=True) / x.shape[-1] + 1e-6))
