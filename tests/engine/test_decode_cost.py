"""engine.decode_cost and engine.generation: what runs is what is counted, right and in every wrong way (cases T69,
T70)."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.counts import Work, cached, decode, naive, naive_squares, prefill, without_cache
from engine.decode_cost import (
    Convention,
    Growth,
    Mistake,
    Passes,
    Price,
    Same,
    Scenario,
    Start,
    Step,
    Totals,
    Twice,
    trace,
)
from engine.decoder import Config, Decoder
from engine.generation import MOST_RUN, bytes_of, generate, multiplications
from engine.kv_cache import KVCache
from engine.stages import Scores

T = TypeVar("T", bound=Step)
modest = settings(max_examples=25, deadline=None)
scenarios = st.builds(Scenario, st.integers(1, 12), st.integers(1, 9), st.sampled_from(Mistake))


def only(kind: type[T], scenario: Scenario) -> T:
    (step,) = (step for step in trace(scenario) if isinstance(step, kind))
    return step


def last_pass(scenario: Scenario) -> Passes:
    return [step for step in trace(scenario) if isinstance(step, Passes)][-1]


@pytest.mark.parametrize(
    ("p", "m", "first", "in_m_minus_1", "in_m", "none"),
    [(10, 5, 55, 50, 65, 395), (1000, 100, 500_500, 103_950, 105_050, 55_166_650)],
)
def test_the_chapters_prompt_and_decode(p: int, m: int, first: int, in_m_minus_1: int, in_m: int, none: int) -> None:
    scenario = Scenario(p, m)
    step = only(Convention, scenario)
    assert step.prefill == Work(p, first)
    assert step.decode == Work(m - 1, in_m_minus_1)
    assert step.decode + step.more == Work(m, in_m)
    assert only(Totals, scenario).plain.pairs == none


@modest
@given(st.integers(1, 12), st.integers(1, 7))
def test_a_scenarios_formulas_are_what_its_trace_counts(p: int, m: int) -> None:
    scenario = Scenario(p, m)
    step = only(Convention, scenario)
    assert (step.prefill, step.decode) == (scenario.prefill, scenario.decode)
    assert only(Totals, scenario) == Totals(scenario.plain, scenario.cached)
    assert only(Totals, replace(scenario, mistake=Mistake.FULL_SQUARE)).plain.pairs == scenario.squares
    assert last_pass(scenario).plain.new == scenario.last_plain
    assert scenario.read_back == sum(run.n_old for run in generate(p, m).cached[:m])


def test_5050_against_100_are_rows_and_in_pairs_it_is_171700_against_5050() -> None:  # audit 1.49
    assert only(Totals, Scenario(1, 100)) == Totals(Work(5050, 171_700), Work(100, 5050))


@modest
@given(st.integers(1, 14), st.integers(1, 10))
def test_what_runs_is_what_the_formulas_say(p: int, m: int) -> None:
    scenario = Scenario(p, m)
    both = generate(p, m)
    assert sum((run.work for run in both.plain), Work()) == without_cache(p, m)
    assert sum((run.work for run in both.cached[:m]), Work()) == cached(p + m - 1)
    assert both.cached[0].work == prefill(p)
    assert sum((run.work for run in both.cached[1:]), Work()) == decode(p, m, first_from_prefill=False)
    assert only(Totals, scenario) == Totals(without_cache(p, m), cached(p + m - 1))


def test_long_generations_are_counted_as_short_ones_are_run() -> None:
    p = 6
    m = MOST_RUN - p + 1
    run, counted = generate(p, m), generate(p, m + 1)
    assert run.plain[0].token is not None
    assert counted.plain[0].token is None
    assert counted.errors == ()
    for a, b in ((run.plain, counted.plain), (run.cached, counted.cached)):
        for x, y in zip(a, b, strict=False):
            assert replace(x, token=None) == y


@modest
@given(st.integers(1, 12), st.integers(1, 9))
def test_both_decoders_choose_the_same_tokens_from_the_same_logits(p: int, m: int) -> None:
    step = only(Same, Scenario(p, m))
    assert step.tokens == step.tokens_plain
    assert len(step.tokens) == len(step.errors) == m
    assert max(step.errors) < 1e-12


@modest
@given(scenarios)
def test_the_numbers_in_the_triangle_sum_to_the_counters(scenario: Scenario) -> None:
    for step in trace(scenario):
        if isinstance(step, Passes):
            for side in (step.plain, step.cached):
                for rows, table, work in (
                    (side.rows_before, side.table_before, side.before),
                    (side.rows, side.table, side.after),
                ):
                    assert Work(sum(rows), sum(map(sum, table))) == work


@modest
@given(scenarios)
def test_the_trace_stops_where_the_right_way_stops(scenario: Scenario) -> None:
    right = [(type(step), getattr(step, "last", None)) for step in trace(replace(scenario, mistake=Mistake.NONE))]
    assert [(type(step), getattr(step, "last", None)) for step in trace(scenario)] == right


@modest
@given(st.integers(1, 12), st.integers(1, 9))
def test_with_a_cache_every_pair_is_scored_exactly_once(p: int, m: int) -> None:
    side = last_pass(Scenario(p, m)).cached
    if Scenario(p, m).grain == 1:
        assert side.table == tuple(tuple(int(j <= i) for j in range(p + m - 1)) for i in range(p + m - 1))
    assert side.rows == last_pass(Scenario(p, m, Mistake.NO_APPEND)).cached.rows


def test_each_wrong_way_has_its_own_wrong_number() -> None:
    wrong = {mistake: only(Totals, Scenario(1, 100, mistake)) for mistake in Mistake}
    assert wrong[Mistake.ROWS_AS_PAIRS] == Totals(Work(5050, 5050), Work(100, 100))
    assert wrong[Mistake.NEWEST_QUERY] == Totals(Work(5050, 5050), Work(100, 5050))
    assert wrong[Mistake.OWN_KEY] == Totals(Work(5050, 171_700), Work(100, 100))
    assert wrong[Mistake.FULL_SQUARE] == Totals(Work(5050, naive_squares(100)), Work(100, 5050))
    assert wrong[Mistake.FULL_SQUARE].plain.pairs == 338_350
    assert wrong[Mistake.NO_APPEND].cached == Work(100, 1 + 99 * 2)


def test_the_second_texts_program_prints_55_for_both() -> None:  # audit 1.49, 1.50: N = 10
    step = only(Totals, Scenario(1, 10, Mistake.NEWEST_QUERY))
    assert step.plain.pairs == step.cached.pairs == 55


def test_full_squares_are_the_scores_of_the_unmasked_tables() -> None:
    scenario = Scenario(4, 5)
    tables = 0
    for n in range(4, 9):
        tables += sum(s.s[0].size for s in Decoder(Config()).trace([1] * n) if isinstance(s, Scores) and s.layer == 0)
    assert only(Totals, replace(scenario, mistake=Mistake.FULL_SQUARE)).plain.pairs == tables


def test_a_cache_that_is_not_appended_to_is_still_right_in_the_first_decode_pass_and_wrong_in_the_second() -> None:
    right, wrong = only(Same, Scenario()), only(Same, Scenario(mistake=Mistake.NO_APPEND))
    assert wrong.errors[:2] == right.errors[:2]
    assert wrong.errors[2] > 0.1
    assert wrong.tokens[2] != right.tokens[2]
    assert wrong.tokens_plain == right.tokens_plain


def test_wrong_counting_does_not_touch_what_is_decoded() -> None:
    for mistake in Mistake:
        if mistake is not Mistake.NO_APPEND:
            assert only(Same, Scenario(mistake=mistake)) == only(Same, Scenario())
            assert only(Price, Scenario(mistake=mistake)) == only(Price, Scenario())


@modest
@given(st.integers(1, 12), st.integers(1, 9))
def test_growth_is_one_line_and_its_area(p: int, m: int) -> None:
    step = only(Growth, Scenario(p, m))
    assert step.lengths[-1] == p + m - 1
    assert step.steps == step.lengths
    assert step.wholes == tuple(n * (n + 1) // 2 for n in step.lengths)
    n = p + m - 1
    assert step.doubled.step == Twice(n, 2 * n)
    assert step.doubled.step_plain == Twice(prefill(n).pairs, prefill(2 * n).pairs)
    assert step.doubled.whole == Twice(cached(n).pairs, cached(2 * n).pairs)
    assert step.doubled.whole_plain == Twice(naive(n).pairs, naive(2 * n).pairs)


@modest
@given(st.integers(1, 12), st.integers(1, 9))
def test_the_price_is_what_the_cache_really_holds_and_gives_back(p: int, m: int) -> None:
    decoder, cache, read = Decoder(Config()), KVCache(Config()), 0
    decoder.forward([1] * p, cache)
    for _ in range(m - 1):
        read += cache.n_bytes
        decoder.forward([1], cache)
    step = only(Price, Scenario(p, m))
    assert (step.resident_last, step.read_total) == (cache.n_bytes, read)
    assert step.per_position * (p + m - 1) == cache.n_bytes == bytes_of(p + m - 1)


def test_a_row_meets_every_weight_once() -> None:
    c = Config()
    projections = c.d_model * (2 * c.n_heads + 2 * c.n_kv_heads) * c.head_dim
    assert multiplications(c) == (projections + 2 * c.d_model * c.d_ff, 2 * c.n_heads * c.head_dim)


def test_one_prompt_token_and_one_new_one_is_a_single_pair() -> None:
    steps = list(trace(Scenario(1, 1)))
    assert isinstance(steps[0], Start)
    assert only(Totals, Scenario(1, 1)) == Totals(Work(1, 1), Work(1, 1))
    assert only(Convention, Scenario(1, 1)).decode == Work(0, 0)


@pytest.mark.parametrize(
    ("p", "m", "name"), [(0, 4, "n_prompt"), (3, 0, "n_new"), (True, 4, "n_prompt"), (3, 1.5, "n_new")]
)
def test_a_generation_that_is_none_is_refused(p: int, m: int, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}:"):
        Scenario(p, m)
