"""engine.rotary: turns add up, pairs are half a head apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rotary import rotate

modest = settings(max_examples=40)


@modest
@given(st.integers(0, 5000), st.integers(-5000, 5000))
def test_turns_add_up_and_keep_lengths(position: int, by: int) -> None:
    x = np.random.default_rng(0).normal(size=(3, 2, 6))
    there = rotate(x, [position, position + 1])
    np.testing.assert_allclose(rotate(there, by), rotate(x, [position + by, position + by + 1]), atol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(there, axis=-1), np.linalg.norm(x, axis=-1), atol=1e-13)


def test_pairs_are_half_a_head_apart_and_turn_slower_the_later_they_come() -> None:
    turned = rotate(np.eye(4), 2)
    for i, speed in ((0, 1.0), (1, 0.01)):  # 10000^(−2i/4)
        angle = 2 * speed
        np.testing.assert_allclose(turned[i, [i, i + 2]], [math.cos(angle), math.sin(angle)], atol=1e-15)
        np.testing.assert_allclose(turned[i + 2, [i, i + 2]], [-math.sin(angle), math.cos(angle)], atol=1e-15)


@pytest.mark.parametrize(
    ("x", "positions", "named"),
    [
        (np.zeros((2, 3)), [0, 1], "x"),
        (np.zeros((2, 0)), [0, 1], "x"),
        (np.zeros(4), 0, "x"),
        (np.zeros((2, 4)), [0, 1, 2], "positions"),
        (np.zeros((2, 4)), [0], "positions"),
        (np.zeros((2, 4)), [0.0, 1.0], "positions"),
        (np.zeros((2, 4)), [[0, 1]], "positions"),
    ],
)
def test_rotation_refuses_what_does_not_fit(x: Any, positions: Any, named: str) -> None:
    with pytest.raises(ValueError, match=f"^{named}:"):
        rotate(x, positions)
