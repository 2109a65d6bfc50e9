"""How many passes, what they read back, and when attention outweighs the rest of a layer."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from engine.counts import decode
from engine.decode_cost import Mistake, Scenario
from engine.kv_cache import kv_bytes
from lessons.decode_cost.form import NEW, PROMPT, form
from lessons.decode_cost.questions.given import (
    FROM_PREFILL,
    PASS,
    POSITION,
    TEN_FIVE,
    given,
    invent,
    itself,
    slip,
    sum_of,
)
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count, short
from lessons.kit.question import COUNTED, Question, Row, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE, MIB

PASSES: Question[Scenario] = Question(
    slug="passes",
    title=Text("How many decode passes?", "要几步解码？"),
    prompt=lambda s: (
        given(s)
        + FROM_PREFILL
        + Text(
            "How many decode passes follow the prompt’s, if the last new token is not run?",
            "若最后一个新 token 不送入，提示之后还要几步解码？",
        )
    ),
    form=form(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((2, 40), (3, 20)),
    formula=lambda s: s.n_new - 1,
    slips=(
        slip(
            "m",
            Text("One for each new token", "每个新 token 一步"),
            lambda p, m: m,
            Text(
                "The first new token needs no pass of its own: the prompt’s last logits give it.",
                "第一个新 token 不需要单独一步：提示最后的 logits 已给出它。",
            ),
        ),
        slip(
            "all_positions",
            Text("The prompt token by token", "提示逐个送入"),
            lambda p, m: p + m - 1,
            Text(
                "That is every position in a pass of its own. The prompt goes through in one.",
                "这是每个位置单独一步。提示一次前向就送完了。",
            ),
        ),
        slip(
            "plus_one",
            Text("Added the prompt’s pass", "加上了提示的一步"),
            lambda p, m: m + 1,
            Text("The prompt’s pass is not a decode pass, and it saves one.", "提示的前向不算解码步，而且还省下一步。"),
        ),
    ),
    working=lambda s: Text(
        f"M − 1 = {count(s.n_new - 1)}: the prompt’s pass already gave one token.",
        f"M − 1 = {count(s.n_new - 1)}：提示的前向已给出一个 token。",
    ),
    way=itself,
    reply=Number(PASS),
    rows=lambda s: (
        Row(Text("new tokens wanted, M", "要几个新 token，M"), Text("given", "已知"), count(s.n_new)),
        Row(
            Text("given by the prompt’s pass", "提示的前向已给出"),
            Text("its last row’s logits", "最后一行的 logits"),
            "1",
        ),
        Row(Text("decode passes left", "剩下的解码步"), f"{count(s.n_new)} − 1", PASS.after(count(s.n_new - 1))),
    ),
    tolerance=COUNTED,
)


def _back(p: int, m: int) -> int:
    return decode(p, m, first_from_prefill=True).pairs - (m - 1)


READ_BACK: Question[Scenario] = Question(
    slug="read_back",
    title=Text("What is read back?", "读回多少？"),
    prompt=lambda s: (
        given(s)
        + FROM_PREFILL
        + Text(
            "Each decode pass reads the K and V of all old positions. How many positions is that, over all decode "
            "passes?",
            "每个解码步都读一遍所有旧位置的 K、V。各解码步合计读了多少个位置？",
        )
    ),
    form=form(PROMPT, NEW),
    inputs=TEN_FIVE,
    invent=invent((4, 24), (4, 12)),
    formula=lambda s: _back(s.n_prompt, s.n_new),
    slips=(
        slip(
            "own_too",
            Text("Read the new one, too", "把新的也算成读回"),
            lambda p, m: decode(p, m, first_from_prefill=True).pairs,
            Text(
                "Those are the pairs. The newest K and V come from the pass itself, not from the cache.",
                "这是配对数。最新的 K、V 来自本步，不是从缓存读回的。",
            ),
        ),
        slip(
            "once",
            Text("Each position once", "每个位置只读一次"),
            lambda p, m: p + m - 1,
            Text("That is what is resident. It is read again in every pass.", "这是驻留的数量。每一步都要再读一遍。"),
        ),
        slip(
            "prompt_only",
            Text("Only the prompt", "只读提示"),
            lambda p, m: (m - 1) * p,
            Text(
                "The cache grows: the second decode pass reads P + 1 positions.",
                "缓存在变长：第二个解码步要读 P + 1 个位置。",
            ),
            Mistake.NO_APPEND,
        ),
    ),
    working=lambda s: Text(
        f"P + (P + 1) + … + (P + M − 2) = {count(_back(s.n_prompt, s.n_new))}.",
        f"P + (P + 1) + … + (P + M − 2) = {count(_back(s.n_prompt, s.n_new))}。",
    ),
    way=itself,
    reply=Number(POSITION),
    rows=lambda s: (
        Row(Text("decode passes, M − 1", "解码步数，M − 1"), f"{count(s.n_new)} − 1", count(s.n_new - 1)),
        Row(
            Text("positions in the cache before the first, P", "第一步之前缓存里的位置，P"),
            Text("the prompt", "提示"),
            count(s.n_prompt),
        ),
        Row(
            Text("all passes", "各步合计"),
            sum_of(s.n_prompt, s.n_positions - 1) if s.n_new > 1 else Text("no pass at all", "没有解码步"),
            POSITION.after(count(_back(s.n_prompt, s.n_new))),
        ),
    ),
)


# --- the same in bytes


@dataclass(frozen=True)
class Served:
    """A generation in a model whose K and V have 2 bytes a number."""

    n_prompt: int
    n_new: int
    layers: int
    kv_heads: int
    head_dim: int

    def bytes_of(self, positions: int) -> int:
        return kv_bytes(
            n_layers=self.layers,
            batch=1,
            seq_len=positions,
            n_kv_heads=self.kv_heads,
            head_dim=self.head_dim,
            itemsize=ITEMSIZE,
        )

    @property
    def each(self) -> int:
        """Bytes of one position."""
        return self.bytes_of(1)

    @property
    def back(self) -> int:
        """Positions read back in all decode passes."""
        return _back(self.n_prompt, self.n_new)


ITEMSIZE = 2
_IN_MIB = 2.0**20

_ONCE = Slip[Served](
    "resident",
    Text("What is resident", "算成了驻留"),
    lambda q: (q.bytes_of(q.n_prompt + q.n_new - 1) / _IN_MIB,),
    Text(
        "Each position was counted once: that is what stays resident. Every pass reads all of it again.",
        "每个位置只算了一次：那是驻留的数量。每一步都要把它们全部再读一遍。",
    ),
)
_K_ONLY = Slip[Served](
    "k_only",
    Text("Forgot V", "漏了 V"),
    lambda q: (q.back * q.each / 2 / _IN_MIB,),
    Text("Only K was counted. V is read back as well.", "只算了 K。V 也要读回。"),
)

READ_BYTES: Question[Served] = Question(
    slug="read_bytes",
    title=Text("Bytes read back, in MiB", "读回多少 MiB"),
    prompt=lambda q: Text(
        f"A model has {q.layers} layer{'s' * (q.layers > 1)} and {q.kv_heads} KV head{'s' * (q.kv_heads > 1)} of "
        f"{q.head_dim} number{'s' * (q.head_dim > 1)}, {ITEMSIZE} bytes each. A prompt of {count(q.n_prompt)} "
        f"token{'s' * (q.n_prompt > 1)}, {count(q.n_new)} new ones; the prompt’s logits give the first, and the last "
        "is not run. "
        "How many MiB of K and V do all decode passes together read back from the cache?",
        f"模型有 {q.layers} 层，{q.kv_heads} 个 KV 头，每头 {q.head_dim} 个数，每个数 {ITEMSIZE} 字节。提示 "
        f"{count(q.n_prompt)} 个 token，新 token {count(q.n_new)} 个；第一个由提示的 logits 给出，最后一个不再送入。"
        "全部解码步合计从缓存读回多少 MiB 的 K 和 V？",
    ),
    form=Form(
        (
            PROMPT,
            NEW,
            Whole("layers", Text("Layers", "层数"), 1, 200),
            Whole("kv_heads", Text("KV heads", "KV 头数"), 1, 128),
            Whole("head_dim", Text("Numbers a head", "每头几个数"), 1, 512),
        ),
        lambda v: Served(v["prompt"], v["new"], v["layers"], v["kv_heads"], v["head_dim"]),
        lambda q: {
            "prompt": q.n_prompt,
            "new": q.n_new,
            "layers": q.layers,
            "kv_heads": q.kv_heads,
            "head_dim": q.head_dim,
        },
    ),
    inputs=Served(1000, 100, 32, 8, 128),
    invent=lambda rng: Served(
        rng.randint(100, 1000),
        rng.randint(8, 200),
        rng.choice((24, 28, 32, 40, 80)),
        rng.choice((2, 4, 8)),
        rng.choice((64, 128)),
    ),
    formula=lambda q: (q.back * q.each / _IN_MIB,),
    slips=(
        _ONCE,
        _K_ONLY,
        together(_ONCE, _K_ONLY, lambda q: (q.bytes_of(q.n_prompt + q.n_new - 1) / 2 / _IN_MIB,)),
        Slip(
            "one_layer",
            Text("One layer", "只算了一层"),
            lambda q: (q.back * q.each / q.layers / _IN_MIB,),
            Told(
                "That is one layer. The model has {layers}, and each reads rows of its own.",
                "这是一层的。{layers} 层各读各的行。",
            ),
        ),
        Slip(
            "no_growth",
            Text("The prompt in every pass", "每步只读提示"),
            lambda q: ((q.n_new - 1) * q.n_prompt * q.each / _IN_MIB,),
            Text(
                "That reads the prompt in every pass. The cache is one position longer each time.",
                "这是每步都只读提示。缓存每步都长一个位置。",
            ),
        ),
    ),
    working=lambda q: Text(
        f"{count(q.back)} positions of {count(q.each)} bytes. Resident at the end are "
        f"{count(q.n_prompt + q.n_new - 1)}.",
        f"{count(q.back)} 个位置，每个 {count(q.each)} 字节。结束时驻留 {count(q.n_prompt + q.n_new - 1)} 个。",
    ),
    reply=Number(MIB),
    rows=lambda q: (
        Row(
            Text("bytes of one position", "一个位置的字节"),
            f"2 × {q.layers} × {q.kv_heads} × {q.head_dim} × {ITEMSIZE}",
            BYTE.after(count(q.each)),
        ),
        Row(Text("positions read in the first pass", "第一步读的位置"), Text("the prompt", "提示"), count(q.n_prompt)),
        Row(
            Text("positions read in all passes", "各步合计读的位置"),
            sum_of(q.n_prompt, q.n_prompt + q.n_new - 2) if q.n_new > 1 else Text("no pass at all", "没有解码步"),
            count(q.back),
        ),
        Row(
            Text("bytes read back", "读回的字节"),
            f"{count(q.back)} × {count(q.each)}",
            BYTE.after(count(q.back * q.each)),
        ),
        Row(
            Text("in MiB", "合 MiB"),
            "÷ 2^20",
            MIB.after(
                short(q.back * q.each / _IN_MIB)
                if q.back * q.each < 1e6 * _IN_MIB
                else count(round(q.back * q.each / _IN_MIB))
            ),
        ),
    ),
)


# --- when pairs outweigh the row


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
    def row(self) -> int:
        """Multiplications of a row: each weight of q, o, k, v and the FFN once."""
        return 2 * self.width * (self.width + self.kv_heads * self.head_dim + self.d_ff)

    @property
    def pair(self) -> int:
        """Multiplications of a pair, all heads: q · k and p · v."""
        return 2 * self.heads * self.head_dim


_HALF = Slip[Layer](
    "one_product",
    Text("Counted q · k alone", "只算了 q · k"),
    lambda q: (2.0 * (q.width + q.kv_heads * q.head_dim + q.d_ff),),
    Text(
        "Only q · k was counted for a pair. Its weight is multiplied with v as well.",
        "一对只算了 q · k。权重还要与 v 相乘。",
    ),
)
_NO_FFN = Slip[Layer](
    "no_ffn",
    Text("Forgot the FFN", "漏了 FFN"),
    lambda q: q.width + q.kv_heads * q.head_dim,
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
        ),
        lambda values: Layer(**values),
        asdict,
    ),
    inputs=Layer(32, 8, 128, 16_384),
    invent=lambda rng: Layer(
        (kv := rng.choice((1, 2, 4, 8))) * (share := rng.choice((2, 3, 4, 8))),
        kv,
        (d := rng.choice((32, 64, 96, 128))),
        rng.choice((2, 3, 4, 5)) * kv * share * d,
    ),
    formula=lambda q: (q.row / q.pair,),
    slips=(
        _NO_FFN,
        _HALF,
        together(_NO_FFN, _HALF, lambda q: (2.0 * (q.width + q.kv_heads * q.head_dim),)),
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
            lambda q: (q.width + q.kv_heads * q.head_dim + q.d_ff / 2,),
            Text("The FFN has two matrices: up and down again.", "FFN 有两个矩阵：升上去，再降回来。"),
        ),
    ),
    working=Told(
        "{row} multiplications a row, {pair} a pair. Shorter contexts spend more on the row, longer ones on the pairs.",
        "一行 {row} 次乘法，一对 {pair} 次。上下文更短时主要花在行上，更长时主要花在配对上。",
    ),
    reply=Number(),
    rows=lambda q: (
        Row(
            Text("weights of q and o", "q 与 o 的权重"),
            f"2 × {count(q.width)} × {count(q.width)}",
            count(2 * q.width**2),
        ),
        Row(
            Text("weights of k and v", "k 与 v 的权重"),
            f"2 × {count(q.width)} × {q.kv_heads} × {q.head_dim}",
            count(2 * q.width * q.kv_heads * q.head_dim),
        ),
        Row(
            Text("weights of the FFN", "FFN 的权重"),
            f"2 × {count(q.width)} × {count(q.d_ff)}",
            count(2 * q.width * q.d_ff),
        ),
        Row(Text("a row: each weight once", "一行：每个权重一次"), Text("the sum", "三者之和"), count(q.row)),
        Row(
            Text("a pair: q · k and weight · v", "一对：q · k 与权重 · v"),
            f"2 × {q.heads} × {q.head_dim}",
            count(q.pair),
        ),
        Row(
            Text("keys", "键的个数"),
            f"{count(q.row)} / {count(q.pair)}",
            short(q.row / q.pair) if q.row / q.pair < 1e6 else count(q.row // q.pair),
        ),
    ),
)
