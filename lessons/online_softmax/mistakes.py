"""The wrong ways that this lesson runs."""

from __future__ import annotations

from engine.attention import exp_limit
from engine.online_softmax import CompareMax, Mistake, Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.trace import trace


def _nothing_to_rescale(s: Scenario) -> Text:
    if s.n_shrinks:
        return _nothing_to_see(s)
    if s.n_tiles == 1:
        return Text(
            "all keys sit in one tile: the maximum is known before anything is held, so there is never anything to "
            "rescale.",
            "所有键都在同一个分块里：在有任何累计之前就知道了最大值，根本没有东西要缩放。",
        )
    return Text(
        "the maximum never rises after the first visible tile: every α is 1, and leaving out a factor of 1 changes "
        "nothing. Put a lower score in an earlier tile, or make the tiles smaller.",
        "在第一个可见的分块之后最大值再也没有上升：每个 α 都是 1，漏乘 1 没有影响。把较低的分数放到前面的分块里，或"
        "把分块改小。",
    )


def _no_lower_tile(s: Scenario) -> Text:
    if any(isinstance(step, CompareMax) and step.is_lower for step in trace(s)):
        return _nothing_to_see(s)
    return Text(
        "in every tile the tile’s own maximum *is* the running one. A later tile with a lower maximum would show it.",
        "每个分块自己的最大值恰好就是当前最大值。后面若有一个分块的最大值更低，错误就会显形。",
    )


def _nothing_to_see(s: Scenario) -> Text:
    if len(set(s.values)) == 1:
        return Text(
            "all values are alike: any weights that share one total give the same average.",
            "所有的值都一样：只要分子分母用同一套权重，平均值就不变。",
        )
    return Text(
        "what it gets wrong is multiplied by zero, or too small to see, here.",
        "它弄错的部分在这里恰好乘了零，或小得看不出来。",
    )


MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.NO_RESCALE: Wrong(
            title=Text("maximum rises, ℓ and u stay", "最大值升了，ℓ、u 都不缩放"),
            said=Text(
                "the maximum rose, but ℓ and u stayed on the old scale, so keys on two scales were added.",
                "最大值上升了，ℓ 和 u 却留在旧基准上，两种基准上的键被加在了一起。",
            ),
            invisible=_nothing_to_rescale,
        ),
        Mistake.RESCALE_L_ONLY: Wrong(
            title=Text("only ℓ is rescaled", "只缩放 ℓ"),
            said=Text(
                "ℓ was multiplied by α, u was not: the early values count too much.",
                "ℓ 乘了 α，u 没有乘：先读到的值被算得太重。",
            ),
            invisible=_nothing_to_rescale,
        ),
        Mistake.RESCALE_U_ONLY: Wrong(
            title=Text("only u is rescaled", "只缩放 u"),
            said=Text(
                "u was multiplied by α, ℓ was not: everything is divided by too much.",
                "u 乘了 α，ℓ 没有乘：除数偏大。",
            ),
            invisible=_nothing_to_rescale,
        ),
        Mistake.TILE_MAX: Wrong(
            title=Text("weights use the tile’s own maximum", "权重用本分块自己的最大值"),
            said=Text(
                "the weights of a later tile were measured against that tile’s own maximum, not the running one.",
                "后面的分块用了自己的最大值作基准，而不是当前最大值。",
            ),
            invisible=_no_lower_tile,
        ),
        Mistake.NO_MAX: Wrong(
            title=Text("no maximum is subtracted", "不减最大值"),
            said=Text(
                "that is Σ e^s with nothing subtracted. The quotient would survive it, until exp overflows.",
                "这是什么也不减的 Σ e^s。做商时它会约掉，但 exp 迟早溢出。",
            ),
            invisible=Told(
                "no score is above {double:fixed2}, where exp overflows in float64. In float16 the limit is "
                "{half:fixed2}: try scores near 10 000.",
                "没有分数超过 {double:fixed2}，float64 的 exp 到那里才溢出。float16 的界限只有 {half:fixed2}：请试"
                "试 10 000 附近的分数。",
            ).on(double=exp_limit("float64"), half=exp_limit("float16")),
        ),
    },
    unseen=Text("**invisible on these inputs**, because ", "**在这组输入上看不出来**，因为"),
)
