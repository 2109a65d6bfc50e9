"""At full size: the softmax of a long text, and what its tables are worth to a single query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.attention import score_table_bytes
from engine.three_ledgers import tables_share
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.question import Line, Question, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import MIB, PERCENT
from lessons.three_savings.questions.given import NOT_READ_BACK, NUMBERS, THOSE_ARE_NUMBERS


@dataclass(frozen=True)
class Long:
    """One head over `keys` tokens, `wide` numbers a head, two bytes a number."""

    keys: int
    wide: int = 128
    itemsize: ClassVar[int] = 2

    @property
    def numbers(self) -> int:
        """In one table of a pass over all."""
        return self.keys**2

    @property
    def bytes(self) -> int:
        """Of that table."""
        return score_table_bytes(self.keys, self.keys, itemsize=self.itemsize)

    @property
    def mib(self) -> float:
        return _mib(self.bytes)

    @property
    def rows(self) -> int:
        """Numbers of the two rows that one query writes and reads back."""
        return 4 * self.keys

    @property
    def vectors(self) -> int:
        """Numbers of q and o, K and V for one query."""
        return 2 * self.wide + 2 * self.keys * self.wide

    @property
    def share(self) -> float:
        """Percent that the rows are of all that moves."""
        return tables_share(self.keys, self.wide)


def _mib(n_bytes: float) -> float:
    return n_bytes / MIB.scale.numerator


LONG_FORM: Form[Long] = Form(
    (
        Whole("keys", Text("Tokens", "token 数"), 1, 1_000_000),
        Whole("wide", Text("Numbers a head", "每头的数"), 1, 1024),
    )
)

_N_BY_D: Slip[Long] = Slip(
    "n-by-d",
    Text("Took it for as wide as the output", "以为它和输出一样宽"),
    lambda x: _mib(x.itemsize * x.keys * x.wide),
    Told(
        "That is the output o, {keys} × {wide}. The weights have one number for each query and key.",
        "这是输出 o，{keys} × {wide}。权重对每个查询和每个键各有一个数。",
    ),
)
_NO_BYTES: Slip[Long] = Slip(
    "numbers",
    NUMBERS,
    lambda x: _mib(x.numbers),
    THOSE_ARE_NUMBERS,
)

WEIGHTS: Question[Long] = Question(
    slug="weights-table",
    title=Text("The softmax of a long text", "长文本的 softmax"),
    prompt=Told(
        "Attention over {keys:token} in one pass without tiles, {wide:number} a head, {itemsize} bytes a number. "
        "How many MiB is the output of the softmax, the weights, of one head (masked ones stored as zeros)?",
        "对 {keys} 个 token 一遍算完注意力，不分块，每头 {wide} 个数，每个数 {itemsize} 字节。一个头的 softmax 输出"
        "（权重，被屏蔽的位置存为零）是多少 MiB？",
    ),
    form=LONG_FORM,
    inputs=Long(8192),
    invent=lambda rng: Long(1024 * rng.randint(4, 64), rng.choice((64, 128, 256))),
    formula=lambda x: x.mib,
    slips=(
        _N_BY_D,
        _NO_BYTES,
        Slip(
            "both",
            Text("Both tables", "两张表都算了"),
            lambda x: 2 * x.mib,
            Text(
                "That is the table of scores as well. The question asks for the softmax’s output alone.",
                "这把分数表也算上了。问的只是 softmax 的输出。",
            ),
        ),
        together(_N_BY_D, _NO_BYTES, lambda x: _mib(x.keys * x.wide)),
    ),
    working=Told(
        "{keys} × {keys} × {itemsize} bytes = {mib:fixed2} MiB. Only the output is {keys} × {wide}.",
        "{keys} × {keys} × {itemsize} 字节 = {mib:fixed2} MiB。{keys} × {wide} 的只是输出。",
    ),
    reply=Number(MIB),
    rows=(
        Line(Text("Numbers", "个数"), "{keys} × {keys}", "{numbers}"),
        Line(Text("Bytes", "字节"), "{numbers} × {itemsize}", "{bytes}"),
        Line(Text("In MiB", "换算成 MiB"), f"÷ {count(MIB.scale.numerator)}", lambda x: MIB.after(f"{x.mib:.8g}")),
    ),
)


def _share(tables: float, vectors: float) -> float:
    return 100 * tables / (tables + vectors)


DECODE_SHARE: Question[Long] = Question(
    slug="decode-share",
    title=Text("What tiles can save for one query", "只有一个查询时分块能省多少"),
    prompt=Told(
        "One new query meets {keys:cached key}, {wide:number} a head. Without tiles a head reads q, K and V once, "
        "writes o once, and writes its row of scores and its row of weights and reads each back. What percentage of "
        "the traffic are those rows?",
        "一个新查询遇到 {keys} 个缓存的键，每头 {wide} 个数。不分块时，一个头各读一次 q、K、V，写一次 o，并把一行分"
        "数、一行权重各写出再读回。这两行占搬运量的百分之几？",
    ),
    form=LONG_FORM,
    inputs=Long(4096),
    invent=lambda rng: Long(rng.randint(100, 5000), rng.choice((16, 32, 64, 128))),
    formula=lambda x: x.share,
    slips=(
        Slip(
            "one-way",
            NOT_READ_BACK,
            lambda x: _share(x.rows / 2, x.vectors),
            Text(
                "Scores and weights are written and read back: four rows cross.",
                "分数和权重各写一次、读回一次：共四行经过。",
            ),
        ),
        Slip(
            "k-only",
            Text("Forgot V", "忘了 V"),
            lambda x: _share(x.rows, x.vectors - x.keys * x.wide),
            Text("V is read as well, as large as K.", "V 也要读，和 K 一样大。"),
        ),
        Slip(
            "whole-table",
            Text("A table for every position", "当成每个位置都有一行"),
            lambda x: _share(4 * x.numbers, x.vectors),
            Text(
                "With a cache only the new query is run: its tables are one row each.",
                "有缓存时只处理新查询：两张表各只有一行。",
            ),
        ),
        Slip(
            "beside",
            Text("Beside the rest, not of all", "与其余相比，而不是占总数"),
            lambda x: 100 * x.rows / x.vectors,
            Text(
                "That compares the rows with q, K, V and o. The question asks for their part of all that crosses.",
                "这是与 q、K、V、o 相比。问的是占全部搬运的比例。",
            ),
        ),
    ),
    working=Told(
        "Rows {rows}, the rest {vectors} numbers: {share:fixed2} %. So tiles save little in a decoding step.",
        "两行共 {rows} 个数，其余 {vectors} 个：{share:fixed2} %。所以解码时分块省得很少。",
    ),
    reply=Number(PERCENT),
    rows=(
        Line(Text("Rows of scores and weights", "分数和权重"), "4 × {keys}", "{rows}"),
        Line(Text("q and o, K and V", "q、o、K、V"), "2 × {wide} + 2 × {keys} × {wide}", "{vectors}"),
        Line(
            Text("Part", "比例"),
            lambda x: f"{count(x.rows)} ÷ {count(x.rows + x.vectors)}",
            lambda x: f"{x.share:.6g}%",
        ),
    ),
    tolerance=Tolerance(0.001, 0.0005),
)
