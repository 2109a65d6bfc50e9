"""The results: one run at a time, whose it is said first; a second one only to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from engine.measure import Run, as_json
from lessons.kit.text import Lang, Text
from pages.shell.measured import say, words
from pages.shell.measured.axes import Drawn
from pages.shell.measured.charts import GROWING, Place, growth, roofs, tiles, under_roof
from pages.shell.measured.desk import Desk
from pages.shell.measured.runs import opened, recorded
from pages.shell.measured.tables import csv, side_by_side, slopes, timings
from pages.shell.measured.verdicts import verdicts

_SHOW, _OTHER = "measured/show", "measured/other"
MOST_UPLOAD = 8  # MiB


@dataclass(frozen=True)
class Source:
    """A run and whose it is. `own`: measured in this session on this machine."""

    run: Run
    label: Text
    own: bool


def results(here: Desk, lang: Lang) -> None:
    """Choose a run, and see what it says."""
    st.header(words.RESULTS.of(lang), anchor=False)
    sources = _sources(here)
    uploaded = _upload(here, lang)
    sources |= uploaded
    if not sources:
        st.caption(words.NONE_YET.of(lang))
        return
    _settle(here, list(sources), list(uploaded))
    one, other = st.columns(2)
    with one:
        shown = sources[
            st.selectbox(words.SHOW.of(lang), list(sources), format_func=lambda k: sources[k].label.of(lang), key=_SHOW)
        ]
    with other:
        others = ["", *(key for key in sources if sources[key] is not shown)]
        if st.session_state.get(_OTHER) not in others:
            st.session_state[_OTHER] = ""
        chosen = st.selectbox(
            words.COMPARE.of(lang),
            others,
            format_func=lambda k: sources[k].label.of(lang) if k else words.NO_COMPARISON.of(lang),
            key=_OTHER,
        )
    _run(shown, sources.get(chosen), lang)


def _sources(here: Desk) -> dict[str, Source]:
    own = {f"own-{number}": Source(run, say.own(run, number), True) for number, run in reversed(here.runs)}
    return own | {f"recorded-{file}": Source(run, say.recorded(run), False) for file, run in recorded().items()}


def _settle(here: Desk, keys: list[str], uploaded: list[str]) -> None:
    """What has just ended, or was just opened, is shown; what is gone is not."""
    if here.fresh:
        here.fresh = False
        st.session_state[_SHOW] = keys[0]
    elif uploaded and here.opened != st.session_state.get("measured/opened-shown"):
        st.session_state[_SHOW] = uploaded[0]
    st.session_state["measured/opened-shown"] = here.opened
    if st.session_state.get(_SHOW) not in keys:
        st.session_state[_SHOW] = keys[0]


def _upload(here: Desk, lang: Lang) -> dict[str, Source]:
    """The file that lies in the field, if it is a run; else a sentence that names it."""
    with st.expander(words.OPEN.of(lang)):
        file = st.file_uploader(
            words.OPEN.of(lang),
            type=["json"],
            help=words.OPEN_HELP.of(lang),
            key="measured/file",
            max_upload_size=MOST_UPLOAD,
            label_visibility="collapsed",
        )
        if file is None:
            here.opened = ""
            return {}
        if here.opened != file.file_id:
            here.opened, here.file, here.refused = file.file_id, None, None
            try:
                here.file = opened(file.getvalue())
            except ValueError as error:
                here.refused = say.unreadable(file.name, str(error))
        if here.refused is not None:
            st.error(here.refused.of(lang))
    return {} if here.file is None else {"file": Source(here.file, say.from_file(here.file, file.name), False)}


def _run(source: Source, other: Source | None, lang: Lang) -> None:
    run = source.run
    st.markdown(say.about(run, own=source.own).of(lang))
    st.markdown("\n".join(f"- {say.device(place).of(lang)}" for place in run.places))
    if say.others(run).en:
        st.warning(say.others(run).of(lang))
    if not run.results:
        st.warning(words.LOST.of(lang))
    names = [
        text.of(lang)
        for text in (words.SAYS, words.GROWTH, words.TILE_CHART, words.ROOFLINE, words.COMPARED, words.TABLE)
    ]
    says, grows, tiled, roofed, compared, listed = st.tabs(names, key="measured/tab", on_change="rerun")
    with says:
        if says.open:
            _says(run, lang)
    with grows:
        if grows.open:
            _growth(run, other, lang)
    with tiled:
        if tiled.open:
            _chart(tiles(run, lang), "tiles", lang)
            st.caption(words.TILE_NOTE.of(lang))
    with roofed:
        if roofed.open:
            _roofline(run, lang)
    with compared:
        if compared.open:
            _compared(run, other, lang)
    with listed:
        if listed.open:
            st.caption(words.TABLE_NOTE.of(lang))
            st.dataframe(
                timings(run, lang), width="stretch", hide_index=True, placeholder="–", column_config=_columns(lang)
            )
    _downloads(run, lang)


def _says(run: Run, lang: Lang) -> None:
    for operation, sentences in verdicts(run):
        st.markdown(
            f"**{words.OPERATION[operation].of(lang)}**\n\n" + "\n".join(f"- {one.of(lang)}" for one in sentences)
        )
    st.caption(f"{words.LEARN.of(lang)} {say.drift(run).of(lang)}")
    if run.skipped:
        with st.expander(f"{words.SKIPPED.of(lang)} ({len(run.skipped)})"):
            st.markdown("\n".join(f"- {say.skipped(one).of(lang)}" for one in run.skipped[:60]))


def _growth(run: Run, other: Source | None, lang: Lang) -> None:
    places: list[Place | None] = list(dict.fromkeys((m.case.backend, m.case.dtype) for m in run.results))
    place = places[0] if places else None
    if len(places) > 1:
        places.append(None)  # all together
        place = st.selectbox(
            words.PLACE.of(lang),
            places,
            format_func=lambda one: (say.place(*one) if one else words.ALL_PLACES).of(lang),
            key=f"measured/place/{len(places)}",
        )
    quantity = st.segmented_control(
        words.QUANTITY.of(lang),
        ("time", "memory"),
        default="time",
        required=True,
        key="measured/quantity",
        format_func=lambda one: (words.TIME if one == "time" else words.MEMORY).of(lang),
    )
    memory, second = quantity == "memory", None if other is None else (other.label.of(lang), other.run)
    for operation in GROWING:
        drawn = growth(run, operation, lang, place=place, memory=memory, other=second)
        if drawn is not None:
            st.markdown(f"**{words.OPERATION[operation].of(lang)}**")
            _chart(drawn, operation, lang)
    st.caption(words.GROWTH_NOTE.of(lang))
    table = slopes(run, lang)
    if not table.empty:
        st.dataframe(table, width="stretch", hide_index=True, placeholder="–", column_config=_columns(lang))
        st.caption(words.SLOPES_NOTE.of(lang))


def _roofline(run: Run, lang: Lang) -> None:
    found = roofs(run)
    if not found:
        st.caption(words.NO_ROOF.of(lang))
        return
    keys = list(found)
    chosen = keys[0]
    if len(keys) > 1:
        chosen = st.selectbox(
            words.PLACE.of(lang),
            keys,
            format_func=lambda key: say.place(*key).of(lang),
            key=f"measured/roof/{len(keys)}",
        )
    _chart(under_roof(run, found[chosen], lang), "roofline", lang)
    st.caption(words.ROOFLINE_NOTE.of(lang))


def _compared(run: Run, other: Source | None, lang: Lang) -> None:
    if other is None:
        st.caption(words.CHOOSE_OTHER.of(lang))
        return
    table = side_by_side(run, other.run, lang)
    if table.empty:
        st.caption(words.NOTHING_COMMON.of(lang))
        return
    st.caption(words.COMPARED_NOTE.of(lang))
    st.dataframe(table, width="stretch", hide_index=True, placeholder="–", column_config=_columns(lang))


def _chart(drawn: Drawn | None, name: str, lang: Lang) -> None:
    if drawn is None:
        st.caption(words.NOT_TIMED.of(lang))
        return
    st.plotly_chart(
        drawn.figure, width="stretch", key=f"measured/chart/{name}", config={"displayModeBar": False}, alt=drawn.alt
    )


def _downloads(run: Run, lang: Lang) -> None:
    stem = f"measured-{run.date[:19].replace(':', '')}"
    stem = "".join(c for c in stem if c.isascii() and (c.isalnum() or c == "-"))
    with st.container(horizontal=True):
        st.download_button(
            words.DOWNLOAD_JSON.of(lang),
            as_json(run),
            f"{stem}.json",
            "application/json",
            on_click="ignore",
            key="measured/json",
        )
        st.download_button(
            words.DOWNLOAD_CSV.of(lang), csv(run), f"{stem}.csv", "text/csv", on_click="ignore", key="measured/csv"
        )


def _columns(lang: Lang) -> dict[str, Any]:
    """Three figures are enough to read; the CSV has all."""
    digits = {
        "median": "%.3f",
        "p10": "%.3f",
        "p90": "%.3f",
        "this": "%.3f",
        "other": "%.3f",
        "noise": "%.0f",
        "share": "%.0f",
        "peak": "%.2f",
        "error": "%.1e",
    }
    digits |= dict.fromkeys(("slope", "last", "operations", "must_move", "moves", "issued", "ratio"), "%.2f")
    return {words.HEADS[name].of(lang): st.column_config.NumberColumn(format=form) for name, form in digits.items()}
