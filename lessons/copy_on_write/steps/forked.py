"""A's tokens, and B forked from A: both tables name the same blocks."""

from __future__ import annotations

from engine.copy_on_write import Alone, Shared
from engine.paged import blocks_for
from engine.shared_blocks import Scenario, Step
from lessons.copy_on_write.steps.table import beside, counts, row, whole
from lessons.kit.ask import Ask, Guess
from lessons.kit.lesson import Narration
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text
from lessons.kit.told import Told


def alone(s: Scenario, step: Step, event: Alone, wrong: Alone | None) -> Narration:
    n_blocks = blocks_for(s.n_tokens, s.block_size)
    spare = n_blocks * s.block_size - s.n_tokens
    why = Told(
        "Each [block](term:block) has {block_size} [slots](term:slot); each block has a [reference "
        "count](term:ref-count), the number of tables that name it. The row of cells is what A reads, in order; "
        "under it stands A’s [block table](term:block-table). ",
        "每[块](term:block)有 {block_size} 个[槽位](term:slot)；每块有一个[引用计数](term:ref-count)，即引用它的块"
        "表数。那一行格子是 A 按顺序读到的内容，下面是 A 的[块表](term:block-table)。",
    )
    if spare:
        why += Told(
            "The last block has {spare:slot} left: it will be written to again.",
            "最后一块还空 {spare} 个槽位：以后还要往里写。",
        )
    else:
        why += Text("The last block is full.", "最后一块是满的。")
    return Narration(
        id="alone",
        title=Text("A alone", "只有 A"),
        headline=Told(
            "A has {n_tokens:token} in {n_blocks:block}", "A 有 {n_tokens} 个 token，放在 {n_blocks} 块里"
        ).on(s, n_blocks=n_blocks),
        why=why.on(s, spare=spare),
        facts=counts(step, wrong),
        wrong=beside(s, event, wrong),
        row=row(wrong or event),
    )


def shared(s: Scenario, step: Step, event: Shared, wrong: Shared | None) -> Narration:
    table, counted = event.memory.table("B"), event.memory.ref_counts
    why = Told(
        "A [fork](term:fork) copies the table, {n:number}, and not one K or V. Both tables read {table}; each "
        "reference count has gone up by 1: {refs}. ",
        "[分叉](term:fork)只复制块表（{n} 个数），不复制任何 K、V。两张块表都是 {table}；每个引用计数都加了 1："
        "{refs}。",
    )
    if s.n_tokens % s.block_size:
        why += Told(
            "Block {last} is shared too, although it is not full. That will matter as soon as somebody writes.",
            "块 {last} 没有装满，也被共享了。一旦有人要写，这就成了问题。",
        )
    else:
        why += Text(
            "All of them are full: nobody will ever write into them again.", "它们都是满的：再也不会有人往里写。"
        )
    return Narration(
        id="fork",
        title=Text("B is forked", "分叉出 B"),
        headline=Told(
            "B starts from A’s {length:token}, and nothing is copied",
            "B 从 A 的 {length} 个 token 接着生成，什么也没复制",
        ).on(table),
        why=why.on(
            n=len(table.blocks),
            table=bracketed(table.blocks),
            refs=", ".join(str(counted[block]) for block in table.blocks),
            last=table.blocks[-1],
        ),
        facts=counts(step, wrong),
        ask=_how_many(step),
        wrong=beside(s, event, wrong),
        row=row(wrong or event),
    )


def _how_many(step: Step) -> Ask | None:
    n = len(step.before.table("A").blocks)
    return whole(
        Told(
            "A has {n:block}. B is forked from A. How many blocks are in use then?",
            "A 占用 {n} 块。B 从 A 分叉。这时一共占用多少块？",
        ).on(n=n),
        sum(refs > 0 for refs in step.memory.ref_counts),
        (
            Guess(
                2.0 * n,
                Told(
                    "That copies every block. A fork copies the table only: both tables name the same {n}.",
                    "这把每一块都复制了。分叉只复制块表：两张表引用同样的 {n} 块。",
                ).on(n=n),
            ),
            Guess(
                n + 1.0,
                Text(
                    "That opens a block for B at once. B has nothing to write yet.",
                    "这马上就给 B 开了一块。B 还没有东西要写。",
                ),
            ),
        ),
    )
