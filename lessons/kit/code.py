"""The program beside the picture: a listing of plain Python, the lines that a step runs, a mistake as other lines.

A listing is a real module, `lessons/<slug>/listing.py`. At the end of a line `# @shrink` makes it a line of the part
`shrink`; a comment or a docstring of one line `en | zh` is shown in the reader's language. A Mistake puts other lines
in the place of a part.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from lessons.kit.text import Lang

S = TypeVar("S")
T = TypeVar("T")

WIDTH = 88  # columns that a line may take, so that it fits beside a picture
_MARKS = re.compile(r"\s*#((?: @[a-z_]+)+)$")
_BOTH = re.compile(r'(# |""")(\S.*?) \| (.*?)("""|$)')
_KEPT = ("float64", "int64", "bool")  # what an array that is read back from its numbers is made of
_PLAIN = (type(None), bool, int, float, str)


@dataclass(frozen=True)
class CodeLine:
    """One line as it is shown. `sign` is − where a mistake removes it, + where a mistake puts it in."""

    text: str
    marks: frozenset[str] = frozenset()
    sign: Literal["", "−", "+"] = ""


@dataclass(frozen=True)
class Lit:
    """A line that a step runs: its number, counted from 1, and what has changed there, "" for nothing to say. `wrong`
    is what has changed there on the wrong way, "" where that is the same."""

    line: int
    value: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Code(Generic[S, T]):
    """The program of a lesson.

    `given` are the numbers of a Scenario by the names that the program gives them: numbers, texts, lists, arrays.
    `call` is the expression whose value is the result, `check` the one that finds the right result the plain way,
    `result` what the trace says the result is, mistake included. `runs` names the parts that a step runs, each with
    what has changed there, alike in both languages ("" for nothing). `wrong` has for each Mistake the parts it
    replaces, the whole of each, "" for a part that is left out.

    Raises ValueError where `wrong` replaces what the listing does not have.
    """

    listing: str
    given: Callable[[S], Mapping[str, Any]]
    call: str
    check: str
    result: Callable[[S], Any]
    runs: Callable[[S, T], Mapping[str, str]]
    wrong: Mapping[Any, Mapping[str, str]] = field(hash=False)

    @classmethod
    def of(
        cls,
        module: ModuleType,
        *,
        given: Callable[[S], Mapping[str, Any]],
        call: str,
        check: str,
        result: Callable[[S], Any],
        runs: Callable[[S, T], Mapping[str, str]],
        wrong: Mapping[Any, Mapping[str, str]],
    ) -> Code[S, T]:
        """The code of a listing."""
        assert module.__file__ is not None
        return cls(Path(module.__file__).read_text("utf-8"), given, call, check, result, runs, wrong)

    def __post_init__(self) -> None:
        unknown = {mark for parts in self.wrong.values() for mark in parts} - self.marks
        if unknown:
            raise ValueError(f"wrong: the listing has no {', '.join(sorted(unknown))}")

    @cached_property
    def parts(self) -> tuple[CodeLine, ...]:
        """The listing of the right way, in both languages."""
        return parsed(self.listing)

    @property
    def marks(self) -> frozenset[str]:
        """The names of its parts."""
        return frozenset(mark for line in self.parts for mark in line.marks)

    @cached_property
    def _making(self) -> dict[Enum, tuple[CodeLine, ...]]:
        return {mistake: changed(self.parts, parts) for mistake, parts in self.wrong.items()}

    def listed(self, scenario: S, lang: Lang = "en") -> tuple[CodeLine, ...]:
        """The listing as it is shown: where the scenario makes a mistake, its lines after those they replace."""
        return in_language(self._shown(scenario), lang)

    def _shown(self, scenario: S) -> tuple[CodeLine, ...]:
        return self._making.get(_mistake(scenario), self.parts)

    def shown(self, scenario: S, lang: Lang = "en") -> str:
        """The listing as text; with a mistake each line begins with its sign, or with a space."""
        lines = self.listed(scenario, lang)
        if not any(line.sign for line in lines):
            return "\n".join(line.text for line in lines)
        return "\n".join(f"{line.sign or ' '} {line.text}".rstrip() for line in lines)

    def lines(self, scenario: S, step: T, wrong: T | None = None) -> tuple[int, ...]:
        """The lines of the shown listing that the step runs, counted from 1: of the right way and of the wrong one."""
        return tuple(lit.line for lit in self.lit(scenario, step, wrong))

    def lit(self, scenario: S, step: T, wrong: T | None = None) -> tuple[Lit, ...]:
        """The lines that the step runs, with what has changed there, said at a part's last line. `wrong` is the same
        step of the wrong way, whose values stand at the lines that a mistake puts in, and beside the right ones."""
        lines = self._shown(scenario)
        right = self.runs(scenario, step)
        other = self.runs(scenario, wrong) if wrong is not None else right
        here = _values(lines, right, "−")
        there = _values(lines, other, "+")
        ran = right.keys() | other.keys()
        return tuple(
            Lit(i, here.get(i, ""), there.get(i, "") if there.get(i) != here.get(i) else "")
            for i, line in enumerate(lines, 1)
            if line.marks & ran
        )

    def program(self, scenario: S, lang: Lang = "en") -> str:
        """The listing alone, as it runs: with the lines of a mistake if one is made."""
        return "\n".join(line.text for line in self.listed(scenario, lang) if line.sign != "−") + "\n"

    def numbers(self, scenario: S) -> str:
        """The scenario's numbers, as the program names them: assignments of literals, nothing else."""
        return "".join(f"{name} = {_laid_out(name, value)}\n" for name, value in self.given(scenario).items())

    def source(self, scenario: S, lang: Lang = "en") -> str:
        """A complete program: the listing, with the lines of a mistake if one is made, the numbers, the result."""
        return (
            f"{self.program(scenario, lang)}\n\n{self.numbers(scenario)}\n"
            f"result = {self.call}\nprint(result)\nprint({self.check})\n"
        )


def parsed(listing: str) -> tuple[CodeLine, ...]:
    """The lines of a listing with their marks, in both languages."""
    return tuple(_read(line) for line in listing.rstrip().splitlines())


def evaluated(program: str, given: Mapping[str, Any], expression: str) -> Any:
    """What an expression gives after one of our own programs has run. What a reader typed comes in as values, never as
    part of the program. A mistake may overflow on purpose, so NumPy does not warn. Raises whatever the program does."""
    names = dict(given)
    with np.errstate(all="ignore"):
        exec(_compiled(program), names)
        return eval(expression, names)


def is_numeric(value: Any) -> bool:
    """Whether a result is numbers, alone or in an array, that agree up to rounding error."""
    try:
        return not isinstance(value, dict) and np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # lists of several lengths
        return False


@lru_cache(maxsize=256)
def _compiled(program: str) -> CodeType:
    return compile(program, "<listing>", "exec")


def changed(lines: tuple[CodeLine, ...], parts: Mapping[str, str]) -> tuple[CodeLine, ...]:
    """The lines, and after those of a part that is replaced what stands in its place, with their signs."""
    return tuple(_changed(lines, parts))


def in_language(lines: Iterable[CodeLine], lang: Lang) -> tuple[CodeLine, ...]:
    """The lines with their comments and docstrings in one language."""
    place = 3 if lang == "zh" else 2
    return tuple(
        replace(line, text=_BOTH.sub(lambda both: f"{both[1]}{both[place]}{both[4]}", line.text)) for line in lines
    )


def literal(value: Any) -> str:
    """A value as Python reads it back, and as nothing else: what a reader typed stays a text. Raises TypeError for
    what has no literal.

    >>> literal([1.0, float("-inf")]), literal('a"b\\n'), literal(np.eye(2))
    ('[1.0, -np.inf]', '\\'a"b\\\\n\\'', 'np.array([[1.0, 0.0], [0.0, 1.0]])')
    """
    match value:
        case np.ndarray() if not value.size:
            return f"np.zeros({value.shape})"
        case np.ndarray() if str(value.dtype) in _KEPT:
            return f"np.array({literal(value.tolist())})"
        case np.generic():
            return literal(value.item())
        case float() if np.isnan(value):
            return "np.nan"
        case float() if np.isinf(value):
            return "np.inf" if value > 0 else "-np.inf"
        case list():
            return f"[{', '.join(map(literal, value))}]"
        case tuple():
            return f"({', '.join(map(literal, value))}{',' * (len(value) == 1)})"
        case dict():
            return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
        case _ if type(value) in _PLAIN:
            return repr(value)
        case _:
            raise TypeError(f"no literal for {type(value).__name__}")


def _laid_out(name: str, value: Any) -> str:
    """A literal on one line, or with a line for each item where that is too long."""
    written = literal(value)
    return written if len(f"{name} = {written}") <= WIDTH else _in_lines(value)


def _in_lines(value: Any) -> str:
    match value:
        case np.ndarray() if value.size:
            return f"np.array({_in_lines(value.tolist())})"
        case list() | tuple():
            opened, closed = literal(value)[:1], literal(value)[-1:]
            return "\n".join((opened, *_filled([f"{literal(item)}," for item in value], _are_plain(value)), closed))
        case dict():
            return "\n".join(("{", *(f"    {literal(k)}: {literal(v)}," for k, v in value.items()), "}"))
        case _:
            return literal(value)


def _are_plain(items: Iterable[Any]) -> bool:
    return all(type(item) in _PLAIN for item in items)


def _filled(items: list[str], packed: bool) -> Iterator[str]:
    """A line for each item, or as many on a line as fit."""
    line = ""
    for item in items:
        if packed and line and len(f"{line} {item}") <= WIDTH:
            line += f" {item}"
        else:
            if line:
                yield line
            line = f"    {item}"
    if line:
        yield line


def _mistake(scenario: Any) -> Any:
    return scenario.mistake


def _values(lines: tuple[CodeLine, ...], runs: Mapping[str, str], sign: str) -> dict[int, str]:
    """What stands behind each line: a part's value behind the last of its lines that this way has."""
    behind: dict[int, list[str]] = {}
    for mark, value in runs.items():
        last = max((i for i, line in enumerate(lines, 1) if mark in line.marks and line.sign in ("", sign)), default=0)
        if value and last:
            behind.setdefault(last, []).append(value)
    return {i: ", ".join(values) for i, values in behind.items()}


def _read(line: str) -> CodeLine:
    marks = _MARKS.search(line)
    if marks is None:
        return CodeLine(line.rstrip())
    return CodeLine(line[: marks.start()].rstrip(), frozenset(name[1:] for name in marks[1].split()))


def _changed(lines: tuple[CodeLine, ...], parts: Mapping[str, str]) -> Iterator[CodeLine]:
    i = 0
    while i < len(lines):
        part = next((mark for mark in parts if mark in lines[i].marks), None)
        if part is None:
            yield lines[i]
            i += 1
            continue
        end = i
        while end < len(lines) and part in lines[end].marks:
            end += 1
        yield from _difference(lines[i:end], parts[part])
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
