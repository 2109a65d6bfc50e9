"""Check yourself: a mixed set over the chosen lessons, one question at a time, and what it has shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lessons import LESSONS
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question, Verdict
from lessons.kit.text import Lang
from lessons.practice.practice import (
    SIZE,
    SIZES,
    Deal,
    Item,
    dealt,
    due,
    lesson_of,
    met,
    name_of,
    read_deal,
    write_deal,
)
from lessons.practice.progress import Answered
from lessons.practice.telling import example_tells
from pages.shell.check import words
from pages.shell.check.summary import progress_so_far, summary
from pages.shell.lesson.attempt import Attempt, begin, other_seed
from pages.shell.lesson.progress import keep, progress, record, stamp
from pages.shell.lesson.quiz import EXAMPLE_SEED, ask, lines
from pages.shell.site import words as frame
from pages.shell.site import words as site
from pages.shell.site.assets import asset, script
from pages.shell.site.entry import through_app
from pages.shell.site.language import language

SLUG = "check"
BY_SLUG: dict[str, Lesson[Any, Any]] = {lesson.slug: lesson for lesson in LESSONS if lesson.questions}
BANK = {slug: tuple(name_of(slug, question.slug) for question in lesson.questions) for slug, lesson in BY_SLUG.items()}
QUESTIONS: dict[str, Question[Any]] = {
    name_of(slug, question.slug): question for slug, lesson in BY_SLUG.items() for question in lesson.questions
}
_KEYS = ("set", "n", "lessons", "first", "at")  # of the query string

_COPY = st.components.v2.component("copy_link", js=script("copy_link.js"), css=asset("progress.css"))


@dataclass
class Sitting:
    """One reader at one set. `at` counts from 0; the summary comes after the last question. Answers since `since`
    belong to it, to the numbers in `seeds`: an item's own, and those it was tried again with. `help` is how much of
    the way is offered, decided once for each of an item's numbers: 0 an example, 1 all but the last line, 2 nothing.
    `verdicts` are the last ones."""

    deal: Deal
    items: tuple[Item, ...]
    at: int = 0
    since: str = ""
    attempts: dict[int, Attempt] = field(default_factory=dict)
    seeds: set[tuple[str, int | None]] = field(default_factory=set)
    help: dict[tuple[int, int], int] = field(default_factory=dict)
    verdicts: dict[int, Verdict] = field(default_factory=dict)

    def go(self, at: int) -> None:
        self.at = at
        state().touched = True

    def attempt(self) -> Attempt:
        """At the question in turn."""
        if self.at not in self.attempts:
            item = self.items[self.at]
            attempt = self.attempts[self.at] = begin(QUESTIONS[item.question], item.seed)
            attempt.version = 1000 * (self.at + 1)  # an item's fields are nobody else's
        return self.attempts[self.at]

    def answers(self) -> list[Answered]:
        """Given in this set, in order."""
        since = self.since or f"{progress().today.isoformat()}T"  # a page loaded again finds what it had today
        return [a for a in progress().answers if a.at >= since and (a.question, a.seed) in self.seeds]


@dataclass
class State:
    """This session at this page. `last` is the deal of the last set, `address` what the address last said; `touched`
    whether a button was pressed since."""

    sitting: Sitting | None = None
    last: Deal = field(default_factory=lambda: Deal(0, SIZE, tuple(BANK)))
    address: dict[str, str] = field(default_factory=dict)
    touched: bool = False
    unreadable: bool = False

    def open(self, deal: Deal, at: int = 0, since: str = "") -> None:
        items = dealt(deal, BANK)
        seeds: set[tuple[str, int | None]] = {(item.question, item.seed) for item in items}
        self.sitting, self.last = Sitting(deal, items, min(at, len(items)), since, seeds=seeds), deal

    def begin(self, deal: Deal) -> None:
        """A set from its start, by a button."""
        self.open(deal, since=stamp(progress().now))
        self.touched = True

    def leave(self) -> None:
        self.sitting, self.touched = None, True


def state() -> State:
    """This session's."""
    kept: State = st.session_state.setdefault(SLUG, State())
    return kept


