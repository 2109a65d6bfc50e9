"""engine.models, kv_ladder and kv_formats against the published tables and the figures that went wrong elsewhere."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kv_cache import kv_bytes as plain_kv_bytes
from engine.kv_formats import BF16, FP8, FP8_DS_MLA, INT4, Format
from engine.kv_ladder import FactorName, Mistake, applies, kv_bytes, ladders
from engine.models import MODELS, Layers, Model

KIB, MIB, GIB = 2**10, 2**20, 2**30
K32, K128 = 32_768, 131_072

# Bytes a token over all layers without windows; the whole cache in MiB at 32,768 and 131,072 tokens. Published.
TABLE = {
    "Llama-2-7B": (524_288, 16 * KIB, 64 * KIB),
    "Llama-2-70B": (327_680, 10 * KIB, 40 * KIB),
    "Llama-3-70B": (327_680, 10 * KIB, 40 * KIB),
    "Llama-3-8B": (131_072, 4 * KIB, 16 * KIB),
    "Llama-3.1-8B": (131_072, 4 * KIB, 16 * KIB),
    "Llama-3.1-70B": (327_680, 10 * KIB, 40 * KIB),
    "Llama-3.1-405B": (516_096, 15.75 * KIB, 63 * KIB),
    "Llama-3.2-3B": (114_688, 3.5 * KIB, 14 * KIB),
    "Mistral-7B-v0.1": (131_072, 512, 512),
    "Mistral-7B-v0.2": (131_072, 4 * KIB, 16 * KIB),
    "Qwen2.5-7B": (57_344, 1.75 * KIB, 7 * KIB),
    "Qwen3-0.6B": (114_688, 3.5 * KIB, 14 * KIB),
    "Gemma-2-9B": (344_064, 6_048, 22_176),
    "Gemma-2-27B": (376_832, 6_624, 24_288),
    "Gemma-3-1B": (26_624, 139, 523),
    "Gemma-3-4B": (139_264, 756, 2_676),
    "Gemma-3-27B": (507_904, 2_976, 10_656),
    "gpt-oss-120b": (73_728, 1_156.5, 4_612.5),
}
LATENT = {  # in GiB, to four places
    "DeepSeek-V3": (70_272, 2.1445, 8.5781),
    "DeepSeek-V2": (69_120, 2.1094, None),
    "DeepSeek-V2-Lite": (31_104, 0.9492, None),
}
models = st.sampled_from(list(MODELS.values()))


@pytest.mark.parametrize("name", TABLE)
def test_the_published_table_of_models_with_k_and_v(name: str) -> None:
    per_token, at_32k, at_128k = TABLE[name]
    assert MODELS[name].kv_bytes(1) == per_token  # one token fills no window
    assert MODELS[name].kv_bytes(K32) == at_32k * MIB
    assert MODELS[name].kv_bytes(K128) == at_128k * MIB


@pytest.mark.parametrize("name", LATENT)
def test_the_published_table_of_models_with_a_latent(name: str) -> None:
    per_token, at_32k, at_128k = LATENT[name]
    assert MODELS[name].kv_bytes(1) == per_token
    assert round(MODELS[name].kv_bytes(K32) / GIB, 4) == at_32k
    if at_128k is not None:
        assert round(MODELS[name].kv_bytes(K128) / GIB, 4) == at_128k


def test_every_model_is_in_a_table_under_its_own_name_or_in_the_head_dim_case() -> None:
    assert set(MODELS) == {*TABLE, *LATENT, "Qwen3-4B", "Qwen3-30B-A3B", "gpt-oss-20b"}
    assert all(model.name == name and model.source for name, model in MODELS.items())
    assert not any("memory" in model.source for model in MODELS.values())


def test_the_unwindowed_columns() -> None:
    assert kv_bytes(MODELS["Mistral-7B-v0.1"], K32, mistake=Mistake.NO_WINDOW) == 4 * GIB
    assert kv_bytes(MODELS["Gemma-2-9B"], K32, mistake=Mistake.NO_WINDOW) == 10_752 * MIB
    assert round(MODELS["DeepSeek-V3"].kv_bytes(163_840) / GIB, 4) == 10.7227
    assert round(MODELS["Gemma-3-27B"].kv_bytes(K128) / GIB, 2) == 10.41


def test_layers_and_their_kinds() -> None:
    kinds = {name: MODELS[name].layers for name in ("Llama-3-8B", "Mistral-7B-v0.1", "gpt-oss-120b", "DeepSeek-V3")}
    assert list(kinds.values()) == [Layers.UNIFORM, Layers.SLIDING, Layers.MIXED, Layers.UNIFORM]
    assert [(g.n_layers, g.window) for g in MODELS["Gemma-3-27B"].groups] == [(52, 1_024), (10, None)]
    assert all(sum(group.n_layers for group in model.groups) == model.n_layers for model in MODELS.values())


# T28 to T33, T37


def test_t28_a_7b_with_32_kv_heads_keeps_16_gib_not_512_mib() -> None:
    model = MODELS["Llama-2-7B"]
    assert model.kv_bytes(K32) == 16 * GIB
    assert model.kv_bytes(32_000) == 15.625 * GIB
    assert kv_bytes(model, 1, mistake=Mistake.ONE_HEAD) == 16_384  # 512 bytes a head and layer, times layers only
    assert kv_bytes(model, K32, mistake=Mistake.ONE_HEAD) == 512 * MIB
    assert kv_bytes(model, 1, mistake=Mistake.ONE_LAYER) == 16_384


def test_t29_a_70b_in_gib_and_in_gb() -> None:
    model = MODELS["Llama-3-70B"]
    assert (model.kv_bytes(K32), model.kv_bytes(K128)) == (10 * GIB, 40 * GIB)
    assert [round(model.kv_bytes(t) / 1e9, 2) for t in (K32, K128)] == [10.74, 42.95]
    assert [kv_bytes(model, t, mistake=Mistake.QUERY_HEADS) // GIB for t in (K32, K128)] == [80, 320]
    assert round(model.kv_bytes(128_000) / GIB, 2) == 39.06
    assert kv_bytes(model, 1, mistake=Mistake.ONE_LAYER) == 4_096


def test_t29_40_gib_do_not_fit_in_40_gb_though_the_figure_does() -> None:
    assert MODELS["Llama-3-70B"].kv_bytes(K128) > 40 * 10**9
    assert kv_bytes(MODELS["Llama-3-70B"], K128, mistake=Mistake.GB_FOR_GIB) == 40 * 10**9


def test_t30_8_gib_are_8_589935_gb() -> None:
    right = MODELS["Llama-3-8B"].kv_bytes(65_536)
    assert right == 8 * GIB
    assert round(right / 10**9, 6) == 8.589935
    assert kv_bytes(MODELS["Llama-3-8B"], 65_536, mistake=Mistake.GB_FOR_GIB) == 8 * 10**9


def test_t30_32k_is_not_32_000() -> None:
    model = MODELS["Llama-3-70B"]
    wrong = kv_bytes(model, K32, mistake=Mistake.THOUSAND_FOR_1024)
    assert wrong == model.kv_bytes(32_000)
    assert round(model.kv_bytes(K32) / wrong - 1, 3) == 0.024


@pytest.mark.parametrize(
    ("mistake", "wrong"),
    [
        (Mistake.MLA_TWICE, 124_928),
        (Mistake.MLA_NO_ROPE, 62_464),
        (Mistake.HIDDEN_OVER_HEADS, 1_748_992),
        (Mistake.MLA_ROPE_AS_HEAD_DIM, 1_998_848),
        (Mistake.MLA_AS_GQA, 3_997_696),
    ],
)
def test_t31_wrong_figures_for_mla(mistake: Mistake, wrong: int) -> None:
    assert kv_bytes(MODELS["DeepSeek-V3"], 1, mistake=mistake) == wrong != MODELS["DeepSeek-V3"].kv_bytes(1) == 70_272


def test_t31_the_expanded_layout_is_right_too_and_71_times_larger() -> None:
    model = MODELS["DeepSeek-V3"]
    assert model.expanded_bytes(1) == 4_997_120
    assert Fraction(model.expanded_bytes(1), model.kv_bytes(1)) == Fraction(640, 9)
    with pytest.raises(ValueError, match="Llama-3-8B"):
        MODELS["Llama-3-8B"].expanded_bytes(1)


def test_t31_a_quantised_latent_with_its_scales() -> None:
    model = MODELS["DeepSeek-V3"]
    assert FP8_DS_MLA.token_layer_bytes(model) == 656
    assert FP8_DS_MLA.kv_bytes(model, 1) == 40_016
    one_layer = replace(model, n_layers=1)
    assert INT4.kv_bytes(one_layer, 65_536) == one_layer.kv_bytes(65_536, itemsize=Fraction(1, 2)) == 18 * MIB
    assert INT4.kv_bytes(model, 65_536) == model.kv_bytes(65_536, itemsize=0.5) == 1_098 * MIB


def test_70b_at_8_bits_keeps_5_gib_and_a_quarter_of_it_on_each_of_4_devices() -> None:
    assert FP8.kv_bytes(MODELS["Llama-3-70B"], K32) == MODELS["Llama-3-70B"].kv_bytes(K32, itemsize=1) == 5 * GIB
    assert FP8.kv_bytes(replace(MODELS["Llama-3-70B"], n_kv_heads=2), K32) == 1.25 * GIB


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("Qwen3-4B", 147_456, 92_160),
        ("Qwen3-0.6B", 114_688, 57_344),
        ("Gemma-3-27B", 507_904, 666_624),
        ("gpt-oss-120b", 73_728, 51_840),
    ],
)
def test_t32_head_dim_is_not_hidden_over_heads(name: str, right: int, wrong: int) -> None:
    assert MODELS[name].kv_bytes(1) == right
    assert kv_bytes(MODELS[name], 1, mistake=Mistake.HIDDEN_OVER_HEADS) == wrong


def test_t33_no_constant_a_token_describes_a_window() -> None:
    model = MODELS["Gemma-3-27B"]
    assert model.kv_bytes(1_000) == 507_904_000 == kv_bytes(model, 1_000, mistake=Mistake.NO_WINDOW)
    assert round(kv_bytes(model, K128, mistake=Mistake.NO_WINDOW) / model.kv_bytes(K128), 3) == 5.958


@pytest.mark.parametrize(("name", "mib"), [("Llama-3-8B", 2), ("Llama-3-70B", 5), ("Llama-2-7B", 8)])
def test_t37_one_block_of_16_tokens_over_all_layers(name: str, mib: int) -> None:
    assert MODELS[name].kv_bytes(16) == mib * MIB


# The source's own example, and the rest of the wrong ways


def test_q026_one_k_then_bytes_then_v() -> None:
    [ladder] = ladders(MODELS["Llama-3-8B"], K32)
    assert [factor.name for factor in ladder][-3:] == [FactorName.HEAD_DIM, FactorName.ITEMSIZE, FactorName.K_AND_V]
    assert [factor.product for factor in ladder][-3:] == [1_073_741_824, 2_147_483_648, 4 * GIB]
    assert MODELS["Llama-3-8B"].kv_bytes(K32 + 1) - MODELS["Llama-3-8B"].kv_bytes(K32) == 128 * KIB
    assert kv_bytes(MODELS["Llama-3-8B"], K32, mistake=Mistake.QUERY_HEADS) == 16 * GIB


def test_forgetting_v_halves_and_bits_for_bytes_multiplies_by_8() -> None:
    model = MODELS["Llama-3-8B"]
    assert kv_bytes(model, K32, mistake=Mistake.FORGOT_V) == 2 * GIB
    assert kv_bytes(model, K32, mistake=Mistake.BITS_FOR_BYTES) == 32 * GIB


def test_mla_has_no_v_to_forget_and_the_others_no_latent() -> None:
    assert not applies(Mistake.FORGOT_V, MODELS["DeepSeek-V3"])
    assert not applies(Mistake.MLA_AS_GQA, MODELS["Llama-3-8B"])
    assert not applies(Mistake.HIDDEN_OVER_HEADS, replace(MODELS["DeepSeek-V2"], hidden=None))
    with pytest.raises(ValueError, match="mistake: forgot_v"):
        kv_bytes(MODELS["DeepSeek-V3"], 1, mistake=Mistake.FORGOT_V)


@given(models, st.integers(0, 300_000), st.integers(0, 9), st.sampled_from([1, 2, 4, 8]))
def test_the_ladders_climb_to_the_cache_and_a_format_without_scales_costs_the_same(
    model: Model, seq_len: int, batch: int, itemsize: int
) -> None:
    right = model.kv_bytes(seq_len, batch=batch, itemsize=itemsize)
    assert kv_bytes(model, seq_len, batch=batch, itemsize=itemsize) == right
    assert Format(Fraction(itemsize)).kv_bytes(model, seq_len, batch=batch) == right
    for ladder in ladders(model, seq_len, batch=batch, itemsize=itemsize):
        product = 1
        for factor in ladder:
            product *= factor.value
            assert factor.product == product


@given(models, st.integers(0, 300_000))
def test_token_by_token_count_layer_by_layer(model: Model, seq_len: int) -> None:
    windows = [model.window] * model.n_local + [None] * (model.n_layers - model.n_local)
    kept = sum(seq_len if window is None else min(seq_len, window) for window in windows)
    assert model.kv_bytes(seq_len) == kept * model.numbers * 2 == BF16.kv_bytes(model, seq_len)


def test_a_uniform_model_is_the_plain_formula() -> None:
    shape: dict[str, Any] = {"n_layers": 32, "batch": 3, "seq_len": 77, "n_kv_heads": 8, "head_dim": 128, "itemsize": 2}
    assert MODELS["Llama-3-8B"].kv_bytes(77, batch=3) == plain_kv_bytes(**shape)


@given(st.integers(1, 600), st.integers(1, 300), st.integers(1, 8))
def test_scales_are_counted_for_every_group_begun(n: int, group: int, scale_bytes: int) -> None:
    numbers = [1] * n
    groups = [numbers[i : i + group] for i in range(0, n, group)]
    expected = sum(len(g) + scale_bytes for g in groups)
    assert Format(Fraction(1), group, scale_bytes).vector_bytes(n) == expected


@pytest.mark.parametrize(
    ("wrong", "name"),
    [({"seq_len": -1}, "seq_len"), ({"seq_len": 1.5}, "seq_len"), ({"seq_len": True}, "seq_len")]
    + [({"seq_len": 1, "batch": -1}, "batch")]
    + [({"seq_len": 1, "itemsize": size}, "itemsize") for size in (0, -2, float("nan"), float("inf"))],
)
def test_a_bad_count_is_refused_by_name(wrong: dict[str, Any], name: str) -> None:
    for model in (MODELS["Llama-3-8B"], MODELS["DeepSeek-V3"]):
        with pytest.raises(ValueError, match=f"^{name}: "):
            model.kv_bytes(**wrong)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"itemsize": Fraction(0)}, "itemsize"),
        ({"itemsize": Fraction(1), "group": 0}, "group"),
        ({"itemsize": Fraction(1), "scale_bytes": -1}, "scale_bytes"),
        ({"itemsize": Fraction(1), "rope_itemsize": Fraction(-1)}, "rope_itemsize"),
    ],
)
def test_a_bad_format_is_refused_by_name(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        Format(**wrong)


def test_nobody_can_change_a_model() -> None:
    with pytest.raises(TypeError):
        MODELS["x"] = MODELS["Llama-3-8B"]  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        MODELS["Llama-3-8B"].n_layers = 1  # type: ignore[misc]
