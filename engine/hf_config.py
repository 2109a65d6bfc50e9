"""A Hugging Face config.json, read into a Model: what it says, what its library fills in, and nothing else.

Fields that a file left out and the library fills in are named in Model.assumed; every other missing field is an error,
all of them at once. The rules are in engine.hf_families, the number of parameters in engine.hf_parameters.
"""

from __future__ import annotations

from engine.hf_families import FAMILIES, WRAPPED
from engine.hf_fields import Fields, parse, shown
from engine.hf_parameters import Count, count
from engine.hf_quantised import quantisation
from engine.hf_shape import FULL, LOCAL, Shape
from engine.model import Model


def read_config(text: str) -> Model:
    """The model of a config.json. Raises ValueError that names the field; the work is bounded (hf_fields.MOST_TEXT).

    >>> model = read_config('''{"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32,
    ...     "num_key_value_heads": 8, "hidden_size": 4096, "intermediate_size": 14336, "vocab_size": 128256}''')
    >>> model.kv_bytes(1), model.parameters, model.assumed
    (131072, 8030261248, ('head_dim', 'tie_word_embeddings'))
    """
    outer = parse(text)
    f = outer.inner("text_config", WRAPPED) if outer.text("model_type") in WRAPPED else outer
    family = f.text("model_type")
    if family not in FAMILIES:
        known = ", ".join(sorted({*FAMILIES, *WRAPPED}))
        raise ValueError(f"model_type: {shown(family)} is not known here. Known: {known}")
    shape = FAMILIES[family](f)
    f.refuse_missing(family)
    _check_heads(f, shape)
    weights = count(family, f, shape) or Count(None, None, 0, False)
    bits, method = quantisation(outer, f)
    n_local, n_full = shape.kinds.count(LOCAL), shape.kinds.count(FULL)
    if n_local and shape.window is None:
        raise ValueError("sliding_window: missing, and some layers have a window")
    name, repo = outer.names(family)
    return Model(
        name,
        n_layers=len(shape.kinds),
        n_heads=shape.n_heads,
        n_kv_heads=shape.n_kv_heads,
        head_dim=shape.head_dim,
        source=f"a config.json of model_type {family}",
        verified=False,
        hidden=shape.hidden,
        n_local=n_local,
        window=shape.window if n_local else None,
        mla_rank=shape.mla_rank,
        rope_dim=shape.rope_dim,
        n_without=len(shape.kinds) - n_local - n_full,
        v_head_dim=shape.v_head_dim,
        cross=shape.cross,
        parameters=weights.parameters,
        active=weights.active,
        table=weights.table,
        tied=weights.tied,
        n_experts=shape.n_experts,
        experts_used=shape.experts_used,
        context=f.maybe("max_position_embeddings", "max_target_positions", "max_seq_len"),
        repo=repo,
        weight_bits=bits,
        quantisation=method,
        assumed=f.assumed,
    )


def _check_heads(f: Fields, s: Shape) -> None:
    if s.n_kv_heads is not None and s.n_heads % s.n_kv_heads:
        raise ValueError(f"num_key_value_heads: must divide the {s.n_heads} attention heads, got {s.n_kv_heads}")
    if s.experts_used > s.n_experts:
        raise ValueError(f"num_experts_per_tok: at most the {s.n_experts} experts, got {s.experts_used}")
