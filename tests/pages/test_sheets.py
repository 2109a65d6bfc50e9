"""The page for instructors: choosing, bad input, the files opened from disk with the network off, at the size of A4."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from lessons.kit.text import Lang
from lessons.sheets import words as sheet_words
from pages.shell.sheets import words
from pages.shell.sheets.page import BANK
from tests.lessons.moodle_rules import imported
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled
from tests.pages.reader import IN_TURN

A4 = {"width": 794, "height": 1123}  # CSS pixels at 96 an inch
HOSTILE = "<script>alert(1)</script> & **x** 🙂"
KIND_OF_EACH = {one.question.kind: one for one in reversed(BANK)}  # the first of its kind


class Desk:
    def __init__(self, page: Page, lang: Lang) -> None:
        self.page, self.lang = page, lang

    def field(self, name: str) -> Locator:
        labels = {"title": words.TITLE, "seed": words.SEED, "variants": words.VARIANTS, "search": words.SEARCH}
        return self.page.get_by_role("textbox", name=labels[name].of(self.lang), exact=True)

    def type(self, name: str, typed: str) -> None:
        self.field(name).fill(typed)
        self.field(name).press("Enter")
        self.page.wait_for_timeout(300)
        settled(self.page)

    def press(self, label: str, within: Locator | None = None) -> None:
        (within or self.page).get_by_role("button", name=label, exact=True).first.click()
        self.page.wait_for_timeout(300)
        settled(self.page)

    def choose(self, *lessons: str) -> None:
        """Everything of these lessons."""
        for lesson in lessons:
            box = self.lesson(lesson)
            box.locator("summary").click()
            settled(self.page)
            self.press(words.ALL.of(self.lang), box)

    def lesson(self, slug: str) -> Locator:
        title = next(one.group for one in BANK if one.lesson == slug)
        return self.page.get_by_test_id("stExpander").filter(has_text=title.of(self.lang))

    def make(self) -> None:
        self.press(words.MAKE.of(self.lang))

    def save(self, label: str, folder: Path) -> Path:
        with self.page.expect_download() as coming:
            self.page.get_by_role("button", name=label, exact=True).click()
        path = folder / coming.value.suggested_filename
        coming.value.save_as(path)
        return path


BAD = (("variants", "0"), ("variants", "-1"), ("variants", "1000000000"), ("seed", "7" * 600), ("title", "t" * 121))


@pytest.mark.parametrize(("lang", "bad"), [("en", BAD), ("zh", BAD[-2:])])
def test_nothing_chosen_and_bad_settings_are_answered_with_a_sentence_and_nothing_typed_is_lost(
    open_page: OpenPage, lang: Lang, bad: tuple[tuple[str, str], ...]
) -> None:
    desk = Desk(open_page("sheets", lang=lang), lang)
    desk.make()
    alerts = desk.page.get_by_test_id("stAlert")
    expect(alerts).to_contain_text(words.EMPTY.of(lang))
    desk.choose("online_softmax")
    labels = {"variants": words.VARIANTS, "seed": words.SEED, "title": words.TITLE}
    for field, typed in bad:
        kept = desk.field(field).input_value()
        desk.type(field, typed)
        expect(alerts).to_contain_text(labels[field].of(lang))
        expect(desk.field(field)).to_have_value(typed)
        if field != bad[-1][0]:
            desk.type(field, kept)
    desk.make()
    expect(alerts.last).to_contain_text(words.NO_FILES.of(lang))
    desk.type(bad[-1][0], kept)
    expect(alerts).to_have_count(0)
    desk.type("variants", " ６０ ")  # full-width digits are digits
    expect(alerts).to_have_count(0)
    expect(desk.lesson("online_softmax").get_by_role("checkbox", checked=True)).to_have_count(
        sum(one.lesson == "online_softmax" for one in BANK)
    )


def test_questions_are_found_by_a_word_in_either_language_and_what_a_search_hides_stays_chosen(
    open_page: OpenPage,
) -> None:
    desk = Desk(open_page("sheets"), "en")
    boxes = desk.page.get_by_role("checkbox")
    desk.type("search", words.KINDS["cells"].zh)
    n = sum(one.question.kind == "cells" for one in BANK)
    expect(boxes).to_have_count(n)
    desk.press(words.ALL.en)
    expect(desk.page.get_by_text(f"{n} of {len(BANK)} chosen")).to_be_visible()
    desk.type("search", "nothing is called this")
    expect(boxes).to_have_count(0)
    expect(desk.page.get_by_test_id("stAlert")).to_contain_text(words.NOT_FOUND.en)
    desk.type("search", "")
    expect(desk.page.get_by_text(f"{n} of {len(BANK)} chosen")).to_be_visible()
    desk.choose("kv_bytes")
    desk.press(words.NONE.en, desk.lesson("kv_bytes"))  # still open
    left = sum(one.question.kind == "cells" and one.lesson != "kv_bytes" for one in BANK)
    expect(desk.page.get_by_text(f"{left} of {len(BANK)} chosen")).to_be_visible()


def test_whoever_waits_for_more_than_a_second_sees_how_far_it_is(open_page: OpenPage) -> None:
    desk = Desk(open_page("sheets"), "en")
    desk.choose("kv_bytes")
    n = sum(one.lesson == "kv_bytes" for one in BANK)
    desk.type("variants", "60")
    desk.page.get_by_role("button", name=words.MAKE.en).click()
    expect(desk.page.get_by_test_id("stProgress")).to_contain_text(re.compile(r"variant \d+ of 60"))
    expect(desk.page.get_by_text(words.made(n, 60, 1).en)).to_be_visible(timeout=90_000)
    expect(desk.page.get_by_test_id("stProgress")).to_have_count(0)


@pytest.mark.parametrize("lang", IN_TURN)
def test_a_sheet_is_made_opened_from_disk_without_a_network_and_printed_on_a4_with_nothing_cut_off(
    open_page: OpenPage, browser: Browser, tmp_path: Path, lang: Lang
) -> None:
    desk = Desk(open_page("sheets", lang=lang), lang)
    for one in KIND_OF_EACH.values():
        desk.type("search", one.question.title.en)
        name = words.question(one.question.title, words.KINDS[one.question.kind]).of(lang)
        desk.page.get_by_text(name, exact=True).first.click()
        settled(desk.page)
        expect(desk.page.get_by_role("checkbox", name=name, exact=True)).to_be_checked()
    desk.type("search", "")
    desk.type("title", HOSTILE)
    expect(desk.page.get_by_test_id("stIFrame").content_frame.get_by_text(HOSTILE)).to_be_visible()
    expect(desk.page.get_by_test_id("stIFrame").content_frame.locator(".item > .number")).to_have_count(
        len(KIND_OF_EACH)
    )
    desk.type("variants", "3")
    desk.make()
    expect(desk.page.get_by_text(words.made(len(KIND_OF_EACH), 3, 1).of(lang))).to_be_visible()
    paths = [desk.save(label.of(lang), tmp_path) for label in (words.SHEET, words.KEY, words.TABLE, words.MOODLE)]
    desk.type("seed", "2")  # the files stay, and say of what they are
    expect(desk.page.get_by_text(words.stale(len(KIND_OF_EACH), 3, 1).of(lang))).to_be_visible()

    sheet, key, table, moodle = paths
    assert len(list(csv.reader(io.StringIO(table.read_text("utf-8-sig"), newline="")))) == 1 + 3 * len(KIND_OF_EACH)
    assert len(imported(moodle.read_bytes())) == 3 * len(KIND_OF_EACH)
    for file in (sheet, key):
        _printed(browser, file, lang)


def _printed(browser: Browser, file: Path, lang: Lang) -> None:
    """The file as a browser without a network prints it."""
    context = browser.new_context(offline=True, viewport=A4)  # type: ignore[arg-type]
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []

    def listen(request: Request) -> None:
        asked.append(request.url)

    page.on("request", listen)
    page.on("console", lambda message: said.append(message.text))
    page.goto(file.as_uri())
    assert asked == [file.as_uri()]
    assert said == []
    expect(page.get_by_text(HOSTILE).first).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == ("zh-CN" if lang == "zh" else "en")
    page.emulate_media(media="print")
    expect(page.locator("table.variant")).to_have_count(3)
    expect(page.get_by_text(re.compile(re.escape(sheet_words.variant(3, 64).of(lang))))).to_be_visible()
    page.set_viewport_size({"width": 673, "height": 1123})  # what is left of A4 between its margins
    assert page.evaluate(CUT_OFF) == []
    pages = page.pdf(prefer_css_page_size=True)
    assert pages.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pages)) >= 3
    context.close()


# Elements that stick out of the page, or whose own text does not fit.
CUT_OFF = """() => [...document.querySelectorAll("body *")]
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.getBoundingClientRect().left < -1)
  .map((e) => e.outerHTML.slice(0, 80))"""
