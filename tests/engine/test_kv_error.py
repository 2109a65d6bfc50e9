"""engine.kv_error against plain float64 formulas: the quantiser number by number, q · ΔK / √d, Σ p ΔV, half a step."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.attention import Array
from engine.config import Config
from engine.decoder import Decoder
from engine.generation import CONFIG, prompt
from engine.kv_cache import KVCache
from engine.kv_error import LENGTH, Effect, Part, altered, effect, rounded, scaled
from engine.kv_formats import FP8, Format

BITS = range(2, 9)
HEADS = range(CONFIG.n_heads)

each_bits = pytest.mark.parametrize("bits", BITS)


# The quantiser


def by_hand(row: list[float], bits: int, group: int) -> list[float]:
    """One number after the other, in Python's own arithmetic: round() too takes the even neighbour of a half."""
    n, read = 2 ** (bits - 1) - 1, []
    for first in range(0, len(row), group):
        part = row[first : first + group]
        scale = max(abs(x) for x in part) / n
        read += [scale * round(x / scale) if scale else 0.0 for x in part]
    return read


def steps(x: Array, bits: int) -> Array:
    """The step of each row, where a row has one scale."""
    return np.asarray(np.abs(x).max(axis=-1) / (2 ** (bits - 1) - 1))


numbers = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 6)), min_size=1, max_size=9)


@given(numbers, st.integers(2, 12), st.integers(1, 10))
def test_each_number_is_read_back_as_the_plain_formula_has_it(row: list[float], bits: int, group: int) -> None:
    assert rounded(row, scaled(bits, group)).tolist() == pytest.approx(by_hand(row, bits, group), rel=1e-12, abs=0)


@given(numbers, st.integers(2, 12), st.integers(1, 10))
def test_no_number_moves_by_more_than_half_a_step_and_the_largest_of_a_group_hardly_at_all(
    row: list[float], bits: int, group: int
) -> None:
    moved = np.abs(rounded(row, scaled(bits, group)) - row)
    for first in range(0, len(row), group):
        part = np.abs(row[first : first + group])
        step = part.max() / (2 ** (bits - 1) - 1)
        assert (moved[first : first + group] <= step / 2 * (1 + 1e-9)).all()
        assert moved[first + int(part.argmax())] <= 1e-12 * part.max()


def test_three_bits_hold_seven_numbers_and_two_bits_three() -> None:
    grid = np.linspace(-1, 1, 1001)
    assert [len(np.unique(rounded(grid, scaled(bits, 1001)))) for bits in (2, 3, 4, 8)] == [3, 7, 15, 255]


def test_a_group_of_zeros_stays_and_does_not_touch_its_neighbours() -> None:
    assert rounded([[0.0, 0.0, 3.0, -1.0]], scaled(2, 2)).tolist() == [[0.0, 0.0, 3.0, 0.0]]


def test_without_groups_one_scale_serves_the_whole_array() -> None:
    rows = [[127.0, 0.6], [0.4, -2.5]]
    assert rounded(rows, FP8).tolist() == [[127.0, 1.0], [0.0, -2.0]]
    assert rounded(rows, replace(FP8, group=2)).tolist() != [[127.0, 1.0], [0.0, -2.0]]


@pytest.mark.parametrize("itemsize", [Fraction(1, 8), Fraction(1, 3), Fraction(5, 16)])
def test_a_format_without_a_whole_number_of_bits_from_2_on_is_refused(itemsize: Fraction) -> None:
    with pytest.raises(ValueError, match="whole number of bits"):
        rounded([1.0], Format(itemsize, 4))


def test_only_the_named_part_of_the_cache_is_rounded_and_the_cache_itself_stays() -> None:
    cache = KVCache(CONFIG)
    Decoder(CONFIG).forward(prompt(5), cache)
    before = [a.copy() for a in (*cache.k, *cache.v)]
    for part, (k, v) in {
        Part.NOTHING: (False, False),
        Part.K: (True, False),
        Part.V: (False, True),
        Part.BOTH: (True, True),
    }.items():
        new = altered(cache, part, scaled(4))
        for layer in range(CONFIG.n_layers):
            assert np.array_equal(new.k[layer], cache.k[layer]) is not k
            assert np.array_equal(new.v[layer], cache.v[layer]) is not v
    assert all(np.array_equal(a, b) for a, b in zip(before, (*cache.k, *cache.v), strict=True))


