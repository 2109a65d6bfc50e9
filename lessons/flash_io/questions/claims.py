"""Find the error: what FlashAttention saves."""

from __future__ import annotations

from dataclasses import dataclass

from engine.flash_io import Scenario
from engine.traffic_laws import Shape, plain, tiled
from lessons.kit.controls import Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told


@dataclass(frozen=True)
class Run:
    """One head without a mask, d = 64, 2 bytes a number, tiles of 128 × 128."""

    n: int = 2_048

    @property
    def pairs(self) -> int:
        return self.n * self.n

    @property
    def trips(self) -> int:
        """How often K is read."""
        return -(-self.n // 128)

    @property
    def plain(self) -> int:
        """Bytes of the plain way."""
        return plain(Shape(self.n, self.n, 64), itemsize=2).total

    @property
    def tiles(self) -> int:
        """Bytes of the tiles."""
        return tiled(Shape(self.n, self.n, 64), tile_q=128, tile_k=128, itemsize=2, statistics=4).total

    @property
    def twice(self) -> int:
        return 2 * self.pairs

    @property
    def half(self) -> int:
        return self.pairs // 2


_SCORES = Told("Tiles compute {pairs} scores.", "分块计算 {pairs} 个分数。")
_CLAIMS: Finding[Run] = Finding(
    (
        Sound(
            "doubted-pairs",
            Text("Doubted the number of scores", "怀疑了分数的个数"),
            _SCORES,
            (
                Told("Tiles compute {half} scores.", "分块计算 {half} 个分数。"),
                Told("Tiles compute {n} scores.", "分块计算 {n} 个分数。"),
            ),
            Text(
                "This one is right: without a mask every query meets every key, in tiles or not.",
                "这条是对的：没有掩码时，每个查询都要遇到每个键，分不分块都一样。",
            ),
        ),
        Wrong(
            Text("Each tile of K is read from HBM once.", "K 的每个分块只从 HBM 读一次。"),
            Told("Each tile of K is read from HBM {trips} times.", "K 的每个分块从 HBM 读 {trips} 次。"),
            (
                Correction(
                    "never",
                    Text("Never read", "从不读"),
                    Text("K stays on the chip from the start.", "K 一开始就在片上。"),
                    Text("Everything comes from HBM at least once.", "每样东西都至少从 HBM 来一次。"),
                ),
            ),
        ),
        Sound(
            "doubted-bytes",
            Text("Doubted the bytes", "怀疑了字节"),
            Told("Tiles move {tiles:B} and the plain way {plain:B}.", "分块搬运 {tiles:B}，普通做法 {plain:B}。"),
            (
                Told("Tiles move {plain:B} and the plain way {tiles:B}.", "分块搬运 {plain:B}，普通做法 {tiles:B}。"),
                Told("Both move {plain:B}.", "两者都搬运 {plain:B}。"),
            ),
            Text("This one is right: both are counted.", "这条是对的：两者都数过。"),
        ),
    ),
    lambda r: (r.n,),
)

CLAIMS: Question[Run] = Question(
    slug="find-trips",
    title=Text("Find the error: what is saved?", "找错：省了什么？"),
    prompt=Told(
        "One head without a mask: {n} queries and keys, d = 64, 2 bytes per number, tiles of 128 × 128, queries in "
        "the outer loop. One of these claims is wrong. Which one, and what should it say?",
        "一个头，没有掩码：{n} 个查询和键，d = 64，每个数 2 字节，分块 128 × 128，查询在外层循环。下面有一条说法是"
        "错的。是哪一条，应当怎么说？",
    ),
    form=Form((Whole("n", Text("Queries and keys", "查询与键的个数"), 129, 1_048_576),)),
    inputs=Run(),
    invent=lambda rng: Run(128 * rng.randint(4, 64)),
    formula=_CLAIMS.answer,
    slips=_CLAIMS.slips,
    working=Told(
        "There are {trips} tiles of queries, and each of them reads all of K and V. Tiles save the tables, not the "
        "pairs.",
        "共有 {trips} 个查询分块，每个都要读全部 K、V。分块省的是表，不是配对。",
    ),
    way=lambda _: Scenario(causal=False),
    reply=_CLAIMS.reply,
    rows=(
        Line(Text("tiles of queries", "查询分块"), Text("of 128", "每块 128"), "{trips}"),
        Line(Text("readings of K", "读 K 的遍数"), Text("one per tile of queries", "每个查询分块一遍"), "{trips}"),
    ),
)
