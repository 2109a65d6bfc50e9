"""How a server gives a request its memory: one piece of the pool for all its life, or blocks as it grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engine.checked import checked_int
from engine.paged import blocks_for
from engine.serving.waste import rounded


@dataclass(frozen=True)
class Reserve:
    """One piece of `tokens` for everybody, however short they turn out: the maximum is reserved."""

    tokens: int

    def __post_init__(self) -> None:
        checked_int("tokens", self.tokens, 1)

    def takes(self, length: int) -> int:
        """Tokens of the pool that a request of that final length takes. Raises ValueError for one that is longer."""
        if length > self.tokens:
            raise ValueError(f"lengths: {length} tokens, where {self.tokens} are reserved for each request")
        return self.tokens


@dataclass(frozen=True)
class FirstFit:
    """One piece of exactly the final length, in the first hole that is large enough. Nobody knows it beforehand."""

    def takes(self, length: int) -> int:
        """Tokens of the pool that a request of that final length takes."""
        return length


@dataclass(frozen=True)
class BestFit:
    """One piece of exactly the final length, in the smallest hole that is large enough, the first of equal ones."""

    def takes(self, length: int) -> int:
        """Tokens of the pool that a request of that final length takes."""
        return length


@dataclass(frozen=True)
class PowerOfTwo:
    """One piece of the final length rounded up to a power of two, in the first hole that is large enough."""

    def takes(self, length: int) -> int:
        """Tokens of the pool that a request of that final length takes."""
        return rounded(length)


@dataclass(frozen=True)
class Paged:
    """Blocks of `block_size` tokens, each taken when it is needed. With none free the newest request gives all of its
    own back; what it had is computed once more when it comes in again, or moved out of the pool and back."""

    block_size: int
    when_full: Literal["recompute", "swap"] = "recompute"

    def __post_init__(self) -> None:
        checked_int("block_size", self.block_size, 1)
        if self.when_full not in ("recompute", "swap"):
            raise ValueError(f"when_full: recompute or swap, got {self.when_full!r}")

    def takes(self, length: int) -> int:
        """Tokens of the pool that a request of that final length takes in the end."""
        return blocks_for(length, self.block_size) * self.block_size


InOnePiece = Reserve | FirstFit | BestFit | PowerOfTwo
Policy = InOnePiece | Paged


@dataclass(frozen=True)
class Load:
    """What is to be served, checked: alone in the pool, every request fits.

    Raises ValueError that names the argument, and a request that would wait for ever.
    """

    lengths: tuple[int, ...]
    policy: Policy
    pool_tokens: int
    limit: int | None  # requests that may run at once

    @classmethod
    def of(cls, lengths: Iterable[int], policy: Policy, pool_tokens: int, max_running: int | None) -> Load:
        """The arguments of `simulate`, checked."""
        pool = checked_int("pool_tokens", pool_tokens, 1)
        limit = None if max_running is None else checked_int("max_running", max_running, 1)
        if not isinstance(policy, Policy):
            raise ValueError(f"policy: Reserve, FirstFit, BestFit, PowerOfTwo or Paged, got {policy!r}")
        tokens = tuple(checked_int("lengths", length, 1) for length in lengths)
        for i, length in enumerate(tokens):
            if (takes := policy.takes(length)) > pool:
                raise ValueError(f"lengths: request {i}, {length} tokens, takes {takes}; the pool holds {pool}")
        return cls(tokens, policy, pool, limit)
