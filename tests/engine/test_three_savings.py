"""engine.three_savings: eight ways, one output, and ledgers that follow from the shapes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.counts import decode, prefill, without_cache
from engine.decoder import Decoder
from engine.flash import standard_attention, tiled_attention
from engine.kept_rows import Paged
from engine.kv_cache import KVCache
from engine.three_ledgers import ALL_OFF, ALL_ON, CACHE, CACHE_PAGING, EVERY, TILES, Switches, row_bytes
from engine.three_savings import (
    CONFIG,
    HEADS,
    KEEP,
    Eight,
    Mistake,
    Scenario,
    Turn,
    _outcome,
    outcome,
    tokens,
    trace,
)
from engine.tiled_heads import standard, tiled

CHAPTER = Scenario()

sizes = st.builds(
    Scenario,
    st.lists(st.integers(0, 10), min_size=1, max_size=9).map(tuple),
    st.integers(1, 4),
    st.integers(1, 7),
    st.integers(1, 7),
    st.integers(12, 20),
)


# One output


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_all_eight_ways_give_the_decoders_logits_and_the_same_tokens(s: Scenario) -> None:
    off = outcome(s, ALL_OFF)
    plain = Decoder(CONFIG).forward([*s.prompt, *off.picks[:-1]]).logits[len(s.prompt) - 1 :]
    for switches in EVERY:
        way = outcome(s, switches)
        np.testing.assert_allclose(way.logits, plain, rtol=0, atol=1e-12)
        assert way.error <= 1e-12
        assert way.switches == switches


def test_with_a_cache_it_is_what_the_decoder_does_with_its_own_cache() -> None:
    cache, decoder = KVCache(CONFIG), Decoder(CONFIG)
    picks = outcome(CHAPTER, CACHE).picks
    rows = [decoder.forward(CHAPTER.prompt, cache).logits[-1]]
    rows += [decoder.forward([token], cache).logits[-1] for token in picks[:-1]]
    np.testing.assert_allclose(outcome(CHAPTER, CACHE).logits, rows, rtol=0, atol=1e-12)
    assert outcome(CHAPTER, CACHE).ledgers.at_end.kv == cache.n_bytes


# Three ledgers


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_what_is_counted_as_it_runs_is_what_the_shapes_say(s: Scenario) -> None:
    for switches in EVERY:
        assert outcome(s, switches).ledgers == s.cost(switches)


def test_the_chapters_ten_and_five_are_395_pairs_a_head_without_a_cache_and_105_with_one() -> None:
    off, cache = (outcome(CHAPTER, switches).ledgers for switches in (ALL_OFF, CACHE))
    assert (off.pairs, cache.pairs) == (HEADS * 395, HEADS * 105)  # audit T70: 395; 55 + 50
    assert off.pairs == HEADS * without_cache(10, 5).pairs
    assert cache.pairs == HEADS * (prefill(10).pairs + decode(10, 5, first_from_prefill=True).pairs)
    assert (off.rows, cache.rows) == (without_cache(10, 5).rows, 10 + 4)


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_tiles_and_paging_leave_work_as_it_is_and_paging_leaves_traffic_too(s: Scenario) -> None:
    for cache in (False, True):
        ways = [
            outcome(s, Switches(cache, tiles, paging)).ledgers for tiles in (False, True) for paging in (False, True)
        ]
        assert len({(way.rows, way.pairs) for way in ways}) == 1
        assert ways[0].moved == ways[1].moved
        assert ways[2].moved == ways[3].moved


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_without_a_cache_paging_has_nothing_to_page(s: Scenario) -> None:
    for tiles in (False, True):
        assert outcome(s, Switches(tiles=tiles, paging=True)).ledgers == outcome(s, Switches(tiles=tiles)).ledgers


def test_tiles_move_no_table_but_read_k_and_v_again() -> None:
    off, tiles = outcome(CHAPTER, ALL_OFF).ledgers, outcome(CHAPTER, TILES).ledgers
    assert off.moved_tables == HEADS * sum(4 * t * t * 8 for t in range(10, 15))
    assert tiles.moved_tables == tiles.resident.scores == 0
    assert tiles.moved_vectors > off.moved_vectors
    assert tiles.moved < off.moved


def test_the_reserved_tail_is_32_minus_14_positions_and_the_paged_tail_2_of_4_blocks() -> None:
    row = row_bytes(CONFIG)
    reserved = outcome(CHAPTER, replace(ALL_ON, paging=False)).ledgers.at_end
    paged = outcome(CHAPTER, ALL_ON).ledgers.at_end
    assert (reserved.kv, reserved.unused) == (14 * row, 18 * row)
    assert (paged.kv, paged.unused, paged.block_table) == (14 * row, 2 * row, 4 * 4)


def test_the_blocks_are_the_chapters() -> None:
    kept = Paged(CONFIG, 4, 32)
    kept.make_room(np.arange(10))
    assert kept.block_table == (7, 2, 19)


# Misunderstandings made real


@pytest.mark.parametrize(
    ("mistake", "name"), [(Mistake.LINEAR, "cache"), (Mistake.SKIP_LOW, "tiles"), (Mistake.COMPRESS, "paging")]
)
def test_a_misunderstanding_changes_the_output_where_its_switch_is_on_and_nowhere_else(
    mistake: Mistake, name: str
) -> None:
    wrong = replace(CHAPTER, mistake=mistake)
    for switches in EVERY:
        way = outcome(wrong, switches)
        assert mistake.made_by(switches) == getattr(switches.effective, name)
        if mistake.made_by(switches):
            assert way.error > 0.5
        else:
            assert way.ledgers == outcome(CHAPTER, switches).ledgers
            assert way.error <= 1e-12


def test_a_new_query_that_looks_at_four_keys_is_linear_and_a_query_that_drops_low_scores_saves_nothing() -> None:
    linear = outcome(replace(CHAPTER, mistake=Mistake.LINEAR), CACHE)
    assert linear.ledgers.pairs == HEADS * (55 + 4 * KEEP)
    skip = outcome(replace(CHAPTER, mistake=Mistake.SKIP_LOW), TILES)
    assert skip.ledgers == outcome(CHAPTER, TILES).ledgers


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_the_pairs_of_a_linear_cache_are_those_of_its_run(s: Scenario) -> None:
    assert s.linear_pairs == outcome(replace(s, mistake=Mistake.LINEAR), CACHE).ledgers.per_head.pairs
    assert s.prompt_pairs == outcome(replace(s, n_new=1), CACHE).ledgers.per_head.pairs


@settings(max_examples=25, deadline=None)
@given(sizes)
def test_a_paged_cache_takes_whole_blocks_and_a_reserved_one_all_that_is_set_aside(s: Scenario) -> None:
    reserved, paged = (outcome(s, way).ledgers.at_end for way in (CACHE, CACHE_PAGING))
    assert paged.kv + paged.unused == s.n_slots * s.row_bytes
    assert reserved.unused == s.n_unused * s.row_bytes


def test_every_second_position_halves_what_is_resident() -> None:
    right, wrong = (outcome(replace(CHAPTER, mistake=m), ALL_ON).ledgers for m in (Mistake.NONE, Mistake.COMPRESS))
    assert wrong.at_end.kv * 2 == right.at_end.kv


@settings(max_examples=15, deadline=None)
@given(sizes, st.sampled_from(Mistake))
def test_a_wrong_way_has_the_same_steps(s: Scenario, mistake: Mistake) -> None:
    right, wrong = list(trace(s)), list(trace(replace(s, mistake=mistake)))
    assert [type(step) for step in right] == [type(step) for step in wrong]


def test_the_steps_turn_the_switches_one_by_one() -> None:
    steps = list(trace(CHAPTER))
    assert [step.name for step in steps if isinstance(step, Turn)] == ["cache", "tiles", "paging"]
    assert [len(step.ways) for step in steps if isinstance(step, Eight)] == [8]


# What is refused


@pytest.mark.parametrize(
    ("argument", "fields"),
    [
        ("prompt", {"prompt": ()}),
        ("prompt", {"prompt": (11,)}),
        ("n_new", {"n_new": 0}),
        ("tile_size", {"tile_size": 0}),
        ("max_len", {"max_len": 13}),
        ("mistake", {"mistake": "linear"}),
    ],
)
def test_what_cannot_be_used_is_named(argument: str, fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"^{argument}: "):
        replace(CHAPTER, **fields)  # type: ignore[arg-type]


def test_the_sources_prompt() -> None:
    assert tokens(5) == (3, 10, 6, 2, 9)


# All heads at once


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(0, 8), st.integers(1, 11), st.integers(0, 10**6))
def test_heads_side_by_side_give_and_move_what_one_head_after_the_other_does(
    t_q: int, n_old: int, tile: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(3, n, 4)) for n in (t_q, t_q + n_old, t_q + n_old))
    one = [tiled_attention(*qkv, tile_q=tile, tile_k=tile, causal=True) for qkv in zip(q, k, v, strict=True)]
    o, crossed = tiled(q, k, v, tile)
    np.testing.assert_allclose(o, [each for each, _ in one], rtol=0, atol=1e-12)
    assert crossed.vectors == sum(traffic.hbm_moved for _, traffic in one)
    one = [standard_attention(*qkv, causal=True) for qkv in zip(q, k, v, strict=True)]
    o, crossed = standard(q, k, v)
    np.testing.assert_allclose(o, [each for each, _ in one], rtol=0, atol=1e-12)
    assert crossed.vectors + crossed.tables == sum(traffic.hbm_moved for _, traffic in one)
    assert crossed.both_tables == 2 * t_q * (t_q + n_old) * 8


def test_an_edit_runs_again_only_the_ways_that_it_changes() -> None:
    outcome.cache_clear()
    _outcome.cache_clear()
    list(trace(CHAPTER))
    for field, n_runs in (("block_size", 2), ("tile_size", 3), ("max_len", 2)):
        before = _outcome.cache_info().misses
        list(trace(replace(CHAPTER, **{field: getattr(CHAPTER, field) + 1})))
        assert _outcome.cache_info().misses - before == n_runs, field
