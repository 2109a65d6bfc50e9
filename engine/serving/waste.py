"""What blocks of a fixed size waste on a set of finished sequences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.checked import checked_int


@dataclass(frozen=True)
class Waste:
    """Blocks handed out, and the token places in them that nothing lies in."""

    blocks: int
    wasted_tokens: int


def static_waste(lengths: Iterable[int], block_size: int) -> Waste:
    """Each sequence of `lengths` tokens in its own ⌈length / block_size⌉ blocks, nothing shared.

    A block as long as the longest sequence allowed is the old way: that much reserved for everyone. This looks at
    final lengths only; while a sequence grows, what is reserved ahead of it is waste too.
    Raises ValueError for a negative length or a block size below 1. Source: chapter 07, Q028.

    >>> static_waste([10, 6], 4)
    Waste(blocks=5, wasted_tokens=4)
    """
    size = checked_int("block_size", block_size, 1)
    tokens = [checked_int("lengths", length) for length in lengths]
    blocks = sum(-(-length // size) for length in tokens)
    return Waste(blocks, blocks * size - sum(tokens))


def power_of_two_waste(lengths: Iterable[int]) -> Waste:
    """Each sequence in one piece of memory, rounded up to a power of two tokens; an empty one takes nothing.

    >>> power_of_two_waste([5, 8, 9])
    Waste(blocks=3, wasted_tokens=10)
    """
    tokens = [length for length in (checked_int("lengths", length) for length in lengths) if length]
    return Waste(len(tokens), sum(rounded(length) - length for length in tokens))


def rounded(length: int) -> int:
    """The smallest power of two that is not below a length of at least 1.

    >>> [rounded(length) for length in (1, 2, 3, 5, 8, 9)]
    [1, 2, 4, 8, 8, 16]
    """
    return 1 << (length - 1).bit_length()
