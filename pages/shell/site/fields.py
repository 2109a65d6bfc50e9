"""The fields of a form. They show what was typed, good or bad, and hand it back as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from lessons.kit.controls import Choice, Control, Line, OptionalReal, OptionalWhole, Real, Whole
from lessons.kit.form import Form
from lessons.kit.format import short
from lessons.kit.key_table import KeyTable
from lessons.kit.text import Lang, Text
from pages.shell.site import words

IN_A_ROW = 5  # fields side by side
MOST_SAID = 6  # complaints that are written out
# `**窗口（含自己）**应为`: between a bracket and a letter Markdown ends no emphasis; a hair space there lets it.
_UNENDED = re.compile(r"(?<=）\*\*)(?=\w)")


Called = Callable[[], None] | None


def fields(form: Form[Any], typed: dict[str, str], key: str, lang: Lang, edited: Called = None) -> dict[str, str]:
    """Draw the controls that belong in a form. Widgets are new for each `key`; what comes back replaces `typed`.

    A field's key lies below `key`/field, where no button of the page can have the same one, whatever a control is
    called. `edited` is called back before the run in which a reader has changed one of them."""
    result = dict(typed)
    tables = [control for control in form.controls if isinstance(control, KeyTable)]
    small = [
        c for c in form.controls if not (isinstance(c, KeyTable) or (isinstance(c, Choice) and c.short is not None))
    ]
    for table in tables:
        result[table.name] = _table(table, typed[table.name], f"{key}/field/{table.name}", lang, edited)
    grouped = {name for _, names in form.groups for name in names}
    sections: list[tuple[Text | None, list[Control]]] = [(None, [c for c in small if c.name not in grouped])]
    sections += [(heading, [c for c in small if c.name in names]) for heading, names in form.groups]
    for heading, controls in sections:
        if heading is not None:
            st.markdown(f"**{heading.of(lang)}**")
        for start in range(0, len(controls), IN_A_ROW):
            row = controls[start : start + IN_A_ROW]
            for control, column in zip(row, st.columns(min(len(controls), IN_A_ROW)), strict=False):
                with column:
                    result[control.name] = _field(
                        control, typed[control.name], f"{key}/field/{control.name}", lang, edited
                    )
    return result


def _field(control: Control, typed: str, key: str, lang: Lang, edited: Called) -> str:
    placeholder = None
    match control:
        case Choice():
            return _choice(control, typed, key, lang, edited)
        case Whole(low=low, high=high):
            hint = f"{low} – {high}"
        case OptionalWhole(low=low, high=high, empty=otherwise):
            hint, placeholder = f"{low} – {high} · {otherwise.of(lang)}", otherwise.of(lang)
        case Real(low=least, high=most):
            hint = f"{short(least)} – {short(most)}"
        case OptionalReal(low=least, high=most, empty=otherwise):
            hint, placeholder = f"{short(least)} – {short(most)} · {otherwise.of(lang)}", otherwise.of(lang)
        case Line(help=words_):
            hint = words_.of(lang)
        case _:
            raise TypeError(f"no field for {type(control).__name__}")
    label = control.label.of(lang)
    return st.text_input(label, typed, key=key, help=hint, placeholder=placeholder, max_chars=600, on_change=edited)


def _choice(control: Choice, typed: str, key: str, lang: Lang, edited: Called) -> str:
    named = {value: text.of(lang) for value, text in control.options}
    values = list(named)
    index = (
        values.index(typed) if typed in named else None
    )  # a link named none of them: nothing is chosen for the reader
    label = control.label.of(lang)
    chosen = st.selectbox(
        label, values, index, format_func=named.__getitem__, key=key, on_change=edited, placeholder=typed[:20] or None
    )
    return typed if chosen is None else str(chosen)


def _table(control: KeyTable, typed: str, key: str, lang: Lang, edited: Called) -> str:
    """The table as text cells, so that nothing typed is lost. The widget edits the table it was first shown."""
    columns = [column.of(lang) for column in control.columns]
    if key not in st.session_state:
        st.session_state[f"{key}/seed"] = control.cells(typed)
    seed = pd.DataFrame(st.session_state[f"{key}/seed"], columns=columns, dtype="str")
    seed.index = pd.RangeIndex(1, len(seed) + 1)
    st.markdown(f"**{control.label.of(lang)}**", help=words.TABLE_HELP.of(lang))
    shown = st.data_editor(
        seed,
        key=key,
        num_rows="dynamic",
        width="stretch",
        on_change=edited,
        column_config={column: st.column_config.TextColumn(column, default="") for column in columns},
    )
    cells = shown.fillna("").astype(str).to_numpy().tolist()
    return control.typed(cells)


def complain(complaints: tuple[Text, ...], lang: Lang, lead: Text | None = None) -> None:
    """One box with a sentence for each field that cannot be used; `lead` says what is shown instead."""
    if complaints:
        said = [
            *complaints[:MOST_SAID],
            *([words.and_more(len(complaints) - MOST_SAID)] if len(complaints) > MOST_SAID else []),
        ]
        lines = _UNENDED.sub("\u200a", "\n".join(f"- {text.of(lang)}" for text in said))
        st.error(lines if lead is None else f"{lead.of(lang)}\n\n{lines}")
