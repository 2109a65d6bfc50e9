"""Questions on folding tiles. Every answer and every slip is computed by the engine or by a formula of one line."""

from __future__ import annotations

from typing import Any

from lessons.kit.question import Question
from lessons.online_softmax.questions.claims import FOLD, TABLES
from lessons.online_softmax.questions.diagnosis import DIAGNOSIS
from lessons.online_softmax.questions.folds import ACCUMULATOR, ALPHA, DENOMINATOR, OUTPUT
from lessons.online_softmax.questions.lines import FIND_EDGE, FIND_SCALE
from lessons.online_softmax.questions.maxima import CHANGES, OVERFLOW, SHRINKS
from lessons.online_softmax.questions.parts import LSE, MERGE, WEIGHTS

QUESTIONS: tuple[Question[Any], ...] = (
    OUTPUT,
    ALPHA,
    DENOMINATOR,
    ACCUMULATOR,
    CHANGES,
    FOLD,
    MERGE,
    WEIGHTS,
    LSE,
    SHRINKS,
    DIAGNOSIS,
    TABLES,
    OVERFLOW,
    FIND_SCALE,
    FIND_EDGE,
)
