"""The tile's maximum beside the running one."""

from __future__ import annotations

import math
from enum import Enum

from engine.online_softmax import CompareMax, Scenario
from lessons.kit.claims import Claim, Kind
from lessons.kit.format import short
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import subtrahend
from lessons.online_softmax.steps.table import already, before_and_after, row, three
from lessons.online_softmax.trace import trace


class Case(Enum):
    """What a tile does to the maximum."""

    FIRST = "first"
    RISES = "rises"
    REACHED = "reached"
    LOWER = "lower"
    MASKED = "masked"


def compare(s: Scenario, step: CompareMax, wrong: CompareMax | None) -> Narration:
    case, own = _case(step), wrong or step
    again = any(_case(other) is case for other in trace(s) if isinstance(other, CompareMax) and _earlier(other, step))

    def did(wrong: CompareMax) -> Text:
        if wrong.reference != step.m_new:
            return Text("it subtracts nothing, whatever the maximum is.", "无论最大值是多少，它都什么也不减。")
        return already(step.held, wrong.held)

    return Narration(
        id=f"tile-{step.tile.index + 1}/max",
        title=Text("Compare the maximum", "比较最大值"),
        headline=_headline(step, case).on(step, by=step.m_new - step.m_old, i=step.tile.index + 1),
        why=_why(step, case, again=again).on(step, old=subtrahend(step.m_old)),
        facts=before_and_after(
            three(step.held), three(step.held, step.m_new), three(wrong.held, wrong.reference) if wrong else None
        ),
        wrong=MISTAKES.beside(s, wrong, did),
        row=row(s, step.tile, own.held),
        claims=(Claim(Kind.MORE, step.m_new, step.m_old, 0.0),) if case is Case.RISES else (),
    )


def _case(step: CompareMax) -> Case:
    if step.m_tile == -math.inf:
        return Case.MASKED
    if step.m_old == -math.inf:
        return Case.FIRST
    if step.m_new > step.m_old:
        return Case.RISES
    return Case.LOWER if step.m_tile < step.m_old else Case.REACHED


def _earlier(other: CompareMax, step: CompareMax) -> bool:
    return other.tile.index < step.tile.index


def _headline(step: CompareMax, case: Case) -> Told:
    match case:
        case Case.FIRST:
            return Told("The first maximum is {m_new:short}", "第一个最大值是 {m_new:short}")
        case Case.RISES if short(step.m_new) == short(step.m_old):
            return Told(
                "The maximum rises by {by:short} and still reads {m_new:short}",
                "最大值上升 {by:short}，仍写作 {m_new:short}",
            )
        case Case.RISES:
            return Told(
                "The maximum rises from {m_old:short} to {m_new:short}",
                "最大值从 {m_old:short} 上升到 {m_new:short}",
            )
        case Case.LOWER:
            return Told(
                "The maximum stays {m_new:short}: the largest score of tile {i} is {m_tile:short}",
                "最大值仍是 {m_new:short}：第 {i} 个分块最大的分数是 {m_tile:short}",
            )
        case Case.REACHED:
            return Told(
                "The maximum stays {m_new:short}: tile {i} reaches it but does not exceed it",
                "最大值仍是 {m_new:short}：第 {i} 个分块只达到它，没有超过",
            )
        case Case.MASKED if step.m_old == -math.inf:
            return Told("Tile {i} is masked, so there is no maximum yet", "第 {i} 个分块全被屏蔽，还没有最大值")
        case Case.MASKED:
            return Told(
                "Tile {i} is masked, so the maximum stays {m_new:short}",
                "第 {i} 个分块全被屏蔽，最大值仍是 {m_new:short}",
            )


def _why(step: CompareMax, case: Case, *, again: bool) -> Told:
    match case:
        case Case.FIRST:
            return Told(
                "The largest score of the tile becomes the [maximum](term:maximum) m. The kernel subtracts m from "
                "every score before [exp](term:exp), so no power exceeds $e^0 = 1$ and none can overflow. ℓ and u are "
                "still 0, so nothing needs another scale.",
                "本分块最大的分数成为[最大值](term:maximum) m。取 [exp](term:exp) 之前，内核把每个分数都减去 m，幂不会"
                "超过 $e^0 = 1$，也就不会溢出。ℓ 和 u 还是 0，不必换基准。",
            )
        case Case.RISES if again or short(step.m_new) == short(step.m_old):
            return Told(
                "ℓ and u are still on the scale of {m_old:short}. Both change scale before the tile joins them.",
                "ℓ 和 u 还以 {m_old:short} 为基准，要先换基准，再加入本分块。",
            )
        case Case.RISES:
            return Told(
                "From now on the kernel subtracts {m_new:short}. But ℓ and u are sums of weights that were computed "
                "with {m_old:short} subtracted. They must change to the new scale before the tile joins them.",
                "从现在起内核改减 {m_new:short}。但 ℓ 和 u 里的权重当初减的是 {m_old:short}，必须先换到新基准，才能加"
                "入本分块。",
            )
        case Case.LOWER | Case.REACHED if again:
            return Told("ℓ and u keep their scale.", "ℓ 和 u 的基准不变。")
        case Case.LOWER | Case.REACHED:
            return Told(
                "The weights in ℓ and u were computed with {m_new:short} subtracted, and those of the tile will be "
                "too. So ℓ and u keep their scale.",
                "ℓ 和 u 里的权重当初减的就是 {m_new:short}，本分块也减它。所以 ℓ 和 u 的基准不变。",
            )
        case Case.MASKED if again:
            return Told("Its weights are 0, and ℓ and u do not change.", "它的权重都是 0，ℓ 和 u 不变。")
        case Case.MASKED if step.m_old == -math.inf:
            return Told(
                "A [masked](term:mask) score is −∞ and weighs 0. m is still −∞, and ℓ and u stay 0. A program that "
                "computes −∞ − (−∞) here gets NaN and keeps it to the end, so the kernel sets the weight to 0 itself.",
                "被[屏蔽](term:mask)的分数是 −∞，权重为 0。m 仍是 −∞，ℓ、u 仍为 0。程序若在这里计算 −∞ − (−∞)，会得到 "
                "NaN 并带到最后，所以内核直接把权重置 0。",
            )
        case Case.MASKED:
            return Told(
                "A [masked](term:mask) score is −∞, and $e^{{-\\infty}} = 0$: the tile adds nothing. Since m is "
                "finite, −∞ − {old} is harmless.",
                "被[屏蔽](term:mask)的分数是 −∞，而 $e^{{-\\infty}} = 0$：本分块什么也不加。m 是有限数，所以 −∞ − "
                "{old} 无害。",
            )
