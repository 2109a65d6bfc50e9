"""One exercise: a solution with the lines to leave out, cases to run it on, and the slips that people really make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import numpy as np

from lessons.kit.code import CodeLine, evaluated, in_language, literal, parsed
from lessons.kit.text import Lang, Text
from lessons.workshop import words


@dataclass(frozen=True)
class Case:
    """Something to run, a line or a few, that leaves its result in `found`. `given` are the numbers it names."""

    name: str
    does: str


@dataclass(frozen=True)
class Slip:
    """Other lines in the place of some of the solution's, and what happens then: the end of “that is what you get
    if …”."""

    old: str
    new: str
    said: Text


@dataclass(frozen=True)
class Exercise:
    """An exercise; `slug` is the name of its file."""

    slug: str
    said: Text
    cases: tuple[Case, ...]
    slips: tuple[Slip, ...]

    def __post_init__(self) -> None:
        for slip in self.slips:
            if self._source.count(slip.old) != 1:
                raise ValueError(f"{self.slug}: the solution has {self._source.count(slip.old)} times {slip.old!r}")

    @cached_property
    def _lines(self) -> tuple[CodeLine, ...]:
        return parsed(_text(self.slug))

    @cached_property
    def _source(self) -> str:
        return _joined(self._lines)

    def solution(self, lang: Lang) -> str:
        """The whole program."""
        return _joined(in_language(self._lines, lang))

    def skeleton(self, lang: Lang) -> str:
        """What a student starts from: where lines are left out, it stops and says so."""
        return _joined(tuple(_left_out(in_language(self._lines, lang), lang)))

    def spoilt(self, slip: Slip) -> str:
        """The solution with a slip."""
        return self._source.replace(slip.old, slip.new)

    def tests(self, lang: Lang) -> str:
        """The tests of this exercise: what each case should give, and what each slip would make of it, computed by
        running them."""
        cases = "".join(_written(self, case, lang) for case in self.cases)
        return (
            f'"""{words.TESTS.of(lang)}"""\n\nimport {self.slug}\nimport numpy as np\nimport pytest\n'
            f"from verdict import judge\n\nCASES = [\n{cases}]\n\n\n"
            f'@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])\n'
            f"def test_{self.slug}(case):\n    judge({self.slug}, case)\n"
        )

    def right(self, case: Case) -> Any:
        return _found(self._source, case)

    def wrong(self, case: Case) -> Iterator[tuple[Any, list[Slip]]]:
        """What comes out instead, and the slips that lead to it, which may be several."""
        right, seen = _key(self.right(case)), dict[str, tuple[Any, list[Slip]]]()
        for slip in self.slips:
            found = _found(self.spoilt(slip), case)
            if _key(found) != right:
                seen.setdefault(_key(found), (found, []))[1].append(slip)
        yield from seen.values()


def verdict(lang: Lang) -> str:
    """The module that compares, with its sentences in the student's language."""
    lines = in_language(parsed(_text("verdict")), lang)
    said = {"SLIPPED": words.SLIPPED, "OTHER": words.OTHER, "TODO": words.TODO}
    put = "\n".join(f"{name} = {literal(text.of(lang))}" for name, text in said.items())
    return "\n".join(put if "words" in line.marks else line.text for line in lines) + "\n"


def _text(name: str) -> str:
    return (files("lessons.workshop.solutions") / f"{name}.py").read_text("utf-8")


def _joined(lines: tuple[CodeLine, ...]) -> str:
    return "\n".join(line.text for line in lines) + "\n"


def _left_out(lines: tuple[CodeLine, ...], lang: Lang) -> Iterator[CodeLine]:
    leaving = False
    for line in lines:
        if "todo" not in line.marks:
            yield line
        elif not leaving:
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            yield CodeLine(f"{indent}raise NotImplementedError({literal(words.WRITE_THIS.of(lang))})")
        leaving = "todo" in line.marks


def _found(source: str, case: Case) -> Any:
    """What a case gives, or the name of the error that it stops with, as the student's tests see it."""
    try:
        return evaluated(f"{source}\n{case.does}\n", {}, "found")
    except Exception as stopped:
        return type(stopped).__name__


def _key(found: Any) -> str:
    """Alike for results that agree to ten digits."""
    if isinstance(found, str):
        return found
    array = np.asarray(found, dtype=float)
    return f"{array.shape} {[f'{x:.9e}' for x in array.ravel()]}"


def _written(exercise: Exercise, case: Case, lang: Lang) -> str:
    slips = "".join(
        f"            ({_literal(found)}, {literal(words.OR.of(lang).join(slip.said.of(lang) for slip in slips))}),\n"
        for found, slips in exercise.wrong(case)
    )
    return (
        f'    {{\n        "name": {literal(case.name)},\n        "does": """\n{case.does}\n""",\n'
        f'        "right": {_literal(exercise.right(case))},\n        "slips": [\n{slips}        ],\n    }},\n'
    )


def _literal(found: Any) -> str:
    return literal(found if isinstance(found, str) else np.asarray(found, dtype=float).tolist())
