"""Question sheets: what an instructor chooses and sets, the files made of it, and the first variant as it will look."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from lessons import LESSONS
from lessons.kit.controls import BadInput, Choice, Line, Whole
from lessons.kit.form import Form
from lessons.kit.text import Lang, Text
from lessons.sheets.files import Files, Part, bound, parts
from lessons.sheets.sheet import document, sheet, title_of
from lessons.sheets.variants import MOST_VARIANTS, SEEDS, Chosen, Request, variant
from pages.shell.sheets import words
from pages.shell.sheets.picker import pick
from pages.shell.site.assets import asset
from pages.shell.site.entry import through_app
from pages.shell.site.fields import complain, fields
from pages.shell.site.language import language

SLUG = "sheets"
BANK = tuple(Chosen(lesson.slug, lesson.title, question) for lesson in LESSONS for question in lesson.questions)
LONGEST_TITLE = 120
_LANGUAGES: dict[str, tuple[Lang, ...]] = {"en": ("en",), "zh": ("zh",), "both": ("en", "zh")}
_PREVIEW = 720  # pixels
_PATIENCE = 1.0  # seconds without a progress bar


def _request(values: Mapping[str, Any]) -> Request:
    """All but the questions. A character that no file can hold (and nobody sees) is left out of the title."""
    title = "".join(c for c in values["title"] if unicodedata.category(c) not in ("Cc", "Cs", "Cn", "Co"))
    return Request(
        title, (), values["seed"], values["variants"], _LANGUAGES[values["languages"]], values["lines"] == "with"
    )


def _values(request: Request) -> dict[str, Any]:
    languages = next(name for name, langs in _LANGUAGES.items() if langs == request.languages)
    lines = "with" if request.lines else "without"
    return {
        "title": request.title,
        "seed": request.seed,
        "variants": request.variants,
        "languages": languages,
        "lines": lines,
    }


FORM: Form[Request] = Form(
    (
        Line("title", words.TITLE, words.TITLE_HELP, LONGEST_TITLE),
        Whole("seed", words.SEED, 0, SEEDS - 1),
        Whole("variants", words.VARIANTS, 1, MOST_VARIANTS),
        Choice("languages", words.LANGUAGES, tuple(words.LANGUAGE.items())),
        Choice("lines", words.LINES, tuple(words.LINE.items())),
    ),
    _request,
    _values,
)


@dataclass
class Desk:
    """One instructor's desk: what stands in the fields, what is ticked, and the files and the preview last made, with
    what they were made of."""

    typed: dict[str, str]
    ticked: set[str] = field(default_factory=set)
    made: tuple[Request, Files] | None = None
    previewed: tuple[Request, str] | None = None


def sheets() -> None:
    """Draw the page for this reader."""
    through_app(SLUG)
    lang = language()
    st.session_state["page"] = SLUG
    default = Request("", (), 1, 2, (lang,))
    desk: Desk = st.session_state.setdefault(f"{SLUG}/desk", Desk(FORM.write(default)))
    st.title(words.SHEETS.of(lang), anchor=False)
    st.markdown(words.INTRO.of(lang))
    st.header(words.CHOOSE.of(lang), anchor=False)
    pick(BANK, desk.ticked, lang)
    st.header(words.SETTINGS.of(lang), anchor=False)
    desk.typed = fields(FORM, desk.typed, f"{SLUG}/{lang}", lang)
    request, complaints = asked(desk.typed, desk.ticked)
    complain(complaints, lang)
    st.header(words.MAKE_HEAD.of(lang), anchor=False)
    if st.button(words.MAKE.of(lang), type="primary", key=f"{SLUG}/make"):
        if request is not None and request.chosen:
            desk.made = request, make(request, lang)
        else:
            st.warning(f"{words.NO_FILES.of(lang)} {'' if complaints else words.EMPTY.of(lang)}")
    if desk.made is not None:
        _downloads(*desk.made, request, lang)
    if request is not None and request.chosen:
        st.header(words.PREVIEW.of(lang), anchor=False)
        st.iframe(_preview(request, desk), height=_PREVIEW, alt=words.PREVIEW.of(lang))


def asked(typed: dict[str, str], ticked: set[str]) -> tuple[Request | None, tuple[Text, ...]]:
    """The request that the fields and ticks describe, or what is wrong with the fields."""
    try:
        settings = FORM.read(typed, Request("", (), 0, 1))
    except BadInput as bad:
        return None, bad.complaints
    chosen = tuple(chosen for chosen in BANK if chosen.slug in ticked)
    return replace(settings, chosen=chosen), ()


def make(request: Request, lang: Lang) -> Files:
    """The files; who waits for more than a moment sees how far they are."""
    started, place, bar = time.monotonic(), st.empty(), None
    made: list[Part] = []
    for part in parts(request):
        made.append(part)
        if bar is not None or time.monotonic() - started > _PATIENCE:
            said = words.making(part.number, request.variants).of(lang)
            done = part.number / request.variants
            bar = place.progress(done, said) if bar is None else bar.progress(done, said)
    files = bound(request, made, asset("sheet.css"))
    place.empty()
    return files


def _downloads(made: Request, files: Files, request: Request | None, lang: Lang) -> None:
    said = words.made if made == request else words.stale
    st.markdown(said(len(made.chosen), made.variants, made.seed).of(lang))
    name = f"sheet-{made.seed}"
    with st.container(horizontal=True):
        for label, data, file, mime in (
            (words.SHEET, files.sheet, f"{name}.html", "text/html"),
            (words.KEY, files.key, f"{name}-key.html", "text/html"),
            (words.TABLE, files.table, f"{name}.csv", "text/csv"),
            (words.MOODLE, files.moodle, f"{name}-moodle.xml", "application/xml"),
        ):
            st.download_button(label.of(lang), data, file, mime, on_click="ignore", key=f"{SLUG}/{file}")
    st.caption(words.PRINT.of(lang))


def _preview(request: Request, desk: Desk) -> str:
    """The first variant, as a file of its own: nothing in it runs, and what was typed is escaped."""
    alone = replace(request, variants=1)
    if desk.previewed is None or desk.previewed[0] != alone:
        first = sheet(alone, variant(alone, 1))
        desk.previewed = alone, document(title_of(alone), alone.languages, asset("sheet.css"), [first])
    return desk.previewed[1]
