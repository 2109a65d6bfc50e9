"""What each step says, both languages side by side. Numbers come from the step."""

from __future__ import annotations

from engine.paged import last_block_fill
from engine.paged_lookup import FIRST, Appended, Arrived, Filled, Freed, LookUp, Read, WhichBlock, WhichOffset
from engine.paged_memory import Memory
from engine.paged_output import Attended, Scenario, Step, rows
from lessons.block_table.asks import ask
from lessons.block_table.facts import facts
from lessons.block_table.mistakes import MISTAKES, bracketed, in_range, of_others, series
from lessons.block_table.wrong import wrong_way
from lessons.kit.format import fixed, vector
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, paragraphs, same

__all__ = ["MISTAKES", "headline", "narrate"]


def narrate(scenario: Scenario, step: Step, wrong: Step | None) -> Narration:
    """One step in words, with a paragraph on the wrong way where a mistake is chosen."""
    text = paragraphs(_explain(scenario, step), wrong_way(scenario, step, wrong) if wrong is not None else same(""))
    id_, title = _name(step)
    return Narration(id_, title, headline(scenario, step), text, facts(scenario, step, wrong), ask(scenario, step))


def _name(step: Step) -> tuple[str, Text]:
    match step:
        case Filled():
            return "tokens", Text("Tokens in blocks", "token 装进块")
        case WhichBlock():
            return "block", Text("Which block?", "哪一块？")
        case WhichOffset():
            return "offset", Text("Which offset?", "块内第几个？")
        case LookUp():
            return "lookup", Text("Look it up", "查块表")
        case Read():
            return "read", Text("Read K and V", "读 K 和 V")
        case Attended(again=again):
            return (
                ("attend-again", Text("Same output?", "输出还一样？"))
                if again
                else ("attend", Text("Attend", "算注意力"))
            )
        case Appended(position=position, slots=slots):
            run = in_range(position, len(slots))
            return f"append/{position}", Text(f"Append {run.en}", f"追加 {run.zh}")
        case Arrived():
            return "arrive", Text("Request B", "请求 B")
        case Freed():
            return "free", Text("Release A", "释放 A")


def headline(scenario: Scenario, step: Step) -> Text:
    """What happened, in one sentence."""
    match step:
        case Filled(memory=memory):
            table = memory.table(FIRST)
            n, blocks = table.length, len(table.blocks)
            return Text(
                f"A’s {n} token{'s' * (n != 1)} lie in {blocks} block{'s' * (blocks != 1)}, wherever the pool had room",
                f"A 的 {n} 个 token 放在 {blocks} 个块里，池中哪里有空就放哪里",
            )
        case WhichBlock(position=position, logical=logical):
            return Text(f"Position {position} is in logical block {logical}", f"位置 {position} 在逻辑块 {logical} 里")
        case WhichOffset(offset=offset):
            return Text(f"Within its block it has offset {offset}", f"它在块内的偏移是 {offset}")
        case LookUp(position=position, logical=logical, entry=entry, slot=place):
            return Text(
                f"Logical block {logical} is physical block {entry}, so position {position} is slot {place}",
                f"逻辑块 {logical} 就是物理块 {entry}，所以位置 {position} 在槽位 {place}",
            )
        case Read(position=position, slot=place):
            return Text(
                f"Slot {place} holds the K and V of position {position}",
                f"槽位 {place} 里正是位置 {position} 的 K 和 V",
            )
        case Attended(again=False, memory=memory):
            n = memory.table(FIRST).length
            return Text(
                f"Read through the table, the {n} token{'s' * (n != 1)} give the same output as side by side",
                f"经块表读这 {n} 个 token，输出与连续存放时一样",
            )
        case Attended(memory=memory):
            n = memory.table(FIRST).length
            return Text(
                f"A has {n} tokens now and B lies between them; A’s output is still that of rows side by side",
                f"A 现在有 {n} 个 token，中间还夹着 B；A 的输出仍与连续存放时一样",
            )
        case Appended(memory=memory, position=position, slots=slots, allocated=()):
            run, last = in_range(position, len(slots)), memory.table(FIRST).blocks[-1]
            one = len(slots) == 1
            return Text(
                f"Position{'s' * (not one)} {run.en} go{'es' * one} into block {last}, which had room",
                f"位置 {run.zh} 放进还有空槽位的块 {last}",
            )
        case Appended(position=position, slots=slots, allocated=(new, *_)):
            run = in_range(position, len(slots))
            verb = "takes" if len(slots) == 1 else "take"
            return Text(
                f"Position{'s' * (len(slots) > 1)} {run.en} {verb} a new block: {new}", f"位置 {run.zh} 要用新块：{new}"
            )
        case Arrived(allocated=()):
            return Text("Request B has no tokens yet and takes no block", "请求 B 还没有 token，不占块")
        case Arrived(memory=memory, allocated=blocks):
            n = memory.table("B").length
            return Text(
                f"The {n} token{'s' * (n != 1)} of request B go into block{'s' * (len(blocks) > 1)} "
                f"{series(blocks).en}",
                f"请求 B 的 {n} 个 token 放进块 {series(blocks).zh}",
            )
        case Freed(blocks=blocks):
            one = len(blocks) == 1
            return Text(
                f"A is done: block{'s' * (not one)} {series(blocks).en} {'is' if one else 'are'} free again",
                f"A 结束：块 {series(blocks).zh} 又空闲了",
            )
        case _:
            raise TypeError(f"step: no headline for {type(step).__name__}")


