"""Terms lead to terms: on the page that lists them all, and in the note that a term of a lesson opens."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.kit.glossary import GLOSSARY
from lessons.kit.prose import linked
from lessons.kit.text import Lang
from lessons.three_savings import LESSON
from pages.shell.site import words
from pages.shell.site.terms import terms_of
from tests.pages.conftest import OpenPage
from tests.pages.harness import ready
from tests.pages.reader import LANGS, SLUG, Player, open_tab

each_language = pytest.mark.parametrize("lang", LANGS)
FIRST = "flash-attention"


def is_at(page: Page, slug: str) -> Locator:
    """Wait until the term's entry is in sight and has the focus."""
    entry = page.locator(f"#term-{slug}")
    expect(entry).to_be_focused()
    expect(entry).to_be_in_viewport(ratio=1)
    expect(page).to_have_url(re.compile(f"#term-{slug}$"))
    return entry


@each_language
def test_the_list_of_terms_opens_at_an_entry_and_a_link_leads_to_another(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(f"reference?lang={lang}#term-{FIRST}", lang=lang, width=360 if lang == "zh" else 1280)
    entry = is_at(page, FIRST)
    expect(entry.locator("dt")).to_have_text(GLOSSARY[FIRST].name.of(lang))
    by_mouse = linked(GLOSSARY[FIRST].meaning.of(lang))[-1]
    entry.locator("a.term").last.click()
    entry = is_at(page, by_mouse)
    page.keyboard.press("Tab")  # from the entry to the first link in it
    expect(entry.locator("a.term").first).to_be_focused()
    page.keyboard.press("Enter")
    is_at(page, linked(GLOSSARY[by_mouse].meaning.of(lang))[0])
    page.go_back()
    is_at(page, by_mouse)
    page.get_by_test_id("stMain").evaluate("box => box.scrollTo(0, box.scrollHeight)")
    expect(page.locator(f"#term-{FIRST}")).not_to_be_in_viewport()
    page.go_back()
    is_at(page, FIRST)


@each_language
def test_under_a_term_stand_the_lessons_that_link_it(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(f"reference?lang={lang}", lang=lang)
    expect(page.locator("dt")).to_have_count(len(GLOSSARY))
    links = page.locator("#term-ledger .uses a")
    assert [slug for slug, terms in terms_of().items() if "ledger" in terms] == [LESSON.slug]
    expect(links).to_have_text([LESSON.title.of(lang)])
    links.click()
    ready(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(LESSON.title.of(lang))


@each_language
def test_a_term_in_a_note_takes_the_note_over_and_escape_gives_the_focus_back(open_page: OpenPage, lang: Lang) -> None:
    page = open_page(f"{SLUG}?lang={lang}", lang=lang)
    player = Player(page, lang)
    follows(page, player.narration.locator(".term").nth(1), player.root.locator("#definition"), lang)
    player.is_at(0)  # no key went to the player
    reader = open_tab(page, words.READ, lang).locator(".reader")
    follows(page, reader.locator(".text .term").nth(1), reader.locator(".note"), lang)


def follows(page: Page, term: Locator, note: Locator, lang: Lang) -> None:
    opened = str(term.get_attribute("data-term"))
    for by_mouse in (True, False):
        term.click() if by_mouse else term.press("Enter")
        shows(note, opened, lang)
        second = linked(GLOSSARY[opened].meaning.of(lang))[0]
        if not by_mouse:
            page.keyboard.press("Tab")
        link = note.locator(".term").first
        link.click() if by_mouse else page.keyboard.press("Enter")
        shows(note, second, lang)
        page.keyboard.press("Tab")
        third = linked(GLOSSARY[second].meaning.of(lang))[0]
        expect(note.locator(".term").first).to_be_focused()
        page.keyboard.press("Space")
        shows(note, third, lang)
        page.keyboard.press("Escape")
        expect(note).to_be_hidden()
        expect(term).to_be_focused()


def shows(note: Locator, slug: str, lang: Lang) -> None:
    expect(note).to_be_visible()
    expect(note.locator("b").first).to_have_text(GLOSSARY[slug].name.of(lang))
