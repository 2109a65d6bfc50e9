"""The field in which a question is answered, one for each kind. What it holds is text, as lessons/kit/reply.py reads
it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lessons.kit.question import Question
from lessons.kit.reply import Find, Mark, Number, Order, Pick, Tick, Vector
from lessons.kit.text import Lang
from pages.shell.lesson.code import highlighted
from pages.shell.site import words
from pages.shell.site.assets import asset, script

_TABLE = st.components.v2.component("reply", js=script("reply.js"), css=asset("reply.css") + asset("code.css"))


def field(question: Question[Any], inputs: Any, key: str, lang: Lang) -> None:
    """Draw the field; `given(question, inputs, key)` is what it holds."""
    label = words.ANSWER.of(lang)
    match question.reply:
        case Number(unit=unit):
            hint = words.ANSWER_HELP.of(lang)
            st.text_input(label, key=key, placeholder=unit.name.of(lang), help=hint, max_chars=500)
        case Vector():
            st.text_input(label, key=key, help=words.ANSWER_HELP.of(lang), max_chars=500)
        case Pick() as pick:
            options = [option.of(lang) for option in pick.options(inputs)]
            st.radio(label, range(len(options)), index=None, format_func=options.__getitem__, key=key)
        case Find() as find:
            claims = [
                {"said": claim.said.of(lang), "corrections": [text.of(lang) for text in claim.corrections]}
                for claim in find.claims(inputs)
            ]
            label, correct = words.WRONG_CLAIM.of(lang), words.SHOULD_SAY.of(lang)
            _TABLE(
                key=key,
                data={"kind": "error", "label": label, "correct": correct, "claims": claims},
                on_typed_change=_kept,
            )
        case Tick() as tick:
            data = {
                "rows": [r.of(lang) for r in tick.rows(inputs)],
                "columns": [c.of(lang) for c in tick.columns(inputs)],
            }
            _TABLE(key=key, data={"kind": "cells", "label": label, **data}, on_typed_change=_kept)
        case Order() as order:
            names = {"up": words.EARLIER.of(lang), "down": words.LATER.of(lang)}
            data_ = {"options": [option.of(lang) for option in order.options(inputs)], "names": names}
            _TABLE(key=key, data={"kind": "order", "label": label, **data_}, on_typed_change=_kept)
        case Mark() as mark:
            program = mark.program(inputs)
            coloured = highlighted(tuple(line.text.of(lang) for line in program))
            lines = [
                {"html": html, "open": line.open, "name": words.LINE.on(n=n).of(lang)}
                for n, (line, html) in enumerate(zip(program, coloured, strict=True), 1)
            ]
            _TABLE(
                key=key,
                data={"kind": "line", "label": words.WRONG_LINE.of(lang), "lines": lines},
                on_typed_change=_kept,
            )
        case other:
            raise TypeError(f"no field for {type(other).__name__}")


def given(question: Question[Any], inputs: Any, key: str) -> str:
    """What the field holds now, also inside a callback. The browser may send anything."""
    held = st.session_state.get(key)
    match question.reply:
        case Pick():  # counted from 1; a text may come that is none of the options
            return str(held + 1) if isinstance(held, int) else ""
        case Tick() | Order() as reply:
            typed = held.get("typed") if held is not None else None
            return typed if isinstance(typed, str) else reply.untouched(inputs)
        case Find() | Mark():
            typed = held.get("typed") if held is not None else None
            return typed if isinstance(typed, str) else ""
    return str(held or "")


def _kept() -> None:
    """Streamlit keeps the state of a component only where somebody wants to know of its changes."""
