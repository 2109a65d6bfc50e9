"""Hugging Face's config.json: small files of each family, with the numbers that transformers 5.24 itself comes to.

Caches and parameters below were counted by running and measuring transformers' own models made from these files.
"""

from __future__ import annotations

import json
import time
from fractions import Fraction
from typing import Any

import pytest

from engine.hf_families import FAMILIES
from engine.hf_fields import MOST_TEXT
from engine.model import Model
from tests.engine.config_files import CONFIGS

# Numbers in the cache of 5 tokens; parameters (None: not counted); layers with a window, and it; without K and V.
RIGHT: dict[str, tuple[int, int | None, int, int | None, int]] = {
    "llama": (1_920, 441_504, 0, None, 0),
    "llama-1": (5_760, 523_488, 0, None, 0),
    "mistral": (2_880, 523_488, 6, 32, 0),
    "mistral-v0.3": (1_920, 449_760, 0, None, 0),
    "mixtral": (1_920, 2_389_728, 0, None, 0),
    "phi3": (1_920, 449_760, 6, 64, 0),
    "qwen2": (1_920, 450_720, 2, 32, 0),
    "qwen3": (2_880, 511_488, 0, None, 0),
    "qwen3_moe": (2_880, 543_744, 0, None, 0),
    "gemma2": (3_840, 586_080, 3, 64, 0),
    "gemma3": (81_920, 5_106_784, 7, 64, 0),
    "gpt_oss": (960, 2_337_108, 3, 16, 0),
    "deepseek_v2": (720, 525_528, 0, None, 0),
    "deepseek_v3": (720, 490_176, 0, None, 0),
    "gpt_neox": (5_760, 436_416, 0, None, 0),
    "falcon-7b": (640, None, 0, None, 0),
    "falcon-40b": (1_280, None, 0, None, 0),  # transformers keeps these for each query head, 3 times as many
    "mpt": (3_840, None, 0, None, 0),
    "qwen3_next": (1_280, 562_304, 0, None, 4),
    "qwen3_5": (1_280, 528_320, 0, None, 4),
    "qwen3_5_moe": (1_280, 657_920, 0, None, 4),
    "nemotron_h": (960, None, 0, None, 7),
    "jamba": (640, None, 0, None, 4),
    "whisper": (31_680, None, 0, None, 0),  # of them 28,800 of the encoder's 50 frames
}


def read(name: str, **changes: Any) -> Model:
    """The file with fields changed; None takes one away."""
    config = json.loads(json.dumps(CONFIGS[name]))
    inner = config.get("text_config", config)
    for field, value in changes.items():
        if value is None:
            inner.pop(field, None)
        else:
            inner[field] = value
    return Model.from_config(json.dumps(config))


@pytest.mark.parametrize("name", CONFIGS)
def test_each_family_is_read_as_transformers_runs_it(name: str) -> None:
    model = read(name)
    numbers, parameters, n_local, window, n_without = RIGHT[name]
    assert model.kv_bytes(5, itemsize=1) == numbers
    assert model.parameters == parameters
    assert (model.n_local, model.window, model.n_without) == (n_local, window, n_without)
    assert not model.verified


def test_every_family_has_a_file() -> None:
    assert set(RIGHT) == set(CONFIGS)
    types = {(c.get("text_config") or c)["model_type"] for c in CONFIGS.values()}
    assert types == set(FAMILIES)
    assert len(FAMILIES) >= 20


def test_what_the_library_fills_in_is_named() -> None:
    assert read("gemma3").assumed == (
        "num_attention_heads",
        "num_key_value_heads",
        "sliding_window_pattern",
        "head_dim",
        "tie_word_embeddings",
    )
    assert read("llama-1").assumed == ("num_key_value_heads", "head_dim", "tie_word_embeddings")
    assert read("mistral", sliding_window=None).window == 4_096
    assert read("mistral", sliding_window=None).assumed == ("sliding_window",)
    assert read("qwen3", head_dim=None).head_dim == 128


def test_experts_and_weights_as_the_file_says() -> None:
    model = read("gpt_oss")
    assert (model.n_experts, model.experts_used) == (8, 2)
    assert (model.weight_bits, model.quantisation) == (Fraction(17, 4), "mxfp4")
    assert (read("deepseek_v3").weight_bits, read("deepseek_v3").quantisation) == (8, "fp8")
    assert model.active is not None
    assert model.active < model.known_parameters
    assert read("llama", torch_dtype="bfloat16").weight_bits == 16
    assert read("llama").weight_bits is None


