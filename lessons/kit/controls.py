"""What a reader may edit: each control reads what was typed, or says in both languages what would be right.

The same text comes from a field on the page and from the query string of a link, and is read by the same code.
"""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from lessons.kit.format import MINUS, short
from lessons.kit.text import Text, literal

S = TypeVar("S")

MOST_TYPED = 20_000  # characters of a table
MOST_NUMBER = 1000  # characters where numbers are typed; no field takes as many


class BadInput(ValueError):
    """What was typed cannot be used; `complaints` are sentences that name the field and what would be right."""

    def __init__(self, *complaints: Text) -> None:
        super().__init__("; ".join(c.en for c in complaints))
        self.complaints = complaints


class Control(Protocol):
    """One thing to edit. `name` is its key in the query string, `label` its name on the page."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> Text: ...
    def read(self, typed: str) -> Any:
        """The value, or BadInput."""

    def write(self, value: Any) -> str:
        """What would have to be typed for this value."""


def shown(typed: str, most: int = 20) -> str:
    """What was typed, cut short and safe inside a sentence of Markdown."""
    plain = "".join(c for c in typed if not unicodedata.category(c).startswith("C")).strip()
    return literal(plain[:most] + ("…" if len(plain) > most else ""))


def ascii_number(typed: str) -> str:
    """Full-width digits and signs, and the typographic minus, as the characters Python's float reads.

    What is longer than any number is left as it is: a link may carry any length, and of combining characters in a row
    `normalize` makes work of the square of their number."""
    plain = typed if len(typed) > MOST_NUMBER else unicodedata.normalize("NFKC", typed)
    return plain.strip().replace(MINUS, "-").replace("﹣", "-")


def real(typed: str) -> float:
    """A number as it may be typed, or ValueError. No underscores, no NaN; ±∞ only where written so."""
    plain = ascii_number(typed).lower()
    infinite = {"-inf": -math.inf, "-∞": -math.inf, "-infinity": -math.inf}
    if plain in infinite:
        return infinite[plain]
    if len(plain) > 40 or not plain or set(plain) - set("0123456789.+-e"):
        raise ValueError("not a number")
    x = float(plain)
    if not math.isfinite(x):
        raise ValueError("not finite")
    return x + 0.0


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`."""

    name: str
    label: Text
    low: int
    high: int

    def read(self, typed: str) -> int:
        plain = ascii_number(typed)
        if (
            len(plain) <= 12
            and plain.isascii()
            and plain.removeprefix("-").isdigit()
            and self.low <= int(plain) <= self.high
        ):
            return int(plain)
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

    def read(self, typed: str) -> float:
        try:
            x = real(typed)
            if self.low <= x <= self.high:
                return x
        except ValueError:
            pass
        low, high = short(self.low), short(self.high)
        raise BadInput(
            Text(
                f"**{self.label.en}** must be a number from {low} to {high}; it reads “{shown(typed)}”.",
                f"**{self.label.zh}**应为 {low} 到 {high} 的数，现在是“{shown(typed)}”。",
            )
        )

    def write(self, value: float) -> str:
        return typed_number(value)


@dataclass(frozen=True)
class Choice:
    """One of a few named values. With `short`, a briefer label, the player itself offers it, not the form."""

    name: str
    label: Text
    options: tuple[tuple[str, Text], ...]
    short: Text | None = None

    def read(self, typed: str) -> str:
        if typed in dict(self.options):
            return typed
        en, zh = (
            ", ".join(f"“{name.en}”" for _, name in self.options),
            "".join(f"“{name.zh}”" for _, name in self.options),
        )
        raise BadInput(
            Text(
                f"**{self.label.en}** must be one of {en}; it reads “{shown(typed)}”.",
                f"**{self.label.zh}**：应为{zh}之一，现在是“{shown(typed)}”。",
            )
        )

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True)
class Line:
    """A short line of words, read further by the form it stands in (a reading order, say)."""

    name: str
    label: Text
    help: Text
    most: int = 200

    def read(self, typed: str) -> str:
        if len(typed) > self.most:
            raise BadInput(
                Text(
                    f"**{self.label.en}** may have at most {self.most} characters; it has {len(typed)}.",
                    f"**{self.label.zh}**最多 {self.most} 个字符，现在有 {len(typed)} 个。",
                )
            )
        return typed.strip()

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True)
class Row:
    """One key as typed and understood: its label, its score (−∞ where masked), its value."""

    label: str
    score: float
    value: tuple[float, ...]


