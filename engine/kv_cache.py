"""The KV cache: the keys (after rotation) and values of all positions so far, one pair of arrays a layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.attention import Array
from engine.checked import checked_int
from engine.config import Config
from engine.weights import read_only


class KVCache:
    """Empty at first; `Decoder.forward` appends. `k` and `v` hold a read-only (n_kv_heads, length, head_dim) a layer.

    Nothing is written in place: what a caller has taken out stays as it was, and forks cannot see each other.

    >>> cache = KVCache(Config())
    >>> cache.append(np.ones((2, 2, 3, 4)), np.ones((2, 2, 3, 4)))
    >>> branch = cache.fork()
    >>> branch.truncate(1)
    >>> cache.length, branch.length
    (3, 1)
    """

    def __init__(self, config: Config) -> None:
        empty = read_only(np.zeros((config.n_kv_heads, 0, config.head_dim)))
        self.config = config
        self._k: tuple[Array, ...] = (empty,) * config.n_layers
        self._v: tuple[Array, ...] = (empty,) * config.n_layers

    @classmethod
    def of(cls, config: Config, k: Sequence[npt.ArrayLike], v: Sequence[npt.ArrayLike]) -> KVCache:
        """A cache that holds `k` and `v`, one (n_kv_heads, T, head_dim) a layer, whoever computed them."""
        cache = cls(config)
        cache.append(k, v)
        return cache

    @property
    def k(self) -> tuple[Array, ...]:
        """Keys, one array a layer."""
        return self._k

    @property
    def v(self) -> tuple[Array, ...]:
        """Values, one array a layer."""
        return self._v

    @property
    def length(self) -> int:
        """Positions held."""
        return int(self._k[0].shape[1])

    @property
    def n_bytes(self) -> int:
        """Bytes of the numbers held, counted and not computed (the little model's numbers have 8 bytes)."""
        return sum(a.nbytes for a in (*self._k, *self._v))

    def append(self, k: Sequence[npt.ArrayLike], v: Sequence[npt.ArrayLike]) -> None:
        """Add T positions to every layer at once; k and v one (n_kv_heads, T, head_dim) a layer.

        Raises ValueError that names the argument, and then nothing has changed.
        """
        c = self.config
        new: dict[str, list[Array]] = {}
        for name, layers in (("k", k), ("v", v)):
            new[name] = [np.asarray(a, dtype=np.float64) for a in layers]
            t = new["k"][0].shape[1:2] if new["k"] else ()
            if [a.shape for a in new[name]] != [(c.n_kv_heads, *t, c.head_dim)] * c.n_layers:
                shape = f"({c.n_kv_heads}, T, {c.head_dim})"
                raise ValueError(
                    f"{name}: {c.n_layers} arrays {shape} with one T, got shapes {[a.shape for a in new[name]]}"
                )
            if not all(np.isfinite(a).all() for a in new[name]):
                raise ValueError(f"{name}: every number must be finite")
        join = [
            tuple(read_only(np.concatenate([old, a], axis=1)) for old, a in zip(held, new[name], strict=True))
            for name, held in (("k", self._k), ("v", self._v))
        ]
        self._k, self._v = join

    def truncate(self, n: int) -> None:
        """Keep the first n positions, 0 ≤ n ≤ length, and forget the rest (rejected drafts, an edited prompt)."""
        self._k, self._v = self._cut(slice(0, self._within(n)))

    def keep_last(self, n: int) -> None:
        """Keep the newest n positions, 0 ≤ n ≤ length: a rolling buffer. Keys stay turned to where they once stood."""
        self._k, self._v = self._cut(slice(self.length - self._within(n), None))

    def fork(self) -> KVCache:
        """A second cache with the same content; nothing done to either shows in the other."""
        return KVCache.of(self.config, self._k, self._v)

    def _within(self, n: int) -> int:
        if checked_int("n", n) > self.length:
            raise ValueError(f"n: the cache holds {self.length} positions, it cannot keep {n}")
        return n

    def _cut(self, keep: slice) -> list[tuple[Array, ...]]:
        return [tuple(read_only(a[:, keep].copy()) for a in held) for held in (self._k, self._v)]


def kv_bytes(*, n_layers: int, batch: int, seq_len: int, n_kv_heads: int, head_dim: int, itemsize: int) -> int:
    """Bytes of standard K and V: 2 · n_layers · batch · seq_len · n_kv_heads · head_dim · itemsize.

    Without weights, block rounding and workspace. `itemsize` is in bytes a number. Raises ValueError below 0.
    Source: chapter 07, Q026.

    >>> kv_bytes(n_layers=32, batch=1, seq_len=32_768, n_kv_heads=8, head_dim=128, itemsize=2) / 2**30
    4.0
    """
    total = 2
    for name, value in (
        ("n_layers", n_layers),
        ("batch", batch),
        ("seq_len", seq_len),
        ("n_kv_heads", n_kv_heads),
        ("head_dim", head_dim),
        ("itemsize", itemsize),
    ):
        total *= checked_int(name, value)
    return total
