"""A cache rounded to few bits: what an error in K moves and what an error in V moves, in the little decoder.

The prompt is run and cached as it is. Then the cached K, the cached V, or both are rounded in every layer, and the
next token is run over them; its own new row is not rounded. Source: chapter 07, Q026, the question on quantising the
cache."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from engine.attention import Array
from engine.checked import checked_int
from engine.config import Config
from engine.decoder import Decoder
from engine.generation import CONFIG, prompt
from engine.kv_cache import KVCache
from engine.kv_formats import Format
from engine.stages import AttentionWeights, Logits, Scores, WeightedSum
from engine.weights import read_only

LENGTH = 12  # tokens of the prompt
SCALE_BYTES = 2  # of a scale as it is counted; here it is as exact as float64


class Part(Enum):
    """What of the cache is rounded."""

    NOTHING = "nothing"
    K = "k"
    V = "v"
    BOTH = "both"


def scaled(bits: int, group: int = CONFIG.head_dim) -> Format:
    """Whole numbers of `bits` bits; every `group` numbers of a vector share a scale. Unless given, a vector has one."""
    return Format(Fraction(bits, 8), group, SCALE_BYTES)


def rounded(x: npt.ArrayLike, f: Format) -> Array:
    """`x` as it is read back from whole numbers between −n and n = 2^(bits − 1) − 1 and their scales.

    Every f.group numbers of the last axis, the last of them perhaps fewer, share a scale: the largest |number| ÷ n.
    None: one scale for all of `x`. So nothing is cut off, 0 stays 0, and each number moves by half a scale at most.
    The scales themselves are not rounded. Raises ValueError for a format without a whole number of bits from 2 on.

    >>> xs = [7.0, -3.4, 0.4, 0.6]
    >>> rounded(xs, scaled(4)).tolist(), rounded(xs, scaled(4, 2)).round(3).tolist()
    ([7.0, -3.0, 0.0, 1.0], [7.0, -3.0, 0.429, 0.6])
    """
    bits = f.itemsize * 8
    if bits.denominator != 1 or bits < 2:
        raise ValueError(f"f: a whole number of bits, at least 2, got {bits}")
    a = np.asarray(x, dtype=np.float64)
    first = np.arange(0, a.shape[-1], f.group or a.shape[-1])  # of each group
    largest = np.maximum.reduceat(np.abs(a), first, axis=-1)  # (…, groups)
    if f.group is None:
        largest = np.full_like(largest, largest.max())
    scale = np.repeat(largest, np.diff([*first, a.shape[-1]]), axis=-1) / (2 ** (int(bits) - 1) - 1)
    return read_only(np.rint(a / np.where(scale > 0, scale, 1.0)) * scale)


def altered(cache: KVCache, part: Part, f: Format) -> KVCache:
    """A new cache with that part of every layer rounded."""
    k = [rounded(a, f) for a in cache.k] if part in (Part.K, Part.BOTH) else cache.k
    v = [rounded(a, f) for a in cache.v] if part in (Part.V, Part.BOTH) else cache.v
    return KVCache.of(cache.config, k, v)


@dataclass(frozen=True, eq=False)
class Look:
    """The new token in one head of one layer, all read-only: q (head_dim,); k and v (T, head_dim) as they are read,
    its own row last; scores s and weights p (T,); output o (head_dim,). And the logits (vocab_size,) of the whole
    pass."""

    q: Array
    k: Array
    v: Array
    s: Array
    p: Array
    o: Array
    logits: Array


@dataclass(frozen=True)
class Largest:
    """Largest |difference| of the scores, the weights and the output of the head, and of the logits. 0 is bit for
    bit."""

    scores: float
    weights: float
    output: float
    logits: float


@dataclass(frozen=True, eq=False)
class Effect:
    """The same token over the cache as it was, and over the rounded one."""

    exact: Look
    rounded: Look

    @property
    def largest(self) -> Largest:
        """How far each thing moves."""
        a, b = self.exact, self.rounded
        moved = (np.abs(y - x).max() for x, y in ((a.s, b.s), (a.p, b.p), (a.o, b.o), (a.logits, b.logits)))
        return Largest(*map(float, moved))

    @property
    def weights_moved(self) -> int:
        """How many of the T weights differ at all."""
        return int(np.count_nonzero(self.exact.p != self.rounded.p))


@lru_cache(maxsize=128)
def effect(
    part: Part, f: Format, *, layer: int = 0, head: int = 0, length: int = LENGTH, config: Config = CONFIG
) -> Effect:
    """Round `part` of the cache of `prompt(length)` and run the token that the decoder chooses next.

    In layer 0 the query has not met the cache yet, so there the scores move by q · ΔK / √head_dim, and the output,
    where V alone was rounded, by Σ p ΔV. Deeper layers get what the first has made of it. Raises ValueError that
    names the argument.

    >>> [effect(part, scaled(4)).largest.scores > 0 for part in (Part.K, Part.V)]
    [True, False]
    """
    if checked_int("layer", layer) >= config.n_layers:
        raise ValueError(f"layer: 0 … {config.n_layers - 1}, got {layer}")
    if checked_int("head", head) >= config.n_heads:
        raise ValueError(f"head: 0 … {config.n_heads - 1}, got {head}")
    decoder, cache, token = _cached(checked_int("length", length, 1), config)
    exact, changed = (_look(decoder, c, token, layer, head) for c in (cache, altered(cache, part, f)))
    return Effect(exact, changed)


@lru_cache(maxsize=8)
def _cached(length: int, config: Config) -> tuple[Decoder, KVCache, int]:
    """The prompt's cache, which is only read from here on, and the token that its last logits choose."""
    decoder, cache = Decoder(config), KVCache(config)
    run = decoder.forward(prompt(length), cache)
    return decoder, cache, int(np.argmax(run.logits[-1]))


def _look(decoder: Decoder, cache: KVCache, token: int, layer: int, head: int) -> Look:
    kv = decoder.config.kv_head[head]
    seen: dict[str, Array] = {}
    for stage in decoder.trace([token], cache):
        match stage:
            case Scores(layer=at, q=q, k=k, s=s) if at == layer:
                seen |= {"q": q[head, 0], "k": k[kv], "s": s[head, 0]}
            case AttentionWeights(layer=at, p=p) if at == layer:
                seen["p"] = p[head, 0]
            case WeightedSum(layer=at, v=v, o=o) if at == layer:
                seen |= {"v": v[kv], "o": o[head, 0]}
            case Logits(logits=logits):
                seen["logits"] = logits[0]
    return Look(**seen)
