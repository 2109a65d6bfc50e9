"""Glossary and sources: every term in one line, every source with how far it has been checked."""

from __future__ import annotations

import streamlit as st

from lessons import LESSONS
from lessons.kit.html import templates
from pages.shell.site import words
from pages.shell.site.entry import through_app
from pages.shell.site.language import language
from pages.shell.site.prose import reader, sources
from pages.shell.site.terms import terms

_fill = templates(__file__)


def reference() -> None:
    """Draw the page for this reader."""
    through_app("reference")
    lang = language()
    st.session_state["page"] = "reference"
    st.title(words.REFERENCE.of(lang), anchor=False)
    lessons = [(lesson.title, sources(lesson, lang)) for lesson in LESSONS]
    html = _fill("reference.html", terms=terms(lang), lessons=lessons, words=words, lang=lang)
    reader(html, lang, key="reference/text")
