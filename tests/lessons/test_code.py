"""The code beside the picture: for every lesson that has some, in every case. A listing that drifts from the engine
fails here."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from lessons import LESSONS
from lessons.kit.code import WIDTH, Code, CodeLine, changed, in_language, is_numeric, literal
from lessons.kit.controls import BadInput
from lessons.kit.lesson import Lesson
from lessons.kit.text import Lang
from tests.lessons.hostile import HOSTILE
from tests.lessons.reading import CASES, CHINESE, LANGS, Case, named

AnyLesson = Lesson[Any, Any]
CODED = [lesson for lesson in LESSONS if lesson.code is not None]
TYPED = [
    *HOSTILE, "'", '"', '"""', "'''", "\\", "\n", "\r\nimport os", "{{ x }}", "{% x %}", "${x}", "# @shrink", "a | b",
    "__import__('os').system('true')", "')\nraise SystemExit\n('", "\u2028", "\u202e", "\x00", "键", "</script>",
]  # fmt: skip

coded = pytest.mark.parametrize("lesson", CODED, ids=lambda lesson: lesson.slug)


def in_every_coded_case(check: Callable[[Code[Any, Any], Case], None]) -> Callable[[AnyLesson], None]:
    """A test for each lesson that has code, which walks its cases; a failure says in which."""

    def test(lesson: AnyLesson) -> None:
        for case in CASES:
            if case.lesson is lesson:
                with named(case.id):
                    check(code_of(lesson), case)

    test.__doc__ = check.__doc__
    marked: Callable[[AnyLesson], None] = coded(test)
    return marked


def code_of(lesson: AnyLesson) -> Code[Any, Any]:
    assert lesson.code is not None
    return lesson.code


def run(source: str) -> dict[str, Any]:
    """What a program leaves behind. NumPy's warnings are its own affair: a mistake may overflow on purpose."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with np.errstate(all="ignore"):
        exec(compile(source, "<listing>", "exec"), names)
    return names


def assert_same(a: Any, b: Any, path: str = "result") -> None:
    """Alike to 1e-12, of one shape, NaN where the other is NaN; what is no number is equal."""
    match a, b:
        case Mapping(), Mapping():
            assert list(a) == list(b), path
            for name in a:
                assert_same(a[name], b[name], f"{path}[{name!r}]")
        case (list() | tuple(), list() | tuple()):
            assert len(a) == len(b), path
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                assert_same(x, y, f"{path}[{i}]")
        case int(), int():
            assert a == b, path
        case (np.ndarray() | np.number() | float() | int(), np.ndarray() | np.number() | float() | int()):
            assert np.shape(a) == np.shape(b), path
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-12, err_msg=path)
        case _:
            assert type(a) is type(b), path
            assert a == b, path


# The program computes what the lesson shows


@in_every_coded_case
def test_the_program_gives_what_the_trace_says(code: Code[Any, Any], case: Case) -> None:
    for lang in LANGS:
        assert_same(run(code.source(case.scenario, lang))["result"], code.result(case.scenario))


@in_every_coded_case
def test_a_run_leaves_its_numbers_as_they_were(code: Code[Any, Any], case: Case) -> None:
    """A notebook runs twice on them: right and wrong. A call copies a list that the program empties: `list(free)`."""
    left = run(code.source(case.scenario))
    for name, value in code.given(case.scenario).items():
        assert_same(left[name], value, name)


@in_every_coded_case
def test_the_right_program_agrees_with_the_plain_way(code: Code[Any, Any], case: Case) -> None:
    right = case.lesson.without_mistake(case.scenario)
    names = run(code.source(right))
    found, plain = names["result"], eval(code.check, names)
    if is_numeric(found):
        np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-9)
    else:
        assert found == plain


@coded
def test_every_mistake_changes_the_program_and_in_some_example_its_result(lesson: AnyLesson) -> None:
    code = code_of(lesson)
    assert code.wrong.keys() == lesson.mistakes.wrongs.keys()
    for mistake in code.wrong:
        with named(str(mistake)):
            pairs = [(lesson.without_mistake(p.scenario), replace(p.scenario, mistake=mistake)) for p in lesson.presets]
            assert code.shown(pairs[0][0]) != code.shown(pairs[0][1])
            assert any(differ(code.result(right), code.result(wrong)) for right, wrong in pairs)


def differ(a: Any, b: Any) -> bool:
    try:
        assert_same(a, b)
    except AssertionError:
        return True
    return False


# What is shown


@in_every_coded_case
def test_every_step_runs_lines_of_the_listing(code: Code[Any, Any], case: Case) -> None:
    lines = code.listed(case.scenario)
    for step, wrong in case.lesson.pairs(case.scenario):
        assert code.runs(case.scenario, step).keys() <= code.marks
        lit = code.lit(case.scenario, step, wrong)
        assert lit
        assert [one.line for one in lit] == sorted({one.line for one in lit})
        assert code.lines(case.scenario, step, wrong) == tuple(one.line for one in lit)
        for one in lit:
            assert lines[one.line - 1].text.strip()
            assert len(one.value) + len(one.wrong) <= WIDTH, one
            assert not CHINESE.search(one.value + one.wrong), one
            assert wrong is not None or not one.wrong


@coded
def test_no_part_is_left_out_by_every_step(lesson: AnyLesson) -> None:
    code, ran = code_of(lesson), set[str]()
    for preset in lesson.presets:
        for step, _ in lesson.pairs(preset.scenario):
            ran |= code.runs(preset.scenario, step).keys()
    assert ran == code.marks


@coded
def test_the_listing_is_short_and_fits_beside_the_picture_in_both_languages(lesson: AnyLesson) -> None:
    code = code_of(lesson)
    assert 10 <= len([line for line in code.parts if line.text.strip()]) <= 40
    for scenario in every_way(lesson):
        for lang in LANGS:
            for line in code.listed(scenario, lang):
                assert len(line.text) + len(CHINESE.findall(line.text)) <= WIDTH, line.text
                assert line.text == line.text.rstrip()
                assert "# @" not in line.text
                assert " | " not in line.text
                assert not (lang == "en" and CHINESE.search(line.text)), line.text
    en, zh = (code.listed(lesson.scenario, lang) for lang in LANGS)
    comments = [(a.text, b.text) for a, b in zip(en, zh, strict=True) if a != b]
    assert comments
    assert all(CHINESE.search(zh) for _, zh in comments)


@coded
def test_every_comment_and_docstring_is_in_both_languages(lesson: AnyLesson) -> None:
    code = code_of(lesson)
    for line in in_language(code.parts, "zh"):
        said = re.search(r'(?:# |""")(.*)', line.text)
        assert said is None or CHINESE.search(said[1]), line.text


