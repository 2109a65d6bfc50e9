"""A strip of memory, requests that come and go, and one that waits although enough is free in all.

Source: chapter 07, Q028; the second text's third exercise. A small case of `engine.serving.simulate`, event by event.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from engine.checked import checked_int
from engine.serving import FirstFit, Policy
from engine.serving.places import Held, Piece, Places, Strip
from engine.serving.policies import Load
from engine.serving.simulate import spans
from engine.serving.spans import Refused, Span

__all__ = [
    "Admitted",
    "Event",
    "Gained",
    "Held",
    "Left",
    "Over",
    "Piece",
    "Preempted",
    "Refused",
    "Scenario",
    "Start",
    "Step",
    "Strip",
    "Stuck",
    "Sums",
    "Waiting",
    "trace",
]

NAMES = "ABCDEFGH"
LONGEST, LARGEST = 24, 64


@dataclass(frozen=True)
class Scenario:
    """Request A has lengths[0] tokens in the end, B lengths[1], …; all wait at the start.

    Raises ValueError that names the argument.
    """

    lengths: tuple[int, ...] = (3, 9, 4, 6, 4)
    policy: Policy = field(default_factory=FirstFit)
    pool_tokens: int = 16
    max_running: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", tuple(self.lengths))
        if not 1 <= len(self.lengths) <= len(NAMES):
            raise ValueError(f"lengths: 1 … {len(NAMES)} requests, got {len(self.lengths)}")
        for length in self.lengths:
            if checked_int("lengths", length, 1) > LONGEST:
                raise ValueError(f"lengths: 1 … {LONGEST} tokens, got {length}")
        if checked_int("pool_tokens", self.pool_tokens, 1) > LARGEST:
            raise ValueError(f"pool_tokens: 1 … {LARGEST}, got {self.pool_tokens}")
        self.load()

    def load(self) -> Load:
        """The same for `engine.serving`, checked."""
        return Load.of(self.lengths, self.policy, self.pool_tokens, self.max_running)


@dataclass(frozen=True)
class Waiting:
    """A request in the queue, and the tokens it had when it was preempted; 0 if it never ran."""

    request: int
    had: int

    @property
    def name(self) -> str:
        """A, B, …"""
        return NAMES[self.request]


@dataclass(frozen=True)
class Start:
    """Everybody waits."""


@dataclass(frozen=True)
class Admitted:
    """The head of the queue comes in; it has `held`."""

    held: Held


@dataclass(frozen=True)
class Stuck:
    """The head of the queue does not fit, and everybody behind it waits. `largest`: tokens in the largest hole."""

    refused: Refused
    largest: int


@dataclass(frozen=True)
class Preempted:
    """Somebody needs a block and none is free: the newest give all of theirs back, what they had is kept."""

    victims: tuple[Waiting, ...]


@dataclass(frozen=True)
class Gained:
    """Everybody that runs has gained a token, `steps` times."""

    steps: int


@dataclass(frozen=True)
class Left:
    """They have reached their lengths; their memory is free."""

    requests: tuple[int, ...]


@dataclass(frozen=True)
class Over:
    """Nobody waits and nobody runs."""


Event = Start | Admitted | Stuck | Preempted | Gained | Left | Over


@dataclass(frozen=True)
class Sums:
    """What has come together so far. `held` and `reserved` are token-steps; `blocked` steps in which the head of the
    queue did not fit although enough was free in all; `lost` tokens that preempted requests had."""

    held: int = 0
    reserved: int = 0
    blocked: int = 0
    lost: int = 0

    @property
    def utilisation(self) -> float:
        """Of what was reserved, the share in which a token lay."""
        return self.held / self.reserved if self.reserved else 0.0

    def after(self, span: Span) -> Sums:
        """These and a span's."""
        blocked = span.steps if span.refused is not None and span.refused.blocked else 0
        return replace(
            self,
            held=self.held + span.held,
            reserved=self.reserved + span.reserved,
            blocked=self.blocked + blocked,
        )


@dataclass(frozen=True)
class Step:
    """What happens, the pool before and after, who waits afterwards; `time` counts steps of the rule of time."""

    before: Strip
    event: Event
    strip: Strip
    queue: tuple[Waiting, ...]
    time: int
    sums: Sums


def trace(scenario: Scenario) -> Iterator[Step]:
    """Event by event; steps in which everybody only gains a token are taken together."""
    places, sums = Places(scenario.load()), Sums()
    strip, stuck = places.strip(), None

    def step(event: Event, after: Strip, *first: Waiting) -> Step:
        nonlocal strip
        kept = (Waiting(request, had) for request, had in places.kept)
        unseen = (Waiting(request, 0) for request in range(places.unseen, len(scenario.lengths)))
        before, strip = strip, after
        return Step(before, event, after, (*first, *kept, *unseen), places.step, sums)

    yield step(Start(), strip)
    for span in spans(places.load):
        for request, at in span.admitted:
            places.admit(request, at)
            now = places.strip()
            yield step(Admitted(now.held[-1]), now)
        if span.refused is None:
            stuck = None
        elif stuck != (span.refused.request, span.refused.blocked):
            stuck = (span.refused.request, span.refused.blocked)
            yield step(Stuck(span.refused, strip.largest), strip)
        if span.preempted:
            victims = tuple(Waiting(request, had) for request, had in span.preempted)
            sums = replace(sums, lost=sums.lost + sum(one.had for one in victims))
            yield step(Preempted(victims), strip.without({one.request for one in victims}), *reversed(victims))
        places.gain(span.preempted, span.steps)
        sums = sums.after(span)
        yield step(Gained(span.steps), places.strip())
        if span.finished:
            places.leave(span.finished)
            yield step(Left(span.finished), places.strip())
    yield step(Over(), strip)
