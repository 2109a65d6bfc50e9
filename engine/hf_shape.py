"""What the rules of a family make of a config.json."""

from __future__ import annotations

from dataclasses import dataclass

from engine.layer_groups import Cross

FULL, LOCAL, LINEAR = "full_attention", "sliding_attention", "linear_attention"  # kinds of layers, as transformers says


@dataclass(frozen=True)
class Shape:
    """One kind for each layer, heads, widths; for MLA no KV heads."""

    kinds: tuple[str, ...]
    n_heads: int
    n_kv_heads: int | None
    head_dim: int
    hidden: int
    window: int | None = None
    mla_rank: int = 0
    rope_dim: int = 0
    v_head_dim: int | None = None
    cross: Cross | None = None
    n_experts: int = 0
    experts_used: int = 0
