"""Greedy generation by the little decoder with a KV cache and without, pass by pass.

One pass over a prompt, whose last logits give the first new token, then one pass for each further token. Work is of one
head of one layer, as in engine.counts. Source: chapter 07, Q026; the first two builds of doc 001.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.attention import Array
from engine.config import Config
from engine.counts import Work, prefill
from engine.decoder import Decoder
from engine.kv_cache import KVCache, kv_bytes
from engine.weights import Weights

CONFIG = Config()
ITEMSIZE = 8  # bytes a number in the little decoder: float64
MOST_RUN = 100  # positions up to which the little decoder really runs; longer ones are counted pass by pass without it


@dataclass(frozen=True)
class Pass:
    """One forward pass. Positions first … first + rows − 1 are its queries; `n_old` positions are read from the cache.

    `held` and `read` are bytes of K and V, of all layers: in the cache afterwards, and read back from it. `token` is
    the one chosen from the last logits, None where the decoder did not run.
    """

    first: int
    rows: int
    n_old: int
    work: Work
    token: int | None = None
    held: int = 0
    read: int = 0


@dataclass(frozen=True)
class Generation:
    """The passes without a cache, those with one, and the largest |difference| of their last logits, pass by pass.

    `cached` has one pass more: the last new token is run as well. `errors` is empty where the decoder did not run.
    """

    plain: tuple[Pass, ...]
    cached: tuple[Pass, ...]
    errors: tuple[float, ...]


def prompt(n: int) -> tuple[int, ...]:
    """Tokens (5i + 3) mod 11 for i = 0 … n − 1, after which the little decoder's choices vary.

    >>> prompt(3)
    (3, 8, 2)
    """
    return tuple((5 * i + 3) % CONFIG.vocab_size for i in range(n))


def generate(n_prompt: int, n_new: int, *, append: bool = True) -> Generation:
    """`n_new` tokens after `prompt(n_prompt)`, by both. Without `append` each decode pass reads the cache and leaves
    it as it is. Arguments are taken as checked.

    >>> [run.token for run in generate(3, 4).plain], [run.work.rows for run in generate(3, 4).plain]
    ([8, 4, 10, 8], [3, 4, 5, 6])
    >>> [run.token for run in generate(3, 4, append=False).cached][:4]
    [8, 4, 6, 10]
    """
    if n_prompt + n_new - 1 > MOST_RUN:
        return Generation(_count_plain(n_prompt, n_new), _count_cached(n_prompt, n_new, append), ())
    plain, logits = _run_plain(n_prompt, n_new)
    cached, logits_cached = _run_cached(n_prompt, n_new, append)
    errors = tuple(float(np.abs(a - b).max()) for a, b in zip(logits, logits_cached, strict=False))
    return Generation(plain, cached, errors)


def bytes_of(n: int) -> int:
    """Bytes of K and V of n positions in all layers of the little decoder.

    >>> bytes_of(1)
    256
    """
    c = CONFIG
    return kv_bytes(
        n_layers=c.n_layers, batch=1, seq_len=n, n_kv_heads=c.n_kv_heads, head_dim=c.head_dim, itemsize=ITEMSIZE
    )


def multiplications(config: Config) -> tuple[int, int]:
    """Multiplications of one layer, all heads: for a row, which meets every weight once, and for a pair (q · k and p
    · v).

    >>> multiplications(Config())
    (640, 32)
    """
    layer = Weights.of(config).layers[0]
    row = sum(w.size for w in (layer.q, layer.k, layer.v, layer.o, layer.w1, layer.w2))
    return row, 2 * config.n_heads * config.head_dim


@lru_cache(maxsize=32)
def _run_plain(n_prompt: int, n_new: int) -> tuple[tuple[Pass, ...], tuple[Array, ...]]:
    """Each new token from a pass over everything before it."""
    decoder, tokens = Decoder(CONFIG), list(prompt(n_prompt))
    passes, logits = [], []
    for _ in range(n_new):
        run = decoder.forward(tokens)
        logits.append(run.logits[-1])
        token = int(np.argmax(run.logits[-1]))
        passes.append(Pass(0, len(tokens), 0, run.work, token))
        tokens.append(token)
    return tuple(passes), tuple(logits)


@lru_cache(maxsize=32)
def _run_cached(n_prompt: int, n_new: int, append: bool) -> tuple[tuple[Pass, ...], tuple[Array, ...]]:
    """The prompt in one pass, then each token alone, the last new one too; without `append` into a copy of the
    cache."""
    decoder, cache, tokens = Decoder(CONFIG), KVCache(CONFIG), list(prompt(n_prompt))
    passes, logits = [], []
    for i in range(n_new + 1):
        new = tokens if i == 0 else tokens[-1:]
        n_old, read = cache.length, cache.n_bytes
        run = decoder.forward(new, cache if append or i == 0 else cache.fork())
        logits.append(run.logits[-1])
        token = int(np.argmax(run.logits[-1]))
        passes.append(Pass(len(tokens) - len(new), len(new), n_old, run.work, token, cache.n_bytes, read))
        tokens.append(token)
    return tuple(passes), tuple(logits)


def _count_plain(n_prompt: int, n_new: int) -> tuple[Pass, ...]:
    return tuple(Pass(0, n, 0, prefill(n)) for n in range(n_prompt, n_prompt + n_new))


def _count_cached(n_prompt: int, n_new: int, append: bool) -> tuple[Pass, ...]:
    passes = [Pass(0, n_prompt, 0, prefill(n_prompt), held=bytes_of(n_prompt))]
    for at in range(n_prompt, n_prompt + n_new):
        n_old = at if append else n_prompt
        held = n_old + 1 if append else n_old
        passes.append(Pass(at, 1, n_old, Work(1, n_old + 1), held=bytes_of(held), read=bytes_of(n_old)))
    return tuple(passes)