@pytest.mark.parametrize(
    ("given", "bits", "method"),
    [
        ({"quant_method": "gptq", "bits": 4}, 4, "gptq"),
        ({"quant_method": "awq", "bits": 4}, 4, "awq"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, 4, "bitsandbytes"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, 8, "bitsandbytes"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, Fraction(9, 2), "modelopt"),
        ({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"}, None, "modelopt"),
        (
            {"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8}}}},
            8,
            "compressed-tensors",
        ),
        ({"quant_method": "something new"}, None, "something new"),
        ({"modules": []}, None, None),
    ],
)
def test_quantised_files(given: Any, bits: Any, method: str | None) -> None:
    model = read("llama", quantization_config=given)
    assert (model.weight_bits, model.quantisation) == (bits, method)


def test_the_hub_name_is_taken_where_it_is_one() -> None:
    assert read("llama", _name_or_path="meta-llama/Llama-3.1-8B").repo == "meta-llama/Llama-3.1-8B"
    assert read("llama", _name_or_path="/home/me/model; rm -rf").repo is None
    assert read("llama", architectures=["LlamaForCausalLM"]).name == "LlamaForCausalLM"
    assert read("llama", architectures=["<b>\ud800"]).name == "llama"


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        ("llama", {"model_type": None}, "model_type: missing"),
        ("llama", {"model_type": "rwkv9"}, "model_type: 'rwkv9' is not known here"),
        (
            "llama",
            {"num_hidden_layers": None, "hidden_size": None},
            "num_hidden_layers, hidden_size: missing from a config.json of model_type llama",
        ),
        ("qwen3", {"num_key_value_heads": None}, "num_key_value_heads: missing"),
        ("deepseek_v3", {"kv_lora_rank": None}, "kv_lora_rank: missing"),
        ("llama", {"num_key_value_heads": 4}, "num_key_value_heads: must divide the 6"),
        ("llama", {"hidden_size": 97}, "head_dim: missing, and 6 heads do not divide"),
        ("llama", {"num_hidden_layers": 0}, "num_hidden_layers: a whole number from 1"),
        ("llama", {"num_hidden_layers": 32.0}, "num_hidden_layers: a whole number"),
        ("llama", {"num_hidden_layers": "32"}, "num_hidden_layers: a whole number"),
        ("llama", {"num_hidden_layers": True}, "num_hidden_layers: a whole number"),
        ("llama", {"num_hidden_layers": float("nan")}, "num_hidden_layers: a whole number"),
        ("llama", {"num_hidden_layers": 10**30}, "num_hidden_layers: a whole number"),
        ("llama", {"num_hidden_layers": 20_000}, "num_hidden_layers: at most"),
        ("llama", {"sliding_window": 128}, "sliding_window: given"),
        ("llama", {"tie_word_embeddings": "yes"}, "tie_word_embeddings: true or false"),
        ("gpt_oss", {"layer_types": ["full_attention"]}, "layer_types: 1 entries for 6"),
        ("gpt_oss", {"layer_types": ["quantum"] * 6}, "layer_types: 'quantum'"),
        ("gpt_oss", {"num_experts_per_tok": 9}, "num_experts_per_tok: at most the 8"),
        ("gemma3", {"use_bidirectional_attention": True}, "use_bidirectional_attention"),
        ("nemotron_h", {"hybrid_override_pattern": "M?*"}, "hybrid_override_pattern: '\\?'"),
        ("nemotron_h", {"num_hidden_layers": 3}, "num_hidden_layers: 3, but the pattern has 9"),
        ("jamba", {"attn_layer_offset": 3}, "attn_layer_offset: below"),
        ("mpt", {"attn_config": {"attn_type": "grouped_query_attention"}}, "attn_config.attn_type"),
        ("qwen3_moe", {"mlp_only_layers": "all"}, "mlp_only_layers: a list"),
        ("llama", {"quantization_config": 4}, "quantization_config: an object"),
    ],
)
def test_what_is_missing_or_unknown_is_named(name: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}"):
        read(name, **changes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "text: no JSON"),
        ("[1]", "text: one JSON object"),
        ('{"model_type": "llama",}', "text: no JSON at line 1"),
        ('{"a": 1, "a": 2}', "'a': stands in one object twice"),
        ('{"a": ' + "[" * 200_000 + "]" * 200_000 + "}", "text: nested too deeply"),
        ('{"num_hidden_layers": ' + "9" * 10_000 + "}", "text: has a number of more digits"),
        ("x" * (MOST_TEXT + 1), "text: at most"),
        (" " * 50_000_000, "text: at most"),
    ],
)
def test_text_that_is_no_config(text: str, said: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ValueError, match=f"^{said}"):
        Model.from_config(text)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("filler", ["{},", "[0],", '"x",', "1e400,"])
def test_the_largest_text_is_read_in_bounded_time(filler: str) -> None:
    n = (MOST_TEXT - 2_000) // len(filler)
    config = json.dumps(CONFIGS["llama"])[:-1] + ', "ignore": [' + filler * n + "0]}"
    start = time.perf_counter()
    assert Model.from_config(config).kv_bytes(5, itemsize=1) == 1_920
    assert time.perf_counter() - start < 5


def test_anything_but_text_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^text: a config\.json as text, got bytes"):
        Model.from_config(b"{}")  # type: ignore[arg-type]
    assert Model.from_config("\ufeff" + json.dumps(CONFIGS["llama"])).n_layers == 6
