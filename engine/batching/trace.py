"""The small case, pass by pass, with the little decoder's tokens: a batch sends what each request gets alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from engine.attention import Array
from engine.batching.jobs import Mistake, WhenFull
from engine.batching.outcome import Sums
from engine.batching.scenario import Scenario
from engine.batching.scheduler import Door, Moved, Pass, Rows, Scheduler
from engine.batching.steps import (
    Begin,
    Bill,
    Cell,
    Given,
    Preempted,
    Ran,
    Request,
    Scheduled,
    Sent,
    State,
    Status,
    Step,
    Victim,
)
from engine.generation import CONFIG
from engine.paged import slot
from engine.paged_decoder import Storage, all_logits
from engine.paged_memory import Contents, Memory, Table, Token


def trace(scenario: Scenario) -> Iterator[Step]:
    """Stops in the same places whatever the mistake, so that two traces run side by side: at a preemption where the
    right way preempts, and no longer than the right way takes."""
    right, chosen = _Server(scenario.right), _Server(scenario)
    before = chosen.state()
    yield Step(before, Begin(before))
    while right.busy:
        for sound, event in zip(right.one_pass(), chosen.one_pass(), strict=True):
            if not (isinstance(sound, Preempted) and not sound.victims):
                yield Step(before, event)
                before = event.state
    yield Step(before, chosen.bill())


class _Server:
    """A scheduler, the K and V in its blocks, and the tokens of its requests."""

    def __init__(self, scenario: Scenario) -> None:
        self._s, self._scheduler = scenario, Scheduler(scenario.jobs, scenario.setup)
        self._kv = Storage.empty(CONFIG, scenario.n_blocks, scenario.block_size)
        self._contents: Contents = (None,) * (scenario.n_blocks * scenario.block_size)
        self._tokens = list(scenario.prompts)
        self._sent: list[tuple[int, ...]] = [()] * len(scenario.prompts)
        self._outside: dict[int, tuple[Array, Array]] = {}  # K and V of those swapped out
        self._lanes: list[tuple[Cell, ...]] = [()] * len(scenario.prompts)
        self._latencies: dict[int, int] = {}
        self._sums = Sums()

    @property
    def busy(self) -> bool:
        """There is a pass to come."""
        return self._scheduler.busy

    def one_pass(self) -> Iterator[Preempted | Scheduled | Ran]:
        """A preemption, even of nobody; the plan; the pass. All of them empty when nothing is left to do."""
        before = self.state()
        if not self.busy:
            yield Preempted(before, ())
            yield Scheduled(before, (), (), (), (), (), Door.NOBODY, self._s.budget, self._scheduler.stuck)
            yield Ran(before, (), ())
            return
        held = {request: self._blocks(request) for request in self._scheduler.running}
        free = self._scheduler.pool.free_blocks
        plan = self._scheduler.schedule()
        victims = tuple(self._put_out(moved, held[moved.request]) for moved in plan.preempted)
        if plan.preempted:
            for moved in plan.preempted:
                free += held.pop(moved.request)[::-1]
            yield Preempted(self.state(held, free), victims)
        else:
            yield Preempted(before, ())
        for moved in plan.moved_in:
            self._bring_back(moved)
        yield self._scheduled(plan, held)
        yield self._run(plan)

    def state(self, tables: dict[int, tuple[int, ...]] | None = None, free: tuple[int, ...] | None = None) -> State:
        """How things are now; or with these tables and free blocks instead."""
        scheduler = self._scheduler
        tables = {request: self._blocks(request) for request in scheduler.running} if tables is None else tables
        used = {block for blocks in tables.values() for block in blocks}
        memory = Memory(
            self._s.block_size,
            tuple(Table(self._name(r), blocks, scheduler.live[r].computed) for r, blocks in tables.items()),
            tuple(int(block in used) for block in range(self._s.n_blocks)),
            scheduler.pool.free_blocks if free is None else free,
            self._contents,
        )
        return State(
            scheduler.passes,
            memory,
            tuple(self._request(i) for i in range(len(self._tokens))),
            self._names(scheduler.queue),
            self._names(scheduler.running),
            self._sums,
        )

    def bill(self) -> Bill:
        """What it came to."""
        latencies = tuple(self._latencies.get(i) for i in range(len(self._tokens)))
        return Bill(self.state(), self._sums.output(self._s.mistake), latencies)

    def _put_out(self, moved: Moved, blocks: tuple[int, ...]) -> Victim:
        """What a preempted request had is kept, or not."""
        request = moved.request
        victim = Victim(self._name(request), moved.tokens, len(self._tokens[request]), len(self._sent[request]), blocks)
        if self._s.when_full is WhenFull.SWAP:
            cache = self._kv.cache(CONFIG, moved.blocks, moved.tokens)
            self._outside[request] = np.stack(cache.k), np.stack(cache.v)
        if self._s.mistake is Mistake.TOKENS_FREED:
            self._tokens[request] = self._s.prompts[request]
        return victim

    def _bring_back(self, moved: Moved) -> None:
        k, v = self._outside.pop(moved.request)
        if self._s.mistake is not Mistake.NOT_COPIED_BACK:
            self._kv = self._kv.put(k[:, :, : moved.tokens], v[:, :, : moved.tokens], moved.blocks)
            self._write(moved.request, moved.blocks, range(moved.tokens))

    def _scheduled(self, plan: Pass, held: dict[int, tuple[int, ...]]) -> Scheduled:
        given = tuple(
            Given(
                self._name(rows.request),
                rows.first,
                rows.n,
                rows.again,
                rows.blocks[len(held.get(rows.request, ())) :],
                rows.sends,
            )
            for rows in plan.rows
        )
        return Scheduled(
            self.state(),
            self._names(plan.arrived),
            self._names(plan.admitted),
            self._names(moved.request for moved in plan.moved_in),
            given,
            self._names(plan.stalled),
            plan.door,
            self._s.budget - sum(rows.n for rows in plan.rows),
            self._scheduler.stuck,
        )

    def _run(self, plan: Pass) -> Ran:
        cells = [Cell(self._status(i)) for i in range(len(self._tokens))]
        sent = []
        for rows in plan.rows:
            i, end = rows.request, rows.first + rows.n
            self._kv, run = self._kv.run(CONFIG, self._tokens[i][rows.first : end], rows.blocks, rows.first)
            self._write(i, rows.blocks, range(rows.first, end))
            token = int(run.logits[-1].argmax()) if rows.sends else None
            cells[i] = self._cell(rows, token)
            if token is not None:
                sent.append(self._send(i, token, run.logits[-1]))
        self._lanes = [(*lane, cell) for lane, cell in zip(self._lanes, cells, strict=True)]
        self._sums = self._sums.after(plan, self._s.setup)
        finished = self._scheduler.complete(plan)
        self._latencies |= {i: plan.number - self._s.arrivals[i] for i in finished}
        return Ran(self.state(), tuple(sent), self._names(finished))

    def _send(self, i: int, token: int, logits: Array) -> Sent:
        prompt, truth, at = self._s.prompts[i], self._s.truth(i), len(self._sent[i])
        alone = all_logits(CONFIG, prompt + truth[:-1])[len(prompt) - 1 + at]
        self._tokens[i] += (token,)
        self._sent[i] += (token,)
        return Sent(self._name(i), token, truth[at], float(np.abs(logits - alone).max()))

    def _cell(self, rows: Rows, token: int | None) -> Cell:
        new = rows.first + rows.again
        end, n_prompt = rows.first + rows.n, len(self._s.prompts[rows.request])
        prefill = max(min(end, n_prompt) - new, 0)
        return Cell(Status.RUNNING, prefill, end - new - prefill, rows.again, token)

    def _request(self, i: int) -> Request:
        return Request(
            self._name(i),
            self._status(i),
            len(self._s.prompts[i]),
            self._s.arrivals[i],
            self._tokens[i],
            self._scheduler.live[i].computed,
            self._sent[i],
            self._s.truth(i),
            self._lanes[i],
        )

    def _status(self, i: int) -> Status:
        scheduler = self._scheduler
        if i in scheduler.running:
            return Status.SEATED if scheduler.live[i].done else Status.RUNNING
        if i in scheduler.queue:
            return Status.SWAPPED if i in self._outside else Status.WAITING
        if i in scheduler.to_come:
            return Status.TO_COME
        return Status.REFUSED if i in scheduler.refused else Status.FINISHED

    def _write(self, i: int, blocks: tuple[int, ...], positions: range) -> None:
        new = {slot(p, blocks, self._s.block_size): Token(self._name(i), p) for p in positions}
        self._contents = tuple(new.get(place, old) for place, old in enumerate(self._contents))

    def _blocks(self, i: int) -> tuple[int, ...]:
        table = self._scheduler.live[i].table
        return () if table is None else table.block_table

    def _name(self, i: int) -> str:
        return self._s.names[i]

    def _names(self, requests: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._name(i) for i in requests)
