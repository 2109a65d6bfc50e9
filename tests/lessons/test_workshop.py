"""Build it yourself: our solutions pass the tests that a student gets, and each slip fails with its own sentence."""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from engine.online_softmax import Mistake, Scenario, output
from lessons.kit.text import Lang
from lessons.workshop import words
from lessons.workshop.__main__ import main
from lessons.workshop.exercise import Exercise, Slip
from lessons.workshop.exercises import EXERCISES
from lessons.workshop.folder import NAME, Refused, files, packed, write
from tests.lessons.reading import CHINESE, LANGS

each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)
every_slip = pytest.mark.parametrize(
    ("exercise", "slip"),
    [pytest.param(e, slip, id=f"{e.slug}-{i}") for e in EXERCISES for i, slip in enumerate(e.slips)],
)


@contextmanager
def loaded(folder: Path, *names: str) -> Iterator[list[ModuleType]]:
    """The folder's modules as pytest imports them there, and none of them afterwards."""
    modules = []
    try:
        for name in names:
            spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            sys.modules[name] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            modules.append(module)
        yield modules
    finally:
        for name in names:
            sys.modules.pop(name, None)


def failures(folder: Path, exercise: Exercise, program: str) -> list[str]:
    """What the student's tests say to a program, a sentence for each that fails."""
    (folder / f"{exercise.slug}.py").write_text(program, "utf-8")
    said = []
    with loaded(folder, "verdict", exercise.slug, f"test_{exercise.slug}") as (verdict, module, tests):
        for case in tests.CASES:
            try:
                with np.errstate(all="ignore"):
                    verdict.judge(module, case)
            except pytest.fail.Exception as failure:
                said.append(str(failure))
    return said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "folder", "en")
    return tmp_path / "folder"


@each
def test_our_solution_passes(folder: Path, exercise: Exercise) -> None:
    assert failures(folder, exercise, exercise.solution("en")) == []


@every_slip
def test_every_slip_fails_with_its_own_sentence(folder: Path, exercise: Exercise, slip: Slip) -> None:
    said = failures(folder, exercise, exercise.spoilt(slip))
    assert said
    assert all("that is what you get if" in one for one in said)
    own = [one for one in said if slip.said.en in one]
    assert own, said
    assert (
        min(one.count(words.OR.en) for one in own) <= 1
    )  # two slips may lead to the same numbers; then both are named


def test_a_fold_without_rescale_is_told_so_in_both_languages(tmp_path: Path) -> None:
    [exercise] = [one for one in EXERCISES if one.slug == "tiled_softmax"]
    said: dict[Lang, str] = {
        "en": "the output is (6.3348, 5.2188): that is what you get if ℓ and u stay on the old scale",
        "zh": "输出是 (6.3348, 5.2188)：ℓ 和 u 留在旧基准上，就会得到这个结果",
    }
    for lang in LANGS:
        write(tmp_path / lang, lang)
        assert failures(tmp_path / lang, exercise, exercise.spoilt(exercise.slips[0]))[0] == said[lang]


ODD = {
    "kv_cache": ("return p @ v / p.sum()", "return 3 * p @ v"),
    "tiled_softmax": ("return u / l if l > 0 else u", "return u - l"),
    "two_decoders": ("pairs += len(k)", "pairs += 7"),
}


@each
def test_a_result_of_no_known_slip_is_told_what_it_should_be(folder: Path, exercise: Exercise) -> None:
    odd = exercise.solution("en").replace(*ODD[exercise.slug])
    said = failures(folder, exercise, odd)
    assert any("it should be" in one for one in said), said


@each
def test_an_error_of_the_students_own_is_shown_as_it_is(folder: Path, exercise: Exercise) -> None:
    broken = re.sub(r"(\n +return) ", r"\1 undefined_name or ", exercise.solution("en"))
    with pytest.raises(NameError):
        failures(folder, exercise, broken)


