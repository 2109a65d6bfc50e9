"""Glossary and sources: every term in one line, every source with how far it has been checked."""

from __future__ import annotations

from html import escape

import streamlit as st

from lessons import LESSONS
from lessons.kit.glossary import GLOSSARY
from lessons.kit.prose import to_html
from lessons.kit.text import Lang
from pages.shell import words
from pages.shell.entry import through_app
from pages.shell.language import language
from pages.shell.prose import reader, sources


def reference() -> None:
    """Draw the page for this reader."""
    through_app("reference")
    lang = language()
    st.session_state["page"] = "reference"
    st.title(words.REFERENCE.of(lang), anchor=False)
    reader(
        f"<section><h2>{escape(words.GLOSSARY.of(lang))}</h2><dl>{_terms(lang)}</dl></section>"
        f"<section><h2>{escape(words.SOURCES.of(lang))}</h2>{_sources(lang)}</section>",
        lang,
        key="reference/text",
    )


def _terms(lang: Lang) -> str:
    terms = sorted(GLOSSARY.values(), key=lambda term: term.name.of(lang).lower())
    return "".join(f"<dt>{escape(t.name.of(lang))}</dt><dd>{to_html(t.meaning.of(lang))}</dd>" for t in terms)


def _sources(lang: Lang) -> str:
    """Each lesson's sources under its name."""
    return "".join(f"<h3>{escape(lesson.title.of(lang))}</h3>{sources(lesson, lang)}" for lesson in LESSONS)
