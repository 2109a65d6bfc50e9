"""Numbers that a reader may type over a question's own: whatever its form takes, the question can be asked, solved
and judged."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from lessons import LESSONS
from lessons.home import CHECK
from lessons.kit.controls import BadInput, Choice, Control, OptionalWhole, Real, Whole
from lessons.kit.key_table import KeyTable
from lessons.kit.question import Question

QUESTIONS = {f"{lesson.slug}/{question.slug}": question for lesson in LESSONS for question in lesson.questions} | {
    "home": CHECK
}
TABLES = (
    "A,0,0",
    "A,-inf,1\nB,-inf,2",
    "A,1000000,-1000000\nB,-1000000,1000000",
    "\n".join(f"*_`$<|{i:x},{-i},{i}" for i in range(16)),
)
LINES = ("", "0", "-1", "A", "1 1 1", "1000000000", " ".join(map(str, range(40))))
LONG = 1.0  # seconds; a page judges again at every rerun


def extremes(control: Control, now: str, rng: random.Random) -> list[str]:
    match control:
        case OptionalWhole(low=low, high=high):
            return ["", str(low), str(high), now]
        case Whole(low=low, high=high):
            return [str(low), str(high), str(rng.randint(low, high)), now]
        case Real(low=least, high=most):
            return [repr(least), repr(most), now]
        case Choice(options=options):
            return [value for value, _ in options]
        case KeyTable():
            return [*TABLES, now]
    return [*LINES, now]


@pytest.mark.parametrize("name", QUESTIONS)
def test_whatever_the_form_takes_the_question_can_be_asked_solved_and_judged(name: str) -> None:
    question: Question[Any] = QUESTIONS[name]
    rng = random.Random(name)
    own = question.form.write(question.inputs)
    found = {control.name: extremes(control, own[control.name], rng) for control in question.form.controls}
    tried = [{field: texts[min(i, len(texts) - 1)] for field, texts in found.items()} for i in (0, 1)]
    tried += [own | {field: text} for field, texts in found.items() for text in texts]
    tried += [{field: rng.choice(texts) for field, texts in found.items()} for _ in range(8)]
    for typed in tried:
        try:
            inputs = question.form.read(typed, question.inputs)
        except BadInput:
            continue
        started = time.process_time()
        answer = question.instance(inputs).answer
        question.judge(inputs, answer)
        said = [question.asked(inputs), question.worked(inputs), question.reply.write(answer, inputs)]
        said += [slip.told(inputs) for slip in question.slips]
        assert all(text.en and text.zh for text in said)
        question.lines(inputs)
        assert question.form.read(question.form.write(inputs), question.inputs) == inputs
        assert time.process_time() - started < LONG, typed
