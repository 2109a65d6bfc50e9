"""Attention over what a block table finds, beside attention over the same rows side by side: the outputs are equal.

Source: chapter 07, Q028. The trace is `engine.paged_lookup`'s, with the newest token's attention after the lookup and
again once B has come; first what one contiguous piece for each request would reserve, last what blocks saved of it.
Each wrong way reads as its program would, so that what it spoils is the output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine import paged_lookup
from engine.attention import Array, attention
from engine.block_pool import BlockPool
from engine.checked import checked_int
from engine.paged import Mistake, blocks_for, last_block_fill, slot
from engine.paged_attention import paged_attention
from engine.paged_lookup import FIRST, SECOND, Arrived, Read
from engine.paged_memory import Contents, Memory, Token, memory
from engine.three_ledgers import ENTRY

D = 2  # numbers of a query, key or value
_TURN = {FIRST: 0.0, SECOND: 40.0}  # requests do not have the same tokens
_LEFT_OVER = 90.0


@dataclass(frozen=True)
class Scenario:
    """As `engine.paged_lookup.Scenario`, with the hand-out order in two parts: A's `table`, and then the `free` blocks.

    Blocks of the table that A has no tokens for are handed out next; what the table lacks comes from the free ones.
    `most` is the longest length allowed: what a server without paging reserves for each request. Raises ValueError
    that names the argument."""

    n_tokens: int = 10
    block_size: int = 4
    position: int = 5
    n_appended: int = 3
    n_second: int = 6
    table: tuple[int, ...] = (7, 2, 19)
    free: tuple[int, ...] = (5, 3, 15)
    n_blocks: int = 20
    mistake: Mistake = Mistake.NONE
    most: int = 32

    def __post_init__(self) -> None:
        for name in ("table", "free"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        self.lookup()
        checked_int("most", self.most, max(self.n_final, self.n_second, 1))

    @property
    def hand_out(self) -> tuple[int, ...]:
        """Blocks in the order in which they are taken."""
        return self.table + self.free

    @property
    def n_final(self) -> int:
        """A's tokens once all have been appended."""
        return self.n_tokens + self.n_appended

    @property
    def held(self) -> tuple[int, ...]:
        """A's blocks before it grows."""
        return self.hand_out[: blocks_for(self.n_tokens, self.block_size)]

    @property
    def room(self) -> int:
        """The slots of these blocks, and so the first position that needs a new one."""
        return len(self.held) * self.block_size

    @property
    def grown(self) -> tuple[int, ...]:
        """A's blocks once all have been appended."""
        return self.hand_out[: blocks_for(self.n_final, self.block_size)]

    def lookup(self) -> paged_lookup.Scenario:
        """The same, as the trace of one lookup knows it."""
        return paged_lookup.Scenario(
            self.n_tokens,
            self.block_size,
            self.position,
            self.n_appended,
            self.n_second,
            self.hand_out,
            self.n_blocks,
            self.mistake,
        )


@dataclass(frozen=True)
class Piece:
    """The slots that one request holds, and how many of them hold a token."""

    name: str
    tokens: int
    slots: int

    @property
    def empty(self) -> int:
        return self.slots - self.tokens


@dataclass(frozen=True)
class Held:
    """What the requests hold."""

    pieces: tuple[Piece, ...]

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def slots(self) -> int:
        return sum(piece.slots for piece in self.pieces)

    @property
    def empty(self) -> int:
        return sum(piece.empty for piece in self.pieces)


@dataclass(frozen=True)
class Reserved:
    """Without paging: one contiguous piece for each request, of the longest length allowed."""

    memory: Memory
    held: Held


@dataclass(frozen=True)
class Saved:
    """What both requests held at their fullest: `reserved` in one piece each, `paged` in blocks. `entries` are those of
    both block tables."""

    memory: Memory
    reserved: Held
    paged: Held
    entries: int

    @property
    def table_bytes(self) -> int:
        return ENTRY * self.entries


@dataclass(frozen=True)
class Attended:
    """A's newest token attends to A's tokens. `slots` are read in this order and hold `found`; `output` is through
    the table, `plain` from rows side by side, `error` the largest |difference|."""

    memory: Memory
    slots: tuple[int, ...]
    found: Contents
    output: tuple[float, ...]
    plain: tuple[float, ...]
    error: float

    @property
    def again(self) -> bool:
        """Whether B has come in the meantime."""
        return len(self.memory.tables) > 1


