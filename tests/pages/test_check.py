"""Check yourself over the lessons: the same link is the same set, slips are counted, and progress stays in the
browser."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from lessons.kit.question import Question
from lessons.kit.text import Lang
from lessons.practice.practice import Deal, Item, dealt, place, write_deal
from lessons.practice.progress import MOST_CHARACTERS, Answered
from pages.shell.check import words
from pages.shell.check.page import BANK, BY_SLUG, QUESTIONS
from pages.shell.site import words as frame
from pages.shell.site import words as site
from tests.pages.conftest import OpenPage
from tests.pages.harness import settled
from tests.pages.reader import IN_TURN, open_tab, type_into

STORED = "attention-progress-1"
TYPED = [name for name, question in QUESTIONS.items() if question.kind in ("number", "vector")]
XSS = "<img src=x onerror=alert(1)>"


def a_set(*questions: str, size: int = 5, seed: int = 71) -> tuple[str, tuple[Item, ...]]:
    """A set that begins with these questions: its address, and what it asks."""
    deal = Deal(seed, size, tuple(BANK), questions)
    query = "&".join(f"{name}={value.replace(' ', '+')}" for name, value in write_deal(deal, BANK).items())
    return f"check?{query}", dealt(deal, BANK)


class Set:
    """A reader in the middle of a set."""

    def __init__(self, page: Page, items: tuple[Item, ...], lang: Lang = "en") -> None:
        self.page, self.items, self.lang = page, items, lang

    def is_at(self, i: int) -> Question[Any]:
        """Wait until the i-th question, from 0, is asked with its numbers."""
        question = QUESTIONS[self.items[i].question]
        card = self.page.locator(f"[class*=st-key-check-{i}-]").first
        expect(card).to_contain_text(question.title.of(self.lang))
        settled(self.page)
        return question

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name=frame.ANSWER.of(self.lang))

    def button(self, text: Any) -> Locator:
        return self.page.get_by_role("button", name=text.of(self.lang), exact=True)

    def answer(self, i: int, slip: str | None = None) -> Question[Any]:
        """Give the right answer, or a slip's, by Enter; the slip is named."""
        question = self.is_at(i)
        instance = question.draw(self.items[i].seed)
        given = instance.answer if slip is None else instance.slips[slip]
        type_into(self.page, self.field, ", ".join(f"{x:.12g}" for x in given))
        title = frame.RIGHT if slip is None else next(s.title for s in question.slips if s.name == slip)
        expect(self.page.get_by_test_id("stAlert")).to_contain_text(title.of(self.lang))
        settled(self.page)
        return question

    def go(self, text: Any) -> None:
        self.button(text).click()
        self.page.wait_for_timeout(100)
        settled(self.page)


def stored(page: Page) -> list[dict[str, Any]]:
    text = page.evaluate("name => localStorage.getItem(name)", STORED)
    return [] if text is None else json.loads(text)["answers"]


def first_slip(name: str, seed: int) -> str:
    """A slip that can be typed."""
    slips = QUESTIONS[name].draw(seed).slips
    return next(slip for slip, answer in slips.items() if all(abs(x) < 1e15 for x in answer))


def kept(*answers: Answered) -> str:
    return json.dumps({"schema": "attention-progress", "version": 1, "answers": [asdict(answer) for answer in answers]})


def missed(name: str, at: str, n: int = 1) -> Answered:
    return Answered(f"aaaaaaaa{n:04}", at, name, 3, False, 0, ())


def arrived(page: Page) -> None:
    """Wait until the server knows what the browser has."""
    page.wait_for_function("() => globalThis.attentionProgress?.arrived")
    page.wait_for_timeout(300)
    settled(page)


