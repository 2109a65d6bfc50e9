"""The player's lists: a wrong way beside the right one, and the examples."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from engine.online_softmax import Check, Mistake, Scenario, output, trace
from lessons.kit.format import vector
from lessons.kit.text import Lang, Text
from lessons.online_softmax import LESSON
from lessons.online_softmax.mistakes import MISTAKES
from pages.shell.site import words
from tests.pages.conftest import OpenPage
from tests.pages.reader import CHAPTER, IN_TURN, SLUG, Player, plain_output

WRONG_WAY = Text("✗ Wrong way", "✗ 错误做法")
INVISIBLE = Text("invisible on these inputs", "在这组输入上看不出来")


def parting(scenario: Scenario) -> int | None:
    """The first step at which the wrong way's trace is another than the right one's."""
    right = replace(scenario, mistake=Mistake.NONE)
    pairs = enumerate(zip(trace(right), trace(scenario), strict=True))
    return next((i for i, (a, b) in pairs if a != b), None)


def to_check(page: Page, player: Player) -> int:
    """Step to the check, the last step but one; its number."""
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    return player.state().step


def check_says_what_became_of_the_mistake(player: Player, scenario: Scenario) -> None:
    said = player.state().said
    wrong, plain = output(scenario).tolist(), plain_output(scenario)
    assert f"{WRONG_WAY.of(player.lang)}" in said
    assert MISTAKES.of(scenario).title.of(player.lang) in said
    same = vector(wrong) == vector(plain)
    assert (INVISIBLE.of(player.lang) in said) is same
    assert same or vector(wrong) in said


@pytest.mark.parametrize("lang", IN_TURN)
def test_each_mistake_shows_its_wrong_way_where_it_parts_and_what_comes_of_it(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(SLUG, lang=lang)
    player = Player(page, lang)
    player.root.focus()
    at_check = to_check(page, player)
    marked = player.root.get_by_role("button", name=words.PLAYER["parts"].of(lang))
    expect(marked).to_have_count(0)
    for mistake in list(Mistake)[1:]:
        scenario = replace(CHAPTER, mistake=mistake)
        player.mistake.select_option(mistake.value)
        player.shows(scenario, at_check)
        check_says_what_became_of_the_mistake(player, scenario)
        assert isinstance(list(trace(scenario))[at_check], Check)

        first = parting(scenario)
        assert first is not None
        expect(marked).to_have_count(1)
        expect(marked).to_have_text(f"{player.strip.nth(first).get_attribute('data-text')}✗")
        marked.click()
        player.is_at(first)
        assert "role-wrong" in player.state().svg
        assert "✗" in player.state().table
        player.root.focus()
        page.keyboard.press("ArrowLeft")
        assert "role-wrong" not in player.state().svg
        to_check(page, player)
    player.mistake.select_option("none")
    player.shows(CHAPTER, at_check)
    expect(marked).to_have_count(0)
    assert WRONG_WAY.of(lang) not in player.state().said


def test_each_example_walks_to_its_end_and_keeps_the_chosen_mistake(open_page: OpenPage) -> None:
    page = open_page(SLUG)
    player = Player(page)
    player.mistake.select_option("rescale_l_only")
    for preset in (*LESSON.presets[1:], LESSON.presets[0]):
        scenario = replace(preset.scenario, mistake=Mistake.RESCALE_L_ONLY)
        player.example.select_option(label=preset.title.en)
        frames = LESSON.frames(scenario)
        player.shows(scenario, min(player.state().step, len(frames) - 1))
        expect(player.mistake).to_have_value("rescale_l_only")
        expect(player.example).to_have_value(preset.slug)
        player.root.focus()
        page.keyboard.press("Home")
        player.agrees(scenario, frames, 0)
        for step in range(1, len(frames)):
            page.keyboard.press("ArrowRight")
            player.agrees(scenario, frames, step)
        expect(player.button("next")).to_be_disabled()
        to_check(page, player)
        check_says_what_became_of_the_mistake(player, scenario)
        assert (player.root.locator(".parts").count() == 1) is (parting(scenario) is not None)
        page.keyboard.press("Home")
