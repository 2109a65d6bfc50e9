"""The skeleton of a lesson: it is a lesson that runs, under any name; and no lesson of the course is still one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lessons import LESSONS
from lessons.new.copying import EXAMPLE, TODO, Refused, checked, copied, left_to_do
from lessons.new.running_total import LESSON
from lessons.new.running_total.checks import engine, lesson
from tests.conftest import THOROUGH
from tests.lessons.reading import differing

ROOT = Path(__file__).parents[2]
SLUG = "ring_buffer"
UNFINISHED = "not at_least_six_questions"  # what only a person can give

# Its own tests, as they will stand in tests/
test_the_total_is_the_sum = engine.test_the_total_is_the_sum
test_the_wrong_way_stops_in_the_same_places = engine.test_the_wrong_way_stops_in_the_same_places
test_the_mistake_shows_exactly_where_a_number_meets_a_total_that_is_not_0 = (
    engine.test_the_mistake_shows_exactly_where_a_number_meets_a_total_that_is_not_0
)
test_what_cannot_be_is_refused_by_name = engine.test_what_cannot_be_is_refused_by_name
test_the_last_step_tells_the_total = lesson.test_the_last_step_tells_the_total
test_too_many_numbers_are_refused_with_the_bounds = lesson.test_too_many_numbers_are_refused_with_the_bounds


def test_the_example_is_told_and_drawn_in_both_languages_with_and_without_its_mistake() -> None:
    for preset in LESSON.presets:
        for mistake in (LESSON.mistakes.none, *LESSON.mistakes.wrongs):
            run = replace(preset.scenario, mistake=mistake)
            assert LESSON.form.read(LESSON.form.write(run), LESSON.scenario) == run
            for frame in LESSON.frames(run):
                assert differing(frame.narration.headline) == differing(frame.narration.why) == {}
                assert all(claim.holds for claim in frame.narration.claims)
                facts = frame.narration.facts
                assert facts is None or all(facts.rows[i][-1] != facts.rows[i][-2] for i in facts.wrong)
                assert frame.scene.to_svg("en") != frame.scene.to_svg("zh")
            columns: dict[str, set[type]] = {}
            for words in LESSON.told(run):
                for name, value in words.row.items():
                    columns.setdefault(name, set()).update({type(value)} - {type(None)})
            assert all(len(types) == 1 for types in columns.values()), columns  # as a table of pandas needs it


@pytest.mark.parametrize("slug", ["", "1st", "Ring", "ring-buffer", "class", "a b", "x" * 40, "../x", "环"])
def test_a_slug_that_is_no_name_is_refused_with_a_sentence(slug: str) -> None:
    with pytest.raises(Refused, match="SLUG must be a name"):
        checked(slug, ROOT)


# By a lesson, a page, a module or a package of the engine, a test of either folder, or a name of the registry.
@pytest.mark.parametrize("slug", [LESSONS[0].slug, "kit", "home", "paged", "serving", "gpu", "words", "tuple", EXAMPLE])
def test_a_slug_that_is_taken_is_refused_with_a_sentence(slug: str) -> None:
    with pytest.raises(Refused, match="is taken"):
        checked(slug, ROOT)


def test_a_new_lesson_has_every_room_and_says_what_is_left() -> None:
    files = copied(SLUG, ROOT)
    rooms = {path.split("/")[2].removesuffix(".py") for path in files if path.startswith(f"lessons/{SLUG}/")}
    assert rooms >= {"presets", "form", "trace", "steps", "mistakes", "prose", "scene", "charts", "questions"}
    assert {f"engine/{SLUG}.py", f"pages/{SLUG}.py", f"tests/lessons/test_{SLUG}.py"} <= set(files)
    assert not any(EXAMPLE in text or "lessons.new" in text for text in files.values())
    assert len(left_to_do(files)) >= 10


def test_a_generated_lesson_passes_lint_and_is_the_courses_last(tmp_path: Path) -> None:
    root, files = copy_of_the_house(tmp_path), copied(SLUG, ROOT)
    ran(root, "-m", "lessons.new", SLUG)
    ran(root, "-m", "ruff", "check", *files)
    ran(root, "-m", "ruff", "format", "--check", *files)
    look = "from lessons import LESSONS; new = LESSONS[-1]; print(new.slug, len(new.frames(new.scenario)))"
    assert SLUG in ran(root, "-c", look)
    again = subprocess.run(
        [sys.executable, "-m", "lessons.new", SLUG], cwd=root, capture_output=True, text=True, check=False
    )
    assert again.returncode != 0
    assert "is taken" in again.stderr
    if THOROUGH:
        ran(root, "-m", "mypy")
        ran(
            root,
            "-m",
            "pytest",
            "-q",
            "tests/lessons",
            f"tests/engine/test_{SLUG}.py",
            "-k",
            f"{SLUG} and {UNFINISHED}",
        )


def test_what_contributing_shows_of_the_skeleton_stands_in_it() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    blocks = [block.partition("```")[0] for block in guide.split("```python\n")[1:]]
    assert len(blocks) >= 7
    example = [unindented(path.read_text("utf-8")) for path in (ROOT / "lessons" / "new" / EXAMPLE).rglob("*.py")]
    for block in blocks:
        assert any(unindented(block) in text for text in example), block


def test_no_lesson_of_the_course_has_anything_left_to_do() -> None:
    for one in LESSONS:
        places = [ROOT / place for place in copied(one.slug, ROOT)]
        for path in (*(ROOT / "lessons" / one.slug).rglob("*.py"), *places):
            assert not path.exists() or TODO not in path.read_text("utf-8"), path


def unindented(code: str) -> str:
    """The lines without what stands before them, so that a piece can be found wherever it was taken from."""
    return "\n".join(line.strip() for line in code.strip().splitlines())


def copy_of_the_house(to: Path) -> Path:
    skipped = shutil.ignore_patterns("__pycache__", ".*", "build", "measurements")
    for name in ("engine", "lessons", "pages", "tests", "assets"):
        shutil.copytree(ROOT / name, to / name, ignore=skipped)
    for name in ("pyproject.toml", "app.py"):
        shutil.copy(ROOT / name, to / name)
    return to


def ran(root: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
