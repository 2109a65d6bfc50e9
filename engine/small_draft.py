"""The little decoder as the target, its first layer alone as the draft: real p and q, and a real cache to roll back.

Probabilities are the softmax of the logits: e^(logit − maximum) as the float that NumPy gives, that float as the
fraction it is, and each over their exact sum. So they sum to 1 exactly, and differ from a float softmax by rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from engine.attention import Array
from engine.config import Config
from engine.decoder import Decoder
from engine.generation import CONFIG, prompt
from engine.kv_cache import KVCache
from engine.speculative import Distribution, certain, likeliest, pick

TARGET: Config = CONFIG
DRAFT: Config = replace(TARGET, n_layers=1)  # weights are a closed form of layer and place: the target's first layer


def probabilities(logits: Array) -> Distribution:
    """Softmax of (vocab_size,) logits, in fractions that sum to 1.

    >>> sum(probabilities(np.array([1.0, 2.0, 4.0])))
    Fraction(1, 1)
    """
    weights = [Fraction(float(e)) for e in np.exp(logits - logits.max())]
    total = sum(weights, Fraction(0))
    return tuple(w / total for w in weights)


@lru_cache(maxsize=64)
def drafted(
    n_tokens: int, k: int, draws: tuple[Fraction, ...] | None, *, greedy: bool = False
) -> tuple[tuple[Distribution, ...], tuple[Distribution, ...], tuple[int, ...]]:
    """p at k + 1 positions, q at k, and the k tokens the draft proposes behind `prompt(n_tokens)`.

    `draws` pick them from q; None: the likeliest each. The target runs once, over the newest token and the proposed
    ones, with all before in its cache. `greedy` makes p and q 1 for their likeliest token.
    """
    tokens = list(prompt(n_tokens))
    draft, q_rows, proposed = _Running(DRAFT), list[Distribution](), list[int]()
    logits = draft.run(tokens)[-1]
    for at in range(k):
        q = probabilities(logits)
        token = likeliest(q) if draws is None else pick(q, draws[at])
        q_rows.append(certain(q) if greedy else q)
        proposed.append(token)
        logits = draft.run([token])[-1]
    target = _Running(TARGET)
    if n_tokens > 1:
        target.run(tokens[:-1])
    p_rows = [probabilities(row) for row in target.run([tokens[-1], *proposed])]
    return tuple(certain(p) if greedy else p for p in p_rows), tuple(q_rows), tuple(proposed)


def logits_error(n_tokens: int, proposed: Sequence[int], entries: int, emitted: Sequence[int]) -> float:
    """Largest |difference| of the logits for the next token: over a cache of `entries` after the pass, and without one.

    The cache held all but the newest token, then the target ran that one and the `proposed`; the first `entries` stay.
    """
    tokens = list(prompt(n_tokens))
    cache, decoder = KVCache(TARGET), Decoder(TARGET)
    decoder.forward([*tokens, *proposed], cache)
    cache.truncate(entries)
    kept = decoder.forward(emitted[-1:], cache).logits[-1]
    fresh = decoder.forward([*tokens, *emitted]).logits[-1]
    return float(np.abs(kept - fresh).max())


class _Running:
    """A decoder with its cache."""

    def __init__(self, config: Config) -> None:
        self._decoder, self._cache = Decoder(config), KVCache(config)

    def run(self, tokens: Sequence[int]) -> Array:
        """Logits behind each of the tokens."""
        return self._decoder.forward(tokens, self._cache).logits
