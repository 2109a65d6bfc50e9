"""engine.traffic_laws, engine.tile_memory and engine.intensity: formulas that come to what the runs count."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.chip import Traffic
from engine.flash import standard_attention, tiled_attention
from engine.flash_backward import Gradients, backward, backward_trace, plain_backward
from engine.flash_io import Compare, Scenario, intensity, trace
from engine.intensity import attainable, crossing_length, intensity_limit, ridge, tiled_intensity
from engine.tile_memory import (
    check_memory,
    counted_plain,
    counted_tiles,
    exponent,
    paper_tiles,
    tile_bytes,
    tiles_for,
)
from engine.traffic_laws import (
    Shape,
    keys_read,
    pairs_computed,
    plain,
    plain_extra,
    queries_read,
    tiled,
    tiled_extra,
)
from engine.traffic_laws import plain_backward as plain_backward_law
from engine.traffic_laws import tiled_backward as tiled_backward_law

ITEM = Scenario.itemsize
sizes = st.integers(1, 20)
modest = settings(max_examples=60, deadline=None)


def random_scenarios(n: int) -> list[Scenario]:
    """Closed to chance: the same n shapes every time, half of them causal, ragged tiles and T_q ≠ T_k among them."""
    draw = random.Random(14)
    found = []
    for i in range(n):
        n_q, n_k = draw.randint(1, 17), draw.randint(1, 17)
        tile_q, tile_k, d = draw.randint(1, n_q), draw.randint(1, n_k), draw.randint(1, 5)
        found.append(Scenario(n_q, n_k, d, tile_q, tile_k, causal=i % 2 == 0, keys_outside=i % 4 > 1))
    return found


SHAPES = random_scenarios(240)


def shape(s: Scenario) -> Shape:
    return Shape(s.n_q, s.n_k, s.d, s.causal)


def end(s: Scenario) -> Compare:
    *_, last = trace(s)
    assert isinstance(last, Compare)
    return last


def test_the_shapes_include_every_kind() -> None:
    assert len(set(SHAPES)) >= 200
    kinds = {
        (s.causal, s.keys_outside, (s.n_q > s.n_k) - (s.n_q < s.n_k), s.n_q % s.tile_q > 0, s.n_k % s.tile_k > 0)
        for s in SHAPES
    }
    assert len(kinds) >= 40  # of 48
    assert any(s.skipped for s in SHAPES)
    assert any(s.n_blind >= s.tile_q for s in SHAPES)


def test_the_laws_of_both_ways_are_what_240_runs_count_array_by_array() -> None:
    for s in SHAPES:
        last = end(s)
        law = tiled(shape(s), tile_q=s.tile_q, tile_k=s.tile_k, keys_outside=s.keys_outside, itemsize=ITEM)
        assert last.now.moved == law == last.law, s
        assert last.plain == plain(shape(s), itemsize=ITEM), s
        assert last.now.n_pairs == pairs_computed(shape(s), tile_q=s.tile_q, tile_k=s.tile_k), s
        assert last.extra == tiled_extra(shape(s), keys_outside=s.keys_outside, itemsize=ITEM), s
        assert last.plain_extra == plain_extra(shape(s), itemsize=ITEM), s


def test_the_laws_of_both_backward_ways_are_what_240_runs_count_array_by_array() -> None:
    for s in SHAPES:
        *_, last = backward_trace(s)
        assert isinstance(last, Gradients)
        assert last.moved.arrays == tiled_backward_law(shape(s), tile_q=s.tile_q, tile_k=s.tile_k, itemsize=ITEM).arrays
        assert last.plain.arrays == plain_backward_law(shape(s), itemsize=ITEM).arrays


def arrays(n_q: int, n_k: int, d: int, d_v: int) -> list[np.ndarray]:
    draw = np.random.default_rng([n_q, n_k, d, d_v])
    return [draw.normal(size=size) for size in ((n_q, d), (n_k, d), (n_k, d_v), (n_q, d_v))]


@settings(max_examples=200, deadline=None)
@given(sizes, sizes, st.integers(1, 4), st.integers(1, 4), st.integers(1, 24), st.integers(1, 24), st.booleans())
def test_values_may_have_their_own_width_and_tiles_may_be_larger_than_the_table(
    n_q: int, n_k: int, d: int, d_v: int, tile_q: int, tile_k: int, causal: bool
) -> None:
    q, k, v, do = arrays(n_q, n_k, d, d_v)
    a = Shape(n_q, n_k, d, causal, d_v)
    moved = tiled(a, tile_q=tile_q, tile_k=tile_k, itemsize=8)
    counted = tiled_attention(q, k, v, tile_q=tile_q, tile_k=tile_k, causal=causal)[1]  # which writes no log-sum-exp
    assert counted == Traffic(moved.read, moved.written - moved.of("lse").written, moved.max_on_chip)
    assert standard_attention(q, k, v, causal=causal)[1] == plain(a, itemsize=8).traffic
    back = backward(q, k, v, do, tile_q=tile_q, tile_k=tile_k, causal=causal)[3]
    law = tiled_backward_law(a, tile_q=tile_q, tile_k=tile_k, itemsize=8)
    assert (back.hbm_read, back.hbm_written) == (law.read, law.written)
    back, law = plain_backward(q, k, v, do, causal=causal)[3], plain_backward_law(a, itemsize=8)
    assert (back.hbm_read, back.hbm_written) == (law.read, law.written)


@modest
@given(sizes, sizes, st.integers(1, 20), st.integers(1, 20))
def test_without_a_mask_the_laws_are_short(n_q: int, n_k: int, tile_q: int, tile_k: int) -> None:
    a, d = Shape(n_q, n_k, 3), 3
    query_tiles, key_tiles = -(-n_q // tile_q), -(-n_k // tile_k)
    queries_outside = tiled(a, tile_q=tile_q, tile_k=tile_k, itemsize=1).total
    keys_outside = tiled(a, tile_q=tile_q, tile_k=tile_k, keys_outside=True, itemsize=1).total
    assert queries_outside == 2 * n_q * d + query_tiles * 2 * n_k * d + n_q
    assert keys_outside == 2 * n_k * d + key_tiles * n_q * (3 * d + 4) + n_q * (d + 2)
    assert plain(a, itemsize=1).total == 2 * (n_q + n_k) * d + 4 * n_q * n_k


@modest
@given(sizes, sizes, st.integers(1, 20), st.integers(1, 20))
def test_both_counts_of_visited_tiles_are_those_of_a_mask(n_q: int, n_k: int, tile_q: int, tile_k: int) -> None:
    mask = np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    blocks = [
        mask[i : i + tile_q, j : j + tile_k].shape
        for i in range(0, n_q, tile_q)
        for j in range(0, n_k, tile_k)
        if mask[i : i + tile_q, j : j + tile_k].any()
    ]
    a, at = Shape(n_q, n_k, 1, causal=True), {"tile_q": tile_q, "tile_k": tile_k}
    assert keys_read(a, **at) == sum(keys for _, keys in blocks)
    assert queries_read(a, **at) == sum(rows for rows, _ in blocks)
    assert pairs_computed(a, **at) == sum(rows * keys for rows, keys in blocks)


def test_statistics_may_count_more_than_other_numbers() -> None:
    a = Shape(8, 8, 4)
    moved = tiled(a, tile_q=4, tile_k=4, itemsize=2, statistics=4)
    assert moved.of("lse").written == 8 * 4
    assert moved.of("o").written == 8 * 4 * 2


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Shape(0, 1, 1), "n_q"),
        (lambda: Shape(1, 1, 1, d_v=-1), "d_v"),
        (lambda: tiled(Shape(2, 2, 1), tile_q=0, tile_k=1, itemsize=2), "tile_q"),
        (lambda: tiled(Shape(2, 2, 1), tile_q=1, tile_k=0, keys_outside=True, itemsize=2), "tile_k"),
        (lambda: plain(Shape(2, 2, 1), itemsize=0), "itemsize"),
        (lambda: intensity(0, 1, 2), "n_q"),
        (lambda: intensity_limit(0, 2), "d"),
        (lambda: ridge(0, 1), "flop_per_s"),
        (lambda: ridge(1, math.nan), "bytes_per_s"),
        (lambda: attainable(1, math.inf, 1), "flop_per_s"),
        (lambda: crossing_length(128, 2, -1), "ridge"),
        (lambda: exponent((1.0,), (1.0,)), "sizes, values"),
    ],
)
def test_bad_input_is_refused_by_name(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()


# Memory


def test_a_chip_too_small_for_one_tile_is_told_what_it_needs() -> None:
    with pytest.raises(ValueError, match=r"^memory: one tile of 2 queries × 3 keys needs 144 bytes, has 143$"):
        check_memory(143, 2, 3, 2, itemsize=4)
    check_memory(144, 2, 3, 2, itemsize=4)
    with pytest.raises(ValueError, match=r"^memory: one tile of 1 queries × 1 keys needs"):
        tiles_for(10, 2, itemsize=4)


@modest
@given(sizes, sizes, st.integers(1, 5), st.integers(1, 20), st.integers(1, 20), st.booleans(), st.booleans())
def test_what_a_tile_needs_is_what_the_fullest_moment_of_a_run_holds(
    n_q: int, n_k: int, d: int, tile_q: int, tile_k: int, causal: bool, keys_outside: bool
) -> None:
    assume(tile_q <= n_q and tile_k <= n_k)
    s = Scenario(n_q, n_k, d, tile_q, tile_k, causal, keys_outside)
    held, needed = end(s).now.moved.max_on_chip, tile_bytes(tile_q, tile_k, d, itemsize=ITEM)
    assert held <= needed
    if (s.query_tiles[0], s.key_tiles[0]) in s.visits:
        assert held == needed


@modest
@given(st.integers(200, 100_000), st.integers(1, 16), st.booleans())
def test_the_largest_tile_fits_and_the_next_larger_does_not(memory: int, d: int, keys_outside: bool) -> None:
    assume(tile_bytes(1, 1, d, itemsize=4) <= memory)
    rows, keys = tiles_for(memory, d, itemsize=4, keys_outside=keys_outside)
    outer, inner = (keys, rows) if keys_outside else (rows, keys)
    assert inner == min(outer, d)
    assert tile_bytes(rows, keys, d, itemsize=4) <= memory
    more = (min(outer + 1, d), outer + 1) if keys_outside else (outer + 1, min(outer + 1, d))
    assert tile_bytes(*more, d, itemsize=4) > memory


def test_the_papers_rule_for_192_kb_and_16_bits() -> None:
    assert paper_tiles(192 * 1024, 64, itemsize=2) == (64, 384)
    rows, keys = tiles_for(192 * 1024, 64, itemsize=2, keys_outside=True)
    assert rows == 64
    assert 0.9 < keys / 384 < 1.1  # with scores, weights and statistics in the account, nearly the same


# Growth, fitted from counted runs


def test_bytes_of_both_ways_grow_with_the_square_of_the_length() -> None:
    lengths = (256, 512, 1024, 2048)
    for memory in (4096, 16_384):
        moved = tuple(counted_tiles(n, 16, memory).hbm_moved for n in lengths)
        assert exponent(lengths, moved) == pytest.approx(2, abs=0.12)
        assert exponent(lengths[-2:], moved[-2:]) == pytest.approx(2, abs=0.06)
        assert len({counted_tiles(n, 16, memory).max_on_chip for n in lengths}) == 1
    assert exponent(lengths, tuple(counted_plain(n, 16).hbm_moved for n in lengths)) == pytest.approx(2, abs=0.03)


def test_bytes_of_tiles_fall_with_the_memory_and_those_of_the_plain_way_do_not_depend_on_it() -> None:
    memories = (4096, 8192, 16_384, 32_768)
    moved = tuple(counted_tiles(2048, 16, memory).hbm_moved for memory in memories)
    assert exponent(memories, moved) == pytest.approx(-1, abs=0.12)


def test_bytes_of_tiles_grow_with_the_square_of_the_head_size_and_those_of_the_plain_way_hardly() -> None:
    heads = (8, 16, 32)
    moved = tuple(counted_tiles(2048, d, 16_384).hbm_moved for d in heads)
    assert exponent(heads, moved) == pytest.approx(2, abs=0.15)
    assert exponent(heads, tuple(counted_plain(2048, d).hbm_moved for d in heads)) < 0.05


def test_doubling_length_or_head_and_memory_keeps_t2_d2_over_m() -> None:
    """k and v alone, where there is nothing linear in T, by law, at sizes that no run here reaches."""

    def of_kv(n: int, d: int, memory: int) -> int:
        rows, keys = tiles_for(memory, d, itemsize=2)
        moved = tiled(Shape(n, n, d), tile_q=rows, tile_k=keys, itemsize=2)
        return moved.of("k").read + moved.of("v").read

    base = of_kv(2**17, 64, 2**17)
    assert of_kv(2**18, 64, 2**17) / base == pytest.approx(4, rel=0.01)
    assert of_kv(2**17, 128, 2**17) / base == pytest.approx(4, rel=0.2)
    assert of_kv(2**17, 64, 2**18) / base == pytest.approx(1 / 2, rel=0.1)


def test_exponents_of_exact_powers() -> None:
    assert exponent((1, 2, 4, 8), (3, 6, 12, 24)) == pytest.approx(1)
    assert exponent((1, 2, 4), (8, 2, 0.5)) == pytest.approx(-2)


# Intensity


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 512), st.integers(1, 8))
def test_intensity_is_flop_over_bytes_and_stays_under_its_limit(n: int, d: int, itemsize: int) -> None:
    found = intensity(n, d, itemsize)
    assert found == Fraction(4 * n * n * d, itemsize * (4 * n * d + 4 * n * n)) == Fraction(n * d, (n + d) * itemsize)
    assert found < intensity(n + 1, d, itemsize) < intensity_limit(d, itemsize)
    assert intensity(10**9, d, itemsize) > intensity_limit(d, itemsize) * Fraction(999_999, 1_000_000)


@pytest.mark.parametrize("n", [1, 128, 2048, 10**4, 10**7])
def test_in_16_bits_with_128_numbers_a_head_it_stays_under_64_at_every_length(n: int) -> None:
    assert intensity_limit(128, 2) == 64
    assert intensity(n, 128, 2) < 64


@modest
@given(st.integers(1, 24), st.integers(1, 6))
def test_intensity_is_that_of_a_counted_run(n: int, d: int) -> None:
    q, k, v, _ = arrays(n, n, d, d)
    moved = standard_attention(q, k, v)[1].hbm_moved
    assert intensity(n, d, 8) == Fraction(4 * n * n * d, moved)


@modest
@given(sizes, st.integers(1, 4), st.integers(1, 20), st.integers(1, 20), st.booleans(), st.booleans())
def test_intensity_of_tiles_is_that_of_a_counted_run(
    n: int, d: int, tile_q: int, tile_k: int, causal: bool, keys_outside: bool
) -> None:
    assume(max(tile_q, tile_k) <= n)
    s = Scenario(n, n, d, tile_q, tile_k, causal, keys_outside)
    now = end(s).now
    found = tiled_intensity(n, d, ITEM, tile_q=tile_q, tile_k=tile_k, causal=causal, keys_outside=keys_outside)
    assert found == Fraction(4 * d * now.n_pairs, now.moved.total)


def test_with_tiles_the_tile_decides_and_not_the_length() -> None:
    far = [float(tiled_intensity(2**17, 128, 2, tile_q=rows, tile_k=128)) for rows in (64, 128, 256)]
    assert far == pytest.approx([64, 128, 256], rel=0.01)


def test_a_device_with_its_ridge_above_64_is_limited_by_memory_at_every_length() -> None:
    assert ridge(1e15, 4e12) == 250
    assert crossing_length(128, 2, 250) is None
    assert crossing_length(128, 2, 64) is None
    assert attainable(64, 1e15, 4e12) == 64 * 4e12
    assert attainable(1000, 1e15, 4e12) == 1e15


@modest
@given(st.integers(1, 512), st.integers(1, 8), st.fractions(Fraction(1, 100), 600))
def test_the_crossing_length_is_the_first_that_reaches_the_ridge(d: int, itemsize: int, r: Fraction) -> None:
    n = crossing_length(d, itemsize, r)
    if n is None:
        assert intensity_limit(d, itemsize) <= r
        return
    assert intensity(n, d, itemsize) >= r
    assert n == 1 or intensity(n - 1, d, itemsize) < r
