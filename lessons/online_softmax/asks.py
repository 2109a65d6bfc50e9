"""What the lesson asks before it shows: the factor at the first rise, a weight below the maximum, what exact means."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.online_softmax import AddTile, Check, CompareMax, Mistake, Scenario, Shrink, Step, Tile
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import fixed, short, tex
from lessons.kit.text import Text, literal
from lessons.online_softmax.steps import trace


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most. Always about the right way."""
    match step:
        case Shrink() if step.tile == _first_rise(scenario).tile:
            return _factor(scenario, step)
        case AddTile() if step.tile == _first_lower(scenario):
            return _weight(scenario, step.tile)
        case Check():
            return _exact()
    return None


def _factor(scenario: Scenario, step: Shrink) -> Ask | None:
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
                    f"That leaves ℓ and u on the old scale: they were measured against {old}, the new weights "
                    f"against {new}.",
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
                    f"这只是两个最大值之差；以它为 e 的指数才是因子，即 {a}。",
                ),
            ),
            Guess(
                step.m_new - step.m_old,
                Text(
                    f"That is how far the maximum rose; the factor is e to minus this power, {a}.",
                    f"这是最大值上升的幅度；取它的相反数作 e 的指数，才是因子，即 {a}。",
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


def _first_lower(scenario: Scenario) -> Tile | None:
    """The first tile of one key below the running maximum."""
    steps = (step for step in trace(scenario) if isinstance(step, CompareMax))
    return next((s.tile for s in steps if len(s.tile.keys) == 1 and -math.inf < s.m_tile < s.m_old), None)


def _weight(scenario: Scenario, tile: Tile) -> Ask | None:
    [key] = tile.keys
    m = next(step.m_new for step in trace(scenario) if isinstance(step, CompareMax) and step.tile == tile)
    s, name = scenario.scores[key], literal(scenario.labels[key])
    score, top = short(s), short(m)
    return asking(
        Text(
            f"{name} has the score {score}, the maximum so far is {top}. By how much does ℓ grow?",
            f"{name} 的分数是 {score}，目前的最大值是 {top}。ℓ 增加多少？",
        ),
        math.exp(s - m),
        (
            Guess(
                1.0,
                Text(
                    f"That measures the key against its own score. All keys share one reference, the maximum {top}.",
                    f"这是以它自己的分数为基准。所有键共用一个基准，即最大值 {top}。",
                ),
            ),
            Guess(
                _power(s),
                Text(
                    f"That is e to the score itself. The maximum {top} is subtracted first.",
                    f"这是直接对分数取 e 的幂。要先减去最大值 {top}。",
                ),
            ),
            Guess(
                _power(m - s),
                Text(
                    f"That is the maximum less the score in the exponent, which is above 1. A key below {top} weighs "
                    "less than 1.",
                    f"这是把“最大值减分数”放进了指数，大于 1。低于 {top} 的键权重小于 1。",
                ),
            ),
            Guess(
                s - m,
                Text(
                    "That is the difference itself; the weight is e to this power.",
                    "这只是两者之差；以它为 e 的指数才是权重。",
                ),
            ),
        ),
    )


def _exact() -> Ask | None:
    return asking(
        Text(
            "Now softmax over all keys at once, in the same precision. How must its output compare?",
            "现在以同样的精度一次算完整个 softmax。它的输出与这里相比必定怎样？",
        ),
        2.0,
        (
            Guess(
                1.0,
                Text(
                    "Equal on paper, but every sum is rounded as it goes, and tiles sum in another order: the last "
                    "bits may differ.",
                    "在纸面上相等，但每一步求和都要舍入，分块又换了次序：末几位可能不同。",
                ),
            ),
            Guess(
                3.0,
                Text(
                    "Nothing was dropped or approximated: each key counts with the weight that softmax gives it.",
                    "没有丢弃或近似任何一项：每个键的权重正是 softmax 给它的权重。",
                ),
            ),
        ),
        options=(
            Text("the same to the last bit", "连最后一位也相同"),
            Text("the same up to rounding", "相同，只差舍入"),
            Text("close, as an approximation is", "接近，像近似算法那样"),
        ),
    )
