"""A small table of keys as a control: a label, a score and a few numbers each; CSV in the query string."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from dataclasses import dataclass

from lessons.kit.controls import BadInput, Complaint, about, real, typed_number
from lessons.kit.format import short
from lessons.kit.text import Text, shown

MOST_TYPED = 20_000  # characters


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
    of: str = ""

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
                about(
                    self,
                    f"may have at most {MOST_TYPED} characters in all; it has {len(typed)}.",
                    f"总共最多 {MOST_TYPED} 个字符，现在有 {len(typed)} 个。",
                )
            )
        lines = _lines(typed)
        if not 1 <= len(lines) <= self.most_rows:
            raise BadInput(
                about(
                    self,
                    f"needs 1 to {self.most_rows} rows, one for each key; it has {len(lines)}.",
                    f"需要 1 到 {self.most_rows} 行，每个键一行；现在有 {len(lines)} 行。",
                )
            )
        complaints: list[Complaint] = []
        rows = [self._row(i, line, complaints) for i, line in enumerate(self.cells(typed))]
        widths = [str(max(0, len(line) - 2)) for line in lines]
        if not complaints and (len(set(widths)) > 1 or not 1 <= int(widths[0]) <= self.most_values):
            complaints.append(
                about(
                    self,
                    f": every row needs the same number of values, 1 to {self.most_values}; the "
                    "rows "
                    f"have {', '.join(widths)}.",
                    f"：每行的数值个数必须相同，为 1 到 {self.most_values} 个；现在各行有 {'、'.join(widths)} 个。",
                )
            )
        if complaints:
            raise BadInput(*complaints)
        return tuple(rows)

    def _row(self, i: int, line: list[str], complaints: list[Complaint]) -> Row:
        label = line[0].strip() or chr(ord("A") + i)
        if len(label) > self.most_label or any(unicodedata.category(c)[0] == "C" for c in label):
            complaints.append(
                about(
                    self,
                    f", row {i + 1}, label: 1 to {self.most_label} visible characters; it has "
                    f"{len(label)} (“{shown(label)}”).",
                    f"第 {i + 1} 行的标签：1 到 {self.most_label} 个可见字符；现在有 {len(label)} 个"
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

    def _number(self, i: int, column: Text, cell: str, complaints: list[Complaint], *, masked: bool) -> float:
        try:
            x = real(cell)
            if abs(x) <= self.bound or (masked and x == -math.inf):
                return x
        except ValueError:
            pass
        bound = short(self.bound)
        complaints.append(
            about(
                self,
                f", row {i + 1}, {column.en}: a number from −{bound} to {bound}"
                f"{', or `-inf` where the key is masked' if masked else ''}; it reads “{shown(cell)}”.",
                f"第 {i + 1} 行的{column.zh}：应为 −{bound} 到 {bound} 的数"
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
