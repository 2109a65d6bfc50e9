"""Questions of which a worked example with other numbers would say the answer itself, not the way to it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lessons.kit.question import Question
from lessons.kit.text import Text

_LOOKED_AT = 6  # draws; two that differ are enough


@lru_cache(maxsize=256)
def example_tells(question: Question[Any]) -> bool:
    """Whether the answer is the same in words whatever the numbers are: the error to find is always the same one, the
    line to find one of a few (and without its program an example says nothing else), or the right answer reads alike
    in every draw looked at."""
    if question.kind in ("error", "line"):
        return True
    first = _read(question, 0)
    return all(_read(question, seed) == first for seed in range(1, _LOOKED_AT))


def _read(question: Question[Any], seed: int) -> Text:
    """The right answer of a draw, as it reads."""
    drawn = question.draw(seed)
    return question.reply.write(drawn.answer, drawn.inputs)
