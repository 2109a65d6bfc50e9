"""Find the error: how many tokens stand before an edit (an ordinal taken for a position), and who has to copy."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import Arrival, Scenario
from lessons.copy_on_write.questions.fields import ASKED, EDITED, LENGTH, PROMPT, SIZE, InBlocks
from lessons.kit.controls import Complaint, Whole, about
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told

# --- before the edit


@dataclass(frozen=True)
class Replaced:
    """Token number `k` of a cached prompt, counted from 1, is replaced."""

    prompt: int
    k: int
    size: int

    @property
    def before(self) -> int:
        """Tokens before it, and so its position."""
        return self.k - 1

    @property
    def in_block(self) -> int:
        """Tokens before it in its own block."""
        return self.before % self.size

    @property
    def found(self) -> int:
        return reusable_tokens(self.prompt, self.before, self.size)

    @property
    def founds(self) -> tuple[int, ...]:
        """What the cache finds, and what one may take for it."""
        return self.found, self.before, self.found + self.size, self.prompt - self.size

    @property
    def computed(self) -> tuple[int, ...]:
        """What is computed, and what one may take for it."""
        return self.prompt - self.found, 1, self.size, self.prompt - self.before


_K = Whole("k", Text("Number of the token replaced, from 1", "被替换的是第几个 token（从 1 数起）"), 2, 100_000)


def _not_within(x: Replaced) -> Iterator[Complaint]:
    if x.k > x.prompt or x.in_block == 0:
        yield about(
            _K,
            f"must be at most {x.prompt}, and not the first of a block of {x.size}; it reads {x.k}.",
            f"不超过 {x.prompt}，也不要是大小 {x.size} 的块里的第一个；现在是 {x.k}。",
        )


def _invent_replaced(rng: random.Random) -> Replaced:
    while True:
        size = rng.choice((8, 16, 32))
        k = size * rng.randint(1, 6) + rng.randint(3, size)
        x = Replaced(k + size + rng.randint(2, 3 * size), k, size)
        if len({*x.founds}) == len(x.founds) and len({*x.computed}) == len(x.computed):
            return x


def _stay(more: int) -> Callable[[Replaced], Text]:
    said = Told("The K and V of the {n:token} before it stay right.", "它前面 {n} 个 token 的 K、V 仍然正确。")
    return lambda x: said.on(n=x.k + more)


def _found(i: int) -> Callable[[Replaced], Text]:
    said = Told("The cache finds {n:token} of the new prompt.", "缓存能找到新提示的 {n} 个 token。")
    return lambda x: said.on(n=x.founds[i])


def _computed(i: int) -> Callable[[Replaced], Text]:
    said = Told("{n:token} {n|is|are} computed again.", "要重新计算 {n} 个 token。")
    return lambda x: said.on(n=x.computed[i])


_EDIT: Finding[Replaced] = Finding(
    (
        Wrong(
            _stay(0),
            _stay(-1),
            (
                Correction(
                    "one_more",
                    Text("One more instead of one less", "多了一个，而不是少一个"),
                    _stay(1),
                    lambda x: Told(
                        "Token number {k} is at position {before}; before it are positions 0 to {last}.",
                        "第 {k} 个 token 在位置 {before}；它前面是位置 0 到 {last}。",
                    ).on(x, last=x.before - 1),
                ),
                Correction(
                    "own_block",
                    Text("Looked into its block only", "只看了它所在的块"),
                    Told(
                        "Only the K and V of the {in_block:token} before it in its own block stay right.",
                        "只有它前面同一块里 {in_block} 个 token 的 K、V 仍然正确。",
                    ),
                    Text(
                        "Whatever stands before the edit depends on nothing after it, in every block.",
                        "修改处之前的一切都不依赖后文，哪一块都一样。",
                    ),
                ),
            ),
        ),
        Sound(
            "found",
            Text("Doubted what is found", "怀疑了能找到的"),
            _found(0),
            tuple(map(_found, (1, 2, 3))),
            Told(
                "This one is right: full blocks before the edit, ⌊{before} ÷ {size}⌋ × {size}.",
                "这条是对的：修改处之前的满块，⌊{before} ÷ {size}⌋ × {size}。",
            ),
        ),
        Sound(
            "computed",
            Text("Doubted what is computed", "怀疑了要计算的"),
            _computed(0),
            tuple(map(_computed, (1, 2, 3))),
            Told(
                "This one is right: {prompt} less the {found} found in full blocks.",
                "这条是对的：{prompt} 减去在满块里找到的 {found}。",
            ),
        ),
        Sound(
            "names",
            Text("Doubted the later names", "怀疑了后面的名字"),
            Text(
                "Blocks behind the edit get another name, though their own tokens are the same.",
                "修改处后面的块，自己的 token 没变，名字却变了。",
            ),
            (
                Text("They keep their names, for their tokens are the same.", "token 没变，名字也不变。"),
                Text("Only the next one gets another name.", "只有紧接着的一块变了名字。"),
                Text("They keep their names, but move by one block.", "名字不变，只是往后挪一块。"),
            ),
            Text(
                "This one is right: each name contains the name of the block before it.",
                "这条是对的：每个名字都包含前一块的名字。",
            ),
        ),
    ),
    lambda x: (x.prompt, x.k, x.size),
)

EDIT_CLAIMS: Question[Replaced] = Question(
    slug="edit_claims",
    title=Text("Find the error: before an edit", "找错：修改处之前"),
    prompt=Told(
        "A causal model has cached a prompt of {prompt:token} in blocks of {size}. It comes again with its token "
        "number {k} (counted from 1) replaced. ",
        "因果模型缓存了一段 {prompt} 个 token 的提示，每块 {size} 个。它再次到来，但第 {k} 个 token（从 1 数起）换"
        "掉了。",
    )
    + ASKED,
    form=Form((PROMPT, _K, SIZE), unfit=_not_within),
    inputs=Replaced(200, 100, 16),
    invent=_invent_replaced,
    formula=_EDIT.answer,
    slips=_EDIT.slips,
    working=Told(
        "Number {k} is position {before}, so {before:token} {before|stands|stand} before it, {found} of them in "
        "full blocks.",
        "第 {k} 个就是位置 {before}，前面有 {before} 个 token，其中 {found} 个在满块里。",
    ),
    way=lambda _: EDITED,
    reply=_EDIT.reply,
    rows=(
        Line(Text("Tokens before the edit", "修改处之前的 token"), "{k} − 1", "{before}"),
        Line(Text("Of these in full blocks", "其中在满块里的"), "⌊{before} ÷ {size}⌋ × {size}", "{found}"),
        Line(Text("Computed again", "重新计算"), "{prompt} − {found}", lambda x: str(x.computed[0])),
    ),
)


# --- who copies


@dataclass(frozen=True)
class Fork(InBlocks):
    """B is forked from A's `length` tokens; then A appends one token, and then B."""

    length: int
    size: int


