"""The program in the browser: its lines as HTML, its colours, what each step sends."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lessons.kit.text import Lang
from pages.shell.lesson.code import highlighted, panel
from pages.shell.lesson.player import message
from tests.lessons.reading import LANGS, parsed
from tests.lessons.test_code import CODED, TYPED, AnyLesson, code_of, coded, every_way

ROOT = Path(__file__).parents[2]
CSS = (ROOT / "assets" / "code.css").read_text("utf-8")


@coded
@pytest.mark.parametrize("lang", LANGS)
def test_the_coloured_lines_say_what_the_listing_says(lesson: AnyLesson, lang: Lang) -> None:
    for scenario in every_way(lesson):
        lines = code_of(lesson).listed(scenario, lang)
        html = highlighted(tuple(line.text for line in lines))
        assert [parsed(line).text for line in html] == [line.text for line in lines]
        tags = {tag for line in html for tag in parsed(line).tags}
        classes = {value for line in html for _, value in parsed(line).attributes}
        assert tags == {"span"}
        assert classes <= set(re.findall(r"\.code \.(\w)", CSS))


@given(some.lists(some.text(some.characters(exclude_characters="\r\n")) | some.sampled_from(TYPED)))
def test_whatever_stands_in_a_line_is_shown_and_never_obeyed(lines: list[str]) -> None:
    lines = [re.sub(r"[\r\n]", " ", line) for line in lines]
    html = highlighted(tuple(lines))
    assert len(html) == len(lines)
    for line, shown in zip(lines, html, strict=True):
        assert set(parsed(shown).tags) <= {"span"}
        assert {name for name, _ in parsed(shown).attributes} <= {"class"}
        assert parsed(shown).text == line.replace("\x00", parsed("\x00").text)


def luminance(rgb: tuple[float, ...]) -> float:
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def colour(written: str) -> tuple[float, ...]:
    return tuple(int(written[i : i + 2], 16) / 255 for i in (1, 3, 5))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_colour_can_be_read_on_the_themes_backgrounds(theme: str) -> None:
    """WCAG AA: 4.5 to 1, also where a line is marked with the theme's own colour."""
    of = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"][theme]
    named = {"var(--st-text-color)": of["textColor"], "var(--st-background-color)": of["backgroundColor"]}
    rules = re.findall(r"\.code \.(\w) \{ color: color-mix\(in srgb, (\S+) (\d+)%, (\S+)\)", CSS)
    assert {css for css, *_ in rules} == set("csnkf")
    ground, marked = colour(of["backgroundColor"]), colour(of["primaryColor"])
    for css, first, share, second in rules:
        a, b = (colour(named.get(name, name)) for name in (first, second))
        part = int(share) / 100
        ink = tuple(part * x + (1 - part) * y for x, y in zip(a, b, strict=True))
        for strength in (0.0, 0.16):
            paper = tuple(strength * x + (1 - strength) * y for x, y in zip(marked, ground, strict=True))
            dark, light = sorted((luminance(ink), luminance(paper)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (css, theme, strength)


@coded
def test_the_message_holds_the_listing_once_and_each_steps_lines(lesson: AnyLesson) -> None:
    for scenario in every_way(lesson):
        sent = message(lesson.slug, scenario, "zh", True)
        code = sent["code"]
        assert code == panel(code_of(lesson), scenario, lesson.pairs(scenario), "zh")
        assert len(code["lines"]) == len(code["signs"])
        assert len(code["steps"]) == len(sent["steps"])
        for steps in code["steps"]:
            assert steps
            assert all(1 <= line <= len(code["lines"]) for line, *_ in steps)
        assert len(json.dumps(code)) < 0.2 * len(json.dumps(sent)) + 8_000


def test_a_second_player_is_sent_no_program() -> None:
    lesson: Any = CODED[0]
    assert "code" not in message(lesson.slug, lesson.scenario, "en", False)
