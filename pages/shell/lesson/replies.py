"""The field in which a question is answered, one for each kind. What it holds is text, as lessons/kit/reply.py reads
it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lessons.kit.question import Question
from lessons.kit.reply import Find, Number, Order, Pick, Tick, Vector
from lessons.kit.text import Lang
from pages.shell.site import words
from pages.shell.site.assets import asset, script

_TABLE = st.components.v2.component("reply", js=script("reply.js"), css=asset("reply.css"))


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
            _radio(label, [option.of(lang) for option in pick.options(inputs)], key)
        case Find() as find:
            claims = find.claims(inputs)
            chosen = _radio(words.WRONG_CLAIM.of(lang), [claim.said.of(lang) for claim in claims], key)
            if chosen is not None:
                corrections = [text.of(lang) for text in claims[chosen].corrections]
                _radio(words.SHOULD_SAY.of(lang), corrections, f"{key}/{chosen}")
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
        case other:
            raise TypeError(f"no field for {type(other).__name__}")


def given(question: Question[Any], inputs: Any, key: str) -> str:
    """What the field holds now, also inside a callback. The browser may send anything."""
    held = st.session_state.get(key)
    match question.reply:
        case Pick():
            return _place(held)
        case Find():
            claim, correction = _place(held), _place(st.session_state.get(f"{key}/{held}"))
            return f"{claim}, {correction}" if claim and correction else ""
        case Tick() | Order() as reply:
            typed = held.get("typed") if held is not None else None
            return typed if isinstance(typed, str) else reply.untouched(inputs)
    return str(held or "")


def _place(chosen: object) -> str:
    """A choice, counted from 1; nothing where none is made, or a text came that is none of the options."""
    return str(chosen + 1) if isinstance(chosen, int) else ""


def _radio(label: str, options: list[str], key: str) -> int | None:
    """Which option is chosen, none at first."""
    return st.radio(label, range(len(options)), index=None, format_func=options.__getitem__, key=key)


def _kept() -> None:
    """Streamlit keeps the state of a component only where somebody wants to know of its changes."""
