"""A table and a length: the slots that a query reads, and the positions that have none."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from engine.paged import Mistake, slot
from engine.paged_output import Scenario
from lessons.block_table.form import BLOCK_SIZE, N_BLOCKS, TABLE, TOKENS, table_of
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.questions.lookup import SAID, Tabled, shown
from lessons.kit.controls import Complaint, Whole, about
from lessons.kit.form import Form
from lessons.kit.phrases import bracketed, run
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Slip
from lessons.kit.reply import Answer, Pick, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told


@dataclass(frozen=True)
class Held(Tabled):
    """`n` tokens in the blocks of `table`."""

    table: tuple[int, ...] = (5, 2)
    block_size: int = 4
    n: int = 6

    @property
    def full(self) -> int:
        """Slots of all blocks but the last."""
        return self.capacity - self.block_size

    @property
    def in_last(self) -> int:
        """Tokens in the last block."""
        return self.n - self.full

    @property
    def end(self) -> int:
        """The last position with a slot."""
        return self.capacity - 1

    @property
    def ordinal(self) -> int:
        """Which token would be the first without a slot, counted from 1."""
        return self.capacity + 1

    def slots(self, positions: range) -> tuple[int, ...]:
        return tuple(slot(p, self.table, self.block_size) for p in positions)


SMALL_POOL = 8  # blocks of the pool whose slots are ticked
FEW = Whole("block_size", BLOCK_SIZE.label, 2, 4)
N = replace(TOKENS, of="n")


def _held_form(size: Whole, pool: int, least: int) -> Form[Held]:
    def unfit(x: Held) -> Iterator[Complaint]:
        if max(x.table) >= pool:
            yield about(
                TABLE,
                f"names block {max(x.table)}; the pool of this question has blocks 0 to {pool - 1}.",
                f"里有块 {max(x.table)}；本题的池只有块 0 到 {pool - 1}。",
            )
        if not x.full < x.n <= x.capacity:
            yield about(
                TOKENS,
                f": a table of {x.entries} blocks holds {x.full + 1} to {x.capacity} tokens here; it reads {x.n}.",
                f"：{x.entries} 块的块表这里对应 {x.full + 1} 到 {x.capacity} 个 token；现在是 {x.n}。",
            )

    return Form((table_of(least), size, N), unfit=unfit)


def _held_way(x: Held) -> Scenario:
    scenario = shown(x)
    return replace(scenario, n_tokens=min(x.n, scenario.n_tokens), position=0)


def _ticked(x: Held, slots: tuple[int, ...]) -> Answer:
    return tuple(float(s in slots) for s in range(SMALL_POOL * x.block_size))


def _invent_read(rng: random.Random) -> Held:
    size, k = rng.choice((3, 4)), rng.choice((2, 3))
    return Held(tuple(rng.sample(range(SMALL_POOL), k)), size, (k - 1) * size + rng.randint(1, size - 1))


READ: Question[Held] = Question(
    slug="read",
    title=Text("The slots that are read", "读哪些槽位"),
    prompt=Told(
        f"The pool has {SMALL_POOL} blocks, and A has {{n:token}}. ", f"池中有 {SMALL_POOL} 块，A 有 {{n}} 个 token。"
    )
    + SAID
    + Text("Which slots does A’s newest query read? Tick them all.", "A 最新的查询要读哪些槽位？全部勾上。"),
    form=_held_form(FEW, SMALL_POOL, 1),
    inputs=Held(),
    invent=_invent_read,
    formula=lambda x: _ticked(x, x.slots(range(x.n))),
    slips=(
        MISTAKES.slip(
            Mistake.LOGICAL_AS_PHYSICAL,
            lambda x: _ticked(x, tuple(range(x.n))),
            _held_way,
            name="logical",
            title=Text("Took positions for slots", "把位置当成了槽位"),
            said=lambda x: Told(
                "Those are the numbers of A’s positions, {positions}. The table says in which physical blocks they "
                "lie: {listed}.",
                "这是 A 的位置号 {positions}。它们在哪些物理块里，要看块表：{listed}。",
            ).on(x, positions=run(0, x.n)),
        ),
        Slip(
            "whole_blocks",
            Text("Read whole blocks", "整块都读了"),
            lambda x: _ticked(x, x.slots(range(x.capacity))),
            Told(
                "The last block has {block_size:slot}, of which {in_last} {in_last|holds|hold} a token of A. The "
                "others are not read.",
                "末块有 {block_size} 个槽位，其中 {in_last} 个放着 A 的 token，其余的不读。",
            ),
        ),
        Slip(
            "sorted",
            Text("Filled the blocks by their numbers", "按块号大小装了"),
            lambda x: _ticked(x, replace(x, table=tuple(sorted(x.table))).slots(range(x.n))),
            Told(
                "The block that is not full is the last one of the table, physical block {last}, whatever its number.",
                "没装满的是块表的最后一项，物理块 {last}，与块号大小无关。",
            ),
        ),
        Slip(
            "one_based",
            Text("Counted positions from 1", "位置从 1 数起了"),
            lambda x: _ticked(x, x.slots(range(1, min(x.n + 1, x.capacity)))),
            Told(
                "Positions are counted from 0, so position 0 is read, too, and the last one is {n} − 1.",
                "位置从 0 数起，所以位置 0 也要读，最后一个是 {n} − 1。",
            ),
        ),
    ),
    working=lambda x: Told(
        "All slots of the full blocks {full}, and of physical block {last} the first {in_last}.",
        "满块 {full} 全读，物理块 {last} 读前 {in_last} 个。",
    ).on(x, full=bracketed(x.table[:-1])),
    way=_held_way,
    reply=Tick(
        tuple(Text(f"block {b}", f"块 {b}") for b in range(SMALL_POOL)),
        lambda x: tuple(Text(f"offset {o}", f"偏移 {o}") for o in range(x.block_size)),
    ),
    rows=(
        Line(Text("Physical blocks", "物理块"), Text("all entries of the table", "块表的每一项"), "{listed}"),
        Line(
            Text("In the full blocks", "满块里"),
            lambda x: f"{x.entries - 1} × {x.block_size}",
            Told("{full:token}", "{full} 个 token"),
        ),
        Line(
            Told("In physical block {last}", "物理块 {last} 里"),
            "{n} − {full}",
            lambda x: Text(f"offsets 0 to {x.in_last - 1}", f"偏移 0 到 {x.in_last - 1}"),
        ),
    ),
)


# --- a position without a slot


def _positions(x: Held) -> tuple[int, ...]:
    """The first place outside, the last inside, where the last block begins, the very first."""
    return x.capacity, x.end, x.full, 0


def _order(x: Held) -> tuple[int, ...]:
    return shuffled(4, x.n, x.block_size, *x.table)


def _option(which: int) -> Callable[[Held], float]:
    return lambda x: place(_order(x), which)


def _invent_unmapped(rng: random.Random) -> Held:
    size, k = rng.choice((3, 4, 5, 8)), rng.choice((2, 3))
    return Held(tuple(rng.sample(range(N_BLOCKS), k)), size, (k - 1) * size + rng.randint(1, size - 1))


def _no_token_there(x: Held) -> Text:
    if x.n < x.capacity:
        return Told(
            "There is no token at that position yet, but physical block {last} is A’s and has a slot for it.",
            "那个位置还没有 token，但物理块 {last} 属于 A，里面有它的槽位。",
        ).on(x)
    return Told(
        "That position has the last slot of physical block {last}, and A’s last token lies there.",
        "那个位置就在物理块 {last} 的最后一个槽位，放着 A 的最后一个 token。",
    ).on(x)


UNMAPPED: Question[Held] = Question(
    slug="unmapped",
    title=Text("A position without a slot", "没有槽位的位置"),
    prompt=Told("A has {n:token}. ", "A 有 {n} 个 token。")
    + SAID
    + Text(
        "Which of these positions, counted from 0, has no slot in the table, so that a lookup must raise an error?",
        "下列哪个位置（从 0 数起）在块表中没有对应槽位，查表时应报错？",
    ),
    form=_held_form(Whole("block_size", BLOCK_SIZE.label, 2, 8), N_BLOCKS, 2),
    inputs=Held((7, 2, 19), 4, 10),
    invent=_invent_unmapped,
    formula=_option(0),
    slips=(
        Slip(
            "empty",
            Text("Took an empty slot for no slot", "把空槽位当成没有槽位"),
            _option(1),
            _no_token_there,
        ),
        Slip(
            "begins",
            Text("Took the first position of a block for the end", "把块的第一个位置当成了末尾"),
            _option(2),
            lambda x: Told(
                "That is the first position of the last block: entry {entry}, offset 0.",
                "那是末块的第一个位置：第 {entry} 项，偏移 0。",
            ).on(entry=x.entries - 1),
        ),
        Slip(
            "one_based",
            Text("Counted positions from 1", "位置从 1 数起了"),
            _option(3),
            Text(
                "Position 0 is that of the first token: entry 0, offset 0.",
                "位置 0 就是第一个 token 的位置：第 0 项，偏移 0。",
            ),
        ),
    ),
    working=Told(
        r"${entries} \times {block_size} = {capacity}$ slots are positions 0 to {end}. A lookup beyond them does not "
        "wrap round to the other end.",
        r"${entries} \times {block_size} = {capacity}$ 个槽位，对应位置 0 到 {end}。超出时不会绕到另一头。",
    ),
    way=_held_way,
    reply=Pick(lambda x: tuple(Text(f"position {p}", f"位置 {p}") for p in (_positions(x)[i] for i in _order(x)))),
    rows=(
        Line(Text("Slots that the table gives", "块表给出的槽位数"), "{entries} × {block_size}", "{capacity}"),
        Line(
            Text("Positions with a slot", "有槽位的位置"),
            Text("counted from 0", "从 0 数起"),
            lambda x: run(0, x.capacity),
        ),
        Line(
            Text("The first position without a slot", "第一个没有槽位的位置"),
            Text("the next one", "再往后一个"),
            Told("position {capacity}", "位置 {capacity}"),
        ),
    ),
)
