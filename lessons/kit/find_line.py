"""Find the line: a listing in which one line is spoilt. The reader is shown what it gives and what it should give, and
marks the line; whoever marks another is told why that one is right."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from lessons.kit.code import Code, CodeLine, evaluated, in_language
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count, fixed
from lessons.kit.question import COUNTED, DRAWS, Question, Row, Slip
from lessons.kit.reply import Mark, Printed
from lessons.kit.text import Text, same
from lessons.kit.told import Told, Words, say

S = TypeVar("S")


@dataclass(frozen=True)
class Spoilt(Generic[S]):
    """One line in the place of another, both without indentation and comment. `why` is a sentence or two: what the
    wrong line does. `mistake` is the lesson's own, where that shows in the player what goes wrong."""

    old: str
    new: str
    why: Words[S]
    mistake: Any = None


@dataclass(frozen=True)
class Program(Generic[S]):
    """A spoilt listing and the numbers it runs on. `program` counts the spoilt lines from 1."""

    scenario: S
    program: int = 1


def find_line(
    *,
    slug: str,
    title: Text,
    code: Code[S, Any],
    spoilt: tuple[Spoilt[S], ...],
    right: Mapping[str, Words[S]],
    form: Form[S],
    inputs: S,
    invent: Callable[[random.Random], S],
) -> Question[Program[S]]:
    """The question. `right` says of each line why it is right, by its part or by the line itself, without indentation
    and comment. `form`, `inputs` and `invent` are of the lesson's Scenario; draws are redrawn until the slip is seen.

    Raises ValueError where the listing has no such line, or has it twice, or nothing is said of a line.
    """
    listing = _Listing(code, spoilt, right)
    return Question(
        slug=slug,
        title=title,
        prompt=listing.asked,
        form=_with_program(form, inputs, len(spoilt)),
        inputs=Program(inputs),
        invent=lambda rng: listing.invented(rng, invent),
        formula=listing.answer,
        slips=listing.slips,
        working=listing.worked,
        way=listing.way,
        reply=Mark(listing.printed),
        rows=listing.rows,
        tolerance=COUNTED,
    )


def written(value: Any) -> str:
    """A result as the lesson writes numbers.

    >>> written(np.array([1.0, 0.5])), written([[1, 2], [3, 4]]), written({"a": 2.0})
    ('(1.0000, 0.5000)', '((1, 2), (3, 4))', 'a: 2.0000')
    """
    match value:
        case np.ndarray() | np.generic():
            return written(value.tolist())
        case list() | tuple():
            return f"({', '.join(map(written, value))})"
        case dict():
            return ", ".join(f"{name}: {written(part)}" for name, part in value.items())
        case int() if not isinstance(value, bool):
            return count(value)
        case float():
            return fixed(value)
        case _:
            return str(value)


def _is_open(line: CodeLine) -> bool:
    """Whether a line does something: it stands in a function and is no docstring, comment or definition."""
    return line.text.startswith(" ") and not line.text.lstrip().startswith(('"""', "#", "def ", "@"))


