"""What the timings say: ceilings and floors, slopes beside the counted ones, one way against another, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from engine.measuring.plan import Place
from engine.measuring.record import Measured, Run
from engine.measuring.timing import Difference, Verdict, compare

BASE = {"attention": "plain", "tiles": "plain", "decode": "uncached", "paged": "contiguous"}
COUNTED = ("operations", "must_move", "moves", "issued")  # of a Count, for slopes


@dataclass(frozen=True)
class Ceiling:
    """What one device did at best in the run itself: bytes/s of a copy (read and written), operations/s of a
    product."""

    backend: str
    dtype: str
    device: str
    copied: float
    multiplied: float

    @property
    def ridge(self) -> float:
        """Operations a byte at which both ceilings meet: what needs fewer is bound by memory."""
        return self.multiplied / self.copied

    def roof(self, intensity: float) -> float:
        """The most operations/s at so many operations a byte."""
        return min(self.multiplied, intensity * self.copied)


@dataclass(frozen=True)
class Point:
    """A timing under its roof. `intensity` operations a byte that must move; `rate` operations/s; `floor` seconds
    that the ceilings allow; `share` = floor over median, above 1 where the caches serve what was counted as
    memory."""

    measured: Measured
    intensity: float
    rate: float
    floor: float
    share: float
    bound_by_memory: bool


@dataclass(frozen=True)
class Fit:
    """Time against size in logarithms. `slope` over all sizes, `last` between the two largest, where fixed costs
    weigh least; `counted` the slopes of the same operation's counts over the same sizes, by name of the count."""

    operation: str
    way: str
    backend: str
    dtype: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    slope: float
    last: float
    counted: tuple[tuple[str, float], ...]


class Reason(Enum):
    """A fact of the run that keeps a way from being faster, each checked on its own numbers."""

    OVERHEAD = "overhead"  # handing out its array operations takes a quarter of its time or more
    MORE_MOVED = "more_moved"  # by count it moves more bytes than the other way
    FITS_CACHE = "fits_cache"  # what it saves was in a cache anyway
    PRODUCTS = "products"  # both do the same products, and these alone take half of the other way's time or more


@dataclass(frozen=True)
class Comparison:
    """`way` against the first way of its group. `memory` is the ratio of their extra bytes; None if one was not
    counted."""

    way: Measured
    base: Measured
    time: Difference
    memory: float | None
    reasons: tuple[Reason, ...]

    @property
    def verdict(self) -> Verdict:
        return self.time.verdict


def ceilings(run: Run) -> tuple[Ceiling, ...]:
    """One for each backend and dtype whose copy and product were both timed."""
    found = []
    for copy in (m for m in run.results if m.case.operation == "copy"):
        for product in (m for m in run.results if m.case.operation == "product"):
            if (copy.case.backend, copy.case.dtype) == (product.case.backend, product.case.dtype):
                copied = copy.count.must_move / copy.timing.median
                multiplied = product.count.operations / product.timing.median
                case = copy.case
                found.append(Ceiling(case.backend, case.dtype, copy.timing.device, copied, multiplied))
    return tuple(found)


def roofline(run: Run) -> tuple[Point, ...]:
    """Every timing that has a ceiling, in the run's order."""
    roofs = {(c.backend, c.dtype): c for c in ceilings(run)}
    return tuple(
        point(m, roofs[m.case.backend, m.case.dtype]) for m in run.results if (m.case.backend, m.case.dtype) in roofs
    )


