"""A sequence that grows: when the next block comes, and where what is appended lies."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.paged import Mistake, blocks_for, slot
from engine.paged_lookup import Appended
from engine.paged_output import Scenario
from lessons.block_table.form import FORM, MOST_APPENDED, MOST_TOKENS, N_BLOCKS, listed
from lessons.block_table.presets import CHAPTER
from lessons.block_table.questions.lengths import SEVERAL
from lessons.block_table.questions.lookup import entry
from lessons.block_table.trace import trace
from lessons.kit.form import Form
from lessons.kit.phrases import bracketed
from lessons.kit.question import COUNTED, Question, Row, Slip, together
from lessons.kit.text import Text
from lessons.kit.told import Told

ROOMY = Scenario(position=0, n_appended=0, n_second=0, table=tuple(range(N_BLOCKS)), free=())


def _growing(*names: str) -> Form[Scenario]:
    controls = {control.name: control for control in FORM.controls} | {SEVERAL.name: SEVERAL}
    return FORM.only(*(controls[name] for name in names))


def _held(s: Scenario) -> int:
    """A's blocks before it grows."""
    return blocks_for(s.n_tokens, s.block_size)


def _next(s: Scenario) -> int:
    """The first position that needs a new block."""
    return _held(s) * s.block_size


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
    formula=lambda s: _next(s),
    slips=(
        Slip(
            "one_based",
            Text("Counted from 1", "从 1 数起了"),
            lambda s: _next(s) + 1,
            Text(
                "That is its ordinal number. Positions start at 0, so it is one less.",
                "这是“第几个”。位置从 0 数起，要少一。",
            ),
        ),
        Slip(
            "last_place",
            Text("The last position with a slot", "答了最后一个已有槽位的位置"),
            lambda s: _next(s) - 1,
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
    working=lambda s: Text(
        f"{s.n_tokens} tokens have {_held(s)} block{'s' * (_held(s) != 1)}, positions 0 to {_next(s) - 1}; position "
        f"{_next(s)} is the first outside.",
        f"{s.n_tokens} 个 token 占 {_held(s)} 块，容纳位置 0 到 {_next(s) - 1}；位置 {_next(s)} 是第一个放不下的。",
    ),
    way=lambda s: replace(s, n_appended=min(MOST_APPENDED, _next(s) - s.n_tokens + 1)),
    rows=lambda s: (
        Row(Text("Blocks held", "已有的块"), f"⌈{s.n_tokens} ÷ {s.block_size}⌉", str(_held(s))),
        Row(
            Text("Their slots: positions from 0 to", "它们的槽位：位置从 0 到"),
            f"{_held(s)} × {s.block_size} − 1",
            str(_next(s) - 1),
        ),
        Row(Text("The first outside", "第一个放不下的"), f"{_next(s) - 1} + 1", str(_next(s))),
    ),
    tolerance=COUNTED,
)


def _slots(s: Scenario) -> list[int]:
    """Where the appended tokens lie, as the trace puts them there."""
    return [place for step in trace(s) if isinstance(step, Appended) for place in step.slots]


def _last_slot(s: Scenario) -> int:
    """Where the last appended token lies."""
    if s.mistake is Mistake.NONE and s.n_appended:  # what the trace would say, in a tenth of its time
        return slot(s.n_tokens + s.n_appended - 1, _last_table(s), s.block_size)
    return next(iter(_slots(s)[::-1]), -1)


def _last_table(s: Scenario) -> tuple[int, ...]:
    return s.hand_out[: blocks_for(s.n_tokens + s.n_appended, s.block_size)]


def _beside(s: Scenario, more: int = 0) -> int:
    """The slot if a sequence's blocks lay side by side from its last one on."""
    before = s.hand_out[_held(s) - 1]
    p = s.n_tokens + s.n_appended - 1 + more
    return (before + p // s.block_size - (s.n_tokens - 1) // s.block_size) * s.block_size + p % s.block_size


def _invent_growth(rng: random.Random) -> Scenario:
    size = rng.choice((3, 4, 5))
    n = rng.randint(size + 1, 3 * size)
    more = (-n) % size + rng.randint(1, size - 1)
    blocks = rng.sample(range(N_BLOCKS), blocks_for(n + more, size) + 1)
    held = blocks_for(n, size)
    return Scenario(n, size, 0, more, 0, tuple(blocks[:held]), tuple(blocks[held:]))


def _modulo(s: Scenario) -> int:
    """Where the last lands if the last block's fill is n mod block size."""
    return _last_slot(replace(s, mistake=Mistake.FILL_MODULO))


_BESIDE: Slip[Scenario] = Slip(
    "beside",
    Text("Went on in the neighbouring block", "接着写到了相邻的块"),
    lambda s: _beside(s),
    Text("A new block is the next free one, not the neighbour in memory.", "新块是下一个空闲块，不是内存里的邻居。"),
)
_ONE_BASED: Slip[Scenario] = Slip(
    "one_based",
    Text("Counted positions from 1", "位置从 1 数起了"),
    lambda s: _last_slot(s) + 1,
    Text("The last position is the number of tokens minus 1.", "最后一个位置是 token 总数减 1。"),
)

GROWN: Question[Scenario] = Question(
    slug="grown",
    title=Text("The slot after an append", "追加后的槽位"),
    prompt=lambda s: Text(
        f"A has {s.n_tokens} token{'s' * (s.n_tokens != 1)}, blocks of {s.block_size}, table "
        f"{bracketed(s.hand_out[: _held(s)])}; the pool hands out "
        f"{listed(s.hand_out[_held(s) :])} next. {s.n_appended} token{'s are' if s.n_appended != 1 else ' is'} "
        "appended. In which slot does the last of them lie? (All counted from 0.)",
        f"A 有 {s.n_tokens} 个 token，块大小 {s.block_size}，块表 {bracketed(s.hand_out[: _held(s)])}；池接下来依次发"
        "出 "
        f"{listed(s.hand_out[_held(s) :])}。追加 {s.n_appended} 个 token。最后一个在哪个槽位？（都从 0 数起。）",
    ),
    form=_growing("table", "free", "tokens", "appended", "block_size"),
    inputs=replace(CHAPTER, n_second=0, free=(5, 3), position=0),
    invent=_invent_growth,
    formula=lambda s: _last_slot(s),
    slips=(
        Slip(
            "modulo",
            Text("Took a full block for an empty one", "满块看成了空块"),
            lambda s: _modulo(s),
            Text(
                "The last block was full; n mod block size is 0 there, and what lay in it was overwritten.",
                "末块已满；这时 n 对块大小取余是 0，里面的内容被覆盖了。",
            ),
            lambda s: replace(s, mistake=Mistake.FILL_MODULO),
        ),
        Slip(
            "logical",
            Text("Took the logical block for the physical one", "把逻辑块当成了物理块"),
            lambda s: s.n_tokens + s.n_appended - 1,
            Text("That is its position. The table says where it lies.", "这是它的位置。放在哪里要看块表。"),
            lambda s: replace(s, position=0, mistake=Mistake.LOGICAL_AS_PHYSICAL),
        ),
        _BESIDE,
        _ONE_BASED,
        Slip(
            "forgot_offset",
            Text("Stopped before the block", "停在了块的前面"),
            lambda s: _last_table(s)[-1] * s.block_size - 1,
            Text(
                "That is the slot before the block. The tokens go into it from offset 0 on.",
                "这是该块之前的槽位。token 从偏移 0 起放进块里。",
            ),
        ),
        together(_BESIDE, _ONE_BASED, lambda s: _beside(s, 1)),
    ),
    working=lambda s: Text(
        f"The last is position {s.n_tokens + s.n_appended - 1}; the table is then {bracketed(_last_table(s))}, which "
        f"gives slot {_last_slot(s)}.",
        f"最后一个是位置 {s.n_tokens + s.n_appended - 1}；那时块表是 {bracketed(_last_table(s))}，得槽位 "
        f"{_last_slot(s)}。",
    ),
    way=lambda s: s,
    rows=lambda s: _grown_rows(s, s.n_tokens + s.n_appended - 1),
    tolerance=COUNTED,
)


def _grown_rows(s: Scenario, last: int) -> tuple[Row, ...]:
    logical, offset = divmod(last, s.block_size)
    block = _last_table(s)[logical]
    return (
        Row(Text("Position of the last", "最后一个的位置"), f"{s.n_tokens} + {s.n_appended} − 1", str(last)),
        Row(Text("Logical block", "逻辑块"), f"⌊{last} ÷ {s.block_size}⌋", str(logical)),
        Row(
            Text("Table after the append", "追加后的块表"),
            f"⌈{last + 1} ÷ {s.block_size}⌉ = {len(_last_table(s))}",
            bracketed(_last_table(s)),
        ),
        Row(Text("Physical block", "物理块"), entry(logical), str(block)),
        Row(Text("Slot", "槽位"), f"{block} × {s.block_size} + {offset}", str(_last_slot(s))),
    )
