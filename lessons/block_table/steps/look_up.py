"""The block table names the physical block; with the offset that is the slot."""

from __future__ import annotations

from engine.paged import Mistake, slot
from engine.paged_lookup import FIRST, LookUp
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import looked_up, row
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.claims import alike
from lessons.kit.lesson import Narration
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text
from lessons.kit.told import Told


def look_up(s: Scenario, step: LookUp, wrong: LookUp | None) -> Narration:
    lead = Told(
        "The outlined entry {logical} of the block table is {entry}. A block has {block_size:slot}, so the slot is "
        r"${entry} \times {block_size} + {offset} = {slot}$. ",
        r"块表第 {logical} 项（描边）是 {entry}。每块 {block_size} 个槽位，所以槽位是 ${entry} \times {block_size} + "
        "{offset} = {slot}$。",
    )
    if step.slot == step.position:
        order: Text | Told = Text(
            "Slot and position are equal here only because the table says so.",
            "这里槽位与位置相等，只是因为块表恰好这样写。",
        )
    else:
        order = Told(
            "The model still calls the token position {position}: the table changes where K and V lie, never their "
            "order.",
            "对模型来说它仍是位置 {position} 的 token：块表只改变 K、V 放在哪里，不改变次序。",
        )

    def did(wrong: LookUp) -> Text | None:
        if wrong.slot == step.slot:
            return None
        return Told(
            "the program takes logical block {logical} for physical block {logical} and goes to slot {slot}, marked ✗ "
            "in the lower row.",
            "程序把逻辑块 {logical} 当成物理块 {logical}，去了槽位 {slot}（下排标 ✗ 处）。",
        ).on(wrong)

    own = wrong or step
    return Narration(
        id="lookup",
        claims=(alike(step.slot, step.position),) if step.slot is not None and step.slot == step.position else (),
        title=Text("Look it up", "查块表"),
        headline=Told(
            "Logical block {logical} is physical block {entry}, so position {position} lies in slot {slot}",
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
            "Position {position} is in logical block {logical}, at offset {offset}; the block table is {table}. In "
            "which slot of the pool does it lie? (Slots are counted from 0.)",
            "位置 {position} 在逻辑块 {logical} 里，偏移 {offset}；块表是 {table}。它在池中的哪个槽位？（槽位从 0 数"
            "起。）",
        ).on(step, table=bracketed(table)),
        float(step.slot),
        (
            guess(
                slot(p, table, size, Mistake.LOGICAL_AS_PHYSICAL),
                Told(
                    "That is the position itself, as if logical block {logical} were physical block {logical}. Entry "
                    "{logical} of the table is {entry}, so the slot is {way}.",
                    "这就是位置本身，等于把逻辑块 {logical} 当成物理块 {logical}。块表第 {logical} 项是 {entry}，所以"
                    "是 {way}。",
                ),
            ),
            guess(
                block,
                Told(
                    "That is the number of the physical block. Each block has {block_size:slot}, so the slot is {way}.",
                    "这是物理块的块号。每块有 {block_size} 个槽位，所以是 {way}。",
                ),
            ),
            guess(
                block * size,
                Told(
                    "That is the first slot of the block. The offset has to be added: {way}.",
                    "这是该块的第一个槽位，还要加上偏移：{way}。",
                ),
            ),
            guess(
                block + step.offset,
                Told(
                    "That adds the offset to the number of the block. Each earlier block has {block_size:slot}: {way}.",
                    "这是块号加偏移。前面每个块都有 {block_size} 个槽位：{way}。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=str(step.slot),
    )