def point(measured: Measured, ceiling: Ceiling) -> Point:
    count, seconds = measured.count, measured.timing.median
    moving, multiplying = count.must_move / ceiling.copied, count.operations / ceiling.multiplied
    floor = max(moving, multiplying)
    return Point(
        measured,
        count.operations / count.must_move,
        count.operations / seconds,
        floor,
        floor / seconds,
        moving >= multiplying,
    )


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Of the least-squares line through the logarithms: values grow as size to this power. Raises ValueError below two.

    >>> round(slope([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    if len(sizes) < 2 or min(*sizes, *values) <= 0:
        raise ValueError("sizes, values: at least two, all above 0")
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def fits(run: Run) -> tuple[Fit, ...]:
    """For each way that was timed at two sizes or more. Tile sizes are no sizes of a problem and are left out."""
    series: dict[tuple[str, str, str, str], list[Measured]] = {}
    for m in run.results:
        if m.case.operation in BASE and m.case.operation != "tiles":
            series.setdefault((m.case.operation, m.case.way, m.case.backend, m.case.dtype), []).append(m)
    return tuple(_fit(key, sorted(found, key=_n)) for key, found in series.items() if len(found) > 1)


def _fit(key: tuple[str, str, str, str], found: list[Measured]) -> Fit:
    sizes, seconds = tuple(_n(m) for m in found), tuple(m.timing.median for m in found)
    counted = tuple((name, slope(sizes, [getattr(m.count, name) for m in found])) for name in COUNTED)
    return Fit(*key, sizes, seconds, slope(sizes, seconds), slope(sizes[-2:], seconds[-2:]), counted)


def _n(measured: Measured) -> int:
    return measured.case.size("n")


def comparisons(run: Run) -> tuple[Comparison, ...]:
    """Every way against the first of its group, where both were timed."""
    places = {place.backend: place for place in run.places}
    roofs = {(c.backend, c.dtype): c for c in ceilings(run)}

    def all_of() -> Iterator[Comparison]:
        for m in run.results:
            case = m.case
            if case.operation not in BASE or case.way == BASE[case.operation]:
                continue
            base = next((other for other in run.results if _is_base(other, m)), None)
            if base is not None:
                roof = roofs.get((case.backend, case.dtype))
                reasons = tuple(_reasons(m, base, places.get(case.backend), roof))
                yield Comparison(m, base, compare(m.timing, base.timing), _memory(m, base), reasons)

    return tuple(all_of())


def _is_base(other: Measured, measured: Measured) -> bool:
    a, b = other.case, measured.case
    return (a.operation, a.way, a.backend, a.dtype, a.shape) == (
        b.operation, BASE[b.operation], b.backend, b.dtype, b.shape,
    )  # fmt: skip


def _memory(m: Measured, base: Measured) -> float | None:
    ours, theirs = m.timing.peak_bytes, base.timing.peak_bytes
    return None if ours is None or not theirs else ours / theirs


def _reasons(m: Measured, base: Measured, place: Place | None, roof: Ceiling | None) -> Iterator[Reason]:
    if place is not None and overhead(m, place) >= 0.25:
        yield Reason.OVERHEAD
    if m.count.moves > base.count.moves:
        yield Reason.MORE_MOVED
    if m.count.operations != base.count.operations:
        return
    if m.count.moves < base.count.moves and place is not None and base.count.workspace <= place.cache_bytes:
        yield Reason.FITS_CACHE
    if roof is not None and m.count.operations / roof.multiplied >= base.timing.median / 2:
        yield Reason.PRODUCTS


def overhead(measured: Measured, place: Place) -> float:
    """The share of its time that handing out its array operations takes, if nothing overlaps; at most 1."""
    return min(1.0, measured.count.issued * place.issue_seconds / measured.timing.median)


def drifted(run: Run) -> float:
    """By how much the machine's own product changed between start and end, as a factor of at least 1; 1 if not
    known."""
    return max((math.exp(abs(math.log(d.after / d.before))) for d in run.drift if d.before > 0 < d.after), default=1.0)


def busy(run: Run) -> float:
    """Processes a core that wanted to run in the minute before the start; 0 where the system does not tell.

    From about 0.5 on, others had a part in the timings.
    """
    under = dict(run.host)
    try:
        return float(under["load"]) / max(1, int(under["cores"]))
    except (KeyError, ValueError):
        return 0.0
