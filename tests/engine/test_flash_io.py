"""engine.flash_io: the walk over the tiles gives attention's output, and every byte in its book has crossed."""

from __future__ import annotations

import importlib
import os
import time
from dataclasses import FrozenInstanceError, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attention import attention, causal_mask
from engine.flash import standard_attention, tiled_attention
from engine.flash_io import (
    BLIND,
    UNEQUAL,
    Clear,
    Compare,
    Fold,
    LoadKV,
    LoadQ,
    Mistake,
    Pass,
    Scenario,
    Score,
    Skip,
    Start,
    Step,
    Write,
    trace,
)
from engine.flash_scenario import numbers
from engine.softmax_state import State

# On CI a missing PyTorch is a fault, elsewhere a reason to skip.
torch: Any = importlib.import_module("torch") if os.environ.get("CI") else pytest.importorskip("torch")

DEFAULT, OUTSIDE = Scenario(), Scenario(keys_outside=True)
WRONG = tuple(mistake for mistake in Mistake if mistake is not Mistake.NONE)
ITEM = Scenario.itemsize
modest = settings(max_examples=60, deadline=None)


@st.composite
def scenarios(draw: st.DrawFn, mistake: Mistake | None = Mistake.NONE) -> Scenario:
    n_q, n_k = draw(st.integers(1, 13)), draw(st.integers(1, 13))
    return Scenario(
        n_q,
        n_k,
        draw(st.integers(1, 5)),
        draw(st.integers(1, n_q)),
        draw(st.integers(1, n_k)),
        draw(st.booleans()),
        draw(st.booleans()),
        mistake=draw(st.sampled_from(Mistake)) if mistake is None else mistake,
    )


def end(scenario: Scenario) -> Compare:
    *_, last = trace(scenario)
    assert isinstance(last, Compare)
    return last


def oracle(s: Scenario) -> np.ndarray:
    return attention(*numbers(s.n_q, s.n_k, s.d), mask=causal_mask(s.n_q, s.n_k) if s.causal else None)


def places(scenario: Scenario) -> list[tuple[object, ...]]:
    """Where a trace stops, without what it found there."""
    names = ("rows", "keys", "trip", "tiles", "number")
    return [(type(step), *(getattr(step, name, None) for name in names)) for step in trace(scenario)]


# Output


@modest
@given(scenarios())
def test_both_ways_give_the_output_of_the_plain_formula(s: Scenario) -> None:
    last = end(s)
    for o in (last.output, last.expected):
        np.testing.assert_allclose(o, oracle(s), rtol=0, atol=1e-12)
    assert not last.differs


@modest
@given(scenarios())
def test_output_and_log_sum_exp_equal_pytorch(s: Scenario) -> None:
    q, k, v = (torch.from_numpy(a.copy()) for a in numbers(s.n_q, s.n_k, s.d))
    mask = torch.from_numpy(causal_mask(s.n_q, s.n_k)) if s.causal else None
    o = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    last = end(s)
    np.testing.assert_allclose(last.output, o.numpy(), rtol=0, atol=1e-12)
    scores = q @ k.T / s.d**0.5
    lse = (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).logsumexp(dim=1).numpy()
    written = last.now.written
    with np.errstate(divide="ignore"):
        ours = written.m + np.log(written.l) if s.keys_outside else written.lse
    np.testing.assert_allclose(ours, lse, rtol=0, atol=1e-12)


@modest
@given(scenarios())
def test_both_orders_give_the_same_output(s: Scenario) -> None:
    other = end(replace(s, keys_outside=not s.keys_outside))
    np.testing.assert_allclose(end(s).output, other.output, rtol=0, atol=1e-12)


@modest
@given(scenarios())
def test_each_row_is_folded_as_one_query_is(s: Scenario) -> None:
    v = numbers(s.n_q, s.n_k, s.d)[2]
    rows: dict[int, State] = {i: State.empty(s.d) for i in range(s.n_q)}
    scored: Score | None = None
    for step in trace(s):
        if isinstance(step, Score):
            scored = step
        if isinstance(step, Fold):
            assert scored is not None
            for n, i in enumerate(step.rows):
                rows[i] = rows[i].merge(State.of(scored.s[n], v[step.keys.start : step.keys.stop]))
                np.testing.assert_allclose(step.after.m[n], rows[i].m)
                np.testing.assert_allclose(step.after.l[n], rows[i].l, atol=1e-12)
                np.testing.assert_allclose(step.after.u[n], rows[i].u, atol=1e-12)


