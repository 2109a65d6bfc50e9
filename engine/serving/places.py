"""Where it all lies: the spans of `engine.serving.spans` with an address for every piece and every block."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from engine.paged import blocks_for
from engine.serving.policies import Load, Paged, Policy
from engine.serving.simulate import spans
from engine.serving.spans import Refused

Piece = tuple[int, int]  # where it starts, and its size, in tokens


@dataclass(frozen=True)
class Held:
    """A running request: `tokens` of `length` lie in its pieces, in this order and from each one's start."""

    request: int
    tokens: int
    length: int
    pieces: tuple[Piece, ...]

    @property
    def reserved(self) -> int:
        """Tokens of the pool that are its own, empty ones too."""
        return sum(size for _, size in self.pieces)


@dataclass(frozen=True)
class Strip:
    """The pool from end to end: who holds what, oldest first. `size` tokens of it can be handed out: whole blocks."""

    size: int
    held: tuple[Held, ...]

    @property
    def holes(self) -> tuple[Piece, ...]:
        """What lies between, by address; neighbours are one."""
        holes, end = [], 0
        for start, size in (*sorted(piece for one in self.held for piece in one.pieces), (self.size, 0)):
            if start > end:
                holes.append((end, start - end))
            end = start + size
        return tuple(holes)

    def without(self, requests: Collection[int]) -> Strip:
        """The same once these have given back what they held."""
        return Strip(self.size, tuple(one for one in self.held if one.request not in requests))

    @property
    def free(self) -> int:
        """Tokens in all holes."""
        return sum(size for _, size in self.holes)

    @property
    def largest(self) -> int:
        """Tokens in the largest hole."""
        return max((size for _, size in self.holes), default=0)

    @property
    def empty(self) -> int:
        """Tokens reserved that nothing lies in."""
        return sum(one.reserved - one.tokens for one in self.held)


@dataclass(frozen=True)
class Snapshot:
    """One step. `strip` is what it looks like once everybody has gained a token; `finished` leave right afterwards.

    `kept` are the preempted requests that wait, first in the queue, each with the tokens it had; behind them wait all
    from `unseen` on, which never ran. The head of the queue was `refused` before the tokens were gained.
    """

    step: int
    strip: Strip
    admitted: tuple[int, ...]
    preempted: tuple[tuple[int, int], ...]
    finished: tuple[int, ...]
    refused: Refused | None
    kept: tuple[tuple[int, int], ...]
    unseen: int


@dataclass(frozen=True)
class Stay:
    """A piece or block that belonged to one request from step `first` to step `last`.

    After step s, `filled(s)` of its `size` tokens lay in it.
    """

    request: int
    start: int
    size: int
    first: int
    last: int
    since: int

    def filled(self, step: int) -> int:
        """Tokens in it after that step."""
        return min(max(step - self.since, 0), self.size)


