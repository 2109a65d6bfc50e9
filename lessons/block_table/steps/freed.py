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
        headline=Told(
            "A is done and returns physical {n|block|blocks} {blocks} to the pool", "A 结束，把物理块 {blocks} 归还给池"
        ).on(n=released, blocks=series(step.blocks)),
        why=Told(
            "The [reference count](term:ref-count) of a block says how many tables name it. It falls from 1 to 0, so "
            "the pool can hand out A’s {released:block} again, after those that were free before. Of {total} blocks "
            "{free} {free|is|are} free; {others}. Nothing is erased, but no table leads to the old K and V.",
            "块的[引用计数](term:ref-count)是指向它的块表数。它从 1 降到 0，池就能再发放 A 的 {released} 块，排在原来"
            "的空闲块之后。{total} 块中空闲 {free} 块；{others}。内容没有擦除，但没有块表再指向旧的 K、V。",
        ).on(released=released, free=free, total=len(step.memory.ref_counts), others=of_others(step.memory)),
        facts=before_and_after(
            [
                (Text("slots A holds", "A 占的槽位数"), str(step.memory.block_size * released), "0"),
                (Text("free blocks", "空闲块数"), str(free - released), str(free)),
                (Text("reference count", "引用计数"), "1", "0"),
            ],
            None if wrong is None else ["0", str(len(wrong.memory.free)), "0"],
        ),
        ask=_how_many(step),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _fewer(step, wrong)),
        row=row(own, freed=own.blocks),
    )


def _fewer(step: Freed, wrong: Freed) -> Text | None:
    if wrong.blocks == step.blocks:
        return None
    return Told(
        "A gives back {n:block} instead of {right}: it never took the others, and what it wrote over is lost.",
        "A 只归还 {n} 块，而不是 {right} 块：另外的它从未占用，被盖掉的内容已经丢了。",
    ).on(n=len(wrong.blocks), right=len(step.blocks))


def held_by_second(memory: Memory) -> int:
    """B's blocks."""
    return sum(len(table.blocks) for table in memory.tables if table.name == SECOND)


def held_by_others(memory: Memory) -> int:
    """Blocks in use that neither A nor B holds."""
    named = {block for table in memory.tables for block in table.blocks}
    return sum(refs > 0 for block, refs in enumerate(memory.ref_counts) if block not in named)


def of_others(memory: Memory) -> Text:
    """Whose the blocks are that are neither A's nor free: `B holds 2, other requests hold 10`."""
    return Told("B holds {b}, other requests hold {n}", "B 占 {b} 块，别的请求占 {n} 块").on(
        b=held_by_second(memory), n=held_by_others(memory)
    )


def _how_many(step: Freed) -> Ask | None:
    n, total, released = len(step.memory.free), len(step.memory.ref_counts), len(step.blocks)
    before, others = n - released, held_by_others(step.memory)
    named = {"before": before, "total": total, "released": released, "others": others, "taken": of_others(step.memory)}

    def guess(value: float, said: Told) -> Guess:
        return Guess(value, said.on(**named))

    return asking(
        Told(
            "A is done and gives back its {released:block}. Of the pool’s {total:block}, {before} {before|was|were} "
            "free before; {taken}. How many are free now?",
            "A 结束，归还它的 {released} 块。池中 {total} 块里，之前有 {before} 块空闲；{taken}。现在有多少块空闲？",
        ).on(**named),
        float(n),
        (
            guess(
                before,
                Told(
                    "That is how many were free before. The {released} of A can be handed out at once, too.",
                    "这是归还之前的空闲块数。A 的 {released} 块也马上可以再发放。",
                ),
            ),
            guess(
                total,
                Told(
                    "That is the whole pool, but not all of it is free: {taken}.",
                    "这是整个池，但并不都空闲：{taken}。",
                ),
            ),
            guess(
                total - held_by_second(step.memory),
                Told(
                    "That counts every block that is not B’s, the {others} of other requests among them.",
                    "这是把不属于 B 的块都算上了，连别的请求的 {others} 块也在内。",
                ),
            ),
            guess(
                released,
                Told(
                    "Those are A’s own. Before, {before} {before|was|were} free already.",
                    "这只是 A 自己的块。之前已有 {before} 块空闲。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=str(n),
    )
