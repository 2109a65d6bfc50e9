"""Every page is entered through app.py.

Until st.navigation has been called once in a server's life, Streamlit runs a linked file of pages/ by itself: the
first reader after a start who follows a link to a lesson would get it without navigation and language."""

from __future__ import annotations

import streamlit as st

_ENTERED = "entered"


def entered() -> None:
    """app.py says that it has run in this session."""
    st.session_state[_ENTERED] = True


def through_app(slug: str) -> None:
    """Start again through app.py if this page was run without it."""
    if _ENTERED not in st.session_state:
        pages = [st.Page(_nothing, url_path="home", default=True), st.Page(_nothing, title=slug, url_path=slug)]
        st.navigation(pages, position="hidden")
        st.rerun()


def _nothing() -> None:
    """A page's place in the addresses, until app.py names the real ones."""
