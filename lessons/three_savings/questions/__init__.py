"""Questions on the three ledgers. Every answer and slip comes from the engine or from a formula of one line."""

from __future__ import annotations

from typing import Any

from lessons.kit.question import Question
from lessons.three_savings.questions.crossing import ONE_TRIP
from lessons.three_savings.questions.full_size import DECODE_SHARE, WEIGHTS
from lessons.three_savings.questions.operations import ROWS_OR_PAIRS
from lessons.three_savings.questions.room import PAGED, RESIDENT_RATIO, UNUSED
from lessons.three_savings.questions.switches import BY_TRAFFIC, FALLS, LEAST_ROOM
from lessons.three_savings.questions.tables import TABLES_MOVED, TABLES_RESIDENT
from lessons.three_savings.questions.work import WITH_CACHE, WITHOUT_CACHE, WORK_RATIO

QUESTIONS: tuple[Question[Any], ...] = (
    WITH_CACHE,
    WITHOUT_CACHE,
    WORK_RATIO,
    ROWS_OR_PAIRS,
    TABLES_RESIDENT,
    TABLES_MOVED,
    WEIGHTS,
    ONE_TRIP,
    DECODE_SHARE,
    UNUSED,
    PAGED,
    RESIDENT_RATIO,
    FALLS,
    LEAST_ROOM,
    BY_TRAFFIC,
)
