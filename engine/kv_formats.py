"""Caches of fewer bits: what a number costs when a group of numbers shares a scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from engine.checked import checked_int
from engine.models import Model


@dataclass(frozen=True)
class Format:
    """`itemsize` bytes a number; every `group` numbers of a vector share `scale_bytes` (None: no scale is kept).

    A vector is K or V of one KV head, or MLA's latent. `rope_itemsize` is for MLA's rotated key part where it is
    kept unscaled beside the latent; None treats it as the rest. Raises ValueError that names the argument.
    """

    itemsize: Fraction
    group: int | None = None
    scale_bytes: int = 0
    rope_itemsize: Fraction | None = None

    def __post_init__(self) -> None:
        for name, size in (("itemsize", self.itemsize), ("rope_itemsize", self.rope_itemsize)):
            if size is not None and size <= 0:
                raise ValueError(f"{name}: bytes a number, above 0, got {size}")
        if self.group is not None:
            checked_int("group", self.group, 1)
        checked_int("scale_bytes", self.scale_bytes)

    @property
    def bits(self) -> Fraction:
        """Bits a number."""
        return self.itemsize * 8

    def scales(self, n: int) -> int:
        """Scales of a vector of `n` numbers."""
        return 0 if self.group is None else -(-n // self.group)

    def vector_bytes(self, n: int) -> int:
        """Bytes of a vector of `n` numbers: the numbers, then a scale for every group begun.

        >>> Format(Fraction(1, 2), group=32, scale_bytes=2).vector_bytes(128)
        72
        """
        return math.ceil(n * self.itemsize) + self.scales(n) * self.scale_bytes

    def token_layer_bytes(self, model: Model) -> int:
        """Bytes of one token in one layer.

        >>> from engine.models import MODELS
        >>> FP8_DS_MLA.token_layer_bytes(MODELS["DeepSeek-V3"])  # 512 + 4 scales × 4 + 64 × 2
        656
        """
        if model.n_kv_heads is not None:
            return 2 * model.n_kv_heads * self.vector_bytes(model.head_dim)
        if self.rope_itemsize is None:
            return self.vector_bytes(model.mla_rank + model.rope_dim)
        return self.vector_bytes(model.mla_rank) + math.ceil(model.rope_dim * self.rope_itemsize)

    def kv_bytes(self, model: Model, seq_len: int, *, batch: int = 1) -> int:
        """Bytes of the whole cache, scales and all. Raises ValueError for a negative count."""
        return checked_int("batch", batch) * model.layer_tokens(seq_len) * self.token_layer_bytes(model)


BF16 = Format(Fraction(2))
FP8 = Format(Fraction(1))  # one scale for a whole tensor, too little to count
INT4 = Format(Fraction(1, 2))
FP8_DS_MLA = Format(Fraction(1), group=128, scale_bytes=4, rope_itemsize=Fraction(2))  # vLLM's name
