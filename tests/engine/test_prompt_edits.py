"""engine.prompt_edits against the source's own figures (cases B2) and against what the engine's other modules
measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.invalidation import Edit, Reuse, error
from engine.prompt_edits import (
    ROUNDING,
    Experiment,
    Operation,
    Sight,
    kept_tokens,
    last_reached,
    little_model,
    measure,
    other_than,
    reuse_costs,
)

modest = settings(max_examples=40, deadline=None)


def test_a_replaced_token_100_of_128_changes_one_row_of_layer_0_and_28_of_each_deeper_layer() -> None:  # T16
    outcome = measure(Experiment())
    assert outcome.reusable == 100
    assert [outcome.changed(layer) for layer in range(3)] == [(1, 1), (28, 28), (28, 28)]
    assert max(outcome.k[:, :100].max(), outcome.v[:, :100].max()) <= ROUNDING


def test_appending_changes_old_keys_of_a_bidirectional_model_from_layer_1_on() -> None:  # T24
    outcome = measure(Experiment(Operation.APPEND, length=20), Sight.BOTH_WAYS)
    np.testing.assert_allclose(outcome.k.max(axis=1), [0, 0.163, 0.112], atol=5e-4)
    assert outcome.reusable == 0


@pytest.mark.parametrize("sight", [Sight.CAUSAL, Sight.WINDOW, Sight.PREFIX])
def test_appending_changes_nothing_where_no_old_query_sees_the_new_token(sight: Sight) -> None:  # T24
    outcome = measure(Experiment(Operation.APPEND, length=20), sight, prefix=8)
    assert outcome.reusable == 20
    assert max(outcome.k.max(), outcome.v.max()) <= ROUNDING


@pytest.mark.parametrize(("layers", "last"), [(1, 3), (2, 6), (3, 9), (4, 12)])
def test_in_a_window_of_4_an_edit_of_position_3_reaches_3_positions_further_with_each_layer(
    layers: int, last: int
) -> None:
    outcome = measure(
        Experiment(length=20, position=3, n_layers=layers), Sight.WINDOW, window=4
    )  # T20: k and v of layer l
    assert np.flatnonzero(outcome.k[-1] > ROUNDING).tolist() == list(range(3, last + 1))
    assert last == last_reached(3, layers - 1, 4)


def test_the_receptive_field_of_three_layers_of_window_4_ends_at_12() -> None:  # T20
    assert last_reached(3, 3, 4) == 12


def test_after_an_insertion_layer_0_keeps_the_values_and_loses_the_turned_keys() -> None:  # audit 0.15
    outcome = measure(Experiment(Operation.INSERT, length=24, position=8))
    assert np.isnan(outcome.k[:, 8]).all()
    assert outcome.compared == 24
    assert outcome.reusable == 8
    assert [outcome.changed(layer) for layer in range(3)] == [(16, 0), (16, 16), (16, 16)]


def test_an_adapter_in_layer_1_leaves_layer_0_and_layer_1s_keys() -> None:  # audit 0.17
    outcome = measure(Experiment(Operation.ADAPTER, length=12, layer=1))
    assert [outcome.changed(layer) for layer in range(3)] == [(0, 0), (0, 12), (12, 12)]


def test_shifting_every_position_turns_keys_and_leaves_values() -> None:
    outcome = measure(Experiment(Operation.SHIFT, length=20, by=5))
    assert [outcome.changed(layer) for layer in range(3)] == [(20, 0)] * 3


def test_forgetting_the_oldest_tokens_leaves_their_trace_in_every_layer_but_the_first() -> None:  # T19
    outcome = measure(Experiment(Operation.DROP, length=20, by=4))
    assert outcome.changed(0) == (16, 0)
    assert outcome.changed(1) == outcome.changed(2) == (16, 16)


@pytest.mark.parametrize(("index", "tokens"), [(0, 0), (15, 0), (16, 16), (95, 80), (96, 96), (99, 96), (100, 96)])
def test_whole_blocks_of_16_before_an_index(index: int, tokens: int) -> None:  # T53
    assert kept_tokens(index, 16) == tokens


@modest
@given(st.integers(2, 24), st.data())
def test_the_reusable_prefix_of_a_replacement_is_what_stands_before_it(n: int, data: Any) -> None:
    at = data.draw(st.integers(0, n - 1))
    outcome = measure(Experiment(length=n, position=at, n_layers=data.draw(st.integers(1, 3))))
    assert outcome.reusable == at


def test_the_costs_of_wrong_reuse_are_those_of_the_edit_itself() -> None:  # T15
    tokens, config = Experiment().tokens, little_model(3)
    everything, alone = reuse_costs(tokens, (3, 100), 5, config)
    assert (round(everything[1], 7), round(alone[1], 6)) == (0.0241428, 8.21e-4)
    for i, at in enumerate((3, 100)):
        edit = Edit(tokens, at, other_than(tokens[at]), 5, config)
        assert everything[i] == pytest.approx(error(edit, Reuse.EVERYTHING), abs=1e-12)
        assert alone[i] == pytest.approx(error(edit, Reuse.ALL_BUT_EDITED), abs=1e-12)


@pytest.mark.parametrize(
    ("named", "change"),
    [
        ("length", {"length": 0}),
        ("n_layers", {"n_layers": 0}),
        ("position", {"position": 128}),
        ("position", {"position": -1}),
        ("layer", {"operation": Operation.ADAPTER, "layer": 3}),
        ("by", {"operation": Operation.SHIFT, "by": 0}),
        ("by", {"operation": Operation.DROP, "by": 128}),
    ],
)
def test_an_experiment_names_what_is_wrong(named: str, change: Any) -> None:
    with pytest.raises(ValueError, match=f"^{named}:"):
        replace(Experiment(), **change)


def test_what_an_operation_ignores_may_be_anything() -> None:
    assert Experiment(Operation.APPEND, length=4, position=99, layer=9, by=99).operation.used == ()
    assert measure(Experiment(Operation.INSERT, length=4, position=4)).reusable == 4
