"""Plans: logged and published figures, bounds that measurements respect, what fits, advice, the lines to run."""

from __future__ import annotations

import ast
import json
import shlex
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.advice import Choice, Topic, recommend
from engine.advisor import Deployment, Draft, Figure, Plan, Priority, Unknown, plan
from engine.devices import DEVICES, Format
from engine.models import MODELS, OTHERS, PUBLISHED, Model
from engine.serve_lines import transformers, vllm
from engine.standing import Standing

GIB = 2**30
L4 = Deployment(PUBLISHED["Qwen3-4B"], DEVICES["L4"], context=32_768, requests=1)
BASE = Deployment()
SMALL = PUBLISHED["Qwen3-0.6B"]

deployments = st.builds(
    Deployment,
    model=st.sampled_from(list(PUBLISHED.values())),
    device=st.sampled_from(list(DEVICES.values())),
    n_devices=st.sampled_from([1, 2, 4]),
    weight_bits=st.sampled_from([16, 8, Fraction(17, 4), 4]),
    k_bits=st.sampled_from([16]),
    v_bits=st.sampled_from([16]),
    context=st.integers(1, 200_000),
    requests=st.integers(1, 300),
    shared_prefix=st.just(0),
    draft=st.none() | st.builds(Draft, k=st.integers(0, 8), alpha=st.fractions(0, 1), cost=st.fractions(0, 1)),
)


def figures(found: Plan) -> list[Figure]:
    """All figures of a plan."""
    values = [getattr(found, field.name) for field in fields(found)]
    return [v for v in values if isinstance(v, Figure)] + list(found.most_requests)


# Against what others logged


@pytest.mark.parametrize(
    ("context", "bits", "measured"),
    [(2_048, 16, 29.1), (8_192, 16, 26.4), (16_384, 16, 23.6), (32_768, 16, 19.4), (32_768, 8, 23.4)],
)
def test_measured_tokens_a_second_stay_below_the_bound(context: int, bits: int, measured: float) -> None:
    """vLLM's own figures, Qwen3-4B on an L4, one request (docs/features/quantization/quantized_kvcache.md)."""
    bound = plan(replace(L4, context=context, k_bits=bits, v_bits=bits)).tokens_a_second
    assert bound.standing is Standing.BOUND
    assert measured < bound.value < measured * 1.4


@pytest.mark.parametrize(("bits", "logged"), [(16, 2.55), (8, 5.10)])
def test_the_least_number_of_requests_is_what_vllm_logs(bits: int, logged: float) -> None:
    low, high = plan(replace(L4, k_bits=bits, v_bits=bits)).most_requests
    assert low.value == int(logged)
    assert high.value >= low.value


def test_published_caches() -> None:
    assert plan(BASE).cache_a_token.value == 128 * 1024
    seventy = Deployment(MODELS["Llama-3.1-70B"], DEVICES["H200 SXM"], 16, context=8_192)
    assert plan(seventy).cache_a_token.value == 40_960
    hybrid = Deployment(OTHERS["Qwen3.5-27B"], DEVICES["H200 SXM"], context=262_144, requests=1)
    assert plan(hybrid).held.value == 16 * GIB
    mixed = Deployment(MODELS["Llama-3-8B"], k_bits=16, v_bits=Fraction(17, 2))
    assert plan(mixed).cache_a_token.value == 100_352
    windows = Model("24", 24, 64, 8, 64, "logged", n_local=12, window=128, parameters=10**9)
    found = plan(Deployment(windows, DEVICES["H200 SXM"], context=8_192, requests=32))
    assert round(float(found.held.value) / GIB, 2) == 6.09
    assert found.reserved.value == 12 * GIB


def test_a_40_gb_card_does_not_hold_128k_of_a_70b() -> None:
    one = Deployment(MODELS["Llama-3.1-70B"], DEVICES["A100 SXM 40 GB"], context=131_072, requests=1, weight_bits=4)
    found = plan(one)
    assert found.held.value == 40 * GIB > found.memory.value
    assert not found.fits


# What must hold of every plan


@settings(max_examples=60, deadline=None)
@given(deployments)
def test_a_plan_is_consistent(d: Deployment) -> None:
    found = plan(d)
    for figure in figures(found):
        assert figure.formula
        assert isinstance(figure.value, Fraction)
    assert found.held.value <= found.in_blocks.value <= found.reserved.value or d.shared_prefix or d.draft
    low, high = found.most_requests
    assert 0 <= low.value <= high.value
    assert found.fits == (d.requests <= high.value) or d.model.cross is not None or d.draft is not None
    assert found.step.value <= found.expected_step.value
    steps = [batch.seconds for batch in found.batches]
    assert steps == sorted(steps)
    rates = [batch.tokens_a_second for batch in found.batches]
    assert rates == sorted(rates)
    assert {r.topic for r in recommend(found)} == set(Topic)
    assert vllm(d).startswith("vllm serve ")
    ast.parse(transformers(d))


