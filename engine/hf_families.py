"""The rules of each model_type: which layers keep what, how many heads, how wide.

Rules and defaults are those of each family's configuration_*.py in transformers 5.24 (read). `head_dim` is: the field
of that name; otherwise hidden ÷ heads (llama, mistral, mixtral, qwen2, qwen3_moe, phi3, gpt_neox, falcon, mpt, jamba,
whisper: the heads must divide), or a constant: 128 (qwen3, nemotron_h), 256 (gemma2, gemma3, qwen3_next, qwen3_5), 64
(gpt_oss). DeepSeek's `head_dim` is the rotated part alone and is not used.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.hf_fields import Fields, shown
from engine.hf_shape import FULL, LINEAR, LOCAL, Shape
from engine.layer_groups import Cross

_KINDS = (FULL, LOCAL, LINEAR)


def _heads(f: Fields) -> tuple[int, int, int]:
    """Layers, query heads, hidden size."""
    return f.layers("num_hidden_layers"), f.whole("num_attention_heads"), f.whole("hidden_size")


def _quotient(f: Fields, hidden: int, heads: int) -> int:
    """head_dim where a file has none and the library divides."""
    if f.missing:
        return 1
    if hidden % heads:
        raise ValueError(f"head_dim: missing, and {heads} heads do not divide the hidden size {hidden}")
    return f.filled("head_dim", hidden // heads)


def _kv_heads(f: Fields, heads: int, *, may_be_left_out: bool = False) -> int:
    """num_key_value_heads; null is one for each query head, and so is its absence where the library says so."""
    if f.is_null("num_key_value_heads") or (may_be_left_out and not f.has("num_key_value_heads")):
        return f.filled("num_key_value_heads", heads)
    return f.whole("num_key_value_heads")


def _kinds(f: Fields, n: int, otherwise: Callable[[int], str], assumes: str | None = None) -> tuple[str, ...]:
    """layer_types if the file has them, otherwise the family's pattern, which may hang on a field left out."""
    given = f.texts("layer_types", n)
    if given is None:
        if assumes is not None:
            f.assume(assumes)
        return tuple(otherwise(i) for i in range(n))
    for kind in given:
        if kind not in _KINDS:
            raise ValueError(f"layer_types: {shown(kind)} is not known here. Known: {', '.join(_KINDS)}")
    return given


def _no_window(f: Fields) -> None:
    if f.maybe("sliding_window") is not None:
        raise ValueError("sliding_window: given, but layers of this model_type have no window")


# --- families


