"""Progress as a file and as a browser's storage: what is written reads back, and nothing else is ever taken in."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons import LESSONS
from lessons.kit.controls import BadInput
from lessons.practice.practice import name_of
from lessons.practice.progress import MOST, MOST_CHARACTERS, Answered, merged, read, salvaged, write
from tests.lessons.reading import differing

ONE = Answered("aaaaaaaa0001", "2026-03-01T09:30:00.000", "kv_bytes.total", 71, False, 0, ("query-heads",))
ANSWERS = st.builds(
    Answered,
    st.text("abc019", min_size=8, max_size=12),
    st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2090, 1, 1)).map(
        lambda time: time.isoformat(timespec="milliseconds")
    ),
    st.sampled_from(["kv_bytes.total", "kv_bytes.by-hand", "online_softmax.alpha"]),
    st.none() | st.integers(0, 999_999),
    st.booleans(),
    st.integers(0, 9),
    st.lists(st.sampled_from(["query-heads", "forgot_v", "a+b", "x"]), max_size=4).map(tuple),
)  # fmt: skip


def file(*entries: Any, **other: Any) -> str:
    return json.dumps({"schema": "attention-progress", "version": 1, "answers": list(entries)} | other)


def entry(**changed: Any) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(json.dumps(asdict(ONE)))
    return whole | changed


@given(st.lists(ANSWERS, max_size=20))
def test_what_is_written_reads_back_the_same(answers: list[Answered]) -> None:
    kept = merged(answers)
    assert read(write(kept)) == kept
    assert salvaged(write(kept)) == (kept, True)


@given(st.lists(ANSWERS, max_size=8), st.lists(ANSWERS, max_size=8))
def test_two_tabs_lose_nothing_of_each_other_whoever_writes_last(a: list[Answered], b: list[Answered]) -> None:
    both = merged(a, b)
    assert {x.id for x in both} == {x.id for x in (*a, *b)}
    assert merged(both, a) == merged(a, b, a)
    assert [x.at for x in both] == sorted(x.at for x in both)


def test_the_same_answer_from_a_file_and_the_browser_counts_once() -> None:
    assert merged((ONE,), read(write((ONE,)))) == (ONE,)


def test_the_oldest_are_let_go_and_what_is_left_fits_a_file() -> None:
    long = replace(ONE, question="q" * 40 + "." + "q" * 40, slips=("s" * 90,) * 4, id="i" * 20)
    many = [replace(long, id=f"{long.id}{i:012}", at=f"2026-03-01T09:{i // 60:02}:{i % 60:02}.000") for i in range(900)]
    kept = merged(many)
    assert kept == tuple(many[-MOST:])
    assert len(write(kept)) < MOST_CHARACTERS
    assert read(write(kept)) == kept


def test_every_question_and_slip_of_every_lesson_can_be_kept() -> None:
    for lesson in LESSONS:
        for question in lesson.questions:
            for slip in question.slips:
                answer = replace(ONE, question=name_of(lesson.slug, question.slug), slips=(slip.name,))
                assert read(write((answer,))) == (answer,)


NO_FILES = {
    "nothing": "",
    "words": "hello",
    "half": file(entry())[:-5],
    "deep": "[" * 100_000,
    "digits": "9" * 100_000,
    "a list": "[]",
    "null": "null",
    "another app's": json.dumps({"version": 1, "answers": []}),
    "answers no list": file() .replace("[]", "{}"),
    "version 2": file(version=2),
    "version true": file(version=True),
    "version text": file(version="1"),
    "too large": file(entry(), note="x" * MOST_CHARACTERS),
    "too many": file(*[entry(id=f"{i:012}") for i in range(MOST + 1)]),
    "binary": "\x00\ud800\uffff",
}  # fmt: skip


@pytest.mark.parametrize("text", NO_FILES.values(), ids=NO_FILES)
def test_what_is_no_progress_file_is_refused_with_one_sentence_in_both_languages(text: str) -> None:
    with pytest.raises(BadInput) as raised:
        read(text)
    (complaint,) = raised.value.complaints
    assert complaint.en.startswith("This is no progress file of this app: ")
    assert complaint.en.endswith("Nothing has been changed.")
    assert complaint.zh.startswith("这不是本应用的进度文件：")
    assert differing(complaint) == {}


XSS = "<img src=x onerror=alert(1)>"
BAD: dict[str, list[Any]] = {
    "id": [XSS, "", "a", "a" * 99, 7, None, "ABCDEFGH", "aaaaaaaa\n"],
    "at": [XSS, "2026-02-30T09:30:00.000", "2026-03-01", "2026-03-01T09:30:00.000Z", "1999-03-01T09:30:00.000", 0,
    "２０26-03-01T09:30:00.000"],
    "question": [XSS, "kv_bytes", "kv_bytes.total.x", "../etc.passwd", "[a](javascript:b).c", "kv_bytes.total\n",
    "总.量",


    ["kv_bytes.total"]],
    "seed": ["71", 71.0, -1, 10**6, True, 10**30, [71]],
    "right": [0, 1, "true", None],
    "hints": [-1, 10, True, "0", 0.0, None],
    "slips": ["query-heads", None, {}, [XSS], [""], [7], ["x"] * 5, [["x"]], ["a|b"], ["`x`"], ["x" * 91]],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_one_field_that_is_not_as_it_should_be_is_enough_to_refuse_a_file(name: str, value: Any) -> None:
    good, bad = entry(id="bbbbbbbb0002"), entry(**{name: value})
    with pytest.raises(BadInput) as raised:
        read(file(good, bad))
    assert "its answer 2 " in raised.value.complaints[0].en
    assert "第 2 条" in raised.value.complaints[0].zh
    assert salvaged(file(good, bad)) == ((replace(ONE, id="bbbbbbbb0002"),), False)


@pytest.mark.parametrize(
    "bad", [{}, [], "x", 3, None, entry(note="x"), {k: v for k, v in entry().items() if k != "slips"}]
)
def test_an_entry_with_other_fields_is_refused(bad: Any) -> None:
    with pytest.raises(BadInput):
        read(file(bad))
    assert salvaged(file(bad, entry())) == ((ONE,), False)


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
        max_leaves=6,
    ).map(json.dumps)
)
def test_a_browser_may_have_stored_anything(text: str) -> None:
    answers, whole = salvaged(text)
    assert answers == ()
    assert whole is (text == "")


def test_a_file_saved_by_an_editor_with_a_byte_order_mark_is_read() -> None:
    assert read("\ufeff" + write((ONE,))) == (ONE,)
