"""The folder: its files by name, written to a place or packed into one file."""

from __future__ import annotations

import io
import zipfile
from functools import lru_cache
from pathlib import Path

from lessons.kit.text import Lang
from lessons.workshop import words
from lessons.workshop.exercise import verdict
from lessons.workshop.exercises import EXERCISES

NAME = "build-it-yourself"
_LONG_AGO = (2026, 1, 1, 0, 0, 0)  # the same folder is the same file, byte for byte


class Refused(Exception):
    """The folder cannot be written; says why, in the student's language."""


@lru_cache(maxsize=4)
def files(lang: Lang, solutions: bool = False) -> dict[str, str]:
    """Every file by its name inside the folder."""
    made = {"README.md": _readme(lang, solutions), "verdict.py": verdict(lang)}
    for exercise in EXERCISES:
        made[f"{exercise.slug}.py"] = exercise.skeleton(lang)
        made[f"test_{exercise.slug}.py"] = exercise.tests(lang)
        if solutions:
            made[f"solutions/{exercise.slug}.py"] = exercise.solution(lang)
    return made


def write(folder: Path, lang: Lang, solutions: bool = False) -> int:
    """Write the folder and return how many files it has. Raises Refused, and then nothing has been written, where
    something is there already; or where the disk refuses."""
    made = files(lang, solutions)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise Refused(words.NOT_EMPTY.of(lang).format(folder=folder))
        for name, text in made.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        raise Refused(words.NO_FOLDER.of(lang).format(folder=folder, why=error.strerror)) from error
    return len(made)


@lru_cache(maxsize=2)
def packed(lang: Lang) -> bytes:
    """The folder as a ZIP file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files(lang).items():
            archive.writestr(zipfile.ZipInfo(f"{NAME}/{name}", _LONG_AGO), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _readme(lang: Lang, solutions: bool) -> str:
    steps = [f"{i}. `{exercise.slug}.py`: {exercise.said.of(lang)}" for i, exercise in enumerate(EXERCISES, 1)]
    commands = "```sh\npip install numpy pytest\npython -m pytest\n```"
    parts = [f"# {words.TITLE.of(lang)}", words.HOW.of(lang), words.NEEDS.of(lang), commands, words.ORDER.of(lang)]
    parts.append("\n".join(steps))
    if solutions:
        parts.append(words.SOLUTIONS.of(lang))
    return "\n\n".join(parts) + "\n"
