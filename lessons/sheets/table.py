"""The answers as a table for a spreadsheet: a row for each question of each variant."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence

from lessons.kit.controls import typed_number
from lessons.kit.format import as_typed
from lessons.kit.reply import Answer, Find, Mark, Number, Order, Pick
from lessons.kit.text import Lang, Text
from lessons.sheets.marks import mark
from lessons.sheets.variants import Item, Variant, tolerance

HEAD = (
    "variant",
    "seed",
    "place",
    "lesson",
    "question",
    "kind",
    "inputs",
    "prompt_en",
    "prompt_zh",
    "options_en",
    "options_zh",
    "answer",
    "unit",
    "answer_en",
    "answer_zh",
    "tolerance",
    "slips",
)
_FORMULA = re.compile(r"\s*[=+@＝＋＠\-－−|]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")


def rows(variant: Variant) -> list[list[str]]:
    return [_row(variant, item) for item in variant.items]


def table(lines: Iterable[Sequence[str]]) -> bytes:
    """The file. Its first bytes tell a spreadsheet that it is UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(HEAD)
    writer.writerows([safe(cell) for cell in line] for line in lines)
    return out.getvalue().encode("utf-8-sig")


def safe(cell: str) -> str:
    """A cell that no spreadsheet runs as a formula; a plain number stays one.

    >>> safe("=1+1"), safe("-0.5"), safe("-a")
    ("'=1+1", '-0.5', "'-a")
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def _row(variant: Variant, item: Item) -> list[str]:
    reply, right = item.question.reply, mark(item, item.answer)
    inputs = item.question.form.write(item.inputs)
    slips = [
        {
            "slip": slip.name,
            "answer": numbers(answer),
            "en": _words(item.said[slip.name], "en"),
            "zh": _words(item.said[slip.name], "zh"),
        }
        for slip, answer in item.slips
    ]
    return [
        *map(
            str, (variant.number, variant.seed, item.place, item.chosen.lesson, item.question.slug, item.question.kind)
        ),
        json.dumps(inputs, ensure_ascii=False),
        *(_words(item.ask, lang) for lang in ("en", "zh")),
        *("\n".join(_words(option, lang) for option in _options(item)) for lang in ("en", "zh")),
        numbers(item.answer),
        reply.unit.name.en if isinstance(reply, Number) else "",
        *(_words(right, lang) for lang in ("en", "zh")),
        " ".join(typed_number(tolerance(item.question, x)) for x in item.answer)
        if item.question.kind in ("number", "vector")
        else "",
        json.dumps(slips, ensure_ascii=False),
    ]


def numbers(answer: Answer) -> str:
    """In full precision: a number, or several in brackets. NaN, any number at all, is written `*`."""
    written = ["*" if x != x else typed_number(x) for x in answer]
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def _options(item: Item) -> tuple[Text, ...]:
    match item.question.reply:
        case Pick(options=options) | Order(options=options):
            return options(item.inputs)
        case Find(claims=claims):
            return tuple(text for claim in claims(item.inputs) for text in (claim.said, *claim.corrections))
        case Mark(program=program):
            return tuple(
                Text(f"{n} {line.text.en}", f"{n} {line.text.zh}") for n, line in enumerate(program(item.inputs), 1)
            )
    return ()


def _words(text: Text, lang: Lang) -> str:
    """As a keyboard would write it; Markdown stays as it is."""
    return as_typed(text.of(lang))