def check() -> None:
    """Draw the page for this reader."""
    through_app(SLUG)
    lang = language()
    here = state()
    _follow_address(here)
    _write_address(here)
    st.title(frame.QUIZ.of(lang), anchor=False)
    if here.sitting is None:
        _start(here, lang)
    elif here.sitting.at < len(here.sitting.items):
        _question(here.sitting, lang)
    else:
        _summary(here, here.sitting, lang)


def _follow_address(here: State) -> None:
    """A link, or the browser's back button. A link from another page drops the query string: then the set goes on."""
    query = {name: st.query_params[name] for name in _KEYS if name in st.query_params}
    arrived = st.session_state.get("page") != SLUG
    st.session_state["page"] = SLUG
    if query != here.address and not here.touched and not (arrived and not query):
        here.address = query
        deal = read_deal(query, BANK)
        here.unreadable = deal is None and "set" in query
        at = query.get("at", "1")
        place = int(at) - 1 if at.isascii() and at.isdigit() and 0 < len(at) < 4 and int(at) else 0
        if deal is None:
            here.sitting = None
        elif here.sitting is None or deal != here.sitting.deal:
            here.open(deal, place)
        else:
            here.sitting.at = min(place, len(here.sitting.items))
    here.touched = False


def _write_address(here: State) -> None:
    sitting = here.sitting
    here.address = {} if sitting is None else write_deal(sitting.deal, BANK) | {"at": str(sitting.at + 1)}
    others = {name: text for name, text in st.query_params.items() if name not in _KEYS}
    if st.query_params.to_dict() != others | here.address:
        st.query_params.from_dict(others | here.address)


# The start


def _start(here: State, lang: Lang) -> None:
    kept = progress()
    if here.unreadable:
        st.warning(words.NOT_A_SET.of(lang))
    st.markdown(words.LEAD.of(lang))
    overdue = tuple(name for name in due(kept.answers, kept.today) if name in QUESTIONS) if kept.arrived else ()
    with st.container(border=True):
        chosen = st.pills(
            words.LESSONS.of(lang),
            list(BY_SLUG),
            selection_mode="multi",
            default=list(here.last.lessons),
            format_func=lambda slug: BY_SLUG[slug].title.of(lang),
            key="check/lessons",
        )
        size = st.segmented_control(
            words.HOW_MANY.of(lang), SIZES, default=here.last.size, key="check/size", required=True
        )
        lessons = tuple(slug for slug in BY_SLUG if slug in chosen)
        first = tuple(name for name in overdue if lesson_of(name) in lessons)
        if overdue:
            st.info(words.due(len(overdue)).of(lang))

        def start() -> None:
            n = size if size in SIZES else SIZE
            here.begin(Deal(other_seed(), n, lessons, first[:n]))

        st.button(words.START.of(lang), type="primary", on_click=start, disabled=not lessons, key="check/start")
        if not lessons:
            st.caption(words.NO_LESSON.of(lang))
    progress_so_far(kept, QUESTIONS, BY_SLUG, lang)
    keep(lang, desk=True, focus="")


# A question


