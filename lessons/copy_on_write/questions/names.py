"""The names of blocks: which prompt finds one, and which names an edit changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from engine.prefix_cache import Identity, block_hashes, matched_blocks
from engine.shared_blocks import Arrival, Scenario
from lessons.copy_on_write.questions.fields import INDEX, SIZE, form
from lessons.kit.controls import BadInput, Whole
from lessons.kit.form import Form
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip, together
from lessons.kit.reply import Answer, Pick, Tick
from lessons.kit.text import Text

BASE = Identity("m1", salt="S1")


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
        Comer(a, Identity("m1", adapter="X", salt="S1"), Text("another adapter", "另一个适配器")),
        Comer(a, Identity("m1", salt="S2"), Text("another tenant", "另一个租户")),
        Comer(other[:1] + a[1:], BASE, SAME),
        Comer(a[n:] + a[:n], BASE, SAME),
    )


def _order(x: Cached) -> tuple[int, ...]:
    return shuffled(5, x.first, x.step, x.size)


@lru_cache(maxsize=512)
def found(x: Cached) -> tuple[int, ...]:
    """Blocks that each comer finds."""
    names = set(block_hashes(x.prompt, x.size, BASE))
    return tuple(matched_blocks(block_hashes(comer.tokens, x.size, comer.who), names) for comer in comers(x))


def _said(tokens: tuple[int, ...], size: int) -> str:
    return " | ".join(" ".join(map(str, tokens[i : i + size])) for i in range(0, len(tokens), size))


def _options(x: Cached) -> tuple[Text, ...]:
    return tuple(
        Text(f"{_said(c.tokens, x.size)}, {c.whose.en}", f"{_said(c.tokens, x.size)}，{c.whose.zh}")
        for c in (comers(x)[i] for i in _order(x))
    )


def _comer(which: int) -> Callable[[Cached], Answer]:
    return lambda x: (place(_order(x), which),)


FOUND: Question[Cached] = Question(
    slug="found",
    title=Text("Which prompt finds a block?", "哪个提示能命中？"),
    prompt=lambda x: Text(
        f"In the prefix cache lie the blocks of the prompt {_said(x.prompt, x.size)} (blocks of {x.size} tokens). "
        "One of these prompts finds a block there. Which?",
        f"前缀缓存里有提示 {_said(x.prompt, x.size)} 的块（每块 {x.size} 个 token）。下面只有一个提示能在其中找到块。"
        "是哪一个？",
    ),
    form=form(
        Cached,
        Whole("first", Text("First token", "第一个 token"), 0, 10),
        Whole("step", Text("Step from token to token", "相邻 token 之差"), 1, 10),
        Whole("size", SIZE.label, 2, 4),
    ),
    inputs=Cached(3, 7, 3),
    invent=lambda rng: Cached(rng.randrange(11), rng.randint(1, 10), rng.choice((2, 3, 4))),
    formula=lambda x: (place(_order(x), max(range(5), key=found(x).__getitem__)),),
    slips=(
        Slip(
            "adapter",
            Text("Overlooked the adapter", "忽略了适配器"),
            _comer(1),
            Text(
                "The tokens are the same, but under another adapter they have other K and V. The adapter is part of "
                "the name.",
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
        "A name is made of the name before it, of model, adapter and salt, and of the block’s own tokens. Only block "
        "0 of one prompt agrees in all of them.",
        "名字由前一块的名字、模型、适配器、盐和本块的 token 算出。只有一个提示的第 0 块在这些上全部相同。",
    ),
    way=lambda x: Scenario(Arrival.SAME, 8, 4, (), 4, 4),
    reply=Pick(_options),
    rows=lambda x: (
        Row(
            Text("In the name of block 0", "第 0 块的名字里"),
            Text("model, adapter, salt; its tokens", "模型、适配器、盐；块内的 token"),
            _said(x.prompt[: x.size], x.size),
        ),
        Row(
            Text("In the name of block 1", "第 1 块的名字里"),
            Text("the same, and block 0’s name", "同上，再加第 0 块的名字"),
            _said(x.prompt, x.size),
        ),
        Row(
            Text("Blocks that the five prompts find", "五个提示各找到几块"),
            Text("names compared", "比较名字"),
            ", ".join(str(found(x)[i]) for i in _order(x)),
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


CHANGES = 3


@lru_cache(maxsize=512)
def _renamed(x: Change) -> Answer:
    """Change by change, block by block: 1 where the name is another one."""
    prompt = tuple((7 * i + 3) % 11 for i in range(x.blocks * x.size))
    before = block_hashes(prompt, x.size, BASE)
    edited = (*prompt[: x.index], (prompt[x.index] + 1) % 11, *prompt[x.index + 1 :])
    after = (
        block_hashes(edited, x.size, BASE),
        block_hashes(prompt, x.size, Identity("m1", adapter="X", salt="S1")),
        block_hashes((*prompt, 5), x.size, BASE)[: x.blocks],
    )
    return tuple(float(a != b) for names in after for a, b in zip(names, before, strict=True))


def _marks(x: Change, edit: Callable[[int], bool], adapter: bool = True, appended: bool = False) -> Answer:
    rows = (
        [edit(b) for b in range(x.blocks)],
        [adapter] * x.blocks,
        [appended and b == x.blocks - 1 for b in range(x.blocks)],
    )
    return tuple(float(mark) for row in rows for mark in row)


def _at(x: Change) -> int:
    return x.index // x.size


_OWN_BLOCK: Slip[Change] = Slip(
    "own_block",
    Text("Renamed only the edited block", "只改了被修改的块"),
    lambda x: _marks(x, lambda b: b == _at(x)),
    lambda x: Text(
        f"Every block from block {_at(x)} on has the edited one in its name, through the name of the block before.",
        f"从第 {_at(x)} 块起，每一块的名字都经由前一块的名字包含了被修改的块。",
    ),
)
_APPENDED: Slip[Change] = Slip(
    "appended",
    Text("Renamed the last block at an append", "追加时也改了末块"),
    lambda x: _marks(x, lambda b: b >= _at(x), appended=True),
    Text(
        "The appended token opens a block of its own: what comes after a block is not in its name.",
        "追加的 token 另开一块：块后面的内容不在它的名字里。",
    ),
)


def _change(values: Mapping[str, Any]) -> Change:
    x = Change(values["blocks"], values["size"], values["index"])
    if x.index >= x.blocks * x.size:
        raise BadInput(
            Text(
                f"**{INDEX.label.en}** must be at most {x.blocks * x.size - 1}; it reads {x.index}.",
                f"**{INDEX.label.zh}**最大为 {x.blocks * x.size - 1}；现在是 {x.index}。",
            )
        )
    return x


def _invent_change(rng: random.Random) -> Change:
    blocks, size = rng.choice((4, 5, 6)), rng.choice((4, 8, 16))
    return Change(blocks, size, rng.randrange(size, (blocks - 2) * size))


RENAMED: Question[Change] = Question(
    slug="renamed",
    title=Text("Which names change", "哪些名字会变"),
    prompt=lambda x: Text(
        f"A prompt of {x.blocks * x.size} tokens fills {x.blocks} block{'s' * (x.blocks != 1)} of {x.size}. Which "
        "blocks get another name in the prefix cache, for each of three changes? Tick them.",
        f"一段 {x.blocks * x.size} 个 token 的提示装满 {x.blocks} 块，每块 {x.size} 个。下面三种改动，各会改变哪些块"
        "在前缀缓存里的名字？请勾选。",
    ),
    form=Form(
        (Whole("blocks", Text("Blocks", "块数"), 3, 8), Whole("size", SIZE.label, 2, 64), INDEX),
        _change,
        lambda x: {"blocks": x.blocks, "size": x.size, "index": x.index},
    ),
    inputs=Change(4, 4, 5),
    invent=_invent_change,
    formula=_renamed,
    slips=(
        _OWN_BLOCK,
        Slip(
            "before",
            Text("Renamed the blocks before", "改了前面的块"),
            lambda x: _marks(x, lambda b: b <= _at(x)),
            lambda x: Text(
                f"The blocks before block {_at(x)} know nothing of what comes later; those behind it do change.",
                f"第 {_at(x)} 块之前的块与后文无关；后面的才会变。",
            ),
        ),
        Slip(
            "adapter",
            Text("Left the adapter out of the name", "名字里漏了适配器"),
            lambda x: _marks(x, lambda b: b >= _at(x), adapter=False),
            Text(
                "Another adapter makes other K and V from the same tokens, so every name changes.",
                "换了适配器，同样的 token 会得到不同的 K、V，所以每个名字都变。",
            ),
        ),
        _APPENDED,
        together(_OWN_BLOCK, _APPENDED, lambda x: _marks(x, lambda b: b == _at(x), appended=True)),
    ),
    working=lambda x: Text(
        f"The edit is in block {_at(x)} and reaches all behind it; the adapter is in every name; an append changes "
        "no full block.",
        f"修改在第 {_at(x)} 块，影响它和后面所有块；适配器在每个名字里；追加不改变任何满块。",
    ),
    way=lambda x: Scenario(Arrival.SAME, 12, 4, ("A",), 6, 6),
    reply=Tick(
        lambda x: (
            Text(f"token at position {x.index} replaced", f"替换位置 {x.index} 的 token"),
            Text("another adapter", "换适配器"),
            Text("a token appended", "追加一个 token"),
        ),
        lambda x: tuple(Text(f"block {b}", f"第 {b} 块") for b in range(x.blocks)),
    ),
    rows=lambda x: (
        Row(Text("Block of the edit", "修改所在的块"), f"⌊{x.index} ÷ {x.size}⌋", str(_at(x))),
        Row(
            Text("Renamed by the edit", "修改使之改名的"),
            Text("it and all behind it", "它和后面所有块"),
            ", ".join(str(b) for b in range(_at(x), x.blocks)),
        ),
        Row(
            Text("Renamed by the adapter", "适配器使之改名的"),
            Text("all", "全部"),
            ", ".join(map(str, range(x.blocks))),
        ),
        Row(
            Text("Renamed by the append", "追加使之改名的"),
            Text("it comes after all of them", "它在所有这些块之后"),
            Text("none", "没有"),
        ),
    ),
)
