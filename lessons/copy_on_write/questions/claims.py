"""Find the error: how many tokens stand before an edit (an ordinal taken for a position), and who has to copy."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.prefix_cache import reusable_tokens
from engine.shared_blocks import MOST_TOKENS, Arrival, Scenario
from lessons.copy_on_write.questions.fields import LENGTH, PROMPT, SIZE, ceil, form
from lessons.kit.controls import BadInput, Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.question import Question, Row
from lessons.kit.text import Text
from lessons.kit.told import Told

ASKED = Text("Which claim is wrong, and what should it say?", "哪条说法是错的？应当怎么说？")


# --- before the edit


@dataclass(frozen=True)
class Replaced:
    """Token number `k` of a cached prompt, counted from 1, is replaced."""

    prompt: int
    k: int
    size: int

    @property
    def found(self) -> int:
        return reusable_tokens(self.prompt, self.k - 1, self.size)


_K = Whole("k", Text("Number of the token replaced, from 1", "被替换的是第几个 token（从 1 数起）"), 2, 100_000)


def _replaced(values: Mapping[str, Any]) -> Replaced:
    x = Replaced(values["prompt"], values["k"], values["size"])
    if x.k > x.prompt or (x.k - 1) % x.size == 0:
        raise BadInput(
            Text(
                f"**{_K.label.en}** must be at most {x.prompt}, and not the first of a block of {x.size}; it reads "
                f"{x.k}.",
                f"**{_K.label.zh}**不超过 {x.prompt}，也不要是大小 {x.size} 的块里的第一个；现在是 {x.k}。",
            )
        )
    return x


def _invent_replaced(rng: random.Random) -> Replaced:
    while True:
        size = rng.choice((8, 16, 32))
        k = size * rng.randint(1, 6) + rng.randint(3, size)
        x = Replaced(k + size + rng.randint(2, 3 * size), k, size)
        if len(set(_founds(x))) == len(_founds(x)) and len(set(_counts(x))) == len(_counts(x)):
            return x


def _founds(x: Replaced) -> tuple[int, ...]:
    """What the cache finds, and what one may take for it."""
    return x.found, x.k - 1, x.found + x.size, x.prompt - x.size


def _counts(x: Replaced) -> tuple[int, ...]:
    """What is computed, and what one may take for it."""
    return x.prompt - x.found, 1, x.size, x.prompt - x.k + 1


def _stay(n: str, zh: str) -> Text:
    return Text(f"The K and V of {n} before it stay right.", f"它前面{zh}的 K、V 仍然正确。")


def _found(n: int) -> Text:
    return Text(f"The cache finds {n} tokens of the new prompt.", f"缓存能找到新提示的 {n} 个 token。")


def _computed(n: int) -> Text:
    return Text(f"{n} token{'s are' if n != 1 else ' is'} computed again.", f"要重新计算 {n} 个 token。")


_EDIT: Finding[Replaced] = Finding(
    (
        Wrong(
            lambda x: _stay(f"the {x.k} tokens", f" {x.k} 个 token "),
            lambda x: _stay(f"the {x.k - 1} tokens", f" {x.k - 1} 个 token "),
            (
                Correction(
                    "one_more",
                    Text("One more instead of one less", "多了一个，而不是少一个"),
                    lambda x: _stay(f"the {x.k + 1} tokens", f" {x.k + 1} 个 token "),
                    lambda x: Text(
                        f"Token number {x.k} is at position {x.k - 1}; before it are positions 0 to {x.k - 2}.",
                        f"第 {x.k} 个 token 在位置 {x.k - 1}；它前面是位置 0 到 {x.k - 2}。",
                    ),
                ),
                Correction(
                    "own_block",
                    Text("Looked into its block only", "只看了它所在的块"),
                    lambda x: Text(
                        f"Only the K and V of the {(x.k - 1) % x.size} tokens before it in its own block stay right.",
                        f"只有它前面同一块里 {(x.k - 1) % x.size} 个 token 的 K、V 仍然正确。",
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
            lambda x: _found(x.found),
            (lambda x: _found(_founds(x)[1]), lambda x: _found(_founds(x)[2]), lambda x: _found(_founds(x)[3])),
            lambda x: Text(
                f"This one is right: full blocks before the edit, ⌊{x.k - 1} ÷ {x.size}⌋ × {x.size}.",
                f"这条是对的：修改处之前的满块，⌊{x.k - 1} ÷ {x.size}⌋ × {x.size}。",
            ),
        ),
        Sound(
            "computed",
            Text("Doubted what is computed", "怀疑了要计算的"),
            lambda x: _computed(_counts(x)[0]),
            (
                lambda x: _computed(_counts(x)[1]),
                lambda x: _computed(_counts(x)[2]),
                lambda x: _computed(_counts(x)[3]),
            ),
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
    prompt=lambda x: (
        Text(
            f"A causal model has cached a prompt of {x.prompt} token{'s' * (x.prompt != 1)} in blocks of {x.size}. "
            f"It comes again with its token number {x.k} (counted from 1) replaced. ",
            f"因果模型缓存了一段 {x.prompt} 个 token 的提示，每块 {x.size} 个。它再次到来，但第 {x.k} 个 token（从 1 "
            "数起）换掉了。",
        )
        + ASKED
    ),
    form=Form((PROMPT, _K, SIZE), _replaced, lambda x: {"prompt": x.prompt, "k": x.k, "size": x.size}),
    inputs=Replaced(200, 100, 16),
    invent=_invent_replaced,
    formula=_EDIT.answer,
    slips=_EDIT.slips,
    working=lambda x: Text(
        f"Number {x.k} is position {x.k - 1}, so {x.k - 1} token{'s stand' if x.k != 2 else ' stands'} before it, "
        f"{x.found} of them in full blocks.",
        f"第 {x.k} 个就是位置 {x.k - 1}，前面有 {x.k - 1} 个 token，其中 {x.found} 个在满块里。",
    ),
    way=lambda x: Scenario(Arrival.SAME, MOST_TOKENS, 4, ("A",), 6, 6),
    reply=_EDIT.reply,
    rows=lambda x: (
        Row(Text("Tokens before the edit", "修改处之前的 token"), f"{x.k} − 1", str(x.k - 1)),
        Row(Text("Of these in full blocks", "其中在满块里的"), f"⌊{x.k - 1} ÷ {x.size}⌋ × {x.size}", str(x.found)),
        Row(Text("Computed again", "重新计算"), f"{x.prompt} − {x.found}", str(x.prompt - x.found)),
    ),
)


# --- who copies


@dataclass(frozen=True)
class Fork:
    """B is forked from A's `length` tokens; then A appends one token, and then B."""

    length: int
    size: int

    @property
    def blocks(self) -> int:
        return ceil(self.length, self.size)

    @property
    def fill(self) -> int:
        return self.length % self.size


