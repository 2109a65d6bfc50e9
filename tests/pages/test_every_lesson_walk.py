"""Every lesson as a reader meets it: each example there and back, each section opened, each question answered, each
field spoilt."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons import LESSONS
from lessons.kit.controls import Choice, Control, Line, OptionalWhole, Real, Whole
from lessons.kit.key_table import KeyTable
from lessons.kit.lesson import Frame, Lesson
from lessons.kit.text import Lang
from pages.shell.site import words
from tests.conftest import THOROUGH
from tests.pages.answers import give, show_the_way
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled
from tests.pages.reader import LANGS, WAIT, Player, html, open_tab, sluglike

AnyLesson = Lesson[Any, Any]

MOST_NAMED = 6  # fields that the box of complaints names at most
TAKEN_IN_TURN = list(zip(LESSONS, itertools.cycle(LANGS), strict=False))
BOTH = list(itertools.product(LESSONS, LANGS))
AND_SOME_IN_THE_OTHER = [pair for i, pair in enumerate(BOTH) if pair in TAKEN_IN_TURN or i // len(LANGS) % 3 == 0]
BOXES = "[data-testid=stAlert], [data-testid=stException]"

# The player itself notes every step it comes to, so that keys may follow each other at once.
WATCH = """root => {
  const show = id => root.querySelector(`[data-testid=${id}]`), svg = root.querySelector("svg[role=img]");
  const note = () => root.seen.push({
    step: Number(root.dataset.step), counter: show("step-counter").textContent, label: svg.ariaLabel,
    current: root.querySelector("nav [aria-current]")?.textContent, said: show("narration").textContent, svg:
    svg.innerHTML,
  });
  root.seen = [];
  root.watch?.disconnect();
  root.watch = new MutationObserver(note);
  root.watch.observe(root, { attributeFilter: ["data-step"] });
  note();
}"""
SEEN = """root => {
  const pictures = root.seen.map(({ svg }) => svg), last = pictures.length - 1;
  return {
    states: root.seen.map(({ svg, ...state }) => state),
    empty: [...pictures.keys()].filter(i => !pictures[i]),
    other: [...pictures.keys()].filter(i => pictures[i] !== pictures[last - i]),
    wrong: [...pictures.keys()].filter(i => pictures[i].includes("role-wrong")),
  };
}"""
CLICK = """async (root, [name, times]) => {
  const button = root.querySelector(`[data-do=${name}]`);
  for (; times > 0; times -= 1) {
    button.click();
    await null; // the player's note of this step is written now
  }
}"""
READ_ALOUD = """texts => texts.map(html => {
  const words = document.createElement("div");
  words.innerHTML = html;
  return words.textContent;
})"""
ARRIVED = """([root, query, strip, said]) => {
  const address = Object.fromEntries(new URLSearchParams(location.search));
  delete address.lang;
  return JSON.stringify(Object.entries(address).sort()) === JSON.stringify(query)
    && JSON.stringify([...root.querySelectorAll("nav button")].map(item => item.textContent)) === JSON.stringify(strip)
    && root.querySelector("[data-testid=narration]").textContent === said[root.dataset.step];
}"""
FIELDS = """panel => {
  const label = field => field.querySelector("[data-testid=stWidgetLabel] p").textContent;
  const fields = panel.querySelectorAll("[data-testid=stTextInput], [data-testid=stSelectbox]");
  return [...fields].map(field => [label(field), field.querySelector("input").value]);
}"""


class Walker(Player):
    """A reader who knows, from the lesson, what every step should show."""

    def __init__(self, page: Page, lesson: AnyLesson, lang: Lang) -> None:
        super().__init__(page, lang)
        self.lesson = lesson
        self.slip = next(c for c in lesson.player_choices if c.name == "mistake")
        self.slips = self.root.get_by_role("combobox", name=self.slip.label.of(lang), exact=True)

    def arrives(self, scenario: Any) -> tuple[Frame, ...]:
        """Wait until the steps are those of the scenario and the address says so; nothing complains."""
        form, frames = self.lesson.form, self.lesson.frames(scenario)
        default = form.write(self.lesson.scenario)
        query = sorted([name, text] for name, text in form.write(scenario).items() if text != default[name])
        arrived = [self.root.element_handle(), query, self.strip_of(frames), self.said_of(frames)]
        self.page.wait_for_function(ARRIVED, arg=arrived, timeout=WAIT, polling=50)
        settled(self.page)
        expect(self.page.locator(BOXES)).to_have_count(0)
        return frames

    def walks(self, frames: tuple[Frame, ...], *, by_hand: bool = False) -> list[int]:
        """Go to the last step and back to the first; the steps at which something wrong is drawn.

        By hand: with the mouse there and with the keys back; else by clicks as fast as the browser takes them.
        """
        press, steps = self.page.keyboard.press, len(frames) - 1
        self.root.focus()
        press("Home")
        self.is_at(0)
        self.root.evaluate(WATCH)
        if by_hand:
            for _ in range(steps):
                self.button("next").click()
        else:
            self.root.evaluate(CLICK, ["next", steps])
        expect(self.button("next")).to_be_disabled()
        press("ArrowRight")  # there is no step after the last
        if by_hand:
            for _ in range(steps):
                press("ArrowLeft")
        else:
            self.root.evaluate(CLICK, ["previous", steps])
        expect(self.button("previous")).to_be_disabled()

        seen = self.root.evaluate(SEEN)
        strip, said = self.strip_of(frames), self.said_of(frames)
        there = [
            {
                "step": i,
                "counter": f"{i + 1} / {len(frames)}",
                "label": frame.scene.label.of(self.lang),
                "current": strip[i],
                "said": said[i],
            }
            for i, frame in enumerate(frames)
        ]
        assert seen["states"] == [*there, *there[-2::-1]]
        assert [state for state in there if not str(state["said"]).strip() or not str(state["label"]).strip()] == []
        assert [text for text in said if "**" in text] == []  # emphasis that Markdown did not take for one
        assert seen["empty"] == []
        assert seen["other"] == []  # on the way back each step looks as it did on the way there
        return [i for i in seen["wrong"] if i < len(frames)]

    def strip_of(self, frames: tuple[Frame, ...]) -> list[str]:
        parting = first_parting(frames)
        titles = (frame.narration.title.of(self.lang) for frame in frames)
        return [f"{i + 1} {title}{'✗' * (i == parting)}" for i, title in enumerate(titles)]

    def said_of(self, frames: tuple[Frame, ...]) -> list[str]:
        texts: list[str] = self.page.evaluate(READ_ALOUD, [html(frame, self.lang) for frame in frames])
        return texts


def first_parting(frames: tuple[Frame, ...]) -> int | None:
    return next((i for i, frame in enumerate(frames) if frame.scene.parts), None)


@pytest.mark.parametrize(("lesson", "lang"), BOTH if THOROUGH else AND_SOME_IN_THE_OTHER, ids=sluglike)
def test_each_example_walks_to_its_end_and_back_and_the_first_mistake_parts_from_the_right_way(
    open_page: OpenPage, lesson: AnyLesson, lang: Lang
) -> None:
    page = open_page(lesson.slug, lang=lang)
    walker = Walker(page, lesson, lang)
    walker.is_at(0)
    walker.walks(walker.arrives(lesson.scenario), by_hand=lang == "en")

    mistake = walker.slip.options[1][0]
    walker.slips.select_option(mistake)
    wrong = lesson.form.read({"mistake": mistake}, lesson.scenario)
    frames = walker.arrives(wrong)
    spoilt = walker.walks(frames)
    parting = first_parting(frames)
    assert parting is not None
    assert spoilt[:1] == [parting]
    walker.slips.select_option(walker.slip.options[0][0])
    walker.arrives(lesson.scenario)

    for preset in lesson.presets:
        if preset.scenario != lesson.scenario:
            walker.example.select_option(label=preset.title.of(lang))
            assert walker.walks(walker.arrives(preset.scenario)) == []
            expect(walker.example).to_have_value(preset.slug)


@pytest.mark.parametrize(("lesson", "lang"), TAKEN_IN_TURN, ids=sluglike)
def test_each_section_opens_on_what_the_lesson_declares_and_a_right_answer_is_known(
    open_page: OpenPage, lesson: AnyLesson, lang: Lang
) -> None:
    page = open_page(lesson.slug, lang=lang)
    Player(page, lang).is_at(0)
    reading = page.get_by_role("tabpanel", name=words.READ.of(lang), exact=True)
    for head in (words.WHY, words.HOW, words.LIMITS, words.CHECK, words.FOLLOW_UPS, words.SOURCES):
        expect(reading.get_by_role("heading", name=head.of(lang), exact=True)).to_be_visible()

    changing = open_tab(page, words.CHANGE, lang)
    in_the_form = [control for control in lesson.form.controls if control not in lesson.player_choices]
    assert sorted(changing.evaluate(FIELDS)) == sorted(fields_of(lesson, in_the_form, lang))
    tables = [control for control in in_the_form if isinstance(control, KeyTable)]
    expect(changing.get_by_test_id("stDataFrame")).to_have_count(len(tables))

    exploring = open_tab(page, words.EXPLORE, lang)
    expect(page.locator(".js-plotly-plot")).to_have_count(len(lesson.charts))
    for chart in lesson.charts:
        expect(exploring.get_by_role("heading", name=chart.title.of(lang), exact=True)).to_be_visible()
        expect(exploring.get_by_role("figure", name=chart.alt(lesson.scenario).of(lang), exact=True)).to_be_visible()

    listing = open_tab(page, words.TABLE, lang)
    rows = len(lesson.table(lesson.scenario, lang))
    expect(listing.locator("table[role=grid]")).to_have_attribute("aria-rowcount", str(rows + 1))
    expect(listing.get_by_test_id("stDownloadButton")).to_be_visible()

    a_right_answer_is_known(page, lesson, lang)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def fields_of(lesson: AnyLesson, controls: list[Control], lang: Lang) -> Iterator[list[str]]:
    """What stands in each field: its label and the text that means the lesson's own number."""
    typed = lesson.form.write(lesson.scenario)
    for control in controls:
        match control:
            case Choice():
                yield [control.label.of(lang), dict(control.options)[typed[control.name]].of(lang)]
            case KeyTable():
                pass
            case _:
                yield [control.label.of(lang), typed[control.name]]


