"""The tile's weights join what is held."""

from __future__ import annotations

import math

from engine.online_softmax import AddTile, CompareMax, Mistake, Scenario, Tile
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import fixed, tex, vector
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, literal
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import exponent, names
from lessons.online_softmax.steps.table import before_and_after, holds, power, row, three
from lessons.online_softmax.trace import trace

MOST_SHOWN = 3


def add(s: Scenario, step: AddTile, wrong: AddTile | None) -> Narration:
    if step.after.m == -math.inf:
        headline = Told("{who}: masked, so nothing is added", "{who}：被屏蔽，什么也不加")
        why = Text(
            "Each weight is 0: ℓ and u stay 0. A later tile can still bring something visible.",
            "每个权重都是 0：ℓ 和 u 仍为 0。后面的分块仍可能带来可见的键。",
        )
    else:
        headline = Told("Add {who}, measured against {after.m:short}", "以 {after.m:short} 为基准加入 {who}")
        why = _why(s, step)
    own = wrong or step
    return Narration(
        id=f"tile-{step.tile.index + 1}/add",
        title=Text("Add ", "加入 ") + names(s, step.tile, markdown=False),
        headline=headline.on(step, who=names(s, step.tile, markdown=True)),
        why=why,
        facts=before_and_after(three(step.before), three(step.after), three(wrong.after) if wrong else None),
        ask=_how_much(s, step) if step.tile == _first_lower(s) else None,
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _did(s, step, wrong)),
        row=row(s, step.tile, own.after, total=own.total),
    )


def _why(s: Scenario, step: AddTile) -> Text:
    weights = [
        f"$e^{{{exponent(s.scores[key], step.reference)}}} = {tex(fixed(p))}$"
        for key, p in zip(step.tile.keys, step.p, strict=True)
    ][:MOST_SHOWN]
    if len(step.p) > MOST_SHOWN:
        weights.append("…")
    if len(step.p) > 1:
        sum_p, sum_pv = Text("their sum", "它们的和"), "Σ p v"
    else:
        sum_p, sum_pv = Text("p", " p"), "p v"
    return Told(
        "Weight $p = e^{{s - m}}$: {weights}. ℓ grows by {sum_p} = {total}, u by {sum_pv} = ({added:vector}). The "
        "scores are now done with.",
        "权重 $p = e^{{s - m}}$：{weights}。ℓ 增加{sum_p} = {total}，u 增加 {sum_pv} =（{added:vector}）。这些分数"
        "从此不再需要。",
    ).on(step, weights=tuple(weights), sum_p=sum_p, sum_pv=sum_pv)


def _did(s: Scenario, step: AddTile, wrong: AddTile) -> Text:
    if wrong.p == step.p:
        return holds(step.after, wrong.after)
    if s.mistake is Mistake.NO_MAX:
        did = Told("p = e^s = {weights}, with nothing subtracted.", "p = e^s = {weights}，什么也没减。")
    else:
        did = Told(
            "subtracts the tile’s own maximum {reference:short} instead of {after.m:short}: p = {weights}, too "
            "large beside what is held.",
            "减的是本分块自己的最大值 {reference:short}，而不是 {after.m:short}：p = {weights}，与已有累计相比偏大。",
        )
    more = ", …" if len(wrong.p) > MOST_SHOWN else ""
    return did.on(wrong, weights=vector(wrong.p[:MOST_SHOWN]) + more)


def _first_lower(s: Scenario) -> Tile | None:
    """The first tile of one key below the running maximum."""
    compared = (step for step in trace(s) if isinstance(step, CompareMax))
    return next((step.tile for step in compared if step.is_lower and len(step.tile.keys) == 1), None)


def _how_much(s: Scenario, step: AddTile) -> Ask | None:
    [key] = step.tile.keys
    score, m = s.scores[key], step.reference

    def guess(value: float, en: str, zh: str) -> Guess:
        return Guess(value, Told(en, zh).on(m=m))

    return asking(
        Told(
            "{name} has the score {score:short}, the maximum so far is {m:short}. By how much does ℓ grow?",
            "{name} 的分数是 {score:short}，目前的最大值是 {m:short}。ℓ 增加多少？",
        ).on(name=literal(s.labels[key]), score=score, m=m),
        step.total,
        (
            guess(
                1.0,
                "That measures the key against its own score. All keys share one reference, the maximum {m:short}.",
                "这是以它自己的分数为基准。所有键共用一个基准，即最大值 {m:short}。",
            ),
            guess(
                power(score),
                "That is e to the score itself. The maximum {m:short} is subtracted first.",
                "这是直接对分数取 e 的幂。要先减去最大值 {m:short}。",
            ),
            guess(
                power(m - score),
                "That is the maximum less the score in the exponent, which is above 1. A key below {m:short} "
                "weighs less than 1.",
                "这是把“最大值减分数”放进了指数，大于 1。低于 {m:short} 的键权重小于 1。",
            ),
            guess(
                score - m,
                "That is the difference itself; the weight is e to this power.",
                "这只是两者之差；以它为 e 的指数才是权重。",
            ),
        ),
    )
