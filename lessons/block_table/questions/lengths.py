"""Several requests of given lengths: the blocks they take, what their last blocks hold, what lies empty."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.paged import Mistake, blocks_for, last_block_fill
from engine.paged_output import Scenario
from lessons.block_table.form import BLOCK_SIZE, N_BLOCKS
from lessons.block_table.mistakes import MISTAKES
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
    def ceilings(self) -> str:
        """The same, as a formula."""
        return " + ".join(rf"\lceil {n} / {self.block_size} \rceil" for n in self.all)

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
    "Three requests have {first}, {second} and {third:token}. The block size is {block_size}, and nothing is shared. ",
    "三个请求分别有 {first}、{second}、{third} 个 token，块大小 {block_size}，互不共享。",
)


def _invent(rng: random.Random) -> Lengths:
    size = rng.choice((3, 4, 5))
    lengths = [size * rng.randint(1, 3), rng.randint(2, 15), rng.randint(2, 15)]
    rng.shuffle(lengths)
    return Lengths(size, *lengths)


def way(x: Lengths) -> Scenario:
    """The first two of the requests; A's length where the fill is miscounted is one that the block size divides."""
    n = next((n for n in x.all if n % x.block_size == 0), x.first)
    other = next((m for m in x.all if m != n), x.second)
    return Scenario(n, x.block_size, 0, 0, other, tuple(range(N_BLOCKS))[::-1], (), N_BLOCKS)


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
    Text(
        "That counts full blocks only. A request holds its last block whole, even with one token in it.",
        "这只数了满块。末块哪怕只放一个 token，也要整块占用。",
    ),
)
_TOGETHER: Slip[Lengths] = Slip(
    "together",
    Text("Packed the requests together", "把各请求挤在一起算了"),
    lambda x: blocks_for(x.total, x.block_size),
    Text(
        "That lets two requests share a block. Each request has a last block of its own.",
        "这样就让两个请求合用一块了。每个请求都有自己的末块。",
    ),
)

BLOCKS: Question[Lengths] = Question(
    slug="blocks",
    title=Text("Blocks needed", "需要几块"),
    prompt=SAID + Text("How many blocks do they hold together?", "一共占几块？"),
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
            Text("A length that the block size divides needs no extra block.", "能被块大小整除的长度不需要再加一块。"),
        ),
        _TOGETHER,
    ),
    working=Told("${ceilings} = {blocks}$.", "${ceilings} = {blocks}$。"),
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
    each = [f"{how.replace('−', '-')} = {fill:g}" for how, fill in zip(x.remainders, _fills(x), strict=True)]
    return Text(", ".join(f"${one}$" for one in each) + ".", "，".join(f"${one}$" for one in each) + "。")


