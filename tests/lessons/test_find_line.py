"""Find the line: what holds for every such question beyond what holds for all questions."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from lessons import LESSONS
from lessons.kit.code import WIDTH
from lessons.kit.controls import BadInput
from lessons.kit.find_line import Spoilt, find_line
from lessons.kit.lesson import Lesson
from lessons.kit.question import Question
from lessons.kit.reply import Mark, Printed
from lessons.kit.text import Text
from tests.lessons.reading import CHINESE, named

Asked = tuple[Lesson[Any, Any], Question[Any], Mark[Any]]
ASKED: list[Asked] = [
    (lesson, question, question.reply)
    for lesson in LESSONS
    for question in lesson.questions
    if isinstance(question.reply, Mark)
]
DRAWS = 60

each = pytest.mark.parametrize("asked", ASKED, ids=lambda asked: f"{asked[0].slug}-{asked[1].slug}")


def differing(lesson: Lesson[Any, Any], program: tuple[Printed, ...]) -> list[int]:
    """The lines that are not the lesson's own."""
    assert lesson.code is not None
    right = [line.text for line in lesson.code.listed(lesson.without_mistake(lesson.scenario))]
    return [n for n, (line, own) in enumerate(zip(program, right, strict=False), 1) if line.text.en != own]


@each
def test_the_line_that_differs_from_the_lessons_listing_is_the_answer_and_the_only_one(asked: Asked) -> None:
    lesson, question, mark = asked
    for seed in range(DRAWS):
        drawn = question.draw(seed)
        assert [(float(n),) for n in differing(lesson, mark.program(drawn.inputs))] == [drawn.answer]


@each
def test_every_line_that_may_be_marked_is_answered(asked: Asked) -> None:
    _, question, mark = asked
    for seed in range(12):
        drawn = question.draw(seed)
        said = set()
        for n, line in enumerate(mark.program(drawn.inputs), 1):
            if not line.open:
                with pytest.raises(BadInput):
                    question.check(drawn.inputs, str(n))
                continue
            verdict = question.check(drawn.inputs, str(n))
            assert verdict.right == ((float(n),) == drawn.answer)
            if not verdict.right:
                [name] = verdict.slips
                [slip] = [slip for slip in question.slips if slip.name == name]
                said.add(slip.told(drawn.inputs))
                assert f"line {n} " in slip.told(drawn.inputs).en.lower()
                assert f"第 {n} 行" in slip.told(drawn.inputs).zh
        assert len(said) == len(drawn.slips)


@each
def test_what_is_shown_is_a_program_that_fits_and_its_draws_show_the_slip(asked: Asked) -> None:
    _, question, mark = asked
    lines = set()
    for seed in range(DRAWS):
        drawn = question.draw(seed)
        program = mark.program(drawn.inputs)
        for lang in ("en", "zh"):
            ast.parse("\n".join(line.text.of(lang) for line in program))
            widths = [len(line.text.of(lang)) + len(CHINESE.findall(line.text.of(lang))) for line in program]
            assert max(widths) <= WIDTH
        gives, should = (row.value for row in question.lines(drawn.inputs)[:2])
        assert gives != should
        lines.add(drawn.answer)
    assert len(lines) >= 3


@each
def test_nothing_asked_tells_the_line(asked: Asked) -> None:
    _, question, mark = asked
    for seed in range(DRAWS):
        drawn = question.draw(seed)
        wrong = mark.program(drawn.inputs)[int(drawn.answer[0]) - 1].code
        for words in (question.asked(drawn.inputs), question.title):
            assert wrong not in words.en
            assert f"line {int(drawn.answer[0])}" not in words.en
        told = [row for row in question.lines(drawn.inputs)[:-1]]
        assert all(wrong not in str(row) for row in told)


@each
def test_numbers_that_hide_the_slip_are_said_to(asked: Asked) -> None:
    """A reader may edit the numbers until the program is right by luck; the line is wrong all the same."""
    lesson, question, _ = asked
    for preset in lesson.presets:
        for program in range(1, 7):
            typed = {**question.form.write(question.inputs), "program": str(program)}
            try:
                typed |= {k: v for k, v in lesson.form.write(preset.scenario).items() if k in typed}
                inputs = question.form.read(typed, question.inputs)
            except BadInput:
                continue
            with named(f"{preset.slug} {program}"):
                gives, should = (row.value for row in question.lines(inputs)[:2])
                assert ("as it should" in question.asked(inputs).en) == (gives == should)
                assert ("碰巧" in question.asked(inputs).zh) == (gives == should)
                assert question.judge(inputs, question.answer(inputs)).right


def test_equal_scores_hide_a_slip_of_scale() -> None:
    [question] = [question for _, question, _ in ASKED if question.slug == "line-scale"]
    inputs = question.form.read({"keys": "A,7,1\nB,7,2", "program": "1"}, question.inputs)
    assert question.asked(inputs).en.startswith(
        "One line of this program is wrong, although with these numbers it gives"
    )


def online() -> tuple[Any, dict[str, Any]]:
    lesson = next(lesson for lesson in LESSONS if lesson.slug == "online_softmax")
    assert lesson.code is not None
    right = {code: Text("Right.", "对。") for line in lesson.code.parts if (code := Printed(Text(line.text, "")).code)}
    rest = {"slug": "x", "title": Text("x", "x"), "form": lesson.form, "inputs": lesson.scenario}
    return lesson.code, {**rest, "right": right, "invent": lambda rng: lesson.scenario}


@pytest.mark.parametrize(
    ("old", "missing", "said"),
    [
        ("no such line", None, "the listing has 0 lines"),
        ("import numpy as np\n", None, "the listing has 0 lines"),
        ("m = m_new", "p = exp(s, m_new)", "nothing is said of"),
    ],
)
def test_a_question_that_the_listing_does_not_bear_is_refused(old: str, missing: str | None, said: str) -> None:
    code, rest = online()
    right = {line: why for line, why in rest["right"].items() if line != missing}
    with pytest.raises(ValueError, match=said):
        find_line(code=code, spoilt=(Spoilt(old, "pass", Text("x", "x")),), **rest | {"right": right})


def test_a_line_that_stops_the_program_says_with_what() -> None:
    code, rest = online()
    question = find_line(
        code=code, spoilt=(Spoilt("m = m_new", "m = scores[99]", Text("Out of range.", "越界。")),), **rest
    )
    drawn = question.draw(1)
    assert "an error, IndexError" in question.asked(drawn.inputs).en
    assert "错误 IndexError" in question.asked(drawn.inputs).zh
