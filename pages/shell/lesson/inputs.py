"""A lesson's inputs in one session: what was typed, the last Scenario it could be read as, the address that carries
it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from lessons.kit.controls import BadInput
from lessons.kit.lesson import Lesson
from lessons.kit.text import Text
from lessons.kit.usable import usable
from pages.shell.site import words


@dataclass
class Inputs:
    """One reader's inputs to one lesson. `version` counts the times the fields were filled from elsewhere; `dropped`
    is what a link chose in the player and the player does not offer; `says` what the steps show instead of what
    cannot be used."""

    scenario: Any
    typed: dict[str, str]
    query: dict[str, str] = field(default_factory=dict)
    complaints: tuple[Text, ...] = ()
    version: int = 0
    edited: bool = False
    dropped: dict[str, str] = field(default_factory=dict)
    says: Callable[[Text], Text] = words.instead

    def edit(self) -> None:
        """Called back when the reader changes something on the page: this run is no link.

        A second quick edit is sent before the browser has the address of the first, and must not undo it.
        """
        self.edited = True

    def fill(self, typed: dict[str, str]) -> None:
        """Replace what stands in the fields, from a preset or a link."""
        self.typed, self.dropped = typed, {}
        self.version += 1


def inputs_of(lesson: Lesson[Any, Any]) -> Inputs:
    """This session's inputs, brought up to date with the address (a link, or the browser's back button)."""
    key = f"{lesson.slug}/inputs"
    names = [control.name for control in lesson.form.controls]
    query = {name: st.query_params[name] for name in names if name in st.query_params}
    arrived = st.session_state.get("page") != lesson.slug
    st.session_state["page"] = lesson.slug
    default = lesson.form.write(lesson.scenario)
    inputs = st.session_state.get(key)
    if inputs is None:
        inputs = st.session_state[key] = Inputs(lesson.scenario, default)
    # A link from another page drops the query string: then what was typed here before still stands.
    if query != inputs.query and not inputs.edited and not (arrived and not query):
        inputs.query = query
        dropped = _not_offered(lesson, query)
        inputs.fill(default | {name: text for name, text in query.items() if name not in dropped})
        inputs.scenario, inputs.dropped = lesson.scenario, dropped
    inputs.edited = False
    return inputs


def _not_offered(lesson: Lesson[Any, Any], query: dict[str, str]) -> dict[str, str]:
    """What of a link the player's lists do not offer: no field shows it, so nobody could correct it."""
    offered = {choice.name: dict(choice.options) for choice in lesson.player_choices}
    return {name: text for name, text in query.items() if name in offered and text not in offered[name]}


def settle(lesson: Lesson[Any, Any], inputs: Inputs) -> None:
    """Read what is typed. Each field that can be used is; in place of any other the last good value stays, a link's
    being the lesson's own. The address follows: it leads to what the steps show."""
    default = lesson.form.write(lesson.scenario)
    try:
        inputs.scenario = lesson.form.read(inputs.typed | inputs.dropped, lesson.scenario)
        inputs.complaints = ()
    except BadInput:
        found = usable(lesson.form, inputs.typed | inputs.dropped, inputs.scenario)
        inputs.scenario, inputs.complaints = found.scenario, found.complaints
        inputs.says = words.instead if found.fits else words.apart
    inputs.query = {name: text for name, text in lesson.form.write(inputs.scenario).items() if text != default[name]}
    others = {name: value for name, value in st.query_params.items() if name not in default}
    if st.query_params.to_dict() != others | inputs.query:
        st.query_params.from_dict(others | inputs.query)
