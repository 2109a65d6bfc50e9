"""A question on the page: its numbers editable, an answer judged against the right formula and the slips, hints, the
way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import streamlit as st

from lessons.kit.controls import BadInput
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question, Row, Slip, Verdict
from lessons.kit.text import Lang, Text
from lessons.practice.telling import example_tells
from lessons.practice.worked import frames
from pages.shell.lesson.attempt import QUESTION, Attempt, attempt_of, other_seed, settle
from pages.shell.lesson.player import player, player_of
from pages.shell.lesson.progress import keep, recording
from pages.shell.lesson.replies import field, given
from pages.shell.site import words
from pages.shell.site.assets import asset
from pages.shell.site.fields import complain, fields
from pages.shell.site.words import CHECK_ALL, NEXT

Judged = Callable[[Attempt, Verdict], None]

_BRING = st.components.v2.component("bring", js=asset("bring.js"))

EXAMPLE_SEED = 0  # of the worked example in a hint


def quiz(lesson: Lesson[Any, Any], lang: Lang) -> None:
    """The lesson's questions, one at a time; the address names it."""
    by_slug = {question.slug: question for question in lesson.questions}
    slugs = list(by_slug)
    key = f"{lesson.slug}/question"
    # A list answers with the text of an option, which in another language is none: then the next click anywhere would
    # choose the first one.
    chooser = f"{key}/{lang}"
    now = f"{key}/now"  # the list's own memory does not outlive a run that a quick second click has cut short
    linked = st.query_params.get(QUESTION)
    arrived = linked in by_slug and st.session_state.get(now) != linked
    if arrived:
        st.session_state[chooser] = linked
    elif chooser not in st.session_state and now in st.session_state:
        st.session_state[chooser] = st.session_state[now]
    st.selectbox(
        words.QUESTION.of(lang),
        slugs,
        format_func=lambda slug: f"{slugs.index(slug) + 1} · {by_slug[slug].title.of(lang)}",
        key=chooser,
        on_change=lambda: st.session_state.pop(f"{key}/lost", None),
    )
    if linked is not None and linked not in by_slug:
        st.session_state[f"{key}/lost"] = True  # told until the reader chooses: the address will name another question
    with st.container():
        if f"{key}/lost" in st.session_state:
            st.warning(words.NO_SUCH_QUESTION.of(lang))
    question = by_slug[st.session_state[chooser]]
    attempt = attempt_of(question, attempt_key(question, lesson))
    following = slugs[slugs.index(question.slug) + 1 :]

    def go() -> None:
        st.session_state[chooser] = st.session_state[f"{key}/went"] = following[0]
        st.session_state.pop(f"{key}/lost", None)

    def onward() -> None:
        if following:
            st.button(NEXT.of(lang), type="primary", on_click=go, key=f"{key}/next/{question.slug}")
        else:
            st.page_link("pages/check.py", label=f"**{CHECK_ALL.of(lang)}**")

    with st.container(border=True):
        ask(question, attempt, lang, lesson, recording(lesson.slug, question), onward)
    settle(question, attempt)
    keep(lang)
    if arrived or st.session_state.pop(f"{key}/went", None) == question.slug:
        _BRING(key=f"{key}/bring", data={"to": chooser.replace("/", "-"), "for": question.slug})
    st.session_state[now] = question.slug


def attempt_key(question: Question[Any], lesson: Lesson[Any, Any] | None) -> str:
    """Where a session keeps its attempt at the question."""
    return f"attempt/{question.slug}" if lesson is None else f"{lesson.slug}/attempt/{question.slug}"


