"""The lesson's questions: the prefix, rows to count and to tick, windows, the new token's path, errors to find."""

from __future__ import annotations

from typing import Any

from lessons.kit.question import Question
from lessons.kv_reuse.questions.errors import FIND_COMPARISON, FIND_COUNTING
from lessons.kv_reuse.questions.path import NUMBERS, READ, THROUGH, TURNS
from lessons.kv_reuse.questions.prefix import BLOCKS, INSERTION, LEAVES_MOST, REUSE
from lessons.kv_reuse.questions.rows import MOVED, ROWS, STALE
from lessons.kv_reuse.questions.window import REACH, STALE_IN_WINDOW, WINDOW_ROWS

QUESTIONS: tuple[Question[Any], ...] = (
    REUSE,
    STALE,
    ROWS,
    FIND_COUNTING,
    BLOCKS,
    THROUGH,
    NUMBERS,
    READ,
    INSERTION,
    MOVED,
    TURNS,
    LEAVES_MOST,
    REACH,
    STALE_IN_WINDOW,
    WINDOW_ROWS,
    FIND_COMPARISON,
)
