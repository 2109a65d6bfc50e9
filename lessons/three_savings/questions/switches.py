"""What the three switches do to the three ledgers: which numbers fall, which way takes least room, which order by
traffic."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.three_ledgers import ALL_OFF, CACHE, CACHE_PAGING, CACHE_TILES, ENTRY, ITEM, TILES, Switches
from engine.three_savings import CONFIG, Scenario, tokens
from lessons.kit.format import count
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip, together
from lessons.kit.reply import Answer, Order, Pick, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told, say
from lessons.three_savings.form import BLOCK, MOST_NEW, MOST_PROMPT, N_PROMPT, NEW, RESERVE, TILE, counted
from lessons.three_savings.naming import LEDGERS, named
from lessons.three_savings.presets import CHAPTER
from lessons.three_savings.questions.given import chosen

FIELDS = counted(N_PROMPT, NEW, TILE, BLOCK, RESERVE)
SIZES = Told(
    "The little decoder, a prompt of {n_prompt:token}, {n_new:new one}; tiles of {tile_size:position}, blocks of "
    "{block_size}, {max_len:position} set aside without paging. ",
    "小解码器，提示 {n_prompt} 个 token，生成 {n_new} 个新 token；分块 {tile_size} 个位置，内存块 {block_size} 个位"
    "置，不分页时预留 {max_len} 个位置。",
)
RESIDENT = Text(
    f"Counted as resident: K and V ({CHAPTER.row_bytes} bytes a position over the {CONFIG.n_layers} layers; without a "
    "cache one layer’s at a time), what is set aside, "
    f"the block table ({ENTRY} bytes an entry), and without tiles the full tables of scores and weights of the head "
    f"being computed ({ITEM} bytes a number). ",
    f"驻留计：K、V（一个位置在全部 {CONFIG.n_layers} 层共 {CHAPTER.row_bytes} 字节；没有缓存时一次只有一层的），预留"
    f"的位置，块表（每项 {ENTRY} 字节），不分块时还有正在计算的那个头的分数和权重两张整表（每个数 {ITEM} 字节）。",
)


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

TURNS = ((ALL_OFF, CACHE), (ALL_OFF, TILES), (CACHE, CACHE_PAGING))


def _changes(s: Scenario, before: Switches, now: Switches) -> list[tuple[int, int]]:
    """Each ledger before and after a turn."""
    return [(s.cost(before).amount(ledger), s.cost(now).amount(ledger)) for ledger in LEDGERS]


def _falls(s: Scenario) -> Answer:
    """Turn by turn, ledger by ledger: 1 where the number falls."""
    return tuple(float(b < a) for turn in TURNS for a, b in _changes(s, *turn))


def _but(s: Scenario, *cells: int) -> Answer:
    """The right answer with these cells the other way."""
    return tuple(1 - mark if i in cells else mark for i, mark in enumerate(_falls(s)))


def _turned(s: Scenario, before: Switches, now: Switches) -> list[str]:
    return [f"{count(a)} → {count(b)}" for a, b in _changes(s, before, now)]


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
    prompt=SIZES
    + RESIDENT
    + Text(
        "Each switch is turned on: cache and tiles from all off, paging over the cache. Which numbers fall? Tick "
        "them (resident: at the fullest moment).",
        "逐个打开开关：缓存和分块从全关打开，分页在缓存之上打开。哪些数会下降？请勾选（驻留看最满的时刻）。",
    ),
    form=FIELDS,
    inputs=chosen(CHAPTER, CACHE),
    invent=_invent_tight,
    formula=_falls,
    slips=(
        Slip(
            "own-only",
            Text("Each its own ledger and no other", "只算各自的那本账"),
            lambda _: (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
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
            Told(
                "All off holds K and V of one layer and one head’s largest tables, {off.resident.total} bytes; "
                "with the cache {cached.resident.total} are set aside and in use.",
                "全关时只有一层的 K、V 和一个头最大的两张表，{off.resident.total} 字节；打开缓存，预留和使用的共 "
                "{cached.resident.total}。",
            ),
        ),
        together(_TILES_WORK, _PAGING_MOVES, lambda s: _but(s, 3, 7)),
    ),
    working=lambda s: Text(
        "; ".join(f"{named(turn[1]).en}: {', '.join(_turned(s, *turn))}" for turn in TURNS) + ".",
        "；".join(f"{named(turn[1]).zh}：{'，'.join(_turned(s, *turn))}" for turn in TURNS) + "。",
    ),
    way=lambda s: chosen(s, CACHE_PAGING),
    reply=Tick(
        (Text("cache on", "打开缓存"), Text("tiles on", "打开分块"), Text("paging on", "打开分页")),
        (Text("pairs", "配对数"), Text("bytes moved", "搬运字节"), Text("bytes resident", "驻留字节")),
    ),
    rows=lambda s: tuple(
        Row(
            Text(f"{named(before).en} → {named(now).en}", f"{named(before).zh} → {named(now).zh}"),
            Text("pairs, bytes moved, bytes resident", "配对数、搬运字节、驻留字节"),
            "; ".join(_turned(s, before, now)),
        )
        for before, now in TURNS
    ),
)


# --- which way takes least room

# what each way has resident; the thriftiest first, where the numbers are as drawn
KEPT: dict[Switches, Text | Told] = {
    TILES: Text("K, V of one layer", "一层的 K、V"),
    CACHE_PAGING: Text(
        "K, V of all layers in whole blocks, tables of scores, block table", "各层的 K、V（整块）、分数表、块表"
    ),
    CACHE: Told("room for {max_len:position}, tables of scores", "{max_len} 个位置的空间、分数表"),
    ALL_OFF: Text("K, V of one layer, tables of scores", "一层的 K、V、分数表"),
}
WAYS = tuple(KEPT)


def _room(s: Scenario, way: Switches) -> int:
    return s.cost(way).resident.total


def _thriftiest(s: Scenario) -> Switches:
    return min(WAYS, key=lambda way: _room(s, way))


def _order(s: Scenario) -> tuple[int, ...]:
    return shuffled(len(WAYS), s.n_prompt, s.n_new, s.tile_size, s.block_size, s.max_len)


def _takes(way: Switches) -> Callable[[Scenario], float]:
    return lambda s: place(_order(s), WAYS.index(way))


def _beside(way: Switches, said: Told) -> Callable[[Scenario], Text]:
    """With `{beside}`, that way's bytes and the fewest."""
    return lambda s: said.on(beside=f"{count(_room(s, way))} > {count(_room(s, _thriftiest(s)))}")


