"""Predict, then reveal: what a step asks before it shows itself, and the usual wrong guesses with a sentence each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from lessons.kit.format import fixed
from lessons.kit.text import Text, same


@dataclass(frozen=True)
class Guess:
    """A usual wrong answer: the number, the option (1, 2, …) or the cell's key, and what it comes from."""

    value: float | str
    said: Text


@dataclass(frozen=True)
class Ask:
    """One question in front of a step: `prompt` is one line of Markdown, in place of the step's headline.

    The kind follows from the answer. A number: any number within `relative` of it (or `absolute`, whichever is
    larger). A choice: `options` are given and the answer counts them from 1. A cell: the answer is the key of a shape
    in the picture of the step *before*, which is the one that is seen; `among` are the keys that may be picked, every
    cell and bar if it is empty. `shown` is the truth as it is written; a number or an option says itself.

    Raises ValueError where the parts do not fit, or where a guess cannot be told from the answer or from another
    guess; on numbers that a reader has edited that may happen, so lessons call `asking`."""

    prompt: Text
    answer: float | str
    slips: tuple[Guess, ...]
    options: tuple[Text, ...] = ()
    relative: float = 0.005
    absolute: float = 0.0005
    shown: Text | str = ""
    among: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = [slip.value for slip in self.slips]
        if self.kind != "cell" and not values:
            raise ValueError("slips: at least one usual wrong answer")
        if any(isinstance(value, str) != (self.kind == "cell") for value in values):
            raise ValueError(f"slips: must be of the answer's kind, {self.kind}")
        if self.kind == "choice" and not all(v in range(1, len(self.options) + 1) for v in (self.answer, *values)):
            raise ValueError(f"answer, slips: options are counted from 1 to {len(self.options)}")
        if self.kind == "cell" and self.options:
            raise ValueError("options: a cell is picked in the picture")
        if self.kind == "cell" and not self.shown:
            raise ValueError("shown: say in words which cell it is")
        if self.among and not {self.answer, *values} <= set(self.among):
            raise ValueError("among: the answer and the slips must be there to be picked")
        if not all(isinstance(v, str) or math.isfinite(v) for v in (self.answer, *values)):
            raise ValueError("answer, slips: finite numbers")
        all_values = [self.answer, *values]
        exact = self.kind != "number"
        if any(_alike(x, y, self.relative, self.absolute, exact=exact) for x, y in combinations(all_values, 2)):
            raise ValueError(f"slips: cannot be told from the answer or each other: {all_values}")

    @property
    def kind(self) -> Literal["number", "choice", "cell"]:
        return "cell" if isinstance(self.answer, str) else "choice" if self.options else "number"

    @property
    def truth(self) -> Text:
        """The answer as it is written."""
        if self.shown:
            return same(self.shown) if isinstance(self.shown, str) else self.shown
        assert not isinstance(self.answer, str)
        return self.options[int(self.answer) - 1] if self.options else same(fixed(self.answer))


def asking(
    prompt: Text,
    answer: float | str,
    slips: Iterable[Guess],
    *,
    options: tuple[Text, ...] = (),
    relative: float = 0.005,
    absolute: float = 0.0005,
    shown: Text | str = "",
    among: tuple[str, ...] = (),
) -> Ask | None:
    """The question without the guesses that, on these numbers, are no other than the answer or an earlier guess.

    None where no guess is left, or the answer is no number: then there is nothing worth asking.

    >>> one, other = Guess(1.0, same("not rescaled")), Guess(7.389, same("turned round"))
    >>> asking(same("α?"), 0.1353, (one, other)) == Ask(same("α?"), 0.1353, (one, other))
    True
    >>> asking(same("α?"), 1.0, (one,)) is None
    True
    """
    if not isinstance(answer, str) and not math.isfinite(answer):
        return None
    exact = bool(options) or isinstance(answer, str)
    kept: list[Guess] = []
    for slip in slips:
        finite = isinstance(slip.value, str) or math.isfinite(slip.value)
        others = (answer, *(guess.value for guess in kept))
        if finite and not any(_alike(slip.value, other, relative, absolute, exact=exact) for other in others):
            kept.append(slip)
    if not kept and not isinstance(answer, str):
        return None
    return Ask(prompt, answer, tuple(kept), options, relative, absolute, shown, among)


def _alike(x: float | str, y: float | str, relative: float, absolute: float, *, exact: bool) -> bool:
    """Whether some typed number would count as both."""
    if exact or isinstance(x, str) or isinstance(y, str):
        return x == y
    return abs(x - y) <= 2 * max(absolute, relative * max(abs(x), abs(y)))
