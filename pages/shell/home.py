"""The first page: the reading path, the three storage problems in one picture, the check before reading."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from lessons import LESSONS
from lessons.home import CHECK, CHECK_TITLE, LEAD, PATH, PICTURE, PICTURE_HINT, PICTURE_TITLE
from lessons.kit.html import templates
from lessons.kit.text import Lang
from pages.shell.lesson.attempt import attempt_of
from pages.shell.lesson.quiz import ask, attempt_key
from pages.shell.site import words
from pages.shell.site.language import language
from pages.shell.site.prose import reader
from pages.shell.site.words import CHECK_ALL

_fill = templates(__file__)


def home() -> None:
    """Draw the first page for this reader."""
    lang = language()
    st.session_state["page"] = "home"
    st.title(words.APP.of(lang), anchor=False)
    st.markdown(LEAD.of(lang))
    picture = Markup(PICTURE.to_svg(lang))
    html = _fill("home.html", title=PICTURE_TITLE, hint=PICTURE_HINT, picture=picture, lang=lang)
    reader(html, lang, key="home/picture")
    st.header(PATH.of(lang), anchor=False)
    for start in range(0, len(LESSONS), 2):
        for number, column in enumerate(st.columns(2)[: len(LESSONS) - start], start):
            with column:
                _entry(number, lang)
    st.header(CHECK_TITLE.of(lang), anchor=False)
    with st.container(border=True):
        ask(CHECK, attempt_of(CHECK, attempt_key(CHECK, None)), lang)
    st.page_link("pages/check.py", label=f"**{CHECK_ALL.of(lang)}**")


def _entry(number: int, lang: Lang) -> None:
    """One lesson of the path: its name as a link, the question it answers, what it saves, how long it takes."""
    lesson = LESSONS[number]
    saves = words.LEDGER[lesson.ledger.saves].of(lang)
    with st.container(border=True, key=f"path-{lesson.slug}", gap="small"):
        st.page_link(f"pages/{lesson.slug}.py", label=f"**{number + 1}. {lesson.title.of(lang)}**")
        st.markdown(lesson.question.of(lang))
        st.caption(f"{saves} · {lesson.minutes} {words.MINUTES.of(lang)} · {lesson.place.of(lang)}")
