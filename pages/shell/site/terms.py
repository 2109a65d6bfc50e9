"""The glossary as a page: each term, its line, and the lessons whose texts link it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from html import escape
from typing import Any

from lessons import LESSONS
from lessons.kit.glossary import GLOSSARY
from lessons.kit.glossary.order import ordered
from lessons.kit.lesson import Lesson
from lessons.kit.prose import linked, place, to_html
from lessons.kit.text import Lang, Text
from pages.shell.site import words

AnyLesson = Lesson[Any, Any]


def terms(lang: Lang) -> str:
    """The list as HTML. A link from one term to another leads to its entry."""
    return f"<dl>{''.join(_entry(slug, lang) for slug in ordered(lang))}</dl>"


def _entry(slug: str, lang: Lang) -> str:
    term = GLOSSARY[slug]
    return (
        f'<div id="{place(slug)}" tabindex="-1"><dt>{escape(term.name.of(lang))}</dt>'
        f"<dd>{to_html(term.meaning.of(lang), places=True)}{_uses(slug, lang)}</dd></div>"
    )


def _uses(slug: str, lang: Lang) -> str:
    links = (
        f'<a class="page" href="{lesson.slug}?lang={lang}">{escape(lesson.title.of(lang))}</a>'
        for lesson in LESSONS
        if slug in terms_of()[lesson.slug]
    )
    listed = " · ".join(links)
    return f'<p class="uses">{escape(words.LESSONS.of(lang))}{words.COLON.of(lang)}{listed}</p>' if listed else ""


@lru_cache(maxsize=1)
def terms_of() -> dict[str, frozenset[str]]:
    """By lesson, the terms that its texts link: the paragraphs, and the steps of each of its examples."""
    return {lesson.slug: frozenset(slug for text in _texts(lesson) for slug in linked(text.en)) for lesson in LESSONS}


def _texts(lesson: AnyLesson) -> Iterator[Text]:
    yield from (lesson.why, lesson.how, lesson.limits, lesson.check)
    for _, answer in lesson.follow_ups:
        yield answer
    for preset in lesson.presets:
        for step, wrong in lesson.pairs(preset.scenario):
            said = lesson.narrate(preset.scenario, step, wrong)
            yield from (said.headline, said.text)
