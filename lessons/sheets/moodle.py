"""Questions as Moodle XML, every slip with its own feedback. Imports into any Moodle from 2.0 on: only core types are
used.

| kind | Moodle's type |
|---|---|
| number | numerical: right answer and slips with their tolerance, units that convert |
| vector | cloze, a numerical gap for each number |
| choice | multichoice, feedback for each option |
| order | cloze, for each option the place it takes; `ordering` is core only from 4.4 on and tells no wrong order |
| cells | cloze, a gap for each cell of the table |
| error | multichoice: a claim together with a correction is one option, since that is what a slip is about |

A category for each template inside one for its lesson, so that a random question from a category is a random variant.
With both languages a text has one after the other: the filter for multi-language spans is off where nobody has
switched it on. Texts are CDATA, as Moodle writes them itself: its parser drops a blank that stands alone between two
entities. Source: Moodle's documentation of the format (docs.moodle.org, "Moodle XML format") and its importer,
question/format/xml/format.php."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from lessons.kit.controls import typed_number
from lessons.kit.question import Slip
from lessons.kit.reply import Find, Number, Pick
from lessons.kit.text import Text, paragraphs
from lessons.kit.units import TIMES, Unit
from lessons.sheets import words as words
from lessons.sheets.cloze import closed, gaps
from lessons.sheets.key import way
from lessons.sheets.markup import block, inline, plain, titled
from lessons.sheets.moodle_units import spellings
from lessons.sheets.sheet import title_of
from lessons.sheets.variants import Item, Request, Variant, tolerance

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n'
LONGEST_NAME = 200  # Moodle cuts names at 255


def question(request: Request, variant: Variant, item: Item) -> str:
    """One question of one variant."""
    match item.question.reply:
        case Number(unit=unit):
            return _numerical(request, variant, item, unit)
        case Pick() | Find():
            return _multichoice(request, variant, item)
    asked = closed(block(item.ask, request.languages)) + gaps(item, request.languages)
    return _question("cloze", request, variant, item, asked, "")


def quiz(request: Request, questions: Iterable[tuple[str, ...]]) -> bytes:
    """The whole file. `questions`: for each variant its questions, in the order of the request."""
    by_template = zip(*questions, strict=True)
    parts = (_category(request, place) + "".join(written) for place, written in enumerate(by_template))
    return (HEAD + "".join(parts) + "</quiz>\n").encode()


def _category(request: Request, place: int) -> str:
    chosen = request.chosen[place]
    names = (title_of(request), plain(chosen.group, request.languages), plain(chosen.question.title, request.languages))
    path = "/".join(("$course$", "top", *(_step(name) for name in names)))
    return f'<question type="category">\n<category>{_text(path)}</category>\n</question>\n'


def _step(name: str) -> str:
    """A name inside a path: a slash of its own is doubled, and is no slash at either end."""
    return name[:LONGEST_NAME].strip(" /").replace("/", "//") or "-"


def _question(kind: str, request: Request, variant: Variant, item: Item, asked: str, answers: str) -> str:
    """What every question has: a name, its text, the way as general feedback; then what its type has."""
    name = f"{variant.number:02d} · {plain(item.question.title, request.languages)}"[:LONGEST_NAME]
    grade = "" if kind == "cloze" else _tag("defaultgrade", "1")  # the gaps of a cloze add up
    return (
        f'<question type="{kind}">\n<name>{_text(name)}</name>\n{_html("questiontext", asked)}'
        f"{_html('generalfeedback', way(item, request.languages))}{grade}{_tag('penalty', '0.3333333')}"
        f"{_tag('hidden', '0')}{answers}</question>\n"
    )


def _numerical(request: Request, variant: Variant, item: Item, unit: Unit) -> str:
    in_unit = block(words.in_unit(unit), request.languages) if unit.name.en and unit != TIMES else ""
    answers = [_number(item, item.answer[0], 100, "")]
    answers += [_number(item, answer[0], 0, _said(item, [slip], request)) for slip, answer in item.slips]
    answers.append(_answer("*", 0, block(words.NOT_THIS, request.languages), _tag("tolerance", "0")))
    units = "".join(
        f"<unit>\n{_tag('multiplier', typed_number(factor))}{_tag('unit_name', escape(name))}</unit>\n"
        for name, factor in (spellings(unit) if unit.name.en else ())
    )
    answers += [
        f"<units>\n{units}</units>\n" if units else "",
        _tag("unitgradingtype", "0"),  # a unit may be left out
        _tag("unitpenalty", "0"),
        _tag("showunits", "0" if units else "3"),
        _tag("unitsleft", "0"),
    ]
    return _question(
        "numerical", request, variant, item, block(item.ask, request.languages) + in_unit, "".join(answers)
    )


def _number(item: Item, x: float, fraction: int, said: str) -> str:
    return _answer(typed_number(x), fraction, said, _tag("tolerance", typed_number(tolerance(item.question, x))))


def _multichoice(request: Request, variant: Variant, item: Item) -> str:
    asked, shuffled = item.ask, isinstance(item.question.reply, Pick)
    if isinstance(item.question.reply, Find):
        claims = item.question.reply.claims(item.inputs)
        asked = paragraphs(
            item.ask,
            *(Text(f"({n}) {c.said.en}", f"（{n}）{c.said.zh}") for n, c in enumerate(claims, 1)),
            words.CHOOSE,
        )
    answers = [
        _tag("single", "true"),
        _tag("shuffleanswers", "true" if shuffled else "false"),
        _tag("answernumbering", "abc" if shuffled else "none"),
    ]
    for given, option in _options(item):
        right = given == item.answer
        blamed = [
            slip for slip, answer in item.slips if all(y != y or x == y for x, y in zip(given, answer, strict=True))
        ]
        said = "" if right else _said(item, blamed, request) if blamed else block(words.NOT_THIS, request.languages)
        answers.append(_answer(inline(option, request.languages), 100 if right else 0, said))
    return _question("multichoice", request, variant, item, block(asked, request.languages), "".join(answers))


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
    raise TypeError(f"no options: {item.question.kind}")


def _said(item: Item, slips: list[Slip[Any]], request: Request) -> str:
    return titled([(slip.title, slip.told(item.inputs)) for slip in slips], request.languages)


def _answer(text: str, fraction: int, said: str, more: str = "") -> str:
    """An answer, HTML unless it has `more` of a number, and what is said to it."""
    kind = "moodle_auto_format" if more else "html"
    return f'<answer fraction="{fraction}" format="{kind}">\n{_text(text)}\n{_html("feedback", said)}{more}</answer>\n'


def _html(tag: str, html: str) -> str:
    return f'<{tag} format="html">{_text(html)}</{tag}>\n'


def _tag(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>\n"


def _text(text: str) -> str:
    inner = text.replace("]]>", "]]]]><![CDATA[>")
    return f"<text><![CDATA[{inner}]]></text>" if escape(text, quote=False) != text else f"<text>{text}</text>"