def every_way(lesson: AnyLesson) -> list[Any]:
    """The lesson's scenario, right and with each mistake."""
    right = lesson.without_mistake(lesson.scenario)
    return [right, *(replace(right, mistake=mistake) for mistake in lesson.mistakes.wrongs)]


@coded
def test_a_mistake_shows_as_a_few_lines_removed_and_added(lesson: AnyLesson) -> None:
    code = code_of(lesson)
    right, *wrongs = every_way(lesson)
    assert not any(line.sign for line in code.listed(right))
    assert code.shown(right) == code.program(right).rstrip()
    for wrong in wrongs:
        lines = code.listed(wrong)
        kept = tuple(line for line in lines if line.sign != "+")
        assert [line.text for line in kept] == [line.text for line in code.listed(right)]
        assert 1 <= sum(bool(line.sign) for line in lines) <= 8
        put = [line for line in lines if line.sign != "−"]
        assert code.program(wrong) == "\n".join(line.text for line in put) + "\n"
        assert {line[:2] for line in code.shown(wrong).splitlines()} <= {"  ", "− ", "+ ", "−", "+", ""}


@coded
def test_a_listing_imports_numpy_alone(lesson: AnyLesson) -> None:
    for scenario in every_way(lesson):
        tree = ast.parse(code_of(lesson).source(scenario))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert [ast.unparse(node) for node in imports] == ["import numpy as np"]


# What a reader types stays a literal

_LITERALS = (
    ast.Module, ast.Assign, ast.Name, ast.Store, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.UnaryOp,
    ast.USub, ast.Call, ast.Attribute,
)  # fmt: skip
_NUMPY = {"np.array", "np.zeros", "np.inf", "np.nan"}


def assert_literals_alone(assignments: str, names: list[str]) -> None:
    tree = ast.parse(assignments)
    assert [ast.unparse(line.targets[0]) for line in tree.body if isinstance(line, ast.Assign)] == names
    for node in ast.walk(tree):
        assert isinstance(node, _LITERALS), ast.dump(node)
        if isinstance(node, ast.Attribute):
            assert ast.unparse(node) in _NUMPY
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) in _NUMPY


