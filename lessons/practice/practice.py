"""Checking yourself: which questions make a set, which come back and when, what a set has shown. Pure; `today` is the
reader's.

Questions of several lessons are mixed and interleaved. What was missed comes back with new numbers at plain even
distances, not at growing ones: Latimier, Peyre & Ramus 2021 find spacing worth it and no difference between the two.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from enum import Enum
from functools import lru_cache
from typing import Any

from lessons.kit.lesson import Lesson
from lessons.kit.question import Question
from lessons.practice.progress import SEEDS, Answered

SIZES = (5, 8, 12)
SIZE = 8
EVERY = timedelta(days=2)  # between two returns of a question
ENOUGH = 3  # days on which it was right, after which it no longer comes back

Bank = Mapping[str, Sequence[str]]  # a lesson's slug → its questions' names, each `lesson.question`


def name_of(lesson: str, question: str) -> str:
    return f"{lesson}.{question}"


def lesson_of(name: str) -> str:
    return name.partition(".")[0]


# A set


@dataclass(frozen=True)
class Deal:
    """All that a link needs to say: the same deal is the same set. `first` are questions that were due."""

    seed: int
    size: int
    lessons: tuple[str, ...]
    first: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """One question of a set, and the seed of its numbers."""

    question: str
    seed: int


def read_deal(query: Mapping[str, str], bank: Bank) -> Deal | None:
    """The set that an address names, None where it names none. What it says of unknown lessons and questions is
    passed over."""
    seed = query.get("set", "")
    if not (seed.isascii() and seed.isdigit() and len(seed) <= 6):
        return None
    size = {str(size): size for size in SIZES}.get(query.get("n", ""), SIZE)
    named = query.get("lessons", "")[:2000].split()
    lessons = tuple(lesson for lesson in bank if lesson in named) or tuple(bank)
    known = {name for names in bank.values() for name in names}
    first = dict.fromkeys(name for name in query.get("first", "")[:2000].split() if name in known)
    return Deal(int(seed), size, lessons, tuple(first)[:size])


def write_deal(deal: Deal, bank: Bank) -> dict[str, str]:
    """The set as an address names it."""
    query = {"set": str(deal.seed), "n": str(deal.size)}
    if deal.lessons != tuple(bank):
        query["lessons"] = " ".join(deal.lessons)
    if deal.first:
        query["first"] = " ".join(deal.first)
    return query


def dealt(deal: Deal, bank: Bank) -> tuple[Item, ...]:
    """The questions of a set in their order: those that were due, then as many of each lesson as of any other, and
    two of the same lesson next to each other only where no other is left. None is asked twice before all have been
    asked."""
    rng = random.Random(f"{deal.seed} {deal.size} {deal.lessons}")
    names = _apart(deal.first)
    left = _shuffled(rng, deal, bank, set(names))
    while len(names) < deal.size:
        if not any(left.values()):
            left = _shuffled(rng, deal, bank)
        asked = Counter(map(lesson_of, names))
        able = [lesson for lesson in deal.lessons if left[lesson]]
        able = [lesson for lesson in able if not names or lesson != lesson_of(names[-1])] or able
        fewest = min(asked[lesson] for lesson in able)
        names.append(left[rng.choice([lesson for lesson in able if asked[lesson] == fewest])].pop())
    return tuple(Item(name, _seed(f"{deal.seed} {i} {name}")) for i, name in enumerate(names[: deal.size]))


def _shuffled(rng: random.Random, deal: Deal, bank: Bank, without: Set[str] = frozenset()) -> dict[str, list[str]]:
    """The chosen lessons' questions, each lesson's in an order of their own."""
    left = {lesson: [name for name in bank[lesson] if name not in without] for lesson in deal.lessons}
    for names in left.values():
        rng.shuffle(names)
    return left


def _apart(names: Sequence[str]) -> list[str]:
    """The same names, no two of one lesson in a row where that can be helped."""
    left, result = list(names), list[str]()
    while left:
        other = (name for name in left if not result or lesson_of(name) != lesson_of(result[-1]))
        name = next(other, left[0])
        left.remove(name)
        result.append(name)
    return result


def _seed(text: str) -> int:
    return random.Random(text).randrange(SEEDS)


# What comes back


def returning(answers: Iterable[Answered]) -> dict[str, date]:
    """When each question that was missed is due again.

    A wrong answer brings it back EVERY so many days after it was last asked, until it has been right without a hint
    on ENOUGH days."""
    days: dict[str, dict[date, list[Answered]]] = {}
    for answer in sorted(answers, key=lambda answer: answer.at):
        days.setdefault(answer.question, {}).setdefault(answer.day, []).append(answer)
    due: dict[str, date] = {}
    for question, by_day in days.items():
        right: int | None = None  # days on which it was right since it was missed; None: it is not coming back
        for answered in by_day.values():
            if not all(answer.right for answer in answered):
                right = 0
            elif right is not None and any(answer.hints == 0 for answer in answered):
                right = right + 1 if right + 1 < ENOUGH else None
        if right is not None:
            due[question] = max(by_day) + EVERY
    return due


def due(answers: Iterable[Answered], today: date) -> tuple[str, ...]:
    """The questions that are due, the longest overdue first."""
    days = returning(answers)
    return tuple(sorted((name for name, day in days.items() if day <= today), key=lambda name: (days[name], name)))


def met(answers: Iterable[Answered], question: str) -> int:
    """How many times a reader has met a question: numbers that were answered, on different days."""
    return len({(answer.day, answer.seed) for answer in answers if answer.question == question})


# What a set has shown


class Outcome(Enum):
    """What became of one question with its numbers."""

    FIRST = "first"  # right, at the first answer and without a hint
    HELPED = "helped"  # right, after a hint or another answer
    MISSED = "missed"


def outcome(answers: Sequence[Answered]) -> Outcome | None:
    """Of the answers to one question with the same numbers, in their order; None where there is none."""
    if not answers:
        return None
    if answers[0].right and answers[0].hints == 0:
        return Outcome.FIRST
    return Outcome.HELPED if any(answer.right for answer in answers) else Outcome.MISSED


def slips_of(answers: Iterable[Answered]) -> list[tuple[str, str, int | None, int]]:
    """Each slip made: its question, its name, the numbers it was last made with, how often; the most frequent first.

    Two made at once count for each.
    """
    made: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], int | None] = {}
    for answer in answers:
        for slip in dict.fromkeys("+".join(answer.slips).split("+") if answer.slips else ()):
            made[answer.question, slip] += 1
            last[answer.question, slip] = answer.seed
    return [(question, slip, last[question, slip], n) for (question, slip), n in made.most_common()]


def place(
    lesson: Lesson[Any, Any], question: Question[Any], slip: str, inputs: Any
) -> tuple[dict[str, str], int | None]:
    """Where its lesson shows a slip going wrong with these inputs: the query of the address, and the step counted
    from 1.

    The step is the first at which the slip's way and the right one part. A slip that has no way is answered by the
    last step of the question's own; where there is none either, by the lesson (None)."""
    own = next((s.way for s in question.slips if s.name == slip), None)
    way = own or question.way
    if way is None:
        return {}, None
    scenario = way(inputs)
    default = lesson.form.write(lesson.scenario)
    query = {name: text for name, text in lesson.form.write(scenario).items() if text != default[name]}
    return query, _parting(lesson, scenario)


@lru_cache(maxsize=128)
def _parting(lesson: Lesson[Any, Any], scenario: Any) -> int:
    frames = lesson.frames(scenario)
    return next((i for i, frame in enumerate(frames, 1) if frame.scene.parts), len(frames))
