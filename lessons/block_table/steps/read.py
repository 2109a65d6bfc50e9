"""What lies in the slot is read."""

from __future__ import annotations

from engine.paged_lookup import Read
from engine.paged_output import Scenario, rows
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import looked_up, row
from lessons.kit.format import vector
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def read(s: Scenario, step: Read, wrong: Read | None) -> Narration:
    k, v = (tuple(array[0].tolist()) for array in rows([step.found]))

    own = wrong or step
    return Narration(
        id="read",
        title=Text("Read K and V", "读 K 和 V"),
        headline=Told(
            "Slot {slot} holds the K and V of position {position}", "槽位 {slot} 里正是位置 {position} 的 K 和 V"
        ).on(step),
        why=Told(
            "They are the numbers that were written when the token came: k = ({k:vector}), v = ({v:vector}). Mask and "
            "position still go by {position}, the place in the sequence; the slot is only where to look.",
            "就是这个 token 到来时写下的数：k =（{k:vector}），v =（{v:vector}）。掩码和位置仍按序列中的 "
            "{position} 计算；槽位只说明去哪里取。",
        ).on(step, k=k, v=v),
        facts=looked_up(
            s.block_size,
            step.position,
            step.slot or 0,
            wrong.slot if wrong else None,
            (_key(step), _key(wrong) if wrong else ""),
        ),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _misread(s, wrong) if wrong.slot != step.slot else None),
        row=row(own, slots=None if own.slot is None else (own.slot,)),
    )


def _key(step: Read) -> str:
    """The key that lies in the slot read; an unwritten slot holds what an earlier request left."""
    return vector(rows(step.memory.contents)[0][step.slot or 0].tolist())


def _misread(s: Scenario, wrong: Read) -> Text:
    block = (wrong.slot or 0) // s.block_size
    if wrong.found is not None:
        return Told(
            "slot {slot} holds another token, position {found.position}. Its numbers look as good as any.",
            "槽位 {slot} 里是另一个 token，位置 {found.position}。那些数看上去同样正常。",
        ).on(wrong)
    if block in s.hand_out:
        return Told(
            "slot {slot} is in block {block}, where A has written nothing: it gets what an earlier request left there.",
            "槽位 {slot} 在块 {block} 里，A 没有往那里写过：读到的是以前的请求留下的数。",
        ).on(wrong, block=block)
    return Told(
        "slot {slot} is in block {block}, which belongs to somebody else: A reads a stranger’s K and V.",
        "槽位 {slot} 在块 {block} 里，那是别人的块：A 读到了陌生请求的 K 和 V。",
    ).on(wrong, block=block)
