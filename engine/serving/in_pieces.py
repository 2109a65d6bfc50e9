"""The rule of time for requests that get their memory in one piece: nothing happens between two that leave."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from engine.serving.holes import Holes
from engine.serving.policies import BestFit, Load
from engine.serving.spans import Refused, Span


def spans_in_pieces(load: Load) -> Iterator[Span]:
    """All of time. Memory as much as there are requests running."""
    lengths, takes = load.lengths, load.policy.takes
    holes, smallest = Holes(load.pool_tokens), isinstance(load.policy, BestFit)
    running: list[tuple[int, int, int]] = []  # a heap: last step, request, address
    now = head = tokens = 0
    while head < len(lengths) or running:
        admitted, refused = [], None
        while head < len(lengths) and len(running) != load.limit:
            size = takes(lengths[head])
            start = holes.take(size, smallest=smallest)
            if start is None:
                refused = Refused(head, size, holes.free)
                break
            heappush(running, (now + lengths[head], head, start))
            admitted.append((head, start))
            head += 1
        steps, n = running[0][0] - now, len(running)
        held = steps * tokens + n * steps * (steps + 1) // 2
        reserved = steps * (load.pool_tokens - holes.free)
        tokens += n * steps
        first, now = now + 1, now + steps
        finished = []
        while running and running[0][0] == now:
            _, request, start = heappop(running)
            holes.give(start, takes(lengths[request]))
            tokens -= lengths[request]
            finished.append(request)
        yield Span(first, steps, tuple(admitted), (), tuple(finished), refused, n, held, reserved)
