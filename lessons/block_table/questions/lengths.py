"""Several requests of given lengths: the blocks they take, what their last blocks hold, what lies empty."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.paged import Mistake, blocks_for, last_block_fill
from engine.paged_output import Scenario
from lessons.block_table.form import BLOCK_SIZE, N_BLOCKS
from lessons.kit.controls import Complaint, Whole
from lessons.kit.form import Form
from lessons.kit.places import shuffled
from lessons.kit.question import COUNTED, Question, Row, Slip
from lessons.kit.reply import Answer, Number, Order, Vector
from lessons.kit.text import Text, listed
from lessons.kit.told import Told
from lessons.kit.units import BLOCK


@dataclass(frozen=True)
class Lengths:
    """Three requests and one block size."""

    block_size: int = 4
    first: int = 8
    second: int = 5
    third: int = 6

    @property
    def all(self) -> tuple[int, int, int]:
        return self.first, self.second, self.third

    @property
    def blocks(self) -> int:
        return sum(blocks_for(n, self.block_size) for n in self.all)

    @property
    def total(self) -> int:
        return sum(self.all)

    @property
    def taken(self) -> int:
        """Slots of the blocks taken."""
        return self.blocks * self.block_size

    @property
    def waste(self) -> int:
        return self.taken - self.total

    @property
    def rounded(self) -> str:
        """The blocks of all of them, as a sum."""
        return " + ".join(f"⌈{n} ÷ {self.block_size}⌉" for n in self.all)

    @property
    def remainders(self) -> tuple[str, ...]:
        """What is left for each last block."""
        return tuple(f"{n} − {n - last_block_fill(n, self.block_size)}" for n in self.all)


SEVERAL = Whole(BLOCK_SIZE.name, BLOCK_SIZE.label, 2, BLOCK_SIZE.high)  # so that the pool has room
NAMES = ("A", "B", "C")
LENGTHS = tuple(
    Whole(name.lower(), Text(f"Tokens of request {name}", f"请求 {name} 的 token 数"), 1, 16, of=of)
    for name, of in zip(NAMES, ("first", "second", "third"), strict=True)
)
LENGTHS_FORM: Form[Lengths] = Form((SEVERAL, *LENGTHS))
SAID = Told(
    "Requests of {first}, {second} and {third:token}, blocks of {block_size}, nothing shared. ",
    "三个请求分别有 {first}、{second}、{third} 个 token，块大小 {block_size}，互不共享。",
)


def _invent(rng: random.Random) -> Lengths:
    size = rng.choice((3, 4, 5))
    lengths = [size * rng.randint(1, 3), rng.randint(2, 15), rng.randint(2, 15)]
    rng.shuffle(lengths)
    return Lengths(size, *lengths)


def way(x: Lengths, mistake: Mistake = Mistake.NONE) -> Scenario:
    """The first two of the requests; A's length where the fill is miscounted is one that the block size divides."""
    n = next((n for n in x.all if n % x.block_size == 0), x.first)
    other = next((m for m in x.all if m != n), x.second)
    return Scenario(n, x.block_size, 0, 0, other, tuple(range(N_BLOCKS))[::-1], (), N_BLOCKS, mistake)


def _each(x: Lengths) -> tuple[Row, ...]:
    """A line a request: its blocks."""
    return tuple(
        Row(Text(f"Blocks of {name}", f"{name} 的块"), f"⌈{n} ÷ {x.block_size}⌉", str(blocks_for(n, x.block_size)))
        for name, n in zip(NAMES, x.all, strict=True)
    )


