"""Where a sequence's tokens lie: a table from logical to physical blocks, grown on demand, shared until written to.

Source: chapter 07, Q028; vLLM's block table. A block is the unit of memory. Slot s is place s mod block_size of block
s // block_size. The table moves storage, never the order of the tokens.
"""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass
from enum import Enum

from engine.block_pool import BlockPool, OutOfBlocks
from engine.checked import checked_int

__all__ = ["Append", "BlockPool", "Copy", "Mistake", "OutOfBlocks", "Sequence", "blocks_for", "last_block_fill", "slot"]


class Mistake(Enum):
    """Wrong ways to page, each run by the same code as the right one."""

    NONE = "none"
    LOGICAL_AS_PHYSICAL = "logical_as_physical"  # the table is not looked at: position 5 is slot 5
    FILL_MODULO = "fill_modulo"  # tokens in the last block as n mod block_size: a full one looks empty
    MINUS_ONE_WRAPS = "minus_one_wraps"  # negative indices count from the end, as Python's do
    NO_COPY = "no_copy"  # a shared block is written to


def slot(position: int, block_table: abc.Sequence[int], block_size: int, mistake: Mistake = Mistake.NONE) -> int:
    """The slot of a logical position: block_table[position // block_size] × block_size + position mod block_size.

    Raises IndexError for a position outside 0 … len(block_table) × block_size − 1 and for a negative table entry (a
    place not mapped); ValueError for a position that is no whole number or a block size below 1.

    >>> slot(5, [7, 2, 19], 4)  # logical block 1 is physical block 2; offset 1
    9
    """
    size = checked_int("block_size", block_size, 1)
    position = checked_int("position", position, at_least=None)
    logical, offset = divmod(position, size)
    wraps = mistake is Mistake.MINUS_ONE_WRAPS
    if logical >= len(block_table) or logical < (-len(block_table) if wraps else 0):
        raise IndexError(f"position: {position} is outside 0 … {len(block_table) * size - 1}, what the table maps")
    block = logical if mistake is Mistake.LOGICAL_AS_PHYSICAL else int(block_table[logical])
    if block < 0 and not wraps:
        raise IndexError(f"block_table: entry {logical} is {block}, no block; position {position} is not mapped")
    return block * size + offset


def blocks_for(n_tokens: int, block_size: int) -> int:
    """⌈n_tokens / block_size⌉.

    >>> [blocks_for(n, 16) for n in (0, 1, 16, 17)]
    [0, 1, 1, 2]
    """
    return -(-checked_int("n_tokens", n_tokens) // checked_int("block_size", block_size, 1))


def last_block_fill(n_tokens: int, block_size: int, mistake: Mistake = Mistake.NONE) -> int:
    """Tokens in the last block: 1 … block_size, and 0 only where there is no block.

    >>> [last_block_fill(n, 4) for n in (0, 1, 4, 7, 8)]
    [0, 1, 4, 3, 4]
    >>> [last_block_fill(n, 4, Mistake.FILL_MODULO) for n in (0, 1, 4, 7, 8)]
    [0, 1, 0, 3, 0]
    """
    full_before = max(blocks_for(n_tokens, block_size) - 1, 0) * block_size
    return n_tokens % block_size if mistake is Mistake.FILL_MODULO else n_tokens - full_before


@dataclass(frozen=True)
class Copy:
    """The first `n_slots` slots of block `source` have to be copied to block `target` before anything is written."""

    source: int
    target: int
    n_slots: int


@dataclass(frozen=True)
class Append:
    """Where the new tokens go, one slot a token; the blocks taken for it, the copy's target among them."""

    slots: tuple[int, ...]
    allocated: tuple[int, ...]
    copied: Copy | None = None


class Sequence:
    """One request's tokens: how many, and in which blocks of the pool. A fork shares blocks, and nothing else.

    >>> pool = BlockPool(20, 4, free=[7, 2, 19, 5])
    >>> a = Sequence(pool)
    >>> a.append(10).allocated
    (7, 2, 19)
    >>> b = a.fork()
    >>> a.append().copied  # block 19 is shared, and not full
    Copy(source=19, target=5, n_slots=2)
    >>> a.block_table, b.block_table
    ((7, 2, 5), (7, 2, 19))
    """

    def __init__(self, pool: BlockPool, mistake: Mistake = Mistake.NONE) -> None:
        self._pool, self._mistake = pool, mistake
        self._table: tuple[int, ...] = ()
        self._length = 0
        self._freed = False

    @property
    def block_table(self) -> tuple[int, ...]:
        """The physical block of each logical block."""
        return self._table

    @property
    def length(self) -> int:
        """Tokens, not token places."""
        return self._length

    def append(self, n: int = 1) -> Append:
        """Make room for `n` more tokens: what is left of the last block, then new blocks.

        A shared block that would be written to is copied first (copy-on-write). Raises OutOfBlocks, ValueError for a
        negative n or a freed sequence; then nothing has changed.
        """
        n, size = checked_int("n", n), self._open().block_size
        fill = last_block_fill(self._length, size, self._mistake) if self._table else size
        writes_last = n > 0 and fill < size
        shared = writes_last and self._pool.ref_count(self._table[-1]) > 1
        copies = shared and self._mistake is not Mistake.NO_COPY
        allocated = self._pool.allocate(copies + blocks_for(max(n - (size - fill), 0), size))

        kept, copied = self._table, None
        if copies:
            copied = Copy(self._table[-1], allocated[0], fill)
            self._pool.release([copied.source])
            kept = kept[:-1]
        self._table = kept + allocated
        self._length += n
        run = self._table[-len(allocated) - (writes_last and not copies) :]  # the blocks written to
        start = fill % size
        return Append(tuple(run[i // size] * size + i % size for i in range(start, start + n)), allocated, copied)

    def fork(self) -> Sequence:
        """A second sequence with the same tokens in the same blocks, each counted once more."""
        self._open().share(self._table)
        other = Sequence(self._pool, self._mistake)
        other._table, other._length = self._table, self._length
        return other

    @classmethod
    def over(cls, pool: BlockPool, blocks: abc.Sequence[int], mistake: Mistake = Mistake.NONE) -> Sequence:
        """A sequence whose first tokens lie in these full blocks already, each counted once more: a prefix-cache hit.

        Raises ValueError where one of them is free.
        """
        pool.share(blocks)
        sequence = cls(pool, mistake)
        sequence._table, sequence._length = tuple(blocks), len(blocks) * pool.block_size
        return sequence

    def free(self) -> None:
        """Give the blocks back; those still named by another sequence stay. Raises ValueError the second time."""
        self._open().release(self._table)
        self._table, self._length, self._freed = (), 0, True

    def _open(self) -> BlockPool:
        if self._freed:
            raise ValueError("sequence: it has been freed; what its blocks hold now is someone else's")
        return self._pool
