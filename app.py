"""Entry point: page settings, navigation, language."""

import streamlit as st

from lessons import LESSONS
from pages.shell.measured.page import is_off
from pages.shell.measured.words import TITLE as MEASURED
from pages.shell.sheets import words as sheets_words
from pages.shell.site import memory as memory
from pages.shell.site import words
from pages.shell.site.assets import ASSETS, asset
from pages.shell.site.entry import entered
from pages.shell.site.language import language, switch

st.set_page_config(page_title=words.APP.en, page_icon=str(ASSETS / "icon.svg"), layout="wide")
lang = language()
home = st.Page("pages/home.py", title=words.HOME.of(lang), default=True)
check = st.Page("pages/check.py", title=words.QUIZ.of(lang), url_path="check")
lessons = [
    st.Page(f"pages/{lesson.slug}.py", title=f"{n}. {lesson.title.of(lang)}", url_path=lesson.slug)
    for n, lesson in enumerate(LESSONS, 1)
]
more = [
    st.Page("pages/sheets.py", title=sheets_words.SHEETS.of(lang), url_path="sheets"),
    st.Page(
        "pages/measured.py",
        title=MEASURED.of(lang),
        url_path="measured",
        visibility="hidden" if is_off() else "visible",
    ),
    st.Page("pages/reference.py", title=words.REFERENCE.of(lang), url_path="reference"),
]
page = st.navigation({"": [home, check], words.LESSONS.of(lang): lessons, words.MORE.of(lang): more}, position="top")
st.html(f"<style>{asset('page.css')}</style>")
switch(lang)
entered()
page.run()
