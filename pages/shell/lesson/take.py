"""The lesson's program: shown, and as files to take along, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import streamlit as st

from lessons import LESSONS
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from lessons.take import notebook, program
from lessons.workshop.folder import NAME, packed
from pages.shell.site import words

_MAKES: dict[str, Callable[[Lesson[Any, Any], Any, Lang], bytes]] = {
    "py": program.program,
    "ipynb": notebook.notebook,
}


def take(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> None:
    """The listing, a chosen mistake as lines removed and added; its files, and the exercises of all lessons."""
    st.markdown(words.CODE_SAID.of(lang))
    with st.container(horizontal=True):
        for ending, label, mime in (
            ("py", words.TAKE_PROGRAM, program.MIME),
            ("ipynb", words.TAKE_NOTEBOOK, notebook.MIME),
        ):
            st.download_button(
                label.of(lang),
                partial(made, ending, lesson.slug, scenario, lang),
                f"{lesson.slug}.{ending}",
                mime,
                on_click="ignore",
                key=f"{lesson.slug}/take/{ending}",
            )
    st.code(program.code_of(lesson).shown(scenario, lang), language="python", line_numbers=True)
    st.markdown(words.WORKSHOP_SAID.of(lang))
    st.download_button(
        words.WORKSHOP.of(lang),
        partial(packed, lang),
        f"{NAME}.zip",
        "application/zip",
        on_click="ignore",
        key=f"{lesson.slug}/take/zip",
    )


@lru_cache(maxsize=64)
def made(ending: str, slug: str, scenario: Any, lang: Lang) -> bytes:
    """A file of a lesson, by the ending of its name; a pure function of its arguments."""
    lesson = next(lesson for lesson in LESSONS if lesson.slug == slug)
    return _MAKES[ending](lesson, scenario, lang)
