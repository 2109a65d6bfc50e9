"""engine.online_softmax against the plain formula, written here in float64, and the source's own figures."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise, permutations
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.attention import attention, exp_limit, softmax
from engine.online_softmax import (
    AddTile,
    Check,
    CompareMax,
    Divide,
    Mistake,
    ReadTile,
    Scenario,
    Shrink,
    State,
    WholeTable,
    alpha,
    fold,
    output,
    trace,
)

MASKED = -math.inf
RIGHT = (7.102562423600121, 5.344722286947855)  # Q027
SOURCE = Scenario((0.0, 2.0, 1.0), ((5.0, 5.0), (10.0, 0.0), (0.0, 20.0)), ("C", "A", "B"))
CBA = (0, 2, 1)  # the same keys read C, B, A

modest = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# The oracle: every score at once, number by number, sums without rounding error.


def plain(scores: Any, values: Any) -> np.ndarray:
    s, v = [float(x) for x in scores], np.asarray(values, dtype=np.float64)
    m = max(s, default=MASKED)
    if m == MASKED:
        return np.zeros(v.shape[1])
    weights = [math.exp(x - m) for x in s]
    total = math.fsum(weights)
    return np.array([math.fsum(w * x for w, x in zip(weights, column, strict=True)) / total for column in v.T])


def plain_lse(scores: Any) -> float:
    s = [float(x) for x in scores]
    m = max(s, default=MASKED)
    return m if m == MASKED else m + math.log(math.fsum(math.exp(x - m) for x in s))


def agrees(state: State, scores: Any, values: Any) -> None:
    """The output to 1e-12 of the largest |value|, the LSE to 1e-12 of its own size."""
    size = max(np.abs(values).max(initial=0.0), 1e-300)
    np.testing.assert_allclose(state.output / size, plain(scores, values) / size, rtol=0, atol=1e-12)
    assert state.lse == pytest.approx(plain_lse(scores), rel=1e-12, abs=1e-12)


def scenario(scores: Any, values: Any, **rest: Any) -> Scenario:
    rows = tuple(tuple(float(x) for x in np.atleast_1d(row)) for row in values)
    return Scenario(tuple(float(s) for s in scores), rows, tuple(f"k{i}" for i in range(len(rows))), **rest)


S = TypeVar("S")


def steps(scenario: Scenario, kind: type[S]) -> list[S]:
    return [step for step in trace(scenario) if isinstance(step, kind)]


# What hypothesis draws: often masked, sometimes a whole run of keys, sometimes everything.

finite = st.one_of(st.floats(-5, 5), st.floats(-1e4, 1e4), st.sampled_from([0.0, 1.0, -745.0, 709.0]))


@st.composite
def keys(draw: Callable[..., Any]) -> tuple[np.ndarray, np.ndarray]:
    """Scores (n,) and values (n, d)."""
    n, d = draw(st.integers(1, 20)), draw(st.integers(1, 3))
    one = draw(st.sampled_from([finite, st.one_of(st.just(MASKED), finite), st.just(MASKED)]))
    s = np.array(draw(st.lists(one, min_size=n, max_size=n)))
    first, last = sorted(draw(st.tuples(st.integers(0, n), st.integers(0, n))))
    if draw(st.booleans()):
        s[first:last] = MASKED  # whole tiles masked, at the start, in the middle or at the end
    v = draw(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=d, max_size=d), min_size=n, max_size=n))
    return s, np.array(v)


@st.composite
def scenarios(draw: Callable[..., Any]) -> Scenario:
    s, v = draw(keys())
    order = draw(st.none() | st.permutations(range(len(s))).map(tuple))
    return scenario(s, v, tile_size=draw(st.integers(1, len(s) + 2)), order=order)


# Any tile size, any order, any tree


@modest
@given(keys(), st.integers(1, 25))
def test_tiles_of_any_size_fold_to_plain_softmax(drawn: Any, tile_size: int) -> None:
    s, v = drawn
    agrees(fold(s, v, tile_size), s, v)


@modest
@given(scenarios())
def test_keys_read_in_any_order_give_plain_softmax(drawn: Scenario) -> None:
    size = max(np.abs(drawn.values).max(), 1e-300)
    np.testing.assert_allclose(output(drawn) / size, plain(drawn.scores, drawn.values) / size, rtol=0, atol=1e-12)


@modest
@given(keys(), st.data())
def test_any_merge_tree_over_any_tiles_gives_plain_softmax(drawn: Any, data: st.DataObject) -> None:
    s, v = drawn
    order = data.draw(st.permutations(range(len(s))))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(s)))) | {0, len(s)})
    tiles = [order[first:end] for first, end in pairwise(cuts)]
    tiles += [[]] * data.draw(st.integers(0, 2))  # an empty tile is a tile
    forest = [State.of(s[tile], v[tile]) for tile in tiles]
    while len(forest) > 1:  # join any two until one is left: every binary tree over every order
        left = forest.pop(data.draw(st.integers(0, len(forest) - 1)))
        right = forest.pop(data.draw(st.integers(0, len(forest) - 1)))
        forest.append(left.merge(right))
    agrees(forest[0], s, v)


@modest
@given(keys(), keys(), keys())
def test_merge_is_associative_up_to_rounding(x: Any, y: Any, z: Any) -> None:  # T12
    a, b, c = (State.of(s, v[:, :1]) for s, v in (x, y, z))
    left, right = a.merge(b).merge(c), a.merge(b.merge(c))
    s, v = np.concatenate([x[0], y[0], z[0]]), np.concatenate([x[1][:, :1], y[1][:, :1], z[1][:, :1]])
    agrees(left, s, v)
    agrees(right, s, v)
    assert left.m == right.m


@modest
@given(keys(), keys())
def test_merge_is_commutative_to_the_bit(x: Any, y: Any) -> None:
    a, b = State.of(x[0], x[1][:, :1]), State.of(y[0], y[1][:, :1])
    assert a.merge(b) == b.merge(a)


@modest
@given(keys())
def test_the_empty_state_is_the_identity_of_merge(drawn: Any) -> None:  # T12
    a = State.of(*drawn)
    empty = State.empty(a.u.size)
    with np.errstate(invalid="raise"):  # no NaN arises on the way either
        assert empty.merge(a) == a
        assert a.merge(empty) == a


def test_two_empty_states_merge_to_an_empty_state_without_nan() -> None:  # T12, flashinfer #4051
    empty = State.empty(2)
    with np.errstate(all="raise"):
        assert empty.merge(empty) == empty
        assert empty.merge(empty).lse == MASKED
        np.testing.assert_array_equal(empty.merge(empty).output, [0, 0])


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_c_a_b_merge_to_one_answer_in_every_order_and_grouping(order: Any) -> None:  # T11, T12
    a, b, c = (State.of([SOURCE.scores[i]], [SOURCE.values[i]]) for i in order)
    for state in (a.merge(b).merge(c), a.merge(b.merge(c))):
        np.testing.assert_allclose(state.output, RIGHT, rtol=1e-15)
        assert state.lse == pytest.approx(2.407605964, abs=5e-10)
    np.testing.assert_allclose(output(replace(SOURCE, order=order)), RIGHT, rtol=1e-15)


def test_folding_a_row_of_attention_gives_that_row() -> None:
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(5, 4)), rng.normal(size=(9, 4)), rng.normal(size=(9, 2))
    mask = rng.random((5, 9)) < 0.4
    mask[2] = False
    s = np.where(mask, q @ k.T / 2, MASKED)
    rows = [fold(row, v, 2).output for row in s]
    np.testing.assert_allclose(rows, attention(q, k, v, mask=mask), atol=1e-14)


def test_exact_does_not_mean_equal_to_the_bit() -> None:  # audit 0.43
    rng = np.random.default_rng(0)
    differences = []
    for _ in range(50):
        s, v = rng.normal(size=10), rng.normal(size=(10, 8))
        differences.append(np.abs(fold(s, v, 4).output - softmax(s) @ v).max())
    assert 0 < max(differences) < 1e-14


# Masked keys, rows and sentinels


def test_a_first_tile_that_is_fully_masked_leaves_no_nan() -> None:  # T1
    s, v = [MASKED, MASKED, 0.0, 1.0], [[1.0], [2.0], [3.0], [4.0]]
    assert fold(s, v, 2).output == pytest.approx(3.731058578630005, abs=1e-15)
    assert output(scenario(s, v, tile_size=2)) == pytest.approx(3.731058578630005, abs=1e-15)


def test_a_last_tile_that_is_fully_masked_changes_nothing() -> None:  # T1
    s, v = [0.0, 1.0, MASKED, MASKED], [[1.0], [2.0], [3.0], [4.0]]
    assert fold(s, v, 2).output == pytest.approx(1.7310585786, abs=5e-11)
    assert fold(s, v, 2) == fold(s[:2], v[:2], 2)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("tile_size", [1, 2, 3, 4])
def test_a_masked_key_counts_for_nothing_wherever_it_stands(place: int, tile_size: int) -> None:
    s, v = [0.0, 2.0, 1.0], [[5.0], [10.0], [0.0]]
    masked = fold([*s[:place], MASKED, *s[place:]], [*v[:place], [99.0], *v[place:]], tile_size)
    agrees(masked, s, v)


@pytest.mark.parametrize("n", [1, 3, 7])
@pytest.mark.parametrize("tile_size", [1, 2, 8])
@pytest.mark.parametrize("mistake", list(Mistake))
def test_a_row_masked_throughout_gives_0_with_l_0_and_lse_minus_infinity(
    n: int, tile_size: int, mistake: Mistake
) -> None:  # T3
    state = fold([MASKED] * n, np.ones((n, 2)), tile_size)
    assert (state.m, state.l, state.lse) == (MASKED, 0, MASKED)
    assert state == State.empty(2)
    np.testing.assert_array_equal(
        output(scenario([MASKED] * n, np.ones((n, 2)), tile_size=tile_size, mistake=mistake)), 0
    )


def test_minus_infinity_masks_where_a_finite_sentinel_picks_the_hidden_key() -> None:  # T4
    v = [[1.0], [100.0]]
    assert fold([-20_000.0, MASKED], v, 1).output == 1.0
    assert fold([-20_000.0, -1e4], v, 1).output == 100.0
    assert fold([-1e4, -1e4], v, 1).output == 50.5


# Sizes and shapes


def test_equal_scores_give_the_mean_exactly_though_3_does_not_divide_4() -> None:  # T9
    s, v = [7.0] * 4, [[1.0], [2.0], [3.0], [4.0]]
    assert fold(s, v, 3).output == 2.5
    assert output(scenario(s, v, tile_size=3)) == 2.5


@pytest.mark.parametrize("tile_size", [1, 2, 3, 4, 1000])
def test_tiles_of_one_of_all_and_of_more_than_all_keys_give_one_answer(tile_size: int) -> None:  # T10
    np.testing.assert_allclose(output(replace(SOURCE, tile_size=tile_size)), RIGHT, rtol=1e-15)
    np.testing.assert_allclose(fold(SOURCE.scores, SOURCE.values, tile_size).output, RIGHT, rtol=1e-15)


def test_no_keys_at_all_fold_to_the_empty_state() -> None:  # T10
    for state in (fold([], np.zeros((0, 2)), 4), State.of([], np.zeros((0, 2))), State.empty(2)):
        assert state == State.empty(2)
        assert state.lse == MASKED
        np.testing.assert_array_equal(state.output, [0, 0])


def test_the_last_tile_may_be_short() -> None:
    tiles = scenario(range(7), np.ones(7), tile_size=3).tiles
    assert [tile.keys for tile in tiles] == [(0, 1, 2), (3, 4, 5), (6,)]
    assert [tile.index for tile in tiles] == [0, 1, 2]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_state_keeps_the_precision_of_its_scores(dtype: Any) -> None:
    s, v = np.zeros(5, dtype), np.ones((5, 2))
    for state in (State.of(s, v), State.empty(2, dtype), fold(s, v, 2), State.empty(2, dtype).merge(State.of(s, v))):
        assert state.m.dtype == state.l.dtype == state.u.dtype == state.output.dtype == dtype


# The source's traces, tile by tile


def test_the_two_key_example_holds_2_after_the_first_tile_and_9_046377_after_both() -> None:  # audit 0.40, 0.41
    first, second = steps(scenario([1, 3], [[2], [10]]), AddTile)
    assert (first.after.m, first.after.l, first.after.u, first.after.output) == (1, 1, 2, 2)
    assert second.after.m == 3
    assert second.after.l == pytest.approx(1.1353352832, abs=5e-11)
    assert second.after.u == pytest.approx(10.2706705665, abs=5e-11)
    assert second.after.output == pytest.approx(9.0463769, abs=5e-7)


@pytest.mark.parametrize(
    ("mistake", "wrong"),
    [(Mistake.RESCALE_L_ONLY, 10.569565), (Mistake.RESCALE_U_ONLY, 5.135335), (Mistake.NO_RESCALE, 6.0)],
)
def test_forgetting_a_rescale_in_the_two_key_example_is_obvious(mistake: Mistake, wrong: float) -> None:  # audit 0.42
    assert output(scenario([1, 3], [[2], [10]], mistake=mistake)) == pytest.approx(wrong, abs=5e-7)


# audit A2, correct: m_tile, m, alpha, p, l, u, o; one row a tile
TRACES: dict[int, Any] = {
    1: [
        (0, 0, 0.0, [1.0], 1.0, [5, 5], [5, 5]),
        (2, 2, 0.135335, [1.0], 1.135335, [10.676676, 0.676676], [9.403985, 0.596015]),
        (1, 2, 1.0, [0.367879], 1.503215, [10.676676, 8.034265], RIGHT),
    ],
    2: [
        (2, 2, 0.0, [0.135335, 1.0], 1.135335, [10.676676, 0.676676], [9.403985, 0.596015]),
        (1, 2, 1.0, [0.367879], 1.503215, [10.676676, 8.034265], RIGHT),
    ],
}


@pytest.mark.parametrize("tile_size", TRACES)
def test_every_row_of_the_source_trace_is_reproduced(tile_size: int) -> None:
    shown = replace(SOURCE, tile_size=tile_size)
    rows = zip(TRACES[tile_size], steps(shown, CompareMax), steps(shown, AddTile), strict=True)
    for (m_tile, m, a, p, l, u, o), compare, add in rows:
        assert (compare.m_tile, compare.m_new, add.reference, add.after.m) == (m_tile, m, m, m)
        assert alpha(np.float64(compare.m_old), np.float64(compare.m_new)) == pytest.approx(a, abs=5e-7)
        assert add.p == pytest.approx(p, abs=5e-7)
        assert add.after.l == pytest.approx(l, abs=5e-7)
        np.testing.assert_allclose(add.after.u, u, atol=5e-7)
        np.testing.assert_allclose(add.after.output, o, atol=5e-7)


def test_the_source_trace_ends_with_l_1_503214724_and_lse_2_407605964() -> None:
    (end,) = steps(SOURCE, Divide)
    assert end.held.l == pytest.approx(1.503214724, abs=5e-10)
    assert end.held.lse == pytest.approx(2.407605964, abs=5e-10)
    assert end.held.lse / math.log(2) == pytest.approx(3.473441185, abs=5e-10)
    np.testing.assert_allclose(end.output, RIGHT, rtol=1e-15)


# audit A2: final output of each mistake, by reading order and tile size; None where it is INVISIBLE
WRONG: dict[Mistake, dict[tuple[Any, int], tuple[float, float] | None]] = {
    Mistake.NONE: {(None, 1): None, (None, 2): None, (CBA, 1): None, (CBA, 2): None},
    Mistake.NO_RESCALE: {
        (None, 1): (6.334782, 5.218842),
        (None, 2): None,
        (CBA, 1): (5.0, 8.333333),
        (CBA, 2): (5.0, 9.223188),
    },
    Mistake.RESCALE_L_ONLY: {
        (None, 1): (9.978614, 8.220774),
        (None, 2): None,
        (CBA, 1): (9.978614, 16.631024),
        (CBA, 2): (7.876052, 14.528461),
    },
    Mistake.RESCALE_U_ONLY: {
        (None, 1): (4.508961, 3.393021),
        (None, 2): None,
        (CBA, 1): (3.558892, 2.678088),
        (CBA, 2): (4.508961, 3.393021),
    },
    Mistake.TILE_MAX: {(None, 1): (5.0, 9.683105), (None, 2): (5.0, 9.683105), (CBA, 1): None, (CBA, 2): None},
    Mistake.NO_MAX: {(None, 1): None, (None, 2): None, (CBA, 1): None, (CBA, 2): None},
}


@pytest.mark.parametrize(
    ("mistake", "order", "tile_size", "wrong"),
    [(mistake, *where, wrong) for mistake, row in WRONG.items() for where, wrong in row.items()],
)
def test_each_mistake_gives_the_source_answer_or_is_invisible(
    mistake: Mistake, order: Any, tile_size: int, wrong: Any
) -> None:
    o = output(replace(SOURCE, mistake=mistake, order=order, tile_size=tile_size))
    if wrong is None:
        np.testing.assert_allclose(o, RIGHT, rtol=1e-14)
    else:
        np.testing.assert_allclose(o, wrong, atol=5e-7)


@pytest.mark.parametrize(
    ("mistake", "l", "u"),
    [
        (Mistake.NO_RESCALE, 2.367879, (15, 12.357589)),
        (Mistake.RESCALE_L_ONLY, 1.503215, None),
        (Mistake.RESCALE_U_ONLY, 2.367879, None),
        (Mistake.TILE_MAX, 2.135335, None),
        (Mistake.NO_MAX, 11.107338, (78.890561, 59.365637)),
    ],
)
def test_what_each_mistake_holds_at_the_end(mistake: Mistake, l: float, u: Any) -> None:
    (end,) = steps(replace(SOURCE, mistake=mistake), Divide)
    assert end.held.l == pytest.approx(l, abs=5e-7)
    if u is not None:
        np.testing.assert_allclose(end.held.u, u, atol=5e-7)


@pytest.mark.parametrize(
    ("mistake", "l", "u", "o"),
    [
        (Mistake.NO_RESCALE, 2.0, (15, 5), (7.5, 2.5)),
        (Mistake.RESCALE_L_ONLY, 1.135335, (15, 5), (13.211956, 4.403985)),
        (Mistake.RESCALE_U_ONLY, 2.0, (10.676676, 0.676676), (5.338338, 0.338338)),
        (Mistake.TILE_MAX, 1.135335, (10.676676, 0.676676), (9.403985, 0.596015)),
    ],
)
def test_what_each_mistake_holds_after_key_a(mistake: Mistake, l: float, u: Any, o: Any) -> None:
    _, second, third = steps(replace(SOURCE, mistake=mistake), AddTile)
    assert second.after.l == pytest.approx(l, abs=5e-7)
    np.testing.assert_allclose(second.after.u, u, atol=5e-7)
    np.testing.assert_allclose(second.after.output, o, atol=5e-7)
    assert third.p == pytest.approx([1.0 if mistake is Mistake.TILE_MAX else 0.367879], abs=5e-7)


@modest
@given(scenarios())
def test_a_missing_rescale_is_invisible_unless_the_maximum_rises_after_the_first_tile(drawn: Scenario) -> None:
    if steps(drawn, Shrink):
        return
    for mistake in (Mistake.NO_RESCALE, Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY):
        np.testing.assert_array_equal(output(replace(drawn, mistake=mistake)), output(drawn))


@modest
@given(scenarios())
def test_a_tiles_own_maximum_is_invisible_unless_it_lies_below_the_running_one(drawn: Scenario) -> None:
    if any(step.m_tile < step.m_new for step in steps(drawn, CompareMax)):
        return
    np.testing.assert_array_equal(output(replace(drawn, mistake=Mistake.TILE_MAX)), output(drawn))


@modest
@given(st.lists(st.floats(-30, 30) | st.just(MASKED), min_size=1, max_size=12), st.integers(1, 5))
def test_leaving_out_the_maximum_is_harmless_while_no_exponential_overflows(s: list[float], tile_size: int) -> None:
    right = scenario(s, np.arange(len(s)), tile_size=tile_size)
    np.testing.assert_allclose(output(replace(right, mistake=Mistake.NO_MAX)), output(right), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("mistake", [Mistake.NO_RESCALE, Mistake.TILE_MAX])
def test_equal_values_hide_a_mistake_that_treats_l_and_u_alike(mistake: Mistake) -> None:
    constant = replace(SOURCE, values=((4.0,),) * 3, mistake=mistake)
    assert output(constant) == pytest.approx(4.0, rel=1e-15)
    assert output(replace(constant, values=SOURCE.values)) != pytest.approx(RIGHT, abs=0.1)


def test_one_old_reference_kept_for_every_key_is_right_and_needs_no_rescale() -> None:  # audit A2, FA4's stale maximum
    p = np.exp(np.array(SOURCE.scores) - 0.0)
    np.testing.assert_allclose(p, [1, 7.389056, 2.718282], atol=5e-7)
    stale = State(np.float64(0), p.sum(), p @ np.array(SOURCE.values))
    assert stale.l == pytest.approx(11.107338, abs=5e-7)
    np.testing.assert_allclose(stale.u, [78.890561, 59.365637], atol=5e-7)
    np.testing.assert_allclose(stale.output, RIGHT, rtol=1e-15)
    assert stale.lse == pytest.approx(2.407605964, abs=5e-10)
    np.testing.assert_allclose(stale.scaled_to(np.float64(2)).output, RIGHT, rtol=1e-15)


# Overflow and offsets


def shifted(offset: float, **rest: Any) -> Scenario:
    return replace(SOURCE, scores=tuple(s + offset for s in SOURCE.scores), **rest)


@pytest.mark.parametrize("offset", [-1e15, -1e4, -708.0, 88.0, 700.0, 708.0, 1e4, 1e15])
@pytest.mark.parametrize("tile_size", [1, 2, 3])
def test_with_the_maximum_subtracted_any_offset_up_to_1e15_is_right(offset: float, tile_size: int) -> None:
    np.testing.assert_array_equal(
        output(shifted(offset, tile_size=tile_size)), output(replace(SOURCE, tile_size=tile_size))
    )


def test_an_offset_of_1e16_is_silently_wrong_for_1e16_plus_1_is_no_float64() -> None:
    far = shifted(1e16)
    assert [s - max(far.scores) for s in far.scores] == [-2, 0, -2]
    np.testing.assert_allclose(output(far), (8.402395, 2.662674), atol=5e-7)


def test_without_the_maximum_700_more_is_still_right_and_708_more_overflows_to_nan() -> None:
    limit = exp_limit(np.float64)
    assert max(shifted(700).scores) < limit < max(shifted(708).scores)
    np.testing.assert_allclose(output(shifted(700, mistake=Mistake.NO_MAX)), RIGHT, rtol=1e-12)
    assert np.isnan(output(shifted(708, mistake=Mistake.NO_MAX))).all()
    (end,) = steps(shifted(708, mistake=Mistake.NO_MAX), Check)
    assert math.isnan(end.error)
    np.testing.assert_allclose(end.plain, RIGHT, rtol=1e-14)


@pytest.mark.parametrize(("dtype", "offset"), [(np.float16, 11), (np.float32, 88), (np.float64, 708)])
def test_each_precision_overflows_without_the_maximum_and_not_with_it(dtype: Any, offset: float) -> None:
    s, v = np.array(SOURCE.scores, dtype) + dtype(offset), np.array(SOURCE.values, dtype)
    assert s.max() > exp_limit(dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        p = np.exp(s)
        assert np.isnan(p @ v / p.sum()).any()
    np.testing.assert_allclose(fold(s, v, 1).output, RIGHT, atol=10 * 4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("s", [(-1e308, 1e308, 0.0), (1e308, -1e308, 0.0)])
def test_scores_as_far_apart_as_floats_allow_need_no_warning(s: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(fold(s, SOURCE.values, 1).output, SOURCE.values[s.index(1e308)])
        np.testing.assert_array_equal(output(replace(SOURCE, scores=s)), SOURCE.values[s.index(1e308)])


# How often the scale changes


@pytest.mark.parametrize(("tile_size", "rises"), [(1, 999), (16, 62), (128, 7)])
def test_ascending_scores_shrink_at_every_tile_after_the_first_and_descending_ones_never(
    tile_size: int, rises: int
) -> None:  # T11
    up = scenario(0.01 * np.arange(1000), np.arange(1000) % 7, tile_size=tile_size)
    down = replace(up, order=tuple(reversed(range(1000))))
    assert (len(steps(up, Shrink)), len(steps(down, Shrink))) == (rises, 0)
    for each in (up, down):
        assert output(each) == pytest.approx(3.01024678834748, abs=2e-14)


# Split-KV: joining partial results that were computed apart

CA = State.of(SOURCE.scores[:2], SOURCE.values[:2])
B = State.of(SOURCE.scores[2:], SOURCE.values[2:])


def test_split_kv_weighs_the_parts_by_exp_of_their_lse() -> None:  # T13
    np.testing.assert_allclose(CA.output, (9.403985, 0.596015), atol=5e-7)
    np.testing.assert_array_equal(B.output, (0, 20))
    assert (CA.lse, B.lse) == (pytest.approx(2.126928, abs=5e-7), 1.0)
    weights = softmax([CA.lse, B.lse])
    np.testing.assert_allclose(weights, (0.755272, 0.244728), atol=5e-7)
    np.testing.assert_allclose(weights @ [CA.output, B.output], RIGHT, rtol=1e-14)
    np.testing.assert_allclose(CA.merge(B).output, RIGHT, rtol=1e-15)


@pytest.mark.parametrize(
    ("weigh", "wrong"),
    [
        pytest.param(lambda part, n: 1, (4.701993, 10.298007), id="plain mean"),
        pytest.param(lambda part, n: n, (6.269324, 7.064010), id="by count"),
        pytest.param(lambda part, n: part.l, (5.000000, 9.683105), id="by l without m"),
        pytest.param(lambda part, n: np.exp(part.m), (6.874864, 5.814550), id="by exp(m) only"),
        pytest.param(lambda part, n: 2**part.lse, (6.450409, 6.690361), id="2 to a natural LSE"),
        pytest.param(lambda part, n: np.exp(part.lse / np.log(2)), (7.857926, 3.786121), id="e to a base-2 LSE"),
        pytest.param(lambda part, n: part.lse, (6.396566, 6.801461), id="LSE ratio"),
    ],
)
def test_split_kv_with_other_weights_is_wrong(weigh: Callable[[State, int], float], wrong: Any) -> None:  # T13
    a, b = weigh(CA, 2), weigh(B, 1)
    np.testing.assert_allclose((a * CA.output + b * B.output) / (a + b), wrong, atol=1e-6)
    assert np.abs(np.array(wrong) - RIGHT).max() > 0.4


@modest
@given(keys(), st.data())
def test_split_kv_joins_any_two_parts(drawn: Any, data: st.DataObject) -> None:
    s, v = drawn
    cut = data.draw(st.integers(0, len(s)))
    parts = [State.of(s[:cut], v[:cut]), State.of(s[cut:], v[cut:])]
    size = max(np.abs(v).max(), 1e-300)
    joined = softmax([part.lse for part in parts]) @ [part.output for part in parts]
    np.testing.assert_allclose(joined / size, plain(s, v) / size, rtol=0, atol=1e-10)  # an LSE of 1e4 rounds at 1e-12


# Low precision


def test_float16_accumulators_stall_at_2048() -> None:  # T14b
    s, v = np.zeros(4096, np.float16), (np.arange(4096) < 2048)[:, None]
    stalled = fold(s, v, 1)
    assert (stalled.l, stalled.u, stalled.output) == (2048, 2048, 1.0)
    assert fold(s.astype(np.float32), v, 1).output == 0.5


def test_equal_values_hide_the_stall() -> None:  # T14b
    s, v = np.zeros(4096, np.float16), np.full((4096, 1), 1.0)
    assert fold(s, v, 1).l == 2048
    assert fold(s, v, 1).output == 1.0


def test_larger_tiles_put_the_stall_off() -> None:  # T14b: 2048 is where +1 is lost, not where +128 is
    s, v = np.zeros(4096, np.float16), (np.arange(4096) < 2048)[:, None]
    state = fold(s, v, 128)
    assert (state.l, state.u, state.output) == (4096, 2048, 0.5)


def test_float16_from_end_to_end_on_1000_ascending_scores_is_off_by_0_0308() -> None:  # T14b
    s, v = (0.01 * np.arange(1000)).astype(np.float16), (np.arange(1000) % 7)[:, None]
    assert abs(float(fold(s, v, 1).output[0]) - 3.01024678834748) == pytest.approx(0.0308, abs=5e-5)
    assert abs(float(fold(s, v, 128).output[0]) - 3.01024678834748) < 0.005


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize(("tile_size", "times"), [(1, 12), (16, 3), (64, 3)])
def test_tiles_err_about_as_much_as_the_plain_formula_in_the_same_precision(
    tile_size: int, times: float, dtype: Any
) -> None:
    tiled, untiled = [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 300))
        s, v = (2 * rng.normal(size=n)).astype(dtype), rng.normal(size=(n, 4)).astype(dtype)
        p = np.exp(s - s.max())
        right = plain(s, v)
        tiled.append(np.abs(fold(s, v, tile_size).output - right).max())
        untiled.append(np.abs((p / p.sum(dtype=dtype)) @ v - right).max())
    assert 0 < max(untiled) < 16 * np.finfo(dtype).eps
    assert max(tiled) <= times * max(untiled)


# The trace


@modest
@given(scenarios())
def test_every_mistake_stops_at_the_same_places(drawn: Scenario) -> None:
    shapes = [[(type(step), getattr(step, "tile", None)) for step in trace(replace(drawn, mistake=m))] for m in Mistake]
    assert all(shape == shapes[0] for shape in shapes)


@modest
@given(scenarios())
def test_a_trace_reads_compares_shrinks_where_the_maximum_rose_and_adds_each_tile_in_turn(drawn: Scenario) -> None:
    expected: list[Any] = [WholeTable]
    m = MASKED
    for tile in drawn.tiles:
        m_tile = max(drawn.scores[key] for key in tile.keys)
        expected += [ReadTile, CompareMax] + [Shrink] * (m_tile > m > MASKED) + [AddTile]
        m = max(m, m_tile)
    assert [type(step) for step in trace(drawn)] == [*expected, Divide, Check]
    assert tuple(key for tile in drawn.tiles for key in tile.keys) == drawn.reading
    assert sorted(drawn.reading) == list(range(len(drawn.scores)))


@modest
@given(scenarios())
def test_a_scenario_knows_its_shrinks_its_end_and_its_parts_without_its_trace(drawn: Scenario) -> None:
    shrinks = steps(drawn, Shrink)
    assert drawn.n_shrinks == len(shrinks)
    if shrinks:
        assert drawn.first_shrink == shrinks[0]
    else:
        with pytest.raises(ValueError, match="never rises"):
            _ = drawn.first_shrink
    assert drawn.end == steps(drawn, AddTile)[-1].after
    assert drawn.maxima == tuple(step.m_tile for step in steps(drawn, CompareMax))
    for tile, part in zip(drawn.tiles, drawn.parts, strict=True):
        keys = list(tile.keys)
        agrees(part, np.asarray(drawn.scores)[keys], np.asarray(drawn.values)[keys])


@modest
@given(scenarios())
def test_l_and_u_shrink_by_alpha_in_shrink_and_nowhere_else(drawn: Scenario) -> None:
    held = State.empty(drawn.d)
    for step in trace(drawn):
        match step:
            case ReadTile():
                assert step.held == held
            case CompareMax():
                assert step.held == held
                assert step.m_old == held.m
                assert step.m_new == max(step.m_old, step.m_tile)
            case Shrink():
                assert step.before == held
                assert 0 <= step.alpha <= 1
                assert step.alpha == step.alpha_l == step.alpha_u == np.exp(step.m_old - step.m_new)
                assert step.after == State(np.float64(step.m_new), step.alpha * held.l, step.alpha * held.u)
                held = step.after
            case AddTile():
                assert step.before.l == held.l
                np.testing.assert_array_equal(step.before.u, held.u)
                assert len(step.p) == len(step.tile.keys)
                assert step.after.l == step.before.l + np.sum(step.p)
                held = step.after
            case Divide() | Check():
                assert step.held == held
                assert step.output == tuple(held.output)


@modest
@given(scenarios())
def test_shrinking_leaves_u_over_l_as_it_was(drawn: Scenario) -> None:
    size = max(np.abs(drawn.values).max(), 1e-300)
    for step in steps(drawn, Shrink):
        if step.alpha > 1e-200:  # below, l and u lose digits, for they no longer count
            np.testing.assert_allclose(step.after.output / size, step.before.output / size, rtol=0, atol=1e-13)


@modest
@given(scenarios())
def test_after_each_tile_the_state_is_plain_softmax_over_the_keys_read_so_far(drawn: Scenario) -> None:
    s, v = np.array(drawn.scores), np.array(drawn.values)
    read: list[int] = []
    for step in steps(drawn, AddTile):
        read += step.tile.keys
        assert step.after.m == step.reference == s[read].max()
        agrees(step.after, s[read], v[read])


@modest
@given(scenarios())
def test_the_check_puts_the_output_beside_plain_softmax_and_never_finds_nan(drawn: Scenario) -> None:
    (check,) = steps(drawn, Check)
    size = max(np.abs(drawn.values).max(), 1e-300)
    np.testing.assert_allclose(np.array(check.plain) / size, plain(drawn.scores, drawn.values) / size, atol=1e-12)
    assert check.error == max(abs(a - b) for a, b in zip(check.output, check.plain, strict=True))
    assert check.error <= 1e-12 * size


@modest
@given(scenarios())
def test_the_same_scenario_traces_the_same_twice(drawn: Scenario) -> None:
    assert list(trace(drawn)) == list(trace(drawn))


def test_a_mistake_names_the_factor_asked_for_and_the_factors_applied() -> None:
    factors = {
        mistake: [(step.alpha, step.alpha_l, step.alpha_u) for step in steps(replace(SOURCE, mistake=mistake), Shrink)]
        for mistake in Mistake
    }
    a = math.exp(-2)
    assert factors == {
        Mistake.NONE: [(a, a, a)],
        Mistake.NO_RESCALE: [(a, 1, 1)],
        Mistake.RESCALE_L_ONLY: [(a, a, 1)],
        Mistake.RESCALE_U_ONLY: [(a, 1, a)],
        Mistake.TILE_MAX: [(a, a, a)],
        Mistake.NO_MAX: [(a, 1, 1)],
    }


def test_the_reference_is_the_running_maximum_the_tiles_own_or_zero() -> None:
    references = {
        mistake: [step.reference for step in steps(replace(SOURCE, mistake=mistake), AddTile)] for mistake in Mistake
    }
    assert references.pop(Mistake.TILE_MAX) == [0, 2, 1]
    assert references.pop(Mistake.NO_MAX) == [0, 0, 0]
    assert set(map(tuple, references.values())) == {(0, 2, 2)}


# What is made stays as it was made


def test_nothing_in_a_state_can_be_written() -> None:
    made = [State.empty(1), CA, CA.merge(B), CA.scaled_to(np.float64(5)), fold([1.0], [[1.0]], 1)]
    made += [state for step in steps(SOURCE, Shrink) for state in (step.before, step.after)]
    made += [state for step in steps(SOURCE, AddTile) for state in (step.before, step.after)]
    for state in made:
        with pytest.raises(ValueError, match="read-only"):
            state.u[0] = 1
        for name in ("m", "l", "u"):
            with pytest.raises(FrozenInstanceError):
                setattr(state, name, 0)


def test_no_step_and_no_scenario_can_be_written() -> None:
    for thing, name in [(SOURCE, "scores"), *((step, "held") for step in trace(SOURCE))]:
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, None)


def test_making_a_state_leaves_the_callers_array_alone_and_out_of_reach() -> None:
    u = np.zeros(3)
    state = State(np.float64(0), np.float64(1), u[:2])
    whole = State(np.float64(0), np.float64(1), u)
    assert u.flags.writeable
    u[0] = 7
    assert state.u[0] == whole.u[0] == 0


def test_folding_and_merging_leave_their_arguments_as_they_were() -> None:
    s, v = np.array([0.0, MASKED, 2.0]), np.array([[1.0], [2.0], [3.0]])
    s_before, v_before = s.copy(), v.copy()
    a, b = State.of(s[:2], v[:2]), State.of(s[2:], v[2:])
    a_before, b_before = replace(a, u=a.u.copy()), replace(b, u=b.u.copy())
    a.merge(b)
    fold(s, v, 2)
    assert (a, b) == (a_before, b_before)
    np.testing.assert_array_equal(s, s_before)
    np.testing.assert_array_equal(v, v_before)
    assert s.flags.writeable
    assert v.flags.writeable


def test_equal_states_and_equal_scenarios_hash_alike() -> None:
    again = State.of(SOURCE.scores[:2], SOURCE.values[:2])
    assert again == CA
    assert hash(again) == hash(CA)
    for part in ({"m": np.float64(9)}, {"l": np.float64(9)}, {"u": CA.u + 1}):
        assert replace(CA, **part) != CA
    assert CA != "CA"
    assert hash(replace(SOURCE)) == hash(SOURCE)
    assert replace(SOURCE, tile_size=2) != SOURCE


def test_a_scenario_made_of_lists_and_arrays_is_hashable_and_equal_to_one_made_of_tuples() -> None:
    loose: Any = {
        "scores": np.array(SOURCE.scores),
        "values": [list(row) for row in SOURCE.values],
        "labels": ["C", "A", "B"],
    }
    assert Scenario(**loose) == SOURCE
    assert hash(Scenario(**loose)) == hash(SOURCE)


def test_an_order_given_as_a_list_is_hashable_too() -> None:
    order: Any = [0, 2, 1]
    assert hash(replace(SOURCE, order=order)) == hash(replace(SOURCE, order=CBA))


# What is refused


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("scores", {"scores": (0.0, math.nan, 1.0)}),
        ("scores", {"scores": (0.0, math.inf, 1.0)}),  # T7
        ("scores|values", {"scores": (0.0, 2.0)}),
        ("scores|values", {"scores": (0.0, 2.0, 1.0, 3.0)}),
        ("scores|values", {"scores": ()}),
        ("scores|values", {"scores": (), "values": (), "labels": ()}),
        ("values", {"values": ()}),
        ("values", {"values": ((), (), ())}),
        ("values", {"values": ((5.0, 5.0), (10.0, 0.0))}),
        ("values", {"values": ((5.0, 5.0), (10.0,), (0.0, 20.0))}),
        ("values", {"values": ((5.0, 5.0), (10.0, math.nan), (0.0, 20.0))}),
        ("values", {"values": ((5.0, 5.0), (10.0, math.inf), (0.0, 20.0))}),
        ("values", {"values": ((5.0, 5.0), (10.0, -math.inf), (0.0, 20.0))}),
        ("labels", {"labels": ()}),
        ("labels", {"labels": ("C", "A")}),
        ("labels", {"labels": ("C", "A", "B", "D")}),
        ("tile_size", {"tile_size": 0}),  # T10
        ("tile_size", {"tile_size": -1}),
        ("tile_size", {"tile_size": True}),
        ("tile_size", {"tile_size": 1.5}),
        ("tile_size", {"tile_size": 2.0}),
        ("tile_size", {"tile_size": "2"}),
        ("tile_size", {"tile_size": None}),
        ("order", {"order": ()}),
        ("order", {"order": (0, 1)}),
        ("order", {"order": (0, 1, 1)}),
        ("order", {"order": (1, 2, 3)}),
        ("order", {"order": (0, 1, -1)}),
        ("order", {"order": (0, 1, 2, 3)}),
        ("order", {"order": (0.0, 1.0, 2.0)}),
        ("order", {"order": (False, True, 2)}),
        ("mistake", {"mistake": "no_rescale"}),
    ],
)
def test_a_scenario_that_cannot_be_read_is_refused_by_the_name_of_the_argument(name: str, change: Any) -> None:
    with pytest.raises(ValueError, match=rf"^[^:]*\b({name})\b.*:"):
        replace(SOURCE, **change)
    assert list(trace(SOURCE)) == list(trace(replace(SOURCE)))


@pytest.mark.parametrize(
    ("name", "scores", "values"),
    [
        ("scores", [math.nan], [[1.0]]),
        ("scores", [math.inf], [[1.0]]),  # T7
        ("scores", [math.inf, 0.0], [[1.0], [2.0]]),
        ("values", [0.0], [[math.nan]]),
        ("values", [0.0], [[math.inf]]),
        ("values", [0.0], [[-math.inf]]),
        ("values", [0.0], [[1.0], [2.0]]),
        ("values", [0.0, 1.0], [[1.0]]),
        ("values", [0.0], [1.0]),
        ("scores", [[0.0]], [[1.0]]),
        ("values", [], [[1.0]]),
    ],
)
def test_keys_that_do_not_fit_are_refused_by_the_name_of_the_argument(name: str, scores: Any, values: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name}:"):
        State.of(scores, values)
    for tile_size in (1, 2):  # the whole input is looked at, not only the tiles that are reached
        with pytest.raises(ValueError, match=rf"^{name}:"):
            fold(scores, values, tile_size)


@pytest.mark.parametrize("tile_size", [0, -1, True, 1.5, "2"])
def test_fold_refuses_a_tile_size_that_is_no_count(tile_size: Any) -> None:  # T10
    with pytest.raises(ValueError, match=r"^tile_size:"):
        fold([0.0, 1.0], [[1.0], [2.0]], tile_size)


def test_a_state_of_a_negative_number_of_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^d:"):
        State.empty(-1)


@pytest.mark.parametrize("d", [1, 3])
def test_states_of_different_widths_do_not_merge(d: int) -> None:
    a, other = State.of([0.0], [[1.0, 2.0]]), State.of([0.0], np.ones((1, d)))
    for left, right in ((a, other), (other, a)):
        with pytest.raises(ValueError, match=r"^(u|values|other)\b"):
            left.merge(right)
