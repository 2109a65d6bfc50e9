"""The one message that carries all steps: its size."""

from __future__ import annotations

import json
from typing import Any

from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from pages.shell.lesson.player import message
from tests.bench import inputs
from tests.bench.figures import Figure, Section

TARGET = 300.0


def kilobytes(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> float:
    """In units of 1000 bytes; json.dumps is what Streamlit sends it with."""
    return len(json.dumps(message(lesson.slug, scenario, lang, True)).encode()) / 1e3


def sizes(lesson: Lesson[Any, Any]) -> tuple[Figure, ...]:
    """Of the first thing shown, in each language; and of the largest of all examples, with every mistake."""
    largest = max(kilobytes(lesson, scenario, lang) for scenario in inputs.examples(lesson) for lang in ("en", "zh"))
    return (
        Figure("en", kilobytes(lesson, lesson.scenario, "en"), "kB", TARGET),
        Figure("zh", kilobytes(lesson, lesson.scenario, "zh"), "kB", TARGET),
        Figure("largest", largest, "kB", TARGET),
    )


def section() -> Section:
    worst = inputs.worst(0)
    return Section(
        "4  The player's message",
        "JSON as Streamlit sends it, in UTF-8 (Chinese characters as \\u escapes)",
        (
            Figure("lesson's own numbers, English", kilobytes(LESSON, LESSON.scenario, "en"), "kB", TARGET),
            Figure("lesson's own numbers, Chinese", kilobytes(LESSON, LESSON.scenario, "zh"), "kB", TARGET),
            Figure("16 keys × 4 values, a mistake, English", kilobytes(LESSON, worst, "en"), "kB"),
            Figure("16 keys × 4 values, a mistake, Chinese", kilobytes(LESSON, worst, "zh"), "kB"),
        ),
    )
