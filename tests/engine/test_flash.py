"""engine.flash: the same output both ways, and bytes that follow from the loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attention import attention, causal_mask
from engine.flash import Traffic, standard_attention, tiled_attention
from engine.online_softmax import fold

ITEM = 8  # bytes of a float64


def qkv(t_q: int, t_k: int, d: int, d_v: int, seed: int = 0) -> list[np.ndarray]:
    draw = np.random.default_rng(seed)
    return [draw.normal(scale=3, size=shape) for shape in ((t_q, d), (t_k, d), (t_k, d_v))]


sizes = st.integers(0, 20)
tiles = st.integers(1, 24)
modest = settings(max_examples=80)


@modest
@given(sizes, sizes, st.integers(1, 4), st.integers(1, 4), tiles, tiles, st.booleans(), st.integers(0, 99))
def test_tiled_equals_standard_equals_attention(
    t_q: int, t_k: int, d: int, d_v: int, tile_q: int, tile_k: int, causal: bool, seed: int
) -> None:
    q, k, v = qkv(t_q, t_k, d, d_v, seed)
    expected = attention(q, k, v, mask=causal_mask(t_q, t_k) if causal else None)
    standard, _ = standard_attention(q, k, v, causal=causal)
    tiled, _ = tiled_attention(q, k, v, tile_q=tile_q, tile_k=tile_k, causal=causal)
    np.testing.assert_allclose(standard, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tiled, expected, rtol=0, atol=1e-12)


def test_every_row_of_a_tile_is_folded_as_online_softmax_folds_one_query() -> None:
    q, k, v = qkv(5, 11, 3, 2)
    tiled, _ = tiled_attention(q, k, v, tile_q=2, tile_k=4)
    for row, query in zip(tiled, q, strict=True):
        np.testing.assert_allclose(row, fold(k @ query / np.sqrt(3), v, 4).output, rtol=0, atol=1e-14)


@pytest.mark.parametrize("tile", [97, 113, 257])
def test_awkward_tiles(tile: int) -> None:
    q, k, v = qkv(130, 260, 4, 4)
    tiled, _ = tiled_attention(q, k, v, tile_q=tile, tile_k=tile, causal=True)
    np.testing.assert_allclose(tiled, attention(q, k, v, mask=causal_mask(130, 260)), rtol=0, atol=1e-12)


# Bytes


@modest
@given(sizes, sizes, st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_the_standard_way_moves_the_scores_twice_and_the_weights_twice(
    t_q: int, t_k: int, d: int, d_v: int, causal: bool
) -> None:
    _, traffic = standard_attention(*qkv(t_q, t_k, d, d_v), causal=causal)
    table = t_q * t_k
    assert traffic.hbm_read == ITEM * (t_q * d + t_k * d + t_k * d_v + 2 * table)
    assert traffic.hbm_written == ITEM * (t_q * d_v + 2 * table)
    assert traffic.hbm_moved == traffic.hbm_read + traffic.hbm_written


@modest
@given(sizes, sizes, st.integers(1, 4), st.integers(1, 4), tiles, tiles)
def test_the_tiled_way_reads_k_and_v_once_a_query_tile_and_writes_only_the_output(
    t_q: int, t_k: int, d: int, d_v: int, tile_q: int, tile_k: int
) -> None:
    _, traffic = tiled_attention(*qkv(t_q, t_k, d, d_v), tile_q=tile_q, tile_k=tile_k)
    query_tiles = -(-t_q // tile_q)
    assert traffic.hbm_read == ITEM * (t_q * d + query_tiles * t_k * (d + d_v))
    assert traffic.hbm_written == ITEM * t_q * d_v


@modest
@given(sizes, sizes, tiles, tiles)
def test_a_tile_that_is_hidden_altogether_is_not_read(t_q: int, t_k: int, tile_q: int, tile_k: int) -> None:
    _, traffic = tiled_attention(*qkv(t_q, t_k, 2, 3), tile_q=tile_q, tile_k=tile_k, causal=True)
    mask = causal_mask(t_q, t_k)
    keys = sum(
        mask[i : i + tile_q, j : j + tile_k].shape[1]
        for i in range(0, t_q, tile_q)
        for j in range(0, t_k, tile_k)
        if mask[i : i + tile_q, j : j + tile_k].any()
    )
    assert traffic.hbm_read == ITEM * (t_q * 2 + keys * (2 + 3))


def test_twice_the_length_moves_four_times_the_tables_but_keeps_the_chip_as_full() -> None:
    def both(n: int) -> tuple[Traffic, Traffic]:
        arrays = qkv(n, n, 8, 8)
        return standard_attention(*arrays)[1], tiled_attention(*arrays, tile_q=16, tile_k=16)[1]

    (plain, tiled), (plain_2, tiled_2) = both(64), both(128)
    ends = 4 * 64 * 8 * ITEM  # q, k, v, o
    assert plain_2.hbm_moved - 2 * ends == 4 * (plain.hbm_moved - ends)
    assert tiled_2.max_on_chip == tiled.max_on_chip < plain.max_on_chip < plain_2.max_on_chip
    assert tiled.hbm_moved < plain.hbm_moved


def test_the_chip_holds_three_tiles_the_scores_the_weights_and_m_l_u() -> None:
    _, traffic = tiled_attention(*qkv(8, 8, 3, 2), tile_q=4, tile_k=2)
    assert traffic.max_on_chip == ITEM * (4 * 3 + 2 * 3 + 2 * 2 + 2 * (4 * 2) + 4 + 4 + 4 * 2)


def test_larger_query_tiles_move_less_and_hold_more() -> None:
    arrays = qkv(32, 32, 4, 4)
    traffics = [tiled_attention(*arrays, tile_q=size, tile_k=4)[1] for size in (1, 2, 4, 8, 16, 32)]
    moved = [traffic.hbm_moved for traffic in traffics]
    held = [traffic.max_on_chip for traffic in traffics]
    assert moved == sorted(moved, reverse=True)
    assert held == sorted(held)


def test_small_query_tiles_can_move_more_than_the_standard_way() -> None:
    arrays = qkv(32, 32, 16, 16)
    assert tiled_attention(*arrays, tile_q=1, tile_k=1)[1].hbm_moved > standard_attention(*arrays)[1].hbm_moved


@pytest.mark.parametrize(("dtype", "item"), [(np.float16, 2), (np.float32, 4)])
def test_bytes_and_output_keep_the_precision(dtype: Any, item: int) -> None:
    arrays = [a.astype(dtype) for a in qkv(4, 4, 2, 2)]
    for o, traffic in (standard_attention(*arrays), tiled_attention(*arrays, tile_q=2, tile_k=2)):
        assert o.dtype == dtype
        assert traffic.hbm_written % item == 0
    assert tiled_attention(*arrays, tile_q=2, tile_k=2)[1].hbm_written == item * 4 * 2


def test_a_query_that_sees_nothing_gets_0() -> None:
    q, k, v = qkv(4, 2, 3, 2)
    for o, _ in (standard_attention(q, k, v, causal=True), tiled_attention(q, k, v, tile_q=3, tile_k=1, causal=True)):
        assert (o[:2] == 0).all()
        assert (o[2:] != 0).all()


def test_scores_far_apart_give_no_nan() -> None:
    q, k, v = np.array([[1e154]]), np.array([[1e154], [-1e154]]), np.array([[1.0], [2.0]])
    for o, _ in (standard_attention(q, k, v), tiled_attention(q, k, v, tile_q=1, tile_k=1)):
        assert o.tolist() == [[1.0]]


Q, K, V = qkv(2, 3, 2, 2)


@pytest.mark.parametrize(
    ("arrays", "name"),
    [
        ((Q[0], K, V), "q"),
        ((Q, K[:, :1], V), "k"),
        ((Q, K, V[:2]), "v"),
        ((Q, K * np.nan, V), "k"),
        ((Q, K, V * np.inf), "v"),
        ((Q[:, :0], K[:, :0], V), "k"),
        ((Q * 1e200, K * 1e200, V), "q, k"),
    ],
)
def test_bad_arrays_are_refused_by_name(arrays: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        standard_attention(*arrays)
    with pytest.raises(ValueError, match=f"^{name}: "):
        tiled_attention(*arrays, tile_q=2, tile_k=2)


@pytest.mark.parametrize(("tile_q", "tile_k", "name"), [(0, 1, "tile_q"), (1, -1, "tile_k"), (1.5, 1, "tile_q")])
def test_a_bad_tile_is_refused_by_name(tile_q: Any, tile_k: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        tiled_attention(Q, K, V, tile_q=tile_q, tile_k=tile_k)
