"""One position looked up: its slot and its physical block."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.paged import Mistake, slot
from engine.paged_output import Scenario
from lessons.block_table.form import BLOCK_SIZE, MOST_TOKENS, N_BLOCKS, POSITION, TABLE, within
from lessons.block_table.mistakes import MISTAKES
from lessons.kit.form import Form
from lessons.kit.phrases import bracketed
from lessons.kit.question import COUNTED, Line, Question, Slip, together
from lessons.kit.text import Text
from lessons.kit.told import Told

SAID = Told(
    "The block size is {block_size}, and the block table is {listed}. ", "块大小是 {block_size}，块表是 {listed}。"
)


class Tabled:
    """A block table and its block size."""

    table: tuple[int, ...]
    block_size: int

    @property
    def listed(self) -> str:
        return bracketed(self.table)

    @property
    def entries(self) -> int:
        return len(self.table)

    @property
    def capacity(self) -> int:
        """Slots that the table gives, and so the first position without one."""
        return self.entries * self.block_size

    @property
    def last(self) -> int:
        """The block of the last entry."""
        return self.table[-1]


@dataclass(frozen=True)
class Lookup(Tabled):
    """Where is `position`?"""

    table: tuple[int, ...] = (7, 2, 19)
    block_size: int = 4
    position: int = 5

    @property
    def logical(self) -> int:
        return self.position // self.block_size

    @property
    def offset(self) -> int:
        return self.position % self.block_size

    def entry(self, i: int) -> int:
        """Entry i of the table. Raises LookupError where there is none: nothing wraps."""
        if i < 0:
            raise LookupError(f"entry {i}")
        return self.table[i]

    @property
    def block(self) -> int:
        return self.table[self.logical]

    @property
    def slot(self) -> int:
        return slot(self.position, self.table, self.block_size)


LOGICAL: Line[Lookup] = Line(Text("Logical block", "逻辑块"), "⌊{position} ÷ {block_size}⌋", "{logical}")
OFFSET: Line[Lookup] = Line(Text("Offset", "偏移"), "{position} − {logical} × {block_size}", "{offset}")
ENTRY: Line[Lookup] = Line(
    Text("Physical block", "物理块"), Told("entry {logical} of the table", "块表第 {logical} 项"), "{block}"
)
IN_SLOT: Line[Lookup] = Line(Text("Slot", "槽位"), "{block} × {block_size} + {offset}", "{slot}")

LOOKUP_FORM: Form[Lookup] = Form(
    (TABLE, BLOCK_SIZE, POSITION),
    together=lambda v: within(v["position"], min(len(v["table"]) * v["block_size"], MOST_TOKENS)),
)


def shown(x: Tabled, position: int = 0) -> Scenario:
    """A of as many tokens as the table holds, or as the player takes."""
    n = min(x.capacity, MOST_TOKENS)
    return Scenario(n, x.block_size, min(position, n - 1), 0, 0, x.table, (), N_BLOCKS)


def _way(x: Lookup) -> Scenario:
    return shown(x, x.position)


def _invent_lookup(rng: random.Random) -> Lookup:
    size = rng.choice((2, 3, 4, 4, 8))
    table = tuple(rng.sample(range(N_BLOCKS), rng.randint(3, min(5, MOST_TOKENS // size)) if size < 8 else 3))
    return Lookup(table, size, rng.randrange(size, len(table) * size))


_LOGICAL: Slip[Lookup] = MISTAKES.slip(
    Mistake.LOGICAL_AS_PHYSICAL,
    lambda x: slot(x.position, x.table, x.block_size, Mistake.LOGICAL_AS_PHYSICAL),
    _way,
    name="logical",
    title=Text("Took the logical block for the physical one", "把逻辑块当成了物理块"),
    said=Told(
        "The table was not read, as if logical block {logical} were physical block {logical}. Entry {logical} says "
        "{block}.",
        "没有查块表，等于把逻辑块 {logical} 当成物理块 {logical}。块表第 {logical} 项是 {block}。",
    ),
)


def _one_early(x: Lookup, mistake: Mistake = Mistake.NONE) -> float:
    """The slot of the position before; −1, which is no slot, before position 0."""
    return float(slot(x.position - 1, x.table, x.block_size, mistake)) if x.position else -1.0


_ONE_BASED: Slip[Lookup] = Slip(
    "one_based",
    Text("Counted positions from 1", "位置从 1 数起了"),
    _one_early,
    Text("Positions are counted from 0, so this is one position too early.", "位置从 0 数起，所以这早了一个位置。"),
)

SLOT: Question[Lookup] = Question(
    slug="slot",
    title=Text("The slot of a position", "某个位置的槽位"),
    prompt=SAID
    + Told(
        "In which slot of the pool does position {position} lie? (Everything is counted from 0.)",
        "位置 {position} 在池中的哪个槽位？（都从 0 数起。）",
    ),
    form=LOOKUP_FORM,
    inputs=Lookup(position=6),
    invent=_invent_lookup,
    formula=lambda x: x.slot,
    slips=(
        _LOGICAL,
        Slip(
            "forgot_offset",
            Text("Forgot the offset", "忘了偏移"),
            lambda x: x.block * x.block_size,
            Text(
                "That is the first slot of the physical block. The offset in it has to be added.",
                "这是物理块的第一个槽位，还要加上块内偏移。",
            ),
        ),
        Slip(
            "added",
            Text("Forgot to multiply by the block size", "忘了乘块大小"),
            lambda x: x.block + x.offset,
            Told(
                "That is block number plus offset. Each earlier block has {block_size:slot}, so multiply first.",
                "这是块号加偏移。前面每个块都有 {block_size} 个槽位，要先相乘。",
            ),
        ),
        _ONE_BASED,
        Slip(
            "wrapped",
            Text("Took the last entry", "取了最后一项"),
            lambda x: x.table[-1] * x.block_size + x.offset,
            Text(
                "That uses the last entry of the table, as index −1 does in Python. The quotient says which entry it "
                "is.",
                "这用了块表的最后一项，就像 Python 的下标 −1。该用哪一项，由商决定。",
            ),
        ),
        together(_LOGICAL, _ONE_BASED, lambda x: _one_early(x, Mistake.LOGICAL_AS_PHYSICAL)),
    ),
    working=Told(
        r"${position} = {logical} \times {block_size} + {offset}$, and entry {logical} is {block}. So the slot is "
        r"${block} \times {block_size} + {offset} = {slot}$.",
        r"${position} = {logical} \times {block_size} + {offset}$，第 {logical} 项是 {block}。所以槽位是 "
        r"${block} \times {block_size} + {offset} = {slot}$。",
    ),
    way=_way,
    rows=(LOGICAL, OFFSET, ENTRY, IN_SLOT),
    tolerance=COUNTED,
)


BLOCK: Question[Lookup] = Question(
    slug="block",
    title=Text("The physical block", "物理块"),
    prompt=SAID
    + Told(
        "Which physical block holds position {position}? (Everything is counted from 0.)",
        "位置 {position} 在哪个物理块里？（都从 0 数起。）",
    ),
    form=LOOKUP_FORM,
    inputs=Lookup((7, 3, 19, 5), 4, 8),
    invent=_invent_lookup,
    formula=lambda x: x.block,
    slips=(
        MISTAKES.slip(
            Mistake.LOGICAL_AS_PHYSICAL,
            lambda x: x.logical,
            _way,
            name="logical",
            title=Text("Gave the logical block", "答了逻辑块"),
            said=Text(
                "That is the number of the table entry. The entry itself is the physical block.",
                "这是块表里的第几项。那一项的内容才是物理块号。",
            ),
        ),
        Slip(
            "one_based",
            Text("Counted entries from 1", "表项从 1 数起了"),
            lambda x: x.entry(x.logical - 1),
            Text(
                "That is the entry before. The entries of the table are counted from 0.",
                "这是前一项。块表的项从 0 数起。",
            ),
        ),
        Slip(
            "remainder",
            Text("Looked up the offset", "用偏移去查了表"),
            lambda x: x.entry(x.offset),
            Text(
                "That is the entry at the remainder, which is the offset in the block. The quotient says which entry "
                "it is.",
                "这是用余数去查的，余数是块内的偏移。该查第几项，由商决定。",
            ),
        ),
        Slip(
            "next",
            Text("Took the entry after", "取了后一项"),
            lambda x: x.entry(x.logical + 1),
            Text(
                "That is the entry after. The quotient is rounded down, and entries are counted from 0.",
                "这是后一项。商要向下取整，表项从 0 数起。",
            ),
        ),
    ),
    working=Told(
        r"$\lfloor {position} / {block_size} \rfloor = {logical}$, and entry {logical} is {block}.",
        r"$\lfloor {position} / {block_size} \rfloor = {logical}$，第 {logical} 项是 {block}。",
    ),
    way=_way,
    rows=(LOGICAL, ENTRY),
    tolerance=COUNTED,
)
