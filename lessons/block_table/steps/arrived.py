"""A second request takes blocks wherever the pool has room."""

from __future__ import annotations

from engine.paged import blocks_for
from engine.paged_lookup import FIRST, SECOND, Arrived
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
            "The {n:token} of request B {n|goes|go} into physical {count|block|blocks} {blocks}",
            "请求 B 的 {n} 个 token 放进物理块 {blocks}",
        ).on(n=length, count=len(blocks), blocks=series(blocks))
        why = _apart(step) + Told(
            "Nothing is reserved for tokens that B may never have: in its last block {spare:slot} {spare|is|are} "
            "empty.",
            "没有为 B 也许永远不会有的 token 预留：它的末块只空着 {spare} 个槽位。",
        ).on(spare=spare)
    else:
        headline = Text("Request B has no tokens yet and takes no block", "请求 B 还没有 token，不占块")
        why = Text(
            "A request takes a block only when it has something to write, so an empty request holds no memory.",
            "请求有东西要写时才占块，所以空请求不占内存。",
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
                (Text("slots empty in its blocks", "块里空着的槽位"), "0", str(spare)),
                (Text("free blocks", "空闲块数"), str(free + len(blocks)), str(free)),
            ],
            None
            if wrong is None
            else [str(length), bracketed(wrong.allocated), str(spare), str(len(wrong.memory.free))],
        ),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _others(step, wrong)),
        row=row(own, taken=own.allocated),
    )


def _apart(step: Arrived) -> Text:
    """B's table, and whether its blocks lie among A's in this pool."""
    a, b = step.memory.table(FIRST).blocks, step.allocated
    among = tuple(block for block in b if min(a) < block < max(a))
    own = Told(
        "B has its own block table, {table}, and takes blocks from the same pool. ",
        "B 有自己的块表 {table}，从同一个池里取块。",
    ).on(table=bracketed(b))
    if among:
        return own + Told(
            "{n|Block|Blocks} {among} {n|lies|lie} between blocks of A, which does no harm: each request finds its own "
            "through its own table. ",
            "块 {among} 夹在 A 的块之间，这没有妨碍：各请求凭自己的块表找自己的块。",
        ).on(n=len(among), among=series(among))
    return own + Text("Each request finds its own blocks through its own table. ", "各请求凭自己的块表找自己的块。")


def _others(step: Arrived, wrong: Arrived) -> Text | None:
    if wrong.allocated == step.allocated:
        return None
    return Told(
        "A has taken {missing:block} too few, so B gets {blocks} instead of {right}. B itself is stored correctly.",
        "A 少占了 {missing} 块，于是 B 分到的是 {blocks}，而不是 {right}。B 本身存得没错。",
    ).on(
        missing=len(step.memory.table(FIRST).blocks) - len(wrong.memory.table(FIRST).blocks),
        blocks=series(wrong.allocated),
        right=series(step.allocated),
    )
