"""A question is one right formula and its slips: each a wrong formula with a name and a sentence of its own."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from lessons.kit.controls import BadInput, Form, ascii_number, real, shown
from lessons.kit.format import as_typed, count, fixed
from lessons.kit.text import Text

S = TypeVar("S")
Answer = tuple[float, ...]

_GROUPED = re.compile(r"[-+]?\d{1,3}([\s,]\d{3})+(\.\d+)?")

DRAWS = 2000  # tries before a template is said to be impossible


@dataclass(frozen=True)
class Slip(Generic[S]):
    """A wrong formula that people really use. `said` tells what was done and what is right, never who erred.

    `way`, where the lesson runs this slip as a mistake, is the scenario that shows it going wrong.
    """

    name: str
    title: Text
    formula: Callable[[S], Answer]
    said: Callable[[S], Text]
    way: Callable[[S], Any] | None = None


@dataclass(frozen=True)
class Instance(Generic[S]):
    """A question with its numbers. `slips` maps a slip's name to the answer it leads to."""

    inputs: S
    answer: Answer
    slips: dict[str, Answer]


@dataclass(frozen=True)
class Verdict:
    """What became of an answer: right, the names of the slips that give it, or neither."""

    right: bool
    slips: tuple[str, ...]


@dataclass(frozen=True)
class Question(Generic[S]):
    """A template. `ask` is its sentence for given inputs, `working` the way to the answer in words, and `way` the scenario
    with which the question's lesson shows it step by step (None outside lessons).

    An answer counts as right within `relative` of the exact one (or `absolute`, whichever is larger), number by number.
    """

    slug: str
    title: Text
    ask: Callable[[S], Text]
    form: Form[S]
    inputs: S
    invent: Callable[[random.Random], S]
    answer: Callable[[S], Answer]
    slips: tuple[Slip[S], ...]
    working: Callable[[S], Text]
    way: Callable[[S], Any] | None = None
    kind: Literal["number", "vector"] = "number"
    relative: float = 0.005
    absolute: float = 0.0005

    def instance(self, inputs: S) -> Instance[S]:
        return Instance(inputs, self.answer(inputs), {slip.name: slip.formula(inputs) for slip in self.slips})

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
        return max(self.absolute, self.relative * abs(exact))

    def _meets(self, given: Answer, exact: Answer) -> bool:
        return len(given) == len(exact) and all(
            math.isfinite(y) and abs(x - y) <= self._tolerance(y) for x, y in zip(given, exact, strict=True)
        )

    def judge(self, inputs: S, given: Answer) -> Verdict:
        """Compare an answer with the right formula first, then with every slip.

        Raises BadInput where the answer has another number of numbers than the right one.
        """
        instance = self.instance(inputs)
        n = len(instance.answer)
        if len(given) != n:
            raise BadInput(
                Text(
                    f"**Your answer** needs {n} number{'s' * (n > 1)}{', separated by commas' * (n > 1)}; it has {len(given)}.",
                    f"**你的答案**应有 {n} 个数{'，用逗号分开' * (n > 1)}；现在有 {len(given)} 个。",
                )
            )
        if self._meets(given, instance.answer):
            return Verdict(True, ())
        return Verdict(False, tuple(name for name, value in instance.slips.items() if self._meets(given, value)))


def read_answer(typed: str, n: int = 1) -> Answer:
    """The numbers of an answer: `7.1, 5.34`, with or without brackets; commas, semicolons or spaces between.

    What the app itself writes can be pasted, thin spaces and powers of ten included. Where one number is asked for (`n` = 1), commas
    may group its digits: `4,294,967,296`. Raises BadInput for anything else.

    >>> read_answer("(7.10， −5.34)", 2), read_answer("171,700"), read_answer("7.1, 1.00×10⁻⁹", 2)
    ((7.1, -5.34), (171700.0,), (7.1, 1e-09))
    """
    plain = ascii_number(as_typed(typed[:400])).strip("()[]")
    if n == 1 and _GROUPED.fullmatch(plain):
        plain = re.sub(r"[\s,]", "", plain)
    parts = [part for part in re.split(r"[\s,;、]+", plain) if part]
    try:
        if not parts or len(typed) > 400:
            raise ValueError
        return tuple(real(part) for part in parts)
    except ValueError:
        raise BadInput(
            Text(
                f"**Your answer** must be numbers such as `0.1353` or `7.10, 5.34`; it reads “{shown(typed)}”.",
                f"**你的答案**应写成数字，例如 `0.1353` 或 `7.10, 5.34`；现在是“{shown(typed)}”。",
            )
        ) from None


def exactly(answer: Answer) -> str:
    """An answer with the digits a reader can carry on with; whole numbers in full."""
    return ", ".join(count(int(x)) if x == int(x) and abs(x) < 1e15 else fixed(x, 6) for x in answer)