FILL: Question[Lengths] = Question(
    slug="fill",
    title=Text("Tokens in the last block", "末块里的 token"),
    prompt=SAID
    + Text(
        "How many tokens are in the last block of each request? Give the 3 numbers in this order.",
        "每个请求的末块里各有几个 token？按顺序写出 3 个数。",
    ),
    form=LENGTHS_FORM,
    inputs=Lengths(4, 8, 11, 5),
    invent=_invent,
    formula=_fills,
    slips=(
        MISTAKES.slip(Mistake.FILL_MODULO, lambda x: _fills(x, Mistake.FILL_MODULO), way, name="modulo"),
        Slip(
            "empty",
            Text("Counted the empty slots", "数了空槽位"),
            lambda x: tuple(x.block_size - fill for fill in _fills(x)),
            Text("Those are the empty slots of the last blocks, not the tokens.", "这是末块里的空槽位，不是 token。"),
        ),
        Slip(
            "one_based",
            Text("Off by one", "差了一个"),
            lambda x: tuple(float(n % x.block_size + 1) for n in x.all),
            Text(
                "That is which slot of a block the next token takes, counted from 1.",
                "这是下一个 token 占块里第几个槽位（从 1 数起）。",
            ),
        ),
        Slip(
            "blocks",
            Text("Counted the blocks", "数了块数"),
            lambda x: tuple(float(blocks_for(n, x.block_size)) for n in x.all),
            Text("That is how many blocks each request holds.", "这是每个请求占的块数。"),
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
        "A full last block wastes nothing. Block size minus remainder 0 counts all of it as empty.",
        "满的末块不浪费。块大小减去余数 0，却把整块都算成了空的。",
    ),
)

WASTE: Question[Lengths] = Question(
    slug="waste",
    title=Text("Wasted slots", "浪费的槽位"),
    prompt=SAID + Text("How many slots are held but empty?", "有多少个槽位占着却是空的？"),
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
                "Those are the tokens in the last blocks. The empty slots are the others there.",
                "这是末块里的 token。空着的是末块里其余的槽位。",
            ),
        ),
        Slip(
            "together",
            Text("Packed the requests together", "把各请求挤在一起算了"),
            lambda x: blocks_for(x.total, x.block_size) * x.block_size - x.total,
            Text(
                "That lets two requests share a block. Each request has a last block of its own.",
                "这样就让两个请求合用一块了。每个请求都有自己的末块。",
            ),
        ),
        Slip(
            "average",
            Text("Used the average", "用了平均值"),
            lambda x: len(x.all) * (x.block_size - 1) / 2,
            Text(
                "(block size − 1) / 2 empty slots per sequence is an average over many lengths, not the result for "
                "these.",
                "每条序列空（块大小 − 1）/ 2 个，是对许多长度的平均，不是这几个长度的结果。",
            ),
        ),
    ),
    working=Told(
        r"The blocks have ${blocks} \times {block_size} = {taken}$ slots for {total:token}, so {waste} {waste|is|are} "
        "empty.",
        r"各块共有 ${blocks} \times {block_size} = {taken}$ 个槽位，放 {total} 个 token，空 {waste} 个。",
    ),
    way=way,
    rows=lambda x: (
        *_each(x),
        Row(Text("Slots held", "占用的槽位"), f"{x.blocks} × {x.block_size}", str(x.taken)),
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
                f"**Block size**: {size} leaves as many slots empty as another of the four, so more than one order "
                "would be right. Change it.",
                f"**块大小**：{size} 与另一种空着的槽位一样多，正确的次序就不止一种。请换一个。",
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
    each = [rf"${x.blocks(size)} \times {size} - {x.total} = {x.waste(size)}$" for size in x.best]
    return Text("Empty slots by block size: " + "; ".join(each) + ".", "各种块大小的空槽位：" + "；".join(each) + "。")


BY_WASTE: Question[Sizes] = Question(
    slug="by_waste",
    title=Text("Block sizes by what they waste", "按浪费给块大小排序"),
    prompt=lambda x: Told(
        "Three requests have {a}, {b} and {c:token}, and nothing is shared. Which block size leaves the fewest slots "
        "empty, and which the most? Put the sizes in order, the fewest empty slots first.",
        "三个请求分别有 {a}、{b}、{c} 个 token，互不共享。哪种块大小空着的槽位最少，哪种最多？把块大小按空槽位从少到多"
        "排好。",
    ).on(**dict(zip("abc", x.lengths, strict=True))),
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
                "Smaller blocks waste less on average over many lengths. For these three the remainders decide.",
                "对许多长度平均，块小浪费少。但对这三个长度，起作用的是余数。",
            ),
        ),
        Slip(
            "by_blocks",
            Text("Ordered by the number of blocks", "按块数排了"),
            lambda x: x.by(lambda size: (x.blocks(size), -size)),
            Text(
                "That puts the fewest blocks first. Fewer but larger blocks may have more empty slots.",
                "这是块数少的在前。块少而大，空着的槽位可能反而多。",
            ),
        ),
        Slip(
            "turned",
            Text("Put the most first", "从多到少了"),
            lambda x: x.by(lambda size: -x.waste(size)),
            Text("That begins with the block size that leaves the most slots empty.", "这是从空槽位最多的块大小开始。"),
        ),
    ),
    working=_compared,
    reply=Order(lambda x: tuple(Text(f"blocks of {size}", f"块大小 {size}") for size in x.shown)),
    rows=lambda x: (
        Row(Text("Tokens", "token 数"), " + ".join(map(str, x.lengths)), str(x.total)),
        *_each_empty(x),
    ),
)