@each
@pytest.mark.parametrize("lang", LANGS)
def test_a_skeleton_is_the_solution_without_what_is_to_be_written(exercise: Exercise, lang: Lang) -> None:
    skeleton, solution = exercise.skeleton(lang), exercise.solution(lang)
    ast.parse(skeleton)
    assert "@todo" not in skeleton + solution
    assert " | " not in skeleton + solution
    kept = [line for line in skeleton.splitlines() if "NotImplementedError" not in line]
    assert len(kept) < len(solution.splitlines())
    assert [line for line in kept if line not in solution.splitlines()] == []
    names = {node.name for node in ast.walk(ast.parse(solution)) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert names == {
        node.name for node in ast.walk(ast.parse(skeleton)) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    for node in ast.walk(ast.parse(skeleton)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and not getattr(node, "name", "").startswith(
            "__"
        ):
            told = ast.get_docstring(node)
            assert told
            assert bool(CHINESE.search(told)) == (lang == "zh")


@each
def test_a_skeleton_fails_every_test_and_says_what_is_missing(folder: Path, exercise: Exercise) -> None:
    said = failures(folder, exercise, exercise.skeleton("en"))
    assert len(said) == len(exercise.cases)
    assert set(said) == {words.TODO.en.format(what=words.WRITE_THIS.en)}


@pytest.mark.parametrize("lang", LANGS)
def test_the_folder_speaks_one_language_and_needs_numpy_and_pytest_alone(lang: Lang) -> None:
    for name, text in files(lang, True).items():
        assert bool(CHINESE.search(text)) == (lang == "zh"), name
        if name.endswith(".py"):
            tree = ast.parse(text)
            imported = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
            imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
            assert imported <= {"numpy", "pytest", "verdict", *(exercise.slug for exercise in EXERCISES)}
    assert set(files(lang)) == {name for name in files(lang, True) if "/" not in name}


def test_the_right_answers_are_those_of_the_engine() -> None:
    [exercise] = [one for one in EXERCISES if one.slug == "tiled_softmax"]
    keys = ((0.0, 2.0, 1.0), ((5.0, 5.0), (10.0, 0.0), (0.0, 20.0)), ("C", "A", "B"))
    case = exercise.cases[0]
    np.testing.assert_allclose(exercise.right(case), output(Scenario(*keys)), rtol=1e-12)
    for slip, mistake in zip(
        exercise.slips, (Mistake.NO_RESCALE, Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY), strict=False
    ):
        [found] = [found for found, slips in exercise.wrong(case) if slip in slips]
        np.testing.assert_allclose(found, output(Scenario(*keys, mistake=mistake)), rtol=1e-12)


def test_a_hundred_tokens_cost_5050_rows_without_a_cache_and_100_with_it() -> None:
    [exercise] = [one for one in EXERCISES if one.slug == "two_decoders"]
    counts = [exercise.right(case) for case in exercise.cases if "100 tokens" in case.name]
    assert counts == [(5050, 171700), (100, 5050)]


# The folder


def test_pytest_itself_passes_the_solutions_and_fails_the_skeletons(tmp_path: Path) -> None:
    assert main([str(tmp_path / "a"), "--solutions"]) is None
    pytest_there = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--ignore=solutions"]
    first = subprocess.run(pytest_there, cwd=tmp_path / "a", capture_output=True, text=True, check=False)
    assert first.returncode == 1
    assert f"{sum(len(exercise.cases) for exercise in EXERCISES)} failed" in first.stdout
    assert "During handling" not in first.stdout
    for solution in (tmp_path / "a" / "solutions").iterdir():
        (tmp_path / "a" / solution.name).write_bytes(solution.read_bytes())
    second = subprocess.run(pytest_there, cwd=tmp_path / "a", capture_output=True, text=True, check=False)
    assert second.returncode == 0, second.stdout


@pytest.mark.parametrize("lang", LANGS)
def test_a_folder_with_something_in_it_is_refused_with_a_sentence_and_left_alone(tmp_path: Path, lang: Lang) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("x = 1")
    for place in (tmp_path, mine):
        said = main([str(place), "--lang", lang])
        assert said is not None
        assert said == words.NOT_EMPTY.of(lang).format(folder=place)
        assert bool(CHINESE.search(said)) == (lang == "zh")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]
    assert mine.read_text() == "x = 1"


def test_an_empty_folder_and_one_that_is_not_there_yet_are_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "a" / "b"):
        assert main([str(place)]) is None
        assert {path.name for path in place.iterdir()} == set(files("en"))


def test_a_folder_inside_a_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match=r"cannot be written: .+\.$"):
        write(tmp_path / "file" / "folder", "en")


@pytest.mark.parametrize("lang", LANGS)
def test_the_packed_folder_holds_the_same_files_without_solutions_byte_for_byte_alike(lang: Lang) -> None:
    packed.cache_clear()
    first = packed(lang)
    packed.cache_clear()
    assert packed(lang) == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    assert held == {f"{NAME}/{name}": text for name, text in files(lang).items()}


def test_a_slip_that_the_solution_does_not_bear_is_refused() -> None:
    first = EXERCISES[0]
    with pytest.raises(ValueError, match="the solution has 0 times"):
        Exercise(first.slug, first.said, first.cases, (Slip("no such line", "", words.OR),))


def test_a_case_that_no_solution_answers_is_an_error_and_not_an_answer() -> None:
    for exercise in EXERCISES:
        for case in exercise.cases:
            right: Any = exercise.right(case)
            assert not isinstance(right, str), case.name
