"""The program to take along: a lesson's listing with the reader's own numbers, as one file of Python."""

from __future__ import annotations

from typing import Any

from lessons.kit.code import Code, CodeLine
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from lessons.take import words

MIME = "text/x-python"


def program(lesson: Lesson[Any, Any], scenario: Any, lang: Lang) -> bytes:
    """The file. With a mistake chosen it makes that mistake; the right lines stand in it as comments. Raises ValueError
    where the lesson has no code."""
    code = code_of(lesson)
    listing = "\n".join(marked(line, lang) for line in code.listed(scenario, lang))
    return (
        f"{listing}\n\n\n{code.numbers(scenario)}\n"
        f"result = {code.call}\nprint(result)\nprint({code.check})  # {words.PLAIN_WAY.of(lang)}\n"
    ).encode()


def code_of(lesson: Lesson[Any, Any]) -> Code[Any, Any]:
    if lesson.code is None:
        raise ValueError(f"{lesson.slug}: the lesson has no code")
    return lesson.code


def marked(line: CodeLine, lang: Lang) -> str:
    """A line as it runs: one that a mistake removes is a comment, one that it puts in says so."""
    indent = line.text[: len(line.text) - len(line.text.lstrip())]
    match line.sign:
        case "−":
            return f"{indent}# {words.RIGHT_LINE.of(lang)}{line.text.lstrip()}" if line.text.strip() else ""
        case "+":
            return f"{line.text}{'  # ✗' if line.text.strip() else ''}"
        case _:
            return line.text
