"""engine.flash_backward: gradients from o and the log-sum-exp, against automatic differentiation."""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attention import attention, causal_mask, softmax
from engine.flash_backward import Forward, Gradients, Rebuild, WriteKV, backward, backward_trace, plain_backward
from engine.flash_io import BLIND, UNEQUAL, Fold, Mistake, Scenario, trace
from engine.flash_scenario import gradient, numbers

# On CI a missing PyTorch is a fault, elsewhere a reason to skip.
torch: Any = importlib.import_module("torch") if os.environ.get("CI") else pytest.importorskip("torch")

DEFAULT = Scenario()
sizes = st.integers(1, 14)


def arrays(n_q: int, n_k: int, d: int, d_v: int) -> list[np.ndarray]:
    draw = np.random.default_rng([n_q, n_k, d, d_v])
    return [draw.normal(scale=2, size=size) for size in ((n_q, d), (n_k, d), (n_k, d_v), (n_q, d_v))]


def autograd(q: Any, k: Any, v: Any, do: Any, causal: bool) -> list[np.ndarray]:
    """dq, dk, dv by PyTorch through its scaled_dot_product_attention."""
    mask = torch.from_numpy(causal_mask(len(q), len(k))) if causal else None
    leaves = [torch.tensor(a, requires_grad=True) for a in (q, k, v)]
    o = torch.nn.functional.scaled_dot_product_attention(*leaves, attn_mask=mask)
    return [g.numpy() for g in torch.autograd.grad(o, leaves, torch.tensor(do))]


@settings(max_examples=100, deadline=None)
@given(sizes, sizes, st.integers(1, 4), st.integers(1, 4), st.integers(1, 16), st.integers(1, 16), st.booleans())
def test_gradients_equal_those_of_pytorch(
    n_q: int, n_k: int, d: int, d_v: int, tile_q: int, tile_k: int, causal: bool
) -> None:
    q, k, v, do = arrays(n_q, n_k, d, d_v)
    expected = autograd(q, k, v, do, causal)
    for found in (
        backward(q, k, v, do, tile_q=tile_q, tile_k=tile_k, causal=causal)[:3],
        plain_backward(q, k, v, do, causal=causal)[:3],
    ):
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)


def test_gradients_are_the_slopes_of_the_loss() -> None:
    q, k, v, do = arrays(3, 4, 2, 3)
    mask, h = causal_mask(3, 4), 1e-6
    found = backward(q, k, v, do, tile_q=2, tile_k=3, causal=True)[:3]
    for which, slope in enumerate(found):
        for place in np.ndindex(slope.shape):
            ends = []
            for sign in (1, -1):
                moved = [a.copy() for a in (q, k, v)]
                moved[which][place] += sign * h
                ends.append(float((attention(*moved, mask=mask) * do).sum()))
            assert slope[place] == pytest.approx((ends[0] - ends[1]) / (2 * h), abs=1e-6)


