"""engine.batching: any batch, any preemption, any paging, and the same tokens as alone."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from engine.batching import (
    Bill,
    Door,
    Job,
    Mistake,
    Preempted,
    Price,
    Ran,
    Scenario,
    Scheduled,
    Scheduler,
    Setup,
    State,
    Status,
    Victim,
    WhenFull,
    many_jobs,
    percentile,
    serve,
    sweep,
    trace,
)
from engine.paged import blocks_for

E = TypeVar("E")
SWAP = Scenario(when_full=WhenFull.SWAP)
PLENTY = Setup(n_blocks=1_000, block_size=4, budget=1_000)


def events(kind: type[E], scenario: Scenario) -> list[E]:
    return [step.event for step in trace(scenario) if isinstance(step.event, kind)]


def bill(scenario: Scenario) -> Bill:
    [found] = events(Bill, scenario)
    return found


def wrong(scenario: Scenario) -> set[str]:
    """The requests that were sent another token than alone."""
    return {request.name for request in bill(scenario).state.requests if not request.right}


@st.composite
def setups(draw: Any) -> tuple[tuple[Job, ...], Setup]:
    n_blocks, block_size = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    most = n_blocks * block_size
    jobs = []
    for _ in range(draw(st.integers(1, 5))):
        prompt = draw(st.integers(1, most))
        new = draw(st.integers(1, most - prompt + 1))
        jobs.append(Job(prompt, new, draw(st.sampled_from([0, 0, 0, 2, 5]))))
    chunked = draw(st.booleans())
    budget = draw(st.integers(1, 10)) if chunked else max(job.rows for job in jobs) + draw(st.integers(0, 6))
    setup = Setup(
        n_blocks,
        block_size,
        budget,
        draw(st.none() | st.integers(1, 4)),
        draw(st.booleans()),
        chunked,
        draw(st.sampled_from(WhenFull)),
        draw(st.sampled_from(Mistake)),
    )
    return tuple(jobs), setup


@st.composite
def scenarios(draw: Any) -> Scenario:
    prompts = draw(st.lists(st.lists(st.integers(0, 10), min_size=1, max_size=8), min_size=1, max_size=4))
    new = [draw(st.integers(1, 8)) for _ in prompts]
    try:
        return Scenario(
            tuple(map(tuple, prompts)),
            tuple(new),
            tuple(draw(st.sampled_from([0, 0, 1, 4])) for _ in prompts),
            draw(st.integers(4, 9)),
            draw(st.integers(2, 4)),
            draw(st.sampled_from([4, 8, 16])),
            draw(st.integers(1, 4)),
            draw(st.booleans()),
            draw(st.booleans()),
            draw(st.sampled_from(WhenFull)),
        )
    except ValueError:  # one of them would never fit
        reject()


# The truth


@settings(max_examples=60)
@given(scenarios())
def test_every_request_is_sent_the_tokens_it_gets_alone(scenario: Scenario) -> None:
    for ran in events(Ran, scenario):
        for sent in ran.sent:
            assert sent.token == sent.truth
            assert sent.error < 1e-9
    for request in bill(scenario).state.requests:
        assert request.right
        assert (request.sent == request.truth) == (request.status is Status.FINISHED)
        if scenario.when_full in (WhenFull.RECOMPUTE, WhenFull.SWAP):
            assert request.status is Status.FINISHED


@pytest.mark.parametrize("when_full", [WhenFull.RECOMPUTE, WhenFull.SWAP])
def test_freeing_a_victims_tokens_sends_it_the_first_ones_again(when_full: WhenFull) -> None:
    scenario = Scenario(when_full=when_full, mistake=Mistake.TOKENS_FREED)
    assert wrong(scenario) == {"C"}
    [victim] = [victim for event in events(Preempted, scenario) for victim in event.victims]
    sent, truth = bill(scenario).state.request("C").sent, scenario.truth(2)
    assert sent == truth[: victim.sent] + truth[: len(truth) - victim.sent]


def test_a_swap_without_copying_back_reads_what_others_left() -> None:
    assert wrong(replace(SWAP, mistake=Mistake.NOT_COPIED_BACK)) == {"C"}
    assert bill(replace(SWAP, mistake=Mistake.NOT_COPIED_BACK)).state.sums == bill(SWAP).state.sums  # nobody notices


def test_preempting_the_oldest_sends_the_right_tokens_and_lets_the_first_wait() -> None:
    right, mistaken = bill(Scenario()), bill(Scenario(mistake=Mistake.OLDEST_FIRST))
    assert wrong(Scenario(mistake=Mistake.OLDEST_FIRST)) == set()
    assert (right.latencies, mistaken.latencies) == ((7, 8, 10, 9), (11, 8, 6, 9))


def test_rows_counted_twice_make_more_output_than_was_sent() -> None:
    right, mistaken = bill(Scenario()), bill(Scenario(mistake=Mistake.COUNTED_TWICE))
    assert right.state.sums == mistaken.state.sums
    assert (right.output, mistaken.output) == (24, 32)
    assert mistaken.output - right.output == right.state.sums.rows_again


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(Mistake))
def test_a_mistake_in_preempting_is_invisible_where_nobody_is_preempted(scenario: Scenario, mistake: Mistake) -> None:
    plenty = replace(scenario, n_blocks=16)
    if bill(plenty).state.sums.preemptions == 0:
        assert wrong(replace(plenty, mistake=mistake)) == set()
        assert bill(replace(plenty, mistake=mistake)) == bill(plenty)


# The small case


def test_memory_is_full_and_the_newest_gives_its_blocks_to_the_oldest() -> None:
    [preempted] = events(Preempted, Scenario())
    assert preempted.victims == (Victim("C", computed=8, known=9, sent=2, blocks=(3, 4)),)
    assert (preempted.state.queue, preempted.state.memory.free) == (("C", "D"), (4, 3))
    scheduled = next(e for e in events(Scheduled, Scenario()) if e.door is Door.SHORT)
    assert [(given.name, given.new_blocks) for given in scheduled.given] == [("A", (4,)), ("B", ())]


def test_its_rows_are_run_again_in_what_the_budget_leaves() -> None:
    again = [
        (given.name, given.n, given.again)
        for scheduled in events(Scheduled, Scenario())
        for given in scheduled.given
        if given.again
    ]
    assert again == [("C", 7, 7), ("C", 2, 1)]
    assert bill(Scenario()).state.sums.rows_again == 8


def test_a_swap_moves_them_out_and_back_and_runs_none_again() -> None:
    sums = bill(SWAP).state.sums
    assert (sums.rows_again, sums.moved_tokens) == (0, 2 * 8)
    [back] = [scheduled for scheduled in events(Scheduled, SWAP) if scheduled.moved_in]
    assert (back.moved_in, back.state.request("C").computed) == (("C",), 8)


def test_who_is_refused_has_got_some_tokens_and_no_answer() -> None:
    requests = bill(Scenario(when_full=WhenFull.REFUSE)).state.requests
    assert [(request.status, len(request.sent)) for request in requests] == [
        (Status.FINISHED, 7),
        (Status.FINISHED, 8),
        (Status.REFUSED, 2),
        (Status.REFUSED, 1),
    ]


def test_where_everybody_waits_for_a_block_nobody_ever_gets_one() -> None:
    *_, last = events(Scheduled, Scenario(when_full=WhenFull.WAIT))
    assert (last.stuck, last.given, last.stalled) == (True, (), ("A", "B", "C"))
    assert last.state.memory.free == ()
    assert bill(Scenario(when_full=WhenFull.WAIT)).latencies == (None,) * 4


def test_a_long_prompt_comes_in_pieces_or_waits_until_the_budget_has_room_for_all_of_it() -> None:
    prompts = ((3, 7, 0, 3, 1), (4, 10, 1), (8, 4, 1), (9, 4, 2, 2, 2, 2, 7, 1, 5, 0))
    pieces = Scenario(prompts, (4, 6, 6, 3), (0, 0, 0, 1), n_blocks=12, budget=12, max_running=4)
    whole = replace(pieces, chunked=False)
    given = [
        [(scheduled.state.passes, given.n) for scheduled in events(Scheduled, one) for given in scheduled.given[3:]]
        for one in (pieces, whole)
    ]
    assert given[0] == [(2, 9), (3, 1), (4, 1)]  # beside the three that go on
    assert [scheduled.door for scheduled in events(Scheduled, whole)][1:4] == [Door.BUDGET] * 3
    assert (bill(pieces).latencies[3], bill(whole).latencies[3]) == (4, 6)
    assert wrong(pieces) == wrong(whole) == set()


def test_a_static_batch_keeps_its_seats_until_the_last_is_done() -> None:
    static = replace(Scenario(), continuous=False)
    seats = [state for state in (step.state for step in trace(static)) if Status.SEATED in statuses(state)]
    assert seats
    closed = [scheduled for scheduled in events(Scheduled, static) if scheduled.door is Door.CLOSED]
    assert closed
    assert bill(static).state.sums.preemptions == 0
    assert bill(static).state.passes > bill(Scenario()).state.passes


def statuses(state: State) -> list[Status]:
    return [request.status for request in state.requests]


# Every scenario


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(Mistake))
def test_a_trace_stops_in_the_same_places_whatever_the_mistake(scenario: Scenario, mistake: Mistake) -> None:
    right, mistaken = list(trace(scenario)), list(trace(replace(scenario, mistake=mistake)))
    assert [type(step.event) for step in right] == [type(step.event) for step in mistaken]
    for steps in (right, mistaken):
        for before, step in itertools.pairwise(steps):
            assert isinstance(hash(step), int)
            assert step.before == before.state


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(Mistake))
def test_after_every_step_free_and_used_blocks_make_up_the_pool(scenario: Scenario, mistake: Mistake) -> None:
    for step in trace(replace(scenario, mistake=mistake)):
        memory = step.state.memory
        named = [block for table in memory.tables for block in table.blocks]
        assert sorted([*named, *memory.free]) == list(range(scenario.n_blocks))
        assert sum(memory.ref_counts) == len(named)
        assert [table.name for table in memory.tables] == list(step.state.running)
    finished = {Status.FINISHED, Status.REFUSED}
    if mistake is Mistake.NONE and set(statuses(step.state)) <= finished:
        assert len(step.state.memory.free) == scenario.n_blocks


@settings(max_examples=60)
@given(scenarios())
def test_lanes_tell_every_row_and_every_token(scenario: Scenario) -> None:
    state = bill(scenario).state
    for request in state.requests:
        assert len(request.lane) == state.passes
        assert tuple(cell.token for cell in request.lane if cell.token is not None) == request.sent
        if request.status is Status.FINISHED:
            assert sum(cell.prefill for cell in request.lane) == request.n_prompt
            assert sum(cell.decode for cell in request.lane) == len(request.truth) - 1
    assert sum(cell.rows for request in state.requests for cell in request.lane) == state.sums.rows
    for passed in range(state.passes):
        assert sum(request.lane[passed].rows for request in state.requests) <= scenario.budget


# Numbers only


@settings(max_examples=300)
@given(setups())
def test_a_pass_keeps_to_its_budget_its_limit_and_its_pool(work: tuple[tuple[Job, ...], Setup]) -> None:
    jobs, setup = work
    scheduler = Scheduler(jobs, setup)
    most = 3 * sum(job.rows for job in jobs) + 10
    while scheduler.busy and scheduler.passes < most:
        plan = scheduler.schedule()
        assert sum(rows.n for rows in plan.rows) <= setup.budget
        assert setup.max_running is None or len(scheduler.running) <= setup.max_running
        assert len({rows.request for rows in plan.rows}) == len(plan.rows)
        for rows in plan.rows:
            live = scheduler.live[rows.request]
            assert rows.first == live.computed
            assert rows.first + rows.n <= live.known <= live.job.prompt + live.sent
            assert len(rows.blocks) >= blocks_for(rows.first + rows.n, setup.block_size)
            assert setup.chunked or rows.first + rows.n == live.known
        tables = [live.table.block_table for live in scheduler.live if live.table is not None]
        assert sorted([*scheduler.pool.free_blocks, *(b for table in tables for b in table)]) == list(
            range(setup.n_blocks)
        )
        scheduler.complete(plan)
    assert not scheduler.busy
    if not scheduler.stuck:
        assert scheduler.pool.n_free == setup.n_blocks
        assert all(live.sent == live.job.new for i, live in enumerate(scheduler.live) if i not in scheduler.refused)


@settings(max_examples=150)
@given(setups())
def test_what_is_served_adds_up(work: tuple[tuple[Job, ...], Setup]) -> None:
    jobs, setup = work
    done = serve(jobs, replace(setup, mistake=Mistake.NONE))
    assert done.finished + done.refused + done.unfinished == len(jobs)
    if done.finished == len(jobs):
        assert done.tokens == sum(job.new for job in jobs)
        assert done.rows == sum(job.rows for job in jobs) + done.rows_again
    if setup.when_full is not WhenFull.RECOMPUTE:
        assert done.rows_again == 0
    if setup.when_full is not WhenFull.SWAP:
        assert done.moved_tokens == 0
    if not setup.continuous:
        assert (done.preemptions, done.unfinished) == (0, 0)
    assert done == serve(jobs, replace(setup, mistake=Mistake.NONE))


def test_with_plenty_of_everything_each_request_takes_as_many_passes_as_it_gets_tokens() -> None:
    jobs = many_jobs(20, 16, 16, gap=2)
    assert serve(jobs, PLENTY).latencies == tuple(sorted(job.new for job in jobs))


def test_a_static_batch_waits_for_its_longest() -> None:
    jobs = [Job(4, 2), Job(4, 9), Job(4, 3), Job(4, 3)]
    static = serve(jobs, replace(PLENTY, max_running=2, continuous=False))
    continuous = serve(jobs, replace(PLENTY, max_running=2))
    assert static.latencies == (9, 9, 12, 12)
    assert continuous.latencies == (2, 5, 8, 9)


def test_more_running_at_once_is_not_more_finished() -> None:
    limits = (1, 4, 8, 10, 12, 16, 24)
    setup = Setup(n_blocks=64, block_size=16, budget=64)
    found = sweep(many_jobs(100), setup, limits, Price(16, 1))
    rates = [outcome.rate for outcome in found]
    best = rates.index(max(rates))
    assert 0 < best < len(limits) - 1
    assert rates[:best] == sorted(rates[:best])
    assert rates[-1] < 0.97 * rates[best]
    assert found[0].rows_again == 0 < found[best].rows_again < found[-1].rows_again
    assert [outcome.running <= limit for outcome, limit in zip(found, limits, strict=True)] == [True] * len(limits)


def test_time_is_counted_in_passes_unless_rows_have_a_price() -> None:
    jobs, setup = [Job(6, 3), Job(2, 2, 1)], Setup(8, 4, 8)
    plain, priced = serve(jobs, setup), serve(jobs, setup, Price(10, 1))
    assert (plain.time, plain.passes, plain.latencies) == (3, 3, (2, 3))
    assert (priced.time, priced.latencies) == (30 + priced.rows, (10 + 3 + 10 + 2, 30 + 11))


def test_what_leaves_the_pool_and_comes_back_has_its_price() -> None:
    jobs, setup = [Job(4, 6)] * 3, Setup(5, 4, 12, when_full=WhenFull.SWAP)
    plain, priced = serve(jobs, setup), serve(jobs, setup, Price(1, 0, 2))
    assert plain.moved_tokens > 0
    assert priced.time == plain.time + 2 * plain.moved_tokens


@pytest.mark.parametrize(("values", "p", "found"), [((), 50, None), ((3,), 95, 3), ((1, 2, 3, 4), 50, 2)])
def test_percentiles_are_values_that_occur(values: tuple[int, ...], p: int, found: int | None) -> None:
    assert percentile(values, p) == found
    assert percentile(range(1, 101), 95) == 95


# Refused


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Setup(0, 4, 8), "n_blocks"),
        (lambda: Setup(4, 0, 8), "block_size"),
        (lambda: Setup(4, 4, 0), "budget"),
        (lambda: Setup(4, 4, 8, 0), "max_running"),
        (lambda: Setup(4, 4, 8, continuous=1), "continuous"),  # type: ignore[arg-type]
        (lambda: Setup(4, 4, 8, when_full="swap"), "when_full"),  # type: ignore[arg-type]
        (lambda: Setup(4, 4, 8, mistake="none"), "mistake"),  # type: ignore[arg-type]
        (lambda: serve([Job(0, 1)], PLENTY), "prompt"),
        (lambda: serve([Job(1, 0)], PLENTY), "new"),
        (lambda: serve([Job(1, 1, -1)], PLENTY), "arrival"),
        (lambda: serve([Job(17, 1)], Setup(4, 4, 8)), "n_blocks"),
        (lambda: serve([Job(9, 8)], Setup(4, 4, 15, chunked=False)), "budget"),
        (lambda: sweep([Job(1, 1)], PLENTY, [0]), "max_running"),
        (lambda: Price(0), "a_pass"),
        (lambda: Scenario(prompts=()), "new"),
        (lambda: Scenario(((1,),), (1,), ()), "arrivals"),
        (lambda: Scenario(((11,),), (1,), (0,)), "prompts"),
        (lambda: Scenario(((),), (1,), (0,)), "prompts"),
        (lambda: Scenario(((1,),), (13,), (0,)), "new"),
        (lambda: Scenario(((1,),), (1,), (21,)), "arrivals"),
        (lambda: Scenario(((1,) * 16,), (12,), (0,)), "n_blocks"),
        (lambda: Scenario(max_running=7), "max_running"),
    ],
)
def test_what_cannot_be_is_refused_by_name(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()


def test_a_request_that_never_fits_is_named() -> None:
    with pytest.raises(ValueError, match=r"^n_blocks: request 1 needs 6 of them, the pool has 5$"):
        serve([Job(20, 1), Job(20, 2)], Setup(5, 4, 8))
