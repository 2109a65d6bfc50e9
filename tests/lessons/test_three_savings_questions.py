"""The questions on the three ledgers, each answer by the running decoder or in plain Python; and what is asked before
it is shown."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine.flash import standard_attention, tiled_attention
from engine.three_ledgers import ALL_OFF, CACHE, CACHE_PAGING, CACHE_TILES, TILES
from engine.three_savings import CONFIG, HEADS, Mistake, Outcome, Scenario, outcome
from lessons.kit.ask import Ask
from lessons.kit.question import Question
from lessons.kit.reply import Find, Order
from lessons.three_savings import LESSON
from lessons.three_savings.naming import LEDGERS, named
from lessons.three_savings.questions import QUESTIONS
from lessons.three_savings.questions.crossing import ONE_TRIP
from lessons.three_savings.questions.full_size import DECODE_SHARE, WEIGHTS, Long
from lessons.three_savings.questions.operations import ROWS_OR_PAIRS
from lessons.three_savings.questions.switches import BY_TRAFFIC, FALLS, LEAST_ROOM, WAYS

CHAPTER = LESSON.scenario
few = pytest.mark.parametrize("seed", range(4))


def asked(scenario: Scenario, step: str) -> Ask:
    (frame,) = (frame for frame in LESSON.frames(scenario) if frame.narration.id == step)
    assert frame.narration.ask is not None
    return frame.narration.ask


def mended(question: Question[Any], seed: int) -> tuple[Any, str, str, list[str]]:
    """The inputs of a find-the-error question, the claim that counts as wrong, what it should say, and all claims."""
    drawn = question.draw(seed)
    assert isinstance(question.reply, Find)
    claims = question.reply.claims(drawn.inputs)
    claim = claims[int(drawn.answer[0]) - 1]
    said = [c.said.en for c in claims if c is not claim]
    return drawn.inputs, claim.said.en, claim.corrections[int(drawn.answer[1]) - 1].en, said


def digits(words: str) -> str:
    return words.replace("\u202f", "")


# What the running decoder says


def ran(question: str, s: Scenario) -> float:
    """The answer of a question, counted as the decoder runs."""
    off, cache, paged = (outcome(s, way).ledgers for way in (ALL_OFF, CACHE, CACHE_PAGING))
    first = outcome(replace(s, n_new=1), ALL_OFF).ledgers
    return {
        "pairs-with-cache": cache.pairs / HEADS,
        "pairs-without-cache": off.pairs / HEADS,
        "work-ratio": off.pairs / cache.pairs,
        "tables-resident": off.at_end.scores,
        "tables-moved": first.moved_tables / HEADS,
        "unused": cache.at_end.unused,
        "paged": paged.at_end.kv + paged.at_end.unused,
        "resident-ratio": (cache.at_end.kv + cache.at_end.unused) / (paged.at_end.kv + paged.at_end.unused),
    }[question]


@pytest.mark.parametrize("question", QUESTIONS[:3] + QUESTIONS[4:6] + QUESTIONS[9:12], ids=lambda q: q.slug)
def test_the_answers_are_the_running_decoders(question: Question[Any]) -> None:
    for seed in range(3):
        drawn = question.draw(seed)
        assert drawn.answer == (pytest.approx(ran(question.slug, drawn.inputs)),)


@few
def test_a_ledger_that_is_ticked_falls_in_the_run(seed: int) -> None:
    drawn = FALLS.draw(seed)
    ways = [outcome(drawn.inputs, way) for way in (ALL_OFF, CACHE, TILES, CACHE_PAGING)]
    turns = ((ways[0], ways[1]), (ways[0], ways[2]), (ways[1], ways[3]))
    assert drawn.answer == tuple(
        float(now.ledgers.amount(ledger) < before.ledgers.amount(ledger)) for before, now in turns for ledger in LEDGERS
    )


def resident(way: Outcome) -> int:
    return way.ledgers.resident.total


@few
def test_the_thriftiest_way_is_the_one_that_ran_with_least(seed: int) -> None:
    drawn = LEAST_ROOM.draw(seed)
    best = min(WAYS, key=lambda way: resident(outcome(drawn.inputs, way)))
    assert LEAST_ROOM.reply.write(drawn.answer, drawn.inputs) == named(best)


@few
def test_ways_stand_in_the_order_of_the_bytes_that_crossed(seed: int) -> None:
    drawn = BY_TRAFFIC.draw(seed)
    assert isinstance(BY_TRAFFIC.reply, Order)
    moved = {named(way): outcome(drawn.inputs, way).ledgers.moved for way in (ALL_OFF, CACHE, TILES, CACHE_TILES)}
    options = BY_TRAFFIC.reply.options(drawn.inputs)
    crossed = [moved[options[int(i) - 1]] for i in drawn.answer]
    assert all(a < b for a, b in pairwise(crossed))


# Errors to find


@few
def test_rows_and_pairs_are_those_of_loops(seed: int) -> None:
    x, claim, right, said = mended(ROWS_OR_PAIRS, seed)
    n = min(x.n, 150)  # the loops below are cubic
    if x.n > n:
        x = type(x)(n)
        assert isinstance(ROWS_OR_PAIRS.reply, Find)
        answer = ROWS_OR_PAIRS.answer(x)
        found = ROWS_OR_PAIRS.reply.claims(x)[int(answer[0]) - 1]
        claim, right = found.said.en, found.corrections[int(answer[1]) - 1].en
        said = [c.said.en for c in ROWS_OR_PAIRS.reply.claims(x) if c is not found]
    rows = sum(1 for t in range(1, n + 1) for _ in range(t))
    pairs = sum(1 for t in range(1, n + 1) for q in range(t) for _ in range(q + 1))
    with_cache = sum(1 for t in range(1, n + 1) for _ in range(t))
    assert digits(claim) == f"Attention scores {rows} pairs without a cache and {n} with one."
    assert digits(right) == f"Attention scores {pairs} pairs without a cache and {with_cache} with one."
    assert f"With a cache {n} query rows go through a layer." in map(digits, said)


@few
def test_tiles_cross_as_often_as_the_counting_kernel_says(seed: int) -> None:
    s, claim, right, said = mended(ONE_TRIP, seed)
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=(len(s.prompt), CONFIG.head_dim)) for _ in range(3))
    _, tiles = tiled_attention(q, k, v, tile_q=s.tile_size, tile_k=s.tile_size, causal=True)
    _, plain = standard_attention(q, k, v, causal=True)
    assert digits(right).endswith(f"that sees them: {tiles.hbm_read - q.nbytes} bytes.")
    assert digits(claim).endswith(f"in one trip: {k.nbytes + v.nbytes} bytes.")
    others = " ".join(map(digits, said))
    assert f"each once: {q.nbytes + tiles.hbm_written} bytes" in others
    assert f"move another {plain.hbm_moved - 4 * q.nbytes} bytes" in others
    assert f"{len(q) * (len(q) + 1) // 2} visible pairs are scored" in others


# At full size


def test_the_softmax_of_8192_tokens_is_128_mib_and_not_as_wide_as_a_head() -> None:
    assert WEIGHTS.answer(Long(8192)) == (128.0,)
    assert WEIGHTS.judge(Long(8192), (2.0,)).slips == ("n-by-d",)


def test_the_share_of_the_rows_is_what_one_query_of_the_counting_kernel_moves() -> None:
    rng = random.Random(7)
    for _ in range(3):
        x = Long(rng.randint(20, 400), rng.choice((16, 64)))
        q, k = np.ones((1, x.wide)), np.ones((x.keys, x.wide))
        _, traffic = standard_attention(q, k, k, causal=True)
        vectors = 2 * q.nbytes + 2 * k.nbytes
        assert DECODE_SHARE.answer(x) == (pytest.approx(100 * (1 - vectors / traffic.hbm_moved)),)


# Asked first


@pytest.mark.parametrize("mistake", Mistake)
def test_it_asks_for_the_pairs_the_room_and_the_outputs_whatever_the_mistake(mistake: Mistake) -> None:
    scenario = replace(CHAPTER, mistake=mistake)
    pairs, room, outputs = (asked(scenario, step) for step in ("cache", "paging", "eight"))
    assert (pairs.answer, [guess.value for guess in pairs.slips]) == (105, [71, 14, 55, 50])
    linear = outcome(replace(CHAPTER, mistake=Mistake.LINEAR), CACHE).ledgers
    assert pairs.slips[0].value == linear.pairs / HEADS
    assert (room.answer, room.slips[0].value, room.slips[1].value) == (2 * 256, 0, 18 * 256)
    assert outputs.truth.en == "nowhere"
