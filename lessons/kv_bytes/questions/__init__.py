"""Questions on the bytes of a cache. Every answer and every slip is computed by the engine or by a formula of one
line."""

from __future__ import annotations

from typing import Any

from lessons.kit.question import Question
from lessons.kv_bytes.questions.device import BESIDE, FITS, READ
from lessons.kv_bytes.questions.heads import GROUPS, LAYER
from lessons.kv_bytes.questions.kinds import MLA, SCALES
from lessons.kv_bytes.questions.largest import LARGEST
from lessons.kv_bytes.questions.measures import SAVES
from lessons.kv_bytes.questions.sizes import BACK, BY_HAND, TOKEN, TOTAL
from lessons.kv_bytes.questions.units import FIT, HOLDS, UNITS
from lessons.kv_bytes.questions.windows import HELD, WINDOWS

QUESTIONS: tuple[Question[Any], ...] = (
    BY_HAND,
    TOTAL,
    TOKEN,
    LAYER,
    LARGEST,
    FITS,
    BACK,
    UNITS,
    HOLDS,
    FIT,
    BESIDE,
    READ,
    GROUPS,
    MLA,
    WINDOWS,
    HELD,
    SCALES,
    SAVES,
)
