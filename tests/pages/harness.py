"""A running app and a browser to look at it: for the browser tests, the screenshots and the bench.

Run as a program it says whether this machine has a browser (exit code 0) or not (1).
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
LOCALES = {"en": "en-US", "zh": "zh-CN"}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SHELL = "chromium-headless-shell"  # the same engine without a window around it: a page costs half as much to open
LAUNCH_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {HOST}",  # the app never needs the internet: here it has none
]
START_SECONDS = 60
READY_MS = 30_000


@dataclass(frozen=True)
class Server:
    """One running app. Its log is a file, so that a test can read what was written during the test."""

    url: str
    log: Path
    pid: int

    def log_text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def serve(log: Path, script: str = "app.py", module: str = "streamlit") -> Iterator[Server]:
    """`python -m module run script` on a free port: start it, wait until it is healthy, stop it at the end."""
    for _ in range(3):  # between finding a free port and using it, another process may take it
        port = _free_port()
        url = f"http://{HOST}:{port}"
        with log.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(
                _command(port, script, module), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
            )
        try:
            if _healthy(url, process):
                yield Server(url, log, process.pid)
                return
        finally:
            _stop(process)
    raise RuntimeError(f"{script} did not start; its log:\n{log.read_text(encoding='utf-8', errors='replace')}")


def executable(playwright: Playwright, *, whole: bool = False) -> str | None:
    """The path of a browser on this machine, Playwright's own if there is no other, else None. A `whole` one is what
    readers use."""
    for name in (*BROWSERS, SHELL) if whole else (SHELL, *BROWSERS):
        if path := shutil.which(name):
            return path
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def launch(playwright: Playwright, *, whole: bool = False) -> Browser:
    path = executable(playwright, whole=whole)
    if path is None:
        raise RuntimeError("no browser found; `make browser` installs one")
    return playwright.chromium.launch(executable_path=path, args=LAUNCH_FLAGS)


def new_context(
    browser: Browser,
    url: str,
    *,
    lang: str = "en",
    width: int = 1280,
    height: int = 800,
    dark: bool = False,
    reduced_motion: bool = False,
) -> BrowserContext:
    return browser.new_context(
        base_url=url,
        locale=LOCALES[lang],
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce" if reduced_motion else "no-preference",
    )


def settled(page: Page) -> None:
    """Wait until the script has run to its end, the page shows what it made, and nothing in it will move by itself."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for(timeout=READY_MS)
    page.locator("[data-testid=stStatusWidget]").wait_for(state="detached", timeout=READY_MS)
    page.locator("[data-testid=stSkeleton]").first.wait_for(state="detached", timeout=READY_MS)
    page.locator("[data-testid=player][data-moving]").first.wait_for(state="detached", timeout=READY_MS)


def ready(page: Page) -> None:
    """Wait until the player is there and the script has run to its end."""
    page.locator("[data-testid=player]").wait_for(timeout=READY_MS)
    settled(page)


def is_foreign(url: str) -> bool:
    """
    >>> is_foreign("https://example.org/font.woff2"), is_foreign("ws://127.0.0.1:8501/x"), is_foreign("data:,x")
    (True, False, False)
    """
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname != HOST


def _command(port: int, script: str, module: str) -> list[str]:
    return [
        sys.executable, "-m", module, "run", script,
        "--server.address", HOST, "--server.port", str(port), "--server.headless", "true",
        "--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false",
        "--logger.enableRich", "false",
    ]  # fmt: skip


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _healthy(url: str, process: subprocess.Popen[bytes]) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    give_up = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up and process.poll() is None:
        try:
            with direct.open(f"{url}/_stcore/health", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    with sync_playwright() as found:
        path = executable(found)
    print(path or "no browser found", file=sys.stdout if path else sys.stderr)
    sys.exit(os.EX_OK if path else 1)
