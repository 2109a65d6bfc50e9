"""A figure of the bench, and the table of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured number. Without a target it is there for information."""

    name: str
    value: float
    unit: str
    target: float | None = None  # the value should not be above it
    note: str = ""

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.value <= self.target


@dataclass(frozen=True)
class Section:
    """Figures measured together, and how. `failure` says why there are none."""

    title: str
    how: str
    figures: tuple[Figure, ...] = ()
    failure: str = ""


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    """The 95th percentile, between the two nearest values.

    >>> round(p95(range(101)), 1)
    95.0
    """
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def table(sections: Sequence[Section]) -> str:
    """The figures below each other, one line each."""
    lines = []
    for section in sections:
        lines += ["", section.title, f"  {section.how}"]
        lines += [_line(figure) for figure in section.figures]
        if section.failure:
            lines.append(f"  NOT MEASURED: {section.failure}")
    return "\n".join(lines).lstrip("\n")


def grid(rows: Sequence[Section], head: str) -> str:
    """Sections with the same figures as the rows of one table.

    >>> slow, fast = (Figure("a step", x, "ms", 16.7) for x in (20.4, 4.71))
    >>> failed = Section("none", "", failure="why")
    >>> print(grid([Section("one", "", (slow,)), Section("two", "", (fast,)), failed], "lesson"))
        lesson              a step
                                ms
        target                16.7
        one                   20.4!
        two                   4.71
        none              NOT MEASURED: why
    """
    measured = [row.figures for row in rows if row.figures]
    columns = list(zip(*measured, strict=True))
    targets = [sorted({f.target for f in column if f.target is not None}) for column in columns]
    lines = [
        _row(head, [column[0].name for column in columns]),
        _row("", [column[0].unit for column in columns]),
        _row("target", ["/".join(map(number, target)) for target in targets]),
    ]
    for row in rows:
        cells = [number(figure.value) + "!" * (figure.met is False) for figure in row.figures]
        lines.append(_row(row.title, cells) if cells else f"    {row.title:<16}  NOT MEASURED: {row.failure}")
    return "\n".join(lines)


def _row(head: str, cells: Sequence[str]) -> str:
    """Columns flush right, but for the mark of a missed target, which stands behind its number."""
    return f"    {head:<16}" + "".join(f"{cell:>9}" if cell.endswith("!") else f"{cell:>8} " for cell in cells).rstrip()


def _line(figure: Figure) -> str:
    """
    >>> _line(Figure("frames per step", 0, "", 0))
    '    frames per step                                        0         target <= 0        met'
    >>> _line(Figure("a step", 4.71, "ms", note="12 steps"))
    '    a step                                              4.71 ms                              12 steps'
    """
    target = "" if figure.target is None else f"target <= {number(figure.target)} {figure.unit}".rstrip()
    verdict = {True: "met", False: "MISSED", None: ""}[figure.met]
    return (
        f"    {figure.name:<42} {number(figure.value):>12} {figure.unit:<5}  {target:<18} {verdict:<7} {figure.note}"
    ).rstrip()


def number(x: float) -> str:
    """Three figures, or all digits of a large one.

    >>> number(0), number(4.712), number(16.66), number(999.7), number(79348), number(-0.04)
    ('0', '4.71', '16.7', '1 000', '79 348', '-0.04')
    """
    if abs(x) >= 100:
        return f"{x:,.0f}".replace(",", " ")
    return f"{x:.3g}"
