"""The output beside softmax over all keys at once."""

from __future__ import annotations

import math

from engine.online_softmax import Check, Scenario
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import fixed, vector
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.steps.table import row


def check(s: Scenario, step: Check, wrong: Check | None) -> Narration:
    if step.error == 0:
        headline = Told(
            "The same output as softmax at once, here to the last bit",
            "与一次算完的 softmax 相同，这里连最后一位也一致",
        )
        why = Text(
            "Tile by tile and at once give the same floating-point numbers here. That is these numbers’ luck: sums "
            "rounded in another order may part in the last bit, so compare with a tolerance.",
            "这组数字上分块与一次算完得到同样的浮点数。这只是碰巧：求和次序不同，末位可能不同，所以要用容差比较。",
        )
    else:
        headline = Told(
            "The same output as softmax at once, to within {error}", "与一次算完的 softmax 相同，相差不超过 {error}"
        )
        why = Text(
            "Mathematically the two are equal. In [floating point](term:rounding) each sum is rounded as it goes, "
            "and tiles sum in another order, so the last bits may differ: *exact* means nothing was dropped or "
            "approximated, not bit-identical.",
            "数学上二者相等。[浮点](term:rounding)求和每一步都要舍入，分块又换了次序，所以末几位可能不同：“精确”是"
            "指没有丢弃或近似任何一项，并不是逐位相同。",
        )
    own = wrong or step
    return Narration(
        id="check",
        title=Text("Check", "核对"),
        headline=headline.on(step),
        why=why,
        facts=_facts(step, wrong),
        ask=_how_alike(),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _verdict(s, wrong)),
        row=row(s, None, own.held),
    )


def _facts(step: Check, wrong: Check | None) -> Facts:
    head, changed = ("", "o"), frozenset({2})
    lines = (
        (Text("tile by tile", "分块累计"), vector(step.output)),
        (Text("softmax at once", "一次算完"), vector(step.plain)),
        (Text("largest |difference|", "最大差"), _error(step)),
    )
    if wrong is None:
        return Facts(head, lines, changed)
    others = ((Text("wrong way", "错误做法"), vector(wrong.output)), (Text("off by", "偏差"), _error(wrong)))
    return Facts(head, (*lines, *others), changed, frozenset({3, 4} if wrong.differs else ()))


def _error(step: Check) -> str:
    return fixed(step.error) if step.error else "0"


def _verdict(s: Scenario, wrong: Check) -> Text:
    if not wrong.differs:
        return MISTAKES.invisible(s)
    if math.isnan(wrong.error):
        return Told(
            "its output is ({output:vector}): exp overflowed to ∞, and ∞ ÷ ∞ is not a number.",
            "输出是（{output:vector}）：exp 溢出成 ∞，而 ∞ ÷ ∞ 不是数。",
        ).on(wrong)
    return Told(
        "its output is ({output:vector}), off by {error}. Nothing warned: the numbers look plausible.",
        "输出是（{output:vector}），偏差 {error}。没有任何报错：这些数看上去很正常。",
    ).on(wrong)


def _how_alike() -> Ask | None:
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
