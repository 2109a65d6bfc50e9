"""A question is one right formula and its slips: each a wrong formula with a name and a sentence of its own."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, SupportsFloat, TypeVar

from lessons.kit.controls import BadInput
from lessons.kit.expression import plain
from lessons.kit.form import Form
from lessons.kit.reply import Answer, Number, Reply
from lessons.kit.text import Text
from lessons.kit.told import Told, Words, say

S = TypeVar("S")

DRAWS = 2000  # tries before a template is said to be impossible
ANY = math.nan  # in a slip's answer beside another number: whatever is given there


@dataclass(frozen=True)
class Slip(Generic[S]):
    """A wrong formula that people really use. `said` tells what was done and what is right, never who erred. A formula
    gives one number or several, or None where nobody can make the slip on these inputs.

    `way`, where the lesson runs this slip as a mistake, is the scenario that shows it going wrong.
    """

    name: str
    title: Text
    formula: Callable[[S], SupportsFloat | Answer | None]
    said: Words[S]
    way: Callable[[S], Any] | None = None

    def answer(self, inputs: S) -> Answer | None:
        """What it leads to."""
        found = self.formula(inputs)
        return None if found is None else as_answer(found)

    def told(self, inputs: S) -> Text:
        """Its sentence."""
        return say(self.said, inputs)


def as_answer(numbers: SupportsFloat | Answer) -> Answer:
    """One number or several as the numbers of an answer."""
    return tuple(map(float, numbers)) if isinstance(numbers, tuple) else (float(numbers),)


def together(first: Slip[S], second: Slip[S], formula: Callable[[S], SupportsFloat | Answer]) -> Slip[S]:
    """Two slips made at once; `formula` makes both."""
    return Slip(
        f"{first.name}+{second.name}",
        Text(f"{first.title.en}, and: {second.title.en}", f"{first.title.zh}；并且：{second.title.zh}"),
        formula,
        lambda s: Text(f"{first.told(s).en} {second.told(s).en}", first.told(s).zh + second.told(s).zh),
    )


@dataclass(frozen=True)
class Row:
    """One line of a worked solution: what is computed, how, and what it gives."""

    what: Text
    how: Text | str
    value: Text | str


@dataclass(frozen=True)
class Line(Generic[S]):
    """A Row with places for the numbers. A formula, or what a function writes, may be a str that reads alike in both
    languages."""

    what: Words[S]
    how: Words[S] | Callable[[S], Text | str] | str
    value: Words[S] | Callable[[S], Text | str] | str

    def row(self, inputs: S) -> Row:
        return Row(say(self.what, inputs), _cell(self.how, inputs), _cell(self.value, inputs))


def _cell(words: Words[S] | Callable[[S], Text | str] | str, inputs: S) -> Text | str:
    match words:
        case str():
            return Told(words, words).on(inputs).en
        case Text() | Told():
            return say(words, inputs)
        case _:
            return words(inputs)


@dataclass(frozen=True)
class Instance(Generic[S]):
    """A question with its numbers. `slips` maps the name of each slip that can be made to the answer it leads to."""

    inputs: S
    answer: Answer
    slips: dict[str, Answer]


@dataclass(frozen=True)
class Verdict:
    """What became of an answer: right, the names of the slips that give it, or neither. `rounded`: it is right to two
    figures, which is enough unless a slip gives the same two. `meant`: all that was read, where that is more than
    one."""

    right: bool
    slips: tuple[str, ...]
    rounded: bool = False
    meant: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class Tolerance:
    """An answer is right within `relative` of the exact one, or `absolute`, whichever is larger, number by number."""

    relative: float
    absolute: float


THREE_FIGURES = Tolerance(0.005, 0.0005)  # half of the last; whole numbers small enough to be counted are exact
COUNTED = Tolerance(0.0, 0.01)  # a count is exact


@dataclass(frozen=True, kw_only=True)
class Question(Generic[S]):
    """A template. `prompt` is its sentence, `reply` how it is answered, `working` the way to the answer in words and
    `rows` in lines, the last of which gives it; `way` the scenario with which the question's lesson shows it step by
    step (None outside lessons). Words may have places, which are attributes of the inputs."""

    slug: str
    title: Text
    prompt: Words[S]
    form: Form[S]
    inputs: S
    invent: Callable[[random.Random], S]
    formula: Callable[[S], SupportsFloat | Answer]
    slips: tuple[Slip[S], ...]
    working: Words[S]
    way: Callable[[S], Any] | None = None
    reply: Reply[S] = field(default_factory=Number)
    rows: tuple[Line[S], ...] | Callable[[S], tuple[Row, ...]] = ()
    tolerance: Tolerance = THREE_FIGURES

    def answer(self, inputs: S) -> Answer:
        """The right answer."""
        return as_answer(self.formula(inputs))

    def asked(self, inputs: S) -> Text:
        """Its sentence for these inputs."""
        return say(self.prompt, inputs)

    def worked(self, inputs: S) -> Text:
        """The way to the answer in words."""
        return say(self.working, inputs)

    def lines(self, inputs: S) -> tuple[Row, ...]:
        """The way to the answer in lines."""
        return tuple(line.row(inputs) for line in self.rows) if isinstance(self.rows, tuple) else self.rows(inputs)

    @property
    def kind(self) -> str:
        """number, vector, choice, order, cells, error or line."""
        return self.reply.kind

    def instance(self, inputs: S) -> Instance[S]:
        """A slip that comes to nothing on these inputs (a reader may type numbers that it divides by 0) has no
        answer."""
        answer = self.answer(inputs)
        led_to = {slip.name: _led_to(slip, inputs, len(answer)) for slip in self.slips}
        return Instance(inputs, answer, {name: led for name, led in led_to.items() if led is not None})

    def draw(self, seed: int) -> Instance[S]:
        """New numbers, the same for the same seed, on which no two formulas give answers that could be confused.

        Raises RuntimeError if none is found in DRAWS tries.
        """
        rng = random.Random(f"{self.slug} {seed}")
        for _ in range(DRAWS):
            instance = self.instance(self.invent(rng))
            if self.tells_apart(instance):
                return instance
        raise RuntimeError(f"{self.slug}: no numbers tell its formulas apart (seed {seed})")

    def tells_apart(self, instance: Instance[S]) -> bool:
        """Whether no typed answer could count both as right and as a slip, or as two slips."""
        answers = [instance.answer, *instance.slips.values()]
        if not all(math.isfinite(x) for x in instance.answer):
            return False
        return all(
            any(abs(x - y) > 2 * max(self._tolerance(x), self._tolerance(y)) for x, y in zip(a, b, strict=True))
            for i, a in enumerate(answers)
            for b in answers[:i]
        )

    def _tolerance(self, exact: float) -> float:
        return max(self.tolerance.absolute, self.tolerance.relative * abs(exact))

    def _meets(self, given: Answer, exact: Answer) -> bool:
        """Whether `given` is `exact`, number by number. NaN is met by anything, where some other number is asked."""
        return (
            len(given) == len(exact)
            and any(map(math.isfinite, exact))
            and all(
                math.isnan(y) or (math.isfinite(y) and abs(x - y) <= self._tolerance(y))
                for x, y in zip(given, exact, strict=True)
            )
        )

    def _rounds(self, given: Answer, exact: Answer) -> bool:
        """Whether `given` is `exact` to two figures, number by number; of whole numbers and counts it never is."""
        return self.tolerance.relative > 0 and all(
            math.isfinite(y)
            and (abs(x - y) <= self._tolerance(y) or (y % 1 != 0 and math.isclose(x, float(f"{y:.1e}"), rel_tol=1e-5)))
            for x, y in zip(given, exact, strict=True)
        )

    def judge(self, inputs: S, given: Answer) -> Verdict:
        """Compare an answer with the right formula first, then with every slip.

        Raises BadInput where the answer has another number of numbers than the right one.
        """
        instance = self.instance(inputs)
        _same_length(given, len(instance.answer))
        return self._verdict(instance, given)

    def check(self, inputs: S, typed: str) -> Verdict:
        """Judge what was typed or chosen. Where it may mean several things, the kindest meaning counts.

        Raises BadInput where it is no answer.
        """
        instance = self.instance(inputs)
        n = len(instance.answer)
        verdicts = []
        meant = self.reply.read(typed, inputs, n)
        for given in meant:
            _same_length(given, n)
            verdicts.append(self._verdict(instance, given))
        best = max(verdicts, key=lambda verdict: (verdict.right, bool(verdict.slips)))
        unclear = len(meant) > 1 and "," in plain(typed) and not best.right and not best.slips
        return replace(best, meant=meant) if unclear else best

    def _verdict(self, instance: Instance[S], given: Answer) -> Verdict:
        if self._meets(given, instance.answer):
            return Verdict(True, ())
        met = tuple(name for name, value in instance.slips.items() if self._meets(given, value))
        if not self._rounds(given, instance.answer):
            return Verdict(False, met)
        alike = met or any(self._rounds(given, value) for value in instance.slips.values())
        return Verdict(not alike, met, rounded=True)


def _led_to(slip: Slip[S], inputs: S, n: int) -> Answer | None:
    try:
        return slip.answer(inputs)
    except (ArithmeticError, LookupError, ValueError):
        return (math.nan,) * n  # which no answer meets, and no draw accepts


def _same_length(given: Answer, n: int) -> None:
    if len(given) != n:
        apart = Text(", separated by commas", "，用逗号分开") if n > 1 else Text("", "")
        needs = Told(
            "**Your answer** needs {n:number}{apart}; it has {has}.",
            "**你的答案**应有 {n} 个数{apart}；现在有 {has} 个。",
        )
        raise BadInput(needs.on(n=n, apart=apart, has=len(given)))
