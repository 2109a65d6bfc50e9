"""The program beside the picture: a listing of plain Python, the lines that a step runs, a mistake as other lines.

A listing is a real module (`lessons/<slug>/listing.py`). At the end of a line `# @shrink` marks it as a part; a comment
`# en | zh` is shown in the reader's language. A Mistake puts other lines in the place of a part.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from lessons.kit.text import Lang

S = TypeVar("S")
T = TypeVar("T")

_MARKS = re.compile(r"\s*#((?: @[a-z_]+)+)$")
_BOTH = re.compile(r'(#|""")\s?(.*?) \| (.*?)("""|$)')


@dataclass(frozen=True)
class CodeLine:
    """One line as it is shown. `sign` is − where a mistake removes it, + where a mistake puts it in."""

    text: str
    marks: frozenset[str] = frozenset()
    sign: Literal["", "−", "+"] = ""


@dataclass(frozen=True)
class Code(Generic[S, T]):
    """The program of a lesson.

    `given` are the numbers of a Scenario by the names that the program gives them: numbers, texts, lists, arrays.
    `call` is the expression whose value is the result, `result` what the trace says it is. `runs` names the marks that
    a step runs, each with what has changed there ("" for nothing). `wrong` has for each Mistake the parts it replaces.
    """

    listing: str
    given: Callable[[S], Mapping[str, Any]]
    call: str
    result: Callable[[S], Any]
    runs: Callable[[S, T], Mapping[str, str]]
    wrong: Mapping[Enum, Mapping[str, str]] = field(hash=False)

    @classmethod
    def of(cls, module: ModuleType, **parts: Any) -> Code[Any, Any]:
        """The code of a listing."""
        assert module.__file__ is not None
        return cls(Path(module.__file__).read_text("utf-8"), **parts)

    def __post_init__(self) -> None:
        unknown = {mark for parts in self.wrong.values() for mark in parts} - self.marks
        if unknown:
            raise ValueError(f"wrong: the listing has no {', '.join(sorted(unknown))}")

    @cached_property
    def _lines(self) -> tuple[CodeLine, ...]:
        return tuple(_read(line) for line in self.listing.rstrip().splitlines())

    @property
    def marks(self) -> frozenset[str]:
        """All parts of the listing."""
        return frozenset(mark for line in self._lines for mark in line.marks)

    def listed(self, scenario: S, lang: Lang = "en") -> tuple[CodeLine, ...]:
        """The listing as it is shown: where the scenario makes a mistake, its lines after those they replace."""
        changed = self.wrong.get(_mistake(scenario), {})
        shown = tuple(_changed(self._lines, changed))
        return tuple(CodeLine(_in_language(line.text, lang), line.marks, line.sign) for line in shown)

    def shown(self, scenario: S, lang: Lang = "en") -> str:
        """The listing as text; with a mistake each line begins with its sign, or with a space."""
        lines = self.listed(scenario, lang)
        if not any(line.sign for line in lines):
            return "\n".join(line.text for line in lines)
        return "\n".join(f"{line.sign or ' '} {line.text}".rstrip() for line in lines)

    def lines(self, scenario: S, step: T) -> tuple[int, ...]:
        """The lines of the shown listing that the step runs, counted from 1: of the right way and of the wrong one."""
        marks = self.runs(scenario, step).keys()
        return tuple(i for i, line in enumerate(self.listed(scenario), 1) if line.marks & marks)

    def source(self, scenario: S, lang: Lang = "en") -> str:
        """A complete program: the listing, with the lines of a mistake if one is made, the numbers, the result."""
        listing = "\n".join(line.text for line in self.listed(scenario, lang) if line.sign != "−")
        given = "\n".join(f"{name} = {literal(value)}" for name, value in self.given(scenario).items())
        return f"{listing}\n\n\n{given}\nresult = {self.call}\nprint(result)\n"


def literal(value: Any) -> str:
    """A value as Python reads it back, and as nothing else: what a reader typed stays a text.

    >>> literal([1.0, float("-inf")]), literal('a"b\\n'), literal(np.eye(2))
    ('[1.0, -np.inf]', '\\'a"b\\\\n\\'', 'np.array([[1.0, 0.0], [0.0, 1.0]])')
    """
    match value:
        case np.ndarray():
            return f"np.array({literal(value.tolist())})"
        case np.generic():
            return literal(value.item())
        case float() if np.isinf(value):
            return "np.inf" if value > 0 else "-np.inf"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case tuple():
            return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
        case dict():
            return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
        case None | bool() | int() | float() | str():
            return repr(value)
        case _:
            raise TypeError(f"no literal for {type(value).__name__}")


def _mistake(scenario: Any) -> Any:
    return scenario.mistake


def _read(line: str) -> CodeLine:
    marks = _MARKS.search(line)
    if marks is None:
        return CodeLine(line.rstrip())
    return CodeLine(line[: marks.start()].rstrip(), frozenset(name[1:] for name in marks[1].split()))


def _in_language(line: str, lang: Lang) -> str:
    return _BOTH.sub(
        lambda both: f"{both[1]}{' ' * (both[1] == '#')}{both[3] if lang == 'zh' else both[2]}{both[4]}", line
    )


def _changed(lines: tuple[CodeLine, ...], changed: Mapping[str, str]) -> Iterator[CodeLine]:
    """The lines, and after each part that is replaced what differs in its place."""
    i = 0
    while i < len(lines):
        part = next((mark for mark in changed if mark in lines[i].marks), None)
        if part is None:
            yield lines[i]
            i += 1
            continue
        end = i
        while end < len(lines) and part in lines[end].marks:
            end += 1
        yield from _difference(lines[i:end], changed[part])
        i = end


def _difference(old: tuple[CodeLine, ...], new: str) -> Iterator[CodeLine]:
    marks = frozenset[str]().union(*(line.marks for line in old))
    there = [line.text for line in old]
    put = new.rstrip().splitlines()
    for tag, a, b, c, d in difflib.SequenceMatcher(None, there, put, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from old[a:b]
            continue
        yield from (CodeLine(line.text, line.marks, "−") for line in old[a:b])
        yield from (CodeLine(text, marks, "+") for text in put[c:d])
