"""The lesson on what decoding costs: its claims as sentences, the chapter's figures in what is shown, every wrong
way's figure."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.counts import cached, naive
from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost import LESSON, prose
from lessons.decode_cost.charts import LENGTHS, PAIRS, slope
from lessons.decode_cost.presets import PRESETS
from lessons.decode_cost.questions.growth import RATIO
from lessons.decode_cost.questions.no_cache import UNIT
from lessons.decode_cost.questions.pairs import DECODE, PREFILL
from lessons.decode_cost.questions.price import PASSES
from lessons.kit.controls import BadInput
from lessons.kit.format import count
from lessons.kit.lesson import Frame
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell

BY_NAME = {preset.slug: preset.scenario for preset in PRESETS}


def frame(scenario: Scenario, id_: str) -> Frame:
    (found,) = (frame for frame in LESSON.frames(scenario) if frame.narration.id == id_)
    return found


def words(frame: Frame) -> str:
    facts = frame.narration.facts
    table = (
        [] if facts is None else [word if isinstance(word, str) else word.en for line in facts.rows for word in line]
    )
    return " ".join((frame.narration.headline.en, frame.narration.text.en, *table))


def drawn(frame: Frame) -> dict[str, Cell]:
    return {shape.key: shape for shape in frame.scene.shapes if isinstance(shape, Cell)}


def test_the_lesson_opens_with_three_prompt_tokens_and_four_new_ones_each_pass_a_step() -> None:
    ids = [frame.narration.id for frame in LESSON.frames(LESSON.scenario)]
    assert ids == ["start", "prompt", "pass-1", "pass-2", "pass-3", "same", "totals", "passes", "growth", "price"]


def test_5050_stands_twice_and_each_time_with_its_unit() -> None:
    totals = frame(BY_NAME["hundred"], "totals")
    for figure in (5050, 100, 171_700, 338_350):
        assert count(figure) in words(totals)
    cells = drawn(totals)
    assert cells["total.rows.plain"].value == cells["total.pairs.cached"].value == 5050
    assert (cells["total.rows.cached"].value, cells["total.pairs.plain"].value) == (100, 171_700)


def test_the_chapters_prefill_and_decode_are_shown() -> None:
    for name, figures in (("ten-five", (55, 50, 65, 395)), ("long", (500_500, 103_950, 105_050, 55_166_650))):
        shown = " ".join(words(f) for f in LESSON.frames(BY_NAME[name]))
        assert all(count(figure) in shown for figure in figures)


def test_growth_is_stated_in_so_many_words() -> None:
    assert frame(LESSON.scenario, "growth").narration.headline.en == "Per step linear, whole generation still quadratic"
    assert "Per step linear, whole generation still quadratic" in prose.LIMITS.en
    assert "每一步是线性的，整段生成仍是平方级" in prose.LIMITS.zh


def test_long_generations_say_that_the_model_was_not_run() -> None:
    assert "without the model" in words(frame(BY_NAME["long"], "start"))
    assert "same" not in [f.narration.id for f in LESSON.frames(BY_NAME["long"])]


def test_without_a_cache_old_cells_are_computed_once_more_and_with_one_never() -> None:
    for preset in PRESETS:
        for f in LESSON.frames(preset.scenario):
            if f.narration.id.startswith("pass-"):
                again = {shape.key[0] for shape in f.scene.shapes if Role.AGAIN in shape.roles}
                assert again == {"p"}


def test_the_number_in_a_cell_is_how_often_the_pair_was_scored() -> None:
    cells = drawn(frame(LESSON.scenario, "pass-3"))
    assert [cells[f"p.{i}.0"].value for i in range(6)] == [4, 4, 4, 3, 2, 1]
    assert {cells[f"c.{i}.0"].value for i in range(6)} == {1}


@pytest.mark.parametrize(
    ("mistake", "figures"),
    [
        (Mistake.ROWS_AS_PAIRS, (5050, 100)),
        (Mistake.NEWEST_QUERY, (5050, 5050)),
        (Mistake.OWN_KEY, (171_700, 100)),
        (Mistake.FULL_SQUARE, (338_350, 5050)),
        (Mistake.NO_APPEND, (171_700, 199)),
    ],
)
def test_each_wrong_way_reports_its_own_pairs_beside_the_right_ones(mistake: Mistake, figures: tuple[int, int]) -> None:
    totals = frame(replace(BY_NAME["hundred"], mistake=mistake), "totals")
    cells = drawn(totals)
    assert tuple(cells[f"wrong.total.pairs.{side}"].value for side in ("plain", "cached")) == figures
    said = totals.narration.text.en
    assert (
        f"reports {count(figures[0])} against {count(figures[1])} pairs; they are {count(171_700)} against "
        f"{count(5050)}" in said
    )


def test_a_cache_never_appended_to_chooses_another_token_and_the_picture_marks_it() -> None:
    f = frame(replace(LESSON.scenario, mistake=Mistake.NO_APPEND), "pass-2")
    assert "It chooses token 6, not 10" in f.narration.text.en
    assert Role.WRONG in drawn(f)["wrong.token.5"].roles


@pytest.mark.parametrize("mistake", [m for m in Mistake if m is not Mistake.NONE])
def test_where_a_mistake_makes_no_difference_the_lesson_says_so_and_why(mistake: Mistake) -> None:
    frames = LESSON.frames(Scenario(1, 1, mistake))
    assert {f.narration.id for f in frames if f.scene.parts} <= {"passes"}  # where one pass more than these is shown
    assert "invisible in this generation" in " ".join(f.narration.text.en for f in frames)


def test_every_mistake_is_seen_on_the_first_example() -> None:
    for mistake in Mistake:
        parts = any(f.scene.parts for f in LESSON.frames(replace(LESSON.scenario, mistake=mistake)))
        assert parts is (mistake is not Mistake.NONE)


def test_the_fitted_slopes_are_one_two_two_and_three() -> None:
    slopes = {name: slope(LENGTHS[6:], [f(n) for n in LENGTHS[6:]]) for name, (_, f) in PAIRS.items()}
    expected = {"step-cached": 1, "whole-cached": 2, "step-plain": 2, "whole-plain": 3}
    assert all(math.isclose(slopes[name], power, abs_tol=0.02) for name, power in expected.items())


def test_the_questions_start_with_the_sources_own_figures() -> None:
    assert PREFILL.answer(PREFILL.inputs) == (55.0,)
    assert DECODE.answer(DECODE.inputs) == (50.0,)
    assert DECODE.instance(DECODE.inputs).slips["m_passes"] == (65.0,)
    assert UNIT.answer(UNIT.inputs) == (171_700.0, 5050.0)
    assert UNIT.instance(UNIT.inputs).slips["rows"] == (5050.0, 100.0)
    assert RATIO.answer(RATIO.inputs) == (naive(100).pairs / cached(100).pairs,) == (34.0,)
    assert PASSES.answer(PASSES.inputs) == (4.0,)


def test_a_link_with_a_prompt_out_of_bounds_is_told_what_would_be_right() -> None:
    with pytest.raises(BadInput) as bad:
        LESSON.form.read({"prompt": "0", "new": "x"}, LESSON.scenario)
    en = " ".join(c.en for c in bad.value.complaints)
    assert "**Prompt tokens P** must be a whole number from 1 to 1000" in en
    assert "**New tokens M** must be a whole number from 1 to 200" in en
