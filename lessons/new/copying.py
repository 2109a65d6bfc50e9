"""The example lesson under another name: what files a new lesson has, and what stands in them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from pathlib import Path

EXAMPLE = "running_total"
HOME = f"lessons.new.{EXAMPLE}"
REGISTRY = "lessons/__init__.py"
TAKEN = frozenset((EXAMPLE, "shell", "annotations", "tuple"))  # the last two are names of the registry
TODO = "# TODO: "


class Refused(ValueError):
    """Why there can be no lesson of that name, as a sentence."""


def checked(slug: str, root: Path) -> str:
    """The slug, if a lesson may have it. Raises Refused."""
    if not re.fullmatch("[a-z][a-z0-9_]{1,30}", slug) or keyword.iskeyword(slug):
        raise Refused(
            "SLUG must be a name that Python takes, of small letters, digits and _, such as ring_buffer; it reads "
            f"{slug!r}."
        )
    taken = next((path for path in _places(slug, root) if (root / path).exists()), None)
    if slug in TAKEN or taken:
        where = f": there is {taken}" if taken else ""
        raise Refused(f"SLUG {slug!r} is taken{where}. Choose another.")
    return slug


def _places(slug: str, root: Path) -> list[str]:
    """What must not be there yet: the folders that have that name, and every file that would be written."""
    return [f"lessons/{slug}", f"engine/{slug}", *(path for path in copied(slug, root) if path != REGISTRY)]


def copied(slug: str, root: Path) -> dict[str, str]:
    """The new files by their paths below `root`, and lessons/__init__.py with the lesson in it."""
    files = {_place(path, slug): renamed(text, slug) for path, text in _example(root)}
    files[f"pages/{slug}.py"] = (
        f"from lessons.{slug} import LESSON\nfrom pages.shell.lesson.teach import teach\n\nteach(LESSON)\n"
    )
    return files | {REGISTRY: registered((root / REGISTRY).read_text("utf-8"), slug)}


def _example(root: Path) -> Iterator[tuple[str, str]]:
    home = root / "lessons" / "new" / EXAMPLE
    for path in sorted(home.rglob("*.py")):
        if path != home / "checks" / "__init__.py":
            yield path.relative_to(home).as_posix(), path.read_text("utf-8")


def _place(path: str, slug: str) -> str:
    """Where a file of the example belongs."""
    special = {
        "engine.py": f"engine/{slug}.py",
        "checks/engine.py": f"tests/engine/test_{slug}.py",
        "checks/lesson.py": f"tests/lessons/test_{slug}.py",
    }
    return special.get(path, f"lessons/{slug}/{path}")


def renamed(text: str, slug: str) -> str:
    """With the new lesson's names.

    >>> renamed("from lessons.new.running_total.engine import trace", "ring_buffer")
    'from engine.ring_buffer import trace'
    """
    title = slug.replace("_", " ").capitalize()
    for old, new in (
        (f"{HOME}.engine", f"engine.{slug}"),
        (HOME, f"lessons.{slug}"),
        (EXAMPLE, slug),
        ("Running total", title),
        ("累计求和", "新的一课"),
        ("The example lesson that `make lesson SLUG=…` copies; it is not one of the course's.", f"{title}."),
    ):
        text = text.replace(old, new)
    return text


def registered(registry: str, slug: str) -> str:
    """lessons/__init__.py with the lesson last in reading order."""
    lines = registry.splitlines(keepends=True)
    imports = [i for i, line in enumerate(lines) if line.startswith("from lessons.")]
    block = sorted([*lines[imports[0] : imports[-1] + 1], f"from lessons.{slug} import LESSON as {slug}\n"])
    text = "".join([*lines[: imports[0]], *block, *lines[imports[-1] + 1 :]])
    head, _, tail = text.rpartition(")")
    return f"{head}    {slug},\n){tail}"


def left_to_do(files: dict[str, str]) -> list[str]:
    """What only a person can write: path and task of every mark in the files."""
    return [
        f"{path}: {line.strip().removeprefix(TODO)}"
        for path, text in files.items()
        for line in text.splitlines()
        if TODO in line
    ]
