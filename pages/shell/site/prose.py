"""The matter around the player: paragraphs with formulas and glossary terms."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import streamlit as st

from lessons.kit.glossary import GLOSSARY
from lessons.kit.lesson import Lesson
from lessons.kit.prose import to_html
from lessons.kit.sources import CHECKED
from lessons.kit.text import Lang, Text
from pages.shell.site import words
from pages.shell.site.assets import asset
from pages.shell.site.language import html_lang

_JS = asset("links.js") + asset("reader.js")
_CSS = asset("common.css") + asset("reader.css")
_READER = st.components.v2.component("reader", js=_JS, css=_CSS)
_ILLUSTRATED = st.components.v2.component("illustrated", js=_JS, css=_CSS + asset("figure.css"))

_TERM = re.compile(r' data-term="([^"]*)"')


def reader(html: str, lang: Lang, *, key: str) -> None:
    """Trusted HTML whose glossary terms open. The colours of scenes come only where it holds one."""
    component = _ILLUSTRATED if "<svg" in html else _READER
    component(key=key, data={"html": html, "lang": html_lang(lang), "glossary": glossary(html, lang)})


def glossary(html: str, lang: Lang) -> dict[str, str]:
    """Definitions as HTML, by slug: of each term that this HTML opens, and of those that a reader comes to from
    there."""
    found: dict[str, str] = {}
    waiting = _TERM.findall(html)
    while waiting:
        slug = waiting.pop()
        if slug not in found:
            term = GLOSSARY[slug]
            found[slug] = f"<p><b>{escape(term.name.of(lang))}</b></p>{to_html(term.meaning.of(lang))}"
            waiting += _TERM.findall(found[slug])
    return found


def read(lesson: Lesson[Any, Any], lang: Lang) -> None:
    """Why, how, limits, how to check, the questions asked next, and the sources."""
    asked = "".join(
        f"<details><summary>{escape(question.of(lang))}</summary>{to_html(answer.of(lang))}</details>"
        for question, answer in lesson.follow_ups
    )
    html = (
        _section(words.WHY, to_html(lesson.why.of(lang).strip()), lang)
        + _section(words.HOW, to_html(lesson.how.of(lang).strip()), lang)
        + _section(words.LIMITS, to_html(lesson.limits.of(lang).strip()), lang)
        + _section(words.CHECK, to_html(lesson.check.of(lang).strip()), lang)
        + _section(words.FOLLOW_UPS, asked, lang)
        + _section(words.SOURCES, sources(lesson, lang), lang)
    )
    reader(html, lang, key=f"{lesson.slug}/read")


def sources(lesson: Lesson[Any, Any], lang: Lang) -> str:
    """The lesson's sources as a list, each with how far it has been checked."""
    items = (
        f"<li><b>{escape(s.title.of(lang))}</b>: {escape(s.what.of(lang))} <span "
        f"class=checked>({escape(CHECKED[s.checked].of(lang))})</span></li>"
        for s in lesson.sources
    )
    return f"<ul>{''.join(items)}</ul>"


def _section(head: Text, body: str, lang: Lang) -> str:
    return f"<section><h2>{escape(head.of(lang))}</h2>{body}</section>"
