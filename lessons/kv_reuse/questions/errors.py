"""Find the error: a token counted from 1 where positions count from 0, and a comparison bit for bit (audit 0.6, 0.15,
0.16, 1.32)."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from functools import lru_cache

from engine.kv_reuse import Mistake
from engine.prompt_edits import ROUNDING, Experiment, Operation, kept_tokens, little_model, reuse_costs
from lessons.kit.controls import Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.format import count, fixed
from lessons.kit.question import Question, Row
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import TOKEN
from lessons.kv_reuse.questions.inputs import AT, BLOCK, LENGTH, MOST, Prompt, form, short_way
from lessons.kv_reuse.tokens import delta


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
    def in_blocks(self) -> int:
        return kept_tokens(self.before, self.block)


def _kept(n: int) -> Text:
    return Text(
        f"The {count(n)} token{'s' * (n != 1)} before it can be reused.", f"它前面的 {count(n)} 个 token 可以复用。"
    )


def _in_blocks(q: Edited, n: int) -> Text:
    return Text(
        f"A cache that keeps whole blocks of {q.block} can reuse {count(n)} token{'s' * (n != 1)}.",
        f"按每 {q.block} 个 token 整块保留的缓存可以复用 {count(n)} 个 token。",
    )


def _layer_0(n: int) -> Text:
    return Text(
        f"In layer 0, {count(n)} row{'s' * (n != 1)} of k change{'s' * (n == 1)}.", f"第 0 层有 {count(n)} 行 k 会变。"
    )


def _layer_1(n: int) -> Text:
    return Text(
        f"In layer 1, {count(n)} row{'s' * (n != 1)} of k change{'s' * (n == 1)}.", f"第 1 层有 {count(n)} 行 k 会变。"
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
                lambda q: _in_blocks(q, q.in_blocks // q.block),
            ),
            lambda q: Text(
                f"That one is true: {count(q.in_blocks // q.block)} whole blocks of {q.block} lie before position "
                f"{count(q.before)}.",
                f"这一条是对的：位置 {count(q.before)} 之前有 {count(q.in_blocks // q.block)} 个整块，每块 {q.block} "
                "个 token。",
            ),
        ),
        Sound(
            "layer_0",
            Text("Layer 0", "第 0 层"),
            lambda q: _layer_0(1),
            (lambda q: _layer_0(0), lambda q: _layer_0(q.behind), lambda q: _layer_0(q.length)),
            Text(
                "That one is true: in layer 0, k comes from one token and its position alone.",
                "这一条是对的：第 0 层的 k 只由一个 token 和它的位置算出。",
            ),
        ),
        Sound(
            "layer_1",
            Text("Layer 1", "第 1 层"),
            lambda q: _layer_1(q.behind),
            (lambda q: _layer_1(1), lambda q: _layer_1(q.behind - 1), lambda q: _layer_1(q.length)),
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


FIND_COUNTING: Question[Edited] = Question(
    slug="find_counting",
    title=Text("Find the error: counted from 1", "找出错误：从 1 数"),
    prompt=Told(
        "A causal model of several layers has cached {length:token}. Token number {ordinal}, counted from 1, is "
        "replaced. Which of these statements is wrong, and what should it say?",
        "多层因果模型缓存了 {length} 个 token。第 {ordinal} 个 token（从 1 数）被替换。下面哪一条说法是错的？应当怎么"
        "说？",
    ),
    form=form(
        Edited, LENGTH, Whole("ordinal", Text("Which token (from 1)", "第几个 token（从 1 数）"), 1, MOST), BLOCK
    ),
    inputs=Edited(),
    invent=_draw_edited,
    formula=FROM_ONE.answer,
    slips=FROM_ONE.slips,
    working=Told(
        "Token number {ordinal} is at position {before}; only counted from 0 would {ordinal} stand before it.",
        "第 {ordinal} 个 token 在位置 {before}；只有从 0 数，它前面才会有 {ordinal} 个。",
    ),
    way=lambda q: short_way(Prompt(max(q.length, 3), min(q.before, max(q.length, 3) - 1)), Operation.REPLACE),
    reply=FROM_ONE.reply,
    rows=lambda q: (
        Row(Text("its position, from 0", "它的位置，从 0 数"), f"{count(q.ordinal)} − 1", count(q.before)),
        Row(
            Text("tokens before it", "它前面的 token"),
            Text("as many as its position says", "与位置号相同"),
            TOKEN.after(count(q.before)),
        ),
        Row(
            Text("kept in whole blocks", "按整块保留"),
            Text(
                f"{count(q.before)} / {q.block}, rounded down, × {q.block}",
                f"{count(q.before)} / {q.block}，向下取整，× {q.block}",
            ),
            TOKEN.after(count(q.in_blocks)),
        ),
        Row(
            Text("rows of k lost in layer 1", "第 1 层失效的 k 行"),
            f"{count(q.length)} − {count(q.before)}",
            count(q.behind),
        ),
    ),
)


# --- how to compare

ASKED, LAYERS = 5, 3


@lru_cache(maxsize=512)
def costs(q: Prompt) -> tuple[float, float]:
    """The logit error of keeping the whole cache, and of renewing the replaced row alone."""
    tokens = Experiment(Operation.APPEND, length=q.length).tokens
    (everything,), (alone,) = reuse_costs(tokens, [q.at], ASKED, little_model(LAYERS))
    return everything, alone


def too_loose(q: Prompt) -> float:
    """The power of ten next above the error of renewing the replaced row alone."""
    alone = costs(q)[1]
    return 10.0 ** math.ceil(math.log10(alone)) if alone else 1.0


def _off(q: Prompt, how: Text, error: str) -> Text:
    return Text(f"{how.en} the next logits are off by {error}.", f"{how.zh}，接下来的 logits 偏差为 {error}。")


_ALL = Text("With the whole old cache kept", "旧缓存全部照用")
_ALONE = Text("With the replaced token’s rows alone renewed", "只更新被替换 token 的行")


def _from(at: int) -> Text:
    return Text(
        f"Computed again from position {count(at)} on, the cache is right.",
        f"从位置 {count(at)} 起重算，缓存就是对的。",
    )


def _compare(how: Text) -> Text:
    return Text(
        f"A right cache gives the logits of a full run {how.en}.", f"正确的缓存给出的 logits 与全部重算{how.zh}。"
    )


COMPARED = Finding[Prompt](
    claims=(
        Wrong(
            lambda q: _compare(
                Text("to the last bit, whatever the shapes: compare with ==", "逐位相同，与批的形状无关：用 == 比较")
            ),
            lambda q: _compare(
                Text(
                    f"up to rounding: compare with a tight tolerance, such as {fixed(ROUNDING)}",
                    f"除舍入外相同：用很紧的容差比较，例如 {fixed(ROUNDING)}",
                )
            ),
            (
                Correction(
                    "loose",
                    Text("A loose tolerance", "宽松的容差"),
                    lambda q: _compare(
                        Text(
                            f"roughly: compare with a tolerance of {delta(too_loose(q))}",
                            f"大致相同：用 {delta(too_loose(q))} 的容差比较",
                        )
                    ),
                    lambda q: Text(
                        "That lets a wrong cache pass: with the replaced token’s rows alone renewed the logits are "
                        f"off by only {delta(costs(q)[1])}.",
                        f"这会放过错误的缓存：只更新被替换 token 的行，logits 也只偏差 {delta(costs(q)[1])}。",
                    ),
                ),
                Correction(
                    "only_tokens",
                    Text("Tokens alone", "只比 token"),
                    lambda q: _compare(
                        Text("at most in the token chosen: compare that alone", "至多在选出的 token 上一致：只比较它")
                    ),
                    Text(
                        "The same token may be chosen from wrong logits, too. Compare the logits.",
                        "错误的 logits 也可能选出同一个 token。要比较 logits。",
                    ),
                ),
            ),
        ),
        Sound(
            "whole_cache",
            Text("The whole cache kept", "全部照用"),
            lambda q: _off(q, _ALL, delta(costs(q)[0])),
            (
                lambda q: _off(q, _ALL, "0"),
                lambda q: _off(q, _ALL, fixed(ROUNDING)),
                lambda q: _off(q, _ALL, delta(costs(q)[1])),
            ),
            lambda q: Text(
                f"That one is true, and measured: {delta(costs(q)[0])}. No error message comes with it.",
                f"这一条是对的，是实测的：{delta(costs(q)[0])}。而且没有任何报错。",
            ),
        ),
        Sound(
            "alone",
            Text("Its own rows alone renewed", "只更新它自己的行"),
            lambda q: _off(q, _ALONE, delta(costs(q)[1])),
            (
                lambda q: _off(q, _ALONE, "0"),
                lambda q: _off(q, _ALONE, fixed(ROUNDING)),
                lambda q: _off(q, _ALONE, delta(costs(q)[0])),
            ),
            lambda q: Text(
                f"That one is true, and measured: {delta(costs(q)[1])}. What stands behind still remembers the old "
                "token.",
                f"这一条是对的，是实测的：{delta(costs(q)[1])}。后面的行仍记着旧 token。",
            ),
        ),
        Sound(
            "from_there",
            Text("Computed again from there", "从那里重算"),
            lambda q: _from(q.at),
            (
                lambda q: _from(q.at + 1),
                lambda q: _from(q.at + 2),
                Text(
                    "Only computed again from position 0 on is the cache right.", "只有从位置 0 起重算，缓存才是对的。"
                ),
            ),
            lambda q: Text(
                f"That one is true: positions 0 to {q.at - 1} cannot see the replaced token."
                if q.at > 1
                else "That one is true: what stands before cannot see the replaced token.",
                f"这一条是对的：位置 0 到 {q.at - 1} 看不到被替换的 token。"
                if q.at > 1
                else "这一条是对的：前面的 token 看不到被替换的 token。",
            ),
        ),
    ),
    numbers=lambda q: (float(q.length), float(q.at)),
)


def _draw_compared(rng: random.Random) -> Prompt:
    length = rng.randint(8, 40)
    return Prompt(length, rng.randint(2, length - 3))


FIND_COMPARISON: Question[Prompt] = Question(
    slug="find_comparison",
    title=Text("Find the error: how to compare", "找出错误：怎样比较"),
    prompt=lambda q: Text(
        f"The little causal model, {LAYERS} layers in float64, has cached {count(q.length)} "
        f"token{'s' * (q.length != 1)}. The one at position {count(q.at)}, counted from 0, is replaced, and one more "
        "token is asked; differences are measured. Which of these statements is wrong, and what should it say?",
        f"本课的小因果模型（{LAYERS} 层，float64）缓存了 {count(q.length)} 个 token。位置 {count(q.at)}（从 0 数）的 "
        "token 被替换，再询问一个 token；偏差都是实测的。下面哪一条说法是错的？应当怎么说？",
    ),
    form=form(Prompt, Whole("length", LENGTH.label, 4, 64), AT),
    inputs=Prompt(24, 8),
    invent=_draw_compared,
    formula=COMPARED.answer,
    slips=COMPARED.slips,
    working=Text(
        "A batch of another shape may sum in another order, so the last bits may differ; an edit that was missed "
        "differs by far more.",
        "批的形状不同，求和次序就可能不同，末几位可以不同；漏掉的编辑则差得多。",
    ),
    way=lambda q: short_way(q, Operation.REPLACE, Mistake.EDITED_ONLY),
    reply=COMPARED.reply,
    rows=lambda q: (
        Row(
            Text("the whole cache kept", "缓存全部照用"),
            Text("measured on the little model", "在小模型上实测"),
            delta(costs(q)[0]),
        ),
        Row(
            Text("the replaced token’s rows alone renewed", "只更新被替换 token 的行"),
            Text("measured on the little model", "在小模型上实测"),
            delta(costs(q)[1]),
        ),
        Row(
            Text("a right cache", "正确的缓存"),
            Text("another order of summation", "求和次序不同"),
            Text("rounding, but not always 0", "舍入，但不总是 0"),
        ),
    ),
)
