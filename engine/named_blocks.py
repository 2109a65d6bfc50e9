"""Which blocks can be found, and under what: the directory of a prefix cache, with the usual mistakes.

Source: vLLM's BlockHashToBlockMap. Two blocks may bear one name; the one that was named first is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from engine import block_names
from engine.block_names import Identity, block_hash, shortened


class Mistake(Enum):
    """Wrong ways to keep prefixes, each run by the same code as the right one."""

    NONE = "none"
    PARENT_FIRST = "parent_first"  # a request's first block is written over before those that follow it
    OLD_NAME = "old_name"  # a block that is written over can still be found under what it held before
    NO_PARENT = "no_parent"  # a name says the block's own tokens, not those before them
    HASHES_ONLY = "hashes_only"  # equal hashes are taken for equal tokens
    WHOLE_PROMPT = "whole_prompt"  # a prompt found completely is not run at all
    PARTIAL_BLOCKS = "partial_blocks"  # a block that is not full is named and shared too


@dataclass(frozen=True)
class Name:
    """What a block is found by: `key`, and what is compared besides, for a short key is no proof.

    `key` are the first bits of `hash`. `prefix` are all tokens up to the block's end, its own from `start` on.
    """

    key: str
    hash: str
    identity: Identity
    prefix: tuple[int, ...]
    start: int

    @property
    def tokens(self) -> tuple[int, ...]:
        """The block's own."""
        return self.prefix[self.start :]


class NamedBlocks:
    """Blocks by name and names by block. Keys are `bits` bits long. Arguments are taken as checked."""

    def __init__(self, block_size: int, bits: int, mistake: Mistake) -> None:
        self._size, self._bits, self._mistake = block_size, bits, mistake
        self._blocks: dict[str, dict[int, Name]] = {}  # by key, oldest first
        self._names: dict[int, tuple[Name, ...]] = {}  # more than one a block only by mistake

    def spell(self, tokens: Sequence[int], identity: Identity, known: tuple[Name, ...] = ()) -> tuple[Name, ...]:
        """One name a full block of these tokens, of which the first `known` have been spelled before."""
        names = known
        for end in range((len(known) + 1) * self._size, len(tokens) + 1, self._size):
            names += (self.next(tokens[:end], identity, names),)
        return names

    def next(self, tokens: Sequence[int], identity: Identity, names: tuple[Name, ...]) -> Name:
        """The name of the block behind those with `names`, which ends where `tokens` do."""
        start = len(names) * self._size
        chained = block_names.Mistake.NO_PARENT if self._mistake is Mistake.NO_PARENT else block_names.Mistake.NONE
        whole = block_hash(names[-1].hash if names else None, tokens[start:], identity, chained)
        return Name(shortened(whole, self._bits), whole, identity, tuple(tokens), start)

    def find(self, name: Name) -> int | None:
        """The first block with that key and the same tokens, all of them from the prompt's first one on."""
        bearers = self._blocks.get(name.key, {})
        return next((block for block, other in bearers.items() if self._same(name, other)), None)

    def of(self, block: int) -> tuple[Name, ...]:
        """The names of a block, oldest first."""
        return self._names.get(block, ())

    def give(self, block: int, name: Name) -> None:
        """From now on the block is found under that name."""
        self._blocks.setdefault(name.key, {})[block] = name
        self._names[block] = (*self.of(block), name)

    def forget(self, block: int) -> tuple[Name, ...]:
        """The block is about to be written over: what it was called, and is called no more."""
        lost = self.of(block)
        if self._mistake is not Mistake.OLD_NAME:
            for name in self._names.pop(block, ()):
                bearers = self._blocks[name.key]
                bearers.pop(block, None)
                if not bearers:
                    del self._blocks[name.key]
        return lost

    def _same(self, one: Name, other: Name) -> bool:
        match self._mistake:
            case Mistake.HASHES_ONLY:
                return True
            case Mistake.NO_PARENT:
                return (one.identity, one.tokens) == (other.identity, other.tokens)
            case _:
                return (one.identity, one.prefix) == (other.identity, other.prefix)