def _llama(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    kv = _kv_heads(f, heads, may_be_left_out=True)
    _no_window(f)
    return Shape((FULL,) * n, heads, kv, f.maybe("head_dim") or _quotient(f, hidden, heads), hidden)


def _mistral(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    kv, dim = _kv_heads(f, heads), f.maybe("head_dim") or _quotient(f, hidden, heads)
    window = f.maybe("sliding_window") if f.has("sliding_window") else f.filled("sliding_window", 4_096)
    return Shape((LOCAL if window else FULL,) * n, heads, kv, dim, hidden, window)


def _windowed_throughout(f: Fields) -> Shape:
    """mixtral, phi3: every layer has the window, if there is one."""
    n, heads, hidden = _heads(f)
    kv = _kv_heads(f, heads, may_be_left_out=f.text("model_type") == "phi3")
    dim, window = f.maybe("head_dim") or _quotient(f, hidden, heads), f.maybe("sliding_window")
    experts = (f.whole("num_local_experts"), f.whole("num_experts_per_tok")) if _is_moe(f) else (0, 0)
    kinds = (LOCAL if window else FULL,) * n
    return Shape(kinds, heads, kv, dim, hidden, window, n_experts=experts[0], experts_used=experts[1])


def _is_moe(f: Fields) -> bool:
    return f.text("model_type") in ("mixtral", "qwen3_moe", "qwen3_5_moe", "qwen3_5_moe_text", "qwen3_next")


def _qwen(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    kv, family = _kv_heads(f, heads), f.text("model_type")
    dim = f.maybe("head_dim") or (f.filled("head_dim", 128) if family == "qwen3" else _quotient(f, hidden, heads))
    window = f.whole("sliding_window") if f.flag("use_sliding_window", False) else None
    first = 0 if family == "qwen3_moe" or window is None else f.whole("max_window_layers", 28, least=0)
    kinds = _kinds(f, n, lambda i: LOCAL if window is not None and i >= first else FULL)
    experts = _experts(f) if family == "qwen3_moe" else (0, 0)
    return Shape(kinds, heads, kv, dim, hidden, window, n_experts=experts[0], experts_used=experts[1])


def _experts(f: Fields) -> tuple[int, int]:
    return f.whole("num_experts", also="num_local_experts"), f.whole("num_experts_per_tok")


def _gemma2(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    kinds = _kinds(f, n, lambda i: FULL if i % 2 else LOCAL)
    return Shape(kinds, heads, _kv_heads(f, heads), f.whole("head_dim", 256), hidden, f.whole("sliding_window", 4_096))


def _gemma3(f: Fields) -> Shape:
    """Published files leave out heads: the library's 8 and 4 are meant."""
    if f.flag("use_bidirectional_attention", False):
        raise ValueError("use_bidirectional_attention: such a model is run in one pass and keeps no cache")
    n, hidden = f.layers("num_hidden_layers"), f.whole("hidden_size")
    heads, kv = f.whole("num_attention_heads", 8), f.whole("num_key_value_heads", 4)
    every = f.maybe("sliding_window_pattern", "_sliding_window_pattern")
    kinds = _kinds(
        f, n, lambda i: LOCAL if (i + 1) % (every or 6) else FULL, None if every else "sliding_window_pattern"
    )
    return Shape(kinds, heads, kv, f.whole("head_dim", 256), hidden, f.whole("sliding_window", 4_096))


def _gpt_oss(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    kinds = _kinds(f, n, lambda i: FULL if i % 2 else LOCAL, "layer_types")
    experts = f.whole("num_local_experts"), f.whole("num_experts_per_tok", also="experts_per_token")
    dim, window = f.whole("head_dim", 64), f.whole("sliding_window", 128)
    return Shape(kinds, heads, _kv_heads(f, heads), dim, hidden, window, n_experts=experts[0], experts_used=experts[1])


def _deepseek(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    rank, rope = f.whole("kv_lora_rank"), f.whole("qk_rope_head_dim")
    key, value = f.whole("qk_nope_head_dim"), f.whole("v_head_dim")
    experts = (f.whole("n_routed_experts"), f.whole("num_experts_per_tok")) if f.maybe("n_routed_experts") else (0, 0)
    return Shape(
        (FULL,) * n,
        heads,
        None,
        key,
        hidden,
        mla_rank=rank,
        rope_dim=rope,
        v_head_dim=None if value == key else value,
        n_experts=experts[0],
        experts_used=experts[1],
    )


def _gpt_neox(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    return Shape((FULL,) * n, heads, heads, _quotient(f, hidden, heads), hidden)


def _falcon(f: Fields) -> Shape:
    """One KV head for all (multi_query, the default), unless the newer architecture gives their number."""
    n, heads = f.layers("num_hidden_layers", also="n_layer"), f.whole("num_attention_heads", also="n_head")
    hidden = f.whole("hidden_size", also="n_embed")
    many = f.flag("new_decoder_architecture", False) or not f.flag("multi_query", True)
    kv = (f.maybe("num_kv_heads", "n_head_kv") or f.filled("num_kv_heads", heads)) if many else 1
    return Shape((FULL,) * n, heads, kv, _quotient(f, hidden, heads), hidden)


def _mpt(f: Fields) -> Shape:
    n, heads, hidden = f.layers("n_layers"), f.whole("n_heads"), f.whole("d_model")
    attention = f.inner("attn_config")
    if (attention.maybe_text("attn_type") or "multihead_attention") != "multihead_attention":
        raise ValueError(f"attn_config.attn_type: {shown(attention.text('attn_type'))} is not known here")
    return Shape((FULL,) * n, heads, heads, _quotient(f, hidden, heads), hidden)


def _qwen_hybrid(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    every = f.maybe("full_attention_interval")
    kinds = _kinds(
        f, n, lambda i: LINEAR if (i + 1) % (every or 4) else FULL, None if every else "full_attention_interval"
    )
    experts = _experts(f) if _is_moe(f) else (0, 0)
    kv, dim = _kv_heads(f, heads), f.whole("head_dim", 256)
    return Shape(kinds, heads, kv, dim, hidden, n_experts=experts[0], experts_used=experts[1])


def _nemotron_h(f: Fields) -> Shape:
    """hybrid_override_pattern: * attends, M is a Mamba layer, - and E are feed-forward alone."""
    pattern = f.maybe_text("hybrid_override_pattern")
    if pattern is None:
        blocks = f.texts("layers_block_type", None) or ()
        if not blocks:
            f.missing.append("hybrid_override_pattern")
        attends = ("attention", FULL)
        kinds = tuple(FULL if block in attends else LINEAR for block in blocks)
    else:
        for mark in sorted(set(pattern) - set("*M-E")):
            raise ValueError(f"hybrid_override_pattern: {shown(mark)} is not known here. Known: * M - E")
        kinds = tuple(FULL if mark == "*" else LINEAR for mark in pattern)
    n = f.maybe("num_hidden_layers")
    if n is not None and kinds and n != len(kinds):
        raise ValueError(f"num_hidden_layers: {n}, but the pattern has {len(kinds)} layers")
    heads, hidden = f.whole("num_attention_heads"), f.whole("hidden_size")
    dim = f.maybe("head_dim", "attention_head_dim") or f.filled("head_dim", 128)
    _no_window(f)
    return Shape(kinds, heads, _kv_heads(f, heads), dim, hidden)


def _jamba(f: Fields) -> Shape:
    n, heads, hidden = _heads(f)
    period, offset = f.whole("attn_layer_period", 8), f.whole("attn_layer_offset", 4, least=0)
    if offset >= period:
        raise ValueError(f"attn_layer_offset: below attn_layer_period = {period}, got {offset}")
    kinds = tuple(FULL if i % period == offset else LINEAR for i in range(n))
    return Shape(kinds, heads, _kv_heads(f, heads), _quotient(f, hidden, heads), hidden)


def _whisper(f: Fields) -> Shape:
    """The decoder: its own cache, and K and V of the encoder's output in every layer."""
    n, heads = f.layers("decoder_layers"), f.whole("decoder_attention_heads")
    hidden, frames = f.whole("d_model"), f.whole("max_source_positions", 1_500)
    dim = _quotient(f, hidden, heads)
    return Shape((FULL,) * n, heads, heads, dim, hidden, cross=Cross(n, heads, dim, frames))


FAMILIES: dict[str, Callable[[Fields], Shape]] = {
    "llama": _llama,
    "mistral": _mistral,
    "mixtral": _windowed_throughout,
    "phi3": _windowed_throughout,
    "qwen2": _qwen,
    "qwen3": _qwen,
    "qwen3_moe": _qwen,
    "gemma2": _gemma2,
    "gemma3_text": _gemma3,
    "gpt_oss": _gpt_oss,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "gpt_neox": _gpt_neox,
    "falcon": _falcon,
    "mpt": _mpt,
    "qwen3_next": _qwen_hybrid,
    "qwen3_5_text": _qwen_hybrid,
    "qwen3_5_moe_text": _qwen_hybrid,
    "nemotron_h": _nemotron_h,
    "jamba": _jamba,
    "whisper": _whisper,
}
WRAPPED = {"gemma3": "gemma3_text", "qwen3_5": "qwen3_5_text", "qwen3_5_moe": "qwen3_5_moe_text"}
