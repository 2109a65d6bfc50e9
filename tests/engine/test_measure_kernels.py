"""What is timed is right, and does what it is said to do: against engine.attention, engine.flash and counted calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as modest
from hypothesis import strategies as st

from engine import counts, flash
from engine.attention import attention
from engine.measure import (
    BASE,
    FULL,
)
from engine.measuring import kernels, runner, stack
from engine.measuring.arrays import TOLERANCE, NumpyArrays
from engine.measuring.group import Inputs, Ready, Way, poisoned
from engine.measuring.operations import groups
from tests.engine.small import TINY, SmallCache


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


@modest(max_examples=60)
@given(
    st.integers(1, 70), st.integers(1, 70), st.integers(1, 3), st.integers(1, 5), st.integers(1, 80), st.integers(1, 80)
)
def test_tiles_of_any_size_give_attention(t_q: int, t_k: int, heads: int, d: int, tile_q: int, tile_k: int) -> None:
    b = NumpyArrays()
    q, k, v = numbers(heads, t_q, d), numbers(heads, t_k, d, seed=1), numbers(heads, t_k, d, seed=2)
    out = poisoned(b, (heads, t_q, d), "float64")
    work = kernels.TiledWork.of(b, "float64", heads, min(tile_q, t_q), min(tile_k, t_k), d)
    kernels.tiled(b, q, k, v, out, work)
    np.testing.assert_allclose(out, attention(q, k, v), rtol=0, atol=1e-12)
    out = poisoned(b, (heads, t_q, d), "float64")
    kernels.plain(b, q, k, v, out, kernels.PlainWork.of(b, "float64", heads, t_q, t_k, d))
    np.testing.assert_allclose(out, attention(q, k, v), rtol=0, atol=1e-12)


@pytest.mark.parametrize("tile", [97, 113, 257])
def test_awkward_tiles_where_the_maximum_rises_in_every_tile(tile: int) -> None:
    b = NumpyArrays()
    q, v = np.abs(numbers(1, 260, 4)), numbers(1, 300, 4, seed=2)
    k = np.abs(numbers(1, 300, 4, seed=1)) * np.linspace(0, 9, 300)[:, None]
    out = poisoned(b, (1, 260, 4), "float64")
    kernels.tiled(b, q, k, v, out, kernels.TiledWork.of(b, "float64", 1, tile, tile, 4))
    np.testing.assert_allclose(out, attention(q, k, v), rtol=0, atol=1e-12)


def test_a_row_decoded_with_the_cache_is_the_row_decoded_without_and_the_row_of_one_pass() -> None:
    b = NumpyArrays()
    group = next(g for g in groups(TINY, b, "float64") if g.operation == "decode")
    inputs = group.inputs(b, "float64", np.random.default_rng(0))
    exact = group.reference(b, inputs)
    for way in group.ways:
        ready = way.build(b, "float64", [inputs])
        ready.call(0)
        np.testing.assert_allclose(ready.result(), exact, rtol=0, atol=1e-12, err_msg=way.name)


def test_a_layer_is_attention_and_then_the_mlp() -> None:
    """Against the formula written out with engine.attention, two heads."""
    b, n, d = NumpyArrays(), 5, 8
    x, *weights = (
        numbers(n, d),
        *(numbers(d, d, seed=i) for i in range(4)),
        numbers(d, 32, seed=5),
        numbers(32, d, seed=6),
    )
    layer = stack.Layer(*weights)
    made = stack.Stack("float64", (layer,), (np.empty((2, n, 4)),), (np.empty((2, n, 4)),), stack.causal(n))
    q, k, v = ((x @ w).reshape(n, 2, 4).swapaxes(0, 1) for w in (layer.q, layer.k, layer.v))
    seen = attention(q, k, v, mask=np.tri(n, dtype=bool)).swapaxes(0, 1).reshape(n, d)
    expected = x + seen @ layer.o
    expected = expected + np.tanh(expected @ layer.up) @ layer.down
    np.testing.assert_allclose(stack.forward(b, made, x, 0), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_way_of_every_operation_is_right_within_its_dtypes_tolerance(dtype: str) -> None:
    b = SmallCache()
    names = set()
    for group in groups(TINY, b, dtype):
        inputs = group.inputs(b, dtype, np.random.default_rng(0))
        exact = group.reference(b, inputs)
        for way in group.ways:
            ready = way.build(b, dtype, [inputs])
            ready.call(0)
            assert runner.distance(group, b.download(ready.result()), exact) <= TOLERANCE[dtype], (group, way)
            names.add((group.operation, way.name))
    assert {(operation, base) for operation, base in BASE.items()} <= names
    assert {("attention", "tiled"), ("decode", "cached"), ("paged", "gathered"), ("paged", "block-by-block")} <= names


def test_a_block_table_that_is_ignored_gives_a_wrong_answer() -> None:
    b = SmallCache()
    group = next(g for g in groups(TINY, b, "float64") if g.operation == "paged")
    inputs = group.inputs(b, "float64", np.random.default_rng(0))
    in_order = (*inputs[:5], np.arange(len(inputs[5])))
    wrong = group.ways[1].build(b, "float64", [in_order])
    wrong.call(0)
    # Attention of one query does not care for the order of all keys: what is ignored must lie outside the sequence.
    assert runner.distance(group, wrong.result(), group.reference(b, inputs)) < 1e-12
    twice = (*inputs[:5], np.zeros(len(inputs[5]), np.intp))
    wrong = group.ways[1].build(b, "float64", [twice])
    wrong.call(0)
    assert runner.distance(group, wrong.result(), group.reference(b, inputs)) > 0.1


# Counts


class Counting(SmallCache):
    """Counts the array operations that a kernel asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.issued = 0

    def __getattribute__(self, name: str) -> Any:
        if name in {
            "fill", "copy", "take", "matmul", "add", "subtract", "multiply", "divide", "maximum", "exp", "tanh",
            "row_max", "row_sum",
        }:  # fmt: skip
            self.issued += 1
        return super().__getattribute__(name)


