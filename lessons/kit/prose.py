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
from markupsafe import Markup
from mdit_py_plugins.dollarmath import dollarmath_plugin

_LINK = re.compile(r"\]\(term:([^)]*)\)")
_PLACES = "places"  # in the environment of a rendering
_PLAIN = re.compile(r"(?!\d+[.)](?!\S)|[\s#+-])[^\x00-\x1f\x85\\*_`$\[\]<>&|~!\"]+")  # no Markdown in it
_ONE = re.compile(r"<p>((?:(?!<p>).)*)</p>\n?", re.DOTALL)

# A line of Chinese broken in the source: HTML would show the break, and the indentation of an item's next line, as a
# space. Between a character and a Latin word or a number there is one.
_CHINESE = r"\u3001-\u9fff\uff01-\uff60"
_BROKEN_LINE = re.compile(
    rf"(?:(?<=[，。；：、！？）》”’])|(?<=[{_CHINESE}])(?=\n *[\[*]*[{_CHINESE}“‘]))\n(?!\n|\s*[-*] |\s*\d+\. ) *"
)


def place(slug: str) -> str:
    """The id of a term's entry on the page that shows them all."""
    return f"term-{slug}"


def linked(markdown: str) -> tuple[str, ...]:
    """The terms that a text links, in order.

    >>> linked("a [tile](term:tile), a [block](term:block)")
    ('tile', 'block')
    """
    return tuple(_LINK.findall(markdown))


@lru_cache(maxsize=2048)
def _math(formula: str, display: bool) -> str:
    formula = formula.replace("<", r"\lt ").replace(">", r"\gt ")  # latex2mathml would copy a tag inside \text{}
    return convert(formula, display="block" if display else "inline")


def _formula(formula: str, options: dict[str, Any]) -> str:
    return _math(formula, bool(options["display_mode"]))


def _link_open(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: MutableMapping[str, Any]) -> str:
    """A link to `term:slug` is a glossary term: a button that opens it, or the way to its entry; any other is a
    link."""
    href = escape(str(tokens[i].attrGet("href")))
    if not href.startswith("term:"):
        return f'<a href="{href}" rel="noreferrer">'
    slug = href.removeprefix("term:")
    return (
        f'<a class="term" href="#{place(slug)}">'
        if env.get(_PLACES)
        else f'<button type="button" class="term" data-term="{slug}">'
    )


def _link_close(
    self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    depth = 0
    for token in reversed(tokens[:i]):
        depth += {"link_close": 1, "link_open": -1}.get(token.type, 0)
        if depth < 0:
            term = str(token.attrGet("href")).startswith("term:")
            return "</button>" if term and not env.get(_PLACES) else "</a>"
    return "</a>"


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_block", "html_inline"])
    md.use(dollarmath_plugin, renderer=_formula, allow_digits=False)
    md.add_render_rule("link_open", _link_open)
    md.add_render_rule("link_close", _link_close)
    return md


@lru_cache(maxsize=4096)
def to_html(markdown: str, *, places: bool = False) -> Markup:
    """A text of one language as HTML. `[word](term:slug)` opens the glossary at `slug`; with `places`, on the page that
    shows the whole glossary, it leads to the entry.

    >>> to_html("a <b> [tile](term:tile)")
    Markup('<p>a &lt;b&gt; <button type="button" class="term" data-term="tile">tile</button></p>\\n')
    >>> to_html("a [tile](term:tile)", places=True)
    Markup('<p>a <a class="term" href="#term-tile">tile</a></p>\\n')
    """
    if _PLAIN.fullmatch(markdown):  # most short texts need no parser
        return Markup(f"<p>{markdown.strip()}</p>\n")
    return Markup(_markdown().render(_BROKEN_LINE.sub("", markdown), {_PLACES: places}))


@lru_cache(maxsize=4096)
def bare(html: Markup) -> Markup:
    """Without the paragraph around it, where there is only one.

    >>> bare(to_html("a *b*"))
    Markup('a <em>b</em>')
    """
    one = _ONE.fullmatch(html)
    return Markup(one[1]) if one else html
