"""Who runs which rows in each pass: numbers only, whatever the tokens are.

Source: audit of doc 001, 1.60; vLLM's Scheduler (schedule, update_from_output). There is no phase of prefill and none
of decode: a request knows so many tokens and has computed so many rows, and in every pass the second catches up with
the first. Those who run come first, the oldest first; with no block free the newest is preempted, to the head of the
queue. Then, if nobody had to go, the queue is let in from its head while there is room. (The rule of time of
engine.serving lets the queue in first; it knows no budget, and every step is a token.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from engine.batching.jobs import Job, Mistake, Setup, WhenFull
from engine.paged import BlockPool, OutOfBlocks, Sequence


class Door(Enum):
    """Why the head of the queue is not let in."""

    NOBODY = "nobody"  # there is none
    LIMIT = "limit"  # as many run as may
    BUDGET = "budget"  # no rows are left in this pass, or too few for all of its own in one piece
    MEMORY = "memory"  # no blocks for its rows
    SHORT = "short"  # somebody who runs lacks a block: nobody else is let in
    CLOSED = "closed"  # the batch is not done


@dataclass(frozen=True)
class Rows:
    """Rows `first` … `first` + `n` − 1 of a request, over its blocks. `again` of them had been computed before.

    `sends`: the last of them gives a token.
    """

    request: int
    first: int
    n: int
    again: int
    blocks: tuple[int, ...]
    sends: bool


@dataclass(frozen=True)
class Moved:
    """K and V of a request's first `tokens` tokens leave these blocks, or come into them."""

    request: int
    tokens: int
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Pass:
    """One pass, counted from 1, in this order: `arrived` join the queue, `preempted` give up their blocks, `admitted`
    come in, the swapped ones among them with what they had (`moved_in`), `rows` are run.

    `stalled` run and get no row, for want of a block or of budget.
    """

    number: int
    arrived: tuple[int, ...]
    preempted: tuple[Moved, ...]
    admitted: tuple[int, ...]
    moved_in: tuple[Moved, ...]
    rows: tuple[Rows, ...]
    stalled: tuple[int, ...]
    door: Door


@dataclass
class Live:
    """A request while it is served: tokens it knows, rows in the pool or swapped out, rows ever computed, tokens
    sent."""

    job: Job
    known: int
    computed: int = 0
    seen: int = 0
    sent: int = 0
    table: Sequence | None = None

    @property
    def done(self) -> bool:
        """All of it has been sent."""
        return self.sent == self.job.new


