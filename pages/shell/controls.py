"""The fields of a form. They show what was typed, good or bad, and hand it back as text."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from lessons.kit.controls import Choice, Control, Form, KeyTable, Line, Real, Whole
from lessons.kit.format import short
from lessons.kit.text import Lang, Text
from pages.shell import words


def fields(form: Form[Any], typed: dict[str, str], key: str, lang: Lang) -> dict[str, str]:
    """Draw the controls that belong in a form. Widgets are new for each `key`; what comes back replaces `typed`."""
    result = dict(typed)
    tables = [control for control in form.controls if isinstance(control, KeyTable)]
    small = [
        c for c in form.controls if not (isinstance(c, KeyTable) or (isinstance(c, Choice) and c.short is not None))
    ]
    for table in tables:
        result[table.name] = _table(table, typed[table.name], f"{key}/{table.name}", lang)
    for control, column in zip(small, st.columns(max(1, len(small))), strict=False):
        with column:
            result[control.name] = _field(control, typed[control.name], f"{key}/{control.name}", lang)
    return result


def _field(control: Control, typed: str, key: str, lang: Lang) -> str:
    match control:
        case Choice():
            return _choice(control, typed, key, lang)
        case Whole(low=low, high=high):
            hint = f"{low} – {high}"
        case Real(low=least, high=most):
            hint = f"{short(least)} – {short(most)}"
        case Line(help=words_):
            hint = words_.of(lang)
        case _:
            raise TypeError(f"no field for {type(control).__name__}")
    return st.text_input(control.label.of(lang), typed, key=key, help=hint, max_chars=600)


def _choice(control: Choice, typed: str, key: str, lang: Lang) -> str:
    named = {value: text.of(lang) for value, text in control.options}
    values = list(named)
    index = values.index(typed) if typed in named else 0
    return str(st.selectbox(control.label.of(lang), values, index, format_func=named.__getitem__, key=key))


def _table(control: KeyTable, typed: str, key: str, lang: Lang) -> str:
    """The table as text cells, so that nothing typed is lost. The widget edits the table it was first shown."""
    columns = [column.of(lang) for column in control.columns]
    if key not in st.session_state:
        st.session_state[f"{key}/seed"] = control.cells(typed)
    seed = pd.DataFrame(st.session_state[f"{key}/seed"], columns=columns, dtype="str")
    seed.index = pd.RangeIndex(1, len(seed) + 1)
    st.markdown(f"**{control.label.of(lang)}**", help=words.TABLE_HELP.of(lang))
    edited = st.data_editor(
        seed,
        key=key,
        num_rows="dynamic",
        width="stretch",
        column_config={column: st.column_config.TextColumn(column, default="") for column in columns},
    )
    cells = edited.fillna("").astype(str).to_numpy().tolist()
    return control.typed(cells)


def complain(complaints: tuple[Text, ...], lang: Lang, *, kept: bool = True) -> None:
    """One box with a sentence for each field that cannot be used."""
    if complaints:
        lines = "\n".join(f"- {complaint.of(lang)}" for complaint in complaints[:6])
        st.error(f"{words.KEPT.of(lang)}\n\n{lines}" if kept else lines)
