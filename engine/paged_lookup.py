"""One position looked up, the sequence grown past its last block, a second request, the first one freed.

Source: chapter 07, Q028, whose block numbers these are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.checked import checked_int
from engine.paged import BlockPool, Mistake, Sequence, blocks_for
from engine.paged_memory import Contents, Memory, Token, after_write, at, found, memory

FIRST, SECOND = "A", "B"


@dataclass(frozen=True)
class Scenario:
    """Request A has `n_tokens` tokens, B comes with `n_second`; `hand_out` is the order in which blocks are taken.

    `position` is what is looked up; it may be anything, also a place that is not there. Raises ValueError that names
    the argument.
    """

    n_tokens: int = 10
    block_size: int = 4
    position: int = 5
    n_appended: int = 3
    n_second: int = 6
    hand_out: tuple[int, ...] = (7, 2, 19, 5, 3, 15)
    n_blocks: int = 20
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "hand_out", tuple(self.hand_out))
        checked_int("position", self.position, at_least=None)
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")
        for name in ("n_tokens", "n_appended", "n_second"):
            checked_int(name, getattr(self, name))
        pool = BlockPool(self.n_blocks, self.block_size, self.hand_out)
        needed = blocks_for(self.n_tokens + self.n_appended, self.block_size)
        needed += blocks_for(self.n_second, self.block_size)
        if needed > pool.n_free:
            raise ValueError(f"hand_out: {needed} blocks are needed, got {pool.n_free}")

    @property
    def appends(self) -> tuple[int, ...]:
        """Tokens an append: what the last block still takes, then block by block."""
        cuts = {self.n_tokens, self.n_tokens + self.n_appended}
        cuts |= set(range(0, self.n_tokens + self.n_appended, self.block_size))
        ends = sorted(cut for cut in cuts if cut >= self.n_tokens)
        return tuple(end - start for start, end in pairwise(ends))


@dataclass(frozen=True)
class Filled:
    """A's tokens lie in A's blocks."""

    memory: Memory


@dataclass(frozen=True)
class Divided:
    """position = logical × block_size + offset."""

    memory: Memory
    position: int
    logical: int
    offset: int


@dataclass(frozen=True)
class LookUp:
    """`entry` is the table's for the logical block, None where it has none; `slot` None: the lookup is refused."""

    memory: Memory
    position: int
    logical: int
    offset: int
    entry: int | None
    slot: int | None


@dataclass(frozen=True)
class Read:
    """What lies in the slot, and what should: None where nothing is read, or no token has that position."""

    memory: Memory
    position: int
    slot: int | None
    found: Token | None
    expected: Token | None


@dataclass(frozen=True)
class Appended:
    """Tokens of A from `position` on, one slot each; the blocks taken for them; what was lost under them."""

    memory: Memory
    position: int
    slots: tuple[int, ...]
    allocated: tuple[int, ...]
    overwritten: tuple[Token, ...]


@dataclass(frozen=True)
class Arrived:
    """B's tokens lie in B's blocks, wherever there was room."""

    memory: Memory
    allocated: tuple[int, ...]


@dataclass(frozen=True)
class Freed:
    """A is done; its blocks can be handed out again."""

    memory: Memory
    blocks: tuple[int, ...]


Step = Filled | Divided | LookUp | Read | Appended | Arrived | Freed


def trace(scenario: Scenario) -> Iterator[Step]:
    """Stops in the same places whatever the mistake, so that two traces run side by side."""
    size, mistake = scenario.block_size, scenario.mistake
    pool = BlockPool(scenario.n_blocks, size, scenario.hand_out)
    a = Sequence(pool, mistake)
    requests = {FIRST: a}
    contents: Contents = (None,) * (scenario.n_blocks * size)

    first = a.append(scenario.n_tokens)
    contents = after_write(contents, first, [Token(FIRST, p) for p in range(scenario.n_tokens)])
    now = memory(pool, requests, contents)
    yield Filled(now)

    position = scenario.position
    logical, offset = divmod(position, size)
    place = at(position, a.block_table, size, mistake)
    mapped = 0 <= logical < len(a.block_table)
    yield Divided(now, position, logical, offset)
    yield LookUp(now, position, logical, offset, a.block_table[logical] if mapped else None, place)
    expected = Token(FIRST, position) if 0 <= position < a.length else None
    yield Read(now, position, place, found(contents, place), expected)

    for n in scenario.appends:
        start = a.length
        append = a.append(n)
        lost = tuple(old for place in append.slots if (old := contents[place]) is not None)
        contents = after_write(contents, append, [Token(FIRST, p) for p in range(start, start + n)])
        yield Appended(memory(pool, requests, contents), start, append.slots, append.allocated, lost)

    requests[SECOND] = b = Sequence(pool, mistake)
    append = b.append(scenario.n_second)
    contents = after_write(contents, append, [Token(SECOND, p) for p in range(scenario.n_second)])
    yield Arrived(memory(pool, requests, contents), append.allocated)

    blocks = a.block_table
    a.free()
    del requests[FIRST]
    yield Freed(memory(pool, requests, contents), blocks)
