"""A fork that is written to: new blocks, reference counts, what is free, what a copy moves."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from engine.models import MODELS
from engine.paged import BlockPool, Sequence, blocks_for
from engine.shared_blocks import MOST_WRITES, Arrival, Mistake, Scenario
from lessons.copy_on_write.naming import MODEL, blocks
from lessons.copy_on_write.questions.fields import APPENDED, LENGTH, POOL, REQUESTS, SIZE, WRITERS, ceil, form, small
from lessons.kit.format import size
from lessons.kit.question import COUNTED, Question, Row, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BLOCK, KIB


@dataclass(frozen=True)
class Append:
    """A request of `length` tokens was forked; now it appends."""

    length: int
    appended: int
    size: int


def forked(inputs: Append, n: int = 2) -> tuple[BlockPool, list[Sequence]]:
    needed = blocks_for(inputs.length, inputs.size) + n * (blocks_for(inputs.appended, inputs.size) + 1)
    pool = BlockPool(needed, inputs.size)
    first = Sequence(pool)
    first.append(inputs.length)
    return pool, [first, *(first.fork() for _ in range(n - 1))]


def _new_blocks(inputs: Append) -> int:
    _, (a, _) = forked(inputs)
    return len(a.append(inputs.appended).allocated)


def way(inputs: Append, mistake: Mistake = Mistake.NONE) -> Scenario:
    length, size_ = small(inputs.length, inputs.size)
    return Scenario(Arrival.FORK, length, size_, ("A",) * min(inputs.appended, MOST_WRITES), min(8, length), 2, mistake)


def _any_append(rng: random.Random) -> Append:
    return Append(rng.randint(2, 140), rng.randint(1, 140), rng.choice((4, 8, 16)))


NEW_BLOCKS: Question[Append] = Question(
    slug="new_blocks",
    title=Text("New blocks for an append", "追加需要几个新块"),
    prompt=Told(
        "A has {length:token} in blocks of {size}. B was forked from it and shares them all. A appends "
        "{appended:token}. How many new blocks are taken from the pool?",
        "A 有 {length} 个 token，每块 {size} 个。B 从它分叉，全部共享。A 再追加 {appended} 个 token。要从池中取出多少"
        "个新块？",
    ),
    form=form(Append, LENGTH, APPENDED, SIZE),
    inputs=Append(10, 7, 4),
    invent=_any_append,
    formula=lambda x: _new_blocks(x),
    slips=(
        Slip(
            "forgot_copy",
            Text("Forgot the copy", "忘了复制用的块"),
            lambda x: ceil(x.length + x.appended, x.size) - ceil(x.length, x.size),
            Text(
                "That would be right if nothing were shared. The unfilled last block is shared, so it needs a copy "
                "of its own.",
                "若没有共享，这是对的。没装满的最后一块是共享的，所以还要一块来放副本。",
            ),
            lambda x: way(x, Mistake.NO_COPY),
        ),
        Slip(
            "copied_all",
            Text("Copied every block", "把每块都复制了"),
            lambda x: ceil(x.length + x.appended, x.size),
            Text(
                "That copies the full blocks as well. Nobody writes into them: they stay shared.",
                "这把满块也复制了。没有人往里写，它们继续共享。",
            ),
        ),
        Slip(
            "counted_tokens",
            Text("Counted tokens", "数了 token"),
            lambda x: x.appended,
            Told("That is one block a token. A block takes {size}.", "这是一个 token 一块。一块能放 {size} 个。"),
        ),
    ),
    working=lambda x: Text(
        f"⌈({x.length} + {x.appended}) ÷ {x.size}⌉ − ⌊{x.length} ÷ {x.size}⌋ = {ceil(x.length + x.appended, x.size)} "
        f"− {x.length // x.size} = {_new_blocks(x)}. "
        "The steps show it for fewer tokens with the last block as full.",
        f"⌈({x.length} + {x.appended}) ÷ {x.size}⌉ − ⌊{x.length} ÷ {x.size}⌋ = {ceil(x.length + x.appended, x.size)} "
        f"− {x.length // x.size} = {_new_blocks(x)}。"
        "下面的步骤用较少的 token 演示，最后一块的装满程度相同。",
    ),
    way=way,
    reply=Number(BLOCK),
    rows=lambda x: (
        Row(
            Text("Blocks of A afterwards", "追加后 A 的块"),
            f"⌈({x.length} + {x.appended}) ÷ {x.size}⌉",
            str(ceil(x.length + x.appended, x.size)),
        ),
        Row(
            Text("Full blocks, which stay shared", "继续共享的满块"),
            f"⌊{x.length} ÷ {x.size}⌋",
            str(x.length // x.size),
        ),
        Row(
            Text("New blocks", "新块"),
            f"{ceil(x.length + x.appended, x.size)} − {x.length // x.size}",
            BLOCK.after(str(_new_blocks(x))),
        ),
    ),
    tolerance=COUNTED,
)


@dataclass(frozen=True)
class Writers:
    """`requests` share `length` tokens; the first `writers` of them have written one token each."""

    length: int
    size: int
    requests: int
    writers: int


def _count_after(inputs: Writers) -> int:
    pool, requests = forked(Append(inputs.length, 1, inputs.size), inputs.requests)
    block = requests[0].block_table[-1]
    for request in requests[: inputs.writers]:
        request.append()
    return pool.ref_count(block)


def _left(x: Writers) -> Text:
    if x.length % x.size == 0:
        return Text("all", "全部")
    if x.writers >= x.requests:
        return Text("the last writer, in place", "最后一个写入者，直接写入")
    return Text(f"{x.requests} − {x.writers}", f"{x.requests} − {x.writers}")


def _writers_way(inputs: Writers) -> Scenario:
    length, size_ = small(inputs.length, inputs.size)
    return Scenario(Arrival.FORK, length, size_, ("A", "B")[: inputs.writers], min(8, length), 2)


def _last_block(x: Writers) -> Text:
    over, after = x.length % x.size, _count_after(x)
    said = Text(f"{x.length} mod {x.size} = {over}: the last block is ", f"{x.length} mod {x.size} = {over}：最后一块")
    if over:
        said += Text(
            "not full: whoever writes while others share it takes a copy and is no longer counted. ",
            "没有满，还有别人共享时，谁写谁就取走副本，不再计入。",
        )
    else:
        said += Text("full: everybody opens a new block, and it stays shared. ", "是满的，大家各开新块，它继续共享。")
    return said + Text(
        f"{after} table{'s' * (after != 1)} name{'s' * (after == 1)} it. The steps show A and B.",
        f"有 {after} 张块表引用它。下面的步骤演示 A 和 B。",
    )


REF_COUNT: Question[Writers] = Question(
    slug="ref_count",
    title=Text("The reference count afterwards", "之后的引用计数"),
    prompt=lambda x: Text(
        f"{x.requests} requests share {x.length} token{'s' * (x.length != 1)} in blocks of {x.size}. "
        f"{min(x.writers, x.requests)} of them append{'s' * (min(x.writers, x.requests) == 1)} one "
        f"token{' each' * (min(x.writers, x.requests) > 1)}. What is now the reference count of the block that was "
        "last before?",
        f"{x.requests} 个请求共享 {x.length} 个 token，每块 {x.size} 个。其中 {min(x.writers, x.requests)} 个"
        f"{'各' * (min(x.writers, x.requests) > 1)}追加一个 token。原来的最后一块现在的引用计数是多少？",
    ),
    form=form(Writers, LENGTH, SIZE, REQUESTS, WRITERS),
    inputs=Writers(10, 4, 5, 2),
    invent=lambda rng: Writers(rng.randint(2, 60), rng.choice((4, 8, 16)), rng.randint(3, 9), rng.randint(1, 8)),
    formula=lambda x: _count_after(x),
    slips=(
        Slip(
            "still_all",
            Text("Swapped the two cases", "两种情形弄反了"),
            lambda x: x.requests if x.length % x.size else x.requests - min(x.writers, x.requests),
            Text(
                "Full blocks stay shared, and unfilled ones lose each request that takes a copy. This is the other "
                "way round.",
                "满块继续共享；没装满的块，每有一个请求取走副本，引用就少一个。这里弄反了。",
            ),
        ),
        Slip(
            "counted_writers",
            Text("Counted the writers", "数了写入者"),
            lambda x: min(x.writers, x.requests),
            Text(
                "That is how many have written. The count is how many tables still name the block.",
                "这是写入者的个数。引用计数是还有几张块表引用这块。",
            ),
        ),
        Slip(
            "plus_one",
            Text("Counted the pool as well", "把池也算了"),
            lambda x: _count_after(x) + 1,
            Text("One too many: only the tables of requests count.", "多了一个：只有请求的块表才计数。"),
        ),
    ),
    working=_last_block,
    way=_writers_way,
    rows=lambda x: (
        Row(
            Text("Tokens in the last block", "末块里的 token"),
            f"{x.length} mod {x.size} = {x.length % x.size}",
            Text("not full", "没有满") if x.length % x.size else Text("full", "满"),
        ),
        Row(
            Text("Who writes", "写入者"),
            Text("takes a copy, as long as others share it", "还有别人共享时取走副本")
            if x.length % x.size
            else Text("opens a new block, and the old one stays in the table", "另开新块，旧块仍在表里"),
            Text(
                f"{min(x.writers, x.requests)} of {x.requests}",
                f"{min(x.writers, x.requests)} 个（共 {x.requests} 个）",
            ),
        ),
        Row(Text("Tables that still name it", "仍引用它的块表"), _left(x), str(_count_after(x))),
    ),
    tolerance=COUNTED,
)


@dataclass(frozen=True)
class Free:
    """A pool, a request, a fork, and one token for each."""

    length: int
    size: int
    pool: int


def _free_after(inputs: Free) -> int:
    pool, requests = forked(Append(inputs.length, 1, inputs.size))
    for request in requests:
        request.append()
    return inputs.pool - (pool.n_blocks - pool.n_free)


FREE: Question[Free] = Question(
    slug="free_blocks",
    title=Text("Free blocks", "空闲块数"),
    prompt=Told(
        "A pool has {pool:block} of {size:slot}. A has {length:token}, B is forked, then each of them appends one "
        "token. How many blocks are free?",
        "池中有 {pool} 块，每块 {size} 个槽位。A 有 {length} 个 token，B 从它分叉，然后 A、B 各追加一个 token。还有多"
        "少块空闲？",
    ),
    form=form(Free, LENGTH, SIZE, POOL),
    inputs=Free(10, 4, 20),
    invent=lambda rng: Free(rng.randint(9, 90), rng.choice((4, 8, 16)), rng.randint(50, 99)),
    formula=lambda x: _free_after(x),
    slips=(
        Slip(
            "no_sharing",
            Text("Counted each request alone", "各算各的"),
            lambda x: x.pool - 2 * ceil(x.length + 1, x.size),
            Text(
                "That is two requests that share nothing. The full blocks lie in memory once.",
                "这是互不共享的两个请求。满块在内存里只有一份。",
            ),
        ),
        Slip(
            "no_new",
            Text("Forgot the new block", "忘了新块"),
            lambda x: x.pool - ceil(x.length, x.size),
            Text(
                "That is before anybody writes. The first writer already needs a block.",
                "这是有人写入之前的情形。先写的一方就已经需要一块。",
            ),
        ),
        Slip(
            "two_copies",
            Text("Swapped the two cases", "两种情形弄反了"),
            lambda x: x.pool - ceil(x.length, x.size) - (2 if x.length % x.size else 1),
            Text(
                "An unfilled block is copied once, since whoever writes last keeps the original. Behind a full block "
                "both need a new one.",
                "没装满的块只复制一次，因为后写的一方留用原块。若最后一块已满，双方都要新块。",
            ),
        ),
    ),
    working=lambda x: Text(
        f"{x.length} tokens are {blocks(ceil(x.length, x.size)).en}. Each appends one: "
        f"{x.pool - ceil(x.length, x.size) - _free_after(x)} more. {x.pool} − {x.pool - _free_after(x)} = "
        f"{_free_after(x)}.",
        f"{x.length} 个 token 占 {ceil(x.length, x.size)} 块。各追加一个之后，又用了 "
        f"{x.pool - ceil(x.length, x.size) - _free_after(x)} 块。{x.pool} − {x.pool - _free_after(x)} = "
        f"{_free_after(x)}。",
    ),
    way=lambda x: replace(way(Append(x.length, 1, x.size)), writers=("A", "B")),
    reply=Number(BLOCK),
    rows=lambda x: (
        Row(
            Text("Blocks of A, shared with B", "A 与 B 共享的块"),
            f"⌈{x.length} ÷ {x.size}⌉",
            str(ceil(x.length, x.size)),
        ),
        Row(
            Text("New blocks for both writes", "两次写入用的新块"),
            Text("one copy; the second writes in place", "复制一次；后写的直接写入")
            if x.length % x.size
            else Text("one each", "各一块"),
            str(x.pool - ceil(x.length, x.size) - _free_after(x)),
        ),
        Row(
            Text("Free", "空闲"),
            f"{x.pool} − {ceil(x.length, x.size)} − {x.pool - ceil(x.length, x.size) - _free_after(x)}",
            BLOCK.after(str(_free_after(x))),
        ),
    ),
    tolerance=COUNTED,
)


@dataclass(frozen=True)
class Copied:
    """A forked request of `length` tokens writes."""

    length: int
    size: int


def _copied(inputs: Copied) -> int:
    _, (a, _) = forked(Append(inputs.length, 1, inputs.size))
    copy = a.append().copied
    return 0 if copy is None else copy.n_slots


def _kib(n_tokens: int) -> float:
    return MODELS[MODEL].kv_bytes(n_tokens) / 2**10


_WHOLE_BLOCK: Slip[Copied] = Slip(
    "whole_block",
    Text("A whole block", "按整块算了"),
    lambda x: (_kib(x.size),),
    Text(
        "That is the whole block. Only the slots in use hold anything to copy; a real engine may move all of it for "
        "simplicity.",
        "这是整块。只有已用的槽位有内容可复制；实际的引擎为了简单可能会整块搬运。",
    ),
)
_ONE_LAYER: Slip[Copied] = Slip(
    "one_layer",
    Text("One layer", "只算一层"),
    lambda x: (_kib(_copied(x)) / MODELS[MODEL].n_layers,),
    Text(
        f"That is one of {MODELS[MODEL].n_layers} layers. Each has a K and a V of its own for every token.",
        f"这只是 {MODELS[MODEL].n_layers} 层中的一层。每层都有每个 token 的 K 和 V。",
    ),
)

COPIED: Question[Copied] = Question(
    slug="copied",
    title=Text("What a copy moves", "一次复制搬运多少"),
    prompt=lambda x: Text(
        f"A and B share {x.length} token{'s' * (x.length != 1)} in blocks of {x.size}, in {MODEL} with "
        f"{size(MODELS[MODEL].kv_bytes(1))} of K and V a token over all layers. A appends a token. How many KiB have "
        "to be copied at least?",
        f"A、B 共享 {x.length} 个 token，每块 {x.size} 个；模型是 {MODEL}，每个 token 在所有层的 K、V 共 "
        f"{size(MODELS[MODEL].kv_bytes(1))}。A 追加一个 token。至少要复制多少 KiB？",
    ),
    form=form(Copied, LENGTH, SIZE),
    inputs=Copied(11, 4),
    invent=lambda rng: Copied(rng.randint(17, 300), rng.choice((4, 8, 16))),
    formula=lambda x: (_kib(_copied(x)),),
    slips=(
        _WHOLE_BLOCK,
        Slip(
            "free_slots",
            Text("The slots that are free", "按空槽位算了"),
            lambda x: (_kib(x.size - x.length % x.size),),
            Text(
                "Those are the slots still free. What has to be copied is what lies in the block.",
                "这是还空着的槽位。要复制的是块里已有的内容。",
            ),
        ),
        Slip(
            "everything",
            Text("All tokens", "按全部 token 算了"),
            lambda x: (_kib(x.length),),
            Text(
                "That copies the whole request. The full blocks stay where they are and stay shared.",
                "这把整个请求都复制了。满块原地不动，继续共享。",
            ),
        ),
        _ONE_LAYER,
        together(_WHOLE_BLOCK, _ONE_LAYER, lambda x: (_kib(x.size) / MODELS[MODEL].n_layers,)),
    ),
    working=lambda x: Text(
        f"{x.length} mod {x.size} = {_copied(x)}: so many slots are in use, each {size(MODELS[MODEL].kv_bytes(1))}.",
        f"{x.length} mod {x.size} = {_copied(x)} 个槽位已用，每个 {size(MODELS[MODEL].kv_bytes(1))}。",
    ),
    way=lambda x: way(Append(x.length, 1, x.size)),
    reply=Number(KIB),
    rows=lambda x: (
        Row(Text("Slots in use in the last block", "末块已用的槽位"), f"{x.length} mod {x.size}", str(_copied(x))),
        Row(Text("Each, over all layers", "每个槽位，所有层合计"), MODEL, KIB.after(f"{_kib(1):g}")),
        Row(Text("Copied", "复制量"), f"{_copied(x)} × {_kib(1):g}", KIB.after(f"{_kib(_copied(x)):g}")),
    ),
)
