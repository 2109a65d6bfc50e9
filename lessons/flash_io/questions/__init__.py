"""Questions on what crosses the door. Every answer and every slip is counted by the engine or a formula of one line."""

from __future__ import annotations

from typing import Any

from lessons.flash_io.questions.claims import CLAIMS
from lessons.flash_io.questions.lengths import INTENSITY, KEPT, LARGER_CHIP
from lessons.flash_io.questions.masks import COMPUTED, SEEN
from lessons.flash_io.questions.traffic import KEYS_READ, OUTPUT_MOVED, TABLES
from lessons.kit.question import Question

QUESTIONS: tuple[Question[Any], ...] = (
    KEYS_READ,
    TABLES,
    COMPUTED,
    SEEN,
    OUTPUT_MOVED,
    LARGER_CHIP,
    INTENSITY,
    KEPT,
    CLAIMS,
)
