"""Predict, then reveal: a marked step of a lesson asks first, and never stands in the way."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

import pytest
from playwright.sync_api import Page, expect

from engine.online_softmax import Mistake
from lessons import LESSONS
from lessons.kit.ask import Ask
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from pages.shell.site import words
from tests.pages.conftest import OpenPage
from tests.pages.reader import CHAPTER, LANGS, SLUG, Player, frames_sent_and_received

FRAMES = LESSON.frames(CHAPTER)
LAST = len(FRAMES) - 1
ASKED = next(i for i, frame in enumerate(FRAMES) if frame.narration.ask)
ASK = cast(Ask, FRAMES[ASKED].narration.ask)


class Guesser(Player):
    """A reader who is asked."""

    def __init__(self, page: Page, lang: Lang = "en") -> None:
        super().__init__(page, lang)
        self.field = self.narration.get_by_role("textbox", name=ASK.prompt.of(lang), exact=True)
        self.verdict = self.root.get_by_test_id("verdict")
        self.toggle = self.button("predict")

    def word(self, name: str) -> str:
        return words.PLAYER[name].of(self.lang)

    def comes_to_the_question(self) -> None:
        self.strip.nth(ASKED - 1).click()
        self.button("next").click()
        self.is_asked()

    def is_asked(self) -> None:
        """The counter stands at the marked step; picture and numbers are still those of the step before."""
        self.is_at(ASKED)
        expect(self.counter).to_have_text(f"{ASKED + 1} / {len(FRAMES)}")
        expect(self.narration).to_contain_text(ASK.prompt.of(self.lang))
        expect(self.narration).not_to_contain_text(FRAMES[ASKED].narration.headline.of(self.lang))
        expect(self.svg).to_have_attribute("aria-label", FRAMES[ASKED - 1].scene.label.of(self.lang))
        expect(self.root.locator("#table")).not_to_contain_text(ASK.truth.of(self.lang))
        expect(self.field).to_be_visible()

    def is_shown(self) -> None:
        """The marked step itself, with whatever stands above its words."""
        self.is_at(ASKED)
        expect(self.svg).to_have_attribute("aria-label", FRAMES[ASKED].scene.label.of(self.lang))
        expect(self.narration).to_contain_text(FRAMES[ASKED].narration.headline.of(self.lang))
        expect(self.field).to_have_count(0)

    def guesses(self, typed: str) -> None:
        self.field.fill(typed)
        self.root.get_by_role("button", name=self.word("commit"), exact=True).click()

    def is_told(self, guess: str, *, right: bool) -> None:
        self.is_shown()
        expect(self.verdict).to_contain_text(
            f"{self.word('guess')} {guess} · {self.word('truth')} {ASK.truth.of(self.lang)}"
        )
        expect(self.verdict).to_contain_text("✓" if right else "✗")


def said_here(ask_said: str) -> str:
    """A sentence up to its first formula."""
    return ask_said.split("$")[0]


@pytest.mark.parametrize("lang", LANGS)
def test_a_right_guess_and_the_truth_are_shown_together_and_remembered_and_the_server_hears_nothing(
    open_page: OpenPage, lang: Lang
) -> None:
    player = Guesser(page := open_page(SLUG, lang=lang, asks=True), lang)
    player.is_at(0)
    traffic = frames_sent_and_received(page)
    for _ in range(ASKED):
        player.button("next").click()
    player.is_asked()
    player.guesses(" ０．１３５ ")
    player.is_told("０．１３５", right=True)
    page.keyboard.press("ArrowRight")  # the focus is in the player, not in a field
    player.agrees(CHAPTER, FRAMES, ASKED + 1)
    expect(player.verdict).to_have_count(0)
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    player.agrees(CHAPTER, FRAMES, ASKED - 1)
    page.keyboard.press("ArrowRight")
    player.is_told("０．１３５", right=True)  # not asked again
    player.agrees(CHAPTER, FRAMES, ASKED)
    assert traffic == []


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1280, 800)])
def test_a_question_and_what_came_of_it_stand_above_the_buttons(open_page: OpenPage, width: int, height: int) -> None:
    player = Guesser(page := open_page(SLUG, width=width, height=height, asks=True))
    seen = """([player, part]) => {
      const inside = player.querySelector(part)?.getBoundingClientRect();
      const bar = [...player.querySelectorAll("#toolbar, .stepping")].filter((part) => part.getClientRects().length)[0];
      return inside && inside.top >= 0 && inside.bottom <= bar.getBoundingClientRect().top;
    }"""
    root = player.root.element_handle()
    for _ in range(ASKED):
        player.button("next").click()
    player.is_asked()
    page.wait_for_function(seen, arg=[root, "form.ask"])
    page.keyboard.press("0")  # goes to the field
    page.keyboard.press("Enter")
    player.is_shown()
    page.wait_for_function(seen, arg=[root, ".verdict"])
    page.keyboard.press("ArrowRight")
    player.is_at(ASKED + 1)
    page.wait_for_function(seen, arg=[root, "h2"])
    expect(page).to_have_url(re.compile(f"#step-{ASKED + 2}$"))
    page.reload()  # as does the sentence of a step that a link leads to
    player.is_at(ASKED + 1)
    page.wait_for_function(seen, arg=[player.root.element_handle(), "h2"])


@pytest.mark.parametrize("lang", LANGS)
def test_each_slip_is_named_and_other_steps_ask_anew(open_page: OpenPage, lang: Lang) -> None:
    player = Guesser(open_page(SLUG, lang=lang, asks=True), lang)
    mistakes = list(Mistake)
    for slip, mistake in zip(ASK.slips, mistakes, strict=False):
        if mistake is not Mistake.NONE:
            player.mistake.select_option(mistake.value)
        player.shows(replace(CHAPTER, mistake=mistake))
        player.comes_to_the_question()
        typed = f"{slip.value:.4f}"
        player.guesses(typed.replace(".", ","))
        player.is_told(typed.replace(".", ","), right=False)
        expect(player.verdict).to_contain_text(said_here(slip.said.of(lang)))
    player.mistake.select_option(mistakes[len(ASK.slips)].value)
    player.shows(replace(CHAPTER, mistake=mistakes[len(ASK.slips)]))
    player.comes_to_the_question()
    player.guesses("-0.77")  # no slip: guess and truth, and nothing made up
    player.is_told("-0.77", right=False)
    for slip in ASK.slips:
        expect(player.verdict).not_to_contain_text(said_here(slip.said.of(lang)))


@pytest.mark.parametrize("lang", LANGS)
def test_nonsense_gets_a_sentence_is_kept_and_holds_nobody_up(open_page: OpenPage, lang: Lang) -> None:
    player = Guesser(open_page(SLUG, lang=lang, asks=True), lang)
    player.comes_to_the_question()
    for nonsense in ("", "abc", "<b>1</b>", "1.2.3", "1e999", "__import__('os')", "9**9**9", "NaN", "二", "9" * 10_000):
        player.guesses(nonsense)
        expect(player.narration).to_contain_text(player.word("nonsense"))
        expect(player.field).to_have_value(nonsense)
        expect(player.field).to_be_focused()
    player.button("next").click()
    player.is_shown()
    player.button("next").click()
    player.agrees(CHAPTER, FRAMES, ASKED + 1)
    player.button("previous").click()
    player.is_shown()  # on the way back nothing is asked
    expect(player.verdict).to_have_count(0)
    player.comes_to_the_question()
    player.guesses("9" * 200)
    expect(player.verdict).to_contain_text("✗")


@pytest.mark.parametrize("typed", ["sqrt(0.1353^2)", "1353 ÷ 10⁴", "2*0.06765", "1.353e-1"])
def test_a_guess_may_be_arithmetic(open_page: OpenPage, typed: str) -> None:
    player = Guesser(open_page(SLUG, asks=True))
    player.comes_to_the_question()
    player.guesses(typed)
    player.is_told(typed, right=True)


def test_the_keys_go_on_working_and_the_field_is_one_tab_away(open_page: OpenPage) -> None:
    player = Guesser(page := open_page(SLUG, asks=True))
    press = page.keyboard.press
    player.root.focus()
    for _ in range(ASKED):
        press("ArrowRight")
    player.is_asked()
    press("ArrowLeft")
    player.agrees(CHAPTER, FRAMES, ASKED - 1)
    press("ArrowRight")
    player.is_asked()
    press("ArrowRight")
    player.is_shown()
    press("ArrowRight")
    player.agrees(CHAPTER, FRAMES, ASKED + 1)
    press("ArrowLeft")
    player.is_shown()
    for jump in ("Home", "End"):
        press(jump)
    player.is_at(LAST)
    player.strip.nth(ASKED).click()
    player.is_shown()  # who jumps is not asked
    press("ArrowLeft")
    press("ArrowRight")
    player.is_asked()

    press("Tab")
    expect(player.field).to_be_focused()
    press("1")
    press("ArrowLeft")  # moves the caret
    player.is_asked()
    press("Escape")
    press("ArrowLeft")
    player.agrees(CHAPTER, FRAMES, ASKED - 1)
    press("ArrowRight")
    for figure in "0.24":
        press(figure)  # goes to the field by itself
    expect(player.field).to_have_value("0.24")
    press("Enter")
    player.is_told("0.24", right=False)
    press("ArrowRight")
    player.is_at(ASKED + 1)


def test_just_show_it_shows_the_step_and_is_remembered(open_page: OpenPage) -> None:
    player = Guesser(page := open_page(SLUG, asks=True))
    player.comes_to_the_question()
    player.root.get_by_role("button", name=player.word("skip"), exact=True).click()
    player.is_shown()
    expect(player.verdict).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    player.is_shown()


def test_play_waits_at_a_question_and_goes_on_once_it_is_answered(open_page: OpenPage) -> None:
    player = Guesser(page := open_page(f"{SLUG}#step-{ASKED}", asks=True, alone=True))
    player.is_at(ASKED - 1)
    page.clock.install()
    player.button("play").click()
    page.clock.run_for(4_100)
    player.is_asked()
    page.clock.run_for(20_000)
    player.is_asked()
    player.button("next").click()
    player.is_shown()
    page.clock.run_for(4_100)
    player.is_at(ASKED + 1)


@pytest.mark.parametrize("lang", LANGS)
def test_predicting_is_switched_off_for_good_and_on_again_and_the_strip_marks_what_asks(
    open_page: OpenPage, lang: Lang
) -> None:
    player = Guesser(page := open_page(SLUG, lang=lang, asks=True), lang)
    name = f"{ASKED + 1} {FRAMES[ASKED].narration.title.of(lang)}, {player.word('asks')}"
    marked = player.root.get_by_role("button", name=name, exact=True)
    expect(player.toggle).to_have_attribute("aria-pressed", "true")
    expect(marked).to_have_count(1)
    player.comes_to_the_question()
    player.toggle.click()
    player.is_shown()
    expect(marked).to_have_count(0)
    page.reload()
    expect(player.toggle).to_have_attribute("aria-pressed", "false")
    player.strip.nth(ASKED - 1).click()
    player.button("next").click()
    player.is_shown()
    player.toggle.click()
    player.comes_to_the_question()


def test_nothing_is_asked_while_presenting_and_no_guess_is_shown(open_page: OpenPage) -> None:
    player = Guesser(page := open_page(SLUG, asks=True))
    player.comes_to_the_question()
    player.button("present").click()
    player.is_shown()
    expect(player.toggle).to_be_hidden()
    page.keyboard.press("PageUp")
    page.keyboard.press("PageDown")
    player.is_shown()
    player.button("leave").click()
    player.comes_to_the_question()
    player.guesses("1")
    player.is_told("1", right=False)
    player.button("present").click()
    player.is_shown()
    expect(player.verdict).to_have_count(0)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_walk_through_a_lesson_that_asks_has_one_press_more_for_each_question(
    open_page: OpenPage, lesson: Lesson[Any, Any]
) -> None:
    frames = lesson.frames(lesson.scenario)
    player = Player(page := open_page(lesson.slug, asks=True))
    expect(player.button("predict")).to_be_visible(visible=any(frame.narration.ask is not None for frame in frames))
    player.root.focus()
    for i, frame in enumerate(frames):
        if i:
            page.keyboard.press("ArrowRight")
        expect(player.counter).to_have_text(f"{i + 1} / {len(frames)}")
        asks = frame.narration.ask is not None
        expect(player.svg).to_have_attribute("aria-label", frames[i - asks].scene.label.en)
        expect(player.narration.locator("form")).to_have_count(int(asks))
        if asks:
            page.keyboard.press("ArrowRight")  # shows what was asked
            expect(player.svg).to_have_attribute("aria-label", frame.scene.label.en)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_a_browser_that_keeps_nothing_asks_and_can_be_told_not_to(open_page: OpenPage) -> None:
    player = Guesser(page := open_page("", asks=True))
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('forbidden'); } })")
    page.goto(f"/{SLUG}")
    player.comes_to_the_question()
    player.toggle.click()
    player.is_shown()
