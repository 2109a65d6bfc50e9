"""Questions as the kit makes them: a toy question whose right answer and slips are plain arithmetic."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.kit.arithmetic import read_numbers
from lessons.kit.controls import BadInput, Whole
from lessons.kit.form import Form
from lessons.kit.question import ANY, Question, Slip, Tolerance, Verdict, together
from lessons.kit.reply import Answer, Claim, Find, Mark, Number, Order, Pick, Printed, Reply, Tick, Vector, exactly
from lessons.kit.text import Text, same
from lessons.kit.units import GIB
from tests.lessons.reading import differing

Pair = tuple[int, int]
SAID = Text("said", "说")


def slip(name: str, formula: Callable[[Pair], Answer | None]) -> Slip[Pair]:
    return Slip(name, same(name), formula, lambda pair: SAID)


FORM: Form[Pair] = Form(
    (Whole("a", Text("a", "甲"), 0, 9), Whole("b", Text("b", "乙"), 0, 9)),
    lambda values: (values["a"], values["b"]),
    lambda pair: {"a": pair[0], "b": pair[1]},
)


def invent(rng: random.Random) -> Pair:
    return rng.randint(0, 9), rng.randint(0, 9)


SUM: Question[Pair] = Question(
    slug="sum",
    title=Text("The sum", "和"),
    prompt=lambda pair: Text(f"{pair[0]} + {pair[1]}?", f"{pair[0]} + {pair[1]}？"),
    form=FORM,
    inputs=(4, 7),
    invent=invent,
    formula=lambda pair: (float(pair[0] + pair[1]),),
    slips=(
        slip("product", lambda pair: (float(pair[0] * pair[1]),)),
        slip("difference", lambda pair: (float(pair[0] - pair[1]),)),
    ),
    working=lambda pair: SAID,
    way=lambda pair: pair,
)
VECTOR = replace(
    SUM,
    reply=Vector(),
    formula=lambda pair: (float(pair[0]), float(pair[1])),
    slips=(slip("swapped", lambda pair: (float(pair[1]), float(pair[0]))),),
)


def constant(*answers: float, relative: float = 0.005, absolute: float = 0.0005) -> Question[Pair]:
    """The first number is right, the others are slips named 1, 2, …"""
    right, *wrong = answers
    slips = tuple(slip(str(i), lambda pair, x=x: (x,)) for i, x in enumerate(wrong, 1))  # type: ignore[misc]
    return replace(SUM, formula=lambda pair: (right,), slips=slips, tolerance=Tolerance(relative, absolute))


# Judging


@pytest.mark.parametrize(
    ("given_", "verdict"),
    [
        (11.0, Verdict(True, ())),
        (28.0, Verdict(False, ("product",))),
        (-3.0, Verdict(False, ("difference",))),
        (12.0, Verdict(False, ())),
    ],
)
def test_an_answer_is_right_or_the_slip_it_comes_from_or_neither(given_: float, verdict: Verdict) -> None:
    assert SUM.judge((4, 7), (given_,)) == verdict


def test_the_right_formula_is_looked_at_before_any_slip_and_all_slips_that_fit_are_named() -> None:
    assert SUM.judge((2, 2), (4.0,)) == Verdict(True, ())  # 2 + 2 = 2 · 2
    assert constant(1.0, 5.0, 5.0).judge((0, 0), (5.0,)) == Verdict(False, ("1", "2"))


@pytest.mark.parametrize(
    ("exact", "typed", "right"),
    [
        (100.0, 100.5, True),
        (100.0, 100.51, False),
        (100.0, 99.5, True),
        (100.0, 99.49, False),
        (-100.0, -100.5, True),
        (-100.0, 100.0, False),
        (0.0, 0.0005, True),
        (0.0, -0.0005, True),
        (0.0, 0.00051, False),
        (1e9, 1.004e9, True),
    ],
)
def test_half_a_percent_or_half_a_thousandth_is_rounding_and_more_is_not(
    exact: float, typed: float, right: bool
) -> None:
    assert constant(exact).judge((0, 0), (typed,)).right is right


@pytest.mark.parametrize("typed", [math.inf, -math.inf, math.nan])
def test_what_is_no_number_is_never_right_and_never_a_slip(typed: float) -> None:
    for question in (constant(1.0, 2.0), constant(math.inf, -math.inf), constant(math.nan, math.nan)):
        assert question.judge((0, 0), (typed,)) == Verdict(False, ())


def test_of_several_numbers_each_must_be_right_in_its_place() -> None:
    assert VECTOR.judge((4, 7), (4.0, 7.0)).right
    assert VECTOR.judge((4, 7), (7.0, 4.0)) == Verdict(False, ("swapped",))
    assert VECTOR.judge((4, 7), (4.0, 4.0)) == Verdict(False, ())


@pytest.mark.parametrize(("question", "n"), [(SUM, 1), (VECTOR, 2)])
@pytest.mark.parametrize("given_", [(), (1.0,) * 3, (1.0,) * 100])
def test_an_answer_with_another_number_of_numbers_is_asked_again_not_judged(
    question: Question[Pair], n: int, given_: Answer
) -> None:
    with pytest.raises(BadInput) as raised:
        question.judge((4, 7), given_)
    (complaint,) = raised.value.complaints
    assert f"needs {n} number" in complaint.en
    assert f"应有 {n} 个数" in complaint.zh
    assert str(len(given_)) in complaint.en
    assert differing(complaint) == {}


# Drawing


def test_a_draw_is_the_same_for_the_same_seed_and_changes_with_it() -> None:
    drawn = [SUM.draw(seed).inputs for seed in range(50)]
    assert drawn == [SUM.draw(seed).inputs for seed in range(50)]
    assert len(set(drawn)) > 20


def test_two_questions_do_not_draw_alike() -> None:
    other = replace(SUM, slug="other")
    assert [SUM.draw(seed).inputs for seed in range(20)] != [other.draw(seed).inputs for seed in range(20)]


def test_no_draw_leaves_the_answer_of_a_slip_looking_right_or_like_another_slip() -> None:
    for seed in range(300):
        a, b = SUM.draw(seed).inputs
        assert len({a + b, a * b, a - b}) == 3


def test_a_question_that_no_numbers_can_tell_apart_says_so_instead_of_trying_for_ever() -> None:
    with pytest.raises(RuntimeError, match=r"sum: .*seed 3"):
        constant(1.0, 1.0).draw(3)


@pytest.mark.parametrize(
    ("answers", "apart"),
    [
        ((1.0, 2.0, 3.0), True),
        ((1.0, 2.0, 2.0), False),
        ((1.0, 1.0), False),
        ((100.0, 100.9), False),  # 100.5 could be either
        ((100.0, 101.1), True),
        ((0.0, 0.0009), False),
        ((0.0, 0.0011), True),
        ((1.0, math.inf), False),  # a slip whose answer cannot be typed teaches nothing
        ((math.inf, 1.0), False),  # nothing that could be typed would be right
        ((math.nan, 1.0), False),
        ((1.0, math.nan, 2.0), False),
    ],
)
def test_numbers_tell_formulas_apart_if_no_typed_number_could_mean_two_of_them(
    answers: tuple[float, ...], apart: bool
) -> None:
    question = constant(*answers)
    assert question.tells_apart(question.instance((0, 0))) is apart


def test_a_decimal_that_is_right_to_two_digits_is_right() -> None:
    weight = constant(math.exp(-2), 0.5, math.exp(-1.99), relative=0.005, absolute=0.0005)
    assert weight.check((0, 0), "0.135") == Verdict(True, ())
    assert weight.check((0, 0), "0.13") == Verdict(False, ())  # cut off, not rounded
    assert weight.check((0, 0), "e^-2") == Verdict(True, ())
    told = weight.check((0, 0), "0.14")  # as is the second slip
    assert (told.right, told.slips, told.rounded) == (False, (), True)
    alone = constant(0.3679, 0.6321, relative=0.005, absolute=0.0005)
    assert alone.check((0, 0), "0.37") == Verdict(True, (), rounded=True)
    assert alone.check((0, 0), "37%") == Verdict(True, (), rounded=True)
    assert alone.check((0, 0), "0,37") == Verdict(True, (), rounded=True)
    assert alone.check((0, 0), "0.4") == Verdict(False, ())


def test_two_digits_that_are_a_slip_to_three_are_called_the_slip_and_too_few() -> None:
    gib = constant(10.40625, 10.0, relative=0.005, absolute=0.0005)
    assert gib.check((0, 0), "10") == Verdict(False, ("1",), rounded=True)


def test_whole_numbers_and_counts_are_given_in_full() -> None:
    assert constant(131072.0, 1.0, relative=0.005, absolute=0.0005).check((0, 0), "130000") == Verdict(False, ())
    assert constant(2.5, 1.0, relative=0.0, absolute=0.01).check((0, 0), "2.6") == Verdict(False, ())


def test_a_comma_that_may_group_or_stand_for_the_point_is_said_to_where_neither_is_right() -> None:
    nine = constant(9.046377, 1.0, relative=0.005, absolute=0.0005)
    assert nine.check((0, 0), "9,046").right
    assert constant(9046.0, 1.0, relative=0.005, absolute=0.0005).check((0, 0), "9,046").right
    assert nine.check((0, 0), "8,046").meant == ((8046.0,), (8.046,))
    assert nine.check((0, 0), "8.046").meant == ()


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=4), st.floats(-1, 1), st.floats(0, 0.05), st.floats(0, 0.1))
def test_where_formulas_are_told_apart_no_answer_ever_has_two_meanings(
    answers: list[float], off: float, relative: float, absolute: float
) -> None:
    question = constant(*answers, relative=relative, absolute=absolute)
    if question.tells_apart(question.instance((0, 0))):
        for i, x in enumerate(answers):
            given_ = x + off * max(absolute, relative * abs(x))
            verdict = question.judge((0, 0), (given_,))
            meanings = verdict.right + len(verdict.slips)
            assert meanings <= 1
            if abs(off) < 0.999 and not verdict.rounded:
                assert verdict == (Verdict(True, ()) if i == 0 else Verdict(False, (str(i),)))


def test_one_number_of_several_is_enough_to_tell_two_answers_apart() -> None:
    question = replace(VECTOR, slips=(slip("second", lambda pair: (float(pair[0]), pair[1] + 1.0)),))
    assert question.tells_apart(question.instance((4, 7)))


# Reading an answer


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("0.1353", (0.1353,)),
        (" 7.10, 5.34 ", (7.1, 5.34)),
        ("7.10 5.34", (7.1, 5.34)),
        ("7.10;5.34", (7.1, 5.34)),
        ("7.10，5.34", (7.1, 5.34)),
        ("7.10、5.34", (7.1, 5.34)),
        ("7.10；5.34", (7.1, 5.34)),
        ("(7.10, 5.34)", (7.1, 5.34)),
        ("（7.10，5.34）", (7.1, 5.34)),
        ("[7.10, 5.34]", (7.1, 5.34)),
        ("７．１０", (7.1,)),
        ("−5", (-5.0,)),
        ("－5", (-5.0,)),
        ("1e-3", (0.001,)),
        (".5", (0.5,)),
        ("1,\n2", (1.0, 2.0)),
        ("9.046377", (9.046377,)),
    ],
)
def test_an_answer_may_be_written_in_many_ways(typed: str, answer: Answer) -> None:
    assert read_numbers(typed, len(answer)) == (answer,)


@pytest.mark.parametrize(
    "typed",
    ["", " ", ",", "()", "x", "7.1 and 5.3", "1e999", "nan", "inf", "∞", "1_0", "1/0", "e^", "0x1", "1..2", "1+",
     "<img src=x onerror=alert(1)>", "\x00", "\ud800", "1\u202e", "½", "٣"],
)  # fmt: skip
def test_anything_else_is_asked_again_with_an_example(typed: str) -> None:
    with pytest.raises(BadInput) as raised:
        read_numbers(typed)
    (complaint,) = raised.value.complaints
    assert "Your answer" in complaint.en
    assert "你的答案" in complaint.zh
    assert "`0.8125`" in complaint.en
    assert "`0.8125`" in complaint.zh


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=4), st.sampled_from([", ", " ", ";", "，", "、"]))
def test_numbers_written_by_python_read_back_the_same(xs: list[float], between: str) -> None:
    assert read_numbers(between.join(map(repr, xs)), len(xs)) == (tuple(xs),)


@given(st.lists(st.floats(-999, 999).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=1, max_size=4))
def test_the_exact_answer_as_it_is_shown_can_be_typed_back(xs: list[float]) -> None:
    [read] = read_numbers(exactly(tuple(xs)), len(xs))
    assert read == pytest.approx(tuple(xs), abs=5.1e-7)


def test_the_toy_form_reads_what_it_writes() -> None:
    written: Mapping[str, str] = FORM.write((3, 4))
    assert FORM.read(written, (0, 0)) == (3, 4)


# Slips made together, and answers that may mean several things


def test_two_slips_at_once_have_a_name_and_sentence_of_both() -> None:
    product, difference = SUM.slips
    both = together(product, difference, lambda pair: (float(pair[0] * pair[1] - pair[1]),))
    question = replace(SUM, slips=(*SUM.slips, both))
    assert question.judge((4, 7), (21.0,)) == Verdict(False, ("product+difference",))
    assert both.told((4, 7)) == Text("said said", "说说")
    assert both.title.en == "product, and: difference"


def test_a_slip_may_leave_a_number_open_but_not_all_of_them() -> None:
    first = replace(VECTOR, slips=(slip("first", lambda pair: (1.0, ANY)),))
    assert first.judge((4, 7), (1.0, 99.0)) == Verdict(False, ("first",))
    assert first.judge((4, 7), (2.0, 99.0)) == Verdict(False, ())
    assert first.judge((1, 7), (1.0, 7.0)) == Verdict(True, ())
    assert not first.tells_apart(first.instance((1, 7)))
    nothing = replace(VECTOR, slips=(slip("nothing", lambda pair: (ANY, ANY)),))
    assert nothing.judge((4, 7), (1.0, 2.0)) == Verdict(False, ())


GIBIBYTES = replace(
    SUM, reply=Number(GIB), formula=lambda pair: (4.0,), slips=(slip("gb", lambda pair: (4.294967296,)),)
)


@pytest.mark.parametrize(
    "typed",
    ["4 GiB", "4GiB", "4", "4294967296 B", "4,294,967,296", "4 294 967 296", "2^32", "2**32 bytes", "４ＧｉＢ",
    "4294967296 字节", "4096 MiB",
     "42亿9496万7296 字节", "4.294967296 GB"],
)  # fmt: skip
def test_four_gibibytes_may_be_spelled_in_many_ways(typed: str) -> None:
    assert GIBIBYTES.check((0, 0), typed) == Verdict(True, ())


def test_the_kindest_meaning_of_a_bare_number_counts() -> None:
    assert GIBIBYTES.check((0, 0), "4.294967296") == Verdict(False, ("gb",))
    assert GIBIBYTES.check((0, 0), "5") == Verdict(False, ())
    assert GIBIBYTES.check((0, 0), "4 GB") == Verdict(False, ())


# Answers that are chosen

WORDS = tuple(map(same, "abc"))
PROGRAM = (Printed(same("def f(x):")), Printed(Text("    return x * x  # two", "    return x * x  # 二"), open=True))
CLAIMS = (Claim(same("p"), (same("q"), same("r"))), Claim(same("s"), (same("t"), same("u"))))


@pytest.mark.parametrize(
    ("reply", "typed", "answer", "written"),
    [
        (Pick(lambda _: WORDS), "2", (2.0,), "b"),
        (Order(lambda _: WORDS), "3, 1,2", (3.0, 1.0, 2.0), "c → a → b"),
        (Tick(lambda _: (same("x"), same("y")), lambda _: WORDS), "011, 000", (0.0, 1.0, 1.0, 0.0, 0.0, 0.0),
        "x: b, c"),



        (Find(lambda _: CLAIMS), "2, 1", (2.0, 1.0), "“s” is wrong: it should say “t”"),
        (Mark(lambda _: PROGRAM), "2", (2.0,), "line 2: `return x * x`"),
    ],
)  # fmt: skip
def test_a_choice_is_read_from_its_places_and_written_in_its_words(
    reply: Reply[Pair], typed: str, answer: Answer, written: str
) -> None:
    assert reply.read(typed, (0, 0), len(answer)) == (answer,)
    assert reply.write(answer, (0, 0)).en == written


@pytest.mark.parametrize(
    ("reply", "n", "bad"),
    [
        (Pick(lambda _: WORDS), 1, ["", "0", "4", "1, 2", "b", "-1", "1.0", "²", "9" * 10_000]),
        (Order(lambda _: WORDS), 3, ["", "1, 2", "1, 1, 2", "1, 2, 4", "0, 1, 2", "a b c"]),
        (Tick(lambda _: (same(""),), lambda _: WORDS), 3, ["", "01", "0111", "012", "abc", "0" * 10_000]),
        (Find(lambda _: CLAIMS), 2, ["", "1", "3, 1", "1, 3", "0, 1", "1, 2, 1"]),
        (Mark(lambda _: PROGRAM), 1, ["", "0", "1", "3", "2, 2", "x", "9" * 10_000]),
    ],
)
def test_no_choice_is_asked_for_again_in_both_languages(reply: Reply[Pair], n: int, bad: list[str]) -> None:
    for typed in bad:
        with pytest.raises(BadInput) as raised:
            reply.read(typed, (0, 0), n)
        (complaint,) = raised.value.complaints
        assert "**Your answer**" in complaint.en
        assert "**你的答案**" in complaint.zh
        assert differing(complaint) == {}
        assert len(complaint.en) < 300


def test_an_untouched_field_is_an_answer_too() -> None:
    table = Tick[Pair](lambda _: (same("x"), same("y")), lambda _: WORDS)
    assert table.read(table.untouched((0, 0)), (0, 0), 6) == ((0.0,) * 6,)
    assert table.write((0.0,) * 6, (0, 0)) == Text("none", "一个也没有")
    order = Order[Pair](lambda _: WORDS)
    assert order.read(order.untouched((0, 0)), (0, 0), 3) == ((1.0, 2.0, 3.0),)


def test_a_slip_that_comes_to_nothing_on_the_numbers_typed_is_nobodys_answer() -> None:
    ratio = replace(SUM, slips=(slip("ratio", lambda pair: (float(pair[0] // pair[1]),)),))
    assert ratio.check((4, 2), "2").slips == ("ratio",)
    assert ratio.check((4, 0), "2") == Verdict(False, ())
    assert ratio.check((4, 0), "4").right
    assert not ratio.tells_apart(ratio.instance((4, 0)))  # and no draw gives such numbers


def test_of_two_options_that_read_alike_either_is_right() -> None:
    """The page tells options apart by their words alone."""
    alike = Pick[Pair](lambda _: (same("x"), same("y"), same("x")))
    assert alike.read("3", (0, 0), 1) == ((1.0,), (3.0,))
    claims = (Claim(same("p"), (same("a"), same("a"))), Claim(same("q"), (same("a"), same("b"))))
    find = Find[Pair](lambda _: claims)
    assert find.read("1, 2", (0, 0), 2) == ((1.0, 1.0), (1.0, 2.0))
    assert find.read("2, 1", (0, 0), 2) == ((2.0, 1.0),)


def test_a_slip_that_nobody_can_make_on_these_numbers_has_no_answer() -> None:
    even = replace(SUM, slips=(slip("even", lambda pair: None if pair[0] % 2 else (7.0,)),))
    assert even.instance((2, 1)).slips == {"even": (7.0,)}
    assert even.instance((1, 2)).slips == {}
    assert even.check((2, 1), "7").slips == ("even",)
    assert even.check((1, 2), "7") == Verdict(False, ())
