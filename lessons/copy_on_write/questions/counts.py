"""A fork that is written to: who still names a block, and how many blocks are free."""

from __future__ import annotations

from dataclasses import dataclass

from engine.paged import blocks_for
from lessons.copy_on_write.questions.fields import LENGTH, POOL, REQUESTS, SIZE, WRITERS, InBlocks
from lessons.copy_on_write.questions.forks import forked, way
from lessons.kit.form import Form
from lessons.kit.question import COUNTED, Line, Question, Slip
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BLOCK

# --- reference counts


@dataclass(frozen=True)
class Writers(InBlocks):
    """`requests` share `length` tokens; the first `writers` of them have written one token each."""

    length: int
    size: int
    requests: int
    writers: int

    @property
    def wrote(self) -> int:
        """Never more than there are."""
        return min(self.writers, self.requests)

    @property
    def each(self) -> Text:
        return Text("", "") if self.wrote == 1 else Text(" each", "各")

    @property
    def left(self) -> int:
        """Tables that still name the block that was last."""
        pool, requests = forked(self, n=self.requests)
        block = requests[0].block_table[-1]
        for request in requests[: self.writers]:
            request.append()
        return pool.ref_count(block)


def _last_block(x: Writers) -> Text:
    if x.over:
        said = Told(
            "{length} mod {size} = {over}: the last block is not full: whoever writes while others share it takes "
            "a copy and is no longer counted. ",
            "{length} mod {size} = {over}：最后一块没有满，还有别人共享时，谁写谁就取走副本，不再计入。",
        )
    else:
        said = Told(
            "{length} mod {size} = {over}: the last block is full: everybody opens a new block, and it stays shared. ",
            "{length} mod {size} = {over}：最后一块是满的，大家各开新块，它继续共享。",
        )
    return (
        said
        + Told(
            "{left:table} {left|names|name} it. The steps show A and B.",
            "有 {left} 张块表引用它。下面的步骤演示 A 和 B。",
        )
    ).on(x)


def _stay(x: Writers) -> Text:
    if not x.over:
        return Text("all", "全部")
    if x.writers >= x.requests:
        return Text("the last writer, in place", "最后一个写入者，直接写入")
    return Told("{requests} − {writers}", "{requests} − {writers}").on(x)


REF_COUNT: Question[Writers] = Question(
    slug="ref_count",
    title=Text("The reference count afterwards", "之后的引用计数"),
    prompt=Told(
        "{requests} requests share {length:token} in blocks of {size}. {wrote} of them {wrote|appends|append} one "
        "token{each}. What is now the reference count of the block that was last before?",
        "{requests} 个请求共享 {length} 个 token，每块 {size} 个。其中 {wrote} 个{each}追加一个 token。原来的最后一"
        "块现在的引用计数是多少？",
    ),
    form=Form((LENGTH, SIZE, REQUESTS, WRITERS)),
    inputs=Writers(10, 4, 5, 2),
    invent=lambda rng: Writers(rng.randint(2, 60), rng.choice((4, 8, 16)), rng.randint(3, 9), rng.randint(1, 8)),
    formula=lambda x: x.left,
    slips=(
        Slip(
            "still_all",
            Text("Swapped the two cases", "两种情形弄反了"),
            lambda x: x.requests if x.over else x.requests - x.wrote,
            Text(
                "Full blocks stay shared, and unfilled ones lose each request that takes a copy. This is the other "
                "way round.",
                "满块继续共享；没装满的块，每有一个请求取走副本，引用就少一个。这里弄反了。",
            ),
        ),
        Slip(
            "counted_writers",
            Text("Counted the writers", "数了写入者"),
            lambda x: x.wrote,
            Text(
                "That is how many have written. The count is how many tables still name the block.",
                "这是写入者的个数。引用计数是还有几张块表引用这块。",
            ),
        ),
        Slip(
            "plus_one",
            Text("Counted the pool as well", "把池也算了"),
            lambda x: x.left + 1,
            Text("One too many: only the tables of requests count.", "多了一个：只有请求的块表才计数。"),
        ),
    ),
    working=_last_block,
    way=lambda x: way(x, ("A", "B")[: x.writers]),
    rows=(
        Line(
            Text("Tokens in the last block", "末块里的 token"),
            "{length} mod {size} = {over}",
            lambda x: Text("not full", "没有满") if x.over else Text("full", "满"),
        ),
        Line(
            Text("Who writes", "写入者"),
            lambda x: (
                Text("takes a copy, as long as others share it", "还有别人共享时取走副本")
                if x.over
                else Text("opens a new block, and the old one stays in the table", "另开新块，旧块仍在表里")
            ),
            Told("{wrote} of {requests}", "{wrote} 个（共 {requests} 个）"),
        ),
        Line(Text("Tables that still name it", "仍引用它的块表"), _stay, "{left}"),
    ),
    tolerance=COUNTED,
)


