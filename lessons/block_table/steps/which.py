"""A position divided by the block size: which logical block, which offset in it."""

from __future__ import annotations

from engine.paged_lookup import WhichBlock, WhichOffset
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import BLOCK, LOGICAL, OFFSET, PHYSICAL, SLOT, row
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def which_block(s: Scenario, step: WhichBlock, wrong: WhichBlock | None) -> Narration:
    return Narration(
        id="block",
        title=Text("Which block?", "哪一块？"),
        headline=Told("Position {position} is in logical block {logical}", "位置 {position} 在逻辑块 {logical} 里").on(
            step
        ),
        why=Told(
            r"$\lfloor {position} / {block_size} \rfloor = {logical}$: a [block](term:block) holds {block_size} "
            "tokens, and logical blocks are counted from 0 in the order the model sees. That says nothing yet "
            "about memory.",
            r"$\lfloor {position} / {block_size} \rfloor = {logical}$：一个[内存块](term:block)放 {block_size} 个 "
            "token，逻辑块按模型看到的顺序从 0 数起。这时还不知道它在内存的哪里。",
        ).on(step, s),
        facts=_divided(step, "?"),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(wrong or step),
    )


def which_offset(s: Scenario, step: WhichOffset, wrong: WhichOffset | None) -> Narration:
    return Narration(
        id="offset",
        title=Text("Which offset?", "块内第几个？"),
        headline=Told("Within its block it has offset {offset}", "它在块内的偏移是 {offset}").on(step),
        why=Told(
            r"${position} - {logical} \times {block_size} = {offset}$, the remainder. Inside a block tokens stay "
            "side by side, so the offset is the same in the logical and in the physical block. Only the block has "
            "to be looked up.",
            r"${position} - {logical} \times {block_size} = {offset}$，即余数。块内的 token 仍然挨着放，所以偏移在逻"
            "辑块和物理块里相同。要查的只有块号。",
        ).on(step, s),
        facts=_divided(step, str(step.offset)),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(wrong or step),
    )


def _divided(step: WhichBlock | WhichOffset, offset: str) -> Facts:
    """What is known of the position so far; the new part is marked."""
    lines = ((BLOCK, str(step.logical), "?"), (OFFSET, offset, offset), (SLOT, str(step.position), "?"))
    return Facts(("", LOGICAL, PHYSICAL), lines, frozenset({0 if isinstance(step, WhichBlock) else 1}))
