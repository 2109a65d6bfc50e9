"""Find the error: a comparison bit for bit (audit 0.6)."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from engine.kv_reuse import Mistake
from engine.prompt_edits import ROUNDING, Experiment, Operation, little_model, reuse_costs
from lessons.kit.controls import Whole
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.form import Form
from lessons.kit.format import delta, fixed
from lessons.kit.question import Line, Question
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.questions.inputs import AT, LENGTH, Prompt, inside, replacing

ASKED, LAYERS = 5, 3


class Costs(NamedTuple):
    """The logit error of keeping the whole cache, and of renewing the replaced row alone."""

    everything: float
    alone: float


@lru_cache(maxsize=512)
def costs(q: Prompt) -> Costs:
    tokens = Experiment(Operation.APPEND, length=q.length).tokens
    (everything,), (alone,) = reuse_costs(tokens, [q.at], ASKED, little_model(LAYERS))
    return Costs(everything, alone)


def too_loose(q: Prompt) -> float:
    """The power of ten next above the error of renewing the replaced row alone."""
    alone = costs(q).alone
    return 10.0 ** math.ceil(math.log10(alone)) if alone else 1.0


def _off(how: Text, error: str) -> Text:
    return Told("{how} the next logits are off by {error}.", "{how}，接下来的 logits 偏差为 {error}。").on(
        how=how, error=error
    )


_ALL = Text("With the whole old cache kept", "旧缓存全部照用")
_ALONE = Text("With the replaced token’s rows alone renewed", "只更新被替换 token 的行")


def _from(at: int) -> Text:
    return Told("Computed again from position {at} on, the cache is right.", "从位置 {at} 起重算，缓存就是对的。").on(
        at=at
    )


_BEFORE = Told("A right cache gives the logits of a full run ", "正确的缓存给出的 logits 与全部重算")

COMPARED = Finding[Prompt](
    claims=(
        Wrong(
            (
                _BEFORE
                + Text(
                    "to the last bit, whatever the shapes: compare with ==.", "逐位相同，与批的形状无关：用 == 比较。"
                )
            ).on(),
            (
                _BEFORE
                + Told(
                    "up to rounding: compare with a tight tolerance, such as {tight}.",
                    "除舍入外相同：用很紧的容差比较，例如 {tight}。",
                )
            ).on(tight=ROUNDING),
            (
                Correction(
                    "loose",
                    Text("A loose tolerance", "宽松的容差"),
                    lambda q: (
                        _BEFORE
                        + Told(
                            "roughly: compare with a tolerance of {loose:delta}.",
                            "大致相同：用 {loose:delta} 的容差比较。",
                        )
                    ).on(loose=too_loose(q)),
                    lambda q: Told(
                        "That lets a wrong cache pass: with the replaced token’s rows alone renewed the logits are "
                        "off by only {alone:delta}.",
                        "这会放过错误的缓存：只更新被替换 token 的行，logits 也只偏差 {alone:delta}。",
                    ).on(costs(q)),
                ),
                Correction(
                    "only_tokens",
                    Text("Tokens alone", "只比 token"),
                    (
                        _BEFORE
                        + Text(
                            "at most in the token chosen: compare that alone.", "至多在选出的 token 上一致：只比较它。"
                        )
                    ).on(),
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
            lambda q: _off(_ALL, delta(costs(q).everything)),
            (_off(_ALL, "0"), _off(_ALL, fixed(ROUNDING)), lambda q: _off(_ALL, delta(costs(q).alone))),
            lambda q: Told(
                "That one is true, and measured: {everything:delta}. No error message comes with it.",
                "这一条是对的，是实测的：{everything:delta}。而且没有任何报错。",
            ).on(costs(q)),
        ),
        Sound(
            "alone",
            Text("Its own rows alone renewed", "只更新它自己的行"),
            lambda q: _off(_ALONE, delta(costs(q).alone)),
            (_off(_ALONE, "0"), _off(_ALONE, fixed(ROUNDING)), lambda q: _off(_ALONE, delta(costs(q).everything))),
            lambda q: Told(
                "That one is true, and measured: {alone:delta}. What stands behind still remembers the old token.",
                "这一条是对的，是实测的：{alone:delta}。后面的行仍记着旧 token。",
            ).on(costs(q)),
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
            lambda q: (
                Told(
                    "That one is true: positions 0 to {last} cannot see the replaced token.",
                    "这一条是对的：位置 0 到 {last} 看不到被替换的 token。",
                ).on(last=q.at - 1)
                if q.at > 1
                else Text(
                    "That one is true: what stands before cannot see the replaced token.",
                    "这一条是对的：前面的 token 看不到被替换的 token。",
                )
            ),
        ),
    ),
    numbers=lambda q: (float(q.length), float(q.at)),
)


_MEASURED = Text("measured on the little model", "在小模型上实测")


def _draw_compared(rng: random.Random) -> Prompt:
    length = rng.randint(8, 40)
    return Prompt(length, rng.randint(2, length - 3))


FIND_COMPARISON: Question[Prompt] = Question(
    slug="find_comparison",
    title=Text("Find the error: how to compare", "找出错误：怎样比较"),
    prompt=Told(
        f"The little causal model, {LAYERS} layers in float64, has cached {{length:token}}. The one at position "
        "{at}, counted from 0, is replaced, and one more token is asked; differences are measured. Which of "
        "these statements is wrong, and what should it say?",
        f"本课的小因果模型（{LAYERS} 层，float64）缓存了 {{length}} 个 token。位置 {{at}}（从 0 数）的 "
        "token 被替换，再询问一个 token；偏差都是实测的。下面哪一条说法是错的？应当怎么说？",
    ),
    form=Form((Whole("length", LENGTH.label, 4, 64), AT), together=inside),
    inputs=Prompt(24, 8),
    invent=_draw_compared,
    formula=COMPARED.answer,
    slips=COMPARED.slips,
    working=Text(
        "A batch of another shape may sum in another order, so the last bits may differ; an edit that was missed "
        "differs by far more.",
        "批的形状不同，求和次序就可能不同，末几位可以不同；漏掉的编辑则差得多。",
    ),
    way=lambda q: replace(replacing(q), mistake=Mistake.EDITED_ONLY),
    reply=COMPARED.reply,
    rows=(
        Line(Text("the whole cache kept", "缓存全部照用"), _MEASURED, lambda q: delta(costs(q).everything)),
        Line(
            Text("the replaced token’s rows alone renewed", "只更新被替换 token 的行"),
            _MEASURED,
            lambda q: delta(costs(q).alone),
        ),
        Line(
            Text("a right cache", "正确的缓存"),
            Text("another order of summation", "求和次序不同"),
            Text("rounding, but not always 0", "舍入，但不总是 0"),
        ),
    ),
)
