"""What the lesson asks before it shows: the factor, at the first rise of the maximum."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.online_softmax import Mistake, Scenario, Shrink, Step, trace
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import fixed, short, tex
from lessons.kit.text import Text


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most."""
    if not isinstance(step, Shrink) or step.tile != _first_rise(scenario).tile:
        return None
    old, new, a = short(step.m_old), short(step.m_new), fixed(step.alpha)
    power = rf"$\alpha = e^{{{tex(old)} - {tex(new) if step.m_new >= 0 else f'({tex(new)})'}}}$"
    return asking(
        Text(
            f"The maximum rises from {old} to {new}. By what number are ℓ and u multiplied?",
            f"最大值从 {old} 升到 {new}。ℓ 和 u 要乘以多少？",
        ),
        step.alpha,
        (
            Guess(
                _first_rise(replace(scenario, mistake=Mistake.NO_RESCALE)).alpha_l,
                Text(
                    f"That leaves ℓ and u on the old scale: they were measured against {old}, the new weights against {new}.",
                    f"这样 ℓ 和 u 就留在旧基准上：它们以 {old} 为基准，新的权重以 {new} 为基准。",
                ),
            ),
            Guess(
                _power(step.m_new - step.m_old),
                Text(
                    f"That is the new maximum less the old one in the exponent. It is the other way round: {power}, "
                    "never above 1, for what was held can only shrink.",
                    f"这是把“新减旧”放进了指数。应该反过来：{power}，不会大于 1，因为已有的累计只会缩小。",
                ),
            ),
            Guess(
                step.m_old - step.m_new,
                Text(
                    f"That is the difference itself; the factor is e to this power, {a}.",
                    f"这只是两个最大值之差；因子是 e 的这个次方，即 {a}。",
                ),
            ),
            Guess(
                step.m_new - step.m_old,
                Text(
                    f"That is how far the maximum rose; the factor is e to minus this power, {a}.",
                    f"这是最大值上升的幅度；因子是 e 的负这个次方，即 {a}。",
                ),
            ),
        ),
    )


def _first_rise(scenario: Scenario) -> Shrink:
    return next(step for step in trace(scenario) if isinstance(step, Shrink))


def _power(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
