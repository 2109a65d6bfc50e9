"""The maximum rose: what is held goes to the new scale before the tile is added."""

from __future__ import annotations

from engine.online_softmax import Mistake, Scenario, Shrink
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import fixed, short, tex
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import exponent, power_of
from lessons.online_softmax.steps.table import before_and_after, power, row, three

_DID = {
    Mistake.NO_RESCALE: Told(
        "m becomes {m_new:short}, but ℓ = {after.l} and u = ({after.u:vector}) keep the old scale.",
        "m 改成了 {m_new:short}，但 ℓ = {after.l}、u =（{after.u:vector}）仍在旧基准上。",
    ),
    Mistake.RESCALE_L_ONLY: Told(
        "ℓ is rescaled to {after.l}, but u = ({after.u:vector}) keeps the old scale.",
        "ℓ 缩放为 {after.l}，但 u =（{after.u:vector}）仍在旧基准上。",
    ),
    Mistake.RESCALE_U_ONLY: Told(
        "u is rescaled to ({after.u:vector}), but ℓ = {after.l} keeps the old scale.",
        "u 缩放为（{after.u:vector}），但 ℓ = {after.l} 仍在旧基准上。",
    ),
    Mistake.TILE_MAX: Told(
        "it rescales as it should, but what it holds is wrong already: ℓ = {after.l}, u = ({after.u:vector}).",
        "它缩放得对，但保存的数已经错了：ℓ = {after.l}，u =（{after.u:vector}）。",
    ),
    Mistake.NO_MAX: Told(
        "nothing is ever subtracted, so nothing is rescaled: ℓ = {after.l}, u = ({after.u:vector}).",
        "从不减最大值，也就不缩放：ℓ = {after.l}，u =（{after.u:vector}）。",
    ),
}
_FIRST = Told(
    r"The weights in the [denominator](term:denominator) ℓ and the [accumulator](term:accumulator) u were {old}; "
    r"those of the tile will be {new}. One [factor](term:alpha) leads from the old scale to the new one: $\alpha = "
    r"e^{{{exponent}}} = {a}$. The kernel multiplies both sums by it, so u ÷ ℓ stays what it was.",
    r"[分母](term:denominator) ℓ 和[累加器](term:accumulator) u 里的权重是 {old}，本分块的权重将是 {new}。从旧基准到新"
    r"基准只差一个[因子](term:alpha)：$\alpha = e^{{{exponent}}} = {a}$。内核把两个和都乘上它，所以 u ÷ ℓ 不变。",
)
_AGAIN = Told(
    r"The old weights are {old}, the new ones {new}: $\alpha = e^{{{exponent}}} = {a}$.",
    r"旧权重是 {old}，新权重是 {new}：$\alpha = e^{{{exponent}}} = {a}$。",
)
_HARDLY = Told(
    r"The two maxima are only {rise:short} apart: $\alpha = e^{{{exponent}}} = {a}$.",
    r"两个最大值只差 {rise:short}：$\alpha = e^{{{exponent}}} = {a}$。",
)
_NOTHING_LEFT = Told(
    " In float64 this is too small to tell from 0: the keys read before no longer count.",
    "float64 中它小到只能写成 0：此前读过的键不再起作用。",
)


def shrink(s: Scenario, step: Shrink, wrong: Shrink | None) -> Narration:
    own = wrong or step
    first = step.tile == s.first_shrink.tile
    hardly = short(step.m_old) == short(step.m_new)
    why = _HARDLY if hardly else _FIRST if first and step.alpha > 0 else _AGAIN
    return Narration(
        id=f"tile-{step.tile.index + 1}/shrink",
        title=Text("Rescale ℓ and u", "缩放 ℓ 和 u"),
        headline=Told(
            "ℓ and u are multiplied by α = {alpha} to match the new maximum {m_new:short}",
            "ℓ 和 u 都乘以 α = {alpha}，换到新的最大值 {m_new:short}",
        ).on(step),
        why=(why if step.alpha > 0 else why + _NOTHING_LEFT).on(
            step,
            old=power_of("s", step.m_old),
            new=power_of("s", step.m_new),
            exponent=tex(short(-step.rise)) if hardly else exponent(step.m_old, step.m_new),
            a=tex(fixed(step.alpha)),
        ),
        facts=before_and_after(three(step.before), three(step.after), three(wrong.after) if wrong else None),
        ask=_by_how_much(s, step) if first else None,
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _DID[s.mistake].on(wrong) if wrong.after != step.after else None),
        row=row(s, step.tile, own.after, alpha=own.alpha),
    )


def _by_how_much(s: Scenario, step: Shrink) -> Ask | None:
    def guess(value: float, said: Told) -> Guess:
        return Guess(value, said.on(step, exponent=exponent(step.m_old, step.m_new)))

    return asking(
        Told(
            "The maximum rises from {m_old:short} to {m_new:short}. By what number must ℓ and u be multiplied?",
            "最大值从 {m_old:short} 升到 {m_new:short}。ℓ 和 u 要乘以多少？",
        ).on(step),
        step.alpha,
        (
            MISTAKES.guess(Mistake.NO_RESCALE, 1.0, s),
            guess(
                power(step.rise),
                Told(
                    r"That puts new minus old into the exponent. Old minus new is right: $\alpha = e^{{{exponent}}}$, "
                    "which is below 1.",
                    r"这是把“新减旧”放进了指数。应是旧减新：$\alpha = e^{{{exponent}}}$，小于 1。",
                ),
            ),
            guess(
                -step.rise,
                Told(
                    "That is old minus new itself. The factor is e to this power: {alpha}.",
                    "这只是旧减新之差。以它为指数的 e 的幂才是因子：{alpha}。",
                ),
            ),
            guess(
                step.rise,
                Told(
                    "That is how far the maximum rose. The factor is e to minus this number: {alpha}.",
                    "这是最大值上升的幅度。取它的相反数作 e 的指数才是因子：{alpha}。",
                ),
            ),
        ),
    )
