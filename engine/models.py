"""How many bytes of K and V published models keep: grouped heads, latent vectors, windows.

Every layer is taken to keep a cache of its own. Weights, workspace, block rounding and metadata are not counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

from engine.checked import checked_int
from engine.kv_cache import kv_bytes


class Layers(Enum):
    """Which layers forget: none, all, or some (the local ones)."""

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


@dataclass(frozen=True)
class Model:
    """The numbers of a model that its cache depends on, and where they were read.

    MLA (a latent vector of `mla_rank` numbers and a rotated key part of `rope_dim`, both shared by all heads) has no
    KV heads: `n_kv_heads` is None, and `head_dim` is the width of a value, and of a key without its rotated part.
    `n_local` layers see `window` tokens. `hidden` is None where it was not read. `verified`: the numbers were read
    in the publisher's own code, or in the library that implements the model; not from memory or a copy.
    """

    name: str
    n_layers: int
    n_heads: int
    n_kv_heads: int | None
    head_dim: int
    source: str
    verified: bool = True
    hidden: int | None = None
    n_local: int = 0
    window: int | None = None
    mla_rank: int = 0
    rope_dim: int = 0

    @property
    def is_mla(self) -> bool:
        """Whether a latent vector is kept instead of K and V."""
        return self.n_kv_heads is None

    @property
    def layers(self) -> Layers:
        """Which layers forget."""
        return {0: Layers.UNIFORM, self.n_layers: Layers.SLIDING}.get(self.n_local, Layers.MIXED)

    @property
    def groups(self) -> tuple[LayerGroup, ...]:
        """Layers that keep equally many tokens, local ones first; no group is empty."""
        both = LayerGroup(self.n_local, self.window), LayerGroup(self.n_full)
        return tuple(group for group in both if group.n_layers)

    @property
    def numbers(self) -> int:
        """Numbers kept for one token in one layer: K and V of every KV head, or one latent and one rotated key."""
        return self.mla_rank + self.rope_dim if self.n_kv_heads is None else 2 * self.n_kv_heads * self.head_dim

    @property
    def n_full(self) -> int:
        """Layers that keep every token."""
        return self.n_layers - self.n_local

    @property
    def sharing(self) -> int:
        """Query heads that read the same KV head."""
        return self.n_heads // (self.n_kv_heads or 1)

    @property
    def guessed_head_dim(self) -> int:
        """Hidden size over query heads, rounded down: what is often taken for head_dim.

        Raises ValueError where `hidden` is not known.
        """
        if self.hidden is None:
            raise ValueError(f"{self.name}: its hidden size is not known")
        return self.hidden // self.n_heads

    def layer_tokens(self, seq_len: int) -> int:
        """Cached tokens summed over the layers; n_layers × seq_len while no window is full."""
        n = checked_int("seq_len", seq_len)
        return sum(group.n_layers * group.cached_tokens(n) for group in self.groups)

    def kv_bytes(self, seq_len: int, *, batch: int = 1, itemsize: int | float | Fraction = 2) -> int:
        """Bytes of the whole cache for `batch` sequences of `seq_len` tokens; part of a byte at the end counts as one.

        `itemsize` may be a fraction of a byte (4 bits: 1/2); scales are not counted, see `engine.kv_formats`.
        Raises ValueError for a negative count, or an itemsize that is not above 0.

        >>> MODELS["Llama-3-8B"].kv_bytes(32_768) == 4 * 2**30
        True
        >>> MODELS["DeepSeek-V3"].kv_bytes(1)  # 61 layers × (512 + 64) numbers × 2 bytes
        70272
        >>> MODELS["Mistral-7B-v0.1"].kv_bytes(32_768) == MODELS["Mistral-7B-v0.1"].kv_bytes(4_096)
        True
        """
        if isinstance(itemsize, bool) or not math.isfinite(itemsize) or itemsize <= 0:
            raise ValueError(f"itemsize: bytes a number, above 0, got {itemsize!r}")
        n, batch = checked_int("seq_len", seq_len), checked_int("batch", batch)
        if self.n_kv_heads is None:
            return math.ceil(batch * self.layer_tokens(n) * self.numbers * Fraction(itemsize))
        shape = {"batch": batch, "n_kv_heads": self.n_kv_heads, "head_dim": self.head_dim}
        groups = ((group.n_layers, group.cached_tokens(n)) for group in self.groups)
        numbers = sum(kv_bytes(n_layers=layers, seq_len=kept, itemsize=1, **shape) for layers, kept in groups)
        return math.ceil(numbers * Fraction(itemsize))

    def expanded_bytes(self, seq_len: int, *, batch: int = 1, itemsize: int = 2) -> int:
        """MLA with K and V of every head written out instead of the latent: right as well, and many times larger.

        Raises ValueError for a model without MLA.
        """
        if not self.is_mla:
            raise ValueError(f"{self.name}: keeps K and V already, there is nothing to expand")
        numbers = self.n_heads * (self.head_dim + self.rope_dim + self.head_dim)  # K with its rotated part, then V
        return checked_int("batch", batch) * self.layer_tokens(seq_len) * numbers * checked_int("itemsize", itemsize, 1)


_LLAMA = "meta-llama/llama-models, models/sku_list.py"
_GEMMA_2 = "google/gemma_pytorch, gemma/config.py"
_COPIES = "copies of config.json in public repositories"
_DEEPSEEK = "deepseek-ai/DeepSeek-V3, inference/model.py"

_ALL = (
    # That the 7B has no grouped heads is said in the docs of transformers; sku_list.py lists 8 KV heads for it,
    # wrongly.
    Model("Llama-2-7B", 32, 32, 32, 128, "Hugging Face transformers, docs of Llama 2 (grouped heads in the 70B only)",
    hidden=4_096),
    Model("Llama-2-70B", 80, 64, 8, 128, _LLAMA, hidden=8_192),
    Model("Llama-3-8B", 32, 32, 8, 128, _LLAMA, hidden=4_096),
    Model("Llama-3-70B", 80, 64, 8, 128, _LLAMA, hidden=8_192),
    Model("Llama-3.1-405B", 126, 128, 8, 128, _LLAMA, hidden=16_384),
    Model("Llama-3.2-3B", 28, 24, 8, 128, _COPIES, False, hidden=3_072),
    Model("Mistral-7B-v0.1", 32, 32, 8, 128, "Hugging Face transformers, configuration_mistral.py", n_local=32,
    window=4_096),
    Model("Qwen2.5-7B", 28, 28, 4, 128, _COPIES, False, hidden=3_584),
    Model("Qwen3-0.6B", 28, 16, 8, 128, _COPIES, False, hidden=1_024),
    Model("Qwen3-4B", 36, 32, 8, 128, _COPIES, False, hidden=2_560),
    Model("Gemma-2-9B", 42, 16, 8, 256, _GEMMA_2, hidden=3_584, n_local=21, window=4_096),
    Model("Gemma-2-27B", 46, 32, 16, 128, _GEMMA_2, hidden=4_608, n_local=23, window=4_096),
    Model("Gemma-3-1B", 26, 4, 1, 256, f"{_COPIES}; five local layers to one global", False, n_local=22, window=512),
    Model("Gemma-3-4B", 34, 8, 4, 256, f"{_COPIES}; five local layers to one global", False, n_local=29, window=1_024),
    Model("Gemma-3-27B", 62, 32, 16, 128, "total reported by unslothai/unsloth, pull request 4757", False, hidden=5_376,
    n_local=52, window=1_024),
    Model("gpt-oss-120b", 36, 64, 8, 64, "openai/gpt-oss, gpt_oss/torch/model.py", hidden=2_880, n_local=18,
    window=128),












    Model("DeepSeek-V3", 61, 128, None, 128, f"{_DEEPSEEK}; Hugging Face DeepseekV3Config", hidden=7_168, mla_rank=512,
    rope_dim=64),
    Model("DeepSeek-V2", 60, 128, None, 128, "from memory", False, mla_rank=512, rope_dim=64),
    Model("DeepSeek-V2-Lite", 27, 16, None, 128, f"{_DEEPSEEK}, the defaults", hidden=2_048, mla_rank=512, rope_dim=64),
)  # fmt: skip

MODELS: Mapping[str, Model] = MappingProxyType({model.name: model for model in _ALL})
