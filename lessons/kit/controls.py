"""What a reader may edit: each control reads what was typed, or says in both languages what would be right.

The same text comes from a field on the page and from the query string of a link, and is read by the same code.
"""

from __future__ import annotations

import contextlib
import math
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Protocol, TypeVar

from lessons.kit.expression import MOST_TYPED, Unreadable, plain, readings
from lessons.kit.format import MINUS, short
from lessons.kit.text import Text
from lessons.kit.text import shown as shown

MOST_NUMBER = 1000  # characters where numbers are typed; no field takes as many


@dataclass(frozen=True)
class Complaint(Text):
    """A sentence that names a field and what would be right; `field` is the name of its control, empty where it has
    none."""

    field: str = ""


class BadInput(ValueError):
    """What was typed cannot be used."""

    def __init__(self, *complaints: Text) -> None:
        super().__init__("; ".join(c.en for c in complaints))
        self.complaints = tuple(c if isinstance(c, Complaint) else Complaint(c.en, c.zh) for c in complaints)


class Control(Protocol):
    """One thing to edit. `name` is its key in the query string, `label` its name on the page, `of` the attribute of the
    Scenario that it edits, with points where that lies deeper; empty where that is called like the control."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> Text: ...
    @property
    def of(self) -> str: ...
    def read(self, typed: str) -> Any:
        """The value, or BadInput."""

    def write(self, value: Any) -> str:
        """What would have to be typed for this value."""


C = TypeVar("C", bound=Control)


def about(control: Control, en: str, zh: str) -> Complaint:
    """A complaint about what stands in this field, which it names first."""
    space = "" if en.startswith((",", ":")) else " "
    return Complaint(f"**{control.label.en}**{space}{en}", f"**{control.label.zh}**{zh}", control.name)


def within(part: str, control: C) -> C:
    """The same field where its Scenario is a part of what is edited.

    >>> within("model", Whole("layers", Text("Layers", "层数"), 1, 9, of="n_layers")).of
    'model.n_layers'
    """
    return replace(control, of=f"{part}.{control.of or control.name}")  # type: ignore[type-var]


def ascii_number(typed: str) -> str:
    """Full-width digits and signs, and the typographic minus, as the characters Python's float reads.

    What is longer than any number is left as it is: a link may carry any length, and of combining characters in a row
    `normalize` makes work of the square of their number."""
    plain = typed if len(typed) > MOST_NUMBER else unicodedata.normalize("NFKC", typed)
    return plain.strip().replace(MINUS, "-").replace("﹣", "-")


def real(typed: str) -> float:
    """A number as it may be typed, or ValueError: arithmetic, and ±∞ where written so. No underscores, no NaN."""
    infinite = {"-inf": -math.inf, "-∞": -math.inf, "-infinity": -math.inf}
    if (spelled := ascii_number(typed).lower()) in infinite:
        return infinite[spelled]
    (x,) = _meant(typed)
    return x


def _meant(typed: str) -> tuple[float, ...]:
    """What a typed number may mean. Raises ValueError where it means nothing."""
    if len(typed) > MOST_TYPED:
        raise ValueError("longer than any number")
    try:
        return tuple(x + 0.0 for x in readings(plain(typed)))
    except Unreadable:
        raise ValueError("not a number") from None


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`."""

    name: str
    label: Text
    low: int
    high: int
    of: str = ""

    def read(self, typed: str) -> int:
        with contextlib.suppress(ValueError):
            for x in _meant(typed):
                if x == int(x) and self.low <= x <= self.high:
                    return int(x)
        raise BadInput(
            Text(
                f"**{self.label.en}** must be a whole number from {self.low} to {self.high}; it reads "
                f"“{shown(typed)}”.",
                f"**{self.label.zh}**应为 {self.low} 到 {self.high} 的整数，现在是“{shown(typed)}”。",
            )
        )

    def write(self, value: int) -> str:
        return str(value)


@dataclass(frozen=True)
class OptionalWhole:
    """A whole number from `low` to `high`, or nothing at all, which reads as None; `empty` says what holds then."""

    name: str
    label: Text
    low: int
    high: int
    empty: Text
    of: str = ""

    def read(self, typed: str) -> int | None:
        return Whole(self.name, self.label, self.low, self.high).read(typed) if typed.strip() else None

    def write(self, value: int | None) -> str:
        return "" if value is None else str(value)


