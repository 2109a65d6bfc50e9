"""Explore: a lesson's charts, and its trace as a table."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from pages.shell import words


def explore(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> None:
    """Every chart of the lesson, drawn from the reader's Scenario."""
    for chart in lesson.charts:
        st.subheader(chart.title.of(lang), anchor=False)
        st.plotly_chart(
            chart.draw(scenario, lang),
            width="stretch",
            key=f"{lesson.slug}/chart/{chart.slug}",
            config={"displayModeBar": False},
            alt=chart.alt(scenario).of(lang),
        )
        st.caption(chart.caption.of(lang))


def table(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> None:
    """The trace, and the same as a CSV file."""
    frame = lesson.table(scenario, lang)
    st.caption(words.TABLE_NOTE.of(lang))
    st.dataframe(frame, width="stretch", hide_index=True)
    safe = frame.map(not_a_formula)
    st.download_button(
        words.DOWNLOAD.of(lang),
        safe.to_csv(index=False).encode("utf-8-sig"),
        f"{lesson.slug}.csv",
        "text/csv",
        on_click="ignore",
    )


def not_a_formula(cell: object) -> object:
    """A label that a spreadsheet would run as a formula, made plain text."""
    return (
        f"'{cell}"
        if isinstance(cell, str) and cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
        else cell
    )
