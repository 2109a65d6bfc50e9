"""What the block table lesson says and draws, against chapter 07's Q028, the cases of shared/sources/cases.md (T41,
T42, T60) and attention in plain Python."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from engine.paged import Mistake, blocks_for
from engine.paged_memory import Token
from engine.paged_output import Attended, Scenario, positions_read, query, rows, trace
from lessons.block_table import LESSON
from lessons.block_table.charts import CHARTS, LONGEST, waste
from lessons.block_table.form import N_BLOCKS
from lessons.block_table.presets import CHAPTER
from lessons.block_table.questions.lengths import FILL, Lengths
from lessons.block_table.questions.lookup import SLOT, Lookup
from lessons.block_table.steps.attended import seen_anywhere
from lessons.kit.controls import BadInput
from lessons.kit.lesson import Frame
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell
from tests.lessons.reading import LANGS, differing, rendered, said, svg, written

WAYS = (Mistake.LOGICAL_AS_PHYSICAL, Mistake.FILL_MODULO, Mistake.MINUS_ONE_WRAPS)
PRESET = {preset.slug: preset.scenario for preset in LESSON.presets}


def frames_of(scenario: Scenario) -> dict[str, Frame]:
    return {frame.narration.id: frame for frame in LESSON.frames(scenario)}


def shown(frame: Frame) -> str:
    """All that a reader of English sees of a step."""
    words = [rendered(frame.narration.headline.en).text, rendered(frame.narration.text.en).text]
    words += [text.en for text in said(frame.narration)]
    return "\n".join([*words, *(word.text for word in written(svg(frame.scene, "en")))])


def cell(frame: Frame, key: str) -> Cell:
    (found,) = (shape for shape in frame.scene.shapes if shape.key == key and isinstance(shape, Cell))
    return found


def attended(scenario: Scenario) -> list[Attended]:
    return [step for step in trace(scenario) if isinstance(step, Attended)]


def by_hand(positions: list[float], position: int) -> list[float]:
    """The output of a query over keys and values at these times, in plain Python: k, v and q as the engine documents
    them."""
    q = [2 * math.cos(0.9 * position + 0.4 * j) for j in range(2)]
    keys = [[2 * math.sin(0.9 * t + 0.4 * j + 0.1) for j in range(2)] for t in positions]
    values = [[10 * math.sin(0.7 * t + 1.1 * j + 1) for j in range(2)] for t in positions]
    weights = [math.exp(sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(2)) for k in keys]
    return [sum(w * v[j] for w, v in zip(weights, values, strict=True)) / sum(weights) for j in range(2)]


# The chapter


def test_q028_position_5_is_logical_block_1_offset_1_physical_block_2_slot_9() -> None:
    frames = frames_of(LESSON.scenario)
    assert "logical block 1" in shown(frames["block"])
    assert "offset 1" in shown(frames["block"])
    assert "table[1] = 2" in shown(frames["lookup"])
    assert "slot 2 × 4 + 1 = 9" in shown(frames["lookup"])
    assert Role.NOW in cell(frames["lookup"], "pool.9").roles
    assert cell(frames["lookup"], "pool.9").text == "5"


def test_q028_positions_10_and_11_fill_block_19_and_12_takes_a_new_block() -> None:
    frames = frames_of(LESSON.scenario)
    fill, grow = frames["append/10"], frames["append/12"]
    assert [cell(fill, f"pool.{place}").text for place in (78, 79)] == ["10", "11"]
    assert all(Role.NEW in cell(fill, f"pool.{place}").roles for place in (78, 79))
    assert cell(grow, "entry.3").text == "5"
    assert "Position 12 needs a new block: the pool hands out physical block 5" in shown(grow)


def test_q028_request_b_lies_in_3_and_15_and_what_a_frees_is_still_there() -> None:
    frames = frames_of(LESSON.scenario)
    assert "blocks 3 and 15" in shown(frames["arrive"])
    assert [cell(frames["arrive"], f"pool.{place}").text for place in (12, 13, 14, 15, 60, 61)] == [
        f"b{i}" for i in range(6)
    ]
    gone = cell(frames["free"], "pool.9")
    assert gone.text == "5"
    assert gone.roles == (Role.FREE,)


@pytest.mark.parametrize(("position", "place"), [(0, 28), (5, 9), (9, 77)])
def test_t41_any_position_may_be_looked_up(position: int, place: int) -> None:
    frames = frames_of(replace(CHAPTER, position=position))
    assert f"= {place}" in shown(frames["lookup"])
    assert cell(frames["read"], f"pool.{place}").text == str(position)


# The waste, and what is saved of it


def test_the_first_step_draws_what_one_piece_for_each_request_leaves_empty() -> None:
    first = LESSON.frames(CHAPTER)[0]
    assert "leaves 48 of 64 slots empty" in shown(first)  # 2 × 32 − 10 − 6
    drawn = [shape for shape in first.scene.shapes if isinstance(shape, Cell)]
    assert sum(Role.RESERVED in shape.roles for shape in drawn) == 48
    assert len({shape.w for shape in drawn}) == 1  # to scale


def test_the_last_step_says_what_was_saved_in_which_ledger_and_at_what_price() -> None:
    last = shown(LESSON.frames(CHAPTER)[-1])
    assert "24 slots instead of 64" in last  # ⌈13 ÷ 4⌉ and ⌈6 ÷ 4⌉ blocks of 4
    assert "bytes resident" in last
    assert "3 MiB instead of 8 MiB" in last  # at 128 KiB
    assert "6 table entries of 4 bytes" in last


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"second": "13", "most": "13"}, "Paging saved nothing: A and B held 32 slots, and one piece each needs 26"),
        ({"tokens": "8", "appended": "8", "second": "16", "most": "16"}, "held 32 slots, as in one piece each"),
    ],
)
def test_a_limit_close_to_the_lengths_leaves_nothing_to_save(typed: dict[str, str], words: str) -> None:
    last = shown(LESSON.frames(LESSON.form.read(typed, CHAPTER))[-1])
    assert words in last
    assert "The limit is too close to these lengths for a saving" in last


def test_a_wrong_way_that_spoils_an_output_is_told_in_the_last_step_that_it_saved_nothing() -> None:
    for mistake in WAYS:
        last = shown(LESSON.frames(replace(CHAPTER, mistake=mistake))[-1])
        worst = max(step.error for step in attended(replace(CHAPTER, mistake=mistake)))
        assert f"off by up to {worst:.4f}" in last
        assert "is no saving" in last
    lost = shown(LESSON.frames(replace(CHAPTER, mistake=Mistake.FILL_MODULO))[-1])
    assert "tokens still stored: 18 of 19" in lost


# The output


@pytest.mark.parametrize("preset", PRESET)
def test_attention_through_any_table_equals_contiguous_attention(preset: str) -> None:
    first, again = attended(PRESET[preset])
    for step, n in ((first, PRESET[preset].n_tokens), (again, PRESET[preset].n_tokens + PRESET[preset].n_appended)):
        assert step.error <= 1e-12
        np.testing.assert_allclose(step.output, by_hand([float(p) for p in range(n)], n - 1), rtol=1e-9)


def test_another_table_gives_the_same_output() -> None:
    assert [s.output for s in attended(PRESET["shuffled"])] == [s.output for s in attended(CHAPTER)]


def test_the_table_left_out_reads_slots_0_to_9_whoever_owns_them() -> None:
    [wrong, _] = attended(replace(CHAPTER, mistake=Mistake.LOGICAL_AS_PHYSICAL))
    assert wrong.slots == tuple(range(10))
    # block 2 is A's second block, so slots 8 and 9 hold positions 4 and 5; the others are left over
    assert wrong.found == (*[None] * 8, Token("A", 4), Token("A", 5))
    np.testing.assert_allclose(wrong.output, by_hand([*(90.0 + s for s in range(8)), 4.0, 5.0], 9), rtol=1e-9)
    assert wrong.error > 1


def test_t42_a_full_last_block_counted_by_remainder_looks_empty() -> None:
    assert list(positions_read(8, 2, 4, Mistake.FILL_MODULO)) == [0, 1, 2, 3]
    [wrong, _] = attended(replace(PRESET["full-block"], mistake=Mistake.FILL_MODULO))
    np.testing.assert_allclose(wrong.output, by_hand([0.0, 1.0, 2.0, 3.0], 7), rtol=1e-9)
    frame = frames_of(replace(CHAPTER, mistake=Mistake.FILL_MODULO))["append/12"]
    assert Role.WRONG in cell(frame, "wrong.pool.76").roles  # position 8 lay there
    assert cell(frame, "wrong.pool.76").text == "12"


def test_index_minus_1_wraps_to_the_last_block() -> None:
    [wrong, _] = attended(replace(CHAPTER, mistake=Mistake.MINUS_ONE_WRAPS))
    assert wrong.slots[0] == 79
    np.testing.assert_allclose(wrong.output, by_hand([90.0 + 79, *map(float, range(10))], 9), rtol=1e-9)
    frame = frames_of(replace(CHAPTER, mistake=Mistake.MINUS_ONE_WRAPS))["attend"]
    assert "table[−1]" in shown(frame)
    assert Role.WRONG in cell(frame, "wrong.pool.79").roles


@pytest.mark.parametrize("mistake", WAYS)
def test_each_wrong_way_spoils_the_output_of_the_chapters_numbers(mistake: Mistake) -> None:
    scenario = replace(CHAPTER, mistake=mistake)
    assert seen_anywhere(scenario)
    assert any(
        Role.WRONG in shape.roles
        for id_, frame in frames_of(scenario).items()
        if "attend" in id_
        for shape in frame.scene.shapes
        if shape.key == "wrong.foot.0.0"
    )


@pytest.mark.parametrize(
    ("typed", "en"),
    [
        (
            {"table": "7, 2, 1", "position": "7"},
            "physical block 1, which is A’s, but A has not written to that slot yet",
        ),
        ({"table": "7, 2, 19", "position": "5"}, "physical block 1, which belongs to another request"),
        ({"table": "7, 2, 19", "position": "5", "free": "1, 5, 3"}, "physical block 1, which is free"),
        ({"table": "7, 2, 1", "position": "5"}, "slot 5 holds position 9"),
    ],
)
def test_whose_the_slot_is_that_is_read_without_the_table(typed: dict[str, str], en: str) -> None:
    scenario = LESSON.form.read(typed, replace(CHAPTER, mistake=Mistake.LOGICAL_AS_PHYSICAL))
    assert en in shown(frames_of(scenario)["read"])


@pytest.mark.parametrize(
    ("typed", "among"),
    [
        ({}, "Blocks 3 and 15 lie between blocks of A"),
        ({"table": "7, 2", "free": "19, 5, 3", "tokens": "8", "appended": "0", "second": "3"}, None),
        ({"second": "0"}, None),
    ],
)
def test_blocks_of_b_lie_between_those_of_a_only_where_they_do(typed: dict[str, str], among: str | None) -> None:
    told = shown(frames_of(LESSON.form.read(typed, CHAPTER))["arrive"])
    assert (among in told) if among else ("between" not in told)


def test_a_wrong_way_that_takes_too_few_blocks_is_told_that_b_gets_others() -> None:
    frames = frames_of(replace(CHAPTER, mistake=Mistake.FILL_MODULO))
    assert "1 block too few, so B gets 5 and 3 instead of 3 and 15" in shown(frames["arrive"])
    assert "gives back 3 blocks instead of 4" in shown(frames["free"])


def test_the_slot_of_the_only_token_read_twice_changes_nothing_and_the_reason_is_not_its_weight() -> None:
    typed = {"tokens": "1", "block_size": "1", "appended": "0", "second": "0", "position": "0"}
    scenario = LESSON.form.read(typed, replace(CHAPTER, mistake=Mistake.MINUS_ONE_WRAPS))
    assert not seen_anywhere(scenario)
    assert "A’s only token" in shown(frames_of(scenario)["attend"])


def test_a_wrong_way_that_cannot_be_seen_says_why() -> None:
    identity = replace(CHAPTER, table=tuple(range(6)), free=(), mistake=Mistake.LOGICAL_AS_PHYSICAL)
    never_full = replace(CHAPTER, block_size=8, mistake=Mistake.FILL_MODULO)
    for scenario, word in ((identity, "Shuffle the table"), (never_full, "that 8 divides")):
        said_here = shown(frames_of(scenario)["attend-again"])
        assert not seen_anywhere(scenario)
        assert "Invisible on these inputs" in said_here
        assert word in said_here


def test_key_and_value_of_a_token_do_not_depend_on_the_slot() -> None:
    k, v = rows([Token("A", 5), Token("A", 5)])
    assert k[0].tolist() == k[1].tolist()
    assert v[0].tolist() == v[1].tolist()
    assert query(0).shape == (2,)


# Bad input


@pytest.mark.parametrize(
    ("typed", "en", "zh"),
    [
        ({"table": "7, -1, 19"}, "names block -1", "没有这样的块"),
        ({"table": "7, 2, 7"}, "names block 7 twice", "块 7 重复了"),
        ({"table": "7, 2, 20"}, "outside the pool: its blocks are 0 to 19", "不在池中"),
        ({"table": "7, two"}, "is not a number", "不是块号"),
        ({"table": ""}, "at least 1 block", "至少要写 1 个块"),
        ({"free": "5, 2"}, "a block is free or taken, never both", "要么空闲，要么已占用"),
        ({"position": "10"}, "past the end: positions run from 0 to 9", "超出末尾"),
        ({"position": "−1"}, "never counts from the end", "不会从末尾倒数"),
        ({"position": "x"}, "whole number from 0 to 9", "0 到 9 的整数"),
        ({"free": "5"}, "too few blocks", "块不够用"),
        ({"block_size": "1"}, "A needs 13 and B needs 6, together 19", "共 19 块"),
        ({"most": "12"}, "at least 13, since A grows to 13 and B to 6; it reads 12", "至少应为 13"),
        ({"most": "65"}, "from 1 to 64", "1 到 64"),
        ({"block_size": "17"}, "from 1 to 16", "1 到 16"),
    ],
)
def test_bad_input_is_refused_by_name_in_both_languages(typed: dict[str, str], en: str, zh: str) -> None:
    with pytest.raises(BadInput) as refused:
        LESSON.form.read(typed, LESSON.scenario)
    (complaint,) = refused.value.complaints
    assert en in complaint.en
    assert zh in complaint.zh
    assert not differing(complaint)


def test_a_table_may_be_typed_with_brackets_and_chinese_commas() -> None:
    assert LESSON.form.read({"table": "［7，2、19］"}, LESSON.scenario) == LESSON.scenario


def test_too_short_a_table_takes_free_blocks_and_too_long_a_one_hands_its_rest_out() -> None:
    short = LESSON.form.read({"table": "7, 2"}, LESSON.scenario)
    long = LESSON.form.read({"table": "7, 2, 19, 4"}, LESSON.scenario)
    assert list(trace(short))[1].memory.table("A").blocks == (7, 2, 5)
    assert "Position 12 needs a new block: the pool hands out physical block 4" in shown(frames_of(long)["append/12"])


# The figures around the player


@pytest.mark.parametrize(
    ("size", "wasted"),
    [
        (4, 1_497),
        (8, 3_469),
        (16, 7_381),
        (32, 15_221),
        (64, 30_677),
        (128, 61_717),
        (256, 125_589),
        (LONGEST, 1_028_757),
    ],
)
def test_t60_waste_by_block_size(size: int, wasted: int) -> None:
    assert waste(size).wasted_tokens == wasted


def test_t60_is_what_the_text_and_the_chart_say() -> None:
    assert waste(16).blocks == 64_164
    for lang in LANGS:
        assert "50.23 %" in LESSON.why.of(lang)
        assert "0.72 %" in LESSON.why.of(lang)
    (share,) = (chart for chart in CHARTS if chart.slug == "share")
    assert all(x in share.alt(CHAPTER).en for x in ("50.23 %", "25.34 %", "0.72 %"))


def test_the_mean_tail_waste_is_near_half_a_block_less_half_a_place() -> None:
    for size in (16, 64, 256):
        assert waste(size).wasted_tokens / 1_000 == pytest.approx((size - 1) / 2, rel=0.03)


def test_claims_of_others_stand_with_their_source() -> None:
    for lang in LANGS:
        assert "256" in LESSON.limits.of(lang)
        assert "16" in LESSON.limits.of(lang)
    assert [source.checked for source in LESSON.sources] == ["computed", "secondary", "read"]


# Questions


def test_t41_the_slot_question_names_the_slip() -> None:
    chapter = Lookup()
    assert SLOT.answer(chapter) == (9.0,)
    assert "logical" in SLOT.judge(chapter, (5.0,)).slips


def test_t42_the_fill_question_names_the_remainder() -> None:
    lengths = Lengths(4, 7, 8, 1)
    assert FILL.answer(lengths) == (3.0, 4.0, 1.0)
    assert FILL.judge(lengths, (3.0, 0.0, 1.0)).slips == ("modulo",)


# Anything that can be typed


def typed_scenarios(n: int) -> Iterator[Scenario]:
    rng = random.Random(28)
    while n:
        blocks = rng.sample(range(N_BLOCKS), rng.randint(3, N_BLOCKS))
        cut, tokens = rng.randint(1, len(blocks)), rng.randint(1, 24)
        scenario = (
            Scenario(
                tokens,
                rng.randint(1, 16),
                rng.randrange(tokens),
                0,
                0,
                tuple(blocks[:cut]),
                tuple(blocks[cut:]),
                N_BLOCKS,
                rng.choice((Mistake.NONE, *WAYS)),
            )
            if len(blocks) >= blocks_for(tokens, 1)
            else None
        )
        if scenario is not None:
            n -= 1
            yield scenario


def boxes(frame: Frame) -> list[Cell]:
    return [shape for shape in frame.scene.shapes if isinstance(shape, Cell)]


@pytest.mark.parametrize("mistake", [Mistake.NONE, *WAYS])
def test_no_box_covers_another_or_the_number_of_a_slot(mistake: Mistake) -> None:
    for scenario in PRESET.values():
        for frame in LESSON.frames(replace(scenario, mistake=mistake)):
            for a, b in combinations(boxes(frame), 2):
                apart = max(a.x, b.x) >= min(a.x + a.w, b.x + b.w) or max(a.y, b.y) >= min(a.y + a.h, b.y + b.h)
                assert apart, (a.key, b.key)
            bare = [shape for shape in frame.scene.shapes if shape.key.startswith(("number.", "block."))]
            for label in bare:
                for box in boxes(frame):
                    inside = box.x < label.x < box.x + box.w and box.y - 2 < label.y < box.y + box.h + 12
                    assert not inside, (label.key, box.key)


@pytest.mark.parametrize("preset", PRESET)
def test_the_picture_is_flat_enough_for_a_laptop_with_every_mistake(preset: str) -> None:
    for mistake in (Mistake.NONE, *WAYS):
        scene = LESSON.frames(replace(PRESET[preset], mistake=mistake))[0].scene
        assert scene.width <= 960
        assert scene.height <= 560


@pytest.mark.parametrize("scenario", list(typed_scenarios(12)), ids=str)
def test_whatever_is_typed_fits_the_picture(scenario: Scenario) -> None:
    assert LESSON.form.read(LESSON.form.write(scenario), LESSON.scenario) == scenario
    for frame in LESSON.frames(scenario):
        assert not any(differing(text) for text in said(frame.narration))
        for lang in LANGS:
            words = [word for word in written(svg(frame.scene, lang)) if word.text not in "✗"]
            for word in words:
                assert word.left >= 0, word
                assert word.right <= frame.scene.width, word
                assert word.bottom <= frame.scene.height, word
            for a, b in combinations(words, 2):
                if a.bottom - b.top > 2 and b.bottom - a.top > 2:
                    assert min(a.right, b.right) - max(a.left, b.left) <= 2, (a, b)
