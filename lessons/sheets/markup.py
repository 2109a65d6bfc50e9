"""Texts as HTML in the languages that are asked for, one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lessons.kit.prose import to_html
from lessons.kit.text import Lang, Text

TAGS: dict[Lang, str] = {"en": "en", "zh": "zh-CN"}
_PLAIN = re.compile(r"[^\\*_`$\[\]<>&|~!#\n\"+>-][^\\*_`$\[\]<>&|~!\n\"]*")  # no Markdown in it
_LIST = re.compile(r"\d+[.)]")
_TERM = re.compile(r'<button type="button" class="term"[^>]*>(.*?)</button>', re.DOTALL)
_ONE = re.compile(r"<p>((?:(?!<p>).)*)</p>\n?", re.DOTALL)
_SHORT = 60  # characters of two languages in one line, a Chinese one counted twice

STOP = Text(".", "。")
Languages = tuple[Lang, ...]


def html(markdown: str) -> str:
    """As `to_html`, for places where no glossary opens; most short texts need no parser.

    >>> html("a [tile](term:tile)"), html("2 × 3")
    ('<p>a tile</p>\\n', '<p>2 × 3</p>\\n')
    """
    if _PLAIN.fullmatch(markdown) and not _LIST.match(markdown):
        return f"<p>{markdown.strip()}</p>\n"
    return _TERM.sub(r"\1", to_html(markdown))


def line(markdown: str) -> str:
    """A text of one line, without the paragraph around it."""
    written = html(markdown)
    one = _ONE.fullmatch(written)
    return one[1] if one else written


def block(text: Text, languages: Languages) -> str:
    """Paragraphs, each language's together."""
    return "".join(f'<div lang="{TAGS[lang]}">{html(text.of(lang))}</div>' for lang in told(text, languages))


def titled(pairs: Sequence[tuple[Text, Text]], languages: Languages) -> str:
    """Paragraphs that begin with a title of their own."""
    return "".join(
        "<div "
        f'lang="{TAGS[lang]}">'
        f"{''.join(_titled(title.of(lang) + STOP.of(lang), said.of(lang)) for title, said in pairs)}"
        "</div>"
        for lang in languages
        if pairs
    )


def _titled(title: str, said: str) -> str:
    words = line(said)
    strong = f"<strong>{line(title)}</strong>"
    return f"<p>{strong}</p>{words}" if words.startswith("<p>") else f"<p>{strong} {words}</p>"


def inline(text: Text, languages: Languages) -> str:
    """A few words within a line, the languages side by side where they are short; what reads alike in both stands
    once."""
    between = " / " if len(text.en) + 2 * len(text.zh) <= _SHORT else "<br>"
    return between.join(f'<span lang="{TAGS[lang]}">{line(text.of(lang))}</span>' for lang in told(text, languages))


def plain(text: Text, languages: Languages) -> str:
    """Bare words, for a name or a heading.

    >>> plain(Text("rows", "行"), ("en", "zh")), plain(Text("7", "7"), ("en", "zh"))
    ('rows / 行', '7')
    """
    return " / ".join(text.of(lang) for lang in told(text, languages))


def told(text: Text, languages: Languages) -> Languages:
    return languages[:1] if text.en == text.zh else languages