Step = paged_lookup.Step | Attended | Reserved | Saved


def trace(scenario: Scenario) -> Iterator[Step]:
    """Stops in the same places whatever the mistake."""
    pool = BlockPool(scenario.n_blocks, scenario.block_size, scenario.hand_out)
    now = fullest = memory(pool, {}, (None,) * (scenario.n_blocks * scenario.block_size))
    yield Reserved(now, in_one_piece(scenario, scenario.n_tokens))
    for step in paged_lookup.trace(scenario.lookup()):
        now = step.memory
        yield step
        if isinstance(step, Arrived):
            fullest = now
        if isinstance(step, Read | Arrived):
            yield attend(now, scenario.mistake)
    entries = sum(len(table.blocks) for table in fullest.tables)
    yield Saved(now, in_one_piece(scenario, scenario.n_final), in_blocks(fullest), entries)


def in_one_piece(scenario: Scenario, n_tokens: int) -> Held:
    """A with so many tokens, and B, each in one piece of the longest length."""
    return Held((Piece(FIRST, n_tokens, scenario.most), Piece(SECOND, scenario.n_second, scenario.most)))


def in_blocks(memory: Memory) -> Held:
    """The requests in their blocks; a token that a wrong way has overwritten is not there any more."""
    size = memory.block_size
    pieces = []
    for table in memory.tables:
        places = [block * size + offset for block in table.blocks for offset in range(size)]
        stored = [token for place in places if (token := memory.contents[place]) and token.request == table.name]
        pieces.append(Piece(table.name, len(stored), len(places)))
    return Held(tuple(pieces))


def positions_read(length: int, n_blocks: int, block_size: int, mistake: Mistake = Mistake.NONE) -> range:
    """The positions that a kernel loops over: 0 … length − 1.

    With FILL_MODULO whole blocks and then length mod block_size more; with MINUS_ONE_WRAPS the loop starts one too
    early.

    >>> [positions_read(8, 2, 4, m) for m in (Mistake.NONE, Mistake.FILL_MODULO, Mistake.MINUS_ONE_WRAPS)]
    [range(0, 8), range(0, 4), range(-1, 8)]
    """
    if mistake is Mistake.FILL_MODULO:
        return range(max(n_blocks - 1, 0) * block_size + last_block_fill(length, block_size, mistake))
    return range(-1 if mistake is Mistake.MINUS_ONE_WRAPS and length else 0, length)


def attend(memory: Memory, mistake: Mistake = Mistake.NONE) -> Attended:
    """The newest token of A over all of A, both ways."""
    table, size = memory.table(FIRST), memory.block_size
    positions = positions_read(table.length, len(table.blocks), size, mistake)
    slots = tuple(slot(position, table.blocks, size, mistake) for position in positions)
    own = [Token(FIRST, position) for position in range(table.length)]
    q = query(table.length - 1)[None]
    k, v = rows(memory.contents)
    if positions == range(table.length):
        output = paged_attention(q, k, v, table.blocks, table.length, size, mistake=mistake)[0]
    else:
        output = attention(q, k[list(slots)], v[list(slots)])[0]
    plain = attention(q, *rows(own))[0]
    return Attended(
        memory,
        slots,
        tuple(memory.contents[place] for place in slots),
        tuple(output.tolist()),
        tuple(plain.tolist()),
        float(np.abs(output - plain).max()),
    )


def rows(tokens: Sequence[Token | None]) -> tuple[Array, Array]:
    """Keys and values, (n, D) each, of these tokens; an unwritten slot holds what an earlier request
    left.

    Closed form, no random generator: k = 2 sin(0.9t + 0.4j + 0.1) as the little decoder's embedding, v = 10 sin(0.7t
    + 1.1j + 1) with t the position, shifted for each request, and j = 0, 1."""
    t = np.array([_time(token, place) for place, token in enumerate(tokens)])[:, None]  # (n, 1)
    j = np.arange(D)
    return 2 * np.sin(0.9 * t + 0.4 * j + 0.1), 10 * np.sin(0.7 * t + 1.1 * j + 1)


def query(position: int) -> Array:
    """What A's token at this position asks with, (D,)."""
    return np.asarray(2 * np.cos(0.9 * position + 0.4 * np.arange(D)))


def _time(token: Token | None, place: int) -> float:
    return _LEFT_OVER + place if token is None else _TURN[token.request] + token.position