def _explain(scenario: Scenario, step: Step) -> Text:
    size = scenario.block_size
    match step:
        case Filled(memory=memory):
            return _filled(memory)
        case WhichBlock(position=position, logical=logical):
            return Text(
                rf"$\lfloor {position} / {size} \rfloor = {logical}$: a [block](term:block) holds {size} tokens, and "
                r"logical blocks are "
                "counted from 0 in the order the model sees. That says nothing yet about memory.",
                rf"$\lfloor {position} / {size} \rfloor = {logical}$：一个[内存块](term:block)放 {size} 个 token，逻"
                r"辑块按模型看到的"
                "顺序从 0 数起。这时还不知道它在内存的哪里。",
            )
        case WhichOffset(position=position, logical=logical, offset=offset):
            return Text(
                rf"${position} - {logical} \times {size} = {offset}$, the remainder. Inside a block tokens stay side "
                r"by side, so the offset is "
                "the same in the logical and in the physical block. Only the block has to be looked up.",
                rf"${position} - {logical} \times {size} = {offset}$，即余数。块内的 token 仍然挨着放，所以偏移在逻辑"
                r"块和物理块里相同。"
                "要查的只有块号。",
            )
        case LookUp():
            return _look_up(scenario, step)
        case Read():
            return _read(step)
        case Attended():
            return _attended(step)
        case Appended():
            return _appended(scenario, step)
        case Arrived(allocated=()):
            return Text(
                "A block is taken only when there is something to write. An empty request costs nothing here.",
                "只有要写东西时才占块。空请求在这里不花任何内存。",
            )
        case Arrived(memory=memory, allocated=blocks):
            return Text(
                f"B’s [block table](term:block-table) is {bracketed(blocks)}. Its blocks need not touch or keep any "
                "order, and may lie between A’s: two "
                "tables, one [pool](term:block-pool). Nothing was reserved for tokens that B may never have.",
                f"B 的[块表](term:block-table)是 {bracketed(blocks)}。这些块不必相邻，不必有序，还可以夹在 A 的块之"
                "间：两张表，一个"
                "[内存块池](term:block-pool)。没有为 B 也许永远不会有的 token 预留任何东西。",
            )
        case Freed(memory=memory, blocks=blocks):
            n_free, n = len(memory.free), len(memory.ref_counts)
            return Text(
                f"Nobody names {'it' if len(blocks) == 1 else 'them'} any more, so "
                f"{'it queues' if len(blocks) == 1 else 'they queue'} up behind the "
                f"other free blocks: {n_free} of {n} in all; {of_others(memory).en}. Nothing is erased: what still "
                "lies there is stale, and no table leads to it.",
                f"没有表再指向这些块，它们排到其他空闲块后面：{n} 块中共有 {n_free} 块空闲；{of_others(memory).zh}。"
                "内容并没有擦除：里面是作废的旧数据，"
                "只是再没有表通向它。",
            )


def _filled(memory: Memory) -> Text:
    table, size = memory.table(FIRST), memory.block_size
    fill = last_block_fill(table.length, size)
    left = size - fill
    room = (
        Text(f"The last block holds {fill}; {left} of its slots wait.", f"最后一块放了 {fill} 个，还空 {left} 个槽位。")
        if left
        else Text(f"The last block is full: {fill} of {size}.", f"最后一块是满的：{fill} / {size}。")
    )
    return (
        Text(
            f"The model counts positions 0 to {table.length - 1}. Memory is a [pool](term:block-pool) of equal "
            f"blocks of {size} "
            "[slots](term:slot), and neighbours there mean nothing. The [block table](term:block-table) "
            f"{bracketed(table.blocks)} keeps the order: "
            "one entry per logical block. ",
            f"模型按位置 0 到 {table.length - 1} 计数。内存是一个[内存块池](term:block-pool)，每块 {size} 个[槽位"
            "](term:slot)，相邻与否没有意义。"
            f"顺序记在[块表](term:block-table) {bracketed(table.blocks)} 里：每个逻辑块一项。",
        )
        + room
    )