def _full(x: Fork) -> Iterator[Complaint]:
    if x.over == 0:
        yield about(
            LENGTH,
            f"must not fill the last block: no multiple of {x.size}; it reads {x.length}.",
            f"不能恰好装满末块：不要是 {x.size} 的倍数；现在是 {x.length}。",
        )


def _invent_fork(rng: random.Random) -> Fork:
    size = rng.choice((4, 5, 6, 8, 16))
    return Fork(size * rng.randint(1, 5) + rng.randint(2, size - 1), size)


_IN_USE = Told("When both have appended, {n} blocks are in use.", "双方都追加之后，一共占用 {n} 块。")

_COPIES: Finding[Fork] = Finding(
    (
        Sound(
            "shared",
            Text("Doubted that a fork shares all", "怀疑了分叉全部共享"),
            Told(
                "Right after the fork all {blocks} blocks are named by both tables.",
                "刚分叉时，{blocks} 块都被两张表引用。",
            ),
            (
                Text("All but the last, which B has copied.", "除末块外都是；末块 B 已复制。"),
                Text("None: B has copies of its own.", "一块也没有：B 有自己的副本。"),
                Text("Only the first, as with a prefix.", "只有第一块，就像前缀那样。"),
            ),
            Text("This one is right: a fork copies the table and nothing else.", "这条是对的：分叉只复制块表。"),
        ),
        Sound(
            "copied",
            Text("Doubted what A copies", "怀疑了 A 复制多少"),
            Told("When A appends, {over:slot} {over|is|are} copied.", "A 追加时，复制 {over} 个槽位。"),
            (
                Told(
                    "When A appends, all {length} slots in use are copied.", "A 追加时，复制全部 {length} 个已用槽位。"
                ),
                Text("When A appends, nothing is copied.", "A 追加时，什么也不复制。"),
                Text("When A appends, only the new token is copied.", "A 追加时，只复制新 token。"),
            ),
            Told(
                "This one is right: {length} mod {size} = {over:slot} of the last block {over|is|are} in use, and "
                "B needs them, too.",
                "这条是对的：{length} mod {size} = {over}，末块已用这么多槽位，B 也要用。",
            ),
        ),
        Wrong(
            Text(
                "When B appends after that, it copies its last block as well, for that was shared.",
                "之后 B 追加时，也要复制自己的末块，因为它共享过。",
            ),
            Text(
                "When B appends after that, it writes in place: B alone names that block now.",
                "之后 B 追加时直接写入：现在只有 B 引用那一块。",
            ),
            (
                Correction(
                    "with_a",
                    Text("Let B see A’s token", "让 B 看到了 A 的 token"),
                    lambda x: Told(
                        "When B appends after that, it writes in place behind A’s token, at offset {n}.",
                        "之后 B 追加时直接写入，排在 A 的 token 后面，偏移 {n}。",
                    ).on(n=x.over + 1),
                    Told(
                        "A’s token lies in A’s copy. In B’s block offset {over} is free.",
                        "A 的 token 在 A 的副本里。B 的块里，偏移 {over} 还空着。",
                    ),
                ),
                Correction(
                    "new_block",
                    Text("Gave B a block it does not need", "给 B 多开了一块"),
                    Text(
                        "When B appends after that, it opens a new block and copies nothing.",
                        "之后 B 追加时另开新块，什么也不复制。",
                    ),
                    Told(
                        "B’s last block holds {over} of {size} and is B’s own: there is room.",
                        "B 的末块放了 {over} 个（共 {size} 个槽位），而且归 B 独有：放得下。",
                    ),
                ),
            ),
        ),
        Sound(
            "in_use",
            Text("Doubted the blocks in use", "怀疑了占用的块数"),
            lambda x: _IN_USE.on(n=x.blocks + 1),
            (
                lambda x: _IN_USE.on(n=x.blocks),
                lambda x: _IN_USE.on(n=x.blocks + 2),
                lambda x: _IN_USE.on(n=2 * x.blocks + 1),
            ),
            Told(
                "This one is right: {blocks} at first, and one for A’s copy.",
                "这条是对的：起初 {blocks} 块，再加 A 的副本一块。",
            ),
        ),
    ),
    lambda x: (x.length, x.size),
)

