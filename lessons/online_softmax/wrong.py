"""The wrong ways: their names, what each does in a step, and why it may not show."""

from __future__ import annotations

import math

from engine.attention import exp_limit
from engine.online_softmax import AddTile, Check, CompareMax, Divide, Mistake, Scenario, Shrink, Step, WholeTable
from lessons.kit.format import fixed, short, vector
from lessons.kit.text import Text
from lessons.online_softmax.sides import sides
from lessons.online_softmax.steps import trace

MISTAKES: dict[Mistake, Text] = {
    Mistake.NONE: Text("none", "不比较"),
    Mistake.NO_RESCALE: Text("maximum rises, ℓ and u stay", "最大值升了，ℓ、u 都不缩放"),
    Mistake.RESCALE_L_ONLY: Text("only ℓ is rescaled", "只缩放 ℓ"),
    Mistake.RESCALE_U_ONLY: Text("only u is rescaled", "只缩放 u"),
    Mistake.TILE_MAX: Text("weights use the tile’s own maximum", "权重用本分块自己的最大值"),
    Mistake.NO_MAX: Text("no maximum is subtracted", "不减最大值"),
}


def wrong_way(scenario: Scenario, step: Step, wrong: Step) -> Text:
    """What the chosen mistake does in this step."""
    lead = Text(
        f"**✗ Wrong way** ({MISTAKES[scenario.mistake].en}): ", f"**✗ 错误做法**（{MISTAKES[scenario.mistake].zh}）："
    )
    match step, wrong:
        case WholeTable(), _:
            return lead + Text("runs beside the right one in the next steps.", "从下一步起与正确做法并排计算。")
        case Shrink(), Shrink():
            return lead + _wrong_shrink(scenario, wrong)
        case AddTile(), AddTile() if wrong.p != step.p:
            return lead + _wrong_weights(scenario, wrong)
        case Check(), Check():
            return lead + _verdict(scenario, step, wrong)
        case Divide(), Divide():
            return lead + Text(
                f"divides ({vector(wrong.held.u.tolist())}) by {fixed(float(wrong.held.l))}: ({vector(wrong.output)}).",
                f"用（{vector(wrong.held.u.tolist())}）除以 {fixed(float(wrong.held.l))}，得"
                f"（{vector(wrong.output)}）。",
            )
    held, other = sides(step)[1], sides(wrong)[1]
    if held == other:
        return lead + Text("no difference so far.", "到目前为止没有差别。")
    return lead + Text(
        f"holds ℓ = {fixed(float(other.l))}, u = ({vector(other.u.tolist())}).",
        f"手中是 ℓ = {fixed(float(other.l))}，u =（{vector(other.u.tolist())}）。",
    )


def _wrong_shrink(scenario: Scenario, wrong: Shrink) -> Text:
    l, u = fixed(float(wrong.after.l)), vector(wrong.after.u.tolist())
    match scenario.mistake:
        case Mistake.NO_RESCALE:
            return Text(
                f"m becomes {short(wrong.m_new)}, but ℓ = {l} and u = ({u}) stay on the old scale. Two scales are "
                "now mixed in one sum.",
                f"m 改成了 {short(wrong.m_new)}，但 ℓ = {l}、u =（{u}）仍在旧基准上。两种基准从此混在一个和里。",
            )
        case Mistake.RESCALE_L_ONLY:
            return Text(f"ℓ shrinks to {l}; u = ({u}) stays too large.", f"ℓ 缩到 {l}；u =（{u}）没有缩，偏大。")
        case Mistake.RESCALE_U_ONLY:
            return Text(f"u shrinks to ({u}); ℓ = {l} stays too large.", f"u 缩到（{u}）；ℓ = {l} 没有缩，偏大。")
        case Mistake.NO_MAX:
            return Text(
                f"nothing is ever subtracted, so nothing shrinks: ℓ = {l}, u = ({u}), on a scale that only grows.",
                f"从不减最大值，也就不缩小：ℓ = {l}，u =（{u}），数值只会越来越大。",
            )
        case _:
            return Text("shrinks as it should; its slip is in the weights.", "这一步缩放正确；它错在权重上。")


