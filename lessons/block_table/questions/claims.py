"""Find the error. Both errors stand in the sources: paging “eliminates” waste, and the 12th token is taken for position
12."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from engine.paged import blocks_for, slot
from engine.paged_output import Scenario
from lessons.block_table.form import BLOCK_SIZE, MOST_APPENDED, MOST_TOKENS, N_BLOCKS, TOKENS, table_of
from lessons.block_table.questions.lengths import LENGTHS, SEVERAL, Lengths
from lessons.block_table.questions.lengths import way as lengths_way
from lessons.block_table.questions.lookup import SAID, shown
from lessons.block_table.questions.tables import Held, N
from lessons.kit.controls import Complaint, Whole, about, within
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.phrases import run
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told

ASKED = Text("Which claim is wrong, and what should it say?", "哪条说法是错的？应当怎么说？")


# --- what paging leaves empty


@dataclass(frozen=True)
class Reserve:
    """Three requests, and the most that each may need."""

    lengths: Lengths
    most: int

    @property
    def total(self) -> int:
        return sum(self.lengths.all)

    @property
    def listed(self) -> tuple[int, ...]:
        return self.lengths.all

    @property
    def reserved(self) -> int:
        return 3 * self.most

    @property
    def taken(self) -> int:
        """Slots of the blocks taken."""
        return self.lengths.blocks * self.lengths.block_size

    @property
    def rounded(self) -> str:
        return " + ".join(f"⌈{n} ÷ {self.lengths.block_size}⌉" for n in self.lengths.all)


def _none_wrong(x: Reserve) -> Iterator[Text]:
    if x.lengths.waste == 0 or not _WASTE.told_apart(x):
        yield Text(
            "With these numbers none of the sentences is wrong, or two of them say the same thing. Change a number "
            "of tokens.",
            "用这些数，没有一句话是错的，或者有两句话说的是一回事。请改动一个 token 数。",
        )


def _invent_reserve(rng: random.Random) -> Reserve:
    size = rng.choice((3, 4, 5, 6))
    while True:
        lengths = Lengths(size, *(rng.randint(2, 16) for _ in range(3)))
        x = Reserve(lengths, rng.choice((32, 64, 128)))
        if lengths.waste and _WASTE.told_apart(x):
            return x


_WASTE: Finding[Reserve] = Finding(
    (
        Sound(
            "reserve",
            Text("Doubted what reserving leaves", "怀疑了预留的空余"),
            lambda x: Told(
                "Reserving {most} slots for each of the 3 requests leaves {n} of them empty.",
                "给 3 个请求各预留 {most} 个槽位，会空着 {n} 个。",
            ).on(x, n=x.reserved - x.lengths.total),
            (
                Told("It leaves {reserved} slots empty.", "会空着 {reserved} 个槽位。"),
                Told("It leaves {lengths.total} slots empty.", "会空着 {lengths.total} 个槽位。"),
                Text("It leaves no slot empty, because all are reserved.", "一个槽位也不空，因为都预留了。"),
            ),
            Told(
                "This one is right: of $3 \\times {most}$ slots, {lengths.total} hold a token.",
                "这条是对的：$3 \\times {most}$ 个槽位里，{lengths.total} 个放着 token。",
            ),
        ),
        Sound(
            "blocks",
            Text("Doubted the blocks taken", "怀疑了占用的块数"),
            Told(
                "With paging they hold {lengths.blocks} blocks of {lengths.block_size} slots.",
                "分页后，它们占 {lengths.blocks} 块，每块 {lengths.block_size} 个槽位。",
            ),
            (
                Text("They hold fewer, because a block that is not full does not count.", "更少，因为没装满的块不算。"),
                Text("They hold fewer, because they share their last blocks.", "更少，因为末块是合用的。"),
                Text("They hold more, because each keeps a spare block.", "更多，因为每个请求还留一块备用。"),
            ),
            Told("This one is right: ${lengths.ceilings}$.", "这条是对的：${lengths.ceilings}$。"),
        ),
        Wrong(
            Text(
                "Paging eliminates fragmentation: no slot that a request holds is empty.",
                "分页消除了碎片：请求占用的槽位没有一个是空的。",
            ),
            Told(
                "Nothing is lost between blocks, but in the last blocks {lengths.waste:slot} {lengths.waste|is|are} "
                "held and empty.",
                "块与块之间没有浪费，但末块里有 {lengths.waste} 个槽位占着却空着。",
            ),
            (
                Correction(
                    "worst",
                    Text("Took the worst case for this one", "把最坏情形当成了眼前的情形"),
                    lambda x: Told(
                        "Nothing is lost between blocks, but in the last blocks {n:slot} {n|is|are} held and empty.",
                        "块与块之间没有浪费，但末块里有 {n} 个槽位占着却空着。",
                    ).on(n=3 * (x.lengths.block_size - 1)),
                    Told(
                        "That is the most there can be, ${lengths.block_size} - 1$ in each last block. Here the blocks "
                        "have {lengths.taken:slot} for {lengths.total:token}.",
                        "这是最坏的情形：每个末块空 ${lengths.block_size} - 1$ 个。这里各块共 {lengths.taken} 个槽位，"
                        "放 {lengths.total} 个 token。",
                    ),
                ),
                Correction(
                    "gaps",
                    Text("Looked for gaps between the blocks", "到块与块之间去找空隙"),
                    Text(
                        "The last blocks are full, but free blocks between those of two requests cannot be used.",
                        "末块都是满的，但夹在两个请求之间的空闲块用不上。",
                    ),
                    Text(
                        "It is the other way round: any request can use any free block, and the empty slots are "
                        "inside the last blocks.",
                        "正好相反：任何请求都能用任何空闲块，空着的槽位在末块里面。",
                    ),
                ),
            ),
        ),
        Sound(
            "free",
            Text("Doubted that any free block will do", "怀疑了任何空闲块都能用"),
            Text(
                "A free block that lies between the blocks of two requests can be given to either of them.",
                "夹在两个请求的块之间的空闲块，给哪一个都可以。",
            ),
            (
                Text(
                    "It can only be given to the request whose block lies before it.", "只能给块排在它前面的那个请求。"
                ),
                Text(
                    "It can be given away only after the other blocks have been moved together.",
                    "要先把别的块挪到一起，才能分出去。",
                ),
                Text("It can only be given to a new request.", "只能给新来的请求。"),
            ),
            Text(
                "This one is right: the block table keeps the order, so it does not matter where a block lies.",
                "这条是对的：顺序记在块表里，块放在哪里都行。",
            ),
        ),
    ),
    lambda x: (x.most, *x.lengths.all, x.lengths.block_size),
)

FRAGMENTATION: Question[Reserve] = Question(
    slug="fragmentation",
    title=Text("Find the error: no more waste", "找出错误：不再有浪费"),
    prompt=Told(
        "Three requests have {lengths.first}, {lengths.second} and {lengths.third:token}. The block size is "
        "{lengths.block_size}, and nothing is shared. ",
        "三个请求分别有 {lengths.first}、{lengths.second}、{lengths.third} 个 token，块大小 {lengths.block_size}，互不"
        "共享。",
    )
    + ASKED,
    form=Form(
        (
            *(within("lengths", field) for field in (SEVERAL, *LENGTHS)),
            Whole("most", Text("Most tokens of a request", "每个请求最多的 token 数"), 16, 4096),
        ),
        unfit=_none_wrong,
    ),
    inputs=Reserve(Lengths(4, 8, 5, 6), 32),
    invent=_invent_reserve,
    formula=_WASTE.answer,
    slips=_WASTE.slips,
    working=Told(
        r"${lengths.blocks} \times {lengths.block_size} - {lengths.total} = {lengths.waste}$: there are no gaps "
        "between blocks any more, but there are empty slots in the last blocks.",
        r"${lengths.blocks} \times {lengths.block_size} - {lengths.total} = {lengths.waste}$：块与块之间没有空隙了，末"
        "块里的空槽位还在。",
    ),
    way=lambda x: lengths_way(x.lengths),
    reply=_WASTE.reply,
    rows=(
        Line(Text("Blocks", "块数"), "{lengths.rounded}", "{lengths.blocks}"),
        Line(Text("Slots held", "占用的槽位"), "{lengths.blocks} × {lengths.block_size}", "{lengths.taken}"),
        Line(Text("Held and empty", "占着却空着"), "{lengths.taken} − {lengths.total}", "{lengths.waste}"),
    ),
)


# --- ordinals and positions


def _leaves_room(x: Held) -> Iterator[Complaint]:
    if not x.full < x.n < x.capacity:
        yield about(
            TOKENS,
            f"must leave room in the last block: {x.full + 1} to {x.end} tokens; it reads {x.n}.",
            f"要让末块留有空槽位：{x.full + 1} 到 {x.end} 个；现在是 {x.n}。",
        )


_GROWS_FORM: Form[Held] = Form((table_of(2), Whole(BLOCK_SIZE.name, BLOCK_SIZE.label, 3, 8), N), unfit=_leaves_room)


def _invent_grows(rng: random.Random) -> Held:
    while True:
        size, k = rng.choice((3, 4, 5)), rng.choice((2, 3, 3))
        x = Held(tuple(rng.sample(range(N_BLOCKS), k)), size, (k - 1) * size + rng.randint(1, size - 1))
        if len(set(_places(x))) == len(_places(x)):
            return x


def _places(x: Held) -> tuple[int, int, int, int]:
    """The slot of position `block_size`, and three that it may be taken for."""
    return (
        x.slots(range(x.block_size, x.block_size + 1))[0],
        x.block_size,
        slot(x.block_size - 1, x.table, x.block_size),
        x.table[1],
    )


def _grows_way(x: Held) -> Scenario:
    """Grown until a new block comes, where the player can hold that."""
    if x.capacity >= MOST_TOKENS or x.capacity - x.n + 1 > MOST_APPENDED:
        return shown(x)
    free = next(block for block in range(N_BLOCKS) if block not in x.table)
    return replace(
        Scenario(),
        n_tokens=x.n,
        block_size=x.block_size,
        position=x.block_size,
        table=x.table,
        free=(free,),
        n_appended=x.capacity - x.n + 1,
        n_second=0,
    )


def _slot_of(i: int) -> Callable[[Held], Text]:
    said = Told("Position {block_size} lies in slot {place}.", "位置 {block_size} 在槽位 {place}。")
    return lambda x: said.on(x, place=_places(x)[i])


def _entry_1(first: Callable[[Held], int]) -> Callable[[Held], Text]:
    said = Told("Entry 1 of the table is that of positions {where}.", "块表第 1 项对应位置 {where}。")
    return lambda x: said.on(where=run(first(x), x.block_size))


_ORDINALS: Finding[Held] = Finding(
    (
        Sound(
            "entry",
            Text("Doubted the positions of an entry", "怀疑了表项对应哪些位置"),
            _entry_1(lambda x: x.block_size),
            (_entry_1(lambda x: x.block_size + 1), _entry_1(lambda x: x.block_size - 1), _entry_1(lambda _: 0)),
            lambda x: Told(
                "This one is right: entry 0 is that of the first {block_size:position}, 0 to {last}.",
                "这条是对的：第 0 项对应最前面 {block_size} 个位置，0 到 {last}。",
            ).on(x, last=x.block_size - 1),
        ),
        Sound(
            "slot",
            Text("Doubted the slot", "怀疑了槽位"),
            _slot_of(0),
            (_slot_of(1), _slot_of(2), _slot_of(3)),
            lambda x: Told(
                "This one is right: logical block 1, offset 0, so the first slot of physical block {block}: "
                r"${block} \times {block_size}$.",
                r"这条是对的：逻辑块 1，偏移 0，就是物理块 {block} 的第一个槽位：${block} \times {block_size}$。",
            ).on(x, block=x.table[1]),
        ),
        Wrong(
            Told(
                "Position {capacity} is token number {capacity} and still fits into physical block {last}.",
                "位置 {capacity} 是第 {capacity} 个 token，物理块 {last} 还放得下。",
            ),
            Told(
                "Position {capacity} is token number {ordinal} and needs a new block.",
                "位置 {capacity} 是第 {ordinal} 个 token，需要新块。",
            ),
            (
                Correction(
                    "number_only",
                    Text("Corrected the number only", "只改了“第几个”"),
                    Told(
                        "Position {capacity} is token number {ordinal} and still fits into physical block {last}.",
                        "位置 {capacity} 是第 {ordinal} 个 token，物理块 {last} 还放得下。",
                    ),
                    Told(
                        "{entries} blocks of {block_size} slots hold {capacity} tokens, positions 0 to {end}. There "
                        "is no slot for token number {ordinal}.",
                        "{entries} 块、每块 {block_size} 个槽位，放 {capacity} 个 token，位置 0 到 {end}。第 "
                        "{ordinal} 个 token 没有槽位。",
                    ),
                ),
                Correction(
                    "block_only",
                    Text("Corrected the block only", "只改了块"),
                    Told(
                        "Position {capacity} is token number {capacity} and needs a new block.",
                        "位置 {capacity} 是第 {capacity} 个 token，需要新块。",
                    ),
                    Told(
                        "Positions are counted from 0, so token number {capacity} is at position {end}, which still "
                        "has a slot.",
                        "位置从 0 数起，第 {capacity} 个 token 在位置 {end}，那里还有槽位。",
                    ),
                ),
            ),
        ),
        Sound(
            "stays",
            Text("Doubted that old tokens stay", "怀疑了旧 token 不动"),
            Text(
                "When A takes a new block, its older tokens stay where they are.",
                "A 取用新块时，旧的 token 都留在原处。",
            ),
            (
                Text("They are moved so that A’s blocks lie side by side.", "它们会被挪动，使 A 的块挨在一起。"),
                Text("They are copied into the new block, which is larger.", "它们会被复制到更大的新块里。"),
                Text("Those of the last block are moved into the new one.", "末块里的 token 会被挪进新块。"),
            ),
            Text(
                "This one is right: the block table gets one more entry, and no older token moves.",
                "这条是对的：块表多了一项，旧的 token 一个也不动。",
            ),
        ),
    ),
    lambda x: (x.n, x.block_size, *x.table),
)

ORDINALS: Question[Held] = Question(
    slug="ordinals",
    title=Text("Find the error: positions and ordinals", "找出错误：位置与“第几个”"),
    prompt=Told("A has {n:token}. ", "A 有 {n} 个 token。")
    + SAID
    + Text("Positions are counted from 0. ", "位置从 0 数起。")
    + ASKED,
    form=_GROWS_FORM,
    inputs=Held((7, 2, 19), 4, 10),
    invent=_invent_grows,
    formula=_ORDINALS.answer,
    slips=_ORDINALS.slips,
    working=Told(
        r"${entries} \times {block_size} = {capacity}$ slots are positions 0 to {end}. Position {capacity} is the "
        "next one, that of token number {ordinal}.",
        r"${entries} \times {block_size} = {capacity}$ 个槽位，对应位置 0 到 {end}。位置 {capacity} 再往后一个，是第 "
        "{ordinal} 个 token。",
    ),
    way=_grows_way,
    reply=_ORDINALS.reply,
    rows=(
        Line(Text("Slots of the table", "块表的槽位数"), "{entries} × {block_size}", "{capacity}"),
        Line(Text("Last position with a slot", "最后一个有槽位的位置"), "{capacity} − 1", "{end}"),
        Line(
            Told("Token number of position {capacity}", "位置 {capacity} 是第几个 token"), "{capacity} + 1", "{ordinal}"
        ),
        Line(
            Text("Blocks needed up to it", "到它为止要几块"),
            "⌈{ordinal} ÷ {block_size}⌉",
            lambda x: str(blocks_for(x.ordinal, x.block_size)),
        ),
    ),
)
