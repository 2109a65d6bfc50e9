"""What each old query may see."""

from __future__ import annotations

from engine.kv_reuse import SameView, Scenario
from engine.prompt_edits import Sight
from lessons.kit.ask import Ask
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.steps.table import compared, counting, row_of

_RULES = {
    Sight.CAUSAL: Told(
        "The [causal mask](term:mask) shows each query itself and what stands before it.",
        "[因果掩码](term:mask)只让每个查询看到自己和前面的。",
    ),
    Sight.WINDOW: Told(
        "The [mask](term:mask) shows each query itself and the {before} before it.",
        "[掩码](term:mask)只让每个查询看到自己和前面 {before} 个。",
    ),
    Sight.PREFIX: Told(
        "The first {prefix} tokens see each other; behind them the [mask](term:mask) is causal.",
        "前 {prefix} 个 token 互相可见；之后的[掩码](term:mask)是因果的。",
    ),
    Sight.BOTH_WAYS: Told("The [mask](term:mask) hides nothing.", "[掩码](term:mask)什么也不屏蔽。"),
}


def same_view(s: Scenario, step: SameView) -> Narration:
    if step.proof.same_view:
        title = Text("Same view", "可见集合相同")
        headline = Told("{Old} may see exactly what they saw before", "{Old} 能看见的与之前完全一样")
        why = _RULES[s.sight] + Told(
            " {new} gets a row of its own, and a column that no old query may look into.",
            "{new} 多出自己的一行，以及一列，但没有哪个旧查询能看那一列。",
        )
    else:
        title = Text("Another view", "可见集合变了")
        headline = Told("{Old} now {n_old|sees|see} {new} as well", "{Old} 现在还能看见 {new}")
        why = Told(
            "The [mask](term:mask) of this model lets {n_seeing} of {n_old} old queries see {new}. What went into "
            "their outputs is no longer what it was.",
            "这个模型的[掩码](term:mask)让 {n_old} 个旧查询中的 {n_seeing} 个看见 {new}。算出它们输出的东西已不同于"
            "之前。",
        )
    return Narration(
        id="layer-0/view",
        title=title,
        headline=headline.on(names(s), step.proof),
        why=why.on(names(s), step.proof, s, before=s.window - 1),
        facts=compared(step, outputs=False),
        ask=_how_many(s, step),
        row=row_of(step),
    )


def _how_many(s: Scenario, step: SameView) -> Ask | None:
    proof = step.proof
    return counting(
        Told(
            "{n_old:old query}: how many may see {new}? A number.", "{n_old} 个旧查询中，有几个能看见 {new}？填一个数。"
        ),
        proof.n_seeing,
        (
            proof.n_old,
            Told(
                "That would be a model in which everyone sees everyone. In this one {n_seeing} of {n_old} do.",
                "那是人人互相可见的模型。在这个模型里，{n_old} 个中有 {n_seeing} 个。",
            ),
        ),
        (
            0,
            Told(
                "That would be a causal model. In this one {n_seeing} of {n_old} do.",
                "那是因果模型。在这个模型里，{n_old} 个中有 {n_seeing} 个。",
            ),
        ),
        (
            1,
            Told(
                "The nearest gets no exception: the mask alone decides, and here {n_seeing} of {n_old} do.",
                "离得最近的也不例外：只由掩码决定，这里 {n_old} 个中有 {n_seeing} 个。",
            ),
        ),
        on=(names(s), proof),
    )
