"""Photograph every page in both languages, light and dark, at three widths, into build/shots/<page>/.

python -m tests.pages.shots [page …]          # home, check, sheets, measured, reference, or a lesson's slug; without
one, all of them"""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from lessons import LESSONS
from tests.pages.harness import LOCALES, ROOT, launch, new_context, ready, serve, settled

HOME = "home"
OTHERS = ("check", "sheets", "measured", "reference")
SIZES = {360: 740, 1280: 800, 1920: 1080}
TALLEST = 8000
OUT = ROOT / "build" / "shots"


def main(wanted: list[str]) -> None:
    pages = [HOME, *(lesson.slug for lesson in LESSONS), *OTHERS]
    if unknown := set(wanted) - set(pages):
        sys.exit(f"no such page: {', '.join(sorted(unknown))}; there are: {', '.join(pages)}")
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder) / "streamlit.log") as server,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        for lang, dark, width in itertools.product(LOCALES, (False, True), SIZES):
            shoot_all(browser, server.url, wanted or pages, lang, dark, width)
        browser.close()


def shoot_all(browser: Browser, url: str, pages: list[str], lang: str, dark: bool, width: int) -> None:
    context = new_context(browser, url, lang=lang, width=width, height=SIZES[width], dark=dark, reduced_motion=True)
    page = context.new_page()
    for name in pages:
        page.set_viewport_size({"width": width, "height": SIZES[width]})
        page.goto("/" if name == HOME else f"/{name}")
        if name == HOME or name in OTHERS:
            settled(page)
        else:
            ready(page)
        path = OUT / name / f"{lang}-{'dark' if dark else 'light'}-{width}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        shoot(page, path)
        print(path.relative_to(ROOT))
    context.close()


def shoot(page: Page, path: Path) -> None:
    """The whole page: Streamlit scrolls inside its own box, so the window is made as tall as the content."""
    size = page.viewport_size
    assert size is not None
    tall = page.locator("[data-testid=stMain]").evaluate("box => box.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": min(max(tall, size["height"]), TALLEST)})
    page.wait_for_timeout(400)  # charts redraw themselves after a resize and tell nobody when they are done
    page.screenshot(path=path)


if __name__ == "__main__":
    main(sys.argv[1:])
