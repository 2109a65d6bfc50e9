"""What a reader types, from a field or a link: each kind of input is read, or refused with a sentence that helps."""

from __future__ import annotations

import csv
import io
import math
import time
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.online_softmax import Mistake
from lessons.kit.arithmetic import read_numbers
from lessons.kit.controls import BadInput, Choice, Line, Real, Whole, real, shown
from lessons.kit.form import Form
from lessons.kit.key_table import KeyTable, Row
from lessons.kit.text import Text
from lessons.online_softmax.form import FORM, KEYS, ORDER, TILE
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.presets import CHAPTER
from tests.lessons.reading import CHINESE, HALF_WIDTH, differing, rendered

MISTAKE = MISTAKES.choice
MASKED = -math.inf
TWO_ROWS = "A,0,1\nB,1,2"

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</strong><b>x</b>",
    "]]>",
    "&amp;",
    "&lt;b&gt;",
    "**bold** _it_ `code` $x$ [a](https://example.org) ![b](c)",
    "עברית שלום",
    "\u202edlrow",
    "nul\x00",
    "\ud800\udfff",
    "\ufffe",
    '"',
    '"""',
    "a\nb",
    "a\r\nb",
    "a\rb",
    "a\x85b\u2028c\u2029d",
    ",,,,",
    ",,,,,,,,,,",
    "\t",
    "\u3000",
    "٣",
    "²",
    "１２３",
    "-" * 50,
    "9" * 10_000,
    "1e999",
    "1_000",
    "0x10",
    "nan",
    "infinity",
    "x" * 30_000,
    "\n" * 30_000,
    "",
)
anything = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.text(st.sampled_from("0123456789-−∞+.eEinf_ ,;、，\n\r\t\"'ABC<>&")),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*HOSTILE, "1", "2", "-inf", "A"]), max_size=8).map(",".join),
)


def refusal(read: Callable[[], object], *fields: Text) -> tuple[Text, ...]:
    """What the reader is told. Each complaint names one of the fields and says the same in both languages."""
    with pytest.raises(BadInput) as raised:
        read()
    complaints = raised.value.complaints
    assert complaints
    for complaint in complaints:
        helps(complaint)
        assert any(field.en in complaint.en and field.zh in complaint.zh for field in fields)
    return complaints


def helps(complaint: Text) -> None:
    """A complaint is a whole sentence in each language, with the same numbers, and nothing in it is alive."""
    assert complaint.en.endswith((".", "”."))
    assert complaint.zh.endswith("。")
    assert CHINESE.search(complaint.zh)
    assert not HALF_WIDTH.search(complaint.zh)
    assert differing(complaint) == {}
    for markdown in (complaint.en, complaint.zh):
        assert len(markdown) < 400
        html = rendered(f"- {markdown}")
        assert set(html.tags) <= {"ul", "li", "p", "strong", "code", "em"}
        assert html.tags[:3] == ("ul", "li", "strong")
        assert html.attributes == ()