@pytest.mark.parametrize("lang", IN_TURN)
def test_a_set_is_answered_by_keyboard_and_ends_with_its_slips_and_the_steps_that_show_them(
    open_page: OpenPage, lang: Lang
) -> None:
    name = "kv_bytes.total"
    link, items = a_set(name)
    page = open_page(f"{link}&lang={lang}", lang=lang)
    arrived(page)
    reader = Set(page, items, lang)
    slip = first_slip(name, items[0].seed)
    reader.answer(0, slip)
    expect(reader.button(words.AGAIN)).to_be_visible()
    (answer,) = stored(page)
    assert (answer["question"], answer["seed"], answer["right"], answer["slips"]) == (
        name,
        items[0].seed,
        False,
        [slip],
    )
    reader.go(site.NEXT)
    for i in range(1, 5):
        reader.is_at(i)
        reader.go(words.SKIP)
    expect(page.get_by_text(words.score(0, 5).of(lang))).to_be_visible()
    rows = page.locator("table").first.locator("tbody tr")
    results = [row.locator("td").last.inner_text() for row in rows.all()]
    assert results == [
        words.OUTCOMES[x].of(lang) for x in (next(o for o in words.OUTCOMES if o and o.value == "missed"), *[None] * 4)
    ]

    question = QUESTIONS[name]
    _, step = place(BY_SLUG["kv_bytes"], question, slip, question.draw(items[0].seed).inputs)
    assert step is not None
    see = page.get_by_role("link", name=re.compile(rf"{step}( 步)?$"))
    with page.context.expect_page() as opened:
        see.click()
    lesson = opened.value
    lesson.get_by_test_id("player").wait_for()
    expect(lesson.get_by_test_id("player")).to_have_attribute("data-step", str(step - 1))
    expect(lesson.locator("h1")).to_have_text(BY_SLUG["kv_bytes"].title.of(lang))


def test_the_focus_goes_to_each_new_questions_field_and_enter_submits(open_page: OpenPage) -> None:
    link, items = a_set(*TYPED[:3])
    page = open_page(link)
    arrived(page)
    reader = Set(page, items)
    reader.is_at(0)
    for i in (1, 2):
        reader.go(words.SKIP)
        question = reader.is_at(i)
        expect(reader.field).to_be_focused()
    page.keyboard.type(", ".join(f"{x:.12g}" for x in question.draw(items[2].seed).answer))
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stAlert")).to_contain_text(frame.RIGHT.en)


def test_one_answer_costs_one_message_and_the_same_answer_given_again_counts_once(open_page: OpenPage) -> None:
    link, items = a_set(*TYPED[:1])
    page = open_page()
    sent: list[Any] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda payload: sent.append(payload))

    page.on("websocket", listen)
    page.goto("/" + link)
    settled(page)
    arrived(page)
    reader = Set(page, items)
    reader.is_at(0)
    before = len(sent)
    reader.answer(0, first_slip(items[0].question, items[0].seed))
    page.wait_for_timeout(1000)
    assert len(sent) == before + 1
    page.get_by_role("button", name=frame.SUBMIT.en, exact=True).click()
    settled(page)
    page.wait_for_timeout(300)
    assert len(stored(page)) == 1


def test_help_fades_an_example_first_then_the_last_line_blank_then_nothing(open_page: OpenPage) -> None:
    name = next(name for name in TYPED if QUESTIONS[name].lines(QUESTIONS[name].inputs))
    link, items = a_set(name)
    page = open_page(link)
    arrived(page)
    reader = Set(page, items)
    reader.is_at(0)
    offered = [page.get_by_text(text.en, exact=True) for text in (words.EXAMPLE, words.LAST_LINE)]
    seen = []
    for _ in range(3):
        settled(page)
        seen.append([offer.count() for offer in offered])
        expect(page.get_by_role("button", name=frame.HINT.en, exact=True)).to_be_visible()
        type_into(page, reader.field, "123456789")
        expect(page.get_by_test_id("stAlert")).to_be_visible()
        settled(page)
        assert [offer.count() for offer in offered] == [0, 0]  # the answer is what is seen now
        reader.go(words.AGAIN)
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
    assert seen == [[1, 0], [0, 1], [0, 0]]


