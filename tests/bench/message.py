"""The one message that carries all steps: its size."""

from __future__ import annotations

import json

from engine.online_softmax import Scenario
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from pages.shell.player import message
from tests.bench import inputs
from tests.bench.figures import Figure, Section

TARGET = 300.0


def kilobytes(scenario: Scenario, lang: Lang) -> float:
    """In units of 1000 bytes; json.dumps is what Streamlit sends it with."""
    return len(json.dumps(message(LESSON.slug, scenario, lang, True)).encode()) / 1e3


def section() -> Section:
    worst = inputs.worst(0)
    return Section(
        "4  The player's message",
        "JSON as Streamlit sends it, in UTF-8 (Chinese characters as \\u escapes)",
        (
            Figure("lesson's own numbers, English", kilobytes(LESSON.scenario, "en"), "kB", TARGET),
            Figure("lesson's own numbers, Chinese", kilobytes(LESSON.scenario, "zh"), "kB", TARGET),
            Figure("16 keys × 4 values, a mistake, English", kilobytes(worst, "en"), "kB"),
            Figure("16 keys × 4 values, a mistake, Chinese", kilobytes(worst, "zh"), "kB"),
        ),
    )