@dataclass(frozen=True)
class KeyTable:
    """A small table of keys: a label, a score and 1 to `most_values` numbers each; CSV in the query string.

    Blank rows are skipped and blank trailing columns mean fewer value numbers; a blank label is given a letter.
    """

    name: str
    label: Text
    most_rows: int = 16
    most_values: int = 4
    most_label: int = 12
    bound: float = 1e6

    @property
    def columns(self) -> tuple[Text, ...]:
        """Heads of the columns, left to right."""
        values = (Text(f"v{i + 1}", f"v{i + 1}") for i in range(self.most_values))
        return (Text("label", "标签"), Text("score", "分数"), *values)

    def cells(self, typed: str) -> list[list[str]]:
        """The table as it was typed, good or bad, every row as long as `columns`; blank rows are left out."""
        width = len(self.columns)
        return [line[:width] + [""] * (width - len(line)) for line in _lines(typed)]

    def typed(self, cells: list[list[str]]) -> str:
        """The inverse of `cells`."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for line in cells:
            while line and not line[-1].strip():
                line = line[:-1]
            if line:
                writer.writerow(line)
        return out.getvalue().rstrip("\n")

    def read(self, typed: str) -> tuple[Row, ...]:
        if len(typed) > MOST_TYPED:
            raise BadInput(
                Text(
                    f"**{self.label.en}** may have at most {MOST_TYPED} characters in all; it has {len(typed)}.",
                    f"**{self.label.zh}**总共最多 {MOST_TYPED} 个字符，现在有 {len(typed)} 个。",
                )
            )
        lines = _lines(typed)
        if not 1 <= len(lines) <= self.most_rows:
            raise BadInput(
                Text(
                    f"**{self.label.en}** needs 1 to {self.most_rows} rows, one for each key; it has {len(lines)}.",
                    f"**{self.label.zh}**需要 1 到 {self.most_rows} 行，每个键一行；现在有 {len(lines)} 行。",
                )
            )
        complaints: list[Text] = []
        rows = [self._row(i, line, complaints) for i, line in enumerate(self.cells(typed))]
        widths = [str(max(0, len(line) - 2)) for line in lines]
        if not complaints and (len(set(widths)) > 1 or not 1 <= int(widths[0]) <= self.most_values):
            complaints.append(
                Text(
                    f"**{self.label.en}**: every row needs the same number of values, 1 to {self.most_values}; the "
                    "rows "
                    f"have {', '.join(widths)}.",
                    f"**{self.label.zh}**：每行的数值个数必须相同，为 1 到 {self.most_values} 个；现在各行有 "
                    f"{'、'.join(widths)} 个。",
                )
            )
        if complaints:
            raise BadInput(*complaints)
        return tuple(rows)

    def _row(self, i: int, line: list[str], complaints: list[Text]) -> Row:
        label = line[0].strip() or chr(ord("A") + i)
        if len(label) > self.most_label or any(unicodedata.category(c)[0] == "C" for c in label):
            complaints.append(
                Text(
                    f"**{self.label.en}**, row {i + 1}, label: 1 to {self.most_label} visible characters; it has "
                    f"{len(label)} (“{shown(label)}”).",
                    f"**{self.label.zh}**第 {i + 1} 行的标签：1 到 {self.most_label} 个可见字符；现在有 {len(label)} 个"
                    f"（“{shown(label)}”）。",
                )
            )
        value = line[2:]
        while value and not value[-1].strip():
            value = value[:-1]
        score = self._number(i, self.columns[1], line[1], complaints, masked=True)
        numbers = tuple(
            self._number(i, self.columns[2 + j], cell, complaints, masked=False) for j, cell in enumerate(value)
        )
        return Row(label, score, numbers)

    def _number(self, i: int, column: Text, cell: str, complaints: list[Text], *, masked: bool) -> float:
        try:
            x = real(cell)
            if abs(x) <= self.bound or (masked and x == -math.inf):
                return x
        except ValueError:
            pass
        bound = short(self.bound)
        complaints.append(
            Text(
                f"**{self.label.en}**, row {i + 1}, {column.en}: a number from −{bound} to {bound}"
                f"{', or `-inf` where the key is masked' if masked else ''}; it reads “{shown(cell)}”.",
                f"**{self.label.zh}**第 {i + 1} 行的{column.zh}：应为 −{bound} 到 {bound} 的数"
                f"{'，被屏蔽的键写 `-inf`' if masked else ''}；现在是“{shown(cell)}”。",
            )
        )
        return 0.0

    def write(self, value: tuple[Row, ...]) -> str:
        return self.typed([[r.label, typed_number(r.score), *map(typed_number, r.value)] for r in value])


def _lines(typed: str) -> list[list[str]]:
    """CSV as rows of cells without blank cells at their ends; blank rows are left out."""
    lines = []
    for line in csv.reader(io.StringIO(typed[:MOST_TYPED], newline=None)):  # None: a lone \r ends a row, too
        while line and not line[-1].strip():
            line.pop()
        if line:
            lines.append(line)
    return lines


def typed_number(x: float) -> str:
    """The shortest text that reads back as `x`."""
    if x == -math.inf:
        return "-inf"
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


@dataclass(frozen=True)
class Form(Generic[S]):
    """The controls of one Scenario: `build` makes it from their values (or raises BadInput), `values` takes it
    apart."""

    controls: tuple[Control, ...]
    build: Callable[[Mapping[str, Any]], S]
    values: Callable[[S], Mapping[str, Any]]
    groups: tuple[tuple[Text, tuple[str, ...]], ...] = ()  # headings over some of the controls, by their names

    def read(self, typed: Mapping[str, str], default: S) -> S:
        """The Scenario that `typed` describes; what it leaves out is taken from `default`.

        Raises BadInput with a complaint for each field that cannot be used.
        """
        complaints: list[Text] = []
        values = dict(self.values(default))
        for control in self.controls:
            if control.name in typed:
                try:
                    values[control.name] = control.read(typed[control.name])
                except BadInput as bad:
                    complaints += bad.complaints
        if complaints:
            raise BadInput(*complaints)
        return self.build(values)

    def write(self, scenario: S) -> dict[str, str]:
        """What would have to be typed for this Scenario, by control."""
        values = self.values(scenario)
        return {control.name: control.write(values[control.name]) for control in self.controls}
