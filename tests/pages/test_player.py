"""The player: every way to a step leads to the same step, and none of them costs the server anything."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from engine.online_softmax import Mistake
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from pages.shell.site import words
from tests.pages.conftest import OpenPage
from tests.pages.reader import CHAPTER, LANGS, SLUG, Player, frames_sent_and_received, open_tab

FRAMES = LESSON.frames(CHAPTER)
LAST = len(FRAMES) - 1


@pytest.mark.parametrize("lang", LANGS)
def test_a_walk_by_mouse_shows_the_numbers_of_the_trace_and_asks_the_server_nothing(
    open_page: OpenPage, lang: Lang
) -> None:
    page = open_page(SLUG, lang=lang)
    player = Player(page, lang)
    player.is_at(0)
    traffic = frames_sent_and_received(page)
    next_, previous = player.button("next"), player.button("previous")

    expect(previous).to_be_disabled()
    forward = [player.agrees(CHAPTER, FRAMES, 0)]
    for step in range(1, LAST + 1):
        next_.click()
        forward.append(player.agrees(CHAPTER, FRAMES, step))
    expect(next_).to_be_disabled()
    next_.click(force=True)
    player.is_at(LAST)
    for step in reversed(range(LAST)):
        previous.click()
        assert player.agrees(CHAPTER, FRAMES, step) == forward[step]
    previous.click(force=True)
    player.is_at(0)

    for shown in ("label", "said", "svg", "counter"):
        pictures = [getattr(state, shown) for state in forward]
        assert all(now != then for now, then in itertools.pairwise(pictures)), shown
    expect(page).to_have_url(re.compile("#step-1$"))
    assert traffic == []
    open_tab(page, words.TABLE, lang)
    assert traffic != []  # the counter does count


def test_any_jump_gives_the_picture_that_walking_there_gives(open_page: OpenPage) -> None:
    page = open_page(f"{SLUG}?mistake=no_rescale")
    player = Player(page)
    player.is_at(0)
    walked = [player.state()]
    for _ in range(LAST):
        player.button("next").click()
        walked.append(player.state())
    for there in (0, 7, 3, LAST, 6, 11, 1, LAST, 2, 10, 0):
        player.strip.nth(there).click()
        assert player.state() == walked[there]
    page.keyboard.press("End")
    assert player.state() == walked[LAST]
    page.keyboard.press("Home")
    assert player.state() == walked[0]
    page.evaluate("location.hash = '#step-9'")
    player.is_at(8)
    assert player.state() == walked[8]


def test_keys_step_before_the_first_click_and_while_the_player_has_the_focus_but_never_while_a_field_has_it(
    open_page: OpenPage,
) -> None:
    page = open_page(SLUG)
    player = Player(page)
    player.is_at(0)
    press = page.keyboard.press

    press("ArrowRight")
    player.is_at(1)  # nothing has the focus yet
    press("Home")
    player.is_at(0)
    page.get_by_role("tablist").click(position={"x": 900, "y": 10})  # beside the tabs
    press("ArrowRight")
    press("End")
    player.is_at(0)  # a page that is read has its keys to itself

    player.strip.nth(1).click()
    for key, step in (
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", LAST),
        ("ArrowRight", LAST),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
    ):
        press(key)
        player.agrees(CHAPTER, FRAMES, step)

    speed = player.root.get_by_role("combobox", name="Speed")
    speed.focus()
    press("ArrowRight")
    press("Home")
    player.is_at(1)
    player.button("next").focus()
    press("Enter")
    player.is_at(2)
    press("Space")  # presses the button, does not play
    player.is_at(3)
    expect(player.button("play")).to_be_visible()

    keys = player.root.get_by_role("heading", name="Keys")
    expect(keys).to_be_hidden()
    press("?")
    expect(keys).to_be_visible()
    for name, meaning in words.KEYS:
        expect(player.root.locator("dl")).to_contain_text(f"{name}{meaning.en}")
    press("Escape")
    expect(keys).to_be_hidden()
    player.root.get_by_role("button", name="Keys").click()
    expect(keys).to_be_visible()
    press("?")
    expect(keys).to_be_hidden()

    panel = open_tab(page, words.CHANGE, "en")
    panel.get_by_role("textbox", name="Reading order").focus()
    for key in ("ArrowRight", "End", "p", "?"):
        press(key)
    player.is_at(3)
    expect(keys).to_be_hidden()


def test_play_steps_by_itself_pauses_and_stops_on_the_last_step(open_page: OpenPage) -> None:
    page = open_page(f"{SLUG}#step-{LAST - 2}", alone=True)
    player = Player(page)
    player.is_at(LAST - 3)
    page.clock.install()
    page.clock.run_for(20_000)
    player.is_at(LAST - 3)  # nothing moves by itself at first

    player.root.get_by_role("combobox", name="Speed").select_option("2×")
    player.root.focus()
    page.keyboard.press("Space")
    expect(player.button("pause")).to_be_visible()
    page.clock.run_for(2_100)
    player.is_at(LAST - 2)
    page.keyboard.press("Space")
    expect(player.button("play")).to_be_visible()
    page.clock.run_for(20_000)
    player.is_at(LAST - 2)
    player.button("play").click()
    page.clock.run_for(60_000)
    player.is_at(LAST)
    expect(player.button("play")).to_be_visible()
    player.button("play").click()  # from the end it begins again
    player.is_at(0)
    page.clock.run_for(2_100)
    player.is_at(1)
    page.keyboard.press("ArrowRight")  # stepping by hand stops it
    player.is_at(2)
    page.clock.run_for(20_000)
    player.is_at(2)


def test_a_link_opens_the_step_with_its_numbers_language_and_mistake_and_a_reload_shows_the_same(
    open_page: OpenPage,
) -> None:
    page = open_page(f"{SLUG}?tile=2&mistake=no_rescale&lang=zh#step-4")
    linked = replace(CHAPTER, tile_size=2, mistake=Mistake.NO_RESCALE)
    player = Player(page, "zh")
    player.shows(linked, 3)
    expect(player.mistake).to_have_value("no_rescale")
    expect(player.example).to_have_value("tile-of-two")

    player.button("next").click()
    expect(page).to_have_url(re.compile("#step-5$"))
    page.reload()
    player.shows(linked, 4)
    for part in ("tile=2", "mistake=no_rescale", "lang=zh"):
        assert part in page.url

    player.strip.nth(1).click()
    player.mistake.select_option("tile_max")  # an edit keeps the place: the step is still there
    player.shows(replace(linked, mistake=Mistake.TILE_MAX), 1)
    expect(page).to_have_url(re.compile(r"mistake=tile_max.*#step-2$"))
    player.strip.last.click()
    player.example.select_option("chapter")
    player.shows(replace(CHAPTER, mistake=Mistake.TILE_MAX), LAST)  # still the check, under another number
    expect(page).to_have_url(re.compile(f"#step-{LAST + 1}$"))


def test_a_link_without_a_language_keeps_its_step_in_a_chinese_browser(open_page: OpenPage) -> None:
    page = open_page(f"{SLUG}?tile=02#step-4", lang="zh")  # both the language and the tile size are rewritten
    player = Player(page, "zh")
    player.shows(replace(CHAPTER, tile_size=2), 3)
    expect(page).to_have_url(re.compile("tile=2.*#step-4$"))


def test_nothing_moves_while_a_button_is_pressed_so_that_no_click_is_lost(open_page: OpenPage) -> None:
    page = open_page(SLUG)
    player = Player(page)
    room = "root => root.querySelector('#svg').style.width"
    player.button("next").hover()
    page.mouse.down()
    player.root.evaluate("root => { root.style.width = '500px'; }")
    before = player.root.evaluate(room)
    page.wait_for_timeout(300)
    assert player.root.evaluate(room) == before
    page.mouse.up()
    page.wait_for_function(f"([root, before]) => ({room})(root) !== before", arg=[player.root.element_handle(), before])


def test_the_address_keeps_the_step_when_a_section_writes_its_own_part(open_page: OpenPage) -> None:
    page = open_page(SLUG)
    player = Player(page)
    player.button("next").click()
    player.button("next").click()
    open_tab(page, words.QUIZ, "en")
    expect(page).to_have_url(re.compile(r"\?question=[^#]*#step-3$"))
