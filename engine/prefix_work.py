"""Many completions of one prefix: what they compute with a prefix cache, and without.

Source: chapter 07, Q028; the second text's second exercise.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.checked import checked_int
from engine.counts import Work, prefill
from engine.paged import blocks_for
from engine.prefix_cache import PrefixCache


@dataclass(frozen=True)
class Branches:
    """Rows and pairs of all prompts together, of one head of one layer: computed, and found instead."""

    computed: Work
    reused: Work

    @property
    def without(self) -> Work:
        """What the same prompts cost when nothing is kept."""
        return self.computed + self.reused


def branches(shared: int, own: int, n: int, block_size: int) -> Branches:
    """`n` prompts of `shared` tokens that are the same and `own` that are not, one after the other over one cache.

    Counted by a cache that is large enough. Only whole blocks are found, and never a whole prompt: the last rows of
    what is shared are computed by everybody. Raises ValueError for a negative number or prompts of no tokens.

    >>> work = branches(100, 10, 5, 16)
    >>> work.computed, work.without
    (Work(rows=166, pairs=11901), Work(rows=550, pairs=30525))
    """
    shared, own, n = (checked_int(name, x) for name, x in (("shared", shared), ("own", own), ("n", n)))
    size, length = checked_int("block_size", block_size, 1), shared + own
    cache = PrefixCache(n * blocks_for(length, size), size)
    computed, reused = Work(), Work()
    for branch in range(n):
        request = cache.start((*range(shared), *range(shared + branch * own, shared + (branch + 1) * own)))
        found = prefill(request.hit_tokens)
        reused += found
        computed += Work(request.computed_rows, prefill(length).pairs - found.pairs)
    return Branches(computed, reused)
