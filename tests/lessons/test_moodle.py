"""The file for Moodle: read by a parser of its own, held to the published rules, and saying for each slip what the
app says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from moodle_xml_parser.parser import parse_bytes  # type: ignore[import-untyped]

from lessons import LESSONS
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question
from lessons.kit.text import Lang
from lessons.kit.units import GIB, MIB, TOKEN
from lessons.sheets import moodle
from lessons.sheets.moodle_units import spellings
from lessons.sheets.variants import Chosen, Request, tolerance, variants
from tests.lessons.moodle_rules import Read, imported
from tests.lessons.reading import parsed
from tests.lessons.sample_questions import CHOSEN

HOSTILE = "T/ <script>alert(1)</script> ]]> & 🙂"
BOTH: tuple[Lang, ...] = ("en", "zh")


def request(
    chosen: tuple[Chosen, ...], languages: tuple[Lang, ...] = BOTH, n: int = 3, title: str = HOSTILE
) -> Request:
    return Request(title, chosen, 7, n, languages)


def made(asked: Request) -> bytes:
    return moodle.quiz(asked, (tuple(moodle.question(asked, v, item) for item in v.items) for v in variants(asked)))


def sample(kind: str, languages: tuple[Lang, ...] = ("en",)) -> Read:
    chosen = next(c for c in CHOSEN if c.question.kind == kind)
    return imported(made(request((chosen,), languages, n=1)))[0]


@pytest.mark.parametrize("languages", [("en",), ("zh",), BOTH], ids=["en", "zh", "both"])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_question_of_a_lesson_is_imported_with_a_category_of_its_own(
    lesson: Lesson[Any, Any], languages: tuple[Lang, ...]
) -> None:
    chosen = tuple(Chosen(lesson.slug, lesson.title, question) for question in lesson.questions)
    file = made(request(chosen, languages, n=2))
    found = imported(file)
    assert len(found) == 2 * len(chosen)
    assert len({read.path for read in found}) == len(chosen)
    for i, read in enumerate(found):
        assert read.name.startswith(f"0{i % 2 + 1} · ")

    outside = parse_bytes(file)  # knows two of the types
    by_kind = {kind: [read for read in found if read.kind == kind] for kind in ("multichoice", "cloze")}
    for kind, reads in by_kind.items():
        assert [question.name for question in outside[kind]] == [read.name for read in reads]
    for question, read in zip(outside["multichoice"], by_kind["multichoice"], strict=True):
        assert [option.score_fraction for option in question.options] == [answer.fraction for answer in read.answers]
    for question, read in zip(outside["cloze"], by_kind["cloze"], strict=True):
        assert [gap.sub_type for gap in question.gaps] == [gap.kind for gap in read.gaps]


def test_a_number_is_numerical_and_each_slip_is_an_answer_with_its_sentence() -> None:
    chosen = CHOSEN[0]
    asked = request((chosen,), ("en",), n=1)
    item = next(variants(asked)).items[0]
    read = sample("number")
    assert read.kind == "numerical"
    expected = [(item.answer[0], 100.0), *((answer[0], 0.0) for _, answer in item.slips)]
    assert [(float(a.text), a.fraction) for a in read.answers[:-1]] == expected
    assert [a.tolerance for a in read.answers[:-1]] == [tolerance(chosen.question, x) for x, _ in expected]
    assert [parsed(a.feedback).text.strip() for a in read.answers[1:-1]] == ["Subtracted. @Add.", "Multiplied. +Add."]
    assert read.answers[-1].text == "*"
    assert "Answer in GiB" in read.text
    assert read.units[0] == ("GiB", 1.0)


def test_units_convert_as_moodle_does_a_given_number_divided_by_the_factor_is_in_the_unit_asked() -> None:
    factors = dict(spellings(GIB))
    assert 4096 / factors["MiB"] == 4
    assert 2**32 / factors["B"] == 4
    assert round(4.294967296 / factors["GB"], 9) == 4
    assert dict(spellings(MIB))["MiB"] == 1
    assert [name for name, _ in spellings(TOKEN)] == ["tokens", "token", "个token"]


def test_a_vector_has_a_gap_for_each_number_and_slips_that_cannot_be_told_apart_there_speak_together() -> None:
    first, second = sample("vector").gaps
    assert [(a.text, a.fraction) for a in first.answers] == [("1", 100.0), ("5", 0.0)]
    assert [(a.text, a.fraction) for a in second.answers] == [("2", 100.0), ("7", 0.0), ("9", 0.0)]
    assert [name for name in ("Slip one", "Slip both", "Slip second") if name in first.answers[1].feedback] == [
        "Slip one",
        "Slip both",
    ]
    assert "Slip both" in second.answers[1].feedback
    assert "Slip second" in second.answers[2].feedback


def test_an_option_carries_the_sentence_of_its_slip() -> None:
    read = sample("choice")
    assert [a.fraction for a in read.answers] == [0.0, 100.0, 0.0]
    assert ["Slip first" in a.feedback or "Slip last" in a.feedback for a in read.answers] == [True, False, True]


def test_a_claim_with_a_correction_is_one_option_and_any_correction_of_a_true_claim_is_told_why_it_is_true() -> None:
    read = sample("error")
    assert [a.fraction for a in read.answers] == [0.0, 0.0, 100.0, 0.0, 0.0, 0.0]
    said = [re.findall(r"Slip ([\w-]+)", a.feedback) for a in read.answers]
    assert said == [["claim-1"], ["claim-1"], [], ["other"], ["claim-3"], ["claim-3"]]


def test_an_order_asks_for_the_place_of_each_option() -> None:
    gaps = sample("order").gaps
    right = [next(a.text for a in gap.answers if a.fraction == 100) for gap in gaps]
    assert right == ["3", "1", "2"]  # B, C, A
    assert all([a.text for a in gap.answers] == ["1", "2", "3"] for gap in gaps)
    assert "Slip as-is" in gaps[0].answers[0].feedback


def test_cells_are_gaps_whose_choices_stand_in_one_order_whatever_is_right() -> None:
    gaps = sample("cells").gaps
    assert [next(a.text for a in gap.answers if a.fraction == 100) for gap in gaps] == ["–", "✓", "✓", "–", "–", "✓"]
    assert {tuple(a.text for a in gap.answers) for gap in gaps} == {("–", "✓")}
    assert [bool(gap.answers[0].feedback or gap.answers[1].feedback) for gap in gaps] == [
        False,
        False,
        True,
        False,
        False,
        False,
    ]


def test_what_stands_in_a_text_opens_no_gap_and_comes_out_as_it_went_in() -> None:
    for read in imported(made(request(CHOSEN, ("en",), n=1))):
        if read.kind == "cloze":
            blame = [a.feedback for gap in read.gaps for a in gap.answers if a.feedback]
            assert blame
            assert all("{1:NM:=7} a<b & " in parsed(said).text and "~ # } “c” d" in parsed(said).text for said in blame)
            assert "{1:NM:=7} a<b & " in parsed(read.text).text


def test_a_title_is_one_step_of_the_path_and_markup_in_it_stays_text() -> None:
    read = sample("choice", BOTH)
    assert read.path == (HOSTILE, "Sample a/b / 样例 a/b", "The choice / 题 choice")


def test_both_languages_stand_one_after_the_other_and_one_alone_has_no_other() -> None:
    assert [tag for tag in ("en", "zh-CN") if f'lang="{tag}"' in sample("number", BOTH).text] == ["en", "zh-CN"]
    assert not re.search("[\u4e00-\u9fff]", "".join(a.feedback for a in sample("number", ("en",)).answers))


def test_a_broken_file_is_noticed() -> None:
    file = made(request(CHOSEN, n=1))
    for right, wrong in (
        (b'fraction="100"', b'fraction="99"'),
        (b"{1:MULTICHOICE:", b"{1:CHOICE:"),
        (b"<tolerance>0", b"<tolerance>x"),
        (b"$course$/", b"course/"),
    ):
        assert right in file
        with pytest.raises(AssertionError):
            imported(file.replace(right, wrong))


def test_a_question_with_slips_out_of_its_options_leaves_them_out() -> None:
    choice: Question[Any] = CHOSEN[2].question
    assert [slip.name for slip in choice.slips] == ["first", "last", "none"]
    assert "Slip none" not in "".join(a.feedback for a in sample("choice").answers)
