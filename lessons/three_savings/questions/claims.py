"""Find the error: rows reported as “attention operations”, and tiles that are said to cross once. Both stand in the
second text."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from engine.counts import cached, naive, naive_squares
from engine.three_ledgers import ITEM, Switches
from engine.three_savings import CONFIG, Scenario, tokens
from lessons.kit.controls import Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.format import count
from lessons.kit.question import Question, Row
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.form import MOST_NEW, MOST_PROMPT, N_PROMPT, TILE, counted
from lessons.three_savings.questions.figures import CACHE, CHAPTER, chosen, cost, n_prompt
from lessons.three_savings.ways import HEADS

ASKED = Text("Which claim is wrong, and what should it say?", "哪条说法是错的？应当怎么说？")


# --- rows and pairs


@dataclass(frozen=True)
class Generated:
    """`n` tokens run one after the other from an empty text; one head of one layer."""

    n: int


def _operations(off: int, on: int) -> Text:
    return Text(
        f"Attention scores {count(off)} pairs without a cache and {count(on)} with one.",
        f"注意力要算的配对：没有缓存时 {count(off)} 个，有缓存时 {count(on)} 个。",
    )


def _rows(n: int) -> Text:
    return Text(f"With a cache {count(n)} query rows go through a layer.", f"有缓存时，一层共处理 {count(n)} 行查询。")


def _grows(times: int) -> Text:
    return Text(
        f"For twice as many tokens there are about {times} times as many pairs with a cache.",
        f"token 数翻倍，有缓存时的配对数约为 {times} 倍。",
    )


_PAIRS: Finding[Generated] = Finding(
    (
        Sound(
            "rows",
            Text("Doubted the rows with a cache", "怀疑了有缓存时的行数"),
            lambda x: _rows(cached(x.n).rows),
            (lambda x: _rows(naive(x.n).rows), lambda x: _rows(cached(2 * x.n).rows), lambda x: _rows(x.n**2)),
            Text("This one is right: each token goes through once.", "这条是对的：每个 token 只处理一次。"),
        ),
        Wrong(
            lambda x: _operations(naive(x.n).rows, cached(x.n).rows),
            lambda x: _operations(naive(x.n).pairs, cached(x.n).pairs),
            (
                Correction(
                    "one-side",
                    Text("Corrected one side only", "只改了一边"),
                    lambda x: _operations(naive(x.n).pairs, cached(x.n).rows),
                    lambda x: Text(
                        f"{count(cached(x.n).rows)} are the rows with a cache. Each of them still meets every key up "
                        f"to its own: {count(cached(x.n).pairs)} pairs.",
                        f"{count(cached(x.n).rows)} 是有缓存时的行数。每一行仍要遇到直到它自己为止的每个键："
                        f"{count(cached(x.n).pairs)} 个配对。",
                    ),
                ),
                Correction(
                    "masked",
                    Text("Counted masked pairs", "把被屏蔽的也算了"),
                    lambda x: _operations(naive_squares(x.n), cached(x.n).pairs),
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
            lambda x: _grows(4),
            (lambda x: _grows(2), lambda x: _grows(3), lambda x: _grows(8)),
            lambda x: Text(
                f"This one is right: {count(cached(x.n).pairs)} for {count(x.n)} tokens, "
                f"{count(cached(2 * x.n).pairs)} for {count(2 * x.n)}.",
                f"这条是对的：{count(x.n)} 个 token 是 {count(cached(x.n).pairs)}，{count(2 * x.n)} 个是 "
                f"{count(cached(2 * x.n).pairs)}。",
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
    prompt=lambda x: (
        Text(
            f"A causal decoder runs {count(x.n)} tokens one after the other, without a cache each pass over the "
            "whole text so far; counts are of one head of one layer. ",
            f"因果解码器逐个处理 {count(x.n)} 个 token，没有缓存时每遍处理到目前为止的全文；计数是一层中一个头的。",
        )
        + ASKED
    ),
    form=Form((Whole("n", Text("Tokens", "token 数"), 4, 100_000),), lambda v: Generated(v["n"]), lambda x: {"n": x.n}),
    inputs=Generated(100),
    invent=lambda rng: Generated(rng.choice((rng.randint(8, 99), rng.randint(100, 999), 100 * rng.randint(10, 99)))),
    formula=_PAIRS.answer,
    slips=_PAIRS.slips,
    working=lambda x: Text(
        f"{count(naive(x.n).rows)} and {count(cached(x.n).rows)} are query rows; the pairs are "
        f"{count(naive(x.n).pairs)} and {count(cached(x.n).pairs)}. Two counts in one sentence need one unit.",
        f"{count(naive(x.n).rows)} 和 {count(cached(x.n).rows)} 是查询的行数；配对数是 {count(naive(x.n).pairs)} 和 "
        f"{count(cached(x.n).pairs)}。同一句话里的两个计数要用同一个单位。",
    ),
    way=lambda x: chosen(CHAPTER, CACHE),
    reply=_PAIRS.reply,
    rows=lambda x: (
        Row(
            Text("Rows without a cache", "没有缓存的行数"),
            f"{count(x.n)} × {count(x.n + 1)} ÷ 2",
            count(naive(x.n).rows),
        ),
        Row(
            Text("Pairs without a cache", "没有缓存的配对数"),
            f"{count(x.n)} × {count(x.n + 1)} × {count(x.n + 2)} ÷ 6",
            count(naive(x.n).pairs),
        ),
        Row(Text("Rows with one", "有缓存的行数"), count(x.n), count(cached(x.n).rows)),
        Row(Text("Pairs with one", "有缓存的配对数"), f"{count(x.n)} × {count(x.n + 1)} ÷ 2", count(cached(x.n).pairs)),
    ),
)


# --- what crosses with tiles

TILES, OFF = Switches(tiles=True), Switches()
ROW = CONFIG.head_dim * ITEM  # bytes of one head's row


def _keys_read(s: Scenario) -> int:
    """Bytes of K and V that one head reads tile by tile."""
    return cost(s, TILES).moved_vectors // HEADS - _edges(s)


def _edges(s: Scenario) -> int:
    """Bytes of q and o of one head."""
    return 2 * n_prompt(s) * ROW


def _n_tiles(s: Scenario) -> int:
    return -(-n_prompt(s) // s.tile_size)


def _read(n: int, en: str, zh: str) -> Text:
    return Text(f"K and V are read {en}: {count(n)} bytes.", f"K、V {zh}：{count(n)} 字节。")


def _edge(n: int) -> Text:
    return Text(f"Q is read and o written, each once: {count(n)} bytes.", f"Q 读一次，o 写一次：{count(n)} 字节。")


def _saved(n: int) -> Text:
    return Text(
        f"Without tiles the full tables of scores and weights would move another {count(n)} bytes.",
        f"不分块时，分数和权重的整张表还要再搬 {count(n)} 字节。",
    )


def _scored(n: int) -> Text:
    return Text(
        f"{count(n)} visible pairs are scored, with tiles or without.", f"分块与否，都要算 {count(n)} 个可见的配对。"
    )


_CROSSING: Finding[Scenario] = Finding(
    (
        Sound(
            "edges",
            Text("Doubted what q and o move", "怀疑了 q、o 的搬运"),
            lambda s: _edge(_edges(s)),
            (
                lambda s: _edge(_edges(s) // 2),
                lambda s: _edge(_edges(s) * _n_tiles(s)),
                lambda s: _edge(_edges(s) // ITEM),
            ),
            lambda s: Text(
                f"This one is right: 2 × {n_prompt(s)} rows of {ROW} bytes.",
                f"这条是对的：2 × {n_prompt(s)} 行，每行 {ROW} 字节。",
            ),
        ),
        Sound(
            "saved",
            Text("Doubted what the tables would move", "怀疑了表的搬运"),
            lambda s: _saved(cost(s, OFF).moved_tables // HEADS),
            (
                lambda s: _saved(cost(s, OFF).moved_tables // HEADS // 4),
                lambda s: _saved(cost(s, OFF).moved_tables // HEADS // 2),
                lambda s: _saved(cost(s, OFF).moved_tables // HEADS // ITEM),
            ),
            lambda s: Text(
                f"This one is right: 4 × {n_prompt(s)} × {n_prompt(s)} numbers of {ITEM} bytes, two tables written "
                "and read back.",
                f"这条是对的：4 × {n_prompt(s)} × {n_prompt(s)} 个数，每个 {ITEM} 字节，两张表各写出再读回。",
            ),
        ),
        Wrong(
            lambda s: _read(_edges(s), "once, each tile in one trip", "只读一次，每个分块一趟"),
            lambda s: _read(
                _keys_read(s), "again for every tile of queries that sees them", "对每个能看见它的查询分块都重读一次"
            ),
            (
                Correction(
                    "every-query",
                    Text("Read again for each query", "每个查询都重读"),
                    lambda s: _read(_edges(s) * n_prompt(s), "again for every query", "对每个查询都重读一次"),
                    Told(
                        "All queries of a tile ({tile_size}) share what is read for them.",
                        "一个分块里的全部查询（{tile_size} 个）共用读进来的内容。",
                    ),
                ),
                Correction(
                    "hidden-too",
                    Text("Read hidden tiles as well", "把被屏蔽的分块也读了"),
                    lambda s: _read(
                        _edges(s) * _n_tiles(s), "in full for every tile of queries", "对每个查询分块都全部重读"
                    ),
                    Text(
                        "A tile of keys that all its queries may not see is not read: it lies wholly above the "
                        "diagonal.",
                        "某个键分块若对这批查询全被屏蔽，就不读：它整个在对角线上方。",
                    ),
                ),
            ),
        ),
        Sound(
            "scored",
            Text("Doubted that the pairs stay", "怀疑了配对数不变"),
            lambda s: _scored(cost(s, TILES).pairs // HEADS),
            (
                lambda s: _scored(n_prompt(s)),
                lambda s: _scored(n_prompt(s) ** 2),
                lambda s: _scored(n_prompt(s) * s.tile_size),
            ),
            lambda s: Text(
                f"This one is right: {n_prompt(s)} × {n_prompt(s) + 1} ÷ 2; no score is skipped.",
                f"这条是对的：{n_prompt(s)} × {n_prompt(s) + 1} ÷ 2；一个分数也不跳过。",
            ),
        ),
    ),
    lambda s: (n_prompt(s), s.tile_size),
)


def _distinct(s: Scenario) -> bool:
    """Whether no two of the numbers to choose from are equal."""
    reads = {_edges(s), _keys_read(s), _edges(s) * n_prompt(s), _edges(s) * _n_tiles(s)}
    pairs = {cost(s, TILES).pairs // HEADS, n_prompt(s), n_prompt(s) ** 2, n_prompt(s) * s.tile_size}
    return len(reads) == len(pairs) == 4 and _n_tiles(s) > 1


def _invent(rng: random.Random) -> Scenario:
    while True:
        s = replace(
            chosen(CHAPTER, TILES),
            prompt=tokens(rng.randint(6, MOST_PROMPT)),
            n_new=1,
            tile_size=rng.choice((2, 3, 4, 5, 6)),
            max_len=MOST_PROMPT + MOST_NEW,
        )
        if _distinct(s):
            return s


ONE_TRIP: Question[Scenario] = Question(
    slug="one-trip",
    title=Text("Find the error: one trip a tile", "找错：每个分块只跑一趟"),
    prompt=lambda s: (
        Text(
            f"One head runs a prompt of {n_prompt(s)} tokens in tiles of {s.tile_size} "
            f"position{'s' * (s.tile_size != 1)}, causal; a row of q, k, v or o is {ROW} bytes. ",
            f"一个头处理一段 {n_prompt(s)} 个 token 的提示，分块 {s.tile_size} 个位置，因果掩码；q、k、v、o 的一行各 "
            f"{ROW} 字节。",
        )
        + ASKED
    ),
    form=counted(N_PROMPT, TILE),
    inputs=replace(chosen(CHAPTER, TILES), n_new=1, max_len=MOST_PROMPT + MOST_NEW),
    invent=_invent,
    formula=_CROSSING.answer,
    slips=_CROSSING.slips,
    working=lambda s: Text(
        f"{_n_tiles(s)} tiles of queries read the tiles of K and V up to their own: {count(_keys_read(s))} bytes, "
        f"not {count(_edges(s))}.",
        f"{_n_tiles(s)} 个查询分块，各读到自己为止的 K、V 分块：{count(_keys_read(s))} 字节，而不是 "
        f"{count(_edges(s))}。",
    ),
    way=lambda s: chosen(s, TILES),
    reply=_CROSSING.reply,
    rows=lambda s: (
        Row(Text("Tiles of queries", "查询分块数"), f"⌈{n_prompt(s)} ÷ {s.tile_size}⌉", str(_n_tiles(s))),
        Row(
            Text("Key rows they read", "它们读的键行数"),
            " + ".join(str(min(n_prompt(s), (i + 1) * s.tile_size)) for i in range(_n_tiles(s))),
            str(_keys_read(s) // ROW // 2),
        ),
        Row(Text("Bytes of K and V", "K、V 的字节"), f"2 × {_keys_read(s) // ROW // 2} × {ROW}", count(_keys_read(s))),
    ),
)
