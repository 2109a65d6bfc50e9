"""Every lesson at the corners of its form, with every mistake: what is said agrees with the numbers of that run."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from lessons import LESSONS
from lessons.kit.claims import concluded
from lessons.kit.lesson import Lesson, Narration
from tests.lessons.corners import corners
from tests.lessons.reading import ONE, differing, is_good, named, said

AnyLesson = Lesson[Any, Any]
_DONE = {"flash_io", "block_table", "online_softmax"}
REVISED = [lesson for lesson in LESSONS if lesson.slug in _DONE]  # being revised, one after another


def every_run(lesson: AnyLesson) -> list[tuple[str, Any]]:
    """Presets and corners, the right way and with each mistake."""
    runs = [*((preset.slug, preset.scenario) for preset in lesson.presets), *corners(lesson)]
    mistakes = (lesson.mistakes.none, *lesson.mistakes.wrongs)
    return [(f"{name} {mistake.value}", replace(run, mistake=mistake)) for name, run in runs for mistake in mistakes]


@pytest.mark.parametrize("lesson", REVISED, ids=lambda lesson: lesson.slug)
def test_at_every_corner_words_and_numbers_agree(lesson: AnyLesson) -> None:
    for name, run in every_run(lesson):
        for words in lesson.told(run):
            with named(f"{name}: {words.id}"):
                agrees(words)


def agrees(words: Narration) -> None:
    for text in chain(said(words), [words.ask.prompt, *(slip.said for slip in words.ask.slips)] if words.ask else []):
        assert differing(text) == {}, text
        assert not ONE.search(text.en.replace("\u202f", "")), text.en
    assert is_good(words.headline, sentence=True), words.headline
    assert [claim for claim in words.claims if not claim.holds] == []


@pytest.mark.parametrize("lesson", REVISED, ids=lambda lesson: lesson.slug)
def test_a_headline_that_concludes_something_has_the_numbers_beside_it(lesson: AnyLesson) -> None:
    for name, run in every_run(lesson):
        for words in lesson.told(run):
            missing = concluded(words.headline) - {claim.kind for claim in words.claims}
            assert not missing, (name, words.id, words.headline, missing)
