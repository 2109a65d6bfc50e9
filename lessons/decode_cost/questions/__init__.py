"""The lesson's questions: counting, growth, the price, cells to tick, errors to find."""

from __future__ import annotations

from typing import Any

from lessons.decode_cost.questions.cells import AGAIN, NEW_PAIRS
from lessons.decode_cost.questions.crossing import CROSSING
from lessons.decode_cost.questions.errors import LINEAR_CLAIM, SQUARE_CLAIM
from lessons.decode_cost.questions.growth import CUBIC, DOUBLE, LINEAR, RATIO
from lessons.decode_cost.questions.more import MORE
from lessons.decode_cost.questions.no_cache import PAIRS, ROWS, UNIT
from lessons.decode_cost.questions.pairs import DECODE, PREFILL
from lessons.decode_cost.questions.price import PASSES, READ_BACK, READ_BYTES
from lessons.kit.question import Question

QUESTIONS: tuple[Question[Any], ...] = (
    PREFILL,
    NEW_PAIRS,
    PASSES,
    DECODE,
    ROWS,
    AGAIN,
    PAIRS,
    UNIT,
    LINEAR_CLAIM,
    RATIO,
    DOUBLE,
    CUBIC,
    LINEAR,
    SQUARE_CLAIM,
    MORE,
    READ_BACK,
    READ_BYTES,
    CROSSING,
)
