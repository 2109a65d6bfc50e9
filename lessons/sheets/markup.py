"""Texts as HTML in the languages that are asked for, one after the other."""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup

from lessons.kit.html import Filters, templates
from lessons.kit.prose import bare, to_html
from lessons.kit.text import Lang, Text

TAGS: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}
_TERM = re.compile(r'<button type="button" class="term"[^>]*>(.*?)</button>', re.DOTALL)
_SHORT = 60  # characters of two languages in one line, a Chinese one counted twice

STOP = Text(".", "。")
Languages = tuple[Lang, ...]

_fill = templates(__file__)


@lru_cache(maxsize=4096)
def html(markdown: str) -> Markup:
    """As `to_html`, for places where no glossary opens.

    >>> html("a [tile](term:tile)")
    Markup('<p>a tile</p>\\n')
    """
    return Markup(_TERM.sub(r"\1", to_html(markdown)))


def line(markdown: str) -> Markup:
    """A text of one line, without the paragraph around it."""
    return bare(html(markdown))


@lru_cache(maxsize=4096)
def block(text: Text, languages: Languages) -> Markup:
    """Paragraphs, each language's together."""
    return _fill("block.html", told=[(TAGS[lang], html(text.of(lang))) for lang in told(text, languages)])


@lru_cache(maxsize=4096)
def titled(pairs: tuple[tuple[Text, Text], ...], languages: Languages) -> Markup:
    """Paragraphs that begin with a title of their own."""
    told = [
        (TAGS[lang], [(line(title.of(lang) + STOP.of(lang)), line(said.of(lang))) for title, said in pairs])
        for lang in languages
        if pairs
    ]
    return _fill("titled.html", told=told)


@lru_cache(maxsize=4096)
def inline(text: Text, languages: Languages) -> Markup:
    """A few words within a line, the languages side by side where they are short; what reads alike in both stands
    once."""
    words = [(TAGS[lang], line(text.of(lang))) for lang in told(text, languages)]
    return _fill("inline.html", told=words, short=len(text.en) + 2 * len(text.zh) <= _SHORT)


def plain(text: Text, languages: Languages) -> str:
    """Bare words, for a name or a heading.

    >>> plain(Text("rows", "行"), ("en", "zh")), plain(Text("7", "7"), ("en", "zh"))
    ('rows / 行', '7')
    """
    return " / ".join(text.of(lang) for lang in told(text, languages))


def told(text: Text, languages: Languages) -> Languages:
    return languages[:1] if text.en == text.zh else languages


FILTERS: Filters = {"block": block, "inline": inline, "plain": plain}
