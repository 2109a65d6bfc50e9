"""The answer key: for each question the answer, the slips with the answers that give them away, and the way in
lines."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from lessons.kit.html import templates
from lessons.kit.reply import Tick
from lessons.kit.text import Text
from lessons.sheets import words as words
from lessons.sheets.marks import cells, leeway, mark, pattern, spelled
from lessons.sheets.markup import FILTERS, Languages, block, plain
from lessons.sheets.sheet import table, title_of
from lessons.sheets.variants import Item, Request, Variant

_fill = templates(__file__, FILTERS)


@dataclass(frozen=True)
class _Slipped:
    """A slip: the answer that gives it away, of cells only the pattern, and what to say."""

    mark: Text
    pattern: tuple[str, ...]
    title: Text
    told: Text


@dataclass(frozen=True)
class _Entry:
    """A question's answer as it looks on the sheet, and in words where that is only letters."""

    place: int
    title: Text
    group: Text
    cells: Markup | None
    mark: Text
    spelled: Text | None
    leeway: Text | None
    slips: list[_Slipped]
    way: Markup


def answer_key(request: Request, variant: Variant) -> Markup:
    """One variant's answers."""
    return _fill(
        "key.html",
        title=f"{plain(words.KEY, request.languages)} · {title_of(request)}",
        variant=variant,
        which=words.variant(variant.number, variant.seed),
        languages=request.languages,
        heads=words.HEADS,
        entries=[_entry(item, request.languages) for item in variant.items],
    )


def _entry(item: Item, languages: Languages) -> _Entry:
    reply, widths = item.question.reply, leeway(item)
    return _Entry(
        item.place,
        item.question.title,
        item.chosen.group,
        table(reply, item, languages, item.answer) if isinstance(reply, Tick) else None,
        mark(item, item.answer),
        spelled(item, item.answer),
        None if widths is None else words.within(widths),
        [_Slipped(mark(item, x), pattern(item, x), slip.title, item.said[slip.name]) for slip, x in item.slips],
        way(item, languages),
    )


def way(item: Item, languages: Languages) -> Markup:
    """The solution in lines, or the sentence that says it where there are none."""
    if not item.rows:
        return block(item.question.worked(item.inputs), languages)
    return _fill("way.html", rows=[cells(row) for row in item.rows], languages=languages)