@pytest.mark.parametrize("s", [DEFAULT, UNEQUAL, BLIND, replace(DEFAULT, causal=False), replace(DEFAULT, d=3)])
def test_the_trace_ends_with_what_autograd_finds(s: Scenario) -> None:
    *_, last = backward_trace(s)
    assert isinstance(last, Gradients)
    expected = autograd(*numbers(s.n_q, s.n_k, s.d), gradient(s.n_q, s.d), s.causal)
    for ours, theirs in zip(last.tiled, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    assert last.error < 1e-12


def test_a_query_that_sees_nothing_has_no_gradient() -> None:
    q, k, v, do = arrays(6, 4, 2, 2)
    dq, dk, dv, _ = backward(q, k, v, do, tile_q=4, tile_k=2, causal=True)
    assert (dq[:2] == 0).all()
    assert np.isfinite([dq, np.pad(dk, ((0, 2), (0, 0))), np.pad(dv, ((0, 2), (0, 0)))]).all()


def test_no_query_and_no_key_give_no_gradient() -> None:
    q, k, v, do = arrays(3, 2, 2, 2)
    dq, dk, dv, _ = backward(q[:0], k, v, do[:0], tile_q=1, tile_k=1, causal=True)
    assert dq.shape == (0, 2)
    assert not dk.any()
    assert not dv.any()
    dq, dk, dv, _ = backward(q, k[:0], v[:0], do, tile_q=1, tile_k=1, causal=True)
    assert not dq.any()
    assert dk.shape == dv.shape == (0, 2)


# The default, step by step


def test_the_default_goes_over_its_five_tiles_in_nine_steps() -> None:
    steps = list(backward_trace(DEFAULT))
    assert [type(step) for step in steps] == [
        Forward, Rebuild, Rebuild, Rebuild, WriteKV, Rebuild, Rebuild, WriteKV, Gradients,
    ]  # fmt: skip
    tiles = [(step.rows, step.keys) for step in steps if isinstance(step, Rebuild)]
    assert tuple(tiles) == replace(DEFAULT, keys_outside=True).visits


def test_the_weights_are_rebuilt_and_have_never_been_stored() -> None:
    q, k, _ = numbers(6, 6, 2)
    p = softmax(np.where(causal_mask(6, 6), q @ k.T / np.sqrt(2), -np.inf))
    first, *steps = backward_trace(DEFAULT)
    assert isinstance(first, Forward)
    assert first.o.size + first.lse.size == 6 * 2 + 6  # linear in T
    for step in steps:
        if isinstance(step, Rebuild):
            where = np.ix_(list(step.rows), list(step.keys))
            np.testing.assert_allclose(step.p, p[where], rtol=0, atol=1e-14)
    *_, last = steps
    assert isinstance(last, Gradients)
    assert {line.name for line in last.moved.arrays}.isdisjoint({"s", "p", "dp", "ds"})


def test_every_score_is_computed_twice_once_in_each_pass() -> None:
    forward = [step for step in trace(DEFAULT) if isinstance(step, Fold)][-1].now.n_pairs
    rebuilt = [step.n_rebuilt for step in backward_trace(DEFAULT) if isinstance(step, Rebuild)]
    assert rebuilt == [6, 12, 18, 24, 30]
    assert rebuilt[-1] == forward


def test_five_products_a_tile_stand_against_four_of_the_whole_table() -> None:
    *_, last = backward_trace(replace(DEFAULT, causal=False))
    assert isinstance(last, Gradients)
    product = 2 * 36 * 2
    assert (last.flop, last.plain_flop) == (5 * product, 4 * product)
    *_, last = backward_trace(DEFAULT)
    assert isinstance(last, Gradients)
    assert (last.flop, last.plain_flop) == (5 * 2 * 30 * 2, 4 * product)  # a skipped tile is not computed either


def test_the_plain_way_goes_over_tables_seven_times_and_tiles_never() -> None:
    *_, last = backward_trace(DEFAULT)
    assert isinstance(last, Gradients)
    assert sum(last.plain.of(name).moved for name in ("p", "dp", "ds")) == 7 * 36 * DEFAULT.itemsize
    assert last.moved.of("dk").moved == last.moved.of("dv").moved == 12 * DEFAULT.itemsize
    assert last.moved.of("dq").written == (12 + 20) * DEFAULT.itemsize  # zeros first, then at each of five tiles


def test_a_mistake_of_the_forward_pass_is_none_of_this_one() -> None:
    def gradients(mistake: Mistake) -> tuple[np.ndarray, ...]:
        *_, last = backward_trace(replace(DEFAULT, mistake=mistake))
        assert isinstance(last, Gradients)
        return last.tiled

    for mistake in Mistake:
        assert all(map(np.array_equal, gradients(mistake), gradients(Mistake.NONE)))


def test_steps_are_closed_to_writing() -> None:
    for step in backward_trace(DEFAULT):
        for value in vars(step).values():
            for array in value if isinstance(value, tuple) else (value,):
                assert not isinstance(array, np.ndarray) or not array.flags.writeable, type(step)


def test_arrays_given_stay_open_and_as_they_were() -> None:
    given_arrays = arrays(4, 4, 2, 2)
    before = [a.copy() for a in given_arrays]
    backward(*given_arrays, tile_q=2, tile_k=2)
    for a, b in zip(given_arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.flags.writeable


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_gradients_keep_the_precision(dtype: Any) -> None:
    *found, traffic = backward(*(a.astype(dtype) for a in arrays(4, 4, 2, 2)), tile_q=2, tile_k=2)
    assert {a.dtype for a in found} == {np.dtype(dtype)}
    assert traffic.hbm_written == np.dtype(dtype).itemsize * (8 + 16 + 8 + 8)


Q, K, V, DO = arrays(3, 4, 2, 5)


@pytest.mark.parametrize(
    ("given_arrays", "name"),
    [
        ((Q, K, V, DO[:2]), "do"),
        ((Q, K, V, DO[:, :2]), "do"),
        ((Q, K, V, DO * np.nan), "do"),
        ((Q, K[:, :1], V, DO), "k"),
        ((Q, K, V[:2], DO), "v"),
    ],
)
def test_bad_arrays_are_refused_by_name(given_arrays: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        backward(*given_arrays, tile_q=2, tile_k=2)


@pytest.mark.parametrize(("tile_q", "tile_k", "name"), [(0, 1, "tile_q"), (1, 0, "tile_k")])
def test_a_bad_tile_is_refused_by_name(tile_q: int, tile_k: int, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        backward(Q, K, V, DO, tile_q=tile_q, tile_k=tile_k)
