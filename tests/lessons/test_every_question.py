"""What holds for every question of every lesson, of whatever kind. New questions are covered by being declared."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lessons import LESSONS
from lessons.kit.controls import BadInput
from lessons.kit.lesson import Lesson
from lessons.kit.question import Instance, Question, Verdict
from lessons.kit.reply import Answer, Find, Number, Order, Pick, Tick
from lessons.kit.text import Text, same
from lessons.practice.worked import frames
from tests.conftest import THOROUGH
from tests.lessons.reading import BANK, differing, is_good, named, of_every_question, shows_no_markup

AnyLesson = Lesson[Any, Any]
AnyQuestion = Question[Any]
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")

TYPED = ("number", "vector")
DRAWS = 1000 if THOROUGH else 200  # of each template

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)


@lru_cache(maxsize=2000)
def draw(question: AnyQuestion, seed: int) -> Instance[Any]:
    return question.draw(seed)


def remembered(question: AnyQuestion, drawn: Instance[Any]) -> AnyQuestion:
    """The question with these answers looked up: a seed judges many answers, and each judging would compute all of
    them."""
    slips = tuple(replace(slip, formula=lambda _, name=slip.name: drawn.slips[name]) for slip in question.slips)  # type: ignore[misc]
    return replace(question, formula=lambda _: drawn.answer, slips=slips)


def figures(question: AnyQuestion) -> int:
    """Digits that a student would give."""
    return 4 if question.tolerance.relative else 12


def as_given(question: AnyQuestion, answer: Answer) -> str:
    """The answer as a student would give it: numbers of four figures, counts in full, or what the field for a choice
    holds."""
    if question.kind in TYPED:
        return ", ".join(f"{x:.{figures(question)}g}" for x in answer)
    return ", ".join("1" if math.isnan(x) else str(int(x)) for x in answer)


# The bank


def test_the_bank_has_sixty_templates_and_more_and_all_kinds() -> None:
    kinds = Counter(question.kind for questions in BANK.values() for question in questions)
    assert sum(kinds.values()) >= 60
    assert set(kinds) == {"number", "vector", "choice", "order", "cells", "error", "line"}
    assert kinds["error"] >= len(LESSONS)


@each_lesson
def test_a_lesson_asks_at_least_six_questions_with_names_of_their_own(lesson: AnyLesson) -> None:
    assert len(lesson.questions) >= 6
    for distinct in ({q.slug for q in lesson.questions}, {q.title for q in lesson.questions}):
        assert len(distinct) == len(lesson.questions)


@of_every_question
def test_a_question_has_at_least_two_slips_each_with_a_name_and_a_sentence(question: AnyQuestion) -> None:
    assert len(question.slips) >= 2
    for distinct in ({s.name for s in question.slips}, {s.title for s in question.slips}):
        assert len(distinct) == len(question.slips)
    for slip in question.slips:
        assert all(SLUG.fullmatch(part) for part in slip.name.split("+"))


@of_every_question
def test_what_a_question_says_is_in_both_languages_with_the_same_numbers(question: AnyQuestion) -> None:
    for inputs in (question.inputs, *(draw(question, seed).inputs for seed in range(15))):
        sentences = [question.asked(inputs), *(slip.told(inputs) for slip in question.slips)]
        others = [question.worked(inputs), *offered(question, inputs)]  # may be a formula or a name
        for row in question.lines(inputs):
            others += [row.what, *(same(x) if isinstance(x, str) else x for x in (row.how, row.value))]
        for text in (*sentences, *others):
            if text.en or text.zh:
                assert is_good(text, sentence=text in sentences), text
            assert shows_no_markup(text.en), text
            assert shows_no_markup(text.zh), text
        assert "？" in question.asked(inputs).zh
        assert "?" in question.asked(inputs).en


@of_every_question
def test_an_answer_in_words_is_one_line_that_can_be_set_in_bold(question: AnyQuestion) -> None:
    for inputs in (question.inputs, *(draw(question, seed).inputs for seed in range(5))):
        said = question.reply.write(question.answer(inputs), inputs)
        for text in (said.en, said.zh):
            assert "\n" not in text
            assert shows_no_markup(f"**{text}**"), text


def offered(question: AnyQuestion, inputs: Any) -> list[Text]:
    """What a reader chooses from."""
    match question.reply:
        case Pick(options=options) | Order(options=options):
            return [*options(inputs)]
        case Tick(rows=rows, columns=columns):
            return [*rows(inputs), *columns(inputs)]
        case Find(claims=claims):
            return [text for claim in claims(inputs) for text in (claim.said, *claim.corrections)]
    return []


@of_every_question
def test_what_can_be_chosen_is_told_apart_by_its_words(question: AnyQuestion) -> None:
    for inputs in (question.inputs, *(draw(question, seed).inputs for seed in range(40))):
        match question.reply:
            case Pick(options=options) | Order(options=options):
                groups = [options(inputs)]
            case Tick(rows=rows, columns=columns):
                groups = [rows(inputs), columns(inputs)]
            case Find(claims=claims):
                groups = [tuple(c.said for c in claims(inputs)), *((c.said, *c.corrections) for c in claims(inputs))]
                assert len({len(c.corrections) for c in claims(inputs)}) == 1
            case _:
                continue
        for group in groups:
            assert len({t.en for t in group}) == len({t.zh for t in group}) == len(group), group


@of_every_question
def test_the_right_choice_is_not_always_in_the_same_place(question: AnyQuestion) -> None:
    if question.kind not in TYPED:
        assert len({draw(question, seed).answer for seed in range(60)}) >= 2
    if isinstance(question.reply, Order):
        untouched = tuple(map(float, question.reply.untouched(question.inputs).split(",")))
        assert sum(draw(question, seed).answer == untouched for seed in range(60)) < 20


# Judging


def rounded(question: AnyQuestion, answer: Answer) -> Answer:
    """The answer as a student would give it: numbers of four figures, counts in full, anything where anything may
    stand."""
    if question.kind in TYPED:
        return tuple(float(f"{x:.{figures(question)}g}") for x in answer)
    return tuple(1.0 if math.isnan(x) else x for x in answer)


@of_every_question
def test_drawn_numbers_tell_right_from_every_slip_even_after_a_student_rounds(question: AnyQuestion) -> None:
    for seed in range(DRAWS):
        drawn = draw(question, seed)
        judge = remembered(question, drawn).judge
        assert question.tells_apart(drawn)
        assert judge(drawn.inputs, rounded(question, drawn.answer)) == Verdict(True, ())
        for slip, answer in drawn.slips.items():
            assert all(map(math.isfinite, answer)) or (question.kind == "error" and math.isfinite(answer[0]))
            verdict = judge(drawn.inputs, rounded(question, answer))
            assert (verdict.right, verdict.slips) == (False, (slip,)), (seed, slip)


@of_every_question
def test_what_is_typed_or_chosen_is_judged_like_the_numbers_it_means(question: AnyQuestion) -> None:
    for seed in range(40):
        drawn = draw(question, seed)
        check = remembered(question, drawn).check
        assert check(drawn.inputs, as_given(question, drawn.answer)) == Verdict(True, ())
        for slip, answer in drawn.slips.items():
            verdict = check(drawn.inputs, as_given(question, answer))
            assert (verdict.right, verdict.slips) == (False, (slip,)), (seed, slip)


@of_every_question
def test_a_seed_draws_the_same_numbers_and_judges_them_alike_every_time(question: AnyQuestion) -> None:
    for seed in range(8):
        drawn = question.draw(seed)
        assert drawn.inputs == draw(question, seed).inputs
        assert drawn.answer == draw(question, seed).answer
        assert question.judge(drawn.inputs, drawn.answer) == Verdict(True, ())


@of_every_question
def test_the_answer_as_it_is_shown_is_right_when_it_is_typed_back(question: AnyQuestion) -> None:
    if question.kind not in TYPED:
        return
    for seed in range(40):
        drawn = draw(question, seed)
        written = question.reply.write(drawn.answer, drawn.inputs)
        for words in (written.en, written.zh):
            assert remembered(question, drawn).check(drawn.inputs, words) == Verdict(True, ()), words


@of_every_question
def test_nonsense_in_an_answer_is_refused_with_a_sentence_in_both_languages(question: AnyQuestion) -> None:
    for typed in (
        "",
        "words",
        "1e999",
        "9" * 10_000,
        "9**9**9**9",
        "__import__('os')",
        "<img src=x>",
        "[" * 300,
        "\x00",
    ):
        with pytest.raises(BadInput) as raised:
            question.check(question.inputs, typed)
        for complaint in raised.value.complaints:
            assert "Your answer" in complaint.en
            assert "你的答案" in complaint.zh
            assert not differing(complaint)


# Drawing and editing


@of_every_question
def test_enough_of_the_numbers_invented_tell_apart_that_a_draw_never_gives_up(question: AnyQuestion) -> None:
    rng = random.Random(question.slug)
    found = sum(question.tells_apart(question.instance(question.invent(rng))) for _ in range(100))
    assert found >= 2  # one in fifty would leave a draw empty-handed once in 10¹⁷ times


@of_every_question
def test_draws_vary(question: AnyQuestion) -> None:
    assert len({draw(question, seed).inputs for seed in range(40)}) >= 20


@of_every_question
def test_drawn_numbers_can_be_put_into_the_fields_and_edited_on(question: AnyQuestion) -> None:
    for inputs in (question.inputs, *(draw(question, seed).inputs for seed in range(40))):
        assert question.form.read(question.form.write(inputs), inputs) == inputs


@each_lesson
def test_the_numbers_a_question_starts_with_tell_right_from_every_slip(lesson: AnyLesson) -> None:
    for question in lesson.questions:
        with named(question.slug):
            instance = question.instance(question.inputs)
            assert question.tells_apart(instance)
            assert question.judge(question.inputs, instance.answer) == Verdict(True, ())


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_any_seed_the_page_may_choose_draws_numbers(lesson: AnyLesson, seed: int) -> None:
    for question in lesson.questions:
        assert question.tells_apart(question.draw(seed))


# The way to the answer


@of_every_question
def test_the_last_line_of_a_worked_solution_gives_the_answer(question: AnyQuestion) -> None:
    for seed in range(40):
        drawn = draw(question, seed)
        rows = question.lines(drawn.inputs)
        assert 2 <= len(rows) <= 7
        assert len(frames(rows)) == len(rows)
        if question.kind in TYPED:
            value = rows[-1].value
            for words in (value, value) if isinstance(value, str) else (value.en, value.zh):
                assert remembered(question, drawn).check(drawn.inputs, words) == Verdict(True, ()), words


@of_every_question
def test_a_number_with_a_unit_says_in_its_question_which(question: AnyQuestion) -> None:
    if isinstance(question.reply, Number) and question.reply.unit.dimension == "bytes":
        unit = question.reply.unit.name.en
        asked = question.asked(question.inputs).en + question.title.en
        assert unit in asked or (unit == "B" and "byte" in asked), asked


@each_lesson
def test_the_working_is_a_scenario_of_the_lesson_that_its_player_can_show(lesson: AnyLesson) -> None:
    for question in lesson.questions:
        for inputs in (question.inputs, *(draw(question, seed).inputs for seed in range(2))):
            for way in (question.way, *(slip.way for slip in question.slips)):
                with named(question.slug):
                    assert way is None or len(lesson.told(way(inputs))) >= 2


@each_lesson
def test_a_slip_that_is_shown_is_seen_to_part_from_the_right_way(lesson: AnyLesson) -> None:
    for question in lesson.questions:
        for inputs in (question.inputs, *(draw(question, seed).inputs for seed in range(4))):
            for slip in question.slips:
                if slip.way is not None:
                    way = slip.way(inputs)
                    right = None if question.way is None else lesson.without_mistake(question.way(inputs))
                    other_trace = lesson.without_mistake(way) != right
                    parts = other_trace or any(frame.scene.parts for frame in lesson.frames(way))
                    assert parts, (question.slug, slip.name, inputs)
