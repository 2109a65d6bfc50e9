"""Which language the reader sees: the address says, else the browser's locale; the switch at the top changes it."""

from __future__ import annotations

from typing import cast

import streamlit as st

from lessons.kit.text import Lang
from pages.shell.site import words
from pages.shell.site.assets import asset, script

_KEY = "lang"
_WIDGET = "language/switch"
_SWITCH = st.components.v2.component("switch", js=script("switch.js"), css=asset("switch.css"))


def language() -> Lang:
    """The reader's language; can be asked before any widget is drawn."""
    asked = st.query_params.get(_KEY)
    if asked not in words.LANGUAGES:
        asked = st.session_state.get(_KEY)
    if asked not in words.LANGUAGES:
        asked = "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
    st.session_state[_KEY] = asked
    return cast(Lang, asked)


def switch(lang: Lang) -> None:
    """The switch itself. The address keeps the choice, also when a page link has dropped the query string."""
    if st.query_params.get(_KEY) not in (lang, None) or (lang == "zh" and _KEY not in st.query_params):
        st.query_params[_KEY] = lang
    options = [{"value": value, "label": label, "lang": html_lang(value)} for value, label in words.LANGUAGES.items()]
    data = {"label": words.LANGUAGE.of(lang), "value": lang, "options": options}
    with st.container(key="language"):
        _SWITCH(key=_WIDGET, data=data, on_choose_change=_chosen)


def _chosen() -> None:
    asked = st.session_state[_WIDGET].get("choose")  # the browser may send anything
    if isinstance(asked, str) and asked in words.LANGUAGES:
        st.session_state[_KEY] = st.query_params[_KEY] = asked


def html_lang(lang: Lang) -> str:
    """The language as HTML names it."""
    return "zh-CN" if lang == "zh" else "en"
