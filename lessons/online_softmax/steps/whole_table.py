"""The plain way: all scores are kept until the softmax is done."""

from __future__ import annotations

from engine.attention import score_table_bytes
from engine.online_softmax import Scenario, WholeTable
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.scene.whole_table import LENGTH
from lessons.online_softmax.steps.table import row


def whole_table(s: Scenario, step: WholeTable, wrong: WholeTable | None) -> Narration:
    runs = Text("runs beside the right one in the next steps.", "从下一步起与正确做法并排计算。")
    return Narration(
        id="table",
        title=Text("The whole table", "整张分数表"),
        headline=Text(
            "The plain way keeps every score until the softmax is done", "普通写法要把所有分数留到 softmax 算完"
        ),
        why=Told(
            "For {t} tokens every head of every layer has {t} × {t} = {scores} scores: {bytes:size} in float16. "
            "Written to [slow memory](term:hbm), read for the [softmax](term:softmax), written again as weights, "
            "read again for the sum. The trick is to need none of it twice. Follow one row: one query, {n:key}, "
            "read [tile](term:tile) by tile.",
            "{t} 个 token 时，每层每个头都有 {t} × {t} = {scores} 个分数：float16 下就是 {bytes:size}。先写入[慢速"
            "显存](term:hbm)，再读出来做 [softmax](term:softmax)，写回权重，加权求和时又读一遍。窍门是让每个分数只"
            "用一次。下面跟踪其中一行：一个查询、{n} 个键，按[分块](term:tile)读取。",
        ).on(t=LENGTH, scores=LENGTH**2, bytes=score_table_bytes(LENGTH, LENGTH, itemsize=2), n=len(s.scores)),
        wrong=MISTAKES.beside(s, wrong, lambda _: runs),
        row=row(s, None, None),
    )
