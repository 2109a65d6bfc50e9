"""Arithmetic typed into an answer field: what it is worth, and that nothing typed can be run or take long."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.kit import expression
from lessons.kit.arithmetic import MOST_LISTED, evaluate, read_numbers
from lessons.kit.controls import BadInput
from lessons.kit.expression import MOST_BITS, MOST_NESTED, MOST_TYPED
from lessons.kit.format import count, fixed
from lessons.kit.text import Text
from tests.lessons.expressions import exact, tree, write
from tests.lessons.hostile import HOSTILE, Watched
from tests.lessons.reading import HALF_WIDTH, differing


def complaint(read: Callable[[], object]) -> Text:
    with pytest.raises(BadInput) as raised:
        read()
    (said,) = raised.value.complaints
    return said


def outcome(typed: str) -> tuple[float | None, tuple[Text, ...]]:
    """What became of a text: a value, or complaints."""
    try:
        return evaluate(typed), ()
    except BadInput as bad:
        return None, bad.complaints


# One number; what its spellings are worth stands in tests/numbers.json


def test_what_grows_too_large_on_the_way_is_said_to_have() -> None:
    assert "1.80×10³⁰⁸" in complaint(lambda: evaluate("1e300*1e300/1e300")).en


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_that_python_writes_reads_back_the_same(x: float) -> None:
    assert evaluate(repr(x)) == x


@given(st.integers(0, 10**15), st.floats(-1e9, 1e9))
def test_what_the_app_itself_writes_can_be_pasted(n: int, x: float) -> None:
    assert evaluate(count(n)) == n
    assert evaluate(fixed(x)) == pytest.approx(x, rel=0.006, abs=5.1e-5)


# Trees


def test_a_thousand_random_expressions_have_the_value_of_the_tree_they_were_written_from() -> None:
    seen: Counter[str] = Counter()
    for seed in range(1000):
        rng = random.Random(seed)
        t = tree(rng, rng.randint(1, 4))
        text = write(rng, t)
        if len(text) > MOST_TYPED:
            continue
        try:
            wanted = exact(t)
        except ZeroDivisionError:
            assert "divides by zero" in complaint(lambda text=text: evaluate(text)).en, text  # type: ignore[misc]
            seen["by zero"] += 1
            continue
        if max(wanted.numerator.bit_length(), wanted.denominator.bit_length()) > MOST_BITS / 2:
            seen["long"] += 1  # some step on the way was rounded
            assert evaluate(text) == pytest.approx(float(wanted), rel=1e-9), text
        else:
            assert evaluate(text) == pytest.approx(float(wanted), rel=1e-15, abs=0), text
        seen.update({op for op in "+*/^(" if op in text})
    assert min(seen[kind] for kind in ("by zero", "+", "*", "/", "^", "(")) > 10, seen


# What is not read

READ = {
    "√2",
    "50%",
    "e^2",
    "5–7",
    "(10^300)^-300",
    "1.0000001^(10^9)",
    "(1/3+1/7)^99^1",
    "1/3+" * 49 + "1",
    "1/7*" * 49 + "1",
    "*".join(["99999999"] * 22),
    "(1/997+1/991)*" * 14 + "1",
    "(-1)^(10^300)",
    "9" * 200,
    "1" + "0" * 199,
}


@pytest.mark.parametrize("typed", HOSTILE, ids=lambda typed: ascii(typed[:20]))
def test_anything_at_all_gives_a_finite_number_or_a_sentence_and_little_work(typed: str) -> None:
    with Watched() as work:
        x, complaints = outcome(typed)
    assert work.calls < 30_000  # a hundred fractions added up take 22 000, which is a millisecond or two
    assert work.memory < 200_000
    assert (x is not None) == (typed in READ)
    assert x is None or math.isfinite(x)
    for said in complaints:
        assert said.en.startswith("**Your answer** ")
        assert said.zh.startswith("**你的答案**")
        assert differing(said) == {}
        assert "<" not in re.sub(r"\\<", "", said.en + said.zh)


@pytest.mark.parametrize(
    ("typed", "en", "zh"),
    [
        ("", "has no number yet", "还没有数"),
        ("1/0", "divides by zero", "除数为零"),
        ("0^-1", "divides by zero", "除数为零"),
        ("1e999", "grows beyond 1.80×10³⁰⁸", "超出了 1.80×10³⁰⁸"),
        ("9**9**9**9", "grows beyond", "超出了"),
        ("(-1)^0.5", "not a real number", "不是实数"),
        ("(1", "not closed", "没有闭合"),
        ("1)", "not opened", "没有对应的左括号"),
        ("2 3", "an operator is missing before “3”", "“3”前面缺少运算符"),
        ("2*", "a number is missing at its end", "末尾缺少数"),
        ("*2", "“\\*” stands where a number should", "“\\*”处应是数"),
        ("sin(1)", "“s” cannot be read as part of arithmetic", "“s”不能作为算式的一部分"),
        ("1\u202e", "“U+202E” cannot be read", "“U+202E”不能"),
        ("9" * (MOST_TYPED + 1), f"at most {MOST_TYPED} characters; it has {MOST_TYPED + 1}",
        f"最多 {MOST_TYPED} 个字符，现在有 {MOST_TYPED + 1} 个"),
        ("(" * (MOST_NESTED + 1) + "1" + ")" * (MOST_NESTED + 1), f"nested more than {MOST_NESTED} deep",
        f"嵌套超过 {MOST_NESTED} 层"),
        ("1^" * (MOST_NESTED + 1) + "1", f"nested more than {MOST_NESTED} deep", f"嵌套超过 {MOST_NESTED} 层"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_is_in_the_way(typed: str, en: str, zh: str) -> None:
    said = complaint(lambda: evaluate(typed))
    assert en in said.en
    assert zh in said.zh
    assert differing(said) == {}
    assert not HALF_WIDTH.search(said.zh)


def test_what_is_just_within_the_bounds_is_read() -> None:
    assert evaluate("(" * MOST_NESTED + "7" + ")" * MOST_NESTED) == 7
    assert evaluate("1^" * MOST_NESTED + "1") == 1
    assert evaluate(" " * (MOST_TYPED - 1) + "7") == 7
    assert evaluate("1.797e308") == 1.797e308


@given(st.text("0123456789.,+-*/^() eE万亿x⁻²³×÷π_", max_size=60))
def test_no_text_of_such_signs_does_anything_but_give_a_number_or_a_sentence(typed: str) -> None:
    x, complaints = outcome(typed)
    assert (x is None) == (len(complaints) == 1)
    assert x is None or math.isfinite(x)
    assert all(differing(said) == {} for said in complaints)


def test_no_fraction_grows_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    longest, kept = 0, expression._kept

    def watched(x: Fraction) -> Fraction:
        nonlocal longest
        longest = max(longest, x.numerator.bit_length(), x.denominator.bit_length())
        return kept(x)

    monkeypatch.setattr(expression, "_kept", watched)
    for typed in HOSTILE:
        outcome(typed)
    assert MOST_BITS < longest < 27 * MOST_TYPED  # at most a text full of 亿, before it is refused


# Several numbers


@pytest.mark.parametrize(
    ("typed", "n", "numbers"),
    [
        ("7.10, 5.34", 2, (7.1, 5.34)), ("7.10 5.34", 2, (7.1, 5.34)), ("7.10;5.34", 2, (7.1, 5.34)), ("7.10，5.34", 2,
        (7.1,


        5.34)), ("7.10、5.34", 2, (7.1, 5.34)),
        ("7.10；5.34", 2, (7.1, 5.34)), ("(7.10, 5.34)", 2, (7.1, 5.34)), ("（7.10，5.34）", 2, (7.1, 5.34)),
        ("[7.10, 5.34]",


        2, (7.1, 5.34)), ("7.10,\n5.34", 2, (7.1, 5.34)),
        ("7.10, 5.34,", 2, (7.1, 5.34)), ("7.1, 1.00×10⁻⁹", 2, (7.1, 1e-9)), ("1/3, 2^-1", 2, (1 / 3, 0.5)),
        ("1 / 3, 2 ^ -1",


        2, (1 / 3, 0.5)), ("1/3 2^-1", 2, (1 / 3, 0.5)),
        ("(1+2)/3, 4*(5-6)", 2, (1, -4)), ("((1+2)/3, 4)", 2, (1, 4)), ("(1, 2, 3)", 3, (1, 2, 3)), ("2 -1", 2, (2,
        -1)),


        ("2 -1, 5", 3, (2, -1, 5)), ("2 - 1, 5", 2, (1, 5)),
        ("1,234", 1, (1234,)), ("1,234", 2, (1, 234)), ("1,234; 5", 2, (1234, 5)), ("4 294 967, 12", 2, (4294967, 12)),
        ("128 256", 1, (128256,)), ("128 256", 2, (128, 256)),
        ("32\u202f768, 5", 2, (32768, 5)), ("32\u202f768 5", 2, (32768, 5)), ("4,294,967,296", 1, (2**32,)),
        ("(1+2)*(3+4)", 1,


        (21,)), ("((5))", 1, (5,)), ("3万 5", 2, (30000, 5)),
    ],
)  # fmt: skip
def test_several_numbers_may_be_set_apart_in_many_ways_and_each_be_arithmetic(
    typed: str, n: int, numbers: tuple[float, ...]
) -> None:
    first, *_ = read_numbers(typed, n)
    assert first == pytest.approx(numbers)


@pytest.mark.parametrize(
    ("typed", "n", "found"),
    [("7.10, 5.34", 1, 2), ("7.10 5.34", 1, 2), ("1 2", 3, 2), ("1, 2, 3", 2, 3), ("7", 2, 1), ("0,123", 1, 1)],
)
def test_where_there_are_more_or_fewer_numbers_than_asked_for_all_are_returned(typed: str, n: int, found: int) -> None:
    assert [len(numbers) for numbers in read_numbers(typed, n)] == [found]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4), st.sampled_from([", ", " ", ";", "，", "、", "\n"]))
def test_numbers_written_by_python_read_back_the_same(xs: list[float], between: str) -> None:
    assert read_numbers(between.join(map(repr, xs)), len(xs))[0] == tuple(xs)


@pytest.mark.parametrize(
    ("typed", "n", "meant"),
    [
        ("7,1; 5,3", 2, [(7.1, 5.3)]),
        ("7,1 5,3", 2, [(7.1, 5.3)]),
        ("(0,1353； 9,046)", 2, [(0.1353, 9.046)]),
        ("7,1", 2, [(7.0, 1.0)]),
        ("7,1", 1, [(7.1,)]),
        ("9,046; 1,135", 2, [(9046.0, 1135.0), (9.046, 1.135)]),
        ("9,046", 1, [(9046.0,), (9.046,)]),
        ("1,2,3", 3, [(1.0, 2.0, 3.0)]),
        ("1,5; 2,5; 3", 3, [(1.5, 2.5, 3.0)]),
        ("e^-2; ln(2)", 2, [(math.exp(-2), math.log(2))]),
    ],
)
def test_a_comma_may_stand_for_the_point_among_several_numbers_too(typed: str, n: int, meant: list[object]) -> None:
    assert [pytest.approx(numbers) for numbers in read_numbers(typed, n)] == meant


@pytest.mark.parametrize(
    ("typed", "why"),
    [("", "has no number yet"), (",", "“\\,” cannot be read"), ("()", "no number in it"), ("7.1 and 5.3",
    "“a” cannot be read"), ("1, 2/0", "divides by zero"), ("1, 2*", "missing at its end"),
     ("(1, 2", "not closed"), ("1e999, 2", "grows beyond"), ("1, " * 200,
     f"at most {MOST_LISTED} characters; it has 600"),


     ("1, --1", "“\\-” stands where")],
)  # fmt: skip
@pytest.mark.parametrize("n", [1, 2])
def test_numbers_that_cannot_be_read_are_complained_about_as_one_number_is(typed: str, why: str, n: int) -> None:
    said = complaint(lambda: read_numbers(typed, n))
    assert why in said.en
    assert differing(said) == {}
    assert "`1.25, −0.5`" in said.en or "at most" in said.en
