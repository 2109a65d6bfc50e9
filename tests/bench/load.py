"""Many readers at once, modestly: a few browser contexts on this machine, all doing the same thing at the same moment.

python -m tests.bench.load [READERS]           # 8 unless said, at most 20; about a minute

Each reader opens the lesson, steps through it, and edits the inputs. The browser and the server share the processors
here, so the times are an upper bound: with readers on their own machines the server has more of them."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from lessons.online_softmax import LESSON
from tests.bench import edits, inputs, timed
from tests.bench.figures import Figure, Section, median, p95, table
from tests.bench.steps import PROBE, count
from tests.pages.harness import READY_MS, Server, launch, new_context, ready, serve

READERS, MOST = 8, 20
EDITS = 5


def opened(browser: Browser, server: Server, n: int) -> list[Page]:
    """All of them on their way before the first has arrived."""
    pages = [new_context(browser, server.url).new_page() for _ in range(n)]
    for page in pages:
        page.set_default_timeout(2 * READY_MS)
        page.add_init_script(f"{PROBE}; if (window === top) bench.watchPlayer()")
        page.goto("/online_softmax", wait_until="commit")
    return pages


def usable(page: Page) -> float:
    milliseconds: float = page.wait_for_function("bench.usable", polling=100).json_value()
    return milliseconds


def step_through(page: Page) -> None:
    """To the last step; not one frame of it reaches the server."""
    root = page.get_by_test_id("player")
    n = count(root.get_by_test_id("step-counter").inner_text())
    for _ in range(n - 1):
        root.get_by_role("button", name="Next", exact=True).click()
    if root.get_attribute("data-step") != str(n - 1):
        raise RuntimeError(f"a reader did not arrive at step {n}")


def edit_at_once(pages: list[Page], server: Server, seed: int) -> list[tuple[float, float]]:
    """All readers edit, each with numbers of its own; the server's runs that answer."""
    before = len(timed.times(server.log_text()))
    for i, page in enumerate(pages):
        page.evaluate(edits.GO, inputs.query(LESSON, inputs.fresh(LESSON, seed * MOST + i)))
    for _ in range(400):
        if len(timed.times(server.log_text())) >= before + len(pages):
            break
        pages[0].wait_for_timeout(50)
    for page in pages:
        ready(page)
    return timed.times(server.log_text())[before:]


def resident(pid: int) -> float:
    """Megabytes the server holds in memory (Linux only, else 0)."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1e3 for line in lines if line.startswith("VmRSS:")), 0.0)


def measure(browser: Browser, server: Server, n: int) -> Section:
    opened(browser, server, 1)[0].context.close()
    alone = resident(server.pid)
    pages = opened(browser, server, n)
    arrived = [usable(page) for page in pages]
    for page in pages:
        ready(page)
        step_through(page)
    runs = [run for seed in range(EDITS) for run in edit_at_once(pages, server, seed)]
    if "Traceback" in server.log_text():
        raise RuntimeError(f"the server's log:\n{server.log_text()}")
    return Section(
        f"{n} readers at once",
        f"each opens the lesson, steps to its end, then edits {EDITS} times, all at the same moment; no errors in "
        "the server's log",
        (
            Figure("navigation to usable, median", median(arrived), "ms"),
            Figure("navigation to usable, slowest", max(arrived), "ms"),
            Figure("script run after an edit, median", median([passed for passed, _ in runs]), "ms"),
            Figure("script run after an edit, p95", p95([passed for passed, _ in runs]), "ms"),
            Figure("its processor time, median", median([busy for _, busy in runs]), "ms"),
            Figure("server's memory at the start", alone, "MB"),
            Figure("server's memory at the end", resident(server.pid), "MB"),
        ),
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.load", description="Many readers at once, on this machine."
    )
    parser.add_argument("readers", nargs="?", type=int, default=READERS, choices=range(1, MOST + 1), metavar="READERS")
    n = parser.parse_args().readers
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder) / "timed.log", module="tests.bench.timed") as server,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright, whole=True)
        print(table([measure(browser, server, n)]))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
