"""Requests that come and go over one prefix cache, step by step, and what each has to compute because of it.

Source: chapter 07, Q028; vLLM's automatic prefix caching. K and V are the little decoder's own, so a block that holds
anything else than its name says shows in the logits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.counts import Work, prefill
from engine.generation import CONFIG
from engine.paged import blocks_for, slot
from engine.paged_decoder import Storage, all_logits
from engine.paged_memory import Contents, Token
from engine.prefix_cache import Mistake, OutOfBlocks, PrefixCache, Request, Room
from engine.prefix_scenario import Does, Scenario
from engine.prefix_steps import (
    Act,
    Appended,
    Arrived,
    Bill,
    Event,
    Evicted,
    Filled,
    Finished,
    LookUp,
    Ran,
    Spent,
    Step,
    Took,
)
from engine.prefix_view import Cached, Node, view

__all__ = [
    "Act",
    "Appended",
    "Arrived",
    "Bill",
    "Cached",
    "Does",
    "Event",
    "Evicted",
    "Filled",
    "Finished",
    "LookUp",
    "Mistake",
    "Node",
    "Ran",
    "Scenario",
    "Spent",
    "Step",
    "Took",
    "trace",
]

NOTHING = Room((), ())


def trace(scenario: Scenario) -> Iterator[Step]:
    """Stops in the same places whatever the mistake, so that two traces run side by side: where the right way evicts,
    and not at all for a request that it has refused."""
    right = _Server(replace(scenario, mistake=Mistake.NONE))
    chosen = right if scenario.mistake is Mistake.NONE else _Server(scenario)
    refused: set[str] = set()
    before, spent = chosen.view(), {name: Spent(name, Work(), Work()) for name in scenario.names}
    pairs = zip(right.live(), chosen.live(), strict=True) if chosen is not right else ((e, e) for e in right.live())
    for sound, event in pairs:
        match event:
            case Took() if not event.refused:
                spent[event.name] = replace(spent[event.name], reused=prefill(event.hit_tokens))
            case Ran():
                old = spent[event.name]
                spent[event.name] = replace(old, computed=old.computed + event.work)
        if _shown(sound, refused):
            yield Step(before, event, tuple(spent.values()))
            before = event.cached


def _shown(event: Event, refused: set[str]) -> bool:
    """Is there anything to see, by the right way? Enters who is refused."""
    match event:
        case Bill():
            return True
        case Took(refused=True):
            refused.add(event.name)
            return True
        case LookUp():
            return event.asked
        case Evicted():
            return bool(event.forgotten)
        case _:
            return event.name not in refused


class _Server:
    """One cache, the little decoder's K and V in its blocks, and the requests that run."""

    def __init__(self, scenario: Scenario) -> None:
        self._s = scenario
        self._cache = PrefixCache(
            scenario.n_blocks, scenario.block_size, hash_bits=scenario.hash_bits, mistake=scenario.mistake
        )
        self._kv = Storage.empty(CONFIG, scenario.n_blocks, scenario.block_size)
        self._contents: Contents = (None,) * (scenario.n_blocks * scenario.block_size)
        self._tokens = {name: scenario.prompt(name) + scenario.appended(name) for name in scenario.names}
        self._running: dict[str, Request] = {}

    def view(self) -> Cached:
        return view(self._cache, self._running, self._contents, self._tokens)

    def live(self) -> Iterator[Event]:
        """Every event there may be, also those that come to nothing."""
        for does, name in self._s.parsed():
            match does:
                case Does.ARRIVES:
                    yield from self._arrive(name)
                case Does.APPENDS:
                    yield self._append(name)
                case Does.ENDS:
                    yield self._end(name)
        yield Bill(self.view())

    def _arrive(self, name: str) -> Iterator[Event]:
        prompt, size = self._s.prompt(name), self._s.block_size
        names = self._cache.spell(prompt)
        hits: tuple[int | None, ...] = ()
        yield Arrived(self.view(), name, prompt, names)
        for i, one in enumerate(names):
            asked = None not in hits
            hits += (self._cache.find(one) if asked else None,)
            yield LookUp(self.view(), name, names, i, hits, asked, (i + 1) * size == len(prompt))

        found, n_found = self._cache.match(prompt)
        free = self._cache.free_blocks
        rescued = tuple(block for block in free if block in found)
        wanted, spare = blocks_for(len(prompt), size) - len(found), len(free) - len(rescued)
        request = None
        if wanted <= spare:
            request = self._running[name] = self._cache.admit(prompt)
        yield Took(self.view(), name, found, n_found, rescued, wanted, spare)
        room = NOTHING if request is None else self._cache.extend(request, request.computed_rows)
        yield Evicted(self.view(), name, room.blocks, room.forgotten)
        if request is not None:
            self._cache.name(request)
        yield self._run(Filled, name, n_found, len(prompt), room)

    def _append(self, name: str) -> Event:
        request = self._running.get(name)
        if request is None:
            return self._run(Appended, name, len(self._tokens[name]), len(self._tokens[name]), NOTHING)
        at = request.length
        try:
            room = self._cache.append(request, 1, self._tokens[name][at : at + 1])
        except OutOfBlocks:  # by mistake only
            return self._run(Appended, name, at, at, NOTHING)
        return self._run(Appended, name, at, at + 1, room)

    def _end(self, name: str) -> Event:
        before, request = self._cache.free_blocks, self._running.pop(name, None)
        if request is not None:
            self._cache.finish(request)
        return Finished(self.view(), name, tuple(block for block in self._cache.free_blocks if block not in before))

    def _run(self, kind: type[Filled] | type[Appended], name: str, start: int, end: int, room: Room) -> Event:
        """The pass over its tokens start … end − 1; none where it has been refused."""
        tokens, request = self._tokens[name][:end], self._running.get(name)
        truth = all_logits(CONFIG, tokens)
        fresh = int(truth[-1].argmax())
        if request is None or start == end:
            return kind(self.view(), name, start, room.blocks, room.forgotten, Work(), None, None, fresh)
        self._kv, run = self._kv.run(CONFIG, tokens[start:], request.block_ids, start)
        written = {
            slot(position, request.block_ids, self._s.block_size): Token(name, position)
            for position in range(start, end)
        }
        self._contents = tuple(written.get(place, old) for place, old in enumerate(self._contents))
        error, token = float(np.abs(run.logits - truth[start:]).max()), int(run.logits[-1].argmax())
        return kind(self.view(), name, start, room.blocks, room.forgotten, run.work, error, token, fresh)