@in_every_coded_case
def test_the_numbers_are_assigned_as_literals(code: Code[Any, Any], case: Case) -> None:
    assert_literals_alone(code.numbers(case.scenario), list(code.given(case.scenario)))
    left = run("import numpy as np\n" + code.numbers(case.scenario))
    for name, value in code.given(case.scenario).items():
        assert_same(left[name], value, name)


@coded
@pytest.mark.parametrize("typed", TYPED, ids=range(len(TYPED)))
def test_a_label_that_is_a_program_stays_a_label(lesson: AnyLesson, typed: str) -> None:
    """Where a form takes free text, the scenario holds it; where it does not, the field refuses it by name."""
    code, form = code_of(lesson), lesson.form
    for name, text in form.write(lesson.scenario).items():
        for tried in (typed, text + typed, relabelled(text, typed)):
            try:
                scenario = form.read(form.write(lesson.scenario) | {name: tried}, lesson.scenario)
            except BadInput:
                continue
            assert_literals_alone(code.numbers(scenario), list(code.given(scenario)))
            assert_same(run(code.source(scenario))["result"], code.result(scenario))


def relabelled(text: str, typed: str) -> str:
    """A table of keys whose first label is `typed`."""
    _, tab, rest = text.partition(",")
    return f"{typed}{tab}{rest}"


@given(
    some.recursive(
        some.none() | some.booleans() | some.integers() | some.floats() | some.text() | some.sampled_from(TYPED),
        lambda inner: some.lists(inner) | some.tuples(inner) | some.dictionaries(some.text(), inner),
        max_leaves=8,
    )
)
def test_a_literal_reads_back_as_it_was_and_is_nothing_but_a_literal(value: Any) -> None:
    assert_literals_alone(f"x = {literal(value)}", ["x"])
    assert_same(run(f"import numpy as np\nx = {literal(value)}")["x"], value)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 3), (2, 1, 2)])
def test_an_array_keeps_its_shape(shape: tuple[int, ...]) -> None:
    assert_same(run(f"import numpy as np\nx = {literal(np.ones(shape))}")["x"], np.ones(shape))


@pytest.mark.parametrize("value", [object(), {1}, np.ones(1, np.float32), 1j, Lesson])
def test_what_has_no_literal_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no literal"):
        literal(value)


# The difference

_LINES = tuple(CodeLine(text, frozenset(marks)) for text, marks in (("a", ""), ("b", "p"), ("c", "p"), ("d", "")))


@pytest.mark.parametrize(
    ("put", "seen"),
    [
        ("", " a|−b|−c| d"),
        ("b", " a| b|−c| d"),
        ("x\nc", " a|−b|+x| c| d"),
        ("b\nx\nc", " a| b|+x| c| d"),
        ("x", " a|−b|−c|+x| d"),
    ],
)
def test_a_part_is_replaced_line_by_line(put: str, seen: str) -> None:
    assert "|".join(f"{line.sign or ' '}{line.text}" for line in changed(_LINES, {"p": put})) == seen


def test_a_mistake_that_replaces_no_part_of_the_listing_is_refused() -> None:
    code = code_of(CODED[0])
    mistake = next(iter(code.wrong))
    with pytest.raises(ValueError, match="no nowhere"):
        replace(code, wrong={mistake: {"nowhere": ""}})


@pytest.mark.parametrize(
    ("line", "en", "zh"),
    [
        ("x = 1  # one | 一", "x = 1  # one", "x = 1  # 一"),
        ('    """One. | 一。"""', '    """One."""', '    """一。"""'),
        ("x = a | b", "x = a | b", "x = a | b"),
        ("x = 1  # alike", "x = 1  # alike", "x = 1  # alike"),
    ],
)
def test_a_comment_is_shown_in_the_readers_language(line: str, en: str, zh: str) -> None:
    languages: tuple[tuple[Lang, str], ...] = (("en", en), ("zh", zh))
    for lang, shown in languages:
        assert [one.text for one in in_language((CodeLine(line),), lang)] == [shown]


@given(some.lists(some.floats() | some.text() | some.lists(some.floats(), max_size=9), max_size=20))
def test_long_numbers_are_laid_out_with_a_line_for_each_item(value: list[Any]) -> None:
    code = replace(code_of(CODED[0]), given=lambda _: {"x": value, "y": tuple(value), "z": {"x": value}})
    left = run("import numpy as np\n" + code.numbers(None))
    assert_same(left["x"], value)
    assert_same(left["y"], tuple(value))
    assert_same(left["z"], {"x": value})