_DOWN: Slip[Lengths] = Slip(
    "rounded_down",
    Text("Rounded down", "向下取整了"),
    lambda x: sum(n // x.block_size for n in x.all),
    Text("That counts full blocks only. A begun block is taken whole.", "这只数了满块。开了头的块也要整块占用。"),
)
_TOGETHER: Slip[Lengths] = Slip(
    "together",
    Text("Packed the requests together", "把各请求挤在一起算了"),
    lambda x: blocks_for(x.total, x.block_size),
    Text(
        "That lets two requests share a block. Each has its own last block.",
        "这样就让两个请求合用一块了。每个请求都有自己的末块。",
    ),
)

BLOCKS: Question[Lengths] = Question(
    slug="blocks",
    title=Text("Blocks needed", "需要几块"),
    prompt=SAID + Text("How many blocks do they take together?", "一共占几块？"),
    form=LENGTHS_FORM,
    inputs=Lengths(4, 8, 5, 7),
    invent=_invent,
    formula=lambda x: x.blocks,
    slips=(
        _DOWN,
        Slip(
            "one_more",
            Text("Always one more", "总是多加一块"),
            lambda x: sum(n // x.block_size + 1 for n in x.all),
            Text(
                "A length that the block size divides needs no further block.", "能被块大小整除的长度不需要再加一块。"
            ),
        ),
        _TOGETHER,
    ),
    working=Told("{rounded} = {blocks}.", "{rounded} = {blocks}。"),
    way=way,
    reply=Number(BLOCK),
    rows=lambda x: (
        *_each(x),
        Row(
            Text("Together", "合计"),
            " + ".join(str(blocks_for(n, x.block_size)) for n in x.all),
            BLOCK.after(str(x.blocks)),
        ),
    ),
    tolerance=COUNTED,
)


def _fills(x: Lengths, mistake: Mistake = Mistake.NONE) -> Answer:
    return tuple(float(last_block_fill(n, x.block_size, mistake)) for n in x.all)


def _subtracted(x: Lengths) -> Text:
    each = [f"{how} = {fill:g}" for how, fill in zip(x.remainders, _fills(x), strict=True)]
    return Text("; ".join(each) + ".", "；".join(each) + "。")


FILL: Question[Lengths] = Question(
    slug="fill",
    title=Text("Tokens in the last block", "末块里的 token"),
    prompt=SAID
    + Text(
        "How many tokens lie in the last block of each? Give the 3 numbers in this order.",
        "每个请求的末块里各有几个 token？按顺序写出 3 个数。",
    ),
    form=LENGTHS_FORM,
    inputs=Lengths(4, 8, 11, 5),
    invent=_invent,
    formula=_fills,
    slips=(
        Slip(
            "modulo",
            Text("n mod block size", "直接取余"),
            lambda x: _fills(x, Mistake.FILL_MODULO),
            Text(
                "The remainder is 0 where the last block is full. A block that exists holds at least one token.",
                "末块满时余数是 0。块既然存在，里面至少有一个 token。",
            ),
            lambda x: way(x, Mistake.FILL_MODULO) if any(n % x.block_size == 0 for n in x.all) else way(x),
        ),
        Slip(
            "empty",
            Text("Counted the empty slots", "数了空槽位"),
            lambda x: tuple(x.block_size - fill for fill in _fills(x)),
            Text("Those are the slots left, not the tokens there.", "这是剩下的空槽位，不是已有的 token。"),
        ),
        Slip(
            "one_based",
            Text("Off by one", "差了一个"),
            lambda x: tuple(float(n % x.block_size + 1) for n in x.all),
            Text(
                "That is which slot of a block comes next, counted from 1.",
                "这是接下来要用块里第几个槽位（从 1 数起）。",
            ),
        ),
        Slip(
            "blocks",
            Text("Counted the blocks", "数了块数"),
            lambda x: tuple(float(blocks_for(n, x.block_size)) for n in x.all),
            Text("That is how many blocks there are.", "这是块的个数。"),
        ),
    ),
    working=_subtracted,
    way=way,
    reply=Vector(),
    rows=lambda x: (
        *(
            Row(Text(f"Last block of {name}", f"{name} 的末块"), how, f"{fill:g}")
            for name, how, fill in zip(NAMES, x.remainders, _fills(x), strict=True)
        ),
        Row(Text("In this order", "按顺序"), listed(NAMES), ", ".join(f"{fill:g}" for fill in _fills(x))),
    ),
    tolerance=COUNTED,
)

_FULL_IS_EMPTY: Slip[Lengths] = Slip(
    "full_is_empty",
    Text("Counted a full last block as empty", "把满的末块当成空的"),
    lambda x: sum(x.block_size - n % x.block_size for n in x.all),
    Text(
        "A last block that is full wastes nothing; block size − 0 counts all of it.",
        "满的末块不浪费；块大小减 0 却把整块都算进去了。",
    ),
)

WASTE: Question[Lengths] = Question(
    slug="waste",
    title=Text("Wasted slots", "浪费的槽位"),
    prompt=SAID + Text("How many slots are taken but empty?", "有多少个槽位被占着却是空的？"),
    form=LENGTHS_FORM,
    inputs=Lengths(4, 8, 6, 9),
    invent=_invent,
    formula=lambda x: x.waste,
    slips=(
        _FULL_IS_EMPTY,
        Slip(
            "filled",
            Text("Counted what is filled", "数了已填的"),
            lambda x: sum(_fills(x)),
            Text(
                "Those are the tokens in the last blocks. Wasted is what is left beside them.",
                "这是末块里的 token。浪费的是旁边空着的。",
            ),
        ),
        Slip(
            "together",
            Text("Packed the requests together", "把各请求挤在一起算了"),
            lambda x: blocks_for(x.total, x.block_size) * x.block_size - x.total,
            Text("Each request has a last block of its own.", "每个请求都有自己的末块。"),
        ),
        Slip(
            "average",
            Text("Used the average", "用了平均值"),
            lambda x: len(x.all) * (x.block_size - 1) / 2,
            Text(
                "A waste of (block size − 1) / 2 a sequence is an average over many lengths, not the result for these.",
                "每条序列浪费（块大小 − 1）/ 2 个，是对许多长度的平均，不是这几个长度的结果。",
            ),
        ),
    ),
    working=Told(
        "{blocks} blocks of {block_size} are {taken} slots for {total} tokens: {waste} {waste|is|are} empty.",
        "{blocks} 块、每块 {block_size} 个槽位，共 {taken} 个，放 {total} 个 token：空 {waste} 个。",
    ),
    way=way,
    rows=lambda x: (
        *_each(x),
        Row(Text("Slots taken", "占用的槽位"), f"{x.blocks} × {x.block_size}", str(x.taken)),
        Row(Text("Empty", "空着的"), f"{x.taken} − ({' + '.join(map(str, x.all))})", str(x.waste)),
    ),
    tolerance=COUNTED,
)


# --- block sizes compared


@dataclass(frozen=True)
class Sizes:
    """Three requests, and block sizes to choose from."""

    sizes: tuple[int, ...] = (5, 6, 7, 8)
    lengths: tuple[int, ...] = (30, 22, 47)

    @property
    def total(self) -> int:
        return sum(self.lengths)

    def blocks(self, size: int) -> int:
        return sum(blocks_for(n, size) for n in self.lengths)

    def waste(self, size: int) -> int:
        return self.blocks(size) * size - self.total

    def empty(self, size: int) -> str:
        """How the waste is worked out."""
        return f"{self.blocks(size)} × {size} − {self.total}"

    @property
    def best(self) -> list[int]:
        """The thriftiest first."""
        return sorted(self.sizes, key=self.waste)

    @property
    def shown(self) -> tuple[int, ...]:
        """Not in the right order."""
        return tuple(self.best[i] for i in shuffled(len(self.sizes), *self.sizes, *self.lengths, moved=True))

    def by(self, value: Any) -> Answer:
        return tuple(float(self.shown.index(size) + 1) for size in sorted(self.shown, key=value))


_SIZE_FIELDS = tuple(Whole(f"size_{i}", Text(f"Block size {i}", f"块大小 {i}"), 2, 64) for i in (1, 2, 3, 4))
_LENGTH_FIELDS = tuple(Whole(field.name, field.label, 1, 500) for field in LENGTHS)


def _sizes(values: Mapping[str, Any]) -> Sizes:
    return Sizes(tuple(values[f.name] for f in _SIZE_FIELDS), tuple(values[f.name] for f in _LENGTH_FIELDS))


def _values(x: Sizes) -> dict[str, int]:
    fields = (*_SIZE_FIELDS, *_LENGTH_FIELDS)
    return {field.name: n for field, n in zip(fields, (*x.sizes, *x.lengths), strict=True)}


def _as_thrifty(x: Sizes) -> Iterator[Complaint]:
    for i, size in enumerate(x.sizes):
        if x.waste(size) in map(x.waste, x.sizes[:i]):
            yield Complaint(
                f"**Block size**: {size} leaves as many slots empty as another of the four, so there is no one "
                "order. Change it.",
                f"**块大小**：{size} 与另一种空着的槽位一样多，次序就不唯一了。请换一个。",
                _SIZE_FIELDS[i].name,
            )
            return


def _invent_sizes(rng: random.Random) -> Sizes:
    while True:
        x = Sizes(tuple(rng.sample(range(5, 25), 4)), tuple(rng.randint(20, 150) for _ in range(3)))
        if len(set(map(x.waste, x.sizes))) == len(x.sizes):
            return x


def _each_empty(x: Sizes) -> tuple[Row, ...]:
    return tuple(
        Row(Text(f"Empty in blocks of {size}", f"块大小 {size} 时空着"), x.empty(size), str(x.waste(size)))
        for size in x.best
    )


def _compared(x: Sizes) -> Text:
    each = [f"{x.empty(size)} = {x.waste(size)}" for size in x.best]
    return Text(
        "; ".join(f"{size}: {how}" for size, how in zip(x.best, each, strict=True)) + ".",
        "；".join(f"{size}：{how}" for size, how in zip(x.best, each, strict=True)) + "。",
    )


BY_WASTE: Question[Sizes] = Question(
    slug="by_waste",
    title=Text("Block sizes by what they waste", "按浪费给块大小排序"),
    prompt=Told(
        "Requests of {lengths} tokens, nothing shared. Which block size leaves the fewest slots empty, which the "
        "most? Put them in order, the fewest first.",
        "三个请求分别有 {lengths} 个 token，互不共享。哪种块大小空着的槽位最少，哪种最多？按从少到多排好。",
    ),
    form=Form((*_SIZE_FIELDS, *_LENGTH_FIELDS), build=_sizes, values=_values, unfit=_as_thrifty),
    inputs=Sizes(),
    invent=_invent_sizes,
    formula=lambda x: x.by(x.waste),
    slips=(
        Slip(
            "by_size",
            Text("Took the smaller block for the thriftier", "以为块越小越省"),
            lambda x: x.by(int),
            Text(
                "Smaller blocks waste less on average. For these lengths the remainders decide.",
                "块小，平均来说浪费少。但对这几个长度，起作用的是余数。",
            ),
        ),
        Slip(
            "by_blocks",
            Text("Ordered by the number of blocks", "按块数排了"),
            lambda x: x.by(lambda size: (x.blocks(size), -size)),
            Text(
                "That puts the fewest blocks first. Few large blocks may well have more empty slots.",
                "这是块数少的在前。块少而大，空着的槽位可能反而多。",
            ),
        ),
        Slip(
            "turned",
            Text("The most first", "从多到少了"),
            lambda x: x.by(lambda size: -x.waste(size)),
            Text("That begins with the size that leaves most empty.", "这是从空得最多的开始。"),
        ),
    ),
    working=_compared,
    reply=Order(lambda x: tuple(Text(f"blocks of {size}", f"块大小 {size}") for size in x.shown)),
    rows=lambda x: (
        Row(Text("Tokens", "token 数"), " + ".join(map(str, x.lengths)), str(x.total)),
        *_each_empty(x),
    ),
)
