"""The program beside the picture, for the browser: each line as HTML with a few classes, and what each step runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from markupsafe import Markup
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String

from lessons.kit.code import Code
from lessons.kit.html import templates
from lessons.kit.text import Lang

_fill = templates(__file__)

# What assets/code.css has a colour for; the rest is plain. The first that fits counts.
_CLASSES = (
    (Comment, "c"),
    (String, "s"),
    (Number, "n"),
    (Keyword.Constant, "n"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Function, "f"),
)


@lru_cache(maxsize=256)
def highlighted(lines: tuple[str, ...]) -> tuple[Markup, ...]:
    """Each line of a program as HTML: spans of the classes c (comment), s (text), n (number), k (keyword) and f (the
    name of a function where it is defined)."""
    spans: list[list[tuple[str, str]]] = [[]]
    for css, text in _pieces("\n".join(lines)):
        for i, part in enumerate(text.split("\n")):
            if i:
                spans.append([])
            if part:
                spans[-1].append((css, part))
    return tuple(_fill("line.html", spans=line) for line in spans[: len(lines)])


def panel(code: Code[Any, Any], scenario: Any, pairs: Iterable[tuple[Any, Any]], lang: Lang) -> dict[str, Any]:
    """What the player needs: the listing once, and for each step the lines that it runs with what has changed there.
    `pairs` are the steps, each with the wrong way's."""
    lines = code.listed(scenario, lang)
    return {
        "lines": highlighted(tuple(line.text for line in lines)),
        "signs": [line.sign for line in lines],
        "steps": [
            [[lit.line, lit.value, lit.wrong] for lit in code.lit(scenario, step, wrong)] for step, wrong in pairs
        ],
    }


def _pieces(program: str) -> Iterator[tuple[str, str]]:
    for token, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(program):
        yield next((css for kind, css in _CLASSES if token in kind), ""), text
