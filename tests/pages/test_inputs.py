"""Change the numbers: by hand or by a link, good ones give a new trace, bad ones a sentence and the last good steps."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from engine.online_softmax import Mistake, Scenario
from lessons.kit.text import Lang, Text
from lessons.online_softmax.form import KEYS, ORDER, TILE
from pages.shell.site import words
from tests.pages.conftest import OpenPage
from tests.pages.harness import ready, settled
from tests.pages.reader import CHAPTER, IN_TURN, SLUG, Player, link, open_tab, type_into

ROW_HEIGHT = 35  # of Streamlit's data editor, which is a canvas; its head is as high
IMG = "<img src=x onerror=alert(1)>"


def cell(page: Page, table: Locator, row: int, column: int) -> None:
    """Select a cell of the data editor: its columns share the width nearly evenly. A second click would open the
    cell."""
    settled(page)
    wanted = table.get_by_test_id(f"glide-cell-{column + 1}-{row}")
    if wanted.get_attribute("aria-selected") != "true":
        grid = table.locator(".dvn-scroller")
        wide = grid.evaluate("box => box.clientWidth") / len(KEYS.columns)
        grid.click(position={"x": wide * (column + 0.5), "y": ROW_HEIGHT * (row + 1.5)})
    expect(wanted).to_have_attribute("aria-selected", "true")


def edit(page: Page, table: Locator, row: int, column: int, typed: str) -> None:
    cell(page, table, row, column)
    page.keyboard.press("Enter")
    write(page, table, row, column, typed)


def write(page: Page, table: Locator, row: int, column: int, typed: str) -> None:
    """Fill the cell that is open."""
    field = page.locator("textarea.gdg-input")
    field.fill(typed)
    field.press("Enter")
    expect(table.get_by_test_id(f"glide-cell-{column + 1}-{row}")).to_have_text(typed)


def complaints(page: Page, lang: Lang, *names: Text, says: Text) -> Locator:
    """The one alert box: it says what the steps are, and names each of these fields."""
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(says.of(lang))
    for name in names:
        expect(alert.get_by_role("listitem").filter(has_text=name.of(lang))).not_to_have_count(0)
    return alert


def nothing_ran(page: Page) -> None:
    """No typed tag came to life, and no traceback reached the page."""
    assert page.locator("img[src=x], [onerror], [onload], script:text('alert')").count() == 0
    player = page.get_by_test_id("player")
    assert player.locator("img, script, iframe").count() == 0
    assert page.get_by_role("alert").locator("img, script, iframe, a").count() == 0
    assert "Traceback" not in page.locator("body").inner_text()


def dialogs(page: Page) -> list[str]:
    opened: list[str] = []

    def dismiss(dialog) -> None:  # type: ignore[no-untyped-def]
        opened.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    return opened


def test_each_field_and_each_cell_gives_a_new_trace_and_goes_into_the_address(open_page: OpenPage) -> None:
    page = open_page(f"{SLUG}#step-3")
    player = Player(page)
    panel = open_tab(page, words.CHANGE, "en")
    type_into(page, panel.get_by_role("textbox", name="Tile size"), "2")
    scenario = replace(CHAPTER, tile_size=2)
    player.shows(scenario, 2)
    expect(page).to_have_url(re.compile(r"\?tile=2#step-3$"))

    type_into(page, panel.get_by_role("textbox", name="Reading order"), "3 1 2")
    scenario = replace(scenario, order=(2, 0, 1))
    player.shows(scenario, 2)
    expect(page).to_have_url(re.compile(r"order=3%2C\+1%2C\+2"))
    expect(player.example).to_have_value("own")

    table = panel.get_by_test_id("stDataFrame")
    edit(page, table, 0, 1, "4.5")
    scenario = replace(scenario, scores=(4.5, 2.0, 1.0))
    player.shows(scenario, 2)
    edit(page, table, 2, 0, "β")
    scenario = replace(scenario, labels=("C", "A", "β"))
    player.shows(scenario, 2)

    type_into(page, panel.get_by_role("textbox", name="Reading order"), "")
    # the line that adds a row, and opens its first cell
    table.locator(".dvn-scroller").click(position={"x": 60, "y": ROW_HEIGHT * 4.5})
    write(page, table, 3, 0, "D")
    for column, typed in enumerate(("-inf", "7", "8"), start=1):
        edit(page, table, 3, column, typed)
    scenario = Scenario((4.5, 2.0, 1.0, -float("inf")), ((5, 5), (10, 0), (0, 20), (7, 8)), ("C", "A", "β", "D"), 2)
    player.shows(scenario, 2)
    expect(page.get_by_role("alert")).to_have_count(0)

    page.reload()
    player.shows(scenario, 2)


def test_a_second_edit_before_the_first_is_answered_loses_neither(open_page: OpenPage) -> None:
    page = open_page(SLUG)
    player = Player(page)
    # as fast as the keyboard of a classroom: the browser's address is still the old one at the second
    player.mistake.select_option("tile_max")
    page.wait_for_timeout(40)
    player.example.select_option("tile-of-two")
    player.shows(replace(CHAPTER, tile_size=2, mistake=Mistake.TILE_MAX), 0)
    expect(page).to_have_url(re.compile("mistake=tile_max&tile=2|tile=2&mistake=tile_max"))
    panel = open_tab(page, words.CHANGE, "en")
    panel.get_by_role("textbox", name="Tile size").fill("3")
    order = panel.get_by_role("textbox", name="Reading order")
    order.fill("3 2 1")  # the focus leaves the first field, which sends it
    page.wait_for_timeout(40)
    order.press("Enter")
    page.wait_for_timeout(40)
    player.mistake.select_option("none")
    player.shows(replace(CHAPTER, tile_size=3, order=(2, 1, 0)), 0)
    player.mistake.select_option("no_rescale")
    page.wait_for_timeout(40)
    page.get_by_role("tab", name=words.TABLE.en).click()
    expect(page.get_by_test_id("stDownloadButton")).to_be_visible()
    player.shows(replace(CHAPTER, tile_size=3, order=(2, 1, 0), mistake=Mistake.NO_RESCALE), 0)


@pytest.mark.parametrize("lang", IN_TURN)
def test_a_field_that_cannot_be_used_is_named_and_the_last_good_steps_stay(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(f"{SLUG}?tile=2&lang={lang}#step-5", lang=lang)
    opened = dialogs(page)
    player = Player(page, lang)
    scenario = replace(CHAPTER, tile_size=2)
    player.shows(scenario, 4)
    panel = open_tab(page, words.CHANGE, lang)
    tile, order = (panel.get_by_role("textbox", name=control.label.of(lang)) for control in (TILE, ORDER))
    for typed in ("0", "99", "abc", IMG):
        type_into(page, tile, typed)
        alert = complaints(page, lang, TILE.label, says=words.instead(words.ABOVE))
        expect(alert).to_contain_text(f"“{typed[:20]}")
        expect(tile).to_have_value(typed)  # what was typed stays there to be put right
        player.shows(scenario, 4)
    assert panel.get_by_role("alert").count() == 1  # it stands at the form, over the fields
    over, under = alert.bounding_box(), tile.bounding_box()
    assert over is not None
    assert under is not None
    assert over["y"] < under["y"]
    expect(page.get_by_text((words.instead(words.BELOW) + words.NAMED_THERE).of(lang))).to_be_visible()
    type_into(page, order, "1, 1, ]]>")  # is read once the other fields can be
    complaints(page, lang, TILE.label, says=words.instead(words.ABOVE))
    assert "tile=2" in page.url
    assert "order" not in page.url
    type_into(page, tile, "1")
    alert = complaints(page, lang, ORDER.label, says=words.instead(words.ABOVE))
    expect(alert).not_to_contain_text(TILE.label.of(lang))
    scenario = replace(CHAPTER, tile_size=1)  # what can be used is, beside what cannot
    player.shows(scenario, 4)

    table = panel.get_by_test_id("stDataFrame")
    edit(page, table, 1, 1, "1e999")
    edit(page, table, 0, 0, IMG)
    alert = complaints(page, lang, KEYS.label, says=words.instead(words.ABOVE))
    expect(alert.get_by_role("listitem")).to_have_count(3)  # two cells, and the order
    player.shows(scenario, 4)
    nothing_ran(page)
    player.example.select_option("chapter")  # any example puts everything right
    expect(page.get_by_role("alert")).to_have_count(0)
    player.shows(CHAPTER, 4)
    assert opened == []


SEVENTEEN = "\n".join(f"k{i},{i},1" for i in range(17))
BAD_LINKS: tuple[tuple[Lang, dict[str, str], tuple[Text, ...]], ...] = (
    ("en", {"keys": "A,letters,1\nB,1e999,2\nC,nan,3\nD,0,inf", "tile": "0", "order": "1 1"}, (KEYS.label, TILE.label)),
    ("zh", {"keys": "", "tile": "99", "mistake": IMG}, (KEYS.label, TILE.label, Text("a mistake", "与一种错误比较"))),
    ("en", {"keys": SEVENTEEN, "order": f"{IMG}]]>" * 40}, (KEYS.label, ORDER.label)),
    ("zh", {"keys": f"{'x' * 500},0,1\n{IMG},1,1\n\u202eC,1,1", "tile": "２٣"}, (KEYS.label, TILE.label)),
)


@pytest.mark.parametrize(("lang", "typed", "fields"), BAD_LINKS, ids=("cells", "empty", "too-many", "labels"))
def test_a_link_that_cannot_be_used_names_its_fields_and_shows_the_lesson(
    open_page: OpenPage, lang: Lang, typed: dict[str, str], fields: tuple[Text, ...]
) -> None:
    page = open_page(link(typed | {"lang": lang}, step=2), lang=lang)
    opened = dialogs(page)
    player = Player(page, lang)
    player.shows(CHAPTER, 1)
    alert = complaints(page, lang, *fields, says=words.instead(words.BELOW))
    assert "\u202e" not in alert.inner_text()
    panel = open_tab(page, words.CHANGE, lang)
    if "tile" in typed:
        expect(panel.get_by_role("textbox", name=TILE.label.of(lang))).to_have_value(typed["tile"])
    complaints(page, lang, *fields, says=words.instead(words.ABOVE))
    nothing_ran(page)
    player.mistake.select_option("tile_max")  # what can be used is, and the link is not forgotten
    player.shows(replace(CHAPTER, mistake=Mistake.TILE_MAX), 1)
    player.example.select_option("two-tiles")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert opened == []


def test_a_link_with_a_choice_that_is_not_offered_keeps_the_rest_and_what_is_typed_after_it(
    open_page: OpenPage,
) -> None:
    page = open_page(link({"mistake": "zz", "tile": "3", "lang": "en"}))
    player = Player(page)
    player.shows(replace(CHAPTER, tile_size=3), 0)
    panel = open_tab(page, words.CHANGE, "en")
    complaints(page, "en", Text("a mistake", ""), says=words.instead(words.ABOVE))
    field = panel.get_by_role("textbox", name=TILE.label.en)
    for typed, tile in (("2", 2), ("zz", 2)):  # what could be used last stays, not the lesson's own
        field.fill(typed)
        field.press("Enter")
        player.shows(replace(CHAPTER, tile_size=tile), 0)
        page.wait_for_url("**tile=2*")  # the address leads to what the steps show
    complaints(page, "en", TILE.label, Text("a mistake", ""), says=words.instead(words.ABOVE))
    assert "mistake" not in page.url
    page.reload()
    player.shows(replace(CHAPTER, tile_size=2), 0)
    expect(page.get_by_role("alert")).to_have_count(0)
    bad = ("prompt", "new", "tile", "block", "reserve", "cache", "tiles", "paging", "mistake")
    page.goto(f"/three_savings?lang=en&{'&'.join(f'{name}=x' for name in bad)}")
    named = page.get_by_role("alert").get_by_role("listitem")
    expect(named).to_have_count(7)
    expect(named.last).to_have_text(f"and {len(bad) - 6} more")


def test_labels_that_look_like_code_or_run_from_right_to_left_are_only_shown(open_page: OpenPage) -> None:
    labels = ("<img src=x>", "]]>", "עברית", "&lt;b&gt;", "*b* $x$ `c`", "[a](//b.c)")
    typed = "\n".join(f"{label},{i},{i}" for i, label in enumerate(labels))
    page = open_page(link({"keys": typed, "tile": "2", "lang": "en"}))
    opened = dialogs(page)
    page.reload()
    ready(page)
    player = Player(page)
    scenario = Scenario(tuple(map(float, range(6))), tuple((float(i),) for i in range(6)), labels, 2)
    player.shows(scenario, 0)
    player.root.focus()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        nothing_ran(page)
        assert player.root.locator(":not(#onward) > a, b b, code, math:has-text('x$')").count() == 0
    picture = player.svg.text_content() or ""
    assert [label for label in labels if label not in picture] == []
    assert "Read <img src=x> and ]]>" in player.strip.nth(1).inner_text()
    player.strip.nth(1).click()
    said = player.state().said
    assert "<img src=x> and ]]>, scores 0, 1" in said
    for section in (words.EXPLORE, words.TABLE, words.CHANGE):
        open_tab(page, section, "en")
        nothing_ran(page)
    assert opened == []
