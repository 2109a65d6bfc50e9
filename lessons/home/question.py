"""The chapter's check before reading: how many numbers, then bytes, do K and V of a few positions take?"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from engine.kv_cache import kv_bytes
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.question import Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Answer, Number, exactly
from lessons.kit.text import Text
from lessons.kit.units import BYTE, PLAIN, Unit, read_quantity


@dataclass(frozen=True)
class Rows:
    """`numbers` numbers in one row of K (and of V), a row a position and layer, `itemsize` bytes each; 1 counts
    numbers."""

    layers: int = 1
    positions: int = 3
    numbers: int = 4
    itemsize: int = 1


def _kv(rows: Rows) -> int:
    return kv_bytes(
        n_layers=rows.layers,
        batch=1,
        seq_len=rows.positions,
        n_kv_heads=1,
        head_dim=rows.numbers,
        itemsize=rows.itemsize,
    )


def _build(values: Mapping[str, Any]) -> Rows:
    return Rows(**{name: values[name] for name in ("layers", "positions", "numbers", "itemsize")})


def _ask(rows: Rows) -> Text:
    if rows.itemsize == 1:
        return Text(
            f"{_layers(rows)[0]}, {rows.positions} positions, {rows.numbers} numbers in each row of K and of V. How "
            "many numbers are kept?",
            f"{_layers(rows)[1]}、{rows.positions} 个位置，K 和 V 每行各 {rows.numbers} 个数。一共要保存多少个数？",
        )
    return Text(
        f"{_layers(rows)[0]}, {rows.positions} positions, {rows.numbers} numbers in each row of K and of V, "
        f"{rows.itemsize} bytes a number. "
        "How many bytes are kept?",
        f"{_layers(rows)[1]}、{rows.positions} 个位置，K 和 V 每行各 {rows.numbers} 个数，每个数 {rows.itemsize} 字"
        "节。一共要保存多少字节？",
    )


def _layers(rows: Rows) -> tuple[str, str]:
    return f"{rows.layers} layer{'s' * (rows.layers != 1)}", f"{rows.layers} 层"


def _invent(rng: random.Random) -> Rows:
    return Rows(rng.randint(2, 8), rng.randint(3, 12), 2 ** rng.randint(2, 5), rng.choice((1, 4, 8)))


def _product(rows: Rows) -> str:
    factors = ("2", rows.layers, rows.positions, rows.numbers, *((rows.itemsize,) if rows.itemsize > 1 else ()))
    return f"{' × '.join(map(str, factors))} = {count(_kv(rows))}"


@dataclass(frozen=True)
class Counted(Number):
    """Numbers where each counts 1, else bytes."""

    def read(self, typed: str, inputs: Rows, n: int) -> tuple[Answer, ...]:
        return tuple((x,) for x in read_quantity(typed, _unit(inputs)))

    def write(self, answer: Answer, inputs: Rows) -> Text:
        return _unit(inputs).after(exactly(answer))


def _unit(rows: Rows) -> Unit:
    return PLAIN if rows.itemsize == 1 else BYTE


def _lines(r: Rows) -> tuple[Row, ...]:
    one = r.positions * r.numbers
    layer = (
        Row(Text("Numbers in K of one layer", "一层的 K 有多少个数"), f"{r.positions} × {r.numbers}", count(one)),
        Row(Text("In K and V", "K 和 V 共有"), f"2 × {count(one)}", count(2 * one)),
        Row(Text("In all layers", "所有层共有"), f"{r.layers} × {count(2 * one)}", count(2 * one * r.layers)),
    )
    if r.itemsize == 1:
        return layer
    bytes_ = Row(Text("In bytes", "换成字节"), f"{r.itemsize} × {count(2 * one * r.layers)}", BYTE.after(count(_kv(r))))
    return (*layer, bytes_)


_NO_V: Slip[Rows] = Slip(
    "forgot_v",
    Text("Forgot V", "忘了 V"),
    lambda r: (_kv(r) / 2,),
    Text("That is one of the two. K and V are both kept.", "这只是两者之一。K 和 V 都要保存。"),
)
_NO_BYTES: Slip[Rows] = Slip(
    "no_bytes",
    Text("Counted numbers, not bytes", "只数了个数，没有换成字节"),
    lambda r: (_kv(r) / r.itemsize if r.itemsize > 1 else 0.0,),
    Text("That is the number of numbers. Each takes more than one byte.", "这是数的个数。每个数占的不止一个字节。"),
)

CHECK: Question[Rows] = Question(
    slug="home-kv",
    title=Text("K and V of a few positions", "几个位置的 K 和 V"),
    prompt=_ask,
    form=Form(
        (
            Whole("layers", Text("Layers", "层数"), 1, 200),
            Whole("positions", Text("Positions", "位置数"), 1, 1_000_000),
            Whole("numbers", Text("Numbers a row", "每行个数"), 1, 100_000),
            Whole("itemsize", Text("Bytes a number (1: count numbers)", "每个数的字节（1：只数个数）"), 1, 8),
        ),
        _build,
        asdict,
    ),
    inputs=Rows(),
    invent=_invent,
    formula=lambda r: _kv(r),
    slips=(
        _NO_V,
        Slip(
            "q_too",
            Text("Counted Q as well", "把 Q 也算了"),
            lambda r: (_kv(r) * 3 / 2,),
            Text(
                "A query is used once and thrown away; only K and V are kept.", "查询用一次就丢掉，保存的只有 K 和 V。"
            ),
        ),
        Slip(
            "one_layer",
            Text("Counted one layer", "只算了一层"),
            lambda r: (_kv(r) / r.layers if r.layers > 1 else 0.0,),
            Text("Every layer keeps a K and a V of its own.", "每一层都保存自己的 K 和 V。"),
        ),
        _NO_BYTES,
        together(_NO_V, _NO_BYTES, lambda r: (_kv(r) / 2 / r.itemsize if r.itemsize > 1 else -1.0,)),
    ),
    working=lambda r: Text(
        f"K and V, times layers, positions and numbers a row{', times bytes' * (r.itemsize > 1)}: {_product(r)}.",
        f"K 和 V 两份，乘层数、位置数、每行个数{'，再乘字节数' * (r.itemsize > 1)}：{_product(r)}。",
    ),
    way=None,
    reply=Counted(),
    rows=_lines,
    tolerance=Tolerance(0.0006, 0.01),  # four figures
)
