"""Two requests with the same blocks: the first to write into a shared one takes a copy, the second writes in place.

Source: chapter 07, Q028. So it is for forks (parallel samples, beams); a cache that shares full blocks only never
writes into a shared one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from engine.paged import BlockPool, Copy, Mistake, Sequence, blocks_for, last_block_fill
from engine.paged_memory import Contents, Memory, Table, Token, after_copy, after_write, memory

NAMES = ("A", "B")


@dataclass(frozen=True)
class Scenario:
    """A has `n_tokens` tokens, B is forked from it; then each of `writers` appends one token, in that order.

    Raises ValueError that names the argument.
    """

    n_tokens: int = 10
    block_size: int = 4
    writers: tuple[str, ...] = NAMES
    hand_out: tuple[int, ...] = (7, 2, 19, 5, 3, 15)
    n_blocks: int = 20
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        for name in ("writers", "hand_out"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")
        if not set(self.writers) <= set(NAMES):
            raise ValueError(f"writers: of {', '.join(NAMES)}, got {self.writers}")
        pool = BlockPool(self.n_blocks, self.block_size, self.hand_out)
        needed = blocks_for(self.n_tokens, self.block_size)
        if self.writers:  # whoever writes and whoever does not then have last blocks of their own
            full = self.n_tokens // self.block_size
            ends = (blocks_for(self.n_tokens + self.writers.count(name), self.block_size) for name in NAMES)
            needed = full + sum(end - full for end in ends)
        if needed > pool.n_free:
            raise ValueError(f"hand_out: {needed} blocks are needed, got {pool.n_free}")


class Way(Enum):
    """How a token gets its place."""

    IN_PLACE = "in_place"  # the last block has room and is the request's own
    COPY = "copy"  # it has room, but is shared
    NEW_BLOCK = "new_block"  # it has none, or there is none


@dataclass(frozen=True)
class Alone:
    """A's tokens, nobody else's."""

    memory: Memory


@dataclass(frozen=True)
class Shared:
    """B is forked: the same blocks, each counted once more; nothing was copied."""

    memory: Memory


@dataclass(frozen=True)
class Act:
    """One request does something."""

    memory: Memory
    name: str

    @property
    def other(self) -> str:
        """The request that does nothing here."""
        return NAMES[1 - NAMES.index(self.name)]

    @property
    def table(self) -> Table:
        """Its table."""
        return self.memory.table(self.name)


@dataclass(frozen=True)
class Wants(Act):
    """`name` has a token to write; `block` is its last one (None: it has none), `ref_count` who names that block.

    `way` is what the counts ask for, `offset` where in a block the token goes.
    """

    position: int
    offset: int
    block: int | None
    ref_count: int
    way: Way

    @property
    def logical(self) -> int:
        """The logical block that the token goes to."""
        return self.position // self.memory.block_size


@dataclass(frozen=True)
class Prepared(Act):
    """The block to write to is there, the token is not. Under the mistake nothing is copied, whatever `Wants` asked."""

    allocated: tuple[int, ...]
    copied: Copy | None


@dataclass(frozen=True)
class Wrote(Act):
    """The token lies in its slot; `overwritten` lay there before."""

    position: int
    slot: int
    overwritten: Token | None

    @property
    def block(self) -> int:
        return self.slot // self.memory.block_size

    @property
    def offset(self) -> int:
        return self.slot % self.memory.block_size


@dataclass(frozen=True)
class ReadBack(Act):
    """What `name` finds through its table, position by position, and what it wrote or inherited."""

    found: Contents
    expected: tuple[Token, ...]


Step = Alone | Shared | Wants | Prepared | Wrote | ReadBack


def trace(scenario: Scenario) -> Iterator[Step]:
    """Stops in the same places whatever the mistake, so that two traces run side by side."""
    size, (first, second) = scenario.block_size, NAMES
    pool = BlockPool(scenario.n_blocks, size, scenario.hand_out)
    requests = {first: Sequence(pool, scenario.mistake)}
    expected = {first: tuple(Token(first, p) for p in range(scenario.n_tokens))}
    contents: Contents = (None,) * (scenario.n_blocks * size)

    contents = after_write(contents, requests[first].append(scenario.n_tokens), expected[first])
    yield Alone(memory(pool, requests, contents))

    requests[second] = requests[first].fork()
    expected[second] = expected[first]
    yield Shared(memory(pool, requests, contents))

    for name in scenario.writers:
        for step in write(pool, requests, contents, name):
            yield step
            contents = step.memory.contents
        expected[name] += (Token(name, len(expected[name])),)

    now = memory(pool, requests, contents)
    for name in NAMES:
        yield ReadBack(now, name, now.read(name), expected[name])


def write(
    pool: BlockPool, requests: Mapping[str, Sequence], contents: Contents, name: str
) -> Iterator[Wants | Prepared | Wrote]:
    """One more token of `name`: what it wants, the block made ready, the token in its slot. The pool changes in
    between."""
    request = requests[name]
    before, position = memory(pool, requests, contents), request.length
    yield _wants(before, name)

    append = request.append()
    contents = after_copy(contents, append, pool.block_size)
    ready = memory(pool, requests, contents)
    tables = tuple(replace(t, length=position) if t.name == name else t for t in ready.tables)
    yield Prepared(replace(ready, tables=tables), name, append.allocated, append.copied)

    [place] = append.slots
    lost, contents = contents[place], after_write(contents, append, [Token(name, position)])
    yield Wrote(memory(pool, requests, contents), name, position, place, lost)


def _wants(now: Memory, name: str) -> Wants:
    table = now.table(name)
    block = table.blocks[-1] if table.blocks else None
    refs = 0 if block is None else now.ref_counts[block]
    full = last_block_fill(table.length, now.block_size) in (0, now.block_size)
    way = Way.NEW_BLOCK if full else Way.COPY if refs > 1 else Way.IN_PLACE
    return Wants(now, name, table.length, table.length % now.block_size, block, refs, way)
