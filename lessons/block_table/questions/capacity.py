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
        "The table has one entry per block. A block holds {block_size:token}, which need no entries of their own.",
        "块表每块一项。一块放 {block_size} 个 token，它们不必各占一项。",
    ),
)
_ENTRIES: Slip[Long] = Slip(
    "entries",
    Text("Counted entries for bytes", "把项数当成了字节"),
    lambda x: _kib(x.entries),
    Text(
        f"Each entry takes {ENTRY} bytes, so the number of entries is not the number of bytes.",
        f"每项占 {ENTRY} 字节，所以项数不是字节数。",
    ),
)

TABLE_BYTES: Question[Long] = Question(
    slug="table_bytes",
    title=Text("The size of a block table", "块表有多大"),
    prompt=Told(
        "{model} has {n_layers} layers. One request has {tokens:token}; the block size is {block_size}, and each "
        "entry of the block table takes {entry} bytes. How many KiB does its block table take?",
        "{model} 有 {n_layers} 层。一个请求有 {tokens} 个 token，块大小 {block_size}，块表每项 {entry} 字节。它的块"
        "表占多少 KiB？",
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
                f"All {LAYERS} layers share one table. Each layer stores its own K and V, but a position has the same "
                "slot in every layer.",
                f"{LAYERS} 层共用一张块表。每层存自己的 K、V，但同一位置在各层的槽位相同。",
            ),
        ),
        together(_PER_TOKEN, _ENTRIES, lambda x: _kib(x.tokens)),
    ),
    working=Told(
        r"$\lceil {tokens:plain} / {block_size} \rceil = {entries:plain}$ table entries of {entry} bytes, together "
        "{n_bytes} bytes, which all layers share.",
        r"$\lceil {tokens:plain} / {block_size} \rceil = {entries:plain}$ 个表项，每项 {entry} 字节，共 {n_bytes} 字"
        "节，各层共用。",
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
            f"must be at least {x.tokens}, the tokens a request has now; it reads {x.most}.",
            f"至少应为 {x.tokens}，即每个请求现有的 token 数；现在是 {x.most}。",
        )


def _invent_pool(rng: random.Random) -> Pool:
    return Pool(
        10 * rng.randint(20, 300), rng.choice((16, 32, 64)), rng.randint(50, 400), rng.choice((1024, 2048, 4096))
    )


FIT: Question[Pool] = Question(
    slug="fit",
    title=Text("How many requests fit", "放得下几个请求"),
    prompt=Told(
        "A pool has {n_blocks:block} of {block_size:slot}. Each request now has {tokens:token}; it may grow to {most}. "
        "Requests take a block only when they need one, and nothing is shared. How many such requests fit right now?",
        "池中有 {n_blocks} 块，每块 {block_size} 个槽位。每个请求现有 {tokens} 个 token，最多可长到 {most}。请求需要时"
        "才取块，互不共享。此刻放得下几个这样的请求？",
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
                "That reserves {most:slot} for each. With paging a request holds only the blocks of the tokens it has.",
                "这给每个请求预留了 {most} 个槽位。分页时，请求只占现有 token 所需的块。",
            ),
        ),
        Slip(
            "packed",
            Text("Filled every slot", "把每个槽位都填满了"),
            lambda x: x.n_blocks * x.block_size // x.tokens,
            Text(
                "That fills every slot. Here two requests never share a block, so slots of the last blocks can stay "
                "empty.",
                "这把每个槽位都填满了。这里两个请求从不合用一块，末块里会有空着的槽位。",
            ),
        ),
        Slip(
            "rounded_down",
            Text("Forgot the last block", "忘了末块"),
            lambda x: x.n_blocks // max(1, x.tokens // x.block_size),
            Text(
                "That leaves the last tokens of each request without a block. The number of blocks is rounded up.",
                "这样每个请求最后几个 token 就没有块了。块数要向上取整。",
            ),
        ),
    ),
    working=Told(
        r"One request needs $\lceil {tokens:plain} / {block_size} \rceil = {each:plain}$ blocks, and "
        r"$\lfloor {n_blocks:plain} / {each:plain} \rfloor = {fits:plain}$.",
        r"一个请求要 $\lceil {tokens:plain} / {block_size} \rceil = {each:plain}$ 块，而 "
        r"$\lfloor {n_blocks:plain} / {each:plain} \rfloor = {fits:plain}$。",
    ),
    rows=(
        Line(Text("Blocks of one request", "一个请求的块"), "⌈{tokens} ÷ {block_size}⌉", "{each}"),
        Line(Text("Requests", "请求数"), "⌊{n_blocks} ÷ {each}⌋", "{fits:plain}"),
    ),
    tolerance=COUNTED,
)
