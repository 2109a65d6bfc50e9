"""What a set has shown, slip by slip, and what is coming back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lessons.kit.lesson import Lesson
from lessons.kit.question import Question
from lessons.kit.text import Lang, Text
from lessons.practice.practice import Item, Outcome, lesson_of, outcome, place, returning, slips_of
from lessons.practice.progress import Answered
from pages.shell.check import words
from pages.shell.lesson.progress import Progress

Questions = Mapping[str, Question[Any]]
Lessons = Mapping[str, Lesson[Any, Any]]


def summary(
    items: Sequence[Item], answers: Sequence[Answered], questions: Questions, lessons: Lessons, lang: Lang
) -> None:
    """Question by question, then slip by slip, each with the step of its lesson that shows it."""
    outcomes = [outcome([a for a in answers if (a.question, a.seed) == (i.question, i.seed)]) for i in items]
    st.header(words.SUMMARY.of(lang), anchor=False)
    st.markdown(words.score(outcomes.count(Outcome.FIRST), len(items)).of(lang))
    results = [
        (_title(item.question, questions, lang), _lesson(item.question, lessons, lang), words.OUTCOMES[result].of(lang))
        for item, result in zip(items, outcomes, strict=True)
    ]
    _table("summary", words.HEADS, results, lang)
    st.header(words.SLIPS.of(lang), anchor=False)
    made = [_slip(*slip, questions, lessons, lang) for slip in slips_of(answers)]
    st.markdown("\n".join(f"- {line}" for line in made if line) or words.NO_SLIPS.of(lang))
    if Outcome.MISSED in outcomes or any(not answer.right for answer in answers):
        st.caption(words.RULE.of(lang))


def _slip(
    name: str, slip: str, seed: int | None, n: int, questions: Questions, lessons: Lessons, lang: Lang
) -> str | None:
    """One line; None where this version of the lesson has no such slip."""
    question, lesson = questions[name], lessons[lesson_of(name)]
    title = next((s.title for s in question.slips if s.name == slip), None)
    if title is None:
        return None
    inputs = question.inputs if seed is None else question.draw(seed).inputs
    query, step = place(lesson, question, slip, inputs)
    link = f"{lesson.slug}?{urlencode({'lang': lang} | query)}" + (f"#step-{step}" if step else "")
    link = link.replace("(", "%28").replace(")", "%29")
    return words.slip(title, n, lesson.title, link, step).of(lang)


def progress_so_far(kept: Progress, questions: Questions, lessons: Lessons, lang: Lang) -> None:
    """What has been answered, what comes back and when, and what becomes of it all."""
    st.header(words.PROGRESS.of(lang), anchor=False)
    if kept.complaint is not None:
        st.error(kept.complaint.of(lang))
    if kept.notice is not None:
        st.success(kept.notice.of(lang))
        kept.notice = None
    if kept.damaged:
        st.warning(words.DAMAGED.of(lang))
    n, days = len(kept.answers), len({answer.day for answer in kept.answers})
    st.markdown((words.answered(n, days) if n else words.NOTHING_YET).of(lang))
    coming = sorted((day, name) for name, day in returning(kept.answers).items() if name in questions)
    if coming:
        lines = [
            (
                _title(name, questions, lang),
                _lesson(name, lessons, lang),
                words.due_in((day - kept.today).days).of(lang),
            )
            for day, name in coming
        ]
        _table("coming", words.RETURNS_HEADS, lines, lang)
        st.caption(words.RULE.of(lang))
    st.caption((words.FOR_THIS_VISIT if kept.refused else words.PRIVATE).of(lang))


def _title(name: str, questions: Questions, lang: Lang) -> str:
    return questions[name].title.of(lang)


def _lesson(name: str, lessons: Lessons, lang: Lang) -> str:
    return lessons[lesson_of(name)].title.of(lang)


def _table(name: str, heads: tuple[Text, ...], lines: Sequence[tuple[str, ...]], lang: Lang) -> None:
    rows = [tuple(head.of(lang) for head in heads), ("---",) * len(heads), *lines]
    with st.container(key=f"check-table-{name}"):
        st.markdown("\n".join(f"| {' | '.join(cell.replace('|', '∣') for cell in row)} |" for row in rows))
