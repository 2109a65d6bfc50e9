"""Questions answered as a reader would, in every kind of field."""

from __future__ import annotations

import math
from typing import Any

from playwright.sync_api import Locator, Page, expect

from lessons.kit.question import Question
from lessons.kit.reply import Answer
from lessons.kit.text import Lang
from pages.shell.site import words
from tests.pages.harness import settled


def ordered(panel: Locator) -> list[int]:
    places = panel.locator("ol li[data-place]").evaluate_all("all => all.map((item) => Number(item.dataset.place))")
    return [int(place) for place in places]


def give(page: Page, panel: Locator, question: Question[Any], answer: Answer, lang: Lang) -> Locator:
    """Answer as a reader would, and return what is said to it."""
    places = [1 if math.isnan(x) else int(x) for x in answer]
    match question.kind:
        case "number" | "vector":
            panel.get_by_role("textbox", name=words.ANSWER.of(lang)).fill(", ".join(f"{x:.6g}" for x in answer))
        case "choice":
            pick(page, panel, words.ANSWER.of(lang), places[0])
        case "error":
            pick(page, panel, words.WRONG_CLAIM.of(lang), places[0])
            pick(page, panel, words.SHOULD_SAY.of(lang), places[1])
        case "line":
            panel.get_by_role("radiogroup", name=words.WRONG_LINE.of(lang)).locator(
                f"input[value='{places[0]}']"
            ).check()
        case "cells":
            for box, mark in zip(panel.get_by_role("checkbox").all(), places, strict=True):
                box.set_checked(bool(mark))
        case "order":
            for target, place in enumerate(places):
                item = panel.locator(f"ol li[data-place='{place}']")
                while ordered(panel).index(place) > target:
                    item.get_by_role("button", name=words.EARLIER.of(lang)).click()
    settled(page)
    panel.get_by_role("button", name=words.SUBMIT.of(lang), exact=True).click()
    settled(page)
    return panel.get_by_test_id("stAlert")


def pick(page: Page, panel: Locator, label: str, place: int) -> None:
    option = panel.get_by_role("radiogroup", name=label).locator("label").nth(place - 1)
    option.click()
    expect(option.locator("input")).to_be_checked()
    settled(page)


def show_the_way(page: Page, panel: Locator, lang: Lang) -> None:
    panel.get_by_text(words.SHOW_WAY.of(lang)).click()
    settled(page)
