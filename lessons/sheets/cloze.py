"""Moodle's embedded answers (cloze): several gaps in one text, each with its own right answer, wrong ones and what to
say to them.

A gap is `{1:TYPE:=right#said~wrong#said}`. Inside it `~ # }` have a meaning and entities are read once before the
result is read as HTML (qtype_multianswer_extract_question), so both are written as entities."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from lessons.kit.controls import typed_number
from lessons.kit.html import templates
from lessons.kit.reply import Order, Tick
from lessons.sheets.markup import Languages, inline, titled
from lessons.sheets.variants import Item, tolerance

TICKED, EMPTY = "✓", "–"
_INSIDE = str.maketrans({"&": "&amp;", "\n": " "} | {c: f"&#{ord(c)};" for c in "~#}{"})


def gaps(item: Item, languages: Languages) -> Markup:
    """The gaps of a vector, an order or a table of cells, in the HTML that stands around them."""
    match item.question.reply:
        case Order() as order:
            options = enumerate(order.options(item.inputs), 1)
            rows = [(option, _place(item, languages, i)) for i, option in options]
            return _fill("gaps/order.html", rows=rows, languages=languages)
        case Tick() as tick:
            return _cells(item, tick, languages)
    return _fill("gaps/numbers.html", gaps=[_number(item, languages, i) for i in range(len(item.answer))])


def escaped(html: Markup) -> str:
    """HTML inside a gap."""
    return str(html).translate(_INSIDE)


def closed(html: Markup) -> Markup:
    """HTML around the gaps, in which none opens by accident."""
    return Markup(str(html).replace("{", "&#123;"))


_fill = templates(__file__, {"inline": inline, "closed": closed})


def _gap(kind: str, answers: Iterable[tuple[str, bool, Markup]]) -> Markup:
    """Each answer in the order shown, whether it is right, and what is said to it."""
    written = (
        f"{'=' if right else ''}{answer}{'#' + escaped(said) if said else ''}" for answer, right, said in answers
    )
    return Markup(f"{{1:{kind}:{'~'.join(written)}}}")


def _said(item: Item, languages: Languages, blamed: list[int]) -> Markup:
    """The sentences of these slips."""
    slips = [item.slips[i][0] for i in blamed]
    return titled(tuple((slip.title, item.said[slip.name]) for slip in slips), languages)


def _number(item: Item, languages: Languages, i: int) -> Markup:
    """The gap for number `i`. A slip's number that cannot be told from one before it has no answer of its own."""
    taken = [item.answer[i]]
    answers = [(_within(item, item.answer[i]), True, Markup())]
    for x in (answer[i] for _, answer in item.slips):
        if x == x and not any(abs(x - y) <= tolerance(item.question, x) + tolerance(item.question, y) for y in taken):
            taken.append(x)
            alike = [k for k, (_, answer) in enumerate(item.slips) if abs(answer[i] - x) <= tolerance(item.question, x)]
            answers.append((_within(item, x), False, _said(item, languages, alike)))
    return _gap("NUMERICAL", answers)


def _within(item: Item, x: float) -> str:
    return f"{typed_number(x)}:{typed_number(tolerance(item.question, x))}"


def _place(item: Item, languages: Languages, option: int) -> Markup:
    """The gap for the place of an option in the order."""
    right = item.answer.index(option) + 1
    slipped = [answer.index(option) + 1 for _, answer in item.slips]
    return _gap(
        "MULTICHOICE",
        (
            (
                str(place),
                place == right,
                _said(item, languages, [k for k, p in enumerate(slipped) if p == place != right]),
            )
            for place in range(1, len(item.answer) + 1)
        ),
    )


def _cells(item: Item, tick: Tick[object], languages: Languages) -> Markup:
    names, columns = tick.rows(item.inputs), tick.columns(item.inputs)
    n = len(columns)
    rows = [(name, [_cell(item, languages, i * n + j) for j in range(n)]) for i, name in enumerate(names)]
    return _fill("gaps/cells.html", columns=columns, rows=rows, languages=languages)


def _cell(item: Item, languages: Languages, i: int) -> Markup:
    right = item.answer[i]
    unlike = [k for k, (_, answer) in enumerate(item.slips) if answer[i] != right]
    return _gap(
        "MULTICHOICE",
        (
            (sign, x == right, _said(item, languages, unlike if x != right else []))
            for x, sign in ((0.0, EMPTY), (1.0, TICKED))
        ),
    )
