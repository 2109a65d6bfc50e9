"""What the three switches do to the three ledgers: which numbers fall, which way takes least room, which order by
traffic."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from engine.three_ledgers import ENTRY, ITEM, Switches
from engine.three_savings import CONFIG, Scenario, tokens
from lessons.kit.format import count
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip, together
from lessons.kit.reply import Answer, Order, Pick, Tick
from lessons.kit.text import Text
from lessons.three_savings.form import BLOCK, MOST_NEW, MOST_PROMPT, N_PROMPT, NEW, RESERVE, TILE, counted
from lessons.three_savings.questions.figures import CACHE, CACHE_PAGING, CHAPTER, OFF, ROW, chosen, cost, n_prompt
from lessons.three_savings.ways import named

TILES, CACHE_TILES = Switches(tiles=True), Switches(cache=True, tiles=True)
FIELDS = counted(N_PROMPT, NEW, TILE, BLOCK, RESERVE)


def _sizes(s: Scenario) -> Text:
    return Text(
        f"The little decoder, a prompt of {n_prompt(s)} tokens, {s.n_new} new ones; tiles of {s.tile_size} "
        f"position{'s' * (s.tile_size != 1)}, blocks of {s.block_size}, {s.max_len} positions set aside without "
        "paging. ",
        f"小解码器，提示 {n_prompt(s)} 个 token，生成 {s.n_new} 个新 token；分块 {s.tile_size} 个位置，内存块 "
        f"{s.block_size} 个位置，不分页时预留 {s.max_len} 个位置。",
    )


RESIDENT = Text(
    f"Counted as resident: K and V ({ROW} bytes a position over the {CONFIG.n_layers} layers; without a cache one "
    "layer’s at a time), what is set aside, "
    f"the block table ({ENTRY} bytes an entry), and without tiles the full tables of scores and weights of the head "
    f"being computed ({ITEM} bytes a number). ",
    f"驻留计：K、V（一个位置在全部 {CONFIG.n_layers} 层共 {ROW} 字节；没有缓存时一次只有一层的），预留的位置，"
    f"块表（每项 {ENTRY} 字节），不分块时还有正在计算的那个头的分数和权重两张整表（每个数 {ITEM} 字节）。",
)


@lru_cache(maxsize=4096)
def _amounts(s: Scenario, switches: Switches) -> tuple[int, int, int]:
    """Pairs, bytes moved, bytes resident at the fullest moment."""
    ledgers = cost(s, switches)
    return ledgers.pairs, ledgers.moved, ledgers.resident.total


def _invent(rng: random.Random) -> Scenario:
    p, m = rng.randint(4, MOST_PROMPT), rng.randint(2, MOST_NEW)
    return Scenario(tokens(p), m, rng.choice((2, 4, 8)), rng.choice((2, 4, 8)), p + m + rng.randint(4, 40), CACHE)


def _invent_tight(rng: random.Random) -> Scenario:
    """Long prompts and little set aside in vain: then the cache may even take less room than a head's largest
    tables."""
    p, m = rng.randint(12, MOST_PROMPT), rng.randint(2, MOST_NEW)
    return Scenario(
        tokens(p), m, rng.choice((2, 4, 8)), rng.choice((2, 4)), p + m - 1 + rng.choice((0, 1, 8, 20)), CACHE
    )


# --- which ledgers fall

TURNS = ((OFF, CACHE), (OFF, TILES), (CACHE, CACHE_PAGING))


def _falls(s: Scenario) -> Answer:
    """Turn by turn, ledger by ledger: 1 where the number falls."""
    return tuple(
        float(b < a) for before, now in TURNS for a, b in zip(_amounts(s, before), _amounts(s, now), strict=True)
    )


def _but(s: Scenario, *cells: int) -> Answer:
    """The right answer with these cells the other way."""
    return tuple(1 - mark if i in cells else mark for i, mark in enumerate(_falls(s)))


_TILES_WORK: Slip[Scenario] = Slip(
    "tiles-work",
    Text("Let tiles save work", "以为分块省计算"),
    lambda s: _but(s, 3),
    Text(
        "Tiles skip no pair: each score is computed, only not stored.",
        "分块不跳过任何配对：每个分数都要算，只是不存下来。",
    ),
    lambda s: chosen(s, TILES),
)
_PAGING_MOVES: Slip[Scenario] = Slip(
    "paging-moves",
    Text("Let paging save traffic", "以为分页省搬运"),
    lambda s: _but(s, 7),
    Text("Paging moves the same rows from other places.", "分页搬的是同样的行，只是位置不同。"),
)

FALLS: Question[Scenario] = Question(
    slug="falls",
    title=Text("Which ledgers fall", "哪本账会降"),
    prompt=lambda s: (
        _sizes(s)
        + RESIDENT
        + Text(
            "Each switch is turned on: cache and tiles from all off, paging over the cache. Which numbers fall? Tick "
            "them (resident: at the fullest moment).",
            "逐个打开开关：缓存和分块从全关打开，分页在缓存之上打开。哪些数会下降？请勾选（驻留看最满的时刻）。",
        )
    ),
    form=FIELDS,
    inputs=chosen(CHAPTER, CACHE),
    invent=_invent_tight,
    formula=_falls,
    slips=(
        Slip(
            "own-only",
            Text("Each its own ledger and no other", "只算各自的那本账"),
            lambda s: (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
            Text(
                "Ledgers are linked: less attention also moves less, and tables that are not written are not "
                "resident either.",
                "几本账有牵连：注意力少算，搬运也少；表没有写出，也就不驻留。",
            ),
        ),
        _TILES_WORK,
        _PAGING_MOVES,
        Slip(
            "cache-room",
            Text("Turned round what the cache takes", "弄反了缓存占用的变化"),
            lambda s: _but(s, 2),
            lambda s: Text(
                f"All off holds K and V of one layer and one head’s largest tables, {count(_amounts(s, OFF)[2])} "
                f"bytes; with the cache {count(_amounts(s, CACHE)[2])} are set aside and in use.",
                f"全关时只有一层的 K、V 和一个头最大的两张表，{count(_amounts(s, OFF)[2])} 字节；打开缓存，预留和使用"
                f"的共 {count(_amounts(s, CACHE)[2])}。",
            ),
        ),
        together(_TILES_WORK, _PAGING_MOVES, lambda s: _but(s, 3, 7)),
    ),
    working=lambda s: Text(
        "; ".join(
            f"{named(now).en}: "
            + ", ".join(f"{count(a)} → {count(b)}" for a, b in zip(_amounts(s, before), _amounts(s, now), strict=True))
            for before, now in TURNS
        )
        + ".",
        "；".join(
            f"{named(now).zh}："
            + "，".join(f"{count(a)} → {count(b)}" for a, b in zip(_amounts(s, before), _amounts(s, now), strict=True))
            for before, now in TURNS
        )
        + "。",
    ),
    way=lambda s: chosen(s, CACHE_PAGING),
    reply=Tick(
        lambda s: (Text("cache on", "打开缓存"), Text("tiles on", "打开分块"), Text("paging on", "打开分页")),
        lambda s: (Text("pairs", "配对数"), Text("bytes moved", "搬运字节"), Text("bytes resident", "驻留字节")),
    ),
    rows=lambda s: tuple(
        Row(
            Text(f"{named(before).en} → {named(now).en}", f"{named(before).zh} → {named(now).zh}"),
            Text("pairs, bytes moved, bytes resident", "配对数、搬运字节、驻留字节"),
            "; ".join(f"{count(a)} → {count(b)}" for a, b in zip(_amounts(s, before), _amounts(s, now), strict=True)),
        )
        for before, now in TURNS
    ),
)


# --- which way takes least room

WAYS = (TILES, CACHE_PAGING, CACHE, OFF)  # the thriftiest first, where the numbers are as drawn


def _room(s: Scenario) -> list[int]:
    return [_amounts(s, way)[2] for way in WAYS]


def _order(s: Scenario) -> tuple[int, ...]:
    return shuffled(len(WAYS), n_prompt(s), s.n_new, s.tile_size, s.block_size, s.max_len)


def _way(i: int) -> Callable[[Scenario], Answer]:
    return lambda s: (place(_order(s), i),)


def _beside(s: Scenario, i: int) -> str:
    return f"{count(_room(s)[i])} > {count(min(_room(s)))}"


LEAST_ROOM: Question[Scenario] = Question(
    slug="least-room",
    title=Text("The way that takes least room", "最省空间的做法"),
    prompt=lambda s: (
        _sizes(s)
        + RESIDENT
        + Text("Which way has the fewest bytes resident at its fullest moment?", "哪种做法在最满的时刻驻留的字节最少？")
    ),
    form=FIELDS,
    inputs=chosen(CHAPTER, TILES),
    invent=_invent,
    formula=lambda s: (place(_order(s), min(range(len(WAYS)), key=_room(s).__getitem__)),),
    slips=(
        Slip(
            "paging",
            Text("Took paging for the least of all", "以为分页一定最省"),
            _way(1),
            lambda s: Text(
                "Paging takes less than the cache without it, but it is still a cache of all layers: "
                f"{_beside(s, 1)}. Tiles alone keep nothing between passes, and compute all again.",
                f"分页比不分页的缓存少，但仍是全部各层的缓存：{_beside(s, 1)}。只开分块，各遍之间什么都不留，于是样样"
                "重算。",
            ),
        ),
        Slip(
            "cache",
            Text("Took the cache for a saving of room", "以为缓存省空间"),
            _way(2),
            lambda s: Text(
                f"The cache buys work with room: {_beside(s, 2)}.", f"缓存是用空间换计算：{_beside(s, 2)}。"
            ),
        ),
        Slip(
            "off",
            Text("Forgot the tables", "忘了分数表"),
            _way(3),
            lambda s: Text(
                f"All off keeps nothing between passes, but holds a head’s two tables while it runs: {_beside(s, 3)}.",
                f"全关时各遍之间什么也不留，但运行中有一个头的两张表：{_beside(s, 3)}。",
            ),
        ),
    ),
    working=lambda s: Text(
        ", ".join(f"{named(way).en} {count(n)}" for way, n in zip(WAYS, _room(s), strict=True)) + " bytes.",
        "，".join(f"{named(way).zh} {count(n)}" for way, n in zip(WAYS, _room(s), strict=True)) + " 字节。",
    ),
    way=lambda s: chosen(s, TILES),
    reply=Pick(lambda s: tuple(named(WAYS[i]) for i in _order(s))),
    rows=lambda s: tuple(
        Row(named(way), what, f"{count(n)} B")
        for way, n, what in zip(
            WAYS,
            _room(s),
            (
                Text("K, V of one layer", "一层的 K、V"),
                Text(
                    "K, V of all layers in whole blocks, tables of scores, block table",
                    "各层的 K、V（整块）、分数表、块表",
                ),
                Text(f"room for {s.max_len} positions, tables of scores", f"{s.max_len} 个位置的空间、分数表"),
                Text("K, V of one layer, tables of scores", "一层的 K、V、分数表"),
            ),
            strict=True,
        )
    ),
)


# --- ways by what they move

FOUR = (CACHE_TILES, CACHE, TILES, OFF)


def _moved(s: Scenario, way: Switches) -> int:
    return _amounts(s, way)[1]


def _shown(s: Scenario) -> tuple[Switches, ...]:
    """Not in the right order."""
    best = sorted(FOUR, key=lambda way: _moved(s, way))
    return tuple(best[i] for i in shuffled(len(best), n_prompt(s), s.n_new, s.tile_size, moved=True))


def _by(s: Scenario, ways: tuple[Switches, ...] | list[Switches]) -> Answer:
    return tuple(float(_shown(s).index(way) + 1) for way in ways)


BY_TRAFFIC: Question[Scenario] = Question(
    slug="by-traffic",
    title=Text("Ways by what they move", "按搬运量给做法排序"),
    prompt=lambda s: Text(
        f"The little decoder, a prompt of {n_prompt(s)} tokens, {s.n_new} new ones, tiles of {s.tile_size} "
        f"position{'s' * (s.tile_size != 1)}. Which of four ways moves the fewest bytes to and from slow memory, "
        "which the most? Put them in order, the fewest first.",
        f"小解码器，提示 {n_prompt(s)} 个 token，生成 {s.n_new} 个新 token，分块 {s.tile_size} 个位置。四种做法中哪种"
        "进出慢速显存的字节最少，哪种最多？按从少到多排好。",
    ),
    form=counted(N_PROMPT, NEW, TILE),
    inputs=replace(chosen(CHAPTER, CACHE_TILES), max_len=256),
    invent=lambda rng: replace(_invent(rng), max_len=256),
    formula=lambda s: _by(s, sorted(FOUR, key=lambda way: _moved(s, way))),
    slips=(
        Slip(
            "tiles-first",
            Text("Took tiles for the larger saving", "以为分块省得更多"),
            lambda s: _by(s, (CACHE_TILES, TILES, CACHE, OFF)),
            lambda s: Text(
                f"Tiles alone run the whole text in every pass: {count(_moved(s, TILES))} bytes. With the cache "
                f"alone whole passes are left out: {count(_moved(s, CACHE))}.",
                f"只开分块，每遍仍处理全文：{count(_moved(s, TILES))} 字节。只开缓存，整遍整遍地省掉："
                f"{count(_moved(s, CACHE))}。",
            ),
        ),
        Slip(
            "turned",
            Text("The most first", "从多到少了"),
            lambda s: _by(s, sorted(FOUR, key=lambda way: -_moved(s, way))),
            Text("That begins with the way that moves most.", "这是从搬运最多的开始。"),
        ),
        Slip(
            "cache-dear",
            Text("Let the cache add traffic", "以为缓存增加搬运"),
            lambda s: _by(s, (TILES, CACHE_TILES, OFF, CACHE)),
            Text(
                "Reading kept keys is traffic, but all off computes, writes and reads the same keys again in every "
                "pass.",
                "读缓存的键要搬运，但全关时每遍都要重算、写出再读回同样的键。",
            ),
        ),
    ),
    working=lambda s: Text(
        ", ".join(f"{named(way).en} {count(_moved(s, way))}" for way in sorted(FOUR, key=lambda way: _moved(s, way)))
        + " bytes.",
        "，".join(f"{named(way).zh} {count(_moved(s, way))}" for way in sorted(FOUR, key=lambda way: _moved(s, way)))
        + " 字节。",
    ),
    way=lambda s: chosen(s, CACHE_TILES),
    reply=Order(lambda s: tuple(named(way) for way in _shown(s))),
    rows=lambda s: tuple(
        Row(
            named(way),
            Text("q, k, v, o + tables", "q、k、v、o + 分数表")
            + Text(
                f": {count(cost(s, way).moved_vectors)} + {count(cost(s, way).moved_tables)}",
                f"：{count(cost(s, way).moved_vectors)} + {count(cost(s, way).moved_tables)}",
            ),
            f"{count(_moved(s, way))} B",
        )
        for way in sorted(FOUR, key=lambda way: _moved(s, way))
    ),
)
