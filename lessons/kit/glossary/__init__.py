"""Each term of the lessons in one line, in both languages. `[word](term:slug)` in any text opens it."""

from __future__ import annotations

from lessons.kit.glossary.attention import ATTENTION
from lessons.kit.glossary.cache import CACHE
from lessons.kit.glossary.machine import MACHINE
from lessons.kit.glossary.memory import MEMORY
from lessons.kit.glossary.model import MODEL
from lessons.kit.glossary.serving import SERVING
from lessons.kit.glossary.softmax import SOFTMAX
from lessons.kit.glossary.term import Term

__all__ = ["GLOSSARY", "Term"]

GLOSSARY: dict[str, Term] = MODEL | ATTENTION | SOFTMAX | CACHE | MEMORY | MACHINE | SERVING
