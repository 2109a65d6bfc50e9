"""What was saved, in which ledger, at what price."""

from __future__ import annotations

from engine.online_softmax import Check, Scenario
from lessons.kit.claims import less
from lessons.kit.format import size
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.head import KEPT, LENGTH, TILE, tables, vectors
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.steps.table import row
from lessons.online_softmax.trace import Saved, trace


def saved(s: Scenario, step: Saved, wrong: Saved | None) -> Narration:
    plain, tiled = step.plain, step.tiled
    [output] = (check for check in trace(s) if isinstance(check, Check))
    if output.differs:
        did = Text(
            "it moves just as little, so the count of bytes does not show that its output is wrong.",
            "它搬运得一样少，所以字节数看不出输出错了。",
        )
    else:
        did = Text("it moves just as little.", "它搬运得一样少。")
    return Narration(
        id="saved",
        title=Text("What was saved", "省了什么"),
        headline=Told(
            "FlashAttention saves bytes moved: {tiled} instead of {plain} per head",
            "FlashAttention 只搬 {tiled}，不是 {plain}",
        ).on(tiled=size(tiled.total, 4), plain=size(plain.total, 4)),
        why=Told(
            "**Moved** ({t:token}): {tables:size} of scores and weights never leave the chip. **Resident**: no table; "
            "{kept:number} per query instead of {t}. **Work**: every pair is scored, as before. **Price**: each tile "
            "of {tile} queries reads K and V again, {again} in all, and each rise of the maximum rescales ℓ and u.",
            "**搬运**（{t} 个 token）：{tables:size} 的分数和权重不离开片上。**驻留**：不存表，每个查询 {kept} 个数，"
            "而不是 {t} 个。**计算**：配对照样全算。**代价**：每 {tile} 个查询的分块都要重读 K、V，共 {again}；最大值"
            "每上升一次，就要缩放 ℓ 和 u。",
        ).on(t=LENGTH, tables=tables(plain), kept=KEPT, tile=TILE, again=size(vectors(tiled), 4)),
        wrong=MISTAKES.beside(s, wrong, lambda _: did),
        row=row(s, None, None),
        claims=(less(tiled.total, plain.total), less(tables(tiled), tables(plain)), less(KEPT, LENGTH)),
    )
