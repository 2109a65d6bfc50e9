"""*Edit the numbers of this question*: the form of every question opens, and shows each of its fields."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons import LESSONS
from lessons.home.question import CHECK
from lessons.kit.key_table import KeyTable
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question
from pages.shell.site import words
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled

# A list that is open closes as the page scrolls: a click on it comes after the scrolling, not in the same frame.
AT_REST = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
BROUGHT = "document.querySelector('[data-testid=stMain]').scrollTop > 0"
FIELD = ".stTextInput, .stSelectbox, [data-testid=stDataFrame]"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_the_form_of_every_question_shows_all_its_fields(open_page: OpenPage, lesson: Lesson[Any, Any]) -> None:
    page = open_page(f"{lesson.slug}?question={lesson.questions[0].slug}")
    panel = page.get_by_role("tabpanel", name=words.QUIZ.en, exact=True)
    page.wait_for_function(BROUGHT)
    for question in lesson.questions:
        chooser = panel.get_by_role("combobox", name=words.QUESTION.en).first
        if chooser.input_value() != title(lesson, question):
            chooser.scroll_into_view_if_needed()
            page.evaluate(AT_REST)
            chooser.click()
            seen = panel.inner_text()
            page.get_by_role("option", name=title(lesson, question), exact=True).click()
            expect(panel).not_to_have_text(seen, use_inner_text=True)
            settled(page)
        opens(page, panel, question)


def test_the_form_of_the_question_at_home_shows_all_its_fields(page: Page) -> None:
    opens(page, page.locator("[data-testid=stMain]"), CHECK)


def title(lesson: Lesson[Any, Any], question: Question[Any]) -> str:
    return f"{lesson.questions.index(question) + 1} · {question.title.en}"


def opens(page: Page, panel: Locator, question: Question[Any]) -> None:
    details = panel.locator("details").filter(has_text=words.EDIT_INPUTS.en)
    details.locator("summary").click()
    settled(page)
    expect(page.get_by_test_id("stException"), question.slug).to_have_count(0)
    expect(details.locator(FIELD), question.slug).to_have_count(len(question.form.controls))
    for control in question.form.controls:
        if not isinstance(control, KeyTable):
            expect(details.get_by_label(control.label.en, exact=True).first, question.slug).to_be_visible()
    expect(panel.get_by_role("button", name=words.NEW_NUMBERS.en, exact=True), question.slug).to_be_visible()