# --- free blocks


@dataclass(frozen=True)
class Free(InBlocks):
    """A pool, a request, a fork, and one token for each."""

    length: int
    size: int
    pool: int

    @property
    def used(self) -> int:
        """Blocks in use once both have appended."""
        pool, requests = forked(self)
        for request in requests:
            request.append()
        return pool.n_blocks - pool.n_free

    @property
    def more(self) -> int:
        """Blocks that the two writes take."""
        return self.used - self.blocks

    @property
    def free(self) -> int:
        return self.pool - self.used


FREE: Question[Free] = Question(
    slug="free_blocks",
    title=Text("Free blocks", "空闲块数"),
    prompt=Told(
        "A pool has {pool:block} of {size:slot}. A has {length:token}, B is forked, then each of them appends one "
        "token. How many blocks are free?",
        "池中有 {pool} 块，每块 {size} 个槽位。A 有 {length} 个 token，B 从它分叉，然后 A、B 各追加一个 token。还有"
        "多少块空闲？",
    ),
    form=Form((LENGTH, SIZE, POOL)),
    inputs=Free(10, 4, 20),
    invent=lambda rng: Free(rng.randint(9, 90), rng.choice((4, 8, 16)), rng.randint(50, 99)),
    formula=lambda x: x.free,
    slips=(
        Slip(
            "no_sharing",
            Text("Counted each request alone", "各算各的"),
            lambda x: x.pool - 2 * blocks_for(x.length + 1, x.size),
            Text(
                "That is two requests that share nothing. The full blocks lie in memory once.",
                "这是互不共享的两个请求。满块在内存里只有一份。",
            ),
        ),
        Slip(
            "no_new",
            Text("Forgot the new block", "忘了新块"),
            lambda x: x.pool - x.blocks,
            Text(
                "That is before anybody writes. The first writer already needs a block.",
                "这是有人写入之前的情形。先写的一方就已经需要一块。",
            ),
        ),
        Slip(
            "two_copies",
            Text("Swapped the two cases", "两种情形弄反了"),
            lambda x: x.pool - x.blocks - (2 if x.over else 1),
            Text(
                "An unfilled block is copied once, since whoever writes last keeps the original. Behind a full "
                "block both need a new one.",
                "没装满的块只复制一次，因为后写的一方留用原块。若最后一块已满，双方都要新块。",
            ),
        ),
    ),
    working=Told(
        "{length:token} {length|is|are} {blocks:block}. Each appends one: {more} more. {pool} − {used} = {free}.",
        "{length} 个 token 占 {blocks} 块。各追加一个之后，又用了 {more} 块。{pool} − {used} = {free}。",
    ),
    way=lambda x: way(x, ("A", "B")),
    reply=Number(BLOCK),
    rows=(
        Line(Text("Blocks of A, shared with B", "A 与 B 共享的块"), "⌈{length} ÷ {size}⌉", "{blocks}"),
        Line(
            Text("New blocks for both writes", "两次写入用的新块"),
            lambda x: (
                Text("one copy; the second writes in place", "复制一次；后写的直接写入")
                if x.over
                else Text("one each", "各一块")
            ),
            "{more}",
        ),
        Line(Text("Free", "空闲"), "{pool} − {blocks} − {more}", Told("{free:block}", "{free} 块")),
    ),
    tolerance=COUNTED,
)