def _question(sitting: Sitting, lang: Lang) -> None:
    i, n = sitting.at, len(sitting.items)
    item = sitting.items[i]
    lesson, question = BY_SLUG[lesson_of(item.question)], QUESTIONS[item.question]
    attempt = sitting.attempt()
    st.caption(words.position(i + 1, n, lesson.title, f"{lesson.slug}?lang={lang}").of(lang))
    st.progress((i + 1) / n)

    def judged(attempt: Attempt, verdict: Verdict) -> None:
        sitting.verdicts[i] = verdict
        sitting.seeds.add((item.question, attempt.seed))
        record(lesson.slug, question, attempt, verdict)

    place = f"check-{i}-{attempt.version}"
    with st.container(border=True, key=place):
        st.header(question.title.of(lang), anchor=False)
        ask(question, attempt, lang, lesson, judged)
        judged_now = attempt.answered is not None and attempt.told and attempt.answered[1] == attempt.inputs
        verdict = sitting.verdicts.get(i) if judged_now else None
        if verdict is None:
            _help(sitting, question, attempt, lang)
    _buttons(sitting, question, attempt, lang, verdict)
    keep(lang, focus=place)


def _help(sitting: Sitting, question: Question[Any], attempt: Attempt, lang: Lang) -> None:
    """What fades: a whole example the first time a question is met, all but the last line the second time, then
    nothing. Where an example would tell the answer: both times, what to work out."""
    kept, name = progress(), sitting.items[sitting.at].question
    if not kept.arrived or not question.lines(attempt.inputs):
        return
    level = sitting.help.setdefault((sitting.at, attempt.version), min(met(kept.answers, name), 2))
    if example_tells(question):
        if level < 2 and attempt.hints < 1:
            with st.expander(words.PLAN.of(lang), expanded=True):
                st.markdown(lines(question.lines(attempt.inputs), lang, plan=True))
        return
    if level == 0 and attempt.hints < 2:
        example = question.draw(EXAMPLE_SEED if attempt.seed != EXAMPLE_SEED else EXAMPLE_SEED + 1).inputs
        with st.expander(words.EXAMPLE.of(lang), expanded=True):
            st.markdown(f"{question.asked(example).of(lang)}\n\n{lines(question.lines(example), lang)}")
    if level == 1 and attempt.hints < 1:
        with st.expander(words.LAST_LINE.of(lang), expanded=True):
            st.markdown(lines(question.lines(attempt.inputs), lang, blank=True))


def _buttons(sitting: Sitting, question: Question[Any], attempt: Attempt, lang: Lang, verdict: Verdict | None) -> None:
    """On to the next question; there is no verdict before an answer has been judged."""
    at, key = sitting.at, f"check/{sitting.at}/{attempt.version}"
    last = at + 1 == len(sitting.items)
    with st.container(horizontal=True, vertical_alignment="center"):
        if verdict is not None:
            onward = words.TO_SUMMARY if last else site.NEXT
            st.button(onward.of(lang), type="primary", on_click=sitting.go, args=(at + 1,), key=f"{key}/next")
        if verdict is not None and not verdict.right:
            st.button(words.AGAIN.of(lang), on_click=lambda: attempt.renew(question, other_seed()), key=f"{key}/again")
        if verdict is None:
            st.button(words.SKIP.of(lang), on_click=sitting.go, args=(at + 1,), key=f"{key}/skip")
        if at:
            st.button(words.BACK.of(lang), type="tertiary", on_click=sitting.go, args=(at - 1,), key=f"{key}/back")
        st.space("stretch")
        query = urlencode({"lang": lang} | write_deal(sitting.deal, BANK))
        data = {"query": query} | {name: text.of(lang) for name, text in words.COPY.items()}
        _COPY(key="check/copy", data=data, width="content")


# The end


def _summary(here: State, sitting: Sitting, lang: Lang) -> None:
    summary(sitting.items, sitting.answers(), QUESTIONS, BY_SLUG, lang)
    deal = sitting.deal
    with st.container(horizontal=True):
        another = Deal(other_seed(), deal.size, deal.lessons)
        st.button(words.ANOTHER.of(lang), type="primary", on_click=here.begin, args=(another,), key="check/another")
        st.button(words.SAME_SET.of(lang), on_click=here.begin, args=(deal,), key="check/same")
        st.button(words.CHOOSE.of(lang), on_click=here.leave, key="check/choose")
    keep(lang, focus="")
