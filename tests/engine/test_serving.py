"""engine.serving: what is wasted on finished sequences, and over time."""

from __future__ import annotations

import gc
import itertools
import tracemalloc
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.block_pool import BlockPool
from engine.paged import Sequence, blocks_for
from engine.serving import (
    BestFit,
    FirstFit,
    Load,
    Paged,
    Policy,
    PowerOfTwo,
    Reserve,
    Snapshot,
    Waste,
    chat_lengths,
    lognormal_lengths,
    picture,
    power_of_two_waste,
    progress,
    simulate,
    snapshots,
    static_waste,
    stays,
)
from engine.serving.holes import Holes
from engine.serving.simulate import spans
from tests.engine.rule_of_time import slowly

LENGTHS = chat_lengths()
WASTED = {4: 1_497, 8: 3_469, 16: 7_381, 32: 15_221, 64: 30_677, 128: 61_717, 256: 125_589}


def test_the_lengths_are_the_same_for_everyone() -> None:
    assert LENGTHS[:10] == (1047, 1064, 1309, 663, 1821, 1379, 1488, 686, 632, 1332)
    assert (len(LENGTHS), sum(LENGTHS), min(LENGTHS), max(LENGTHS)) == (1_000, 1_019_243, 1, 2_047)


@pytest.mark.parametrize("block_size", WASTED)
def test_t60_waste_by_block_size(block_size: int) -> None:
    assert static_waste(LENGTHS, block_size).wasted_tokens == WASTED[block_size]


def test_t60_blocks_of_16() -> None:
    waste = static_waste(LENGTHS, 16)
    assert waste.blocks == 64_164
    assert round(100 * waste.wasted_tokens / (waste.blocks * 16), 3) == 0.719


def test_t60_reserving_the_longest_for_everyone_wastes_half() -> None:
    waste = static_waste(LENGTHS, 2_048)
    assert waste == Waste(1_000, 1_028_757)
    assert round(100 * waste.wasted_tokens / (1_000 * 2_048), 2) == 50.23


def test_t60_powers_of_two() -> None:
    waste = power_of_two_waste(LENGTHS)
    assert (sum(LENGTHS) + waste.wasted_tokens, waste.wasted_tokens) == (1_365_103, 345_860)
    assert round(100 * waste.wasted_tokens / 1_365_103, 1) == 25.3


def test_t62_each_remainder_once_wastes_7_5_tokens_a_sequence() -> None:
    assert static_waste(range(1, 17), 16) == Waste(16, 120)


@pytest.mark.parametrize(("length", "blocks"), [(0, 0), (1, 1), (16, 1), (17, 2), (32_769, 2_049)])
def test_t37_blocks_are_whole(length: int, blocks: int) -> None:
    assert static_waste([length], 16).blocks == blocks


@given(st.lists(st.integers(0, 500)), st.integers(1, 64))
def test_less_than_a_block_is_wasted_a_sequence_and_nothing_is_lost(lengths: list[int], block_size: int) -> None:
    waste = static_waste(lengths, block_size)
    assert waste.blocks * block_size == sum(lengths) + waste.wasted_tokens
    assert waste.wasted_tokens <= (block_size - 1) * len(lengths)
    assert static_waste(lengths, 1).wasted_tokens == 0


@given(st.lists(st.integers(0, 5_000)))
def test_a_power_of_two_wastes_less_than_half(lengths: list[int]) -> None:
    waste = power_of_two_waste(lengths)
    assert waste.blocks == sum(1 for length in lengths if length)
    assert waste.wasted_tokens < max(sum(lengths), 1)


