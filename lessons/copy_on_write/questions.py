"""Questions on sharing. Every answer and every slip is computed by the engine or by a formula of one line."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from engine.models import MODELS
from engine.paged import BlockPool, Sequence, blocks_for
from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import MOST_TOKENS, MOST_WRITES, SIZES, Arrival, Mistake, Scenario
from lessons.copy_on_write.naming import MODEL
from lessons.kit.controls import Form, Whole
from lessons.kit.format import size
from lessons.kit.question import Question, Slip
from lessons.kit.text import Text

Inputs = TypeVar("Inputs")

LENGTH = Whole("length", Text("Tokens", "token 数"), 1, 4096)
APPENDED = Whole("appended", Text("Tokens appended", "追加的 token 数"), 1, 4096)
SIZE = Whole("size", Text("Block size", "块大小"), 1, 256)
REQUESTS = Whole("requests", Text("Requests", "请求数"), 2, 16)
WRITERS = Whole("writers", Text("How many have written", "已写入的请求数"), 1, 16)
POOL = Whole("pool", Text("Blocks in the pool", "池中的块数"), 1, 100_000)
PROMPT = Whole("prompt", Text("Prompt tokens", "提示的 token 数"), 1, 100_000)
CACHED = Whole("cached", Text("Of these, cached", "其中缓存过的"), 0, 100_000)
INDEX = Whole("index", Text("Position edited, from 0", "被修改的位置（从 0 起）"), 0, 99_999)
PREFIX = Whole("prefix", Text("Tokens in common", "相同的 token 数"), 0, 100_000)
TAIL = Whole("tail", Text("Own tokens each", "各自的其他 token 数"), 1, 4096)


def form(kind: type[Inputs], *controls: Whole) -> Form[Inputs]:
    """A form whose controls are the fields of `kind`, in order."""

    def build(values: Mapping[str, Any]) -> Inputs:
        return kind(*(values[control.name] for control in controls))

    return Form(controls, build, lambda inputs: {c.name: getattr(inputs, c.name) for c in controls})


def small(length: int, block_size: int) -> tuple[int, int]:
    """Tokens and block size that a lesson can draw, with the last block as full as in the question."""
    if SIZES[0] <= block_size <= SIZES[1]:
        room = MOST_TOKENS // block_size - 1
        return length % block_size + min(length // block_size, room) * block_size or block_size, block_size
    return (10 if length % block_size else 12), 4


SMALLER = Text(" The steps show a smaller case of the same kind.", "下面的步骤演示同类的较小例子。")


# --- 1 new blocks


@dataclass(frozen=True)
class Append:
    """A request of `length` tokens was forked; now it appends."""

    length: int
    appended: int
    size: int


def _forked(inputs: Append, n: int = 2) -> tuple[BlockPool, list[Sequence]]:
    needed = blocks_for(inputs.length, inputs.size) + n * (blocks_for(inputs.appended, inputs.size) + 1)
    pool = BlockPool(needed, inputs.size)
    first = Sequence(pool)
    first.append(inputs.length)
    return pool, [first, *(first.fork() for _ in range(n - 1))]


def _new_blocks(inputs: Append) -> int:
    _, (a, _) = _forked(inputs)
    return len(a.append(inputs.appended).allocated)


def _way(inputs: Append, mistake: Mistake = Mistake.NONE) -> Scenario:
    length, size_ = small(inputs.length, inputs.size)
    return Scenario(Arrival.FORK, length, size_, ("A",) * min(inputs.appended, MOST_WRITES), min(8, length), 2, mistake)


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def _any_append(rng: random.Random) -> Append:
    return Append(rng.randint(2, 140), rng.randint(1, 140), rng.choice((4, 8, 16)))


NEW_BLOCKS: Question[Append] = Question(
    "new_blocks",
    Text("New blocks for an append", "追加需要几个新块"),
    lambda x: Text(
        f"A has {x.length} tokens in blocks of {x.size}. B was forked from it and shares them all. A appends {x.appended} token{'s' * (x.appended > 1)}. How many new blocks are taken from the pool?",
        f"A 有 {x.length} 个 token，每块 {x.size} 个。B 从它分叉，全部共享。A 再追加 {x.appended} 个 token。要从池中取出多少个新块？",
    ),
    form(Append, LENGTH, APPENDED, SIZE),
    Append(10, 7, 4),
    _any_append,
    lambda x: (float(_new_blocks(x)),),
    (
        Slip("forgot_copy", Text("Forgot the copy", "忘了复制用的块"), lambda x: (float(_ceil(x.length + x.appended, x.size) - _ceil(x.length, x.size)),),
             lambda x: Text("That is right if nothing were shared. The unfilled last block is shared, so it needs a copy of its own.",
                            "若没有共享，这是对的。没装满的最后一块是共享的，所以还要一块来放副本。"), lambda x: _way(x, Mistake.NO_COPY)),
        Slip("copied_all", Text("Copied every block", "把每块都复制了"), lambda x: (float(_ceil(x.length + x.appended, x.size)),),
             lambda x: Text("That copies the full blocks as well. Nobody writes into them: they stay shared.", "这把满块也复制了。没有人往里写，它们继续共享。")),
        Slip("counted_tokens", Text("Counted tokens", "数了 token"), lambda x: (float(x.appended),),
             lambda x: Text(f"That is one block a token. A block takes {x.size}.", f"这是一个 token 一块。一块能放 {x.size} 个。")),
    ),
    lambda x: Text(
        f"⌈({x.length} + {x.appended}) ÷ {x.size}⌉ − ⌊{x.length} ÷ {x.size}⌋ = {_ceil(x.length + x.appended, x.size)} − {x.length // x.size} = {_new_blocks(x)}. "
        "The steps show it for fewer tokens with the last block as full.",
        f"⌈({x.length} + {x.appended}) ÷ {x.size}⌉ − ⌊{x.length} ÷ {x.size}⌋ = {_ceil(x.length + x.appended, x.size)} − {x.length // x.size} = {_new_blocks(x)}。"
        "下面的步骤用较少的 token 演示，最后一块的装满程度相同。",
    ),
    _way,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 2 reference count


@dataclass(frozen=True)
class Writers:
    """`requests` share `length` tokens; the first `writers` of them have written one token each."""

    length: int
    size: int
    requests: int
    writers: int


def _count_after(inputs: Writers) -> int:
    pool, requests = _forked(Append(inputs.length, 1, inputs.size), inputs.requests)
    block = requests[0].block_table[-1]
    for request in requests[: inputs.writers]:
        request.append()
    return pool.ref_count(block)


def _writers_way(inputs: Writers) -> Scenario:
    length, size_ = small(inputs.length, inputs.size)
    return Scenario(Arrival.FORK, length, size_, ("A", "B")[: inputs.writers], min(8, length), 2)


REF_COUNT: Question[Writers] = Question(
    "ref_count",
    Text("The reference count afterwards", "之后的引用计数"),
    lambda x: Text(
        f"{x.requests} requests share {x.length} tokens in blocks of {x.size}. {min(x.writers, x.requests)} of them append one token each. What is now the reference count of the block that was last before?",
        f"{x.requests} 个请求共享 {x.length} 个 token，每块 {x.size} 个。其中 {min(x.writers, x.requests)} 个各追加一个 token。原来的最后一块现在的引用计数是多少？",
    ),
    form(Writers, LENGTH, SIZE, REQUESTS, WRITERS),
    Writers(10, 4, 5, 2),
    lambda rng: Writers(rng.randint(2, 60), rng.choice((4, 8, 16)), rng.randint(3, 9), rng.randint(1, 8)),
    lambda x: (float(_count_after(x)),),
    (
        Slip("still_all", Text("Swapped the two cases", "两种情形弄反了"), lambda x: (float(x.requests if x.length % x.size else x.requests - x.writers),),
             lambda x: Text("Full blocks stay shared, and unfilled ones lose each request that takes a copy. This is the other way round.", "满块继续共享；没装满的块，每有一个请求取走副本，引用就少一个。这里弄反了。")),
        Slip("counted_writers", Text("Counted the writers", "数了写入者"), lambda x: (float(x.writers),),
             lambda x: Text("That is how many have written. The count is how many tables still name the block.", "这是写入者的个数。引用计数是还有几张块表引用这块。")),
        Slip("plus_one", Text("Counted the pool as well", "把池也算了"), lambda x: (float(_count_after(x) + 1),),
             lambda x: Text("One too many: only the tables of requests count.", "多了一个：只有请求的块表才计数。")),
    ),
    lambda x: Text(
        f"{x.length} mod {x.size} = {x.length % x.size}: the last block is {'not full: whoever writes while others share it takes a copy and is no longer counted' if x.length % x.size else 'full: everybody opens a new block, and it stays shared'}. "
        f"{_count_after(x)} tables name it. The steps show A and B.",
        f"{x.length} mod {x.size} = {x.length % x.size}：最后一块{'没有满，还有别人共享时，谁写谁就取走副本，不再计入' if x.length % x.size else '是满的，大家各开新块，它继续共享'}。"
        f"有 {_count_after(x)} 张块表引用它。下面的步骤演示 A 和 B。",
    ),
    _writers_way,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 3 free blocks


@dataclass(frozen=True)
class Free:
    """A pool, a request, a fork, and one token for each."""

    length: int
    size: int
    pool: int


def _free_after(inputs: Free) -> int:
    pool, requests = _forked(Append(inputs.length, 1, inputs.size))
    for request in requests:
        request.append()
    return inputs.pool - (pool.n_blocks - pool.n_free)


FREE: Question[Free] = Question(
    "free_blocks",
    Text("Free blocks", "空闲块数"),
    lambda x: Text(
        f"A pool has {x.pool} blocks of {x.size} slots. A has {x.length} tokens, B is forked, then each of them appends one token. How many blocks are free?",
        f"池中有 {x.pool} 块，每块 {x.size} 个槽位。A 有 {x.length} 个 token，B 从它分叉，然后 A、B 各追加一个 token。还有多少块空闲？",
    ),
    form(Free, LENGTH, SIZE, POOL),
    Free(10, 4, 20),
    lambda rng: Free(rng.randint(9, 90), rng.choice((4, 8, 16)), rng.randint(50, 99)),
    lambda x: (float(_free_after(x)),),
    (
        Slip("no_sharing", Text("Counted each request alone", "各算各的"), lambda x: (float(x.pool - 2 * _ceil(x.length + 1, x.size)),),
             lambda x: Text("That is two requests that share nothing. The full blocks lie in memory once.", "这是互不共享的两个请求。满块在内存里只有一份。")),
        Slip("no_new", Text("Forgot the new block", "忘了新块"), lambda x: (float(x.pool - _ceil(x.length, x.size)),),
             lambda x: Text("That is before anybody writes. The first writer already needs a block.", "这是有人写入之前的情形。先写的一方就已经需要一块。")),
        Slip("two_copies", Text("One block each", "各要一块"),
             lambda x: (float(x.pool - _ceil(x.length, x.size) - (2 if x.length % x.size else 1)),),
             lambda x: Text("An unfilled block is copied once, since whoever writes last keeps the original. Behind a full block both need a new one.",
                            "没装满的块只复制一次，因为后写的一方留用原块。若最后一块已满，双方都要新块。")),
    ),
    lambda x: Text(
        f"{x.length} tokens are {_ceil(x.length, x.size)} blocks. Each appends one: {x.pool - _ceil(x.length, x.size) - _free_after(x)} more. {x.pool} − {x.pool - _free_after(x)} = {_free_after(x)}.",
        f"{x.length} 个 token 占 {_ceil(x.length, x.size)} 块。各追加一个之后，又用了 {x.pool - _ceil(x.length, x.size) - _free_after(x)} 块。{x.pool} − {x.pool - _free_after(x)} = {_free_after(x)}。",
    ),
    lambda x: replace(_way(Append(x.length, 1, x.size)), writers=("A", "B")),
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 4 slots copied


@dataclass(frozen=True)
class Copied:
    """A forked request of `length` tokens writes."""

    length: int
    size: int


def _copied(inputs: Copied) -> int:
    _, (a, _) = _forked(Append(inputs.length, 1, inputs.size))
    copy = a.append().copied
    return 0 if copy is None else copy.n_slots


def _kib(n_tokens: int) -> float:
    return MODELS[MODEL].kv_bytes(n_tokens) / 2**10


COPIED: Question[Copied] = Question(
    "copied",
    Text("What a copy moves", "一次复制搬运多少"),
    lambda x: Text(
        f"A and B share {x.length} tokens in blocks of {x.size}, in {MODEL} with {size(MODELS[MODEL].kv_bytes(1))} of K and V a token over all layers. A appends a token. How many KiB are copied?",
        f"A、B 共享 {x.length} 个 token，每块 {x.size} 个；模型是 {MODEL}，每个 token 在所有层的 K、V 共 {size(MODELS[MODEL].kv_bytes(1))}。A 追加一个 token。要复制多少 KiB？",
    ),
    form(Copied, LENGTH, SIZE),
    Copied(11, 4),
    lambda rng: Copied(rng.randint(17, 300), rng.choice((4, 8, 16))),
    lambda x: (_kib(_copied(x)),),
    (
        Slip("whole_block", Text("A whole block", "整块"), lambda x: (_kib(x.size),),
             lambda x: Text("That is the whole block. Only the slots in use hold anything to copy; a real engine may move all of it for simplicity.",
                            "这是整块。只有已用的槽位有内容可复制；实际的引擎为了简单可能会整块搬运。")),
        Slip("free_slots", Text("The slots that are free", "空着的槽位"), lambda x: (_kib(x.size - x.length % x.size),),
             lambda x: Text("Those are the slots still free. What has to be copied is what lies in the block.", "这是还空着的槽位。要复制的是块里已有的内容。")),
        Slip("everything", Text("All tokens", "所有 token"), lambda x: (_kib(x.length),),
             lambda x: Text("That copies the whole request. The full blocks stay where they are and stay shared.", "这把整个请求都复制了。满块原地不动，继续共享。")),
        Slip("one_layer", Text("One layer", "只算一层"), lambda x: (_kib(_copied(x)) / MODELS[MODEL].n_layers,),
             lambda x: Text(f"That is one of {MODELS[MODEL].n_layers} layers. Each has a K and a V of its own for every token.", f"这只是 {MODELS[MODEL].n_layers} 层中的一层。每层都有每个 token 的 K 和 V。")),
    ),
    lambda x: Text(
        f"{x.length} mod {x.size} = {_copied(x)} slots are in use, each {size(MODELS[MODEL].kv_bytes(1))}.",
        f"{x.length} mod {x.size} = {_copied(x)} 个槽位已用，每个 {size(MODELS[MODEL].kv_bytes(1))}。",
    ),
    lambda x: _way(Append(x.length, 1, x.size)),
)  # fmt: skip


# --- 5 reusable tokens


@dataclass(frozen=True)
class Hit:
    """A prompt of which the first `cached` tokens are in a prefix cache."""

    prompt: int
    cached: int
    size: int


def _any_hit(rng: random.Random) -> Hit:
    size_ = rng.choice((8, 12, 16, 24, 32, 64))
    n = size_ * rng.randint(2, 12)
    return Hit(n, n, size_) if rng.random() < 0.7 else Hit(n + rng.randint(1, 20), n, size_)


def _cache_way(common: int, own: int, size_: int) -> Scenario:
    """Small enough to draw: `common` cached tokens, `own` others."""
    return Scenario(Arrival.SAME, max(common, 1), size_, ("A",), common, own)


def _hit_way(inputs: Hit) -> Scenario:
    return _cache_way(8, 0 if inputs.cached >= inputs.prompt else 3, 4)


REUSED: Question[Hit] = Question(
    "reused",
    Text("Tokens reused", "复用多少 token"),
    lambda x: Text(
        f"A prompt has {x.prompt} tokens; its first {min(x.cached, x.prompt)} are in the prefix cache, in blocks of {x.size}. How many tokens need not be computed?",
        f"一个提示有 {x.prompt} 个 token；前 {min(x.cached, x.prompt)} 个在前缀缓存里，每块 {x.size} 个。有多少个 token 不用计算？",
    ),
    form(Hit, PROMPT, CACHED, SIZE),
    Hit(48, 48, 16),
    _any_hit,
    lambda x: (float(reusable_tokens(x.prompt, x.cached, x.size)),),
    (
        Slip("everything", Text("All that is cached", "缓存了多少就算多少"), lambda x: (float(min(x.cached, x.prompt)),),
             lambda x: Text("The last token must be run to know what follows it, and sharing goes by full blocks: the block that holds it is computed again.",
                            "最后一个 token 必须运行，才知道下一个是什么；共享又以满块为单位，所以含有它的那块要重算。")),
        Slip("all_but_one", Text("All but the last token", "只除去最后一个"), lambda x: (float(min(x.cached, x.prompt) - 1),),
             lambda x: Text("Right to leave out the last token; but an unfilled block is not shared.", "去掉最后一个 token 是对的；但没满的块不共享。")),
        Slip("computed", Text("The tokens computed", "算成了要计算的"), lambda x: (float(x.prompt - reusable_tokens(x.prompt, x.cached, x.size)),),
             lambda x: Text("Those are the tokens that are computed.", "这是要计算的 token 数。")),
    ),
    lambda x: Text(
        f"At most {min(x.cached, x.prompt - 1)} may be used; full blocks of {x.size} make {reusable_tokens(x.prompt, x.cached, x.size)}.",
        f"最多可用 {min(x.cached, x.prompt - 1)} 个；按每块 {x.size} 个取满块，得 {reusable_tokens(x.prompt, x.cached, x.size)} 个。",
    )
    + SMALLER,
    _hit_way,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 6 an edited prompt


@dataclass(frozen=True)
class Edit:
    """A cached prompt comes again with one token changed."""

    prompt: int
    index: int
    size: int


def _edited(x: Edit) -> int:
    return reusable_tokens(x.prompt, min(x.index, x.prompt), x.size)


EDITED: Question[Edit] = Question(
    "edited",
    Text("After an edit", "修改之后"),
    lambda x: Text(
        f"A prompt of {x.prompt} tokens is cached in blocks of {x.size}. It comes again with the token at position {min(x.index, x.prompt - 1)} (counted from 0) replaced. How many tokens can be reused?",
        f"一个 {x.prompt} 个 token 的提示已缓存，每块 {x.size} 个。它再次到来，但位置 {min(x.index, x.prompt - 1)}（从 0 数起）的 token 换掉了。能复用多少个 token？",
    ),
    form(Edit, PROMPT, INDEX, SIZE),
    Edit(200, 100, 16),
    lambda rng: Edit(rng.randint(150, 400), rng.randint(20, 140), rng.choice((8, 16, 32))),
    lambda x: (float(_edited(replace(x, index=min(x.index, x.prompt - 1)))),),
    (
        Slip("by_token", Text("Token by token", "按 token 算"), lambda x: (float(min(x.index, x.prompt - 1)),),
             lambda x: Text("So many tokens stand before the edit, and their K and V are still right; but only full blocks are found.", "修改处之前确有这么多 token，它们的 K、V 也仍然正确；但只能找到满块。")),
        Slip("its_block_too", Text("Its own block as well", "把所在的块也算了"), lambda x: (float((min(x.index, x.prompt - 1) // x.size + 1) * x.size),),
             lambda x: Text("That counts the block of the edit, whose name is another one now.", "这把修改所在的块也算了，而它的名字已经变了。")),
        Slip("only_its_block", Text("Replaced only one block", "只换一块"), lambda x: (float(x.prompt - x.size),),
             lambda x: Text("Every block behind the edit has the changed one among its forerunners: none of them is found.", "修改处之后的每一块，前文里都有被改的块：一块也找不到。")),
    ),
    lambda x: Text(
        f"⌊{min(x.index, x.prompt - 1)} ÷ {x.size}⌋ × {x.size} = {_edited(replace(x, index=min(x.index, x.prompt - 1)))}.",
        f"⌊{min(x.index, x.prompt - 1)} ÷ {x.size}⌋ × {x.size} = {_edited(replace(x, index=min(x.index, x.prompt - 1)))}。",
    )
    + SMALLER,
    lambda x: Scenario(Arrival.SAME, 12, 4, ("A",), 6, 6),
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 7 blocks for requests with a common prefix


@dataclass(frozen=True)
class Common:
    """`requests` with `prefix` tokens in common and `tail` each of their own; full blocks are shared."""

    requests: int
    prefix: int
    tail: int
    size: int


def _resident(x: Common) -> int:
    return x.prefix // x.size + x.requests * _ceil(x.prefix % x.size + x.tail, x.size)


COMMON: Question[Common] = Question(
    "common",
    Text("Blocks with a common prefix", "公共前缀下的块数"),
    lambda x: Text(
        f"{x.requests} requests begin with the same {x.prefix} tokens and have {x.tail} each of their own. A prefix cache shares full blocks of {x.size}. How many blocks are in use?",
        f"{x.requests} 个请求以相同的 {x.prefix} 个 token 开头，各自另有 {x.tail} 个。前缀缓存共享每块 {x.size} 个的满块。一共占用多少块？",
    ),
    form(Common, REQUESTS, PREFIX, TAIL, SIZE),
    Common(3, 35, 14, 16),
    lambda rng: Common(rng.randint(3, 9), rng.randint(20, 200), rng.randint(3, 60), rng.choice((8, 16, 32))),
    lambda x: (float(_resident(x)),),
    (
        Slip("no_sharing", Text("Nothing shared", "什么也没共享"), lambda x: (float(x.requests * _ceil(x.prefix + x.tail, x.size)),),
             lambda x: Text("Each request for itself. The full blocks of the prefix lie in memory once.", "各算各的。前缀的满块在内存里只有一份。")),
        Slip("unfilled_too", Text("The unfilled block as well", "没装满的块也共享了"), lambda x: (float(_ceil(x.prefix, x.size) + x.requests * _ceil(x.tail, x.size)),),
             lambda x: Text("That shares the prefix’s unfilled block, and lets each tail begin in a new one. It would need a copy first.", "这共享了前缀里没装满的块，又让各自的部分从新块开始。那样就要先复制。")),
        Slip("rest_lost", Text("Forgot the rest of the prefix", "忘了前缀的余数"), lambda x: (float(x.prefix // x.size + x.requests * _ceil(x.tail, x.size)),),
             lambda x: Text(f"The last {x.prefix % x.size} tokens of the prefix fill no block: each request keeps them itself, before its own tokens.",
                            f"前缀末尾的 {x.prefix % x.size} 个 token 装不满一块：每个请求自己保存它们，放在自己的 token 前面。")),
    ),
    lambda x: Text(
        f"Shared: ⌊{x.prefix} ÷ {x.size}⌋ = {x.prefix // x.size}. Each of {x.requests}: ⌈({x.prefix % x.size} + {x.tail}) ÷ {x.size}⌉ = {_ceil(x.prefix % x.size + x.tail, x.size)}. Together {_resident(x)}.",
        f"共享：⌊{x.prefix} ÷ {x.size}⌋ = {x.prefix // x.size}。{x.requests} 个请求各有：⌈({x.prefix % x.size} + {x.tail}) ÷ {x.size}⌉ = {_ceil(x.prefix % x.size + x.tail, x.size)}。合计 {_resident(x)}。",
    )
    + SMALLER,
    lambda x: Scenario(Arrival.SAME, 12, 4, ("A",), 9, 3),
    relative=0.0,
    absolute=0.01,
)  # fmt: skip

QUESTIONS = (NEW_BLOCKS, REF_COUNT, FREE, COPIED, REUSED, EDITED, COMMON)
