"""The run itself: a generator of events, so that whoever listens can show progress and stop by not asking for more."""

from __future__ import annotations

import gc
import math
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from engine.attention import Array
from engine.measuring import machine
from engine.measuring.arrays import TOLERANCE, Arrays, Tensor, Unsupported
from engine.measuring.group import Group, Inputs, Ready, Way
from engine.measuring.plan import ORDER, Case, Job, Plan, prepare, rule_of
from engine.measuring.record import Drift, Measured, Run, Skipped
from engine.measuring.settings import Settings
from engine.measuring.timing import Timing, rounds, summary

LEAST_SAMPLE = 1e-3  # seconds: what is shorter is called several times a sample
MOST_CALLS = 1000
CEILINGS = ("copy", "product")


@dataclass(frozen=True)
class Progress:
    """`done` of `total` cases have an answer; seconds since the start and, at most about, to go; `now` is being
    measured."""

    done: int
    total: int
    elapsed: float
    left: float
    now: Case | None


@dataclass(frozen=True)
class Done:
    """The last event: all of it."""

    run: Run


Event = Plan | Progress | Measured | Skipped | Done
Clock = Callable[[], float]


def measure(settings: Settings, clock: Clock = time.perf_counter) -> Iterator[Event]:
    """First the Plan, then a Measured or Skipped for each of its cases with Progress between, last Done."""
    start = clock()
    under = host()
    plan, jobs = prepare(settings)
    yield plan
    deadline = start + settings.seconds
    results: list[Measured] = []
    skipped = [Skipped(planned.case, planned.refused) for planned in plan.cases if planned.refused]
    yield from skipped
    spent = 0.0  # of the estimates, for groups that are done
    begun = clock()
    total_seconds = sum(job.seconds for job in jobs)

    def progress(job: Job | None, within: float) -> Progress:
        """`within` seconds have gone into `job`; what went faster or slower than estimated corrects the rest."""
        elapsed = clock() - begun
        pace = min(3.0, max(0.2, (elapsed - within) / spent)) if spent > 0 else 1.0
        rest = total_seconds - spent - (job.seconds if job is not None else 0.0)
        here = max(0.0, job.seconds * pace - within) if job is not None else 0.0
        left = min(max(0.0, rest) * pace + here, max(0.0, deadline - clock()))
        now = job.case(job.ways[0]) if job is not None else None
        return Progress(len(results) + len(skipped), len(plan.cases), clock() - start, left, now)

    for job in jobs:
        entered = clock()
        yield progress(job, 0.0)
        if entered + job.least_seconds > deadline and job.group.operation not in CEILINGS:
            reason = (
                f"out of time: needs about {job.least_seconds:.1f} s, {max(0.0, deadline - entered):.1f} s are left"
            )
            found: list[Measured | Skipped] = [Skipped(job.case(way), reason) for way in job.ways]
        else:
            found = []
            share = min(1.0, (deadline - entered) / max(1e-9, total_seconds - spent))
            for event in _group(job, settings, share, deadline, clock):
                if event is None:
                    yield progress(job, clock() - entered)
                else:
                    found.append(event)
        for answer in found:
            (results if isinstance(answer, Measured) else skipped).append(answer)  # type: ignore[arg-type]
            yield answer
        spent += job.seconds
    yield progress(None, 0.0)
    drift = tuple(_drift(settings, jobs, results, deadline, clock))
    ended = "out of time" if any(skip.reason.startswith("out of time") for skip in skipped) else "done"
    yield Done(
        Run(
            now(), under, settings, plan.places, in_order(results, settings), tuple(skipped), drift, clock() - start,
            ended
        )
    )  # fmt: skip


def in_order(results: list[Measured], settings: Settings) -> tuple[Measured, ...]:
    """Place by place, operation by operation, size by size; the ways of a group stay as they were."""
    return tuple(
        sorted(
            results,
            key=lambda m: (
                settings.backends.index(m.case.backend),
                settings.dtypes.index(m.case.dtype),
                ORDER.index(m.case.operation),
                m.case.shape[0][1],
            ),
        )
    )


def now() -> str:
    """The date, ISO 8601 in UTC to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def host() -> tuple[tuple[str, str], ...]:
    """What it ran under; names no machine and no user. The load is that of the last minute: others disturb."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        ("python", platform.python_version()), ("system", platform.system()), ("machine", platform.machine()),
        ("processor", machine.processor()), ("cores", str(machine.cores())), ("load", load),
    )  # fmt: skip


