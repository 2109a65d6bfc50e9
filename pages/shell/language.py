"""Which language the reader sees: the address says, else the browser's locale; the switch at the top changes it."""

from __future__ import annotations

from typing import cast

import streamlit as st

from lessons.kit.text import Lang
from pages.shell import words

_KEY = "lang"


def language() -> Lang:
    """The reader's language; can be asked before any widget is drawn."""
    asked = st.query_params.get(_KEY)
    if asked not in words.LANGUAGES:
        asked = st.session_state.get(_KEY)
    if asked not in words.LANGUAGES:
        asked = "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
    st.session_state[_KEY] = asked
    return cast(Lang, asked)


def _switch() -> None:
    st.session_state[_KEY] = st.query_params[_KEY] = st.session_state["lang/switch"]


def switch(lang: Lang) -> None:
    """The switch itself. The address keeps the choice, also when a page link has dropped the query string."""
    if st.query_params.get(_KEY) not in (lang, None) or (lang == "zh" and _KEY not in st.query_params):
        st.query_params[_KEY] = lang
    st.session_state["lang/switch"] = lang
    with st.container(horizontal=True, horizontal_alignment="right", key="language"):
        st.segmented_control(
            words.LANGUAGE.of(lang),
            list(words.LANGUAGES),
            format_func=words.LANGUAGES.__getitem__,
            key="lang/switch",
            on_change=_switch,
            required=True,
            label_visibility="collapsed",
        )
