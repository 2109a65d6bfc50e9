"""What a check of an answer costs the server, and a sheet of thirty variants."""

from __future__ import annotations

import time

from playwright.sync_api import Browser, Page

from lessons import LESSONS
from lessons.sheets.files import bound, parts
from lessons.sheets.variants import Chosen, Request
from pages.shell.site import words
from pages.shell.site.assets import asset
from tests.bench import timed
from tests.bench.edits import Edit
from tests.bench.figures import Figure, Section, median
from tests.pages.answers import give
from tests.pages.harness import Server, new_context, ready, settled
from tests.pages.reader import open_tab

SEED, TARGET, SHEET_TARGET = 11, 60.0, 3.0


def answers(browser: Browser, server: Server) -> tuple[list[Edit], list[Edit]]:
    """In each lesson its first typed question: a slip, then the right answer. The run that answers is timed."""
    wrong: list[Edit] = []
    right: list[Edit] = []
    for lesson in LESSONS:
        question = next(q for q in lesson.questions if q.kind == "number")
        drawn = question.draw(SEED)
        page = new_context(browser, server.url).new_page()
        page.goto(f"/{lesson.slug}?question={question.slug}&seed={SEED}")
        ready(page)
        panel = open_tab(page, words.QUIZ, "en")
        give(page, panel, question, next(iter(drawn.slips.values())), "en")  # warms what the first answer imports
        for given, measured in ((tuple(drawn.slips.values())[-1], wrong), (drawn.answer, right)):
            before = len(timed.times(server.log_text()))
            give(page, panel, question, given, "en")
            measured.append(_last(page, server, before))
        page.context.close()
    return wrong, right


def _last(page: Page, server: Server, before: int) -> Edit:
    """The run since `before` that took longest: the others are of fields that were left."""
    page.wait_for_timeout(300)
    settled(page)
    return max((Edit(*run) for run in timed.times(server.log_text())[before:]), key=lambda run: run.busy)


def sheet() -> float:
    """Seconds for all four files of thirty variants of ten questions, in both languages."""
    bank = [Chosen(lesson.slug, lesson.title, question) for lesson in LESSONS for question in lesson.questions]
    request = Request("Sheet", tuple(bank[:: len(bank) // 10][:10]), SEED, 30, ("en", "zh"))
    start = time.perf_counter()
    bound(request, parts(request), asset("sheet.css"))
    return time.perf_counter() - start


def section(wrong: list[Edit], right: list[Edit], seconds: float) -> Section:
    return Section(
        "9  A check of an answer, and a sheet",
        f"one question of each of {len(wrong)} lessons, timed in the server; a sheet: 30 variants × 10 questions, "
        "all files, both languages",
        (
            Figure("a slip, median", median([run.passed for run in wrong]), "ms", TARGET),
            Figure("a slip, largest", max(run.passed for run in wrong), "ms", TARGET),
            Figure("the right answer, median", median([run.passed for run in right]), "ms", TARGET),
            Figure("the right answer, largest", max(run.passed for run in right), "ms", TARGET),
            Figure("a sheet and its key, CSV and Moodle files", seconds, "s", SHEET_TARGET),
        ),
    )
