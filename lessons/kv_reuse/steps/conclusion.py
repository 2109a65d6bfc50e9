"""All layers are compared: which k and v may stay."""

from __future__ import annotations

from engine.kv_reuse import Conclusion, Scenario
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.steps.table import COMPUTED, KEPT, row_of_all


def conclusion(s: Scenario, step: Conclusion) -> Narration:
    if step.proof.holds_everywhere:
        headline = Told("In every layer the k and v of {old} stay as they are", "在每一层，{old} 的 k 和 v 都保持不变")
        why = Told(
            "Same inputs and same visible set ⇒ same outputs ⇒ same k and v one layer up; and so on to the top. It "
            "took fixed weights, fixed positions and a mask that never shows an old query anything new. So only the "
            "new token needs work, and it needs only its own q.",
            "输入相同、可见集合相同 ⇒ 输出相同 ⇒ 上一层的 k、v 相同；如此直到顶层。前提是权重固定、位置固定，并且掩"
            "码从不让旧查询看到新东西。所以只有新 token 需要计算，而它只需要自己的 q。",
        )
    else:
        headline = Told(
            "In this model appending {new} changes old k and v", "在这个模型里，追加 {new} 会改变旧的 k 和 v"
        )
        why = Told(
            "The step “same visible set” fails, and with it the rest: only {n_holding} of {n_layers} layers "
            "{n_holding|keeps its|keep their} k and v. The next steps use the old cache all the same, to show what it "
            "costs.",
            "“可见集合相同”这一步不成立，后面也就不成立：{n_layers} 层里只有 {n_holding} 层的 k、v 不变。接下来的步"
            "骤仍用旧缓存，看看代价有多大。",
        )
    layers, kept = str(s.n_layers), str(step.proof.n_holding * step.proof.n_old)
    return Narration(
        id="therefore",
        title=Text("Therefore", "结论"),
        headline=headline.on(names(s)),
        why=why.on(step.proof, s),
        facts=Facts(
            (Text("all layers", "所有层"), COMPUTED, KEPT),
            (
                (Text("rows of k", "k 的行数"), layers, kept),
                (Text("rows of v", "v 的行数"), layers, kept),
                (Text("rows of q", "q 的行数"), layers, Text("not needed", "用不着")),
            ),
            frozenset({0, 1}),
        ),
        row=row_of_all(step.proof),
    )
