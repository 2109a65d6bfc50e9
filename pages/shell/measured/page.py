"""Measured on this machine: choose, estimate, measure in a process of its own, read the results."""

from __future__ import annotations

import os
from dataclasses import replace

import streamlit as st

from engine.measure import DTYPES, OPERATIONS, Settings
from lessons import LESSONS
from lessons.kit.controls import BadInput
from lessons.kit.text import Lang, Text, literal
from pages.shell.measured import link, say, words
from pages.shell.measured.desk import PRESETS, Desk, Stage, desk
from pages.shell.measured.form import form_of
from pages.shell.measured.results import results
from pages.shell.measured.sight import LOOK, backends
from pages.shell.site.entry import through_app
from pages.shell.site.fields import complain, fields
from pages.shell.site.language import language

SLUG = "measured"
POLL = 0.5  # seconds between two looks at what runs
COUNTED_BY = {
    "attention": ("online_softmax", "three_savings"),
    "tiles": ("three_savings",),
    "decode": ("kv_reuse", "decode_cost"),
    "paged": ("block_table", "kv_bytes"),
    "copy": (),
}


def is_off() -> bool:
    """Whether the owner of a public server has switched measuring off."""
    return os.environ.get("MEASURE", "").strip().lower() in ("off", "0", "no", "false")


def measured() -> None:
    """Draw the page for this reader."""
    through_app(SLUG)
    lang = language()
    st.session_state["page"] = SLUG
    st.title(words.TITLE.of(lang), anchor=False)
    st.markdown(words.LEAD.of(lang))
    if is_off():
        st.info(words.OFF.of(lang))
        st.markdown(words.COMMAND.of(lang))
        st.code(words.COMMAND_LINE, language="sh")
        return
    LOOK.begin()
    here, is_new = desk()
    if is_new:
        link.follow(here, st.query_params.to_dict())
    with st.expander(words.COUNTED_IN.of(lang)):
        _explained(lang)
    with st.container(border=True, key="measured-choice"):
        settings = _choice(here, lang)
    if settings is not None:
        link.settle(here)
    _desk(here, settings, lang)
    results(here, lang)


def _explained(lang: Lang) -> None:
    titles = {lesson.slug: lesson.title.of(lang) for lesson in LESSONS}
    lines = []
    for operation, slugs in COUNTED_BY.items():
        links = ("、" if lang == "zh" else ", ").join(
            f"[{titles[slug]}]({slug}?lang={lang})" for slug in slugs if slug in titles
        )
        stop = f" → {links}" if links else ""
        lines.append(f"- **{words.OPERATION[operation].of(lang)}** · {words.EXPLAINED[operation].of(lang)}{stop}")
    st.markdown("\n".join(lines))
    st.markdown(f"{words.COMMAND.of(lang)} `{words.COMMAND_LINE}`")


# What to measure


def _choice(here: Desk, lang: Lang) -> Settings | None:
    """The settings that are chosen, or None with complaints."""
    offered = backends(LOOK.found)
    with st.container():  # of its own: what comes below keeps its place, and an open expander stays open
        _found(lang)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{words.FILL.of(lang)}**", width="content")
        for name in PRESETS:
            if not name.startswith("cuda") or "torch-cuda" in offered:
                st.button(words.PRESET[name].of(lang), on_click=here.fill, args=(name,), key=f"measured/fill/{name}")
    key = f"measured/{here.version}/{lang}"
    here.operations = _pills(
        words.OPERATIONS.of(lang),
        OPERATIONS,
        here.operations,
        f"{key}/operations",
        {n: words.OPERATION[n].of(lang) for n in OPERATIONS},
    )
    one, other = st.columns(2)
    with one:
        named = {n: words.BACKEND[n].of(lang) for n in offered}
        unseen = () if LOOK.found is not None else tuple(b for b in here.backends if b not in offered)  # a link's
        picked = _pills(words.BACKENDS.of(lang), offered, here.backends, f"{key}/backends/{len(offered)}", named)
        here.backends = (*picked, *unseen)
    with other:
        here.dtypes = _pills(words.DTYPES.of(lang), DTYPES, here.dtypes, f"{key}/dtypes", {n: n for n in DTYPES})
    form = form_of(here.operations)
    with st.expander(words.FIELDS.of(lang)):
        here.typed = fields(form, here.typed, key, lang)
    here.complaints, settings = (), None
    try:
        if missing := [words.NOTHING_CHOSEN[n] for n in ("backends", "dtypes") if not getattr(here, n)]:
            raise BadInput(*missing)
        settings = form.read(
            here.typed, replace(here.base, operations=here.operations, backends=here.backends, dtypes=here.dtypes)
        )
    except BadInput as bad:
        here.complaints = bad.complaints
    complain(here.complaints, lang)
    if not here.operations:
        st.caption(words.CEILINGS_ALONE.of(lang))
    return settings


