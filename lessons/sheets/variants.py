"""What an instructor asks for, and the variants of it: the same questions with other numbers for every student."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lessons.kit.question import Instance, Question, Row, Slip
from lessons.kit.reply import Answer, Find, Mark, Order, Pick, Tick
from lessons.kit.text import Lang, Text

SEEDS = 10**6  # as many as a link to a question can name
MOST_VARIANTS = 60
_APART = MOST_VARIANTS + 1  # neighbouring seeds share no variant


@dataclass(frozen=True)
class Chosen:
    """A template and the lesson it belongs to."""

    lesson: str
    group: Text
    question: Question[Any]

    @property
    def slug(self) -> str:
        return f"{self.lesson}/{self.question.slug}"


@dataclass(frozen=True)
class Request:
    """One order: the same request always gives the same files. `lines`: room to write the answer on the sheet."""

    title: str
    chosen: tuple[Chosen, ...]
    seed: int
    variants: int
    languages: tuple[Lang, ...] = ("en",)
    lines: bool = True


@dataclass(frozen=True)
class Item:
    """One question of one variant, with its numbers."""

    place: int
    chosen: Chosen
    instance: Instance[Any]

    @property
    def question(self) -> Question[Any]:
        return self.chosen.question

    @property
    def inputs(self) -> Any:
        return self.instance.inputs

    @property
    def answer(self) -> Answer:
        return self.instance.answer

    @cached_property
    def slips(self) -> tuple[tuple[Slip[Any], Answer], ...]:
        """Each slip with the answer it leads to, where that is an answer that can be given."""
        led_to = self.instance.slips
        found = ((slip, led_to[slip.name]) for slip in self.question.slips if slip.name in led_to)
        return tuple((slip, answer) for slip, answer in found if can_be_given(self, answer))

    @cached_property
    def said(self) -> dict[str, Text]:
        """What to say to each slip, by the slip's name."""
        return {slip.name: slip.told(self.inputs) for slip, _ in self.slips}

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return self.question.lines(self.inputs)

    @cached_property
    def ask(self) -> Text:
        return self.question.asked(self.inputs)


@dataclass(frozen=True)
class Variant:
    """One student's questions. Each opens in the app with the variant's `seed`."""

    number: int
    seed: int
    items: tuple[Item, ...]


def seed_of_variant(seed: int, number: int) -> int:
    """The seed of variant 1, 2, … of a request.

    >>> [seed_of_variant(5, number) for number in (1, 2)], seed_of_variant(6, 1) - seed_of_variant(5, 60)
    ([306, 307], 2)
    """
    return (seed * _APART + number) % SEEDS


def variants(request: Request) -> Iterator[Variant]:
    """One variant after another, so that whoever waits can be told how far it is."""
    for number in range(1, request.variants + 1):
        yield variant(request, number)


def variant(request: Request, number: int) -> Variant:
    seed = seed_of_variant(request.seed, number)
    items = (Item(place, chosen, chosen.question.draw(seed)) for place, chosen in enumerate(request.chosen, 1))
    return Variant(number, seed, tuple(items))


def tolerance(question: Question[Any], exact: float) -> float:
    """How far from `exact` a number still counts; to ten figures, which keeps binary dust out of the files."""
    return float(f"{max(question.tolerance.absolute, question.tolerance.relative * abs(exact)):.10g}")


def can_be_given(item: Item, answer: Answer) -> bool:
    """Whether anybody could answer this. A slip may lead to no number at all, or out of the options; NaN is any
    number."""
    if len(answer) != len(item.answer) or not any(map(math.isfinite, answer)):
        return False
    places = [x for x in answer if not math.isnan(x)]
    match item.question.reply:
        case Pick(options=options):
            return 1 <= places[0] <= len(options(item.inputs))
        case Order():
            return sorted(places) == list(range(1, len(answer) + 1))
        case Tick():
            return set(places) <= {0.0, 1.0}
        case Find(claims=claims):
            most = (len(claims(item.inputs)), len(claims(item.inputs)[0].corrections))
            return all(math.isnan(x) or 1 <= x <= n for x, n in zip(answer, most, strict=True))
        case Mark(program=program):
            lines = program(item.inputs)
            return 1 <= places[0] <= len(lines) and lines[int(places[0]) - 1].open
    return all(map(math.isfinite, places))
