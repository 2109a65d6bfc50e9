"""What there is to see while requests are served: one record a stop, complete in itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.batching.outcome import Sums
from engine.batching.scheduler import Door
from engine.paged_memory import Memory


class Status(Enum):
    """Where a request is."""

    TO_COME = "to_come"
    WAITING = "waiting"  # in the queue, with nothing computed
    SWAPPED = "swapped"  # in the queue, with what it had kept outside the pool
    RUNNING = "running"
    SEATED = "seated"  # done, but its batch is not
    FINISHED = "finished"
    REFUSED = "refused"


@dataclass(frozen=True)
class Cell:
    """One request in one pass: where it was, rows by kind, and the token it was sent.

    `prefill` rows are of its prompt and `decode` rows of tokens it generated, both for the first time; `again` are
    rows that had been computed before. RUNNING without any row: stalled.
    """

    status: Status
    prefill: int = 0
    decode: int = 0
    again: int = 0
    token: int | None = None

    @property
    def rows(self) -> int:
        """All of them."""
        return self.prefill + self.decode + self.again


@dataclass(frozen=True)
class Request:
    """`tokens` it knows, prompt and all; of the first `computed` K and V are in the pool, or swapped out. `sent` it has
    got so far, and `truth` it gets alone, to the end. `lane`: a cell for each pass so far."""

    name: str
    status: Status
    n_prompt: int
    arrival: int
    tokens: tuple[int, ...]
    computed: int
    sent: tuple[int, ...]
    truth: tuple[int, ...]
    lane: tuple[Cell, ...]

    @property
    def right(self) -> bool:
        """Everything sent so far is what it gets alone."""
        return self.sent == self.truth[: len(self.sent)]


@dataclass(frozen=True)
class State:
    """Everything at one moment: `passes` done, who waits in which order, who runs, the oldest first."""

    passes: int
    memory: Memory
    requests: tuple[Request, ...]
    queue: tuple[str, ...]
    running: tuple[str, ...]
    sums: Sums

    def request(self, name: str) -> Request:
        """The request of that name. Raises KeyError where there is none."""
        return {request.name: request for request in self.requests}[name]


@dataclass(frozen=True)
class Given:
    """Rows for one request in this pass, `again` of them computed before; `new_blocks` were taken for them.

    `sends`: the last row gives a token.
    """

    name: str
    first: int
    n: int
    again: int
    new_blocks: tuple[int, ...]
    sends: bool


@dataclass(frozen=True)
class Victim:
    """A request that gave up its blocks, and with them `computed` tokens' K and V; `known` and `sent` it had."""

    name: str
    computed: int
    known: int
    sent: int
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Sent:
    """A token that a request was sent; `truth` is the one it gets in its place when it is served alone.

    `error` is the largest difference of the logits behind the two: a wrong cache may show there and not in the token.
    """

    name: str
    token: int
    truth: int
    error: float


@dataclass(frozen=True)
class Begin:
    """Nothing has happened yet."""

    state: State


@dataclass(frozen=True)
class Preempted:
    """Somebody needs a block, and none is free. In the state no block is taken for this pass yet."""

    state: State
    victims: tuple[Victim, ...]


@dataclass(frozen=True)
class Scheduled:
    """Who has rows in this pass, with the blocks for them. `arrived` join the queue, `admitted` leave it, `moved_in`
    among them after a swap; the `door` says why nobody else does. `left` of the budget."""

    state: State
    arrived: tuple[str, ...]
    admitted: tuple[str, ...]
    moved_in: tuple[str, ...]
    given: tuple[Given, ...]
    stalled: tuple[str, ...]
    door: Door
    left: int
    stuck: bool


@dataclass(frozen=True)
class Ran:
    """The pass is done: tokens sent, and who has left."""

    state: State
    sent: tuple[Sent, ...]
    finished: tuple[str, ...]


@dataclass(frozen=True)
class Bill:
    """All is done, or nobody can do anything any more. What it cost is in the state's `sums`; `output` is the number
    of tokens of output that a report would give, `latencies` the passes each request took, None if it is not done."""

    state: State
    output: int
    latencies: tuple[int | None, ...]


Event = Begin | Preempted | Scheduled | Ran | Bill


@dataclass(frozen=True)
class Step:
    """What happens, and how things were before."""

    before: State
    event: Event

    @property
    def state(self) -> State:
        """How things are afterwards."""
        return self.event.state
