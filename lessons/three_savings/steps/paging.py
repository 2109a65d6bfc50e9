"""Paging is turned on over the cache: blocks on demand instead of room set aside."""

from __future__ import annotations

from engine.three_savings import Scenario, Turn
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import count
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import turned
from lessons.three_savings.steps.table import BLOCKS, KV, PASS, UNUSED, VECTORS, facts, made_true, row


def paging(s: Scenario, step: Turn, wrong: Turn | None) -> Narration:
    return Narration(
        id="paging",
        title=Text("Paging on", "打开分页"),
        headline=Told(
            "Paging: what is resident {turned} bytes; work and traffic stay", "分页：驻留{turned} 字节；其他两本账不动"
        ).on(turned=turned("resident", step.before, step.now)),
        why=Told(
            "Turned on over the cache, because alone it has nothing to page: with no cache it leaves "
            "{alone.resident.total} bytes resident, as all off does. Blocks are taken when a position needs one, "
            "instead of room for {max_len} at the start. At the end {n_kept} positions lie in {n_blocks} "
            "[{n_blocks|block|blocks}](term:block) of {block_size}; unused bytes {before.at_end.unused} → "
            "{now.at_end.unused}. The price: a [block table](term:block-table) of {now.at_end.block_table} bytes, "
            "looked up {now.lookups} times.",
            "这里是在缓存之上打开，因为单独打开没有东西可分页：没有缓存时驻留 {alone.resident.total} 字节，与全关一"
            "样。位置需要时才取内存块，而不是一开始就留出 {max_len} 个位置。最后 {n_kept} 个位置放在 {n_blocks} 个["
            "内存块](term:block)里，每块 {block_size} 个；未用的字节 {before.at_end.unused} → {now.at_end.unused}。"
            "代价：一张 {now.at_end.block_table} 字节的[块表](term:block-table)，共查 {now.lookups} 次。",
        ).on(s, alone=step.alone.ledgers, before=step.before.ledgers, now=step.now.ledgers),
        facts=facts((KV, UNUSED, BLOCKS, VECTORS, PASS), step.before, step.now, wrong.now if wrong else None),
        ask=_unused(s, step),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: made_true(s, step.now, wrong.now)),
        row=row((wrong or step).now),
    )


def _unused(s: Scenario, step: Turn) -> Ask | None:
    before, now = step.before.ledgers.at_end.unused, step.now.ledgers.at_end.unused
    tail = now // s.row_bytes
    why = Told(
        "The last block has {tail:empty slot} of {row_bytes} bytes.", "末块有 {tail} 个空槽位，每个 {row_bytes} 字节。"
    ).on(s, tail=tail)

    def guess(value: int, said: Text) -> Guess:
        return Guess(float(value), said + why)

    return asking(
        Told(
            "With the cache {n_kept} positions of {row_bytes} bytes are kept at the end, and {before} bytes set "
            "aside are unused. How many are unused with blocks of {block_size:position} instead?",
            "打开缓存，最后留下 {n_kept} 个位置，每个 {row_bytes} 字节；预留而未用 {before} 字节。改用每块 "
            "{block_size} 个位置的内存块，未用的是多少字节？",
        ).on(s, before=before),
        float(now),
        (
            guess(0, Text("Blocks come whole. ", "内存块是整块取的。")),
            guess(before, Text("Blocks are taken only when a position needs one. ", "位置需要时才取内存块。")),
            guess(
                s.row_bytes * (s.n_kept % s.block_size),
                Text("Those are the bytes in use in the last block. ", "这是末块里在用的字节。"),
            ),
            guess(tail, Text("Those are positions. ", "这是位置数。")),
        ),
        relative=0,
        absolute=0,
        shown=count(now),
    )
