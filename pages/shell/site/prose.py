"""The matter around the player: paragraphs with formulas and glossary terms."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import streamlit as st
from markupsafe import Markup

from lessons.kit.glossary import GLOSSARY
from lessons.kit.html import templates
from lessons.kit.lesson import Lesson
from lessons.kit.sources import CHECKED
from lessons.kit.text import Lang
from pages.shell.site import words
from pages.shell.site.assets import asset, figure_css, script
from pages.shell.site.language import html_lang

_JS = script("reader.js")
_CSS = asset("common.css") + asset("reader.css")
_READER = st.components.v2.component("reader", js=_JS, css=_CSS)
_ILLUSTRATED = st.components.v2.component("illustrated", js=_JS, css=_CSS + figure_css())

_fill = templates(__file__)
_TERM = re.compile(r' data-term="([^"]*)"')


def reader(html: Markup, lang: Lang, *, key: str) -> None:
    """Trusted HTML whose glossary terms open. The colours of scenes come only where it holds one."""
    component = _ILLUSTRATED if "<svg" in html else _READER
    component(key=key, data={"html": html, "lang": html_lang(lang), "glossary": glossary(html, lang)})


def glossary(html: str, lang: Lang) -> dict[str, Markup]:
    """Definitions as HTML, by slug: of each term that this HTML opens, and of those that a reader comes to from
    there."""
    found: dict[str, Markup] = {}
    waiting = _TERM.findall(html)
    while waiting:
        slug = waiting.pop()
        if slug not in found:
            found[slug] = _term(slug, lang)
            waiting += _TERM.findall(found[slug])
    return found


@cache
def _term(slug: str, lang: Lang) -> Markup:
    return _fill("term.html", term=GLOSSARY[slug], lang=lang)


def read(lesson: Lesson[Any, Any], lang: Lang) -> None:
    """Why, how, limits, how to check, the questions asked next, and the sources."""
    parts = (
        (words.WHY, lesson.why),
        (words.HOW, lesson.how),
        (words.LIMITS, lesson.limits),
        (words.CHECK, lesson.check),
    )
    html = _fill(
        "read.html", parts=parts, follow_ups=lesson.follow_ups, sources=sources(lesson, lang), words=words, lang=lang
    )
    reader(html, lang, key=f"{lesson.slug}/read")


def sources(lesson: Lesson[Any, Any], lang: Lang) -> Markup:
    """The lesson's sources as a list, each with how far it has been checked."""
    return _fill("sources.html", sources=lesson.sources, checked=CHECKED, lang=lang)
