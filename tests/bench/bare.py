"""The least a Streamlit page can be: what a lesson's first step is compared with."""

from __future__ import annotations

import streamlit as st


def main() -> None:
    st.button("Next")


if (
    __name__ == "__main__"
):  # Streamlit runs its script by this name; pytest, looking for doctests, imports it by another
    main()