def test_the_array_operations_said_to_be_issued_are_those_that_are() -> None:
    b = Counting()
    for group in groups(TINY, b, "float64"):
        inputs = group.inputs(b, "float64", np.random.default_rng(0))
        for way in group.ways:
            ready = way.build(b, "float64", [inputs])
            before = b.issued
            ready.call(0)
            assert b.issued - before == way.count.issued, (group.operation, way.name)


def test_bytes_moved_are_those_that_engine_flash_counts_as_it_runs() -> None:
    b = SmallCache()
    settings = replace(TINY, heads=1, lengths=(96,), tile_sizes=(32, 40))
    for group in groups(settings, b, "float64"):
        if group.operation not in ("attention", "tiles"):
            continue
        q, k, v = (numbers(96, 16, seed=i) for i in range(3))
        _, standard = flash.standard_attention(q, k, v)
        for way in group.ways:
            tile_q, tile_k = (way.tile, way.tile) if way.tile else (settings.tile_q, settings.tile_k)
            _, tiled = flash.tiled_attention(q, k, v, tile_q=tile_q, tile_k=tile_k)
            assert way.count.moves == (standard if way.name == "plain" else tiled).hbm_moved


def test_operations_and_bytes_of_decoding_follow_the_counts_of_rows_and_pairs() -> None:
    b = SmallCache()
    d, n = TINY.d_model, 12
    weights = TINY.n_layers * (4 * d * d + 8 * d * d)
    group = next(g for g in groups(TINY, b, "float32") if g.operation == "decode" and dict(g.shape)["n"] == n)
    for way, work in zip(group.ways, (counts.naive(n), counts.cached(n)), strict=True):
        assert way.count.moves == 4 * (n * weights + 2 * TINY.n_layers * d * (work.rows + n * (n + 1) // 2) + 2 * n * d)
        assert way.count.operations == 2 * weights * work.rows + 4 * d * TINY.n_layers * work.pairs


def test_the_workspace_counted_is_the_memory_traced() -> None:
    b = SmallCache()
    settings = replace(
        TINY, heads=1, lengths=(512,), tiles_length=512, tile_sizes=(64,), contexts=(4096,), tile_q=256, tile_k=256
    )
    slack = 80 * 1024  # NumPy's own buffer of one broadcast operation is 32 KiB; Python's objects are less
    for group in groups(settings, b, "float32"):
        if group.operation == "decode":
            continue  # its temporaries grow step by step; the count is of the largest
        inputs = group.inputs(b, "float32", np.random.default_rng(0))
        for way in group.ways:
            peak = b.peak(lambda way=way, inputs=inputs: run_once(b, way, inputs))  # type: ignore[misc]
            assert peak is not None
            assert 0 <= peak - group.result_bytes - way.count.workspace <= slack, (group.operation, way.name)


def run_once(b: NumpyArrays, way: Way, inputs: Inputs) -> Ready:
    ready = way.build(b, "float32", [inputs])
    ready.call(0)
    return ready


def test_tiles_take_an_eighth_of_the_plain_formulas_extra_memory_at_4096() -> None:
    b = SmallCache()
    settings = replace(FULL, lengths=(4096,), operations=("attention",))
    group = next(g for g in groups(settings, b, "float32") if g.operation == "attention")
    inputs = group.inputs(b, "float32", np.random.default_rng(0))
    peaks = []
    for way in group.ways:
        peak = b.peak(lambda way=way: run_once(b, way, inputs))  # type: ignore[misc]
        assert peak is not None
        peaks.append(peak - group.result_bytes)
    assert dict(group.shape)["head_dim"] == 64
    assert 8 * peaks[1] <= peaks[0]