@pytest.mark.parametrize(
    ("lengths", "block_size", "name"),
    [([-1], 4, "lengths"), ([1.5], 4, "lengths"), ([1], 0, "block_size"), ([1], -4, "block_size")],
)
def test_a_bad_argument_is_refused_by_name(lengths: list[int], block_size: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        static_waste(lengths, block_size)


# Over time


@st.composite
def workloads(draw: Any) -> tuple[list[int], Policy, int, int | None]:
    pool = draw(st.integers(4, 40))
    block_size = draw(st.integers(1, min(6, pool)))
    policy: Policy = draw(
        st.sampled_from(
            [
                Reserve(draw(st.integers(1, pool))),
                FirstFit(),
                BestFit(),
                PowerOfTwo(),
                Paged(block_size),
                Paged(block_size, "swap"),
            ]
        )
    )
    match policy:
        case Reserve(tokens=tokens):
            longest = tokens
        case Paged(block_size=size):
            longest = pool // size * size
        case PowerOfTwo():
            longest = 1 << (pool.bit_length() - 1)
        case _:
            longest = pool
    lengths = draw(st.lists(st.integers(1, longest), max_size=12))
    return lengths, policy, pool, draw(st.none() | st.integers(1, 4))


@settings(max_examples=300)
@given(workloads())
@example(([4, 4, 4], Paged(1), 4, None))  # three at once, each preempted in its turn
def test_steps_taken_together_give_what_steps_one_by_one_give(work: tuple[list[int], Policy, int, int | None]) -> None:
    lengths, policy, pool, limit = work
    assert simulate(lengths, policy, pool_tokens=pool, max_running=limit) == slowly(lengths, policy, pool, limit)


@pytest.mark.parametrize(
    ("policy", "utilisation"), [(Reserve(2048), 0.33259), (FirstFit(), 0.50037), (Paged(16), 0.98908)]
)
@pytest.mark.parametrize("pool_tokens", [2_048, 16_384, 3_000_000])
def test_t60_utilisation_over_time_whatever_the_pool(policy: Policy, utilisation: float, pool_tokens: int) -> None:
    assert round(simulate(LENGTHS, policy, pool_tokens=pool_tokens).utilisation, 5) == utilisation


def test_t60_exact_reservation_wastes_nothing_in_the_end_and_half_over_time() -> None:
    report = simulate(LENGTHS, BestFit(), pool_tokens=16_384)
    assert report.reserved == sum(length * length for length in LENGTHS)
    assert report.held == sum(length * (length + 1) // 2 for length in LENGTHS)


def test_paging_serves_the_thousand_in_less_than_half_the_steps() -> None:
    reserved, exact, paged = (
        simulate(LENGTHS, policy, pool_tokens=16_384) for policy in (Reserve(2048), FirstFit(), Paged(16))
    )
    assert (reserved.tokens, exact.tokens, paged.tokens) == (1_019_243,) * 3
    assert paged.steps * 2 < exact.steps < reserved.steps
    assert (reserved.blocked_steps, paged.blocked_steps) == (0, 0)
    assert exact.blocked_steps * 2 > exact.steps
    assert paged.waste_internal < 16 * paged.mean_running < exact.waste_internal


def test_recompute_and_swap_take_the_same_time_and_cost_different_things() -> None:
    again, moved = (simulate(LENGTHS, Paged(16, when_full), pool_tokens=16_384) for when_full in ("recompute", "swap"))
    assert again.preemptions == moved.preemptions > 0
    assert (again.swapped_tokens, moved.recomputed_tokens) == (0, 0)
    assert moved.swapped_tokens == 2 * again.recomputed_tokens
    assert replace(moved, recomputed_tokens=again.recomputed_tokens, swapped_tokens=0) == again


def test_a_limit_on_running_requests_is_kept() -> None:
    report = simulate(LENGTHS[:50], Paged(16), pool_tokens=16_384, max_running=3)
    assert report.mean_running <= 3
    assert report.preemptions == 0


def test_one_request_at_a_time_takes_as_many_steps_as_there_are_tokens() -> None:
    assert simulate(LENGTHS, FirstFit(), pool_tokens=2_047, max_running=1).steps == 1_019_243


def test_news_on_the_way_are_reports_on_what_has_happened_so_far() -> None:
    news = list(progress(Load.of(LENGTHS, Paged(16), 16_384, None), 100))
    assert [one.finished // 100 for one in news] == list(range(1, 11))
    assert news[-1].report == simulate(LENGTHS, Paged(16), pool_tokens=16_384)
    for one, next_one in itertools.pairwise(news):
        assert one.report.steps < next_one.report.steps
        assert one.report.tokens < next_one.report.tokens


def test_no_requests_take_no_time() -> None:
    report = simulate([], FirstFit(), pool_tokens=8)
    assert (report.steps, report.tokens, report.utilisation, report.mean_running) == (0, 0, 0, 0)


@settings(max_examples=200)
@given(workloads())
def test_after_every_step_what_is_held_and_what_is_free_make_up_the_pool(
    work: tuple[list[int], Policy, int, int | None],
) -> None:
    lengths, policy, pool, limit = work
    steps = list(snapshots(lengths, policy, pool_tokens=pool, max_running=limit))
    ran: Counter[int] = Counter()
    for step in steps:
        strip = step.strip
        owned = [place for one in strip.held for start, size in one.pieces for place in range(start, start + size)]
        empty = [place for start, size in strip.holes for place in range(start, start + size)]
        assert sorted(owned + empty) == list(range(strip.size))  # each place once
        assert len(owned) + strip.free == strip.size
        for one in strip.held:
            assert 0 < one.tokens <= one.length == lengths[one.request]
            ran[one.request] += 1
            if isinstance(policy, Paged):
                assert len(one.pieces) == blocks_for(one.tokens, policy.block_size)
            else:
                assert one.pieces[0][1] == policy.takes(one.length)
        waiting = [request for request, _ in step.kept] + list(range(step.unseen, len(lengths)))
        running = [one.request for one in strip.held]
        assert running + waiting == sorted(running + waiting)  # first come, first served
        assert limit is None or len(running) <= limit
        if step.refused and step.refused.blocked:
            assert step.refused.takes <= strip.free
            assert step.refused.takes > strip.largest
    assert ran == Counter(dict(enumerate(lengths)))  # a token a step, none lost, everybody to the end
    report = simulate(lengths, policy, pool_tokens=pool, max_running=limit)
    assert report.steps == len(steps)
    assert report.held == sum(one.tokens for step in steps for one in step.strip.held)
    assert report.reserved == sum(one.reserved for step in steps for one in step.strip.held)
    assert report.preemptions == sum(len(step.preempted) for step in steps)
    assert report.blocked_steps == sum(step.refused is not None and step.refused.blocked for step in steps)


@settings(max_examples=100)
@given(workloads())
def test_the_same_workload_gives_the_same_report(work: tuple[list[int], Policy, int, int | None]) -> None:
    lengths, policy, pool, limit = work
    once, again = (simulate(list(lengths), policy, pool_tokens=pool, max_running=limit) for _ in range(2))
    assert once == again


def tables(step: Snapshot, size: int) -> dict[int, tuple[int, ...]]:
    return {one.request: tuple(start // size for start, _ in one.pieces) for one in step.strip.held}


@settings(max_examples=100)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=8), st.integers(1, 4), st.integers(12, 30))
def test_blocks_lie_where_a_pool_and_block_tables_put_them(lengths: list[int], size: int, pool_tokens: int) -> None:
    pool = BlockPool(pool_tokens // size, size)
    running: dict[int, Sequence] = {}
    before: dict[int, int] = {}
    for step in snapshots(lengths, Paged(size), pool_tokens=pool_tokens):
        victims = iter(step.preempted)
        for request in step.admitted:
            running[request] = Sequence(pool)
            running[request].append(before.get(request, 0) + 1)
        for request in sorted(running):
            if request in step.admitted or request not in running:
                continue
            lacks = running[request].length % size == 0
            while lacks and not pool.n_free and request in running:
                victim, before[victim] = next(victims)
                running.pop(victim).free()
            if request in running:
                running[request].append()
        assert {request: sequence.block_table for request, sequence in running.items()} == tables(step, size)
        for request in step.finished:
            running.pop(request).free()
    assert pool.n_free == pool.n_blocks


@settings(max_examples=100)
@given(workloads())
def test_stays_tell_what_snapshots_tell(work: tuple[list[int], Policy, int, int | None]) -> None:
    lengths, policy, pool, limit = work
    rectangles = list(stays(lengths, policy, pool_tokens=pool, max_running=limit))
    for step in snapshots(lengths, policy, pool_tokens=pool, max_running=limit):
        now = [stay for stay in rectangles if stay.first <= step.step <= stay.last]
        pieces = sorted((start, size, one.request) for one in step.strip.held for start, size in one.pieces)
        assert sorted((stay.start, stay.size, stay.request) for stay in now) == pieces
        for one in step.strip.held:
            assert sum(stay.filled(step.step) for stay in now if stay.request == one.request) == one.tokens


@settings(max_examples=60)
@given(workloads())
def test_a_picture_as_fine_as_the_pool_shows_every_place_at_every_step(
    work: tuple[list[int], Policy, int, int | None],
) -> None:
    lengths, policy, pool, limit = work
    steps = list(snapshots(lengths, policy, pool_tokens=pool, max_running=limit))
    seen = picture(
        stays(lengths, policy, pool_tokens=pool, max_running=limit),
        pool_tokens=pool,
        steps=len(steps),
        rows=pool,
        columns=max(len(steps), 1),
    )
    owner = np.full((pool, max(len(steps), 1)), -1)
    for i, step in enumerate(steps):
        for one in step.strip.held:
            for start, size in one.pieces:
                owner[start : start + size, i] = one.request
    np.testing.assert_array_equal(seen.owner, owner)
    assert seen.filled.sum() == simulate(lengths, policy, pool_tokens=pool, max_running=limit).held


@pytest.mark.parametrize("policy", [Paged(4), FirstFit(), BestFit()])
def test_memory_grows_with_the_requests_that_run_and_not_with_those_that_come(policy: Policy) -> None:
    def most(n: int) -> int:
        load = Load.of(chat_lengths(n, 64), policy, 512, None)
        found = []
        gc.freeze()  # what is there before is not walked at every look
        tracemalloc.start()
        for i, _ in enumerate(spans(load)):
            if i % 250 == 0:
                gc.collect()  # Python keeps freed tuples for a while
                found.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        gc.unfreeze()
        return max(found)

    assert most(6_000) - most(1_000) < 5_000 * 8  # not even a pointer for each that has come and gone


# Refused at once


@pytest.mark.parametrize(
    ("lengths", "policy", "pool_tokens", "max_running", "name"),
    [
        ([5, 9], FirstFit(), 8, None, "lengths"),
        ([5, 9], BestFit(), 8, None, "lengths"),
        ([5], PowerOfTwo(), 7, None, "lengths"),  # takes a piece of 8
        ([7], Paged(4), 7, None, "lengths"),  # takes two blocks, and the pool has one
        ([9], Reserve(8), 16, None, "lengths"),
        ([5], Reserve(8), 7, None, "lengths"),
        ([0], FirstFit(), 8, None, "lengths"),
        ([-1], FirstFit(), 8, None, "lengths"),
        ([1.5], FirstFit(), 8, None, "lengths"),
        ([1], FirstFit(), 0, None, "pool_tokens"),
        ([1], FirstFit(), 8, 0, "max_running"),
        ([1], "first fit", 8, None, "policy"),
    ],
)
@pytest.mark.parametrize("call", [simulate, snapshots, stays])
def test_what_would_wait_for_ever_is_refused_at_once_by_name(
    call: Any, lengths: list[int], policy: Policy, pool_tokens: int, max_running: int | None, name: str
) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call(lengths, policy, pool_tokens=pool_tokens, max_running=max_running)


def test_a_request_that_is_too_long_is_named() -> None:
    with pytest.raises(ValueError, match=r"^lengths: request 1, 9 tokens, takes 12; the pool holds 8$"):
        simulate([5, 9], Paged(4), pool_tokens=8)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Reserve(0), "tokens"),
        (lambda: Paged(0), "block_size"),
        (lambda: Paged(4, "wait"), "when_full"),  # type: ignore[arg-type]
        (lambda: lognormal_lengths(-1), "n"),
        (lambda: lognormal_lengths(1, 0), "median"),
        (lambda: lognormal_lengths(1, 1, -1), "sigma"),
        (lambda: lognormal_lengths(1, 1, float("nan")), "sigma"),
        (lambda: lognormal_lengths(1, 1, 1, 0), "longest"),
        (lambda: picture([], pool_tokens=1, steps=1, rows=0, columns=1), "rows"),
    ],
)
def test_a_bad_setting_is_refused_by_name(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()


# Lengths, and holes


def test_lognormal_lengths_have_the_median_and_the_spread_they_are_asked_for() -> None:
    lengths = lognormal_lengths(10_000, 200, 0.5, 10**6)
    logs = np.log(lengths)
    assert sorted(lengths)[5_000] == 200
    assert abs(logs.mean() - np.log(200)) < 0.005
    assert abs(logs.std() - 0.5) < 0.005
    assert lognormal_lengths(4, 200, 0) == (200,) * 4
    assert max(lognormal_lengths(1_000, 200, 2, 300)) == 300


@settings(max_examples=200)
@given(st.integers(1, 30), st.lists(st.tuples(st.booleans(), st.integers(1, 9), st.booleans()), max_size=40))
def test_holes_are_what_a_row_of_places_says(n: int, moves: list[tuple[bool, int, bool]]) -> None:
    holes, taken = Holes(n), [False] * n
    pieces: list[tuple[int, int]] = []

    def runs() -> list[tuple[int, int]]:
        edges = np.flatnonzero(np.diff([0, *(not t for t in taken), 0]))
        return [(int(start), int(end - start)) for start, end in edges.reshape(-1, 2)]

    for takes, k, smallest in moves:
        if takes or not pieces:
            fitting = [(size, start) for start, size in runs() if size >= k]
            expected = (min(fitting)[1] if smallest else min(s for _, s in fitting)) if fitting else None
            start = holes.take(k, smallest=smallest)
            assert start == expected
            if start is not None:
                pieces.append((start, k))
                taken[start : start + k] = [True] * k
        else:
            start, size = pieces.pop(k % len(pieces))
            holes.give(start, size)
            taken[start : start + size] = [False] * size
        assert list(holes.pieces) == runs()
        assert holes.free == n - sum(taken)
        assert holes.largest == max((size for _, size in runs()), default=0)
