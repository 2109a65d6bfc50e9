"""A sequence that grows: when the next block comes, and where what is appended lies."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.paged import Mistake, blocks_for
from engine.paged_lookup import Appended
from engine.paged_output import Scenario
from lessons.block_table.form import FORM, MOST_APPENDED, MOST_TOKENS, N_BLOCKS, listed
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


def _growing(*names: str) -> Form[Scenario]:
    controls = {control.name: control for control in (*FORM.controls, SEVERAL)}
    return FORM.only(*(controls[name] for name in names))


_A_BLOCK_ON: Slip[Scenario] = Slip(
    "a_block_on",
    Text("A whole block further", "又过了一整块"),
    lambda s: s.n_tokens + s.block_size,
    Text(
        "A new block comes at a multiple of the block size, not a block’s length after now.",
        "新块总在块大小的整数倍处，不是从现在起再过一块。",
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
                "That is its ordinal number. Positions start at 0, so it is one less.",
                "这是“第几个”。位置从 0 数起，要少一。",
            ),
        ),
        Slip(
            "last_place",
            Text("The last position with a slot", "答了最后一个已有槽位的位置"),
            lambda s: s.room - 1,
            Text("That position still fits into the last block.", "这个位置末块还放得下。"),
        ),
        Slip(
            "now",
            Text("The very next token", "答了紧接着的 token"),
            lambda s: s.n_tokens,
            Text(
                "The last block has room, so the next token needs no new block.",
                "末块还有空槽位，下一个 token 不需要新块。",
            ),
        ),
        _A_BLOCK_ON,
        Slip(
            "begun",
            Text("Where the last block begins", "答了末块的开头"),
            lambda s: (s.n_tokens - 1) // s.block_size * s.block_size,
            Text("That block is taken already.", "那一块已经占用了。"),
        ),
    ),
    working=lambda s: Told(
        "{n_tokens:token} {n_tokens|has|have} {n:block}, positions 0 to {last}; position {room} is the first outside.",
        "{n_tokens} 个 token 占 {n} 块，容纳位置 0 到 {last}；位置 {room} 是第一个放不下的。",
    ).on(s, n=len(s.held), last=s.room - 1),
    way=lambda s: replace(s, n_appended=min(MOST_APPENDED, s.room - s.n_tokens + 1)),
    rows=(
        Line(Text("Blocks held", "已有的块"), "⌈{n_tokens} ÷ {block_size}⌉", lambda s: str(len(s.held))),
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
    Text("Went on in the neighbouring block", "接着写到了相邻的块"),
    _beside,
    Text("A new block is the next free one, not the neighbour in memory.", "新块是下一个空闲块，不是内存里的邻居。"),
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
        "A has {n_tokens:token}, blocks of {block_size}, table {table}; the pool hands out {next} next. "
        "{n_appended:token} {n_appended|is|are} appended. In which slot does the last of them lie? (All counted "
        "from 0.)",
        "A 有 {n_tokens} 个 token，块大小 {block_size}，块表 {table}；池接下来依次发出 {next}。追加 {n_appended} 个"
        " token。最后一个在哪个槽位？（都从 0 数起。）",
    ).on(s, table=bracketed(s.held), next=listed(s.hand_out[len(s.held) :])),
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
            said=Text(
                "The last block was full; n mod block size is 0 there, and what lay in it was overwritten.",
                "末块已满；这时 n 对块大小取余是 0，里面的内容被覆盖了。",
            ),
        ),
        MISTAKES.slip(
            Mistake.LOGICAL_AS_PHYSICAL,
            lambda s: s.n_final - 1,
            lambda s: replace(s, position=0),
            name="logical",
            title=Text("Took the logical block for the physical one", "把逻辑块当成了物理块"),
            said=Text("That is its position. The table says where it lies.", "这是它的位置。放在哪里要看块表。"),
        ),
        _BESIDE,
        _ONE_BASED,
        Slip(
            "forgot_offset",
            Text("Stopped before the block", "停在了块的前面"),
            lambda s: s.grown[-1] * s.block_size - 1,
            Text(
                "That is the slot before the block. The tokens go into it from offset 0 on.",
                "这是该块之前的槽位。token 从偏移 0 起放进块里。",
            ),
        ),
        together(_BESIDE, _ONE_BASED, lambda s: _beside(s, 1)),
    ),
    working=lambda s: Told(
        "The last is position {position}; the table is then {listed}, which gives slot {slot}.",
        "最后一个是位置 {position}；那时块表是 {listed}，得槽位 {slot}。",
    ).on(_lookup(s)),
    way=lambda s: s,
    rows=lambda s: (
        _LAST.row(s),
        *(line.row(_lookup(s)) for line in (LOGICAL, _TABLE, ENTRY, IN_SLOT)),
    ),
    tolerance=COUNTED,
)
