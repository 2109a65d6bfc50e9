"""What a term is."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.kit.text import Text


@dataclass(frozen=True)
class Term:
    """A word of the field and one line (Markdown) that says what it is; `[word](term:slug)` in it leads to another."""

    name: Text
    meaning: Text
