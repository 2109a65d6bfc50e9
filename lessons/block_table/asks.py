"""What the lesson asks before it shows: a slot to be computed, a slot to be found, what is free again."""

from __future__ import annotations

from dataclasses import replace

from engine.paged import Mistake, last_block_fill, slot
from engine.paged_lookup import FIRST, Appended, Freed, LookUp
from engine.paged_output import Scenario, Step
from lessons.block_table.layout import Layout
from lessons.block_table.mistakes import bracketed, held_by_others, held_by_second, of_others
from lessons.block_table.steps import trace
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.text import Text

MOST_PICKED = 40


def ask(scenario: Scenario, step: Step) -> Ask | None:
    """A question in front of this step, None in front of most."""
    match step:
        case LookUp():
            return _slot(scenario, step)
        case Appended() if step.position == _grows_at(scenario):
            return _where(scenario, step)
        case Freed():
            return _free(step)
    return None


def _slot(scenario: Scenario, step: LookUp) -> Ask | None:
    if step.entry is None or step.slot is None:
        return None
    p, size, block = step.position, scenario.block_size, step.entry
    table = step.memory.table(FIRST).blocks
    way = f"{block} × {size} + {step.offset} = {step.slot}"
    return asking(
        Text(
            f"Logical block {step.logical}, offset {step.offset}. The block table is {bracketed(table)}. Which slot "
            "of the pool is that? (Slots are counted from 0.)",
            f"逻辑块 {step.logical}，偏移 {step.offset}，块表是 {bracketed(table)}。这是池中的哪个槽位？（槽位从 0 数"
            "起。）",
        ),
        float(step.slot),
        (
            Guess(
                float(slot(p, table, size, Mistake.LOGICAL_AS_PHYSICAL)),
                Text(
                    f"That is the position itself, as if logical block {step.logical} were physical block "
                    f"{step.logical}. Entry {step.logical} says {block}: {way}.",
                    f"这就是位置本身，等于把逻辑块 {step.logical} 当成物理块 {step.logical}。第 {step.logical} 项是 "
                    f"{block}：{way}。",
                ),
            ),
            Guess(
                float(block),
                Text(
                    f"That is the number of the physical block. Each block has {size} slots: {way}.",
                    f"这是物理块的块号。每块有 {size} 个槽位：{way}。",
                ),
            ),
            Guess(
                float(block * size),
                Text(f"There the block begins; the offset is added: {way}.", f"这是块的开头，还要加上偏移：{way}。"),
            ),
            Guess(
                float(block + step.offset),
                Text(
                    f"That adds the offset to the block’s number. Each block before it has {size} slots: {way}.",
                    f"这是块号加偏移。前面每个块都有 {size} 个槽位：{way}。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=str(step.slot),
    )


def _grows_at(scenario: Scenario) -> int:
    """The position at which A first takes a block; the first appended one where it takes none."""
    right = replace(scenario, mistake=Mistake.NONE)
    appends = [step for step in trace(right) if isinstance(step, Appended)]
    return next((step.position for step in appends if step.allocated), appends[0].position if appends else -1)


def _where(scenario: Scenario, step: Appended) -> Ask | None:
    size, table = scenario.block_size, step.memory.table(FIRST).blocks
    held = table[: len(table) - len(step.allocated)]
    drawn = Layout(scenario).pool_blocks
    new = (
        step.allocated[0] if step.allocated else next((b for b in scenario.hand_out[len(table) :] if b in drawn), None)
    )
    here, fill = step.slots[0], last_block_fill(step.position, size)
    guesses = []
    if step.allocated:
        guesses.append(
            Guess(
                _key(held[-1] * size + last_block_fill(step.position, size, Mistake.FILL_MODULO)),
                Text(
                    f"A token lies there already: {step.position} mod {size} is 0, and yet block {held[-1]} is full. "
                    "What is written there is lost.",
                    f"那里已经有 token 了：{step.position} mod {size} 是 0，块 {held[-1]} 却是满的。写上去，原来的就"
                    "没了。",
                ),
            )
        )
        if held[-1] + 1 in drawn and held[-1] + 1 != here // size:
            guesses.append(
                Guess(
                    _key((held[-1] + 1) * size),
                    Text(
                        f"That is the neighbour of block {held[-1]} in memory. The table needs no neighbours: the "
                        "next free block is taken.",
                        f"那是块 {held[-1]} 在内存里的邻居。块表不要求相邻：取的是下一个空闲块。",
                    ),
                )
            )
    elif new is not None:
        guesses.append(
            Guess(
                _key(new * size),
                Text(
                    f"That opens a new block, but block {held[-1]} holds {fill} of {size} and has room.",
                    f"那是开了新块；而块 {held[-1]} 只放了 {fill} 个（共 {size} 个槽位），还有空位。",
                ),
            )
        )
    return asking(
        Text(
            f"Position {step.position} comes. The next free block is {new}. Pick the slot that it takes."
            if new is not None
            else f"Position {step.position} comes. Pick the slot that it takes.",
            f"位置 {step.position} 到来。下一个空闲块是块 {new}。请点选它占的槽位。"
            if new is not None
            else f"位置 {step.position} 到来。请点选它占的槽位。",
        ),
        _key(here),
        guesses,
        shown=Text(
            f"slot {here}, in block {here // size}",
            f"槽位 {here}，在块 {here // size} 里",
        ),
        among=_among(drawn, size, (here // size, held[-1], held[-1] + 1, *(() if new is None else (new,)))),
    )


def _key(place: int) -> str:
    return f"pool.{place}"


def _among(drawn: tuple[int, ...], size: int, needed: tuple[int, ...]) -> tuple[str, ...]:
    """Slots to be picked from: of the blocks that the guesses lie in, and of as many others as there may be."""
    first = [block for block in drawn if block in needed]
    others = [block for block in drawn if block not in needed][: max(0, MOST_PICKED // size - len(first))]
    return tuple(_key(block * size + i) for block in drawn if block in (*first, *others) for i in range(size))


def _free(step: Freed) -> Ask | None:
    n, total = len(step.memory.free), len(step.memory.ref_counts)
    released = len(step.blocks)
    before = n - released
    taken, others = of_others(step.memory), held_by_others(step.memory)
    s = "s" * (released != 1)
    return asking(
        Text(
            f"A ends and gives back its {released} block{s}. Of the pool’s {total} blocks {before} "
            f"{'was' if before == 1 else 'were'} free before that; {taken.en}. How many are free now?",
            f"A 结束，归还它的 {released} 块。池中 {total} 块里，归还之前有 {before} 块空闲；{taken.zh}。现在有多少块"
            "空闲？",
        ),
        float(n),
        (
            Guess(
                float(before),
                Text(
                    f"So many were free before; A’s {released} are added at once.",
                    f"这是归还之前的空闲块数；A 的 {released} 块马上加进来。",
                ),
            ),
            Guess(
                float(total),
                Text(
                    f"That is the whole pool, but not all of it is free: {taken.en}.",
                    f"这是整个池，可并不是都空着：{taken.zh}。",
                ),
            ),
            Guess(
                float(total - held_by_second(step.memory)),
                Text(
                    f"That counts every block that is not B’s, also the {others} of other requests.",
                    f"这是把不属于 B 的块全数上了，连别的请求的 {others} 块也算了进去。",
                ),
            ),
            Guess(
                float(released),
                Text(
                    f"Those are A’s own. {before} {'was' if before == 1 else 'were'} free already.",
                    f"这只是 A 自己的块。之前已有 {before} 块空闲。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=str(n),
    )
