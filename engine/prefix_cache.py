"""A prefix that outlives its request: blocks that nobody uses can be found until they are written over.

Source: chapter 07, Q028; vLLM's automatic prefix caching (KVCacheManager, BlockPool). A free block has a name or none.
Those without are handed out first (vLLM since pull request #42656), then the least recently used, of one request's
blocks the last before the first: so no block loses its name while one that follows it still has one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.block_names import WIDTH, Identity, block_hashes, matched_blocks, reusable_tokens
from engine.block_pool import BlockPool, OutOfBlocks
from engine.checked import checked_int
from engine.named_blocks import Mistake, Name, NamedBlocks
from engine.paged import blocks_for

__all__ = [
    "Identity",
    "Mistake",
    "Name",
    "OutOfBlocks",
    "PrefixCache",
    "Request",
    "Room",
    "block_hashes",
    "matched_blocks",
    "reusable_tokens",
]

SOMEBODY = Identity("m")


@dataclass(frozen=True)
class Room:
    """Blocks taken for new tokens, and the names that were lost with what lay in them."""

    blocks: tuple[int, ...]
    forgotten: tuple[Name, ...]


@dataclass(eq=False)
class Request:
    """A request that `PrefixCache.start` let in; only the cache changes it.

    Of its prompt `hit_tokens` tokens were found, `computed_rows` were not. Of its `length` tokens those in `tokens`
    are known; `names` are of their full blocks, and the first `n_named` blocks bear them.
    """

    identity: Identity
    tokens: tuple[int, ...]
    hit_tokens: int
    computed_rows: int
    block_ids: tuple[int, ...]
    length: int
    names: tuple[Name, ...]
    n_named: int


class PrefixCache:
    """`n_blocks` blocks of `block_size` tokens. Names are the first `hash_bits` bits of a block's hash.

    Where two blocks hold the same (a prompt found completely runs its last block again) both bear the name. A call
    that fails changes nothing.

    >>> cache = PrefixCache(8, 4)
    >>> cache.finish(cache.start(range(10)))
    >>> again = cache.start(range(10))
    >>> again.hit_tokens, again.computed_rows, again.block_ids, cache.n_free
    (8, 2, (0, 1, 2), 5)
    """

    def __init__(
        self, n_blocks: int, block_size: int, *, hash_bits: int = WIDTH, mistake: Mistake = Mistake.NONE
    ) -> None:
        if checked_int("hash_bits", hash_bits, 1) > WIDTH:
            raise ValueError(f"hash_bits: 1 … {WIDTH}, got {hash_bits}")
        self._pool, self._mistake = BlockPool(n_blocks, block_size), mistake
        self._named = NamedBlocks(self._pool.block_size, hash_bits, mistake)
        self._running: set[Request] = set()
        self._last_use, self._now = [0] * self._pool.n_blocks, 0

    @property
    def block_size(self) -> int:
        """Token places in a block."""
        return self._pool.block_size

    @property
    def n_free(self) -> int:
        """Blocks that nobody uses, named or not: so many can be handed out."""
        return self._pool.n_free

    @property
    def free_blocks(self) -> tuple[int, ...]:
        """Those blocks, in the order in which they are handed out."""
        return self._pool.free_blocks

    @property
    def ref_counts(self) -> tuple[int, ...]:
        """How many requests use each block."""
        return self._pool.ref_counts

    def ref_count(self, block: int) -> int:
        """How many requests use the block. Raises ValueError for a block that is not in the pool."""
        return self._pool.ref_count(block)

    @property
    def names(self) -> tuple[tuple[Name, ...], ...]:
        """What each block can be found under: one name or none, several only by mistake."""
        return tuple(map(self._named.of, range(self._pool.n_blocks)))

    @property
    def last_use(self) -> tuple[int, ...]:
        """When each block was last used, counted in calls that succeeded; 0 is never."""
        return tuple(self._last_use)

    def start(self, tokens: Iterable[int], identity: Identity = SOMEBODY) -> Request:
        """Let a prompt in: use what is found of it, make room for the rest, name every full block.

        All or nothing. Raises OutOfBlocks where the rest does not fit beside what is found, which may itself lie in
        free blocks; ValueError for no tokens.
        """
        request = self.admit(tokens, identity)
        self.extend(request, request.computed_rows)
        self.name(request)
        return request

    def append(self, request: Request, n: int = 1, tokens: Iterable[int] | None = None) -> Room:
        """Make room for `n` more tokens. Blocks that they fill are named if `tokens` says which they are.

        Raises OutOfBlocks; ValueError for a request that has ended, or another number of tokens than `n`.
        """
        new = None if tokens is None else _checked(tokens)
        if new is not None and len(new) != n:
            raise ValueError(f"tokens: {n} of them, got {len(new)}")
        gapless = request.length == len(request.tokens)
        room = self.extend(request, n)
        if new is not None and gapless:
            request.tokens += new
            self.name(request)
        return room

    def finish(self, request: Request) -> None:
        """The request has ended. Its blocks keep their names; those nobody else uses can be handed out."""
        self._use(request)
        table = request.block_ids[::-1] if self._mistake is Mistake.PARENT_FIRST else request.block_ids
        self._pool.release(table, front={block for block in table if not self._named.of(block)})
        self._running.remove(request)

    # What `start` does, part by part, for whoever wants to look in between.

    def spell(self, tokens: Iterable[int], identity: Identity = SOMEBODY) -> tuple[Name, ...]:
        """What the full blocks of a prompt are called, whether there are such blocks or not."""
        if not isinstance(identity, Identity):
            raise ValueError(f"identity: an Identity, got {identity!r}")
        return self._named.spell(_checked(tokens), identity)

    def find(self, name: Name) -> int | None:
        """The block found under that name."""
        return self._named.find(name)

    def match(self, tokens: Iterable[int], identity: Identity = SOMEBODY) -> tuple[tuple[int, ...], int]:
        """The blocks that `start` would use, from the first on, and the tokens in them: full blocks, and never all of
        the prompt (vLLM's get_computed_blocks)."""
        ids = _checked(tokens)
        return self._match(ids, self.spell(ids, identity), identity)

    def admit(self, tokens: Iterable[int], identity: Identity = SOMEBODY) -> Request:
        """A request with what is found, and no room yet for the rest, though there is room. Raises as `start`."""
        ids = _checked(tokens)
        if not ids:
            raise ValueError("tokens: at least one")
        names = self.spell(ids, identity)
        hits, hit_tokens = self._match(ids, names, identity)
        new = blocks_for(len(ids), self.block_size) - len(hits)
        spare = self.n_free - sum(not self.ref_count(block) for block in set(hits))
        if new > spare:
            raise OutOfBlocks(f"tokens: {new} blocks wanted beside the {len(hits)} found, {spare} free")
        self._pool.touch(hits)
        n_named = hit_tokens // self.block_size
        request = Request(identity, ids, hit_tokens, len(ids) - hit_tokens, hits, hit_tokens, names, n_named)
        self._running.add(request)
        return request

    def extend(self, request: Request, n: int) -> Room:
        """Room for `n` more tokens. Raises as `append`."""
        length = request.length + checked_int("n", n)
        self._check(request)
        taken = self._pool.allocate(blocks_for(length, self.block_size) - len(request.block_ids))
        forgotten = tuple(name for block in taken for name in self._named.forget(block))
        request.block_ids, request.length = request.block_ids + taken, length
        self._use(request)
        return Room(taken, forgotten)

    def name(self, request: Request) -> None:
        """Name the full blocks that have no name yet (vLLM's cache_full_blocks)."""
        request.names = self._named.spell(request.tokens, request.identity, request.names)
        for i in range(request.n_named, len(request.names)):
            self._named.give(request.block_ids[i], request.names[i])
        request.n_named = len(request.names)
        if self._mistake is Mistake.PARTIAL_BLOCKS and len(request.tokens) % self.block_size:
            partial = self._named.next(request.tokens, request.identity, request.names)
            self._named.give(request.block_ids[len(request.names)], partial)

    def _match(self, ids: tuple[int, ...], names: tuple[Name, ...], identity: Identity) -> tuple[tuple[int, ...], int]:
        size, found = self.block_size, []
        for name in names:
            if (block := self._named.find(name)) is None:
                break
            found.append(block)
        n = len(found) * size
        if self._mistake is not Mistake.WHOLE_PROMPT:
            n = reusable_tokens(len(ids), n, size)
        hits = tuple(found[: n // size])
        if self._mistake is Mistake.PARTIAL_BLOCKS:
            for end in range(min(n + size, len(ids)) - 1, n, -1):  # the fullest one first
                partial = self._named.find(self._named.next(ids[:end], identity, names[: len(hits)]))
                if partial is not None:
                    return (*hits, partial), end
        return hits, n

    def _use(self, request: Request) -> None:
        self._check(request)
        self._now += 1
        for block in request.block_ids:
            self._last_use[block] = self._now

    def _check(self, request: Request) -> None:
        if request not in self._running:
            raise ValueError("request: it does not run here; what its blocks hold now may be someone else's")


def _checked(tokens: Iterable[int]) -> tuple[int, ...]:
    return tuple(checked_int("tokens", token, at_least=None) for token in tokens)
