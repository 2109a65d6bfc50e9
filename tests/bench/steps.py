"""What a step costs, in our player and in the same lesson drawn natively: click to painted, and websocket frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain, cycle, islice
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, WebSocket

from tests.bench.figures import Figure, Section, median, p95
from tests.pages.harness import READY_MS, new_context, ready, settled

PROBE = Path(__file__).with_name("probe.js").read_text("utf-8")
STEPS = 64
REST_MS = 280  # longer than the player's transitions: an empty wait must be empty
FRAME_MS = 16.7


@dataclass
class Walk:
    """Waits in milliseconds, one a step, and the websocket frames of all steps together."""

    clicked: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)
    frames: int = 0

    @property
    def frames_per_step(self) -> float:
        return self.frames / len(self.clicked)


def places(n: int, clicks: int) -> list[int]:
    """Of n steps those that are clicked to, from 0 on: to the end, back to the start, and again.

    >>> places(3, 6)
    [1, 2, 1, 0, 1, 2]
    """
    return list(islice(cycle(chain(range(1, n), range(n - 2, -1, -1))), clicks))


def walk(page: Page, part: str, buttons: Callable[[str], Locator], path: list[int], walked: Walk) -> None:
    """Click through the steps with the mouse; before each click the same wait with nothing clicked."""
    page.evaluate("() => { bench.beat() }")
    page.wait_for_timeout(2 * REST_MS)
    at = 0
    before = walked.frames
    for step in path:
        button = buttons("Next" if step > at else "Previous")
        box = button.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(REST_MS)
        walked.empty.append(page.evaluate("bench.empty()"))
        page.evaluate("([part, step]) => { bench.answer = bench.cost(part, step) }", [part, step])
        page.mouse.down()
        page.mouse.up()
        walked.clicked.append(page.evaluate("bench.answer"))
        at = step
    page.wait_for_timeout(2 * REST_MS)  # for what is sent late
    walked.frames -= before  # what came before the first step


def opened(browser: Browser, url: str, walked: Walk) -> Page:
    page = new_context(browser, url).new_page()
    page.add_init_script(PROBE)
    page.set_default_timeout(READY_MS)

    def frame(_: object) -> None:
        walked.frames += 1

    def socket(opened: WebSocket) -> None:
        opened.on("framesent", frame)
        opened.on("framereceived", frame)

    page.on("websocket", socket)
    return page


def count(text: str) -> int:
    """
    >>> count("1 / 13")
    13
    """
    return int(text.split("/")[1])


def player(browser: Browser, url: str, slug: str, clicks: int = STEPS) -> Walk:
    walked = Walk()
    page = opened(browser, url, walked)
    page.goto(f"/{slug}")
    ready(page)
    root = page.get_by_test_id("player")
    root.get_by_test_id("step-counter").scroll_into_view_if_needed()
    n = count(root.get_by_test_id("step-counter").inner_text())
    walk(page, "player", lambda name: root.get_by_role("button", name=name, exact=True), places(n, clicks), walked)
    page.context.close()
    return walked


def native(browser: Browser, url: str) -> Walk:
    walked = Walk()
    page = opened(browser, url, walked)
    page.goto("/")
    page.locator(".gtitle").wait_for()
    settled(page)
    n = count(page.locator(".st-key-counter").inner_text())
    walk(page, "native", lambda name: page.get_by_role("button", name=name, exact=True), places(n, STEPS), walked)
    page.context.close()
    return walked


def cost(name: str, walked: Walk, target: float | None) -> tuple[Figure, ...]:
    """Median and 95th percentile, each over the same quantile of the empty wait."""
    return tuple(
        Figure(
            f"{name}, {which}",
            of(walked.clicked) - of(walked.empty),
            "ms",
            target,
            f"{of(walked.clicked):.1f} ms, less {of(walked.empty):.1f} ms empty",
        )
        for which, of in (("median", median), ("p95", p95))
    )


def section(ours: Walk, theirs: Walk) -> tuple[Section, Section]:
    return (
        Section(
            "1  A step, click to painted",
            f"{STEPS} mouse clicks each, forward and back; less the wait for a frame with nothing clicked",
            (*cost("player", ours, FRAME_MS), *cost("native Streamlit", theirs, None)),
        ),
        Section(
            "2  Websocket frames per step, both ways",
            "counted over the same steps",
            (
                Figure("player", ours.frames_per_step, "", 0),
                Figure("native Streamlit", theirs.frames_per_step, ""),
            ),
        ),
    )