def test_a_deployment_can_be_a_key() -> None:
    assert len({BASE, replace(BASE), replace(BASE, requests=3)}) == 2


def test_a_larger_batch_gives_more_tokens_and_waits_longer() -> None:
    found = plan(replace(BASE, requests=64))
    first, last = found.batches[0], found.batches[-1]
    assert last.tokens_a_second > 3 * first.tokens_a_second
    assert last.seconds > first.seconds


def test_a_decode_step_is_bound_by_memory_and_a_prefill_by_arithmetic() -> None:
    found = plan(BASE)
    assert found.by_memory
    assert found.ridge is not None
    assert found.intensity.value < 20 < found.ridge.value
    assert found.prefill.value == found.prefill_flop.value / DEVICES["H100 SXM5"].flops[Format.BF16].value
    tiny = plan(replace(BASE, context=16, requests=4_000))
    assert not tiny.by_memory
    assert tiny.intensity.value > found.ridge.value


def test_a_step_by_hand() -> None:
    found = plan(replace(BASE, requests=2, context=1_000))
    weights = (8_030_261_248 - 525_336_576) * 2
    read = weights + 2 * 1_000 * 131_072
    assert found.step.value == Fraction(read, 335 * 10**10)
    flop = 2 * (2 * (8_030_261_248 - 525_336_576) + 32 * 32 * 1_000 * 512)
    assert found.intensity.value == Fraction(flop, read)


def test_a_mixture_reads_the_active_parameters_at_least() -> None:
    d = Deployment(MODELS["gpt-oss-120b"], weight_bits=Fraction(17, 4), requests=1, context=1_000)
    found = plan(d)
    assert found.step.value == pytest.approx(5.133e9 * 4.25 / 8 / 3.35e12, rel=0.02)
    assert Unknown.ROUTING in found.unknown
    many = plan(replace(d, requests=64))
    assert many.expected_step.value > 3 * many.step.value


# Reuse and guessing


def test_what_a_shared_prefix_saves() -> None:
    d = replace(BASE, shared_prefix=4_000, requests=8)
    found, plain = plan(d), plan(replace(d, shared_prefix=0))
    assert found.reused_tokens.value == 4_000
    assert found.cache_saved.value == 7 * 4_000 * 131_072 == plain.held.value - found.held.value
    assert 0 < found.prefill_saved.value < found.prefill.value
    assert found.most_requests[1].value > plain.most_requests[1].value
    assert plan(replace(d, shared_prefix=15)).reused_tokens.value == 0
    assert plan(replace(d, shared_prefix=8_192)).reused_tokens.value == 8_176  # never the whole prompt


def test_windows_and_states_keep_a_prefix_from_being_counted_once() -> None:
    found = plan(Deployment(MODELS["gpt-oss-20b"], shared_prefix=4_000))
    assert found.cache_saved.value == 0
    assert Unknown.PREFIX_IN_WINDOWS in found.unknown


def test_guessing_gains_alone_and_loses_in_a_large_batch() -> None:
    draft = Draft(k=4, alpha=0.8, model=SMALL)
    alone = plan(replace(BASE, requests=1, draft=draft))
    crowd = plan(replace(BASE, requests=4_000, context=16, draft=draft))
    assert alone.speculation is not None
    assert crowd.speculation is not None
    assert alone.speculation.value > 2 > 1 > crowd.speculation.value
    assert alone.tokens_a_pass is not None
    assert alone.tokens_a_pass.value == Fraction(2101, 625)
    assert alone.draft_weights.value == SMALL.known_parameters * 2
    assert plan(replace(BASE, draft=Draft(k=0))).speculation.value == 1  # type: ignore[union-attr]


# Advice


def advised(d: Deployment) -> dict[Topic, Choice]:
    return {r.topic: r.choice for r in recommend(plan(d))}


def test_advice_for_what_is_roomy() -> None:
    assert advised(replace(BASE, requests=1)) == {
        Topic.ATTENTION: Choice.FUSED,
        Topic.CACHE: Choice.PAGED,
        Topic.CACHE_FORMAT: Choice.KEEP_FORMAT,
        Topic.WEIGHTS: Choice.KEEP_WEIGHTS,
        Topic.SPECULATION: Choice.DO_NOT_SPECULATE,
    }


