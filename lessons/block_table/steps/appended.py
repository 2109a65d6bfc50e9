"""A grows: into the room its last block has, or into a new block."""

from __future__ import annotations

from dataclasses import replace

from engine.paged import Mistake, last_block_fill
from engine.paged_lookup import FIRST, Appended
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.scene.layout import Layout, slot_key
from lessons.block_table.steps.table import before_and_after, row
from lessons.block_table.trace import trace
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.lesson import Facts, Narration
from lessons.kit.phrases import bracketed, run
from lessons.kit.text import Text
from lessons.kit.told import Told

MOST_PICKED = 40


def appended(s: Scenario, step: Appended, wrong: Appended | None) -> Narration:
    where, n = run(step.position, len(step.slots)), len(step.slots)
    if step.allocated:
        headline = Told(
            "{n|Position|Positions} {where} {n|needs|need} a new block: the pool hands out physical block {block}",
            "位置 {where} 需要新块：内存块池发出物理块 {block}",
        )
    else:
        headline = Told(
            "{n|Position|Positions} {where} {n|fits|fit} into physical block {block}, which had room",
            "位置 {where} 放进物理块 {block}，那里还有空槽位",
        )
    block = step.allocated[0] if step.allocated else step.memory.table(FIRST).blocks[-1]

    own = wrong or step
    return Narration(
        id=f"append/{step.position}",
        title=Text("Append ", "追加 ") + where,
        headline=headline.on(n=n, where=where, block=block),
        why=_why(s, step),
        facts=_facts(s, step, wrong),
        ask=_where(s, step) if step.position == _grows_at(s) else None,
        wrong=MISTAKES.beside(
            s, wrong, lambda wrong: _overwrote(s, step, wrong) if wrong.slots != step.slots else None
        ),
        row=row(own, slots=own.slots, taken=own.allocated),
    )


def _why(s: Scenario, step: Appended) -> Text:
    size, table = s.block_size, step.memory.table(FIRST)
    fill = last_block_fill(table.length, size)
    if step.allocated:
        taken = Told(
            "The blocks in the table before, {held}, are full, so the pool hands out the next free one. The block "
            "table gets the outlined entry {new}. A now holds {size:slot} more",
            "原来块表里的 {held} 都满了，池就发出下一个空闲块。块表多了一项 {new}（描边）。A 多占 {size} 个槽位",
        )
        if fill == size:
            rest = Text(", all of them in use.", "，都用上了。")
        else:
            rest = Told(", of which {room} {room|is|are} still empty.", "，其中 {room} 个还空着。").on(room=size - fill)
        return (taken + rest).on(held=bracketed(_held(step)), new=step.allocated[0], size=size)
    if fill == size:
        now = Told("Now it is full.", "现在它满了。")
    else:
        now = Told("{room:slot} {room|is|are} still empty.", "还空着 {room} 个槽位。")
    before = Told(
        "The last block has {size:slot} and held {held:token}. A takes no block, and no older token moves. ",
        "末块有 {size} 个槽位，原来放了 {held} 个 token。A 不占新块，旧 token 一个也不动。",
    )
    return (before + now).on(size=size, held=fill - len(step.slots), room=size - fill)


def _held(step: Appended) -> tuple[int, ...]:
    """A's blocks before the step."""
    table = step.memory.table(FIRST).blocks
    return table[: len(table) - len(step.allocated)]


def _facts(s: Scenario, step: Appended, wrong: Appended | None) -> Facts:
    size, n = s.block_size, len(step.slots)
    after = step.memory.table(FIRST)
    free = len(step.memory.free)
    last = Text("tokens in the last block", "末块里的 token 数")
    lines = [
        (Text("tokens of A", "A 的 token 数"), str(step.position), str(after.length)),
        (Text("blocks", "块数"), str(len(_held(step))), str(len(after.blocks))),
        (last, str(last_block_fill(step.position, size)), str(last_block_fill(after.length, size))),
        (Text("slot of the first", "第一个的槽位"), "–", str(step.slots[0])),
        (Text("free blocks", "空闲块数"), str(free + len(step.allocated)), str(free)),
    ]
    if n > 1:
        lines.insert(4, (Text("slot of the last", "最后一个的槽位"), "–", str(step.slots[-1])))
    if wrong is None:
        return before_and_after(lines, None)
    theirs = wrong.memory.table(FIRST)
    fill = last_block_fill(theirs.length, size, s.mistake if s.mistake is Mistake.FILL_MODULO else Mistake.NONE)
    words = [str(theirs.length), str(len(theirs.blocks)), str(fill), str(wrong.slots[0]), str(len(wrong.memory.free))]
    if n > 1:
        words.insert(4, str(wrong.slots[-1]))
    return before_and_after(lines, words)


