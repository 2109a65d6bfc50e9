"""Find the error: a token counted from 1 where positions count from 0 (audit 0.15, 0.16, 1.32)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.kv_reuse import Scenario
from engine.prompt_edits import kept_tokens
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.questions.inputs import BLOCK, LENGTH, ORDINAL, Prompt, replacing


@dataclass(frozen=True)
class Edited:
    """A cached prompt whose token number `ordinal`, counted from 1, is replaced; a cache that keeps whole blocks."""

    length: int = 128
    ordinal: int = 100
    block: int = 16

    @property
    def before(self) -> int:
        return self.ordinal - 1

    @property
    def behind(self) -> int:
        """The replaced token and all behind it."""
        return self.length - self.before

    @property
    def blocks(self) -> int:
        """Whole blocks before it."""
        return self.before // self.block

    @property
    def in_blocks(self) -> int:
        return kept_tokens(self.before, self.block)


def _kept(n: int) -> Text:
    return Told("The {n:token} before it can be reused.", "它前面的 {n} 个 token 可以复用。").on(n=n)


def _in_blocks(q: Edited, n: int) -> Text:
    return Told(
        "A cache that keeps whole blocks of {block} can reuse {n:token}.",
        "按每 {block} 个 token 整块保留的缓存可以复用 {n} 个 token。",
    ).on(q, n=n)


def _in_layer(layer: int, n: int) -> Text:
    return Told("In layer {layer}, {n:row} of k {n|changes|change}.", "第 {layer} 层有 {n} 行 k 会变。").on(
        layer=layer, n=n
    )


FROM_ONE = Finding[Edited](
    claims=(
        Wrong(
            lambda q: _kept(q.ordinal),
            lambda q: _kept(q.before),
            (
                Correction(
                    "one_more",
                    Text("One more instead of one less", "多一个而不是少一个"),
                    lambda q: _kept(q.ordinal + 1),
                    Told(
                        "Counted from 1, token number {ordinal} stands at position {before}: as many stand before it.",
                        "从 1 数，第 {ordinal} 个 token 在位置 {before}：它前面就有这么多个。",
                    ),
                ),
                Correction(
                    "nothing_left",
                    Text("Nothing left", "一个也不留"),
                    Text("No token can be reused: the prompt has changed.", "一个 token 也不能复用：提示变了。"),
                    Told(
                        "What stands before the edit cannot see it: {before} tokens keep their k and v in every layer.",
                        "编辑位置之前的 token 看不到它：{before} 个 token 在每一层的 k、v 都仍然有效。",
                    ),
                ),
            ),
        ),
        Sound(
            "blocks",
            Text("The blocks", "整块"),
            lambda q: _in_blocks(q, q.in_blocks),
            (
                lambda q: _in_blocks(q, q.before),
                lambda q: _in_blocks(q, q.in_blocks + q.block),
                lambda q: _in_blocks(q, q.blocks),
            ),
            Told(
                "That one is true: {blocks:whole block} of {block} {blocks|lies|lie} before position {before}.",
                "这一条是对的：位置 {before} 之前有 {blocks} 个整块，每块 {block} 个 token。",
            ),
        ),
        Sound(
            "layer_0",
            Text("Layer 0", "第 0 层"),
            lambda q: _in_layer(0, 1),
            (lambda q: _in_layer(0, 0), lambda q: _in_layer(0, q.behind), lambda q: _in_layer(0, q.length)),
            Text(
                "That one is true: in layer 0, k comes from one token and its position alone.",
                "这一条是对的：第 0 层的 k 只由一个 token 和它的位置算出。",
            ),
        ),
        Sound(
            "layer_1",
            Text("Layer 1", "第 1 层"),
            lambda q: _in_layer(1, q.behind),
            (lambda q: _in_layer(1, 1), lambda q: _in_layer(1, q.behind - 1), lambda q: _in_layer(1, q.length)),
            Told(
                "That one is true: {length} − {before} = {behind} inputs have looked at the replaced token, its own "
                "included.",
                "这一条是对的：{length} − {before} = {behind} 个输入看过被替换的 token，含它自己。",
            ),
        ),
    ),
    numbers=lambda q: (float(q.length), float(q.ordinal), float(q.block)),
)


def _draw_edited(rng: random.Random) -> Edited:
    block = rng.choice((4, 8, 16, 32))
    ordinal = block * rng.randint(1, 12) + rng.randint(2, block)  # inside a block that is not the first
    return Edited(ordinal + rng.randint(3, 60), ordinal, block)


def _edited_way(q: Edited) -> Scenario:
    n = max(q.length, 3)
    return replacing(Prompt(n, min(q.before, n - 1)))


FIND_COUNTING: Question[Edited] = Question(
    slug="find_counting",
    title=Text("Find the error: counted from 1", "找出错误：从 1 数"),
    prompt=Told(
        "A causal model of several layers has cached {length:token}. Token number {ordinal}, counted from 1, is "
        "replaced. Which of these statements is wrong, and what should it say?",
        "多层因果模型缓存了 {length} 个 token。第 {ordinal} 个 token（从 1 数）被替换。下面哪一条说法是错的？应当怎么"
        "说？",
    ),
    form=Form((LENGTH, ORDINAL, BLOCK)),
    inputs=Edited(),
    invent=_draw_edited,
    formula=FROM_ONE.answer,
    slips=FROM_ONE.slips,
    working=Told(
        "Token number {ordinal} is at position {before}; only counted from 0 would {ordinal} stand before it.",
        "第 {ordinal} 个 token 在位置 {before}；只有从 0 数，它前面才会有 {ordinal} 个。",
    ),
    way=_edited_way,
    reply=FROM_ONE.reply,
    rows=(
        Line(Text("its position, from 0", "它的位置，从 0 数"), "{ordinal} − 1", "{before}"),
        Line(
            Text("tokens before it", "它前面的 token"),
            Text("as many as its position says", "与位置号相同"),
            Told("{before:token}", "{before} 个 token"),
        ),
        Line(
            Text("kept in whole blocks", "按整块保留"),
            Told("{before} / {block}, rounded down, × {block}", "{before} / {block}，向下取整，× {block}"),
            Told("{in_blocks:token}", "{in_blocks} 个 token"),
        ),
        Line(Text("rows of k lost in layer 1", "第 1 层失效的 k 行"), "{length} − {before}", "{behind}"),
    ),
)
