"""engine.measuring.timing: samples in turn, when to stop, and what is no difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.measure import (
    Timing,
    Verdict,
    compare,
)
from engine.measuring.timing import Difference, Rule, noise, rounds, summary


def test_samples_are_taken_in_turn_each_round_from_another_and_the_first_round_is_dropped() -> None:
    order: list[str] = []

    def sampler(name: str) -> Callable[[], float]:
        def sample() -> float:
            order.append(name)
            return float(len(order))

        return sample

    *_, kept = rounds([sampler(name) for name in "abc"], Rule(least=2, noise=9.0), clock=lambda: 0.0)
    assert "".join(order) == "abc" + "bca" + "cab"
    assert kept == [[6.0, 8.0], [4.0, 9.0], [5.0, 7.0]]


def test_repeating_stops_when_every_spread_is_small() -> None:
    steady = [lambda: 1.0, lambda: 2.0]
    assert len(list(rounds(steady, Rule(least=5), clock=lambda: 0.0))) == 1 + 5
    wild = iter([1.0, 2.0] * 100)
    assert len(list(rounds([lambda: next(wild)], Rule(least=5, most=30), clock=lambda: 0.0))) == 1 + 30


def test_repeating_stops_when_the_budget_is_spent_but_not_before_the_least() -> None:
    wild = iter([1.0, 2.0] * 100)
    ticks = iter(range(1000))
    rule = Rule(least=5, most=90, seconds=3.0)
    assert len(list(rounds([lambda: next(wild)], rule, clock=lambda: float(next(ticks))))) == 1 + 5


def test_the_deadline_stops_at_once() -> None:
    now = iter([0.0, 0.0, 0.0, 0.0, 0.0, 9.0])
    found = list(rounds([lambda: 1.0, lambda: 1.0], Rule(deadline=5.0), clock=lambda: next(now)))
    assert len(found) == 2  # the warming round, and one; nothing of the next


def test_two_repeats_of_the_same_thing_are_no_difference() -> None:
    drawn = np.random.default_rng(1).normal(1.0, 0.05, 200)
    a, b = (timing(summary(samples.tolist())) for samples in (drawn[::2], drawn[1::2]))
    assert compare(a, b).verdict is Verdict.NONE


def test_a_difference_above_the_noise_is_one() -> None:
    drawn = np.random.default_rng(1).normal(1.0, 0.05, 100)
    a, b = (timing(summary((factor * drawn).tolist())) for factor in (1.0, 1.5))
    assert (compare(a, b).verdict, compare(b, a).verdict) == (Verdict.FASTER, Verdict.SLOWER)


@pytest.mark.parametrize("factor", [1.05, 1 / 1.05])
def test_the_verdict_does_not_depend_on_which_is_called_first(factor: float) -> None:
    assert Difference(factor, 0.06).verdict is Verdict.NONE
    assert Difference(factor, 0.04).verdict is not Verdict.NONE


def test_drift_and_jitter_both_count_as_noise() -> None:
    rng = np.random.default_rng(0)
    still = rng.normal(1.0, 1e-4, 40)
    assert noise(still.tolist()) < 0.001
    assert noise((still + np.repeat([0.0, 0.2], 20)).tolist()) > 0.15  # slower from the middle on
    assert noise((still + np.tile([0.0, 0.2], 20)).tolist()) > 0.15  # every second one slower


def test_timings_of_two_devices_are_not_compared() -> None:
    a = timing(summary([1.0, 1.0]))
    with pytest.raises(ValueError, match="one device"):
        compare(a, replace(a, device="another"))


def timing(found: Any, **changes: Any) -> Timing:
    made = Timing(
        "a device",
        (("numpy", "2"),),
        1,
        "float32",
        (("n", 8),),
        found.runs,
        1,
        "2026-01-01T00:00:00+00:00",
        found.median,
        found.p10,
        found.p90,
        found.noise,
        1000,
    )
    return replace(made, **changes)