def _look_up(scenario: Scenario, step: LookUp) -> Text:
    size = scenario.block_size
    lead = Text(
        rf"Entry {step.logical} of the [block table](term:block-table) is {step.entry}, and ${step.entry} \times "
        rf"{size} + {step.offset} = {step.slot}$. ",
        rf"[块表](term:block-table)的第 {step.logical} 项是 {step.entry}，而 ${step.entry} \times {size} + "
        rf"{step.offset} = {step.slot}$。",
    )
    if step.slot == step.position:
        return lead + Text(
            "Here slot and position happen to be equal. The table decides that, not the position.",
            "这里槽位恰好等于位置。那是块表决定的，不是位置决定的。",
        )
    return lead + Text(
        f"So it is slot {step.slot} of the pool, not slot {step.position}. To the model the token is still the one "
        f"at position {step.position}: the "
        "table moves storage, never order.",
        f"所以是池中的槽位 {step.slot}，不是槽位 {step.position}。对模型来说它仍是位置 {step.position} 的 token：块表"
        "只改变存放位置，不改变顺序。",
    )


def _read(step: Read) -> Text:
    k, v = (array[0].tolist() for array in rows([step.found or ""]))
    return Text(
        f"They are the numbers that were written when the token came: k = ({vector(k)}), v = ({vector(v)}). Mask and "
        "position still go by "
        f"{step.position}, the place in the sequence; the slot is only where to look.",
        f"就是这个 token 到来时写下的数：k =（{vector(k)}），v =（{vector(v)}）。掩码和位置仍按序列中的 "
        f"{step.position} 计算；槽位只说明去哪里取。",
    )


def _attended(step: Attended) -> Text:
    table = step.memory.table(FIRST)
    error = fixed(step.error) if step.error else "0"
    if step.again:
        return Text(
            "Appending moved no old token, and B writes only where its own table leads. Through "
            f"{bracketed(table.blocks)} the newest "
            f"[query](term:query) finds positions 0 to {table.length - 1} in order; the largest difference from "
            f"contiguous rows is {error}.",
            "追加没有搬动任何旧 token，B 也只写它自己的表指到的地方。最新的[查询](term:query)经 "
            f"{bracketed(table.blocks)} 依次找到位置 "
            f"0 到 {table.length - 1}；与连续存放相比，最大差是 {error}。",
        )
    return Text(
        f"The newest [query](term:query) walks the table {bracketed(table.blocks)}: the same keys and values, in the "
        "same order, so the same sum. "
        f"Largest difference: {error}, computed. A paged kernel looks up each block inside its loop and needs no "
        "contiguous copy.",
        f"最新的[查询](term:query)沿块表 {bracketed(table.blocks)} 走一遍：同样的键和值、同样的顺序，所以和也相同。最"
        f"大差：{error}，是算出来的。"
        "分页内核在循环里逐块查表，不必先拼出一份连续的副本。",
    )


def _appended(scenario: Scenario, step: Appended) -> Text:
    size, table = scenario.block_size, step.memory.table(FIRST)
    fill = last_block_fill(table.length, size)
    if not step.allocated:
        room = size - fill
        after = (
            Text("Now it is full.", "现在它满了。")
            if not room
            else Text(f"{room} of its slots still wait.", f"它还空 {room} 个槽位。")
        )
        return (
            Text(
                f"The last block has {size} slots and held {fill - len(step.slots)} tokens. No block is taken and no "
                "old token moves. ",
                f"最后一块有 {size} 个槽位，原来放了 {fill - len(step.slots)} 个 token。不占新块，旧 token 一个也不"
                "动。",
            )
            + after
        )
    new = step.allocated[0]
    before = table.blocks[: -len(step.allocated)]
    return Text(
        f"Every block of {bracketed(before)} is full, so the pool hands out the next free one. The table grows by "
        f"one entry, {new}: memory is taken only "
        f"with a whole block, {size} slots at a time.",
        f"{bracketed(before)} 的每一块都满了，池就发出下一个空闲块。块表多了一项 {new}：内存总是整块占用，每次 "
        f"{size} 个槽位。",
    )
