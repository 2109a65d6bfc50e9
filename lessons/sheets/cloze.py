"""Moodle's embedded answers (cloze): several gaps in one text, each with its own right answer, wrong ones and what to
say to them.

A gap is `{1:TYPE:=right#said~wrong#said}`. Inside it `~ # }` have a meaning and entities are read once before the
result is read as HTML (qtype_multianswer_extract_question), so both are written as entities."""

from __future__ import annotations

from collections.abc import Iterable

from lessons.kit.controls import typed_number
from lessons.kit.reply import Order, Tick
from lessons.sheets.markup import Languages, inline, titled
from lessons.sheets.variants import Item, tolerance

TICKED, EMPTY = "✓", "–"


def gaps(item: Item, languages: Languages) -> str:
    """The gaps of a vector, an order or a table of cells, in the HTML that stands around them."""
    match item.question.reply:
        case Order(options=options):
            rows = "".join(
                f"<tr><td>{closed(inline(option, languages))}</td><td>{_place(item, languages, i)}</td></tr>"
                for i, option in enumerate(options(item.inputs), 1)
            )
            return f"<table><tbody>{rows}</tbody></table>"
        case Tick() as tick:
            return _cells(item, tick, languages)
    return f"<p>{', '.join(_number(item, languages, i) for i in range(len(item.answer)))}</p>"


def escaped(text: str) -> str:
    """HTML inside a gap."""
    text = text.replace("&", "&amp;").replace("\n", " ")
    return "".join(f"&#{ord(c)};" if c in "~#}{" else c for c in text)


def closed(html: str) -> str:
    """HTML around the gaps, in which none opens by accident."""
    return html.replace("{", "&#123;")


def _gap(kind: str, answers: Iterable[tuple[str, bool, str]]) -> str:
    """Each answer in the order shown, whether it is right, and what is said to it."""
    written = (
        f"{'=' if right else ''}{answer}{'#' + escaped(said) if said else ''}" for answer, right, said in answers
    )
    return f"{{1:{kind}:{'~'.join(written)}}}"


def _said(item: Item, languages: Languages, blamed: list[int]) -> str:
    """The sentences of these slips."""
    slips = [item.slips[i][0] for i in blamed]
    return titled([(slip.title, slip.told(item.inputs)) for slip in slips], languages)


def _number(item: Item, languages: Languages, i: int) -> str:
    """The gap for number `i`. A slip's number that cannot be told from one before it has no answer of its own."""
    taken = [item.answer[i]]
    answers = [(_within(item, item.answer[i]), True, "")]
    for x in (answer[i] for _, answer in item.slips):
        if x == x and not any(abs(x - y) <= tolerance(item.question, x) + tolerance(item.question, y) for y in taken):
            taken.append(x)
            alike = [k for k, (_, answer) in enumerate(item.slips) if abs(answer[i] - x) <= tolerance(item.question, x)]
            answers.append((_within(item, x), False, _said(item, languages, alike)))
    return _gap("NUMERICAL", answers)


def _within(item: Item, x: float) -> str:
    return f"{typed_number(x)}:{typed_number(tolerance(item.question, x))}"


def _place(item: Item, languages: Languages, option: int) -> str:
    """The gap for the place of an option in the order."""
    right = item.answer.index(option) + 1
    slipped = [answer.index(option) + 1 for _, answer in item.slips]
    return _gap(
        "MULTICHOICE",
        (
            (
                str(place),
                place == right,
                "" if place == right else _said(item, languages, [k for k, p in enumerate(slipped) if p == place]),
            )
            for place in range(1, len(item.answer) + 1)
        ),
    )


def _cells(item: Item, tick: Tick[object], languages: Languages) -> str:
    rows, columns = tick.rows(item.inputs), tick.columns(item.inputs)
    head = "".join(f"<th>{closed(inline(column, languages))}</th>" for column in columns)
    lines = []
    for i, row in enumerate(rows):
        tds = "".join(f"<td>{_cell(item, languages, i * len(columns) + j)}</td>" for j in range(len(columns)))
        lines.append(f"<tr><th>{closed(inline(row, languages))}</th>{tds}</tr>")
    return f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _cell(item: Item, languages: Languages, i: int) -> str:
    right = item.answer[i]
    unlike = [k for k, (_, answer) in enumerate(item.slips) if answer[i] != right]
    return _gap(
        "MULTICHOICE",
        (
            (sign, x == right, "" if x == right else _said(item, languages, unlike))
            for x, sign in ((0.0, EMPTY), (1.0, TICKED))
        ),
    )
