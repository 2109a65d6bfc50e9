"""engine.kv_reuse: the proof's figures, each wrong way against the engine's own measure of it, and where it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.decoder import Decoder
from engine.invalidation import Edit, Reuse, error, one_layer
from engine.kv_cache import KVCache
from engine.kv_reuse import (
    AskedNext,
    Conclusion,
    Finish,
    Look,
    Mended,
    Mistake,
    NextToken,
    Project,
    Replaced,
    Scenario,
    Step,
    apart,
    trace,
)
from engine.prompt_edits import ROUNDING, Sight
from engine.weights import norm

CHAPTER = Scenario()
TWENTY = tuple((7 * i + 3) % 11 for i in range(20))
modest = settings(max_examples=30, deadline=None)


def only(kind: type[Any], scenario: Scenario) -> list[Any]:
    return [step for step in trace(scenario) if isinstance(step, kind)]


scenarios = st.builds(
    Scenario,
    st.lists(st.integers(0, 10), min_size=1, max_size=5).map(tuple),
    st.integers(0, 10),
    st.integers(0, 1),
    st.integers(0, 10),
    st.integers(0, 10),
    st.integers(1, 3),
    st.integers(0, 3),
    st.sampled_from([Sight.CAUSAL, Sight.WINDOW]),
    st.integers(1, 5),
)


@modest
@given(scenarios)
def test_in_a_causal_model_every_old_row_holds_and_the_cache_gives_the_full_runs_logits(scenario: Scenario) -> None:
    (end,) = only(Conclusion, scenario)
    assert end.proof.holds_everywhere
    assert end.proof.same_view
    assert end.proof.x.max() <= ROUNDING
    for step in (*only(NextToken, scenario), *only(AskedNext, scenario)):
        assert step.error <= ROUNDING
    (mended,) = only(Mended, scenario)
    assert max(mended.k.max(), mended.v.max()) <= ROUNDING


@modest
@given(scenarios, st.sampled_from(Mistake))
def test_a_trace_stops_at_the_same_places_whatever_the_mistake(scenario: Scenario, mistake: Mistake) -> None:
    def places(s: Scenario) -> list[tuple[type[Step], object]]:
        return [(type(step), getattr(step, "layer", None)) for step in trace(s)]

    assert places(replace(scenario, mistake=mistake)) == places(scenario)


def test_in_a_bidirectional_model_only_layer_0_holds() -> None:
    (end,) = only(Conclusion, replace(CHAPTER, n_layers=3, sight=Sight.BOTH_WAYS))
    assert [end.proof.holds(layer) for layer in range(3)] == [True, False, False]
    assert not end.proof.same_view


def test_in_a_prefix_lm_the_append_holds_behind_the_prefix_and_not_inside_it() -> None:
    prefixed = Scenario((0, 1, 2, 3), appended=4, sight=Sight.PREFIX, prefix=4)
    assert only(Conclusion, prefixed)[0].proof.holds_everywhere
    assert not only(Conclusion, replace(prefixed, prefix=5))[0].proof.holds_everywhere
    assert replace(prefixed, edit_at=3).first_to_recompute == 0
    assert replace(prefixed, edit_at=4, edit_to=7).first_to_recompute == 4


def test_the_replacement_of_b_by_d_leaves_c_valid_in_layer_0_and_not_above() -> None:  # Q025, T16
    (step,) = only(Replaced, CHAPTER)
    assert (np.maximum(step.k, step.v) > ROUNDING).tolist() == [[False, True, False], [False, True, True]]


@pytest.mark.parametrize(("mistake", "layer", "off"), [(Mistake.LAYER_0, 0, 1.9682), (Mistake.TOP_LAYER, 2, 3.5685)])
def test_one_layers_cache_for_all_layers_is_off_by_the_audits_figure(mistake: Mistake, layer: int, off: float) -> None:
    scenario = Scenario(TWENTY[:19], TWENTY[19], n_layers=3, mistake=mistake)  # audit 0.9
    (step,) = only(NextToken, scenario)
    assert step.error == pytest.approx(off, abs=5e-5)
    cache = KVCache(scenario.config)
    decoder = Decoder(scenario.config)
    decoder.forward(scenario.tokens, cache)
    np.testing.assert_allclose(step.logits, decoder.forward([scenario.appended], one_layer(cache, layer)).logits[0])


@pytest.mark.parametrize(
    ("mistake", "reuse"), [(Mistake.KEEP_ALL, Reuse.EVERYTHING), (Mistake.EDITED_ONLY, Reuse.ALL_BUT_EDITED)]
)
@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_a_wrong_reuse_is_off_as_the_edit_itself_measures(mistake: Mistake, reuse: Reuse, n_layers: int) -> None:
    s = replace(CHAPTER, n_layers=n_layers, mistake=mistake)
    (step,) = only(AskedNext, s)
    assert step.error == pytest.approx(error(Edit(s.longer, s.edit_at, s.edit_to, s.asked, s.config), reuse), abs=1e-12)


@pytest.mark.parametrize(
    ("mistake", "kind", "layer"),
    [
        (Mistake.TOP_LAYER, Project, 0),
        (Mistake.LAYER_0, Project, 1),
        (Mistake.OLD_Q, Project, 0),
        (Mistake.KEEP_ALL, Mended, None),
        (Mistake.EDITED_ONLY, Mended, None),
    ],
)
def test_a_wrong_way_is_first_apart_where_it_takes_rows_that_are_not_the_right_ones(
    mistake: Mistake, kind: type[Step], layer: int | None
) -> None:
    wrong_way = trace(replace(CHAPTER, mistake=mistake))
    first = next(wrong for right, wrong in zip(trace(CHAPTER), wrong_way, strict=True) if apart(right, wrong))
    assert (type(first), getattr(first, "layer", None)) == (kind, layer)
    assert not any(apart(right, again) for right, again in zip(trace(CHAPTER), trace(CHAPTER), strict=True))


def test_with_one_layer_renewing_the_replaced_row_alone_is_right() -> None:
    (step,) = only(AskedNext, replace(CHAPTER, n_layers=1, mistake=Mistake.EDITED_ONLY))
    assert step.error <= ROUNDING


def test_token_100_of_128_kept_or_renewed_alone_is_off_by_the_sources_figures() -> None:  # T15
    prompt = tuple((7 * i + 3) % 11 for i in range(128))
    base = Scenario(prompt[:127], prompt[127], edit_at=100, edit_to=0, asked=5, n_layers=3)
    errors = [only(AskedNext, replace(base, mistake=m))[0].error for m in (Mistake.KEEP_ALL, Mistake.EDITED_ONLY)]
    np.testing.assert_allclose(errors, [0.0241428, 8.21e-4], atol=5e-7)
    assert only(AskedNext, base)[0].error <= 1e-13


def test_an_old_q_hands_nothing_over_so_the_new_token_sees_itself_alone() -> None:
    steps = only(Look, replace(CHAPTER, mistake=Mistake.OLD_Q))
    for step in steps:
        assert np.isnan(step.k[:2]).all()
        assert np.isnan(step.p[:2]).all()
        assert step.p[2] == 1
        np.testing.assert_array_equal(step.o, step.v[2])


@modest
@given(scenarios)
def test_each_step_of_the_path_follows_from_its_own_numbers(scenario: Scenario) -> None:
    projects, looks, ends = (only(kind, scenario) for kind in (Project, Look, Finish))
    for project, look, end in zip(projects, looks, ends, strict=True):
        seen = np.isfinite(look.s)
        np.testing.assert_allclose(look.s[seen], (look.k @ look.q / 2)[seen], atol=1e-12)  # √head_dim = 2
        np.testing.assert_allclose(look.p[seen].sum(), 1)
        np.testing.assert_allclose(look.p[seen] @ look.v[seen], look.o, atol=1e-12)
        np.testing.assert_array_equal(project.k, look.k)
        np.testing.assert_allclose(end.before + end.attended, end.between)
        np.testing.assert_allclose(end.between + end.fed, end.after)
    (last,) = only(NextToken, scenario)
    np.testing.assert_allclose(norm(ends[-1].after) @ Decoder(scenario.config).weights.unembedding, last.logits)


@pytest.mark.parametrize(
    ("named", "change"),
    [
        ("tokens", {"tokens": ()}),
        ("tokens", {"tokens": (0, 11)}),
        ("appended", {"appended": 11}),
        ("edit_to", {"edit_to": -1}),
        ("asked", {"asked": 11}),
        ("edit_at", {"edit_at": 3}),
        ("head", {"head": 4}),
        ("n_layers", {"n_layers": 0}),
        ("window", {"sight": Sight.WINDOW, "window": 0}),
        ("prefix", {"sight": Sight.PREFIX, "prefix": -1}),
    ],
)
def test_a_scenario_names_what_is_wrong(named: str, change: Any) -> None:
    with pytest.raises(ValueError, match=f"^{named}:"):
        replace(CHAPTER, **change)
