"""engine.measuring.laws: floors, slopes and verdicts, on timings made up for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.measure import (
    Case,
    Comparison,
    Count,
    Drift,
    Measured,
    Place,
    Reason,
    Run,
    Timing,
    Verdict,
    busy,
    ceilings,
    comparisons,
    drifted,
    fits,
    roofline,
)
from engine.measuring.timing import summary
from tests.engine.small import TINY


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


def measured(operation: str, way: str, n: int, seconds: float, count: Count, *, noise: float = 0.0) -> Measured:
    case = Case(operation, way, "numpy", "float32", (("n", n),))
    made = timing(summary([seconds] * 5), noise=noise, shape=case.shape)
    return Measured(case, made, count, 0.0, 1e-5, 1, "host clock", "tracemalloc")


def a_run(*results: Measured, cache: int = 10**6) -> Run:
    place = Place("numpy", "a device", 1, (), "host clock", "tracemalloc", None, cache, 1e-6)
    return Run("", (), TINY, (place,), results, (), (), 1.0, "done")


COPY = measured("copy", "copy", 1, 1.0, Count(0, 0, 10**9, 10**9, 1, 0))  # 10⁹ bytes/s
PRODUCT = measured("product", "product", 1, 1.0, Count(10**10, 0, 1, 1, 1, 0))  # 10¹⁰ operations/s


def test_ceilings_are_the_devices_own_and_meet_at_the_ridge() -> None:
    (ceiling,) = ceilings(a_run(COPY, PRODUCT))
    assert (ceiling.copied, ceiling.multiplied, ceiling.ridge) == (1e9, 1e10, 10.0)
    assert (ceiling.roof(1.0), ceiling.roof(100.0)) == (1e9, 1e10)


@pytest.mark.parametrize(
    ("operations", "n_bytes", "floor", "by_memory"),
    [(10**9, 10**7, 0.1, False), (10**7, 10**8, 0.1, True), (10**9, 10**8, 0.1, True)],
)
def test_a_floor_is_the_longer_of_moving_and_multiplying(
    operations: int, n_bytes: int, floor: float, by_memory: bool
) -> None:
    timed = measured("attention", "plain", 8, 0.4, Count(operations, 0, n_bytes, n_bytes, 1, 0))
    *_, point = roofline(a_run(COPY, PRODUCT, timed))
    assert point.floor == pytest.approx(floor)
    assert point.share == pytest.approx(floor / 0.4)
    assert point.bound_by_memory is by_memory
    assert point.rate == operations / 0.4


def test_a_fit_stands_beside_the_slope_of_the_counts() -> None:
    timed = [measured("attention", "plain", n, 1e-6 * n**1.5, Count(n * n, 0, n, n * n, 8, 0)) for n in (10, 20, 40)]
    (fit,) = fits(a_run(*timed))
    assert fit.sizes == (10, 20, 40)
    assert (fit.slope, fit.last) == (pytest.approx(1.5), pytest.approx(1.5))
    assert dict(fit.counted) == {
        "operations": pytest.approx(2), "must_move": pytest.approx(1), "moves": pytest.approx(2),
        "issued": pytest.approx(0),



    }  # fmt: skip


def compared(plain: Measured, tiled: Measured, **more: Any) -> Comparison:
    (found,) = comparisons(a_run(COPY, PRODUCT, plain, tiled, **more))
    return found


def test_slower_tiles_are_called_slower_with_what_keeps_them() -> None:
    plain = measured("attention", "plain", 8, 1.0, Count(10, 0, 4, 400, 8, 10**5))
    tiled = measured("attention", "tiled", 8, 2.0, Count(10, 0, 4, 40, 10**6, 10))
    found = compared(plain, tiled)
    assert found.verdict is Verdict.SLOWER
    assert found.reasons == (Reason.OVERHEAD, Reason.FITS_CACHE)
    assert compared(plain, tiled, cache=10**4).reasons == (Reason.OVERHEAD,)


def test_a_difference_below_the_noise_is_called_none() -> None:
    plain = measured("attention", "plain", 8, 1.0, Count(10, 0, 4, 400, 8, 10), noise=0.1)
    tiled = measured("attention", "tiled", 8, 0.95, Count(10, 0, 4, 40, 8, 10))
    assert compared(plain, tiled).verdict is Verdict.NONE


def test_moving_more_and_the_same_products_are_named() -> None:
    near = measured("paged", "contiguous", 8, 1.0, Count(9 * 10**9, 0, 4, 4, 8, 10))
    far = measured("paged", "gathered", 8, 1.5, Count(9 * 10**9, 0, 4, 12, 10, 10))
    assert compared(near, far).reasons == (Reason.MORE_MOVED, Reason.PRODUCTS)


@pytest.mark.parametrize(
    ("host", "expected"),
    [((("cores", "4"), ("load", "2.0")), 0.5), ((("cores", "4"), ("load", "unknown")), 0), ((), 0)],
)
def test_a_busy_machine_is_told_by_its_load_a_core(host: tuple[tuple[str, str], ...], expected: float) -> None:
    assert busy(replace(a_run(), host=host)) == expected


def test_drift_is_a_factor_whichever_way_it_goes() -> None:
    assert drifted(a_run()) == 1
    for before, after in ((1.0, 1.5), (1.5, 1.0)):
        assert drifted(replace(a_run(), drift=(Drift("numpy", "float32", before, after),))) == pytest.approx(1.5)
