"""Parameters of a model, counted from its config.json where every weight's shape follows from it.

Shapes are those of the modeling_*.py of transformers 5.24, against whose own models the counts were compared, number
for number. Families that are not here (falcon, mpt, jamba, nemotron_h, whisper) have no count. Vision towers and extra
prediction layers are not in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.hf_fields import Fields, shown
from engine.hf_shape import LINEAR, Shape


@dataclass(frozen=True)
class Count:
    """All parameters, those that one token passes, the input embedding among them, and whether it is the output too."""

    parameters: int | None
    active: int | None
    table: int
    tied: bool


def count(family: str, f: Fields, s: Shape) -> Count | None:
    """The parameters, or None where the family is not known here, or a size is missing from the file."""
    if family not in _LAYERS:
        return None
    vocabulary = f.maybe("vocab_size")
    layers = _LAYERS[family](f, s)
    if vocabulary is None or layers is None:
        return None
    table, tied = vocabulary * s.hidden, _tied(family, f)
    ends = table * (1 if tied else 2) + s.hidden * (2 if family == "gpt_neox" else 1)  # tables and the last norm
    idle, total = layers
    return Count(ends + total, ends + total - idle, table, tied)


def _tied(family: str, f: Fields) -> bool:
    given = f.raw("tie_word_embeddings")
    if given is None:
        f.assume("tie_word_embeddings")
        return family in ("gemma2", "gemma3_text")
    if not isinstance(given, bool):
        raise ValueError(f"tie_word_embeddings: true or false, got {shown(given)}")
    return given


Layers = tuple[int, int]  # of all layers: parameters that a token does not pass, and all


def _attention(s: Shape, *, q_bias: bool = False, o_bias: bool = False, norms: bool = False, gate: bool = False) -> int:
    """Projections of one layer with K and V. `norms`: of each query and key; `gate`: the query's twice as wide."""
    q, kv = s.n_heads * s.head_dim, (s.n_kv_heads or 0) * s.head_dim
    wide = q * (2 if gate else 1) + 2 * kv
    return s.hidden * (wide + q) + q_bias * wide + o_bias * s.hidden + norms * 2 * s.head_dim


def _gated(d: int, width: int) -> int:
    """A feed-forward part of three matrices."""
    return 3 * d * width


def _dense(
    f: Fields, s: Shape, *, n_norms: int = 2, norms: bool = False, q_bias: bool = False, o_bias: bool = False
) -> Layers | None:
    width = f.maybe("intermediate_size")
    if width is None:
        return None
    biases = 2 * width + s.hidden if f.flag("mlp_bias", False) else 0
    one = _attention(s, q_bias=q_bias, o_bias=o_bias, norms=norms) + _gated(s.hidden, width) + biases
    return 0, len(s.kinds) * (one + n_norms * s.hidden)


def _plain(f: Fields, s: Shape) -> Layers | None:
    bias = f.flag("attention_bias", False)
    return _dense(f, s, q_bias=bias, o_bias=bias)


def _qwen2(f: Fields, s: Shape) -> Layers | None:
    return _dense(f, s, q_bias=True)


def _qwen3(f: Fields, s: Shape) -> Layers | None:
    bias = f.flag("attention_bias", False)
    return _dense(f, s, norms=True, q_bias=bias, o_bias=bias)


def _gemma2(f: Fields, s: Shape) -> Layers | None:
    return _dense(f, s, n_norms=4)


def _gemma3(f: Fields, s: Shape) -> Layers | None:
    return _dense(f, s, n_norms=4, norms=True)


def _experts(s: Shape, one: int) -> Layers:
    """`n_experts` of `one` parameters each, of which a token passes some; and the router."""
    return (s.n_experts - s.experts_used) * one, s.n_experts * one + s.n_experts * s.hidden


def _mixtral(f: Fields, s: Shape) -> Layers | None:
    width = f.maybe("intermediate_size")
    if width is None:
        return None
    idle, moe = _experts(s, _gated(s.hidden, width))
    return len(s.kinds) * idle, len(s.kinds) * (_attention(s) + moe + 2 * s.hidden)


def _sparse(f: Fields, n: int) -> list[bool]:
    """Which layers are mixtures of experts."""
    step, dense = f.maybe("decoder_sparse_step") or 1, f.raw("mlp_only_layers") or []
    if not isinstance(dense, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in dense):
        raise ValueError(f"mlp_only_layers: a list of layers, got {shown(dense)}")
    without = set(dense)
    return [i not in without and (i + 1) % step == 0 for i in range(n)]


