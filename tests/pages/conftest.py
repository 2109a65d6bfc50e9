"""Fixtures of the browser tests: one app and one browser a session, a fresh browser context a page.

    def test_next_shows_the_second_step(open_page):
        page = open_page("online_softmax", lang="zh", width=360, dark=True)
        ready(page)                                        # from tests.pages.harness import ready

A test fails, whatever it asserts, if a page it opened logged an error, raised one, asked another host than this
machine, or made the server print a traceback.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.pages import harness

# On a deep link Streamlit's client first looks for its server below the page's own address, in vain.
STREAMLIT_PROBE = re.compile(r"/[^/]+/_stcore/(health|host-config)$")
OPENED = pytest.StashKey[list[Page]]()
OpenPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[harness.Server]:
    """The running app: .url, .log_text(), .pid."""
    with harness.serve(tmp_path_factory.mktemp("server") / "streamlit.log") as running:
        yield running
    _no_traceback(running.log_text())


@pytest.fixture(scope="session")
def app_url(server: harness.Server) -> str:
    return server.url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = harness.launch(playwright)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def readers() -> dict[tuple[str, str], BrowserContext]:
    """A reader of each server and language, whose browser has fetched the app before: then a page opens in half the
    time."""
    return {}


# What the last test left in the reader's browser goes before the first page of the next one loads.
FORGET = "if (window === top && !sessionStorage.begun) { localStorage.clear(); sessionStorage.begun = 1; }"


@pytest.fixture
def open_page(
    browser: Browser,
    server: harness.Server,
    readers: dict[tuple[str, str], BrowserContext],
    request: pytest.FixtureRequest,
) -> Iterator[OpenPage]:
    """open_page(path="", *, lang="en" | "zh", width=1280, height=800, dark=False, reduced_motion=True, asks=False,
    alone=False) → Page

    Steps ask first only with `asks`: most tests are about what a step shows. A second page of the same test is
    another reader's: nothing is shared with the first. `alone` keeps what a test does to its browser (clock,
    permissions) from the tests after it."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []
    opened = request.node.stash.setdefault(OPENED, [])
    log_before = len(server.log_text())

    def open_one(
        path: str = "",
        *,
        lang: str = "en",
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        reduced_motion: bool = True,
        asks: bool = False,
        alone: bool = False,
    ) -> Page:
        who = server.url, lang
        context = None if alone or contexts else readers.get(who)
        if context is None:
            context = harness.new_context(browser, server.url, lang=lang)
            if not alone:
                readers.setdefault(who, context)
        contexts.append(context)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            color_scheme="dark" if dark else "light", reduced_motion="reduce" if reduced_motion else "no-preference"
        )
        page.add_init_script(FORGET)
        if not asks:
            page.add_init_script("localStorage.predict ??= 'off'")
        opened.append(page)
        _listen(page, complaints)
        page.goto("/" + path.lstrip("/"))
        harness.settled(page)
        return page

    yield open_one

    for context in contexts:
        if context in readers.values() and not any(map(_fills_the_screen, context.pages)):
            for page in context.pages:
                page.close()
        else:
            context.close()
    for who in [who for who, context in readers.items() if context not in browser.contexts]:
        del readers[who]
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)
    _no_traceback(server.log_text()[log_before:])


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """The home page in English, light, 1280 wide."""
    return open_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test leaves a picture and the HTML of each page it had open, and says where."""
    report = yield
    if report.when == "call" and report.failed:
        pages = item.stash.get(OPENED, [])
        for number, page in enumerate(pages):
            report.sections.append((f"page {number}", _keep(page, item, number)))
    return report


def _fills_the_screen(page: Page) -> bool:
    """Left so, the window would stay so for the next test."""
    return not page.is_closed() and bool(page.evaluate("Boolean(document.fullscreenElement)"))


def _no_traceback(log: str) -> None:
    if "Traceback" in log:
        pytest.fail(f"the server's log:\n{log}", pytrace=False)


def _listen(page: Page, complaints: list[str]) -> None:
    def console(message: ConsoleMessage) -> None:
        source = message.location.get("url", "")
        if message.type == "error" and not STREAMLIT_PROBE.search(source):
            complaints.append(f"console error: {message.text} ({source})")

    def asked(url: str) -> None:
        if harness.is_foreign(url):
            complaints.append(f"asked another host: {url}")

    page.on("console", console)
    page.on("pageerror", lambda error: complaints.append(f"page error: {error}"))
    page.on("request", lambda request: asked(request.url))
    page.on("websocket", lambda socket: asked(socket.url))


def _keep(page: Page, item: pytest.Item, number: int) -> str:
    folder = item.config._tmp_path_factory.mktemp(re.sub(r"\W+", "_", item.name)[:60])  # type: ignore[attr-defined]
    try:
        page.screenshot(path=folder / f"page-{number}.png", full_page=True)
        (folder / f"page-{number}.html").write_text(page.content(), encoding="utf-8")
    except Exception as error:  # a crashed page must not hide why the test failed
        return f"{page.url}\nno picture: {error}"
    return f"{page.url}\n{folder}"
