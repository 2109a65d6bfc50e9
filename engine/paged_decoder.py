"""The little decoder over a pool of blocks: K and V of every slot, written and found through block tables.

Source: chapter 07, Q028. What lies in a slot is what was written there, whoever wrote it: a wrong table or a missing
copy shows in the attention output."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from engine.attention import Array
from engine.decoder import Config, Decoder, Run
from engine.kv_cache import KVCache
from engine.paged import Copy, slot
from engine.paged_attention import copied, gather, written
from engine.stages import Logits, WeightedSum


@lru_cache(maxsize=32)
def decoder(model: Config) -> Decoder:
    """The little decoder of that config."""
    return Decoder(model)


@lru_cache(maxsize=256)
def alone(model: Config, tokens: tuple[int, ...]) -> tuple[Array, Array]:
    """`newest` with nothing cached."""
    return newest(model, tokens, None)


@lru_cache(maxsize=256)
def all_logits(model: Config, tokens: tuple[int, ...]) -> Array:
    """The logits of every token with nothing cached: (T, vocab_size)."""
    return decoder(model).forward(tokens).logits


@lru_cache(maxsize=256)
def greedy(model: Config, prompt: tuple[int, ...], n: int) -> tuple[int, ...]:
    """The `n` tokens that follow a prompt, each the likeliest after all before it.

    >>> greedy(Config(), (3, 8, 2), 4)  # as in engine.generation
    (8, 4, 10, 8)
    """
    cache, new = KVCache(model), prompt
    for _ in range(n):
        logits = decoder(model).forward(new[cache.length :], cache).logits
        new += (int(logits[-1].argmax()),)
    return new[len(prompt) :]


def newest(model: Config, tokens: tuple[int, ...], cache: KVCache | None) -> tuple[Array, Array]:
    """For the newest token: query head 0's attention output in the last layer (head_dim,), and the logits."""
    found: list[Array] = []
    for stage in decoder(model).trace(tokens, cache):
        match stage:
            case WeightedSum(o=o):
                found = [o[0, -1]]
            case Logits(logits=logits):
                found.append(logits[-1])
    output, last = found
    return output, last


@dataclass(frozen=True, eq=False)
class Storage:
    """K and V of every slot of the pool: (n_layers, n_kv_heads, n_slots, head_dim) each."""

    k: Array
    v: Array
    block_size: int

    @classmethod
    def empty(cls, model: Config, n_blocks: int, block_size: int) -> Storage:
        """Nothing written yet."""
        zeros = np.zeros((model.n_layers, model.n_kv_heads, n_blocks * block_size, model.head_dim))
        return cls(zeros, zeros, block_size)

    def cache(self, model: Config, blocks: tuple[int, ...], n: int) -> KVCache:
        """What a request finds at its first n positions."""
        k, v = (gather(a, blocks, n, self.block_size) for a in (self.k, self.v))
        return KVCache.of(model, list(k), list(v))

    def run(self, model: Config, tokens: tuple[int, ...], blocks: tuple[int, ...], start: int) -> tuple[Storage, Run]:
        """Run `tokens` at positions `start`, … over what the table finds before them: K and V stored, and the run."""
        run = decoder(model).forward(tokens, self.cache(model, blocks, start))
        k, v = (np.stack(a)[:, :, start:] for a in (run.k, run.v))
        return self.put(k, v, blocks, start), run

    def fill(self, model: Config, tokens: tuple[int, ...], blocks: tuple[int, ...], start: int) -> Storage:
        """The same, for what is stored alone."""
        return self.run(model, tokens, blocks, start)[0]

    def put(self, k: Array, v: Array, blocks: tuple[int, ...], start: int = 0) -> Storage:
        """Store K and V, (n_layers, n_kv_heads, T, head_dim) each, at positions `start`, …"""
        slots = [slot(start + i, blocks, self.block_size) for i in range(k.shape[-2])]
        return replace(self, k=written(self.k, slots, k), v=written(self.v, slots, v))

    def copy(self, asked: Copy) -> Storage:
        """Do what copy-on-write asks for."""
        k, v = (copied(a, asked, self.block_size) for a in (self.k, self.v))
        return replace(self, k=k, v=v)
