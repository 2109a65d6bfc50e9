"""The four files of a request: sheet, answer key, table, Moodle. Made one variant at a time; the same request, the
same bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from markupsafe import Markup

from lessons.sheets import moodle
from lessons.sheets import table as sheet_csv
from lessons.sheets import words as words
from lessons.sheets.key import answer_key
from lessons.sheets.markup import plain
from lessons.sheets.sheet import document, sheet, title_of
from lessons.sheets.variants import Request, variants


@dataclass(frozen=True)
class Part:
    """What one variant adds to each file."""

    number: int
    sheet: Markup
    key: Markup
    rows: tuple[tuple[str, ...], ...]
    moodle: tuple[Markup, ...]


@dataclass(frozen=True)
class Files:
    """The files, as bytes."""

    sheet: bytes
    key: bytes
    table: bytes
    moodle: bytes


def parts(request: Request) -> Iterator[Part]:
    """One part after another, so that whoever waits can be told how far it is."""
    for variant in variants(request):
        yield Part(
            variant.number,
            sheet(request, variant),
            answer_key(request, variant),
            tuple(map(tuple, sheet_csv.rows(variant))),
            tuple(moodle.question(request, variant, item) for item in variant.items),
        )


def bound(request: Request, made: Iterable[Part], css: str) -> Files:
    """All parts put together. `css` goes into the two files to print."""
    made = tuple(made)
    title = title_of(request)
    key_title = f"{plain(words.KEY, request.languages)} · {title}"
    return Files(
        document(title, request.languages, css, (part.sheet for part in made)).encode(),
        document(key_title, request.languages, css, (part.key for part in made)).encode(),
        sheet_csv.table(row for part in made for row in part.rows),
        moodle.quiz(request, (part.moodle for part in made)),
    )
