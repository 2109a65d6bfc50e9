"""engine.serving: what blocks waste on finished sequences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.serving import Waste, chat_lengths, power_of_two_waste, static_waste

LENGTHS = chat_lengths()
WASTED = {4: 1_497, 8: 3_469, 16: 7_381, 32: 15_221, 64: 30_677, 128: 61_717, 256: 125_589}


def test_the_lengths_are_the_same_for_everyone() -> None:
    assert LENGTHS[:10] == (1047, 1064, 1309, 663, 1821, 1379, 1488, 686, 632, 1332)
    assert (len(LENGTHS), sum(LENGTHS), min(LENGTHS), max(LENGTHS)) == (1_000, 1_019_243, 1, 2_047)


@pytest.mark.parametrize("block_size", WASTED)
def test_t60_waste_by_block_size(block_size: int) -> None:
    assert static_waste(LENGTHS, block_size).wasted_tokens == WASTED[block_size]


def test_t60_blocks_of_16() -> None:
    waste = static_waste(LENGTHS, 16)
    assert waste.blocks == 64_164
    assert round(100 * waste.wasted_tokens / (waste.blocks * 16), 3) == 0.719


def test_t60_reserving_the_longest_for_everyone_wastes_half() -> None:
    waste = static_waste(LENGTHS, 2_048)
    assert waste == Waste(1_000, 1_028_757)
    assert round(100 * waste.wasted_tokens / (1_000 * 2_048), 2) == 50.23


def test_t60_powers_of_two() -> None:
    waste = power_of_two_waste(LENGTHS)
    assert (sum(LENGTHS) + waste.wasted_tokens, waste.wasted_tokens) == (1_365_103, 345_860)
    assert round(100 * waste.wasted_tokens / 1_365_103, 1) == 25.3


def test_t62_each_remainder_once_wastes_7_5_tokens_a_sequence() -> None:
    assert static_waste(range(1, 17), 16) == Waste(16, 120)


@pytest.mark.parametrize(("length", "blocks"), [(0, 0), (1, 1), (16, 1), (17, 2), (32_769, 2_049)])
def test_t37_blocks_are_whole(length: int, blocks: int) -> None:
    assert static_waste([length], 16).blocks == blocks


@given(st.lists(st.integers(0, 500)), st.integers(1, 64))
def test_less_than_a_block_is_wasted_a_sequence_and_nothing_is_lost(lengths: list[int], block_size: int) -> None:
    waste = static_waste(lengths, block_size)
    assert waste.blocks * block_size == sum(lengths) + waste.wasted_tokens
    assert waste.wasted_tokens <= (block_size - 1) * len(lengths)
    assert static_waste(lengths, 1).wasted_tokens == 0


@given(st.lists(st.integers(0, 5_000)))
def test_a_power_of_two_wastes_less_than_half(lengths: list[int]) -> None:
    waste = power_of_two_waste(lengths)
    assert waste.blocks == sum(1 for length in lengths if length)
    assert waste.wasted_tokens < max(sum(lengths), 1)


@pytest.mark.parametrize(
    ("lengths", "block_size", "name"),
    [([-1], 4, "lengths"), ([1.5], 4, "lengths"), ([1], 0, "block_size"), ([1], -4, "block_size")],
)
def test_a_bad_argument_is_refused_by_name(lengths: list[int], block_size: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        static_waste(lengths, block_size)
