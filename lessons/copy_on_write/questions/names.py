"""The names of blocks: which prompt finds one, and which names an edit changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.prefix_cache import Identity, block_hashes, matched_blocks
from engine.shared_blocks import Arrival, Scenario
from lessons.copy_on_write.questions.fields import EDITED, INDEX, SIZE
from lessons.kit.controls import Complaint, Whole, about
from lessons.kit.form import Form
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Answer, Pick, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told

BASE = Identity("m1", salt="S1")
OTHER_ADAPTER = Identity("m1", adapter="X", salt="S1")


# --- which prompt finds a block


@dataclass(frozen=True)
class Cached:
    """A's prompt: two blocks of `size` tokens, `first`, `first` + `step`, … mod 11."""

    first: int
    step: int
    size: int

    @property
    def prompt(self) -> tuple[int, ...]:
        return tuple((self.first + self.step * i) % 11 for i in range(2 * self.size))

    @property
    def order(self) -> tuple[int, ...]:
        """In which the comers are offered."""
        return shuffled(5, self.first, self.step, self.size)

    @property
    def written(self) -> str:
        return _written(self.prompt, self.size)

    @property
    def block_0(self) -> str:
        return _written(self.prompt[: self.size], self.size)

    @property
    def found(self) -> tuple[int, ...]:
        """Blocks that each comer finds, as they are offered."""
        return tuple(_found(self)[i] for i in self.order)


@dataclass(frozen=True)
class Comer:
    """A prompt that comes to the cache, and for whom."""

    tokens: tuple[int, ...]
    who: Identity
    whose: Text


SAME = Text("same model, adapter and tenant", "模型、适配器、租户都相同")


def comers(x: Cached) -> tuple[Comer, ...]:
    """The one that is found, then the ones that are not."""
    a, n = x.prompt, x.size
    other = tuple((t + 1) % 11 for t in a)
    return (
        Comer(a[:n] + other[n:], BASE, SAME),
        Comer(a, OTHER_ADAPTER, Text("another adapter", "另一个适配器")),
        Comer(a, Identity("m1", salt="S2"), Text("another tenant", "另一个租户")),
        Comer(other[:1] + a[1:], BASE, SAME),
        Comer(a[n:] + a[:n], BASE, SAME),
    )


@lru_cache(maxsize=512)
def _found(x: Cached) -> tuple[int, ...]:
    """Blocks that each comer finds."""
    names = set(block_hashes(x.prompt, x.size, BASE))
    return tuple(matched_blocks(block_hashes(comer.tokens, x.size, comer.who), names) for comer in comers(x))


def _written(tokens: tuple[int, ...], size: int) -> str:
    return " | ".join(" ".join(map(str, tokens[i : i + size])) for i in range(0, len(tokens), size))


def _options(x: Cached) -> tuple[Text, ...]:
    offered = [comers(x)[i] for i in x.order]
    return tuple(
        Told("{tokens}, {whose}", "{tokens}，{whose}").on(c, tokens=_written(c.tokens, x.size)) for c in offered
    )


def _comer(which: int) -> Callable[[Cached], float]:
    return lambda x: place(x.order, which)


