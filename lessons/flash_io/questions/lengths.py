"""What depends on the length, and what on the chip."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from engine.flash_io import Scenario
from engine.intensity import intensity_limit
from engine.traffic_laws import Shape, plain_extra, tiled_extra
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Slip
from lessons.kit.reply import Number, Pick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import KIB


@dataclass(frozen=True)
class Limit:
    """A head size and the bytes of a number."""

    d: int = 128
    itemsize: int = 2
    n: int = 2_048


INTENSITY: Question[Limit] = Question(
    slug="intensity",
    title=Text("How many FLOP per byte, at most?", "每字节最多多少次浮点运算？"),
    prompt=Told(
        "Attention that is not fused, a head with d = {d:plain} and {itemsize:byte} per number. Count the two "
        "products, 4 T² d FLOP, and the bytes of Q, K, V, O and of both tables, each table written and read. Which "
        "number of FLOP per byte does it approach as T grows?",
        "不融合的注意力，一个头 d = {d:plain}，每个数 {itemsize} 字节。浮点运算算两个乘积，4 T² d；字节算 Q、K、V、"
        "O 和两张表，每张表写一次、读一次。T 越来越大时，每字节的浮点运算趋近于多少？",
    ),
    form=Form(
        (
            Whole("d", Text("Numbers per query, key and value", "每个查询、键、值的维数"), 1, 1_024),
            Whole("itemsize", Text("Bytes per number", "每个数的字节"), 1, 8),
        )
    ),
    inputs=Limit(),
    invent=lambda rng: Limit(rng.choice((32, 64, 80, 96, 128, 192, 256)), rng.choice((1, 2, 4))),
    formula=lambda q: intensity_limit(q.d, q.itemsize),
    slips=(
        Slip(
            "one_way",
            Text("Tables that cross once.", "每张表只过一次门。"),
            lambda q: Fraction(2 * q.d, q.itemsize),
            Text(
                "Each table is written and read back: four crossings, not two.",
                "每张表写出再读回：过门四次，不是两次。",
            ),
        ),
        Slip(
            "one_product",
            Text("One product.", "只算一个乘积。"),
            lambda q: Fraction(q.d, 2 * q.itemsize),
            Text("There are two products with a table, Q Kᵀ and P V.", "带表的乘积有两个：Q Kᵀ 和 P V。"),
        ),
        Slip(
            "grows",
            Text("It grows with T.", "随 T 增长。"),
            lambda q: Fraction(q.d * q.n, q.itemsize),
            Text(
                "Operations and bytes of the tables both grow with T², so their quotient has a limit.",
                "运算和表的字节都按 T² 增长，所以商有极限。",
            ),
        ),
    ),
    working=Told(
        "4 T² d operations and, for large T, 4 T² numbers of {itemsize:byte}: {d:plain} ÷ {itemsize}. No length "
        "brings it above that.",
        "4 T² d 次运算；T 很大时是 4 T² 个数，每个 {itemsize} 字节：{d:plain} ÷ {itemsize}。多长也超不过它。",
    ),
    way=lambda _: Scenario(causal=False),
    rows=(
        Line(Text("operations", "运算"), Text("two products", "两个乘积"), "4 × {d:plain} × T²"),
        Line(Text("bytes", "字节"), Text("two tables, both ways", "两张表，读和写"), "4 × {itemsize} × T²"),
        Line(Text("FLOP per byte", "每字节浮点运算"), Text("the limit", "极限"), "{d:plain} ÷ {itemsize}"),
    ),
)


@dataclass(frozen=True)
class Kept:
    """A head of n queries and keys, tables of 2 bytes a number, log-sum-exp of 4."""

    n: int = 4_096

    @property
    def tiles(self) -> Fraction:
        """KiB of the log-sum-exp."""
        return Fraction(tiled_extra(Shape(self.n, self.n, 128), itemsize=4), 1024)

    @property
    def plain(self) -> Fraction:
        """KiB of S and P."""
        return Fraction(plain_extra(Shape(self.n, self.n, 128), itemsize=2), 1024)


KEPT: Question[Kept] = Question(
    slug="kept-for-backward",
    title=Text("What is kept for the backward pass?", "为反向传播保存什么？"),
    prompt=Told(
        "One head of {n} queries and keys. Besides Q, K, V and O, the tiled kernel keeps one log-sum-exp of 4 "
        "bytes per query for the backward pass. How many KiB are that?",
        "一个头，{n} 个查询和键。除 Q、K、V、O 外，分块内核为反向传播给每个查询保存一个 4 字节的 log-sum-exp。一共"
        "多少 KiB？",
    ),
    form=Form((Whole("n", Text("Queries and keys", "查询与键的个数"), 2, 1_048_576),)),
    inputs=Kept(),
    invent=lambda rng: Kept(1024 * rng.randint(3, 64)),
    formula=lambda q: q.tiles,
    slips=(
        Slip(
            "a_table",
            Text("A table of weights.", "一张权重表。"),
            lambda q: q.plain / 2,
            Text(
                "That is what the plain way keeps. Tiles rebuild each weight from the log-sum-exp.",
                "这是普通做法保存的。分块由 log-sum-exp 重建每个权重。",
            ),
        ),
        Slip(
            "m_and_l",
            Text("m and ℓ, two numbers.", "m 和 ℓ 两个数。"),
            lambda q: 2 * q.tiles,
            Text(
                "m and ℓ are joined in one number, m + ln ℓ, which is all that p = exp(s − LSE) needs.",
                "m 和 ℓ 合成一个数 m + ln ℓ，p = exp(s − LSE) 只需要它。",
            ),
        ),
        Slip(
            "two_bytes",
            Text("2 bytes per number.", "每个数 2 字节。"),
            lambda q: q.tiles / 2,
            Text("Statistics are kept in 32 bits, 4 bytes.", "统计量用 32 位保存，4 字节。"),
        ),
    ),
    working=Told("{n} × 4 bytes, divided by 1024.", "{n} × 4 字节，除以 1024。"),
    way=lambda _: Scenario(backward=True),
    reply=Number(KIB),
    rows=(
        Line(Text("log-sum-exp", "log-sum-exp"), Text("one per query", "每个查询一个"), "{n} × 4"),
        Line(Text("in KiB", "换成 KiB"), Text("divided by 1024", "除以 1024"), "{n} × 4 ÷ 1024"),
    ),
)


@dataclass(frozen=True)
class Chip:
    """An on-chip memory that becomes `times` as large; the order in which the answers stand follows from it."""

    times: int = 4
    n: int = 8_192


def _stands(q: Chip, option: int) -> float:
    """Where an option stands: 0 fewer, 1 the same, 2 no longer quadratic."""
    return place(shuffled(3, q.times, q.n), option)


def _options(q: Chip) -> tuple[Text, ...]:
    words = (_DIVIDED.on(q), _SAME, _SQUARED)
    return tuple(words[option] for option in shuffled(3, q.times, q.n))


_DIVIDED = Told("about {times} times fewer", "约为原来的 {times} 分之一")
_SAME = Text("about the same", "差不多不变")
_SQUARED = Text("they no longer grow with the square of the length", "不再按长度的平方增长")


LARGER_CHIP: Question[Chip] = Question(
    slug="larger-chip",
    title=Text("A larger chip", "更大的片上存储"),
    prompt=Told(
        "Long sequences of {n} keys, tiles sized to the chip. The on-chip memory becomes {times} times as large, "
        "and the tiles with it. What happens to the bytes that tiles move?",
        "长度 {n} 的长序列，分块大小随片上存储而定。片上存储变成 {times} 倍，分块也随之变大。分块做法搬运的字节会怎"
        "样？",
    ),
    form=Form(
        (
            Whole("times", Text("Times as large", "变成几倍"), 2, 16),
            Whole("n", Text("Keys", "键"), 4_096, 1_048_576),
        )
    ),
    inputs=Chip(),
    invent=lambda rng: Chip(rng.randint(2, 10), 8_192 * rng.randint(1, 9)),
    formula=lambda q: _stands(q, 0),
    slips=(
        Slip(
            "same",
            Text("The same.", "不变。"),
            lambda q: _stands(q, 1),
            Text(
                "K and V are read once for every tile of queries. Larger tiles are fewer, so K and V are read less "
                "often.",
                "每个查询分块都要读一遍 K、V。分块越大，个数越少，K、V 读得也越少。",
            ),
        ),
        Slip(
            "linear",
            Text("Linear in the length.", "变成线性。"),
            lambda q: _stands(q, 2),
            Text(
                "A larger chip divides the traffic; it still grows with T². Only if everything fits at once is "
                "each key read once.",
                "更大的片上存储只是让搬运量除以一个数，它仍按 T² 增长。只有全部放得下时，每个键才只读一次。",
            ),
        ),
    ),
    working=Told(
        "The tile of queries grows about {times} times, so there are {times} times fewer of them, and K and V come "
        "in that much less often. The traffic is about proportional to T² d² / M.",
        "查询分块约大 {times} 倍，个数约为原来的 {times} 分之一，K、V 进来的次数也随之减少。搬运量约与 T² d² / M 成"
        "正比。",
    ),
    way=lambda _: Scenario(causal=False),
    reply=Pick(_options),
    rows=(
        Line(Text("tiles of queries", "查询分块"), Text("fewer", "变少"), "÷ {times}"),
        Line(
            Text("readings of K and V", "读 K、V 的遍数"),
            Text("one per tile of queries", "每个查询分块一遍"),
            "÷ {times}",
        ),
    ),
)
