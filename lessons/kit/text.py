"""Words in both languages, side by side."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Lang = Literal["en", "zh"]

_MARKED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class Text:
    """One sentence, label or paragraph of Markdown in English and in Chinese."""

    en: str
    zh: str

    def of(self, lang: Lang) -> str:
        return self.zh if lang == "zh" else self.en

    def __add__(self, other: Text) -> Text:
        if not isinstance(other, Text):
            return NotImplemented  # words with places stay so
        return Text(self.en + other.en, self.zh + other.zh)


def same(word: str) -> Text:
    """A name or number that reads alike in both languages."""
    return Text(word, word)


def paragraphs(*texts: Text) -> Text:
    """Each text a Markdown paragraph of its own; empty ones are left out."""
    return Text("\n\n".join(t.en for t in texts if t.en), "\n\n".join(t.zh for t in texts if t.zh))


def literal(typed: str) -> str:
    """What a reader typed, so that Markdown shows it and never obeys it.

    >>> literal("a*b <img>")
    'a\\\\*b \\\\<img\\\\>'
    """
    return _PUNCTUATION.sub(r"\\\1", typed)


def shown(typed: str, most: int = 20) -> str:
    """What was typed, cut short and safe inside a sentence of Markdown."""
    plain = "".join(c for c in typed if not unicodedata.category(c).startswith("C")).strip()
    return literal(plain[:most] + ("…" if len(plain) > most else ""))


def unmarked(text: Text) -> Text:
    """What `literal` has marked, as it was typed: where no Markdown is read.

    >>> unmarked(same(literal("a*b"))) == same("a*b")
    True
    """
    return Text(*(_MARKED.sub(r"\1", words) for words in (text.en, text.zh)))


def listed(items: tuple[str, ...]) -> Text:
    """A, B, C with each language's own comma."""
    return Text(", ".join(items), "、".join(items))
