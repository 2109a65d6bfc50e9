"""Which blocks stay shared while one request after the other writes."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.paged import BlockPool, Sequence
from engine.shared_blocks import HAND_OUT
from lessons.copy_on_write.naming import listing
from lessons.copy_on_write.questions.fields import LENGTH, REQUESTS, SIZE, ceil, form
from lessons.copy_on_write.questions.forks import Append, way
from lessons.kit.controls import Whole
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Tick
from lessons.kit.text import Text


@dataclass(frozen=True)
class Writes:
    """`requests` share A's `length` tokens; then each of them appends one token, A first."""

    length: int
    size: int
    requests: int


LETTERS = "ABCDE"


def _table(x: Writes) -> tuple[int, ...]:
    return HAND_OUT[: ceil(x.length, x.size)]


def _shared(x: Writes) -> Answer:
    """Row by row a block of A's, column by column a write: 1 where two tables or more name the block after it."""
    pool = BlockPool(len(_table(x)) + 2 * x.requests, x.size)
    first = Sequence(pool)
    first.append(x.length)
    blocks, everybody = first.block_table, [first, *(first.fork() for _ in range(x.requests - 1))]
    columns = []
    for request in everybody:
        request.append()
        columns.append([float(pool.ref_count(block) > 1) for block in blocks])
    return tuple(mark for row in zip(*columns, strict=True) for mark in row)


def _last_row(x: Writes, marks: Answer) -> Answer:
    """The answer with these marks for A's last block and all others shared."""
    return (1.0,) * (x.requests * (len(_table(x)) - 1)) + marks


def _invent_writes(rng: random.Random) -> Writes:
    n = rng.choice((3, 4, 5))
    return Writes(n * rng.randint(1, 3) + rng.randint(1, n - 1), n, rng.choice((3, 4)))


STILL_SHARED: Question[Writes] = Question(
    slug="still_shared",
    title=Text("What stays shared", "哪些块仍然共享"),
    prompt=lambda x: Text(
        f"A has {x.length} token{'s' * (x.length != 1)} in blocks of {x.size}, block table {listing(_table(x))}. "
        f"{', '.join(LETTERS[1 : x.requests])} {'is' if x.requests == 2 else 'are'} forked from it. Then each "
        "appends one token, "
        f"in the order {', '.join(LETTERS[: x.requests])}. After each write, which of these blocks are still named "
        "by two or more tables? Tick them.",
        f"A 有 {x.length} 个 token，每块 {x.size} 个，块表 {listing(_table(x))}。"
        f"{'、'.join(LETTERS[1 : x.requests])} 从它分叉。然后按 {'、'.join(LETTERS[: x.requests])} 的次序各追加一个 "
        "token。"
        "每次写入之后，这些块里哪些仍被两张或更多块表引用？请勾选。",
    ),
    form=form(
        Writes,
        Whole("length", LENGTH.label, 1, 24),
        Whole("size", SIZE.label, 2, 8),
        Whole("requests", REQUESTS.label, 2, len(LETTERS)),
    ),
    inputs=Writes(10, 4, 3),
    invent=_invent_writes,
    formula=_shared,
    slips=(
        Slip(
            "never_copied",
            Text("Left the unfilled block shared", "让没满的块一直共享"),
            lambda x: _last_row(x, (1.0,) * x.requests),
            Text(
                "Whoever writes takes a copy of the unfilled block, so its old one loses a table each time.",
                "没满的块，谁写谁取走副本，原块每次少一张引用它的表。",
            ),
        ),
        Slip(
            "all_at_once",
            Text("Ended the sharing at the first write", "第一次写入就当作不共享了"),
            lambda x: _last_row(x, (0.0,) * x.requests),
            lambda x: Text(
                f"A alone takes a copy. The other {x.requests - 1} still share the old block.",
                f"只有 A 取走副本。其余 {x.requests - 1} 个仍共享原块。",
            ),
        ),
        Slip(
            "one_late",
            Text("One write too late", "晚算了一次"),
            lambda x: _last_row(x, (*(1.0,) * (x.requests - 1), 0.0)),
            Text(
                "The last but one to write leaves one table behind, and that is no sharing. The last writes in place.",
                "倒数第二个写完，只剩一张表引用，就不算共享了。最后一个直接写入。",
            ),
        ),
        Slip(
            "fork_copies",
            Text("Took a fork for a copy", "把分叉当成了复制"),
            lambda x: (0.0,) * (x.requests * len(_table(x))),
            Text(
                "A fork copies nothing: all blocks are shared, and the full ones stay so.",
                "分叉什么也不复制：所有块都共享，满块一直如此。",
            ),
        ),
    ),
    working=lambda x: (
        Text(
            f"The full blocks stay shared: nobody writes into them. Block {_table(x)[-1]} is shared while at least 2 "
            f"of {x.requests} have not written.",
            f"满块一直共享：没有人往里写。块 {_table(x)[-1]} 只有在 {x.requests} 个里至少还有 2 个没写时才共享。",
        )
        if x.length % x.size
        else Text(
            "All blocks are full: whoever writes opens a new one, and all stay shared.",
            "所有块都满：谁写都另开新块，全部继续共享。",
        )
    ),
    way=lambda x: way(Append(x.length, 1, x.size)),
    reply=Tick(
        lambda x: tuple(Text(f"block {b}", f"块 {b}") for b in _table(x)),
        lambda x: tuple(Text(f"after {name} writes", f"{name} 写入后") for name in LETTERS[: x.requests]),
    ),
    rows=lambda x: (
        Row(
            Text("Full blocks", "满块"),
            f"⌊{x.length} ÷ {x.size}⌋ = {x.length // x.size}",
            Text("shared throughout", "一直共享"),
        ),
        Row(Text("In the last block", "末块里"), f"{x.length} mod {x.size}", str(x.length % x.size)),
        *(
            (
                Row(
                    Text(
                        f"Tables that name block {_table(x)[-1]}, write by write",
                        f"每次写入后引用块 {_table(x)[-1]} 的表",
                    ),
                    Text("one fewer each time; the last stays", "每次少一张，最后一张留下"),
                    ", ".join(str(max(1, x.requests - i)) for i in range(1, x.requests + 1)),
                ),
            )
            if x.length % x.size
            else ()
        ),
    ),
)
