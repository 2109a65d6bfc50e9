"""engine.prefix_cache: names that outlive requests, all or nothing, leaf first, least recently used."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.counts import Work, prefill
from engine.prefix_cache import Identity, Mistake, Name, OutOfBlocks, PrefixCache, Request, Room
from engine.prefix_work import branches

MISTAKES = [mistake for mistake in Mistake if mistake is not Mistake.NONE]


def state(cache: PrefixCache) -> Any:
    return cache.ref_counts, cache.free_blocks, cache.names, cache.last_use


def tokens(n: int, first: int = 0) -> range:
    return range(first, first + n)


# A hit


def test_a_prefix_outlives_its_request() -> None:
    cache = PrefixCache(8, 4)
    first = cache.start(tokens(10))
    assert (first.hit_tokens, first.computed_rows, first.block_ids) == (0, 10, (0, 1, 2))
    cache.finish(first)
    assert (cache.n_free, cache.ref_counts) == (8, (0,) * 8)
    second = cache.start([*tokens(8), 77, 78, 79])
    assert (second.hit_tokens, second.computed_rows, second.block_ids) == (8, 3, (0, 1, 2))
    assert [cache.ref_count(block) for block in second.block_ids] == [1, 1, 1]


def test_it_is_shared_while_the_first_request_runs() -> None:
    cache = PrefixCache(8, 4)
    first, second = cache.start(tokens(10)), cache.start([*tokens(8), 77])
    assert second.block_ids == (0, 1, 3)
    assert cache.ref_counts == (2, 2, 1, 1, 0, 0, 0, 0)
    cache.finish(first)
    assert cache.ref_counts == (1, 1, 0, 1, 0, 0, 0, 0)


def test_a_block_that_is_not_full_has_no_name() -> None:
    cache = PrefixCache(8, 4)
    cache.start(tokens(6))
    assert cache.start(tokens(7)).hit_tokens == 4


@pytest.mark.parametrize(("n", "size", "hit"), [(48, 16, 32), (49, 16, 48), (16, 16, 0), (1, 16, 0), (48, 1, 47)])
def test_t52_a_prompt_found_completely_still_runs_its_last_token(n: int, size: int, hit: int) -> None:
    cache = PrefixCache(200, size)
    cache.start(tokens(n))
    again = cache.start(tokens(n))
    assert (again.hit_tokens, again.computed_rows) == (hit, n - hit)


def test_the_block_it_runs_again_bears_the_same_name_as_the_one_that_was_there() -> None:
    cache = PrefixCache(8, 4)
    cache.start(tokens(8))
    cache.start(tokens(8))
    assert cache.names[1] == cache.names[2] != ()
    assert cache.start(tokens(9)).block_ids == (0, 1, 3)  # the first is used


def test_blocks_filled_while_decoding_are_named_if_their_tokens_are_known() -> None:
    cache = PrefixCache(8, 4)
    request = cache.start(tokens(6))
    assert cache.append(request, 1, [6]) == Room((), ())
    assert cache.append(request, 2, [7, 8]) == Room((2,), ())
    assert (request.length, request.tokens, request.block_ids) == (9, tuple(range(9)), (0, 1, 2))
    assert cache.start(tokens(12)).hit_tokens == 8


def test_blocks_filled_with_tokens_nobody_knows_are_not() -> None:
    cache = PrefixCache(8, 4)
    request = cache.start(tokens(6))
    cache.append(request, 3)
    cache.append(request, 3, [9, 10, 11])  # what came before is still unknown
    assert (request.length, request.tokens) == (12, tuple(range(6)))
    assert cache.start(tokens(12)).hit_tokens == 4


def test_another_identity_finds_nothing() -> None:
    cache = PrefixCache(8, 4)
    cache.start(tokens(9), Identity("m", salt="one"))
    assert cache.start(tokens(9), Identity("m", salt="two")).hit_tokens == 0


# Eviction


def test_freed_blocks_go_nameless_ones_first_then_tail_before_head() -> None:
    cache = PrefixCache(6, 4)
    cache.finish(cache.start(tokens(10)))
    assert cache.free_blocks == (2, 3, 4, 5, 1, 0)


def test_the_oldest_unused_leaf_is_evicted_and_its_name_forgotten() -> None:
    cache = PrefixCache(5, 4)
    for first in (0, 100):
        cache.finish(cache.start(tokens(8, first)))
    evicting = cache.start(tokens(8, 200))
    assert evicting.block_ids == (4, 1)  # 1 held the second half of the older one
    assert cache.start(tokens(9)).hit_tokens == 4


def test_a_hit_protects_what_would_have_gone_next() -> None:
    cache = PrefixCache(4, 4)
    for first in (0, 100):
        cache.finish(cache.start(tokens(8, first)))
    assert cache.free_blocks == (1, 0, 3, 2)
    hit = cache.start(tokens(9))
    assert (hit.hit_tokens, hit.block_ids) == (8, (0, 1, 3))
    cache.finish(hit)
    assert cache.free_blocks == (3, 2, 1, 0)
    assert cache.start(tokens(9, 100)).hit_tokens == 4


def test_a_block_in_use_is_never_evicted() -> None:
    cache = PrefixCache(4, 4)
    running = cache.start(tokens(12))
    cache.start(tokens(4, 100))
    with pytest.raises(OutOfBlocks):
        cache.start(tokens(1, 200))
    cache.finish(running)
    assert cache.start(tokens(8, 200)).block_ids == (2, 1)


@pytest.mark.parametrize("running", [True, False])
def test_start_is_all_or_nothing(running: bool) -> None:
    """Six blocks found and three more needed where two are free: nothing changes, neither counts nor order."""
    cache = PrefixCache(8, 4)
    first = cache.start(tokens(24))
    if not running:
        cache.finish(first)  # then the six are free as well, and would be taken from under their own request
    before = state(cache)
    with pytest.raises(OutOfBlocks, match=r"3 blocks wanted beside the 6 found, 2 free"):
        cache.start(tokens(33))
    assert state(cache) == before
    assert cache.start(tokens(32)).hit_tokens == 24


def test_an_append_that_fails_changes_nothing() -> None:
    cache = PrefixCache(2, 4)
    request = cache.start(tokens(8))
    before = state(cache)
    with pytest.raises(OutOfBlocks):
        cache.append(request, 1, [8])
    assert (state(cache), request.length) == (before, 8)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: PrefixCache(-1, 4), "n_blocks"),
        (lambda: PrefixCache(4, 0), "block_size"),
        (lambda: PrefixCache(4, 4, hash_bits=0), "hash_bits"),
        (lambda: PrefixCache(4, 4, hash_bits=257), "hash_bits"),
        (lambda: PrefixCache(4, 4).start([]), "tokens"),
        (lambda: PrefixCache(4, 4).start([1.5]), "tokens"),  # type: ignore[list-item]
        (lambda: PrefixCache(4, 4).start([1], "m"), "identity"),  # type: ignore[arg-type]
        (lambda: PrefixCache(4, 4).ref_count(4), "block"),
    ],
)
def test_a_bad_argument_is_refused_by_name(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()


def test_a_request_ends_once_and_here() -> None:
    cache, other = PrefixCache(4, 4), PrefixCache(4, 4)
    request = cache.start(tokens(4))
    for wrong in (lambda: other.finish(request), lambda: other.append(request), lambda: cache.append(request, 2, [1])):
        with pytest.raises(ValueError, match=r"^(request|tokens): "):
            wrong()
    cache.finish(request)
    before = state(cache)
    for late in (cache.finish, cache.append):
        with pytest.raises(ValueError, match=r"^request: "):
            late(request)
    assert state(cache) == before


# Mistakes


def test_parent_first_leaves_children_that_nobody_finds() -> None:
    found = {}
    for mistake in (Mistake.NONE, Mistake.PARENT_FIRST):
        cache = PrefixCache(4, 4, mistake=mistake)
        cache.finish(cache.start(tokens(16)))
        cache.finish(cache.start(tokens(4, 100)))
        found[mistake] = cache.start(tokens(13)).hit_tokens
    assert found == {Mistake.NONE: 12, Mistake.PARENT_FIRST: 0}


def test_an_old_name_finds_a_block_that_holds_something_else() -> None:
    cache = PrefixCache(2, 4, mistake=Mistake.OLD_NAME)
    cache.finish(cache.start(tokens(4)))
    cache.finish(cache.start(tokens(8, 100)))
    assert cache.start(tokens(5)).block_ids[0] == 0
    assert [name.tokens for name in cache.names[0]] == [(0, 1, 2, 3), (104, 105, 106, 107)]


def test_without_the_parent_a_block_is_found_in_another_place() -> None:
    cache = PrefixCache(8, 4, mistake=Mistake.NO_PARENT)
    cache.start(tokens(8))
    assert cache.start([*tokens(4, 4), 9]).block_ids == (1, 2)
    assert cache.start([*tokens(4, 4), *tokens(4, 4), 9]).block_ids == (1, 1, 3)


def test_hashes_alone_collide_and_comparing_tokens_sees_it() -> None:
    """Of 17 blocks two have the same 4 bits."""
    for mistake, wrong in ((Mistake.NONE, 0), (Mistake.HASHES_ONLY, 4)):
        cache = PrefixCache(40, 4, hash_bits=4, mistake=mistake)
        hits = [cache.start([*tokens(4, first), 1]).hit_tokens for first in range(0, 68, 4)]
        assert max(hits) == wrong
        assert min(hits) == 0


def test_a_whole_prompt_found_runs_nothing() -> None:
    cache = PrefixCache(8, 4, mistake=Mistake.WHOLE_PROMPT)
    cache.start(tokens(8))
    assert (cache.start(tokens(8)).computed_rows, cache.start(tokens(7)).computed_rows) == (0, 3)


def test_a_partial_block_is_shared_by_two_who_both_write_into_it() -> None:
    cache = PrefixCache(8, 4, mistake=Mistake.PARTIAL_BLOCKS)
    first, second = cache.start(tokens(6)), cache.start([*tokens(6), 77])
    assert (second.hit_tokens, second.block_ids) == (6, first.block_ids)
    assert cache.append(first, 1, [6]) == Room((), ())  # position 6 of both lies in slot 2 of block 1


# The same answers as a plain list of everything that was ever kept


class Serving(RuleBasedStateMachine):
    """Requests that start, append and end, beside a naive cache: what each block holds, and when it was let go."""

    @initialize(n=st.integers(1, 9), size=st.integers(1, 3), bits=st.sampled_from([1, 3, 256]))
    def begin(self, n: int, size: int, bits: int) -> None:
        self.cache, self.size = PrefixCache(n, size, hash_bits=bits), size
        self.running: list[tuple[Request, list[int]]] = []
        self.holds: dict[int, tuple[int, ...]] = {}  # named blocks: the tokens up to their end
        self.left: dict[int, int] = dict.fromkeys(range(n), 0)  # when each block was last let go
        self.time = 0

    def full(self, tokens: list[int]) -> list[tuple[int, ...]]:
        return [tuple(tokens[:end]) for end in range(self.size, len(tokens) + 1, self.size)]

    def may_go(self) -> list[int]:
        """Free blocks in the order in which they ought to go: nameless ones in any, then the oldest leaf, …"""
        used = {block for request, _ in self.running for block in request.block_ids}
        named = [block for block in self.holds if block not in used]
        return sorted(named, key=lambda block: (self.left[block], -len(self.holds[block])))

    def check_eviction(self, taken: tuple[int, ...], forgotten: tuple[Name, ...], order: list[int]) -> None:
        lost = [block for block in taken if block in self.holds]
        assert lost == order[: len(lost)]
        assert [name.prefix for name in forgotten] == [self.holds[block] for block in lost]
        for block in lost:  # a leaf: whatever follows its tokens still finds them elsewhere
            prefix = self.holds.pop(block)
            behind = any(other[: len(prefix)] == prefix and other != prefix for other in self.holds.values())
            assert not behind or prefix in self.holds.values()
        if lost:
            nameless = self.cache.free_blocks[:1]
            assert not nameless or nameless[0] in self.holds  # no name is lost while a nameless block is free

    @rule(prompt=st.lists(st.integers(0, 1), min_size=1, max_size=9))
    def start(self, prompt: list[int]) -> None:
        best: list[int] = []
        for prefix in self.full(prompt[:-1]):
            bearers = [block for block, held in self.holds.items() if held == prefix]
            if not bearers:
                break
            best.append(bearers[0])
        before, order = state(self.cache), [block for block in self.may_go() if block not in best]
        names = dict(enumerate(self.cache.names))
        new = -(-len(prompt) // self.size) - len(best)
        try:
            request = self.cache.start(prompt)
        except OutOfBlocks:
            assert new > sum(refs == 0 for block, refs in enumerate(before[0]) if block not in best)
            assert state(self.cache) == before
            return
        assert request.block_ids[: len(best)] == tuple(best)
        assert (request.hit_tokens, request.computed_rows) == (
            len(best) * self.size,
            len(prompt) - len(best) * self.size,
        )
        taken = request.block_ids[len(best) :]
        self.check_eviction(taken, tuple(name for block in taken for name in names[block]), order)
        self.holds.update(zip(taken, self.full(prompt)[len(best) :], strict=False))
        self.running.append((request, prompt))

    @precondition(lambda self: self.running)
    @rule(i=st.integers(0, 9), more=st.lists(st.integers(0, 1), max_size=5))
    def append(self, i: int, more: list[int]) -> None:
        request, known = self.running[i % len(self.running)]
        before, order = state(self.cache), self.may_go()
        try:
            room = self.cache.append(request, len(more), more)
        except OutOfBlocks:
            assert state(self.cache) == before
            return
        self.check_eviction(room.blocks, room.forgotten, order)
        n_full = len(known) // self.size
        known.extend(more)
        self.holds.update(zip(request.block_ids[n_full:], self.full(known)[n_full:], strict=False))

    @precondition(lambda self: self.running)
    @rule(i=st.integers(0, 9))
    def finish(self, i: int) -> None:
        request, _ = self.running.pop(i % len(self.running))
        self.cache.finish(request)
        self.time += 1
        self.left.update(dict.fromkeys(request.block_ids, self.time))

    @invariant()
    def counts_are_tables_and_the_rest_is_free(self) -> None:
        if not hasattr(self, "cache"):
            return
        used = Counter(block for request, _ in self.running for block in request.block_ids)
        assert self.cache.ref_counts == tuple(used[block] for block in range(len(self.cache.ref_counts)))
        assert set(self.cache.free_blocks) == set(range(len(self.cache.ref_counts))) - set(used)
        assert self.cache.n_free + len(used) == len(self.cache.ref_counts)

    @invariant()
    def each_name_says_what_its_block_holds(self) -> None:
        if not hasattr(self, "cache"):
            return
        named = {block: names for block, names in enumerate(self.cache.names) if names}
        assert {block: name.prefix for block, [name] in named.items()} == self.holds
        for _, [name] in named.items():
            assert name.start == 0 or any(held == name.prefix[: name.start] for held in self.holds.values())


Serving.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
TestServing = Serving.TestCase


@given(st.integers(1, 8), st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=10), max_size=8), st.integers(1, 3))
def test_a_short_hash_finds_what_a_long_one_finds(bits: int, prompts: list[list[int]], size: int) -> None:
    long, short = PrefixCache(12, size), PrefixCache(12, size, hash_bits=bits)
    for prompt in prompts:
        one, other = long.start(prompt), short.start(prompt)
        assert (one.hit_tokens, one.block_ids) == (other.hit_tokens, other.block_ids)
        long.finish(one)
        short.finish(other)


# Many completions of one prefix


@given(st.integers(0, 70), st.integers(0, 20), st.integers(0, 12), st.integers(1, 20))
def test_branches_compute_the_shared_blocks_once(shared: int, own: int, n: int, size: int) -> None:
    if not shared + own:
        with pytest.raises(ValueError, match=r"^tokens: "):
            branches(shared, own, max(n, 1), size)
        return
    work, whole = branches(shared, own, n, size), prefill(shared + own)
    found = prefill(min(shared, shared + own - 1) // size * size)
    assert work.without == Work(n * whole.rows, n * whole.pairs)
    assert work.reused == Work(max(n - 1, 0) * found.rows, max(n - 1, 0) * found.pairs)
