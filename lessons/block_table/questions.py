"""Questions on looking up and growing. Every answer and every slip is computed by the engine or by a formula of one line."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.paged import Mistake, blocks_for, last_block_fill, slot
from engine.paged_lookup import Appended
from engine.paged_output import Scenario, trace
from lessons.block_table.form import (
    BLOCK_SIZE,
    FORM,
    MOST_APPENDED,
    MOST_TOKENS,
    N_BLOCKS,
    TABLE,
    blocks_of,
    listed,
    position_of,
)
from lessons.block_table.form import POSITION as POSITION_FIELD
from lessons.block_table.mistakes import bracketed
from lessons.kit.controls import Form, Whole
from lessons.kit.question import Question, Slip
from lessons.kit.reply import Vector
from lessons.kit.text import Text

CHAPTER = Scenario(free=(5, 3, 15, 11, 8, 13, 17))
ROOMY = Scenario(position=0, n_appended=0, n_second=0, table=tuple(range(N_BLOCKS)), free=())


# --- a table and a position


@dataclass(frozen=True)
class Lookup:
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

    @property
    def block(self) -> int:
        return self.table[self.logical]


def _lookup(values: Mapping[str, Any]) -> Lookup:
    table, size = blocks_of(TABLE, values["table"], least=1), values["block_size"]
    return Lookup(table, size, position_of(values["position"], min(len(table) * size, MOST_TOKENS)))


LOOKUP_FORM: Form[Lookup] = Form(
    (TABLE, BLOCK_SIZE, POSITION_FIELD),
    _lookup,
    lambda x: {"table": listed(x.table), "block_size": x.block_size, "position": str(x.position)},
)


def _way(x: Lookup, mistake: Mistake = Mistake.NONE) -> Scenario:
    """A of as many tokens as the table holds, or as the player takes."""
    n = min(len(x.table) * x.block_size, MOST_TOKENS)
    return Scenario(n, x.block_size, x.position, 0, 0, x.table, (), N_BLOCKS, mistake)


def _invent_lookup(rng: random.Random) -> Lookup:
    size = rng.choice((2, 3, 4, 4, 8))
    table = tuple(rng.sample(range(N_BLOCKS), rng.randint(3, min(5, MOST_TOKENS // size)) if size < 8 else 3))
    return Lookup(table, size, rng.randrange(size, len(table) * size))


def _said_table(x: Lookup) -> Text:
    return Text(
        f"Blocks of {x.block_size}, block table {bracketed(x.table)}. ",
        f"块大小 {x.block_size}，块表 {bracketed(x.table)}。",
    )


SLOT: Question[Lookup] = Question(
    "slot",
    Text("The slot of a position", "某个位置的槽位"),
    lambda x: _said_table(x) + Text(f"In which slot of the pool does position {x.position} lie? (All counted from 0.)", f"位置 {x.position} 在池中的哪个槽位？（都从 0 数起。）"),
    LOOKUP_FORM,
    Lookup(position=6),
    _invent_lookup,
    lambda x: (float(slot(x.position, x.table, x.block_size)),),
    (
        Slip("logical", Text("Took the logical block for the physical one", "把逻辑块当成了物理块"),
             lambda x: (float(slot(x.position, x.table, x.block_size, Mistake.LOGICAL_AS_PHYSICAL)),),
             lambda x: Text(f"Without the table slot and position are the same. Entry {x.logical} of the table says block {x.block}.",
                            f"不查表时槽位就等于位置。块表第 {x.logical} 项说的是块 {x.block}。"),
             lambda x: _way(x, Mistake.LOGICAL_AS_PHYSICAL)),
        Slip("forgot_offset", Text("Forgot the offset", "忘了偏移"), lambda x: (float(x.block * x.block_size),),
             lambda x: Text("That is where the block begins. The offset within it has to be added.", "这是块的开头，还要加上块内偏移。")),
        Slip("added", Text("Forgot to multiply by the block size", "忘了乘块大小"), lambda x: (float(x.block + x.offset),),
             lambda x: Text(f"Block number plus offset. Each block before it holds {x.block_size} slots.", f"这是块号加偏移。前面每个块都有 {x.block_size} 个槽位。")),
        Slip("one_based", Text("Counted positions from 1", "位置从 1 数起了"), lambda x: (float(slot(x.position - 1, x.table, x.block_size)),),
             lambda x: Text("That is the slot of the position before: positions start at 0.", "这是前一个位置的槽位：位置从 0 数起。")),
        Slip("wrapped", Text("Took the last entry", "取了最后一项"), lambda x: (float(x.table[-1] * x.block_size + x.offset),),
             lambda x: Text("That uses the last entry of the table, as index −1 does in Python.", "这用了块表的最后一项，就像 Python 的下标 −1。")),
    ),
    lambda x: Text(f"{x.position} = {x.logical} × {x.block_size} + {x.offset}; entry {x.logical} is {x.block}; {x.block} × {x.block_size} + {x.offset} = {slot(x.position, x.table, x.block_size)}.",
                   f"{x.position} = {x.logical} × {x.block_size} + {x.offset}；第 {x.logical} 项是 {x.block}；{x.block} × {x.block_size} + {x.offset} = {slot(x.position, x.table, x.block_size)}。"),
    _way,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


BLOCK: Question[Lookup] = Question(
    "block",
    Text("The physical block", "物理块"),
    lambda x: _said_table(x) + Text(f"Which physical block holds position {x.position}?", f"位置 {x.position} 在哪个物理块里？"),
    LOOKUP_FORM,
    Lookup((7, 3, 19, 5), 4, 8),
    _invent_lookup,
    lambda x: (float(x.block),),
    (
        Slip("logical", Text("Gave the logical block", "答了逻辑块"), lambda x: (float(x.logical),),
             lambda x: Text("That is the place in the table. What stands there is the physical block.", "这是块表里的第几项。那一项的内容才是物理块。"),
             lambda x: _way(x, Mistake.LOGICAL_AS_PHYSICAL)),
        Slip("one_based", Text("Counted entries from 1", "表项从 1 数起了"), lambda x: (float(x.table[x.logical - 1]),),
             lambda x: Text("That is the entry before: the table starts at entry 0.", "这是前一项：块表从第 0 项数起。")),
        Slip("remainder", Text("Looked up the offset", "用偏移去查了表"), lambda x: (float(x.table[x.offset % len(x.table)]),),
             lambda x: Text("The remainder is the offset within the block; the quotient chooses the block.", "余数是块内的偏移，商才用来选块。")),
        Slip("next", Text("Took the entry after", "取了后一项"), lambda x: (float(x.table[(x.logical + 1) % len(x.table)]),),
             lambda x: Text("That is the entry after: the quotient is rounded down, and entries count from 0.", "这是后一项：商要向下取整，表项从 0 数起。")),
    ),
    lambda x: Text(f"⌊{x.position} ÷ {x.block_size}⌋ = {x.logical}, and entry {x.logical} is {x.block}.", f"⌊{x.position} ÷ {x.block_size}⌋ = {x.logical}，第 {x.logical} 项是 {x.block}。"),
    _way,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- three lengths


@dataclass(frozen=True)
class Lengths:
    """Three requests and one block size."""

    block_size: int = 4
    first: int = 8
    second: int = 5
    third: int = 6

    @property
    def all(self) -> tuple[int, int, int]:
        return self.first, self.second, self.third

    @property
    def blocks(self) -> int:
        return sum(blocks_for(n, self.block_size) for n in self.all)

    @property
    def waste(self) -> int:
        return self.blocks * self.block_size - sum(self.all)


SEVERAL = Whole(BLOCK_SIZE.name, BLOCK_SIZE.label, 2, BLOCK_SIZE.high)  # so that the pool has room
LENGTHS = tuple(
    Whole(name, Text(f"Tokens of request {name.upper()}", f"请求 {name.upper()} 的 token 数"), 1, 16) for name in "abc"
)
LENGTHS_FORM: Form[Lengths] = Form(
    (SEVERAL, *LENGTHS),
    lambda v: Lengths(v["block_size"], v["a"], v["b"], v["c"]),
    lambda x: {"block_size": x.block_size, "a": x.first, "b": x.second, "c": x.third},
)


def _invent_lengths(rng: random.Random) -> Lengths:
    size = rng.choice((3, 4, 5))
    lengths = [size * rng.randint(1, 3), rng.randint(2, 15), rng.randint(2, 15)]
    rng.shuffle(lengths)
    return Lengths(size, *lengths)


def _way_lengths(x: Lengths, mistake: Mistake = Mistake.NONE) -> Scenario:
    """The first two of the requests; A's length where the fill is miscounted is one that the block size divides."""
    n = next((n for n in x.all if n % x.block_size == 0), x.first)
    other = next((m for m in x.all if m != n), x.second)
    return Scenario(
        n,
        x.block_size,
        0,
        0,
        other,
        tuple(range(N_BLOCKS))[::-1],
        (),
        N_BLOCKS,
        mistake,
    )


