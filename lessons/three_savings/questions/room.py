"""Room: what is set aside without paging, and what blocks take."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.paged import blocks_for
from engine.three_ledgers import CACHE, CACHE_PAGING, ITEM
from engine.three_savings import CONFIG, Mistake, Scenario
from lessons.kit.format import count, fixed
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE, TIMES
from lessons.three_savings.form import BLOCK, N_PROMPT, NEW, RESERVE, counted
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.presets import CHAPTER
from lessons.three_savings.questions.given import GIVEN, ONE_MORE, chosen, invent

SIZES = (
    GIVEN
    + Told(" K and V of one position are {row_bytes} bytes: ", "一个位置的 K、V 共 {row_bytes} 字节：")
    + Text(
        f"{CONFIG.n_layers} layers, {CONFIG.n_kv_heads} KV heads of {CONFIG.head_dim} numbers, {ITEM} bytes each, K "
        "and V.",
        f"{CONFIG.n_layers} 层、{CONFIG.n_kv_heads} 个 KV 头、每头 {CONFIG.head_dim} 个数、每个数 {ITEM} 字节，K 和 "
        "V 各一份。",
    )
)
KEPT: Line[Scenario] = Line(Text("Positions kept", "留下的位置"), "{n_prompt} + {n_new} − 1", "{n_kept}")


def _invent_paged(rng: random.Random) -> Scenario:
    return chosen(invent(rng), CACHE_PAGING)


_LAST_TOKEN: Slip[Scenario] = Slip(
    "last-token",
    Text("Counted the last new token", "把最后一个新 token 也算了"),
    lambda s: s.row_bytes * (s.n_unused - 1),
    ONE_MORE,
)
_HALF: Slip[Scenario] = Slip(
    "half",
    Text("Forgot V", "忘了 V"),
    lambda s: s.row_bytes * s.n_unused / 2,
    Text("That is half: K alone, or one layer alone.", "只有一半：只算了 K，或只算了一层。"),
)

UNUSED: Question[Scenario] = Question(
    slug="unused",
    title=Text("Set aside and not used", "预留而未用"),
    prompt=SIZES
    + Told(
        " Without paging, room for {max_len:position} is set aside. How many bytes of it are still unused after "
        "the last pass?",
        "不分页时预留 {max_len} 个位置。最后一遍之后，还有多少字节没有用上？",
    ),
    form=counted(N_PROMPT, NEW, RESERVE),
    inputs=chosen(CHAPTER, CACHE),
    invent=invent,
    formula=lambda s: s.cached.at_end.unused,
    slips=(
        Slip(
            "positions",
            Text("Positions, not bytes", "数成了位置数"),
            lambda s: s.n_unused,
            Told("Those are positions. Each takes {row_bytes} bytes.", "这是位置数。每个位置 {row_bytes} 字节。"),
        ),
        _LAST_TOKEN,
        Slip(
            "prompt-only",
            Text("Only the prompt counted as used", "只把提示算作已用"),
            lambda s: s.row_bytes * (s.max_len - s.n_prompt),
            Text("New tokens that went through the model are kept as well.", "进过模型的新 token 也留下了 K、V。"),
        ),
        Slip(
            "used",
            Text("The used part", "已用的部分"),
            lambda s: s.row_bytes * s.n_kept,
            Text("Those are the bytes in use. The question asks for the others.", "这是在用的字节。问的是其余部分。"),
        ),
        _HALF,
        together(_LAST_TOKEN, _HALF, lambda s: s.row_bytes * (s.n_unused - 1) / 2),
    ),
    working=Told(
        "{n_kept} positions are kept: ({max_len} − {n_kept}) × {row_bytes} = {cached.at_end.unused} bytes.",
        "留下 {n_kept} 个位置：（{max_len} − {n_kept}）× {row_bytes} = {cached.at_end.unused} 字节。",
    ),
    way=lambda s: chosen(s, CACHE),
    reply=Number(BYTE),
    rows=(
        KEPT,
        Line(Text("Positions unused", "没用上的位置"), "{max_len} − {n_kept}", "{n_unused}"),
        Line(Text("Bytes", "字节"), "{n_unused} × {row_bytes}", lambda s: BYTE.after(count(s.cached.at_end.unused))),
    ),
)


def _paged(s: Scenario) -> int:
    """Bytes of the blocks after the last pass."""
    end = s.paged.at_end
    return end.kv + end.unused


PAGED: Question[Scenario] = Question(
    slug="paged",
    title=Text("Resident with paging", "分页后的驻留"),
    prompt=SIZES
    + Told(
        " The cache is paged in blocks of {block_size:position}. How many bytes do its blocks take after the last "
        "pass (the block table not counted)?",
        "缓存按每块 {block_size} 个位置分页。最后一遍之后，它的内存块共占多少字节（不计块表）？",
    ),
    form=counted(N_PROMPT, NEW, BLOCK),
    inputs=chosen(CHAPTER, CACHE_PAGING),
    invent=_invent_paged,
    formula=_paged,
    slips=(
        Slip(
            "no-rounding",
            Text("Forgot the block’s tail", "忘了内存块的尾部"),
            lambda s: s.row_bytes * s.n_kept,
            Text(
                "Blocks come whole: the last one’s tail is resident, too.", "内存块是整块取的：最后一块的尾部也驻留。"
            ),
        ),
        Slip(
            "rounded-down",
            Text("Rounded down", "向下取整"),
            lambda s: s.row_bytes * s.block_size * (s.n_kept // s.block_size),
            Text(
                "That leaves the last positions without a block. Round up.", "这样最后几个位置就没有块了。应向上取整。"
            ),
        ),
        Slip(
            "slots",
            Text("Slots, not bytes", "数成了槽位数"),
            lambda s: s.n_slots,
            Told("Those are slots. Each takes {row_bytes} bytes.", "这是槽位数。每个 {row_bytes} 字节。"),
        ),
        Slip(
            "reserved",
            Text("Without paging", "按不分页算"),
            lambda s: s.row_bytes * s.max_len,
            Told(
                "That is what is set aside without paging, {max_len:position}.",
                "这是不分页时预留的 {max_len} 个位置。",
            ),
            lambda s: chosen(s, CACHE),
        ),
        MISTAKES.slip(
            Mistake.COMPRESS,
            lambda s: s.row_bytes * s.block_size * blocks_for((s.n_kept + 1) // 2, s.block_size),
            lambda s: chosen(s, CACHE_PAGING),
            name="compressed",
            title=Text("Took paging for compression", "以为分页会压缩"),
            said=Text(
                "That keeps every second position. Paging keeps all of them.",
                "这是每隔一个位置才留一个。分页全都留着。",
            ),
        ),
    ),
    working=lambda s: Told(
        "{n_kept} positions need {n_blocks:block} of {block_size}: {n_blocks} × {block_size} × {row_bytes} = "
        "{paged} bytes.",
        "{n_kept} 个位置要 {n_blocks} 个内存块，每块 {block_size} 个：{n_blocks} × {block_size} × {row_bytes} = "
        "{paged} 字节。",
    ).on(s, paged=_paged(s)),
    way=lambda s: chosen(s, CACHE_PAGING),
    reply=Number(BYTE),
    rows=(
        KEPT,
        Line(Text("Blocks", "内存块"), "⌈{n_kept} ÷ {block_size}⌉", "{n_blocks}"),
        Line(
            Text("Bytes", "字节"),
            "{n_blocks} × {block_size} × {row_bytes}",
            lambda s: BYTE.after(count(_paged(s))),
        ),
    ),
)

_NO_ROUNDING: Slip[Scenario] = Slip(
    "no-rounding",
    Text("Forgot the block’s tail", "忘了内存块的尾部"),
    lambda s: s.max_len / s.n_kept,
    Text("That compares with what is in use. Blocks come whole.", "这是与在用的部分相比。内存块是整块取的。"),
)
_INVERTED: Slip[Scenario] = Slip(
    "inverted",
    Text("Upside down", "上下颠倒"),
    lambda s: s.n_slots / s.max_len,
    Text("That is paged over unpaged.", "这是分页除以不分页。"),
)

RESIDENT_RATIO: Question[Scenario] = Question(
    slug="resident-ratio",
    title=Text("How much paging saves", "分页省多少"),
    prompt=GIVEN
    + Told(
        " Without paging room for {max_len:position} is set aside; with it, blocks of {block_size}. After the last "
        "pass, how many times as much does the unpaged cache take?",
        "不分页时预留 {max_len} 个位置；分页时每个内存块 {block_size} 个。最后一遍之后，不分页的缓存占的是分页的几倍？",
    ),
    form=counted(N_PROMPT, NEW, BLOCK, RESERVE),
    inputs=chosen(replace(CHAPTER, max_len=64), CACHE_PAGING),
    invent=_invent_paged,
    formula=lambda s: s.max_len / s.n_slots,
    slips=(
        _NO_ROUNDING,
        Slip(
            "prompt-only",
            Text("Only the prompt", "只算提示"),
            lambda s: s.max_len / (blocks_for(s.n_prompt, s.block_size) * s.block_size),
            Text(
                "Those are the blocks after the first pass. New tokens need slots, too.",
                "这是第一遍之后的内存块。新 token 也要槽位。",
            ),
        ),
        _INVERTED,
        together(_NO_ROUNDING, _INVERTED, lambda s: s.n_kept / s.max_len),
        Slip(
            "blocks",
            Text("Divided by blocks", "除以块数"),
            lambda s: s.max_len / s.n_blocks,
            Told(
                "That divides positions by blocks. A block has {block_size:slot}.",
                "这是位置数除以内存块数。一块有 {block_size} 个槽位。",
            ),
        ),
    ),
    working=lambda s: Told(
        "{max_len} ÷ ({n_blocks} × {block_size}) = {ratio}.", "{max_len} ÷（{n_blocks} × {block_size}）= {ratio}。"
    ).on(s, ratio=s.max_len / s.n_slots),
    way=lambda s: chosen(s, CACHE_PAGING),
    reply=Number(TIMES),
    rows=(
        KEPT,
        Line(Text("Slots in its blocks", "内存块里的槽位"), "⌈{n_kept} ÷ {block_size}⌉ × {block_size}", "{n_slots}"),
        Line(Text("Ratio", "倍数"), "{max_len} ÷ {n_slots}", lambda s: fixed(s.max_len / s.n_slots)),
    ),
)
