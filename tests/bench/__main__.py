"""Time the engine and the player on this machine and print each figure beside its target.

python -m tests.bench [--json FILE]            # about six minutes

Exit status 1 where something could not be measured; a missed target is printed, not punished, for the machine may be
busy."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import streamlit
from playwright.sync_api import Browser, sync_playwright

from lessons import LESSONS
from lessons.decode_cost import LESSON as DECODE_COST
from lessons.kit.lesson import Lesson
from lessons.online_softmax import LESSON
from tests.bench import answers, each, edits, first, inputs, laboratory, message, serving, steps, tracing
from tests.bench.figures import Section, grid, table
from tests.pages.harness import launch, serve

TIMED, NATIVE, BARE = "tests.bench.timed", "tests/bench/native.py", "tests/bench/bare.py"
Measure = Callable[[], tuple[Section, ...]]


def measures(browser: Browser, logs: Path) -> dict[str, Measure]:
    """What to measure, by the title that is printed should it fail. Servers live as long as what needs them."""

    def stepping() -> tuple[Section, ...]:
        with serve(logs / "app.log") as app:
            ours = steps.player(browser, app.url, LESSON.slug)
        with serve(logs / "native.log", NATIVE) as app:
            return steps.section(ours, steps.native(browser, app.url))

    def opening() -> tuple[Section, ...]:
        with serve(logs / "app.log") as app, serve(logs / "bare.log", BARE) as bare:
            return (first.section(first.opened(browser, app.url, bare.url, LESSON.slug, first.ROUNDS)),)

    def editing() -> tuple[Section, ...]:
        fresh = [inputs.fresh(LESSON, seed) for seed in range(1 + edits.EDITS)]
        most = [inputs.worst(seed) for seed in range(1 + edits.EDITS // 2)]
        with serve(logs / "timed.log", module=TIMED) as app:
            usual = edits.edits(browser, app, LESSON, fresh)
            worst = edits.edits(browser, app, LESSON, most)
            longest = edits.edits(
                browser, app, DECODE_COST, [inputs.longest(seed) for seed in range(1 + edits.EDITS // 4)]
            )
        return (edits.section(usual, worst, longest),)

    def answering() -> tuple[Section, ...]:
        with serve(logs / "timed.log", module=TIMED) as app:
            wrong, right = answers.answers(browser, app)
        return (answers.section(wrong, right, answers.sheet()),)

    return {
        "1, 2  A step": stepping,
        "3  Navigation to a usable first step": opening,
        "4  The player's message": lambda: (message.section(),),
        "5  A script run after an edit": editing,
        "6  The engine": lambda: (tracing.section(),),
        "7  The laboratory of kv_reuse": lambda: (laboratory.section(),),
        "9  A check of an answer, and a sheet": answering,
        "10  Many completions through one pool": lambda: (serving.section(),),
    }


def rows(browser: Browser, logs: Path) -> list[Section]:
    """Every lesson's, all of them on the same two servers."""
    with serve(logs / "timed.log", module=TIMED) as app, serve(logs / "bare.log", BARE) as bare:

        def row(lesson: Lesson[Any, Any]) -> tuple[Section, ...]:
            return (each.row(browser, app, bare, lesson),)

        return [found for lesson in LESSONS for found in measured(lesson.slug, partial(row, lesson))]


def measured(title: str, measure: Measure) -> tuple[Section, ...]:
    """Its sections, or why there are none: one failure must not hide the other figures."""
    start = time.monotonic()
    print(f"{title} …", end="", file=sys.stderr, flush=True)
    try:
        return measure()
    except Exception as error:
        return (Section(title, "", failure=f"{type(error).__name__}: {error}"),)
    finally:
        print(f" {time.monotonic() - start:.0f} s", file=sys.stderr)


def machine(browser: Browser) -> str:
    """What it was measured on. The load is that of the last five minutes: this run's own, and whatever else was
    running."""
    return (
        f"{datetime.now().astimezone():%Y-%m-%d %H:%M %Z} · {os.cpu_count()} cores, load {os.getloadavg()[1]:.1f} · "
        f"Python {platform.python_version()} · Streamlit {streamlit.__version__} · Chromium {browser.version}"
    )


def as_json(line: str, sections: list[Section]) -> str:
    found = [
        dataclasses.asdict(section)
        | {"figures": [dataclasses.asdict(figure) | {"met": figure.met} for figure in section.figures]}
        for section in sections
    ]
    return json.dumps({"machine": line, "sections": found}, ensure_ascii=False, indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Time the engine and the player.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    wanted = parser.parse_args().json
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright, whole=True)
        sections = [
            section
            for title, measure in measures(browser, Path(folder)).items()
            for section in measured(title, measure)
        ]
        lessons = rows(browser, Path(folder))
        line = machine(browser)
        browser.close()
    print(f"\n{line}\n\n{table(sections)}\n\n{each.TITLE}\n  {each.HOW}\n{grid(lessons, 'lesson')}\n")
    if wanted is not None:
        wanted.write_text(as_json(line, sections + lessons), encoding="utf-8")
    return int(any(section.failure for section in sections + lessons))


if __name__ == "__main__":
    sys.exit(main())
