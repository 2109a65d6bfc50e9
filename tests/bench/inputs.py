"""Inputs of online_softmax, the lesson that the bench measures."""

from __future__ import annotations

import random
from dataclasses import replace
from urllib.parse import urlencode

from engine.online_softmax import Mistake, Scenario
from lessons.online_softmax import LESSON

KEYS, VALUES = 16, 4  # the form's bounds


def fresh(seed: int) -> Scenario:
    """The lesson's own shape with other numbers."""
    return _numbers(LESSON.scenario, random.Random(seed))


def worst(seed: int) -> Scenario:
    """As much as the form lets in: every key a tile of its own, and a wrong way beside the right one."""
    most = Scenario(
        (0.0,) * KEYS, ((0.0,) * VALUES,) * KEYS, tuple(f"key {i:02}" for i in range(KEYS)), 1, Mistake.NO_RESCALE
    )
    return _numbers(most, random.Random(seed))


def _numbers(like: Scenario, draw: random.Random) -> Scenario:
    scores = tuple(round(draw.uniform(-9, 9), 3) for _ in like.scores)
    return replace(
        like, scores=scores, values=tuple(tuple(round(draw.uniform(-9, 9), 3) for _ in v) for v in like.values)
    )


def query(scenario: Scenario) -> str:
    """The address's query string that carries them."""
    default = LESSON.form.write(LESSON.scenario)
    return urlencode({name: text for name, text in LESSON.form.write(scenario).items() if text != default[name]})
