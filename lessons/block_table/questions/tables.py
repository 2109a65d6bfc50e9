"""A table and a length: the slots that a query reads, and the positions that have none."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from engine.paged import Mistake, slot
from engine.paged_output import Scenario
from lessons.block_table.form import BLOCK_SIZE, N_BLOCKS, TABLE, TOKENS, table_of
from lessons.block_table.questions.lookup import said_table, shown
from lessons.kit.controls import Complaint, Whole, about
from lessons.kit.form import Form
from lessons.kit.phrases import bracketed, run
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Pick, Tick
from lessons.kit.text import Text


@dataclass(frozen=True)
class Held:
    """`n` tokens in the blocks of `table`."""

    table: tuple[int, ...] = (5, 2)
    block_size: int = 4
    n: int = 6

    @property
    def capacity(self) -> int:
        return len(self.table) * self.block_size

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
        if not x.capacity - x.block_size < x.n <= x.capacity:
            yield about(
                TOKENS,
                f": a table of {len(x.table)} blocks holds {x.capacity - x.block_size + 1} to {x.capacity} tokens "
                f"here; it reads {x.n}.",
                f"：{len(x.table)} 块的块表这里对应 {x.capacity - x.block_size + 1} 到 {x.capacity} 个 token；现在是"
                f" {x.n}。",
            )

    return Form((table_of(least), size, N), unfit=unfit)


def _held_way(x: Held, mistake: Mistake = Mistake.NONE) -> Scenario:
    scenario = shown(x.table, x.block_size, mistake=mistake)
    return replace(scenario, n_tokens=min(x.n, scenario.n_tokens), position=0)


def _ticked(x: Held, slots: tuple[int, ...]) -> Answer:
    return tuple(float(s in slots) for s in range(SMALL_POOL * x.block_size))


def _invent_read(rng: random.Random) -> Held:
    size, k = rng.choice((3, 4)), rng.choice((2, 3))
    return Held(tuple(rng.sample(range(SMALL_POOL), k)), size, (k - 1) * size + rng.randint(1, size - 1))


READ: Question[Held] = Question(
    slug="read",
    title=Text("The slots that are read", "读哪些槽位"),
    prompt=lambda x: (
        Text(f"A pool of {SMALL_POOL} blocks. A has {x.n} tokens: ", f"池中有 {SMALL_POOL} 块。A 有 {x.n} 个 token：")
        + said_table(x.table, x.block_size)
        + Text("Which slots does A’s newest query read? Tick them all.", "A 最新的查询要读哪些槽位？全部勾上。")
    ),
    form=_held_form(FEW, SMALL_POOL, 1),
    inputs=Held(),
    invent=_invent_read,
    formula=lambda x: _ticked(x, x.slots(range(x.n))),
    slips=(
        Slip(
            "logical",
            Text("Took positions for slots", "把位置当成了槽位"),
            lambda x: _ticked(x, tuple(range(x.n))),
            lambda x: Text(
                f"Those are slots 0 to {x.n - 1} in a row. The table says which blocks are A’s: {bracketed(x.table)}.",
                f"这是从头数的槽位 0 到 {x.n - 1}。哪些块属于 A，要看块表：{bracketed(x.table)}。",
            ),
            lambda x: _held_way(x, Mistake.LOGICAL_AS_PHYSICAL),
        ),
        Slip(
            "whole_blocks",
            Text("Read whole blocks", "整块都读了"),
            lambda x: _ticked(x, x.slots(range(x.capacity))),
            lambda x: Text(
                f"The last block holds {x.n - x.capacity + x.block_size} of {x.block_size}: behind them nothing has "
                "been written that is A’s.",
                f"末块只放了 {x.n - x.capacity + x.block_size} 个（共 {x.block_size} 个槽位）：后面没有写过 A 的东西。",
            ),
        ),
        Slip(
            "sorted",
            Text("Filled the blocks by their numbers", "按块号大小装了"),
            lambda x: _ticked(x, replace(x, table=tuple(sorted(x.table))).slots(range(x.n))),
            lambda x: Text(
                f"The unfilled block is the last of the table, {x.table[-1]}, whatever its number.",
                f"没装满的是块表的最后一项，块 {x.table[-1]}，与块号大小无关。",
            ),
        ),
        Slip(
            "one_based",
            Text("Counted positions from 1", "位置从 1 数起了"),
            lambda x: _ticked(x, x.slots(range(1, min(x.n + 1, x.capacity)))),
            Text(
                "Position 0 is read as well, and nothing lies one further on.",
                "位置 0 也要读，而再往后一个还没有东西。",
            ),
        ),
    ),
    working=lambda x: Text(
        f"All of the full blocks {bracketed(x.table[:-1])}, and of block {x.table[-1]} the first "
        f"{x.n - x.capacity + x.block_size}.",
        f"满块 {bracketed(x.table[:-1])} 全读，块 {x.table[-1]} 读前 {x.n - x.capacity + x.block_size} 个。",
    ),
    way=_held_way,
    reply=Tick(
        lambda x: tuple(Text(f"block {b}", f"块 {b}") for b in range(SMALL_POOL)),
        lambda x: tuple(Text(f"offset {o}", f"偏移 {o}") for o in range(x.block_size)),
    ),
    rows=lambda x: (
        Row(Text("Blocks", "块"), Text("all entries of the table", "块表的每一项"), bracketed(x.table)),
        Row(
            Text("In the full ones", "满块里"),
            f"{len(x.table) - 1} × {x.block_size}",
            Text(f"{x.capacity - x.block_size} tokens", f"{x.capacity - x.block_size} 个 token"),
        ),
        Row(
            Text(f"In block {x.table[-1]}", f"块 {x.table[-1]} 里"),
            f"{x.n} − {x.capacity - x.block_size}",
            Text(
                f"offsets 0 to {x.n - x.capacity + x.block_size - 1}",
                f"偏移 0 到 {x.n - x.capacity + x.block_size - 1}",
            ),
        ),
    ),
)


# --- a position without a slot


def _positions(x: Held) -> tuple[int, ...]:
    """The first place outside, the last inside, where the last block begins, the very first."""
    return x.capacity, x.capacity - 1, x.capacity - x.block_size, 0


def _order(x: Held) -> tuple[int, ...]:
    return shuffled(4, x.n, x.block_size, *x.table)


def _option(which: int) -> Callable[[Held], Answer]:
    return lambda x: (place(_order(x), which),)


def _invent_unmapped(rng: random.Random) -> Held:
    size, k = rng.choice((3, 4, 5, 8)), rng.choice((2, 3))
    return Held(tuple(rng.sample(range(N_BLOCKS), k)), size, (k - 1) * size + rng.randint(1, size - 1))


UNMAPPED: Question[Held] = Question(
    slug="unmapped",
    title=Text("A position without a slot", "没有槽位的位置"),
    prompt=lambda x: (
        Text(f"A has {x.n} tokens. ", f"A 有 {x.n} 个 token。")
        + said_table(x.table, x.block_size)
        + Text(
            "Which position, counted from 0, must a lookup refuse, because the table gives it no slot?",
            "从 0 数起，块表没有给哪个位置槽位，查表时必须拒绝？",
        )
    ),
    form=_held_form(Whole("block_size", BLOCK_SIZE.label, 2, 8), N_BLOCKS, 2),
    inputs=Held((7, 2, 19), 4, 10),
    invent=_invent_unmapped,
    formula=_option(0),
    slips=(
        Slip(
            "empty",
            Text("Took an empty slot for none", "把空槽位当成没有槽位"),
            _option(1),
            lambda x: (
                Text(
                    f"No token lies there yet, but block {x.table[-1]} is A’s and has a slot for it. The next tokens "
                    "go there.",
                    f"那里还没有 token，但块 {x.table[-1]} 属于 A，有它的槽位，接下来的 token 就放在那里。",
                )
                if x.n < x.capacity
                else Text(
                    f"That is the last slot of block {x.table[-1]}, and A’s last token lies there.",
                    f"那是块 {x.table[-1]} 的最后一个槽位，放着 A 的最后一个 token。",
                )
            ),
        ),
        Slip(
            "begins",
            Text("Took the beginning of a block for its end", "把块的开头当成了结尾"),
            _option(2),
            lambda x: Text(
                f"There the last block begins: entry {len(x.table) - 1}, offset 0.",
                f"那里是末块的开头：第 {len(x.table) - 1} 项，偏移 0。",
            ),
        ),
        Slip(
            "one_based",
            Text("Counted positions from 1", "位置从 1 数起了"),
            _option(3),
            Text("Position 0 is the first token: entry 0, offset 0.", "位置 0 就是第一个 token：第 0 项，偏移 0。"),
        ),
    ),
    working=lambda x: Text(
        f"{len(x.table)} entries × {x.block_size} = {x.capacity} slots: positions 0 to {x.capacity - 1}. Nothing "
        "wraps round to the end or the beginning.",
        f"{len(x.table)} 项 × {x.block_size} = {x.capacity} 个槽位：位置 0 到 {x.capacity - 1}。超出时不会绕回开头或"
        "末尾。",
    ),
    way=_held_way,
    reply=Pick(lambda x: tuple(Text(f"position {p}", f"位置 {p}") for p in (_positions(x)[i] for i in _order(x)))),
    rows=lambda x: (
        Row(
            Text("Slots that the table gives", "块表给出的槽位数"), f"{len(x.table)} × {x.block_size}", str(x.capacity)
        ),
        Row(Text("Positions with a slot", "有槽位的位置"), Text("counted from 0", "从 0 数起"), run(0, x.capacity)),
        Row(
            Text("The first without", "第一个没有槽位的"),
            Text("one further", "再往后一个"),
            Text(f"position {x.capacity}", f"位置 {x.capacity}"),
        ),
    ),
)
