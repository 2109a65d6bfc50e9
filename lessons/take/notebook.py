"""The notebook to take along: a lesson told step by step, with its program, a mistake beside it and an open exercise.

The format is nbformat 4.5, written as JSON: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from textwrap import dedent
from typing import Any

from lessons.kit.code import Code, CodeLine, evaluated, is_numeric
from lessons.kit.lesson import Facts, Lesson, Narration
from lessons.kit.text import Lang, Text, same
from lessons.take import words
from lessons.take.program import code_of, marked

MIME = "application/x-ipynb+json"

_TERM = re.compile(r"\[([^\]]*)\]\(term:[^)]*\)")
_OBEYED = re.compile(r"([\\`*_\[\]<>|$&~#!])")
_NAMED = re.compile(r"(?:def|class) (\w+)")
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> bytes:
    """The file. It tells the right way; its cell with a mistake makes the scenario's, or else the lesson's first.
    Raises ValueError where the lesson has no code."""
    cells = [
        {"id": f"cell-{i}", "metadata": {}, "source": source.splitlines(keepends=True)} | kind
        for i, (kind, source) in enumerate(_cells(lesson, scenario, lang))
    ]
    document = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _said(*paragraphs: str) -> tuple[dict[str, Any], str]:
    return {"cell_type": "markdown"}, "\n\n".join(part for part in paragraphs if part)


def _runs(source: str) -> tuple[dict[str, Any], str]:
    return {"cell_type": "code", "execution_count": None, "outputs": []}, source.strip("\n")


def _cells(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> Iterator[tuple[dict[str, Any], str]]:
    code, right = code_of(lesson), lesson.without_mistake(scenario)
    listed = code.listed(right, lang)
    yield _said(f"# {_plain(lesson.title, lang)}", _markdown(lesson.question, lang), words.MADE_OF.of(lang))
    yield _said(f"## {words.PROGRAM.of(lang)}", words.PROGRAM_SAID.of(lang))
    for block in _blocks(listed):
        yield _runs("\n".join(line.text for line in block))
    yield _said(f"## {words.NUMBERS.of(lang)}", words.NUMBERS_SAID.of(lang))
    yield _runs(code.numbers(right))
    yield _runs(f"result = {code.call}\nresult")
    yield _said(f"## {words.STEPS.of(lang)}", words.STEPS_SAID.of(lang))
    for told, step in zip(lesson.told(right), lesson.trace(right), strict=True):
        yield _said(*_step(told, lang), _lit(code, listed, right, step))
    yield _said(f"## {words.CHECK.of(lang)}", words.CHECK_SAID.of(lang))
    yield _runs(_check(code, right))
    wrong = scenario if scenario != right else replace(right, mistake=next(iter(lesson.mistakes.wrongs)))
    title = lesson.mistakes.of(wrong).title
    yield _said(f"## {_plain(words.MISTAKE.on(title=title), lang)}", words.MISTAKE_SAID.of(lang))
    program, call = _wrong(code, wrong, lang)
    yield _runs(f"{program}\n\n\nwrong = {call}\nwrong, result")
    yield _said(f"## {words.YOURS.of(lang)}", words.YOURS_SAID.of(lang))
    yield _runs(f"{code.numbers(right)}\n{call}, {code.call}")


# --- words


def _markdown(text: Text, lang: Lang) -> str:
    """Without links into the glossary, which the page has and a notebook has not."""
    return _TERM.sub(r"\1", text.of(lang))


def _plain(text: Text, lang: Lang) -> str:
    """What the page shows as it is: Markdown shows it too and obeys nothing in it."""
    return _OBEYED.sub(r"\\\1", " ".join(text.of(lang).split()))


def _step(told: Narration, lang: Lang) -> Iterator[str]:
    yield f"### {_plain(told.title, lang)}"
    yield f"**{_markdown(told.headline, lang)}**"
    yield _markdown(told.why, lang)
    if told.facts is not None:
        yield _table(told.facts, lang)


def _table(facts: Facts, lang: Lang) -> str:
    lines = [
        [_plain(same(cell) if isinstance(cell, str) else cell, lang) for cell in line]
        for line in (facts.head, *facts.rows)
    ]
    head, *rows = ("| " + " | ".join(line) + " |" for line in lines)
    return "\n".join((head, "|" + "---|" * len(facts.head), *rows))


# --- programs


def _lit(code: Code[Any, Any], listed: tuple[CodeLine, ...], right: Any, step: Any) -> str:
    """The lines that a step runs, each with what has changed there."""
    lit = [(listed[one.line - 1].text, " ".join(one.value.split())) for one in code.lit(right, step)]
    ran = [f"{text.partition('  # ')[0]}  # {value}" if value else text for text, value in lit]
    return f"````python\n{dedent(chr(10).join(ran))}\n````"


def _blocks(lines: Iterable[CodeLine]) -> list[list[CodeLine]]:
    """The listing cut where a function begins: what stands before the first, then each function."""
    blocks: list[list[CodeLine]] = [[]]
    for line in lines:
        if _NAMED.match(line.text):
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _wrong(code: Code[Any, Any], wrong: Any, lang: Lang) -> tuple[str, str]:
    """The functions that a mistake changes, and those that call them, under names of their own; and how the first is
    called."""
    blocks = {_name(block): block for block in _blocks(code.listed(wrong, lang)) if _name(block)}
    changed = {name for name, block in blocks.items() if any(line.sign for line in block)}
    while calling := {name for name, block in blocks.items() if _mentions(block, changed)} - changed:
        changed |= calling

    def renamed(source: str) -> str:
        return re.sub(rf"\b({'|'.join(sorted(changed))})\b", r"\1_wrong", source) if changed else source

    program = "\n".join(
        "\n".join(marked(replace(line, text=renamed(line.text)), lang) for line in block)
        for name, block in blocks.items()
        if name in changed
    )
    return program.strip("\n"), renamed(code.call)


def _name(block: list[CodeLine]) -> str:
    named = _NAMED.match(block[0].text) if block else None
    return named[1] if named else ""


def _mentions(block: list[CodeLine], names: set[str]) -> bool:
    return any(re.search(rf"\b{name}\b", line.text) for line in block for name in names)


def _check(code: Code[Any, Any], right: Any) -> str:
    """An assertion that fits what the program gives: of numbers up to rounding error, of anything else exactly."""
    found = evaluated(code.program(right), code.given(right), code.call)
    if is_numeric(found):
        return f"np.testing.assert_allclose(result, {code.check}, rtol=1e-9, atol=1e-9)"
    return f"assert result == {code.check}"
