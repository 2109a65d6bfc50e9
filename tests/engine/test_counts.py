"""engine.counts: formulas against counters that ran, and the source's own figures (cases B7)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.counts import Work, cached, decode, naive, naive_squares, prefill, without_cache
from engine.decoder import Config, Decoder
from engine.kv_cache import KVCache
from engine.stages import Scores

ONE = Config(n_layers=1, n_heads=1, n_kv_heads=1, head_dim=2, d_model=2, d_ff=2)
modest = settings(max_examples=30)


def ran(lengths: list[int], *, cache: KVCache | None = None) -> Work:
    """The sum of the work of one call a length, counted by the calls themselves."""
    decoder = Decoder(ONE)
    return sum((decoder.forward([1] * n, cache).work for n in lengths), Work())


@pytest.mark.parametrize(
    ("n", "naive_rows", "naive_pairs", "squares"),
    [
        (0, 0, 0, 0),
        (1, 1, 1, 1),
        (2, 3, 4, 5),
        (3, 6, 10, 14),
        (10, 55, 220, 385),
        (100, 5050, 171_700, 338_350),
        (4096, 8_390_656, 11_461_636_096, 22_914_881_536),
    ],
)
def test_the_counts_of_n_steps(n: int, naive_rows: int, naive_pairs: int, squares: int) -> None:  # T69, audit 1.2, 1.3
    assert naive(n) == Work(rows=naive_rows, pairs=naive_pairs)
    assert cached(n) == Work(rows=n, pairs=naive_rows)
    assert naive_squares(n) == squares


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
def test_a_decoder_that_runs_counts_the_same(n: int) -> None:  # T69, audit 1.49
    assert ran(list(range(1, n + 1))) == naive(n)
    assert ran([1] * n, cache=KVCache(ONE)) == cached(n)
    assert ran([n]) == prefill(n) == cached(n)


def test_5050_is_rows_without_a_cache_and_pairs_with_one() -> None:  # audit 1.49
    assert naive(100).rows == cached(100).pairs == 5050


@pytest.mark.parametrize("n", [1, 5, 12])
def test_squares_are_the_scores_of_the_unmasked_tables(n: int) -> None:
    tables = 0
    for length in range(1, n + 1):
        for stage in Decoder(ONE).trace([1] * length):
            if isinstance(stage, Scores):
                tables += stage.s[0].size
    assert tables == naive_squares(n)


@pytest.mark.parametrize(
    ("p", "m", "first", "all_passes", "from_prefill", "none"),
    [(10, 5, 55, 65, 50, 395), (1000, 100, 500_500, 105_050, 103_950, 55_166_650)],
)
def test_prefill_and_decode(p: int, m: int, first: int, all_passes: int, from_prefill: int, none: int) -> None:  # T70
    assert prefill(p) == Work(p, first)
    assert decode(p, m, first_from_prefill=False) == Work(m, all_passes)
    assert decode(p, m, first_from_prefill=True) == Work(m - 1, from_prefill)
    assert without_cache(p, m).pairs == none


@pytest.mark.parametrize("p", [1, 10, 1000])
def test_one_new_token_may_need_no_decode_pass_at_all(p: int) -> None:  # T70
    assert decode(p, 1, first_from_prefill=True) == decode(p, 0, first_from_prefill=True) == Work(0, 0)
    assert decode(p, 1, first_from_prefill=False) == Work(1, p + 1)
    assert without_cache(p, 1) == prefill(p)


@modest
@given(st.integers(1, 12), st.integers(1, 8))
def test_generation_that_runs_counts_the_same(p: int, m: int) -> None:
    for passes, first_from_prefill in ((m, False), (m - 1, True)):
        cache = KVCache(ONE)
        assert ran([p], cache=cache) == prefill(p)
        assert ran([1] * passes, cache=cache) == decode(p, m, first_from_prefill=first_from_prefill)
    assert ran(list(range(p, p + m))) == without_cache(p, m)


@modest
@given(st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_chunks_cost_the_pairs_of_one_prefill(sizes: list[int]) -> None:
    assert ran(sizes, cache=KVCache(ONE)) == prefill(sum(sizes))


@modest
@given(st.integers(0, 300), st.integers(0, 60))
def test_prefill_and_decode_together_are_cached_steps(p: int, m: int) -> None:
    assert prefill(p) + decode(p, m, first_from_prefill=False) == cached(p + m)


@pytest.mark.parametrize("window", [1, 4, 7])
def test_a_window_makes_pairs_linear(window: int) -> None:
    run = Decoder(Config(window=window)).forward([1] * 40)
    assert run.work == Work(40, sum(min(i + 1, window) for i in range(40)))


def test_work_is_of_one_head_of_one_layer_whatever_the_model() -> None:
    for config in (ONE, Config(n_layers=3), Config(n_heads=6, n_kv_heads=3)):
        run = Decoder(config).forward([1] * 9)
        assert run.work == Work(9, 45)
        tables = [stage for stage in Decoder(config).trace([1] * 9) if isinstance(stage, Scores)]
        scored = sum(int(np.isfinite(stage.s).sum()) for stage in tables)
        assert scored == 45 * config.n_layers * config.n_heads


@pytest.mark.parametrize("bad", [-1, 1.5, True, None])
def test_a_count_of_steps_that_is_none_is_refused(bad: Any) -> None:
    for count in (naive, cached, naive_squares):
        with pytest.raises(ValueError, match=r"^n:"):
            count(bad)
    for call in (prefill, lambda p: decode(p, 1, first_from_prefill=True), lambda p: without_cache(p, 1)):
        with pytest.raises(ValueError, match=r"^p:"):
            call(bad)
    for call in (lambda m: decode(1, m, first_from_prefill=False), lambda m: without_cache(1, m)):
        with pytest.raises(ValueError, match=r"^m:"):
            call(bad)


def test_without_a_prompt_nothing_gives_the_first_token() -> None:
    with pytest.raises(ValueError, match=r"^p:"):
        without_cache(0, 1)
