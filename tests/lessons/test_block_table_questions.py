"""The block table's questions, each answer by another route than the template's, and what the lesson asks before it
shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from engine.paged import BlockPool, Mistake, OutOfBlocks, Sequence, slot
from engine.paged_lookup import Appended, Freed
from engine.paged_output import Scenario, trace
from lessons.block_table import LESSON
from lessons.block_table.form import N_BLOCKS
from lessons.block_table.presets import CHAPTER
from lessons.block_table.questions.capacity import FIT, TABLE_BYTES, Long
from lessons.block_table.questions.claims import FRAGMENTATION, ORDINALS
from lessons.block_table.questions.growing import GROWN
from lessons.block_table.questions.lengths import BY_WASTE
from lessons.block_table.questions.lookup import BLOCK, SLOT
from lessons.block_table.questions.tables import READ, UNMAPPED
from lessons.kit.ask import Ask
from lessons.kit.controls import BadInput
from lessons.kit.question import Question
from lessons.kit.shapes import Cell
from lessons.kit.text import Text, same
from tests.lessons.corners import typed
from tests.lessons.reading import ONE, is_good, named


def asked(scenario: Scenario, step: str) -> Ask:
    (frame,) = (frame for frame in LESSON.frames(scenario) if frame.narration.id == step)
    assert frame.narration.ask is not None
    return frame.narration.ask


def slots_by_hand(table: tuple[int, ...], size: int, n: int) -> list[int]:
    """Every block of the table counted through, slot by slot, until all tokens lie."""
    return [block * size + offset for block in table for offset in range(size)][:n]


@pytest.mark.parametrize("seed", range(25))
def test_a_query_reads_the_slots_counted_through_block_by_block(seed: int) -> None:
    drawn = READ.draw(seed)
    x = drawn.inputs
    ticked = [place for place, mark in enumerate(drawn.answer) if mark]
    assert ticked == sorted(slots_by_hand(x.table, x.block_size, x.n))


@pytest.mark.parametrize("seed", range(25))
def test_the_position_without_a_slot_is_the_only_one_that_a_lookup_refuses(seed: int) -> None:
    drawn = UNMAPPED.draw(seed)
    refused = []
    for i, option in enumerate(UNMAPPED.reply.options(drawn.inputs), 1):  # type: ignore[attr-defined]
        try:
            slot(int(option.en.removeprefix("position ")), drawn.inputs.table, drawn.inputs.block_size)
        except IndexError:
            refused.append(float(i))
    assert drawn.answer == tuple(refused)


def empty_slots(lengths: tuple[int, ...], size: int) -> int:
    """What a pool of blocks says after the requests have come."""
    pool = BlockPool(1000, size)
    for n in lengths:
        Sequence(pool).append(n)
    return (1000 - pool.n_free) * size - sum(lengths)


@pytest.mark.parametrize("seed", range(10))
def test_block_sizes_stand_in_the_order_of_what_a_pool_leaves_empty(seed: int) -> None:
    drawn = BY_WASTE.draw(seed)
    waste = [empty_slots(drawn.inputs.lengths, drawn.inputs.shown[int(i) - 1]) for i in drawn.answer]
    assert waste == sorted(waste)
    assert len(set(waste)) == 4


@pytest.mark.parametrize("seed", range(10))
def test_the_claim_that_paging_eliminates_waste_is_the_wrong_one_and_the_pool_says_by_how_much(seed: int) -> None:
    drawn = FRAGMENTATION.draw(seed)
    claim, correction = (int(x) - 1 for x in drawn.answer)
    marked = FRAGMENTATION.reply.claims(drawn.inputs)[claim]  # type: ignore[attr-defined]
    assert "eliminates" in marked.said.en
    lengths = drawn.inputs.lengths
    wasted = empty_slots(lengths.all, lengths.block_size)
    told = f"in the last blocks {wasted} {'slot is' if wasted == 1 else 'slots are'} held and empty"
    assert told in marked.corrections[correction].en


@pytest.mark.parametrize("seed", range(10))
def test_the_first_position_outside_is_one_ordinal_further_and_needs_a_block(seed: int) -> None:
    drawn = ORDINALS.draw(seed)
    x = drawn.inputs
    claim, correction = (int(y) - 1 for y in drawn.answer)
    marked = ORDINALS.reply.claims(x)[claim]  # type: ignore[attr-defined]
    pool = BlockPool(N_BLOCKS, x.block_size)
    a = Sequence(pool)
    a.append(x.n)
    while not a.append().allocated:
        pass
    assert f"Position {a.length - 1} is token number {a.length - 1} " in marked.said.en
    assert (
        marked.corrections[correction].en
        == f"Position {a.length - 1} is token number {a.length} and needs a new block."
    )


def test_every_slot_that_the_ordinals_claim_is_the_lookups() -> None:
    for seed in range(10):
        x = ORDINALS.draw(seed).inputs
        said_slot = next(c for c in ORDINALS.reply.claims(x) if "lies in slot" in c.said.en)  # type: ignore[attr-defined]
        assert said_slot.said.en == f"Position {x.block_size} lies in slot {slot(x.block_size, x.table, x.block_size)}."


def test_a_block_table_of_32768_tokens_is_8_kib_and_is_counted_entry_by_entry() -> None:
    assert TABLE_BYTES.answer(Long(32_768, 16)) == (8.0,)
    for seed in range(5):
        drawn = TABLE_BYTES.draw(seed)
        x = drawn.inputs
        pool = BlockPool(x.tokens // x.block_size + 1, x.block_size)
        a = Sequence(pool)
        a.append(x.tokens)
        assert drawn.answer == (len(a.block_table) * 4 / 1024,)


@pytest.mark.parametrize("seed", range(5))
def test_as_many_requests_fit_as_come_before_the_pool_refuses(seed: int) -> None:
    drawn = FIT.draw(seed)
    x = drawn.inputs
    pool, n = BlockPool(x.n_blocks, x.block_size), 0
    while pool.n_free >= -(-x.tokens // x.block_size):
        Sequence(pool).append(x.tokens)
        n += 1
    with pytest.raises(OutOfBlocks):
        Sequence(pool).append(x.tokens)
    assert drawn.answer == (float(n),)


@pytest.mark.parametrize("seed", range(8))
def test_worked_lines_of_a_grown_sequence_are_what_the_trace_does(seed: int) -> None:
    drawn = GROWN.draw(seed)
    last = [step for step in trace(drawn.inputs) if isinstance(step, Appended)][-1]
    assert drawn.answer == (float(last.slots[-1]),)


def test_the_13th_token_lies_in_slot_20() -> None:
    assert GROWN.answer(GROWN.inputs) == (20.0,)


# Asked first


def test_it_asks_for_the_slot_before_it_is_looked_up_and_knows_the_usual_wrong_ones() -> None:
    ask = asked(CHAPTER, "lookup")
    assert ask.answer == 9
    assert [guess.value for guess in ask.slips] == [5, 2, 8, 3]


def test_it_asks_where_position_12_goes_whatever_the_mistake() -> None:
    for mistake in (Mistake.NONE, Mistake.LOGICAL_AS_PHYSICAL, Mistake.FILL_MODULO, Mistake.MINUS_ONE_WRAPS):
        ask = asked(replace(CHAPTER, mistake=mistake), "append/12")
        assert ask.answer == "pool.20"
        assert ask.slips[0].value == "pool.76"  # the full last block, if it looks empty


def test_a_slot_that_may_be_picked_is_named_by_its_number_block_and_offset() -> None:
    frames = LESSON.frames(CHAPTER)
    at = next(i for i, frame in enumerate(frames) if frame.narration.id == "append/12")
    cells = {shape.key: shape for shape in frames[at - 1].scene.shapes if isinstance(shape, Cell)}
    assert cells["pool.20"].text == ""
    assert cells["pool.20"].name == Text("slot 20 (physical block 5, offset 0)", "槽位 20（物理块 5，偏移 0）")
    assert cells["pool.76"].name == Text(
        "slot 76 (physical block 19, offset 0), holding position 8", "槽位 76（物理块 19，偏移 0），存着位置 8"
    )


def test_it_asks_how_many_blocks_are_free_again() -> None:
    ask = asked(CHAPTER, "free")
    assert ask.answer == 8  # four of the list of free blocks are left, and A's four
    assert [guess.value for guess in ask.slips] == [4, 20, 18]  # 20 − B's two


def test_the_question_and_the_step_say_whose_all_the_blocks_of_the_pool_are() -> None:
    (step,) = (step for step in trace(CHAPTER) if isinstance(step, Freed))
    counts, named = step.memory.ref_counts, {b for table in step.memory.tables for b in table.blocks}
    others = len({b for b in range(20) if counts[b]} - named)
    (narration,) = (frame.narration for frame in LESSON.frames(CHAPTER) if frame.narration.id == "free")
    ask = asked(CHAPTER, "free")
    assert (len(named), others) == (2, 10)
    assert 4 + 4 + 2 + others == len(counts) == 20  # A's, free before, B's and those of others
    for text in (ask.prompt, narration.text):
        assert f"B holds 2, other requests hold {others}" in text.en
        assert f"B 占 2 块，别的请求占 {others} 块" in text.zh
    assert "4 were free before" in ask.prompt.en


def test_position_0_of_an_edited_question_is_judged_although_none_stands_before_it() -> None:
    x = SLOT.form.read({"table": "7, 2, 19", "block_size": "4", "position": "0"}, SLOT.inputs)
    assert SLOT.judge(x, (28.0,)).right
    assert SLOT.judge(x, (0.0,)).slips == ("logical",)


@pytest.mark.parametrize("lengths", [(8, 4, 12), (5, 9, 1)])  # every last block full; every one with a single token
def test_numbers_on_which_no_claim_on_waste_is_wrong_are_refused(lengths: tuple[int, int, int]) -> None:
    typed = {"block_size": "4", **dict(zip("abc", map(str, lengths), strict=True)), "most": "32"}
    with pytest.raises(BadInput):
        FRAGMENTATION.form.read(typed, FRAGMENTATION.inputs)


# The corners of every question's form


def cornered(question: Question[Any]) -> Iterator[Any]:
    """One field, and two fields, at their corners; where they do not go together there is nothing to ask."""
    single = [(control.name, text) for control in question.form.controls for text in typed(control)]
    for fields in (*((one,) for one in single), *combinations(single, 2)):
        if len(dict(fields)) == len(fields):
            try:
                yield question.form.read(dict(fields), question.inputs)
            except BadInput:
                continue


@pytest.mark.parametrize("question", LESSON.questions, ids=lambda question: question.slug)
def test_at_the_corners_of_its_form_a_question_has_an_answer_and_good_sentences(question: Question[Any]) -> None:
    for inputs in {*cornered(question), question.inputs}:
        with named(str(inputs)):
            drawn = question.instance(inputs)
            assert all(math.isfinite(x) for x in drawn.answer)
            assert question.judge(inputs, drawn.answer).right
            rows = question.lines(inputs)
            told = [question.asked(inputs), question.worked(inputs), *(row.what for row in rows)]
            told += [same(x) if isinstance(x, str) else x for row in rows for x in (row.how, row.value)]
            for slip in question.slips:
                leads_to = drawn.slips.get(slip.name, drawn.answer)
                if all(map(math.isfinite, leads_to)) and leads_to != drawn.answer:
                    told.append(slip.told(inputs))
            for text in told:
                assert is_good(text, sentence=False), text
                assert not ONE.search(text.en.replace("\u202f", "")), text.en


def test_a_slip_that_leads_past_the_end_of_the_table_is_no_slip() -> None:
    for position, name in ((0, "one_based"), (11, "next")):
        x = BLOCK.form.read({"table": "7, 2, 19", "block_size": "4", "position": str(position)}, BLOCK.inputs)
        assert math.isnan(BLOCK.instance(x).slips[name][0])
    long = BLOCK.form.read({"table": "7, 2", "block_size": "4", "position": "3"}, BLOCK.inputs)
    assert math.isnan(BLOCK.instance(long).slips["remainder"][0])


def test_where_the_last_appended_token_lies_is_asked_only_if_one_is_appended() -> None:
    with pytest.raises(BadInput, match="Tokens appended to A"):
        GROWN.form.read({"appended": "0"}, GROWN.inputs)
