"""*Edit the numbers of this question*: the form of every question opens, and shows each of its fields."""

from __future__ import annotations

from collections import Counter
from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from streamlit.testing.v1 import AppTest

from lessons import LESSONS
from lessons.home.question import CHECK
from lessons.kit.key_table import KeyTable
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question
from lessons.kit.text import Lang
from pages.shell.site import words
from tests.conftest import THOROUGH
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled
from tests.pages.reader import LANGS, sluglike

# A list that is open closes as the page scrolls: a click on it comes after the scrolling, not in the same frame.
AT_REST = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
BROUGHT = "document.querySelector('[data-testid=stMain]').scrollTop > 0"
FIELD = ".stTextInput, .stSelectbox, [data-testid=stDataFrame]"


def ask_all(slug: str, zh: bool) -> None:
    """All questions of a lesson on one page, each with its form open. (Streamlit runs these lines alone.)"""
    import streamlit as st

    from lessons import LESSONS
    from pages.shell.lesson.attempt import attempt_of
    from pages.shell.lesson.quiz import ask, attempt_key

    lesson = next(lesson for lesson in LESSONS if lesson.slug == slug)
    for question in lesson.questions:
        key = attempt_key(question, lesson)
        st.session_state[f"{key}/edit"] = True
        ask(question, attempt_of(question, key), "zh" if zh else "en", lesson)


@pytest.mark.parametrize(("lesson", "lang"), list(zip(LESSONS, cycle(LANGS), strict=False)), ids=sluglike)
def test_the_form_of_every_question_has_all_its_fields(lesson: Lesson[Any, Any], lang: Lang) -> None:
    """Without a browser. One key for two widgets would be an exception."""
    app = AppTest.from_function(ask_all, args=(lesson.slug, lang == "zh"), default_timeout=60).run()
    assert [shown.message for shown in app.exception] == []
    controls = [control for question in lesson.questions for control in question.form.controls]
    tables = [control for control in controls if isinstance(control, KeyTable)]
    labels = Counter(control.label.of(lang) for control in controls if control not in tables)
    labels[words.ANSWER.of(lang)] += sum(question.kind in ("number", "vector") for question in lesson.questions)
    assert Counter(field.label for field in (*app.text_input, *app.selectbox)) == labels
    assert len(app.dataframe) == len(tables)
    assert sum(button.label == words.NEW_NUMBERS.of(lang) for button in app.button) == len(lesson.questions)


@pytest.mark.parametrize("lesson", LESSONS if THOROUGH else LESSONS[:1], ids=lambda lesson: lesson.slug)
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