# What is looked at


def test_the_unrounded_run_is_the_run_without_a_cache() -> None:
    look = effect(Part.NOTHING, scaled(8), layer=1, head=2).exact
    tokens = prompt(LENGTH)
    decoder = Decoder(CONFIG)
    chosen = int(decoder.forward(tokens).logits[-1].argmax())
    run = decoder.forward((*tokens, chosen))
    np.testing.assert_allclose(look.logits, run.logits[-1], atol=1e-12)
    np.testing.assert_allclose(look.k, run.k[1][1], atol=1e-12)  # query head 2 reads KV head 1
    np.testing.assert_allclose(look.v, run.v[1][1], atol=1e-12)


@pytest.mark.parametrize("part", Part)
@pytest.mark.parametrize("layer", range(CONFIG.n_layers))
def test_scores_weights_and_output_are_the_plain_formula_of_what_was_read(part: Part, layer: int) -> None:
    for head in HEADS:
        look = effect(part, scaled(3), layer=layer, head=head).rounded
        s = [sum(a * b for a, b in zip(look.q, key, strict=True)) / math.sqrt(CONFIG.head_dim) for key in look.k]
        e = [math.exp(x) for x in s]
        p = [x / sum(e) for x in e]
        o = [sum(w * value[i] for w, value in zip(p, look.v, strict=True)) for i in range(CONFIG.head_dim)]
        for got, want in ((look.s, s), (look.p, p), (look.o, o)):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)


def test_rounding_nothing_moves_nothing() -> None:
    moved = effect(Part.NOTHING, scaled(2), layer=1).largest
    assert (moved.scores, moved.weights, moved.output, moved.logits) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("part", [Part.K, Part.V, Part.BOTH])
def test_the_new_tokens_own_row_is_not_rounded_in_layer_0_and_the_others_are(part: Part) -> None:
    e = effect(part, scaled(4))
    for name in ("k", "v"):
        old, new = getattr(e.exact, name), getattr(e.rounded, name)
        assert np.array_equal(old[-1], new[-1])
        hit = part is Part.BOTH or part.value == name
        assert (old[:-1] != new[:-1]).any(axis=-1).all() == hit


# V alone


@each_bits
def test_rounded_v_leaves_scores_and_weights_of_layer_0_bit_for_bit_as_they_were(bits: int) -> None:
    for head in HEADS:
        e = effect(Part.V, scaled(bits), head=head)
        assert (e.largest.scores, e.largest.weights, e.weights_moved) == (0.0, 0.0, 0)
        assert e.largest.output > 0
        assert e.largest.logits > 0


@each_bits
def test_rounded_v_moves_the_output_of_layer_0_by_the_weighted_sum_of_vs_errors(bits: int) -> None:
    for head in HEADS:
        e = effect(Part.V, scaled(bits), head=head)
        errors = e.rounded.v - e.exact.v  # (T, head_dim)
        want = sum(p * row for p, row in zip(e.exact.p, errors, strict=True))
        np.testing.assert_allclose(e.rounded.o - e.exact.o, want, atol=1e-14)


@each_bits
def test_rounded_v_moves_the_output_by_half_an_average_step_at_most(bits: int) -> None:
    for head in HEADS:
        e = effect(Part.V, scaled(bits), head=head)
        bound = float(e.exact.p[:-1] @ steps(e.exact.v[:-1], bits)) / 2
        assert e.largest.output <= bound * (1 + 1e-9)


# K alone


