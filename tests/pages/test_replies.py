"""Every kind of question in the browser: the right answer, each slip, nonsense; a link opens it with its numbers."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from lessons import LESSONS
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question
from lessons.kit.text import Lang
from pages.shell.site import words
from tests.pages.answers import give, pick, show_the_way
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled
from tests.pages.reader import Player, open_tab

KINDS = ("number", "vector", "choice", "order", "cells", "error", "line")
SEED = 7


def of_kind(kind: str) -> tuple[Lesson[Any, Any], Question[Any]]:
    """The first question of the kind."""
    return next((lesson, q) for lesson in LESSONS for q in lesson.questions if q.kind == kind)


@pytest.mark.parametrize(("kind", "lang"), list(zip(KINDS, cycle(("en", "zh")), strict=False)))
def test_no_answer_two_slips_and_the_right_answer_are_known_in_every_kind_of_question(
    open_page: OpenPage, kind: str, lang: Lang
) -> None:
    lesson, question = of_kind(kind)
    page = open_page(f"{lesson.slug}?question={question.slug}&seed={SEED}", lang=lang)
    Player(page, lang).is_at(0)
    panel = open_tab(page, words.QUIZ, lang)
    panel.get_by_role("button", name=words.SUBMIT.of(lang), exact=True).click()
    told = expect(panel.get_by_test_id("stAlert"))
    if kind in ("cells", "order"):  # nothing ticked, nothing moved: that is an answer too
        told.not_to_contain_text(words.ANSWER.of(lang))
    else:
        told.to_contain_text(words.ANSWER.of(lang))
    settled(page)
    drawn = question.draw(SEED)
    for slip in [slip for slip in question.slips if slip.name in drawn.slips][:2]:
        reply = give(page, panel, question, drawn.slips[slip.name], lang)
        expect(reply).to_contain_text(f"✗ {slip.title.of(lang)}")
    reply = give(page, panel, question, drawn.answer, lang)
    expect(reply).to_contain_text(f"✓ {words.RIGHT.of(lang)}")
    show_the_way(page, panel, lang)
    expect(page.get_by_test_id("player")).to_have_count(2)


HOSTILE = (
    "",
    "nothing at all",
    "1e999",
    "9" * 500,
    "9**9**9**9",
    "__import__('os').system('x')",
    "<img src=x onerror=alert(1)>",
    "(" * 200,
)


def test_anything_may_stand_in_the_answer_field(open_page: OpenPage) -> None:
    lesson, question = of_kind("number")
    page = open_page(f"{lesson.slug}?question={question.slug}&seed={SEED}")
    panel = open_tab(page, words.QUIZ, "en")
    field = panel.get_by_role("textbox", name=words.ANSWER.en)
    for typed in HOSTILE:
        field.fill(typed)
        panel.get_by_role("button", name=words.SUBMIT.en, exact=True).click()
        settled(page)
        expect(panel.get_by_test_id("stAlert")).to_contain_text("Your answer")
        assert page.locator("img[src=x]").count() == 0
    answer = question.draw(SEED).answer[0]
    field.fill(f"({answer!r} + 1) * 1 - 1")
    field.press("Enter")
    expect(panel.get_by_test_id("stAlert")).to_contain_text(f"✓ {words.RIGHT.en}")


def test_the_same_link_gives_the_same_question_and_edited_numbers_travel_with_it(open_page: OpenPage) -> None:
    lesson, question = of_kind("number")
    page = open_page(lesson.slug)
    panel = open_tab(page, words.QUIZ, "en")
    asked = panel.get_by_text(question.asked(question.inputs).en.split(".")[0])
    expect(asked.first).to_be_visible()
    panel.get_by_role("button", name=words.NEW_NUMBERS.en).click()
    page.wait_for_url("**seed=*")
    text = panel.inner_text()
    friend = open_page(page.url.removeprefix(page.url.split("/" + lesson.slug)[0]))
    expect(friend.get_by_role("tabpanel").filter(visible=True)).to_have_text(text, use_inner_text=True)

    field = numbers_of(panel)
    before = int(field.input_value())
    field.fill(str(before + 1))
    field.press("Enter")
    page.wait_for_url("**numbers=*")
    friend.goto(page.url)
    settled(friend)
    expect(numbers_of(friend.get_by_role("tabpanel").filter(visible=True))).to_have_value(str(before + 1))


def numbers_of(panel: Locator) -> Locator:
    """The first of the question's own numbers, in the section that is now open."""
    panel.get_by_text(words.EDIT_INPUTS.en).click()
    field = panel.get_by_test_id("stExpander").get_by_role("textbox").first
    field.wait_for()
    return field


