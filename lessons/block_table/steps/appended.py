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
            "{n|Position|Positions} {where} {n|takes|take} a new block: {block}", "位置 {where} 要用新块：{block}"
        )
    else:
        headline = Told(
            "{n|Position|Positions} {where} {n|goes|go} into block {block}, which had room",
            "位置 {where} 放进还有空槽位的块 {block}",
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
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _overwrote(s, wrong) if wrong.slots != step.slots else None),
        row=row(own, slots=own.slots, taken=own.allocated),
    )


def _why(s: Scenario, step: Appended) -> Text:
    size, table = s.block_size, step.memory.table(FIRST)
    fill = last_block_fill(table.length, size)
    if step.allocated:
        return Told(
            "Every block of {held} is full, so the pool hands out the next free one. The table grows by one entry, "
            "{new}: memory is taken only with a whole block, {size} slots at a time.",
            "{held} 的每一块都满了，池就发出下一个空闲块。块表多了一项 {new}：内存总是整块占用，每次 {size} 个槽位。",
        ).on(held=bracketed(_held(step)), new=step.allocated[0], size=size)
    if fill == size:
        now = Told("Now it is full.", "现在它满了。")
    else:
        now = Told("{room} of its slots still wait.", "它还空 {room} 个槽位。")
    before = Told(
        "The last block has {size} slots and held {held} tokens. No block is taken and no old token moves. ",
        "最后一块有 {size} 个槽位，原来放了 {held} 个 token。不占新块，旧 token 一个也不动。",
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


def _overwrote(s: Scenario, wrong: Appended) -> Text:
    size, n = s.block_size, wrong.position
    if not wrong.overwritten:
        return Told(
            "it has one block less than it needs and writes to slot {slot}.",
            "它比实际需要少一个块，写到了槽位 {slot}。",
        ).on(slot=wrong.slots[0])
    return Told(
        r"${n} \bmod {size} = {fill}$, so the full last block looks empty. No block is taken; the K and V of "
        "position {lost} are overwritten and gone.",
        r"${n} \bmod {size} = {fill}$，满的末块看上去像空的。它没有占新块；位置 {lost} 的 K 和 V 被覆盖，再也找不回"
        "来。",
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
                    "A token lies there already: {position} mod {size} is 0, and yet block {last} is full. What is "
                    "written there is lost.",
                    "那里已经有 token 了：{position} mod {size} 是 0，块 {last} 却是满的。写上去，原来的就没了。",
                ).on(step, size=size, last=last),
            )
        )
        if last + 1 in drawn and last + 1 != here // size:
            guesses.append(
                Guess(
                    slot_key((last + 1) * size),
                    Told(
                        "That is the neighbour of block {last} in memory. The table needs no neighbours: the next free "
                        "block is taken.",
                        "那是块 {last} 在内存里的邻居。块表不要求相邻：取的是下一个空闲块。",
                    ).on(last=last),
                )
            )
    elif new is not None:
        guesses.append(
            Guess(
                slot_key(new * size),
                Told(
                    "That opens a new block, but block {last} holds {fill} of {size} and has room.",
                    "那是开了新块；而块 {last} 只放了 {fill} 个（共 {size} 个槽位），还有空位。",
                ).on(last=last, fill=last_block_fill(step.position, size), size=size),
            )
        )
    if new is None:
        prompt = Told(
            "Position {position} comes. Pick the slot that it takes.", "位置 {position} 到来。请点选它占的槽位。"
        )
    else:
        prompt = Told(
            "Position {position} comes. The next free block is {new}. Pick the slot that it takes.",
            "位置 {position} 到来。下一个空闲块是块 {new}。请点选它占的槽位。",
        )
    return asking(
        prompt.on(step, new=new),
        slot_key(here),
        guesses,
        shown=Told("slot {slot}, in block {block}", "槽位 {slot}，在块 {block} 里").on(slot=here, block=here // size),
        among=_among(drawn, size, (here // size, last, last + 1, *(() if new is None else (new,)))),
    )


def _among(drawn: tuple[int, ...], size: int, needed: tuple[int, ...]) -> tuple[str, ...]:
    """Slots to be picked from: of the blocks that the guesses lie in, and of as many others as there may be."""
    first = [block for block in drawn if block in needed]
    others = [block for block in drawn if block not in needed][: max(0, MOST_PICKED // size - len(first))]
    return tuple(slot_key(block * size + i) for block in drawn if block in (*first, *others) for i in range(size))
