"""Answers as they stand on paper: letters beside options, numbers beside claims, crosses in cells."""

from __future__ import annotations

import math

from lessons.kit.format import short
from lessons.kit.question import Row
from lessons.kit.reply import Answer, Find, Mark, Number, Order, Pick, Tick, exactly
from lessons.kit.text import Text, same
from lessons.sheets import words as words
from lessons.sheets.variants import Item, tolerance


def letter(place: float) -> str:
    """The letter that the sheet puts before an option.

    >>> letter(1.0), letter(3.0)
    ('A', 'C')
    """
    return chr(ord("A") + int(place) - 1)


def mark(item: Item, answer: Answer) -> Text:
    """What a student leaves on the sheet."""
    match item.question.reply:
        case Pick():
            return same(letter(answer[0]))
        case Order():
            return same(" → ".join(map(letter, answer)))
        case Find():
            claim = str(int(answer[0]))
            return words.any_correction(claim) if math.isnan(answer[1]) else same(f"{claim} {letter(answer[1])}")
        case Mark():
            return words.line(int(answer[0]))
        case Tick() | Number() as reply:
            return reply.write(answer, item.inputs)
    parts = [words.ANY if math.isnan(x) else same(exactly((x,))) for x in answer]
    return Text(", ".join(p.en for p in parts), ", ".join(p.zh for p in parts))


def spelled(item: Item, answer: Answer) -> Text | None:
    """The answer in words, where its mark is only letters."""
    if not isinstance(item.question.reply, (Pick, Order, Find, Mark)) or any(map(math.isnan, answer)):
        return None
    return item.question.reply.write(answer, item.inputs)


def pattern(item: Item, answer: Answer) -> tuple[str, ...]:
    """Ticked cells at a glance, row by row; nothing for an answer of another kind."""
    if not isinstance(item.question.reply, Tick):
        return ()
    signs, width = "".join("☑" if x else "☐" for x in answer), len(item.question.reply.columns(item.inputs))
    return tuple(signs[i : i + width] for i in range(0, len(signs), width))


def leeway(item: Item) -> str | None:
    """How far off a typed number may be, number by number; None for a choice."""
    if item.question.kind not in ("number", "vector"):
        return None
    widths = [short(float(f"{tolerance(item.question, x):.2g}")) for x in item.answer]
    return ", ".join(dict.fromkeys(widths))


def cells(row: Row) -> tuple[Text, Text, Text]:
    """A line of a worked solution, each part in both languages."""
    how, value = (same(part) if isinstance(part, str) else part for part in (row.how, row.value))
    return row.what, how, value
