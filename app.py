"""Entry point: page settings, navigation, language."""

import streamlit as st

from lessons import LESSONS
from pages.shell import memory as memory
from pages.shell import words
from pages.shell.assets import ASSETS, asset
from pages.shell.entry import entered
from pages.shell.language import language, switch

st.set_page_config(page_title=words.APP.en, page_icon=str(ASSETS / "icon.svg"), layout="wide")
lang = language()
page = st.navigation(
    [
        st.Page("pages/home.py", title=words.HOME.of(lang), default=True),
        *(st.Page(f"pages/{lesson.slug}.py", title=lesson.title.of(lang), url_path=lesson.slug) for lesson in LESSONS),
        st.Page("pages/reference.py", title=words.REFERENCE.of(lang), url_path="reference"),
    ],
    position="top",
)
st.html(f"<style>{asset('page.css')}</style>")
switch(lang)
entered()
page.run()
