"""A reader at a lesson's page: what is on it, in either language, and what the engine says should be there."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, urlencode

import numpy as np
from playwright.sync_api import Locator, Page, expect

from engine.online_softmax import AddTile, Check, CompareMax, Divide, ReadTile, Scenario, Shrink, WholeTable
from lessons.kit.format import count, fixed, short, size, vector
from lessons.kit.lesson import Frame, Lesson
from lessons.kit.prose import to_html
from lessons.kit.text import Lang, Text
from lessons.online_softmax import LESSON
from lessons.online_softmax.trace import Saved, Step
from pages.shell.site import words
from tests.conftest import THOROUGH
from tests.pages.harness import settled

WAIT = 15_000
expect.set_options(timeout=WAIT)  # for a machine that has other things to do

LANGS: tuple[Lang, ...] = ("en", "zh")
IN_TURN: tuple[Lang, ...] = LANGS if THOROUGH else ("zh",)  # where what is said comes from data that other tests walk
CHAPTER = LESSON.scenario
SLUG = LESSON.slug

STATE = """root => {
  const svg = root.querySelector("svg[role=img]"), show = id => root.querySelector(`[data-testid=${id}]`);
  const current = root.querySelector("nav [aria-current]");
  return {
    step: Number(root.dataset.step), counter: show("step-counter").innerText, label: svg.ariaLabel,
    svg: svg.innerHTML, said: show("narration").innerText, table: root.querySelector("#table").innerText,
    headline: show("narration").querySelector("h2, h3").innerText, current: current?.textContent,
  };
}"""
SAYS = """([root, html]) => {
  const words = document.createElement("div");
  words.innerHTML = html;
  return root.querySelector("[data-testid=narration]").textContent === words.textContent;
}"""


@dataclass(frozen=True)
class State:
    """What the player shows at one moment."""

    step: int
    counter: str
    label: str
    svg: str
    said: str
    table: str
    headline: str
    current: str


def sluglike(value: object) -> str | None:
    return value.slug if isinstance(value, Lesson) else None


class Player:
    """The n-th player on a page."""

    def __init__(self, page: Page, lang: Lang = "en", n: int = 0) -> None:
        self.page = page
        self.lang = lang
        self.root = page.get_by_test_id("player").nth(n)
        self.narration = self.root.get_by_test_id("narration")
        self.counter = self.root.get_by_test_id("step-counter")
        self.svg = self.root.locator("svg[role=img]")
        self.strip = self.root.get_by_role("navigation").get_by_role("button")
        self.example = self.root.get_by_role("combobox", name=words.EXAMPLE.of(lang), exact=True)
        self.mistake = self.root.get_by_role(
            "combobox", name=Text("Compare with a mistake", "与一种错误比较").of(lang), exact=True
        )

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=words.PLAYER[name].of(self.lang), exact=True)

    def state(self) -> State:
        return State(**self.root.evaluate(STATE))

    def is_at(self, step: int) -> None:
        expect(self.root).to_have_attribute("data-step", str(step))

    def shows(self, scenario: Scenario, step: int | None = None) -> None:
        """Wait until the steps are those of the scenario, at this step; then check them."""
        frames = LESSON.frames(scenario)
        here = self.state().step if step is None else step
        self.is_at(here)
        expect(self.counter).to_have_text(f"{here + 1} / {len(frames)}")
        expect(self.svg).to_have_attribute("aria-label", frames[here].scene.label.of(self.lang))
        said = [self.root.element_handle(), html(frames[here], self.lang)]
        self.page.wait_for_function(SAYS, arg=said, timeout=WAIT)
        self.agrees(scenario, frames, here)

    def agrees(self, scenario: Scenario, frames: tuple[Frame, ...], step: int) -> State:
        """The counter, strip, label, sentence and numbers on the page are those of this step."""
        state, frame = self.state(), frames[step]
        assert state.step == step
        assert state.counter == f"{step + 1} / {len(frames)}"
        assert state.label == frame.scene.label.of(self.lang)
        assert state.current.removesuffix("✗") == f"{step + 1} {frame.narration.title.of(self.lang)}"
        moment = list(LESSON.trace(LESSON.without_mistake(scenario)))[step]
        text = f"{state.said}\n{state.table}"
        assert [number for number in numbers(scenario, moment) if number not in text] == []
        return state


def html(frame: Frame, lang: Lang) -> str:
    """What the step says, without the page's own tags."""
    narration = frame.narration
    return to_html(narration.headline.of(lang)).strip() + to_html(narration.text.of(lang))


def numbers(scenario: Scenario, step: Step) -> list[str]:
    """The numbers that a step must tell, as they are written everywhere."""
    match step:
        case WholeTable():
            return [count(len(scenario.scores))]
        case ReadTile(held=held):
            return [short(float(held.m)), fixed(float(held.l)), vector(held.u.tolist())]
        case CompareMax(m_new=m_new, held=held):
            return [short(m_new), fixed(float(held.l))]
        case Shrink(alpha=alpha, after=after):
            return [fixed(alpha), fixed(float(after.l)), vector(after.u.tolist())]
        case AddTile(after=after):
            return [short(float(after.m)), fixed(float(after.l)), vector(after.u.tolist())]
        case Divide(output=output):
            return [vector(output)]
        case Check(plain=plain):
            return [vector(plain), vector(plain_output(scenario))]
        case Saved(plain=moved, tiled=tiled):
            return [size(moved.total, 4), size(tiled.total, 4)]


def plain_output(scenario: Scenario) -> list[float]:
    """The oracle: softmax over all keys at once, in one line of float64."""
    s = np.array(scenario.scores)
    if np.isneginf(s).all():
        return [0.0] * scenario.d
    weights = np.exp(s - s.max())
    output: list[float] = (weights @ np.array(scenario.values) / weights.sum()).tolist()
    return output


def query(scenario: Scenario) -> dict[str, str]:
    """The part of an address that carries these numbers."""
    default = LESSON.form.write(CHAPTER)
    return {name: text for name, text in LESSON.form.write(scenario).items() if text != default[name]}


def link(typed: dict[str, str] | None = None, *, step: int | None = None) -> str:
    """A link to the lesson with these inputs, opening at a step counted from 1."""
    asked = f"?{urlencode(typed, quote_via=quote)}" if typed else ""
    return f"{SLUG}{asked}{'' if step is None else f'#step-{step}'}"


def frames_sent_and_received(page: Page) -> list[str]:
    """A list that grows with every websocket frame of the page, in either direction."""
    seen: list[str] = []
    devtools = page.context.new_cdp_session(page)
    for event in ("webSocketFrameSent", "webSocketFrameReceived"):
        devtools.on(f"Network.{event}", lambda frame, event=event: seen.append(event))
    devtools.send("Network.enable")
    return seen


def open_tab(page: Page, section: Text, lang: Lang) -> Locator:
    """Open a section below the player and wait for its contents."""
    page.get_by_role("tab", name=section.of(lang), exact=True).click()
    panel = page.get_by_role("tabpanel", name=section.of(lang), exact=True)
    panel.locator("[data-testid=stElementContainer]:visible").first.wait_for()
    settled(page)
    return panel


def type_into(page: Page, field: Locator, typed: str) -> None:
    field.fill(typed)
    field.press("Enter")
    settled(page)
