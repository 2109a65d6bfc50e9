"""Which tiles and pairs a causal mask leaves."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.flash_io import Mistake, Scenario
from engine.tile_walk import tiles, visible
from engine.traffic_laws import Shape
from lessons.flash_io.mistakes import MISTAKES
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.question import COUNTED, Line, Question, Slip
from lessons.kit.text import Text
from lessons.kit.told import Told


@dataclass(frozen=True)
class Square:
    """As many queries as keys, causal, in tiles of `tile` each way."""

    n: int = 1_024
    tile: int = 128

    @property
    def side(self) -> int:
        """Tiles in a row of tiles."""
        return -(-self.n // self.tile)

    @property
    def below(self) -> int:
        """Tiles that lie whole below the diagonal."""
        return self.side * (self.side - 1) // 2

    @property
    def computed(self) -> int:
        """Tiles of which some query sees some key."""
        shape = Shape(self.n, self.n, 1, causal=True)
        ends = (rows.stop for rows in tiles(shape.n_q, self.tile))
        return sum(-(-end // self.tile) for end in ends)


COMPUTED: Question[Square] = Question(
    slug="tiles-computed",
    title=Text("How many tiles are computed?", "要计算多少个分块？"),
    prompt=Told(
        "A causal mask, {n} queries and as many keys, tiles of {tile} × {tile}. How many tiles are computed, those "
        "that the mask cuts through included?",
        "因果掩码，{n} 个查询和同样多的键，分块 {tile} × {tile}。要计算多少个分块（被掩码切开的也算）？",
    ),
    form=Form(
        (
            Whole("n", Text("Queries and keys", "查询与键的个数"), 1, 65_536),
            Whole("tile", Text("Queries, and keys, per tile", "每个分块的查询数和键数"), 16, 4_096),
        )
    ),
    inputs=Square(),
    invent=lambda rng: (lambda tile: Square(tile * rng.randint(4, 16), tile))(rng.choice((32, 64, 128))),
    formula=lambda q: q.computed,
    slips=(
        Slip(
            "all",
            Text("All of them.", "全部都算。"),
            lambda q: q.side**2,
            Told(
                "Tiles above the diagonal are hidden altogether and skipped: of {side} × {side} only the diagonal "
                "and what lies below it are left.",
                "对角线以上的分块全被遮住，会跳过：{side} × {side} 里只剩对角线及其下方。",
            ),
        ),
        Slip(
            "half",
            Text("Exactly half.", "正好一半。"),
            lambda q: q.side**2 / 2,
            Told(
                "The {side:tile} on the diagonal {side|is|are} computed whole, so it is more than half.",
                "对角线上的 {side} 个分块要整块计算，所以多于一半。",
            ),
        ),
        Slip(
            "below",
            Text("The diagonal left out.", "漏了对角线。"),
            lambda q: q.below,
            Text(
                "On the diagonal queries do see keys, at least their own. Those tiles are computed and masked.",
                "对角线上的查询看得到键，至少看得到自己。这些分块要计算，再加掩码。",
            ),
        ),
    ),
    working=Told(
        "There are {side} × {side} tiles. Row i of the tiles needs i + 1 of them: 1 + 2 + … + {side} = {computed}.",
        "共 {side} × {side} 个分块。第 i 行需要 i + 1 个：1 + 2 + … + {side} = {computed}。",
    ),
    way=lambda _: Scenario(tile_q=3, tile_k=3),
    tolerance=COUNTED,
    rows=(
        Line(Text("tiles in a row", "每行分块"), Text("rounded up", "向上取整"), "{side}"),
        Line(Text("below the diagonal", "对角线下方"), Text("whole", "完整的"), "{side} × ({side} − 1) ÷ 2"),
        Line(Text("computed", "计算"), Text("with the diagonal", "加上对角线"), "{below} + {side}"),
    ),
)


@dataclass(frozen=True)
class Cached:
    """`new` queries after a cache, `keys` keys with it; the question is about query `i` of the new ones."""

    new: int = 4
    keys: int = 100
    i: int = 1

    @property
    def past(self) -> int:
        """Keys that were there before."""
        return self.keys - self.new

    @property
    def seen(self) -> int:
        """Keys that query i sees."""
        return int(visible(range(self.i, self.i + 1), range(self.keys), self.past).sum())


def _fits(c: Cached) -> list[Text]:
    if c.new > c.keys:
        return [
            Told(
                "**New queries** must be at most the {keys:key} there are; there are {new}.",
                "**新查询**不能多于键的个数 {keys}，现在是 {new}。",
            ).on(c)
        ]
    if c.i >= c.new:
        return [
            Told(
                "**Query** must be one of the {new} new ones, counted from 0; it is {i}.",
                "**查询**应是 {new} 个新查询之一（从 0 数），现在是 {i}。",
            ).on(c)
        ]
    return []


def _cached(rng: random.Random) -> Cached:
    new = rng.randint(3, 8)
    return Cached(new, rng.randint(40, 900), rng.randint(1, new - 2))


SEEN: Question[Cached] = Question(
    slug="keys-seen",
    title=Text("New queries over a cache: who sees what?", "缓存之上的新查询：能看到什么？"),
    prompt=Told(
        "{past:key} lie in the cache and {new:query} {new|is|are} new, so there are {keys} keys. The mask is "
        "causal. How many keys may new query {i} see (counted from 0)?",
        "缓存里有 {past} 个键，新来 {new} 个查询，共 {keys} 个键，因果掩码。新查询 {i}（从 0 数）能看到多少个键？",
    ),
    form=Form(
        (
            Whole("new", Text("New queries", "新查询"), 1, 1_000),
            Whole("keys", Text("Keys", "键"), 1, 100_000),
            Whole("i", Text("Query", "查询"), 0, 999),
        ),
        unfit=_fits,
    ),
    inputs=Cached(),
    invent=_cached,
    formula=lambda c: c.seen,
    slips=(
        MISTAKES.slip(
            Mistake.TOP_LEFT,
            lambda c: c.i + 1,
            lambda _: Scenario(n_q=4, n_k=6),
            said=Told(
                "That aligns the mask at the top left, as if there were no cache. Query {i} also sees the {past} "
                "keys before the new ones.",
                "这是从左上角对齐，好像没有缓存一样。查询 {i} 还看得到之前的 {past} 个键。",
            ),
        ),
        Slip(
            "all",
            Text("All keys.", "全部的键。"),
            lambda c: c.keys,
            Text("Only the last of the new queries sees every key.", "只有最后一个新查询看得到所有键。"),
        ),
        Slip(
            "not_itself",
            Text("Itself left out.", "漏了自己。"),
            lambda c: c.past + c.i,
            Text("A query sees its own key too.", "查询也看得到自己的键。"),
        ),
    ),
    working=Told(
        "The mask is aligned at the bottom right: query {i} stands at position {past} + {i}, and sees all keys up "
        "to its own: {past} + {i} + 1.",
        "掩码从右下角对齐：查询 {i} 在位置 {past} + {i}，看得到直到自己为止的键：{past} + {i} + 1。",
    ),
    way=lambda _: Scenario(n_q=4, n_k=6),
    tolerance=COUNTED,
    rows=(
        Line(Text("position", "位置"), Text("after the cache", "在缓存之后"), "{past} + {i}"),
        Line(Text("keys seen", "能看到的键"), Text("its own too", "包括自己"), "{past} + {i} + 1"),
    ),
)
