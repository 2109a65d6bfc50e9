"""Which questions a worked example would answer: the error is always the same one, or the right option is always the
same words."""

from __future__ import annotations

from collections import Counter

from lessons import LESSONS
from lessons.practice.telling import example_tells

QUESTIONS = {f"{lesson.slug}/{question.slug}": question for lesson in LESSONS for question in lesson.questions}


def test_an_example_tells_the_error_and_the_option_that_is_right_whatever_the_numbers() -> None:
    told = {name for name, question in QUESTIONS.items() if example_tells(question)}
    errors = {name for name, question in QUESTIONS.items() if question.kind in ("error", "line")}
    assert errors <= told
    always = {"decode_cost/cubic", "three_savings/least-room", "three_savings/by-traffic"}
    assert told - errors == always | {"three_savings/falls"}  # whose answer is seldom another one


def test_what_an_example_tells_is_right_with_nearly_all_other_numbers_too() -> None:
    for name, question in QUESTIONS.items():
        if example_tells(question) and question.kind not in ("error", "line"):
            drawn = [question.draw(seed) for seed in range(20)]
            ((_, times), *_) = Counter(question.reply.write(one.answer, one.inputs) for one in drawn).most_common()
            assert times >= 0.9 * len(drawn), name


def test_a_number_to_work_out_is_never_told_by_an_example() -> None:
    assert not any(example_tells(question) for question in QUESTIONS.values() if question.kind in ("number", "vector"))
