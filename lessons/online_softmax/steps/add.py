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
from lessons.online_softmax.naming import MOST_SHOWN, exponent, names
from lessons.online_softmax.steps.table import before_and_after, holds, power, row, three
from lessons.online_softmax.trace import trace


def add(s: Scenario, step: AddTile, wrong: AddTile | None) -> Narration:
    headline, why = _said(s, step)
    own = wrong or step
    return Narration(
        id=f"tile-{step.tile.index + 1}/add",
        title=Text("Add ", "加入 ") + names(s, step.tile, markdown=False),
        headline=headline,
        why=why,
        facts=before_and_after(three(step.before), three(step.after), three(wrong.after) if wrong else None),
        ask=_how_much(s, step) if step.tile == _first_lower(s) else None,
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _did(s, step, wrong)),
        row=row(s, step.tile, own.after, total=own.total),
    )


def _said(s: Scenario, step: AddTile) -> tuple[Text, Text]:
    who, n = names(s, step.tile, markdown=True), len(step.tile.keys)
    if max(s.scores[key] for key in step.tile.keys) == -math.inf:
        return (
            Told("{who} {n|is|are} masked, so the kernel adds nothing", "{who} 被屏蔽，内核什么也不加").on(
                who=who, n=n
            ),
            Text(
                "Every weight of the tile is 0, so ℓ and u stay as they are.", "本分块的每个权重都是 0，ℓ 和 u 都不变。"
            ),
        )
    if step.total == 0:
        return (
            Told(
                "{who} {n|lies|lie} too far below the maximum {after.m:short} to weigh anything",
                "{who} 比最大值 {after.m:short} 低得太多，没有分量",
            ).on(step, who=who, n=n),
            Told(
                "{weights}: the exact power is smaller than any float64 above 0, so ℓ and u stay as they are.",
                "{weights}：准确的幂比任何大于 0 的 float64 都小，所以 ℓ 和 u 不变。",
            ).on(weights=_weights(s, step)),
        )
    if n == 1:
        headline = Told(
            "{who} joins with weight {total}: ℓ becomes {after.l}", "加入 {who}，权重 {total}：ℓ 变为 {after.l}"
        )
    else:
        headline = Told(
            "{who} join with weights that sum to {total}: ℓ becomes {after.l}",
            "加入 {who}，权重之和 {total}：ℓ 变为 {after.l}",
        )
    return headline.on(step, who=who), _why(s, step)


def _weights(s: Scenario, step: AddTile) -> tuple[str, ...]:
    """The first weights as formulas."""
    powers = zip(step.tile.keys, step.p, strict=True)
    shown = [f"$e^{{{exponent(s.scores[key], step.reference)}}} = {tex(fixed(p))}$" for key, p in powers][:MOST_SHOWN]
    return (*shown, *(["…"] if len(step.p) > MOST_SHOWN else []))


def _why(s: Scenario, step: AddTile) -> Text:
    """In full where the first keys join, then only what is new."""
    first, one = bool(step.before.l == 0), len(step.p) == 1
    match first, one:
        case True, True:
            said = Told(
                "The [weight](term:attention-weight) of a key is $p = e^{{s - m}}$: {weights}. ℓ grows by p, and u by "
                "p times the value: ({added:vector}). The kernel then discards the score.",
                "键的[权重](term:attention-weight)是 $p = e^{{s - m}}$：{weights}。ℓ 增加 p，u 增加 p 乘以值：（"
                "{added:vector}）。随后内核丢弃分数。",
            )
        case True, False:
            said = Told(
                "The [weight](term:attention-weight) of a key is $p = e^{{s - m}}$: {weights}. ℓ grows by the sum of "
                "the weights, and u by Σ p v = ({added:vector}). The kernel then discards the scores.",
                "键的[权重](term:attention-weight)是 $p = e^{{s - m}}$：{weights}。ℓ 增加权重之和，u 增加 Σ p v =（"
                "{added:vector}）。随后内核丢弃分数。",
            )
        case False, True:
            said = Told(
                "$p =$ {weights}, measured against m = {after.m:short} like all keys before. u gains p v = "
                "({added:vector}).",
                "$p =$ {weights}，与此前所有键一样以 m = {after.m:short} 为基准。u 增加 p v =（{added:vector}）。",
            )
        case _:
            said = Told(
                "$p =$ {weights}, measured against m = {after.m:short} like all keys before. u gains Σ p v = "
                "({added:vector}).",
                "$p =$ {weights}，与此前所有键一样以 m = {after.m:short} 为基准。u 增加 Σ p v =（{added:vector}）。",
            )
    columns = zip(*(s.values[key] for key in step.tile.keys), strict=True)
    added = tuple(math.fsum(p * x for p, x in zip(step.p, column, strict=True)) for column in columns)
    return said.on(step, weights=_weights(s, step), added=added)


def _did(s: Scenario, step: AddTile, wrong: AddTile) -> Text:
    if wrong.p == step.p:
        return holds(step.after, wrong.after)
    if s.mistake is Mistake.NO_MAX:
        did = Told("it subtracts nothing: $p = e^s$ = {weights}.", "它什么也不减：$p = e^s$ = {weights}。")
    else:
        did = Told(
            "it subtracts {reference:short}, the tile’s own maximum, instead of {after.m:short}: p = {weights}.",
            "它减的是本分块自己的最大值 {reference:short}，而不是 {after.m:short}：p = {weights}。",
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
    return asking(
        Told(
            "{name} has the score {score:short}, and the maximum so far is {m:short}. By how much does ℓ grow?",
            "{name} 的分数是 {score:short}，目前的最大值是 {m:short}。ℓ 增加多少？",
        ).on(name=literal(s.labels[key]), score=score, m=m),
        step.total,
        (
            MISTAKES.guess(Mistake.TILE_MAX, 1.0, s),
            MISTAKES.guess(Mistake.NO_MAX, power(score), s),
            Guess(
                power(m - score),
                Told(
                    "That puts the maximum minus the score into the exponent. The score minus the maximum is right; a "
                    "key below {m:short} weighs less than 1.",
                    "这是把“最大值减分数”放进了指数。应是分数减最大值；低于 {m:short} 的键，权重小于 1。",
                ).on(m=m),
            ),
            Guess(
                score - m,
                Text(
                    "That is the difference itself; the weight is e to this power.",
                    "这只是两者之差；以它为指数的 e 的幂才是权重。",
                ),
            ),
        ),
    )
