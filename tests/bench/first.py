"""From navigation to a usable first step, beside a page with one button.

Both at an address of their own: there Streamlit's client first looks for its server below that address, in vain, and
waits a tenth of a second before it looks at the root. The same page at the root is timed as well."""

from __future__ import annotations

from playwright.sync_api import Browser

from tests.bench.bare import DEEP
from tests.bench.figures import Figure, Section, median
from tests.bench.steps import PROBE
from tests.pages.harness import READY_MS, new_context

ROUNDS = 10
TARGET = 1.25

Opened = tuple[float, float, float]  # milliseconds of the lesson, of the bare page, and of that at the root


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


def opened(browser: Browser, ours: str, bare: str, slug: str, n: int) -> list[Opened]:
    """Lesson and bare pages in turn; the first round warms the servers and is dropped."""
    rounds = [
        (
            usable(browser, ours, f"/{slug}", "watchPlayer"),
            usable(browser, bare, f"/{DEEP}", "watchButton"),
            usable(browser, bare, "/", "watchButton"),
        )
        for _ in range(n + 1)
    ]
    return rounds[1:]


def section(measured: list[Opened]) -> Section:
    ours, bare, root = (median([one[i] for one in measured]) for i in range(3))
    return Section(
        "3  Navigation to a usable first step",
        f"{len(measured)} rounds in turn, fresh browser contexts, warm servers; usable: a click on Next changes the "
        "counter",
        (
            Figure("lesson, median", ours, "ms"),
            Figure("bare page with one button, median", bare, "ms"),
            Figure("ratio of the medians", ours / bare, "", TARGET),
            Figure("median of the rounds' ratios", median([a / b for a, b, _ in measured]), "", TARGET),
            Figure("bare page at the root, median", root, "ms"),
            Figure("ratio to that", ours / root, ""),
        ),
    )
