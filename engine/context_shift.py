"""Caches that forget their oldest positions: a context shift, and a sliding window's rolling buffer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

import numpy as np

from engine.attention import Array
from engine.checked import checked_int
from engine.config import Config
from engine.decoder import Decoder, Run
from engine.kv_cache import KVCache
from engine.rotary import rotate
from engine.weights import read_only


class Shift(Enum):
    """Ways to go on without the first `drop` of n tokens.

    The first two are the same computation, for rotary scores depend on distances alone. Neither is FRESH: in every
    layer but the first, the values that stay were computed while the dropped tokens were still there.
    """

    KEEP_POSITIONS = "keep_positions"  # keys as stored, the query at n − 1
    TURN_KEYS = "turn_keys"  # keys turned back by `drop`, the query at n − 1 − drop
    STALE_KEYS = "stale_keys"  # keys as stored, yet the query at n − 1 − drop: distances are wrong
    FRESH = "fresh"  # all remaining tokens computed anew at 0 … n − 1 − drop


def turned(cache: KVCache, by: int) -> KVCache:
    """A new cache whose keys stand `by` positions further on (back where negative); values are as they were."""
    return KVCache.of(cache.config, [rotate(k, by) for k in cache.k], cache.v)


def after_shift(config: Config, tokens: Sequence[int], drop: int, shift: Shift) -> Run:
    """Cache all tokens but the newest, drop the first `drop`, run the newest; `logits` (1, vocab_size).

    FRESH runs all that remain at once, without a cache: its `logits` are (n − drop, vocab_size).
    Raises ValueError that names the argument.
    """
    last = len(tokens) - 1
    if checked_int("drop", drop) > last:
        raise ValueError(f"drop: the newest of {len(tokens)} tokens has to stay, got {drop}")
    decoder, cache = Decoder(config), KVCache(config)
    if shift is Shift.FRESH:
        return decoder.forward(tokens[drop:])
    decoder.forward(tokens[:last], cache)
    cache.keep_last(last - drop)
    match shift:
        case Shift.KEEP_POSITIONS:
            return decoder.forward(tokens[last:], cache, [last])
        case Shift.TURN_KEYS:
            return decoder.forward(tokens[last:], turned(cache, -drop), [last - drop])
        case _:
            return decoder.forward(tokens[last:], cache, [last - drop])


def rolling_buffer(config: Config, tokens: Sequence[int], keep: int) -> Array:
    """Logits (T, vocab_size) of one pass a token over a buffer of the newest `keep` positions, and no mask at all.

    A window of W counts the query itself, so that keep = W − 1 past positions give what the mask gives. `config.window`
    is not used.
    """
    checked_int("keep", keep)
    decoder = Decoder(replace(config, window=None))
    cache = KVCache(config)
    rows: list[Array] = []
    for position, token in enumerate(tokens):
        rows.append(decoder.forward([token], cache, [position]).logits)
        cache.keep_last(min(keep, cache.length))
    return read_only(np.concatenate(rows)) if rows else np.zeros((0, config.vocab_size))
