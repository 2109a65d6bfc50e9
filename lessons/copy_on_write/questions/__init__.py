"""Questions on sharing. Every answer and every slip is computed by the engine or by a formula of one line."""

from __future__ import annotations

from typing import Any

from lessons.copy_on_write.questions.claims import COPY_CLAIMS, EDIT_CLAIMS
from lessons.copy_on_write.questions.common import COMMON, RUN, SAVED
from lessons.copy_on_write.questions.counts import FREE, REF_COUNT
from lessons.copy_on_write.questions.forks import COPIED, NEW_BLOCKS
from lessons.copy_on_write.questions.hits import MOST_REUSED
from lessons.copy_on_write.questions.names import FOUND, RENAMED
from lessons.copy_on_write.questions.prefix import EDITED, REUSED
from lessons.copy_on_write.questions.sharing import STILL_SHARED
from lessons.kit.question import Question

QUESTIONS: tuple[Question[Any], ...] = (
    NEW_BLOCKS,
    REF_COUNT,
    STILL_SHARED,
    FREE,
    COPIED,
    COPY_CLAIMS,
    REUSED,
    EDITED,
    EDIT_CLAIMS,
    FOUND,
    RENAMED,
    MOST_REUSED,
    COMMON,
    RUN,
    SAVED,
)
