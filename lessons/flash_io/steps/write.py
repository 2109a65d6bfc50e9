"""What goes out."""

from __future__ import annotations

import numpy as np

from engine.flash_io import Scenario, Write
from lessons.flash_io.mistakes import MISTAKES
from lessons.flash_io.naming import span, spelled
from lessons.flash_io.steps.table import crossed, row
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def write(s: Scenario, step: Write, wrong: Write | None) -> Narration:
    n = len(step.rows)
    names = ("o", "m", "l") if s.keys_outside else ("o", "lse")
    if s.keys_outside:
        headline = Told(
            "O, m and ℓ of queries {rows} go back to HBM after this tile: {size:B}",
            "算完这一块，查询 {rows} 的 O、m、ℓ 写回 HBM：{size:B}",
        ).on(rows=spelled(step.rows), size=n * (s.d + 2) * s.itemsize)
        why = Text(
            "The next queries need the place on the chip. For every tile of keys that is still to come, these rows "
            "will be read and written once more.",
            "片上的位置要让给下一批查询。后面每来一个键分块，这些行都要再读一次、再写一次。",
        )
    else:
        headline = Told(
            "O of queries {rows} goes out once, with a log-sum-exp per row: {size:B}",
            "查询 {rows} 的 O 写出一次，每行附一个 log-sum-exp：{size:B}",
        ).on(rows=spelled(step.rows), size=n * (s.d + 1) * s.itemsize)
        why = Text(
            "The chip divides, o = u / ℓ, and drops m, ℓ and u. The [log-sum-exp](term:lse) m + ln ℓ is kept "
            "because the backward pass can rebuild every weight from it. No score and no weight has been written.",
            "片上做除法 o = u / ℓ，然后丢弃 m、ℓ、u。保留 [log-sum-exp](term:lse) m + ln ℓ，是因为反向传播能由它重"
            "建每个权重。没有写出任何分数或权重。",
        )
        if any(i < s.n_blind for i in step.rows):
            why += Text(
                " A query that sees no key has ℓ = 0: its output is set to 0, never divided.",
                "看不到任何键的查询 ℓ = 0：它的输出直接置 0，不做除法。",
            )

    def did(wrong: Write) -> Text | None:
        if np.allclose(wrong.o, step.o, rtol=1e-9, atol=1e-9):
            return None
        return Told(
            "o of query {i} is ({o:vector}) instead of ({right:vector}).",
            "查询 {i} 的 o 是（{o:vector}），应当是（{right:vector}）。",
        ).on(i=step.rows[at], o=wrong.o[at], right=step.o[at])

    at = 0 if wrong is None else int(np.abs(wrong.o - step.o).max(axis=1).argmax())
    return Narration(
        id=f"o{step.rows.start}" + (f"k{step.now.n_done}" if s.keys_outside else ""),
        title=Told("Write O {rows}", "写 O {rows}").on(rows=span(step.rows)),
        headline=headline,
        why=why,
        facts=crossed(step.now.moved, names, wrong.now.moved if wrong else None),
        wrong=MISTAKES.beside(s, wrong, did),
        row=row((wrong or step).now.moved, (wrong or step).now.n_pairs),
    )
