"""The glossary as a page: each term, its line, and the lessons whose texts link it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from lessons import LESSONS
from lessons.kit.glossary import GLOSSARY
from lessons.kit.glossary.order import ordered
from lessons.kit.html import templates
from lessons.kit.lesson import Lesson
from lessons.kit.prose import linked, place
from lessons.kit.text import Lang, Text
from pages.shell.site import words

AnyLesson = Lesson[Any, Any]

_fill = templates(__file__, {"place": place})


def terms(lang: Lang) -> Markup:
    """The list as HTML. A link from one term to another leads to its entry."""
    entries = [
        (slug, GLOSSARY[slug], [lesson for lesson in LESSONS if slug in terms_of()[lesson.slug]])
        for slug in ordered(lang)
    ]
    return _fill("terms.html", entries=entries, words=words, lang=lang)


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
