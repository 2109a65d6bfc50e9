"""A link of which some fields cannot be used: what is left of it is shown, and each field left out is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.online_softmax import Mistake
from lessons import LESSONS
from lessons.block_table import LESSON as BLOCK_TABLE
from lessons.block_table.form import POSITION
from lessons.kit.controls import BadInput, Control
from lessons.kit.lesson import Lesson
from lessons.kit.usable import Usable, usable
from lessons.online_softmax import LESSON as ONLINE_SOFTMAX
from lessons.online_softmax.form import KEYS, ORDER, TILE

AnyLesson = Lesson[Any, Any]
CHAPTER = ONLINE_SOFTMAX.scenario
NONSENSE = "?!"  # which no control takes, and no line in any form
SPOILT = [
    pytest.param(lesson, control, id=f"{lesson.slug}-{control.name}")
    for lesson in LESSONS
    for control in lesson.form.controls
]


def softmax(**typed: str) -> Usable[Any]:
    return usable(ONLINE_SOFTMAX.form, typed, CHAPTER)


def names(found: Usable[Any]) -> list[str]:
    """The label with which each complaint begins."""
    return [complaint.en.split("**")[1] for complaint in found.complaints]


def test_order_and_mistake_of_a_link_are_used_though_its_tile_cannot_be() -> None:
    found = softmax(tile="zz", order="3,2,1", mistake="tile_max")
    assert found.scenario == replace(CHAPTER, order=(2, 1, 0), mistake=Mistake.TILE_MAX)
    assert (names(found), found.fits) == ([TILE.label.en], True)


def test_a_link_that_can_be_used_is_read_as_the_form_reads_it() -> None:
    typed = {"tile": "3", "order": "3,2,1"}
    assert softmax(**typed) == Usable(ONLINE_SOFTMAX.form.read(typed, CHAPTER), (), True)


def test_a_field_that_is_bad_only_beside_the_others_is_named_and_the_others_are_used() -> None:
    found = softmax(tile="99", order="1 1", mistake="tile_max")
    assert found.scenario == replace(CHAPTER, mistake=Mistake.TILE_MAX)
    assert (names(found), found.fits) == ([TILE.label.en, ORDER.label.en], True)


def test_an_order_of_two_rows_does_not_survive_the_table_it_was_written_for() -> None:
    found = softmax(keys="A,x,1\nB,2,1", order="2 1", tile="3")
    assert found.scenario == replace(CHAPTER, tile_size=3)
    assert names(found) == [KEYS.label.en, ORDER.label.en]


def test_where_the_lessons_own_value_does_not_fit_beside_the_rest_its_example_is_shown_and_the_field_named() -> None:
    form, own = BLOCK_TABLE.form, BLOCK_TABLE.scenario
    found = usable(form, {"tokens": "3", "position": "20", "mistake": "zz"}, own)
    assert (found.scenario, found.fits) == (own, False)
    assert names(found)[1:] == [
        POSITION.label.en
    ]  # once: that the lesson's own position does not fit is not the reader's
    assert "20" in found.complaints[1].en


@pytest.mark.parametrize(("lesson", "control"), SPOILT)
def test_one_spoilt_field_of_any_lesson_is_named_and_no_other_field_is_lost(
    lesson: AnyLesson, control: Control
) -> None:
    own = lesson.form.write(lesson.scenario)
    for preset in lesson.presets:
        typed = lesson.form.write(preset.scenario)
        found = usable(lesson.form, typed | {control.name: NONSENSE}, lesson.scenario)
        assert control.label.en in names(found)
        try:
            rest = lesson.form.read(typed | {control.name: own[control.name]}, lesson.scenario)
        except BadInput:
            continue  # the lesson's own value does not go with this preset
        assert (found.scenario, len(found.complaints), found.fits) == (rest, 1, True)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_a_link_to_a_question_loses_no_number_to_a_spoilt_one(lesson: AnyLesson) -> None:
    for question in lesson.questions:
        form, other = question.form, question.draw(1).inputs
        own, typed = form.write(question.inputs), form.write(other)
        for control in form.controls:
            found = usable(form, typed | {control.name: NONSENSE}, question.inputs)
            assert found.complaints, (question.slug, control.name)
            try:
                rest = form.read(typed | {control.name: own[control.name]}, question.inputs)
            except BadInput:
                continue
            assert (found.scenario, found.fits) == (rest, True), (question.slug, control.name)
