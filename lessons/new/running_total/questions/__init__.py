"""Questions. Every answer and every slip is computed by the engine or by a formula of one line."""

# TODO: at least six, of several kinds: number, vector, choice, order, cells, find the error.

from __future__ import annotations

from typing import Any

from lessons.kit.question import Question
from lessons.new.running_total.questions.total import TOTAL

QUESTIONS: tuple[Question[Any], ...] = (TOTAL,)
