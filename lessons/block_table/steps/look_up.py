"""The block table names the physical block; with the offset that is the slot."""

from __future__ import annotations

from engine.paged import Mistake, slot
from engine.paged_lookup import FIRST, LookUp
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import looked_up, row
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Narration
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text
from lessons.kit.told import Told


def look_up(s: Scenario, step: LookUp, wrong: LookUp | None) -> Narration:
    lead = Told(
        r"Entry {logical} of the [block table](term:block-table) is {entry}, and ${entry} \times {block_size} + "
        "{offset} = {slot}$. ",
        r"[块表](term:block-table)的第 {logical} 项是 {entry}，而 ${entry} \times {block_size} + {offset} = {slot}$。",
    )
    if step.slot == step.position:
        order = Told(
            "Here slot and position happen to be equal. The table decides that, not the position.",
            "这里槽位恰好等于位置。那是块表决定的，不是位置决定的。",
        )
    else:
        order = Told(
            "So it is slot {slot} of the pool, not slot {position}. To the model the token is still the one at "
            "position {position}: the table moves storage, never order.",
            "所以是池中的槽位 {slot}，不是槽位 {position}。对模型来说它仍是位置 {position} 的 token：块表只改变存放"
            "位置，不改变顺序。",
        )

    def did(wrong: LookUp) -> Text | None:
        if wrong.slot == step.slot:
            return None
        return Told(
            "it never looks at the table and takes logical block {logical} for physical block {logical}: slot {slot}.",
            "它根本不看块表，把逻辑块 {logical} 当成物理块 {logical}：槽位 {slot}。",
        ).on(wrong)

    own = wrong or step
    return Narration(
        id="lookup",
        title=Text("Look it up", "查块表"),
        headline=Told(
            "Logical block {logical} is physical block {entry}, so position {position} is slot {slot}",
            "逻辑块 {logical} 就是物理块 {entry}，所以位置 {position} 在槽位 {slot}",
        ).on(step),
        why=(lead + order).on(step, s),
        facts=looked_up(s.block_size, step.position, step.slot or 0, wrong.slot if wrong else None),
        ask=_which_slot(s, step),
        wrong=MISTAKES.beside(s, wrong, did),
        row=row(own, slots=None if own.slot is None else (own.slot,)),
    )


def _which_slot(s: Scenario, step: LookUp) -> Ask | None:
    if step.entry is None or step.slot is None:
        return None
    p, size, block = step.position, s.block_size, step.entry
    table = step.memory.table(FIRST).blocks
    way = f"{block} × {size} + {step.offset} = {step.slot}"

    def guess(value: float, said: Told) -> Guess:
        return Guess(value, said.on(step, s, way=way))

    return asking(
        Told(
            "Logical block {logical}, offset {offset}. The block table is {table}. Which slot of the pool is that? "
            "(Slots are counted from 0.)",
            "逻辑块 {logical}，偏移 {offset}，块表是 {table}。这是池中的哪个槽位？（槽位从 0 数起。）",
        ).on(step, table=bracketed(table)),
        float(step.slot),
        (
            guess(
                slot(p, table, size, Mistake.LOGICAL_AS_PHYSICAL),
                Told(
                    "That is the position itself, as if logical block {logical} were physical block {logical}. Entry "
                    "{logical} says {entry}: {way}.",
                    "这就是位置本身，等于把逻辑块 {logical} 当成物理块 {logical}。第 {logical} 项是 {entry}：{way}。",
                ),
            ),
            guess(
                block,
                Told(
                    "That is the number of the physical block. Each block has {block_size} slots: {way}.",
                    "这是物理块的块号。每块有 {block_size} 个槽位：{way}。",
                ),
            ),
            guess(
                block * size,
                Told("There the block begins; the offset is added: {way}.", "这是块的开头，还要加上偏移：{way}。"),
            ),
            guess(
                block + step.offset,
                Told(
                    "That adds the offset to the block’s number. Each block before it has {block_size} slots: {way}.",
                    "这是块号加偏移。前面每个块都有 {block_size} 个槽位：{way}。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=str(step.slot),
    )
