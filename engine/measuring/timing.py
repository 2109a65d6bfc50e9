"""A measured time, how often it was measured, and how small a difference it can show.

A count is not a speed; only a `Timing` may be called one. It says where it was taken, and how far to trust it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

Sampler = Callable[[], float]  # runs the thing once, returns seconds


@dataclass(frozen=True)
class Timing:
    """One thing, timed `runs` times on one device; seconds a call.

    `device` is the name that the driver or the system gives. A run is the mean over `calls` calls in a row, where one
    call is too short for the clock. `peak_bytes` is the most held at once beyond inputs and result, from a pass of
    its own that was not timed; None where nobody counts. `noise` is a share of the median (see `noise`). `date` is
    ISO 8601, UTC."""

    device: str
    versions: tuple[tuple[str, str], ...]
    threads: int
    dtype: str
    shape: tuple[tuple[str, int], ...]
    runs: int
    calls: int
    date: str
    median: float
    p10: float
    p90: float
    noise: float
    peak_bytes: int | None


@dataclass(frozen=True)
class Summary:
    """Of the samples of one thing: median, tenth and ninetieth percentile in seconds, noise as a share of the
    median."""

    runs: int
    median: float
    p10: float
    p90: float
    noise: float


def summary(samples: Sequence[float]) -> Summary:
    """Raises ValueError where there is no sample.

    >>> summary([3.0, 1.0, 2.0, 2.0]).median
    2.0
    """
    if not samples:
        raise ValueError("samples: at least one")
    p10, median, p90 = np.quantile(np.asarray(samples, np.float64), [0.1, 0.5, 0.9]).tolist()
    return Summary(len(samples), median, p10, p90, noise(samples))


def noise(samples: Sequence[float]) -> float:
    """By how much two repeats of this very thing differ, as a share of its median.

    The samples are split into two repeats, once taken in turn (jitter) and once first half against second half (drift);
    the larger difference of medians counts. Few samples may agree by luck: so at least their spread p90 − p10 over
    √runs, about two standard errors of the median. A single sample tells nothing: 1.

    >>> noise([1.0, 1.0, 1.0, 1.0]), noise([1.0])
    (0.0, 1.0)
    >>> round(noise([1.0, 2.0, 1.0, 2.0]), 3)  # every second one is twice as slow
    0.667
    """
    if len(samples) < 2:
        return 1.0
    ordered = np.asarray(samples, np.float64)
    half = len(ordered) // 2
    p10, median, p90 = np.quantile(ordered, [0.1, 0.5, 0.9]).tolist()
    if median == 0:
        return 0.0 if p90 == 0 else 1.0
    jitter = abs(np.median(ordered[::2]) - np.median(ordered[1::2]))
    drift = abs(np.median(ordered[:half]) - np.median(ordered[half:]))
    return float(max(jitter, drift, (p90 - p10) / math.sqrt(len(ordered))) / median)


class Verdict(Enum):
    """What a difference of two timings amounts to."""

    FASTER = "faster"
    SLOWER = "slower"
    NONE = "none"


@dataclass(frozen=True)
class Difference:
    """`ratio` = median of a over median of b; `noise` is the larger of the two. Below the noise there is no
    difference."""

    ratio: float
    noise: float

    @property
    def verdict(self) -> Verdict:
        """Of a against b.

        >>> Difference(1.04, 0.05).verdict, Difference(0.5, 0.05).verdict
        (<Verdict.NONE: 'none'>, <Verdict.FASTER: 'faster'>)
        """
        if max(self.ratio, 1 / self.ratio) <= 1 + self.noise:
            return Verdict.NONE
        return Verdict.FASTER if self.ratio < 1 else Verdict.SLOWER


def compare(a: Timing, b: Timing) -> Difference:
    """Of two timings from one device. Raises ValueError otherwise: two machines differ in more than the thing timed."""
    if a.device != b.device:
        raise ValueError(f"a, b: timings of one device, got {a.device!r} and {b.device!r}")
    return Difference(max(a.median, 1e-12) / max(b.median, 1e-12), max(a.noise, b.noise))


@dataclass(frozen=True)
class Rule:
    """When to stop repeating: every noise at most `noise` after `least` runs, or `most` runs, or `seconds` are over.

    `least` runs are made even past `seconds`; only `deadline`, a reading of the clock, stops at once.
    """

    least: int = 5
    most: int = 100
    noise: float = 0.02
    seconds: float = 1.0
    deadline: float = math.inf


def rounds(
    samplers: Sequence[Sampler], rule: Rule, clock: Callable[[], float] = time.perf_counter
) -> Iterator[list[list[float]]]:
    """Sample all things in turn until the rule says stop; yields what is kept so far after each round.

    Things that are to be compared are interleaved, so that a slower clock or a busy neighbour meets all of them; each
    round starts with another, so that none always follows the same one. The first round warms up and is not kept.
    """
    kept: list[list[float]] = [[] for _ in samplers]
    start = clock()
    for n in range(rule.most + 1):
        for i in range(len(samplers)):
            turn = (n + i) % len(samplers)
            if clock() >= rule.deadline:
                return
            seconds = samplers[turn]()
            if n:
                kept[turn].append(seconds)
        yield kept
        if n >= rule.least and (
            clock() - start >= rule.seconds or all(noise(samples) <= rule.noise for samples in kept)
        ):
            return
