"""Tiles and traffic: what its words and pictures say is what the engine counts; its fields refuse what cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.flash_io import BLIND, UNEQUAL, Compare, Gradients, LoadKV, Mistake, Scenario, Score, walk
from engine.traffic_laws import Shape, plain, tiled
from lessons.flash_io import LESSON
from lessons.flash_io.questions.lengths import INTENSITY, KEPT
from lessons.flash_io.questions.masks import COMPUTED, SEEN
from lessons.flash_io.questions.traffic import KEYS_READ, OUTPUT_MOVED, TABLES
from lessons.kit.controls import BadInput
from lessons.kit.roles import Role
from lessons.kit.scene import Scene
from lessons.kit.shapes import Cell

SMALL = LESSON.scenario


def last(s: Scenario) -> Compare:
    (*_, step) = walk(s)
    assert isinstance(step, Compare)
    return step


def test_the_small_head_moves_360_bytes_in_tiles_and_768_the_plain_way() -> None:
    told = LESSON.told(SMALL)[-1]
    assert "360 B" in told.headline.en
    assert "768 B" in told.headline.en
    assert all(claim.holds for claim in told.claims)


def test_with_keys_outside_k_and_v_cross_once_and_o_travels() -> None:
    step = last(replace(SMALL, keys_outside=True))
    assert step.now.moved.of("k").read == step.plain.of("k").read
    assert step.now.moved.of("o").read > 0
    assert last(SMALL).now.moved.of("k").read > step.plain.of("k").read


def test_where_nothing_is_gained_the_headline_says_so() -> None:
    one = Scenario(n_q=1, n_k=8, tile_q=1, tile_k=1, d=3)
    told = LESSON.told(one)[-1]
    step = last(one)
    gained = step.now.moved.total < step.plain.total
    assert ("fewer" in told.headline.en) is gained
    assert all(claim.holds for claim in told.claims)


@pytest.mark.parametrize("scenario", [UNEQUAL, BLIND], ids=["unequal", "blind"])
def test_every_mistake_but_the_count_shows_in_the_output_or_says_why_not(scenario: Scenario) -> None:
    for mistake in LESSON.mistakes.wrongs:
        run = replace(scenario, mistake=mistake)
        frames = LESSON.frames(run)
        differs = any(frame.scene.parts for frame in frames)
        assert differs is (last(run).differs or last(run).miscounted), mistake


def test_the_picture_shows_how_often_a_tile_of_keys_has_come_in() -> None:
    trips = [cell(frame.scene, "hbm.k.0").text for frame in LESSON.frames(SMALL)]
    assert [text for i, text in enumerate(trips) if text != trips[i - 1]] == ["", "2×", "3×"]


def test_hidden_pairs_are_struck_out_and_skipped_tiles_told_apart() -> None:
    scene = LESSON.frames(SMALL)[0].scene
    roles = {(i, j): cell(scene, f"pair.{i}.{j}").roles for i in range(6) for j in range(6)}
    skipped = {pair for pair, role in roles.items() if role == (Role.SKIPPED,)}
    assert skipped == {(i, j) for i in (0, 1) for j in (3, 4, 5)}
    assert {p for p, role in roles.items() if role == (Role.MASK,)} == {
        (i, j) for i in range(6) for j in range(i + 1, 6)
    } - skipped


def test_scores_on_the_chip_are_those_of_the_running_tile() -> None:
    steps = list(walk(SMALL))
    for step, frame in zip(steps, LESSON.frames(SMALL), strict=True):
        if isinstance(step, Score):
            shown = [cell(frame.scene, f"chip.s.{i}.{j}").value for i, j in np.ndindex(*step.s.shape)]
            assert shown == list(step.s.ravel())


def test_the_question_before_the_second_trip_has_the_count_of_the_run() -> None:
    for step, told in zip(walk(SMALL), LESSON.told(SMALL), strict=True):
        if isinstance(step, LoadKV) and told.ask:
            assert told.ask.answer == step.now.moved.of("k").read == 48


def test_the_backward_pass_tells_what_is_computed_twice() -> None:
    run = replace(SMALL, backward=True)
    (*_, step) = walk(run)
    assert isinstance(step, Gradients)
    assert step.flop > 0
    told = LESSON.told(run)[-1]
    assert str(step.moved.total) in told.headline.en
    assert all(claim.holds for claim in told.claims)


@pytest.mark.parametrize(
    ("typed", "field", "says"),
    [
        ({"queries": "2", "tile_q": "3"}, "Queries per tile", "larger than the whole matrix"),
        ({"keys": "2"}, "Keys per tile", "larger than the whole matrix"),
        ({"tile_q": "0"}, "Queries per tile", "from 1 to 3"),
        ({"memory": "100"}, "On-chip memory in bytes", "needs 144 bytes and has 100"),
        ({"queries": "9"}, "Queries", "from 1 to 8"),
        ({"causal": "False", "tile_q": "1", "tile_k": "1"}, "Keys per tile", "36 tiles"),
        ({"keys_outside": "maybe"}, "Outer loop", "must be one of"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence_at_its_field(typed: dict[str, str], field: str, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        LESSON.form.read(typed, SMALL)
    (said,) = raised.value.complaints
    assert field in said.en
    assert says in said.en


def test_a_query_that_sees_nothing_gets_zero_and_the_words_say_why() -> None:
    written = [told for told in LESSON.told(BLIND) if told.id.startswith("o")]
    assert "set to 0, never divided" in written[0].why.en
    assert not last(BLIND).output[:2].any()


# Questions, against formulas of one line


def test_bytes_of_k_are_its_size_times_the_tiles_of_queries() -> None:
    for seed in range(20):
        h = KEYS_READ.draw(seed).inputs
        assert KEYS_READ.answer(h) == (h.n / h.tile * h.n * h.d * h.itemsize,)
        assert OUTPUT_MOVED.answer(h) == ((2 * h.n / h.tile + 1) * h.n * h.d * h.itemsize,)
        assert TABLES.answer(h) == (4 * h.n**2 * h.itemsize,)


def test_ragged_tiles_are_counted_as_the_loops_do() -> None:
    h = replace(KEYS_READ.inputs, n=1000, tile=300)
    assert KEYS_READ.answer(h) == (4 * 1000 * h.d * h.itemsize,)


def test_tiles_computed_under_a_causal_mask() -> None:
    for seed in range(20):
        q = COMPUTED.draw(seed).inputs
        rows = np.arange(q.side)
        assert COMPUTED.answer(q) == (float((rows[:, None] >= rows).sum()),)


def test_a_new_query_sees_the_whole_cache_and_up_to_itself() -> None:
    for seed in range(20):
        c = SEEN.draw(seed).inputs
        assert SEEN.answer(c) == (c.keys - c.new + c.i + 1,)


def test_the_intensity_of_the_plain_way_stays_under_64_for_128_numbers_in_16_bits() -> None:
    assert INTENSITY.answer(INTENSITY.inputs) == (64.0,)
    shape = Shape(1 << 20, 1 << 20, 128)
    assert 4 * (1 << 40) * 128 / plain(shape, itemsize=2).total < 64


def test_what_is_kept_for_the_backward_pass() -> None:
    assert KEPT.answer(KEPT.inputs) == (16.0,)


def test_the_law_beside_the_count_is_the_count() -> None:
    step = last(SMALL)
    law = tiled(Shape(6, 6, 2, causal=True), tile_q=2, tile_k=3, itemsize=4)
    assert law.arrays == step.now.moved.arrays
    assert last(replace(SMALL, mistake=Mistake.COUNT_ONCE)).miscounted


def cell(scene: Scene, key: str) -> Cell:
    (found,) = (shape for shape in scene.shapes if shape.key == key)
    assert isinstance(found, Cell)
    return found
