"""A sequence that grows: when the next block comes, and where what is appended lies."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.paged import Mistake, blocks_for
from engine.paged_lookup import Appended
from engine.paged_output import Scenario
from lessons.block_table.form import APPENDED, FORM, MOST_APPENDED, MOST_TOKENS, N_BLOCKS, listed
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.presets import CHAPTER
from lessons.block_table.questions.lengths import SEVERAL
from lessons.block_table.questions.lookup import ENTRY, IN_SLOT, LOGICAL, Lookup
from lessons.block_table.trace import trace
from lessons.kit.form import Form
from lessons.kit.phrases import bracketed
from lessons.kit.question import COUNTED, Line, Question, Slip, together
from lessons.kit.text import Text
from lessons.kit.told import Told

ROOMY = Scenario(position=0, n_appended=0, n_second=0, table=tuple(range(N_BLOCKS)), free=())


_MORE = replace(APPENDED, low=1)  # the question is where the last appended token lies


def _growing(*names: str) -> Form[Scenario]:
    controls = {control.name: control for control in (*FORM.controls, SEVERAL, _MORE)}
    return FORM.only(*(controls[name] for name in names))


_A_BLOCK_ON: Slip[Scenario] = Slip(
    "a_block_on",
    Text("A whole block further", "又过了一整块"),
    lambda s: s.n_tokens + s.block_size,
    Text(
        "That adds a whole block to the tokens there are. The new block comes as soon as the blocks held are full.",
        "这是在现有 token 数上加了一整块。已有的块一满，就要新块。",
    ),
)

NEXT: Question[Scenario] = Question(
    slug="next",
    title=Text("The next block", "下一块"),
    prompt=Told(
        "A has {n_tokens:token} in blocks of {block_size}. Which position, counted from 0, is the first that needs a "
        "new block?",
        "A 有 {n_tokens} 个 token，块大小 {block_size}。从 0 数起，哪个位置最先需要新块？",
    ),
    form=_growing("tokens", "block_size"),
    inputs=ROOMY,
    invent=lambda rng: replace(ROOMY, n_tokens=rng.randint(3, MOST_TOKENS), block_size=rng.randint(3, 12)),
    formula=lambda s: s.room,
    slips=(
        Slip(
            "one_based",
            Text("Counted from 1", "从 1 数起了"),
            lambda s: s.room + 1,
            Text(
                "That is which token it is, counted from 1. Its position, counted from 0, is one less.",
                "这是从 1 数起的第几个 token。位置从 0 数起，要少一。",
            ),
        ),
        Slip(
            "last_place",
            Text("Gave the last position with a slot", "答了最后一个已有槽位的位置"),
            lambda s: s.room - 1,
            Text("That position still has a slot in the last block.", "这个位置在末块里还有槽位。"),
        ),
        Slip(
            "now",
            Text("Gave the very next token", "答了紧接着的 token"),
            lambda s: s.n_tokens,
            Text(
                "The last block has room, so the next token needs no new block.",
                "末块还有空槽位，下一个 token 不需要新块。",
            ),
        ),
        _A_BLOCK_ON,
        Slip(
            "begun",
            Text("Gave the first position of the last block", "答了末块的第一个位置"),
            lambda s: (s.n_tokens - 1) // s.block_size * s.block_size,
            Text(
                "That position is the first of the last block, which A holds already.",
                "那是末块的第一个位置，而末块 A 已经占着了。",
            ),
        ),
    ),
    working=lambda s: Told(
        "{n_tokens:token} {n_tokens|takes|take} {n:block} with slots for positions 0 to {last}. Position {room} is the "
        "first outside.",
        "{n_tokens} 个 token 占 {n} 块，有位置 0 到 {last} 的槽位。位置 {room} 是第一个放不下的。",
    ).on(s, n=len(s.held), last=s.room - 1),
    way=lambda s: replace(s, n_appended=min(MOST_APPENDED, s.room - s.n_tokens + 1)),
    rows=(
        Line(Text("Blocks held", "已占的块"), "⌈{n_tokens} ÷ {block_size}⌉", lambda s: str(len(s.held))),
        Line(
            Text("Their slots: positions from 0 to", "它们的槽位：位置从 0 到"),
            lambda s: f"{len(s.held)} × {s.block_size} − 1",
            lambda s: str(s.room - 1),
        ),
        Line(Text("The first outside", "第一个放不下的"), lambda s: f"{s.room - 1} + 1", "{room}"),
    ),
    tolerance=COUNTED,
)


def _lookup(s: Scenario) -> Lookup:
    """The last appended token."""
    return Lookup(s.grown, s.block_size, s.n_final - 1)


def _modulo(s: Scenario) -> int:
    """Where the last lands if the last block’s fill is n mod block size, as the trace puts it there."""
    steps = trace(replace(s, mistake=Mistake.FILL_MODULO))
    return [place for step in steps if isinstance(step, Appended) for place in step.slots][-1]


def _beside(s: Scenario, more: int = 0) -> int:
    """The slot if a sequence's blocks lay side by side from its last one on."""
    p = s.n_final - 1 + more
    return (s.held[-1] + p // s.block_size - (s.n_tokens - 1) // s.block_size) * s.block_size + p % s.block_size


def _invent_growth(rng: random.Random) -> Scenario:
    size = rng.choice((3, 4, 5))
    n = rng.randint(size + 1, 3 * size)
    more = (-n) % size + rng.randint(1, size - 1)
    blocks = rng.sample(range(N_BLOCKS), blocks_for(n + more, size) + 1)
    held = blocks_for(n, size)
    return Scenario(n, size, 0, more, 0, tuple(blocks[:held]), tuple(blocks[held:]))


_BESIDE: Slip[Scenario] = Slip(
    "beside",
    Text("Went on in the adjacent block", "接着写到了相邻的块"),
    _beside,
    Text(
        "A new block is the next free one of the pool, not the adjacent one in memory.",
        "新块是池中下一个空闲块，不是内存里相邻的块。",
    ),
)
_ONE_BASED: Slip[Scenario] = Slip(
    "one_based",
    Text("Counted positions from 1", "位置从 1 数起了"),
    lambda s: _lookup(s).slot + 1,
    Text("The last position is the number of tokens minus 1.", "最后一个位置是 token 总数减 1。"),
)

_LAST: Line[Scenario] = Line(
    Text("Position of the last", "最后一个的位置"), "{n_tokens} + {n_appended} − 1", lambda s: str(s.n_final - 1)
)
_TABLE: Line[Lookup] = Line(
    Text("Table after the append", "追加后的块表"),
    lambda x: f"⌈{x.position + 1} ÷ {x.block_size}⌉ = {x.entries}",
    "{listed}",
)

GROWN: Question[Scenario] = Question(
    slug="grown",
    title=Text("The slot after an append", "追加后的槽位"),
    prompt=lambda s: Told(
        "A has {n_tokens:token}, block size {block_size}, block table {table}. The free blocks of the pool, in the "
        "order in which it hands them out, are {next}. {n_appended:token} {n_appended|is|are} appended. In which slot "
        "does the last token of A lie then? (Everything is counted from 0.)",
        "A 有 {n_tokens} 个 token，块大小 {block_size}，块表 {table}。池中的空闲块，按发放的先后是 {next}。追加 "
        "{n_appended} 个 token。这时 A 的最后一个 token 在哪个槽位？（都从 0 数起。）",
    ).on(s, table=bracketed(s.held), next=listed(s.hand_out[len(s.held) :]) or "–"),
    form=_growing("table", "free", "tokens", "appended", "block_size"),
    inputs=replace(CHAPTER, n_second=0, free=(5, 3), position=0),
    invent=_invent_growth,
    formula=lambda s: _lookup(s).slot,
    slips=(
        MISTAKES.slip(
            Mistake.FILL_MODULO,
            _modulo,
            lambda s: s,
            name="modulo",
            title=Text("Took a full block for an empty one", "满块看成了空块"),
        ),
        MISTAKES.slip(
            Mistake.LOGICAL_AS_PHYSICAL,
            lambda s: s.n_final - 1,
            lambda s: replace(s, position=0),
            name="logical",
            title=Text("Took the logical block for the physical one", "把逻辑块当成了物理块"),
            said=Text(
                "That is the position of the token. The table says in which physical block it lies.",
                "这是这个 token 的位置。它在哪个物理块，要看块表。",
            ),
        ),
        _BESIDE,
        _ONE_BASED,
        Slip(
            "forgot_offset",
            Text("Stopped one slot before the block", "停在了块的前一个槽位"),
            lambda s: s.grown[-1] * s.block_size - 1,
            Text(
                "That slot is the last of another physical block. A block is filled from offset 0 on.",
                "那个槽位是另一个物理块的最后一个。块从偏移 0 起装。",
            ),
        ),
        together(_BESIDE, _ONE_BASED, lambda s: _beside(s, 1)),
    ),
    working=lambda s: Told(
        r"The last token is at position {position}, and the table is then {listed}. Its entry {logical} gives "
        r"${block} \times {block_size} + {offset} = {slot}$.",
        r"最后一个 token 在位置 {position}，这时块表是 {listed}。第 {logical} 项给出 "
        r"${block} \times {block_size} + {offset} = {slot}$。",
    ).on(_lookup(s)),
    way=lambda s: s,
    rows=lambda s: (
        _LAST.row(s),
        *(line.row(_lookup(s)) for line in (LOGICAL, _TABLE, ENTRY, IN_SLOT)),
    ),
    tolerance=COUNTED,
)
