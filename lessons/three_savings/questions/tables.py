"""The tables of scores and weights: what they take up and what they move."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.attention import score_table_bytes
from engine.three_ledgers import ITEM, Switches
from engine.three_savings import Scenario
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.format import count, fixed
from lessons.kit.question import Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE, MIB, PERCENT
from lessons.three_savings.form import N_PROMPT, NEW, counted
from lessons.three_savings.questions.figures import (
    CACHE,
    CHAPTER,
    OFF,
    ONE_MORE,
    chosen,
    cost,
    given,
    invent,
    n_prompt,
    table,
)
from lessons.three_savings.ways import HEADS

_ONE_TABLE: Slip[Scenario] = Slip(
    "one-table",
    Text("One table", "只算一张"),
    lambda s: table(s.n_kept),
    Text(
        "That is the table of scores. The weights are another of the same size.", "这是分数表。权重是另一张同样大的表。"
    ),
)
_NUMBERS: Slip[Scenario] = Slip(
    "numbers",
    Text("Numbers, not bytes", "数成了个数"),
    lambda s: (2.0 * s.n_kept**2,),
    Text(f"Those are numbers. Each has {ITEM} bytes.", f"这是个数。每个数有 {ITEM} 字节。"),
)

TABLES_RESIDENT: Question[Scenario] = Question(
    slug="tables-resident",
    title=Text("The tables of scores", "分数表"),
    prompt=lambda s: (
        given(s)
        + Text(
            f" No cache, no tiles, {ITEM} bytes a number. How many bytes are the two tables, scores and weights, of "
            "one head in the last pass (full squares, masked places included)?",
            f"没有缓存，也不分块，每个数 {ITEM} 字节。最后一遍里，一个头的分数和权重两张表（完整的方阵，含被屏蔽的位"
            "置）共多少字节？",
        )
    ),
    form=counted(N_PROMPT, NEW),
    inputs=chosen(CHAPTER, OFF),
    invent=invent,
    formula=lambda s: cost(s, OFF).at_end.scores,
    slips=(
        _ONE_TABLE,
        _NUMBERS,
        together(_ONE_TABLE, _NUMBERS, lambda s: s.n_kept**2),
        Slip(
            "one-longer",
            Text("Counted the last new token", "把最后一个新 token 也算了"),
            lambda s: (2.0 * table(s.n_kept + 1),),
            lambda s: ONE_MORE,
        ),
        Slip(
            "prompt-only",
            Text("The prompt’s table", "提示那一遍的表"),
            lambda s: (2.0 * table(n_prompt(s)),),
            Text(
                "That is the first pass. Without a cache the last one runs over everything.",
                "这是第一遍的。没有缓存时，最后一遍要处理全文。",
            ),
        ),
        Slip(
            "one-row",
            Text("One row, as with a cache", "只有一行，像有缓存那样"),
            lambda s: (2.0 * s.n_kept * ITEM,),
            Text(
                "With a cache the last pass has one query, and a row for a table. Here every position is a query "
                "again.",
                "有缓存时最后一遍只有一个查询，表只有一行。这里每个位置又都是查询。",
            ),
            lambda s: chosen(s, CACHE),
        ),
    ),
    working=lambda s: Text(
        f"The last pass has {s.n_kept} positions: 2 × {s.n_kept} × {s.n_kept} × {ITEM} = "
        f"{count(cost(s, OFF).at_end.scores)} bytes.",
        f"最后一遍有 {s.n_kept} 个位置：2 × {s.n_kept} × {s.n_kept} × {ITEM} = {count(cost(s, OFF).at_end.scores)} 字"
        "节。",
    ),
    way=lambda s: chosen(s, OFF),
    reply=Number(BYTE),
    rows=lambda s: (
        Row(Text("Positions in the last pass", "最后一遍的位置数"), f"{n_prompt(s)} + {s.n_new} − 1", str(s.n_kept)),
        Row(Text("Numbers in one table", "一张表里的数"), f"{s.n_kept} × {s.n_kept}", count(s.n_kept**2)),
        Row(
            Text("Both tables", "两张表"),
            f"2 × {count(s.n_kept**2)} × {ITEM}",
            BYTE.after(count(cost(s, OFF).at_end.scores)),
        ),
    ),
)

_WRITTEN_ONLY: Slip[Scenario] = Slip(
    "written-only",
    Text("Forgot to read back", "忘了读回"),
    lambda s: (2.0 * table(n_prompt(s)),),
    Text("Both tables are read back as well, each once.", "两张表都还要各读回一次。"),
)
_COUNTED_NUMBERS: Slip[Scenario] = Slip(
    "numbers",
    Text("Numbers, not bytes", "数成了个数"),
    lambda s: (4.0 * n_prompt(s) ** 2,),
    Text(f"Those are numbers. Each has {ITEM} bytes.", f"这是个数。每个数有 {ITEM} 字节。"),
)

TABLES_MOVED: Question[Scenario] = Question(
    slug="tables-moved",
    title=Text("What tiles do not move", "分块不搬的东西"),
    prompt=lambda s: Text(
        f"A prompt of {n_prompt(s)} tokens, one pass, {ITEM} bytes a number. Without tiles a head writes its two "
        "tables, scores and weights, to slow memory as full squares and reads each back. "
        "How many bytes is that traffic of one head?",
        f"提示 {n_prompt(s)} 个 token，一遍，每个数 {ITEM} 字节。不分块时，一个头要把分数和权重两张表按完整的方阵各写"
        "进慢速显存再读回。一个头的这部分搬运是多少字节？",
    ),
    form=counted(N_PROMPT),
    inputs=replace(chosen(CHAPTER, Switches(tiles=True)), n_new=1),
    invent=lambda rng: replace(invent(rng), n_new=1, choice=Switches(tiles=True)),
    formula=lambda s: cost(replace(s, n_new=1), OFF).moved_tables // HEADS,
    slips=(
        _WRITTEN_ONLY,
        Slip(
            "once",
            Text("One table, one way", "一张表、单程"),
            lambda s: table(n_prompt(s)),
            Text("That is one table crossing once. Two tables cross twice each.", "这是一张表过一次。两张表各过两次。"),
        ),
        _COUNTED_NUMBERS,
        together(_WRITTEN_ONLY, _COUNTED_NUMBERS, lambda s: (2.0 * n_prompt(s) ** 2,)),
        Slip(
            "visible",
            Text("Visible pairs only", "只算可见的配对"),
            lambda s: (4.0 * ITEM * n_prompt(s) * (n_prompt(s) + 1) / 2,),
            Text("The mask hides scores, but the table is moved whole.", "掩码只是隐藏分数，表仍是整张搬运。"),
        ),
        Slip(
            "all-heads",
            Text("All heads", "算了所有的头"),
            lambda s: (4.0 * HEADS * table(n_prompt(s)),),
            Text("That is all heads of all layers. The question is about one.", "这是所有层所有头的。问的是一个头。"),
        ),
    ),
    working=lambda s: Text(
        f"4 × {n_prompt(s)} × {n_prompt(s)} × {ITEM} = {count(4 * table(n_prompt(s)))} bytes; with tiles 0.",
        f"4 × {n_prompt(s)} × {n_prompt(s)} × {ITEM} = {count(4 * table(n_prompt(s)))} 字节；分块后为 0。",
    ),
    way=lambda s: chosen(s, Switches(tiles=True)),
    reply=Number(BYTE),
    rows=lambda s: (
        Row(
            Text("One table", "一张表"),
            f"{n_prompt(s)} × {n_prompt(s)} × {ITEM}",
            BYTE.after(count(table(n_prompt(s)))),
        ),
        Row(
            Text("Trips of both tables", "两张表的趟数"),
            Text("each written and read back: 2 × 2", "各写一次、读回一次：2 × 2"),
            str(2 * 2),
        ),
        Row(Text("Together", "合计"), f"4 × {count(table(n_prompt(s)))}", BYTE.after(count(4 * table(n_prompt(s))))),
    ),
)


# --- at full size


@dataclass(frozen=True)
class Long:
    """One head over `keys` tokens, `wide` numbers a head, two bytes a number."""

    keys: int
    wide: int = 128


HALF = 2  # bytes of a number at full size
_KEYS = Whole("keys", Text("Tokens", "token 数"), 1, 1_000_000)
_WIDE = Whole("wide", Text("Numbers a head", "每头的数"), 1, 1024)
_LONG_FORM: Form[Long] = Form(
    (_KEYS, _WIDE), lambda v: Long(v["keys"], v["wide"]), lambda x: {"keys": x.keys, "wide": x.wide}
)


def _mib(n_bytes: float) -> float:
    return n_bytes / MIB.scale.numerator


_N_BY_D: Slip[Long] = Slip(
    "n-by-d",
    Text("Took it for as wide as the output", "以为它和输出一样宽"),
    lambda x: (_mib(HALF * x.keys * x.wide),),
    Told(
        "That is the output o, {keys} × {wide}. The weights have one number for each query and key.",
        "这是输出 o，{keys} × {wide}。权重对每个查询和每个键各有一个数。",
    ),
)
_NO_BYTES: Slip[Long] = Slip(
    "numbers",
    Text("Numbers, not bytes", "数成了个数"),
    lambda x: (_mib(float(x.keys**2)),),
    Text(f"Those are numbers. Each has {HALF} bytes.", f"这是个数。每个数有 {HALF} 字节。"),
)

WEIGHTS: Question[Long] = Question(
    slug="weights-table",
    title=Text("The softmax of a long text", "长文本的 softmax"),
    prompt=lambda x: Text(
        f"Attention over {count(x.keys)} token{'s' * (x.keys != 1)} in one pass without tiles, {x.wide} "
        f"number{'s' * (x.wide != 1)} a head, {HALF} bytes a number. How many MiB is the output of the softmax, the "
        "weights, of one head (masked ones stored as zeros)?",
        f"对 {count(x.keys)} 个 token 一遍算完注意力，不分块，每头 {x.wide} 个数，每个数 {HALF} 字节。一个头的 "
        "softmax 输出（权重，被屏蔽的位置存为零）是多少 MiB？",
    ),
    form=_LONG_FORM,
    inputs=Long(8192),
    invent=lambda rng: Long(1024 * rng.randint(4, 64), rng.choice((64, 128, 256))),
    formula=lambda x: (_mib(score_table_bytes(x.keys, x.keys, itemsize=HALF)),),
    slips=(
        _N_BY_D,
        _NO_BYTES,
        Slip(
            "both",
            Text("Both tables", "两张表都算了"),
            lambda x: (_mib(2 * score_table_bytes(x.keys, x.keys, itemsize=HALF)),),
            Text(
                "That is the table of scores as well. The question asks for the softmax’s output alone.",
                "这把分数表也算上了。问的只是 softmax 的输出。",
            ),
        ),
        together(_N_BY_D, _NO_BYTES, lambda x: (_mib(float(x.keys * x.wide)),)),
    ),
    working=lambda x: Text(
        f"{count(x.keys)} × {count(x.keys)} × {HALF} bytes = "
        f"{fixed(_mib(score_table_bytes(x.keys, x.keys, itemsize=HALF)), 2)} MiB. Only the output is {count(x.keys)} "
        f"× {x.wide}.",
        f"{count(x.keys)} × {count(x.keys)} × {HALF} 字节 = "
        f"{fixed(_mib(score_table_bytes(x.keys, x.keys, itemsize=HALF)), 2)} MiB。{count(x.keys)} × {x.wide} 的只是输"
        "出。",
    ),
    way=None,
    reply=Number(MIB),
    rows=lambda x: (
        Row(Text("Numbers", "个数"), f"{count(x.keys)} × {count(x.keys)}", count(x.keys**2)),
        Row(Text("Bytes", "字节"), f"{count(x.keys**2)} × {HALF}", count(HALF * x.keys**2)),
        Row(
            Text("In MiB", "换算成 MiB"), f"÷ {count(MIB.scale.numerator)}", MIB.after(f"{_mib(HALF * x.keys**2):.8g}")
        ),
    ),
)


def _share(tables: float, vectors: float) -> float:
    return 100 * tables / (tables + vectors)


def _vectors(x: Long) -> int:
    """Numbers of q and o, K and V for one query."""
    return 2 * x.wide + 2 * x.keys * x.wide


_ONE_WAY: Slip[Long] = Slip(
    "one-way",
    Text("Forgot to read back", "忘了读回"),
    lambda x: (_share(2 * x.keys, _vectors(x)),),
    Text(
        "Scores and weights are written and read back: four rows cross.", "分数和权重各写一次、读回一次：共四行经过。"
    ),
)
_K_ONLY: Slip[Long] = Slip(
    "k-only",
    Text("Forgot V", "忘了 V"),
    lambda x: (_share(4 * x.keys, _vectors(x) - x.keys * x.wide),),
    Text("V is read as well, as large as K.", "V 也要读，和 K 一样大。"),
)

DECODE_SHARE: Question[Long] = Question(
    slug="decode-share",
    title=Text("What tiles can save for one query", "只有一个查询时分块能省多少"),
    prompt=Told(
        "One new query meets {keys} cached keys, {wide:number} a head. Without tiles a head reads q, K and V once, "
        "writes o once, and writes its row of scores and its row of weights and reads each back. What percentage of "
        "the traffic are those rows?",
        "一个新查询遇到 {keys} 个缓存的键，每头 {wide} 个数。不分块时，一个头各读一次 q、K、V，写一次 o，并把一行分"
        "数、一行权重各写出再读回。这两行占搬运量的百分之几？",
    ),
    form=_LONG_FORM,
    inputs=Long(4096),
    invent=lambda rng: Long(rng.randint(100, 5000), rng.choice((16, 32, 64, 128))),
    formula=lambda x: (_share(4 * x.keys, _vectors(x)),),
    slips=(
        _ONE_WAY,
        _K_ONLY,
        Slip(
            "whole-table",
            Text("A table for every position", "当成每个位置都有一行"),
            lambda x: (_share(4 * x.keys**2, _vectors(x)),),
            Text(
                "With a cache only the new query is run: its tables are one row each.",
                "有缓存时只处理新查询：两张表各只有一行。",
            ),
        ),
        Slip(
            "beside",
            Text("Beside the rest, not of all", "与其余相比，而不是占总数"),
            lambda x: (100 * 4 * x.keys / _vectors(x),),
            Text(
                "That compares the rows with q, K, V and o. The question asks for their part of all that crosses.",
                "这是与 q、K、V、o 相比。问的是占全部搬运的比例。",
            ),
        ),
    ),
    working=lambda x: Text(
        f"Rows {count(4 * x.keys)}, the rest {count(_vectors(x))} numbers: "
        f"{fixed(_share(4 * x.keys, _vectors(x)), 2)} %. So tiles save little in a decoding step.",
        f"两行共 {count(4 * x.keys)} 个数，其余 {count(_vectors(x))} 个：{fixed(_share(4 * x.keys, _vectors(x)), 2)} "
        "%。所以解码时分块省得很少。",
    ),
    way=None,
    reply=Number(PERCENT),
    rows=lambda x: (
        Row(Text("Rows of scores and weights", "分数和权重"), f"4 × {count(x.keys)}", count(4 * x.keys)),
        Row(
            Text("q and o, K and V", "q、o、K、V"), f"2 × {x.wide} + 2 × {count(x.keys)} × {x.wide}", count(_vectors(x))
        ),
        Row(
            Text("Part", "比例"),
            f"{count(4 * x.keys)} ÷ {count(4 * x.keys + _vectors(x))}",
            f"{_share(4 * x.keys, _vectors(x)):.6g}%",
        ),
    ),
    tolerance=Tolerance(0.001, 0.0005),
)
