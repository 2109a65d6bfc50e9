"""The new token arrives; nothing has been compared yet."""

from __future__ import annotations

from engine.kv_reuse import Appended, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.told import Told
from lessons.kv_reuse.naming import names
from lessons.kv_reuse.steps.table import row_of_all


def appended(s: Scenario, step: Appended) -> Narration:
    return Narration(
        id="append",
        title=Told("Append {new}", "追加 {new}").on(names(s)),
        headline=Told(
            "{new} arrives. Does anything computed for {old} change?", "{new} 来了。为 {old} 算过的东西会变吗？"
        ).on(names(s)),
        why=Told(
            "The model runs twice: over {n_old:token}, and over {n_new}. From layer 0 on, each cell of the two runs is "
            "compared: |Δ| is the largest difference of its numbers. Nothing is assumed.",
            "模型运行两遍：一遍 {n_old} 个 token，一遍 {n_new} 个。从第 0 层起逐层比较两遍的每一格：|Δ| 是格内各数"
            "差的最大值。不预设任何结论。",
        ).on(step.proof, n_new=step.proof.n_old + 1),
        row=row_of_all(step.proof),
    )
