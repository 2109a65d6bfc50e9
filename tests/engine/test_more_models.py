"""Hybrids, K and V apart, parallel devices, held and reserved, cross-attention, parameters: figures met elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.layer_groups import LayerGroup
from engine.models import MODELS, OTHERS, PUBLISHED, Cross, Model

KIB, MIB, GIB = 2**10, 2**20, 2**30
# K in 16 bits, V in q8_0: 8.5 bits with its scales
BITS_12_25: dict[str, Any] = {"k_bits": 16, "v_bits": Fraction(17, 2)}
WINDOWS = Model("24 layers", 24, 64, 8, 64, "logged", n_local=12, window=128)
models = st.sampled_from(list(PUBLISHED.values()))


def test_llama_3_8b_keeps_128_kib_a_token() -> None:
    assert MODELS["Llama-3-8B"].kv_bytes(1) == MODELS["Llama-3.1-8B"].kv_bytes(1) == 128 * KIB


def test_a_hybrid_of_64_layers_of_which_16_attend() -> None:
    model = OTHERS["Qwen3.5-27B"]
    assert (model.n_layers, model.n_attending, model.n_kv_heads, model.head_dim) == (64, 16, 4, 256)
    assert model.kv_bytes(64) == 4 * MIB
    assert model.kv_bytes(262_144) == 16 * GIB
    assert replace(model, n_without=0).kv_bytes(64) == 4 * model.kv_bytes(64)


def test_windows_held_and_reserved() -> None:
    assert round(WINDOWS.kv_bytes(8_192, batch=32) / GIB, 2) == 6.09
    assert WINDOWS.reserved_bytes(8_192, batch=32) == 12 * GIB
    assert WINDOWS.kv_bytes(8_192, batch=32) == WINDOWS.reserved_bytes(8_192, batch=32, windows=True) - _one_block()


def _one_block(size: int = 1) -> int:
    """A moved window of 128 touches one block more than it fills; with blocks of one token it is no more."""
    return 0 if size == 1 else 12 * 32 * size * WINDOWS.numbers * 2


def test_a_window_that_has_moved_touches_one_block_more() -> None:
    group = LayerGroup(1, window=128)
    assert [group.block_tokens(n, 16) for n in (0, 1, 16, 17, 128, 129, 5_000)] == [0, 16, 16, 32, 128, 144, 144]
    starts = {(n - 127) % 16 for n in range(127, 400)}
    most = max(math.ceil((start + 128) / 16) for start in starts)
    assert group.block_tokens(400, 16) == most * 16


def test_70b_on_16_devices_keeps_40_960_bytes_a_token_on_each() -> None:
    model = MODELS["Llama-3-70B"]
    assert model.kv_bytes(1, devices=16) == 40_960
    assert 16 * model.kv_bytes(1, devices=16) == 655_360 == 2 * model.kv_bytes(1)
    assert [model.kv_bytes(1, devices=n) * n for n in (1, 2, 4, 8)] == [model.kv_bytes(1)] * 4


def test_k_in_16_bits_and_v_in_8_and_a_half() -> None:
    model = MODELS["Llama-3-8B"]
    assert model.kv_bytes(1, **BITS_12_25) == 100_352
    assert Fraction(100_352 * 8, model.n_layers * model.numbers) == Fraction(49, 4)
    assert model.kv_bytes(1, k_bits=8, v_bits=8) == model.kv_bytes(1, itemsize=1) == 64 * KIB
    assert model.kv_bytes(1, k_bits=8) == model.kv_bytes(1, k_bits=8, v_bits=16) == 96 * KIB


def test_cross_attention_is_constant() -> None:
    model = OTHERS["Whisper-large-v3"]
    assert model.cross == Cross(32, 20, 64, 1_500)
    assert model.kv_bytes(0) == 234.375 * MIB
    own = model.kv_bytes(1) - model.kv_bytes(0)
    assert own == 2 * 32 * 20 * 64 * 2
    assert model.kv_bytes(448) == model.kv_bytes(0) + 448 * own
    assert model.kv_bytes(0, devices=4) * 4 == model.kv_bytes(0)


def test_a_latent_is_kept_whole_on_every_device_and_has_one_format() -> None:
    model = MODELS["DeepSeek-V3"]
    assert model.kv_bytes(1, devices=8) == model.kv_bytes(1) == 70_272
    assert model.kv_bytes(1, k_bits=8) == 35_136 == model.kv_bytes(1, k_bits=8, v_bits=8)
    with pytest.raises(ValueError, match=r"^v_bits: DeepSeek-V3 keeps one latent"):
        model.kv_bytes(1, k_bits=16, v_bits=8)


def test_a_value_may_be_narrower_than_a_key() -> None:
    model = Model("x", 2, 4, 2, 192, "ours", v_head_dim=128)
    assert model.numbers == 2 * 320
    assert model.kv_bytes(1, k_bits=16, v_bits=8) == 2 * 2 * (192 * 2 + 128)


@pytest.mark.parametrize(
    ("devices", "said"), [(0, "at least 1"), (3, "64 query heads"), (True, "whole number"), (128, "64 query heads")]
)
def test_heads_that_do_not_divide_are_refused(devices: int, said: str) -> None:
    with pytest.raises(ValueError, match=rf"^devices: .*{said}"):
        MODELS["Llama-3-70B"].kv_bytes(1, devices=devices)


def test_kv_heads_that_do_not_divide_either_way_are_refused() -> None:
    model = Model("x", 1, 12, 6, 64, "ours")
    with pytest.raises(ValueError, match=r"^devices: .*6 KV heads of x, got 4"):
        model.kv_bytes(1, devices=4)
    assert model.kv_heads_on(12) == 1


@pytest.mark.parametrize("name", ["k_bits", "v_bits"])
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), True])
def test_a_bad_width_is_refused_by_name(name: str, value: Any) -> None:
    wrong: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=rf"^{name}: bits a number"):
        MODELS["Llama-3-8B"].kv_bytes(1, **wrong)


@given(models, st.integers(0, 300_000), st.integers(0, 5), st.integers(1, 300))
def test_held_is_at_most_in_blocks_which_is_at_most_reserved(model: Model, n: int, batch: int, size: int) -> None:
    held = model.kv_bytes(n, batch=batch)
    paged = model.reserved_bytes(n, batch=batch, block_size=size, windows=True)
    assert held <= paged <= model.reserved_bytes(n, batch=batch, block_size=size)
    assert model.reserved_bytes(n, batch=batch, windows=True) == held


@given(models, st.integers(0, 5_000), st.sampled_from([1, 2, 4]))
def test_devices_together_hold_the_cache_and_copies_of_what_they_share(model: Model, n: int, devices: int) -> None:
    if model.n_heads % devices:
        return
    heads = model.kv_heads_on(devices)
    copies = devices if heads is None else Fraction(heads * devices, model.n_kv_heads or 1)
    if model.cross is None:
        assert model.kv_bytes(n, devices=devices) * devices == model.kv_bytes(n) * copies


# Work


@given(st.integers(1, 200), st.integers(1, 250))
def test_pairs_counted_one_by_one(n: int, window: int) -> None:
    assert LayerGroup(1, window).pairs(n) == sum(min(i, window) for i in range(1, n + 1))
    assert LayerGroup(1).pairs(n) == sum(range(1, n + 1))


def test_attention_flops_of_a_model_by_hand() -> None:
    model = MODELS["Llama-3-8B"]
    assert model.attention_flops(1_000) == 32 * 32 * 1_000 * (2 * 128 + 2 * 128)
    assert model.prefill_attention_flops(3) == 32 * 32 * 6 * 512
    latent = MODELS["DeepSeek-V3"]
    assert latent.attention_flops(1) == 61 * 128 * (2 * 576 + 2 * 512)
    assert latent.prefill_attention_flops(1) == 61 * 128 * (2 * 192 + 2 * 128)


# Parameters as published


@pytest.mark.parametrize(
    ("name", "total", "active"),
    [
        ("Llama-3.1-8B", 8.03, None),
        ("Llama-3.1-70B", 70.6, None),
        ("Llama-3.1-405B", 405, None),
        ("Llama-3.2-3B", 3.21, None),
        ("Mistral-7B-v0.2", 7.24, None),
        ("gpt-oss-20b", 20.9, 3.61),
        ("gpt-oss-120b", 116.8, 5.13),
        ("Qwen3-30B-A3B", 30.5, 3.04),
        ("DeepSeek-V3", 671, 36.6),
        ("DeepSeek-V2", 236, 20.9),
        ("DeepSeek-V2-Lite", 15.7, 2.45),
        ("Qwen3-Next-80B-A3B", 79.7, 3.56),
    ],
)
def test_parameters_in_billions(name: str, total: float, active: float | None) -> None:
    model = PUBLISHED[name]
    assert model.known_parameters / 1e9 == pytest.approx(total, rel=0.003)
    if active is not None:
        assert model.step_parameters / 1e9 == pytest.approx(active, rel=0.003)


def test_llama_3_is_made_for_8k_and_llama_3_1_for_128k() -> None:
    assert MODELS["Llama-3-8B"].context == MODELS["Llama-3-70B"].context == 8 * KIB
    assert MODELS["Llama-3.1-8B"].context == MODELS["Llama-3.1-70B"].context == 128 * KIB


def test_experts_are_touched_from_a_few_to_all() -> None:
    model = MODELS["gpt-oss-120b"]
    assert model.touched_parameters(1) == pytest.approx(model.step_parameters)
    growing = [model.touched_parameters(n) for n in (1, 2, 8, 64, 4_096)]
    assert growing == sorted(growing)
    assert growing[-1] == pytest.approx(model.known_parameters - model.table)
    dense = MODELS["Llama-3-8B"]
    assert dense.touched_parameters(100) == dense.step_parameters == dense.known_parameters - dense.table


def test_unknown_parameters_are_asked_for() -> None:
    with pytest.raises(ValueError, match=r"^parameters: those of 24 layers are not known"):
        _ = WINDOWS.known_parameters


def test_every_published_model_has_parameters_and_a_name_on_the_hub() -> None:
    for name, model in PUBLISHED.items():
        assert model.name == name
        assert model.known_parameters > model.table > 0
        assert model.repo is not None
        assert model.repo.count("/") == 1
