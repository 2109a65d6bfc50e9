"""Ticking questions, lesson by lesson, or out of a search through all of them."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import streamlit as st

from lessons.kit.text import Lang, Text
from lessons.sheets.variants import Chosen
from pages.shell.sheets import words

KEY = "sheets/pick"
_COLUMNS = 2


def pick(bank: tuple[Chosen, ...], ticked: set[str], lang: Lang) -> None:
    """Draw the lists. `ticked` holds the slugs and is changed in place; what a search hides stays ticked."""
    typed = st.text_input(
        words.SEARCH.of(lang), key=f"{KEY}/search", placeholder=words.SEARCH_HELP.of(lang), max_chars=100
    )
    found = tuple(chosen for chosen in bank if matches(chosen, typed))
    with st.container(horizontal=True, vertical_alignment="center"):
        _button(words.ALL, f"{KEY}/all", found, ticked, lang, tick=True)
        _button(words.NONE, f"{KEY}/none", found, ticked, lang, tick=False)
        st.markdown(_counted(bank, ticked).of(lang))
    if not found:
        st.info(words.NOT_FOUND.of(lang))
    for lesson, group in groupby(found, key=lambda chosen: chosen.lesson):
        _lesson(lesson, tuple(group), ticked, lang, searched=bool(typed.strip()))


def _counted(bank: tuple[Chosen, ...], ticked: set[str]) -> Text:
    """How many are ticked, in all and of each lesson."""
    counts = Counter(chosen.group for chosen in bank if chosen.slug in ticked)
    return words.chosen(len(ticked), len(bank), tuple(counts.items()))


def matches(chosen: Chosen, typed: str) -> bool:
    """Whether every word typed stands in a title, the lesson or the kind, in either language."""
    question = chosen.question
    told = (question.title, chosen.group, words.KINDS[question.kind])
    where = " ".join(f"{text.en} {text.zh}" for text in told).casefold()
    return all(word in where for word in typed.casefold().split())


def _lesson(lesson: str, group: tuple[Chosen, ...], ticked: set[str], lang: Lang, *, searched: bool) -> None:
    head = words.group(group[0].group, len(group)).of(
        lang
    )  # no count of the ticked: an expander with a new label is shut
    if searched:
        with st.container(border=True):
            st.markdown(f"**{head}**")
            _boxes(group, ticked, lang)
        return
    with st.expander(head, key=f"{KEY}/{lesson}", on_change="rerun") as box:
        if box.open:
            with st.container(horizontal=True):
                _button(words.ALL, f"{KEY}/{lesson}/all", group, ticked, lang, tick=True)
                _button(words.NONE, f"{KEY}/{lesson}/none", group, ticked, lang, tick=False)
            _boxes(group, ticked, lang)


def _boxes(group: tuple[Chosen, ...], ticked: set[str], lang: Lang) -> None:
    columns = st.columns(_COLUMNS)
    rows = -(-len(group) // _COLUMNS)
    for i, chosen in enumerate(group):
        key = f"{KEY}/{chosen.slug}"
        st.session_state[key] = chosen.slug in ticked
        label = words.question(chosen.question.title, words.KINDS[chosen.question.kind]).of(lang)
        columns[i // rows].checkbox(label, key=key, on_change=_toggle, args=(chosen.slug, ticked))


def _toggle(slug: str, ticked: set[str]) -> None:
    ticked.symmetric_difference_update({slug})


def _button(label: Text, key: str, group: tuple[Chosen, ...], ticked: set[str], lang: Lang, *, tick: bool) -> None:
    slugs = {chosen.slug for chosen in group}
    change = ticked.update if tick else ticked.difference_update
    st.button(label.of(lang), key=key, on_click=change, args=(slugs,))
