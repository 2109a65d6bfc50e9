"""One has a token to write: into its last block, into a copy of it, or into a new one."""

from __future__ import annotations

from engine.copy_on_write import Wants, Way
from engine.paged import blocks_for
from engine.shared_blocks import Scenario, Step
from lessons.copy_on_write.steps.table import beside, counts, row
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told

OPTIONS = {
    Way.COPY: Text("it copies that block first", "先复制这一块"),
    Way.IN_PLACE: Text("it writes in place", "直接写入"),
    Way.NEW_BLOCK: Text("it opens a new block, without a copy", "另开新块，不复制"),
}


def wants(s: Scenario, step: Step, event: Wants, wrong: Wants | None) -> Narration:
    headline, why = _asked_for(s, event)

    def did(wrong: Wants) -> Text | None:
        if wrong.memory.ref_counts == event.memory.ref_counts or wrong.ref_count < 2:
            return None
        return Told(
            "block {block} still has {ref_count} references. The count says that somebody else reads it; nobody asks.",
            "块 {block} 仍有 {ref_count} 个引用。计数说明还有别人在读，可是没有人去问。",
        ).on(wrong)

    return Narration(
        id=f"{event.name.lower()}-{event.position}/wants",
        title=Told("May {name} write?", "{name} 能写吗").on(event),
        headline=headline.on(event),
        why=why.on(event),
        facts=counts(step, wrong),
        ask=_which(event) if _is_second(s, event) else None,
        wrong=beside(s, event, wrong, did),
        row=row(wrong or event),
    )


def _asked_for(s: Scenario, event: Wants) -> tuple[Told, Told]:
    """What the counts ask for, and why."""
    match event.way:
        case Way.COPY:
            return Told(
                "{name} may not write into block {block}: {ref_count} tables name it",
                "{name} 不能写进块 {block}：有 {ref_count} 张块表引用它",
            ), Told(
                "Position {position} is logical block {logical}, offset {offset} (all counted from 0). Block "
                "{block} has room there, but {other} names it as well: a token of {name} would appear in {other}’s "
                "memory. [Copy-on-write](term:copy-on-write): share until somebody writes.",
                "位置 {position} 是逻辑块 {logical}、偏移 {offset}（都从 0 数起）。块 {block} 那里有空槽位，但 "
                "{other} 也引用它：{name} 的 token 会出现在 {other} 的内存里。[写时复制](term:copy-on-write)：写之"
                "前一直共享。",
            )
        case Way.IN_PLACE:
            count = Told("The reference count of block {block} is {ref_count}", "块 {block} 的引用计数是 {ref_count}")
            if s.forked and event.logical < blocks_for(s.n_tokens, s.block_size):
                why = Told(
                    ": nobody else would see the token. Of two sharers only the first to write copies; the other "
                    "keeps the original and writes in place.",
                    "：不会有别人看到这个 token。两个共享者中只有先写的那个要复制；另一个留用原块，直接写入。",
                )
            else:
                why = Told(
                    ". {name}’s last block is {name}’s alone, so there is nothing to copy.",
                    "。{name} 的最后一块只属于 {name}，没有什么要复制。",
                )
            return Told(
                "{name} may write into block {block}: only {name} names it",
                "{name} 可以直接写进块 {block}：只有 {name} 引用它",
            ), count + why
        case Way.NEW_BLOCK:
            return Told(
                "{name}’s last block is full, so the token needs a new one",
                "{name} 的最后一块已满，新 token 需要新的一块",
            ), Told(
                "Position {position} opens logical block {logical}. The full blocks before it stay as they are, "
                "shared or not: only a block that is shared *and* not full ever has to be copied.",
                "位置 {position} 开始逻辑块 {logical}。前面的满块不论是否共享都原样不动：只有既被共享**又**没装满的"
                "块才需要复制。",
            )


def _is_second(s: Scenario, event: Wants) -> bool:
    """Whether this is the second write, at which the first has changed the counts."""
    first, second = (*s.writers, "", "")[:2]
    return (event.name, event.position) == (second, s.n_tokens + (first == second))


def _which(event: Wants) -> Ask | None:
    if event.block is None:
        return None
    why = {
        Way.COPY: Told(
            "Block {block} has room, and {ref_count} tables name it: without a copy the other would read what "
            "{name} writes.",
            "块 {block} 还有空位，却有 {ref_count} 张表引用它：不复制，另一方就会读到 {name} 写的东西。",
        ),
        Way.IN_PLACE: Told(
            "Block {block} has room, and {ref_count} table names it, {name}’s own: nobody else can be disturbed.",
            "块 {block} 还有空位，只有 {ref_count} 张表引用它，就是 {name} 自己的：不会影响别人。",
        ),
        Way.NEW_BLOCK: Told(
            "Block {block} is full, named by {ref_count}: the token goes into another block, and this one stays as "
            "it is.",
            "块 {block} 已满，有 {ref_count} 张表引用它：token 要放进另一块，这一块原样不动。",
        ),
    }[event.way].on(event)
    answer = [*OPTIONS].index(event.way) + 1
    return asking(
        Told(
            "Now {name} wants to write position {position}; its last block is {block}. What happens?",
            "轮到 {name} 写位置 {position}，它的最后一块是块 {block}。会怎样？",
        ).on(event),
        float(answer),
        [Guess(float(i), why) for i in (1, 2, 3) if i != answer],
        options=tuple(OPTIONS.values()),
    )
