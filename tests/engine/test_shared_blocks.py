"""engine.shared_blocks: a fork and a prefix cache, right and in six wrong ways, down to the attention output."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.copy_on_write import Prepared, Wants, Way
from engine.paged import BlockPool, Copy, Sequence
from engine.shared_blocks import (
    Arrival,
    Attended,
    Bill,
    Filled,
    LookUp,
    Mistake,
    Scenario,
    Step,
    Taken,
    token,
    trace,
)

E = TypeVar("E")
CACHE = Scenario(Arrival.SAME, writers=("A",))
REPEAT = replace(CACHE, arrival=Arrival.REPEAT, n_shared=4, n_own=6)
WRONG_HITS = [
    (replace(CACHE, arrival=Arrival.MODEL), Mistake.NO_MODEL),
    (replace(CACHE, arrival=Arrival.ADAPTER), Mistake.NO_ADAPTER),
    (replace(CACHE, arrival=Arrival.SALT), Mistake.NO_SALT),
    (replace(CACHE, arrival=Arrival.ADAPTER_AS_SALT), Mistake.UNTAGGED),
    (REPEAT, Mistake.NO_PARENT),
]


def events(kind: type[E], scenario: Scenario) -> list[E]:
    return [step.event for step in trace(scenario) if isinstance(step.event, kind)]


def counts(step: Step) -> dict[int, int]:
    return {block: n for block, n in enumerate(step.memory.ref_counts) if n}


def outputs(scenario: Scenario) -> dict[str, Attended]:
    return {event.name: event for event in events(Attended, scenario)}


@st.composite
def scenarios(draw: Any) -> Scenario:
    n = draw(st.integers(1, 12))
    shared = draw(st.integers(0, n))
    own = draw(st.integers(int(shared == 0), 12 - shared))
    writers = tuple(draw(st.lists(st.sampled_from("AB"), max_size=4)))
    return Scenario(draw(st.sampled_from(Arrival)), n, draw(st.integers(2, 8)), writers, shared, own)


# A fork


def test_t43_the_first_writer_copies_and_the_second_writes_in_place() -> None:
    steps = list(trace(Scenario()))
    assert counts(steps[1]) == {7: 2, 2: 2, 19: 2}
    [prepared] = events(Prepared, Scenario())
    assert prepared.copied == Copy(19, 5, 2)
    assert [wants.way for wants in events(Wants, Scenario())] == [Way.COPY, Way.IN_PLACE]
    assert counts(steps[3]) == counts(steps[-1]) == {7: 2, 2: 2, 19: 1, 5: 1}
    assert {t.name: t.blocks for t in steps[-1].memory.tables} == {"A": (7, 2, 5), "B": (7, 2, 19)}


def test_t43_with_twelve_tokens_a_new_block_and_no_copy() -> None:
    full = Scenario(n_tokens=12)
    assert [(p.allocated, p.copied) for p in events(Prepared, full)] == [((5,), None), ((3,), None)]
    assert [wants.way for wants in events(Wants, full)] == [Way.NEW_BLOCK] * 2


@pytest.mark.parametrize(("writers", "victims"), [("AB", "A"), ("BA", "B"), ("ABBA", "AB"), ("A", ""), ("", "")])
def test_without_a_copy_whoever_writes_first_gets_another_output(writers: str, victims: str) -> None:
    found = outputs(Scenario(writers=tuple(writers), mistake=Mistake.NO_COPY))
    assert {name for name, event in found.items() if event.error > 0.01} == set(victims)
    assert {name for name, event in found.items() if event.logit_error > 0.01} == set(victims)


def test_sharing_ten_tokens_holds_four_blocks_instead_of_six_for_two_slots_copied() -> None:
    [bill] = events(Bill, Scenario())
    assert (bill.n_used, bill.n_alone, bill.n_copied, bill.n_reused) == (4, 6, 2, 10)


# A prefix cache


def test_a_prefix_cache_shares_full_blocks_and_never_copies() -> None:
    [taken] = events(Taken, CACHE)
    assert taken.blocks == (7, 2)
    assert [taken.memory.ref_counts[b] for b in (7, 2, 19)] == [2, 2, 1]
    [filled] = events(Filled, CACHE)
    assert (filled.position, filled.n_computed, filled.allocated) == (8, 2, (5,))


def test_t52_a_prompt_known_completely_still_runs_its_last_block() -> None:
    whole = replace(CACHE, n_own=0)
    assert [(look.hits[-1], look.last) for look in events(LookUp, whole)] == [(7, False), (2, True)]
    assert events(Taken, whole)[0].blocks == (7,)
    assert events(Bill, whole)[0].n_reused == 4


@pytest.mark.parametrize(("scenario", "mistake"), WRONG_HITS)
def test_each_ingredient_left_out_of_the_name_gives_a_wrong_hit(scenario: Scenario, mistake: Mistake) -> None:
    [right], [wrong] = events(Taken, scenario), events(Taken, replace(scenario, mistake=mistake))
    assert len(wrong.blocks) == 2 > len(right.blocks)
    assert outputs(scenario)["B"].error < 1e-12
    error = outputs(replace(scenario, mistake=mistake))["B"].error
    if mistake is Mistake.NO_SALT:  # the very same numbers, and somebody else's
        assert error < 1e-12
    else:
        assert error > 0.01


@pytest.mark.parametrize(("scenario", "mistake"), WRONG_HITS)
def test_only_the_ingredient_that_differs_is_missed(scenario: Scenario, mistake: Mistake) -> None:
    [right] = events(Taken, scenario)
    for other in set(Mistake) - {mistake, Mistake.NO_COPY}:
        assert events(Taken, replace(scenario, mistake=other))[0].blocks == right.blocks


def test_t48_without_the_parent_one_block_stands_in_two_places_of_a_table() -> None:
    [taken] = events(Taken, replace(REPEAT, mistake=Mistake.NO_PARENT))
    assert taken.blocks == (7, 7)
    assert taken.memory.ref_counts[7] == 3


def test_a_sequence_over_cached_blocks_counts_each_once_more() -> None:
    pool = BlockPool(4, 2)
    first = Sequence(pool)
    first.append(4)
    second = Sequence.over(pool, first.block_table)
    assert (second.length, second.block_table, pool.ref_counts) == (4, (0, 1), (2, 2, 0, 0))
    assert second.append().allocated == (2,)
    with pytest.raises(ValueError, match="free"):
        Sequence.over(pool, (3,))
    second.free()
    first.free()
    assert pool.n_free == 4


# Every scenario


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(Mistake))
def test_a_trace_stops_in_the_same_places_whatever_the_mistake(scenario: Scenario, mistake: Mistake) -> None:
    right, wrong = list(trace(scenario)), list(trace(replace(scenario, mistake=mistake)))
    assert [type(step.event) for step in right] == [type(step.event) for step in wrong]
    for step in right:
        assert isinstance(hash(step), int)
        if isinstance(step.event, Attended):
            assert step.event.error < 1e-9
            assert step.event.next_token == step.event.fresh_token


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(Mistake))
def test_t46_free_and_counted_blocks_make_up_the_pool_and_counts_the_tables(
    scenario: Scenario, mistake: Mistake
) -> None:
    for step in trace(replace(scenario, mistake=mistake)):
        memory = step.memory
        assert len(memory.free) + sum(n > 0 for n in memory.ref_counts) == len(memory.ref_counts)
        assert sum(memory.ref_counts) == sum(len(table.blocks) for table in memory.tables)


@settings(max_examples=40)
@given(scenarios())
def test_behind_a_prefix_cache_nobody_ever_has_to_copy(scenario: Scenario) -> None:
    if not scenario.forked:
        assert all(wants.way is not Way.COPY for wants in events(Wants, scenario))


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ({"n_tokens": 0}, "n_tokens"),
        ({"n_tokens": 13}, "n_tokens"),
        ({"block_size": 1}, "block_size"),
        ({"n_shared": 11}, "n_shared"),
        ({"n_own": 5}, "n_own"),
        ({"n_shared": 0, "n_own": 0}, "n_own"),
        ({"writers": ("C",)}, "writers"),
        ({"writers": ("A",) * 5}, "writers"),
        ({"arrival": "fork"}, "arrival"),
        ({"mistake": "none"}, "mistake"),
    ],
)
def test_what_cannot_be_is_refused_by_name(wrong: dict[str, Any], names: str) -> None:
    with pytest.raises(ValueError, match=f"^{names}: "):
        Scenario(**wrong)


def test_a_and_b_never_write_the_same_token_at_the_same_position() -> None:
    assert all(token("A", p) != token("B", p) for p in range(16))
