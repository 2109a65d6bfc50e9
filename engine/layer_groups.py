"""Layers that keep equally many tokens, and what an encoder hands to the layers that look at it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Layers(Enum):
    """Which of the layers that attend forget: none, all, or some (the local ones)."""

    UNIFORM = "uniform"
    SLIDING = "sliding"
    MIXED = "mixed"


@dataclass(frozen=True)
class LayerGroup:
    """`n_layers` layers that keep the last `window` tokens, the newest included; None keeps all."""

    n_layers: int
    window: int | None = None

    def cached_tokens(self, seq_len: int) -> int:
        """Tokens that each layer of the group keeps of a sequence of `seq_len`."""
        return seq_len if self.window is None else min(seq_len, self.window)

    def block_tokens(self, seq_len: int, block_size: int) -> int:
        """The same in whole blocks. A window that has moved may begin inside one block and end inside another."""
        whole = -(-seq_len // block_size)
        if self.window is not None:
            whole = min(whole, -(-(self.window - 1) // block_size) + 1)
        return whole * block_size

    def pairs(self, seq_len: int) -> int:
        """Query·key pairs of one head of one layer when `seq_len` tokens are run at once, each seeing those before it.

        >>> LayerGroup(1).pairs(4), LayerGroup(1, window=2).pairs(4)
        (10, 7)
        """
        full = self.cached_tokens(seq_len)
        return full * (full + 1) // 2 + (seq_len - full) * full


@dataclass(frozen=True)
class Cross:
    """K and V of an encoder's `n_tokens` outputs, kept by `n_layers` layers: computed once, the same at any length."""

    n_layers: int
    n_kv_heads: int
    head_dim: int
    n_tokens: int