def _pills(
    label: str, options: tuple[str, ...], chosen: tuple[str, ...], key: str, named: dict[str, str]
) -> tuple[str, ...]:
    default = [one for one in options if one in chosen]
    picked = st.pills(
        label, options, selection_mode="multi", default=default, format_func=lambda one: named[one], key=key
    )
    return tuple(one for one in options if one in picked)


def _found(lang: Lang) -> None:
    """What there is. While the server still looks, this part looks again every second."""
    sight = LOOK.found
    if sight is None:
        st.fragment(_looking, run_every=1.0)(lang)
        return
    torch = f"✓ {literal(sight.torch_version)}" if sight.torch_version else _missing(sight.torch_reason, lang)
    gpu = f"✓ {literal(sight.cuda_name)}" if sight.cuda_name else _missing(sight.cuda_reason, lang)
    st.caption(f"NumPy ✓ · PyTorch {torch} · GPU {gpu}")
    if sight.torch_version is None:
        st.caption(words.ADD_TORCH.of(lang))
        st.button(words.LOOK_AGAIN.of(lang), on_click=LOOK.again, key="measured/again")


def _missing(reason: str, lang: Lang) -> str:
    return (Text("✗ (", "✗（") + say.reason(reason) + Text(")", "）")).of(lang)


def _looking(lang: Lang) -> None:
    if LOOK.found is not None:
        st.rerun()
    st.caption(words.LOOKING.of(lang))


# Estimate, wait, measure


def _desk(here: Desk, settings: Settings | None, lang: Lang) -> None:
    if here.stage is not Stage.CHOOSING:
        with st.container(border=True, key="measured-run"):
            st.fragment(_watch, run_every=POLL)(here, lang)
        return
    plan = here.plan if here.plan is not None and settings == here.settings else None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            words.ESTIMATE.of(lang),
            type="secondary" if plan else "primary",
            disabled=settings is None,
            key="measured/estimate",
            on_click=here.begin,
            args=(Stage.ESTIMATING, settings),
        )
        if plan is not None:
            fits = any(not one.refused for one in plan.cases)
            st.button(
                words.MEASURE.of(lang),
                type="primary",
                disabled=not fits,
                key="measured/start",
                on_click=here.begin,
                args=(Stage.MEASURING, settings),
            )
            st.markdown(say.estimate(plan).of(lang) if fits else words.NOTHING_FITS.of(lang), width="content")
        elif here.plan is not None and settings is not None and settings != here.settings:
            st.caption(words.STALE.of(lang), width="content")
    if plan is not None:
        refused = say.refusals(plan)
        absent = [one for one in plan.places if one.reason]
        if refused or absent:
            lines = [say.device(one).of(lang) for one in absent] + [one.of(lang) for one in refused]
            st.warning(
                f"{words.SKIPPED.of(lang)}\n\n"
                + "\n".join(f"- {line}" for line in lines[:12])
                + ("\n- …" if len(lines) > 12 else "")
            )
    if here.note is not None:
        st.info(here.note.of(lang))


def _watch(here: Desk, lang: Lang) -> None:
    """What is waited for, or the progress. Drawn again every half second; whoever leaves the page stops that, and the
    run ends."""
    here.poll()
    if here.stage is Stage.CHOOSING:
        st.rerun()
    measuring = here.stage is Stage.MEASURING
    if here.running is None:
        before, left = here.ahead()
        st.markdown(say.waiting(before, left).of(lang) if measuring else words.ESTIMATING.of(lang))
    elif not measuring or here.progress is None:
        st.progress(0.0, (words.STARTING if measuring else words.ESTIMATING).of(lang))
    else:
        now = here.progress
        st.progress(min(1.0, now.elapsed / max(0.1, now.elapsed + now.left)), say.progress(now).of(lang))
    with st.container(horizontal=True, vertical_alignment="center"):
        label = words.STOP_WAITING if here.running is None else words.CANCEL
        st.button(label.of(lang), on_click=here.cancel, key="measured/cancel")
        if measuring:
            st.caption(words.LEAVE_ENDS.of(lang), width="content")
