"""A prompt is edited: which cached keys and values still hold, and what a wrong choice costs. Chapter 07, Q025."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from engine.attention import Array
from engine.checked import checked_int
from engine.config import Config
from engine.decoder import Decoder, Run
from engine.kv_cache import KVCache
from engine.weights import read_only

THREE_LAYERS = Config(n_layers=3)


@dataclass(frozen=True, eq=False)
class Changes:
    """Largest |difference| of the keys and of the values, over heads and numbers: k and v (n_layers, T), read-only."""

    k: Array
    v: Array


def changes(before: Run | KVCache, after: Run | KVCache) -> Changes:
    """Compare position by position; where one is longer, the first T that both have. 0 means bit for bit the same.

    Keys are compared as they are stored, after rotation. Raises ValueError for models of other sizes.

    >>> from engine.decoder import Config, Decoder
    >>> little = Decoder(Config())
    >>> (changes(little.forward([1, 2, 3]), little.forward([1, 4, 3])).k > 0).astype(int).tolist()
    [[0, 1, 0], [0, 1, 1]]
    """
    sizes = [[(a.shape[0], a.shape[2]) for a in run.k] for run in (before, after)]
    if sizes[0] != sizes[1]:
        raise ValueError(f"after: one layer each of (KV heads, head_dim) {sizes[1]}, before has {sizes[0]}")
    t = min(before.k[0].shape[1], after.k[0].shape[1])

    def largest(a: tuple[Array, ...], b: tuple[Array, ...]) -> Array:  # (n_layers, T)
        differences = [np.abs(x[:, :t] - y[:, :t]) for x, y in zip(a, b, strict=True)]
        return read_only(np.stack([layer.max(axis=(0, 2)) for layer in differences]))

    return Changes(largest(before.k, after.k), largest(before.v, after.v))


def one_position(cache: KVCache, other: KVCache, position: int) -> KVCache:
    """A new cache: `cache`, but with `other`'s keys and values at `position`, in every layer."""
    if checked_int("position", position) >= min(cache.length, other.length):
        raise ValueError(f"position: 0 … {min(cache.length, other.length) - 1} are in both caches, got {position}")

    def swap(a: Array, b: Array) -> Array:
        return np.concatenate([a[:, :position], b[:, position : position + 1], a[:, position + 1 :]], axis=1)

    return KVCache.of(
        cache.config,
        [swap(a, b) for a, b in zip(cache.k, other.k, strict=True)],
        [swap(a, b) for a, b in zip(cache.v, other.v, strict=True)],
    )


def one_layer(cache: KVCache, layer: int) -> KVCache:
    """A new cache in which every layer holds `layer`'s keys and values: wrong, for each layer has its own."""
    if checked_int("layer", layer) >= cache.config.n_layers:
        raise ValueError(f"layer: 0 … {cache.config.n_layers - 1}, got {layer}")
    n = cache.config.n_layers
    return KVCache.of(cache.config, [cache.k[layer]] * n, [cache.v[layer]] * n)


class Reuse(Enum):
    """What is kept of the old prompt's cache once one token was replaced. Right in a causal model: the first two."""

    BEFORE_EDIT = "before_edit"
    NOTHING = "nothing"
    EVERYTHING = "everything"
    ALL_BUT_EDITED = "all_but_edited"  # the edited position is replaced in all layers, later ones stay
    THROUGH_EDIT = "through_edit"  # off by one: recomputed from the position after the edit


@dataclass(frozen=True)
class Edit:
    """`tokens`, cached; then the one at `position` (0-based) becomes `token`, and `query` is asked behind them all.

    Raises ValueError that names the argument.
    """

    tokens: tuple[int, ...]
    position: int
    token: int
    query: int
    config: Config = THREE_LAYERS

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", tuple(self.tokens))
        if checked_int("position", self.position) >= len(self.tokens):
            raise ValueError(f"position: 0 … {len(self.tokens) - 1}, got {self.position}")
        for name, token in (*(("tokens", t) for t in self.tokens), ("token", self.token), ("query", self.query)):
            if checked_int(name, token) >= self.config.vocab_size:
                raise ValueError(f"{name}: each 0 … {self.config.vocab_size - 1}, got {token}")

    @property
    def edited(self) -> tuple[int, ...]:
        """The prompt after the edit."""
        return (*self.tokens[: self.position], self.token, *self.tokens[self.position + 1 :])


def cache_after(edit: Edit, reuse: Reuse) -> KVCache:
    """The cache of the edited prompt, as `reuse` makes it."""
    decoder, cache = Decoder(edit.config), KVCache(edit.config)
    if reuse is Reuse.NOTHING:
        decoder.forward(edit.edited, cache)
        return cache
    decoder.forward(edit.tokens, cache)
    match reuse:
        case Reuse.EVERYTHING:
            return cache
        case Reuse.ALL_BUT_EDITED:
            return one_position(cache, cache_after(edit, Reuse.NOTHING), edit.position)
        case _:
            keep = edit.position + (reuse is Reuse.THROUGH_EDIT)
            cache.truncate(keep)
            if keep < len(edit.tokens):
                decoder.forward(edit.edited[keep:], cache)
            return cache


def answer(edit: Edit, reuse: Reuse) -> Run:
    """The query's run over that cache; `logits` (1, vocab_size)."""
    return Decoder(edit.config).forward([edit.query], cache_after(edit, reuse))


def error(edit: Edit, reuse: Reuse) -> float:
    """Largest |logit difference| from the run that reuses nothing. Small is not right: see ALL_BUT_EDITED.

    >>> edit = Edit(tuple((7 * i + 3) % 11 for i in range(128)), position=100, token=0, query=5)
    >>> round(error(edit, Reuse.EVERYTHING), 7), round(error(edit, Reuse.ALL_BUT_EDITED), 6)
    (0.0241428, 0.000821)
    """
    return float(np.abs(answer(edit, reuse).logits - answer(edit, Reuse.NOTHING).logits).max())