def _qwen3_moe(f: Fields, s: Shape) -> Layers | None:
    width, dense = f.maybe("moe_intermediate_size"), f.maybe("intermediate_size")
    sparse = _sparse(f, len(s.kinds))
    if width is None or (dense is None and not all(sparse)):
        return None
    bias = f.flag("attention_bias", False)
    idle, moe = _experts(s, _gated(s.hidden, width))
    n = sum(sparse)
    every = _attention(s, norms=True, q_bias=bias, o_bias=bias) + 2 * s.hidden
    return n * idle, len(sparse) * every + n * moe + (len(sparse) - n) * _gated(s.hidden, dense or 0)


def _gpt_oss(f: Fields, s: Shape) -> Layers | None:
    """Projections, router and experts have biases; each query head has a sink."""
    width = f.maybe("intermediate_size")
    if width is None:
        return None
    idle, moe = _experts(s, _gated(s.hidden, width) + 2 * width + s.hidden)
    bias = f.flag("attention_bias", True)
    one = _attention(s, q_bias=bias, o_bias=bias) + s.n_heads + moe + s.n_experts + 2 * s.hidden
    return len(s.kinds) * idle, len(s.kinds) * one


def _deepseek(f: Fields, s: Shape) -> Layers | None:
    width, dense, rank = f.maybe("moe_intermediate_size"), f.maybe("intermediate_size"), f.maybe("q_lora_rank")
    shared, first = f.maybe("n_shared_experts", least=0), f.maybe("first_k_dense_replace", least=0)
    if width is None or dense is None or shared is None or first is None or not s.n_experts:
        return None
    d, key, value = s.hidden, s.head_dim + s.rope_dim, s.v_head_dim or s.head_dim
    q = d * s.n_heads * key if rank is None else d * rank + rank + rank * s.n_heads * key
    kv = d * (s.mla_rank + s.rope_dim) + s.mla_rank + s.mla_rank * s.n_heads * (s.head_dim + value)
    attention = q + kv + s.n_heads * value * d
    idle, moe = _experts(s, _gated(d, width))
    n = max(0, len(s.kinds) - first)
    feed = n * (moe + _gated(d, shared * width)) + (len(s.kinds) - n) * _gated(d, dense)
    return n * idle, len(s.kinds) * (attention + 2 * d) + feed


def _qwen_hybrid(f: Fields, s: Shape) -> Layers | None:
    """Gated attention in some layers, gated delta rule in the others; experts with a shared one, or a dense part."""
    names = ("linear_num_key_heads", "linear_key_head_dim", "linear_num_value_heads", "linear_value_head_dim")
    sizes = [f.maybe(name) for name in (*names, "linear_conv_kernel_dim")]
    if None in sizes:
        return None
    k_heads, k_dim, v_heads, v_dim, kernel = (size or 0 for size in sizes)
    k, v = k_heads * k_dim, v_heads * v_dim
    delta = s.hidden * (2 * k + 2 * v) + s.hidden * 2 * v_heads + (2 * k + v) * kernel + 2 * v_heads + v_dim
    delta += v * s.hidden
    attends = sum(kind != LINEAR for kind in s.kinds)
    mixers = attends * _attention(s, norms=True, gate=True) + (len(s.kinds) - attends) * delta
    total = mixers + len(s.kinds) * 2 * s.hidden
    dense = f.maybe("intermediate_size")
    if not s.n_experts:
        return None if dense is None else (0, total + len(s.kinds) * _gated(s.hidden, dense))
    width, shared = f.maybe("moe_intermediate_size"), f.maybe("shared_expert_intermediate_size")
    sparse = _sparse(f, len(s.kinds))
    if width is None or shared is None or (dense is None and not all(sparse)):
        return None
    idle, moe = _experts(s, _gated(s.hidden, width))
    n = sum(sparse)
    feed = n * (moe + _gated(s.hidden, shared) + s.hidden) + (len(sparse) - n) * _gated(s.hidden, dense or 0)
    return n * idle, total + feed


def _gpt_neox(f: Fields, s: Shape) -> Layers | None:
    """Two matrices in the feed-forward part, biases throughout."""
    width = f.maybe("intermediate_size")
    if width is None:
        return None
    bias = f.flag("attention_bias", True)
    one = _attention(s, q_bias=bias, o_bias=bias) + 2 * s.hidden * width + width + s.hidden
    return 0, len(s.kinds) * (one + 4 * s.hidden)


_LAYERS: dict[str, Callable[[Fields, Shape], Layers | None]] = {
    "llama": _plain,
    "mistral": _dense,
    "phi3": _dense,
    "qwen2": _qwen2,
    "qwen3": _qwen3,
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "mixtral": _mixtral,
    "qwen3_moe": _qwen3_moe,
    "gpt_oss": _gpt_oss,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "qwen3_next": _qwen_hybrid,
    "qwen3_5_text": _qwen_hybrid,
    "qwen3_5_moe_text": _qwen_hybrid,
    "gpt_neox": _gpt_neox,
}
