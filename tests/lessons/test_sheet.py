"""Sheet, answer key and table: complete, escaped, needing nothing, and the same for the same seed."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from lessons import LESSONS
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from lessons.sheets import words
from lessons.sheets.files import Files, bound, parts
from lessons.sheets.marks import mark
from lessons.sheets.markup import line
from lessons.sheets.table import HEAD, safe
from lessons.sheets.variants import MOST_VARIANTS, SEEDS, Chosen, Request, seed_of_variant, variants
from pages.shell.sheets.page import asked
from tests.lessons.moodle_rules import imported
from tests.lessons.reading import CHINESE, differing, parsed, texts
from tests.lessons.sample_questions import CHOSEN

CSS = (Path(__file__).parents[2] / "assets" / "sheet.css").read_text("utf-8")
BANK = tuple(Chosen(lesson.slug, lesson.title, question) for lesson in LESSONS for question in lesson.questions)
BOTH: tuple[Lang, ...] = ("en", "zh")
HOSTILE = "<script>alert(1)</script> & “🙂”"
HTML = (
    "html head meta title style body table thead tbody tr td th div span b p h2 small ul li strong em code sup "
    "sub ol br hr pre !"
)
MATHML = (
    "math mrow mi mo mn msub msup msubsup mfrac mtext mspace mover munder munderover msqrt mstyle mtable mtr "
    "mtd mpadded"
)


@lru_cache(maxsize=8)
def files(asked: Request) -> Files:
    return bound(asked, parts(asked), CSS)


def request(
    languages: tuple[Lang, ...] = BOTH, n: int = 3, *, lines: bool = True, title: str = HOSTILE, seed: int = 7
) -> Request:
    return Request(title, CHOSEN, seed, n, languages, lines)


def shown(html: bytes | str) -> str:
    """What is read, all blanks alike."""
    return " ".join(parsed(html if isinstance(html, str) else html.decode()).text.split())


@pytest.mark.parametrize("languages", [("en",), ("zh",), BOTH], ids=["en", "zh", "both"])
def test_a_file_to_print_needs_nothing_else_and_runs_nothing(languages: tuple[Lang, ...]) -> None:
    for html in (files(request(languages)).sheet, files(request(languages)).key):
        document = parsed(html.decode())
        assert set(document.tags) <= {*HTML.split(), *MATHML.split()}
        for name, value in document.attributes:
            assert name not in ("src", "href", "style", "srcdoc")
            assert not name.startswith("on")
            assert name in ("xmlns", "content") or "://" not in (value or "")
        assert "url(" not in html.decode()
        assert "@import" not in html.decode()
        assert b"default-src 'none'" in html
        assert "<script>" not in html.decode()
        assert HOSTILE in document.text
        assert bool(CHINESE.search(document.text)) == ("zh" in languages)


def test_every_variant_has_pages_of_its_own_with_its_number_and_seed_in_a_head_that_is_repeated() -> None:
    asked = request(("en",), n=5)
    html = files(asked).sheet.decode()
    for variant in variants(asked):
        head = html.split(f'id="variant-{variant.number}"')[1].split("</thead>")[0]
        assert words.variant(variant.number, variant.seed).en in head
    assert "break-before: page" in CSS
    assert html.count('<table class="variant"') == 5


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_every_question_of_a_lesson_is_asked_on_the_sheet_and_answered_on_the_key_with_all_its_slips(
    lesson: Lesson[Any, Any],
) -> None:
    chosen = tuple(one for one in BANK if one.lesson == lesson.slug)
    asked = Request("", chosen, 3, 1, BOTH)
    made = files(asked)
    key, rows = shown(made.key), list(csv.DictReader(io.StringIO(made.table.decode("utf-8-sig"))))
    assert shown(made.sheet).count(words.DATE.en) == 1
    assert made.sheet.count(b'<div class="number">') == len(chosen)
    for item, row in zip(next(variants(asked)).items, rows, strict=True):
        assert (row["lesson"], row["question"], row["kind"]) == (lesson.slug, item.question.slug, item.question.kind)
        assert json.loads(row["inputs"]) == item.question.form.write(item.inputs)
        if item.question.kind == "number":
            assert float(row["answer"]) == item.answer[0]
        assert [slip["slip"] for slip in json.loads(row["slips"])] == [slip.name for slip, _ in item.slips]
        for slip, answer in item.slips:
            for lang in BOTH:
                assert item.question.kind == "cells" or shown(line(mark(item, answer).of(lang))) in key
                assert shown(line(slip.title.of(lang))) in key


def test_room_for_answers_can_be_left_out_but_what_is_ticked_or_chosen_from_stays() -> None:
    with_, without = files(request(("en",))).sheet, files(request(("en",), lines=False)).sheet
    assert b'<div class="ruled">' in with_
    assert b'<div class="ruled">' not in without
    for kept in (b'class="options"', b'class="claims"', b'class="cells"', b'class="box"'):
        assert with_.count(kept) == without.count(kept) > 0


def test_the_sheet_gives_no_answer_away() -> None:
    html = files(request(n=1)).sheet.decode()
    assert "✓" not in html
    assert "Slip" not in parsed(html).text
    assert "Subtracted" not in parsed(html).text


def test_the_key_marks_as_the_sheet_does() -> None:
    key = files(request(("en",), n=1)).key.decode()
    assert [
        right in shown(key)
        for right in (
            "102 GiB within ± 0.51",
            "Btwo",
            "B → C → Atwo",
            "2 A“claim 2” is wrong",
            "1, whatever is put instead",
        )
    ] == [True] * 5
    assert '<span class="pattern">☐☑☐<br>☐☐☑</span>' in key
    cells = key.split('<table class="cells">')[1].split("</table>")[0]
    assert [cell.startswith("<span class=box>✓") for cell in cells.split("<td>")[1:]] == [
        False,
        False,
        True,
        True,
        False,
        False,
        True,
    ]


def digest(seed: int) -> str:
    """Of all four files of a request."""
    made = files(Request("T", BANK[::9], seed, 2, BOTH))
    return hashlib.sha256(made.sheet + made.key + made.table + made.moodle).hexdigest()


def test_the_same_request_gives_the_same_bytes_in_another_process_and_another_seed_gives_others() -> None:
    code = "from tests.lessons.test_sheet import digest; print(digest(7))"
    root = Path(__file__).parents[2]
    other = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env=os.environ | {"PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.strip() == digest(7) != digest(8)


def test_the_variants_of_a_sheet_and_of_its_neighbours_are_all_different_and_open_in_the_app() -> None:
    seeds = [seed_of_variant(seed, number) for seed in (0, 1, 2, SEEDS - 1) for number in range(1, MOST_VARIANTS + 1)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < SEEDS for seed in seeds)
    for variant in variants(request(n=3)):
        for item in variant.items:
            assert item.inputs == item.question.draw(variant.seed).inputs


def test_no_cell_of_the_table_is_a_formula_and_it_opens_as_utf_8() -> None:
    table = files(request()).table
    assert table.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(table.decode("utf-8-sig"))))
    assert tuple(rows[0]) == HEAD
    assert len(rows) == 1 + 3 * len(CHOSEN)
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "@", "\t", "\r", "|"))
        assert not cell.startswith("-") or float(cell) < 0
    assert [safe(cell) for cell in ("=1", " =1", "+1", "@a", "−x", "＝1", "-1", "-1.5e-7", "[1]")] == [
        "'=1", "' =1", "'+1", "'@a", "'−x", "'＝1", "-1", "-1.5e-7", "[1]",
    ]  # fmt: skip


def test_the_first_variant_is_there_before_the_last_is_made() -> None:
    coming = parts(Request("T", CHOSEN, 1, 60))
    assert next(coming).number == 1


def test_the_words_of_the_files_state_the_same_numbers_in_both_languages() -> None:
    for _, text in texts({name: value for name, value in vars(words).items() if name.isupper()}):
        assert differing(text) == {}
    for text in (words.variant(3, 42), words.within("0.5"), words.any_correction("2")):
        assert differing(text) == {}


@pytest.mark.parametrize(
    "typed", ["", "-1", "0", "61", "1e9", "9" * 10_000, "１.５", "__import__('os')", "\ud800", "２"]
)
def test_anything_at_all_in_a_field_is_a_request_or_a_sentence_in_both_languages(typed: str) -> None:
    for field in ("title", "seed", "variants"):
        request, complaints = asked(
            {"title": "", "seed": "1", "variants": "2", "languages": "both", "lines": "with"} | {field: typed},
            {BANK[0].slug},
        )
        assert (request is None) == bool(complaints)
        for complaint in complaints:
            assert differing(complaint) == {}
        if request is not None:
            assert bound(request, parts(request), CSS).sheet
    assert bool(asked({"variants": typed}, set())[1]) == (typed != "２")


def test_a_title_keeps_what_can_be_seen_and_no_file_breaks_on_the_rest() -> None:
    typed = {"title": "\x00\x08a\ud800\uffff b 👩‍🏫", "seed": "1", "variants": "1", "languages": "en", "lines": "with"}
    request, _ = asked(typed, {BANK[0].slug})
    assert request is not None
    assert request.title == "a b 👩‍🏫"
    assert imported(files(request).moodle)[0].path[0] == "a b 👩‍🏫"