def test_a_query_that_sees_nothing_gets_0_in_either_order() -> None:
    assert BLIND.n_blind == 2
    for s in (BLIND, replace(BLIND, keys_outside=True)):
        last = end(s)
        assert (last.output[:2] == 0).all()
        assert (last.output[2:] != 0).any(axis=1).all()
        assert not last.differs
    assert np.isneginf(end(BLIND).now.written.lse[:2]).all()


# The default


def test_the_default_walks_five_tiles_skips_one_and_cuts_three() -> None:
    first, second, third = DEFAULT.query_tiles
    left, right = DEFAULT.key_tiles
    assert DEFAULT.visits == ((first, left), (second, left), (second, right), (third, left), (third, right))
    assert DEFAULT.skipped == ((first, right),)
    assert DEFAULT.partial == ((first, left), (second, right), (third, right))
    loop = [LoadKV, Score, Fold]
    assert [type(step) for step in trace(DEFAULT)] == [
        Start,
        *(LoadQ, *loop, Skip, Write),
        *(LoadQ, *loop, *loop, Write),
        *(LoadQ, *loop, *loop, Write),
        *(Pass, Pass, Pass, Pass),
        Compare,
    ]  # fmt: skip


def test_with_keys_outside_queries_come_again_and_o_m_l_cross_every_time() -> None:
    loop = [LoadQ, Score, Fold, Write]
    assert [type(step) for step in trace(OUTSIDE)] == [
        *(Start, Clear),
        *(LoadKV, *loop, *loop, *loop),
        *(LoadKV, Skip, *loop, *loop),
        *(Pass, Pass, Pass, Pass),
        Compare,
    ]  # fmt: skip
    last = end(OUTSIDE).now.moved
    assert [line.moved // ITEM for line in last.arrays] == [10 * 2, 6 * 2, 6 * 2, 26 * 2, 26, 26]


def test_the_maximum_rises_after_the_first_tile_in_two_rows_and_not_in_a_third() -> None:
    folds = [step for step in trace(DEFAULT) if isinstance(step, Fold)]
    assert [step.n_risen for step in folds] == [0, 0, 1, 0, 1]
    assert 0 < folds[-1].alpha[0] < 1
    assert folds[-1].alpha[1] == 1  # row 5 has seen its maximum before


def test_the_same_key_tile_is_loaded_once_for_each_query_tile_that_sees_it() -> None:
    trips = [(step.keys.start, step.trip) for step in trace(DEFAULT) if isinstance(step, LoadKV)]
    assert trips == [(0, 1), (0, 2), (3, 1), (0, 3), (3, 2)]
    assert not any(step.again for step in trace(OUTSIDE) if isinstance(step, LoadKV))


def test_the_plain_way_goes_over_a_table_four_times() -> None:
    passes = [step for step in trace(DEFAULT) if isinstance(step, Pass)]
    assert [(step.table, step.way) for step in passes] == [
        ("s", "written"), ("s", "read"), ("p", "written"), ("p", "read"),
    ]  # fmt: skip
    whole = ITEM * 36
    assert [step.plain.of("s").moved + step.plain.of("p").moved for step in passes] == [
        whole, 2 * whole, 3 * whole, 4 * whole,
    ]  # fmt: skip
    assert np.isneginf(passes[0].values).sum() == 15  # hidden, and moved all the same
    np.testing.assert_allclose(passes[2].values.sum(axis=1), 1)


# Bytes


@modest
@given(scenarios())
def test_the_books_agree_with_engine_flash_which_counts_by_itself(s: Scenario) -> None:
    arrays, last = numbers(s.n_q, s.n_k, s.d), end(s)
    plain = standard_attention(*arrays, causal=s.causal)[1]
    assert last.plain.traffic.hbm_moved * 8 == plain.hbm_moved * ITEM
    assert last.plain.max_on_chip * 8 == plain.max_on_chip * ITEM
    if not s.keys_outside:
        tiled = tiled_attention(*arrays, tile_q=s.tile_q, tile_k=s.tile_k, causal=s.causal)[1]
        lse = ITEM * s.n_q
        assert (last.now.moved.total - lse) * 8 == tiled.hbm_moved * ITEM
        assert last.now.moved.max_on_chip * 8 == tiled.max_on_chip * ITEM


@modest
@given(scenarios(mistake=None))
def test_bytes_only_grow_and_the_chip_holds_what_the_step_shows(s: Scenario) -> None:
    steps = list(trace(s))
    for before, after in pairwise(steps):
        for old, new in zip(before.now.moved.arrays, after.now.moved.arrays, strict=True):
            assert old.name == new.name
            assert old.read <= new.read
            assert old.written <= new.written
        assert before.now.n_done <= after.now.n_done <= len(s.visits)
    for step in steps:
        on_chip = ITEM * sum(array.size for _, array in step.now.chip)
        assert step.now.moved.on_chip == on_chip <= step.now.moved.max_on_chip
    assert steps[0].now.moved.total == 0
    assert steps[-1].now.n_done == len(s.visits)


@modest
@given(scenarios())
def test_scores_and_weights_never_leave_the_chip(s: Scenario) -> None:
    moved = end(s).now.moved
    assert {line.name for line in moved.arrays} <= {"q", "k", "v", "o", "lse", "m", "l"}
    assert moved.of("s").moved == moved.of("p").moved == 0


@modest
@given(scenarios())
def test_extra_memory_is_linear_with_tiles_and_two_tables_without(s: Scenario) -> None:
    last = end(s)
    assert last.extra == ITEM * s.n_q * (2 if s.keys_outside else 1)
    assert last.plain_extra == ITEM * 2 * s.n_q * s.n_k


# A step stands alone


@pytest.mark.parametrize("s", [DEFAULT, OUTSIDE])
def test_steps_are_frozen_down_to_their_arrays(s: Scenario) -> None:
    for step in trace(s):
        with pytest.raises(FrozenInstanceError):
            step.now = step.now  # type: ignore[misc]
        parts: list[Any] = [step, step.now.written]
        parts += [getattr(step, name) for name in ("held", "before", "after") if hasattr(step, name)]
        arrays = [getattr(part, field.name) for part in parts for field in fields(part)]
        for array in (*arrays, *(array for _, array in step.now.chip)):
            if isinstance(array, np.ndarray):
                assert not array.flags.writeable, (type(step), array)


def test_a_step_keeps_what_hbm_had_when_it_was_taken() -> None:
    steps: list[Step] = list(trace(DEFAULT))
    writes = [step for step in steps if isinstance(step, Write)]
    assert [int(np.isnan(step.now.written.o).any(axis=1).sum()) for step in writes] == [4, 2, 0]
    assert np.isnan(steps[0].now.written.o).all()
    np.testing.assert_array_equal(writes[1].o, end(DEFAULT).output[2:4])


# Mistakes


@modest
@given(scenarios(), st.sampled_from(WRONG))
def test_a_mistake_stops_where_the_right_way_stops(s: Scenario, mistake: Mistake) -> None:
    assert places(replace(s, mistake=mistake)) == places(s)


@pytest.mark.parametrize("order", [False, True])
@pytest.mark.parametrize("mistake", [Mistake.UNMASKED, Mistake.KEPT_STATE, Mistake.SCALED_TWICE, Mistake.UNSCALED])
def test_mistakes_that_spoil_the_output_of_the_default(mistake: Mistake, order: bool) -> None:
    last = end(replace(DEFAULT, mistake=mistake, keys_outside=order))
    assert last.differs
    assert last.error > 0.5
    assert last.miscounted == (mistake is Mistake.KEPT_STATE and order)  # the state is never fetched
    np.testing.assert_allclose(last.expected, oracle(DEFAULT), rtol=0, atol=1e-12)  # the plain way stays right


@modest
@given(scenarios(Mistake.KEPT_STATE))
def test_a_state_that_is_kept_is_what_the_last_query_tile_left(s: Scenario) -> None:
    left: dict[int, tuple[float, float]] = {}  # m and l in each row of the chip
    for step in trace(s):
        if isinstance(step, LoadQ):
            for n in range(len(step.rows)):
                assert (step.held.m[n], step.held.l[n]) == left.get(n, (-np.inf, 0))
        if isinstance(step, Write):
            left |= dict(enumerate(zip(step.held.m, step.held.l, strict=True)))


def test_k_and_v_counted_once_is_a_wrong_book_about_a_right_output() -> None:
    last = end(replace(DEFAULT, mistake=Mistake.COUNT_ONCE))
    assert not last.differs
    assert last.miscounted
    booked, true = last.now.moved, last.law
    assert booked.of("k").read == booked.of("v").read == ITEM * 6 * 2
    assert true.of("k").read == true.of("v").read == ITEM * 15 * 2
    assert [booked.of(name) for name in ("q", "o", "lse")] == [true.of(name) for name in ("q", "o", "lse")]
    assert not end(replace(OUTSIDE, mistake=Mistake.COUNT_ONCE)).miscounted  # there they do come once


@pytest.mark.parametrize("order", [False, True])
def test_a_mask_aligned_top_left_shows_only_where_there_are_not_as_many_queries_as_keys(order: bool) -> None:
    for s in (UNEQUAL, BLIND):
        assert end(replace(s, mistake=Mistake.TOP_LEFT, keys_outside=order)).differs
        assert not end(replace(s, mistake=Mistake.TOP_LEFT, keys_outside=order, causal=False)).differs
    assert not end(replace(DEFAULT, mistake=Mistake.TOP_LEFT, keys_outside=order)).differs


def test_a_mask_aligned_top_left_hides_the_cache_from_new_queries() -> None:
    wrong = replace(UNEQUAL, mistake=Mistake.TOP_LEFT)
    first = next(step for step in trace(wrong) if isinstance(step, Score))
    assert np.isfinite(first.s).sum(axis=1).tolist() == [1, 2]
    assert first.seen.sum(axis=1).tolist() == [3, 3]


@modest
@given(scenarios())
def test_where_a_mistake_has_nothing_to_act_on_it_changes_nothing(s: Scenario) -> None:
    right = end(s)

    def same(mistake: Mistake, scenario: Scenario) -> bool:
        return np.array_equal(end(replace(scenario, mistake=mistake)).output, end(scenario).output)

    assert same(Mistake.COUNT_ONCE, s)
    assert not right.miscounted
    if not s.partial:
        assert same(Mistake.UNMASKED, s)
    if s.n_q == s.n_k or not s.causal:
        assert same(Mistake.TOP_LEFT, s)
    if s.d == 1:
        assert same(Mistake.SCALED_TWICE, s)
        assert same(Mistake.UNSCALED, s)
    if len(s.query_tiles) == 1 and not s.keys_outside:
        assert same(Mistake.KEPT_STATE, s)


def test_the_mistaken_scale_is_squared_or_missing() -> None:
    scores = [
        next(step.s for step in trace(replace(DEFAULT, d=4, mistake=mistake)) if isinstance(step, Score))
        for mistake in (Mistake.UNSCALED, Mistake.NONE, Mistake.SCALED_TWICE)
    ]
    for larger, smaller in pairwise(scores):
        np.testing.assert_allclose(larger, smaller * 2)


# Bad input


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tile_q": 0}, "tile_q: a whole number, at least 1, got 0"),
        ({"tile_k": 1.5}, "tile_k: a whole number, at least 1, got 1.5"),
        ({"tile_q": 7}, "tile_q: at most the 6 queries there are, got 7"),
        ({"tile_k": 7}, "tile_k: at most the 6 keys there are, got 7"),
        ({"n_q": 0}, "n_q: "),
        ({"n_k": -1}, "n_k: "),
        ({"d": True}, "d: "),
        ({"causal": 1}, "causal: True or False, got 1"),
        ({"keys_outside": "yes"}, "keys_outside: "),
        ({"mistake": "none"}, "mistake: one of Mistake.NONE, "),
    ],
)
def test_bad_input_is_refused_by_name(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match="^" + sentence):
        replace(DEFAULT, **change)


def test_a_scenario_is_frozen_and_hashable() -> None:
    assert len({DEFAULT, Scenario(), OUTSIDE}) == 2
    with pytest.raises(FrozenInstanceError):
        DEFAULT.n_q = 3  # type: ignore[misc]


def test_a_large_walk_takes_at_most_20_ms() -> None:
    s = Scenario(n_q=24, n_k=24, d=8, tile_q=2, tile_k=2, causal=False, keys_outside=True)
    assert len(s.visits) == 144

    def timed() -> float:
        start = time.perf_counter()
        list(trace(s))
        return time.perf_counter() - start

    assert min(timed() for _ in range(10)) < 0.02
