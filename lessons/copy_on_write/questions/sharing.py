"""Which blocks stay shared while one request after the other writes."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.shared_blocks import HAND_OUT
from lessons.copy_on_write.questions.fields import LENGTH, REQUESTS, SIZE, InBlocks
from lessons.copy_on_write.questions.forks import forked, way
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.phrases import bracketed
from lessons.kit.question import Line, Question, Row, Slip
from lessons.kit.reply import Answer, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told

LETTERS = "ABCDE"


@dataclass(frozen=True)
class Writes(InBlocks):
    """`requests` share A's `length` tokens; then each of them appends one token, A first."""

    length: int
    size: int
    requests: int

    @property
    def table(self) -> tuple[int, ...]:
        return HAND_OUT[: self.blocks]

    @property
    def listed(self) -> str:
        return bracketed(self.table)

    @property
    def last(self) -> int:
        return self.table[-1]

    @property
    def everybody(self) -> tuple[str, ...]:
        return tuple(LETTERS[: self.requests])

    @property
    def others(self) -> tuple[str, ...]:
        return self.everybody[1:]

    @property
    def n_others(self) -> int:
        return self.requests - 1

    @property
    def counts(self) -> tuple[int, ...]:
        """Tables that name an unfilled last block, write by write."""
        return tuple(max(1, self.requests - i) for i in range(1, self.requests + 1))

    @property
    def shared(self) -> Answer:
        """Row by row a block of A's, column by column a write: 1 where two tables or more name the block after it."""
        pool, requests = forked(self, n=self.requests)
        blocks, columns = requests[0].block_table, []
        for request in requests:
            request.append()
            columns.append([float(pool.ref_count(block) > 1) for block in blocks])
        return tuple(mark for row in zip(*columns, strict=True) for mark in row)

    def last_row(self, *marks: float) -> Answer:
        """The answer with these marks for A's last block and all others shared."""
        return (1.0,) * (self.requests * (self.blocks - 1)) + marks


def _invent(rng: random.Random) -> Writes:
    n = rng.choice((3, 4, 5))
    return Writes(n * rng.randint(1, 3) + rng.randint(1, n - 1), n, rng.choice((3, 4)))


def _stays(x: Writes) -> Text:
    if x.over:
        return Told(
            "The full blocks stay shared: nobody writes into them. Block {last} is shared while at least 2 of "
            "{requests} have not written.",
            "满块一直共享：没有人往里写。块 {last} 只有在 {requests} 个里至少还有 2 个没写时才共享。",
        ).on(x)
    return Text(
        "All blocks are full: whoever writes opens a new one, and all stay shared.",
        "所有块都满：谁写都另开新块，全部继续共享。",
    )


_FULL: Line[Writes] = Line(
    Text("Full blocks", "满块"), "⌊{length} ÷ {size}⌋ = {full}", Text("shared throughout", "一直共享")
)
_OVER: Line[Writes] = Line(Text("In the last block", "末块里"), "{length} mod {size}", "{over}")
_LAST: Line[Writes] = Line(
    Told("Tables that name block {last}, write by write", "每次写入后引用块 {last} 的表"),
    Text("one fewer each time; the last stays", "每次少一张，最后一张留下"),
    "{counts}",
)


def _lines(x: Writes) -> tuple[Row, ...]:
    return tuple(line.row(x) for line in ((_FULL, _OVER, _LAST) if x.over else (_FULL, _OVER)))


STILL_SHARED: Question[Writes] = Question(
    slug="still_shared",
    title=Text("What stays shared", "哪些块仍然共享"),
    prompt=Told(
        "A has {length:token} in blocks of {size}, block table {listed}. {others} {n_others|is|are} forked from "
        "it. Then each appends one token, in the order {everybody}. After each write, which of these blocks are "
        "still named by two or more tables? Tick them.",
        "A 有 {length} 个 token，每块 {size} 个，块表 {listed}。{others} 从它分叉。然后按 {everybody} 的次序各追加"
        "一个 token。每次写入之后，这些块里哪些仍被两张或更多块表引用？请勾选。",
    ),
    form=Form(
        (
            Whole("length", LENGTH.label, 1, 24),
            Whole("size", SIZE.label, 2, 8),
            Whole("requests", REQUESTS.label, 2, len(LETTERS)),
        )
    ),
    inputs=Writes(10, 4, 3),
    invent=_invent,
    formula=lambda x: x.shared,
    slips=(
        Slip(
            "never_copied",
            Text("Left the unfilled block shared", "让没满的块一直共享"),
            lambda x: x.last_row(*[1.0] * x.requests),
            Text(
                "Whoever writes takes a copy of the unfilled block, so its old one loses a table each time.",
                "没满的块，谁写谁取走副本，原块每次少一张引用它的表。",
            ),
        ),
        Slip(
            "all_at_once",
            Text("Ended the sharing at the first write", "第一次写入就当作不共享了"),
            lambda x: x.last_row(*[0.0] * x.requests),
            Told(
                "A alone takes a copy. The other {n_others} still share the old block.",
                "只有 A 取走副本。其余 {n_others} 个仍共享原块。",
            ),
        ),
        Slip(
            "one_late",
            Text("One write too late", "晚算了一次"),
            lambda x: x.last_row(*[1.0] * x.n_others, 0.0),
            Text(
                "The last but one to write leaves one table behind, and that is no sharing. The last writes in place.",
                "倒数第二个写完，只剩一张表引用，就不算共享了。最后一个直接写入。",
            ),
        ),
        Slip(
            "fork_copies",
            Text("Took a fork for a copy", "把分叉当成了复制"),
            lambda x: (0.0,) * (x.requests * x.blocks),
            Text(
                "A fork copies nothing: all blocks are shared, and the full ones stay so.",
                "分叉什么也不复制：所有块都共享，满块一直如此。",
            ),
        ),
    ),
    working=_stays,
    way=way,
    reply=Tick(
        lambda x: tuple(Text(f"block {b}", f"块 {b}") for b in x.table),
        lambda x: tuple(Text(f"after {name} writes", f"{name} 写入后") for name in x.everybody),
    ),
    rows=_lines,
)
