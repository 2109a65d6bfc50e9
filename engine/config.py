"""The little model's sizes and its rules of sight: which key a query may see, which KV head a query head reads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from engine.attention import Mask
from engine.checked import checked_int


class Mistake(Enum):
    """Wrong ways to look at the cache, each run by the same code as the right one."""

    NONE = "none"
    TOP_LEFT_MASK = "top_left_mask"  # a chunk's query i sees keys 0 … i, as if nothing were cached
    TILED_HEADS = "tiled_heads"  # query head h reads KV head h mod n_kv_heads


@dataclass(frozen=True)
class Config:
    """Sizes and rules; the weights follow from them (engine.weights).

    `window` counts the query itself: a query sees keys at most window − 1 away. The first `prefix` positions see each
    other in both directions (prefix-LM), if they arrive in one call. `adapter` = (layer, scale) adds a rank-one
    change to that layer's V weights. Sizes do not depend on each other, but for: n_kv_heads divides n_heads; head_dim
    is even, for rotation works on pairs. Raises ValueError that names the argument.
    """

    n_layers: int = 2
    d_model: int = 8
    n_heads: int = 4
    n_kv_heads: int = 2
    head_dim: int = 4
    d_ff: int = 16
    vocab_size: int = 11
    causal: bool = True
    window: int | None = None
    prefix: int = 0
    adapter: tuple[int, float] | None = None
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        for name in ("n_layers", "d_model", "n_heads", "n_kv_heads", "head_dim", "d_ff", "vocab_size"):
            checked_int(name, getattr(self, name), 1)
        if self.n_heads % self.n_kv_heads:
            raise ValueError(f"n_kv_heads: must divide n_heads = {self.n_heads}, got {self.n_kv_heads}")
        if self.head_dim % 2:
            raise ValueError(f"head_dim: must be even, got {self.head_dim}; rotation works on pairs of numbers")
        if not isinstance(self.causal, bool):
            raise ValueError(f"causal: True or False, got {self.causal!r}")
        if self.window is not None:
            checked_int("window", self.window, 1)
        checked_int("prefix", self.prefix)
        if not (self.adapter is None or self._is_adapter(self.adapter)):
            raise ValueError(f"adapter: None or (layer 0 … {self.n_layers - 1}, finite scale), got {self.adapter!r}")
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")

    def _is_adapter(self, adapter: object) -> bool:
        match adapter:
            case (int() as layer, int() | float() as scale) if isinstance(adapter, tuple):
                return 0 <= layer < self.n_layers and math.isfinite(scale)
            case _:
                return False

    @property
    def kv_head(self) -> tuple[int, ...]:
        """The KV head that each query head reads: h // (n_heads / n_kv_heads).

        >>> Config(n_heads=6, n_kv_heads=2).kv_head
        (0, 0, 0, 1, 1, 1)
        """
        if self.mistake is Mistake.TILED_HEADS:
            return tuple(h % self.n_kv_heads for h in range(self.n_heads))
        return tuple(h // (self.n_heads // self.n_kv_heads) for h in range(self.n_heads))

    def visible(self, n_old: int, n_new: int) -> Mask:
        """(n_new, n_old + n_new) booleans: may the i-th new query see the j-th key?

        Counted in order of arrival, not by rotary position, with n_old keys in the cache: bottom-right aligned.

        >>> Config(window=2).visible(2, 2).astype(int).tolist()
        [[0, 1, 1, 0], [0, 0, 1, 1]]
        """
        n_old, n_new = checked_int("n_old", n_old), checked_int("n_new", n_new)
        first = 0 if self.mistake is Mistake.TOP_LEFT_MASK else n_old
        i = first + np.arange(n_new)[:, None]  # (n_new, 1)
        j = np.arange(n_old + n_new)  # (n_old + n_new,)
        seen = (j <= i) | ((i < self.prefix) & (j < self.prefix)) | (not self.causal)
        return np.asarray(seen & (np.abs(i - j) < (n_old + n_new if self.window is None else self.window)))
