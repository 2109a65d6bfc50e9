"""Each way of asking, on a worked solution that is no lesson's: a number, a choice, a cell of the picture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.kit.ask import Ask
from lessons.kit.text import Lang
from pages.shell.site import words
from tests.pages import harness
from tests.pages.asking import ASKS, FITS, FRAMES, LENGTHS, SUM, TITLE, WHICH
from tests.pages.conftest import OpenPage
from tests.pages.reader import LANGS, Player

NUMBER, CHOICE, CELL = 1, 2, 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Server]:
    log = tmp_path_factory.mktemp("asking") / "streamlit.log"
    with harness.serve(log, script="tests/pages/asking.py") as running:
        yield running


class Guesser(Player):
    """A reader of the worked solution."""

    def __init__(self, page: Page, lang: Lang) -> None:
        super().__init__(page, lang)
        self.verdict = self.root.get_by_test_id("verdict")
        self.answers = self.narration.locator("form button:not(.skip)")

    def cell(self, key: str) -> Locator:
        return self.svg.locator(f"[data-key={key}]")

    def goes_to(self, step: int) -> None:
        self.strip.nth(step - 1).click()
        self.button("next").click()
        expect(self.narration).to_contain_text(said(ASKS[step].prompt.of(self.lang)))  # type: ignore[union-attr]
        self.pictures(step - 1)

    def pictures(self, step: int) -> None:
        expect(self.svg).to_have_attribute("aria-label", FRAMES[step].scene.label.of(self.lang))

    def is_told(self, step: int, ask: Ask, guess: str, *, slip: int | None = None) -> None:
        """Guess and truth together above the step's own words, with the slip's sentence where it is one."""
        self.pictures(step)
        expect(self.verdict).to_contain_text(
            f"{words.PLAYER['guess'].of(self.lang)} {guess} · {words.PLAYER['truth'].of(self.lang)} "
            f"{said(ask.truth.of(self.lang))}"
        )
        expect(self.narration).to_contain_text(FRAMES[step].narration.headline.of(self.lang))
        for i, other in enumerate(ask.slips):
            told = expect(self.verdict)
            (told.to_contain_text if i == slip else told.not_to_contain_text)(other.said.of(self.lang))


def said(markdown: str) -> str:
    """A line up to its first formula."""
    return markdown.split("$")[0]


def opened(open_page: OpenPage, lang: Lang) -> Guesser:
    return Guesser(open_page(f"?lang={lang}", lang=lang, asks=True), lang)


@pytest.mark.parametrize("lang", LANGS)
def test_a_number_is_right_a_slip_or_neither(open_page: OpenPage, lang: Lang) -> None:
    for typed, slip, sign in (("１２", None, "✓"), ("7", 0, "✗"), ("3.0", 1, "✗"), ("1,2", None, "✗")):
        player = opened(open_page, lang)
        expect(player.root).to_have_attribute("aria-label", TITLE.of(lang))
        player.goes_to(NUMBER)
        player.narration.get_by_role("textbox").fill(typed)
        player.answers.click()
        player.is_told(NUMBER, SUM, typed, slip=slip)
        expect(player.verdict).to_contain_text(sign)


@pytest.mark.parametrize("lang", LANGS)
def test_a_choice_is_made_by_mouse_or_by_its_figure(open_page: OpenPage, lang: Lang) -> None:
    for option, slip, sign in ((3, None, "✓"), (1, 0, "✗"), (2, None, "✗")):
        player = opened(open_page, lang)
        player.goes_to(CHOICE)
        if option == 1:
            player.root.focus()
            player.page.keyboard.press("9")  # there is no ninth option
            player.page.keyboard.press("1")
        else:
            player.answers.nth(option - 1).click()
        player.is_told(CHOICE, FITS, FITS.options[option - 1].of(lang), slip=slip)
        expect(player.verdict).to_contain_text(sign)


@pytest.mark.parametrize("lang", LANGS)
def test_a_cell_is_picked_by_mouse_or_by_keyboard_and_both_cells_are_framed(open_page: OpenPage, lang: Lang) -> None:
    player = opened(open_page, lang)
    player.goes_to(CELL)
    player.svg.locator("[data-key=title]").click()  # no cell: no answer
    player.pictures(CELL - 1)
    player.cell("c").click()
    player.is_told(CELL, WHICH, str(LENGTHS["c"]))
    expect(player.verdict).to_contain_text("✓")
    expect(player.root.locator(".spot.truth")).to_have_count(1)
    expect(player.root.locator(".spot.guessed")).to_have_count(0)

    player = opened(open_page, lang)
    player.goes_to(CELL)
    expect(player.button("next")).to_be_enabled()
    player.root.focus()
    press = player.page.keyboard.press
    press("Tab")
    press("Tab")
    expect(player.root.get_by_role("button", name=str(LENGTHS["b"]), exact=True)).to_be_focused()
    press("Enter")
    player.is_told(CELL, WHICH, str(LENGTHS["b"]), slip=0)
    framed, cell = player.root.locator(".spot.guessed").bounding_box(), player.cell("b").bounding_box()
    assert framed is not None
    assert cell is not None
    assert all(abs(framed[side] - cell[side]) < 2 for side in ("x", "y", "width", "height"))
    press("ArrowLeft")
    expect(player.root.locator(".spot")).to_have_count(0)


@pytest.mark.parametrize("lang", LANGS)
def test_a_question_at_the_last_step_is_left_by_next(open_page: OpenPage, lang: Lang) -> None:
    player = opened(open_page, lang)
    for frame in FRAMES[1:]:
        player.button("next").click()
        if frame.narration.ask is not None and frame is not FRAMES[-1]:
            player.button("next").click()
    player.pictures(CELL - 1)
    player.button("next").click()
    player.pictures(CELL)
    expect(player.verdict).to_have_count(0)
    expect(player.button("next")).to_be_disabled()
