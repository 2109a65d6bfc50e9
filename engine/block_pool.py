"""Who owns the memory: a pool of blocks, some free, the others with a count of the tables that name them.

Source: chapter 07, Q028; vLLM's BlockPool. In every state each block is either free or counted at least once.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable

from engine.checked import checked_int


class OutOfBlocks(RuntimeError):
    """More blocks wanted than are free; nothing was taken."""


class BlockPool:
    """`n_blocks` blocks of `block_size` token places, numbered from 0.

    `free` lists the blocks that may be handed out, in that order (default: all, from 0). A block not in it belongs to
    somebody else: counted once, never handed out. Blocks that come back queue up behind, the tail of a table before
    its head, so that what other requests may still want, the beginning, is written over last (vLLM reverses a
    request's blocks before it frees them, for that reason). A call that fails changes nothing.

    >>> pool = BlockPool(20, 4, free=[7, 2, 19])
    >>> table = pool.allocate(2)
    >>> table, pool.n_free, pool.ref_count(7)
    ((7, 2), 1, 1)
    >>> pool.release(table)
    >>> pool.free_blocks
    (19, 2, 7)
    """

    def __init__(self, n_blocks: int, block_size: int, free: Iterable[int] | None = None) -> None:
        n = checked_int("n_blocks", n_blocks)
        self._block_size = checked_int("block_size", block_size, 1)
        queue = tuple(range(n)) if free is None else tuple(checked_int("free", block) for block in free)
        if len(set(queue)) < len(queue) or any(block >= n for block in queue):
            raise ValueError(f"free: each block at most once, of 0 … {n - 1}, got {list(queue)}")
        self._free = OrderedDict.fromkeys(queue)  # the front is handed out next; any block can leave it at once
        self._refs = [0 if block in self._free else 1 for block in range(n)]

    @property
    def n_blocks(self) -> int:
        """All blocks, free or not."""
        return len(self._refs)

    @property
    def block_size(self) -> int:
        """Token places in a block."""
        return self._block_size

    @property
    def n_free(self) -> int:
        """How many blocks can be handed out."""
        return len(self._free)

    @property
    def free_blocks(self) -> tuple[int, ...]:
        """The free blocks in hand-out order."""
        return tuple(self._free)

    @property
    def ref_counts(self) -> tuple[int, ...]:
        """How many tables name each block; 0 is free."""
        return tuple(self._refs)

    def ref_count(self, block: int) -> int:
        """How many tables name the block; 0 is free. Raises ValueError for a block that is not in the pool."""
        return self._refs[self._known("block", block)]

    def allocate(self, n: int = 1) -> tuple[int, ...]:
        """Take the next `n` free blocks, each counted once. Raises OutOfBlocks, and then takes none."""
        n = checked_int("n", n)
        if n > self.n_free:
            raise OutOfBlocks(f"n: {n} blocks wanted, {self.n_free} free")
        taken = tuple(self._free.popitem(last=False)[0] for _ in range(n))
        for block in taken:
            self._refs[block] = 1
        return taken

    def share(self, blocks: Iterable[int]) -> None:
        """Count each of the blocks once more. Raises ValueError where one is free."""
        more = [self._known("blocks", block) for block in blocks]
        for block in more:
            if not self._refs[block]:
                raise ValueError(f"blocks: block {block} is free, there is nothing to share")
        self.touch(more)

    def touch(self, blocks: Iterable[int]) -> None:
        """Count each of the blocks once more, free ones too: these leave the queue with what lies in them.

        vLLM's touch: what keeps a block that a prefix cache has found from being written over.
        """
        for block in [self._known("blocks", block) for block in blocks]:
            self._free.pop(block, None)
            self._refs[block] += 1

    def release(self, blocks: Iterable[int], front: Collection[int] = ()) -> None:
        """Count each block of a table once less; those that nobody names any more are free again, the last one first.

        They queue up behind all others, but those in `front` before them: nothing is lost by handing these out next.
        Raises ValueError where a block is released more often than it is named (a double free).

        >>> pool = BlockPool(3, 4)
        >>> pool.release([pool.allocate()[0]] * 2)
        Traceback (most recent call last):
        ValueError: blocks: block 0 released 2 times, named 1 times
        """
        less = Counter(self._known("blocks", block) for block in blocks)
        for block, n in less.items():
            if n > self._refs[block]:
                raise ValueError(f"blocks: block {block} released {n} times, named {self._refs[block]} times")
        for block, n in less.items():
            self._refs[block] -= n
        freed = [block for block in reversed(less) if not self._refs[block]]
        self._free.update(dict.fromkeys(freed))
        for block in reversed(freed):
            if block in front:
                self._free.move_to_end(block, last=False)

    def _known(self, name: str, block: int) -> int:
        if checked_int(name, block) >= self.n_blocks:
            raise ValueError(f"{name}: the pool's blocks are 0 … {self.n_blocks - 1}, got {block}")
        return block
