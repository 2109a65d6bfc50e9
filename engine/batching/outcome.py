"""What came of serving: how much was finished, how long it took whom, what was done twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.batching.jobs import Job, Mistake, Setup
from engine.batching.scheduler import Pass, Scheduler
from engine.checked import checked_int


@dataclass(frozen=True)
class Price:
    """How long a pass takes, in any unit: `a_pass`, and `a_row` for each row, and `a_moved_token` for each token whose
    K and V leave the pool or come back. By default time is counted in passes, and rows cost nothing.

    A pass reads all weights once, however many rows it has; that is why batches pay. Price(16, 1) says that reading
    them takes as long as 16 rows.
    """

    a_pass: int = 1
    a_row: int = 0
    a_moved_token: int = 0

    def __post_init__(self) -> None:
        checked_int("a_pass", self.a_pass, 1)
        checked_int("a_row", self.a_row)
        checked_int("a_moved_token", self.a_moved_token)

    def of(self, plan: Pass, setup: Setup) -> int:
        """The time of one pass."""
        rows = sum(rows.n for rows in plan.rows)
        return self.a_pass + self.a_row * rows + self.a_moved_token * moved(plan, setup)


def moved(plan: Pass, setup: Setup) -> int:
    """Tokens whose K and V leave the pool or come back in this pass, each way counted."""
    out = plan.preempted if setup.swaps else ()
    return sum(one.tokens for one in (*out, *plan.moved_in))


@dataclass(frozen=True)
class Outcome:
    """What it took to serve all. `latencies`: from a request's arrival until it leaves, in the unit of `time`, sorted.

    `tokens` of output were counted, `rows` run, `rows_again` of them not for the first time; `moved_tokens` left the
    pool or came back, each way counted. `running` is the mean number of requests with a row in a pass. `refused` were
    given up; `unfinished` wait for ever, for everybody needs a block that somebody else keeps.
    """

    passes: int
    time: int
    refused: int
    unfinished: int
    tokens: int
    rows: int
    rows_again: int
    preemptions: int
    moved_tokens: int
    running: float
    latencies: tuple[int, ...]

    @property
    def finished(self) -> int:
        """Requests that got all their tokens."""
        return len(self.latencies)

    @property
    def rate(self) -> float:
        """Requests finished in a unit of time, on average: by default, in a pass."""
        return self.finished / self.time if self.time else 0.0

    @property
    def p50(self) -> int | None:
        """Half of those who finished took no longer; None where nobody did."""
        return percentile(self.latencies, 50)

    @property
    def p95(self) -> int | None:
        """19 of 20 of those who finished took no longer; None where nobody did."""
        return percentile(self.latencies, 95)


def percentile(values: Sequence[int], p: int) -> int | None:
    """The smallest value that at least p percent of the values do not exceed (nearest rank); None of none.

    >>> percentile([7, 1, 3, 9], 50), percentile([7, 1, 3, 9], 95), percentile([], 50)
    (3, 9, None)
    """
    return sorted(values)[-(-len(values) * p // 100) - 1] if values else None


@dataclass(frozen=True)
class Sums:
    """What the passes so far come to. `shares`: pairs of a pass and a request that had rows in it."""

    rows: int = 0
    rows_again: int = 0
    sent: int = 0
    preemptions: int = 0
    moved_tokens: int = 0
    shares: int = 0

    def after(self, plan: Pass, setup: Setup) -> Sums:
        """These and one pass more."""
        return Sums(
            rows=self.rows + sum(rows.n for rows in plan.rows),
            rows_again=self.rows_again + sum(rows.again for rows in plan.rows),
            sent=self.sent + sum(rows.sends for rows in plan.rows),
            preemptions=self.preemptions + len(plan.preempted),
            moved_tokens=self.moved_tokens + moved(plan, setup),
            shares=self.shares + len(plan.rows),
        )

    def output(self, mistake: Mistake) -> int:
        """Tokens of output, counted as the mistake has it."""
        return self.sent + (self.rows_again if mistake is Mistake.COUNTED_TWICE else 0)


def serve(jobs: Iterable[Job], setup: Setup, price: Price | None = None) -> Outcome:
    """All jobs, to the end. Raises ValueError as `Setup.checked`.

    >>> done = serve([Job(4, 3), Job(2, 5), Job(6, 2)], Setup(n_blocks=8, block_size=4, budget=8))
    >>> done.passes, done.latencies, done.p50, done.rows
    (5, (3, 3, 5), 3, 19)
    """
    price = price or Price()
    scheduler, sums = Scheduler(jobs, setup), Sums()
    clock = [0]  # after each pass
    latencies = []
    while scheduler.busy:
        plan = scheduler.schedule()
        sums = sums.after(plan, setup)
        clock.append(clock[-1] + price.of(plan, setup))
        arrivals = (scheduler.live[request].job.arrival for request in scheduler.complete(plan))
        latencies += [clock[-1] - clock[arrival] for arrival in arrivals]
    refused = len(scheduler.refused)
    return Outcome(
        passes=scheduler.passes,
        time=clock[-1],
        refused=refused,
        unfinished=len(scheduler.live) - len(latencies) - refused,
        tokens=sums.output(setup.mistake),
        rows=sums.rows,
        rows_again=sums.rows_again,
        preemptions=sums.preemptions,
        moved_tokens=sums.moved_tokens,
        running=sums.shares / scheduler.passes if scheduler.passes else 0.0,
        latencies=tuple(sorted(latencies)),
    )


def sweep(jobs: Iterable[Job], setup: Setup, limits: Iterable[int], price: Price | None = None) -> tuple[Outcome, ...]:
    """The same jobs with each of these limits on running requests."""
    same = setup.checked(jobs)
    return tuple(serve(same, replace(setup, max_running=limit), price) for limit in limits)
