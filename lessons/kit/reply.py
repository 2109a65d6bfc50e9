"""How a question is answered. Every answer is a few numbers, whatever the reader does to give them.

| kind | the reader | the numbers | as text |
|---|---|---|---|
| number | types one, with a unit where it has one | the quantity, in the unit asked | `4 GiB` |
| vector | types several | themselves | `7.10, 5.34` |
| choice | picks one option | its place from 1 | `2` |
| order | puts the options in order | their places from 1, first to last | `3, 1, 2` |
| cells | ticks cells of a table | 1 for a ticked cell and 0 for the others, row by row | `0 1 1, 0 0 1` |
| error | marks the wrong claim, and what it should say | the claim's place and the correction's, from 1 | `2, 1` |
| line | marks the wrong line of a program | its number, from 1 | `12` |

The text is what a link, a browser's storage or a sheet carries.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from lessons.kit.arithmetic import read_numbers
from lessons.kit.controls import BadInput
from lessons.kit.format import count, fixed
from lessons.kit.text import Text, listed, same, shown
from lessons.kit.told import Words, say
from lessons.kit.units import PLAIN, Unit, read_quantity

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)
Answer = tuple[float, ...]
Options = tuple[Words[S], ...] | Callable[[S], tuple[Text, ...]]


def offered(options: Options[S], inputs: S) -> tuple[Text, ...]:
    """What can be chosen on these inputs."""
    return tuple(say(option, inputs) for option in options) if isinstance(options, tuple) else options(inputs)


class Reply(Protocol[S_contra]):
    """One way of answering. `n` is how many numbers the right answer has."""

    kind: ClassVar[str]

    def read(self, typed: str, inputs: S_contra, n: int) -> tuple[Answer, ...]:
        """What the text may mean, the likeliest first. Raises BadInput where it is no answer at all."""

    def write(self, answer: Answer, inputs: S_contra) -> Text:
        """An answer in words, for those who read it; one line."""


@dataclass(frozen=True)
class Number:
    """One number, in `unit` unless another unit is typed."""

    unit: Unit = PLAIN
    kind: ClassVar[str] = "number"

    def read(self, typed: str, inputs: Any, n: int) -> tuple[Answer, ...]:
        return tuple((x,) for x in read_quantity(typed, self.unit))

    def write(self, answer: Answer, inputs: Any) -> Text:
        return self.unit.after(exactly(answer))


@dataclass(frozen=True)
class Vector:
    """Several numbers in their order."""

    kind: ClassVar[str] = "vector"

    def read(self, typed: str, inputs: Any, n: int) -> tuple[Answer, ...]:
        return read_numbers(typed, n)

    def write(self, answer: Answer, inputs: Any) -> Text:
        return same(exactly(answer))


@dataclass(frozen=True)
class Pick(Generic[S]):
    """One of a few options. Where numbers that were typed make two of them read alike, either stands for both."""

    among: Options[S]
    kind: ClassVar[str] = "choice"

    def options(self, inputs: S) -> tuple[Text, ...]:
        return offered(self.among, inputs)

    def read(self, typed: str, inputs: S, n: int) -> tuple[Answer, ...]:
        options = self.options(inputs)
        n = len(options)
        (place,) = _places(typed, 1, n, Text(f"one of the {n} options", f"{n} 个选项中的一个"))
        return tuple((float(i),) for i, option in enumerate(options, 1) if option == options[int(place) - 1])

    def write(self, answer: Answer, inputs: S) -> Text:
        return self.options(inputs)[int(answer[0]) - 1]


@dataclass(frozen=True)
class Order(Generic[S]):
    """All options, put in order. They are offered as they stand here, which must not be the right order."""

    among: Options[S]
    kind: ClassVar[str] = "order"

    def options(self, inputs: S) -> tuple[Text, ...]:
        return offered(self.among, inputs)

    def untouched(self, inputs: S) -> str:
        """The answer of a reader who has moved nothing."""
        return ", ".join(str(i + 1) for i in range(len(self.options(inputs))))

    def read(self, typed: str, inputs: S, n: int) -> tuple[Answer, ...]:
        right = Text(f"an order: each of the places 1 to {n} once", f"一个顺序：位置 1 到 {n} 各一次")
        places = _places(typed, n, n, right)
        if len(set(places)) != n:
            raise _bad(typed, right)
        return (places,)

    def write(self, answer: Answer, inputs: S) -> Text:
        options = self.options(inputs)
        steps = [options[int(place) - 1] for place in answer]
        return Text(" → ".join(step.en for step in steps), " → ".join(step.zh for step in steps))


@dataclass(frozen=True)
class Tick(Generic[S]):
    """Cells of a small table, ticked or not; every cell counts."""

    down: Options[S]
    across: Options[S]
    kind: ClassVar[str] = "cells"

    def rows(self, inputs: S) -> tuple[Text, ...]:
        return offered(self.down, inputs)

    def columns(self, inputs: S) -> tuple[Text, ...]:
        return offered(self.across, inputs)

    def untouched(self, inputs: S) -> str:
        """The answer of a reader who has ticked nothing."""
        return "0" * (len(self.rows(inputs)) * len(self.columns(inputs)))

    def read(self, typed: str, inputs: S, n: int) -> tuple[Answer, ...]:
        marks = typed.replace(",", "").replace(" ", "")[: n + 1]
        if len(marks) != n or set(marks) - {"0", "1"}:
            raise _bad(typed, Text(f"{n} cells, each ticked (1) or not (0)", f"{n} 个格子，勾选为 1，否则为 0"))
        return (tuple(map(float, marks)),)

    def write(self, answer: Answer, inputs: S) -> Text:
        rows, columns = self.rows(inputs), self.columns(inputs)
        lines = []
        for i, row in enumerate(rows):
            ticked = [c for c, mark in zip(columns, answer[i * len(columns) :], strict=False) if mark]
            if ticked:
                names = listed(tuple(c.en for c in ticked)).en, listed(tuple(c.zh for c in ticked)).zh
                lines.append(
                    Text(
                        f"{row.en}: {names[0]}" if row.en else names[0], f"{row.zh}：{names[1]}" if row.zh else names[1]
                    )
                )
        if not lines:
            return Text("none", "一个也没有")
        return Text("; ".join(line.en for line in lines), "；".join(line.zh for line in lines))


@dataclass(frozen=True)
class Claim:
    """A sentence that may be wrong, and what it might say instead: the same number of corrections for every claim."""

    said: Text
    corrections: tuple[Text, ...]


@dataclass(frozen=True)
class Find(Generic[S]):
    """Several claims of which one is wrong: which, and what should it say? What reads alike is the same answer, as
    with `Pick`."""

    claims: Callable[[S], tuple[Claim, ...]]
    kind: ClassVar[str] = "error"

    def read(self, typed: str, inputs: S, n: int) -> tuple[Answer, ...]:
        claims = self.claims(inputs)
        right = Text("the wrong claim and what it should say", "错误的那条说法，以及它应当怎么说")
        claim, correction = _places(typed, 2, max(len(claims), len(claims[0].corrections)), right)
        if claim > len(claims) or correction > len(claims[int(claim) - 1].corrections):
            raise _bad(typed, right)
        chosen = claims[int(claim) - 1]
        mended = chosen.corrections[int(correction) - 1]
        return tuple(
            (float(i), float(j))
            for i, one in enumerate(claims, 1)
            for j, option in enumerate(one.corrections, 1)
            if one.said == chosen.said and option == mended
        )

    def write(self, answer: Answer, inputs: S) -> Text:
        claim = self.claims(inputs)[int(answer[0]) - 1]
        right = claim.corrections[int(answer[1]) - 1]
        return Text(
            f"“{claim.said.en}” is wrong: it should say “{right.en}”",
            f"“{claim.said.zh}”是错的，应当是“{right.zh}”",
        )


@dataclass(frozen=True)
class Printed:
    """A line of a program. `open`: it may be the wrong one."""

    text: Text
    open: bool = False

    @property
    def code(self) -> str:
        """Without its comment and what stands before it."""
        return self.text.en.partition("  # ")[0].strip()


@dataclass(frozen=True)
class Mark(Generic[S]):
    """The lines of a program of which one is wrong: which? Lines are counted from 1."""

    program: Callable[[S], tuple[Printed, ...]]
    kind: ClassVar[str] = "line"

    def read(self, typed: str, inputs: S, n: int) -> tuple[Answer, ...]:
        lines = self.program(inputs)
        right = Text("the number of a line that does something", "一行语句的行号")
        (place,) = _places(typed, 1, len(lines), right)
        if not lines[int(place) - 1].open:
            raise _bad(typed, right)
        return ((place,),)

    def write(self, answer: Answer, inputs: S) -> Text:
        n = int(answer[0])
        code = self.program(inputs)[n - 1].code
        return Text(f"line {n}: `{code}`", f"第 {n} 行：`{code}`")


def _places(typed: str, n: int, most: int, right: Text) -> Answer:
    """`n` places from 1 to `most`; a complaint asks for `right`."""
    parts = typed[:200].replace(",", " ").split()
    if len(parts) != n or not all(p.isascii() and p.isdigit() and len(p) < 4 and 1 <= int(p) <= most for p in parts):
        raise _bad(typed, right)
    return tuple(map(float, parts))


def _bad(typed: str, right: Text) -> BadInput:
    read = shown(typed)
    return BadInput(
        Text(
            f"**Your answer** must be {right.en}; it reads “{read}”."
            if read
            else f"**Your answer** is missing: choose {right.en}.",
            f"**你的答案**应为{right.zh}；现在是“{read}”。" if read else f"**你的答案**还没有给出：请给出{right.zh}。",
        )
    )


def exactly(answer: Answer) -> str:
    """An answer with the digits a reader can carry on with; whole numbers in full.

    >>> exactly((0.13533528, 65536.0)), exactly((float("-inf"),))
    ('0.135335, 65\\u202f536', '−∞')
    """
    return ", ".join(count(int(x)) if abs(x) < 1e15 and x == int(x) else fixed(x, 6) for x in answer)