NO_SEED = "seed in the link must be a whole number"
NO_QUESTION = {  # the address after the question mark, and what is said of it
    "question=nothing": words.NO_SUCH_QUESTION.en,
    "question=&seed=1": None,
    "seed=9": None,
    "question=SLUG&seed=x": NO_SEED,
    f"question=SLUG&seed={'9' * 3000}": NO_SEED,
    "question=SLUG&seed=-1": NO_SEED,
    "question=SLUG&numbers=%3Cimg%20src%3Dx%3E": None,
    "question=SLUG&numbers=FIELD%3D%3Cimg%20src%3Dx%3E%26tokens%3Dx": "must be",
}


def test_a_link_to_no_question_or_with_no_numbers_says_so_and_shows_one_that_can_be_answered(
    open_page: OpenPage,
) -> None:
    lesson, question = of_kind("number")
    page = open_page(lesson.slug)
    for rest, said in NO_QUESTION.items():
        query = rest.replace("SLUG", question.slug).replace("FIELD", question.form.controls[0].name)
        page.goto(f"{page.url.partition('?')[0]}?{query}")
        settled(page)
        panel = open_tab(page, words.QUIZ, "en")
        expect(panel.get_by_role("button", name=words.SUBMIT.en, exact=True)).to_be_visible()
        if said is not None:
            expect(panel.get_by_test_id("stAlert")).to_contain_text(said)
        assert page.locator("img[src=x]").count() == 0


def test_a_link_to_a_question_arrives_at_it(open_page: OpenPage) -> None:
    lesson, question = of_kind("choice")
    page = open_page(f"{lesson.slug}?question={question.slug}", height=700)
    list_ = page.get_by_role("combobox", name=words.QUESTION.en).first
    expect(list_).to_be_in_viewport()
    page.wait_for_timeout(500)  # the player above may still have been growing
    expect(list_).to_be_in_viewport()
    page.mouse.move(640, 350)
    page.mouse.wheel(0, -5000)
    expect(page.locator("h1")).to_be_in_viewport()
    page.wait_for_timeout(300)
    expect(page.locator("h1")).to_be_in_viewport()  # the reader's own scrolling stands


def test_a_verdict_goes_with_the_choice_it_was_about(open_page: OpenPage) -> None:
    lesson, question = of_kind("choice")
    page = open_page(f"{lesson.slug}?question={question.slug}&seed={SEED}")
    panel = open_tab(page, words.QUIZ, "en")
    right = int(question.draw(SEED).answer[0])
    wrong = 1 + right % 2
    told = give(page, panel, question, (float(wrong),), "en")
    expect(told).to_contain_text("✗")
    pick(page, panel, words.ANSWER.en, right)
    expect(told).to_have_count(0)
    expect(give(page, panel, question, (float(right),), "en")).to_contain_text("✓")


def test_hints_show_the_way_without_its_last_line_and_then_an_example(open_page: OpenPage) -> None:
    asked: tuple[tuple[str, Lang], ...] = (("number", "en"), ("choice", "zh"))
    for kind, lang in asked:
        lesson, question = of_kind(kind)
        page = open_page(f"{lesson.slug}?question={question.slug}&seed={SEED}", lang=lang)
        panel = open_tab(page, words.QUIZ, lang)
        hint = panel.get_by_role("button", name=words.HINT.of(lang), exact=True)
        rows = question.lines(question.draw(SEED).inputs)
        hint.click()
        expect(panel.get_by_text(words.LAST_LINE_BLANK.of(lang))).to_be_visible()
        expect(panel.locator("table tbody tr")).to_have_count(len(rows))
        expect(panel.locator("table tbody tr").last).to_contain_text("?")
        hint.click()
        expect(panel.get_by_text(words.WORKED_EXAMPLE.of(lang))).to_be_visible()
        expect(hint).to_have_count(0)


def test_a_line_chosen_the_moment_before_check_is_the_one_that_is_judged(open_page: OpenPage) -> None:
    lesson, question = of_kind("line")
    page = open_page(f"{lesson.slug}?question={question.slug}&seed={SEED}")
    panel = open_tab(page, words.QUIZ, "en")
    drawn = question.draw(SEED)
    lines = panel.get_by_role("radiogroup", name=words.WRONG_LINE.en)
    lines.get_by_role("radio").first.focus()
    for _ in range(3):  # the keys run over lines that are not meant
        page.keyboard.press("ArrowDown")
    lines.locator(f"input[value='{int(drawn.answer[0])}']").check()
    panel.get_by_role("button", name=words.SUBMIT.en, exact=True).click()
    settled(page)
    expect(panel.get_by_test_id("stAlert")).to_contain_text(f"✓ {words.RIGHT.en}")
