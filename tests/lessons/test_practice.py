"""What makes a set, what comes back and when, what a set has shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons import LESSONS
from lessons.practice.practice import (
    ENOUGH,
    EVERY,
    SIZES,
    Deal,
    Outcome,
    dealt,
    due,
    lesson_of,
    met,
    name_of,
    outcome,
    place,
    read_deal,
    returning,
    slips_of,
    write_deal,
)
from lessons.practice.progress import Answered

BANK = {lesson.slug: tuple(name_of(lesson.slug, q.slug) for q in lesson.questions) for lesson in LESSONS}
SMALL = {"a": ("a.1", "a.2", "a.3"), "b": ("b.1", "b.2"), "c": ("c.1",)}
MARCH = date(2026, 3, 1)

DEALS = st.builds(
    Deal,
    st.integers(0, 999_999),
    st.sampled_from(SIZES),
    st.sets(st.sampled_from(list(SMALL)), min_size=1).map(lambda chosen: tuple(x for x in SMALL if x in chosen)),
    st.lists(st.sampled_from([name for names in SMALL.values() for name in names]), unique=True, max_size=5).map(tuple),
)


def answer(
    day: int, *, right: bool = True, hints: int = 0, seed: int = 1, question: str = "a.1", slips: tuple[str, ...] = ()
) -> Answered:
    """On a day counted from the first of March."""
    at = f"{(MARCH + timedelta(days=day)).isoformat()}T10:00:00.000"
    return Answered(f"{question}-{day}-{seed}-{right}-{hints}", at, question, seed, right, hints, slips)


# A set


@given(DEALS)
def test_the_same_link_gives_the_same_set(deal: Deal) -> None:
    again = read_deal(write_deal(deal, SMALL), SMALL)
    assert again == deal
    assert dealt(again, SMALL) == dealt(deal, SMALL)


@given(DEALS)
def test_a_set_has_its_size_begins_with_what_was_due_and_asks_nothing_twice_before_all_was_asked(deal: Deal) -> None:
    items = dealt(deal, SMALL)
    assert len(items) == deal.size
    assert {item.question for item in items[: len(deal.first)]} == set(deal.first)
    able = {name for lesson in deal.lessons for name in SMALL[lesson]} | set(deal.first)
    first_round = [item.question for item in items[: len(able)]]
    assert len(set(first_round)) == min(len(able), deal.size)
    assert len({(item.question, item.seed) for item in items}) == deal.size  # what is asked again has new numbers


@given(st.integers(0, 999_999), st.sampled_from(SIZES))
def test_a_set_over_all_lessons_never_asks_two_of_one_lesson_in_a_row_and_takes_as_many_of_each(
    seed: int, size: int
) -> None:
    lessons = [lesson_of(item.question) for item in dealt(Deal(seed, size, tuple(BANK)), BANK)]
    assert all(a != b for a, b in pairwise(lessons))
    times = [lessons.count(lesson) for lesson in BANK]
    assert max(times) - min(times) <= 1


def test_what_was_due_is_kept_apart_by_lesson_where_it_can_be() -> None:
    first = ("a.1", "a.2", "a.3", "b.1", "c.1")
    items = dealt(Deal(1, 5, tuple(SMALL), first), SMALL)
    assert [lesson_of(item.question) for item in items] == ["a", "b", "a", "c", "a"]


def test_other_seeds_give_other_sets_and_other_numbers() -> None:
    sets = [dealt(Deal(seed, 8, tuple(BANK)), BANK) for seed in range(40)]
    assert len({tuple(item.question for item in items) for items in sets}) == 40
    assert len({item.seed for items in sets for item in items}) > 300


@pytest.mark.parametrize("seed", ["", "x", "-1", "1.5", "1234567", "9" * 10_000, "１２", "<script>", "\x00"])
def test_an_address_without_a_seed_names_no_set(seed: str) -> None:
    assert read_deal({"set": seed}, BANK) is None
    assert read_deal({}, BANK) is None


def test_what_an_address_says_of_unknown_lessons_and_questions_is_passed_over() -> None:
    query = {"set": "7", "n": "1000", "lessons": "nothing b ../x <b>", "first": "b.2 b.2 nothing.x <img> a.1"}
    assert read_deal(query, SMALL) == Deal(7, 8, ("b",), ("b.2", "a.1"))
    assert read_deal({"set": "7", "lessons": "x " * 5000}, SMALL) == Deal(7, 8, ("a", "b", "c"))
    assert read_deal({"set": "7", "n": "5", "first": " ".join(sum(SMALL.values(), ()))}, SMALL) == Deal(
        7, 5, tuple(SMALL), ("a.1", "a.2", "a.3", "b.1", "b.2")
    )


# What comes back


def days(*answers: Answered) -> list[int]:
    """The days on which a question is due if it is only ever answered by these."""
    return [(day - MARCH).days for day in returning(answers).values()]


def test_what_was_missed_comes_back_evenly_until_it_was_right_on_three_days() -> None:
    missed = answer(0, right=False)
    given_: list[Answered] = [missed]
    for day in (2, 4, 6):
        assert days(*given_) == [day]
        given_.append(answer(day, seed=day))
    assert days(*given_) == []
    assert (3, timedelta(days=2)) == (ENOUGH, EVERY)


def test_what_was_never_missed_does_not_come_back() -> None:
    assert days(answer(0), answer(3), answer(3, hints=2, seed=9)) == []


def test_a_second_miss_starts_again() -> None:
    assert days(answer(0, right=False), answer(2), answer(4), answer(6, right=False), answer(8), answer(10)) == [12]


def test_right_twice_on_one_day_counts_once_and_right_after_a_miss_the_same_day_not_at_all() -> None:
    assert days(answer(0, right=False), answer(2), answer(2, seed=2), answer(2, seed=3)) == [4]
    assert days(answer(0, right=False), answer(0, seed=2), answer(2), answer(4)) == [6]


def test_right_with_a_hint_does_not_count_but_is_asked_again_as_late_as_if_it_did() -> None:
    assert days(answer(0, right=False), answer(2, hints=1), answer(4), answer(6)) == [8]


def test_a_reader_who_comes_late_is_asked_then_and_every_second_day_after() -> None:
    given_ = [answer(0, right=False)]
    assert due(given_, MARCH + timedelta(days=1)) == ()
    assert due(given_, MARCH + timedelta(days=2)) == due(given_, MARCH + timedelta(days=30)) == ("a.1",)
    assert days(*given_, answer(30)) == [32]


def test_the_longest_overdue_is_first_and_questions_do_not_mix() -> None:
    given_ = (answer(1, right=False, question="b.1"), answer(0, right=False), answer(5, right=False, question="c.1"))
    assert due(given_, MARCH + timedelta(days=4)) == ("a.1", "b.1")


def test_the_order_in_which_answers_arrive_does_not_matter() -> None:
    given_ = (answer(0, right=False), answer(2), answer(4), answer(6, right=False, question="b.1"))
    assert returning(given_) == returning(given_[::-1])


def test_a_question_is_met_once_for_each_numbers_and_day() -> None:
    given_ = (answer(0), answer(0, right=False), answer(0, seed=2), answer(1), answer(1, question="b.1"))
    assert [met(given_, name) for name in ("a.1", "b.1", "c.1")] == [3, 1, 0]


# What a set has shown


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        ((), None),
        ((answer(0),), Outcome.FIRST),
        ((answer(0), answer(0, right=False)), Outcome.FIRST),
        ((answer(0, hints=1),), Outcome.HELPED),
        ((answer(0, right=False), answer(0)), Outcome.HELPED),
        ((answer(0, right=False), answer(0, right=False, hints=2)), Outcome.MISSED),
    ],
)
def test_the_first_answer_decides(answers: tuple[Answered, ...], shown: Outcome | None) -> None:
    assert outcome(answers) is shown


def test_slips_are_counted_by_question_and_name_and_two_at_once_count_for_each() -> None:
    given_ = (
        answer(0, right=False, slips=("v",), seed=1),
        answer(0, right=False, slips=("v+heads",), seed=2),
        answer(0, right=False, slips=("v", "heads"), seed=3),
        answer(0, right=False, slips=("v",), question="b.1", seed=4),
        answer(0),
    )
    assert slips_of(given_) == [("a.1", "v", 3, 3), ("a.1", "heads", 3, 2), ("b.1", "v", 4, 1)]


def test_every_slip_of_every_lesson_leads_to_a_step_that_its_lesson_has_with_the_numbers_it_was_made_with() -> None:
    for lesson in LESSONS:
        for question in lesson.questions:
            inputs = question.draw(5).inputs
            for slip in question.slips:
                query, step = place(lesson, question, slip.name, inputs)
                way = slip.way or question.way
                if way is None:
                    assert (query, step) == ({}, None)
                    continue
                typed = lesson.form.write(lesson.scenario) | query
                frames = lesson.frames(lesson.form.read(typed, lesson.scenario))
                parts = [i for i, frame in enumerate(frames, 1) if frame.scene.parts]
                assert step == (parts[0] if parts else len(frames)), (lesson.slug, question.slug, slip.name)


def test_a_slip_that_a_later_version_no_longer_has_leads_to_the_questions_own_way() -> None:
    lesson = LESSONS[0]
    question = replace(lesson.questions[0], way=None, slips=())
    assert place(lesson, question, "gone", question.inputs) == ({}, None)
