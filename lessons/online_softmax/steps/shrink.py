"""The maximum rose: what is held goes to the new scale before the tile is added."""

from __future__ import annotations

from engine.online_softmax import Mistake, Scenario, Shrink
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import fixed, tex
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import exponent
from lessons.online_softmax.steps.table import before_and_after, power, row, three

_DID = {
    Mistake.NO_RESCALE: Told(
        "m becomes {m_new:short}, but ℓ = {after.l} and u = ({after.u:vector}) stay on the old scale. Two scales "
        "are now mixed in one sum.",
        "m 改成了 {m_new:short}，但 ℓ = {after.l}、u =（{after.u:vector}）仍在旧基准上。两种基准从此混在一个和里。",
    ),
    Mistake.RESCALE_L_ONLY: Told(
        "ℓ shrinks to {after.l}; u = ({after.u:vector}) stays too large.",
        "ℓ 缩到 {after.l}；u =（{after.u:vector}）没有缩，偏大。",
    ),
    Mistake.RESCALE_U_ONLY: Told(
        "u shrinks to ({after.u:vector}); ℓ = {after.l} stays too large.",
        "u 缩到（{after.u:vector}）；ℓ = {after.l} 没有缩，偏大。",
    ),
    Mistake.TILE_MAX: Told("shrinks as it should; its slip is in the weights.", "这一步缩放正确；它错在权重上。"),
    Mistake.NO_MAX: Told(
        "nothing is ever subtracted, so nothing shrinks: ℓ = {after.l}, u = ({after.u:vector}), on a scale that "
        "only grows.",
        "从不减最大值，也就不缩小：ℓ = {after.l}，u =（{after.u:vector}），数值只会越来越大。",
    ),
}


def shrink(s: Scenario, step: Shrink, wrong: Shrink | None) -> Narration:
    own = wrong or step
    return Narration(
        id=f"tile-{step.tile.index + 1}/shrink",
        title=Text("Shrink what we hold", "缩小已有累计"),
        headline=Told(
            "The maximum rose from {m_old:short} to {m_new:short}, so what we hold must change scale",
            "最大值从 {m_old:short} 升到 {m_new:short}，已有累计必须换基准",
        ).on(step),
        why=Told(
            "Everything held was measured against {m_old:short}. Before the tile is added, both the "
            r"[denominator](term:denominator) ℓ and the [accumulator](term:accumulator) u are multiplied by $\alpha "
            "= e^{{{exponent}}} = {a}$. Their quotient does not move; forget either one and the tiles no longer "
            "share a scale.",
            "手中的一切都以 {m_old:short} 为基准。加入本分块之前，[分母](term:denominator) ℓ 和[累加器"
            r"](term:accumulator) u 都要乘以 $\alpha = e^{{{exponent}}} = {a}$。两者之商不变；漏掉任何一个，各分块就"
            "不在同一基准上。",
        ).on(step, exponent=exponent(step.m_old, step.m_new), a=tex(fixed(step.alpha))),
        facts=before_and_after(three(step.before), three(step.after), three(wrong.after) if wrong else None),
        ask=_by_how_much(step) if step.tile == s.first_shrink.tile else None,
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _DID[s.mistake].on(wrong)),
        row=row(s, step.tile, own.after, alpha=own.alpha),
    )


def _by_how_much(step: Shrink) -> Ask | None:
    def guess(value: float, said: Told) -> Guess:
        return Guess(value, said.on(step, exponent=exponent(step.m_old, step.m_new)))

    return asking(
        Told(
            "The maximum rises from {m_old:short} to {m_new:short}. By what number are ℓ and u multiplied?",
            "最大值从 {m_old:short} 升到 {m_new:short}。ℓ 和 u 要乘以多少？",
        ).on(step),
        step.alpha,
        (
            guess(
                1.0,
                Told(
                    "That leaves ℓ and u on the old scale: they were measured against {m_old:short}, the new "
                    "weights against {m_new:short}.",
                    "这样 ℓ 和 u 就留在旧基准上：它们以 {m_old:short} 为基准，新的权重以 {m_new:short} 为基准。",
                ),
            ),
            guess(
                power(step.rise),
                Told(
                    r"That is the new maximum less the old one in the exponent. It is the other way round: $\alpha "
                    "= e^{{{exponent}}}$, never above 1, for what was held can only shrink.",
                    r"这是把“新减旧”放进了指数。应该反过来：$\alpha = e^{{{exponent}}}$，不会大于 1，因为已有的累计"
                    "只会缩小。",
                ),
            ),
            guess(
                -step.rise,
                Told(
                    "That is the difference itself; the factor is e to this power, {alpha}.",
                    "这只是两个最大值之差；以它为 e 的指数才是因子，即 {alpha}。",
                ),
            ),
            guess(
                step.rise,
                Told(
                    "That is how far the maximum rose; the factor is e to minus this power, {alpha}.",
                    "这是最大值上升的幅度；取它的相反数作 e 的指数，才是因子，即 {alpha}。",
                ),
            ),
        ),
    )