LEAST_ROOM: Question[Scenario] = Question(
    slug="least-room",
    title=Text("The way that takes least room", "最省空间的做法"),
    prompt=SIZES
    + RESIDENT
    + Text("Which way has the fewest bytes resident at its fullest moment?", "哪种做法在最满的时刻驻留的字节最少？"),
    form=FIELDS,
    inputs=chosen(CHAPTER, TILES),
    invent=_invent,
    formula=lambda s: _takes(_thriftiest(s))(s),
    slips=(
        Slip(
            "paging",
            Text("Took paging for the least of all", "以为分页一定最省"),
            _takes(CACHE_PAGING),
            _beside(
                CACHE_PAGING,
                Told(
                    "Paging takes less than the cache without it, but it is still a cache of all layers: {beside}. "
                    "Tiles alone keep nothing between passes, and compute all again.",
                    "分页比不分页的缓存少，但仍是全部各层的缓存：{beside}。只开分块，各遍之间什么都不留，于是样样重"
                    "算。",
                ),
            ),
        ),
        Slip(
            "cache",
            Text("Took the cache for a saving of room", "以为缓存省空间"),
            _takes(CACHE),
            _beside(CACHE, Told("The cache buys work with room: {beside}.", "缓存是用空间换计算：{beside}。")),
        ),
        Slip(
            "off",
            Text("Forgot the tables", "忘了分数表"),
            _takes(ALL_OFF),
            _beside(
                ALL_OFF,
                Told(
                    "All off keeps nothing between passes, but holds a head’s two tables while it runs: {beside}.",
                    "全关时各遍之间什么也不留，但运行中有一个头的两张表：{beside}。",
                ),
            ),
        ),
    ),
    working=lambda s: Text(
        ", ".join(f"{named(way).en} {count(_room(s, way))}" for way in WAYS) + " bytes.",
        "，".join(f"{named(way).zh} {count(_room(s, way))}" for way in WAYS) + " 字节。",
    ),
    way=lambda s: chosen(s, TILES),
    reply=Pick(lambda s: tuple(named(WAYS[i]) for i in _order(s))),
    rows=lambda s: tuple(Row(named(way), say(kept, s), f"{count(_room(s, way))} B") for way, kept in KEPT.items()),
)


