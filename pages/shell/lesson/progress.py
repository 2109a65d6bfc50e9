"""A reader's progress in this session, and the component that keeps it in their browser (assets/progress.js).

The browser tells what it has stored, and its clock, once a session; what is answered is stamped here and handed to it
to add. The server holds it in the session's memory only. Each page mounts the component at most once, by `keep`."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import streamlit as st

from lessons.kit.controls import BadInput
from lessons.kit.question import Question, Verdict
from lessons.kit.text import Lang, Text
from lessons.practice.practice import name_of
from lessons.practice.progress import (
    MOST,
    MOST_CHARACTERS,
    SCHEMA,
    VERSION,
    Answered,
    merged,
    read,
    salvaged,
    too_large,
    write,
)
from pages.shell.lesson.attempt import Attempt
from pages.shell.site import words
from pages.shell.site.assets import asset, script

_KEY = "progress"
_BROWSER = st.components.v2.component("progress", js=script("progress.js"), css=asset("progress.css"))
_RESENT = 8  # messages that are told again in case a quick click cut the run short; the browser takes each once


@dataclass
class Progress:
    """One reader's answers. `arrived`: the browser has told what it has; `refused`: it may not store; `damaged`: some
    of what it had could not be read. `ahead` is the reader's clock before the server's in UTC. `told` are numbered
    messages for the browser."""

    token: str = field(default_factory=lambda: secrets.token_hex(6))
    answers: tuple[Answered, ...] = ()
    arrived: bool = False
    refused: bool = False
    damaged: bool = False
    ahead: timedelta = timedelta()
    notice: Text | None = None
    complaint: Text | None = None
    last: tuple[Any, ...] = ()
    told: list[dict[str, Any]] = field(default_factory=list)
    n_told: int = 0

    @property
    def now(self) -> datetime:
        """The time on the reader's clock."""
        return _server_now() + self.ahead

    @property
    def today(self) -> date:
        return self.now.date()

    def tell(self, **message: Any) -> None:
        self.n_told += 1
        self.told = [*self.told[1 - _RESENT :], {"n": self.n_told, **message}]

    def add(self, answer: Answered) -> None:
        self.answers = merged(self.answers, (answer,))
        self.tell(add=write((answer,)))


def progress() -> Progress:
    """This session's."""
    kept: Progress = st.session_state.setdefault(f"{_KEY}/session", Progress())
    return kept


def record(lesson: str, question: Question[Any], attempt: Attempt, verdict: Verdict) -> None:
    """Take down one answer. Numbers that the reader typed over the question's own do not count, nor the same answer
    given twice."""
    kept = progress()
    said = (lesson, question.slug, attempt.seed, attempt.answered)
    if attempt.inputs != attempt.drawn or said == kept.last:
        return
    kept.last = said
    name = name_of(lesson, question.slug)
    at = stamp(kept.now)
    kept.add(Answered(secrets.token_hex(6), at, name, attempt.seed, verdict.right, attempt.hints, verdict.slips[:4]))


def recording(lesson: str, question: Question[Any]) -> Callable[[Attempt, Verdict], None]:
    """What `ask` calls with each verdict."""
    return lambda attempt, verdict: record(lesson, question, attempt, verdict)


def keep(lang: Lang, *, desk: bool = False, focus: str | None = None) -> None:
    """Mount the component: on a page that is about progress always, elsewhere once there is something to keep.

    `desk` shows the buttons to take the progress along and to erase it. `focus` is the key of a container whose first
    field is to have the focus when it is another than before."""
    kept = progress()
    if not (desk or focus is not None or kept.told):
        return
    data = {
        "token": kept.token,
        "known": kept.arrived,
        "told": kept.told,
        "schema": SCHEMA,
        "version": VERSION,
        "most": MOST,
        "most_characters": MOST_CHARACTERS,
        "focus": focus,
        "desk": {name: text.of(lang) for name, text in words.DESK.items()} if desk else None,
    }
    _BROWSER(key=_KEY, data=data, on_arrived_change=_arrived, on_chosen_change=_chosen, on_erased_change=_erased)


def _sent(name: str) -> dict[str, Any]:
    """What the browser sent; it may send anything."""
    sent = st.session_state[_KEY].get(name)
    return sent if isinstance(sent, dict) else {}


def _arrived() -> None:
    """The browser tells what it has stored. What was answered before that gets its time by the reader's clock."""
    kept, sent = progress(), _sent("arrived")
    text = sent.get("text")
    stored, whole = salvaged(text if isinstance(text, str) else "")
    kept.damaged = kept.damaged or not whole
    kept.refused = sent.get("refused") is True
    if not kept.arrived:
        kept.arrived, kept.ahead = True, _ahead(sent.get("now"))
        early = tuple(replace(answer, at=stamp(_time(answer) + kept.ahead)) for answer in kept.answers)
        kept.answers, kept.told = early, []
        if early:
            kept.tell(add=write(early))
    kept.answers = merged(stored, kept.answers)


def _chosen() -> None:
    """The reader chose a file. The browser adds it to what it has when it is told that the file is good."""
    kept, sent = progress(), _sent("chosen")
    kept.notice = kept.complaint = None
    text = sent.get("text")
    try:
        if not isinstance(text, str):
            raise too_large()
        found = read(text)
    except BadInput as bad:
        (kept.complaint,) = bad.complaints
        return
    n = len({answer.id for answer in found} - {answer.id for answer in kept.answers})
    kept.answers = merged(kept.answers, found)
    kept.tell(take=str(sent.get("file"))[:20])
    kept.notice = words.imported(n)


def _erased() -> None:
    """The browser has erased what it had."""
    kept = progress()
    kept.answers, kept.told, kept.last = (), [], ()
    kept.damaged, kept.complaint, kept.notice = False, None, words.ERASED


def _server_now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def stamp(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds")


def _time(answer: Answered) -> datetime:
    return datetime.fromisoformat(answer.at)


def _ahead(now: Any) -> timedelta:
    """The reader's clock before the server's; nothing where it tells no time of this century."""
    try:
        told = datetime.fromisoformat(now)
    except (TypeError, ValueError):
        return timedelta()
    return told - _server_now() if told.tzinfo is None and 2000 < told.year < 2090 else timedelta()