def _fork(values: Mapping[str, Any]) -> Fork:
    x = Fork(values["length"], values["size"])
    if x.fill == 0:
        raise BadInput(
            Text(
                f"**{LENGTH.label.en}** must not fill the last block: no multiple of {x.size}; it reads {x.length}.",
                f"**{LENGTH.label.zh}**不能恰好装满末块：不要是 {x.size} 的倍数；现在是 {x.length}。",
            )
        )
    return x


def _invent_fork(rng: random.Random) -> Fork:
    size = rng.choice((4, 5, 6, 8, 16))
    return Fork(size * rng.randint(1, 5) + rng.randint(2, size - 1), size)


def _copied(n: str, zh: str) -> Text:
    return Text(f"When A appends, {n} copied.", f"A 追加时，{zh}。")


def _in_use(n: int) -> Text:
    return Text(f"When both have appended, {n} blocks are in use.", f"双方都追加之后，一共占用 {n} 块。")


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
            lambda x: _copied(f"{x.fill} slots are", f"复制 {x.fill} 个槽位"),
            (
                lambda x: _copied(f"all {x.length} slots in use are", f"复制全部 {x.length} 个已用槽位"),
                lambda x: _copied("nothing is", "什么也不复制"),
                lambda x: _copied("only the new token is", "只复制新 token"),
            ),
            Told(
                "This one is right: {length} mod {size} = {fill} slots of the last block are in use, and B needs "
                "them, too.",
                "这条是对的：{length} mod {size} = {fill}，末块已用这么多槽位，B 也要用。",
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
                    lambda x: Text(
                        f"When B appends after that, it writes in place behind A’s token, at offset {x.fill + 1}.",
                        f"之后 B 追加时直接写入，排在 A 的 token 后面，偏移 {x.fill + 1}。",
                    ),
                    Told(
                        "A’s token lies in A’s copy. In B’s block offset {fill} is free.",
                        "A 的 token 在 A 的副本里。B 的块里，偏移 {fill} 还空着。",
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
                        "B’s last block holds {fill} of {size} and is B’s own: there is room.",
                        "B 的末块放了 {fill} 个（共 {size} 个槽位），而且归 B 独有：放得下。",
                    ),
                ),
            ),
        ),
        Sound(
            "in_use",
            Text("Doubted the blocks in use", "怀疑了占用的块数"),
            lambda x: _in_use(x.blocks + 1),
            (lambda x: _in_use(x.blocks), lambda x: _in_use(x.blocks + 2), lambda x: _in_use(2 * x.blocks + 1)),
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
    prompt=lambda x: (
        Text(
            f"A has {x.length} token{'s' * (x.length != 1)} in blocks of {x.size}; B is forked from it. Then A "
            "appends a token, and after that B appends one. ",
            f"A 有 {x.length} 个 token，每块 {x.size} 个；B 从它分叉。然后 A 追加一个 token，之后 B 追加一个。",
        )
        + ASKED
    ),
    form=Form(
        form(Fork, Whole("length", LENGTH.label, 1, 200), Whole("size", SIZE.label, 3, 32)).controls,
        _fork,
        lambda x: {"length": x.length, "size": x.size},
    ),
    inputs=Fork(10, 4),
    invent=_invent_fork,
    formula=_COPIES.answer,
    slips=_COPIES.slips,
    working=Text(
        "A’s copy takes A’s table off the old block: its count falls from 2 to 1, and who is alone writes in place.",
        "A 取走副本后，它的表不再引用原块：计数从 2 降到 1，独自引用的可以直接写入。",
    ),
    way=lambda x: Scenario(Arrival.FORK, min(x.fill, 3) + 4, 4, ("A", "B"), 4, 2),
    reply=_COPIES.reply,
    rows=lambda x: (
        Row(Text("Tables that name the last block, at first", "起初引用末块的表"), Text("A and B", "A 和 B"), str(2)),
        Row(
            Text("When A appends", "A 追加时"),
            f"{x.length} mod {x.size}",
            Text(f"{x.fill} slots copied", f"复制 {x.fill} 个槽位"),
        ),
        Row(Text("Tables that name it then", "这时引用它的表"), Text("B alone", "只有 B"), str(1)),
        Row(
            Text("When B appends", "B 追加时"),
            Text("nobody else needs the block", "没有别人用这块"),
            Text("in place", "直接写入"),
        ),
    ),
)
