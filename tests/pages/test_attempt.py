"""What a link says of a question, without a browser: its seed, the numbers typed over its own."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from lessons import LESSONS
from pages.shell.lesson.attempt import numbers_of, seed_of


def test_the_numbers_of_every_question_travel_in_a_link_blank_ones_too() -> None:
    for question in (question for lesson in LESSONS for question in lesson.questions):
        typed = question.form.write(question.inputs)
        assert numbers_of(urlencode(typed)) == typed
    assert numbers_of(urlencode({"group": ""})) == {"group": ""}


@pytest.mark.parametrize("link", ["", "&&&", "=", "%ff%fe=%00", "a;b", "a=1&a=2", "x" * 10_000, "a=" * 5_000])
def test_any_link_gives_names_and_texts(link: str) -> None:
    assert all(isinstance(text, str) for pair in numbers_of(link).items() for text in pair)


@pytest.mark.parametrize("typed", [None, "", "-1", "1e3", "²", "1000000", "９", "7 ", "0x1", "nan"])
def test_what_is_no_seed_means_the_questions_own_numbers(typed: str | None) -> None:
    assert seed_of(typed) is None
    assert seed_of("999999") == 999_999