def _said_lengths(x: Lengths) -> Text:
    return Text(f"Requests of {x.first}, {x.second} and {x.third} tokens, blocks of {x.block_size}, nothing shared. ",
                f"三个请求分别有 {x.first}、{x.second}、{x.third} 个 token，块大小 {x.block_size}，互不共享。")  # fmt: skip


BLOCKS: Question[Lengths] = Question(
    "blocks",
    Text("Blocks needed", "需要几块"),
    lambda x: _said_lengths(x) + Text("How many blocks do they take together?", "一共占几块？"),
    LENGTHS_FORM,
    Lengths(),
    _invent_lengths,
    lambda x: (float(x.blocks),),
    (
        Slip("rounded_down", Text("Rounded down", "向下取整了"), lambda x: (float(sum(n // x.block_size for n in x.all)),),
             lambda x: Text("That counts full blocks only. A begun block is taken whole.", "这只数了满块。开了头的块也要整块占用。")),
        Slip("one_more", Text("Always one more", "总是多加一块"), lambda x: (float(sum(n // x.block_size + 1 for n in x.all)),),
             lambda x: Text("A length that the block size divides needs no further block.", "能被块大小整除的长度不需要再加一块。")),
        Slip("together", Text("Packed the requests together", "把各请求挤在一起算了"), lambda x: (float(blocks_for(sum(x.all), x.block_size)),),
             lambda x: Text("That lets two requests share a block. Each has its own last block.", "这样就让两个请求合用一块了。每个请求都有自己的末块。")),
    ),
    lambda x: Text(" + ".join(f"⌈{n} ÷ {x.block_size}⌉" for n in x.all) + f" = {x.blocks}.", " + ".join(f"⌈{n} ÷ {x.block_size}⌉" for n in x.all) + f" = {x.blocks}。"),
    _way_lengths,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


FILL: Question[Lengths] = Question(
    "fill",
    Text("Tokens in the last block", "末块里的 token"),
    lambda x: _said_lengths(x) + Text("How many tokens lie in the last block of each? Give the 3 numbers in this order.", "每个请求的末块里各有几个 token？按顺序写出 3 个数。"),
    LENGTHS_FORM,
    Lengths(4, 8, 11, 5),
    _invent_lengths,
    lambda x: tuple(float(last_block_fill(n, x.block_size)) for n in x.all),
    (
        Slip("modulo", Text("n mod block size", "直接取余"),
             lambda x: tuple(float(last_block_fill(n, x.block_size, Mistake.FILL_MODULO)) for n in x.all),
             lambda x: Text("The remainder is 0 where the last block is full. A block that exists holds at least one token.", "末块满时余数是 0。块既然存在，里面至少有一个 token。"),
             lambda x: _way_lengths(x, Mistake.FILL_MODULO) if any(n % x.block_size == 0 for n in x.all) else _way_lengths(x)),
        Slip("empty", Text("Counted the empty slots", "数了空槽位"), lambda x: tuple(float(x.block_size - last_block_fill(n, x.block_size)) for n in x.all),
             lambda x: Text("Those are the slots left, not the tokens there.", "这是剩下的空槽位，不是已有的 token。")),
        Slip("one_based", Text("Off by one", "差了一个"), lambda x: tuple(float(n % x.block_size + 1) for n in x.all),
             lambda x: Text("That is which slot of a block comes next, counted from 1.", "这是接下来要用块里第几个槽位（从 1 数起）。")),
        Slip("blocks", Text("Counted the blocks", "数了块数"), lambda x: tuple(float(blocks_for(n, x.block_size)) for n in x.all),
             lambda x: Text("That is how many blocks there are.", "这是块的个数。")),
    ),
    lambda x: Text("; ".join(f"{n} − {(blocks_for(n, x.block_size) - 1) * x.block_size} = {last_block_fill(n, x.block_size)}" for n in x.all) + ".",
                   "；".join(f"{n} − {(blocks_for(n, x.block_size) - 1) * x.block_size} = {last_block_fill(n, x.block_size)}" for n in x.all) + "。"),
    _way_lengths,
    reply=Vector(),
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


WASTE: Question[Lengths] = Question(
    "waste",
    Text("Wasted slots", "浪费的槽位"),
    lambda x: _said_lengths(x) + Text("How many slots are taken but empty?", "有多少个槽位被占着却是空的？"),
    LENGTHS_FORM,
    Lengths(4, 8, 6, 9),
    _invent_lengths,
    lambda x: (float(x.waste),),
    (
        Slip("full_is_empty", Text("Counted a full last block as empty", "把满的末块当成空的"), lambda x: (float(sum(x.block_size - n % x.block_size for n in x.all)),),
             lambda x: Text("A last block that is full wastes nothing; block size − 0 counts all of it.", "满的末块不浪费；块大小减 0 却把整块都算进去了。")),
        Slip("filled", Text("Counted what is filled", "数了已填的"), lambda x: (float(sum(last_block_fill(n, x.block_size) for n in x.all)),),
             lambda x: Text("Those are the tokens in the last blocks. Wasted is what is left beside them.", "这是末块里的 token。浪费的是旁边空着的。")),
        Slip("together", Text("Packed the requests together", "把各请求挤在一起算了"),
             lambda x: (float(blocks_for(sum(x.all), x.block_size) * x.block_size - sum(x.all)),),
             lambda x: Text("Each request has a last block of its own.", "每个请求都有自己的末块。")),
        Slip("average", Text("Used the average", "用了平均值"), lambda x: (len(x.all) * (x.block_size - 1) / 2,),
             lambda x: Text("(block size − 1) / 2 a sequence holds on average over many lengths, not for these.", "每条（块大小 − 1）/ 2 是许多长度的平均值，不是这几个的。")),
    ),
    lambda x: Text(f"{x.blocks} blocks of {x.block_size} are {x.blocks * x.block_size} slots for {sum(x.all)} tokens: {x.waste} are empty.",
                   f"{x.blocks} 块、每块 {x.block_size} 个，共 {x.blocks * x.block_size} 个槽位，放 {sum(x.all)} 个 token：空 {x.waste} 个。"),
    _way_lengths,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- growing


def _growing(*names: str) -> Form[Scenario]:
    controls = {control.name: control for control in FORM.controls} | {SEVERAL.name: SEVERAL}
    return Form(tuple(controls[name] for name in names), FORM.build, FORM.values)


def _next(s: Scenario) -> int:
    """The first position that needs a new block."""
    return blocks_for(s.n_tokens, s.block_size) * s.block_size


NEXT: Question[Scenario] = Question(
    "next",
    Text("The next block", "下一块"),
    lambda s: Text(f"A has {s.n_tokens} tokens in blocks of {s.block_size}. Which position, counted from 0, is the first that needs a new block?",
                   f"A 有 {s.n_tokens} 个 token，块大小 {s.block_size}。从 0 数起，哪个位置最先需要新块？"),
    _growing("tokens", "block_size"),
    ROOMY,
    lambda rng: replace(ROOMY, n_tokens=rng.randint(3, MOST_TOKENS), block_size=rng.randint(3, 12)),
    lambda s: (float(_next(s)),),
    (
        Slip("one_based", Text("Counted from 1", "从 1 数起了"), lambda s: (float(_next(s) + 1),),
             lambda s: Text("That is its ordinal number. Positions start at 0, so it is one less.", "这是“第几个”。位置从 0 数起，要少一。")),
        Slip("last_place", Text("The last position with a slot", "答了最后一个已有槽位的位置"), lambda s: (float(_next(s) - 1),),
             lambda s: Text("That position still fits into the last block.", "这个位置末块还放得下。")),
        Slip("now", Text("The very next token", "答了紧接着的 token"), lambda s: (float(s.n_tokens),),
             lambda s: Text("The last block has room, so the next token needs no new block.", "末块还有空槽位，下一个 token 不需要新块。")),
        Slip("a_block_on", Text("A whole block further", "又过了一整块"), lambda s: (float(s.n_tokens + s.block_size),),
             lambda s: Text("A new block comes at a multiple of the block size, not a block’s length after now.", "新块总在块大小的整数倍处，不是从现在起再过一块。")),
        Slip("begun", Text("Where the last block begins", "答了末块的开头"), lambda s: (float((s.n_tokens - 1) // s.block_size * s.block_size),),
             lambda s: Text("That block is taken already.", "那一块已经占用了。")),
    ),
    lambda s: Text(f"{s.n_tokens} tokens have {blocks_for(s.n_tokens, s.block_size)} blocks, positions 0 to {_next(s) - 1}; position {_next(s)} is the first outside.",
                   f"{s.n_tokens} 个 token 占 {blocks_for(s.n_tokens, s.block_size)} 块，容纳位置 0 到 {_next(s) - 1}；位置 {_next(s)} 是第一个放不下的。"),
    lambda s: replace(s, n_appended=min(MOST_APPENDED, _next(s) - s.n_tokens + 1)),
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


def _last_slot(s: Scenario) -> int:
    """Where the last appended token lies."""
    slots = [step.slots[-1] for step in trace(s) if isinstance(step, Appended)]
    return slots[-1] if slots else -1


def _last_table(s: Scenario) -> tuple[int, ...]:
    return s.hand_out[: blocks_for(s.n_tokens + s.n_appended, s.block_size)]


def _beside(s: Scenario) -> int:
    """The slot if a sequence's blocks lay side by side from its first one on."""
    before = s.hand_out[blocks_for(s.n_tokens, s.block_size) - 1]
    p = s.n_tokens + s.n_appended - 1
    return (before + p // s.block_size - (s.n_tokens - 1) // s.block_size) * s.block_size + p % s.block_size


def _invent_growth(rng: random.Random) -> Scenario:
    size = rng.choice((3, 4, 5))
    n = rng.randint(size + 1, 3 * size)
    more = (-n) % size + rng.randint(1, size - 1)
    blocks = rng.sample(range(N_BLOCKS), blocks_for(n + more, size) + 1)
    held = blocks_for(n, size)
    return Scenario(n, size, 0, more, 0, tuple(blocks[:held]), tuple(blocks[held:]))


GROWN: Question[Scenario] = Question(
    "grown",
    Text("The slot after an append", "追加后的槽位"),
    lambda s: Text(
        f"A has {s.n_tokens} tokens, blocks of {s.block_size}, table {bracketed(s.hand_out[: blocks_for(s.n_tokens, s.block_size)])}; the pool hands out "
        f"{listed(s.hand_out[blocks_for(s.n_tokens, s.block_size) :])} next. {s.n_appended} tokens are appended. In which slot lies the last of them?",
        f"A 有 {s.n_tokens} 个 token，块大小 {s.block_size}，块表 {bracketed(s.hand_out[: blocks_for(s.n_tokens, s.block_size)])}；池接下来依次发出 "
        f"{listed(s.hand_out[blocks_for(s.n_tokens, s.block_size) :])}。追加 {s.n_appended} 个 token。最后一个在哪个槽位？"),
    _growing("table", "free", "tokens", "appended", "block_size"),
    replace(CHAPTER, n_second=0, free=(5, 3), position=0),
    _invent_growth,
    lambda s: (float(_last_slot(s)),),
    (
        Slip("modulo", Text("A full block looked empty", "满块看成了空块"), lambda s: (float(_last_slot(replace(s, mistake=Mistake.FILL_MODULO))),),
             lambda s: Text("The last block was full; n mod block size is 0 there, and what lay in it was overwritten.", "末块已满；这时 n 对块大小取余是 0，里面的内容被覆盖了。"),
             lambda s: replace(s, mistake=Mistake.FILL_MODULO)),
        Slip("logical", Text("Took the logical block for the physical one", "把逻辑块当成了物理块"), lambda s: (float(s.n_tokens + s.n_appended - 1),),
             lambda s: Text("That is its position. The table says where it lies.", "这是它的位置。放在哪里要看块表。"),
             lambda s: replace(s, position=0, mistake=Mistake.LOGICAL_AS_PHYSICAL)),
        Slip("beside", Text("Went on in the neighbouring block", "接着写到了相邻的块"), lambda s: (float(_beside(s)),),
             lambda s: Text("A new block is the next free one, not the neighbour in memory.", "新块是下一个空闲块，不是内存里的邻居。")),
        Slip("one_based", Text("Counted positions from 1", "位置从 1 数起了"), lambda s: (float(_last_slot(s) + 1),),
             lambda s: Text("The last position is the number of tokens minus 1.", "最后一个位置是 token 总数减 1。")),
        Slip("forgot_offset", Text("Stopped before the block", "停在了块的前面"), lambda s: (float(_last_table(s)[-1] * s.block_size - 1),),
             lambda s: Text("That is the slot before the block. The tokens go into it from offset 0 on.", "这是该块之前的槽位。token 从偏移 0 起放进块里。")),
    ),
    lambda s: Text(f"The last is position {s.n_tokens + s.n_appended - 1}; the table is then {bracketed(_last_table(s))}, which gives slot {_last_slot(s)}.",
                   f"最后一个是位置 {s.n_tokens + s.n_appended - 1}；那时块表是 {bracketed(_last_table(s))}，得槽位 {_last_slot(s)}。"),
    lambda s: s,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip

QUESTIONS = (SLOT, BLOCK, BLOCKS, FILL, WASTE, NEXT, GROWN)
