"""A position divided by the block size: which logical block, which offset in it."""

from __future__ import annotations

from engine.paged_lookup import Divided
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import BLOCK, LOGICAL, OFFSET, PHYSICAL, SLOT, row
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def divided(s: Scenario, step: Divided, wrong: Divided | None) -> Narration:
    offset = str(step.offset)
    lines = ((BLOCK, str(step.logical), "?"), (OFFSET, offset, offset), (SLOT, str(step.position), "?"))
    return Narration(
        id="block",
        title=Text("Which block?", "哪一块？"),
        headline=Told(
            "Position {position} is in logical block {logical}, at offset {offset}",
            "位置 {position} 在逻辑块 {logical} 里，块内偏移 {offset}",
        ).on(step),
        why=Told(
            r"${position} = {logical} \times {block_size} + {offset}$: the quotient is the [logical "
            "block](term:logical-block), the remainder the [offset](term:offset) in it. Tokens stay in order inside a "
            "block, so the offset is the logical block’s and the physical block’s alike. Only the block has to be "
            "looked up.",
            r"${position} = {logical} \times {block_size} + {offset}$：商是[逻辑块](term:logical-block)，余数是块内的["
            "偏移](term:offset)。块内的 token 仍按次序放，所以逻辑块和物理块里的偏移一样，要查的只有块号。",
        ).on(step, s),
        facts=Facts(("", LOGICAL, PHYSICAL), lines, frozenset({0, 1})),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(wrong or step),
    )