def test_an_error_to_find_is_met_with_what_to_work_out_and_no_example(open_page: OpenPage) -> None:
    name = next(name for name, question in QUESTIONS.items() if question.kind == "error")
    link, items = a_set(name)
    page = open_page(link)
    arrived(page)
    Set(page, items).is_at(0)
    settled(page)
    expect(page.get_by_text(words.PLAN.en, exact=True)).to_be_visible()
    expect(page.get_by_text(words.EXAMPLE.en, exact=True)).to_have_count(0)
    rows = QUESTIONS[name].lines(QUESTIONS[name].draw(items[0].seed).inputs)
    plan = page.locator("table tbody tr").filter(has_text=rows[0].what.en)
    expect(plan.locator("td").last).to_have_text("?")
    hint = page.get_by_role("button", name=frame.HINT.en, exact=True)
    hint.click()
    expect(hint).to_have_count(0)  # the second would be an example
    expect(page.get_by_text(words.PLAN.en, exact=True)).to_have_count(0)
    expect(page.get_by_text(frame.LAST_LINE_BLANK.en)).to_be_visible()


def test_a_hint_is_recorded_with_the_answer(open_page: OpenPage) -> None:
    name = next(name for name in TYPED if QUESTIONS[name].lines(QUESTIONS[name].inputs))
    link, items = a_set(name)
    page = open_page(link)
    arrived(page)
    reader = Set(page, items)
    reader.is_at(0)
    page.get_by_role("button", name=frame.HINT.en, exact=True).click()
    settled(page)
    reader.answer(0)
    assert [(a["right"], a["hints"]) for a in stored(page)] == [(True, 1)]


def test_the_language_switch_and_the_back_button_lose_nothing(open_page: OpenPage) -> None:
    link, items = a_set(*TYPED[:2])
    page = open_page(link)
    arrived(page)
    reader = Set(page, items)
    slip = first_slip(items[0].question, items[0].seed)
    question = reader.answer(0, slip)
    page.get_by_role("button", name="中文").click()
    reader.lang = "zh"
    reader.is_at(0)
    title = next(s.title for s in question.slips if s.name == slip)
    expect(page.get_by_test_id("stAlert")).to_contain_text(title.zh)
    reader.go(site.NEXT)
    reader.is_at(1)
    page.go_back()
    reader.is_at(0)
    expect(page.get_by_test_id("stAlert")).to_contain_text(title.zh)
    page.go_forward()
    reader.is_at(1)
    assert len(stored(page)) == 1


def test_a_page_loaded_again_knows_what_was_answered_today(open_page: OpenPage) -> None:
    link, items = a_set(*TYPED[:1])
    page = open_page(link)
    arrived(page)
    reader = Set(page, items)
    reader.answer(0)
    page.goto(f"/{link}&at=6")
    settled(page)
    arrived(page)
    expect(page.get_by_text(words.score(1, 5).en)).to_be_visible()


def test_what_was_missed_is_due_on_a_later_day_of_the_readers_clock_and_comes_first(open_page: OpenPage) -> None:
    page = open_page("check", alone=True)
    name = "block_table.slot"
    page.evaluate(
        "([name, text]) => localStorage.setItem(name, text)", [STORED, kept(missed(name, "2031-05-01T23:30:00.000"))]
    )
    for now, due in (("2031-05-02T23:59:00", False), ("2031-05-03T00:01:00", True)):
        page.clock.set_fixed_time(now)
        page.goto("/check")
        settled(page)
        arrived(page)
        said = page.get_by_text("is due today", exact=False)
        expect(said).to_have_count(int(due))
    page.get_by_role("button", name=words.START.en, exact=True).click()
    page.wait_for_url(re.compile(rf"first={name}"))
    expect(page.get_by_role("heading", name=QUESTIONS[name].title.en)).to_be_visible()


