"""What Moodle asks of a file to import, as its documentation says it; written here, not taken from its code.

Sources: docs.moodle.org, "Moodle XML format" (elements), "Embedded Answers (Cloze) question type" (gaps), "Numerical
question type" (units); that fractions come from a fixed list is said on "Import questions" (match grades)."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET

FORMATS = {"html", "moodle_auto_format", "plain_text", "markdown"}
FRACTIONS = {0.0, 100.0}  # of those allowed, the two that these files need
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")
ALLOWED = {
    "category": {"category"},
    "numerical": {"answer", "units", "unitgradingtype", "unitpenalty", "showunits", "unitsleft"},
    "multichoice": {"answer", "single", "shuffleanswers", "answernumbering"},
    "cloze": set(),
}
COMMON = {"name", "questiontext", "generalfeedback", "defaultgrade", "penalty", "hidden"}


@dataclass(frozen=True)
class Said:
    """An answer as Moodle holds it: its text, its mark in percent, what is said to it, and for numbers how far off it
    may be."""

    text: str
    fraction: float
    feedback: str
    tolerance: float | None = None


@dataclass(frozen=True)
class Gap:
    kind: str
    answers: tuple[Said, ...]


@dataclass(frozen=True)
class Read:
    """A question as it is imported. `path` is its category's."""

    kind: str
    path: tuple[str, ...]
    name: str
    text: str
    feedback: str
    answers: tuple[Said, ...] = ()
    gaps: tuple[Gap, ...] = ()
    units: tuple[tuple[str, float], ...] = ()


def imported(file: bytes) -> list[Read]:
    """Every question of the file; AssertionError where a rule is broken, ParseError where it is not XML."""
    assert file.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    root = ET.fromstring(file)
    assert root.tag == "quiz"
    path: tuple[str, ...] = ()
    found = []
    for question in root:
        assert question.tag == "question"
        kind = question.get("type", "")
        assert kind in ALLOWED
        if kind == "category":
            assert [child.tag for child in question] == ["category"]
            path = _path(_text(question.find("category")))
        else:
            assert path, "a question before any category"
            found.append(_question(kind, path, question))
    return found


def _path(written: str) -> tuple[str, ...]:
    names = [name.replace("//", "/").strip() for name in re.split(r"(?<!/)/(?!/)", written)]
    assert names[:2] == ["$course$", "top"]
    assert all(0 < len(name) <= 255 for name in names)
    return tuple(names[2:])


def _question(kind: str, path: tuple[str, ...], question: ET.Element) -> Read:
    assert {child.tag for child in question} <= COMMON | ALLOWED[kind]
    for tag in ("questiontext", "generalfeedback"):
        assert len(question.findall(tag)) == 1
        assert {text.get("format", "") for text in question.findall(tag)} <= FORMATS
    name, text = _text(question.find("name")), _text(question.find("questiontext"))
    assert 0 < len(name) <= 255
    assert text
    answers = tuple(_answer(kind, answer) for answer in question.findall("answer"))
    read = Read(kind, path, name, text, _text(question.find("generalfeedback")), answers)
    if kind == "cloze":
        gaps = tuple(gaps_of(text))
        assert gaps, "no gap"
        return Read(**{**vars(read), "gaps": gaps})
    _marked(answers)
    if kind == "multichoice":
        assert question.findtext("single") == "true"
        assert question.findtext("shuffleanswers") in ("true", "false")
        assert question.findtext("answernumbering") in ("abc", "none")
        return read
    units = tuple((u.findtext("unit_name") or "", float(u.findtext("multiplier") or "")) for u in question.iter("unit"))
    assert len({name.casefold() for name, _ in units}) == len(units)
    assert all(name and " " not in name and factor > 0 for name, factor in units)
    assert not units or units[0][1] == 1
    assert question.findtext("showunits") == ("0" if units else "3")
    return Read(**{**vars(read), "units": units})


def _marked(answers: tuple[Said, ...]) -> None:
    assert len(answers) > 1
    assert {answer.fraction for answer in answers} <= FRACTIONS
    assert [answer.fraction for answer in answers].count(100) == 1


def _answer(kind: str, answer: ET.Element) -> Said:
    text, feedback = _text(answer), _text(answer.find("feedback"))
    assert text
    if kind != "numerical":
        return Said(text, float(answer.get("fraction", "")), feedback)
    assert text == "*" or NUMBER.fullmatch(text)
    tolerance = answer.findtext("tolerance") or ""
    assert NUMBER.fullmatch(tolerance)
    return Said(text, float(answer.get("fraction", "")), feedback, float(tolerance))


def _text(parent: ET.Element | None) -> str:
    assert parent is not None
    return (parent.findtext("text") or "").strip()


def gaps_of(text: str) -> list[Gap]:
    """The gaps of a cloze: `{weight:TYPE:=right#said~wrong#said}`, entities read after it has been taken apart."""
    found = []
    for start in re.finditer(r"\{(\d*):([A-Z_]+):", text):
        kind, inner = start[2], text[start.end() : text.index("}", start.end())]
        assert kind in ("NUMERICAL", "MULTICHOICE")
        answers = []
        for written in inner.split("~"):
            answer, *feedback = re.split(r"(?<!&)#", written, maxsplit=1)
            right = answer.startswith("=")
            answers.append(
                _in_gap(kind, answer.removeprefix("="), 100.0 if right else 0.0, html.unescape("".join(feedback)))
            )
        assert [a.fraction for a in answers].count(100.0) == 1
        assert kind == "NUMERICAL" or len(answers) > 1
        found.append(Gap(kind, tuple(answers)))
    return found


def _in_gap(kind: str, answer: str, fraction: float, feedback: str) -> Said:
    if kind == "MULTICHOICE":
        return Said(html.unescape(answer), fraction, feedback)
    number, _, tolerance = answer.partition(":")
    assert NUMBER.fullmatch(number)
    assert NUMBER.fullmatch(tolerance)
    return Said(number, fraction, feedback, float(tolerance))
