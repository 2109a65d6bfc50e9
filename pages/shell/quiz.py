"""Check yourself: one question at a time, its numbers editable, an answer judged against the right formula and the slips."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import streamlit as st

from lessons.kit.controls import BadInput
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question, Slip, exactly, read_answer
from lessons.kit.text import Lang
from pages.shell import words
from pages.shell.controls import complain, fields
from pages.shell.player import player


@dataclass
class Attempt:
    """One reader at one question. `answered` is what was last submitted, for the inputs it was submitted for."""

    inputs: Any
    typed: dict[str, str]
    version: int = 0
    answered: tuple[str, Any] | None = None


def quiz(lesson: Lesson[Any, Any], lang: Lang) -> None:
    """The lesson's questions."""
    by_slug = {question.slug: question for question in lesson.questions}
    slugs = list(by_slug)
    chosen = st.selectbox(
        words.QUESTION.of(lang),
        slugs,
        format_func=lambda slug: f"{slugs.index(slug) + 1} · {by_slug[slug].title.of(lang)}",
        key=f"{lesson.slug}/question",
    )
    with st.container(border=True):
        ask(by_slug[chosen], lang, lesson)


def ask(question: Question[Any], lang: Lang, lesson: Lesson[Any, Any] | None = None) -> None:
    """One question. With its `lesson` the way to the answer is shown in the player."""
    key = f"question/{question.slug}" if lesson is None else f"{lesson.slug}/question/{question.slug}"
    attempt: Attempt = st.session_state.setdefault(key, Attempt(question.inputs, question.form.write(question.inputs)))

    def renew() -> None:
        attempt.inputs = question.draw(random.randrange(10**6)).inputs
        attempt.typed = question.form.write(attempt.inputs)
        attempt.version += 1
        attempt.answered = None

    def submit() -> None:
        attempt.answered = st.session_state[field_key], attempt.inputs

    field_key = f"{key}/typed/{attempt.version}"
    asked = st.container()
    with st.expander(words.EDIT_INPUTS.of(lang), key=f"{key}/edit", on_change="rerun") as editing:
        if editing.open:
            attempt.typed = fields(question.form, attempt.typed, f"{key}/{attempt.version}", lang)
            try:
                attempt.inputs = question.form.read(attempt.typed, attempt.inputs)
            except BadInput as bad:
                complain(bad.complaints, lang, kept=False)
    asked.markdown(question.ask(attempt.inputs).of(lang))
    st.text_input(words.ANSWER.of(lang), key=field_key, help=words.ANSWER_HELP.of(lang), on_change=submit)
    with st.container(horizontal=True):
        st.button(words.SUBMIT.of(lang), key=f"{key}/check", type="primary", on_click=submit)
        st.button(words.NEW_NUMBERS.of(lang), key=f"{key}/new", on_click=renew)
    if attempt.answered is not None and attempt.answered[1] == attempt.inputs:
        _feedback(question, attempt, lang, key, lesson)


def _feedback(question: Question[Any], attempt: Attempt, lang: Lang, key: str, lesson: Lesson[Any, Any] | None) -> None:
    assert attempt.answered is not None
    typed, inputs = attempt.answered
    answer = question.answer(inputs)
    try:
        verdict = question.judge(inputs, read_answer(typed, len(answer)))
    except BadInput as bad:
        complain(bad.complaints, lang, kept=False)
        return
    exact = f"{words.EXACTLY.of(lang)} **{exactly(answer)}**\n\n{question.working(inputs).of(lang)}"
    if verdict.right:
        st.success(f"✓ **{words.RIGHT.of(lang)}** {exact}")
        if lesson is not None and question.way is not None:
            st.markdown(words.WAY.of(lang))
            player(lesson, question.way(inputs), lang, key=f"{key}/way")
        return
    slips: dict[str, Slip[Any]] = {slip.name: slip for slip in question.slips}
    if verdict.slips:
        lines = [
            f"✗ **{slips[name].title.of(lang)}{words.STOP.of(lang)}** {slips[name].said(inputs).of(lang)}"
            for name in verdict.slips
        ]
        st.error("\n\n".join(lines))
    else:
        st.warning(words.NOT_YET.of(lang))
    if st.toggle(words.SHOW_WAY.of(lang), key=f"{key}/show/{attempt.version}"):
        st.markdown(exact)
        wrong = next((slips[name].way for name in verdict.slips if slips[name].way is not None), None)
        way = wrong or question.way
        if lesson is not None and way is not None:
            st.markdown((words.WAY_SLIP if wrong else words.WAY).of(lang))
            player(lesson, way(inputs), lang, key=f"{key}/way")