def test_two_tabs_keep_each_others_answers_and_what_one_erases_stays_erased(open_page: OpenPage) -> None:
    (link_a, a), (link_b, b) = a_set(*TYPED[:2]), a_set(*TYPED[2:3], seed=5)
    one = open_page(link_a)
    two = one.context.new_page()
    two.goto(f"/{link_b}")
    for page in (one, two):
        settled(page)
        arrived(page)
    first, second = Set(one, a), Set(two, b)
    first.answer(0)
    second.answer(0)
    first.go(site.NEXT)
    first.answer(1)
    assert {x["question"] for x in stored(one)} == {a[0].question, b[0].question, a[1].question}

    three = one.context.new_page()
    three.goto("/check")
    settled(three)
    arrived(three)
    expect(three.get_by_text(words.answered(3, 1).en)).to_be_visible()
    erase = three.get_by_role("button", name=site.DESK["erase"].en, exact=True)
    erase.click()
    assert len(stored(three)) == 3
    three.get_by_role("button", name=site.DESK["sure"].en, exact=True).click()
    expect(three.get_by_text(site.ERASED.en)).to_be_visible()
    assert stored(three) == []
    second.go(site.NEXT)  # the other tab's session still remembers: that must not bring anything back
    second.go(words.SKIP)
    assert stored(two) == []


@pytest.mark.parametrize("lang", IN_TURN)
def test_progress_is_taken_along_as_a_file_and_a_bad_file_changes_nothing(
    open_page: OpenPage, tmp_path: Path, lang: Lang
) -> None:
    page = open_page(f"check?lang={lang}", lang=lang)
    arrived(page)
    chooser = page.locator("input[type=file]")
    bad = {
        "words.json": "hello",
        "other.json": '{"answers": []}',
        "newer.json": kept().replace('"version": 1', '"version": 2'),
        "large.json": kept() + " " * MOST_CHARACTERS,
        "huge.json": "x" * (5 * MOST_CHARACTERS),
        "slug.json": kept(missed("kv_bytes.total", "2031-05-01T23:30:00.000"), missed(f"{XSS}.x",
        "2031-05-01T23:30:00.000",


        2)),
        "slip.json": kept(Answered("aaaaaaaa0001", "2031-05-01T23:30:00.000", "kv_bytes.total", 3, False, 0, (XSS,))),
    }  # fmt: skip
    complaint = {"en": "Nothing has been changed.", "zh": "什么也没有改变。"}[lang]
    for number, (name, text) in enumerate(bad.items()):
        (tmp_path / name).write_text(text, encoding="utf-8")
        chooser.set_input_files(tmp_path / name)
        expect(page.get_by_test_id("stAlert")).to_contain_text(complaint)
        settled(page)
        assert stored(page) == [], (number, name)
        assert page.locator("img[src=x]").count() == 0
        expect(page.get_by_text(words.NOTHING_YET.of(lang))).to_be_visible()

    good = tmp_path / "good.json"
    good.write_text(kept(missed("kv_bytes.total", "2031-05-01T23:30:00.000")), encoding="utf-8")
    for n in (1, 0):
        chooser.set_input_files(good)
        expect(page.get_by_test_id("stAlert").filter(has_text=site.imported(n).of(lang))).to_be_visible()
        settled(page)
        assert len(stored(page)) == 1
    with page.expect_download() as saved:
        page.get_by_role("button", name=site.DESK["export"].of(lang), exact=True).click()
    assert json.loads(Path(saved.value.path()).read_text("utf-8")) == json.loads(good.read_text("utf-8"))


REFUSE = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('refused', 'SecurityError') } })"
)
FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"


