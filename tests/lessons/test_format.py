"""How numbers are written, read back by Python's own float and by Decimal."""

from __future__ import annotations

import math
import re
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lessons.kit.format import MINUS, count, fixed, short, size, tex, vector

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
finite = st.floats(-1e300, 1e300)


def read(written: str) -> float:
    """The number as a careful reader reads it."""
    mantissa, _, exponent = written.replace(MINUS, "-").partition("×10")
    return float(f"{mantissa}e{exponent.translate(SUPERSCRIPTS) or 0}")


@pytest.mark.parametrize(
    ("x", "written"),
    [
        (math.exp(-2), "0.1353"),  # Q027
        (1 + math.exp(-2), "1.1353"),
        (2 * math.exp(-2) + 10, "10.2707"),
        (0.0, "0.0000"),
        (-0.0, "0.0000"),
        (-2, "−2.0000"),
        (1e-5, "1.00×10⁻⁵"),
        (-1e-5, "−1.00×10⁻⁵"),
        (5e-5, "0.0001"),
        (36_652.47811, "36652.48"),
        (999_999.5, "999999.50"),
        (1e6, "1.00×10⁶"),
        (-1.5e300, "−1.50×10³⁰⁰"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "NaN"),
    ],
)
def test_a_computed_number_has_four_decimals_two_if_large_or_a_power_of_ten(x: float, written: str) -> None:
    assert fixed(x) == written


@given(finite, st.integers(2, 6))
@example(5e-7, 6)
@example(4.9999999e-5, 4)
@example(999_999.9999, 2)
def test_a_computed_number_reads_back_to_half_a_unit_of_its_last_digit(x: float, places: int) -> None:
    last = min(places, 2) if abs(x) >= 1e4 else places
    assert math.isclose(
        read(fixed(x, places)), x, rel_tol=0 if 1 <= abs(x) < 1e6 else 0.0051, abs_tol=0.500001 * 10.0**-last
    )


@given(finite, st.integers(2, 6))
@example(5e-7, 6)
@example(-5e-7, 6)
def test_a_number_that_is_not_zero_never_reads_as_zero(x: float, places: int) -> None:
    written = fixed(x, places)
    assert (read(written) == 0) == (x == 0)
    assert written.startswith(MINUS) == (x < 0)


@given(finite)
def test_no_number_is_long_enough_to_flood_a_cell(x: float) -> None:
    assert len(fixed(x)) <= 13
    assert len(short(x)) <= 13


@pytest.mark.parametrize(
    ("x", "written"),
    [
        (2.0, "2"),
        (10_002.0, "10002"),
        (0.5, "0.5"),
        (-1.25, "−1.25"),
        (0.1 + 0.2, "0.3"),
        (-0.0, "0"),
        (-math.inf, "−∞"),
    ],
)
def test_a_typed_number_has_no_trailing_zeros(x: float, written: str) -> None:
    assert short(x) == written


@given(st.decimals(-99_999, 99_999, places=3))
def test_a_number_of_few_digits_is_shown_as_it_was_typed(typed: Decimal) -> None:
    assert read(short(float(typed))) == float(typed)


@given(finite)
def test_the_minus_sign_is_the_typographic_one(x: float) -> None:
    assert "-" not in fixed(x) + short(x)


@given(st.integers(0, 10**18))
def test_a_count_has_groups_of_three_digits(n: int) -> None:
    groups = count(n).split("\u202f")
    assert int("".join(groups)) == n
    assert all(len(group) == 3 for group in groups[1:])
    assert 1 <= len(groups[0]) <= 3


@pytest.mark.parametrize(
    ("n", "written"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (131_072, "128 KiB"),  # audit 0.28
        (4_294_967_296, "4 GiB"),  # audit 0.27
        (17_179_869_184, "16 GiB"),  # audit 0.29
        (2 * 1024**5, "2 PiB"),
        (2 * 1024**6, "2048 PiB"),
    ],
)
def test_bytes_are_counted_in_powers_of_1024(n: int, written: str) -> None:
    assert size(n) == written


@given(finite)
def test_a_number_in_a_formula_is_the_same_number(x: float) -> None:
    formula = tex(fixed(x)).replace(r"\times 10^{", "e").replace("}", "")
    assert float(formula) == read(fixed(x))


def test_a_formula_holds_no_sign_that_latex_does_not_know() -> None:
    for x in (1.5e-7, -3.0, math.inf, -math.inf, -1e30):
        assert re.fullmatch(r"[ -~]+", tex(fixed(x)))


def test_numbers_side_by_side_are_parted_by_a_comma() -> None:
    assert vector([7.10256, -5.34472]) == "7.1026, −5.3447"
    assert vector([1.0, 2.5], short) == "1, 2.5"
    assert vector([]) == ""
