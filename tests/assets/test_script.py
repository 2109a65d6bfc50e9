"""The browser's files: what a component is given of them, that it is JavaScript, and that Python's messages are what
they take them for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lessons import LESSONS
from lessons.kit.text import Lang, Text
from pages.shell.lesson.player import _message_of, message
from pages.shell.site.assets import ASSETS, joined, script
from tests.assets.deno import ran

LANGS: tuple[Lang, ...] = ("en", "zh")
ENTRIES = [path.name for path in sorted(ASSETS.glob("*.js")) if "\nexport default " in path.read_text("utf-8")]
DIAMOND = {
    "top.js": 'import { left } from "./left.js";\nimport { right } from "./right.js";\n\n'
    "export default function () {\n  return left + right();\n}\n",
    "left.js": '/** Of the left. */\n\nimport { ground } from "./ground.js";\nexport const left = ground;\n',
    "right.js": 'import { ground } from "./ground.js";\nexport async function right() {\n  return ground;\n}\n',
    "ground.js": "export class Ground {\n  /** Stays. @type {number} */ n = 1;\n}\n"
    "export const ground = new Ground();\n",
}


def made(**changed: str) -> str:
    """The module made of the diamond, with other lines in some files."""
    files = DIAMOND | {f"{name}.js": text for name, text in changed.items()}
    return joined("top.js", files.__getitem__)


def test_what_is_imported_comes_first_and_once_and_only_the_default_export_is_left() -> None:
    whole = made()
    order = [whole.index(line) for line in ("class Ground", "const left", "async function right", "export default")]
    assert order == sorted(order)
    assert whole.count("class Ground") == 1
    assert re.findall(r"^(?:import|export)\b.*", whole, re.M) == ["export default function () {"]


def test_a_comment_of_its_own_is_left_out_and_one_before_code_stays() -> None:
    assert "Of the left" not in made()
    assert "/** Stays. @type {number} */ n = 1;" in made()


def test_files_that_import_each_other_are_each_taken_once() -> None:
    circle = 'import { left } from "./left.js";\nexport const ground = () => left;\n'
    assert made(ground=circle).count("const left") == 1
    assert made(ground='import { ground } from "./ground.js";\nexport const ground = 1;\n').count("const ground") == 1


@pytest.mark.parametrize(
    "again", ["export const left = 2;", "export function left() {}", "class left {}", "let left = 1;"]
)
def test_two_things_of_one_name_are_refused(again: str) -> None:
    with pytest.raises(ValueError, match="named twice: left"):
        made(right=f"{again}\nexport const right = 1;\n")


@pytest.mark.parametrize(
    "line",
    [
        'import ground from "./ground.js";',
        'import * as all from "./ground.js";',
        'import { ground as floor } from "./ground.js";',
        'import { ground } from "https://example.org/ground.js";',
        "import { ground } from './ground.js';",
        'import { ground } from "./ground.js"; // why',
        'import {\n  ground } from "./ground.js";',
        'import "./ground.js";',
        'const ground = await import("./ground.js");',
        "export { ground };",
        'export * from "./ground.js";',
        "export const { a, b } = ground;",
        "export default 1;",
    ],
)
def test_another_way_to_import_or_export_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"top\.js"):
        made(right=f"{line}\nexport const right = 1;\n")


def test_a_module_that_exports_nothing_to_the_component_is_refused() -> None:
    with pytest.raises(ValueError, match="one default export"):
        made(top="export const top = 1;\n")


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_a_component_is_given_is_one_module_that_loads_by_itself(entry: str, tmp_path: Path) -> None:
    (module := tmp_path / entry).write_text(script(entry), "utf-8")
    run = f"import component from {json.dumps(module.as_uri())}; console.log(typeof component);"
    (tmp_path / "run.js").write_text(run, "utf-8")
    assert ran("run", str(tmp_path / "run.js")) == "function\n"


def typed(values: list[dict[str, Any]], kind: str, tmp_path: Path) -> None:
    """Raises AssertionError where a value lacks a field of the type, has another one, or a field of another type."""
    types = json.dumps((ASSETS / "types.d.ts").as_uri())
    text = f"import type {{ {kind} }} from {types};\nexport const all: {kind}[] = {json.dumps(values)};\n"
    (path := tmp_path / "values.ts").write_text(text, "utf-8")
    ran("check", "--config", "deno.jsonc", str(path))


def messages(lang: Lang) -> list[dict[str, Any]]:
    """Of every lesson with all that a lesson's page has, and without; and of a player that belongs to no lesson."""
    own = [message(lesson.slug, lesson.scenario, lang, choices) for lesson in LESSONS for choices in (True, False)]
    return [*own, _message_of(LESSONS[0].frames(LESSONS[0].scenario)[:2], Text("Worked", "解法"), lang)]


def test_the_players_message_is_of_the_type_that_its_code_is_checked_against(tmp_path: Path) -> None:
    told = [message for lang in LANGS for message in messages(lang)]
    asked = {step["ask"]["kind"] for one in told for step in one["steps"] if step["ask"]}
    assert asked == {"number", "choice", "cell"}
    typed(told, "Message", tmp_path)


def test_a_message_of_another_type_is_noticed(tmp_path: Path) -> None:
    (good,) = messages("en")[-1:]
    for bad in (good | {"more": 1}, good | {"width": "7"}, {name: good[name] for name in good if name != "legend"}):
        with pytest.raises(AssertionError, match=r"TS\d+"):
            typed([bad], "Message", tmp_path)
