"""One reader at one question: its numbers, what stands in their fields, and the address that carries them to a
friend."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from lessons.kit.controls import BadInput
from lessons.kit.question import Question
from lessons.kit.text import Text
from lessons.kit.usable import usable

SEEDS = 10**6
NOT_A_SEED = Text(
    f"**seed** in the link must be a whole number from 0 to {SEEDS - 1}; these are the question’s own numbers.",
    f"链接里的 **seed** 应为 0 到 {SEEDS - 1} 的整数；现在用的是题目自带的数字。",
)
QUESTION, SEED, NUMBERS = "question", "seed", "numbers"  # keys of the query string


@dataclass
class Attempt:
    """`seed` drew `drawn`, None for the template's own numbers; `inputs` are those, or what has been typed over them.

    `answered` is what was last submitted, for the inputs it was submitted for; `hints` how many have been asked for;
    `told` whether whoever counts answers knows of it; `address` what the address last said of it; `touched` whether
    the reader has changed something since the last run."""

    seed: int | None
    drawn: Any
    inputs: Any
    typed: dict[str, str]
    version: int = 0
    answered: tuple[str, Any] | None = None
    told: bool = False
    hints: int = 0
    complaints: tuple[Text, ...] = ()
    address: dict[str, str] | None = None
    touched: bool = False

    def renew(self, question: Question[Any], seed: int | None) -> None:
        """The numbers of a seed; what was answered is forgotten."""
        self.seed, self.touched = seed, True
        self.drawn = self.inputs = question.inputs if seed is None else question.draw(seed).inputs
        self.typed = question.form.write(self.inputs)
        self.version += 1
        self.answered, self.hints, self.complaints = None, 0, ()

    def read(self, question: Question[Any], typed: dict[str, str]) -> None:
        """Take over what stands in the fields, if it can be used."""
        self.typed, self.complaints = typed, ()
        try:
            self.inputs = question.form.read(typed, self.inputs)
        except BadInput as bad:
            self.complaints = bad.complaints

    def touch(self) -> None:
        """Called back when the reader edits: this run is no link. (The browser may not yet have the last run's
        address.)"""
        self.touched = True


def begin(question: Question[Any], seed: int | None = None) -> Attempt:
    """An attempt at the numbers of a seed, or at the template's own."""
    inputs = question.inputs if seed is None else question.draw(seed).inputs
    return Attempt(seed, inputs, inputs, question.form.write(inputs))


def other_seed() -> int:
    """A seed nobody has chosen."""
    return random.randrange(SEEDS)


def attempt_of(question: Question[Any], key: str) -> Attempt:
    """This session's attempt, brought up to date with the address where that names this question."""
    attempt: Attempt = st.session_state.setdefault(key, begin(question))
    asked = {name: st.query_params[name] for name in (SEED, NUMBERS) if name in st.query_params}
    linked = st.query_params.get(QUESTION) == question.slug and asked != (attempt.address or {})
    if linked and not attempt.touched:
        attempt.renew(question, seed_of(asked.get(SEED)))
        numbers = numbers_of(asked.get(NUMBERS, ""))
        attempt.typed |= {name: text for name, text in numbers.items() if name in attempt.typed}
        found = usable(question.form, attempt.typed, attempt.drawn)
        attempt.inputs, attempt.complaints = found.scenario, found.complaints
        if attempt.seed is None and SEED in asked:
            attempt.complaints += (NOT_A_SEED,)
        attempt.address = asked
    attempt.touched = False
    return attempt


def settle(question: Question[Any], attempt: Attempt) -> None:
    """The address follows the attempt."""
    written, now = question.form.write(attempt.drawn), question.form.write(attempt.inputs)
    numbers = {name: text for name, text in now.items() if text != written[name]}
    address = {} if attempt.seed is None else {SEED: str(attempt.seed)}
    if numbers:
        address[NUMBERS] = urlencode(numbers)
    attempt.address = address
    others = {name: text for name, text in st.query_params.items() if name not in (QUESTION, SEED, NUMBERS)}
    if st.query_params.to_dict() != others | {QUESTION: question.slug} | address:
        st.query_params.from_dict(others | {QUESTION: question.slug} | address)


def numbers_of(link: str) -> dict[str, str]:
    """What a link types over a question's numbers, by field; a field may be left blank."""
    return dict(parse_qsl(link[:4000], keep_blank_values=True))


def seed_of(typed: str | None) -> int | None:
    """The seed of a link; anything that is none means the template's own numbers."""
    return int(typed) if typed is not None and typed.isascii() and typed.isdigit() and len(typed) <= 6 else None
