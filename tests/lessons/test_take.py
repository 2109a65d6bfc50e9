"""What a reader takes along: a program and a notebook, run here as a reader would."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from typing import Any

import nbformat
import numpy as np
import pytest

from lessons import LESSONS
from lessons.kit.code import Code
from lessons.kit.controls import BadInput
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from lessons.take.notebook import notebook
from lessons.take.program import program
from tests.lessons.reading import CHINESE, LANGS, Case, parsed, rendered
from tests.lessons.test_code import TYPED, AnyLesson, assert_same, code_of, coded, in_every_coded_case, run
from tests.lessons.test_sheet import HTML, MATHML

TAGS = {*HTML.split(), *MATHML.split(), "h1", "h3"}


def cells(file: bytes, kind: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(file)["cells"] if cell["cell_type"] == kind]


def run_notebook(file: bytes) -> dict[str, Any]:
    """All cells one after the other in one namespace, as a kernel does."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with np.errstate(all="ignore"):
        for source in cells(file, "code"):
            exec(compile(source, "<cell>", "exec"), names)
    return names


@in_every_coded_case
def test_the_program_taken_along_gives_what_the_page_shows(code: Code[Any, Any], case: Case) -> None:
    for lang in LANGS:
        left = run(program(case.lesson, case.scenario, lang).decode())
        assert_same(left["result"], code.result(case.scenario))


@in_every_coded_case
def test_the_notebook_runs_checks_itself_and_makes_the_mistake(code: Code[Any, Any], case: Case) -> None:
    lesson, right = case.lesson, case.lesson.without_mistake(case.scenario)
    wrong = case.scenario
    if wrong == right:
        wrong = replace(right, mistake=next(iter(lesson.mistakes.wrongs)))
    left = run_notebook(notebook(lesson, case.scenario, "zh"))
    assert_same(left["result"], code.result(right))
    assert_same(left["wrong"], code.result(wrong))


@coded
def test_the_check_in_the_notebook_fails_where_the_program_is_wrong(lesson: AnyLesson) -> None:
    file = notebook(lesson, lesson.scenario, "en")
    sources = cells(file, "code")
    [at] = [i for i, source in enumerate(sources) if source.startswith(("np.testing", "assert "))]
    names = run("\n".join(sources[:at]))
    names["result"] = None if not code_of(lesson) else np.full(3, 1e9)
    with pytest.raises((AssertionError, ValueError)):
        exec(sources[at], names)


@coded
@pytest.mark.parametrize("lang", LANGS)
def test_the_notebook_is_valid_and_tells_every_step_in_the_readers_language(lesson: AnyLesson, lang: Lang) -> None:
    for preset in lesson.presets:
        file = notebook(lesson, preset.scenario, lang)
        nbformat.validate(json.loads(file))
        told = cells(file, "markdown")
        steps = [source for source in told if source.startswith("### ")]
        assert len(steps) == len(lesson.told(preset.scenario))
        assert all("````python\n" in source for source in steps)
        for source in told:
            assert "](term:" not in source
            prose = re.sub(r"````.*?````", "", source, flags=re.DOTALL)
            assert set(rendered(prose).tags) <= TAGS, prose
        if lang == "en":
            assert not CHINESE.search(file.decode())


@coded
def test_the_same_numbers_give_the_same_files_byte_for_byte(lesson: AnyLesson) -> None:
    for make in (program, notebook):
        assert make(lesson, lesson.scenario, "en") == make(lesson, lesson.scenario, "en")
        assert make(lesson, lesson.scenario, "en") != make(lesson, lesson.scenario, "zh")


@coded
def test_files_import_numpy_alone(lesson: AnyLesson) -> None:
    for source in (
        program(lesson, lesson.scenario, "en").decode(),
        *cells(notebook(lesson, lesson.scenario, "en"), "code"),
    ):
        imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert {ast.unparse(node) for node in imports} <= {"import numpy as np"}


@coded
def test_a_mistake_changes_whole_functions_which_get_names_of_their_own(lesson: AnyLesson) -> None:
    for mistake in lesson.mistakes.wrongs:
        wrong = replace(lesson.without_mistake(lesson.scenario), mistake=mistake)
        *_, cell, _ = cells(notebook(lesson, wrong, "en"), "code")
        assert "✗" in cell or "# right: " in cell
        named = re.findall(r"^(?:def|class) (\w+)", cell, re.MULTILINE)
        assert named
        assert all(name.endswith("_wrong") for name in named)


@coded
@pytest.mark.parametrize("typed", TYPED, ids=range(len(TYPED)))
def test_what_a_reader_typed_is_shown_and_never_run(lesson: AnyLesson, typed: str) -> None:
    for name, text in lesson.form.write(lesson.scenario).items():
        _, comma, rest = text.partition(",")
        try:
            scenario = lesson.form.read({name: f"{typed}{comma}{rest}"}, lesson.scenario)
        except BadInput:
            continue
        file = notebook(lesson, scenario, "en")
        run(program(lesson, scenario, "en").decode())
        run_notebook(file)
        for source in cells(file, "markdown"):
            prose = re.sub(r"````.*?````", "", source, flags=re.DOTALL)
            assert not {"script", "img", "a", "button"} & set(parsed(str(rendered(prose).text)).tags) or "\\<" in prose
            assert not {"script", "img", "a"} & set(rendered(prose).tags)


def test_a_lesson_without_code_has_nothing_to_take() -> None:
    lesson: Lesson[Any, Any] = replace(LESSONS[0], code=None)
    for make in (program, notebook):
        with pytest.raises(ValueError, match="no code"):
            make(lesson, lesson.scenario, "en")
