"""The address carries what is chosen, so that a link or a reload finds the same fields filled."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from engine.measure import BACKENDS, DTYPES, OPERATIONS, QUICK
from pages.shell.measured.desk import Desk
from pages.shell.measured.form import everything

LISTS = {"operations": OPERATIONS, "backends": BACKENDS, "dtypes": DTYPES}
MOST = 600  # characters that a field takes


def follow(here: Desk, query: Mapping[str, str]) -> None:
    """Fill a new desk from an address. What it names and cannot be used is complained of like anything typed."""
    typed = {name: query[name][:MOST] for name in here.typed if name in query}
    here.typed = here.typed | typed
    for name, known in LISTS.items():
        if name in query:
            asked = query[name][:MOST].split(",")
            setattr(here, name, tuple(one for one in known if one in asked))


def query_of(here: Desk) -> dict[str, str]:
    """What differs from the quick preset."""
    plain = everything().write(QUICK)
    typed = {name: text for name, text in here.typed.items() if text != plain[name]}
    return typed | {
        name: ",".join(getattr(here, name)) for name in LISTS if getattr(here, name) != getattr(QUICK, name)
    }


def settle(here: Desk) -> None:
    """The address follows the desk."""
    names = {*LISTS, *here.typed}
    others = {name: text for name, text in st.query_params.items() if name not in names}
    if st.query_params.to_dict() != others | query_of(here):
        st.query_params.from_dict(others | query_of(here))
