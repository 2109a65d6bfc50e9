"""Find the line: the program of the lesson with one line spoilt, where a slot is looked up or where a request grows."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.paged import Mistake, blocks_for
from engine.paged_output import Scenario
from lessons.block_table.code import CODE
from lessons.block_table.form import APPENDED, BLOCK_SIZE, FORM, FREE, N_BLOCKS, SECOND, TABLE, TOKENS
from lessons.block_table.presets import CHAPTER
from lessons.kit.find_line import Spoilt, find_line
from lessons.kit.text import Text
from lessons.kit.told import Words

_RIGHT: dict[str, Words[Scenario]] = {
    "made": Text("This only makes up a key and a value for each token.", "这里只是给每个 token 编出一个键和一个值。"),
    "weigh": Text(
        "This is attention by the formula: scores, their exponentials, the weighted average of the values.",
        "这就是按公式算注意力：分数、指数、值的加权平均。",
    ),
    "take": Text(
        "A request takes as many blocks as its tokens need, rounded up, and they are its table.",
        "请求按 token 数取块，向上取整；这些块就是它的块表。",
    ),
    "store": Text(
        "Each token goes into its block at its offset, with the block taken from the table.",
        "每个 token 放进块表给出的块里，按它的偏移放。",
    ),
    "fill": Text(
        "All blocks before the last are full, so the last holds the rest: 1 token up to a full block.",
        "末块之前的块都是满的，剩下的在末块里：从 1 个 token 到满一块。",
    ),
    "full": Text("A new block is needed only when the last one is full.", "只有末块满了才需要新块。"),
    "grow": Text(
        "The pool hands out the next free block, which becomes the last of the table.",
        "池发出下一个空闲块，排在块表末尾。",
    ),
    "write": Text(
        "The new token goes into the last block, at the offset of its position.",
        "新 token 放进末块，偏移由它的位置决定。",
    ),
    "divide": Text("The quotient is the logical block, the remainder the offset.", "商是逻辑块，余数是偏移。"),
    "look_up": Text("The table names the physical block of the logical block.", "块表给出逻辑块所在的物理块。"),
    "slot": Text(
        "Each earlier block of the pool has that many slots, and the offset is added.",
        "池中前面每块都有这么多槽位，再加上偏移。",
    ),
    "rows": Text(
        "These are the tokens of all full blocks and those of the last one.",
        "这是所有满块的 token 加上末块里的 token。",
    ),
    "loop": Text("Positions are counted from 0, and each is looked up.", "位置从 0 数起，逐个查表。"),
    "attend": Text(
        "The newest token is at position n − 1, and it attends to the rows found.",
        "最新的 token 在位置 n − 1，与查到的各行做注意力。",
    ),
    "pool": Text("Before anything is stored, memory holds what others left.", "还没存东西时，内存里是别人留下的数。"),
    "first": Text(
        "A stores its tokens first, and its newest token attends.", "A 先存好自己的 token，最新的 token 再做注意力。"
    ),
    "more": Text(
        "Then A grows by one token at a time, each at the next position.", "然后 A 每次长一个 token，位置依次往后。"
    ),
    "second": Text("B takes its blocks from the same free ones.", "B 从同一批空闲块里取块。"),
    "last": Text("A attends again, now with all its tokens.", "A 再做一次注意力，这时它的 token 都在。"),
    "release": Text(
        "A’s blocks go behind the other free ones, the last of them first.", "A 的块排到其他空闲块之后，末块在前。"
    ),
}


def _invent(rng: random.Random) -> Scenario:
    """A prompt that does not fill its last block, grown past its end: the table is shuffled."""
    size = rng.choice((2, 3, 4))
    n = rng.randint(size + 1, 3 * size)
    more, second = (-n) % size + rng.randint(1, size), rng.randint(1, 2 * size)
    held, total = blocks_for(n, size), blocks_for(n + more, size) + blocks_for(second, size)
    blocks = tuple(rng.sample(range(N_BLOCKS), total))
    return replace(
        CHAPTER,
        n_tokens=n,
        block_size=size,
        position=0,
        n_appended=more,
        n_second=second,
        table=blocks[:held],
        free=blocks[held:],
    )


_FORM = FORM.only(TABLE, FREE, BLOCK_SIZE, TOKENS, APPENDED, SECOND)
_INPUTS = replace(CHAPTER, position=0, free=(5, 3, 15))

FIND_LOOK_UP = find_line(
    slug="line-lookup",
    title=Text("Find the line: the wrong slots are read", "找出错行：读错了槽位"),
    code=CODE,
    right=_RIGHT,
    spoilt=(
        Spoilt(
            "block = table[logical]",
            "block = logical",
            Text(
                "The table is not read, so every slot equals its position, whoever owns it.",
                "没有查块表，于是槽位总等于位置，不管属于谁。",
            ),
            Mistake.LOGICAL_AS_PHYSICAL,
        ),
        Spoilt(
            "block = table[logical]",
            "block = table[-1]",
            Text("Every position is looked for in the last block.", "每个位置都到末块里去找。"),
        ),
        Spoilt(
            "logical, offset = divmod(p, size)",
            "offset, logical = divmod(p, len(table))",
            Text(
                "Positions are dealt out over the blocks in turn instead of filling one block after the other.",
                "位置被轮流分到各块，而不是装满一块再装下一块。",
            ),
        ),
        Spoilt(
            "return block * size + offset",
            "return block + offset",
            Text(
                "The number of the block is not multiplied by the block size, so slots of other blocks are read.",
                "块号没有乘块大小，读到了别的块的槽位。",
            ),
        ),
        Spoilt(
            "slots = [slot(p, table, size) for p in range(rows)]",
            "slots = [slot(p, table, size) for p in range(-1, rows)]",
            Text(
                "The loop starts at position −1, which Python looks up in the last entry of the table.",
                "循环从位置 −1 开始，Python 用块表的最后一项去查它。",
            ),
            Mistake.MINUS_ONE_WRAPS,
        ),
        Spoilt(
            "slots = [slot(p, table, size) for p in range(rows)]",
            "slots = [slot(p, table, size) for p in range(1, rows)]",
            Text("Positions are counted from 1, so position 0 is never read.", "位置从 1 数起，位置 0 永远读不到。"),
        ),
    ),
    form=_FORM,
    inputs=_INPUTS,
    invent=_invent,
)

FIND_GROWTH = find_line(
    slug="line-growth",
    title=Text("Find the line: tokens are lost or miscounted", "找出错行：丢了 token，或数错了"),
    code=CODE,
    right=_RIGHT,
    spoilt=(
        Spoilt(
            "return n - (len(table) - 1) * size",
            "return n % size",
            Text(
                "The remainder is 0 where the last block is full, so the full block is taken for an empty one.",
                "末块满时余数是 0，于是满块被当成空块。",
            ),
            Mistake.FILL_MODULO,
        ),
        Spoilt(
            "if in_last(n, table, size) == size:",
            "if in_last(n, table, size) == size - 1:",
            Text(
                "The new block is taken one token too early, and a slot of the block before is never written.",
                "新块取早了一个 token，前一块里有一个槽位永远没写。",
            ),
        ),
        Spoilt(
            "table.append(free.pop(0))",
            "table.append(table[-1] + 1)",
            Text(
                "The block after the last one in memory is taken without asking the pool, and may be somebody else’s.",
                "没有向池要块，直接用了内存里紧接末块的那一块，它可能是别人的。",
            ),
        ),
        Spoilt(
            "table.append(free.pop(0))",
            "table.append(free[0])",
            Text(
                "The block stays in the list of free ones, so B gets it, too, and writes over A’s tokens.",
                "这一块还留在空闲列表里，B 也会拿到它，盖掉 A 的 token。",
            ),
        ),
        Spoilt(
            "memory[table[-1] * size + n % size] = row",
            "memory[table[-1] * size] = row",
            Text(
                "Without the offset each new token is written over the first one of its block.",
                "没有加偏移，每个新 token 都盖掉块里的第一个。",
            ),
        ),
        Spoilt(
            "rows = (len(table) - 1) * size + in_last(n, table, size)",
            "rows = len(table) * size",
            Text(
                "Whole blocks are read, also the slots of the last block in which no token lies.",
                "整块都读了，末块里没放 token 的槽位也读了进来。",
            ),
        ),
    ),
    form=_FORM,
    inputs=_INPUTS,
    invent=_invent,
)
