"""Presenting: the player alone, every step whole on the wall, driven by a clicker."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from engine.online_softmax import Mistake
from lessons import LESSONS
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from pages.shell.site import words
from tests.pages.conftest import OpenPage
from tests.pages.reader import CHAPTER, LANGS, SLUG, Player

# What sticks out of the window, lies under the toolbar, or would have to be scrolled to.
HIDDEN = """root => {
  const found = [], part = (selector) => root.querySelector(selector).getBoundingClientRect();
  const [figure, words, table, toolbar] = ["#figure", "#words", "#table", "#toolbar"].map(part);
  const wall = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const inside = (name, box, room) => {
    const beyond = [room.left - box.left, room.top - box.top, box.right - room.right, box.bottom - room.bottom];
    if (Math.max(...beyond) > 1)
      found.push(`${name}: ${[box.left, box.top, box.right, box.bottom].map(Math.round)}, in ${JSON.stringify(room)}`);
  };
  const seen = (selector) => [...root.querySelectorAll(selector)].filter((node) => node.checkVisibility());
  for (const node of seen("#svg :is(text, rect, path, line)"))
    inside(`${node.nodeName} ${node.textContent}`, node.getBoundingClientRect(), figure);
  for (const node of seen("#narration *:not(math *, sup, sub)"))
    inside("sentence", node.getBoundingClientRect(), words);
  for (const node of seen("#table tr").slice(0, 3)) inside("row", node.getBoundingClientRect(), table);
  for (const node of seen("#toolbar :is(button, select)")) inside("button", node.getBoundingClientRect(), toolbar);
  for (const node of seen("#figure, #words, #table, #toolbar, header, #title, #ledger, #ledger li"))
    inside(node.id || node.localName, node.getBoundingClientRect(), wall);
  const [all, height] = [root.scrollHeight, root.clientHeight];
  if (all > height + 1) found.push(`the player scrolls: ${all} > ${height}`);
  return found;
}"""


# The smallest letters of every step in pixels, and the steps at which the first thing that went wrong is out of sight.
LETTERS = """async (root, name) => {
  const { player } = root.getRootNode(), svg = root.querySelector("#svg"), figure = root.querySelector("#figure");
  const mistake = () => player.data.choices.find(choice => choice.name === "mistake").value;
  const frame = () => new Promise(requestAnimationFrame);
  while (mistake() !== name) await frame();
  await new Promise(done => setTimeout(done, 250)); // the player measures itself a little later
  let smallest = Infinity;
  const unseen = [];
  for (let i = 0; i <= player.last; i++) {
    player.go(i);
    if (svg.querySelector(".role-wrong")) { // the player scrolls to it in the next frame
      await frame();
      await frame();
    }
    const zoom = svg.getScreenCTM().a;
    for (const text of svg.querySelectorAll("text")) smallest = Math.min(smallest,
    parseFloat(getComputedStyle(text).fontSize) * zoom);
    const wrong = svg.querySelector(".role-wrong")?.getBoundingClientRect(), box = figure.getBoundingClientRect();
    if (wrong && (wrong.top < box.top || wrong.bottom > box.bottom + 1 || wrong.left < box.left || wrong.right >
    box.right + 1))
      unseen.push(i);
  }
  return { smallest, unseen, sideways: figure.scrollWidth - figure.clientWidth, words: root.dataset.words };
}"""
SMALL_WALL = 11  # px of a picture that has a wrong way below the right one; each is to be laid out anew
FOCUSED = """() => {
  let at = document.activeElement;
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return { inside: Boolean(at.closest("[data-testid=player]")), id: at.id };
}"""
INERT = "document.querySelectorAll('[inert]').length"


def walk_and_look(page: Page, player: Player) -> list[str]:
    page.keyboard.press("Home")
    last = int(player.counter.inner_text().split("/")[1])
    found = []
    for step in range(last):
        player.is_at(step)
        found += [f"{page.evaluate('innerWidth')} px, step {step + 1}: {what}" for what in player.root.evaluate(HIDDEN)]
        page.keyboard.press("PageDown")
    return found


def resize(screen: CDPSession, width: int, height: int) -> None:
    """Another screen, also while the page fills it: then a browser lets nobody change the size of its window."""
    size = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
    screen.send("Emulation.setDeviceMetricsOverride", size)


@pytest.mark.parametrize("lang", LANGS)
def test_every_step_is_whole_on_a_projector_with_and_without_a_mistake(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(SLUG, lang=lang, width=1280, height=720)
    player = Player(page, lang)
    player.button("present").click()
    expect(player.button("leave")).to_be_visible()
    found, screen = [], page.context.new_cdp_session(page)
    for mistake in (Mistake.NONE, Mistake.NO_RESCALE):
        player.mistake.select_option(mistake.value)
        player.shows(replace(CHAPTER, mistake=mistake))
        player.root.focus()
        for width, height in ((1280, 720), (1920, 1080)):
            resize(screen, width, height)
            page.wait_for_function("([w, h]) => innerWidth === w && innerHeight === h", arg=[width, height])
            page.wait_for_timeout(200)  # the player measures itself 80 ms after a resize
            found += walk_and_look(page, player)
    assert found == []


def test_presenting_is_entered_and_left_by_key_and_driven_from_anywhere(open_page: OpenPage) -> None:
    page = open_page(SLUG)
    player = Player(page)
    last = len(LESSON.frames(CHAPTER)) - 1
    press = page.keyboard.press
    player.root.focus()
    press("PageDown")
    player.is_at(0)  # a clicker's keys mean nothing before
    press("p")
    expect(player.root).to_have_attribute("data-mode", "presenting")
    page.evaluate("document.activeElement.blur()")
    for key, step in (("PageDown", 1), ("PageDown", 2), ("PageUp", 1), ("End", last), ("PageDown", last), ("Home", 0)):
        press(key)
        player.is_at(step)
    press("b")
    expect(player.narration).to_be_hidden()
    press("PageDown")
    expect(player.narration).to_be_visible()
    player.is_at(0)
    press("PageDown")
    press("Escape")
    expect(player.root).not_to_have_attribute("data-mode", "presenting")
    expect(player.button("present")).to_be_visible()
    player.is_at(1)
    press("ArrowRight")  # the focus is back in the player
    player.is_at(2)
    expect(page.get_by_role("tab", name=words.QUIZ.en)).to_be_visible()


def test_groups_move_smoothly_unless_reduced_motion_is_wanted(open_page: OpenPage) -> None:
    longest = """svg => Math.max(...[...svg.querySelectorAll("*")].flatMap(node =>
      getComputedStyle(node).transitionDuration.split(",").map(parseFloat)))"""
    for reduced in (False, True):
        page = open_page(SLUG, reduced_motion=reduced)
        player = Player(page)
        player.button("next").click()
        assert (player.svg.evaluate(longest) == 0) is reduced


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_the_back_row_can_read_every_figure_with_and_without_a_mistake(
    open_page: OpenPage, lesson: Lesson[Any, Any]
) -> None:
    page = open_page(lesson.slug, lang="zh", width=1280, height=720)
    player = Player(page, "zh")
    player.button("present").click()
    screen = page.context.new_cdp_session(page)
    mistakes = next(choice for choice in lesson.player_choices if choice.name == "mistake").options
    for i, (mistake, _) in enumerate((*mistakes[:2], mistakes[-1])):
        player.root.locator("select[name=mistake]").select_option(mistake)
        sizes = (
            ((1280, 720, 14), (1920, 1080, 16)) if i < 2 else ((1280, 720, 14),)
        )  # what fits the small wall fits the large one
        for width, height, least in sizes:
            resize(screen, width, height)
            seen = player.root.evaluate(LETTERS, mistake)
            assert seen["smallest"] > (least if i == 0 or height > 720 else SMALL_WALL) - 0.05, (mistake, height, seen)
            assert seen["unseen"] == [], (mistake, height, seen)
            assert seen["sideways"] <= 1, (mistake, height, seen)


def test_the_text_that_gives_way_to_the_figure_comes_back_by_a_key(open_page: OpenPage) -> None:
    page = open_page(f"{SLUG}?mistake=no_rescale", width=1024, height=600)
    player = Player(page)
    page.keyboard.press("t")
    player.root.focus()
    page.keyboard.press("p")
    text = player.narration.locator("p").first
    expect(player.narration.locator("h2")).to_be_visible()
    expect(text).to_be_hidden()
    page.keyboard.press("t")
    expect(text).to_be_visible()
    assert player.root.evaluate(HIDDEN) == []
    page.keyboard.press("T")
    expect(text).to_be_hidden()
    page.keyboard.press("Escape")
    expect(text).to_be_visible()


def test_where_all_fits_the_same_key_and_button_take_the_text_away_for_a_larger_figure(open_page: OpenPage) -> None:
    page = open_page(f"{LESSONS[0].slug}#step-17", width=1920, height=1080)
    player = Player(page)
    player.button("present").click()
    text = player.narration.locator("p").first
    head = player.svg.locator(".label").first
    expect(text).to_be_visible()
    small = head.bounding_box()
    player.button("larger").click()
    expect(text).to_be_hidden()
    large = head.bounding_box()
    assert small is not None
    assert large is not None
    assert large["height"] > 1.1 * small["height"]
    page.keyboard.press("t")
    expect(text).to_be_visible()
    expect(player.button("larger")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(360, 740), (740, 360)])
def test_on_a_phone_leave_and_next_stay_in_reach(open_page: OpenPage, width: int, height: int) -> None:
    page = open_page(SLUG, width=width, height=height)
    player = Player(page)
    player.button("present").click()
    for step in range(1, 4):
        for name in ("next", "leave"):
            expect(player.button(name)).to_be_in_viewport(ratio=1)
        player.button("next").click()
        player.is_at(step)
        player.root.evaluate("root => root.scrollTo(0, root.scrollHeight)")
    player.button("leave").click()
    expect(player.button("present")).to_be_visible()


@pytest.mark.parametrize(("opens", "closes"), [("present", "leave"), ("enlarge", "close")])
def test_the_focus_stays_in_the_player_while_it_covers_the_page(open_page: OpenPage, opens: str, closes: str) -> None:
    page = open_page(SLUG)
    player = Player(page)
    tab = page.get_by_role("tab", name=words.QUIZ.en)
    expect(tab).to_have_count(1)
    inert = page.evaluate(INERT)  # the tabs that are closed
    player.button(opens).click()
    expect(player.button(closes)).to_be_visible()
    player.root.focus()
    seen = []
    for _ in range(40):  # more than there are buttons
        page.keyboard.press("Tab")
        where = page.evaluate(FOCUSED)
        if where["id"] != "":
            seen.append(where["id"])
        assert where["inside"] or page.evaluate("document.activeElement === document.body"), where
    assert {"nextButton", f"{opens}Button"} <= set(seen)
    covered = "node => node.closest('[inert]') !== null"
    assert tab.evaluate(covered)  # nor can a screen reader get there
    player.button(closes).click()
    expect(player.button(opens)).to_be_visible()
    assert not tab.evaluate(covered)
    assert page.evaluate(INERT) == inert
    assert page.evaluate(FOCUSED)["inside"]
