"""engine.kv_size: one ladder for every model, against kv_ladder's ints, the formats, and the source's example."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import kv_ladder
from engine.kv_formats import BF16, FP8_DS_MLA, Format
from engine.kv_ladder import Mistake, applies
from engine.kv_size import (
    GIB,
    Device,
    HeadCounts,
    Multiply,
    OnDevice,
    OneMore,
    RungName,
    Scenario,
    Units,
    ladder,
    layouts,
    trace,
)
from engine.models import MODELS, Model

KIB = 2**10
models = st.sampled_from(list(MODELS.values()))
formats = st.builds(
    Format,
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4)]),
    st.sampled_from([None, 16, 32, 128]),
    st.sampled_from([0, 2, 4]),
    st.sampled_from([None, Fraction(2)]),
)


def one_more(s: Scenario) -> tuple[int, int]:
    return s.token_bytes, s.growing


def test_q026_rung_by_rung() -> None:
    rungs = ladder(Scenario())
    assert [rung.parts for rung in rungs] == [(32,), (1,), (32_768,), (8,), (128,), (2,), (2,)]
    assert [rung.product for rung in rungs][-3:] == [1_073_741_824, 2_147_483_648, 4_294_967_296]
    assert one_more(Scenario()) == (128 * KIB, 32)
    assert [(x.heads, x.total / GIB, x.own) for x in layouts(Scenario())] == [
        (1, 0.5, False),
        (8, 4, True),
        (32, 16, False),
    ]


@given(models, st.integers(1, 300_000), st.integers(1, 9), st.sampled_from([1, 2, 4]), st.sampled_from(list(Mistake)))
def test_every_mistake_costs_what_the_ladder_of_ints_says(
    model: Model, seq_len: int, batch: int, itemsize: int, mistake: Mistake
) -> None:
    s = Scenario(model, seq_len, batch, Format(Fraction(itemsize)), mistake=mistake)
    made = mistake if applies(mistake, model) else Mistake.NONE
    assert s.cache_bytes == kv_ladder.kv_bytes(model, seq_len, batch=batch, itemsize=itemsize, mistake=made)


@given(models, st.integers(1, 300_000), st.integers(1, 9), formats)
def test_every_format_costs_what_it_says(model: Model, seq_len: int, batch: int, f: Format) -> None:
    assert Scenario(model, seq_len, batch, f).cache_bytes == f.kv_bytes(model, seq_len, batch=batch)


@given(models, st.integers(1, 300_000), st.integers(1, 9), formats)
def test_one_more_token_is_the_difference_of_two_caches(model: Model, seq_len: int, batch: int, f: Format) -> None:
    here, there = (Scenario(model, t, 1, f).cache_bytes for t in (seq_len, seq_len + 1))
    assert Scenario(model, seq_len, batch, f).token_bytes == there - here


@given(models, st.integers(1, 300_000), formats, st.sampled_from(list(Mistake)))
def test_right_and_wrong_stop_at_the_same_steps(model: Model, seq_len: int, f: Format, mistake: Mistake) -> None:
    right = Scenario(model, seq_len, 1, f)
    for a, b in zip(trace(right), trace(replace(right, mistake=mistake)), strict=True):
        assert type(a) is type(b)
        if isinstance(a, Multiply) and isinstance(b, Multiply):
            assert (a.at, a.rung.name) == (b.at, b.rung.name)


def test_the_other_cache_is_the_largest_that_is_not_the_models_own() -> None:
    def counts(s: Scenario) -> HeadCounts:
        return next(step for step in trace(s) if isinstance(step, HeadCounts))

    def other(s: Scenario) -> int | None:
        found = counts(s).other
        return None if found is None else found.heads

    unshared = replace(MODELS["Llama-3-8B"], n_kv_heads=32)
    assert other(Scenario()) == 32
    assert other(Scenario(unshared)) == 8
    assert other(Scenario(MODELS["DeepSeek-V3"])) == 128
    assert other(Scenario(replace(unshared, n_heads=1, n_kv_heads=1))) is None
    assert counts(Scenario()).own.total == Scenario().cache_bytes


def test_the_expanded_layout_of_mla_is_640_ninths_of_the_latent() -> None:
    latent, written = layouts(Scenario(MODELS["DeepSeek-V3"]))
    assert (latent.heads, latent.own, written.heads) == (None, True, 128)
    assert Fraction(written.total, latent.total) == Fraction(640, 9)
    assert written.total == MODELS["DeepSeek-V3"].expanded_bytes(32_768)


def test_scales_are_a_rung_of_their_own_only_where_there_are_any() -> None:
    assert RungName.SCALES not in [rung.name for rung in ladder(Scenario())]
    scales = Format(Fraction(1, 2), 32, 2)
    scaled = ladder(Scenario(format=scales))
    assert [(r.name, r.parts) for r in scaled][-2] == (RungName.SCALES, (4, 2))
    assert Fraction(scaled[-2].product, scaled[-3].product) == Fraction(72, 64)
    added = {step.rung.name: step.added for step in trace(Scenario(format=scales)) if isinstance(step, Multiply)}
    assert added[RungName.SCALES] == 32_768 * 32 * 8 * 4 * 2 == scales.scales(128) * 2 * 32_768 * 32 * 8
    assert added[RungName.K_AND_V] == scaled[-2].product
    mla = ladder(Scenario(MODELS["DeepSeek-V3"], 1, format=FP8_DS_MLA))
    assert [r.parts for r in mla][-4:] == [(512, 64), (1, 2), (4, 4), (1,)]
    assert mla[-1].product == 61 * 656


def test_a_full_window_grows_no_more() -> None:
    assert one_more(Scenario(MODELS["Mistral-7B-v0.1"])) == (0, 0)
    assert one_more(Scenario(MODELS["Mistral-7B-v0.1"], 4_095)) == (131_072, 32)
    assert one_more(Scenario(MODELS["Gemma-3-27B"]))[1] == 10
    assert one_more(Scenario(MODELS["Mistral-7B-v0.1"], mistake=Mistake.NO_WINDOW)) == (131_072, 32)


def test_on_a_device_weights_and_cache_leave_the_rest() -> None:
    *_, units, more, counts, on = trace(Scenario())
    assert isinstance(units, Units)
    assert isinstance(more, OneMore)
    assert isinstance(counts, HeadCounts)
    assert isinstance(on, OnDevice)
    assert on.memory == on.weights + on.total + on.left
    assert on.weights == 16 * 10**9
    assert on.read_seconds == pytest.approx(1.282e-3, rel=1e-3)  # audit 0.32
    *_, full = trace(Scenario(MODELS["Llama-3-70B"], 131_072, device=Device(40.0, billions=0.0)))
    assert isinstance(full, OnDevice)
    assert full.left < 0  # audit 1.20: 40 GiB do not fit into 40 GB
    assert full.quotient < 1


def test_a_mistake_that_cannot_be_made_is_not_made() -> None:
    s = Scenario(MODELS["DeepSeek-V3"], mistake=Mistake.FORGOT_V)
    assert s.made is Mistake.NONE
    assert s.cache_bytes == replace(s, mistake=Mistake.NONE).cache_bytes


@pytest.mark.parametrize(("wrong", "name"), [({"seq_len": 0}, "seq_len"), ({"batch": 0}, "batch")])
def test_a_bad_count_is_refused_by_name(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        Scenario(format=BF16, **wrong)
