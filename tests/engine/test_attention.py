"""engine.attention against the plain formula, written here as loops in float64, and the source's own figures."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attention import attention, causal_mask, checked_scores, exp_limit, score_table_bytes, softmax

modest = settings(max_examples=40, deadline=None)
scores = st.one_of(st.just(-math.inf), st.floats(-30, 30), st.floats(-1e4, 1e4))


def plain_softmax(s: list[float]) -> list[float]:
    m = max(s)
    if m == -math.inf:
        return [0.0] * len(s)
    weights = [math.exp(x - m) for x in s]
    return [w / math.fsum(weights) for w in weights]


def plain_attention(q: Any, k: Any, v: Any, mask: Any = None, scale: float | None = None) -> np.ndarray:
    """One head, number by number: q (T_q, d), k (T_k, d), v (T_k, d_v)."""
    q, k, v = (np.asarray(a, dtype=np.float64) for a in (q, k, v))
    scale = 1 / math.sqrt(q.shape[1]) if scale is None else scale
    rows = []
    for i, query in enumerate(q):
        seen = [j for j in range(len(k)) if mask is None or mask[i, j]]
        p = plain_softmax([scale * math.fsum(query * k[j]) for j in seen]) if seen else []
        rows.append([math.fsum(w * v[j, c] for w, j in zip(p, seen, strict=True)) for c in range(v.shape[1])])
    return np.array(rows)


def draw(*shape: int, seed: int = 0, dtype: Any = np.float64) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


# softmax


@modest
@given(st.lists(scores, min_size=1, max_size=20))
def test_softmax_is_the_plain_formula_and_an_all_masked_row_gives_zeros(s: list[float]) -> None:
    p = softmax(s)
    np.testing.assert_allclose(p, plain_softmax(s), rtol=1e-12, atol=1e-300)
    assert p.sum() == pytest.approx(0 if max(s) == -math.inf else 1, abs=1e-14)


def test_softmax_of_the_source_example_weighs_c_a_b_as_0_09_0_67_0_24() -> None:  # Q027, audit A2
    np.testing.assert_allclose(softmax([0.0, 2.0, 1.0]), [0.090031, 0.665241, 0.244728], atol=5e-7)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_softmax_works_along_any_axis(axis: int) -> None:
    s = draw(2, 3, 4)
    s[0, :, 1] = -np.inf
    expected = np.apply_along_axis(lambda row: plain_softmax(list(row)), axis, s)
    np.testing.assert_allclose(softmax(s, axis=axis), expected, atol=1e-15)


def test_one_masked_row_among_others_is_zero_and_the_others_sum_to_1() -> None:
    s = np.array([[0.0, 1.0], [-np.inf, -np.inf], [-np.inf, 5.0]])
    np.testing.assert_array_equal(softmax(s)[1:], [[0, 0], [0, 1]])


@modest
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=20), st.sampled_from([-1e15, -1e4, 708.0, 1e4, 1e15]))
def test_adding_one_number_to_every_score_changes_no_weight(s: list[int], offset: float) -> None:
    np.testing.assert_array_equal(softmax([x + offset for x in s]), softmax(s))


def test_softmax_of_nothing_is_nothing() -> None:
    assert softmax([]).shape == (0,)
    assert softmax(np.zeros((3, 0))).shape == (3, 0)
    assert softmax(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_keeps_the_precision_it_is_given(dtype: Any) -> None:
    assert softmax(np.zeros(3, dtype)).dtype == dtype


def test_softmax_of_whole_numbers_is_computed_in_float64() -> None:
    assert softmax([0, 2, 1]).dtype == np.float64


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.nan])  # T7
def test_a_score_of_nan_or_plus_infinity_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=r"^s:"):
        softmax([0.0, bad])
    with pytest.raises(ValueError, match=r"^tile scores:"):
        checked_scores([[bad]], "tile scores")


def test_scores_as_far_apart_as_floats_allow_give_0_and_1_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(softmax([-1e308, 1e308]), [0, 1])


# attention


@modest
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 7), st.integers(1, 4), st.integers(1, 3))
def test_attention_is_the_plain_formula_under_any_mask(seed: int, t_q: int, t_k: int, d: int, d_v: int) -> None:
    rng = np.random.default_rng(seed)
    q, k, v = rng.normal(size=(t_q, d)) * 3, rng.normal(size=(t_k, d)) * 3, rng.normal(size=(t_k, d_v))
    mask = rng.random((t_q, t_k)) < rng.choice([0.1, 0.5, 0.9])
    np.testing.assert_allclose(attention(q, k, v), plain_attention(q, k, v), atol=1e-13)
    np.testing.assert_allclose(attention(q, k, v, mask=mask), plain_attention(q, k, v, mask), atol=1e-13)


def test_the_scale_is_one_over_root_d_unless_given() -> None:
    q, k, v = draw(3, 16), draw(4, 16, seed=1), draw(4, 2, seed=2)
    np.testing.assert_array_equal(attention(q, k, v), attention(q, k, v, scale=0.25))
    np.testing.assert_allclose(attention(q, k, v, scale=1.0), plain_attention(q, k, v, scale=1.0), atol=1e-13)
    np.testing.assert_allclose(attention(q, k, v, scale=0.0), np.tile(v.mean(axis=0), (3, 1)), atol=1e-15)


def test_every_batch_and_head_is_its_own_attention() -> None:
    q, k, v = draw(2, 3, 4, 5), draw(2, 3, 6, 5, seed=1), draw(2, 3, 6, 2, seed=2)
    mask = draw(2, 3, 4, 6, seed=3) > 0
    o = attention(q, k, v, mask=mask)
    assert o.shape == (2, 3, 4, 2)
    for b, h in np.ndindex(2, 3):
        np.testing.assert_allclose(o[b, h], plain_attention(q[b, h], k[b, h], v[b, h], mask[b, h]), atol=1e-13)


def test_one_key_cache_and_one_mask_serve_every_batch_and_head() -> None:
    q, k, v = draw(2, 3, 4, 5), draw(6, 5, seed=1), draw(6, 2, seed=2)
    mask = causal_mask(4, 6)
    o = attention(q, k, v, mask=mask)
    for b, h in np.ndindex(2, 3):
        np.testing.assert_allclose(o[b, h], plain_attention(q[b, h], k, v, mask), atol=1e-13)


def test_a_mask_may_name_the_keys_once_for_all_queries() -> None:
    q, k, v = draw(4, 5), draw(6, 5, seed=1), draw(6, 2, seed=2)
    keys = np.array([True, False, True, True, False, False])
    np.testing.assert_allclose(attention(q, k, v, mask=keys), attention(q, k[keys], v[keys]), atol=1e-15)


def test_a_mask_of_everything_is_no_mask() -> None:
    q, k, v = draw(4, 5), draw(6, 5, seed=1), draw(6, 2, seed=2)
    np.testing.assert_array_equal(attention(q, k, v, mask=np.ones((4, 6), bool)), attention(q, k, v))


def test_the_order_of_the_keys_does_not_matter() -> None:  # T11
    q, k, v = draw(4, 5), draw(9, 5, seed=1), draw(9, 2, seed=2)
    order = np.random.default_rng(3).permutation(9)
    np.testing.assert_allclose(attention(q, k[order], v[order]), attention(q, k, v), atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_query_that_sees_nothing_gets_0(dtype: Any) -> None:  # T3
    q, k, v = np.array([[1, 0]], dtype), np.eye(2, dtype=dtype), np.array([[1, 2], [3, 4]], dtype)
    o = attention(q, k, v, mask=np.zeros((1, 2), bool))
    np.testing.assert_array_equal(o, [[0, 0]])
    assert o.dtype == dtype


def test_queries_over_no_keys_get_0() -> None:
    np.testing.assert_array_equal(attention(np.ones((2, 3)), np.ones((0, 3)), np.ones((0, 4))), np.zeros((2, 4)))


def test_no_queries_get_no_rows() -> None:
    assert attention(np.ones((0, 3)), np.ones((5, 3)), np.ones((5, 4))).shape == (0, 4)


@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf, 1e308])
def test_what_a_mask_hides_is_selected_away_whatever_it_is(junk: float) -> None:
    q, k, v = draw(3, 4), draw(5, 4, seed=1), draw(5, 2, seed=2)
    mask = np.tile([True, False, True, False, True], (3, 1))
    expected = attention(q, k, v, mask=mask)
    k[~mask[0]], v[~mask[0]] = junk, junk
    np.testing.assert_array_equal(attention(q, k, v, mask=mask), expected)


@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf])
def test_a_query_whose_every_key_is_hidden_may_itself_be_anything(junk: float) -> None:
    o = attention([[junk], [1.0]], [[1.0]], [[5.0]], mask=[[False], [True]])
    np.testing.assert_array_equal(o, [[0], [5]])


def test_a_row_hidden_in_one_batch_and_seen_in_another_must_be_finite() -> None:
    q, k, v = np.ones((2, 1, 1)), np.ones((2, 1)), np.array([[1.0], [np.nan]])
    with pytest.raises(ValueError, match=r"^v:"):
        attention(q, k, v, mask=[[[True, False]], [[True, True]]])


def test_a_visible_value_that_is_not_finite_is_refused_even_where_its_weight_rounds_to_0() -> None:
    assert softmax([0.0, 1000.0])[0] == 0
    with pytest.raises(ValueError, match=r"^v:"):
        attention([[1.0]], [[0.0], [1000.0]], [[np.nan], [6.0]])


@pytest.mark.parametrize("junk", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["q", "k", "v"])
def test_a_visible_number_that_is_not_finite_is_refused(name: str, junk: float) -> None:
    arrays: Any = {"q": np.ones((1, 1)), "k": np.ones((2, 1)), "v": np.ones((2, 1))}
    arrays[name][0, 0] = junk  # −∞ in q or k is no mask: only a mask hides
    with pytest.raises(ValueError, match=rf"^[^:]*\b{name}\b.*:"):
        attention(**arrays)


def test_a_score_too_large_for_its_precision_is_refused_on_either_side() -> None:
    for sign in (1, -1):  # a score that overflows to −∞ is not a masked key
        with pytest.raises(ValueError, match=r"^q, k:"):
            attention([[1e200]], [[sign * 1e200]], [[5.0]])


ones = np.ones


@pytest.mark.parametrize(
    ("name", "q", "k", "v", "mask"),
    [
        ("q", ones(3), ones((2, 3)), ones((2, 3)), None),
        ("k", ones((1, 3)), ones(3), ones((2, 3)), None),
        ("v", ones((1, 3)), ones((2, 3)), ones(3), None),
        ("k", ones((1, 3)), ones((2, 4)), ones((2, 3)), None),
        ("k", ones((1, 0)), ones((2, 0)), ones((2, 3)), None),
        ("v", ones((1, 3)), ones((2, 3)), ones((3, 3)), None),
        ("k", ones((2, 1, 3)), ones((3, 2, 3)), ones((3, 2, 3)), None),
        ("v", ones((2, 1, 3)), ones((2, 2, 3)), ones((3, 2, 3)), None),
        ("mask", ones((1, 3)), ones((2, 3)), ones((2, 3)), [[1, 0]]),
        ("mask", ones((1, 3)), ones((2, 3)), ones((2, 3)), [[0.0, -np.inf]]),
        ("mask", ones((1, 3)), ones((2, 3)), ones((2, 3)), ones((1, 3), bool)),
        ("mask", ones((1, 3)), ones((2, 3)), ones((2, 3)), ones((5, 2), bool)),  # five rows for one query
        ("mask", ones((2, 3)), ones((1, 3)), ones((1, 3)), ones((2, 4), bool)),  # four columns for one key
    ],
)
def test_shapes_that_do_not_fit_and_masks_that_are_not_boolean_are_refused_by_name(
    name: str, q: Any, k: Any, v: Any, mask: Any
) -> None:
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        attention(q, k, v, mask=mask)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_attention_keeps_the_precision_it_is_given(dtype: Any) -> None:
    q, k, v = draw(3, 4, dtype=dtype), draw(5, 4, seed=1, dtype=dtype), draw(5, 2, seed=2, dtype=dtype)
    o = attention(q, k, v, mask=causal_mask(3, 5))
    assert o.dtype == dtype
    np.testing.assert_allclose(o, plain_attention(q, k, v, causal_mask(3, 5)), atol=8 * np.finfo(dtype).eps)


def test_whole_numbers_are_computed_in_float64() -> None:
    o = attention([[1]], [[2], [3]], [[5], [6]])
    assert o.dtype == np.float64
    np.testing.assert_allclose(o, plain_attention([[1]], [[2], [3]], [[5], [6]]))


def test_attention_leaves_its_arguments_as_they_were() -> None:
    q, k, v, mask = draw(3, 4), draw(5, 4, seed=1), draw(5, 2, seed=2), causal_mask(3, 5)
    v[4] = np.nan
    mask[:, 4] = False
    before = [a.copy() for a in (q, k, v, mask)]
    o = attention(q, k, v, mask=mask)
    with pytest.raises(ValueError, match="v"):
        attention(q, k, v)
    for array, copy in zip((q, k, v, mask), before, strict=True):
        np.testing.assert_array_equal(array, copy)
        assert array.flags.writeable
        assert not np.shares_memory(o, array)


# causal masks


def uniform(mask: Any) -> Any:
    """What equal scores read through `mask` from the values 1, 2, …: the mean of what each query sees."""
    t_q, t_k = mask.shape
    return attention(np.zeros((t_q, 1)), np.zeros((t_k, 1)), 1.0 + np.arange(t_k)[:, None], mask=mask).ravel()


def test_two_queries_over_five_keys_read_2_5_and_3_aligned_bottom_right() -> None:  # T21
    np.testing.assert_allclose(uniform(causal_mask(2, 5)), [2.5, 3.0], atol=1e-15)
    np.testing.assert_allclose(uniform(np.tri(2, 5, dtype=bool)), [1.0, 1.5], atol=1e-15)  # top-left: the mistake


def test_five_queries_over_two_keys_read_0_0_0_1_and_1_5_aligned_bottom_right() -> None:  # T21
    np.testing.assert_allclose(uniform(causal_mask(5, 2)), [0, 0, 0, 1, 1.5], atol=1e-15)
    np.testing.assert_allclose(uniform(np.tri(5, 2, dtype=bool)), [1, 1.5, 1.5, 1.5, 1.5], atol=1e-15)


@pytest.mark.parametrize("t_q", [0, 1, 2, 5, 13])
@pytest.mark.parametrize("t_k", [0, 1, 2, 5, 13])
def test_query_i_sees_key_j_where_j_is_at_most_i_plus_t_k_minus_t_q(t_q: int, t_k: int) -> None:
    mask = causal_mask(t_q, t_k)
    assert mask.dtype == np.bool_
    assert mask.shape == (t_q, t_k)
    assert all(mask[i, j] == (j <= i + t_k - t_q) for i in range(t_q) for j in range(t_k))
    assert t_q == 0 or mask[-1].all(), "the last query sees every key"


def test_both_alignments_are_the_same_square() -> None:
    np.testing.assert_array_equal(causal_mask(6, 6), np.tri(6, dtype=bool))


def test_prefill_in_chunks_of_3_3_4_equals_one_prefill_and_the_first_chunk_hides_a_top_left_mask() -> None:  # T21
    q, k, v = draw(10, 4), draw(10, 4, seed=1), draw(10, 2, seed=2)
    whole = attention(q, k, v, mask=causal_mask(10, 10))
    for first, end, hidden in ((0, 3, True), (3, 6, False), (6, 10, False)):
        t_q = end - first
        chunk = attention(q[first:end], k[:end], v[:end], mask=causal_mask(t_q, end))
        wrong = attention(q[first:end], k[:end], v[:end], mask=np.tri(t_q, end, dtype=bool))
        np.testing.assert_allclose(chunk, whole[first:end], atol=1e-14)
        assert np.allclose(wrong, whole[first:end], atol=1e-3) == hidden


@pytest.mark.parametrize(("t_q", "t_k"), [(-1, 2), (2, -1), (-1, -1)])
def test_a_mask_over_a_negative_count_of_positions_is_refused(t_q: int, t_k: int) -> None:
    with pytest.raises(ValueError, match="t_q, t_k"):
        causal_mask(t_q, t_k)


# sizes and limits


def test_the_score_table_of_32768_positions_in_2_byte_numbers_is_2_gib_a_head() -> None:
    assert score_table_bytes(32_768, 32_768, itemsize=2) == 2 * 2**30
    assert score_table_bytes(1, 32_768, itemsize=4) == 131_072


@pytest.mark.parametrize(("dtype", "limit"), [(np.float16, 11.0899), (np.float32, 88.7228), (np.float64, 709.7827)])
def test_exp_overflows_just_above_its_limit(dtype: Any, limit: float) -> None:  # audit A2
    assert exp_limit(dtype) == pytest.approx(limit, abs=5e-5)
    with np.errstate(over="ignore"):
        below, above = np.exp(np.array([limit - 0.01, limit + 0.01], dtype))
    assert np.isfinite(below)
    assert np.isinf(above)