def test_advice_for_what_is_tight_shared_and_slow() -> None:
    d = replace(BASE, context=32_768, requests=20, shared_prefix=1_000)
    assert advised(d)[Topic.CACHE] is Choice.PAGED_AND_SHARED
    assert advised(d)[Topic.CACHE_FORMAT] is Choice.CACHE_IN_8_BITS
    fast = replace(BASE, requests=1, context=1_000, priority=Priority.LATENCY, draft=Draft(model=SMALL))
    assert advised(fast)[Topic.WEIGHTS] is Choice.WEIGHTS_IN_8_BITS
    assert advised(fast)[Topic.SPECULATION] is Choice.SPECULATE
    big = replace(BASE, model=MODELS["Llama-3.1-70B"], requests=1)
    assert advised(big)[Topic.WEIGHTS] is Choice.WEIGHTS_IN_8_BITS
    assert advised(replace(big, model=MODELS["Llama-3.1-405B"]))[Topic.WEIGHTS] is Choice.MORE_DEVICES


def test_every_recommendation_has_its_figures() -> None:
    for recommendation in recommend(plan(replace(BASE, draft=Draft(), shared_prefix=100))):
        assert recommendation.before.unit is recommendation.after.unit
        assert recommendation.lesson


# Lines to run


def test_the_command_line_holds_what_was_planned() -> None:
    d = replace(BASE, n_devices=4, k_bits=8, v_bits=8, weight_bits=8, draft=Draft(k=5, model=SMALL))
    words = shlex.split(vllm(d).replace("\\\n", " "))
    assert words[:3] == ["vllm", "serve", "meta-llama/Llama-3.1-8B-Instruct"]
    options = dict(zip(words[3::2], words[4::2], strict=True))
    config = json.loads(options.pop("--speculative-config"))
    assert config == {"model": "Qwen/Qwen3-0.6B", "num_speculative_tokens": 5, "method": "draft_model"}
    assert options == {
        "--tensor-parallel-size": "4",
        "--max-model-len": "8192",
        "--max-num-seqs": "16",
        "--kv-cache-dtype": "fp8",
        "--quantization": "fp8_per_tensor",
    }


def test_a_name_cannot_leave_its_place() -> None:
    d = replace(BASE, model=replace(BASE.model, repo="a; rm -rf ~ '\"\n$(x)"))
    assert shlex.split(vllm(d).replace("\\\n  --", " --"))[2] == "a; rm -rf ~ '\"\n$(x)"
    tree = ast.parse(transformers(d))
    assert any(isinstance(n, ast.Constant) and n.value == d.model.repo for n in ast.walk(tree))


def test_python_lines_use_current_names() -> None:
    lines = transformers(replace(BASE, draft=Draft(model=SMALL), k_bits=8, v_bits=8))
    assert 'dtype="bfloat16"' in lines
    assert "torch_dtype" not in lines
    assert "assistant_model=draft" in lines
    assert 'cache_implementation="quantized"' in lines
    assert "prompt_lookup_num_tokens=4" in transformers(replace(BASE, draft=Draft()))
    assert 'attn_implementation="flash_attention_2"' in transformers(replace(BASE, device=DEVICES["L4"]))
    assert 'attn_implementation="sdpa"' in transformers(replace(BASE, device=DEVICES["TPU v5e"]))


# Bad input


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"n_devices": 0}, "n_devices"),
        ({"n_devices": 3}, "devices"),
        ({"requests": 0}, "requests"),
        ({"context": 0}, "context"),
        ({"context": 10**9}, "context"),
        ({"shared_prefix": 8_193}, "shared_prefix"),
        ({"weight_bits": 0}, "weight_bits"),
        ({"k_bits": float("nan")}, "k_bits"),
        ({"v_bits": 65}, "v_bits"),
        ({"model": replace(BASE.model, parameters=None)}, "parameters"),
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        replace(BASE, **wrong)


@pytest.mark.parametrize(
    ("wrong", "name"),
    [({"k": -1}, "draft.k"), ({"k": 1_000}, "draft.k"), ({"alpha": 1.5}, "draft.alpha"), ({"cost": -1}, "draft.cost")],
)
def test_a_bad_draft_is_named(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        Draft(**wrong)


def test_a_length_that_cannot_fit_is_a_plan_that_says_so() -> None:
    found = plan(replace(BASE, context=10**7, requests=1))
    assert not found.fits
    assert found.most_requests[1].value == 0
    assert Unknown.BEYOND_CONTEXT in found.unknown
