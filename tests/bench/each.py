"""Every lesson beside the others: what online_softmax is measured for in detail, with fewer repetitions."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser

from lessons.kit.lesson import Lesson
from lessons.online_softmax import LESSON as ONLINE_SOFTMAX
from tests.bench import edits, first, inputs, message, steps
from tests.bench.figures import Figure, Section, median
from tests.pages.harness import Server

ROUNDS, EDITS, WRONG = 6, 8, 4
TARGET = 100.0  # an edit in ms; online_softmax has edits.TARGET

TITLE = "8  Every lesson"
HOW = f"""step: first to last, median over an empty wait; sent: websocket frames a step
  message: of the first thing shown, and the largest of all presets with all mistakes in both languages
  first: navigation to a usable first step, ratio of the medians to the bare page, {ROUNDS} rounds in turn
  edit: a script run, median of {EDITS} with fresh numbers; cpu: its processor time; wrong: with a mistake, {WRONG}
  !: over the target"""


def row(browser: Browser, app: Server, bare: Server, lesson: Lesson[Any, Any]) -> Section:
    """`app` is a server that times its runs (tests.bench.timed)."""
    n = len(lesson.frames(lesson.scenario))
    opened = first.opened(browser, app.url, bare.url, lesson.slug, ROUNDS)
    ours, theirs = (median([one[i] for one in opened]) for i in (0, 1))
    walked = steps.player(browser, app.url, lesson.slug, n - 1)
    choices = inputs.mistakes(lesson)[1:]
    typed = [inputs.fresh(lesson, seed) for seed in range(1 + EDITS)]
    typed += [inputs.fresh(lesson, seed, choices[seed % len(choices)]) for seed in range(WRONG)]
    edited = edits.edits(browser, app, lesson, typed)
    right, wrong = edited[:EDITS], edited[EDITS:]
    target = edits.TARGET if lesson is ONLINE_SOFTMAX else TARGET
    return Section(
        lesson.slug,
        "",
        (
            Figure("steps", n, ""),
            *message.sizes(lesson),
            Figure("first", ours / theirs, "x", first.TARGET),
            Figure("first", ours, "ms"),
            Figure("edit", median([edit.passed for edit in right]), "ms", target),
            Figure("cpu", median([edit.busy for edit in right]), "ms"),
            Figure("wrong", median([edit.passed for edit in wrong]), "ms"),
            Figure("step", median(walked.clicked) - median(walked.empty), "ms", steps.FRAME_MS),
            Figure("sent", walked.frames_per_step, "", 0),
        ),
    )