@dataclass(frozen=True)
class Real:
    """A finite number from `low` to `high`."""

    name: str
    label: Text
    low: float
    high: float
    of: str = ""

    def read(self, typed: str) -> float:
        found = []
        with contextlib.suppress(ValueError):
            found = [x for x in _meant(typed) if self.low <= x <= self.high]
        if len(found) == 1:
            return found[0]
        if found:
            one, other = (typed_number(x) for x in found)
            raise BadInput(
                about(
                    self,
                    f"may be {one} or {other}: write it without the comma.",
                    f"既可读作 {one}，也可读作 {other}：请不要写逗号。",
                )
            )
        low, high = short(self.low), short(self.high)
        raise BadInput(
            about(
                self,
                f"must be a number from {low} to {high}; it reads “{shown(typed)}”.",
                f"应为 {low} 到 {high} 的数，现在是“{shown(typed)}”。",
            )
        )

    def write(self, value: float) -> str:
        return typed_number(value)


@dataclass(frozen=True)
class OptionalReal:
    """A finite number from `low` to `high`, or nothing at all, which reads as None; `empty` says what holds then."""

    name: str
    label: Text
    low: float
    high: float
    empty: Text
    of: str = ""

    def read(self, typed: str) -> float | None:
        return Real(self.name, self.label, self.low, self.high).read(typed) if typed.strip() else None

    def write(self, value: float | None) -> str:
        return "" if value is None else typed_number(value)


@dataclass(frozen=True)
class Choice:
    """One of a few named values. With `short`, a briefer label, the player itself offers it, not the form.

    `options` are what is typed for each and its words; `values` what they mean, the typed text itself if left out.
    """

    name: str
    label: Text
    options: tuple[tuple[str, Text], ...]
    short: Text | None = None
    of: str = ""
    values: tuple[Any, ...] = ()

    @classmethod
    def among(
        cls, name: str, label: Text, named: Mapping[Any, Text], *, short: Text | None = None, of: str = ""
    ) -> Choice:
        """Of these values: an Enum's member is typed as its value, anything else as Python writes it.

        >>> Choice.among("bits", Text("Bits", "位数"), {16: Text("16 bits", "16 位")}).read("16")
        16
        """
        typed = tuple(str(value.value if isinstance(value, Enum) else value) for value in named)
        return cls(name, label, tuple(zip(typed, named.values(), strict=True)), short, of, tuple(named))

    @property
    def _meaning(self) -> dict[str, Any]:
        typed = [typed for typed, _ in self.options]
        return dict(zip(typed, self.values or typed, strict=True))

    def read(self, typed: str) -> Any:
        if typed in self._meaning:
            return self._meaning[typed]
        en, zh = (
            ", ".join(f"“{name.en}”" for _, name in self.options),
            "".join(f"“{name.zh}”" for _, name in self.options),
        )
        raise BadInput(
            about(
                self,
                f"must be one of {en}; it reads “{shown(typed)}”.",
                f"：应为{zh}之一，现在是“{shown(typed)}”。",
            )
        )

    def write(self, value: Any) -> str:
        return next((typed for typed, meant in self._meaning.items() if meant == value), str(value))


@dataclass(frozen=True)
class Line:
    """A short line of words; `parse` makes a value of it, or raises BadInput, and `show` writes that value again."""

    name: str
    label: Text
    help: Text
    most: int = 200
    of: str = ""
    parse: Callable[[Line, str], Any] | None = None
    show: Callable[[Any], str] = str

    def read(self, typed: str) -> Any:
        if len(typed) > self.most:
            raise BadInput(
                about(
                    self,
                    f"may have at most {self.most} characters; it has {len(typed)}.",
                    f"最多 {self.most} 个字符，现在有 {len(typed)} 个。",
                )
            )
        return typed.strip() if self.parse is None else self.parse(self, typed.strip())

    def write(self, value: Any) -> str:
        return self.show(value)


def typed_number(x: float) -> str:
    """The shortest text that reads back as `x`."""
    if x == -math.inf:
        return "-inf"
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)