def table(*rows: list[str]) -> str:
    """Cells as the CSV of a link, written by Python's own writer."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


# A whole number


@pytest.mark.parametrize(
    ("typed", "n"), [("2", 2), (" 2 ", 2), ("２", 2), ("１６", 16), ("01", 1), ("16", 16), ("\u3000３", 3)]
)
def test_a_tile_size_is_read_from_digits_of_any_width(typed: str, n: int) -> None:
    assert TILE.read(typed) == n


@pytest.mark.parametrize(
    "typed",
    ["0", "17", "99", "-1", "", " ", "abc", "1_000", "1_0", "2.5", "1e2", "--2", "٣", "0x2", "1 2", "2,;", "nan",
    "inf",
     "-inf", "∞", "9" * 10_240, "<img src=x onerror=alert(1)>", "2\x002", "\ud800", "\u202e2x"],
)  # fmt: skip
def test_any_other_tile_size_is_refused_with_the_bounds(typed: str) -> None:
    (complaint,) = refusal(lambda: TILE.read(typed), TILE.label)
    for words in (complaint.en, complaint.zh):
        assert "1" in words
        assert "16" in words


@given(st.integers(-(10**13), 10**13))
def test_a_whole_number_is_accepted_exactly_within_its_bounds(n: int) -> None:
    control = Whole("n", Text("Number", "数目"), -5, 10**6)
    if -5 <= n <= 10**6:
        assert control.read(control.write(n)) == n
    else:
        refusal(lambda: control.read(str(n)), control.label)


# A number in a cell


@pytest.mark.parametrize(
    ("typed", "x"),
    [("1", 1.0), ("-2.5", -2.5), ("−2.5", -2.5), ("－２．５", -2.5), (".5", 0.5), ("1e3", 1000.0), ("1E-3", 0.001),
    ("+4",


    4.0),
     (" 7 ", 7.0), ("-0", 0.0), ("1e-400", 0.0), ("-inf", MASKED), ("−∞", MASKED), ("-∞", MASKED), ("－ｉｎｆ", MASKED),
     ("-Infinity", MASKED), ("−inf", MASKED)],
)  # fmt: skip
def test_a_number_may_be_typed_with_any_minus_any_width_and_minus_infinity(typed: str, x: float) -> None:
    assert real(typed) == x
    assert math.copysign(1, real(typed)) == (1 if x == 0 else math.copysign(1, x))


BAD_NUMBERS = (
    "abc",
    "1e999",
    "-1e999",
    "nan",
    "NaN",
    "inf",
    "∞",
    "+∞",
    "infinity",
    "1_000",
    "1,5,",
    "0x1",
    "1e",
    "e5",
    "--1",
    "1 2",
    "٣.٥",
    "",
    " ",
    "1j",
    "1" * 41,
    "9" * 10_000,
    "½",
    "\x00",
    "\ud800",
    "1\u202e",
    "1000001",
    "-1e7",
    "<b>1</b>",
)


@pytest.mark.parametrize("typed", BAD_NUMBERS)
@pytest.mark.parametrize("column", [1, 2, 3])
def test_any_other_cell_is_refused_by_the_name_of_its_row_and_column(typed: str, column: int) -> None:
    row = ["B", "1", "2", "3"]
    row[column] = typed
    # a blank cell at the end of a row means one value fewer, so that the rows differ
    (complaint,) = refusal(lambda: KEYS.read(table(["A", "0", "1", "1"], row)), KEYS.label)
    if typed.strip() or column < 3:
        head = KEYS.columns[column]
        assert f"row 2, {head.en}" in complaint.en
        assert f"第 2 行的{head.zh}" in complaint.zh
        assert "10⁶" in complaint.en
        assert ("-inf" in complaint.en) == (column == 1)


def test_a_masked_value_is_refused_though_a_masked_score_is_not() -> None:
    assert KEYS.read("A,-inf,1")[0].score == MASKED
    refusal(lambda: KEYS.read("A,1,-inf"), KEYS.label)


@pytest.mark.parametrize("typed", ["1e6", "-1e6", "1000000"])
def test_a_number_at_the_bound_is_accepted(typed: str) -> None:
    assert abs(KEYS.read(f"A,{typed},{typed}")[0].score) == 1e6


def test_every_cell_that_cannot_be_used_has_its_own_complaint() -> None:
    complaints = refusal(lambda: KEYS.read("A,x,1\nB,1,y\nC,z,w"), KEYS.label)
    assert ["row 1" in c.en for c in complaints] == [True, False, False, False]
    assert len(complaints) == 4


# The table


@pytest.mark.parametrize("typed", ["", "\n\n", " , , \n,,,", ",,,,,", '""', "\r\r\n", "\n" * 19_999])
def test_an_empty_table_is_refused_with_the_number_of_rows_it_needs(typed: str) -> None:
    (complaint,) = refusal(lambda: KEYS.read(typed), KEYS.label)
    assert "1 to 16" in complaint.en
    assert "0" in complaint.en


def test_sixteen_rows_are_read_and_seventeen_refused() -> None:
    rows = [[f"k{i}", str(i), "1"] for i in range(17)]
    assert [row.label for row in KEYS.read(table(*rows[:16]))] == [f"k{i}" for i in range(16)]
    (complaint,) = refusal(lambda: KEYS.read(table(*rows)), KEYS.label)
    assert "17" in complaint.en


def test_blank_rows_are_skipped_and_blank_labels_get_letters() -> None:
    assert [row.label for row in KEYS.read("\n,1,2\n , , \nZ,3,4\n\n ,5,6\n")] == ["A", "Z", "C"]


@pytest.mark.parametrize(
    "typed",
    ["A,0,1,2\nB,1,2", "A,0,1\nB,1,2,3,4", "A,0\nB,1", "A,0\nB,1,2", "A,0,1,2,3,4,5", "A,0,1,2,3,4,5\nB,0,1,2,3,4,5",
    "A,0," + "1," * 9000],
)  # fmt: skip
def test_rows_with_different_none_or_too_many_values_are_refused(typed: str) -> None:
    (complaint,) = refusal(lambda: KEYS.read(typed), KEYS.label)
    assert "same number of values, 1 to 4" in complaint.en


def test_a_gap_between_two_values_is_refused_as_a_cell_that_is_no_number() -> None:
    (complaint,) = refusal(lambda: KEYS.read("A,0,1,,3\nB,0,1,2,3"), KEYS.label)
    assert "row 1, v2" in complaint.en


def test_a_table_too_long_to_be_read_whole_is_refused_never_cut() -> None:
    (complaint,) = refusal(lambda: KEYS.read(TWO_ROWS + "\n" * 20_000 + "oops"), KEYS.label)
    assert "20000" in complaint.en


@pytest.mark.parametrize(
    "label",
    ["A", "a label", "键", "é", "x" * 12, '"', '""', "a,b", "a'b", "<img src=x>", "]]>", "&amp;", "*b*", "_i_", "$x$",
    "`c`", "[a](b)",
     "\\", "|", "~~", ":", "#1", "1.", "- a", "=1+1", "@x", "עברית", "مرحبا", "𝛼", "😀", "a\u00a0b"],
)  # fmt: skip
def test_a_label_may_hold_any_visible_character(label: str) -> None:
    (row,) = KEYS.read(table([label, "1", "2"]))
    assert row == Row(label, 1.0, (2.0,))
    assert KEYS.read(KEYS.write((row,))) == (row,)


@pytest.mark.parametrize(
    "label",
    ["x" * 13, "x" * 500, "<img src=x onerror=alert(1)>", "nul\x00", "\x00", "a\nb", "a\r\nb", "a\tb", "\x1b[31m",
    "\x7f",



     "\u202eabc", "\u2066a", "a\u200bb", "\ufeff", "\ud800", "\ufffe", "\U0010ffff", "\ue000"],
)  # fmt: skip
def test_a_label_that_is_too_long_or_holds_what_cannot_be_seen_is_refused(label: str) -> None:
    complaints = refusal(lambda: KEYS.read(table(["A", "1", "2"], [label, "1", "2"])), KEYS.label)
    assert "row 2, label: 1 to 12 visible characters" in complaints[0].en
    assert "第 2 行的标签" in complaints[0].zh


@pytest.mark.parametrize("typed", ["A,0,1\rB,1,2", "A,0,1\r\nB,1,2\r\n", "A,0,1\n\rB,1,2"])
def test_a_row_may_end_as_on_any_machine(typed: str) -> None:
    assert KEYS.read(typed) == KEYS.read(TWO_ROWS)


@given(anything)
@example(",,,,,,0")
@example("a\rb,1,2")
@example('"a\rb",1,2')
@example('A,1,"2')
def test_the_table_on_the_page_can_be_filled_from_any_text(typed: str) -> None:
    cells = KEYS.cells(typed)
    assert all(len(line) == len(KEYS.columns) for line in cells)
    again = KEYS.cells(KEYS.typed(cells))
    stripped = [[cell.strip() for cell in line] for line in cells]
    assert [[cell.strip() for cell in line] for line in again] == [line for line in stripped if any(line)]


rows = st.integers(1, 4).flatmap(
    lambda d: st.lists(
        st.builds(
            Row,
            st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=12).filter(
                lambda s: s == s.strip() != ""
            ),
            st.floats(-1e6, 1e6) | st.just(MASKED),
            st.tuples(*[st.floats(-1e6, 1e6)] * d),
        ),
        min_size=1,
        max_size=16,
    ).map(tuple)
)


@given(rows)
def test_a_table_that_was_written_reads_back_the_same(written: tuple[Row, ...]) -> None:
    assert KEYS.read(KEYS.write(written)) == written
    assert KEYS.read(KEYS.typed(KEYS.cells(KEYS.write(written)))) == written


# A number of its own


RATE = Real("rate", Text("Rate", "比率"), -0.5, 2.0)


@given(st.floats(-4, 4))
@example(-0.5)
@example(2.0)
@example(-0.0)
def test_a_number_is_accepted_exactly_within_its_bounds(x: float) -> None:
    if -0.5 <= x <= 2:
        assert RATE.read(RATE.write(x)) == x
    else:
        (complaint,) = refusal(lambda: RATE.read(repr(x)), RATE.label)
        assert "−0.5" in complaint.en


def test_what_is_far_too_long_to_be_a_number_is_refused_at_once() -> None:
    started = time.perf_counter()
    for typed in ("\u0315\u0300" * 20_000, "1" + " " * 2000 + "x"):  # the first takes seconds to normalise
        refusal(partial(RATE.read, typed), RATE.label)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("typed", [*BAD_NUMBERS, "-inf", "−∞"])
def test_what_is_no_number_or_not_finite_is_refused_with_the_bounds(typed: str) -> None:
    (complaint,) = refusal(lambda: RATE.read(typed), RATE.label)
    assert "−0.5 to 2" in complaint.en


# One of a few, and a line of words


@pytest.mark.parametrize(
    "typed", ["", "None", "NONE", "no_rescale ", "x", "<img src=x onerror=alert(1)>", "\x00", "\ud800"]
)
def test_a_mistake_that_is_not_in_the_list_is_refused_with_the_list(typed: str) -> None:
    (complaint,) = refusal(lambda: MISTAKE.read(typed), MISTAKE.label)
    for value, label in MISTAKE.options:
        assert f"“{label.en}”" in complaint.en
        assert f"“{label.zh}”" in complaint.zh
        assert MISTAKE.read(value) is Mistake(value)


def test_a_line_longer_than_it_may_be_is_refused_with_both_lengths() -> None:
    assert ORDER.read(" x" * 100) == ("x " * 100).strip()
    (complaint,) = refusal(lambda: ORDER.read("x" * 201), ORDER.label)
    assert "200" in complaint.en
    assert "201" in complaint.en


# The reading order


def order(typed: str, keys: str = "C,0,5\nA,2,10\nB,1,0") -> tuple[int, ...]:
    return FORM.read({"keys": keys, "order": typed}, CHAPTER).reading


@pytest.mark.parametrize(
    "typed",
    [
        "1, 3, 2",
        "1 3 2",
        "1,3,2",
        "1，3，2",
        "1、3、2",
        "1;3;2",
        "１　３　２",
        " 1  3\t2 ",
        "C, B, A",
        "C B A",
        "C、B、A",
        "01 03 02",
    ],
)
def test_a_reading_order_is_given_by_numbers_or_by_labels(typed: str) -> None:
    assert order(typed) == (0, 2, 1)


@pytest.mark.parametrize("typed", ["", "  ", ",", "1, 2, 3", "C, A, B"])
def test_no_order_or_the_order_written_is_the_same_scenario(typed: str) -> None:
    assert FORM.read({"order": typed}, CHAPTER) == CHAPTER


@pytest.mark.parametrize(
    "typed",
    ["1, 2", "1, 1, 2", "1, 2, 3, 3", "1, 2, 4", "0, 1, 2", "-1, 2, 3", "A, B", "A, A, B", "A, B, D", "a, b, c",
    "1, A, B",


    "1 2 3 4",
     "1.0 2 3", "9999999999 1 2", "² ³ x", "<img src=x onerror=alert(1)>", "1, 2, \x00", "\ud800", "𝟏𝟐"],
)  # fmt: skip
def test_an_order_that_leaves_out_repeats_or_invents_a_row_is_refused_with_an_example(typed: str) -> None:
    (complaint,) = refusal(lambda: order(typed), ORDER.label)
    assert "`3, 2, 1`" in complaint.en
    assert "`3, 2, 1`" in complaint.zh


def test_labels_that_stand_twice_cannot_give_an_order_but_row_numbers_can() -> None:
    twice = "A,0,1\nA,1,2\nB,2,3"
    refusal(lambda: order("B, A, A", twice), ORDER.label)
    assert order("3 1 2", twice) == (2, 0, 1)


def test_labels_that_look_like_row_numbers_are_read_as_row_numbers() -> None:
    assert order("3 1 2", "3,0,1\n2,1,2\n1,2,3") == (2, 0, 1)


def test_an_order_that_no_longer_fits_the_table_is_refused() -> None:
    with_order = FORM.read({"order": "3, 1, 2"}, CHAPTER)
    refusal(lambda: FORM.read({"keys": TWO_ROWS}, with_order), ORDER.label)


# The form


def test_a_field_left_out_is_taken_from_the_default() -> None:
    assert FORM.read({}, CHAPTER) == CHAPTER
    assert FORM.read({"tile": "3", "unknown": "x"}, CHAPTER).tile_size == 3


def test_every_field_that_cannot_be_used_has_a_complaint() -> None:
    typed = {"keys": "A,x,1", "tile": "0", "order": "x" * 999, "mistake": "?"}
    complaints = refusal(lambda: FORM.read(typed, CHAPTER), KEYS.label, TILE.label, ORDER.label, MISTAKE.label)
    named = [label for c in complaints for label in (KEYS, TILE, ORDER, MISTAKE) if label.label.en in c.en]
    assert named == [KEYS, TILE, ORDER, MISTAKE]


def read_or_refused(read: Callable[[str], Any], typed: str) -> None:
    """Anything but a value or BadInput is a fault; a refusal must help and be harmless."""
    complaints: tuple[Text, ...] | None = None
    try:
        read(typed)
    except BadInput as bad:
        complaints = bad.complaints
    assert complaints != ()
    for complaint in complaints or ():
        helps(complaint)


CONTROLS = (
    RATE,
    KEYS,
    TILE,
    ORDER,
    MISTAKE,
    Whole("n", Text("Number", "数目"), -9, 9),
    Line("l", Text("Line", "行"), Text("", ""), 3),
)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: control.name)
@given(typed=anything)
def test_any_text_is_read_or_refused_with_a_sentence_that_is_safe_to_show(
    control: KeyTable | Real | Whole | Line | Choice, typed: str
) -> None:
    read_or_refused(control.read, typed)


@given(anything)
def test_any_answer_is_read_or_refused_with_a_sentence_that_is_safe_to_show(typed: str) -> None:
    read_or_refused(read_numbers, typed)


@given(st.fixed_dictionaries({}, optional={c.name: anything for c in FORM.controls}))
def test_any_link_is_read_or_refused_and_what_was_read_writes_and_reads_the_same(typed: dict[str, str]) -> None:
    try:
        scenario = FORM.read(typed, CHAPTER)
    except BadInput as bad:
        for complaint in bad.complaints:
            helps(complaint)
    else:
        assert FORM.read(FORM.write(scenario), CHAPTER) == scenario


@given(st.lists(st.sampled_from([*HOSTILE, "1", "−2.5", "0", "A", "-inf"]), min_size=3, max_size=3), anything)
def test_a_table_of_hostile_cells_is_read_or_refused(cells: list[str], order: str) -> None:
    read_or_refused(lambda typed: FORM.read({"keys": typed, "order": order}, CHAPTER), table(cells, ["B", "1", "2"]))


@pytest.mark.parametrize("typed", HOSTILE, ids=lambda typed: ascii(typed[:12]))
def test_what_is_quoted_is_short_visible_and_literal(typed: str) -> None:
    quoted = shown(typed)
    assert len(quoted) <= 41
    assert not any(unicodedata.category(c).startswith("C") for c in quoted)
    assert set(rendered(quoted).tags) <= {"p"}


def test_a_form_names_its_controls_in_a_link() -> None:
    form: Form[Any] = FORM
    assert list(form.write(CHAPTER)) == ["keys", "tile", "order", "mistake"]
    assert form.write(CHAPTER) == {"keys": "C,0,5,5\nA,2,10,0\nB,1,0,20", "tile": "1", "order": "", "mistake": "none"}