# --- ways by what they move

FOUR = (CACHE_TILES, CACHE, TILES, ALL_OFF)


def _best(s: Scenario) -> list[Switches]:
    """The fewest bytes first."""
    return sorted(FOUR, key=lambda way: s.cost(way).moved)


def _shown(s: Scenario) -> tuple[Switches, ...]:
    """Not in the right order."""
    best = _best(s)
    return tuple(best[i] for i in shuffled(len(best), s.n_prompt, s.n_new, s.tile_size, moved=True))


def _by(s: Scenario, ways: Sequence[Switches]) -> Answer:
    shown = _shown(s)
    return tuple(float(shown.index(way) + 1) for way in ways)


BY_TRAFFIC: Question[Scenario] = Question(
    slug="by-traffic",
    title=Text("Ways by what they move", "按搬运量给做法排序"),
    prompt=Told(
        "The little decoder, a prompt of {n_prompt:token}, {n_new:new one}, tiles of {tile_size:position}. Which "
        "of four ways moves the fewest bytes to and from slow memory, which the most? Put them in order, the "
        "fewest first.",
        "小解码器，提示 {n_prompt} 个 token，生成 {n_new} 个新 token，分块 {tile_size} 个位置。四种做法中哪种进出慢"
        "速显存的字节最少，哪种最多？按从少到多排好。",
    ),
    form=counted(N_PROMPT, NEW, TILE),
    inputs=replace(chosen(CHAPTER, CACHE_TILES), max_len=256),
    invent=lambda rng: replace(_invent(rng), max_len=256),
    formula=lambda s: _by(s, _best(s)),
    slips=(
        Slip(
            "tiles-first",
            Text("Took tiles for the larger saving", "以为分块省得更多"),
            lambda s: _by(s, (CACHE_TILES, TILES, CACHE, ALL_OFF)),
            Told(
                "Tiles alone run the whole text in every pass: {tiled.moved} bytes. With the cache alone whole passes "
                "are left out: {cached.moved}.",
                "只开分块，每遍仍处理全文：{tiled.moved} 字节。只开缓存，整遍整遍地省掉：{cached.moved}。",
            ),
        ),
        Slip(
            "turned",
            Text("The most first", "从多到少了"),
            lambda s: _by(s, sorted(FOUR, key=lambda way: -s.cost(way).moved)),
            Text("That begins with the way that moves most.", "这是从搬运最多的开始。"),
        ),
        Slip(
            "cache-dear",
            Text("Let the cache add traffic", "以为缓存增加搬运"),
            lambda s: _by(s, (TILES, CACHE_TILES, ALL_OFF, CACHE)),
            Text(
                "Reading kept keys is traffic, but all off computes, writes and reads the same keys again in every "
                "pass.",
                "读缓存的键要搬运，但全关时每遍都要重算、写出再读回同样的键。",
            ),
        ),
    ),
    working=lambda s: Text(
        ", ".join(f"{named(way).en} {count(s.cost(way).moved)}" for way in _best(s)) + " bytes.",
        "，".join(f"{named(way).zh} {count(s.cost(way).moved)}" for way in _best(s)) + " 字节。",
    ),
    way=lambda s: chosen(s, CACHE_TILES),
    reply=Order(lambda s: tuple(named(way) for way in _shown(s))),
    rows=lambda s: tuple(
        Row(
            named(way),
            Told(
                "q, k, v, o + tables: {moved_vectors} + {moved_tables}",
                "q、k、v、o + 分数表：{moved_vectors} + {moved_tables}",
            ).on(s.cost(way)),
            f"{count(s.cost(way).moved)} B",
        )
        for way in _best(s)
    ),
)
