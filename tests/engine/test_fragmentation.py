"""engine.fragmentation: the strip of memory, event by event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.fragmentation import Admitted, Gained, Left, Over, Preempted, Scenario, Start, Stuck, trace
from engine.serving import BestFit, FirstFit, Paged, PowerOfTwo, Reserve, simulate

E = TypeVar("E")
PAGED = Scenario(policy=Paged(4))


def events(kind: type[E], scenario: Scenario) -> list[E]:
    return [step.event for step in trace(scenario) if isinstance(step.event, kind)]


@st.composite
def scenarios(draw: Any) -> Scenario:
    pool = draw(st.integers(4, 32))
    size = draw(st.integers(1, 4))
    policy = draw(st.sampled_from([Reserve(pool // 2), FirstFit(), BestFit(), PowerOfTwo(), Paged(size)]))
    longest = {Reserve: pool // 2, PowerOfTwo: 1 << (pool.bit_length() - 1), Paged: pool // size * size}
    most = min(longest.get(type(policy), pool), 24)
    lengths = draw(st.lists(st.integers(1, most), min_size=1, max_size=8))
    return Scenario(tuple(lengths), policy, pool, draw(st.none() | st.integers(1, 4)))


def test_the_head_waits_although_enough_is_free_in_all() -> None:
    waits, blocked = events(Stuck, Scenario())
    assert (waits.refused.takes, waits.refused.free, waits.refused.blocked) == (6, 0, False)
    assert (blocked.refused.takes, blocked.refused.free, blocked.largest) == (6, 7, 4)
    assert blocked.refused.blocked
    *_, over = trace(Scenario())
    assert (over.time, over.sums.blocked) == (15, 5)


def test_who_would_fit_waits_behind_who_does_not() -> None:
    [step] = [step for step in trace(Scenario()) if isinstance(step.event, Stuck) and step.event.refused.blocked]
    assert [one.name for one in step.queue] == ["D", "E"]
    assert Scenario().lengths[step.queue[1].request] <= step.strip.largest


def test_in_blocks_it_is_over_sooner_and_the_newest_has_to_go_once() -> None:
    [preempted] = events(Preempted, PAGED)
    assert [(one.name, one.had) for one in preempted.victims] == [("E", 1)]
    *_, over = trace(PAGED)
    assert (over.time, over.sums.blocked, over.sums.lost) == (9, 0, 1)


def test_what_is_left_over_of_a_pool_is_no_place_for_a_block() -> None:
    step = next(trace(replace(PAGED, pool_tokens=18)))
    assert (step.strip.size, step.strip.holes) == (16, ((0, 16),))


def test_an_exact_piece_is_half_empty_while_its_request_grows() -> None:
    [gained, *_] = [step for step in trace(Scenario()) if isinstance(step.event, Gained)]
    assert [(one.tokens, one.reserved) for one in gained.strip.held] == [(3, 3), (3, 9), (3, 4)]
    assert gained.strip.empty == 7


@settings(max_examples=150)
@given(scenarios())
def test_the_events_add_up_to_the_report(scenario: Scenario) -> None:
    steps = list(trace(scenario))
    report = simulate(
        scenario.lengths, scenario.policy, pool_tokens=scenario.pool_tokens, max_running=scenario.max_running
    )
    last = steps[-1]
    assert (last.time, last.sums.held, last.sums.reserved) == (report.steps, report.held, report.reserved)
    assert (last.sums.blocked, last.sums.lost) == (report.blocked_steps, report.recomputed_tokens)
    assert last.sums.utilisation == report.utilisation
    assert sum(step.event.steps for step in steps if isinstance(step.event, Gained)) == report.steps
    assert isinstance(steps[0].event, Start)
    assert isinstance(last.event, Over)
    assert len(steps) < 150  # a reader can walk through it


@settings(max_examples=150)
@given(scenarios())
def test_every_step_tells_all_there_is(scenario: Scenario) -> None:
    before = next(trace(scenario)).before
    for step in trace(scenario):
        assert isinstance(hash(step), int)
        assert step.before == before
        strip, before = step.strip, step.strip
        owned = [place for one in strip.held for start, size in one.pieces for place in range(start, start + size)]
        empty = [place for start, size in strip.holes for place in range(start, start + size)]
        assert sorted(owned + empty) == list(range(strip.size))
        known = {one.request for one in strip.held} | {one.request for one in step.queue}
        assert len(known) == len(strip.held) + len(step.queue)
        match step.event:
            case Admitted(held=held):
                assert strip.held[-1] == held
                assert held.tokens < held.reserved  # room for its next token
            case Left(requests=requests):
                assert not known & set(requests)
            case Stuck(refused=refused, largest=largest):
                assert refused.request == step.queue[0].request
                assert refused.takes > largest == strip.largest or isinstance(scenario.policy, Paged)
            case Over():
                assert (strip.free, known) == (strip.size, set())


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"lengths": ()}, "lengths"),
        ({"lengths": (1,) * 9}, "lengths"),
        ({"lengths": (25,), "pool_tokens": 64}, "lengths"),
        ({"lengths": (17,)}, "lengths"),
        ({"lengths": (0,)}, "lengths"),
        ({"pool_tokens": 65}, "pool_tokens"),
        ({"max_running": 0}, "max_running"),
        ({"policy": None}, "policy"),
    ],
)
def test_what_cannot_be_is_refused_by_name(fields: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        Scenario(**fields)
