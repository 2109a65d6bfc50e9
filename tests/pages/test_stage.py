"""The stage: whole picture, headline, reason and Next in one window, at every step, with every mistake."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from lessons import LESSONS
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from tests.conftest import THOROUGH
from tests.pages.conftest import OpenPage
from tests.pages.reader import LANGS, Player

# Windows, and how large the smallest letters of a picture and around it are at least, in px.
SMALL = {(1366, 650): 11.0, (1280, 720): 11.0}
LARGER = {(1280, 800): 13.0, (1920, 1080): 13.0, (2560, 1440): 13.0}
# Pictures that are too wide or too tall for that in some example or with some mistake, and what they reach: to be
# raised as they are laid out anew.
SO_FAR = {
    ("kv_reuse", 650): 9.8, ("kv_reuse", 800): 11.1,
    ("decode_cost", 650): 9.2, ("decode_cost", 720): 10.5, ("decode_cost", 800): 11.1,
    ("kv_bytes", 720): 10.5, ("kv_bytes", 800): 10.5,
    ("copy_on_write", 650): 8.9, ("copy_on_write", 720): 9.9, ("copy_on_write", 800): 11.1,
    ("three_savings", 720): 10.5, ("three_savings", 800): 10.5,
}  # fmt: skip

# Each lesson in one of the languages, in turn; in the long run, in both.
PAIRS = [(lesson, lang) for i, lesson in enumerate(LESSONS) for lang in (LANGS if THOROUGH else [LANGS[1 - i % 2]])]

# What is out of sight at some step, and the smallest letters in px, of the picture and around it.
LOOK = """async (root, [name, value]) => {
  const { player } = root.getRootNode(), found = [];
  const frame = () => new Promise(requestAnimationFrame);
  const chosen = () => player.data.choices.find(choice => choice.name === name).value;
  while (chosen() !== value || root.dataset.moving !== undefined) await frame();
  let picture = Infinity, around = Infinity;
  const box = (selector) => root.querySelector(selector).getBoundingClientRect();
  const inside = (what, inner, outer) => {
    const beyond = [outer.left - inner.left, outer.top - inner.top, inner.right - outer.right,
      inner.bottom - outer.bottom].map(Math.round);
    if (Math.max(...beyond) > 1) found.push(`step ${player.index + 1}, ${what}: ${beyond} px out of sight`);
  };
  const size = (node) => parseFloat(getComputedStyle(node).fontSize);
  const words = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const look = () => {
    const wall = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const part of ["header", "#strip", "#figure", "#words", "#toolbar", "#nextButton"])
      inside(part, box(part), wall);
    inside("the picture", box("#svg"), box("#figure"));
    for (const part of root.querySelectorAll("#narration > *"))
      inside("a sentence", part.getBoundingClientRect(), box("#words"));
    const rows = [...root.querySelectorAll("#table tr")].slice(0, 3);
    for (const row of rows) inside("a row", row.getBoundingClientRect(), box("#table"));
    const zoom = root.querySelector("#svg").getScreenCTM().a;
    for (const text of root.querySelectorAll("#svg text")) picture = Math.min(picture, size(text) * zoom);
    words.currentNode = root;
    for (let node; (node = words.nextNode());) {
      const at = node.parentElement, read = !at.closest("svg, math, .unseen, option, sup, sub");
      if (read && node.data.trim() && at.checkVisibility()) around = Math.min(around, size(at));
    }
  };
  for (let i = 0; i <= player.last; i++) {
    player.go(i);
    look();
    if (player.predict.ask) { // and as it asks
      player.predict.open = true;
      player.show();
      look();
      player.predict.open = false;
    }
  }
  player.go(0);
  return { found, picture, around };
}"""


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_picture_sentence_and_next_are_in_sight_at_every_step(open_page: OpenPage, lesson: Lesson[Any, Any]) -> None:
    page = open_page(lesson.slug, width=1366, height=650, asks=True)
    player = Player(page)
    mistakes = [("mistake", wrong.value) for wrong in lesson.mistakes.wrongs]
    examples = [("preset", preset.slug) for preset in lesson.presets]
    for i, (name, value) in enumerate((*mistakes, *(examples if THOROUGH else examples[-1:]))):
        choose(player, name, value)
        for size in SMALL if THOROUGH else [list(SMALL)[i % 2]]:
            sees_everything(page, player, lesson.slug, (name, value), size)


@pytest.mark.parametrize(("lesson", "lang"), PAIRS, ids=lambda one: getattr(one, "slug", one))
def test_and_so_in_larger_windows_in_both_languages(open_page: OpenPage, lesson: Lesson[Any, Any], lang: Lang) -> None:
    here = LESSONS.index(lesson)
    page = open_page(lesson.slug, lang=lang, width=1280, height=800, asks=True)
    player = Player(page, lang)
    wrongs = [wrong.value for wrong in lesson.mistakes.wrongs]
    for value in wrongs if THOROUGH else [wrongs[here % len(wrongs)]]:
        choose(player, "mistake", value)
        for size in SMALL | LARGER:
            sees_everything(page, player, lesson.slug, ("mistake", value), size)


def choose(player: Player, name: str, value: str) -> None:
    player.root.locator(f"select[name={name}]").select_option(value)


def sees_everything(page: Page, player: Player, slug: str, chosen: tuple[str, str], size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("([w, h]) => innerWidth === w && innerHeight === h", arg=[width, height])
    page.wait_for_timeout(150)  # the player measures itself 80 ms after a resize
    seen = player.root.evaluate(LOOK, list(chosen))
    least = (SMALL | LARGER)[size]
    assert seen["found"] == [], (chosen, size)
    assert seen["picture"] >= SO_FAR.get((slug, height), least), (chosen, size)
    assert seen["around"] >= least, (chosen, size)