@each_bits
def test_rounded_k_moves_each_score_of_layer_0_by_q_times_its_error_over_root_d(bits: int) -> None:
    for head in HEADS:
        e = effect(Part.K, scaled(bits), head=head)
        assert np.array_equal(e.exact.q, e.rounded.q)
        want = (e.rounded.k - e.exact.k) @ e.exact.q / math.sqrt(CONFIG.head_dim)
        np.testing.assert_allclose(e.rounded.s - e.exact.s, want, atol=1e-13)
        bound = np.abs(e.exact.q).sum() * steps(e.exact.k, bits) / 2 / math.sqrt(CONFIG.head_dim)
        assert (np.abs(e.rounded.s - e.exact.s) <= bound * (1 + 1e-9)).all()


@each_bits
def test_rounded_k_moves_all_weights_even_that_of_the_new_token_whose_key_was_not_rounded(bits: int) -> None:
    for head in HEADS:
        e = effect(Part.K, scaled(bits), head=head)
        assert e.weights_moved == len(e.exact.p) == LENGTH + 1
        assert e.rounded.s[-1] == e.exact.s[-1]
        assert np.array_equal(e.rounded.v, e.exact.v)


def test_weights_do_not_move_in_proportion_to_the_error_of_k() -> None:
    e = effect(Part.K, scaled(2))
    moved = e.rounded.s - e.exact.s

    def weights(times: float) -> Array:
        x = np.exp(e.exact.s + times * moved)
        return np.asarray(x / x.sum())

    np.testing.assert_allclose(weights(1), e.rounded.p, rtol=1e-12)
    twice, double = weights(2) - weights(0), 2 * (weights(1) - weights(0))
    assert np.abs(twice - double).max() > 0.05 * np.abs(double).max()


# Both, and the layers behind


@each_bits
def test_both_rounded_have_the_scores_and_weights_of_k_alone_in_layer_0(bits: int) -> None:
    both, k = effect(Part.BOTH, scaled(bits)), effect(Part.K, scaled(bits))
    assert np.array_equal(both.rounded.s, k.rounded.s)
    assert np.array_equal(both.rounded.p, k.rounded.p)
    assert not np.array_equal(both.rounded.o, k.rounded.o)


def test_errors_of_k_and_v_can_cancel_so_both_may_move_the_logits_less_than_either() -> None:
    k, v, both = (effect(part, scaled(4)).largest.logits for part in (Part.K, Part.V, Part.BOTH))
    assert both < min(k, v)


@each_bits
def test_one_layer_further_rounded_v_has_reached_the_query_and_moves_scores_too(bits: int) -> None:
    e = effect(Part.V, scaled(bits), layer=1)
    assert not np.array_equal(e.exact.q, e.rounded.q)
    assert e.largest.scores > 1e-6
    assert np.array_equal(e.exact.k[:-1], e.rounded.k[:-1])  # the cached keys are not to blame
    alone = e.exact.p @ (e.rounded.v - e.exact.v)
    assert np.abs(e.rounded.o - e.exact.o - alone).max() > 1e-6


def test_in_a_model_of_one_layer_rounded_v_moves_the_logits_and_no_score_at_all() -> None:
    e = effect(Part.V, scaled(3), config=Config(n_layers=1))
    assert e.largest.scores == 0.0
    assert e.largest.logits > 0


# More bits


@pytest.mark.parametrize("part", [Part.K, Part.V, Part.BOTH])
def test_with_16_bits_next_to_nothing_moves(part: Part) -> None:
    for layer in range(CONFIG.n_layers):
        moved = effect(part, scaled(16), layer=layer).largest
        assert max(moved.scores, moved.weights, moved.output, moved.logits) < 1e-4
    assert effect(part, scaled(2)).largest.logits > 0.1


@pytest.mark.parametrize(
    ("given", "name"), [({"layer": 2}, "layer"), ({"layer": -1}, "layer"), ({"head": 4}, "head"), ({"length": 0},
    "length")]
)  # fmt: skip
def test_what_is_not_there_is_named(given: dict[str, int], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        effect(Part.K, scaled(4), **given)


def test_a_run_is_made_once() -> None:
    one: Effect = effect(Part.K, scaled(4), head=3)
    assert effect(Part.K, scaled(4), head=3) is one