def _overwrote(s: Scenario, step: Appended, wrong: Appended) -> Text:
    size, n = s.block_size, wrong.position
    if not wrong.overwritten:
        missing = len(step.memory.table(FIRST).blocks) - len(wrong.memory.table(FIRST).blocks)
        return Told(
            "the table has {missing:block} less than it needs, so the program writes into slot {slot} instead of "
            "{right}.",
            "块表比所需的少 {missing} 块，程序写进了槽位 {slot}，而不是 {right}。",
        ).on(missing=missing, slot=wrong.slots[0], right=step.slots[0])
    return Told(
        r"${n} \bmod {size} = {fill}$, so the full last block looks empty. The program takes no block and writes over "
        "position {lost}, whose K and V are lost.",
        r"${n} \bmod {size} = {fill}$，满的末块看上去是空的。程序没有占新块，而是盖掉了位置 {lost}，它的 K 和 V 丢了。",
    ).on(
        n=n,
        size=size,
        fill=last_block_fill(n, size, Mistake.FILL_MODULO),
        lost=run(wrong.overwritten[0].position, len(wrong.overwritten)),
    )


def _grows_at(s: Scenario) -> int:
    """The position at which A first takes a block; the first appended one where it takes none."""
    right = replace(s, mistake=Mistake.NONE)
    appends = [step for step in trace(right) if isinstance(step, Appended)]
    return next((step.position for step in appends if step.allocated), appends[0].position if appends else -1)


def _where(s: Scenario, step: Appended) -> Ask | None:
    """Which slot the next token takes, picked in the picture."""
    size, table, held = s.block_size, step.memory.table(FIRST).blocks, _held(step)
    drawn = Layout(s).pool_blocks
    free = next((b for b in s.hand_out[len(table) :] if b in drawn), None)
    new = step.allocated[0] if step.allocated else free
    here, last = step.slots[0], held[-1]
    guesses = []
    if step.allocated:
        guesses.append(
            Guess(
                slot_key(last * size + last_block_fill(step.position, size, Mistake.FILL_MODULO)),
                Told(
                    "A token lies there already: ${position} \\bmod {size}$ is 0 because physical block {last} is "
                    "full. Writing there would destroy the older K and V.",
                    "那里已经有 token：${position} \\bmod {size}$ 是 0，正因为物理块 {last} 满了。写在那里会毁掉旧的 "
                    "K、V。",
                ).on(step, size=size, last=last),
            )
        )
        if last + 1 in drawn and last + 1 != here // size:
            guesses.append(
                Guess(
                    slot_key((last + 1) * size),
                    Told(
                        "That is in the block after physical block {last} in memory. Blocks need not be adjacent: the "
                        "pool hands out the next free one.",
                        "那是内存里紧接物理块 {last} 的块。块不必相邻：池发的是下一个空闲块。",
                    ).on(last=last),
                )
            )
    elif new is not None:
        guesses.append(
            Guess(
                slot_key(new * size),
                Told(
                    "That starts a new block, but physical block {last} holds {fill} of {size:token} and has room.",
                    "那是新开一块；而物理块 {last} 的 {size} 个槽位里只放了 {fill} 个 token，还有空位。",
                ).on(last=last, fill=last_block_fill(step.position, size), size=size),
            )
        )
    if new is None:
        prompt = Told(
            "A gets one more token, position {position}. Pick the slot it takes.",
            "A 又来一个 token，位置 {position}。请点选它占的槽位。",
        )
    else:
        prompt = Told(
            "A gets one more token, position {position}. The next free block of the pool is physical block {new}. "
            "Pick the slot the token takes.",
            "A 又来一个 token，位置 {position}。池中下一个空闲块是物理块 {new}。请点选这个 token 占的槽位。",
        )
    return asking(
        prompt.on(step, new=new),
        slot_key(here),
        guesses,
        shown=Told("slot {slot}, in physical block {block}", "槽位 {slot}，在物理块 {block} 里").on(
            slot=here, block=here // size
        ),
        among=_among(drawn, size, (here // size, last, last + 1, *(() if new is None else (new,)))),
    )


def _among(drawn: tuple[int, ...], size: int, needed: tuple[int, ...]) -> tuple[str, ...]:
    """Slots to be picked from: of the blocks that the guesses lie in, and of as many others as there may be."""
    first = [block for block in drawn if block in needed]
    others = [block for block in drawn if block not in needed][: max(0, MOST_PICKED // size - len(first))]
    return tuple(slot_key(block * size + i) for block in drawn if block in (*first, *others) for i in range(size))
