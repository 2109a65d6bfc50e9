"""What README and CONTRIBUTING name is there: files, folders, commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CONTRIBUTING.md")
FOLDERS = "|".join(("assets", "engine", "lessons", "pages", "tests"))
# A path from the root, up to what stands for any name: <slug>, or a name that a person is about to choose.
PATH = re.compile(rf"(?<![\w/.])(?:{FOLDERS})/[\w/.-]*[\w/](?![\w<])")
COMMAND = re.compile(r"\bmake ([a-z][a-z-]+)(?=[`\s:])")
CHOSEN = "ring_buffer"


@pytest.mark.parametrize("page", PAGES)
def test_files_and_folders_that_are_named_are_there(page: str) -> None:
    named = {path for path in PATH.findall((ROOT / page).read_text("utf-8")) if CHOSEN not in path}
    assert len(named) >= 5
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_are_named_are_targets(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    code = " ".join(re.findall(r"`[^`]+`", (ROOT / page).read_text("utf-8").replace("```sh", "`").replace("```", "`")))
    named = set(COMMAND.findall(code))
    assert len(named) >= 4
    assert named <= targets
