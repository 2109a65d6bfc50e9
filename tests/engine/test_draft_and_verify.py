"""A round of guess and verify, step by step, given and with the little decoder."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.decoder import Decoder
from engine.draft_and_verify import Mistake, Scenario, Source, trace
from engine.draft_steps import Bonus, Done, Judge, Propose, Replace, RollBack, Start, Verify
from engine.generation import prompt
from engine.small_draft import DRAFT, TARGET, drafted, probabilities
from engine.speculative import Rule, acceptance, output_distribution, verify_greedy

DECODER = Scenario(source=Source.DECODER)
draws = st.lists(st.fractions(0, Fraction(999, 1_000)), min_size=9, max_size=9).map(tuple)


def only(s: Scenario, kind: type) -> list[Any]:
    return [step for step in trace(s) if isinstance(step, kind)]


def test_the_default_round_is_that_of_t67() -> None:
    [start], [verify], [back], [done] = (only(Scenario(), kind) for kind in (Start, Verify, RollBack, Done))
    assert (start.n_tokens, start.entries, start.blocks) == (10, 9, 3)
    assert (verify.rows, verify.entries, verify.blocks) == (5, 14, 4)
    assert (back.accepted, back.now, back.blocks_now, back.stale) == (2, 12, 3, 0)
    assert (len(done.emitted), done.n_tokens) == (3, 13)


def test_k_accepted_give_k_and_one() -> None:
    s = Scenario(q=Scenario().p)
    assert len(only(s, Judge)) == 4
    assert all(judge.kept for judge in only(s, Judge))
    [bonus], [done] = only(s, Bonus), only(s, Done)
    assert done.emitted[-1] == bonus.token
    assert len(done.emitted) == 5
    assert only(s, RollBack)[0].now == only(s, Verify)[0].entries


def test_k_of_0_is_plain_decoding() -> None:
    s = Scenario(k=0, draws=(0.6,))
    assert [type(step) for step in trace(s)] == [Start, Verify, Bonus, RollBack, Done]
    assert only(s, Done)[0].expected == 1


@given(draws, st.sampled_from(Mistake), st.sampled_from(Source))
def test_the_parts_of_every_judgement_add_up(given_draws: Any, mistake: Mistake, source: Source) -> None:
    s = Scenario(draws=given_draws, mistake=mistake, source=source)
    for judge in only(s, Judge):
        assert sum(judge.p) == sum(judge.q) == sum(judge.split.output) == 1
        right = output_distribution(judge.p, judge.q, mistake.rule)
        assert judge.split.output == right
        assert (judge.split.output == judge.p) or mistake.rule is not Rule.EXACT
    [done] = only(s, Done)
    assert len(done.emitted) == done.accepted + 1
    assert len(only(s, Replace)) + len(only(s, Bonus)) == 1
    assert done.emitted[: done.accepted] == only(s, Verify)[0].tokens[: done.accepted]


def test_all_draws_together_give_what_is_computed() -> None:
    """One proposal, draws on a grid that every probability divides: counting replaces chance."""
    grid = [Fraction(2 * i + 1, 72) for i in range(36)]
    for mistake in Mistake:
        counts = [0, 0, 0]
        for a in grid[::3]:
            for b in grid:
                for c in grid[::6]:
                    s = Scenario(k=1, draws=(a, b, c), mistake=mistake)
                    counts[only(s, Done)[0].emitted[0]] += 1
        total = sum(counts)
        right = output_distribution(Scenario().p, Scenario().q, mistake.rule)
        assert [Fraction(n, total) for n in counts] == pytest.approx([float(x) for x in right], abs=0.03)


def test_entries_of_rejected_tokens_stay_where_nothing_is_rolled_back() -> None:
    [back] = only(Scenario(mistake=Mistake.NO_ROLLBACK), RollBack)
    assert (back.now, back.stale, back.blocks_now) == (14, 2, 4)


def rejecting(mistake: Mistake) -> Scenario:
    return replace(DECODER, draws=(*(0.1, 0.4, 0.9, 0.6), *(0.999,) * 4, 0.4), mistake=mistake)


def test_with_the_decoder_stale_entries_change_the_next_logits_and_a_rollback_does_not() -> None:
    right, wrong = rejecting(Mistake.NONE), rejecting(Mistake.NO_ROLLBACK)
    assert only(wrong, RollBack)[0].stale > 0
    assert only(right, RollBack)[0].error < 1e-12
    assert only(wrong, RollBack)[0].error > 1e-3


def test_p_and_q_of_the_decoder_are_its_own() -> None:
    [verify], proposals = only(DECODER, Verify), only(DECODER, Propose)
    tokens = [*prompt(10), *verify.tokens]
    target, draft = (Decoder(config).forward(tokens).logits for config in (TARGET, DRAFT))
    for at, p in enumerate(verify.p):
        plain = np.exp(target[9 + at] - target[9 + at].max())
        np.testing.assert_allclose([float(x) for x in p], plain / plain.sum(), atol=1e-12)
    for at, step in enumerate(proposals):
        plain = np.exp(draft[9 + at] - draft[9 + at].max())
        np.testing.assert_allclose([float(x) for x in step.q], plain / plain.sum(), atol=1e-12)
    [done] = only(DECODER, Done)
    assert done.acceptance == tuple(acceptance(p, s.q) for p, s in zip(verify.p, proposals, strict=False))
    assert 0.5 < min(done.acceptance) < max(done.acceptance) < 1


def test_greedy_rounds_are_verify_greedy() -> None:
    s = replace(DECODER, greedy=True)
    [verify], [done] = only(s, Verify), only(s, Done)
    target = [p.index(1) for p in verify.p]
    assert list(done.emitted) == verify_greedy(verify.tokens, target)
    decoder, tokens = Decoder(TARGET), list(prompt(10))
    for _ in done.emitted:
        tokens.append(int(decoder.forward(tokens).logits[-1].argmax()))
    assert tokens[10:] == list(done.emitted)


def test_one_token_is_enough_to_start_from() -> None:
    s = replace(DECODER, n_tokens=1)
    assert only(s, Start)[0].entries == 0
    assert only(s, RollBack)[0].error < 1e-12
    assert len(drafted(1, 4, None)[2]) == 4


def test_probabilities_survive_large_logits() -> None:
    assert sum(probabilities(np.array([1e4, 0.0, -1e4]))) == 1


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"k": 17}, "k"),
        ({"k": -1}, "k"),
        ({"p": (0.5, 0.4, 0.2)}, "p"),
        ({"q": (0.5, 0.5)}, "q"),
        ({"draws": (0.1,)}, "draws"),
        ({"draws": (0.1,) * 8 + (1,)}, "draws"),
        ({"n_tokens": 0}, "n_tokens"),
        ({"n_tokens": 65}, "n_tokens"),
        ({"block_size": 0}, "block_size"),
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        replace(Scenario(), **wrong)