class Scheduler:
    """`schedule` says what the next pass runs, `complete` what came of it. Arguments as `Setup.checked`.

    >>> scheduler = Scheduler([Job(5, 2), Job(3, 2)], Setup(n_blocks=4, block_size=4, budget=6))
    >>> while scheduler.busy:
    ...     plan = scheduler.schedule()
    ...     print([(rows.request, rows.first, rows.n) for rows in plan.rows], scheduler.complete(plan))
    [(0, 0, 5), (1, 0, 1)] ()
    [(0, 5, 1), (1, 1, 2)] (0,)
    [(1, 3, 1)] (1,)
    """

    def __init__(self, jobs: Iterable[Job], setup: Setup) -> None:
        self.setup = setup
        self.live = [Live(job, job.prompt) for job in setup.checked(jobs)]
        self.pool = BlockPool(setup.n_blocks, setup.block_size)
        self.to_come = deque(sorted(range(len(self.live)), key=lambda request: self.live[request].job.arrival))
        self.queue: deque[int] = deque()
        self.running: list[int] = []  # the oldest first
        self.refused: list[int] = []
        self.passes = 0
        self.stuck = False  # everybody waits for blocks that only they have

    @property
    def busy(self) -> bool:
        """Somebody is still to be served, and can be."""
        return bool(self.to_come or self.queue or self.running) and not self.stuck

    def schedule(self) -> Pass:
        """The next pass. Blocks are given and taken now."""
        self.passes += 1
        arrived = []
        while self.to_come and self.live[self.to_come[0]].job.arrival < self.passes:
            arrived.append(self.to_come.popleft())
        self.queue.extend(arrived)
        plan, closed = _Plan(self.setup.budget), bool(self.running) and not self.setup.continuous
        for request in tuple(self.running):
            if request in self.running and not self.live[request].done:
                self._go_on(request, plan)
        door = self._let_in(plan, closed)
        self.stuck = bool(self.running) and not plan.rows and not plan.preempted
        return Pass(
            number=self.passes,
            arrived=tuple(arrived),
            preempted=tuple(plan.preempted),
            admitted=tuple(plan.admitted),
            moved_in=tuple(plan.moved_in),
            rows=tuple(self._rows(request, n) for request, n in plan.rows.items()),
            stalled=tuple(r for r in self.running if r not in plan.rows and not self.live[r].done),
            door=door,
        )

    def complete(self, plan: Pass) -> tuple[int, ...]:
        """The rows of a pass have been run: who has all its tokens, and leaves."""
        for rows in plan.rows:
            live = self.live[rows.request]
            live.computed += rows.n
            live.seen = max(live.seen, live.computed)
            live.known += rows.sends
            live.sent += rows.sends
        finished = tuple(request for request in self.running if self.live[request].done)
        if not self.setup.continuous and len(finished) < len(self.running):
            return ()
        for request in finished:
            self.running.remove(request)
            self._free(request)
        return finished

    def _go_on(self, request: int, plan: _Plan) -> None:
        """Rows for somebody who runs, and blocks for them, whoever has to give theirs."""
        live = self.live[request]
        n = self._fitting(live, plan)
        while n:
            assert live.table is not None
            try:
                live.table.append(max(live.computed + n - live.table.length, 0))
            except OutOfBlocks:
                plan.short = True
                if self.setup.when_full is WhenFull.WAIT:
                    return
                victim = self.running[0 if self.setup.mistake is Mistake.OLDEST_FIRST else -1]
                self._preempt(victim, plan)
                if victim == request:
                    return
            else:
                plan.run(request, n)
                return

    def _preempt(self, request: int, plan: _Plan) -> None:
        """Its blocks are free, and it is the head of the queue, or given up."""
        live = self.live[request]
        plan.cancel(request)
        self.running.remove(request)
        plan.preempted.append(Moved(request, live.computed, self._free(request)))
        if self.setup.when_full is WhenFull.REFUSE:
            self.refused.append(request)
            return
        if self.setup.when_full is WhenFull.RECOMPUTE:
            live.computed = 0
        if self.setup.mistake is Mistake.TOKENS_FREED:
            live.known = live.job.prompt
            live.computed = min(live.computed, live.known - 1)
        self.queue.appendleft(request)

    def _let_in(self, plan: _Plan, closed: bool) -> Door:
        """From the head of the queue, as long as there is room."""
        while self.queue:
            if closed:
                return Door.CLOSED
            if plan.short:
                return Door.SHORT
            if len(self.running) == self.setup.max_running:
                return Door.LIMIT
            live = self.live[self.queue[0]]
            n = self._fitting(live, plan)
            if not n and self.setup.continuous:
                return Door.BUDGET
            table = Sequence(self.pool)
            try:
                table.append(live.computed + n if self.setup.continuous else live.job.rows)
            except OutOfBlocks:
                return Door.MEMORY
            request = self.queue.popleft()
            live.table = table
            self.running.append(request)
            plan.admitted.append(request)
            if live.computed:
                plan.moved_in.append(Moved(request, live.computed, table.block_table))
            if n:
                plan.run(request, n)
        return Door.NOBODY

    def _fitting(self, live: Live, plan: _Plan) -> int:
        """Rows it lacks, as many as the budget has left; all of them or none, if prompts are not cut."""
        lacks = live.known - live.computed
        return min(lacks, plan.left) if self.setup.chunked or lacks <= plan.left else 0

    def _rows(self, request: int, n: int) -> Rows:
        live = self.live[request]
        assert live.table is not None
        end = live.computed + n
        again = max(min(end, live.seen) - live.computed, 0)
        return Rows(request, live.computed, n, again, live.table.block_table, end == live.known)

    def _free(self, request: int) -> tuple[int, ...]:
        table, self.live[request].table = self.live[request].table, None
        assert table is not None
        blocks = table.block_table
        table.free()
        return blocks


class _Plan:
    """A pass in the making."""

    def __init__(self, budget: int) -> None:
        self.left, self.short = budget, False
        self.rows: dict[int, int] = {}
        self.preempted: list[Moved] = []
        self.admitted: list[int] = []
        self.moved_in: list[Moved] = []

    def run(self, request: int, n: int) -> None:
        self.rows[request] = n
        self.left -= n

    def cancel(self, request: int) -> None:
        self.left += self.rows.pop(request, 0)
