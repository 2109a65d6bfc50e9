"""Check yourself: a right answer, each slip by its name, nonsense, new numbers."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from lessons.kit.question import Question
from lessons.kit.reply import exactly
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from lessons.online_softmax.questions.folds import OUTPUT
from pages.shell.site import words
from pages.shell.site.words import CHECK_ALL, NEXT
from tests.pages.answers import give, show_the_way
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled
from tests.pages.reader import CHAPTER, SLUG, Player, open_tab


class Quiz:
    def __init__(self, page: Page, lang: Lang) -> None:
        self.page, self.lang = page, lang
        self.panel = open_tab(page, words.QUIZ, lang)
        self.field = self.panel.get_by_role("textbox", name=words.ANSWER.of(lang))
        self.reply = self.panel.get_by_test_id("stAlert")

    def answer(self, typed: str) -> Locator:
        self.field.fill(typed)
        self.panel.get_by_role("button", name=words.SUBMIT.of(self.lang), exact=True).click()
        settled(self.page)
        return self.reply

    def choose(self, question: Question, seen: str) -> None:  # type: ignore[type-arg]
        """Choose from the list, and wait until the question is another one than the one seen."""
        self.panel.get_by_role("combobox", name=words.QUESTION.of(self.lang)).first.click()
        self.page.get_by_role("option", name=question.title.of(self.lang)).click()
        expect(self.panel).not_to_have_text(seen)
        expect(self.reply).to_have_count(0)


def test_a_right_answer_shows_the_exact_value_and_the_steps_and_each_slip_is_named(open_page: OpenPage) -> None:
    page = open_page(SLUG)
    quiz = Quiz(page, "en")
    instance = OUTPUT.instance(OUTPUT.inputs)
    for slip in OUTPUT.slips:
        reply = quiz.answer(", ".join(f"{x:.4g}" for x in instance.slips[slip.name]))
        expect(reply).to_contain_text(f"✗ {slip.title.en}.")
        expect(reply).to_contain_text(slip.told(OUTPUT.inputs).en.partition("$")[0])  # a formula reads otherwise
        expect(page.get_by_test_id("player")).to_have_count(1)

    show_the_way(page, quiz.panel, "en")
    expect(quiz.panel).to_contain_text(exactly(instance.answer))
    expect(page.get_by_test_id("player")).to_have_count(2)

    expect(quiz.answer("1, 2")).to_contain_text(words.NOT_YET.en)
    for nonsense in ("", "<img src=x onerror=alert(1)>", "7.1", "1e999, 2", "x" * 500):
        reply = quiz.answer(nonsense)
        expect(reply).to_contain_text(
            re.compile(r"Your answer (must be|needs 2 numbers|has no number|may have)[^\n]*\.\s*$")
        )
        assert page.locator("img[src=x]").count() == 0

    hint = quiz.panel.get_by_role("button", name=words.HINT.en, exact=True)
    onward = quiz.panel.get_by_role("button", name=NEXT.en, exact=True)
    expect(hint).to_be_visible()
    expect(onward).to_have_count(0)
    expect(quiz.answer("(7.10， 5.34)")).to_contain_text(f"✓ Right. Exactly: {exactly(instance.answer)}")
    expect(hint).to_have_count(0)
    expect(onward).to_be_visible()
    show_the_way(page, quiz.panel, "en")
    way = Player(page, n=1)
    way.shows(CHAPTER, 0)
    way.button("next").click()
    way.is_at(1)
    Player(page).is_at(0)
    assert "#step" not in page.url  # the second player leaves the address alone

    asked = quiz.panel.locator("table").first
    before = asked.inner_text()
    quiz.panel.get_by_role("button", name=words.NEW_NUMBERS.en).click()
    expect(asked).not_to_have_text(before)
    expect(quiz.reply).to_have_count(0)
    expect(quiz.field).to_have_value("")
    expect(page.get_by_test_id("player")).to_have_count(1)


def test_a_right_answer_leads_to_the_next_question_and_the_last_one_to_the_mixed_set(open_page: OpenPage) -> None:
    *_, last_but_one, last = LESSON.questions
    page = open_page(f"{SLUG}?question={last_but_one.slug}&lang=zh", lang="zh")
    quiz = Quiz(page, "zh")
    give(page, quiz.panel, last_but_one, last_but_one.answer(last_but_one.inputs), "zh")
    quiz.panel.get_by_role("button", name=NEXT.zh, exact=True).click()
    expect(page).to_have_url(re.compile(f"question={last.slug}"))
    expect(quiz.reply).to_have_count(0)
    settled(page)
    give(page, quiz.panel, last, last.answer(last.inputs), "zh")
    expect(quiz.panel.get_by_role("button", name=NEXT.zh, exact=True)).to_have_count(0)
    quiz.panel.get_by_role("link", name=CHECK_ALL.zh).click()
    expect(page).to_have_url(re.compile("/check"))
