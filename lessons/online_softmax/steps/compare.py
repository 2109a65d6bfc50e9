"""The tile's maximum beside the running one."""

from __future__ import annotations

import math

from engine.online_softmax import CompareMax, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import subtrahend
from lessons.online_softmax.steps.table import before_and_after, holds, row, three


def compare(s: Scenario, step: CompareMax, wrong: CompareMax | None) -> Narration:
    headline, why = _said(step)
    own = wrong or step
    return Narration(
        id=f"tile-{step.tile.index + 1}/max",
        title=Text("Compare the maximum", "比较最大值"),
        headline=headline.on(step),
        why=why.on(step, old=subtrahend(step.m_old), new=subtrahend(step.m_new)),
        facts=before_and_after(three(step.held), _after(step), _after(wrong) if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: holds(step.held, wrong.held)),
        row=row(s, step.tile, own.held),
    )


def _after(step: CompareMax) -> tuple[str, ...]:
    """The maximum to come is known; ℓ and u still have the old scale."""
    return three(step.held, step.reference)


def _said(step: CompareMax) -> tuple[Told, Told]:
    """What happened, and why."""
    if step.m_tile == -math.inf:
        return (
            Told("Every key of this tile is masked, so the maximum cannot rise", "本分块的键全被屏蔽，最大值不会上升"),
            _MASKED_FIRST if step.m_old == -math.inf else _MASKED_LATER,
        )
    if step.m_old == -math.inf:
        return (
            Told("The first maximum is {m_new:short}", "第一个最大值是 {m_new:short}"),
            Told(
                "{m_new:short} will be subtracted from every score before [exp](term:exp), so no power can "
                "overflow. Nothing is held yet, so nothing needs a new scale.",
                "取 [exp](term:exp) 之前，每个分数都先减去 {m_new:short}，指数就不会溢出。手中还没有累计，所以不必"
                "换基准。",
            ),
        )
    if step.m_new > step.m_old:
        return (
            Told("The maximum rises from {m_old:short} to {m_new:short}", "最大值从 {m_old:short} 升到 {m_new:short}"),
            Told(
                "The tile’s largest score is {m_tile:short}, above {m_old:short}. From now on {m_new:short} is "
                "subtracted; what we hold was measured against {m_old:short} and must change scale before anything "
                "is added.",
                "本分块最大的分数是 {m_tile:short}，高于 {m_old:short}。从现在起改减 {m_new:short}；手中的累计仍以 "
                "{m_old:short} 为基准，必须先换基准才能相加。",
            ),
        )
    return (
        Told("The maximum stays {m_new:short}", "最大值仍是 {m_new:short}"),
        Told(
            "The tile’s largest score is {m_tile:short}, not above {m_old:short}. What we hold already has the "
            "right scale: α = e^({m_old:short} − {new}) = 1, and nothing shrinks.",
            "本分块最大的分数是 {m_tile:short}，没有超过 {m_old:short}。手中的累计基准不变：α = e^({m_old:short} − "
            "{new}) = 1，不需要缩小。",
        ),
    )


_MASKED_FIRST = Told(
    "A [masked](term:mask) score is −∞ and weighs 0. The maximum is still −∞, and ℓ and u stay 0. Code that "
    "computes −∞ − (−∞) here gets NaN and never loses it.",
    "被[屏蔽](term:mask)的分数是 −∞，权重为 0。最大值仍是 −∞，ℓ、u 仍为 0。若代码在这里计算 −∞ − (−∞)，就会得到 "
    "NaN，并且再也摆脱不掉。",
)
_MASKED_LATER = Told(
    "A [masked](term:mask) score is −∞, and e^(−∞ − {old}) = 0. The maximum, ℓ and u stay as they are. A finite "
    "maximum makes this harmless; in a masked first tile −∞ − (−∞) would be NaN.",
    "被[屏蔽](term:mask)的分数是 −∞，而 e^(−∞ − {old}) = 0。最大值、ℓ、u 都保持不变。最大值有限，所以无害；若第一个"
    "分块全被屏蔽，−∞ − (−∞) 就成了 NaN。",
)