COPY_CLAIMS: Question[Fork] = Question(
    slug="copy_claims",
    title=Text("Find the error: who copies", "找错：谁要复制"),
    prompt=Told(
        "A has {length:token} in blocks of {size}; B is forked from it. Then A appends a token, and after that B "
        "appends one. ",
        "A 有 {length} 个 token，每块 {size} 个；B 从它分叉。然后 A 追加一个 token，之后 B 追加一个。",
    )
    + ASKED,
    form=Form((Whole("length", LENGTH.label, 1, 200), Whole("size", SIZE.label, 3, 32)), unfit=_full),
    inputs=Fork(10, 4),
    invent=_invent_fork,
    formula=_COPIES.answer,
    slips=_COPIES.slips,
    working=Text(
        "A’s copy takes A’s table off the old block: its count falls from 2 to 1, and who is alone writes in place.",
        "A 取走副本后，它的表不再引用原块：计数从 2 降到 1，独自引用的可以直接写入。",
    ),
    way=lambda x: Scenario(Arrival.FORK, min(x.over, 3) + 4, 4, ("A", "B"), 4, 2),
    reply=_COPIES.reply,
    rows=(
        Line(Text("Tables that name the last block, at first", "起初引用末块的表"), Text("A and B", "A 和 B"), "2"),
        Line(
            Text("When A appends", "A 追加时"),
            "{length} mod {size}",
            Told("{over:slot} copied", "复制 {over} 个槽位"),
        ),
        Line(Text("Tables that name it then", "这时引用它的表"), Text("B alone", "只有 B"), "1"),
        Line(
            Text("When B appends", "B 追加时"),
            Text("nobody else needs the block", "没有别人用这块"),
            Text("in place", "直接写入"),
        ),
    ),
)
