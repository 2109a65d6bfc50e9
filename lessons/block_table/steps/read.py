"""What lies in the slot is read."""

from __future__ import annotations

from engine.paged_lookup import FIRST, Read
from engine.paged_output import Scenario, rows
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import looked_up, row
from lessons.kit.format import vector
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def read(s: Scenario, step: Read, wrong: Read | None) -> Narration:
    own = wrong or step
    return Narration(
        id="read",
        title=Text("Read K and V", "读 K 和 V"),
        headline=Told(
            "Slot {slot} holds the K and V of position {position}", "槽位 {slot} 存着位置 {position} 的 K 和 V"
        ).on(step),
        why=Told(
            "The line below the pool shows them: the key and the value written when the token came. The "
            "[mask](term:mask) and the position encoding use {position}, the place in the sequence; the slot number "
            "only says where to read.",
            "池下面的一行就是它们：这个 token 到来时写下的键和值。[掩码](term:mask)和位置编码都用序列中的位置 "
            "{position}；槽位号只说明去哪里读。",
        ).on(step),
        facts=looked_up(
            s.block_size,
            step.position,
            step.slot or 0,
            wrong.slot if wrong else None,
            (_key(step), _key(wrong) if wrong else ""),
        ),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _misread(wrong) if wrong.slot != step.slot else None),
        row=row(own, slots=None if own.slot is None else (own.slot,)),
    )


def _key(step: Read) -> str:
    """The key that lies in the slot read; an unwritten slot holds what an earlier request left."""
    return vector(rows(step.memory.contents)[0][step.slot or 0].tolist())


def _misread(wrong: Read) -> Text:
    """What lies in the slot that was read instead, and whose it is."""
    block = (wrong.slot or 0) // wrong.memory.block_size
    if wrong.found is not None:
        return Told(
            "slot {slot} holds position {found.position}. Its numbers look as plausible as the right ones.",
            "槽位 {slot} 里是位置 {found.position}，那些数看上去同样正常。",
        ).on(wrong)
    if block in wrong.memory.table(FIRST).blocks:
        told = Told(
            "slot {slot} lies in physical block {block}, which is A’s, but A has not written to that slot yet: the "
            "program reads what an earlier request left there.",
            "槽位 {slot} 在物理块 {block} 里，块是 A 的，但 A 还没写过这个槽位：读到的是以前的请求留下的数。",
        )
    elif wrong.memory.ref_counts[block] == 0:
        told = Told(
            "slot {slot} lies in physical block {block}, which is free: the program reads what an earlier request left "
            "there.",
            "槽位 {slot} 在物理块 {block} 里，这块是空闲的：读到的是以前的请求留下的数。",
        )
    else:
        told = Told(
            "slot {slot} lies in physical block {block}, which belongs to another request: A reads that request’s K "
            "and V.",
            "槽位 {slot} 在物理块 {block} 里，那是别的请求的块：A 读到了别人的 K 和 V。",
        )
    return told.on(wrong, block=block)
