"""The first page: what the app shows, and the lessons in reading order."""

from __future__ import annotations

import streamlit as st

from lessons import LESSONS
from lessons.kit.text import Text
from pages.shell import words
from pages.shell.language import language

LEAD = Text(
    "Three mechanisms make long contexts affordable, and they are constantly mixed up. Each saves something else: **work** done, "
    "**bytes moved**, or **bytes resident**. Step through them with numbers that are computed as you read, change the numbers, run the "
    "usual mistakes on purpose, and check yourself.",
    "有三种机制让长上下文负担得起，却常被混为一谈。它们省下的东西各不相同：**计算**、**搬运的字节**、**驻留的字节**。"
    "在这里逐步观看实时算出的数字，修改它们，故意走一遍常见的错误，再自测。",
)
START = Text("Start", "开始")


def home() -> None:
    lang = language()
    st.session_state["page"] = "home"
    st.title(words.APP.of(lang), anchor=False)
    st.markdown(LEAD.of(lang))
    for lesson in LESSONS:
        with st.container(border=True):
            st.subheader(lesson.title.of(lang), anchor=False)
            st.markdown(lesson.question.of(lang))
            saves = words.LEDGER[lesson.ledger.saves].of(lang)
            effect = getattr(lesson.ledger, lesson.ledger.saves).of(lang)
            st.caption(f"{saves}: {effect} · {lesson.minutes} {words.MINUTES.of(lang)} · {lesson.place.of(lang)}")
            st.page_link(f"pages/{lesson.slug}.py", label=START.of(lang))
