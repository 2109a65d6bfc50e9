"""The block to write to is made ready, by a copy or from the pool; then the token lies in its slot."""

from __future__ import annotations

from engine.copy_on_write import Prepared, Wrote
from engine.paged import Copy
from engine.shared_blocks import Mistake, Scenario, Step
from lessons.copy_on_write.steps.table import beside, counts, row, whole
from lessons.kit.ask import Ask, Guess
from lessons.kit.lesson import Narration
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text
from lessons.kit.told import Told


def prepared(s: Scenario, step: Step, event: Prepared, wrong: Prepared | None) -> Narration:
    copy, refs, table = event.copied, event.memory.ref_counts, event.table.blocks
    if copy is None:
        title = Text("A new block", "新的一块")
        headline = Told(
            "Block {block} is taken from the pool; nothing is copied", "从池中取出块 {block}；什么也没复制"
        ).on(block=event.allocated[-1])
        why = Told(
            "{name}’s table is now {table}. The new block’s reference count is {refs}: only {name} names it.",
            "{name} 的块表现在是 {table}。新块的引用计数是 {refs}，只有 {name} 引用。",
        ).on(event, table=bracketed(table), refs=refs[table[-1]])
    else:
        title = Text("A copy first", "先复制")
        headline = Told(
            "{n_slots:slot} of block {source} {n_slots|is|are} copied to block {target}",
            "把 {n_slots} 个槽位从块 {source} 复制到块 {target}",
        ).on(copy)
        was = step.before.ref_counts
        why = Told(
            "{name}’s table is now {table}; {other}’s is still {theirs}. Block {source} goes from {source_was} "
            "references to {source_refs}, block {target} from {target_was} to {target_refs}. Only slots that hold "
            "something are copied; the full blocks stay shared.",
            "{name} 的块表现在是 {table}；{other} 的仍是 {theirs}。块 {source} 的引用从 {source_was} 变为 "
            "{source_refs}，块 {target} 从 {target_was} 变为 {target_refs}。只复制有内容的槽位；满块继续共享。",
        ).on(
            event,
            copy,
            table=bracketed(table),
            theirs=bracketed(event.memory.table(event.other).blocks),
            source_was=was[copy.source],
            source_refs=refs[copy.source],
            target_was=was[copy.target],
            target_refs=refs[copy.target],
        )

    def did(wrong: Prepared) -> Text | None:
        if copy is None or s.mistake is not Mistake.NO_COPY:
            return None
        return Told(
            "nothing is copied. Both tables go on naming block {source}, still with {refs} references, and {name} "
            "will write into it.",
            "什么也不复制。两张块表继续引用块 {source}（仍有 {refs} 个引用），{name} 就要往里写。",
        ).on(wrong, copy, refs=wrong.memory.ref_counts[copy.source])

    return Narration(
        id=f"{event.name.lower()}-{event.table.length}/prepare",
        title=title,
        headline=headline,
        why=why,
        facts=counts(step, wrong),
        ask=_how_many(event, copy) if copy else None,
        wrong=beside(s, event, wrong, did),
        row=row(wrong or event),
    )


def _how_many(event: Prepared, copy: Copy) -> Ask | None:
    size, n = event.memory.block_size, event.table.length
    free = size - copy.n_slots
    return whole(
        Told(
            "Block {source} is copied before {name} writes. How many of its {size} slots have to be copied?",
            "{name} 写入前要复制块 {source}。它的 {size} 个槽位里，有几个必须复制？",
        ).on(event, copy, size=size),
        copy.n_slots,
        (
            Guess(
                float(size),
                Told(
                    "That is the whole block. {free} of its slots {free|holds|hold} nothing.",
                    "这是整块。其中 {free} 个槽位是空的。",
                ).on(free=free),
            ),
            Guess(
                float(free),
                Text("Those are the empty ones. What is there has to be copied.", "这是空着的。要复制的是已有的内容。"),
            ),
            Guess(
                float(n),
                Told(
                    "Those are all {n} tokens of {name}. The full blocks stay shared: nobody writes there.",
                    "这是 {name} 的全部 {n} 个 token。满块继续共享：没有人往那里写。",
                ).on(event, n=n),
            ),
        ),
    )


def wrote(s: Scenario, step: Step, event: Wrote, wrong: Wrote | None) -> Narration:
    return Narration(
        id=f"{event.name.lower()}-{event.position}/write",
        title=Told("{name} writes", "{name} 写入").on(event),
        headline=Told(
            "{name}{position} lies in slot {slot}: block {block}, offset {offset}",
            "{name}{position} 放在槽位 {slot}：块 {block}，偏移 {offset}",
        ).on(event),
        why=Told(
            "Slot {block} × {size} + {offset} = {slot}. {name}’s table is {table}. {other}’s table does not name "
            "block {block}, so {other} cannot see the new token.",
            "槽位 {block} × {size} + {offset} = {slot}。{name} 的块表是 {table}。{other} 的块表里没有块 {block}，所"
            "以看不到这个新 token。",
        ).on(event, size=event.memory.block_size, table=bracketed(event.table.blocks)),
        facts=counts(step, wrong),
        wrong=beside(s, event, wrong, lambda wrong: _landed(s, event, wrong)),
        row=row(wrong or event),
    )


def _landed(s: Scenario, event: Wrote, wrong: Wrote) -> Text | None:
    """Where the token goes without a copy."""
    if wrong.overwritten is not None:
        return Told(
            "{name}{position} goes into slot {slot} as well, on top of {lost}. {other} still believes that {lost} "
            "lies there.",
            "{name}{position} 也写进槽位 {slot}，盖掉了 {lost}。{other} 还以为 {lost} 在那里。",
        ).on(wrong, lost=str(wrong.overwritten))
    if wrong.slot != event.slot and s.mistake is Mistake.NO_COPY:
        return Told(
            "{name}{position} goes into slot {slot}, in the block that {other} names too. {other} has not come "
            "that far yet, so nobody notices.",
            "{name}{position} 写进槽位 {slot}，而这一块 {other} 也在引用。{other} 还没有走到这个位置，所以没人察觉。",
        ).on(wrong)
    return None
