"""The questions on sharing, each answer by another route than the template's, and what the lesson asks before it
shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.decoder import Config, Decoder
from engine.paged import BlockPool, Sequence
from engine.shared_blocks import Mistake, Scenario
from lessons.copy_on_write import LESSON
from lessons.copy_on_write.presets import CHAPTER
from lessons.copy_on_write.questions.claims import COPY_CLAIMS, EDIT_CLAIMS
from lessons.copy_on_write.questions.common import RUN, SAVED, Common
from lessons.copy_on_write.questions.counts import REF_COUNT, Writers
from lessons.copy_on_write.questions.hits import MOST_REUSED
from lessons.copy_on_write.questions.names import BASE, FOUND, RENAMED, comers
from lessons.copy_on_write.questions.sharing import STILL_SHARED
from lessons.kit.ask import Ask
from lessons.kit.question import Question
from lessons.kit.reply import Find

PRESETS = {preset.slug: preset.scenario for preset in LESSON.presets}
seeds = pytest.mark.parametrize("seed", range(12))


def asked(scenario: Scenario, step: str) -> Ask | None:
    (frame,) = (frame for frame in LESSON.frames(scenario) if frame.narration.id == step)
    return frame.narration.ask


def mended(question: Question[object], seed: int) -> tuple[object, str, str]:
    """The inputs of a find-the-error question, the claim that counts as wrong, and what it should say."""
    drawn = question.draw(seed)
    assert isinstance(question.reply, Find)
    claim = question.reply.claims(drawn.inputs)[int(drawn.answer[0]) - 1]
    return drawn.inputs, claim.said.en, claim.corrections[int(drawn.answer[1]) - 1].en


# Forks


@seeds
def test_a_block_is_shared_while_two_have_not_left_it(seed: int) -> None:
    drawn = STILL_SHARED.draw(seed)
    x = drawn.inputs
    n_blocks = -(-x.length // x.size)
    names = [x.requests] * n_blocks  # how many tables name each block
    marks = []
    for _ in range(x.requests):
        if x.length % x.size and names[-1] > 1:
            names[-1] -= 1
        marks.append([float(n > 1) for n in names])
    assert drawn.answer == tuple(mark for row in zip(*marks, strict=True) for mark in row)


@seeds
def test_the_second_writer_copies_nothing_as_the_pool_says(seed: int) -> None:
    x, claim, right = mended(COPY_CLAIMS, seed)  # type: ignore[arg-type]
    pool = BlockPool(100, x.size)  # type: ignore[attr-defined]
    a = Sequence(pool)
    a.append(x.length)  # type: ignore[attr-defined]
    b = a.fork()
    first, second = a.append(), b.append()
    assert first.copied is not None
    assert (second.copied, second.allocated) == (None, ())
    assert "B appends" in claim
    assert "writes in place: B alone" in right
    said = [c.said.en for c in COPY_CLAIMS.reply.claims(x)]  # type: ignore[attr-defined]
    assert f"When A appends, {first.copied.n_slots} slots are copied." in said
    assert f"When both have appended, {pool.n_blocks - pool.n_free} blocks are in use." in said


# Names


@seeds
def test_as_many_keys_stay_right_before_an_edit_as_the_decoder_says(seed: int) -> None:
    x, claim, right = mended(EDIT_CLAIMS, seed)  # type: ignore[arg-type]
    tokens = [(7 * i + 3) % 11 for i in range(x.prompt)]  # type: ignore[attr-defined]
    edited = list(tokens)
    edited[x.k - 1] = (edited[x.k - 1] + 1) % 11  # type: ignore[attr-defined]
    before, after = (Decoder(Config()).forward(t) for t in (tokens, edited))
    moved = np.abs(before.k[1] - after.k[1]).max(axis=(0, 2)) > 0  # layer 1
    stays = int(np.argmax(moved))
    assert right == f"The K and V of the {stays} tokens before it stay right."
    assert f" {stays + 1} tokens before it" in claim


@seeds
def test_the_prompt_that_finds_a_block_is_the_only_one_that_begins_like_it_for_the_same_identity(seed: int) -> None:
    drawn = FOUND.draw(seed)
    x = drawn.inputs
    begins = [c.who == BASE and c.tokens[: x.size] == x.prompt[: x.size] for c in comers(x)]
    assert begins.count(True) == 1
    option = FOUND.reply.write(drawn.answer, x).en
    assert option.startswith(" ".join(map(str, x.prompt[: x.size])) + " |")
    assert option.endswith("same model, adapter and tenant")


@seeds
def test_an_edit_renames_its_block_and_all_behind_it_an_adapter_all_an_append_none(seed: int) -> None:
    drawn = RENAMED.draw(seed)
    x = drawn.inputs
    edit = [float((b + 1) * x.size > x.index) for b in range(x.blocks)]
    assert drawn.answer == (*edit, *[1.0] * x.blocks, *[0.0] * x.blocks)


def found_by_hand(n: int, same: int, size: int) -> int:
    """Tokens of whole blocks that agree, the one with the last token left out."""
    k = 0
    while (k + 1) * size <= same and (k + 1) * size < n:
        k += 1
    return k * size


@seeds
def test_prompts_stand_in_the_order_of_the_blocks_that_agree(seed: int) -> None:
    drawn = MOST_REUSED.draw(seed)
    found = [found_by_hand(*drawn.inputs.shown[int(i) - 1], drawn.inputs.size) for i in drawn.answer]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 4


# What a prefix cache saves


def served(x: Common) -> tuple[int, int]:
    """Prompt tokens computed and blocks in use, request by request, with a cache of prefixes in plain Python."""
    cache: set[tuple[int, ...]] = set()
    computed = own = 0
    for request in range(x.requests):
        prompt = (*range(x.prefix), *(10_000 * (request + 1) + i for i in range(x.tail)))
        k = 0
        while (k + 1) * x.size < len(prompt) and prompt[: (k + 1) * x.size] in cache:
            k += 1
        computed += len(prompt) - k * x.size
        full = len(prompt) // x.size
        cache |= {prompt[: (i + 1) * x.size] for i in range(full)}
        own += len(prompt) % x.size > 0
    return computed, len(cache) + own


@seeds
def test_the_prompt_tokens_computed_are_those_of_a_cache_in_plain_python(seed: int) -> None:
    drawn = RUN.draw(seed)
    assert drawn.answer == (served(drawn.inputs)[0],)


@seeds
def test_the_memory_saved_is_the_blocks_that_a_cache_in_plain_python_does_not_need(seed: int) -> None:
    drawn = SAVED.draw(seed)
    x = drawn.inputs
    blocks = x.requests * -(-(x.prefix + x.tail) // x.size) - served(x)[1]
    bytes_a_token = 2 * 32 * 8 * 128 * 2  # Llama-3-8B: K and V, layers, KV heads, head size, bytes
    assert drawn.answer == (pytest.approx(blocks * x.size * bytes_a_token / 2**20),)


# Asked first


def test_the_fork_asks_what_is_copied_and_then_who_has_to_copy() -> None:
    for mistake in (Mistake.NONE, Mistake.NO_COPY):
        chapter = replace(CHAPTER, mistake=mistake)
        fork, copy, who = (asked(chapter, step) for step in ("fork", "a-10/prepare", "b-10/wants"))
        assert fork is not None
        assert (fork.answer, fork.slips[0].value) == (3, 6)
        assert copy is not None
        assert (copy.answer, [guess.value for guess in copy.slips]) == (2, [4, 10])
        assert who is not None
        assert who.truth.en == "it writes in place"


def test_a_prompt_known_altogether_is_asked_about_and_its_last_block_is_not_counted() -> None:
    ask = asked(PRESETS["whole-prompt"], "share")
    assert ask is not None
    assert ask.answer == 4
    assert 8 in [guess.value for guess in ask.slips]


def test_no_more_write_than_there_are_requests() -> None:
    for length, answer in ((10, 1.0), (12, 3.0)):  # the last writes in place; all keep the full block
        drawn = REF_COUNT.instance(Writers(length, 4, 3, 8))
        assert drawn.answer == (answer,)
        assert drawn.slips["counted_writers"] == (3.0,)
        assert drawn.slips["still_all"] == (3.0 if length == 10 else 0.0,)
