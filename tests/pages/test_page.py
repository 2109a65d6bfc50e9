"""The page around the player: language, small screens, dark theme, glossary, the sections below."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from lessons.kit.glossary import GLOSSARY
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from pages.shell.site import words
from tests.pages import harness
from tests.pages.conftest import OpenPage
from tests.pages.reader import CHAPTER, SLUG, Player, link, open_tab

# The lowest contrast (WCAG) between text and what it stands on, with the text, over all text nodes of the player.
CONTRASTS = """root => {
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
  const rgba = (colour) => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const c = rgb[i] / 255;
    return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  }, 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentNode ?? at.host) {
      const colour = at instanceof Element && rgba(getComputedStyle(at).backgroundColor);
      if (colour && colour[3] === 255) return colour;
    }
    return [255, 255, 255];
  };
  const some = ["narration *", "table *", "legend li", "toolbar button", "toolbar select", "ledger li", "counter"];
  const all = [...root.querySelectorAll(["nav button", ...some.map((one) => `#${one}`)].join(", "))];
  return all.filter((node) => node.checkVisibility() && node.ariaDisabled !== "true"
      && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .map((node) => {
      const [a, b] = [light(rgba(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
      return [(a + 0.05) / (b + 0.05), node.textContent.trim().slice(0, 40)];
    });
}"""

CHANGED_IS_SEEN = """box => {
  const changed = box.querySelector(".role-wrong, .role-new");
  const [{left, right}, shape] = [box.getBoundingClientRect(), changed.getBoundingClientRect()];
  return shape.left >= left && shape.right <= right;
}"""
SMALL = """root => [...root.querySelectorAll("#toolbar button, #toolbar select, nav button")]
  .filter((node) => node.checkVisibility() && Math.round(node.getBoundingClientRect().height) < 40)
  .map((node) => node.ariaLabel || node.textContent)"""


def speaks(page: Page, lang: Lang) -> None:
    player = Player(page, lang)
    expect(player.button("next")).to_be_visible()
    player.shows(CHAPTER)
    expect(player.root).to_have_attribute("lang", {"en": "en", "zh": "zh-CN"}[lang])
    expect(page.get_by_role("heading", level=1)).to_have_text(LESSON.title.of(lang))
    expect(page.get_by_role("tab", name=words.QUIZ.of(lang))).to_be_visible()


def test_the_browser_chooses_the_language_until_the_switch_does_and_the_address_keeps_it(open_page: OpenPage) -> None:
    page = open_page(f"{SLUG}?lang=zh#step-2", lang="zh")
    speaks(page, "zh")
    switch = page.get_by_role("group", name=words.LANGUAGE.zh)
    expect(switch.get_by_role("button", name="中文")).to_have_attribute("aria-pressed", "true")
    switch.get_by_role("button", name="English").click()
    speaks(page, "en")
    Player(page).is_at(1)
    expect(page).to_have_url(re.compile("lang=en#step-2$"))
    page.reload()
    speaks(page, "en")
    page.get_by_role("link", name=words.HOME.en).click()
    expect(page.get_by_role("heading", name=words.APP.en)).to_be_visible()
    page.get_by_role("main").locator(f"a[href$='{SLUG}']").click()
    speaks(page, "en")

    page = open_page("", lang="zh")
    expect(page.get_by_role("heading", name=words.APP.zh)).to_be_visible()
    page.get_by_role("main").locator(f"a[href$='{SLUG}']").click()
    speaks(page, "zh")
    expect(page).to_have_url(re.compile("lang=zh"))


@pytest.mark.parametrize(("lang", "dark"), [("en", True), ("zh", False)])
def test_on_a_phone_only_the_figure_scrolls_sideways_and_all_is_legible(
    open_page: OpenPage, lang: Lang, dark: bool
) -> None:
    page = open_page(f"{SLUG}?mistake=no_rescale&lang={lang}#step-8", lang=lang, width=360, height=740, dark=dark)
    player = Player(page, lang)
    player.is_at(7)
    expect(player.root).to_have_attribute("data-theme", "dark" if dark else "light")
    for box in ("[data-testid=stMain]", "html", "body"):
        wide, room = page.locator(box).evaluate("box => [box.scrollWidth, box.clientWidth]")
        assert wide <= room, box
    figure = player.root.get_by_role("group", name=words.PLAYER["figure"].of(lang))
    wide, room = figure.evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert wide > room
    page.wait_for_function(CHANGED_IS_SEEN, arg=figure.element_handle())
    figure.evaluate("box => { box.scrollLeft = 0 }")
    expect(figure).to_have_js_property("scrollLeft", 0)
    player.button("previous").click()
    player.is_at(6)
    page.wait_for_function(CHANGED_IS_SEEN, arg=figure.element_handle())  # each step brings what it changes into sight
    assert player.root.evaluate(SMALL) == []
    faint = [(round(ratio, 2), text) for ratio, text in player.root.evaluate(CONTRASTS) if ratio < 4.5]
    assert faint == []


def opens_and_closes(page: Page, term: Locator, note: Locator) -> None:
    name, meaning = GLOSSARY[str(term.get_attribute("data-term"))].name.en, note.locator("p")
    expect(note).to_be_hidden()
    for by_mouse in (True, False):
        term.click() if by_mouse else term.press("Enter")
        expect(note).to_be_visible()
        expect(meaning.first).to_have_text(name)
        expect(meaning.nth(1)).not_to_be_empty()
        page.keyboard.press("Escape")
        expect(note).to_be_hidden()
        expect(term).to_be_focused()


def test_a_term_opens_its_definition_and_gives_the_focus_back(open_page: OpenPage) -> None:
    page = open_page(SLUG)
    player = Player(page)
    opens_and_closes(page, player.narration.locator(".term").first, player.root.locator("#definition"))
    player.is_at(0)
    player.narration.locator(".term").nth(2).click()
    expect(player.root.locator("#definition p").first).to_have_text(GLOSSARY["softmax"].name.en)
    page.keyboard.press("ArrowRight")  # the term goes with its step, and its definition with it
    player.is_at(1)
    expect(player.root.locator("#definition")).to_be_hidden()
    reader = open_tab(page, words.READ, "en").locator(".reader")
    opens_and_closes(page, reader.locator(".term").nth(1), reader.locator(".note"))


def test_charts_are_drawn_only_once_explore_is_open_and_say_in_words_what_they_show(open_page: OpenPage) -> None:
    page = open_page(f"{SLUG}?tile=2&lang=zh")
    plots = page.locator(".js-plotly-plot")
    for section in (words.READ, words.TABLE):
        open_tab(page, section, "zh")
        expect(plots).to_have_count(0)
    panel = open_tab(page, words.EXPLORE, "zh")
    expect(plots).to_have_count(len(LESSON.charts))
    scenario = LESSON.form.read({"tile": "2"}, CHAPTER)
    for chart in LESSON.charts:
        expect(panel.get_by_role("figure", name=chart.alt(scenario).zh)).to_be_visible()


def test_the_table_downloads_the_trace_and_a_label_is_never_a_formula(open_page: OpenPage) -> None:
    typed = {"keys": "=1+1,0,5\n@x,2,10\nB,1,0"}
    page = open_page(link(typed))
    panel = open_tab(page, words.TABLE, "en")
    with page.expect_download() as download:
        panel.get_by_test_id("stDownloadButton").get_by_role("button").click()
    assert download.value.suggested_filename == f"{SLUG}.csv"
    with download.value.path().open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    table = LESSON.table(LESSON.form.read(typed, CHAPTER), "en")
    assert len(rows) == len(table)
    for column in ("m", "ℓ", "u1", "o1", "α"):
        assert [float(row[column]) for row in rows if row[column]] == table[column].dropna().tolist()
    assert {row["keys"] for row in rows} == {"", "'=1+1", "'@x", "B"}
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell]


def test_the_tables_own_download_button_hands_out_no_formula_either(open_page: OpenPage) -> None:
    page = open_page(link({"keys": "=1+1,0,5\nB,1,0"}))
    panel = open_tab(page, words.TABLE, "en")
    page.evaluate("window.showSaveFilePicker = undefined")  # it would ask where to save
    panel.get_by_test_id("stDataFrame").hover()
    own = panel.get_by_test_id("stElementToolbar").get_by_role("button", name="Download as CSV")
    if own.is_visible():
        with page.expect_download() as download:
            own.click()
        assert ",=1+1," not in download.value.path().read_text("utf-8-sig")


def test_the_first_reader_after_a_start_has_the_navigation_and_no_other_readers_numbers(
    browser: Browser, tmp_path: Path
) -> None:
    with harness.serve(tmp_path / "first.log") as server:
        contexts = [harness.new_context(browser, server.url, width=1920) for _ in range(2)]
        first, second = (context.new_page() for context in contexts)
        first.goto(f"/{link({'tile': '3'}, step=2)}")
        harness.ready(first)
        navigation = first.get_by_role("navigation", name="App pages")
        expect(navigation.get_by_role("link", name=words.HOME.en, exact=True)).to_be_visible()
        navigation.get_by_text(words.LESSONS.en).click()
        expect(first.get_by_role("menuitem", name=LESSON.title.en)).to_be_visible()
        first.keyboard.press("Escape")
        expect(first.get_by_role("button", name="中文")).to_be_visible()
        three = LESSON.form.read({"tile": "3"}, CHAPTER)
        Player(first).shows(three, 1)

        second.goto(f"/{SLUG}")
        harness.ready(second)
        Player(second).shows(CHAPTER, 0)
        Player(second).mistake.select_option("tile_max")
        other = LESSON.form.read({"mistake": "tile_max"}, CHAPTER)
        Player(second).shows(other, 0)
        first.get_by_role("tab", name=words.QUIZ.en).click()
        harness.settled(first)
        Player(first).shows(three, 1)
        assert "tile_max" not in first.url
        assert "tile=3" not in second.url
        for context in contexts:
            context.close()
        assert "Traceback" not in server.log_text()
