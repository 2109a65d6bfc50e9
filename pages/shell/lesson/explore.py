"""Explore: a lesson's charts, and its trace as a table."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from lessons.kit.format import fixed
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from pages.shell.site import words


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
    config = {
        name: st.column_config.NumberColumn(format=form)
        for name in frame.columns
        if (form := digits(frame[name])) and not np.isinf(frame[name]).any()
    }
    st.dataframe(with_infinities(frame), width="stretch", hide_index=True, placeholder="–", column_config=config)
    safe = frame.map(not_a_formula)
    st.download_button(
        words.DOWNLOAD.of(lang),
        safe.to_csv(index=False).encode("utf-8-sig"),
        f"{lesson.slug}.csv",
        "text/csv",
        on_click="ignore",
    )


def with_infinities(frame: pd.DataFrame) -> Any:
    """The frame to show: the numbers are the same, but an infinity reads as it does in the figures (a bare frame
    shows `-Infinity`)."""
    floats = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name])]
    if not any(np.isinf(frame[name]).any() for name in floats):
        return frame
    return frame.style.format({name: partial(cell, digits(frame[name]) or "%.0f") for name in floats})


def cell(form: str, x: float) -> str:
    """One number of a column.

    >>> cell("%.6f", -math.inf), cell("%.6f", 0.5)
    ('−∞', '0.500000')
    """
    return fixed(x) if math.isinf(x) else form % x


def digits(column: pd.Series[Any]) -> str | None:
    """The printf format of a column; None for words and whole numbers. A rounding error must not read as 0, nor
    9.046377 as 9.0464.

    >>> some = [0.0, 9.046377], [0.0, 4.4e-16], [1.0, float("nan"), float("-inf")]
    >>> tuple(digits(pd.Series(xs)) for xs in some)
    ('%.6f', '%.2e', None)
    """
    if not pd.api.types.is_float_dtype(column):
        return None
    sizes = column[np.isfinite(column) & (column != 0)].abs()
    if (sizes % 1 == 0).all():
        return None
    return "%.2e" if sizes.min() < 1e-6 else "%.6f"


def not_a_formula(cell: object) -> object:
    """A label that a spreadsheet would run as a formula, made plain text."""
    return (
        f"'{cell}"
        if isinstance(cell, str) and cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
        else cell
    )
