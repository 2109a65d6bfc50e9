"""Questions on the three ledgers. Every answer and slip comes from the engine or from a formula of one line."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.attention import score_table_bytes
from engine.paged import blocks_for
from engine.three_ledgers import ITEM, Ledgers, Switches, from_shapes, row_bytes
from engine.three_savings import CONFIG, KEEP, Mistake, Scenario, tokens
from lessons.kit.format import count, fixed
from lessons.kit.question import Question, Slip
from lessons.kit.text import Text
from lessons.three_savings.form import BLOCK, MOST_NEW, MOST_PROMPT, N_PROMPT, NEW, RESERVE, counted
from lessons.three_savings.words import HEADS

CHAPTER = Scenario()
OFF, CACHE = Switches(), Switches(cache=True)
CACHE_PAGING = Switches(cache=True, paging=True)
ROW = row_bytes(CONFIG)


def cost(s: Scenario, switches: Switches) -> Ledgers:
    """What that way costs."""
    return from_shapes(
        len(s.prompt), s.n_new, switches, tile_size=s.tile_size, block_size=s.block_size, max_len=s.max_len
    )


def pairs(s: Scenario, switches: Switches) -> int:
    """In one head of one layer."""
    return cost(s, switches).pairs // HEADS


def _invent(rng: random.Random) -> Scenario:
    p, m = rng.randint(5, MOST_PROMPT - 4), rng.randint(2, MOST_NEW)
    return Scenario(tokens(p), m, 4, rng.choice((2, 4, 8)), p + m + rng.randint(6, 60), CACHE)


def _with(s: Scenario, switches: Switches, mistake: Mistake = Mistake.NONE) -> Scenario:
    return replace(s, choice=switches, mistake=mistake)


def _p(s: Scenario) -> int:
    return len(s.prompt)


def _longer(s: Scenario) -> Scenario:
    """One pass more, as if the last new token had to go in, too."""
    return replace(s, n_new=s.n_new + 1, max_len=s.max_len + 1)


def _squares(s: Scenario, switches: Switches) -> int:
    """Pairs with the masked ones counted."""
    if switches.cache:
        return _p(s) ** 2 + sum(range(_p(s) + 1, s.n_kept + 1))
    return sum(t * t for t in range(_p(s), s.n_kept + 1))


def _given(s: Scenario) -> Text:
    return Text(
        f"A prompt of {_p(s)} tokens, {s.n_new} new ones; the prompt’s own pass gives the first of them.",
        f"提示 {_p(s)} 个 token，生成 {s.n_new} 个新 token；第一个由提示那一遍给出。",
    )


ONE_MORE = Text(
    "One pass too many. The last new token is read off the logits and never goes through the model.",
    "多算了一遍。最后一个新 token 直接从 logits 读出，不再进模型。",
)
MASKED = Text(
    "That counts the masked pairs of a full table. A causal query meets only itself and what is before it.",
    "这把整张表里被屏蔽的配对也算进去了。因果查询只遇到自己和它之前的键。",
)
EXACT = 0.0005

# --- 1 and 2: work

WITH_CACHE: Question[Scenario] = Question(
    "pairs-with-cache",
    Text("Work with a cache", "有缓存时的计算"),
    lambda s: _given(s) + Text(" With a KV cache: how many query·key pairs does one head of one layer score in all?",
                               "使用 KV 缓存：一层中一个头总共要算多少个查询·键配对？"),
    counted(N_PROMPT, NEW),
    _with(CHAPTER, CACHE),
    _invent,
    lambda s: (float(pairs(s, CACHE)),),
    (
        Slip("no-cache", Text("No cache", "没有缓存"), lambda s: (float(pairs(s, OFF)),),
             lambda s: Text("That is the count without a cache: every pass over the whole text.", "这是没有缓存的数目：每遍都处理全文。"), lambda s: _with(s, OFF)),
        Slip("no-prefill", Text("Forgot the prompt’s pass", "忘了提示那一遍"), lambda s: (float(pairs(s, CACHE) - _p(s) * (_p(s) + 1) // 2),),
             lambda s: Text("Those are the later passes alone. The prompt’s own pass scores pairs, too.", "这只是后面各遍。提示那一遍自己也要算配对。")),
        Slip("one-more", Text("One pass too many", "多算一遍"), lambda s: (float(pairs(_longer(s), CACHE)),), lambda s: ONE_MORE),
        Slip("rows", Text("Counted rows", "数成了行"), lambda s: (float(cost(s, CACHE).rows),),
             lambda s: Text("Those are query rows. Each row meets every key up to its own.", "这是查询的行数。每一行要遇到直到它自己为止的所有键。")),
        Slip("linear", Text("Took the cache for linear", "以为缓存使它变成线性"),
             lambda s: (float(_p(s) * (_p(s) + 1) // 2 + (s.n_new - 1) * KEEP),),
             lambda s: Text(f"That lets each later query look at {KEEP} keys. With a cache it still meets all that are kept.",
                            f"这等于让后来的每个查询只看 {KEEP} 个键。有缓存时它仍要遇到所有留下的键。"),
             lambda s: _with(s, CACHE, Mistake.LINEAR)),
        Slip("masked", Text("Counted masked pairs", "把被屏蔽的也算了"), lambda s: (float(_squares(s, CACHE)),), lambda s: MASKED),
    ),
    lambda s: Text(
        f"The prompt: {_p(s)} · {_p(s) + 1} ÷ 2 = {count(_p(s) * (_p(s) + 1) // 2)}. Each of {s.n_new - 1} later passes: one query against "
        f"all keys so far. Together {count(pairs(s, CACHE))}.",
        f"提示：{_p(s)} · {_p(s) + 1} ÷ 2 = {count(_p(s) * (_p(s) + 1) // 2)}。后面 {s.n_new - 1} 遍，每遍一个查询对目前所有的键。"
        f"合计 {count(pairs(s, CACHE))}。",
    ),
    lambda s: _with(s, CACHE),
    relative=EXACT,
)  # fmt: skip

WITHOUT_CACHE: Question[Scenario] = Question(
    "pairs-without-cache",
    Text("Work without a cache", "没有缓存时的计算"),
    lambda s: _given(s) + Text(" Without a cache: how many query·key pairs does one head of one layer score in all?",
                               "没有缓存：一层中一个头总共要算多少个查询·键配对？"),
    counted(N_PROMPT, NEW),
    _with(CHAPTER, OFF),
    _invent,
    lambda s: (float(pairs(s, OFF)),),
    (
        Slip("with-cache", Text("With a cache", "按有缓存算"), lambda s: (float(pairs(s, CACHE)),),
             lambda s: Text("That is the count with a cache, or of the last pass alone.", "这是有缓存的数目，也就是只算最后一遍。"), lambda s: _with(s, CACHE)),
        Slip("first-only", Text("Each pass like the first", "每遍都按第一遍算"), lambda s: (float(s.n_new * _p(s) * (_p(s) + 1) // 2),),
             lambda s: Text("The text grows by a token from pass to pass, and the pairs with it.", "文本每遍长一个 token，配对数随之增长。")),
        Slip("one-more", Text("One pass too many", "多算一遍"), lambda s: (float(pairs(_longer(s), OFF)),), lambda s: ONE_MORE),
        Slip("rows", Text("Counted rows", "数成了行"), lambda s: (float(cost(s, OFF).rows),),
             lambda s: Text("Those are query rows. Each row meets every key up to its own.", "这是查询的行数。每一行要遇到直到它自己为止的所有键。")),
        Slip("masked", Text("Counted masked pairs", "把被屏蔽的也算了"), lambda s: (float(_squares(s, OFF)),), lambda s: MASKED),
    ),
    lambda s: Text(f"A pass over t tokens scores t(t + 1) ÷ 2 pairs; the passes have t = {_p(s)} … {s.n_kept}. Together {count(pairs(s, OFF))}.",
                   f"处理 t 个 token 的一遍要算 t(t + 1) ÷ 2 个配对；各遍 t = {_p(s)} … {s.n_kept}。合计 {count(pairs(s, OFF))}。"),
    lambda s: _with(s, OFF),
    relative=EXACT,
)  # fmt: skip

WORK_RATIO: Question[Scenario] = Question(
    "work-ratio",
    Text("How much the cache saves", "缓存省多少"),
    lambda s: _given(s) + Text(" How many times as many query·key pairs are there without a cache as with one?", "没有缓存时的查询·键配对数是有缓存时的几倍？"),
    counted(N_PROMPT, NEW),
    _with(CHAPTER, CACHE),
    _invent,
    lambda s: (pairs(s, OFF) / pairs(s, CACHE),),
    (
        Slip("inverted", Text("Upside down", "上下颠倒"), lambda s: (pairs(s, CACHE) / pairs(s, OFF),),
             lambda s: Text("That is the part that is left with a cache. Asked for is its inverse.", "这是有缓存时剩下的那部分。问的是它的倒数。")),
        Slip("passes", Text("The number of passes", "遍数"), lambda s: (float(s.n_new),),
             lambda s: Text("Without a cache there are that many passes, but they are not all as long as the last.", "没有缓存时确实有这么多遍，但不是每遍都和最后一遍一样长。")),
        Slip("rows", Text("The ratio of rows", "行数之比"), lambda s: (cost(s, OFF).rows / cost(s, CACHE).rows,),
             lambda s: Text("That is by how much the rows fall. The question is about pairs.", "这是行数的倍数。问的是配对。")),
        Slip("masked", Text("Counted masked pairs", "把被屏蔽的也算了"), lambda s: (_squares(s, OFF) / _squares(s, CACHE),), lambda s: MASKED),
    ),
    lambda s: Text(f"{count(pairs(s, OFF))} ÷ {count(pairs(s, CACHE))} = {fixed(pairs(s, OFF) / pairs(s, CACHE))}.",
                   f"{count(pairs(s, OFF))} ÷ {count(pairs(s, CACHE))} = {fixed(pairs(s, OFF) / pairs(s, CACHE))}。"),
    lambda s: _with(s, CACHE),
)  # fmt: skip

# --- 4 and 5: the tables


def _table(t: int) -> int:
    return score_table_bytes(t, t, itemsize=ITEM)


TABLES_RESIDENT: Question[Scenario] = Question(
    "tables-resident",
    Text("The tables of scores", "分数表"),
    lambda s: _given(s) + Text(
        f" No cache, no tiles, {ITEM} bytes a number. How many bytes are the two tables, scores and weights, of one head in the last pass?",
        f"没有缓存，也不分块，每个数 {ITEM} 字节。最后一遍里，一个头的分数和权重两张表共多少字节？"),
    counted(N_PROMPT, NEW),
    _with(CHAPTER, OFF),
    _invent,
    lambda s: (float(cost(s, OFF).at_end.scores),),
    (
        Slip("one-table", Text("One table", "只算一张"), lambda s: (float(_table(s.n_kept)),),
             lambda s: Text("That is the table of scores. The weights are another of the same size.", "这是分数表。权重是另一张同样大的表。")),
        Slip("numbers", Text("Numbers, not bytes", "数成了个数"), lambda s: (2.0 * s.n_kept**2,),
             lambda s: Text(f"Those are numbers. Each has {ITEM} bytes.", f"这是个数。每个数有 {ITEM} 字节。")),
        Slip("one-longer", Text("Counted the last new token", "把最后一个新 token 也算了"), lambda s: (2.0 * _table(s.n_kept + 1),), lambda s: ONE_MORE),
        Slip("prompt-only", Text("The prompt’s table", "提示那一遍的表"), lambda s: (2.0 * _table(_p(s)),),
             lambda s: Text("That is the first pass. Without a cache the last one runs over everything.", "这是第一遍的。没有缓存时，最后一遍要处理全文。")),
        Slip("one-row", Text("One row, as with a cache", "只有一行，像有缓存那样"), lambda s: (2.0 * s.n_kept * ITEM,),
             lambda s: Text("With a cache the last pass has one query, and a row for a table. Here every position is a query again.",
                            "有缓存时最后一遍只有一个查询，表只有一行。这里每个位置又都是查询。"), lambda s: _with(s, CACHE)),
    ),
    lambda s: Text(f"The last pass has {s.n_kept} positions: 2 × {s.n_kept} × {s.n_kept} × {ITEM} = {count(cost(s, OFF).at_end.scores)} bytes.",
                   f"最后一遍有 {s.n_kept} 个位置：2 × {s.n_kept} × {s.n_kept} × {ITEM} = {count(cost(s, OFF).at_end.scores)} 字节。"),
    lambda s: _with(s, OFF),
)  # fmt: skip

TABLES_MOVED: Question[Scenario] = Question(
    "tables-moved",
    Text("What tiles do not move", "分块不搬的东西"),
    lambda s: Text(
        f"A prompt of {_p(s)} tokens, one pass, {ITEM} bytes a number. Without tiles a head writes its scores and its weights to slow memory and reads each back. "
        "How many bytes is that traffic of one head?",
        f"提示 {_p(s)} 个 token，一遍，每个数 {ITEM} 字节。不分块时，一个头要把分数和权重各写进慢速显存再读回。一个头的这部分搬运是多少字节？"),
    counted(N_PROMPT),
    replace(_with(CHAPTER, Switches(tiles=True)), n_new=1),
    lambda rng: replace(_invent(rng), n_new=1, choice=Switches(tiles=True)),
    lambda s: (float(cost(replace(s, n_new=1), OFF).moved_tables // HEADS),),
    (
        Slip("written-only", Text("Forgot to read back", "忘了读回"), lambda s: (2.0 * _table(_p(s)),),
             lambda s: Text("Both tables are read back as well, each once.", "两张表都还要各读回一次。")),
        Slip("once", Text("One table, one way", "一张表、单程"), lambda s: (float(_table(_p(s))),),
             lambda s: Text("That is one table crossing once. Two tables cross twice each.", "这是一张表过一次。两张表各过两次。")),
        Slip("numbers", Text("Numbers, not bytes", "数成了个数"), lambda s: (4.0 * _p(s) ** 2,),
             lambda s: Text(f"Those are numbers. Each has {ITEM} bytes.", f"这是个数。每个数有 {ITEM} 字节。")),
        Slip("visible", Text("Visible pairs only", "只算可见的配对"), lambda s: (4.0 * ITEM * _p(s) * (_p(s) + 1) / 2,),
             lambda s: Text("The mask hides scores, but the table is moved whole.", "掩码只是隐藏分数，表仍是整张搬运。")),
        Slip("all-heads", Text("All heads", "算了所有的头"), lambda s: (4.0 * HEADS * _table(_p(s)),),
             lambda s: Text("That is all heads of all layers. The question is about one.", "这是所有层所有头的。问的是一个头。")),
    ),
    lambda s: Text(f"4 × {_p(s)} × {_p(s)} × {ITEM} = {count(4 * _table(_p(s)))} bytes; with tiles 0.", f"4 × {_p(s)} × {_p(s)} × {ITEM} = {count(4 * _table(_p(s)))} 字节；分块后为 0。"),
    lambda s: _with(s, Switches(tiles=True)),
)  # fmt: skip

# --- 6 to 8: room


def _sizes(s: Scenario) -> Text:
    return _given(s) + Text(
        f" K and V of one position are {ROW} bytes: {CONFIG.n_layers} layers, {CONFIG.n_kv_heads} KV heads of {CONFIG.head_dim} numbers, {ITEM} bytes each, K and V.",
        f"一个位置的 K、V 共 {ROW} 字节：{CONFIG.n_layers} 层、{CONFIG.n_kv_heads} 个 KV 头、每头 {CONFIG.head_dim} 个数、每个数 {ITEM} 字节，K 和 V 各一份。",
    )


UNUSED: Question[Scenario] = Question(
    "unused",
    Text("Set aside and not used", "预留而未用"),
    lambda s: _sizes(s) + Text(f" Without paging, room for {s.max_len} positions is set aside. How many bytes of it are still unused after the last pass?",
                               f"不分页时预留 {s.max_len} 个位置。最后一遍之后，还有多少字节没有用上？"),
    counted(N_PROMPT, NEW, RESERVE),
    _with(CHAPTER, CACHE),
    _invent,
    lambda s: (float(cost(s, CACHE).at_end.unused),),
    (
        Slip("positions", Text("Positions, not bytes", "数成了位置数"), lambda s: (float(s.max_len - s.n_kept),),
             lambda s: Text(f"Those are positions. Each takes {ROW} bytes.", f"这是位置数。每个位置 {ROW} 字节。")),
        Slip("last-token", Text("Counted the last new token", "把最后一个新 token 也算了"), lambda s: (float(ROW * (s.max_len - s.n_kept - 1)),), lambda s: ONE_MORE),
        Slip("prompt-only", Text("Only the prompt counted as used", "只把提示算作已用"), lambda s: (float(ROW * (s.max_len - _p(s))),),
             lambda s: Text("New tokens that went through the model are kept as well.", "进过模型的新 token 也留下了 K、V。")),
        Slip("used", Text("The used part", "已用的部分"), lambda s: (float(ROW * s.n_kept),),
             lambda s: Text("Those are the bytes in use. Asked for are the others.", "这是在用的字节。问的是其余部分。")),
        Slip("half", Text("Forgot V", "忘了 V"), lambda s: (ROW * (s.max_len - s.n_kept) / 2,),
             lambda s: Text("That is half: K alone, or one layer alone.", "只有一半：只算了 K，或只算了一层。")),
    ),
    lambda s: Text(f"{s.n_kept} positions are kept: ({s.max_len} − {s.n_kept}) × {ROW} = {count(cost(s, CACHE).at_end.unused)} bytes.",
                   f"留下 {s.n_kept} 个位置：（{s.max_len} − {s.n_kept}）× {ROW} = {count(cost(s, CACHE).at_end.unused)} 字节。"),
    lambda s: _with(s, CACHE),
)  # fmt: skip


def _blocks(s: Scenario) -> int:
    return blocks_for(s.n_kept, s.block_size)


def _paged(s: Scenario) -> int:
    end = cost(s, CACHE_PAGING).at_end
    return end.kv + end.unused


PAGED: Question[Scenario] = Question(
    "paged",
    Text("Resident with paging", "分页后的驻留"),
    lambda s: _sizes(s) + Text(f" The cache is paged in blocks of {s.block_size} positions. How many bytes do its blocks take after the last pass (the block table not counted)?",
                               f"缓存按每块 {s.block_size} 个位置分页。最后一遍之后，它的内存块共占多少字节（不计块表）？"),
    counted(N_PROMPT, NEW, BLOCK),
    _with(CHAPTER, CACHE_PAGING),
    lambda rng: replace(_invent(rng), choice=CACHE_PAGING),
    lambda s: (float(_paged(s)),),
    (
        Slip("no-rounding", Text("Forgot the block’s tail", "忘了内存块的尾部"), lambda s: (float(ROW * s.n_kept),),
             lambda s: Text("Blocks come whole: the last one’s tail is resident, too.", "内存块是整块取的：最后一块的尾部也驻留。")),
        Slip("rounded-down", Text("Rounded down", "向下取整"), lambda s: (float(ROW * s.block_size * (s.n_kept // s.block_size)),),
             lambda s: Text("That leaves the last positions without a block. Round up.", "这样最后几个位置就没有块了。应向上取整。")),
        Slip("slots", Text("Slots, not bytes", "数成了槽位数"), lambda s: (float(_blocks(s) * s.block_size),),
             lambda s: Text(f"Those are slots. Each takes {ROW} bytes.", f"这是槽位数。每个 {ROW} 字节。")),
        Slip("reserved", Text("Without paging", "按不分页算"), lambda s: (float(ROW * s.max_len),),
             lambda s: Text(f"That is what is set aside without paging, {s.max_len} positions.", f"这是不分页时预留的 {s.max_len} 个位置。"), lambda s: _with(s, CACHE)),
        Slip("compressed", Text("Took paging for compression", "以为分页会压缩"),
             lambda s: (float(ROW * s.block_size * blocks_for((s.n_kept + 1) // 2, s.block_size)),),
             lambda s: Text("That keeps every second position. Paging keeps all of them.", "这是每隔一个位置才留一个。分页全都留着。"),
             lambda s: _with(s, CACHE_PAGING, Mistake.COMPRESS)),
    ),
    lambda s: Text(f"{s.n_kept} positions need {_blocks(s)} blocks of {s.block_size}: {_blocks(s)} × {s.block_size} × {ROW} = {count(_paged(s))} bytes.",
                   f"{s.n_kept} 个位置要 {_blocks(s)} 个内存块，每块 {s.block_size} 个：{_blocks(s)} × {s.block_size} × {ROW} = {count(_paged(s))} 字节。"),
    lambda s: _with(s, CACHE_PAGING),
)  # fmt: skip

RESIDENT_RATIO: Question[Scenario] = Question(
    "resident-ratio",
    Text("How much paging saves", "分页省多少"),
    lambda s: _given(s) + Text(
        f" Without paging room for {s.max_len} positions is set aside; with it, blocks of {s.block_size}. After the last pass, how many times as much does the "
        "unpaged cache take?",
        f"不分页时预留 {s.max_len} 个位置；分页时每个内存块 {s.block_size} 个。最后一遍之后，不分页的缓存占的是分页的几倍？"),
    counted(N_PROMPT, NEW, BLOCK, RESERVE),
    _with(replace(CHAPTER, max_len=64), CACHE_PAGING),
    lambda rng: replace(_invent(rng), choice=CACHE_PAGING),
    lambda s: (s.max_len / (_blocks(s) * s.block_size),),
    (
        Slip("no-rounding", Text("Forgot the block’s tail", "忘了内存块的尾部"), lambda s: (s.max_len / s.n_kept,),
             lambda s: Text("That compares with what is in use. Blocks come whole.", "这是与在用的部分相比。内存块是整块取的。")),
        Slip("prompt-only", Text("Only the prompt", "只算提示"), lambda s: (s.max_len / (blocks_for(_p(s), s.block_size) * s.block_size),),
             lambda s: Text("Those are the blocks after the first pass. New tokens need slots, too.", "这是第一遍之后的内存块。新 token 也要槽位。")),
        Slip("inverted", Text("Upside down", "上下颠倒"), lambda s: (_blocks(s) * s.block_size / s.max_len,),
             lambda s: Text("That is paged over unpaged.", "这是分页除以不分页。")),
        Slip("blocks", Text("Divided by blocks", "除以块数"), lambda s: (s.max_len / _blocks(s),),
             lambda s: Text(f"That divides positions by blocks. A block has {s.block_size} slots.", f"这是位置数除以内存块数。一块有 {s.block_size} 个槽位。")),
    ),
    lambda s: Text(f"{s.max_len} ÷ ({_blocks(s)} × {s.block_size}) = {fixed(s.max_len / (_blocks(s) * s.block_size))}.",
                   f"{s.max_len} ÷（{_blocks(s)} × {s.block_size}）= {fixed(s.max_len / (_blocks(s) * s.block_size))}。"),
    lambda s: _with(s, CACHE_PAGING),
)  # fmt: skip

QUESTIONS = (
    WITH_CACHE,
    WITHOUT_CACHE,
    WORK_RATIO,
    TABLES_RESIDENT,
    TABLES_MOVED,
    UNUSED,
    PAGED,
    RESIDENT_RATIO,
)
