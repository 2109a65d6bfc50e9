"""engine.measure on NumPy: planned first, refused before tried, right before timed."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.measure import (
    QUICK,
    Count,
    Done,
    Measured,
    Plan,
    Progress,
    Run,
    Settings,
    Skipped,
    measure,
    plan,
    settings_of,
)
from engine.measuring import machine, runner
from engine.measuring.arrays import TOLERANCE, NumpyArrays
from engine.measuring.group import Group, Ready, Way, poisoned
from engine.measuring.operations import groups
from engine.measuring.plan import Job, prepare, sets_of
from engine.measuring.runner import Event
from tests.engine.small import TINY, SmallCache


@pytest.fixture(scope="module")
def events() -> list[Event]:
    """All that one small run on NumPy tells."""
    return list(measure(TINY))


@pytest.fixture(scope="module")
def run(events: list[Event]) -> Run:
    assert isinstance(events[-1], Done)
    return events[-1].run


def test_a_run_plans_first_answers_every_case_and_ends_with_all_of_it(events: list[Event]) -> None:
    first, *between, last = events
    assert isinstance(first, Plan)
    assert isinstance(last, Done)
    assert any(isinstance(event, Progress) for event in between)
    answers = [event.case for event in between if isinstance(event, Measured | Skipped)]
    assert sorted(map(str, answers)) == sorted(str(planned.case) for planned in first.cases)
    assert len(last.run.results) == len(answers)
    assert last.run.ended == "done"


def test_small_sizes_of_all_operations_come_before_large_ones_and_the_record_is_in_order(
    events: list[Event], run: Run
) -> None:
    _, jobs = prepare(TINY)
    ranks = [(job.group.operation, job.group.size) for job in jobs]
    assert [operation for operation, _ in ranks[:2]] == ["copy", "product"]
    assert ranks[2:] == [
        ("attention", 48), ("tiles", 96), ("decode", 6), ("paged", 64), ("attention", 96), ("decode", 12), ("paged",
        128),



    ]  # fmt: skip
    assert {event for event in events if isinstance(event, Measured)} == set(run.results)
    order = [(m.case.operation, m.case.size("n")) for m in run.results[2:]]
    assert list(dict.fromkeys(order)) == [
        ("attention", 48), ("attention", 96), ("tiles", 96), ("decode", 6), ("decode", 12), ("paged", 64), ("paged",
        128),



    ]  # fmt: skip


def test_progress_never_goes_back_and_ends_with_nothing_left() -> None:
    seen = [event for event in measure(replace(TINY, operations=("tiles",))) if isinstance(event, Progress)]
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert (seen[-1].done, seen[-1].left) == (seen[-1].total, 0.0)
    assert all(p.left >= 0 for p in seen)


def test_a_timing_says_where_when_and_how_often(run: Run) -> None:
    for m in run.results:
        t = m.timing
        assert t.device == machine.processor()
        assert dict(t.versions)["numpy"] == np.__version__
        assert t.threads >= 1
        assert t.runs >= 5
        assert t.calls >= 1
        assert t.date.endswith("+00:00")
        assert 0 < t.p10 <= t.median <= t.p90
        assert t.peak_bytes is not None
        assert m.error <= m.tolerance == TOLERANCE[t.dtype]
        assert (m.clock, m.peak_by) == ("host clock", "tracemalloc")


def test_what_is_bound_by_memory_rotates_past_the_caches_twice_over() -> None:
    b = NumpyArrays()
    for group in groups(QUICK, b, "float32"):
        sets = sets_of(group, b, 2**40)
        if group.operation in ("copy", "paged"):
            assert (sets - 1) * group.ways[0].count.must_move >= 2 * b.cache_bytes
        else:
            assert sets == 1


def test_rotated_sets_hold_the_same_numbers_at_other_addresses() -> None:
    b = SmallCache()
    group = next(g for g in groups(TINY, b, "float32") if g.operation == "paged")
    job = Job(b, "float32", group, group.ways, 3, 0.0, 0.0)
    first, *others = runner._inputs(job, 0)
    assert len(others) == 2
    for other in others:
        for a, c in zip(first[: group.rotated], other[: group.rotated], strict=True):
            np.testing.assert_array_equal(a, c)
            assert not np.shares_memory(a, c)


def one_group(compute: Callable[[Any, Any], None]) -> Group:
    """Doubling a row, done by `compute`."""

    def build(b: Any, dtype: str, sets: Any) -> Ready:
        out = poisoned(b, (8,), dtype)
        return Ready(lambda i: compute(sets[i][0], out), lambda: out)

    return Group(
        "attention",
        (("n", 8),),
        32,
        32,
        128,
        (Way("plain", Count(16, 0, 64, 64, 1, 0), build),),
        lambda b, dtype, rng: (b.upload(rng.standard_normal(8), dtype),),
        lambda b, inputs: 2 * b.download(inputs[0]),
        lambda result: result,
    )


def answers(group: Group) -> list[Measured | Skipped]:
    job = Job(SmallCache(), "float32", group, group.ways, 1, 1.0, 0.0)
    settings = replace(TINY, case_seconds=0.001)
    return [event for event in runner._group(job, settings, 1.0, float("inf"), time.perf_counter) if event is not None]


def double(a: Any, out: Any) -> None:
    out[...] = 2 * a


def wrong(a: Any, out: Any) -> None:
    out[...] = 2.001 * a


def unfinished(a: Any, out: Any) -> None:
    out[:-1] = 2 * a[:-1]


def test_what_is_wrong_or_left_unwritten_is_named_and_not_timed() -> None:
    (right,) = answers(one_group(double))
    assert isinstance(right, Measured)
    for compute in (wrong, unfinished):
        (skipped,) = answers(one_group(compute))
        assert isinstance(skipped, Skipped)
        assert skipped.reason.startswith("wrong: off float64 by")


def test_memory_that_runs_out_on_the_way_is_a_size_that_does_not_fit() -> None:
    def greedy(a: Any, out: Any) -> None:
        out[...] = np.empty(2**60, np.float32)[:8] + a  # the system refuses

    (skipped,) = answers(one_group(greedy))
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("does not fit in memory: Unable to allocate")


def test_another_fault_is_not_taken_for_memory() -> None:
    def broken(a: Any, out: Any) -> None:
        raise IndexError("a fault")

    with pytest.raises(IndexError, match="a fault"):
        answers(one_group(broken))


def test_out_of_time_the_rest_is_named_not_tried() -> None:
    ticks = iter(range(10**6))
    *_, done = measure(replace(TINY, seconds=60.0), clock=lambda: 1.0 * next(ticks))  # each look at the clock: a second
    assert isinstance(done, Done)
    assert done.run.ended == "out of time"
    assert {skip.reason[:11] for skip in done.run.skipped} == {"out of time"}
    assert len(done.run.results) + len(done.run.skipped) == len(plan(TINY).cases)


# Refused beforehand


def test_a_size_that_needs_more_than_may_be_used_is_refused_with_the_estimate() -> None:
    settings = replace(TINY, heads=1, operations=("attention",), lengths=(2048,), memory=12 * 2**20)
    made = plan(settings)
    refused = {planned.case.way: planned for planned in made.cases if planned.case.operation == "attention"}
    assert refused["plain"].n_bytes >= 4 * 2048 * 2048  # its table of scores alone
    assert refused["plain"].refused == f"needs {-(-refused['plain'].n_bytes // 2**20)} MiB, 12 MiB may be used"
    assert refused["tiled"].refused == ""
    *_, done = measure(settings)
    assert isinstance(done, Done)
    assert [m.case.way for m in done.run.results if m.case.operation == "attention"] == ["tiled"]
    assert refused["plain"].refused in {skip.reason for skip in done.run.skipped}


def test_a_plan_allocates_nothing_of_size() -> None:
    contexts = tuple(range(2**22 - 11, 2**22 + 1))
    tracemalloc.start()
    try:
        planned, _ = prepare(Settings(operations=("paged",), contexts=contexts, block_size=1, memory=2**20))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert all(one.refused for one in planned.cases)
    assert peak < 64 * 2**20  # the block tables of these contexts take 12 · 32 MiB


def test_the_limit_is_never_more_than_what_is_free() -> None:
    made = plan(replace(TINY, operations=(), memory=2**44))
    free = NumpyArrays().free_bytes()
    assert free is not None
    assert dict(made.limits)["numpy"] < free


def test_numpy_refuses_half_precision_with_a_reason() -> None:
    for dtype, why in (("bfloat16", "NumPy has no bfloat16"), ("float16", "without a BLAS")):
        made = plan(replace(TINY, dtypes=(dtype,)))
        assert made.cases
        assert all(why in planned.refused for planned in made.cases)
        *_, done = measure(replace(TINY, dtypes=(dtype,)))
        assert isinstance(done, Done)
        assert done.run.results == ()
        assert len(done.run.skipped) == len(made.cases)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"lengths": (64, 32)}, "lengths"),
        ({"lengths": ()}, "lengths"),
        ({"lengths": (0,)}, "lengths"),
        ({"lengths": (True,)}, "lengths"),
        ({"lengths": (2**30,)}, "lengths"),
        ({"heads": 0}, "heads"),
        ({"head_dim": 1.5}, "head_dim"),
        ({"seconds": float("nan")}, "seconds"),
        ({"seconds": -1}, "seconds"),
        ({"backends": ("tpu",)}, "backends"),
        ({"backends": ()}, "backends"),
        ({"dtypes": ("float8",)}, "dtypes"),
        ({"operations": ("attention", "attention")}, "operations"),
        ({"d_model": 40}, "d_model"),
        ({"contexts": (100,)}, "contexts"),
    ],
)
def test_bad_settings_are_named(change: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named}: "):
        replace(TINY, **change)


def test_settings_survive_json() -> None:
    assert settings_of(json.dumps(TINY.as_dict())) == TINY
    for raw, named in (("[]", "object"), ("{", "no JSON"), ('{"lenghts": [1]}', "lenghts")):
        with pytest.raises(ValueError, match=named):
            settings_of(raw)
