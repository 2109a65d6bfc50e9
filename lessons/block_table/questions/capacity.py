"""What paging costs and gains at full size: the bytes of a block table, and how many requests fit into a pool."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from engine.models import MODELS
from engine.paged import blocks_for
from engine.three_ledgers import ENTRY
from lessons.block_table.form import BLOCK_SIZE
from lessons.kit.controls import Complaint, Whole, about
from lessons.kit.form import Form
from lessons.kit.question import COUNTED, Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import KIB

MODEL = "Llama-3-8B"
LAYERS = MODELS[MODEL].n_layers
_LARGE = Whole(BLOCK_SIZE.name, BLOCK_SIZE.label, 1, 256)


def _kib(n_bytes: float) -> float:
    return n_bytes / KIB.scale.numerator


@dataclass(frozen=True)
class Long:
    """One long request."""

    tokens: int = 32_768
    block_size: int = 16
    model, n_layers, entry = MODEL, LAYERS, ENTRY

    @property
    def entries(self) -> int:
        return blocks_for(self.tokens, self.block_size)

    @property
    def n_bytes(self) -> int:
        return ENTRY * self.entries


_PER_TOKEN: Slip[Long] = Slip(
    "per_token",
    Text("An entry for each token", "每个 token 一项"),
    lambda x: _kib(ENTRY * x.tokens),
    Told(
        "The table has an entry a block. Within a block tokens lie side by side, {block_size} of them.",
        "块表每块一项。块内 {block_size} 个 token 挨着放，不必各记一项。",
    ),
)
_ENTRIES: Slip[Long] = Slip(
    "entries",
    Text("Counted entries for bytes", "把项数当成了字节"),
    lambda x: _kib(x.entries),
    Text(f"An entry has {ENTRY} bytes.", f"每项有 {ENTRY} 字节。"),
)

TABLE_BYTES: Question[Long] = Question(
    slug="table_bytes",
    title=Text("The size of a block table", "块表有多大"),
    prompt=Told(
        "{model} has {n_layers} layers. One request has {tokens:token} in blocks of {block_size}; an entry of the "
        "block table takes {entry} bytes. How many KiB is its block table?",
        "{model} 有 {n_layers} 层。一个请求有 {tokens} 个 token，块大小 {block_size}；块表每项 {entry} 字节。它的块"
        "表是多少 KiB？",
    ),
    form=Form((Whole("tokens", Text("Tokens", "token 数"), 1, 1_000_000), _LARGE)),
    inputs=Long(),
    invent=lambda rng: Long(1024 * rng.randint(2, 128), rng.choice((8, 16, 32, 64))),
    formula=lambda x: _kib(x.n_bytes),
    slips=(
        _PER_TOKEN,
        _ENTRIES,
        Slip(
            "per_layer",
            Text("A table for each layer", "每层一张表"),
            lambda x: _kib(x.n_bytes * LAYERS),
            Text(
                f"All {LAYERS} layers use the same table: each keeps its own rows, in the same slot of a position.",
                f"{LAYERS} 层共用一张表：每层存自己的行，同一位置在各层的槽位相同。",
            ),
        ),
        together(_PER_TOKEN, _ENTRIES, lambda x: _kib(x.tokens)),
    ),
    working=Told(
        "⌈{tokens} ÷ {block_size}⌉ = {entries:entry} of {entry} bytes {entries|is|are} {n_bytes} bytes, for all "
        "layers.",
        "⌈{tokens} ÷ {block_size}⌉ = {entries} 项，每项 {entry} 字节，共 {n_bytes} 字节，各层共用。",
    ),
    reply=Number(KIB),
    rows=(
        Line(Text("Entries", "项数"), "⌈{tokens} ÷ {block_size}⌉", "{entries}"),
        Line(Text("Bytes", "字节"), "{entries} × {entry}", "{n_bytes}"),
        Line(
            Text("In KiB", "换算成 KiB"),
            f"{{n_bytes}} ÷ {KIB.scale}",
            lambda x: f"{_kib(x.n_bytes):.8g} KiB",
        ),
    ),
)


# --- how many fit


@dataclass(frozen=True)
class Pool:
    """Equal requests of `tokens` each, that may grow to `most`."""

    n_blocks: int = 1000
    block_size: int = 16
    tokens: int = 300
    most: int = 2048

    @property
    def each(self) -> int:
        return blocks_for(self.tokens, self.block_size)

    @property
    def fits(self) -> int:
        return self.n_blocks // self.each


_MOST = Whole("most", Text("Most tokens of a request", "每个请求最多的 token 数"), 1, 1_000_000)


def _too_few(x: Pool) -> Iterator[Complaint]:
    if x.most < x.tokens:
        yield about(
            _MOST,
            f"must be at least {x.tokens}, the tokens there are; it reads {x.most}.",
            f"至少应为 {x.tokens}，即已有的 token 数；现在是 {x.most}。",
        )


def _invent_pool(rng: random.Random) -> Pool:
    return Pool(
        10 * rng.randint(20, 300), rng.choice((16, 32, 64)), rng.randint(50, 400), rng.choice((1024, 2048, 4096))
    )


FIT: Question[Pool] = Question(
    slug="fit",
    title=Text("How many requests fit", "放得下几个请求"),
    prompt=Told(
        "A pool has {n_blocks:block} of {block_size:slot}. Each request has {tokens:token} now and may grow to "
        "{most}. Blocks are taken on demand, nothing is shared. How many such requests fit at this moment?",
        "池中有 {n_blocks} 块，每块 {block_size} 个槽位。每个请求现有 {tokens} 个 token，最多可长到 {most}。块按需取"
        "用，互不共享。此刻放得下几个这样的请求？",
    ),
    form=Form(
        (
            Whole("n_blocks", Text("Blocks in the pool", "池中的块数"), 1, 1_000_000),
            _LARGE,
            Whole("tokens", Text("Tokens of a request now", "每个请求现有的 token 数"), 1, 1_000_000),
            _MOST,
        ),
        unfit=_too_few,
    ),
    inputs=Pool(),
    invent=_invent_pool,
    formula=lambda x: x.fits,
    slips=(
        Slip(
            "reserved",
            Text("Reserved the most", "按上限预留了"),
            lambda x: x.n_blocks * x.block_size // x.most,
            Told(
                "That sets {most} slots aside for each. On demand a request has only the blocks of the tokens it has.",
                "这给每个请求预留了 {most} 个槽位。按需取用时，请求只占现有 token 的块。",
            ),
        ),
        Slip(
            "packed",
            Text("Packed tokens over the borders of blocks", "跨块挤着放了"),
            lambda x: x.n_blocks * x.block_size // x.tokens,
            Text(
                "That fills every slot. Two requests never share a block here, so each last block keeps a tail.",
                "这把每个槽位都填满了。这里两个请求从不合用一块，各自的末块都留有空尾。",
            ),
        ),
        Slip(
            "rounded_down",
            Text("Forgot the block begun last", "忘了最后没装满的那块"),
            lambda x: x.n_blocks // max(1, x.tokens // x.block_size),
            Text(
                "That leaves the last tokens of each request without a block. Round up.",
                "这样每个请求最后几个 token 就没有块了。应向上取整。",
            ),
        ),
    ),
    working=Told(
        "⌈{tokens} ÷ {block_size}⌉ = {each:block} each; ⌊{n_blocks} ÷ {each}⌋ = {fits:plain}. When they grow, some may "
        "have to wait.",
        "每个 ⌈{tokens} ÷ {block_size}⌉ = {each} 块；⌊{n_blocks} ÷ {each}⌋ = {fits:plain}。它们再变长，就可能有请求"
        "要等待。",
    ),
    rows=(
        Line(Text("Blocks of one request", "一个请求的块"), "⌈{tokens} ÷ {block_size}⌉", "{each}"),
        Line(Text("Requests", "请求数"), "⌊{n_blocks} ÷ {each}⌋", "{fits:plain}"),
    ),
    tolerance=COUNTED,
)
