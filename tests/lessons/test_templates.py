"""Templates: each escapes whatever is put in, and obeys none of it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from jinja2 import Environment, UndefinedError, nodes

from lessons.kit.glossary import Term
from lessons.kit.html import templates
from lessons.kit.prose import place
from lessons.kit.reply import Claim
from lessons.kit.sources import Source
from lessons.kit.text import same
from lessons.sheets.cloze import closed
from lessons.sheets.marks import letter
from lessons.sheets.markup import FILTERS
from lessons.sheets.moodle import cdata
from tests.lessons.reading import parsed
from tests.test_imports import ROOT, imported, tree

EVIL = "<img src=x onerror=alert(1)> \"q\" 'r' {{7*7}} {% raw %} {# c #}"
SAID = same(EVIL)
BOTH = ("en", "zh")
ALL_FILTERS = {**FILTERS, "letter": letter, "closed": closed, "cdata": cdata, "place": place}

HEAD = {"title": EVIL, "variant": SimpleNamespace(number=EVIL), "which": SAID, "languages": BOTH}
SLIP = {"mark": SAID, "pattern": (), "title": SAID, "told": SAID}
ENTRY = {
    **{name: SAID for name in ("title", "group", "mark", "spelled", "leeway")},
    **{"place": EVIL, "way": EVIL, "cells": None, "slips": [SLIP, SLIP | {"pattern": (EVIL, EVIL)}]},
}
OPTIONS = {"options": (SAID, SAID), "languages": BOTH}
ANSWER = {"text": EVIL, "fraction": EVIL, "said": EVIL, "tolerance": EVIL}
QUESTION = {"name": EVIL, "asked": EVIL, "way": EVIL, "answers": [ANSWER], "shuffled": True, "units": [(EVIL, EVIL)]}
WORDS = SimpleNamespace(**dict.fromkeys(("LESSONS", "COLON", "SOURCES", "GLOSSARY", "READ", "FOLLOW_UPS"), SAID))
PAGE = {"lang": "en", "words": WORDS}

# What each template is filled with: something evil wherever a text goes in.
FILLED: dict[str, dict[str, tuple[dict[str, Any], ...]]] = {
    "lessons/sheets": {
        "block.html": ({"told": [(EVIL, EVIL)]},),
        "inline.html": ({"told": [(EVIL, EVIL)] * 2, "short": True}, {"told": [(EVIL, EVIL)] * 2, "short": False}),
        "titled.html": ({"told": [(EVIL, [(EVIL, EVIL)])]},),
        "document.html": ({"title": EVIL, "lang": EVIL, "css": "", "variants": [EVIL]},),
        "variant.html": (HEAD,),
        "sheet.html": (HEAD | {"who": [SAID], "questions": [(SimpleNamespace(place=EVIL, ask=SAID), EVIL)]},),
        "key.html": (HEAD | {"heads": [SAID], "entries": [ENTRY, ENTRY | {"cells": EVIL}]},),
        "way.html": ({"rows": [(SAID, SAID)], "languages": BOTH},),
        "cells.html": ({"columns": [SAID], "rows": [(SAID, (0.0, 1.0))], "languages": BOTH},),
        "options.html": (),  # holds what those of room/ share
        "room/choice.html": (OPTIONS,),
        "room/order.html": (OPTIONS | {"label": SAID, "lines": True},),
        "room/error.html": ({"claims": [Claim(SAID, (SAID,))], "languages": BOTH},),
        "room/number.html": ({"label": SAID, "numbers": (1.0, 2.0), "unit": SAID, "languages": BOTH},),
        "room/line.html": ({"listing": EVIL, "label": SAID, "lines": True, "languages": BOTH},),
        "listing.html": ({"lines": EVIL},),
        "gaps/numbers.html": ({"gaps": [EVIL, EVIL]},),
        "gaps/order.html": ({"rows": [(SAID, EVIL)], "languages": BOTH},),
        "gaps/cells.html": ({"columns": [SAID], "rows": [(SAID, [EVIL])], "languages": BOTH},),
        "question.xml": tuple(QUESTION | {"kind": kind} for kind in ("numerical", "multichoice", "cloze")),
        "quiz.xml": ({"categories": [(EVIL, [EVIL])]},),
    },
    "pages/shell/lesson": {
        "step.html": tuple({"head": 2, "headline": EVIL, "why": EVIL, "wrong": wrong} for wrong in ("", EVIL)),
        "line.html": ({"spans": [("k", EVIL), ("", EVIL)]},),
        "facts.html": ({"head": ["", EVIL, EVIL], "rows": [(EVIL, [EVIL], EVIL, True, True)], "nameless": EVIL},),
    },
    "pages/shell/site": {
        "term.html": ({"term": Term(SAID, SAID), "lang": "en"},),
        "terms.html": (PAGE | {"entries": [(EVIL, Term(SAID, SAID), [SimpleNamespace(slug=EVIL, title=SAID)] * 2)]},),
        "read.html": (PAGE | {"parts": [(SAID, SAID)], "follow_ups": [(SAID, SAID)], "sources": EVIL},),
        "sources.html": ({"sources": [Source(SAID, SAID, "read")], "checked": {"read": SAID}, "lang": "en"},),
    },
    "pages/shell": {
        "home.html": ({"title": SAID, "hint": SAID, "picture": EVIL, "lang": "en"},),
        "reference.html": (PAGE | {"terms": EVIL, "lessons": [(SAID, EVIL)]},),
    },
}
CASES = [
    pytest.param(room, name, values, id=f"{room}/{name}")
    for room, cases in FILLED.items()
    for name, filled in cases.items()
    for values in filled
]
FILES = {
    path.relative_to(ROOT).as_posix()
    for top in ("lessons", "pages")
    for folder in (ROOT / top).rglob("templates")
    for path in folder.rglob("*.*")
}


def pieces(filled: str, *, xml: bool) -> Iterator[str]:
    """The HTML that is read: all of it, or each text of an XML file, which is HTML where its format says so, else a
    name."""
    if not xml:
        yield filled
        return
    root = ET.fromstring(filled)
    assert "img" not in {element.tag for element in root.iter()}
    for element in root.iter():
        for child in element:
            text = child.text or ""
            yield text if element.get("format") == "html" and child.tag == "text" else escape(text)


def test_every_template_is_filled_here() -> None:
    assert {f"{room}/templates/{name}" for room, cases in FILLED.items() for name in cases} == FILES


@pytest.mark.parametrize(("room", "name", "values"), CASES)
def test_what_is_put_in_comes_out_as_it_was_and_is_neither_html_nor_a_template(
    room: str, name: str, values: dict[str, Any]
) -> None:
    filled = templates(str(ROOT / room / "module.py"), ALL_FILTERS)(name, **values)
    read = [parsed(html) for html in pieces(filled, xml=name.endswith(".xml"))]
    assert EVIL in "".join(html.text for html in read)
    assert "img" not in {tag for html in read for tag in html.tags}
    assert "onerror" not in {attribute for html in read for attribute, _ in html.attributes}
    assert "49" not in filled


@pytest.mark.parametrize("file", sorted(FILES))
def test_no_template_says_that_something_needs_no_escaping(file: str) -> None:
    template = Environment().parse((ROOT / file).read_text("utf-8"))
    assert "safe" not in {found.name for found in template.find_all(nodes.Filter)}
    assert not [*template.find_all(nodes.ScopedEvalContextModifier)]


def test_all_templates_are_filled_by_the_one_engine_that_escapes() -> None:
    files = [path for top in ("lessons", "pages") for path in (ROOT / top).rglob("*.py")]
    assert [path.relative_to(ROOT).as_posix() for path in files if "jinja2" in imported(tree(path).body)] == [
        "lessons/kit/html.py"
    ]


def test_a_name_that_a_template_is_not_given_is_an_error_and_no_blank() -> None:
    fill = templates(str(ROOT / "pages" / "shell" / "lesson" / "module.py"))
    with pytest.raises(UndefinedError, match="why"):
        fill("step.html", head=2, headline="a", wrong="")
