"""The pool, the tables and what lies in every slot, frozen at one moment: what the paging traces show."""

from __future__ import annotations

from collections import abc
from dataclasses import dataclass

from engine.paged import Append, BlockPool, Mistake, Sequence, slot


@dataclass(frozen=True)
class Token:
    """What stands for the K and V of one token: its request and its position there.

    >>> str(Token("A", 10))
    'A10'
    """

    request: str
    position: int

    def __str__(self) -> str:
        return f"{self.request}{self.position}"


Contents = tuple[Token | None, ...]  # one a slot; None where nothing was ever written


@dataclass(frozen=True)
class Table:
    """The block table of the request called `name`, and its number of tokens."""

    name: str
    blocks: tuple[int, ...]
    length: int


@dataclass(frozen=True)
class Memory:
    """All of the pool: reference counts by block, free blocks in hand-out order, contents by slot.

    Freeing a block does not erase it: what lies in a free block is stale.
    """

    block_size: int
    tables: tuple[Table, ...]
    ref_counts: tuple[int, ...]
    free: tuple[int, ...]
    contents: Contents

    def table(self, name: str) -> Table:
        """The table of that request. Raises KeyError where there is none."""
        return {table.name: table for table in self.tables}[name]

    def read(self, name: str, mistake: Mistake = Mistake.NONE) -> Contents:
        """What the request finds at positions 0 … length − 1, one token a position; None where nothing is mapped."""
        table = self.table(name)
        return tuple(found(self.contents, at(p, table.blocks, self.block_size, mistake)) for p in range(table.length))


def at(position: int, blocks: tuple[int, ...], block_size: int, mistake: Mistake = Mistake.NONE) -> int | None:
    """The slot, or None where `slot` refuses the position."""
    try:
        return slot(position, blocks, block_size, mistake)
    except IndexError:
        return None


def found(contents: Contents, place: int | None) -> Token | None:
    """The token in that slot; None in none."""
    return None if place is None else contents[place]


def memory(pool: BlockPool, sequences: abc.Mapping[str, Sequence], contents: Contents) -> Memory:
    """What is so now."""
    tables = tuple(Table(name, sequence.block_table, sequence.length) for name, sequence in sequences.items())
    return Memory(pool.block_size, tables, pool.ref_counts, pool.free_blocks, contents)


def after_copy(contents: Contents, append: Append, block_size: int) -> Contents:
    """The contents once copy-on-write is done, before anything new is written."""
    if append.copied is None:
        return contents
    source, target = append.copied.source * block_size, append.copied.target * block_size
    moved = {target + i: contents[source + i] for i in range(append.copied.n_slots)}
    return tuple(moved.get(place, old) for place, old in enumerate(contents))


def after_write(contents: Contents, append: Append, tokens: abc.Sequence[Token]) -> Contents:
    """The contents once the new tokens lie in their slots."""
    new = dict(zip(append.slots, tokens, strict=True))
    return tuple(new.get(place, old) for place, old in enumerate(contents))
