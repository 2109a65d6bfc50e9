"""A printable sheet: one HTML file that needs nothing else, every variant on pages of its own."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from lessons.kit.html import templates
from lessons.kit.reply import Find, Mark, Number, Order, Pick, Printed, Tick
from lessons.kit.text import Text, same
from lessons.sheets import words as words
from lessons.sheets.marks import letter
from lessons.sheets.markup import FILTERS, TAGS, Languages, plain
from lessons.sheets.variants import Item, Request, Variant

_fill = templates(__file__, {**FILTERS, "letter": letter})


def document(title: str, languages: Languages, css: str, variants: Iterable[Markup]) -> str:
    """A whole file around its variants."""
    return _fill("document.html", title=title, lang=TAGS[languages[0]], css=Markup(css), variants=variants)


def title_of(request: Request, kind: Text = words.SHEET) -> str:
    """What was typed, or what the file is."""
    return request.title or plain(kind, request.languages)


def sheet(request: Request, variant: Variant) -> Markup:
    """The questions of one variant."""
    return _fill(
        "sheet.html",
        title=title_of(request),
        variant=variant,
        which=words.variant(variant.number, variant.seed),
        languages=request.languages,
        who=(words.NAME, words.DATE),
        questions=[(item, _room(item, request.languages, lines=request.lines)) for item in variant.items],
    )


def _room(item: Item, languages: Languages, *, lines: bool) -> Markup:
    """Where the answer goes. Boxes and options belong to the question; blank lines are left out where none are
    wanted."""
    match item.question.reply:
        case Pick() as pick:
            return _fill("room/choice.html", options=pick.options(item.inputs), languages=languages)
        case Order() as order:
            options = order.options(item.inputs)
            return _fill("room/order.html", options=options, label=words.ORDER, lines=lines, languages=languages)
        case Tick() as tick:
            return table(tick, item, languages)
        case Find(claims=claims):
            return _fill("room/error.html", claims=claims(item.inputs), languages=languages)
        case Mark(program=program):
            written = listing(program(item.inputs), languages)
            return _fill("room/line.html", listing=written, label=words.LINE, lines=lines, languages=languages)
    if not lines:
        return Markup()
    unit = item.question.reply.unit.name if isinstance(item.question.reply, Number) else same("")
    return _fill("room/number.html", label=words.ANSWER, numbers=item.answer, unit=unit, languages=languages)


def listing(program: tuple[Printed, ...], languages: Languages) -> Markup:
    """A program with numbered lines, its comments in the first language."""
    numbered = (f"{n:>2}  {line.text.of(languages[0])}".rstrip() for n, line in enumerate(program, 1))
    return _fill("listing.html", lines="\n".join(numbered))


def table(tick: Tick[object], item: Item, languages: Languages, ticked: tuple[float, ...] = ()) -> Markup:
    """The cells to tick; those of `ticked` carry their mark."""
    rows, columns = tick.rows(item.inputs), tick.columns(item.inputs)
    n = len(columns)
    marks = ticked or (0.0,) * (len(rows) * n)
    lines = [(row, marks[i * n : (i + 1) * n]) for i, row in enumerate(rows)]
    return _fill("cells.html", columns=columns, rows=lines, languages=languages)
