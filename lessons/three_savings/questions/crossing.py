"""Find the error: tiles that are said to cross once, as the second text has it."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.three_ledgers import ITEM, TILES
from engine.three_savings import CONFIG, Scenario, tokens
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.format import count
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.form import MOST_NEW, MOST_PROMPT, N_PROMPT, TILE, counted
from lessons.three_savings.presets import CHAPTER
from lessons.three_savings.questions.given import ASKED, chosen

ONE_PASS = replace(chosen(CHAPTER, TILES), n_new=1, max_len=MOST_PROMPT + MOST_NEW)
ROW = CONFIG.head_dim * ITEM  # bytes of one head's row


def _edges(s: Scenario) -> int:
    """Bytes of q and o of one head."""
    return 2 * s.n_prompt * ROW


def _keys_read(s: Scenario) -> int:
    """Bytes of K and V that one head reads tile by tile."""
    return s.tiled.per_head.moved_vectors - _edges(s)


def _key_rows(s: Scenario) -> int:
    return _keys_read(s) // ROW // 2


def _tables(s: Scenario) -> int:
    """Bytes that one head's tables move without tiles."""
    return s.off.per_head.moved_tables


EDGES = Told("Q is read and o written, each once: {n} bytes.", "Q 读一次，o 写一次：{n} 字节。")
SAVED = Told(
    "Without tiles the full tables of scores and weights would move another {n} bytes.",
    "不分块时，分数和权重的整张表还要再搬 {n} 字节。",
)
READ = Told("K and V are read {how}: {n} bytes.", "K、V {how}：{n} 字节。")
SCORED = Told("{n} visible pairs are scored, with tiles or without.", "分块与否，都要算 {n} 个可见的配对。")

_CROSSING: Finding[Scenario] = Finding(
    (
        Sound(
            "edges",
            Text("Doubted what q and o move", "怀疑了 q、o 的搬运"),
            lambda s: EDGES.on(n=_edges(s)),
            (
                lambda s: EDGES.on(n=_edges(s) // 2),
                lambda s: EDGES.on(n=_edges(s) * s.n_tiles),
                lambda s: EDGES.on(n=_edges(s) // ITEM),
            ),
            lambda s: Told(
                "This one is right: 2 × {n_prompt} rows of {row} bytes.",
                "这条是对的：2 × {n_prompt} 行，每行 {row} 字节。",
            ).on(s, row=ROW),
        ),
        Sound(
            "saved",
            Text("Doubted what the tables would move", "怀疑了表的搬运"),
            lambda s: SAVED.on(n=_tables(s)),
            (
                lambda s: SAVED.on(n=_tables(s) // 4),
                lambda s: SAVED.on(n=_tables(s) // 2),
                lambda s: SAVED.on(n=_tables(s) // ITEM),
            ),
            Told(
                "This one is right: 4 × {n_prompt} × {n_prompt} numbers of {itemsize} bytes, two tables written and "
                "read back.",
                "这条是对的：4 × {n_prompt} × {n_prompt} 个数，每个 {itemsize} 字节，两张表各写出再读回。",
            ),
        ),
        Wrong(
            lambda s: READ.on(n=_edges(s), how=Text("once, each tile in one trip", "只读一次，每个分块一趟")),
            lambda s: READ.on(
                n=_keys_read(s),
                how=Text("again for every tile of queries that sees them", "对每个能看见它的查询分块都重读一次"),
            ),
            (
                Correction(
                    "every-query",
                    Text("Read again for each query", "每个查询都重读"),
                    lambda s: READ.on(
                        n=_edges(s) * s.n_prompt, how=Text("again for every query", "对每个查询都重读一次")
                    ),
                    Told(
                        "All queries of a tile ({tile_size}) share what is read for them.",
                        "一个分块里的全部查询（{tile_size} 个）共用读进来的内容。",
                    ),
                ),
                Correction(
                    "hidden-too",
                    Text("Read hidden tiles as well", "把被屏蔽的分块也读了"),
                    lambda s: READ.on(
                        n=_edges(s) * s.n_tiles,
                        how=Text("in full for every tile of queries", "对每个查询分块都全部重读"),
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
            lambda s: SCORED.on(n=s.tiled.per_head.pairs),
            (
                lambda s: SCORED.on(n=s.n_prompt),
                lambda s: SCORED.on(n=s.n_prompt**2),
                lambda s: SCORED.on(n=s.n_prompt * s.tile_size),
            ),
            lambda s: Told(
                "This one is right: {n_prompt} × {next} ÷ 2; no score is skipped.",
                "这条是对的：{n_prompt} × {next} ÷ 2；一个分数也不跳过。",
            ).on(s, next=s.n_prompt + 1),
        ),
    ),
    lambda s: (s.n_prompt, s.tile_size),
)


def _invent(rng: random.Random) -> Scenario:
    while True:
        s = replace(ONE_PASS, prompt=tokens(rng.randint(6, MOST_PROMPT)), tile_size=rng.choice((2, 3, 4, 5, 6)))
        if _CROSSING.told_apart(s) and s.n_tiles > 1:
            return s


ONE_TRIP: Question[Scenario] = Question(
    slug="one-trip",
    title=Text("Find the error: one trip a tile", "找错：每个分块只跑一趟"),
    prompt=lambda s: (
        Told(
            "One head runs a prompt of {n_prompt:token} in tiles of {tile_size:position}, causal; a row of q, k, v "
            "or o is {row} bytes. ",
            "一个头处理一段 {n_prompt} 个 token 的提示，分块 {tile_size} 个位置，因果掩码；q、k、v、o 的一行各 "
            "{row} 字节。",
        ).on(s, row=ROW)
        + ASKED
    ),
    form=counted(N_PROMPT, TILE),
    inputs=ONE_PASS,
    invent=_invent,
    formula=_CROSSING.answer,
    slips=_CROSSING.slips,
    working=lambda s: Told(
        "{n_tiles:tile} of queries {n_tiles|reads|read} the tiles of K and V up to {n_tiles|its|their} own: {read} "
        "bytes, not {edges}.",
        "{n_tiles} 个查询分块，各读到自己为止的 K、V 分块：{read} 字节，而不是 {edges}。",
    ).on(s, read=_keys_read(s), edges=_edges(s)),
    way=lambda s: chosen(s, TILES),
    reply=_CROSSING.reply,
    rows=(
        Line(Text("Tiles of queries", "查询分块数"), "⌈{n_prompt} ÷ {tile_size}⌉", "{n_tiles}"),
        Line(
            Text("Key rows they read", "它们读的键行数"),
            lambda s: " + ".join(str(min(s.n_prompt, (i + 1) * s.tile_size)) for i in range(s.n_tiles)),
            lambda s: str(_key_rows(s)),
        ),
        Line(
            Text("Bytes of K and V", "K、V 的字节"),
            lambda s: f"2 × {_key_rows(s)} × {ROW}",
            lambda s: count(_keys_read(s)),
        ),
    ),
)
