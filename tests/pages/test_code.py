"""The section "The code": the listing, two files that run, and the exercises."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from engine.online_softmax import Mistake
from lessons.kit.text import Lang
from lessons.online_softmax import LESSON
from lessons.workshop.folder import packed
from pages.shell.site import words
from tests.lessons.test_code import assert_same, code_of, run
from tests.lessons.test_take import run_notebook
from tests.pages.conftest import OpenPage
from tests.pages.reader import link, open_tab


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_code_is_shown_and_both_files_run_with_the_readers_numbers_and_mistake(
    open_page: OpenPage, tmp_path: Path, lang: Lang
) -> None:
    typed = {"tile": "2", "mistake": Mistake.NO_MAX.value}
    scenario = LESSON.form.read(typed, LESSON.scenario)
    page = open_page(link(typed), lang=lang)
    panel = open_tab(page, words.CODE, lang)
    shown = panel.get_by_test_id("stCode")
    expect(shown).to_contain_text("def fold(scores, values, order, tile_size):")
    expect(shown).to_contain_text("p = np.exp(s)")
    files = {}
    for label in (words.TAKE_PROGRAM, words.TAKE_NOTEBOOK):
        with page.expect_download() as download:
            panel.get_by_role("button", name=label.of(lang)).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        files[path.suffix] = path.read_bytes()
    with page.expect_download() as download:
        panel.get_by_role("button", name=words.WORKSHOP.of(lang)).click()
    assert download.value.path().read_bytes() == packed(lang)
    assert_same(run(files[".py"].decode())["result"], code_of(LESSON).result(scenario))
    assert_same(run_notebook(files[".ipynb"])["wrong"], code_of(LESSON).result(scenario))
