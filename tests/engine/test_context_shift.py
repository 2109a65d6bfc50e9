"""engine.context_shift against fresh runs and window masks, and the source's own figures (cases B2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.context_shift import Shift, after_shift, rolling_buffer
from engine.decoder import Config, Decoder

THREE = Config(n_layers=3)
TIGHT = 1e-13


def tokens_of(n: int) -> list[int]:
    return [(7 * i + 3) % 11 for i in range(n)]


def largest(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def shifted(shift: Shift) -> np.ndarray:
    logits: np.ndarray = after_shift(THREE, tokens_of(20), 4, shift).logits[-1]
    return logits


def test_keeping_positions_and_turning_keys_back_are_the_same_and_neither_is_a_fresh_run() -> None:  # T19
    assert largest(shifted(Shift.KEEP_POSITIONS), shifted(Shift.TURN_KEYS)) < 1e-14
    assert largest(shifted(Shift.KEEP_POSITIONS), shifted(Shift.FRESH)) == pytest.approx(0.3236, abs=5e-5)
    assert largest(shifted(Shift.STALE_KEYS), shifted(Shift.FRESH)) == pytest.approx(0.2711, abs=5e-5)
    assert largest(shifted(Shift.STALE_KEYS), shifted(Shift.KEEP_POSITIONS)) > 0.1


def test_in_one_layer_a_shift_is_a_fresh_run_for_nothing_deeper_remembers() -> None:
    runs = [
        after_shift(Config(n_layers=1), tokens_of(20), 4, shift).logits[-1] for shift in (Shift.TURN_KEYS, Shift.FRESH)
    ]
    assert largest(*runs) < TIGHT


@pytest.mark.parametrize("shift", list(Shift))
def test_dropping_nothing_is_the_plain_run(shift: Shift) -> None:
    plain = Decoder(THREE).forward(tokens_of(9)).logits[-1]
    assert largest(after_shift(THREE, tokens_of(9), 0, shift).logits[-1], plain) < TIGHT


@pytest.mark.parametrize("drop", [3, -1, 1.5, True])
def test_a_shift_has_to_leave_the_newest_token(drop: Any) -> None:
    with pytest.raises(ValueError, match=r"^drop:"):
        after_shift(THREE, [1, 2, 3], drop, Shift.FRESH)


@pytest.mark.parametrize(("keep", "first_wrong"), [(2, 3), (3, None), (4, 4)])
def test_a_window_of_4_needs_exactly_3_past_positions(keep: int, first_wrong: int | None) -> None:  # T20
    windowed = Decoder(replace(THREE, window=4)).forward(tokens_of(20)).logits
    off = np.abs(rolling_buffer(THREE, tokens_of(20), keep) - windowed).max(axis=1) > TIGHT
    assert (int(off.argmax()) if off.any() else None) == first_wrong


@pytest.mark.parametrize(("layers", "last"), [(1, 6), (2, 9), (3, 12)])
def test_an_edit_reaches_window_minus_1_positions_further_a_layer(layers: int, last: int) -> None:  # T20
    decoder, edited = Decoder(Config(n_layers=layers, window=4)), tokens_of(20)
    edited[3] = 0
    moved = np.abs(decoder.forward(tokens_of(20)).logits - decoder.forward(edited).logits).max(axis=1)
    assert np.flatnonzero(moved).tolist() == list(range(3, last + 1))


def test_a_rolling_buffer_of_nothing_is_each_token_on_its_own() -> None:
    alone = np.concatenate([Decoder(THREE).forward([t]).logits for t in tokens_of(4)])
    np.testing.assert_allclose(rolling_buffer(THREE, tokens_of(4), 0), alone, atol=TIGHT)
    assert rolling_buffer(THREE, [], 2).shape == (0, 11)
    with pytest.raises(ValueError, match=r"^keep:"):
        rolling_buffer(THREE, [1], -1)
