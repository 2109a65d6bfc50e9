"""A is done; its blocks can be handed out again."""

from __future__ import annotations

from engine.paged_lookup import SECOND, Freed
from engine.paged_memory import Memory
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import before_and_after, row
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Narration
from lessons.kit.phrases import series
from lessons.kit.text import Text
from lessons.kit.told import Told


def freed(s: Scenario, step: Freed, wrong: Freed | None) -> Narration:
    free, released = len(step.memory.free), len(step.blocks)
    own = wrong or step
    return Narration(
        id="free",
        title=Text("Release A", "释放 A"),
        headline=Told("A is done: {n|block|blocks} {blocks} {n|is|are} free again", "A 结束：块 {blocks} 又空闲了").on(
            n=released, blocks=series(step.blocks)
        ),
        why=Told(
            "Nobody names {n|it|them} any more, so {n|it queues|they queue} up behind the other free blocks: {free} of "
            "{total} in all; {others}. Nothing is erased: what still lies there is stale, and no table leads to it.",
            "没有表再指向这些块，它们排到其他空闲块后面：{total} 块中共有 {free} 块空闲；{others}。内容并没有擦除："
            "里面是作废的旧数据，只是再没有表通向它。",
        ).on(n=released, free=free, total=len(step.memory.ref_counts), others=of_others(step.memory)),
        facts=before_and_after(
            [
                (Text("slots A holds", "A 占的槽位数"), str(step.memory.block_size * released), "0"),
                (Text("free blocks", "空闲块数"), str(free - released), str(free)),
                (Text("reference count", "引用计数"), "1", "0"),
            ],
            None if wrong is None else ["0", str(len(wrong.memory.free)), "0"],
        ),
        ask=_how_many(step),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(own, freed=own.blocks),
    )


def held_by_second(memory: Memory) -> int:
    """B's blocks."""
    return sum(len(table.blocks) for table in memory.tables if table.name == SECOND)


def held_by_others(memory: Memory) -> int:
    """Blocks in use that neither A nor B holds."""
    named = {block for table in memory.tables for block in table.blocks}
    return sum(refs > 0 for block, refs in enumerate(memory.ref_counts) if block not in named)


def of_others(memory: Memory) -> Text:
    """Whose the blocks are that are neither A's nor free: `B holds 2, and the other 10 belong to other requests`."""
    b, n = held_by_second(memory), held_by_others(memory)
    if not n:
        return Told("B holds {b}, and nobody else holds any", "B 占 {b} 块，此外没有别的请求").on(b=b)
    return Told(
        "B holds {b}, and the other {n} {n|belongs|belong} to other requests", "B 占 {b} 块，另外 {n} 块属于别的请求"
    ).on(b=b, n=n)


def _how_many(step: Freed) -> Ask | None:
    n, total, released = len(step.memory.free), len(step.memory.ref_counts), len(step.blocks)
    before, others = n - released, held_by_others(step.memory)
    named = {"before": before, "total": total, "released": released, "others": others, "taken": of_others(step.memory)}

    def guess(value: float, said: Told) -> Guess:
        return Guess(value, said.on(**named))

    return asking(
        Told(
            "A ends and gives back its {released:block}. Of the pool’s {total} blocks {before} {before|was|were} "
            "free before that; {taken}. How many are free now?",
            "A 结束，归还它的 {released} 块。池中 {total} 块里，归还之前有 {before} 块空闲；{taken}。现在有多少块空"
            "闲？",
        ).on(**named),
        float(n),
        (
            guess(
                before,
                Told(
                    "So many were free before; A’s {released} are added at once.",
                    "这是归还之前的空闲块数；A 的 {released} 块马上加进来。",
                ),
            ),
            guess(
                total,
                Told(
                    "That is the whole pool, but not all of it is free: {taken}.",
                    "这是整个池，可并不是都空着：{taken}。",
                ),
            ),
            guess(
                total - held_by_second(step.memory),
                Told(
                    "That counts every block that is not B’s, also the {others} of other requests.",
                    "这是把不属于 B 的块全数上了，连别的请求的 {others} 块也算了进去。",
                ),
            ),
            guess(
                released,
                Told(
                    "Those are A’s own. {before} {before|was|were} free already.",
                    "这只是 A 自己的块。之前已有 {before} 块空闲。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=str(n),
    )
