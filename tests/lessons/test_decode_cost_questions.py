"""The questions on what decoding costs, against loops that count one by one, and what the lesson asks before it
shows."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from engine.config import Config
from engine.decode_cost import Mistake, Scenario
from engine.decoder import Decoder
from engine.generation import multiplications
from engine.kv_cache import KVCache
from engine.weights import Weights
from lessons.decode_cost import LESSON
from lessons.decode_cost.presets import PRESETS
from lessons.decode_cost.questions.cells import AGAIN, NEW_PAIRS, Often, Span
from lessons.decode_cost.questions.crossing import CROSSING, Layer
from lessons.decode_cost.questions.errors import LINEAR_CLAIM, SQUARE_CLAIM
from lessons.decode_cost.questions.growth import CUBIC, LINEAR, Grow
from lessons.decode_cost.questions.more import MORE
from lessons.decode_cost.questions.no_cache import PAIRS, ROWS, UNIT
from lessons.decode_cost.questions.pairs import DECODE, PREFILL
from lessons.decode_cost.questions.price import PASSES, READ_BACK, READ_BYTES
from lessons.kit.format import as_typed
from lessons.kit.question import Question
from lessons.kit.reply import Find, Order, Pick
from tests.lessons.reading import differing

SEEDS = range(25)
Pairs = list[tuple[int, int, int]]  # pass, query, key


@cache
def without(p: int, m: int) -> tuple[int, Pairs]:
    """Rows, and every pair scored, one by one: each pass runs over everything before it."""
    rows, pairs = 0, []
    for nth in range(m):
        n = p + nth
        rows += n
        pairs += [(nth, query, key) for query in range(n) for key in range(query + 1)]
    return rows, pairs


@cache
def with_one(p: int, m: int) -> tuple[int, Pairs]:
    """The same with a cache: the prompt in one pass, then one row a pass."""
    pairs = [(0, query, key) for query in range(p) for key in range(query + 1)]
    for nth in range(1, m):
        pairs += [(nth, p + nth - 1, key) for key in range(p + nth)]
    return p + m - 1, pairs


def drawn(question: Question[Any]) -> list[tuple[Any, tuple[float, ...]]]:
    instances = [question.instance(question.inputs), *(question.draw(seed) for seed in SEEDS)]
    return [(instance.inputs, instance.answer) for instance in instances]


def small(question: Question[Any]) -> list[tuple[Any, tuple[float, ...]]]:
    return [(s, answer) for s, answer in drawn(question) if s.n_prompt + s.n_new <= 70]


def test_rows_and_pairs_are_what_loops_count() -> None:
    for s, answer in small(PREFILL):
        assert answer == (len([pair for pair in with_one(s.n_prompt, s.n_new)[1] if pair[0] == 0]),)
    for s, answer in small(ROWS):
        assert answer == (without(s.n_prompt, s.n_new)[0],)
    for s, answer in small(PAIRS):
        assert answer == (len(without(s.n_prompt, s.n_new)[1]),)
    for s, answer in small(DECODE):
        assert answer == (len([pair for pair in with_one(s.n_prompt, s.n_new)[1] if pair[0] > 0]),)
    for s, answer in small(UNIT):
        assert answer == (len(without(1, s.n_new)[1]), len(with_one(1, s.n_new)[1]))


def test_a_decoder_that_runs_makes_the_passes_and_reads_the_positions() -> None:
    for s, answer in small(READ_BACK)[:6]:
        decoder, cache_, read, passes = Decoder(Config()), KVCache(Config()), 0, 0
        decoder.forward([1] * s.n_prompt, cache_)
        for _ in range(s.n_new - 1):
            read, passes = read + cache_.length, passes + 1
            decoder.forward([1], cache_)
        assert answer == (read,)
        assert PASSES.answer(s) == (passes,)


def test_bytes_read_back_are_a_sum_over_passes() -> None:
    for q, (mib,) in drawn(READ_BYTES):
        read = sum(2 * q.layers * (q.n_prompt + i) * q.kv_heads * q.head_dim * 2 for i in range(q.n_new - 1))
        assert mib * 2**20 == pytest.approx(read)


def test_squares_of_the_last_pass_alone_are_the_16_million_of_a_4096_token_response() -> None:  # audit 1.3
    assert PAIRS.instance(Scenario(1, 4096)).slips["squares+last_pass"] == (16_777_216.0,)


@pytest.mark.parametrize(
    "inputs", [Span(3, 2, 3), Span(1, 1, 6), Span(5, 2, 2), *(NEW_PAIRS.draw(s).inputs for s in SEEDS)]
)
def test_the_cells_of_a_cached_step_are_its_query_and_every_key_so_far(inputs: Span) -> None:
    wanted = {(q, k) for nth, q, k in with_one(inputs.prompt, inputs.last + 1)[1] if nth >= inputs.first}
    ticked = [(i // inputs.n, i % inputs.n) for i, x in enumerate(NEW_PAIRS.answer(inputs)) if x]
    assert set(ticked) == wanted


@pytest.mark.parametrize("inputs", [Often(3, 3, 2), Often(1, 6, 6), *(AGAIN.draw(s).inputs for s in SEEDS)])
def test_pairs_are_scored_again_as_often_as_a_loop_meets_them(inputs: Often) -> None:
    times = Counter((q, k) for _, q, k in without(inputs.prompt, inputs.last + 1)[1])
    wanted = {pair for pair, n in times.items() if n >= inputs.times}
    ticked = {(i // inputs.n, i % inputs.n) for i, x in enumerate(AGAIN.answer(inputs)) if x}
    assert ticked == wanted


@pytest.mark.parametrize(("question", "factor"), [(CUBIC, 8), (LINEAR, 2)])
def test_the_quantity_chosen_is_the_only_one_that_grows_so(question: Question[Grow], factor: int) -> None:
    def counted(words: str, n: int) -> int:
        rows, pairs = (with_one if "with a cache" in words else without)(1, n)
        unit_is_rows = "rows" in words
        if words.startswith("all"):
            return rows if unit_is_rows else len(pairs)
        last = [pair for pair in pairs if pair[0] == n - 1]
        return len({query for _, query, _ in last}) if unit_is_rows else len(last)

    assert isinstance(question.reply, Pick)
    for g, (place,) in drawn(question):
        n = min(g.n, 30)
        grown = [counted(option.en, 2 * n) / counted(option.en, n) for option in question.reply.options(g)]
        nearest = [min((1, 2, 4, 8), key=lambda f: abs(f - x)) for x in grown]
        assert nearest.count(factor) == 1
        assert nearest[int(place) - 1] == factor


def test_the_order_of_amounts_is_that_of_the_pairs_counted() -> None:
    assert isinstance(MORE.reply, Order)
    for s, answer in drawn(MORE):
        p, m = s.n_prompt, s.n_new
        plain, cached = Counter(nth for nth, *_ in without(p, m)[1]), Counter(nth for nth, *_ in with_one(p, m)[1])
        amounts = {
            "the last decode pass, with a cache": cached[m - 1],
            "all decode passes, with a cache": cached.total() - cached[0],
            "the prompt’s pass": cached[0],
            "the last pass, without a cache": plain[m - 1],
            "all passes, without a cache": plain.total(),
        }
        options = MORE.reply.options(s)
        in_order = [amounts[options[int(place) - 1].en] for place in answer]
        assert in_order == sorted(amounts.values())


@pytest.mark.parametrize(
    "config",
    [
        Config(),
        Config(d_model=32, n_heads=8, n_kv_heads=2, head_dim=4, d_ff=40),
        Config(d_model=6, n_heads=3, n_kv_heads=1, head_dim=2, d_ff=5),
    ],
)
def test_a_layers_multiplications_are_its_weights_and_its_products(config: Config) -> None:
    layer = Layer(config.n_heads, config.n_kv_heads, config.head_dim, config.d_ff)
    if layer.width != config.d_model:  # the question's layers are as wide as their heads together
        config = replace(config, d_model=layer.width)
    row, pair = multiplications(config)
    assert (layer.row, layer.pair) == (row, pair)
    weights = Weights.of(config).layers[0]
    assert row == sum(w.size for w in (weights.q, weights.k, weights.v, weights.o, weights.w1, weights.w2))
    assert CROSSING.answer(layer)[0] * pair == pytest.approx(row)


def numbers_in(words: str) -> set[int]:
    return {int(x) for x in re.findall(r"\d+", as_typed(words))}


@pytest.mark.parametrize("question", [LINEAR_CLAIM, SQUARE_CLAIM])
def test_every_claim_but_the_wrong_one_states_what_a_loop_counts(question: Question[Scenario]) -> None:
    assert isinstance(question.reply, Find)
    for s in (Scenario(1, 6), Scenario(1, 23), question.draw(3).inputs):
        n = s.n_new
        plain_rows, plain = without(1, n)
        cached_rows, cached = with_one(1, n)
        last = len([pair for pair in plain if pair[0] == n - 1])
        true = {  # what a claim is about → the number it must state
            "Without a cache": plain_rows, "With a cache attention": len(cached), "With a cache": cached_rows,
            "The newest query": n, "A response": len(plain), "The last pass": last,
        }  # fmt: skip

        def states_the_truth(words: str, true: dict[str, int] = true) -> bool:
            if words.startswith("Twice"):
                factor = float(re.findall(r"about ([\d.]+) times", words)[0])
                return abs(factor - len(without(1, 2 * n)[1]) / len(plain)) < 0.06  # noqa: B023
            about = next(start for start in true if words.startswith(start))
            linear = "attention is linear" in words
            return true[about] in numbers_in(words) and not linear

        claims = question.reply.claims(s)
        wrong, right = (int(x) - 1 for x in question.answer(s))
        assert [states_the_truth(claim.said.en) for claim in claims] == [i != wrong for i in range(len(claims))]
        assert [states_the_truth(text.en) for text in claims[wrong].corrections] == [i == right for i in range(3)]
        for i, claim in enumerate(claims):
            assert i == wrong or not any(states_the_truth(text.en) for text in claim.corrections)


# Predict, then reveal


@pytest.mark.parametrize("mistake", Mistake)
@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.slug)
def test_two_or_three_steps_ask_first_and_never_two_in_a_row(preset: Any, mistake: Mistake) -> None:
    asks = [frame.narration.ask for frame in LESSON.frames(replace(preset.scenario, mistake=mistake))]
    asked = [i for i, ask in enumerate(asks) if ask is not None]
    assert 2 <= len(asked) <= 3
    assert asked[0] > 0
    assert all(b - a > 1 for a, b in pairwise(asked))
    for ask in asks:
        if ask is not None:
            assert all(differing(text) == {} for text in (ask.prompt, ask.truth, *(slip.said for slip in ask.slips)))


def test_what_is_asked_is_answered_by_the_loops() -> None:
    asks = {frame.narration.id: frame.narration.ask for frame in LESSON.frames(LESSON.scenario)}
    first, again, growth = asks["pass-1"], asks["pass-3"], asks["growth"]
    assert first is not None
    assert first.answer == len([pair for pair in with_one(3, 2)[1] if pair[0] == 1])
    assert again is not None
    assert again.answer == len({(q, k) for nth, q, k in without(3, 4)[1] if nth < 3})
    assert growth is not None
    assert growth.truth.en == "× 4"
    assert [slip.value for slip in first.slips] == [1, 10, 3]
