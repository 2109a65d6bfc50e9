"""Bytes of one array."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.flash_io import Mistake, Scenario
from engine.traffic_laws import Shape, plain, tiled
from lessons.flash_io.mistakes import MISTAKES
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.question import Line, Question, Slip
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE


@dataclass(frozen=True)
class Head:
    """One head without a mask: `n` queries and keys of `d` numbers of `itemsize` bytes, in tiles of `tile` each way."""

    n: int = 1_024
    d: int = 64
    tile: int = 128
    itemsize: int = 2

    @property
    def tiles(self) -> int:
        """Of queries; the last may be short."""
        return -(-self.n // self.tile)

    @property
    def vectors(self) -> int:
        """Bytes of one array, such as K."""
        return self.n * self.d * self.itemsize

    @property
    def table(self) -> int:
        """Bytes of one table, S or P."""
        return self.n * self.n * self.itemsize

    def moved(self, name: str, *, keys_outside: bool = False) -> int:
        """Bytes of one array that cross."""
        law = tiled(
            Shape(self.n, self.n, self.d),
            tile_q=min(self.tile, self.n),
            tile_k=min(self.tile, self.n),
            keys_outside=keys_outside,
            itemsize=self.itemsize,
        )
        return law.of(name).moved


N = Whole("n", Text("Queries and keys", "查询与键的个数"), 1, 1_048_576)
D = Whole("d", Text("Numbers per query, key and value", "每个查询、键、值的维数"), 1, 1_024)
TILE = Whole("tile", Text("Queries, and keys, per tile", "每个分块的查询数和键数"), 1, 4_096)
ITEMSIZE = Whole("itemsize", Text("Bytes per number", "每个数的字节"), 1, 8)
FORM: Form[Head] = Form((N, D, TILE, ITEMSIZE))


def invented(rng: random.Random) -> Head:
    tile = rng.choice((32, 64, 128))
    return Head(tile * rng.choice((4, 6, 8, 12, 16)), rng.choice((32, 64, 80, 128)), tile, rng.choice((1, 2, 4)))


def shown(_: Head) -> Scenario:
    """The way is shown on the lesson's small head, without a mask."""
    return Scenario(causal=False)


def shown_keys_outside(_: Head) -> Scenario:
    return Scenario(causal=False, keys_outside=True)


KEYS_READ: Question[Head] = Question(
    slug="keys-read",
    title=Text("How often is K read?", "K 要读几遍？"),
    prompt=Told(
        "One head without a mask: {n} queries and keys, d = {d:plain}, {itemsize:byte} per number. Tiles of {tile} "
        "queries × {tile} keys, queries in the outer loop. How many bytes of **K** are read from HBM in all?",
        "一个头，没有掩码：{n} 个查询和键，d = {d:plain}，每个数 {itemsize} 字节。分块为 {tile} 个查询 × {tile} 个"
        "键，查询在外层循环。**K** 一共从 HBM 读多少字节？",
    ),
    form=FORM,
    inputs=Head(),
    invent=invented,
    formula=lambda h: h.moved("k"),
    slips=(
        MISTAKES.slip(Mistake.COUNT_ONCE, lambda h: h.vectors, shown),
        Slip(
            "for_every_query",
            Text("Read once for every query.", "按每个查询读一遍算了。"),
            lambda h: h.vectors * h.n,
            Told(
                "All {tile} queries of a tile use K while it is on the chip. It comes in once per **tile**, "
                "{tiles} times.",
                "一个分块的 {tile} 个查询共用片上的 K。它每个**分块**进来一次，共 {tiles} 次。",
            ),
        ),
        Slip(
            "v_too",
            Text("Counted V as well.", "把 V 也算了。"),
            lambda h: 2 * h.moved("k"),
            Text("The question asks for K alone; V takes as many bytes again.", "题目只问 K；V 还要同样多的字节。"),
        ),
    ),
    working=Told(
        "There are {tiles:tile} of queries, and each reads all of K: {tiles} × {n} × {d:plain} × {itemsize} bytes.",
        "共有 {tiles} 个查询分块，每个都要读整个 K：{tiles} × {n} × {d:plain} × {itemsize} 字节。",
    ),
    way=shown,
    reply=Number(BYTE),
    rows=(
        Line(Text("tiles of queries", "查询分块"), Text("rounded up", "向上取整"), "{tiles}"),
        Line(Text("bytes of K", "K 的字节"), Text("one reading", "读一遍"), "{vectors}"),
        Line(
            Text("read in all", "总共读"),
            Text("once for every tile of queries", "每个查询分块一遍"),
            "{tiles} × {vectors}",
        ),
    ),
)

