"""Markdown with `$math$` and glossary terms to HTML with MathML; raw HTML stays text."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

# A line of Chinese broken in the source: HTML would show the break as a space.
_BROKEN_LINE = re.compile(r"(?<=[\u3001-\u9fff\uff01-\uff60”’])\n(?!\n|\s*[-*] |\s*\d+\. )")


@lru_cache(maxsize=2048)
def _math(formula: str, display: bool) -> str:
    formula = formula.replace("<", r"\lt ").replace(">", r"\gt ")  # latex2mathml would copy a tag inside \text{}
    return convert(formula, display="block" if display else "inline")


def _formula(formula: str, options: dict[str, Any]) -> str:
    return _math(formula, bool(options["display_mode"]))


def _link_open(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: MutableMapping[str, Any]) -> str:
    """A link to `term:slug` is a glossary term; any other is a link."""
    href = str(tokens[i].attrGet("href"))
    if href.startswith("term:"):
        return f'<button type="button" class="term" data-term="{escape(href.removeprefix("term:"))}">'
    return f'<a href="{escape(href)}" rel="noreferrer">'


def _link_close(
    self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    depth = 0
    for token in reversed(tokens[:i]):
        depth += {"link_close": 1, "link_open": -1}.get(token.type, 0)
        if depth < 0:
            return "</button>" if str(token.attrGet("href")).startswith("term:") else "</a>"
    return "</a>"


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_block", "html_inline"])
    md.use(dollarmath_plugin, renderer=_formula, allow_digits=False)
    md.add_render_rule("link_open", _link_open)
    md.add_render_rule("link_close", _link_close)
    return md


@lru_cache(maxsize=4096)
def to_html(markdown: str) -> str:
    """A text of one language as HTML. `[word](term:slug)` opens the glossary at `slug`.

    >>> to_html("a <b> [tile](term:tile)")
    '<p>a &lt;b&gt; <button type="button" class="term" data-term="tile">tile</button></p>\\n'
    """
    return str(_markdown().render(_BROKEN_LINE.sub("", markdown)))