@pytest.mark.parametrize("script", [REFUSE, FULL])
def test_a_browser_that_may_not_store_says_so_and_everything_works_for_this_visit(
    open_page: OpenPage, script: str
) -> None:
    link, items = a_set(*TYPED[:1])
    page = open_page()
    page.add_init_script(script)
    page.goto("/" + link)
    settled(page)
    arrived(page)
    reader = Set(page, items)
    reader.answer(0)
    page.get_by_role("link", name=frame.HOME.en).first.click()
    settled(page)
    page.get_by_role("link", name=site.CHECK_ALL.en).click()
    reader.is_at(0)  # the set goes on where it was
    reader.go(site.NEXT)
    for i in range(1, 5):
        reader.is_at(i)
        reader.go(words.SKIP)
    reader.go(words.CHOOSE)
    expect(page.get_by_text(words.answered(1, 1).en)).to_be_visible()
    expect(page.get_by_text(words.FOR_THIS_VISIT.en)).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name=site.DESK["export"].en, exact=True).click()
    (answer,) = json.loads(Path(saved.value.path()).read_text("utf-8"))["answers"]
    assert answer["question"] == items[0].question


def test_the_link_for_a_friend_gives_the_same_set_with_the_same_numbers(open_page: OpenPage) -> None:
    page = open_page("check", alone=True)
    arrived(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for title in [lesson.title.en for slug, lesson in BY_SLUG.items() if slug not in ("kv_bytes", "block_table")]:
        page.get_by_role("button", name=title, exact=True).click()
        settled(page)
    page.get_by_role("button", name="中文").click()
    settled(page)
    page.get_by_role("button", name=words.START.zh, exact=True).click()  # the lessons are still the two chosen
    page.wait_for_url(re.compile(r"lessons=kv_bytes\+block_table"))
    settled(page)
    page.get_by_role("button", name=words.COPY["copy"].zh).click()
    expect(page.get_by_role("button", name=words.COPY["copied"].zh)).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    friend = open_page(link.partition("/check")[1] + link.partition("/check")[2], lang="en")
    settled(friend)
    card = "[class*=st-key-check-0-]"
    expect(friend.locator(card).first).to_have_text(page.locator(card).first.inner_text(), use_inner_text=True)


@pytest.mark.parametrize(
    "stored_text", ["garbage", f'{{"schema":"attention-progress","version":1,"answers":[{{"id":"{XSS}","at":"x"}}]}}']
)
def test_a_storage_that_was_tampered_with_is_left_out_and_said(open_page: OpenPage, stored_text: str) -> None:
    page = open_page("check")
    page.evaluate("([name, text]) => localStorage.setItem(name, text)", [STORED, stored_text])
    page.goto("/check")
    settled(page)
    arrived(page)
    expect(page.get_by_text(words.DAMAGED.en)).to_be_visible()
    assert page.locator("img[src=x]").count() == 0


def test_any_address_gives_a_page_that_works(open_page: OpenPage) -> None:
    page = open_page("check")
    shown = page.get_by_role("button", name=re.compile(rf"^({words.START.en}|{words.SKIP.en}|{words.ANOTHER.en})$"))
    for query in ("set=" + "9" * 10_000, "set=x", "set=7&lessons=nothing", f"set=7&n=-1&at=99999&first={XSS}", "at=3"):
        page.goto(f"/check?{query}")
        settled(page)
        arrived(page)
        expect(shown).to_be_visible()
        expect(page.get_by_text(words.NOT_A_SET.en)).to_have_count(int(query in ("set=x", "set=" + "9" * 10_000)))


def test_an_answer_in_a_lessons_own_tab_is_kept_too(open_page: OpenPage) -> None:
    page = open_page("kv_bytes")
    assert page.evaluate("globalThis.attentionProgress === undefined")
    panel = open_tab(page, frame.QUIZ, "en")
    question = BY_SLUG["kv_bytes"].questions[0]
    field = panel.get_by_role("textbox", name=frame.ANSWER.en)
    type_into(page, field, ", ".join(f"{x:.12g}" for x in question.answer(question.inputs)))
    expect(panel.get_by_test_id("stAlert")).to_contain_text(frame.RIGHT.en)
    arrived(page)
    (answer,) = stored(page)
    assert (answer["question"], answer["seed"], answer["right"]) == (f"kv_bytes.{question.slug}", None, True)
