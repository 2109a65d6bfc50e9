"""The lesson's questions: the prefix, rows to count and to tick, windows, the new token's path, errors to find."""

from __future__ import annotations

from typing import Any

from lessons.kit.question import Question
from lessons.kv_reuse.questions.changes import LEAVES_MOST, TURNS
from lessons.kv_reuse.questions.comparison import FIND_COMPARISON
from lessons.kv_reuse.questions.counting import FIND_COUNTING
from lessons.kv_reuse.questions.insertion import INSERTION, MOVED
from lessons.kv_reuse.questions.path import NUMBERS, READ, THROUGH
from lessons.kv_reuse.questions.prefix import BLOCKS, REUSE
from lessons.kv_reuse.questions.rows import ROWS, STALE
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