def ask(
    question: Question[Any],
    attempt: Attempt,
    lang: Lang,
    lesson: Lesson[Any, Any] | None = None,
    judged: Judged | None = None,
    onward: Callable[[], None] | None = None,
) -> None:
    """One question. `judged` is told of each answer, once, in the run that judges it; `onward` draws what is offered
    after a right answer.

    A button that another run draws as a new one loses the click that is on its way to it. So buttons keep their keys
    when the numbers are new, and what comes and goes above them has a container that is always there."""
    buttons = attempt_key(question, lesson)
    key = f"{buttons}/{attempt.version}"
    typed = question.kind in ("number", "vector")
    field_key = f"{key}/typed" if typed else f"{key}/typed/{lang}"  # what is chosen, is chosen of one language's texts

    def submit() -> None:
        attempt.answered = given(question, attempt.inputs, field_key), attempt.inputs
        attempt.told = False

    def hint() -> None:
        attempt.hints += 1

    asked = st.container()
    with st.expander(words.EDIT_INPUTS.of(lang), key=f"{buttons}/edit", on_change="rerun") as editing:
        if editing.open:
            attempt.read(question, fields(question.form, attempt.typed, f"{key}/{lang}", lang, attempt.touch))
    with st.container():
        complain(attempt.complaints, lang)
    asked.markdown(question.asked(attempt.inputs).of(lang))
    check = words.SUBMIT.of(lang)
    verdict = _verdict(question, attempt) if typed else None
    if typed:  # in a form, so that an answer half typed is judged by Enter or Check alone
        with st.form(f"{buttons}/form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
            field(question, attempt.inputs, field_key, lang)
            st.form_submit_button(check, key=f"{buttons}/check", type=_weight(verdict), on_click=submit)
    else:
        field(question, attempt.inputs, field_key, lang)
        # A verdict of a choice says nothing of one that has been changed since.
        held = given(question, attempt.inputs, field_key)
        if attempt.answered is not None and held in ("", attempt.answered[0]):
            verdict = _verdict(question, attempt)
    rows = question.lines(attempt.inputs)
    with st.container(horizontal=True):
        if not typed:
            st.button(check, key=f"{buttons}/check", type=_weight(verdict), on_click=submit)
        st.button(
            words.NEW_NUMBERS.of(lang), key=f"{buttons}/new", on_click=lambda: attempt.renew(question, other_seed())
        )
        if rows and attempt.hints < _most_hints(question) and not _is_right(verdict):
            st.button(words.HINT.of(lang), key=f"{buttons}/hint", on_click=hint)
    with st.container():
        if verdict is not None:
            _feedback(question, attempt, verdict, lang, key, lesson, judged)
    with st.container():
        if onward is not None and _is_right(verdict):
            onward()
    with st.container():
        if rows and attempt.hints:
            _hints(question, attempt, rows, lang)


def _verdict(question: Question[Any], attempt: Attempt) -> Verdict | BadInput | None:
    """Of what was answered for these numbers, which may be no answer at all; what was answered for others says
    nothing of them."""
    if attempt.answered is None or attempt.answered[1] != attempt.inputs:
        return None
    typed, inputs = attempt.answered
    try:
        return question.check(inputs, typed)
    except BadInput as bad:
        return bad


def _is_right(verdict: Verdict | BadInput | None) -> bool:
    return isinstance(verdict, Verdict) and verdict.right


def _weight(verdict: Verdict | BadInput | None) -> Literal["primary", "secondary"]:
    """Of the button that checks: after a right answer something else comes next."""
    return "secondary" if _is_right(verdict) else "primary"


def _most_hints(question: Question[Any]) -> int:
    """The second is a whole example, where that does not tell the answer."""
    return 1 if example_tells(question) else 2


def _hints(question: Question[Any], attempt: Attempt, rows: tuple[Row, ...], lang: Lang) -> None:
    """First the way with its last line left blank; then, above it, a whole example with other numbers."""
    if attempt.hints > 1:
        seed = EXAMPLE_SEED if attempt.seed != EXAMPLE_SEED else EXAMPLE_SEED + 1
        example = question.draw(seed).inputs
        st.markdown(
            f"**{words.WORKED_EXAMPLE.of(lang)}** "
            f"{question.asked(example).of(lang)}\n\n{lines(question.lines(example), lang)}"
        )
    st.markdown(f"**{words.LAST_LINE_BLANK.of(lang)}**\n\n{lines(rows, lang, blank=True)}")


def lines(rows: tuple[Row, ...], lang: Lang, *, blank: bool = False, plan: bool = False) -> str:
    """A worked solution as a Markdown table; with `blank` the last line is left to the reader, with `plan` every
    value too."""
    table = [f"| {' | '.join(head.of(lang) for head in words.ROW_HEADS)} |", "|---|---|---|"]
    for row in rows:
        how, value = (x if isinstance(x, str) else x.of(lang) for x in (row.how, row.value))
        if plan:
            value = "?"
        if (blank or plan) and row is rows[-1]:
            how = value = "?"
        table.append(f"| {row.what.of(lang)} | {how} | {value} |".replace("\n", " "))
    return "\n".join(table)


def _feedback(
    question: Question[Any],
    attempt: Attempt,
    verdict: Verdict | BadInput,
    lang: Lang,
    key: str,
    lesson: Lesson[Any, Any] | None,
    judged: Judged | None,
) -> None:
    if isinstance(verdict, BadInput):
        complain(verdict.complaints, lang)
        return
    inputs = attempt.inputs
    if judged is not None and not attempt.told:
        judged(attempt, verdict)
    attempt.told = True
    answer = question.reply.write(question.answer(inputs), inputs).of(lang)
    lead = words.EXACTLY if question.kind in ("number", "vector") else words.ANSWER_IS
    exact = f"{lead.of(lang)} **{answer}**\n\n{question.worked(inputs).of(lang)}"
    show = partial(_way, question, inputs, lang, key, lesson)
    if verdict.right:
        right = words.RIGHT_ROUNDED if verdict.rounded else words.RIGHT
        st.success(f"✓ **{right.of(lang)}** {exact}")
        if st.toggle(words.SHOW_WAY.of(lang), key=f"{key}/show"):
            show(None)
        return
    slips: dict[str, Slip[Any]] = {slip.name: slip for slip in question.slips}
    if verdict.slips:
        said = [
            f"✗ **{slips[name].title.of(lang)}{words.STOP.of(lang)}** {slips[name].told(inputs).of(lang)}"
            for name in verdict.slips
        ]
        st.error("\n\n".join(said))
    elif not verdict.rounded:
        st.warning(words.NOT_YET.of(lang))
    if verdict.rounded:
        st.warning(words.TOO_ROUND.of(lang))
    if verdict.meant:
        meant = [question.reply.write(one, inputs) for one in verdict.meant]
        either = Text(" or ".join(one.en for one in meant), " 或 ".join(one.zh for one in meant))
        st.caption(words.MEANT.on(either=either).of(lang))
    if st.toggle(words.SHOW_WAY.of(lang), key=f"{key}/show"):
        st.markdown(exact)
        show(next((slips[name].way for name in verdict.slips if slips[name].way is not None), None))


def _way(
    question: Question[Any],
    inputs: Any,
    lang: Lang,
    key: str,
    lesson: Lesson[Any, Any] | None,
    wrong: Callable[[Any], Any] | None,
) -> None:
    """The way to the answer in the player: the lesson's own steps where it has them, else the lines of the solution."""
    way = wrong or question.way
    if lesson is not None and way is not None:
        st.markdown((words.WAY_SLIP if wrong else words.WAY).of(lang))
        player(lesson, way(inputs), lang, key=f"{key}/way")
    elif rows := question.lines(inputs):
        st.markdown(words.WAY.of(lang))
        player_of(frames(rows), question.title, lang, key=f"{key}/way")
