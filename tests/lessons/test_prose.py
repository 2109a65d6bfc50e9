"""Markdown to HTML, read back with Python's own HTML parser: what is shown, and which elements there are."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lessons.kit.prose import to_html
from lessons.kit.text import Text, listed, literal, paragraphs, same
from tests.lessons.reading import parsed, rendered

SPECIAL = r"*_$[]()<>|\`~:#!-+.=&{}\"'/@^"
anything = st.text(st.characters(exclude_categories=()))
# What may stand in a label or is quoted in a complaint: no control characters, no space around it.
visible = st.text(st.characters(exclude_categories=("C", "Zl", "Zp")) | st.sampled_from(SPECIAL), min_size=1).map(
    str.strip
)


@pytest.mark.parametrize(
    "typed",
    [
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "<b>bold</b>",
        "<!-- gone -->",
        "<https://example.org>",
        "</p><h1>",
        "]]>",
        "<![CDATA[x]]>",
        "<?php ?>",
        "a <svg/onload=alert(1)> b",
    ],
)
def test_raw_html_stays_text(typed: str) -> None:
    assert rendered(f"x {typed}").tags in {("p",), ("p", "a")}
    if "https" not in typed:
        assert rendered(f"x {typed}").text.strip() == f"x {typed}"


@pytest.mark.parametrize(
    "typed",
    ["[x](javascript:alert(1))", "[x](JaVaScript:alert(1))", "[x](vbscript:x)", "[x](data:text/html,x)",
    "[x](file:///etc)",
     "[x]( javascript:alert(1))", "[x](&#106;avascript:alert(1))", "![x](https://example.org/x.png)"],
)  # fmt: skip
def test_no_link_runs_a_script_and_no_picture_is_fetched(typed: str) -> None:
    html = rendered(typed)
    assert "img" not in html.tags
    for name, value in html.attributes:
        assert name != "href" or str(value).startswith("https://")


def test_a_link_to_a_term_is_a_button_and_any_other_link_a_link() -> None:
    html = rendered("[a *tile*](term:tile) and [home](https://example.org/?a=1&b=2)")
    assert html.tags == ("p", "button", "em", "a")
    assert dict(html.attributes)["data-term"] == "tile"
    assert dict(html.attributes)["href"] == "https://example.org/?a=1&b=2"
    assert html.text == "a tile and home\n"


@pytest.mark.parametrize("slug", ['x"onclick="alert(1)', "x'><b>", "<x>", "x%22%3E"])
def test_a_term_cannot_break_out_of_its_button(slug: str) -> None:
    html = rendered(f"[x](<term:{slug}>)")
    assert set(html.tags) <= {"p", "button"}
    assert {name for name, _ in html.attributes} <= {"type", "class", "data-term"}


def test_a_formula_becomes_mathml_with_the_same_numbers() -> None:
    html = rendered(r"It is $\alpha = e^{0 - 2} = 0.1353$, that is $-1.50\times 10^{-7}$.")
    assert html.tags[:3] == ("p", "span", "math")
    assert "0.1353" in html.text
    assert "1.50" in html.text


def test_an_amount_of_dollars_is_no_formula() -> None:
    assert rendered("from 5$ to 6$").text == "from 5$ to 6$\n"


@pytest.mark.parametrize(
    "formula", [r"\text{<img src=x onerror=alert(1)>}", r"\text{</math><b>}", "a < b > c", r"\mathrm{<b>}", "<script>"]
)
def test_no_element_but_mathml_comes_out_of_a_formula(formula: str) -> None:
    mathml = {"p", "span", "math", "mrow", "mtext", "mi", "mo", "mn", "mstyle", "msup", "msub"}
    assert set(rendered(f"${formula}$").tags) <= mathml


@given(visible)
@example("<img src=x onerror=alert(1)>")
@example("&amp;")
@example("]]>")
@example("1. a")
@example("- a")
@example("# a")
@example("$x$")
@example(":red[x]")
@example(SPECIAL)
def test_what_a_reader_typed_is_shown_as_typed_and_makes_no_element(typed: str) -> None:
    html = rendered(literal(typed))
    assert html.text.strip() == typed
    assert set(html.tags) <= {"p"}


@given(visible)
def test_what_a_reader_typed_leaves_the_sentence_around_it_alone(typed: str) -> None:
    html = rendered(f"**Read** {literal(typed)} (*then* `stop`).")
    assert html.tags == ("p", "strong", "em", "code")
    assert html.text.strip() == f"Read {typed} (then stop)."


@given(anything)
def test_literal_changes_nothing_but_ascii_punctuation(typed: str) -> None:
    shown = literal(typed)
    assert "".join(c for c in shown if c != "\\") == typed.replace("\\", "")
    for c in set(typed) - set("\\"):
        if c.isascii() and unicodedata.category(c)[0] in "PS":
            assert shown.count("\\" + c) >= typed.count(c)


@given(st.text(st.sampled_from("ab <>&/!-'\"=[]()*_`#\n|:\\;"), max_size=60))
def test_no_text_whatever_makes_a_live_element(markdown: str) -> None:
    html = parsed(to_html(markdown))
    known = "p em strong code pre ul ol li blockquote hr br h1 h2 h3 h4 h5 h6 a button table thead tbody tr th td"
    assert set(html.tags) <= set(known.split())
    assert {name for name, _ in html.attributes} <= {
        "href",
        "rel",
        "type",
        "class",
        "data-term",
        "start",
        "title",
        "style",
    }


# Characters with a meaning at the start of a line, in it or after a number; none of them begins a formula or a link.
@given(st.text(st.sampled_from("ab1 .)-+#=*_`~:;|<>&!'\"\\\t\r\x00\x1c\x85\u3000\xa0中“，\ud800"), max_size=12))
@example("1.5 GiB")
@example("1. a")
@example("1.")
@example("    a")
@example("a  ")
@example("\u3000a")
def test_a_text_that_needs_no_parser_is_what_the_parser_makes_of_it(markdown: str) -> None:
    commonmark = MarkdownIt("commonmark", {"html": False})
    assert to_html(markdown) == commonmark.render(markdown)


def test_texts_are_joined_language_by_language() -> None:
    a, b = Text("one", "一"), Text("two", "二")
    assert a + b == Text("onetwo", "一二")
    assert paragraphs(a, same(""), b) == Text("one\n\ntwo", "一\n\n二")
    assert listed(("A", "B")) == Text("A, B", "A、B")
    assert (a.of("en"), a.of("zh")) == ("one", "一")


def test_a_chinese_line_broken_in_the_source_is_not_shown_with_a_gap() -> None:
    assert rendered("一行，\n两行。").text == "一行，两行。\n"
    assert rendered("- 一个\n  [词](term:tile)，\n  两个 **词\n  语**。").text == "\n一个词，两个 词语。\n\n"
    assert rendered("一个\ntoken").text == "一个\ntoken\n"
    assert rendered("one\ntwo").text == "one\ntwo\n"
    assert rendered("一段。\n\n两段。").tags == ("p", "p")
    assert rendered("列表：\n\n- 甲。\n- 乙。\n\n1. 丙。\n2. 丁。").tags == ("p", "ul", "li", "li", "ol", "li", "li")
