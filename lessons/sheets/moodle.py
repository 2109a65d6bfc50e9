"""Questions as Moodle XML, every slip with its own feedback. Imports into any Moodle from 2.0 on: only core types are
used.

| kind | Moodle's type |
|---|---|
| number | numerical: right answer and slips with their tolerance, units that convert |
| vector | cloze, a numerical gap for each number |
| choice | multichoice, feedback for each option |
| order | cloze, for each option the place it takes; `ordering` is core only from 4.4 on and tells no wrong order |
| cells | cloze, a gap for each cell of the table |
| line | multichoice over the lines, below the program |
| error | multichoice: a claim together with a correction is one option, since that is what a slip is about |

A category for each template inside one for its lesson, so that a random question from a category is a random variant.
With both languages a text has one after the other: the filter for multi-language spans is off where nobody has
switched it on. Texts are CDATA, as Moodle writes them itself: its parser drops a blank that stands alone between two
entities. Source: Moodle's documentation of the format (docs.moodle.org, "Moodle XML format") and its importer,
question/format/xml/format.php."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from lessons.kit.controls import typed_number
from lessons.kit.html import templates
from lessons.kit.question import Slip
from lessons.kit.reply import Find, Mark, Number, Pick
from lessons.kit.text import Text, paragraphs
from lessons.kit.units import TIMES, Unit
from lessons.sheets import words as words
from lessons.sheets.cloze import closed, gaps
from lessons.sheets.key import way
from lessons.sheets.markup import block, inline, plain, titled
from lessons.sheets.moodle_units import spellings
from lessons.sheets.sheet import listing, title_of
from lessons.sheets.variants import Item, Request, Variant, tolerance

LONGEST_NAME = 200  # Moodle cuts names at 255
_SPECIAL = re.compile("[&<>]")


@dataclass(frozen=True)
class _Answer:
    """An answer, what is said to it, and where it is a number, how far off it may be."""

    text: str
    fraction: int
    said: Markup
    tolerance: str = ""


def question(request: Request, variant: Variant, item: Item) -> Markup:
    """One question of one variant."""
    match item.question.reply:
        case Number(unit=unit):
            return _numerical(request, variant, item, unit)
        case Pick() | Find() | Mark():
            return _multichoice(request, variant, item)
    asked = closed(block(item.ask, request.languages)) + gaps(item, request.languages)
    return _question("cloze", request, variant, item, asked, [])


def quiz(request: Request, questions: Iterable[tuple[Markup, ...]]) -> bytes:
    """The whole file. `questions`: for each variant its questions, in the order of the request."""
    by_template = zip(*questions, strict=True)
    categories = [(_path(request, place), written) for place, written in enumerate(by_template)]
    return _fill("quiz.xml", categories=categories).encode()


def cdata(text: str) -> Markup:
    """As Moodle writes a text itself: in a section of its own where it would need entities."""
    inner = str(text)
    if not _SPECIAL.search(inner):
        return Markup(inner)
    return Markup("<![CDATA[" + inner.replace("]]>", "]]]]><![CDATA[>") + "]]>")


_fill = templates(__file__, {"cdata": cdata})


def _path(request: Request, place: int) -> str:
    """The category of a template."""
    chosen = request.chosen[place]
    names = (title_of(request), plain(chosen.group, request.languages), plain(chosen.question.title, request.languages))
    return "/".join(("$course$", "top", *(_step(name) for name in names)))


def _step(name: str) -> str:
    """A name inside a path: a slash of its own is doubled, and is no slash at either end."""
    return name[:LONGEST_NAME].strip(" /").replace("/", "//") or "-"


def _question(
    kind: str,
    request: Request,
    variant: Variant,
    item: Item,
    asked: Markup,
    answers: list[_Answer],
    units: Sequence[tuple[str, str]] = (),
) -> Markup:
    """What every question has: a name, its text, the way as general feedback; then what its type has."""
    return _fill(
        "question.xml",
        kind=kind,
        name=f"{variant.number:02d} · {plain(item.question.title, request.languages)}"[:LONGEST_NAME],
        asked=asked,
        way=way(item, request.languages),
        answers=answers,
        units=units,
        shuffled=isinstance(item.question.reply, Pick),
    )


def _numerical(request: Request, variant: Variant, item: Item, unit: Unit) -> Markup:
    asked = block(item.ask, request.languages)
    if unit.name.en and unit != TIMES:
        asked += block(words.in_unit(unit), request.languages)
    answers = [_number(item, item.answer[0], 100, Markup())]
    answers += [_number(item, answer[0], 0, _said(item, [slip], request)) for slip, answer in item.slips]
    answers.append(_Answer("*", 0, block(words.NOT_THIS, request.languages), "0"))
    units = [(name, typed_number(factor)) for name, factor in (spellings(unit) if unit.name.en else ())]
    return _question("numerical", request, variant, item, asked, answers, units)


def _number(item: Item, x: float, fraction: int, said: Markup) -> _Answer:
    return _Answer(typed_number(x), fraction, said, typed_number(tolerance(item.question, x)))


def _multichoice(request: Request, variant: Variant, item: Item) -> Markup:
    asked = item.ask
    if isinstance(item.question.reply, Find):
        claims = item.question.reply.claims(item.inputs)
        asked = paragraphs(
            item.ask,
            *(Text(f"({n}) {c.said.en}", f"（{n}）{c.said.zh}") for n, c in enumerate(claims, 1)),
            words.CHOOSE,
        )
    answers = []
    for given, option in _options(item):
        right = given == item.answer
        blamed = [
            slip for slip, answer in item.slips if all(y != y or x == y for x, y in zip(given, answer, strict=True))
        ]
        said = (
            Markup() if right else _said(item, blamed, request) if blamed else block(words.NOT_THIS, request.languages)
        )
        answers.append(_Answer(inline(option, request.languages), 100 if right else 0, said))
    asked_ = block(asked, request.languages)
    if isinstance(item.question.reply, Mark):
        asked_ += listing(item.question.reply.program(item.inputs), request.languages)
    return _question("multichoice", request, variant, item, asked_, answers)


def _options(item: Item) -> list[tuple[tuple[float, ...], Text]]:
    """Everything that can be chosen, as an answer and in words."""
    match item.question.reply:
        case Pick(options=options):
            return [((float(i),), option) for i, option in enumerate(options(item.inputs), 1)]
        case Find(claims=claims):
            return [
                ((float(n), float(i)), Text(f"({n}) {words.SHOULD.en} {put.en}", f"（{n}）{words.SHOULD.zh}{put.zh}"))
                for n, claim in enumerate(claims(item.inputs), 1)
                for i, put in enumerate(claim.corrections, 1)
            ]
        case Mark() as mark:
            numbers = (n for n, line in enumerate(mark.program(item.inputs), 1) if line.open)
            return [((float(n),), mark.write((float(n),), item.inputs)) for n in numbers]
    raise TypeError(f"no options: {item.question.kind}")


def _said(item: Item, slips: list[Slip[Any]], request: Request) -> Markup:
    return titled(tuple((slip.title, item.said[slip.name]) for slip in slips), request.languages)
