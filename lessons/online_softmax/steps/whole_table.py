"""The problem: the plain way carries tables of scores and weights out to slow memory and back."""

from __future__ import annotations

from engine.online_softmax import Scenario, WholeTable
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.head import LENGTH, PLAIN, tables
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.steps.table import row


def whole_table(s: Scenario, step: WholeTable, wrong: WholeTable | None) -> Narration:
    runs = Text("it starts with the first tile.", "从第一个分块开始。")
    return Narration(
        id="table",
        title=Text("The problem", "问题"),
        headline=Told(
            "For {t:token} the plain way moves {moved:size} of scores and weights per head",
            "{t} 个 token 时，普通写法每个头要搬运 {moved:size} 的分数和权重",
        ).on(t=LENGTH, moved=tables(PLAIN)),
        why=Told(
            "[Attention](term:attention) scores every query against every key. The plain way writes this table to "
            "[slow memory](term:hbm), reads it back for the [softmax](term:softmax), and does the same with the "
            "weights. [FlashAttention](term:flash-attention) moves neither table. The next steps follow the filled "
            "row: one query and {n:key}.",
            "[注意力](term:attention)要算每个查询与每个键的分数。普通写法把这张表写入[慢速显存](term:hbm)，再读回来做 "
            "[softmax](term:softmax)，权重表也一样。[FlashAttention](term:flash-attention) 两张表都不搬。下面跟踪实心的"
            "那一行：一个查询、{n} 个键。",
        ).on(n=len(s.scores)),
        wrong=MISTAKES.beside(s, wrong, lambda _: runs),
        row=row(s, None, None),
    )
