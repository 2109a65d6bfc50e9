"""The least a Streamlit page can be, at the root and at an address of its own: what a lesson's first step is compared
with."""

from __future__ import annotations

import streamlit as st

DEEP = "bare"


def main() -> None:
    st.button("Next")


def deep() -> None:
    main()


if (
    __name__ == "__main__"
):  # Streamlit runs its script by this name; pytest, looking for doctests, imports it by another
    st.navigation([st.Page(main, default=True), st.Page(deep, url_path=DEEP)], position="hidden").run()
