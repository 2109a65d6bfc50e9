"""engine.kv_cache against never having had what was cut away, and the source's own bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine.decoder import Config, Decoder
from engine.kv_cache import KVCache, kv_bytes

THREE = Config(n_layers=3)
TIGHT = 1e-13
modest = settings(max_examples=40)
some_tokens = st.lists(st.integers(0, 10), min_size=1, max_size=6)


def filled(tokens: Any, config: Config = THREE) -> KVCache:
    cache = KVCache(config)
    Decoder(config).forward(tokens, cache)
    return cache


def same(a: KVCache, b: KVCache) -> bool:
    return all(np.array_equal(x, y) for x, y in zip((*a.k, *a.v), (*b.k, *b.v), strict=True))


def close(a: KVCache, b: KVCache) -> None:
    for x, y in zip((*a.k, *a.v), (*b.k, *b.v), strict=True):
        np.testing.assert_allclose(x, y, rtol=0, atol=TIGHT)


def zeros(t: int, config: Config = THREE) -> list[np.ndarray]:
    return [np.zeros((config.n_kv_heads, t, config.head_dim))] * config.n_layers


def test_a_new_cache_is_empty() -> None:
    cache = KVCache(THREE)
    assert (cache.length, cache.n_bytes) == (0, 0)
    assert [a.shape for a in (*cache.k, *cache.v)] == [(2, 0, 4)] * 6


def test_a_cache_has_one_row_a_kv_head_and_not_a_query_head() -> None:  # audit 1.48
    assert filled([1, 2, 3], Config(n_heads=6, n_kv_heads=2)).k[0].shape == (2, 3, 4)


def test_appending_b_c_leaves_what_is_held_of_a_in_every_layer() -> None:  # audit 0.12
    cache = filled([1])
    before = cache.fork()
    Decoder(THREE).forward([2, 3], cache)
    cache.truncate(1)
    assert same(cache, before)


@modest
@given(some_tokens, some_tokens, some_tokens)
def test_truncate_then_continue_equals_never_having_had_the_rest(kept: Any, gone: Any, after: Any) -> None:
    decoder, cache, plain = Decoder(THREE), filled(kept), filled(kept)
    decoder.forward(gone, cache)
    cache.truncate(len(kept))
    assert same(cache, plain)
    np.testing.assert_array_equal(decoder.forward(after, cache).logits, decoder.forward(after, plain).logits)
    assert same(cache, plain)
    close(cache, filled([*kept, *after]))


@modest
@given(some_tokens, some_tokens, some_tokens, st.booleans())
def test_a_fork_and_its_source_never_see_each_other(common: Any, one: Any, other: Any, fork_first: bool) -> None:
    decoder, cache = Decoder(THREE), filled(common)
    branch = cache.fork()
    first, second = (branch, cache) if fork_first else (cache, branch)
    decoder.forward(one, first)
    assert second.length == len(common)
    decoder.forward(other, second)
    close(first, filled([*common, *one]))
    close(second, filled([*common, *other]))
    first.truncate(0)
    close(second, filled([*common, *other]))


def test_a_fork_shares_no_memory_and_no_array_can_be_written() -> None:
    cache = filled([1, 2])
    branch = cache.fork()
    for a, b in zip((*cache.k, *cache.v), (*branch.k, *branch.v), strict=True):
        assert not np.shares_memory(a, b)
        for array in (a, b):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0


def test_what_was_taken_out_of_a_cache_stays_as_it_was() -> None:
    cache = filled([1, 2])
    k = cache.k
    copies = [a.copy() for a in k]
    Decoder(THREE).forward([3], cache)
    cache.truncate(0)
    assert all(np.array_equal(a, b) for a, b in zip(k, copies, strict=True))


def test_what_was_put_in_is_copied() -> None:
    k, v = [a.copy() for a in zeros(2)], [a.copy() for a in zeros(2)]
    cache = KVCache.of(THREE, k, v)
    for array in (*k, *v):
        array[:] = 1
    assert same(cache, KVCache.of(THREE, zeros(2), zeros(2)))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_truncate_keeps_the_first_and_keep_last_the_newest(n: int) -> None:
    cache, first, last = filled([1, 2, 3]), filled([1, 2, 3]), filled([1, 2, 3])
    first.truncate(n)
    last.keep_last(n)
    assert first.length == last.length == n
    np.testing.assert_array_equal(first.k[1], cache.k[1][:, :n])
    np.testing.assert_array_equal(last.v[2], cache.v[2][:, 3 - n :])


@pytest.mark.parametrize("n", [-1, 4, 1.0, True, None])
def test_a_bad_length_is_refused_and_changes_nothing(n: Any) -> None:
    cache, before = filled([1, 2, 3]), filled([1, 2, 3])
    for call in (cache.truncate, cache.keep_last):
        with pytest.raises(ValueError, match=r"^n:"):
            call(n)
    assert same(cache, before)


@pytest.mark.parametrize(
    ("named", "k", "v"),
    [
        ("k", zeros(1)[:2], zeros(1)),
        ("v", zeros(1), zeros(1)[:2]),
        ("k", [], []),
        ("v", zeros(1), zeros(2)),
        ("k", [np.zeros((2, 1, 4)), np.zeros((2, 2, 4)), np.zeros((2, 1, 4))], zeros(1)),
        ("k", [np.zeros((4, 1, 4))] * 3, zeros(1)),
        ("v", zeros(1), [np.zeros((2, 1, 6))] * 3),
        ("k", [np.zeros(4)] * 3, zeros(1)),
        ("k", [0.0] * 3, zeros(1)),
        ("v", zeros(1), [np.full((2, 1, 4), np.nan)] * 3),
        ("k", [np.full((2, 1, 4), np.inf)] * 3, zeros(1)),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(named: str, k: Any, v: Any) -> None:
    cache, before = filled([1, 2, 3]), filled([1, 2, 3])
    with pytest.raises(ValueError, match=f"^{named}:"):
        cache.append(k, v)
    assert same(cache, before)


class Branches(RuleBasedStateMachine):
    """Two caches in any order of calls, each beside the list of tokens it should hold."""

    @initialize()
    def empty(self) -> None:
        self.decoder = Decoder(Config(n_layers=2))
        self.caches, self.tokens = [KVCache(self.decoder.config) for _ in range(2)], [[0] * 0, [0] * 0]

    @rule(which=st.integers(0, 1), tokens=some_tokens)
    def run(self, which: int, tokens: list[int]) -> None:
        if len(self.tokens[which]) + len(tokens) <= 16:
            self.decoder.forward(tokens, self.caches[which])
            self.tokens[which] = self.tokens[which] + tokens

    @rule(which=st.integers(0, 1), share=st.floats(0, 1))
    def truncate(self, which: int, share: float) -> None:
        n = int(share * len(self.tokens[which]))
        self.caches[which].truncate(n)
        self.tokens[which] = self.tokens[which][:n]

    @rule(which=st.integers(0, 1))
    def fork(self, which: int) -> None:
        self.caches[1 - which] = self.caches[which].fork()
        self.tokens[1 - which] = self.tokens[which]

    @rule(which=st.integers(0, 1), tokens=some_tokens)
    def fail(self, which: int, tokens: list[int]) -> None:
        with pytest.raises(ValueError, match=r"^tokens:"):
            self.decoder.forward([*tokens, 11], self.caches[which])

    @invariant()
    def each_holds_what_a_fresh_run_would(self) -> None:
        for cache, tokens in zip(self.caches, self.tokens, strict=True):
            assert cache.length == len(tokens)
            if tokens:
                close(cache, filled(tokens, self.decoder.config))


Branches.TestCase.settings = settings(max_examples=20, stateful_step_count=12)
TestBranches = Branches.TestCase


# Bytes


def test_bytes_counted_in_the_little_model_are_the_formulas() -> None:
    for config in (THREE, Config(n_layers=1, n_heads=6, n_kv_heads=3, head_dim=2)):
        c = config
        expected = kv_bytes(
            n_layers=c.n_layers, batch=1, seq_len=7, n_kv_heads=c.n_kv_heads, head_dim=c.head_dim, itemsize=8
        )
        assert filled([1] * 7, config).n_bytes == expected


SOURCE = {"n_layers": 32, "batch": 1, "seq_len": 32_768, "n_kv_heads": 8, "head_dim": 128, "itemsize": 2}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, 4_294_967_296),  # Q026, audit 0.27
        ({"seq_len": 1}, 131_072),  # 0.28
        ({"n_kv_heads": 32}, 17_179_869_184),  # 0.29
        ({"n_layers": 1, "seq_len": 3, "n_kv_heads": 1, "head_dim": 4, "itemsize": 1}, 24),  # 0.1: numbers, not bytes
        ({"n_kv_heads": 32, "seq_len": 1}, 524_288),  # T28, audit 1.16
        ({"n_layers": 80}, 10_737_418_240),  # T29
        ({"n_layers": 80, "seq_len": 131_072}, 42_949_672_960),
        ({"n_layers": 80, "n_kv_heads": 64}, 80 * 2**30),
        ({"seq_len": 0}, 0),
        ({"batch": 3}, 3 * 4_294_967_296),
    ],
)
def test_bytes_of_the_source(change: Any, expected: int) -> None:
    assert kv_bytes(**(SOURCE | change)) == expected


@pytest.mark.parametrize("name", list(SOURCE))
@pytest.mark.parametrize("bad", [-1, 1.5, True, None])
def test_bytes_refuse_what_is_no_count(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name}:"):
        kv_bytes(**(SOURCE | {name: bad}))
