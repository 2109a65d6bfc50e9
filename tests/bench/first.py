"""From navigation to a usable first step, beside a page with one button."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.bench.figures import Figure, Section, median
from tests.bench.steps import PROBE
from tests.pages.harness import READY_MS, new_context

PAIRS = 10
TARGET = 1.25

Pair = tuple[float, float]


def usable(browser: Browser, url: str, path: str, watch: str) -> float:
    """Milliseconds in a fresh browser context: empty cache, new session, warm server."""
    context = new_context(browser, url)
    page = context.new_page()
    page.add_init_script(f"{PROBE}; if (window === top) bench.{watch}()")
    page.goto(path, wait_until="commit")
    handle = page.wait_for_function("bench.usable", timeout=READY_MS, polling=100)
    milliseconds: float = handle.json_value()
    context.close()
    return milliseconds


def pairs(browser: Browser, ours: str, bare: str, slug: str, n: int) -> list[Pair]:
    """Lesson and bare page in turn; the first pair warms the servers and is dropped."""
    measured = [
        (usable(browser, ours, f"/{slug}", "watchPlayer"), usable(browser, bare, "/", "watchButton"))
        for _ in range(n + 1)
    ]
    return measured[1:]


def section(measured: list[Pair]) -> Section:
    ours, bare = (median([pair[i] for pair in measured]) for i in (0, 1))
    return Section(
        "3  Navigation to a usable first step",
        f"{len(measured)} pairs in turn, fresh browser contexts, warm servers; usable: a click on Next changes the counter",
        (
            Figure("lesson, median", ours, "ms"),
            Figure("bare page with one button, median", bare, "ms"),
            Figure("ratio of the medians", ours / bare, "", TARGET),
            Figure("median of the pairs' ratios", median([a / b for a, b in measured]), "", TARGET),
        ),
    )
