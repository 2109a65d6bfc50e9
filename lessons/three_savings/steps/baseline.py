"""All off: every pass runs the whole text."""

from __future__ import annotations

from engine.three_savings import HEADS, Baseline, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.steps.table import HEAD, OFF_HERE, PASS, ROWS, TABLES, VECTORS, facts, row


def baseline(s: Scenario, step: Baseline, wrong: Baseline | None) -> Narration:
    if s.n_new > 1:
        passes = Told("Each of {n_new:pass} ", "共 {n_new} 遍，每遍都")
    else:
        passes = Told("The only pass ", "只有一遍，")
    return Narration(
        id="off",
        title=Text("All off", "全关"),
        headline=Told(
            "All off: {pairs} pairs, {moved} bytes moved, {resident.total} bytes resident",
            "全关：{pairs} 个配对，搬运 {moved} 字节，驻留 {resident.total} 字节",
        ).on(step.now.ledgers),
        why=(
            passes
            + Told(
                "runs the whole text so far: {rows:row} a layer, and in each of {all_heads} heads {per_head.pairs} "
                "query·key pairs. Each head writes its two tables, scores and weights, to [slow memory](term:hbm) "
                "and reads them back: {moved_tables} of the bytes moved. Nothing is kept between passes; at the "
                "fullest moment there are K and V of the running layer for {n_kept} positions, and one head’s "
                "tables.",
                "处理到目前为止的全部文本：每层 {rows} 行，{all_heads} 个头各算 {per_head.pairs} 个查询·键配对。每"
                "个头把分数和权重两张表写进[慢速显存](term:hbm)再读回来：占搬运字节中的 {moved_tables}。各遍之间什"
                "么也不留；最满时只有当前层 {n_kept} 个位置的 K、V，以及一个头的两张表。",
            )
        ).on(s, step.now.ledgers, all_heads=HEADS),
        facts=facts((ROWS, HEAD, VECTORS, TABLES, PASS), None, step.now, wrong.now if wrong else None),
        wrong=MISTAKES.beside(s, wrong, lambda _: OFF_HERE),
        row=row((wrong or step).now),
    )