class Places:
    """Who lies where, kept up to date by the spans of `load`. After step `step` a request has step − since tokens."""

    def __init__(self, load: Load) -> None:
        self.load, self.step = load, 0
        self.kept: tuple[tuple[int, int], ...] = ()  # preempted, with the tokens they had, the head of the queue first
        self.unseen = 0  # the first request that has not run yet
        self._block = load.policy.block_size if isinstance(load.policy, Paged) else 0  # 0: in one piece
        self._free = deque(range(load.pool_tokens // self._block if self._block else 0))  # as a BlockPool's, tail first
        self._since: dict[int, int] = {}  # oldest first
        self._pieces: dict[int, list[tuple[int, int, int]]] = {}  # start, size, first step
        self._turns: dict[int, dict[int, None]] = {}  # who may need a block, by remainder of the step before

    def admit(self, request: int, at: int) -> None:
        """The head of the queue comes in, at an address where it lies in one piece."""
        had = 0
        if self.kept:
            (_, had), *rest = self.kept
            self.kept = tuple(rest)
        else:
            self.unseen += 1
        self._since[request] = since = self.step - had
        if self._block:
            self._pieces[request] = []
            self._turns.setdefault(since % self._block, {})[request] = None
            self._take(request, blocks_for(had + 1, self._block))
        else:
            self._pieces[request] = [(at, self.load.policy.takes(self.load.lengths[request]), self.step + 1)]

    def gain(self, preempted: tuple[tuple[int, int], ...] = (), steps: int = 1) -> list[Stay]:
        """A token for everybody in each of some steps; for that, some are preempted in the first. What has ended."""
        ended: list[Stay] = []
        victims = iter(preempted)
        for _ in range(steps if self._block else 0):
            for request in tuple(self._turns.get(self.step % self._block, ())):
                while self._lacks(request) and not self._free:
                    victim, had = next(victims)
                    ended += self._release(victim)
                    self.kept = ((victim, had), *self.kept)
                if self._lacks(request):
                    self._take(request, 1)
            self.step += 1
        self.step += 0 if self._block else steps
        return ended

    def leave(self, finished: tuple[int, ...]) -> list[Stay]:
        """They have reached their lengths. What has ended."""
        return [stay for request in finished for stay in self._release(request)]

    def strip(self) -> Strip:
        """What it looks like now."""
        held = tuple(
            Held(
                request,
                self.step - since,
                self.load.lengths[request],
                tuple((start, size) for start, size, _ in self._pieces[request]),
            )
            for request, since in self._since.items()
        )
        left_over = self.load.pool_tokens % self._block if self._block else 0
        return Strip(self.load.pool_tokens - left_over, held)

    def _lacks(self, request: int) -> bool:
        """It runs, and its blocks are full."""
        since = self._since.get(request)
        return since is not None and self.step - since == len(self._pieces[request]) * self._block

    def _take(self, request: int, n: int) -> None:
        for _ in range(n):
            self._pieces[request].append((self._free.popleft() * self._block, self._block, self.step + 1))

    def _release(self, request: int) -> list[Stay]:
        pieces, since = self._pieces.pop(request), self._since.pop(request)
        if self._block:
            del self._turns[since % self._block][request]
            self._free.extend(start // self._block for start, _, _ in reversed(pieces))
        return [
            Stay(request, start, size, first, self.step, since + i * size)
            for i, (start, size, first) in enumerate(pieces)
            if first <= self.step  # not if it went in the very step in which it came
        ]


def snapshots(
    lengths: Iterable[int], policy: Policy, *, pool_tokens: int, max_running: int | None = None
) -> Iterator[Snapshot]:
    """Every step of `simulate`, one after the other. Arguments as there, and checked at once."""
    return _snapshots(Places(Load.of(lengths, policy, pool_tokens, max_running)))


def stays(
    lengths: Iterable[int], policy: Policy, *, pool_tokens: int, max_running: int | None = None
) -> Iterator[Stay]:
    """The same as a picture of space and time: a rectangle for each piece or block, in the order in which they end."""
    return _stays(Places(Load.of(lengths, policy, pool_tokens, max_running)))


def _snapshots(places: Places) -> Iterator[Snapshot]:
    for span in spans(places.load):
        for request, at in span.admitted:
            places.admit(request, at)
        for k in range(span.steps):
            now, last = k == 0, k == span.steps - 1
            places.gain(span.preempted if now else ())
            yield Snapshot(
                step=places.step,
                strip=places.strip(),
                admitted=tuple(request for request, _ in span.admitted) if now else (),
                preempted=span.preempted if now else (),
                finished=span.finished if last else (),
                refused=span.refused,
                kept=places.kept,
                unseen=places.unseen,
            )
        places.leave(span.finished)


def _stays(places: Places) -> Iterator[Stay]:
    for span in spans(places.load):
        for request, at in span.admitted:
            places.admit(request, at)
        yield from places.gain(span.preempted, span.steps)
        yield from places.leave(span.finished)
