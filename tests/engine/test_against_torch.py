"""engine.attention and engine.online_softmax against PyTorch on the CPU."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np
import pytest

from engine.attention import attention, causal_mask, softmax
from engine.online_softmax import Scenario, State, fold, output

# On CI a missing PyTorch is a fault, elsewhere a reason to skip.
torch: Any = importlib.import_module("torch") if os.environ.get("CI") else pytest.importorskip("torch")

DTYPES = [np.float32, np.float64]
SHAPES = [(1, 1, 1), (1, 7, 4), (5, 5, 8), (3, 97, 16), (113, 31, 8)]  # T_q, T_k, d


def sdpa(q: Any, k: Any, v: Any, **kwargs: Any) -> Any:
    """PyTorch's scaled_dot_product_attention on NumPy arrays."""
    kwargs = {name: torch.from_numpy(a) if isinstance(a, np.ndarray) else a for name, a in kwargs.items()}
    tensors = (torch.from_numpy(np.ascontiguousarray(a)) for a in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(*tensors, **kwargs).numpy()


def qkv(t_q: int, t_k: int, d: int, dtype: Any, *, axes: tuple[int, ...] = ()) -> Any:
    rng = np.random.default_rng([t_q, t_k, d])
    return (rng.normal(size=(*axes, t, width)).astype(dtype) for t, width in ((t_q, d), (t_k, d), (t_k, d + 1)))


def close(ours: Any, theirs: Any) -> None:
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=16 * np.finfo(ours.dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_attention_agrees_with_pytorch(shape: tuple[int, int, int], dtype: Any) -> None:
    q, k, v = qkv(*shape, dtype)
    close(attention(q, k, v), sdpa(q, k, v))
    close(attention(q, k, v, scale=0.3), sdpa(q, k, v, scale=0.3))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axes", [(2,), (2, 3), (1, 4), (2, 1, 3)])
def test_batch_and_head_axes_agree_with_pytorch(axes: tuple[int, ...], dtype: Any) -> None:
    q, k, v = qkv(5, 9, 4, dtype, axes=axes)
    mask = np.random.default_rng(1).random((*axes, 5, 9)) < 0.6
    close(attention(q, k, v), sdpa(q, k, v))
    close(attention(q, k, v, mask=mask), sdpa(q, k, v, attn_mask=mask))
    close(attention(q, k, v, mask=mask[..., :1, :]), sdpa(q, k, v, attn_mask=mask[..., :1, :]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("shape", SHAPES)
def test_boolean_and_minus_infinity_masks_agree_with_pytorch(
    shape: tuple[int, int, int], share: float, dtype: Any
) -> None:
    q, k, v = qkv(*shape, dtype)
    mask = np.random.default_rng(1).random(shape[:2]) < share  # at 0.05 some rows see nothing
    ours = attention(q, k, v, mask=mask)
    close(ours, sdpa(q, k, v, attn_mask=mask))
    close(ours, sdpa(q, k, v, attn_mask=np.where(mask, 0, -np.inf).astype(dtype)))
    np.testing.assert_array_equal(ours[~mask.any(axis=1)], 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_query_that_sees_nothing_gets_0_in_pytorch_too(dtype: Any) -> None:  # T3
    q, k, v = np.array([[1, 0]], dtype), np.eye(2, dtype=dtype), np.array([[1, 2], [3, 4]], dtype)
    mask = np.zeros((1, 2), bool)
    np.testing.assert_array_equal(sdpa(q, k, v, attn_mask=mask), [[0, 0]])
    np.testing.assert_array_equal(sdpa(q, k, v, attn_mask=np.full((1, 2), -np.inf, dtype)), [[0, 0]])
    np.testing.assert_array_equal(attention(q, k, v, mask=mask), [[0, 0]])


def test_the_other_conventions_for_an_all_masked_row_are_nan_and_the_mean() -> None:  # T3
    assert torch.softmax(torch.full((2,), -torch.inf), -1).isnan().all()
    np.testing.assert_array_equal(softmax([-np.inf, -np.inf]), [0, 0])
    for dtype, mean in ((np.float32, [2, 3]), (np.float16, [1.66015625, 2.66015625])):
        q, k, v = np.array([[1, 0]], dtype), np.eye(2, dtype=dtype), np.array([[1, 2], [3, 4]], dtype)
        sentinel = np.full((1, 2), np.finfo(dtype).min, dtype)  # "minus a lot" instead of −∞
        np.testing.assert_allclose(sdpa(q, k, v, attn_mask=sentinel), [mean], atol=2e-3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("t_q", "t_k"), [(1, 1), (1, 8), (2, 5), (5, 5), (7, 13)])
def test_our_causal_mask_is_pytorchs_lower_right(t_q: int, t_k: int, dtype: Any) -> None:
    q, k, v = qkv(t_q, t_k, 4, dtype, axes=(1, 2))
    bias = importlib.import_module("torch.nn.attention.bias")
    close(attention(q, k, v, mask=causal_mask(t_q, t_k)), sdpa(q, k, v, attn_mask=bias.causal_lower_right(t_q, t_k)))


@pytest.mark.parametrize(("t_q", "t_k"), [(1, 8), (2, 5), (5, 2), (7, 13)])
def test_is_causal_aligns_top_left_and_so_differs_from_ours_off_the_square(t_q: int, t_k: int) -> None:
    q, k, v = qkv(t_q, t_k, 4, np.float64)
    theirs = sdpa(q, k, v, is_causal=True)
    close(attention(q, k, v, mask=np.tri(t_q, t_k, dtype=bool)), theirs)
    assert np.abs(attention(q, k, v, mask=causal_mask(t_q, t_k)) - theirs).max() > 0.1


def test_is_causal_is_ours_on_the_square() -> None:
    q, k, v = qkv(9, 9, 4, np.float64)
    close(attention(q, k, v, mask=causal_mask(9, 9)), sdpa(q, k, v, is_causal=True))


@pytest.mark.parametrize(
    ("t_q", "t_k", "top_left", "bottom_right"),
    [(2, 5, [1.0, 1.5], [2.5, 3.0]), (5, 2, [1, 1.5, 1.5, 1.5, 1.5], [0, 0, 0, 1, 1.5])],
)
def test_equal_scores_show_both_alignments(t_q: int, t_k: int, top_left: Any, bottom_right: Any) -> None:  # T21
    q, k, v = np.zeros((t_q, 1)), np.zeros((t_k, 1)), 1.0 + np.arange(t_k)[:, None]
    np.testing.assert_allclose(sdpa(q, k, v, is_causal=True).ravel(), top_left, atol=1e-15)
    np.testing.assert_allclose(sdpa(q, k, v, attn_mask=causal_mask(t_q, t_k)).ravel(), bottom_right, atol=1e-15)
    np.testing.assert_allclose(attention(q, k, v, mask=causal_mask(t_q, t_k)).ravel(), bottom_right, atol=1e-15)


@pytest.mark.parametrize("tile_size", [1, 2, 3])
def test_the_source_example_folds_to_pytorchs_answer(tile_size: int) -> None:  # Q027, audit 0.4
    values = np.array([[5.0, 5.0], [10.0, 0.0], [0.0, 20.0]])
    theirs = sdpa(np.ones((1, 1)), np.array([[0.0], [2.0], [1.0]]), values)[0]
    scenario = Scenario((0, 2, 1), tuple(map(tuple, values.tolist())), ("C", "A", "B"), tile_size)
    np.testing.assert_allclose(output(scenario), theirs, atol=1e-14)
    np.testing.assert_allclose(theirs, [7.10256242360012, 5.344722286947855], atol=1e-14)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("tile_size", [1, 16, 97, 113, 257])
def test_folded_tiles_agree_with_pytorch_in_the_same_precision(tile_size: int, dtype: Any) -> None:
    rng = np.random.default_rng(tile_size)
    n, d = 257, 3
    s, v = (3 * rng.normal(size=n)).astype(dtype), rng.normal(size=(n, d)).astype(dtype)
    s[rng.random(n) < 0.3] = -np.inf
    s[:tile_size] = -np.inf if tile_size < n else s  # the first tile fully masked
    theirs = sdpa(np.ones((1, 1), dtype), np.zeros((n, 1), dtype), v, attn_mask=s[None])[0]
    state = fold(s, v, tile_size)
    assert state.output.dtype == dtype
    np.testing.assert_allclose(state.output, theirs, rtol=0, atol=32 * np.finfo(dtype).eps)
    lse = torch.logsumexp(torch.from_numpy(s), 0).item()
    assert state.lse == pytest.approx(lse, abs=float(64 * np.finfo(dtype).eps))


def test_the_lse_of_nothing_is_minus_infinity_as_in_pytorch() -> None:
    s = np.full(3, -np.inf)
    assert State.of(s, np.ones((3, 1))).lse == torch.logsumexp(torch.from_numpy(s), 0).item() == -np.inf
