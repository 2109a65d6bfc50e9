"""A's tokens lie in A's blocks."""

from __future__ import annotations

from engine.paged import last_block_fill
from engine.paged_lookup import FIRST, Filled
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import row
from lessons.kit.lesson import Facts, Narration
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text
from lessons.kit.told import Told


def filled(s: Scenario, step: Filled, wrong: Filled | None) -> Narration:
    table, size = step.memory.table(FIRST), s.block_size
    fill = last_block_fill(table.length, size)
    if fill < size:
        room = Told(
            "The last block holds {fill}; {left} of its slots wait.", "最后一块放了 {fill} 个，还空 {left} 个槽位。"
        )
    else:
        room = Told("The last block is full: {fill} of {size}.", "最后一块是满的：{fill} / {size}。")
    why = Told(
        "The model counts positions 0 to {last}. Memory is a [pool](term:block-pool) of equal blocks of {size} "
        "[slots](term:slot), and neighbours there mean nothing. The [block table](term:block-table) {blocks} keeps the "
        "order: one entry per logical block. ",
        "模型按位置 0 到 {last} 计数。内存是一个[内存块池](term:block-pool)，每块 {size} 个[槽位](term:slot)，相邻"
        "与否没有意义。顺序记在[块表](term:block-table) {blocks} 里：每个逻辑块一项。",
    )
    blocks = bracketed(table.blocks)
    return Narration(
        id="tokens",
        title=Text("Tokens in blocks", "token 装进块"),
        headline=Told(
            "A’s {n:token} lie in {blocks:block}, wherever the pool had room",
            "A 的 {n} 个 token 放在 {blocks} 个块里，池中哪里有空就放哪里",
        ).on(n=table.length, blocks=len(table.blocks)),
        why=(why + room).on(last=table.length - 1, size=size, blocks=blocks, fill=fill, left=size - fill),
        facts=Facts(
            ("", Text("now", "现在")),
            (
                (Text("tokens of A", "A 的 token 数"), str(table.length)),
                (Text("block table", "块表"), blocks),
                (Text("tokens in the last block", "末块里的 token 数"), str(fill)),
                (Text("slots left in it", "末块还空的槽位"), str(size - fill)),
            ),
        ),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(wrong or step),
    )
