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
    why = Told(
        "[Paging](term:paged-attention) cuts memory into equal blocks, and a [pool](term:block-pool) hands them out "
        "one at a time. A’s [block table](term:block-table) lists them in the order of its tokens: [logical "
        "block](term:logical-block) 0 is [physical block](term:physical-block) {first} of the pool. ",
        "[分页](term:paged-attention)把内存切成同样大小的块，由[内存块池](term:block-pool)一块一块发放。A 的[块表"
        "](term:block-table)按 token 的次序列出这些块：[逻辑块](term:logical-block) 0 就是池中的[物理块"
        "](term:physical-block) {first}。",
    )
    if fill == size:
        room = Text("The last block is full.", "末块是满的。")
    else:
        room = Told("In the last block {left:slot} {left|is|are} empty.", "末块空着 {left} 个槽位。").on(
            left=size - fill
        )
    return Narration(
        id="tokens",
        title=Text("Tokens in blocks", "token 装进块"),
        headline=Told(
            "Paging puts A’s {n:token} into {blocks:block} of {size:slot}",
            "分页：A 的 {n} 个 token 放进 {blocks} 个块，每块 {size} 个槽位",
        ).on(n=table.length, blocks=len(table.blocks), size=size),
        why=(why + room).on(first=table.blocks[0]),
        facts=Facts(
            ("", Text("now", "现在")),
            (
                (Text("tokens of A", "A 的 token 数"), str(table.length)),
                (Text("block table", "块表"), bracketed(table.blocks)),
                (Text("tokens in the last block", "末块里的 token 数"), str(fill)),
                (Text("slots empty in it", "末块空着的槽位"), str(size - fill)),
            ),
        ),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(wrong or step),
    )
