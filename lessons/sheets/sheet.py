"""A printable sheet: one HTML file that needs nothing else, every variant on pages of its own.

A variant is a table, because the head of a table is the only thing that browsers repeat on each page they print.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from lessons.kit.reply import Find, Number, Order, Pick, Tick
from lessons.kit.text import Text, same
from lessons.sheets import words as words
from lessons.sheets.marks import letter
from lessons.sheets.markup import TAGS, Languages, block, inline, plain
from lessons.sheets.variants import Item, Request, Variant

NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'"  # a Content-Security-Policy: no script, nothing fetched
BOX = '<span class="box"></span>'
LINE = '<span class="line"></span>'


def document(title: str, languages: Languages, css: str, parts: Iterable[str]) -> str:
    """A whole file around its variants."""
    return (
        f'<!doctype html>\n<html lang="{TAGS[languages[0]]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_ELSE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{css}</style>\n</head>\n<body>\n{''.join(parts)}</body>\n</html>\n"
    )


def title_of(request: Request, kind: Text = words.SHEET) -> str:
    """What was typed, or what the file is."""
    return request.title or plain(kind, request.languages)


def framed(variant: Variant, title: str, languages: Languages, rows: Iterable[str]) -> str:
    """One variant. The title, its number and its seed are repeated on each printed page."""
    said = plain(words.variant(variant.number, variant.seed), languages)
    head = f'<b>{escape(title)}</b><span class="which">{said}</span>'
    body = "".join(f'<tr><td class="item">{row}</td></tr>\n' for row in rows)
    return (
        f'<table class="variant" role="presentation" id="variant-{variant.number}">\n'
        f'<thead><tr><td><div class="head">{head}</div></td></tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n'
    )


def sheet(request: Request, variant: Variant) -> str:
    """The questions of one variant."""
    who = "".join(f"<span>{plain(word, request.languages)} {LINE}</span>" for word in (words.NAME, words.DATE))
    questions = (_question(item, request) for item in variant.items)
    return framed(variant, title_of(request), request.languages, [f'<div class="who">{who}</div>', *questions])


def _question(item: Item, request: Request) -> str:
    room = _room(item, request.languages, lines=request.lines)
    return (
        f'<div class="number">{item.place}</div><div class="question">{block(item.ask, request.languages)}{room}</div>'
    )


def _room(item: Item, languages: Languages, *, lines: bool) -> str:
    """Where the answer goes. Boxes and options belong to the question; blank lines are left out where none are
    wanted."""
    match item.question.reply:
        case Pick(options=options):
            return f'<ul class="options">{_options(options(item.inputs), languages, BOX)}</ul>'
        case Order(options=options):
            choices = options(item.inputs)
            blanks = " → ".join(['<span class="blank"></span>'] * len(choices))
            listed = f'<ul class="options">{_options(choices, languages)}</ul>'
            return listed + (f'<p class="answer">{plain(words.ORDER, languages)} {blanks}</p>' if lines else "")
        case Tick() as tick:
            return table(tick, item, languages)
        case Find(claims=claims):
            made = "".join(
                f"<li>{BOX}<b>{n}</b> {inline(claim.said, languages)}<ul "
                f'class="options">{_options(claim.corrections, languages, BOX)}</ul></li>'
                for n, claim in enumerate(claims(item.inputs), 1)
            )
            return f'<ul class="claims">{made}</ul>'
    if not lines:
        return ""
    unit = item.question.reply.unit.name if isinstance(item.question.reply, Number) else same("")
    blanks = ", ".join([LINE] * len(item.answer))
    working = '<div class="ruled"></div>' * 2
    return (
        f'{working}<p class="answer">{plain(words.ANSWER, languages)} {blanks} '
        f"{inline(unit, languages) if unit.en else ''}</p>"
    )


def _options(options: tuple[Text, ...], languages: Languages, box: str = "") -> str:
    return "".join(
        f"<li>{box}<b>{letter(i)}</b> <span>{inline(option, languages)}</span></li>"
        for i, option in enumerate(options, 1)
    )


def table(tick: Tick[object], item: Item, languages: Languages, ticked: tuple[float, ...] = ()) -> str:
    """The cells to tick; those of `ticked` carry their mark."""
    rows, columns = tick.rows(item.inputs), tick.columns(item.inputs)
    marks = ticked or (0.0,) * (len(rows) * len(columns))
    head = "".join(f'<th scope="col">{inline(column, languages)}</th>' for column in columns)
    lines = "".join(
        f'<tr><th scope="row">{inline(row, languages)}</th>'
        + "".join(
            f"<td>{BOX if not mark else '<span class=box>✓</span>'}</td>"
            for mark in marks[i * len(columns) : (i + 1) * len(columns)]
        )
        + "</tr>"
        for i, row in enumerate(rows)
    )
    return f'<table class="cells"><thead><tr><td></td>{head}</tr></thead><tbody>{lines}</tbody></table>'