@dataclass(frozen=True, eq=False)
class _Listing(Generic[S]):
    code: Code[S, Any]
    spoilt: tuple[Spoilt[S], ...]
    right: Mapping[str, Words[S]]

    def __post_init__(self) -> None:
        for spoilt in self.spoilt:
            if self._codes.count(spoilt.old) != 1:
                raise ValueError(f"spoilt: the listing has {self._codes.count(spoilt.old)} lines {spoilt.old!r}")
        unsaid = [self._codes[n - 1] for n in self._open if self._why(n) is None]
        if unsaid:
            raise ValueError(f"right: nothing is said of {unsaid}")

    @cached_property
    def _codes(self) -> tuple[str, ...]:
        return tuple(Printed(same(line.text)).code for line in self.code.parts)

    @cached_property
    def _open(self) -> tuple[int, ...]:
        return tuple(n for n, line in enumerate(self.code.parts, 1) if _is_open(line))

    def _why(self, n: int) -> Words[S] | None:
        """What is said of a right line: of itself, else of its part."""
        names = (self._codes[n - 1], *sorted(self.code.parts[n - 1].marks))
        return next((self.right[name] for name in names if name in self.right), None)

    def _of(self, p: Program[S]) -> Spoilt[S]:
        return self.spoilt[p.program - 1]

    def answer(self, p: Program[S]) -> float:
        return float(self._codes.index(self._of(p).old) + 1)

    def _lines(self, p: Program[S]) -> tuple[CodeLine, ...]:
        spoilt, at = self._of(p), int(self.answer(p)) - 1
        lines = list(self.code.parts)
        lines[at] = replace(lines[at], text=lines[at].text.replace(spoilt.old, spoilt.new, 1))
        return tuple(lines)

    def printed(self, p: Program[S]) -> tuple[Printed, ...]:
        """The listing and the numbers that it is given."""
        lines = self._lines(p)
        both = zip(in_language(lines, "en"), in_language(lines, "zh"), strict=True)
        numbers = f"\n\n{self.code.numbers(p.scenario)}print({self.code.call})".splitlines()
        return (
            *(Printed(Text(en.text, zh.text), _is_open(en)) for en, zh in both),
            *(Printed(same(line)) for line in numbers),
        )

    @cached_property
    def _outcome(self) -> Callable[[tuple[CodeLine, ...], S], Text]:
        """What a program gives, as it is written, or the error it stops with."""

        @lru_cache(maxsize=64)
        def outcome(lines: tuple[CodeLine, ...], scenario: S) -> Text:
            program = "\n".join(line.text for line in lines)
            try:
                return same(written(evaluated(program, self.code.given(scenario), self.code.call)))
            except Exception as stopped:  # a spoilt line may do anything
                error = type(stopped).__name__
                return Text(f"an error, {error}", f"错误 {error}")

        return outcome

    def gives(self, p: Program[S]) -> Text:
        return self._outcome(self._lines(p), p.scenario)

    def should_give(self, p: Program[S]) -> Text:
        return self._outcome(self.code.parts, p.scenario)

    def asked(self, p: Program[S]) -> Text:
        gives, should = self.gives(p), self.should_give(p)
        if gives == should:
            return Told(
                "One line of this program is wrong, although with these numbers it gives {should}, as it should. "
                "Which line?",
                "这个程序有一行是错的，只是用这些数时碰巧给出了正确的结果 {should}。是哪一行？",
            ).on(should=should)
        return Told(
            "With the numbers below it, this program gives {gives}. It should give {should}. Which line is wrong?",
            "用下方的数，这个程序给出 {gives}，而应当给出 {should}。哪一行错了？",
        ).on(gives=gives, should=should)

    def invented(self, rng: random.Random, invent: Callable[[random.Random], S]) -> Program[S]:
        for _ in range(DRAWS):
            p = Program(invent(rng), rng.randint(1, len(self.spoilt)))
            if self.gives(p) != self.should_give(p):
                return p
        raise RuntimeError("spoilt: no numbers show a slip")

    @property
    def slips(self) -> tuple[Slip[Program[S]], ...]:
        return tuple(self._doubted(n) for n in self._open)

    def _doubted(self, n: int) -> Slip[Program[S]]:
        why = self._why(n)
        assert why is not None
        said = Told("Line {n} is right. ", "第 {n} 行是对的。").on(n=n)
        return Slip(
            f"line-{n}",
            Text(f"Doubted line {n}", f"怀疑了第 {n} 行"),
            lambda p: None if self.answer(p) == n else float(n),
            lambda p: said + say(why, p.scenario),
        )

    def worked(self, p: Program[S]) -> Text:
        spoilt = self._of(p)
        mended = Told("Line {n} should be `{old}`. ", "第 {n} 行应当是 `{old}`。")
        return mended.on(n=int(self.answer(p)), old=spoilt.old) + say(spoilt.why, p.scenario)

    def way(self, p: Program[S]) -> S:
        """The lesson's own run of the mistake, where it has one; else the right way."""
        mistake = self._of(p).mistake
        return p.scenario if mistake is None else replace(p.scenario, mistake=mistake)  # type: ignore[type-var]

    def rows(self, p: Program[S]) -> tuple[Row, ...]:
        n = int(self.answer(p))
        name, first, last = self._function(n)
        return (
            Row(Text("What it gives", "它给出"), f"`{self.code.call}`", self.gives(p)),
            Row(Text("What it should give", "它应当给出"), f"`{self.code.check}`", self.should_give(p)),
            Row(Text("The function to look at", "要看的函数"), f"`{name}`", _span(first, last)),
            Row(Text("The line, as it should be", "这一行应当是"), f"`{self._of(p).old}`", same(str(n))),
        )

    def _function(self, n: int) -> tuple[str, int, int]:
        """The function in which a line stands, its first line and its last."""
        starts = [i for i, code in enumerate(self._codes, 1) if code.startswith("def ")]
        first = max(i for i in starts if i < n)
        end = min((i for i in starts if i > n), default=len(self._codes) + 1)
        last = max(i for i in self._open if i < end)
        return self._codes[first - 1].removeprefix("def ").partition("(")[0], first, last


def _span(first: int, last: int) -> Text:
    return Text(f"lines {first} to {last}", f"第 {first} 至 {last} 行")


def _with_program(form: Form[S], inputs: S, n: int) -> Form[Program[S]]:
    """The fields of the numbers, and which of the spoilt programs it is."""
    which = Whole("program", Text("Program", "程序"), 1, n)

    def apart(p: Program[S]) -> Mapping[str, Any]:
        return {**form.taken_apart(p.scenario), which.name: p.program}

    def build(values: Mapping[str, Any]) -> Program[S]:
        return Program(form.made(values, inputs), values[which.name])

    return Form((*form.controls, which), build, apart, groups=form.groups)
