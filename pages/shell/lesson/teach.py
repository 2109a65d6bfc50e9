"""A lesson's page: the player, and below it the sections, of which only the open one is drawn."""

from __future__ import annotations

from typing import Any

import streamlit as st

from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang, Text
from pages.shell.lesson.attempt import QUESTION
from pages.shell.lesson.explore import explore, table
from pages.shell.lesson.inputs import Inputs, inputs_of, settle
from pages.shell.lesson.player import next_lesson, player
from pages.shell.lesson.quiz import quiz
from pages.shell.lesson.take import take
from pages.shell.site import words
from pages.shell.site.entry import through_app
from pages.shell.site.fields import complain, fields
from pages.shell.site.language import language
from pages.shell.site.prose import read

SECTIONS: tuple[Text, ...] = (words.READ, words.CHANGE, words.EXPLORE, words.QUIZ, words.TABLE)


def teach(lesson: Lesson[Any, Any]) -> None:
    """Draw the lesson for this reader."""
    through_app(lesson.slug)
    lang = language()
    inputs = inputs_of(lesson)
    place = st.container(key="stage")
    names = [section.of(lang) for section in SECTIONS]
    tab = f"{lesson.slug}/section/{lang}"
    if QUESTION in st.query_params and tab not in st.session_state:  # a link to a question opens it
        st.session_state[tab] = words.QUIZ.of(lang)
    if lesson.code is not None:
        names.append(words.CODE.of(lang))
    reading, changing, exploring, quizzing, listing, *coding = st.tabs(names, key=tab, on_change=inputs.edit)
    wrong = None
    if changing.open:
        with changing:
            _named(words.CHANGE, lang)
            wrong = st.container()
            inputs.typed = fields(
                lesson.form, inputs.typed, f"{lesson.slug}/{inputs.version}/{lang}", lang, inputs.edit
            )
    settle(lesson, inputs)
    with place:
        _say(inputs, wrong, lang)
        player(lesson, inputs.scenario, lang, key=f"{lesson.slug}/player", on_choose=_chooser(lesson, inputs))
    with reading:
        if reading.open:
            read(lesson, lang)
    with exploring:
        if exploring.open:
            _named(words.EXPLORE, lang)
            explore(lesson, inputs.scenario, lang)
    with quizzing:
        if quizzing.open:
            _named(words.QUIZ, lang)
            quiz(lesson, lang)
    with listing:
        if listing.open:
            _named(words.TABLE, lang)
            table(lesson, inputs.scenario, lang)
    for section in coding:
        with section:
            if section.open:
                _named(words.CODE, lang)
                take(lesson, inputs.scenario, lang)
    after = next_lesson(lesson)
    if after is not None:
        st.page_link(
            f"pages/{after.slug}.py", label=f"{words.PLAYER['next_lesson'].of(lang)} **{after.title.of(lang)}**"
        )


def _named(section: Text, lang: Lang) -> None:
    """A section's heading, for those who hear the page; the others see its tab."""
    st.html(f"<h2 class=unseen>{section.of(lang)}</h2>")


def _say(inputs: Inputs, form: Any, lang: Lang) -> None:
    """What cannot be used: at the form where that is open, else here, over the steps. Only one of the two is an
    alert, which screen readers read out."""
    if form is None:
        complain(inputs.complaints, lang, inputs.says(words.BELOW))
    elif inputs.complaints:
        st.markdown(f":red[{(inputs.says(words.BELOW) + words.NAMED_THERE).of(lang)}]")
        with form:
            complain(inputs.complaints, lang, inputs.says(words.ABOVE))


def _chooser(lesson: Lesson[Any, Any], inputs: Inputs) -> Any:
    """What happens when the reader picks from a list in the player. The browser may send anything."""

    def choose(name: str, value: str) -> None:
        inputs.edit()
        options = {control.name: dict(control.options) for control in lesson.player_choices}
        kept = {name: inputs.typed[name] for name in options}
        for preset in lesson.presets:
            if (name, value) == ("preset", preset.slug):
                inputs.fill(lesson.form.write(preset.scenario) | kept)
        if value in options.get(name, {}):
            inputs.typed = inputs.typed | {name: value}
            inputs.dropped = {other: text for other, text in inputs.dropped.items() if other != name}

    return choose