OUTPUT_MOVED: Question[Head] = Question(
    slug="output-moved",
    title=Text("Keys in the outer loop: what happens to O?", "键在外层循环：O 怎么样？"),
    prompt=Told(
        "The same kind of head: {n} queries and keys, d = {d:plain}, {itemsize:byte} per number, no mask, tiles of "
        "{tile} × {tile}. Now the **keys** are in the outer loop, as in the first FlashAttention, and O is set to "
        "0 in HBM before the loop. How many bytes of **O** cross, both ways together?",
        "同样的头：{n} 个查询和键，d = {d:plain}，每个数 {itemsize} 字节，没有掩码，分块 {tile} × {tile}。这次**键"
        "**在外层循环（最早的 FlashAttention），循环前先在 HBM 里把 O 置 0。**O** 读写一共过门多少字节？",
    ),
    form=FORM,
    inputs=Head(),
    invent=invented,
    formula=lambda h: h.moved("o", keys_outside=True),
    slips=(
        Slip(
            "written_once",
            Text("Written once.", "只写一次。"),
            lambda h: h.vectors,
            Text(
                "That holds with queries outside. Here a query comes back for every tile of keys, and its O with it.",
                "那是查询在外层的情形。这里每来一个键分块，查询都要回来一次，O 也随着来回。",
            ),
        ),
        Slip(
            "no_zeros",
            Text("The zeros before the loop left out.", "漏了循环前的清零。"),
            lambda h: 2 * h.tiles * h.vectors,
            Told(
                "O is read {tiles:time} and written {tiles:time}, and written once more before the loop: {tiles} + "
                "{tiles} + 1.",
                "O 读 {tiles} 次、写 {tiles} 次，循环前还写了一次：{tiles} + {tiles} + 1。",
            ),
        ),
        Slip(
            "one_way",
            Text("Only written, never read.", "只算写，没算读。"),
            lambda h: (h.tiles + 1) * h.vectors,
            Text(
                "What is known of a query has to be read back before the next tile can be folded in.",
                "要把下一个分块累计进去，先得把已有的结果读回来。",
            ),
        ),
    ),
    working=Told(
        "O takes {vectors:B}. It is written once as zeros, then read and written for each of {tiles:tile} of keys: "
        "2 × {tiles} + 1 crossings.",
        "O 有 {vectors:B}。先清零写一次，再在 {tiles} 个键分块各读一次、写一次：过门 2 × {tiles} + 1 次。",
    ),
    way=shown_keys_outside,
    reply=Number(BYTE),
    rows=(
        Line(Text("bytes of O", "O 的字节"), Text("one crossing", "过门一次"), "{vectors}"),
        Line(
            Text("crossings", "过门次数"), Text("each tile two, and the zeros", "每块两次，再加清零"), "2 × {tiles} + 1"
        ),
        Line(Text("together", "合计"), Text("crossings × bytes", "次数 × 字节"), "(2 × {tiles} + 1) × {vectors}"),
    ),
)

TABLES: Question[Head] = Question(
    slug="tables",
    title=Text("The plain way’s tables", "普通做法的表"),
    prompt=Told(
        "The plain way, {n} queries and keys, {itemsize:byte} per number: three kernels, for S = Q Kᵀ, P = "
        "softmax(S) and O = P V. How many bytes of **S and P together** cross the door?",
        "普通做法，{n} 个查询和键，每个数 {itemsize} 字节：三个内核，分别算 S = Q Kᵀ、P = softmax(S)、O = P V。**S "
        "和 P 一共**过门多少字节？",
    ),
    form=FORM.only(N, ITEMSIZE),
    inputs=Head(),
    invent=invented,
    formula=lambda h: (law := plain(Shape(h.n, h.n, h.d), itemsize=h.itemsize)).of("s").moved + law.of("p").moved,
    slips=(
        Slip(
            "written_only",
            Text("Written, not read back.", "只算写出，没算读回。"),
            lambda h: 2 * h.table,
            Text("The next kernel finds the table only in HBM and reads it.", "下一个内核只能从 HBM 把表读回来。"),
        ),
        Slip(
            "one_table",
            Text("One table.", "只有一张表。"),
            lambda h: h.table,
            Text("There are two, S and P, and each is written and read.", "表有两张，S 和 P，各写一次、读一次。"),
        ),
        Slip(
            "p_is_small",
            Text("P as large as the output.", "把 P 当成输出那么大。"),
            lambda h: 2 * h.table + 2 * h.vectors,
            Text(
                "The softmax turns every score into a weight: P is as large as S.",
                "softmax 把每个分数变成一个权重：P 与 S 一样大。",
            ),
        ),
    ),
    working=Told(
        "Each table has {n} × {n} numbers of {itemsize:byte}, {table:B}. Two tables, each written once and read "
        "once: four times that.",
        "每张表有 {n} × {n} 个数，每个 {itemsize} 字节，共 {table:B}。两张表各写一次、读一次：四倍。",
    ),
    way=shown,
    reply=Number(BYTE),
    rows=(
        Line(Text("one table", "一张表"), Text("n × n numbers", "n × n 个数"), "{n} × {n} × {itemsize}"),
        Line(Text("crossings", "过门次数"), Text("two tables, both ways", "两张表，读和写"), "2 × 2"),
        Line(Text("together", "合计"), Text("all four", "四趟"), "4 × {table}"),
    ),
)