FOUND: Question[Cached] = Question(
    slug="found",
    title=Text("Which prompt finds a block?", "哪个提示能命中？"),
    prompt=Told(
        "In the prefix cache lie the blocks of the prompt {written} (blocks of {size} tokens). One of these "
        "prompts finds a block there. Which?",
        "前缀缓存里有提示 {written} 的块（每块 {size} 个 token）。下面只有一个提示能在其中找到块。是哪一个？",
    ),
    form=Form(
        (
            Whole("first", Text("First token", "第一个 token"), 0, 10),
            Whole("step", Text("Step from token to token", "相邻 token 之差"), 1, 10),
            Whole("size", SIZE.label, 2, 4),
        )
    ),
    inputs=Cached(3, 7, 3),
    invent=lambda rng: Cached(rng.randrange(11), rng.randint(1, 10), rng.choice((2, 3, 4))),
    formula=lambda x: place(x.order, max(range(5), key=_found(x).__getitem__)),
    slips=(
        Slip(
            "adapter",
            Text("Overlooked the adapter", "忽略了适配器"),
            _comer(1),
            Text(
                "The tokens are the same, but under another adapter they have other K and V. The adapter is part "
                "of the name.",
                "token 相同，但换了适配器，K、V 就不同。名字里含有适配器。",
            ),
        ),
        Slip(
            "salt",
            Text("Overlooked the tenant", "忽略了租户"),
            _comer(2),
            Text(
                "K and V would be the same, but tenants are kept apart: the salt is part of the name.",
                "K、V 会相同，但租户之间要隔开：名字里含有盐。",
            ),
        ),
        Slip(
            "first_token",
            Text("Overlooked the first token", "忽略了第一个 token"),
            _comer(3),
            Text(
                "Its first token is another one, so block 0 has another name, and through it block 1 as well.",
                "第一个 token 换了，第 0 块的名字就变了，第 1 块也随之改变。",
            ),
        ),
        Slip(
            "moved",
            Text("Looked at the tokens of a block alone", "只看块内的 token"),
            _comer(4),
            Text(
                "The same blocks in another order: what stands before a block is part of its name.",
                "同样的块，次序换了：块前面的内容也是名字的一部分。",
            ),
        ),
    ),
    working=Text(
        "A name is made of the name before it, of model, adapter and salt, and of the block’s own tokens. Only "
        "block 0 of one prompt agrees in all of them.",
        "名字由前一块的名字、模型、适配器、盐和本块的 token 算出。只有一个提示的第 0 块在这些上全部相同。",
    ),
    way=lambda x: Scenario(Arrival.SAME, 8, 4, (), 4, 4),
    reply=Pick(_options),
    rows=(
        Line(
            Text("In the name of block 0", "第 0 块的名字里"),
            Text("model, adapter, salt; its tokens", "模型、适配器、盐；块内的 token"),
            "{block_0}",
        ),
        Line(
            Text("In the name of block 1", "第 1 块的名字里"),
            Text("the same, and block 0’s name", "同上，再加第 0 块的名字"),
            "{written}",
        ),
        Line(
            Text("Blocks that the five prompts find", "五个提示各找到几块"),
            Text("names compared", "比较名字"),
            "{found}",
        ),
    ),
)


# --- which names change


@dataclass(frozen=True)
class Change:
    """A prompt of `blocks` full blocks; the token at `index` is replaced."""

    blocks: int
    size: int
    index: int

    @property
    def n_tokens(self) -> int:
        return self.blocks * self.size

    @property
    def last(self) -> int:
        """The last position."""
        return self.n_tokens - 1

    @property
    def at(self) -> int:
        """The block of the edit."""
        return self.index // self.size

    @property
    def behind(self) -> tuple[int, ...]:
        """The blocks from the edit on."""
        return tuple(range(self.at, self.blocks))

    @property
    def all(self) -> tuple[int, ...]:
        return tuple(range(self.blocks))


@lru_cache(maxsize=512)
def _renamed(x: Change) -> Answer:
    """Change by change, block by block: 1 where the name is another one."""
    prompt = tuple((7 * i + 3) % 11 for i in range(x.n_tokens))
    before = block_hashes(prompt, x.size, BASE)
    edited = (*prompt[: x.index], (prompt[x.index] + 1) % 11, *prompt[x.index + 1 :])
    after = (
        block_hashes(edited, x.size, BASE),
        block_hashes(prompt, x.size, OTHER_ADAPTER),
        block_hashes((*prompt, 5), x.size, BASE)[: x.blocks],
    )
    return tuple(float(a != b) for names in after for a, b in zip(names, before, strict=True))


def _marks(x: Change, edit: Callable[[int], bool], adapter: bool = True, appended: bool = False) -> Answer:
    """The answer where the edit, the adapter and the append rename these blocks."""
    rows = ([edit(b) for b in x.all], [adapter for _ in x.all], [appended and b == x.blocks - 1 for b in x.all])
    return tuple(float(mark) for row in rows for mark in row)


