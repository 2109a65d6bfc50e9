"""Find the error: rows reported as “attention operations”, as the second text does."""

from __future__ import annotations

from dataclasses import dataclass

from engine.counts import Work, cached, naive, naive_squares
from engine.three_ledgers import CACHE
from lessons.kit.controls import Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.presets import CHAPTER
from lessons.three_savings.questions.given import ASKED, chosen


@dataclass(frozen=True)
class Generated:
    """`n` tokens run one after the other from an empty text; one head of one layer."""

    n: int

    @property
    def twice(self) -> int:
        return 2 * self.n

    @property
    def off(self) -> Work:
        """Without a cache."""
        return naive(self.n)

    @property
    def cached(self) -> Work:
        return cached(self.n)

    @property
    def cached_twice(self) -> Work:
        return cached(self.twice)


OPERATIONS = Told(
    "Attention scores {off} pairs without a cache and {on} with one.",
    "注意力要算的配对：没有缓存时 {off} 个，有缓存时 {on} 个。",
)
ROWS = Told("With a cache {n:query row} go through a layer.", "有缓存时，一层共处理 {n} 行查询。")
GROWS = Told(
    "For twice as many tokens there are about {times} times as many pairs with a cache.",
    "token 数翻倍，有缓存时的配对数约为 {times} 倍。",
)

_PAIRS: Finding[Generated] = Finding(
    (
        Sound(
            "rows",
            Text("Doubted the rows with a cache", "怀疑了有缓存时的行数"),
            lambda x: ROWS.on(n=x.cached.rows),
            (lambda x: ROWS.on(n=x.off.rows), lambda x: ROWS.on(n=x.cached_twice.rows), lambda x: ROWS.on(n=x.n**2)),
            Text("This one is right: each token goes through once.", "这条是对的：每个 token 只处理一次。"),
        ),
        Wrong(
            lambda x: OPERATIONS.on(off=x.off.rows, on=x.cached.rows),
            lambda x: OPERATIONS.on(off=x.off.pairs, on=x.cached.pairs),
            (
                Correction(
                    "one-side",
                    Text("Corrected one side only", "只改了一边"),
                    lambda x: OPERATIONS.on(off=x.off.pairs, on=x.cached.rows),
                    Told(
                        "{cached.rows} are the rows with a cache. Each of them still meets every key up to its own: "
                        "{cached.pairs} pairs.",
                        "{cached.rows} 是有缓存时的行数。每一行仍要遇到直到它自己为止的每个键：{cached.pairs} 个配对。",
                    ),
                ),
                Correction(
                    "masked",
                    Text("Counted masked pairs", "把被屏蔽的也算了"),
                    lambda x: OPERATIONS.on(off=naive_squares(x.n), on=x.cached.pairs),
                    Text(
                        "That counts the whole square of every pass without a cache. A causal query meets only "
                        "itself and what is before it.",
                        "没有缓存的那一半数的是每遍的整个方阵。因果查询只遇到自己和之前的键。",
                    ),
                ),
            ),
        ),
        Sound(
            "quadratic",
            Text("Doubted that the pairs stay quadratic", "怀疑了配对数仍是平方级"),
            GROWS.on(times=4),
            (GROWS.on(times=2), GROWS.on(times=3), GROWS.on(times=8)),
            Told(
                "This one is right: {cached.pairs} for {n:token}, {cached_twice.pairs} for {twice}.",
                "这条是对的：{n} 个 token 是 {cached.pairs}，{twice} 个是 {cached_twice.pairs}。",
            ),
        ),
        Sound(
            "tiles",
            Text("Doubted that tiles leave the pairs", "怀疑了分块不改变配对数"),
            Text("Tiles change none of these counts.", "分块不改变这里的任何计数。"),
            (
                Text("Tiles make the pairs linear.", "分块把配对数变成线性。"),
                Text("Tiles skip the pairs that score low.", "分块跳过分数低的配对。"),
                Text("Tiles score each pair twice.", "分块把每个配对算两遍。"),
            ),
            Text(
                "This one is right: they save traffic, and score every pair.",
                "这条是对的：它省的是搬运，每个配对都要算。",
            ),
        ),
    ),
    lambda x: (x.n,),
)

ROWS_OR_PAIRS: Question[Generated] = Question(
    slug="rows-or-pairs",
    title=Text("Find the error: operations", "找错：“操作数”"),
    prompt=Told(
        "A causal decoder runs {n:token} one after the other, without a cache each pass over the whole text so far; "
        "counts are of one head of one layer. ",
        "因果解码器逐个处理 {n} 个 token，没有缓存时每遍处理到目前为止的全文；计数是一层中一个头的。",
    )
    + ASKED,
    form=Form((Whole("n", Text("Tokens", "token 数"), 4, 100_000),)),
    inputs=Generated(100),
    invent=lambda rng: Generated(rng.choice((rng.randint(8, 99), rng.randint(100, 999), 100 * rng.randint(10, 99)))),
    formula=_PAIRS.answer,
    slips=_PAIRS.slips,
    working=Told(
        "{off.rows} and {cached.rows} are query rows; the pairs are {off.pairs} and {cached.pairs}. Two counts in one "
        "sentence need one unit.",
        "{off.rows} 和 {cached.rows} 是查询的行数；配对数是 {off.pairs} 和 {cached.pairs}。同一句话里的两个计数要用"
        "同一个单位。",
    ),
    way=lambda _: chosen(CHAPTER, CACHE),
    reply=_PAIRS.reply,
    rows=(
        Line(
            Text("Rows without a cache", "没有缓存的行数"),
            lambda x: f"{count(x.n)} × {count(x.n + 1)} ÷ 2",
            "{off.rows}",
        ),
        Line(
            Text("Pairs without a cache", "没有缓存的配对数"),
            lambda x: f"{count(x.n)} × {count(x.n + 1)} × {count(x.n + 2)} ÷ 6",
            "{off.pairs}",
        ),
        Line(Text("Rows with one", "有缓存的行数"), "{n}", "{cached.rows}"),
        Line(
            Text("Pairs with one", "有缓存的配对数"), lambda x: f"{count(x.n)} × {count(x.n + 1)} ÷ 2", "{cached.pairs}"
        ),
    ),
)
