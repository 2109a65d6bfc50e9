"""The chapter's check before reading: how many numbers, then bytes, do K and V of a few positions take?"""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.kv_cache import kv_bytes
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.question import Line, Question, Slip, Tolerance, together
from lessons.kit.reply import Answer, Number, exactly
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE, PLAIN, Unit, read_quantity


@dataclass(frozen=True)
class Rows:
    """`numbers` numbers in one row of K (and of V), a row a position and layer, `itemsize` bytes each; 1 counts
    numbers."""

    layers: int = 1
    positions: int = 3
    numbers: int = 4
    itemsize: int = 1

    @property
    def in_k(self) -> int:
        """Numbers in K of one layer."""
        return self.positions * self.numbers

    @property
    def in_layer(self) -> int:
        return 2 * self.in_k

    @property
    def in_all(self) -> int:
        return self.layers * self.in_layer

    @property
    def kept(self) -> int:
        """Bytes of all layers; numbers where each counts 1."""
        return kv_bytes(
            n_layers=self.layers,
            batch=1,
            seq_len=self.positions,
            n_kv_heads=1,
            head_dim=self.numbers,
            itemsize=self.itemsize,
        )

    @property
    def unit(self) -> Unit:
        return PLAIN if self.itemsize == 1 else BYTE


@dataclass(frozen=True)
class Counted(Number):
    """Numbers where each counts 1, else bytes."""

    def read(self, typed: str, inputs: Rows, n: int) -> tuple[Answer, ...]:
        return tuple((x,) for x in read_quantity(typed, inputs.unit))

    def write(self, answer: Answer, inputs: Rows) -> Text:
        return inputs.unit.after(exactly(answer))


def _prompt(r: Rows) -> Text:
    given = Told(
        "{layers:layer}, {positions:position}, {numbers:number} in each row of K and of V",
        "{layers} 层、{positions} 个位置，K 和 V 每行各 {numbers} 个数",
    )
    if r.itemsize == 1:
        asked = Told(". How many numbers are kept?", "。一共要保存多少个数？")
    else:
        asked = Told(
            ", {itemsize} bytes a number. How many bytes are kept?", "，每个数 {itemsize} 字节。一共要保存多少字节？"
        )
    return (given + asked).on(r)


def _worked(r: Rows) -> Text:
    if r.itemsize == 1:
        return Told(
            "K and V, times layers, positions and numbers a row: 2 × {layers} × {positions} × {numbers} = {kept}.",
            "K 和 V 两份，乘层数、位置数、每行个数：2 × {layers} × {positions} × {numbers} = {kept}。",
        ).on(r)
    return Told(
        "K and V, times layers, positions and numbers a row, times bytes: 2 × {layers} × {positions} × {numbers} × "
        "{itemsize} = {kept}.",
        "K 和 V 两份，乘层数、位置数、每行个数，再乘字节数：2 × {layers} × {positions} × {numbers} × {itemsize} = "
        "{kept}。",
    ).on(r)


_LINES: tuple[Line[Rows], ...] = (
    Line(Text("Numbers in K of one layer", "一层的 K 有多少个数"), "{positions} × {numbers}", "{in_k}"),
    Line(Text("In K and V", "K 和 V 共有"), "2 × {in_k}", "{in_layer}"),
    Line(Text("In all layers", "所有层共有"), "{layers} × {in_layer}", "{in_all}"),
    Line(Text("In bytes", "换成字节"), "{itemsize} × {in_all}", lambda r: BYTE.after(count(r.kept))),
)


def _invent(rng: random.Random) -> Rows:
    return Rows(rng.randint(2, 8), rng.randint(3, 12), 2 ** rng.randint(2, 5), rng.choice((1, 4, 8)))


_NO_V: Slip[Rows] = Slip(
    "forgot_v",
    Text("Forgot V", "忘了 V"),
    lambda r: r.kept / 2,
    Text("That is one of the two. K and V are both kept.", "这只是两者之一。K 和 V 都要保存。"),
)
_NO_BYTES: Slip[Rows] = Slip(
    "no_bytes",
    Text("Counted numbers, not bytes", "只数了个数，没有换成字节"),
    lambda r: r.in_all if r.itemsize > 1 else 0,
    Text("That is the number of numbers. Each takes more than one byte.", "这是数的个数。每个数占的不止一个字节。"),
)

CHECK: Question[Rows] = Question(
    slug="home-kv",
    title=Text("K and V of a few positions", "几个位置的 K 和 V"),
    prompt=_prompt,
    form=Form(
        (
            Whole("layers", Text("Layers", "层数"), 1, 200),
            Whole("positions", Text("Positions", "位置数"), 1, 1_000_000),
            Whole("numbers", Text("Numbers a row", "每行个数"), 1, 100_000),
            Whole("itemsize", Text("Bytes a number (1: count numbers)", "每个数的字节（1：只数个数）"), 1, 8),
        )
    ),
    inputs=Rows(),
    invent=_invent,
    formula=lambda r: r.kept,
    slips=(
        _NO_V,
        Slip(
            "q_too",
            Text("Counted Q as well", "把 Q 也算了"),
            lambda r: r.kept * 3 / 2,
            Text(
                "A query is used once and thrown away; only K and V are kept.", "查询用一次就丢掉，保存的只有 K 和 V。"
            ),
        ),
        Slip(
            "one_layer",
            Text("Counted one layer", "只算了一层"),
            lambda r: r.kept / r.layers if r.layers > 1 else 0,
            Text("Every layer keeps a K and a V of its own.", "每一层都保存自己的 K 和 V。"),
        ),
        _NO_BYTES,
        together(_NO_V, _NO_BYTES, lambda r: r.in_all / 2 if r.itemsize > 1 else -1),
    ),
    working=_worked,
    reply=Counted(),
    rows=lambda r: tuple(line.row(r) for line in (_LINES[:-1] if r.itemsize == 1 else _LINES)),
    tolerance=Tolerance(0.0006, 0.01),  # four figures
)
