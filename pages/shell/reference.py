"""Glossary and sources: every term in one line, every source with how far it has been checked."""

from __future__ import annotations

from html import escape

import streamlit as st

from lessons import LESSONS
from lessons.kit.text import Lang
from pages.shell.site import words
from pages.shell.site.entry import through_app
from pages.shell.site.language import language
from pages.shell.site.prose import reader, sources
from pages.shell.site.terms import terms

SOURCES = "sources"  # where they begin on the page


def reference() -> None:
    """Draw the page for this reader."""
    through_app("reference")
    lang = language()
    st.session_state["page"] = "reference"
    st.title(words.REFERENCE.of(lang), anchor=False)
    reader(
        f'<p><a href="#{SOURCES}">{escape(words.SOURCES.of(lang))}</a></p>'
        f"<section><h2>{escape(words.GLOSSARY.of(lang))}</h2>{terms(lang)}</section>"
        f'<section><h2 id="{SOURCES}" tabindex="-1">{escape(words.SOURCES.of(lang))}</h2>{_sources(lang)}</section>',
        lang,
        key="reference/text",
    )


def _sources(lang: Lang) -> str:
    """Each lesson's sources under its name."""
    return "".join(f"<h3>{escape(lesson.title.of(lang))}</h3>{sources(lesson, lang)}" for lesson in LESSONS)
