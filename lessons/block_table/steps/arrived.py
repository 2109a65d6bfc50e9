"""A second request takes blocks wherever the pool has room."""

from __future__ import annotations

from engine.paged import blocks_for
from engine.paged_lookup import SECOND, Arrived
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import before_and_after, row
from lessons.kit.lesson import Narration
from lessons.kit.phrases import bracketed, series
from lessons.kit.text import Text
from lessons.kit.told import Told


def arrived(s: Scenario, step: Arrived, wrong: Arrived | None) -> Narration:
    length, blocks, free = step.memory.table(SECOND).length, step.allocated, len(step.memory.free)
    spare = blocks_for(length, s.block_size) * s.block_size - length
    if blocks:
        headline = Told(
            "The {n:token} of request B go into {count|block|blocks} {blocks}", "请求 B 的 {n} 个 token 放进块 {blocks}"
        ).on(n=length, count=len(blocks), blocks=series(blocks))
        why = Told(
            "B’s [block table](term:block-table) is {table}. Its blocks need not touch or keep any order, and may "
            "lie between A’s: two tables, one [pool](term:block-pool). Nothing was reserved for tokens that B may "
            "never have.",
            "B 的[块表](term:block-table)是 {table}。这些块不必相邻，不必有序，还可以夹在 A 的块之间：两张表，一个["
            "内存块池](term:block-pool)。没有为 B 也许永远不会有的 token 预留任何东西。",
        ).on(table=bracketed(blocks))
    else:
        headline = Text("Request B has no tokens yet and takes no block", "请求 B 还没有 token，不占块")
        why = Text(
            "A block is taken only when there is something to write. An empty request costs nothing here.",
            "只有要写东西时才占块。空请求在这里不花任何内存。",
        )
    own = wrong or step
    return Narration(
        id="arrive",
        title=Text("Request B", "请求 B"),
        headline=headline,
        why=why,
        facts=before_and_after(
            [
                (Text("tokens of B", "B 的 token 数"), "0", str(length)),
                (Text("block table of B", "B 的块表"), "[]", bracketed(blocks)),
                (Text("slots left in its blocks", "块里还空的槽位"), "0", str(spare)),
                (Text("free blocks", "空闲块数"), str(free + len(blocks)), str(free)),
            ],
            None
            if wrong is None
            else [str(length), bracketed(wrong.allocated), str(spare), str(len(wrong.memory.free))],
        ),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(own, taken=own.allocated),
    )
