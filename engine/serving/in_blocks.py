"""The rule of time for requests that take a block when they need one.

Which blocks they are does not matter here, only how many. A request takes one in every block_size-th step, so it is
enough to count the takers of each remainder of the step's number: steps in which nobody comes or goes cost nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush

import numpy as np

from engine.paged import blocks_for
from engine.serving.policies import Load
from engine.serving.spans import Refused, Span


def spans_in_blocks(load: Load, block_size: int) -> Iterator[Span]:
    """All of time. Memory as much as there are requests running, and one number for each place in a block."""
    now = _Blocks(load, block_size)
    while now.busy:
        admitted, refused = now.admit()
        first, preempted = now.step + 1, now.one_step(frozenset(admitted))
        running, held, reserved = now.running, now.held, now.reserved
        steps, more_held, more_reserved = (0, 0, 0) if preempted else now.quiet_steps()
        held, reserved = held + more_held, reserved + more_reserved
        came = tuple((request, 0) for request in admitted)
        yield Span(first, 1 + steps, came, preempted, now.leave(), refused, running, held, reserved)


class _Blocks:
    """Who runs after step `step`, and how many tokens and blocks that takes.

    `since` says of each running request, oldest first, after which step it would have had no token had it always run:
    after step s it has s − since.
    """

    def __init__(self, load: Load, block_size: int) -> None:
        self._lengths, self._limit, self._size = load.lengths, load.limit, block_size
        self._n_blocks = self._free = load.pool_tokens // block_size
        self._since: dict[int, int] = {}
        self._ends: list[tuple[int, int]] = []  # a heap: last step, request; some are out of date
        self._takers = np.zeros(block_size, np.int64)  # by remainder of the steps in which they take a block
        self._back: deque[tuple[int, int]] = deque()  # preempted, with the tokens they had; they come before `head`
        self._head = self.step = self.held = 0

    @property
    def busy(self) -> bool:
        """Somebody runs or waits."""
        return bool(self._since or self._back or self._head < len(self._lengths))

    @property
    def running(self) -> int:
        """How many run."""
        return len(self._since)

    @property
    def reserved(self) -> int:
        """Tokens in all blocks that are in use."""
        return (self._n_blocks - self._free) * self._size

    def admit(self) -> tuple[tuple[int, ...], Refused | None]:
        """(1): whoever finds blocks for the tokens it had and the next one."""
        admitted: list[int] = []
        while (self._back or self._head < len(self._lengths)) and len(self._since) != self._limit:
            request, had = self._back[0] if self._back else (self._head, 0)
            blocks = had // self._size + 1
            if blocks > self._free:
                return tuple(admitted), Refused(request, blocks * self._size, self._free * self._size)
            if self._back:
                self._back.popleft()
            else:
                self._head += 1
            self._free -= blocks
            self.held += had
            self._since[request] = self.step - had
            heappush(self._ends, (self.step - had + self._lengths[request], request))
            admitted.append(request)
        return tuple(admitted), None

    def one_step(self, new: frozenset[int]) -> tuple[tuple[int, int], ...]:
        """(2): a token for everybody; who is preempted for it. Those that are `new` have room."""
        preempted: tuple[tuple[int, int], ...] = ()
        takers = int(self._takers[(self.step + 1) % self._size])
        if takers <= self._free:
            self._free -= takers
        else:
            preempted = tuple(self._squeeze(new))
        for request in new & self._since.keys():
            self._count(request, 1)
        self.step += 1
        self.held += len(self._since)
        return preempted

    def quiet_steps(self) -> tuple[int, int, int]:
        """As many steps more as nobody comes or goes in, and the token-steps held and reserved in them."""
        while self._outdated(*self._ends[0]):
            heappop(self._ends)
        n, size, used = len(self._since), self._size, self._n_blocks - self._free
        turn = (self.step + 1) % size
        taken = np.concatenate((self._takers[turn:], self._takers[:turn])).cumsum()  # in 1, 2, …, size steps
        rounds, left = divmod(self._free, n)
        enough = rounds * size + int(np.searchsorted(taken, left, side="right"))
        steps = min(self._ends[0][0] - self.step, enough)
        rounds, rest = divmod(steps, size)
        blocks = steps * used + size * n * rounds * (rounds - 1) // 2
        blocks += rounds * int(taken.sum()) + rest * rounds * n + int(taken[:rest].sum())
        held = steps * self.held + n * steps * (steps + 1) // 2
        self._free -= rounds * n + (int(taken[rest - 1]) if rest else 0)
        self.step += steps
        self.held += n * steps
        return steps, held, blocks * size

    def leave(self) -> tuple[int, ...]:
        """(3): who has reached its length."""
        finished = []
        while self._ends and self._ends[0][0] <= self.step:
            end, request = heappop(self._ends)
            if not self._outdated(end, request):
                self._count(request, -1)
                del self._since[request]
                self._free += blocks_for(self._lengths[request], self._size)
                self.held -= self._lengths[request]
                finished.append(request)
        if len(self._ends) > 2 * len(self._since) + 16:
            self._ends = [entry for entry in self._ends if not self._outdated(*entry)]
            heapify(self._ends)
        return tuple(finished)

    def _squeeze(self, new: frozenset[int]) -> Iterator[tuple[int, int]]:
        """One step, block by block: the oldest first, and the newest has to go."""
        for request, since in list(self._since.items()):
            if request not in self._since:
                return
            if request in new or (self.step - since) % self._size:
                continue  # there is room in its last block
            while not self._free:
                victim, had = self._preempt(new)
                yield victim, had
                if victim == request:
                    return
            self._free -= 1

    def _preempt(self, new: frozenset[int]) -> tuple[int, int]:
        victim = next(reversed(self._since))
        had = self.step - self._since[victim]
        if victim not in new:
            self._count(victim, -1)
        del self._since[victim]
        self._free += blocks_for(had + (victim in new), self._size)
        self.held -= had
        self._back.appendleft((victim, had))
        return victim, had

    def _count(self, request: int, n: int) -> None:
        self._takers[(self._since[request] + 1) % self._size] += n

    def _outdated(self, end: int, request: int) -> bool:
        """It has been preempted since."""
        return self._since.get(request) != end - self._lengths[request]