_OWN_BLOCK: Slip[Change] = Slip(
    "own_block",
    Text("Renamed only the edited block", "只改了被修改的块"),
    lambda x: _marks(x, lambda b: b == x.at),
    Told(
        "Every block from block {at} on has the edited one in its name, through the name of the block before.",
        "从第 {at} 块起，每一块的名字都经由前一块的名字包含了被修改的块。",
    ),
)
_APPENDED: Slip[Change] = Slip(
    "appended",
    Text("Renamed the last block at an append", "追加时也改了末块"),
    lambda x: _marks(x, lambda b: b >= x.at, appended=True),
    Text(
        "The appended token opens a block of its own: what comes after a block is not in its name.",
        "追加的 token 另开一块：块后面的内容不在它的名字里。",
    ),
)


def _outside(x: Change) -> Iterator[Complaint]:
    if x.index > x.last:
        yield about(INDEX, f"must be at most {x.last}; it reads {x.index}.", f"最大为 {x.last}；现在是 {x.index}。")


def _invent_change(rng: random.Random) -> Change:
    blocks, size = rng.choice((4, 5, 6)), rng.choice((4, 8, 16))
    return Change(blocks, size, rng.randrange(size, (blocks - 2) * size))


RENAMED: Question[Change] = Question(
    slug="renamed",
    title=Text("Which names change", "哪些名字会变"),
    prompt=Told(
        "A prompt of {n_tokens} tokens fills {blocks:block} of {size}. Which blocks get another name in the prefix "
        "cache, for each of three changes? Tick them.",
        "一段 {n_tokens} 个 token 的提示装满 {blocks} 块，每块 {size} 个。下面三种改动，各会改变哪些块在前缀缓存里"
        "的名字？请勾选。",
    ),
    form=Form((Whole("blocks", Text("Blocks", "块数"), 3, 8), Whole("size", SIZE.label, 2, 64), INDEX), unfit=_outside),
    inputs=Change(4, 4, 5),
    invent=_invent_change,
    formula=_renamed,
    slips=(
        _OWN_BLOCK,
        Slip(
            "before",
            Text("Renamed the blocks before", "改了前面的块"),
            lambda x: _marks(x, lambda b: b <= x.at),
            Told(
                "The blocks before block {at} know nothing of what comes later; those behind it do change.",
                "第 {at} 块之前的块与后文无关；后面的才会变。",
            ),
        ),
        Slip(
            "adapter",
            Text("Left the adapter out of the name", "名字里漏了适配器"),
            lambda x: _marks(x, lambda b: b >= x.at, adapter=False),
            Text(
                "Another adapter makes other K and V from the same tokens, so every name changes.",
                "换了适配器，同样的 token 会得到不同的 K、V，所以每个名字都变。",
            ),
        ),
        _APPENDED,
        together(_OWN_BLOCK, _APPENDED, lambda x: _marks(x, lambda b: b == x.at, appended=True)),
    ),
    working=Told(
        "The edit is in block {at} and reaches all behind it; the adapter is in every name; an append changes no "
        "full block.",
        "修改在第 {at} 块，影响它和后面所有块；适配器在每个名字里；追加不改变任何满块。",
    ),
    way=lambda _: EDITED,
    reply=Tick(
        (
            Told("token at position {index} replaced", "替换位置 {index} 的 token"),
            Text("another adapter", "换适配器"),
            Text("a token appended", "追加一个 token"),
        ),
        lambda x: tuple(Text(f"block {b}", f"第 {b} 块") for b in x.all),
    ),
    rows=(
        Line(Text("Block of the edit", "修改所在的块"), "⌊{index} ÷ {size}⌋", "{at}"),
        Line(Text("Renamed by the edit", "修改使之改名的"), Text("it and all behind it", "它和后面所有块"), "{behind}"),
        Line(Text("Renamed by the adapter", "适配器使之改名的"), Text("all", "全部"), "{all}"),
        Line(
            Text("Renamed by the append", "追加使之改名的"),
            Text("it comes after all of them", "它在所有这些块之后"),
            Text("none", "没有"),
        ),
    ),
)
