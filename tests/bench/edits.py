"""An edit's cost to the server: one script run after the inputs have changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from lessons.kit.lesson import Lesson
from pages.shell.site import words
from tests.bench import inputs, timed
from tests.bench.figures import Figure, Section, median, p95
from tests.pages.harness import Server, new_context, ready, settled

EDITS = 20
TARGET = 60.0
GO = """query => {
  history.pushState({}, "", `${location.pathname}?${query}`);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""


@dataclass(frozen=True)
class Edit:
    """Milliseconds of the run that answered: passed, and those its thread had the processor."""

    passed: float
    busy: float


def edit(page: Page, server: Server, query: str) -> Edit:
    """New inputs arrive in the address, as with the browser's back button."""
    before = len(timed.times(server.log_text()))
    page.evaluate(GO, query)
    for _ in range(200):
        page.wait_for_timeout(50)
        if len(timed.times(server.log_text())) > before:
            break
    else:
        raise RuntimeError("an edit was not answered by a script run")
    page.wait_for_timeout(250)  # for the browser to have drawn it, and for a second run if there is one
    runs = timed.times(server.log_text())[before:]
    return Edit(sum(passed for passed, _ in runs), sum(busy for _, busy in runs))


def edits(browser: Browser, server: Server, lesson: Lesson[Any, Any], scenarios: Sequence[Any]) -> list[Edit]:
    """In one session, with the fields open. The first scenario warms the code and is dropped; no run has seen the
    others."""
    page = new_context(browser, server.url).new_page()
    page.goto(f"/{lesson.slug}")
    ready(page)
    page.get_by_role("tab", name=words.CHANGE.en, exact=True).click()
    page.get_by_role("tabpanel").get_by_role("textbox").first.wait_for()
    settled(page)
    measured = [edit(page, server, inputs.query(lesson, scenario)) for scenario in scenarios]
    page.context.close()
    return measured[1:]


def section(usual: list[Edit], worst: list[Edit], longest: list[Edit]) -> Section:
    return Section(
        "5  A script run after an edit",
        f"timed in the server around Streamlit's own run; {len(usual)} edits in one session, fresh numbers, fields "
        "open",
        (
            Figure("lesson's own size, median", median([edit.passed for edit in usual]), "ms", TARGET),
            Figure("lesson's own size, p95", p95([edit.passed for edit in usual]), "ms", TARGET),
            Figure("processor time of the same, median", median([edit.busy for edit in usual]), "ms"),
            Figure(
                "16 keys × 4 values, a mistake, median",
                median([edit.passed for edit in worst]),
                "ms",
                note=f"{len(worst)} edits",
            ),
            Figure("processor time of the same, median", median([edit.busy for edit in worst]), "ms"),
            Figure(
                "decode_cost, as many positions as it runs, median",
                median([edit.passed for edit in longest]),
                "ms",
                note=f"{len(longest)} edits",
            ),
        ),
    )
