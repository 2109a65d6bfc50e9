"""The output beside softmax over all keys at once."""

from __future__ import annotations

import math

from engine.online_softmax import Check, Scenario
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.claims import alike
from lessons.kit.format import delta, fixed, vector
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.steps.table import row


def check(s: Scenario, step: Check, wrong: Check | None) -> Narration:
    if step.error == 0:
        headline = Text(
            "The output is the same as softmax at once, here to the last bit",
            "输出与一次算完的 softmax 相同，这里连最后一位也一致",
        )
        why = Text(
            "Both ways happen to give the same floating-point numbers here. Other inputs need not: tiles sum in "
            "another order, and each sum is [rounded](term:rounding). So compare with a [tolerance](term:tolerance), "
            "never bit for bit.",
            "这里两种算法碰巧给出同样的浮点数。换一组输入就未必：分块的求和次序不同，而每次求和都要[舍入"
            "](term:rounding)。所以要用[容差](term:tolerance)比较，绝不逐位比较。",
        )
    else:
        headline = Told(
            "The output is the same as softmax at once, but for a rounding error of {error}",
            "输出与一次算完的 softmax 相同，只有 {error} 的舍入误差",
        ).on(step)
        why = Text(
            "On paper both ways are equal: no key was dropped or approximated. In floating point each sum is "
            "[rounded](term:rounding), and tiles sum in another order. So compare with a [tolerance](term:tolerance), "
            "never bit for bit.",
            "在纸面上两种算法相等：没有丢弃或近似任何一个键。浮点求和每一步都要[舍入](term:rounding)，而分块的次序不"
            "同。所以要用[容差](term:tolerance)比较，绝不逐位比较。",
        )
    own = wrong or step
    return Narration(
        id="check",
        title=Text("Check", "核对"),
        headline=headline,
        why=why,
        facts=_facts(step, wrong),
        ask=_how_alike(),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: verdict(s, wrong)),
        row=row(s, None, own.held),
        claims=tuple(alike(x, y) for x, y in zip(step.output, step.plain, strict=True)),
    )


def _facts(step: Check, wrong: Check | None) -> Facts:
    head, changed = ("", "o"), frozenset({2})
    lines = (
        (Text("tile by tile", "分块累计"), vector(step.output)),
        (Text("softmax at once", "一次算完"), vector(step.plain)),
        (Text("largest difference", "最大差的绝对值"), delta(step.error)),
    )
    if wrong is None:
        return Facts(head, lines, changed)
    others = ((Text("wrong way", "错误做法"), vector(wrong.output)), (Text("off by", "偏差"), delta(wrong.error)))
    return Facts(head, (*lines, *others), changed, frozenset({3, 4} if wrong.differs else ()))


def verdict(s: Scenario, wrong: Check) -> Text:
    """What came of the mistake, and whether anything gives it away."""
    if not wrong.differs:
        return MISTAKES.invisible(s)
    if not all(map(math.isfinite, wrong.output)):
        return _overflowed(s, wrong)
    if wrong.held.l == 0:
        return Told(
            "its output is ({output:vector}), off by {error}: every $e^s$ is so small that float64 writes it as 0, "
            "and ℓ is 0.",
            "输出是（{output:vector}），偏差 {error}：每个 $e^s$ 都小到 float64 只能写成 0，于是 ℓ 为 0。",
        ).on(wrong)
    given = Told("its output is ({output:vector}), off by {error}. ", "输出是（{output:vector}），偏差 {error}。").on(
        wrong
    )
    return given + _plausible(s, wrong)


def _overflowed(s: Scenario, wrong: Check) -> Text:
    """Where ∞ came from: a power, their sum, or the sum of the values times them."""
    given = Told("its output is ({output:vector}): ", "输出是（{output:vector}）：").on(wrong)
    if math.isfinite(wrong.held.l):
        return given + Text(
            "ℓ is finite, but the sum u overflows to ∞.",
            "ℓ 是有限数，但和 u 溢出成 ∞。",
        )
    if _some_power_overflows(s):
        return given + Text(
            "$e^s$ overflows to ∞, and ∞ ÷ ∞ is not a number.",
            "$e^s$ 溢出成 ∞，而 ∞ ÷ ∞ 不是数。",
        )
    return given + Text(
        "each $e^s$ is finite, but their sum ℓ overflows to ∞.",
        "每个 $e^s$ 都是有限数，但它们的和 ℓ 溢出成 ∞。",
    )


def _some_power_overflows(s: Scenario) -> bool:
    try:
        math.exp(max(s.scores))
    except OverflowError:
        return True
    return False


def _plausible(s: Scenario, wrong: Check) -> Text:
    """Whether the values' range gives the output away: an average of values never leaves it."""
    visible = [value for value, score in zip(s.values, s.scores, strict=True) if score > -math.inf]
    for given, column in zip(wrong.output, zip(*visible, strict=True), strict=True):
        low, high = min(column), max(column)
        slack = 1e-9 * max(1.0, abs(low), abs(high))
        if given > high + slack:
            return Told(
                "{given} lies above every value (at most {end:short}), and a weighted average cannot: such a check "
                "finds the mistake.",
                "{given} 高于所有的值（最大 {end:short}），而加权平均不可能这样：这样检查就能发现错误。",
            ).on(given=fixed(given), end=high)
        if given < low - slack:
            return Told(
                "{given} lies below every value (at least {end:short}), and a weighted average cannot: such a check "
                "finds the mistake.",
                "{given} 低于所有的值（最小 {end:short}），而加权平均不可能这样：这样检查就能发现错误。",
            ).on(given=fixed(given), end=low)
    return Text(
        "Nothing warns: the output lies within the range of the values, as an average should.",
        "没有任何报错：输出就在这些值的范围之内，看上去像个平均值。",
    )


def _how_alike() -> Ask | None:
    return asking(
        Text(
            "Now softmax over all keys at once, in the same precision. How must its output compare with this one?",
            "现在以同样的精度一次算完整个 softmax。它的输出与这里相比必定怎样？",
        ),
        2.0,
        (
            Guess(
                1.0,
                Text(
                    "They are equal on paper, but each sum is rounded, and tiles sum in another order: the last bits "
                    "may differ.",
                    "在纸面上相等，但每次求和都要舍入，分块的次序又不同：末几位可能不同。",
                ),
            ),
            Guess(
                3.0,
                Text(
                    "Nothing is dropped or approximated: each key counts with the weight that softmax gives it.",
                    "没有丢弃或近似任何一项：每个键的权重正是 softmax 给它的权重。",
                ),
            ),
        ),
        options=(
            Text("the same to the last bit", "连最后一位也相同"),
            Text("the same up to rounding error", "相同，只差舍入误差"),
            Text("close, as an approximation is", "接近，像近似算法那样"),
        ),
    )
