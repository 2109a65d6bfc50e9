"""The wrong ways that this lesson runs."""

from __future__ import annotations

import math

from engine.attention import exp_limit
from engine.online_softmax import CompareMax, Mistake, Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.trace import trace


def _nothing_to_rescale(s: Scenario) -> Text:
    if max(s.scores) == -math.inf or s.n_shrinks:
        return _nothing_to_see(s)
    if s.n_tiles == 1:
        return Text(
            "all keys stand in one tile. Its maximum is known before anything is added, so there is never anything to "
            "rescale.",
            "所有键都在同一个分块里。相加之前就知道最大值，根本没有东西要缩放。",
        )
    return Text(
        "the maximum never rises after the first visible tile: every α is 1. Put a lower score into an earlier tile, "
        "or make the tiles smaller.",
        "在第一个可见的分块之后，最大值再也没有上升：每个 α 都是 1。请把较低的分数放到前面的分块里，或把分块改小。",
    )


def _no_lower_tile(s: Scenario) -> Text:
    if any(isinstance(step, CompareMax) and step.is_lower for step in trace(s)):
        return _nothing_to_see(s)
    if max(s.scores) == -math.inf:
        return _nothing_to_see(s)
    return Text(
        "the own maximum of every visible tile is the running one. A later tile with a lower maximum would show the "
        "mistake.",
        "每个可见分块自己的最大值恰好就是当前最大值。后面若有一个分块的最大值更低，错误就会显形。",
    )


def _no_overflow(s: Scenario) -> Text:
    if max(s.scores) == -math.inf or not any(map(any, s.values)):
        return _nothing_to_see(s)
    return Told(
        "the factor $e^m$ cancels in u ÷ ℓ as long as nothing overflows. In float64 exp overflows above "
        "{double:fixed2}, in float16 above {half:fixed2}: try scores near 10 000.",
        "只要不溢出，因子 $e^m$ 就会在 u ÷ ℓ 中约掉。float64 的 exp 在 {double:fixed2} 以上溢出，float16 在 "
        "{half:fixed2} 以上：请试试 10 000 附近的分数。",
    ).on(double=exp_limit("float64"), half=exp_limit("float16"))


def _nothing_to_see(s: Scenario) -> Text:
    if max(s.scores) == -math.inf:
        return Text("every key is masked and weighs 0 either way.", "所有键都被屏蔽，怎样算权重都是 0。")
    if not any(map(any, s.values)):
        return Text(
            "every value is 0, so the output is too, whatever the weights.",
            "所有的值都是 0，所以无论权重如何，输出都一样。",
        )
    if len(set(s.values)) == 1 and s.mistake in (Mistake.NO_RESCALE, Mistake.TILE_MAX):
        return Text(
            "all values are alike. Whatever the weights are, the average is that value, since ℓ and u share them.",
            "所有的值都一样。ℓ 和 u 用的是同一套权重，无论权重是多少，平均值都是这个值。",
        )
    return Text(
        "the part that it gets wrong is 0, or too small to show.",
        "它弄错的部分在这里恰好是 0，或小得看不出来。",
    )


MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.NO_RESCALE: Wrong(
            title=Text("ℓ and u are not rescaled", "ℓ 和 u 都没有缩放"),
            said=Text(
                "the maximum rose, but ℓ and u kept the old scale. Then weights on two scales are added up.",
                "最大值上升了，ℓ 和 u 却留在旧基准上，于是两种基准上的权重被加在一起。",
            ),
            invisible=_nothing_to_rescale,
        ),
        Mistake.RESCALE_L_ONLY: Wrong(
            title=Text("only ℓ is rescaled", "只缩放 ℓ"),
            said=Text(
                "ℓ was multiplied by α, but u was not: the values of earlier keys count too much.",
                "ℓ 乘了 α，u 没有乘：先读到的键，值算得太重。",
            ),
            invisible=_nothing_to_rescale,
        ),
        Mistake.RESCALE_U_ONLY: Wrong(
            title=Text("only u is rescaled", "只缩放 u"),
            said=Text(
                "u was multiplied by α, but ℓ was not: the divisor is too large.",
                "u 乘了 α，ℓ 没有乘：除数偏大。",
            ),
            invisible=_nothing_to_rescale,
        ),
        Mistake.TILE_MAX: Wrong(
            title=Text("weights use the tile’s own maximum", "权重用本分块自己的最大值"),
            said=Text(
                "the weights of a later tile were measured against its own maximum. All keys need one reference, the "
                "running maximum.",
                "后面的分块用了自己的最大值作基准。所有的键要共用一个基准，即当前最大值。",
            ),
            invisible=_no_lower_tile,
        ),
        Mistake.NO_MAX: Wrong(
            title=Text("no maximum is subtracted", "不减最大值"),
            said=Text(
                "nothing was subtracted before exp. The output survives this, since the factor $e^m$ cancels in u ÷ ℓ, "
                "until exp overflows; but ℓ and u by themselves are not on the scale of m.",
                "取 exp 之前什么也没减。因子 $e^m$ 在 u ÷ ℓ 中会约掉，所以溢出之前输出不受影响；但 ℓ 和 u 本身不在 m "
                "的基准上。",
            ),
            invisible=_no_overflow,
        ),
    },
    unseen=Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为"),
)
