"""Guess and verify in fractions: T63, T65, T67, T68; whole texts enumerated; the rules drawn with a seed."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.speculative import (
    Distribution,
    Rule,
    acceptance,
    best_k,
    cache_after,
    cache_verified,
    distribution,
    exact,
    expected_tokens,
    output_distribution,
    pmf,
    speed_up,
    split,
    verify_greedy,
)
from engine.speculative_methods import METHODS, Keeps
from engine.speculative_sampling import sampled, sampled_lengths

F = Fraction
P = (F(1, 2), F(1, 3), F(1, 6))
Q = (F(1, 6), F(1, 3), F(1, 2))
T63 = {
    Rule.EXACT: P,
    Rule.RESAMPLE_TARGET: (F(1, 3), F(4, 9), F(2, 9)),
    Rule.RESAMPLE_DRAFT: (F(2, 9), F(4, 9), F(1, 3)),
    Rule.ABSOLUTE_RESIDUAL: (F(1, 3), F(1, 3), F(1, 3)),
    Rule.INVERTED_RATIO: Q,
    Rule.EQUALITY_RESIDUAL: (F(29, 36), F(1, 9), F(1, 12)),
    Rule.EQUALITY_FRESH: (F(4, 9), F(19, 54), F(11, 54)),
    Rule.GREEDY_DRAFT: (F(2, 3), F(0), F(1, 3)),  # proposes the third, keeps it with (1/6) / (1/2), else the first
}


@st.composite
def distributions(draw: Callable[[Any], Any], size: int) -> Distribution:
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return tuple(F(w, sum(weights)) for w in weights)


pairs = st.integers(1, 5).flatmap(lambda n: st.tuples(distributions(n), distributions(n)))


@pytest.mark.parametrize("rule", Rule)
def test_t63_what_each_rule_gives(rule: Rule) -> None:
    assert output_distribution(P, Q, rule) == T63[rule]


def test_t63_acceptance_and_residual() -> None:
    found = split(P, Q)
    assert acceptance(P, Q) == F(2, 3)
    assert found.replacement == (1, 0, 0)
    assert sum(a * b for a, b in zip(P, Q, strict=True)) == F(5, 18)


@given(pairs)
def test_the_exact_rule_gives_the_target_whatever_the_draft(both: tuple[Distribution, Distribution]) -> None:
    assert output_distribution(*both) == both[0]


@given(pairs, st.sampled_from(Rule))
def test_every_rule_gives_a_distribution_whose_parts_add_up(
    both: tuple[Distribution, Distribution], rule: Rule
) -> None:
    found = split(*both, rule)
    assert sum(found.output) == 1
    assert sum(found.accepted) + found.rejected == 1
    assert sum(found.replaced) == found.rejected
    assert min((*found.accepted, *found.replacement)) >= 0


@given(pairs)
def test_acceptance_is_one_less_half_the_distance(both: tuple[Distribution, Distribution]) -> None:
    distance = sum(abs(a - b) for a, b in zip(*both, strict=True))
    assert acceptance(*both) == 1 - distance / 2


def test_a_target_with_support_outside_the_draft_is_still_reached() -> None:
    p, q = (F(1, 2), F(1, 2), F(0)), (F(0), F(1, 4), F(3, 4))
    assert output_distribution(p, q) == p
    assert split(p, q).accepted == (0, F(1, 4), 0)
    assert output_distribution((1, 0), (0, 1)) == (1, 0)


def test_equal_distributions_are_never_rejected() -> None:
    found = split(P, P)
    assert (found.rejected, found.replacement, found.output) == (0, (0, 0, 0), P)
    assert output_distribution(P, P, Rule.EQUALITY_FRESH) != P


def test_whole_texts_are_distributed_as_the_targets_own() -> None:
    """Two proposals a round, p and q each hanging on the token before, everything enumerated."""
    p = {0: (F(1, 2), F(1, 3), F(1, 6)), 1: (F(1, 5), F(1, 5), F(3, 5)), 2: (F(0), F(1, 4), F(3, 4))}
    q = {0: (F(1, 4), F(1, 4), F(1, 2)), 1: (F(3, 5), F(1, 5), F(1, 5)), 2: (F(1, 2), F(1, 4), F(1, 4))}

    def one_round(last: int, k: int) -> dict[tuple[int, ...], Fraction]:
        found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        here = split(p[last], q[last])
        if k == 0:
            return {(t,): p[last][t] for t in range(3)}
        for t in range(3):
            found[(t,)] += here.replaced[t]
            for rest, chance in one_round(t, k - 1).items():
                found[(t, *rest)] += here.accepted[t] * chance
        return found

    def of_length(last: int, n: int) -> dict[tuple[int, ...], Fraction]:
        found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for text, chance in one_round(last, 2).items():
            if len(text) >= n:
                found[text[:n]] += chance
            elif chance:
                for rest, more in of_length(text[-1], n - len(text)).items():
                    found[(*text, *rest)] += chance * more
        return found

    found = of_length(0, 4)
    for text in itertools.product(range(3), repeat=4):
        own = F(1)
        for before, token in zip((0, *text), text, strict=False):
            own *= p[before][token]
        assert found.get(text, 0) == own


# T65


@pytest.mark.parametrize(
    ("alpha", "k", "right"),
    [
        (F(1, 2), 1, F(3, 2)),
        (F(1, 2), 3, F(15, 8)),
        (F(2, 3), 3, F(65, 27)),
        (0.8, 4, F(2101, 625)),
        (0.9, 4, F(40951, 10000)),
        (0, 4, F(1)),
        (1, 4, F(5)),
        (0.7, 0, F(1)),
        (1, 0, F(1)),
    ],
)
def test_t65_expected_tokens(alpha: Any, k: int, right: Fraction) -> None:
    assert expected_tokens(alpha, k) == right
    assert sum(n * chance for n, chance in enumerate(pmf(alpha, k), 1)) == right
    assert sum(pmf(alpha, k)) == 1


def test_t65_the_histogram_and_the_speed_up() -> None:
    assert pmf(0.8, 4) == (F(1, 5), F(4, 25), F(16, 125), F(64, 625), F(256, 625))
    assert round(float(speed_up(0.8, 4, 0.05)), 4) == 2.8013
    assert round(float(speed_up(0.5, 4, 0.2)), 3) == 1.076


@given(st.fractions(0, 1, max_denominator=50), st.integers(0, 12), st.fractions(0, 2, max_denominator=20))
def test_it_loses_where_the_draft_costs_more_than_it_saves(alpha: Fraction, k: int, cost: Fraction) -> None:
    gain = expected_tokens(alpha, k) - 1
    assert (speed_up(alpha, k, cost) < 1) == (k * cost > gain)
    assert speed_up(alpha, k, cost, verify=k + 1) <= 1  # a pass bound by arithmetic: rejected tokens are paid


def test_the_best_length_is_none_where_a_draft_is_dear_or_poor() -> None:
    assert best_k(0.8, 0.05) == 8
    assert best_k(0.2, 0.5) == best_k(0, 0) == 0
    assert best_k(1, 0, most=9) == 9


# T67, T68


@pytest.mark.parametrize(
    ("tokens", "k", "accepted", "kept", "blocks"),
    [(10, 4, 2, 12, (3, 4, 3)), (10, 4, 4, 14, (3, 4, 4)), (10, 4, 0, 10, (3, 4, 3)), (13, 4, 3, 16, (3, 5, 4))],
)
def test_t67_entries_that_stay(tokens: int, k: int, accepted: int, kept: int, blocks: tuple[int, ...]) -> None:
    before = tokens - 1
    assert cache_after(before, k, accepted) == kept
    assert tuple(-(-n // 4) for n in (before, cache_verified(before, k), kept)) == blocks
    assert tokens + accepted + 1 == kept + 1  # what is emitted last has no entry yet


@pytest.mark.parametrize(
    ("draft", "target", "out"),
    [([1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4]), ([1, 2, 3], [1, 5, 3, 4], [1, 5]), ([], [5], [5])],
)
def test_t68_without_sampling(draft: list[int], target: list[int], out: list[int]) -> None:
    assert verify_greedy(draft, target) == out


# Bad input


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: output_distribution((0.5, 0.4), (0.5, 0.5)), "p"),
        (lambda: output_distribution((0.5, 0.5), (0.5, 0.4)), "q"),
        (lambda: output_distribution((1.5, -0.5), (0.5, 0.5)), "p"),
        (lambda: output_distribution((), ()), "p"),
        (lambda: output_distribution((0, 0), (0.5, 0.5), normalise=True), "p"),
        (lambda: output_distribution((1,), (0.5, 0.5)), "q"),
        (lambda: output_distribution((float("nan"), 1), (0.5, 0.5)), "p"),
        (lambda: expected_tokens(1.1, 2), "alpha"),
        (lambda: expected_tokens(-0.1, 2), "alpha"),
        (lambda: expected_tokens(0.5, -1), "k"),
        (lambda: expected_tokens(0.5, 257), "k"),
        (lambda: pmf(0.5, 1_000_000), "k"),
        (lambda: speed_up(0.5, 2, -1), "cost"),
        (lambda: speed_up(0.5, 2, 0, 0), "verify"),
        (lambda: cache_after(9, 4, 5), "accepted"),
        (lambda: verify_greedy([1], [1]), "target"),
        (lambda: sampled(P, Q, n=0), "n"),
        (lambda: sampled(P, Q, n=1_000_001), "n"),
    ],
)
def test_what_is_wrong_is_named(call: Callable[[], object], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()


def test_sums_are_mended_only_when_asked() -> None:
    assert distribution("p", (1, 1, 2), normalise=True) == (F(1, 4), F(1, 4), F(1, 2))
    assert distribution("p", (0.1, 0.2, 0.7)) == (F(1, 10), F(1, 5), F(7, 10))
    assert exact("x", 1e-300) == F(1, 10**300)


def test_the_longest_allowed_is_quick() -> None:
    assert expected_tokens(1e-300, 256) > 1
    assert sum(pmf(F(1, 3), 256)) == 1


# Drawn


@pytest.mark.parametrize("rule", Rule)
def test_draws_of_each_rule_lie_about_what_is_computed(rule: Rule) -> None:
    for share, right in zip(sampled(P, Q, rule, n=40_000, seed=3), output_distribution(P, Q, rule), strict=True):
        spread = max((float(right) * (1 - float(right)) / 40_000) ** 0.5, 1e-9)
        assert abs(share.share - right) < 5 * spread
        assert 0 <= share.low <= share.share <= share.high <= 1
    assert sampled(P, Q, rule, n=100) == sampled(P, Q, rule, n=100)


def test_the_interval_holds_the_probability_about_19_times_in_20() -> None:
    held = [shares[0].low <= P[0] <= shares[0].high for shares in (sampled(P, Q, n=200, seed=s) for s in range(300))]
    assert 0.91 < sum(held) / len(held) < 0.985


def test_drawn_lengths_follow_the_histogram() -> None:
    for share, right in zip(sampled_lengths(0.8, 4, n=40_000), pmf(0.8, 4), strict=True):
        assert share.share == pytest.approx(float(right), abs=0.012)
    assert [share.count for share in sampled_lengths(1, 3, n=10)] == [0, 0, 0, 10]
    assert [share.count for share in sampled_lengths(0.3, 0, n=10)] == [10]


def test_methods_say_what_they_keep() -> None:
    keeps = {method.name: method.keeps for method in METHODS}
    assert keeps["EAGLE"] is Keeps.ALWAYS
    assert keeps["Medusa"] is Keeps.IF_STRICT
    assert keeps["FLy"] is Keeps.NO
    assert all(method.source and (method.reported is None or method.reported[0] > 1) for method in METHODS)