def a_right_answer_is_known(page: Page, lesson: AnyLesson, lang: Lang) -> None:
    """The first question's; every kind of question is answered in test_replies.py."""
    panel = open_tab(page, words.QUIZ, lang)
    question = lesson.questions[0]
    give(page, panel, question, question.answer(question.inputs), lang)
    expect(panel.get_by_test_id("stAlert")).to_contain_text(f"✓ {words.RIGHT.of(lang)} {words.EXACTLY.of(lang)}")
    show_the_way(page, panel, lang)
    way = Player(page, lang, n=1)
    assert question.way is not None
    frames = lesson.frames(question.way(question.inputs))
    expect(way.counter).to_have_text(f"1 / {len(frames)}")
    expect(way.svg).to_have_attribute("aria-label", frames[0].scene.label.of(lang))


@pytest.mark.parametrize(("lesson", "lang"), TAKEN_IN_TURN, ids=sluglike)
def test_a_link_that_spoils_a_field_is_told_so_by_the_fields_name_and_the_lesson_can_still_be_stepped(
    open_page: OpenPage, lesson: AnyLesson, lang: Lang
) -> None:
    frames = lesson.frames(lesson.scenario)
    page = None
    for controls, said in zip(named_together(lesson), itertools.cycle((lang, other(lang))), strict=False):
        typed = {control.name: nonsense(control, i) for i, control in enumerate(controls)}
        address = f"{lesson.slug}?{urlencode(typed | {'lang': said}, quote_via=quote)}"
        if page is None:
            page = open_page(address)
        else:
            page.goto(f"/{address}")
        player = Player(page, said)
        expect(player.counter).to_have_text(f"1 / {len(frames)}")
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text(words.instead(words.BELOW).of(said))
        assert named(alert) == [control.label.of(said) for control in controls]
        expect(player.svg).to_have_attribute("aria-label", frames[0].scene.label.of(said))
        player.button("next").click()
        expect(player.svg).to_have_attribute("aria-label", frames[1].scene.label.of(said))
        expect(page.get_by_test_id("stException")).to_have_count(0)