def _wrong_weights(scenario: Scenario, wrong: AddTile) -> Text:
    p = vector(wrong.p[:3]) + (", …" if len(wrong.p) > 3 else "")
    if scenario.mistake is Mistake.NO_MAX:
        return Text(f"p = e^s = {p}, with nothing subtracted.", f"p = e^s = {p}，什么也没减。")
    return Text(
        f"subtracts the tile’s own maximum {short(wrong.reference)} instead of {short(float(wrong.after.m))}: p = "
        f"{p}, too "
        "large beside what is held.",
        f"减的是本分块自己的最大值 {short(wrong.reference)}，而不是 {short(float(wrong.after.m))}：p = {p}，与已有累"
        "计相比偏大。",
    )


def differs(right: Check, wrong: Check) -> bool:
    """Whether a mistake changed the output by more than rounding does."""
    largest = max(1.0, *(abs(x) for x in right.plain))
    return not wrong.error <= 1e-9 * largest  # NaN differs


def _verdict(scenario: Scenario, right: Check, wrong: Check) -> Text:
    if differs(right, wrong):
        if math.isnan(wrong.error):
            return Text(
                f"its output is ({vector(wrong.output)}): exp overflowed to ∞, and ∞ ÷ ∞ is not a number.",
                f"输出是（{vector(wrong.output)}）：exp 溢出成 ∞，而 ∞ ÷ ∞ 不是数。",
            )
        return Text(
            f"its output is ({vector(wrong.output)}), off by {fixed(wrong.error)}. Nothing warned: the numbers look "
            "plausible.",
            f"输出是（{vector(wrong.output)}），偏差 {fixed(wrong.error)}。没有任何报错：这些数看上去很正常。",
        )
    return Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为") + why_invisible(scenario)


def why_invisible(scenario: Scenario) -> Text:
    """Why the chosen mistake makes no difference to the output on these inputs."""
    mistake = scenario.mistake
    steps = list(trace(scenario))
    shrinks = [step for step in steps if isinstance(step, Shrink)]
    lower = [s for s in steps if isinstance(s, CompareMax) and -math.inf < s.m_tile < s.m_new]
    if mistake is Mistake.NO_MAX:
        limit = exp_limit("float64")
        return Text(
            f"no score is above {fixed(limit, 2)}, where exp overflows in float64. In float16 the limit is "
            f"{fixed(exp_limit('float16'), 2)}: "
            "try scores near 10 000.",
            f"没有分数超过 {fixed(limit, 2)}，float64 的 exp 到那里才溢出。float16 的界限只有 "
            f"{fixed(exp_limit('float16'), 2)}："
            "请试试 10 000 附近的分数。",
        )
    if mistake is Mistake.TILE_MAX and not lower:
        return Text(
            "in every tile the tile’s own maximum *is* the running one. A later tile with a lower maximum would show "
            "it.",
            "每个分块自己的最大值恰好就是当前最大值。后面若有一个分块的最大值更低，错误就会显形。",
        )
    if mistake is not Mistake.TILE_MAX and not shrinks:
        if len(scenario.tiles) == 1:
            return Text(
                "all keys sit in one tile: the maximum is known before anything is held, so there is never anything "
                "to rescale.",
                "所有键都在同一个分块里：在有任何累计之前就知道了最大值，根本没有东西要缩放。",
            )
        return Text(
            "the maximum never rises after the first visible tile: every α is 1, and leaving out a factor of 1 "
            "changes nothing. Put a "
            "lower score in an earlier tile, or make the tiles smaller.",
            "在第一个可见的分块之后最大值再也没有上升：每个 α 都是 1，漏乘 1 没有影响。把较低的分数放到前面的分块里，"
            "或把分块改小。",
        )
    if len(set(scenario.values)) == 1:
        return Text(
            "all values are alike: any weights that share one total give the same average.",
            "所有的值都一样：只要分子分母用同一套权重，平均值就不变。",
        )
    return Text(
        "what it gets wrong is multiplied by zero, or too small to see, here.",
        "它弄错的部分在这里恰好乘了零，或小得看不出来。",
    )