def _group(
    job: Job, settings: Settings, share: float, deadline: float, clock: Clock
) -> Iterator[Measured | Skipped | None]:
    """Check every way against float64, look at its memory, then time all of them in turn. None: time has passed."""
    b, group, dtype = job.arrays, job.group, job.dtype
    try:
        sets = _inputs(job, settings.seed)
        exact = group.reference(b, sets[0])
    except Exception as error:
        if not b.is_out_of_memory(error):
            raise
        b.release()
        yield from (Skipped(job.case(way), does_not_fit(error)) for way in job.ways)
        return
    checked: list[tuple[Way, Ready, float, int | None]] = []
    for way in job.ways:
        if clock() >= deadline:
            yield Skipped(job.case(way), "out of time: the run's seconds were spent before it was its turn")
            continue
        try:
            ready, error_found, peak = _checked(job, way, sets, exact)
        except Unsupported as error:
            yield Skipped(job.case(way), str(error))
        except Exception as error:
            if not b.is_out_of_memory(error):
                raise
            b.release()
            yield Skipped(job.case(way), does_not_fit(error))
        else:
            if error_found <= TOLERANCE[dtype]:  # NaN is not
                checked.append((way, ready, error_found, peak))
            else:
                reason = f"wrong: off float64 by {error_found:.1e} of its length, {TOLERANCE[dtype]:.0e} is rounding"
                yield Skipped(job.case(way), reason)
        yield None
    timed = [_Sampler(b, way, ready, len(sets)) for way, ready, _, _ in checked]
    kept: list[list[float]] = [[] for _ in timed]
    try:
        for so_far in rounds(timed, rule_of(settings, len(timed), share, deadline), clock) if timed else ():
            kept = so_far
            yield None
    except Exception as error:
        if not b.is_out_of_memory(error):
            raise
        b.release()
        yield from (Skipped(job.case(way), does_not_fit(error)) for way, _, _, _ in checked)
        return
    for (way, _, error_found, peak), sampler, samples in zip(checked, timed, kept, strict=True):
        if not samples:
            yield Skipped(job.case(way), "out of time: not one run after warming up")
            continue
        case = job.case(way)
        found = summary(samples)
        timing = Timing(
            b.device, b.versions, b.threads, dtype, case.shape, found.runs, sampler.calls, now(),
            max(found.median, 1e-9), max(found.p10, 1e-9), max(found.p90, 1e-9), found.noise, peak,
        )  # fmt: skip
        yield Measured(case, timing, way.count, error_found, TOLERANCE[dtype], len(sets), b.clock, b.peak_by)
    del sets, checked, timed
    gc.collect()
    b.release()


class _Sampler:
    """Times one way: each sample as many calls as the clock needs, each call on the next set of inputs."""

    def __init__(self, b: Arrays, way: Way, ready: Ready, n_sets: int) -> None:
        self._b, self._way, self._ready, self._n_sets = b, way, ready, n_sets
        self._turn = 0
        self.calls = 1

    def __call__(self) -> float:
        with self._b.kernel(self._way.kernel) if self._way.kernel else nullcontext():
            if self._turn == 0:  # twice: the first call may compile or load
                seconds = min(self._b.seconds(self._call, 1) for _ in range(2))
                self.calls = max(1, min(MOST_CALLS, math.ceil(LEAST_SAMPLE / max(seconds, 1e-9))))
            return self._b.seconds(self._call, self.calls)

    def _call(self) -> None:
        self._ready.call(self._turn % self._n_sets)
        self._turn += 1


def _inputs(job: Job, seed: int) -> list[Inputs]:
    """The first set is drawn; the others are copies at other addresses, sharing what is not rotated."""
    b, group = job.arrays, job.group
    first = group.inputs(b, job.dtype, np.random.default_rng(seed))
    sets = [first]
    for _ in range(job.sets - 1):
        sets.append((*(_clone(b, a, job.dtype) for a in first[: group.rotated]), *first[group.rotated :]))
    return sets


def _clone(b: Arrays, a: Tensor, dtype: str) -> Tensor:
    out = b.empty(tuple(a.shape), dtype)
    b.copy(a, out)
    return out


def _checked(job: Job, way: Way, sets: list[Inputs], exact: Array) -> tuple[Ready, float, int | None]:
    """The way with its buffers, its error, and the most bytes that it held beyond inputs and result."""
    b, group = job.arrays, job.group
    with ExitStack() as stack:
        if way.kernel:
            stack.enter_context(b.kernel(way.kernel))
        stack.enter_context(b.explained())
        made: list[Ready] = []

        def first() -> None:
            made.append(way.build(b, job.dtype, sets))
            made[0].call(0)

        peak = b.peak(first)
        error = distance(group, b.download(made[0].result()), exact)
    return made[0], error, None if peak is None else max(0, peak - group.result_bytes)


def distance(group: Group, result: Array, exact: Array) -> float:
    """‖result − exact‖ / ‖exact‖ over what is checked; NaN where any of the result, checked or not, is no number."""
    if not np.isfinite(result).all():
        return math.nan
    return float(np.linalg.norm(group.checked(result) - exact) / np.linalg.norm(exact))


def does_not_fit(error: BaseException) -> str:
    """The reason that a size is left out."""
    words = str(error).strip().splitlines()
    return f"does not fit in memory: {words[0]}" if words else "does not fit in memory"


def _drift(
    settings: Settings, jobs: tuple[Job, ...], results: list[Measured], deadline: float, clock: Clock
) -> Iterator[Drift]:
    """Time the products once more, briefly. One second past the deadline is the most that this may cost."""
    short = replace(settings, case_seconds=min(0.2, settings.case_seconds))
    for job in jobs:
        before = [m for m in results if m.case.operation == "product" and m.case == job.case(job.ways[0])]
        if before and clock() < deadline:
            again = [m for m in _group(job, short, 1.0, deadline + 1.0, clock) if isinstance(m, Measured)]
            yield from (Drift(job.arrays.name, job.dtype, before[0].timing.median, m.timing.median) for m in again)