def other(lang: Lang) -> Lang:
    return "en" if lang == "zh" else "zh"


def named_together(lesson: AnyLesson) -> list[list[Control]]:
    """All controls of the form, in groups of as many as are named at once; lines are read once all else can be."""
    lines: list[Control] = [control for control in lesson.form.controls if isinstance(control, Line)]
    others = [control for control in lesson.form.controls if control not in lines]
    return [some[i : i + MOST_NAMED] for some in (others, lines) for i in range(0, len(some), MOST_NAMED)]


def nonsense(control: Control, i: int) -> str:
    """What no such control takes: by turns past its bounds and no number at all."""
    match control:
        case Whole(low=low, high=high) | OptionalWhole(low=low, high=high):
            return (str(high + 1), str(low - 1), "<b>1", "1.5")[i % 4]
        case Real(high=high):
            return (str(high * 2), "-1", "nan")[i % 3]
        case KeyTable():
            return "A,letters,1"
        case Line():
            return "?!"
        case _:
            return "<i>none of these"


def named(alert: Locator) -> list[str]:
    """The name with which each complaint begins."""
    names: list[str] = alert.get_by_role("listitem").evaluate_all(
        "items => items.map(item => item.querySelector('strong')?.textContent ?? item.textContent)"
    )
    return names
