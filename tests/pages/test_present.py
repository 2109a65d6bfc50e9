"""Presenting: the player alone, every step whole on the wall, driven by a clicker."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from engine.online_softmax import Mistake
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from pages.shell import words
from tests.pages.conftest import OpenPage
from tests.pages.reader import CHAPTER, LANGS, SLUG, Player

# What sticks out of the window, lies under the toolbar, or would have to be scrolled to.
HIDDEN = """root => {
  const found = [], part = (selector) => root.querySelector(selector);
  const bar = part("#toolbar").getBoundingClientRect(), say = part("#say").getBoundingClientRect();
  const inside = (name, box, bottom) => {
    if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > bottom + 1)
      found.push(`${name}: ${[box.left, box.top, box.right, box.bottom].map(Math.round)}, limit ${Math.round(bottom)}`);
  };
  for (const node of part("svg[role=img]").querySelectorAll("text, rect, path, line"))
    inside(`${node.nodeName} ${node.textContent}`, node.getBoundingClientRect(), say.top);
  for (const node of part("[data-testid=narration]").children) inside("sentence", node.getBoundingClientRect(), bar.top);
  for (const node of part("#table").querySelectorAll("tr")) inside("row", node.getBoundingClientRect(), bar.top);
  for (const node of part("#toolbar").querySelectorAll("button, select"))
    if (node.checkVisibility()) inside("button", node.getBoundingClientRect(), innerHeight);
  if (root.scrollHeight > root.clientHeight + 1) found.push(`the player scrolls: ${root.scrollHeight} > ${root.clientHeight}`);
  return found;
}"""


def walk_and_look(page: Page, player: Player) -> list[str]:
    page.keyboard.press("Home")
    last = int(player.counter.inner_text().split("/")[1])
    found = []
    for step in range(last):
        player.is_at(step)
        found += [f"{page.viewport_size}, step {step + 1}: {what}" for what in player.root.evaluate(HIDDEN)]
        page.keyboard.press("PageDown")
    return found


@pytest.mark.parametrize("lang", LANGS)
def test_every_step_is_whole_on_a_projector_with_and_without_a_mistake(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(SLUG, lang=lang, width=1280, height=720, reduced_motion=True)
    player = Player(page, lang)
    player.button("present").click()
    expect(player.button("leave")).to_be_visible()
    found = []
    for mistake in (Mistake.NONE, Mistake.NO_RESCALE):
        player.mistake.select_option(mistake.value)
        player.shows(replace(CHAPTER, mistake=mistake))
        player.root.focus()
        for width, height in ((1280, 720), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_function("([w, h]) => innerWidth === w && innerHeight === h", arg=[width, height])
            page.wait_for_timeout(200)  # the player measures itself 80 ms after a resize
            found += walk_and_look(page, player)
    assert found == []


def test_presenting_is_entered_and_left_by_key_and_driven_from_anywhere(open_page: OpenPage) -> None:
    page = open_page(SLUG, reduced_motion=True)
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
