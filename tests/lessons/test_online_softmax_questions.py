"""The questions on online softmax: each answer again by another route than the template's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from engine.online_softmax import Mistake, Scenario
from lessons.kit.controls import BadInput
from lessons.kit.question import Question, Verdict
from lessons.kit.reply import Find
from lessons.kit.told import say
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.presets import CHAPTER
from lessons.online_softmax.questions import QUESTIONS
from lessons.online_softmax.questions.claims import FOLD, TABLES
from lessons.online_softmax.questions.diagnosis import DIAGNOSIS
from lessons.online_softmax.questions.folds import ACCUMULATOR, ALPHA, DENOMINATOR, OUTPUT
from lessons.online_softmax.questions.maxima import CHANGES, OVERFLOW, SHRINKS
from lessons.online_softmax.questions.parts import LSE, MERGE, WEIGHTS
from tests.lessons.corners import OWN, typed
from tests.lessons.reading import differing, is_good

SEEDS = range(25)


def tiles(s: Scenario) -> list[list[float]]:
    """The scores of each tile, in reading order."""
    scores = [s.scores[key] for key in s.reading]
    return [scores[i : i + s.tile_size] for i in range(0, len(scores), s.tile_size)]


def test_m_changes_where_a_tile_passes_all_before_and_what_is_held_shrinks_there_but_at_the_first() -> None:
    for seed in SEEDS:
        s = CHANGES.draw(seed).inputs
        marks: list[float] = []
        m = -math.inf
        for tile in tiles(s):
            rises = max(tile) > m
            marks += [float(rises), float(rises and m > -math.inf)]
            m = max(m, *tile)
        assert CHANGES.answer(s) == tuple(marks)


def test_what_is_held_shrinks_as_often_as_the_maxima_of_the_tiles_reach_a_new_height() -> None:
    for seed in SEEDS:
        s = SHRINKS.draw(seed).inputs
        tops = [max(tile) for tile in tiles(s)]
        assert SHRINKS.answer(s) == (len({max(tops[: i + 1]) for i in range(len(tops))}) - 1.0,)


def test_parts_stand_in_the_order_of_the_sums_of_their_powers() -> None:
    for seed in SEEDS:
        s = WEIGHTS.draw(seed).inputs
        sums = [math.fsum(map(math.exp, tile)) for tile in tiles(s)]
        words = WEIGHTS.reply.write(WEIGHTS.answer(s), s).en.split(" → ")
        order = [int(said.removeprefix("processor ").split(":")[0]) - 1 for said in words]
        assert order == sorted(range(len(sums)), key=sums.__getitem__)


def weights_alike(s: Scenario, *, l: bool, u: bool) -> float:
    """The output in which old keys keep their weight in ℓ or in u although the maximum has risen since they were
    read."""
    tops = [max(tile) for tile in tiles(s)]
    up = down = 0.0
    keys = iter(s.reading)
    for i, tile in enumerate(tiles(s)):
        running, final = max(tops[: i + 1]), max(tops)
        for score in tile:
            value = s.values[next(keys)][0]
            up += value * math.exp(score - (final if u else running))
            down += math.exp(score - (final if l else running))
    return up / down


def test_a_program_is_told_by_the_output_that_its_slip_alone_gives() -> None:
    for seed in SEEDS:
        p = DIAGNOSIS.draw(seed).inputs
        forgot_u = weights_alike(p.scenario, l=True, u=False)
        forgot_l = weights_alike(p.scenario, l=False, u=True)
        chosen = DIAGNOSIS.reply.write(DIAGNOSIS.answer(p), p).en
        assert p.gives(p.made)[0] == pytest.approx(forgot_u if "multiply u by" in chosen else forgot_l)
    assert {DIAGNOSIS.draw(seed).inputs.made for seed in SEEDS} == {*DIAGNOSIS.inputs.suspects[:2]}


def test_the_table_of_weights_is_the_wrong_one_and_as_large_as_the_scores() -> None:
    assert isinstance(TABLES.reply, Find)
    for seed in SEEDS:
        t = TABLES.draw(seed).inputs
        claim, correction = (int(x) for x in TABLES.answer(t))
        said = TABLES.reply.claims(t)[claim - 1]
        assert said.said.en.startswith("The weights")
        figures = f"{t.tokens:,} × {t.tokens:,} = {t.tokens**2:,}".replace(",", "\u202f")
        assert figures in said.corrections[correction - 1].en


def test_u_shrinks_with_the_factor_that_l_shrinks_with() -> None:
    assert isinstance(FOLD.reply, Find)
    for seed in SEEDS:
        s = FOLD.draw(seed).inputs
        claim, correction = (int(x) for x in FOLD.answer(s))
        said = FOLD.reply.claims(s)[claim - 1]
        m = -math.inf
        held: list[tuple[float, float]] = []
        keys = iter(s.reading)
        for tile in tiles(s):
            if max(tile) > m > -math.inf:
                break
            m = max(m, *tile)
            held += [(score, s.values[next(keys)][0]) for score in tile]
        new = max(tile)
        right = math.fsum(v * math.exp(score - new) for score, v in held)
        stale = math.fsum(v * math.exp(score - m) for score, v in held)
        assert said.said.en == f"u becomes ({stale:.4f})."
        assert said.corrections[correction - 1].en == f"u becomes ({right:.4f})."


@pytest.mark.parametrize(
    ("typed", "slips"),
    [("0.1353", None), ("1/7.389", None), ("13.53%", None), ("7.389", ("inverted",)), ("2^-2", ("base_two",)), ("4",
    ("inverted+base_two",)), ("2", ("difference",))],
)  # fmt: skip
def test_a_factor_may_be_typed_as_arithmetic_and_two_slips_together_are_told(
    typed: str, slips: tuple[str, ...] | None
) -> None:
    assert ALPHA.check(CHAPTER, typed) == (Verdict(True, ()) if slips is None else Verdict(False, slips))


def test_a_logarithm_without_m_and_in_base_two_is_told() -> None:
    l = 1 + math.exp(-1) + math.exp(-2)
    assert LSE.check(CHAPTER, f"{math.log2(l):.4f}") == Verdict(False, ("forgot_max+base_two",))


# The corners of every question's form


def cornered(question: Question[Any]) -> Iterator[Any]:
    """The lesson's own corners, and the form's; where a question refuses them there is nothing to ask."""
    names = {control.name for control in question.form.controls}
    singly = ({control.name: text} for control in question.form.controls for text in typed(control))
    for fields in (*OWN["online_softmax"], *singly):
        for made in ({}, {"made": "rescale_u_only"}) if "made" in names else ({},):
            with suppress(BadInput):
                yield question.form.read({k: v for k, v in {**fields, **made}.items() if k in names}, question.inputs)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.slug)
def test_at_the_corners_of_its_form_a_question_has_one_right_answer_and_good_sentences(question: Question[Any]) -> None:
    asked = {*cornered(question), question.inputs}
    assert len(asked) > 1
    for inputs in asked:
        instance = question.instance(inputs)
        assert all(map(math.isfinite, instance.answer)), inputs
        assert question.judge(inputs, instance.answer).right
        assert is_good(question.asked(inputs), sentence=True), question.asked(inputs)
        for slip in question.slips:
            leads_to = instance.slips.get(slip.name, instance.answer)
            if all(map(math.isfinite, leads_to)) and leads_to != instance.answer:
                assert is_good(slip.told(inputs), sentence=True), (inputs, slip.told(inputs))
        assert differing(question.worked(inputs)) == {}
        assert question.lines(inputs)


def test_a_program_whose_output_does_not_tell_what_it_forgot_is_not_asked_about() -> None:
    for scores in ((5.0, 4.0, 3.0), (1.0, 1.0, 1.0), (-math.inf, 0.0, -math.inf)):
        with pytest.raises(BadInput):
            DIAGNOSIS.form.read({"keys": "\n".join(f"K,{s},{i}" for i, s in enumerate(scores))}, DIAGNOSIS.inputs)
    for program in cornered(DIAGNOSIS):
        outputs = [program.gives(mistake) for mistake in (*program.suspects, Mistake.NONE)]
        assert len({tuple(round(x, 9) for x in output) for output in outputs}) == len(outputs)
    negative = DIAGNOSIS.form.read({"keys": "A,1,-5\nB,3,-10\nC,2,0"}, DIAGNOSIS.inputs)
    assert negative.returned[0] < negative.right[0]  # u too large, and the output smaller
    assert "too" not in DIAGNOSIS.worked(negative).en


@pytest.mark.parametrize("question", [OUTPUT, LSE, OVERFLOW, MERGE, DENOMINATOR, ACCUMULATOR], ids=lambda q: q.slug)
def test_where_every_key_is_masked_there_is_nothing_to_ask(question: Question[Any]) -> None:
    with pytest.raises(BadInput):
        question.form.read({"keys": "A,-inf,1\nB,-inf,2"}, question.inputs)


def test_parts_that_weigh_the_same_have_no_order() -> None:
    for keys in ("A,1,1\nB,1,1", "A,-inf,1\nB,-inf,1\nC,0,1", "A,1,1"):
        with pytest.raises(BadInput):
            WEIGHTS.form.read({"keys": keys, "tile": "1"}, WEIGHTS.inputs)


def test_u_given_without_the_division_is_told() -> None:
    u = CHAPTER.end.u
    assert OUTPUT.judge(CHAPTER, tuple(map(float, u))) == Verdict(False, ("undivided",))


def test_where_the_maximum_never_rises_no_slip_is_told_of_a_factor_left_out() -> None:
    falling = replace(CHAPTER, order=(1, 2, 0))
    assert ALPHA.check(falling, "1") == Verdict(True, ())
    assert "no_rescale" not in ALPHA.check(falling, "0").slips


def test_a_slip_that_is_a_mistake_has_its_title_and_sentence() -> None:
    slips = {slip.name: slip for slip in OUTPUT.slips}
    for mistake, wrong in MISTAKES.wrongs.items():
        if mistake.value in slips:
            assert slips[mistake.value].title.zh == wrong.title.zh
            assert slips[mistake.value].told(CHAPTER).zh == say(wrong.said, CHAPTER).zh
