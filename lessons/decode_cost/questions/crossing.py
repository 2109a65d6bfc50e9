"""When attention outweighs the rest of a layer."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count, short
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told


@dataclass(frozen=True)
class Layer:
    """One layer of a decoder whose width is heads · head_dim; the FFN has two matrices."""

    heads: int
    kv_heads: int
    head_dim: int
    d_ff: int

    @property
    def width(self) -> int:
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        return self.kv_heads * self.head_dim

    @property
    def row(self) -> int:
        """Multiplications of a row: each weight of q, o, k, v and the FFN once."""
        return 2 * self.width * (self.width + self.kv_width + self.d_ff)

    @property
    def pair(self) -> int:
        """Multiplications of a pair, all heads: q · k and p · v."""
        return 2 * self.width


_HALF: Slip[Layer] = Slip(
    "one_product",
    Text("Counted q · k alone", "只算了 q · k"),
    lambda q: 2 * (q.width + q.kv_width + q.d_ff),
    Text(
        "Only q · k was counted for a pair. Its weight is multiplied with v as well.",
        "一对只算了 q · k。权重还要与 v 相乘。",
    ),
)
_NO_FFN: Slip[Layer] = Slip(
    "no_ffn",
    Text("Forgot the FFN", "漏了 FFN"),
    lambda q: q.width + q.kv_width,
    Text("A row goes through the FFN, too.", "一行还要经过 FFN。"),
)

CROSSING: Question[Layer] = Question(
    slug="crossing",
    title=Text("When attention outweighs the rest", "注意力何时超过其余部分"),
    prompt=Told(
        "One layer has {heads:query head} and {kv_heads:KV head} of {head_dim} numbers, width {width}, and an FFN of "
        "two matrices, up to {d_ff} and down again. With a cache one row is run: at how many keys do its pairs (q · "
        "k and weight · v, all heads) take as many multiplications as its projections and FFN?",
        "一层有 {heads} 个查询头和 {kv_heads} 个 KV 头，每头 {head_dim} 个数，宽度 {width}，FFN 是两个矩阵，升维到 "
        "{d_ff} 再降回。有缓存时只算一行：遇到多少个键时，它的配对（q · k 与权重 · v，所有头）与投影加 FFN 的乘法次数"
        "相同？",
    ),
    form=Form(
        (
            Whole("heads", Text("Query heads", "查询头数"), 1, 128),
            Whole("kv_heads", Text("KV heads", "KV 头数"), 1, 128),
            Whole("head_dim", Text("Numbers a head", "每头几个数"), 2, 512),
            Whole("d_ff", Text("FFN width", "FFN 宽度"), 1, 100_000),
        )
    ),
    inputs=Layer(32, 8, 128, 16_384),
    invent=lambda rng: Layer(
        (kv := rng.choice((1, 2, 4, 8))) * (share := rng.choice((2, 3, 4, 8))),
        kv,
        (d := rng.choice((32, 64, 96, 128))),
        rng.choice((2, 3, 4, 5)) * kv * share * d,
    ),
    formula=lambda q: q.row / q.pair,
    slips=(
        _NO_FFN,
        _HALF,
        together(_NO_FFN, _HALF, lambda q: 2 * (q.width + q.kv_width)),
        Slip(
            "query_heads",
            Text("k and v for every query head", "k、v 按查询头算"),
            lambda q: 2 * q.width + q.d_ff,
            Told(
                "k and v are projected for {kv_heads:KV head}, not for {heads:query head}.",
                "k、v 只投影 {kv_heads} 个 KV 头，不是 {heads} 个查询头。",
            ),
        ),
        Slip(
            "one_matrix",
            Text("One matrix of the FFN", "FFN 只算了一个矩阵"),
            lambda q: q.width + q.kv_width + q.d_ff / 2,
            Text("The FFN has two matrices: up and down again.", "FFN 有两个矩阵：升上去，再降回来。"),
        ),
    ),
    working=Told(
        "{row} multiplications a row, {pair} a pair. Shorter contexts spend more on the row, longer ones on the pairs.",
        "一行 {row} 次乘法，一对 {pair} 次。上下文更短时主要花在行上，更长时主要花在配对上。",
    ),
    reply=Number(),
    rows=(
        Line(Text("weights of q and o", "q 与 o 的权重"), "2 × {width} × {width}", lambda q: count(2 * q.width**2)),
        Line(
            Text("weights of k and v", "k 与 v 的权重"),
            "2 × {width} × {kv_heads} × {head_dim}",
            lambda q: count(2 * q.width * q.kv_width),
        ),
        Line(Text("weights of the FFN", "FFN 的权重"), "2 × {width} × {d_ff}", lambda q: count(2 * q.width * q.d_ff)),
        Line(Text("a row: each weight once", "一行：每个权重一次"), Text("the sum", "三者之和"), "{row}"),
        Line(Text("a pair: q · k and weight · v", "一对：q · k 与权重 · v"), "2 × {heads} × {head_dim}", "{pair}"),
        Line(
            Text("keys", "键的个数"),
            "{row} / {pair}",
            lambda q: short(q.row / q.pair) if q.row / q.pair < 1e6 else count(q.row // q.pair),
        ),
    ),
)
