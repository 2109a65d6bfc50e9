"""Fold the keys of a table: the output, the rescale factor, ℓ and u."""

from __future__ import annotations

import math

from engine.online_softmax import Mistake, Scenario, State
from lessons.kit.format import fixed, short, tex
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Answer, Vector
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.mistakes import MISTAKES
from lessons.online_softmax.naming import subtrahend
from lessons.online_softmax.presets import CHAPTER
from lessons.online_softmax.questions.keys import (
    LARGEST,
    MAXIMA,
    SOME_VISIBLE,
    TWO,
    TWO_SAID,
    L,
    P,
    U,
    below_the_keys,
    in_base_two,
    invented,
    led_to,
    mean_of_parts,
)

# --- the output


def _o(held: State) -> Answer:
    return tuple(held.output)


def _output_asked(s: Scenario) -> Text:
    how_many = Told(" Give its {d} numbers.", "请写出 {d} 个数。") if s.d > 1 else Text("", "")
    return (
        Told(
            "The kernel reads these keys in tiles of {tile_size:key}. What is the output o?",
            "内核按每个分块 {tile_size} 个键读取这些键。输出 o 是多少？",
        )
        + how_many
    ).on(s)


OUTPUT: Question[Scenario] = Question(
    slug="output",
    title=Text("The output", "输出"),
    prompt=below_the_keys(_output_asked),
    form=SOME_VISIBLE,
    inputs=CHAPTER,
    invent=invented,
    formula=lambda s: _o(s.end),
    slips=(
        led_to(Mistake.NO_RESCALE, _o),
        led_to(Mistake.RESCALE_L_ONLY, _o),
        led_to(Mistake.RESCALE_U_ONLY, _o),
        led_to(Mistake.TILE_MAX, _o),
        Slip(
            "undivided",
            Text("Did not divide", "没有做除法"),
            lambda s: tuple(s.end.u),
            Text(
                r"That is the accumulator u. One division is left: $o = u / \ell$.",
                r"这是累加器 u。还要除一次：$o = u / \ell$。",
            ),
        ),
        Slip(
            "mean_of_tiles",
            Text("Averaged the tiles", "把各分块的输出取平均"),
            mean_of_parts,
            Text(
                "That averages the outputs of the tiles as if all weighed alike. A tile weighs its ℓ on the common "
                "scale.",
                "这是把各分块的输出同等平均。一个分块的权重应是它在同一基准上的 ℓ。",
            ),
        ),
        Slip("base_two", TWO, lambda s: _o(in_base_two(s).end), TWO_SAID),
    ),
    working=Told(
        r"At the end m = {end.m:short}, ℓ = {end.l}, u = ({end.u:vector}), and $o = u / \ell$.",
        r"最后 m = {end.m:short}，ℓ = {end.l}，u =（{end.u:vector}），$o = u / \ell$。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=(LARGEST, P, L, U, Line(Text("o, number by number", "o，逐个数相除"), "u ÷ ℓ", "{end.output:vector}")),
)


# --- the rescale factor


def _alpha(s: Scenario) -> float:
    return s.first_shrink.alpha if s.n_shrinks else 1.0


def _rise(s: Scenario) -> float:
    return s.first_shrink.rise if s.n_shrinks else 0.0


def _left_out(s: Scenario) -> float:
    """No slip where the maximum does not rise: then 1 is right."""
    return 1.0 if _rise(s) else math.nan


_INVERTED: Slip[Scenario] = Slip(
    "inverted",
    Text("Upside down", "上下颠倒"),
    lambda s: math.exp(min(_rise(s), 700.0)),
    Text(
        r"That is $e^{m_{new} - m_{old}}$, which is above 1. The factor is $e^{m_{old} - m_{new}}$.",
        r"这是 $e^{m_{new} - m_{old}}$，大于 1。因子应是 $e^{m_{old} - m_{new}}$。",
    ),
)
_TWO_TO_THE: Slip[Scenario] = Slip("base_two", TWO, lambda s: 2.0 ** -min(_rise(s), 1_000.0), TWO_SAID)

_RISES: tuple[Line[Scenario], ...] = (
    MAXIMA,
    Line(
        Text("Its first rise", "第一次上升"),
        "{first_shrink.m_old:short} → {first_shrink.m_new:short}",
        "{first_shrink.rise:short}",
    ),
    Line(
        Text("α, old less new in the exponent", "α：指数是旧减新"),
        lambda s: f"e^({short(s.first_shrink.m_old)} − {subtrahend(s.first_shrink.m_new)})",
        "{first_shrink.alpha}",
    ),
)
_STAYS: tuple[Line[Scenario], ...] = (
    MAXIMA,
    Line(Text("The maximum never rises: α", "最大值从不上升：α"), "e^0", lambda s: fixed(_alpha(s))),
)

ALPHA: Question[Scenario] = Question(
    slug="alpha",
    title=Text("The rescale factor", "缩放因子"),
    prompt=below_the_keys(
        Told(
            "The kernel reads tiles of {tile_size:key}. The first time the maximum rises after a visible tile, by "
            "which factor α are ℓ and u multiplied? (If it never does, answer 1.)",
            "内核按每个分块 {tile_size} 个键读取。读过可见的分块之后，最大值第一次上升时，ℓ 和 u 要乘以多大的 α？（若"
            "从不上升，答 1。）",
        )
    ),
    form=SOME_VISIBLE,
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=_alpha,
    slips=(
        _INVERTED,
        _TWO_TO_THE,
        together(_INVERTED, _TWO_TO_THE, lambda s: 2.0 ** min(_rise(s), 1_000.0)),
        Slip(
            "difference",
            Text("The difference itself", "只算了差"),
            _rise,
            Text(
                "That is how far the maximum rises. The factor is e to minus this number.",
                "这是最大值上升的幅度。取它的相反数作 e 的指数，才是因子。",
            ),
        ),
        MISTAKES.slip(Mistake.NO_RESCALE, _left_out, lambda s: s),
    ),
    working=lambda s: (
        Told(
            r"The maximum first rises by {rise:short}: $\alpha = e^{{-{power}}} = {alpha}$.",
            r"最大值第一次上升了 {rise:short}：$\alpha = e^{{-{power}}} = {alpha}$。",
        ).on(rise=_rise(s), power=tex(short(_rise(s))), alpha=tex(fixed(_alpha(s))))
        if _rise(s)
        else Text(
            "The maximum never rises after the first visible tile, so no factor but 1 is needed.",
            "读过第一个可见的分块之后，最大值不再上升，所以因子只能是 1。",
        )
    ),
    way=lambda s: s,
    rows=lambda s: tuple(line.row(s) for line in (_RISES if s.n_shrinks else _STAYS)),
)


# --- the denominator


def _l(held: State) -> float:
    return float(held.l)


DENOMINATOR: Question[Scenario] = Question(
    slug="denominator",
    title=Text("The denominator ℓ", "分母 ℓ"),
    prompt=below_the_keys(
        Told(
            "The kernel reads tiles of {tile_size:key}. ℓ is the sum of the weights $e^{{s-m}}$, with the maximum m "
            "subtracted. What is ℓ when all keys are read?",
            "内核按每个分块 {tile_size} 个键读取。ℓ 是减去最大值 m 之后的权重 $e^{{s-m}}$ 之和。读完所有键时它是多少？",
        )
    ),
    form=SOME_VISIBLE,
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=lambda s: _l(s.end),
    slips=(
        led_to(Mistake.NO_RESCALE, _l),
        led_to(Mistake.TILE_MAX, _l),
        led_to(Mistake.NO_MAX, _l),
        Slip("base_two", TWO, lambda s: _l(in_base_two(s).end), TWO_SAID),
        Slip(
            "count",
            Text("Counted the keys", "数了键的个数"),
            lambda s: len(s.scores),
            Text(
                "That is the number of keys. Each counts $e^{s-m}$, which is at most 1.",
                "这是键的个数。每个键只算 $e^{s-m}$，至多为 1。",
            ),
        ),
    ),
    working=Told(
        "With the final maximum {end.m:short} subtracted, the weights $e^{{s-m}}$ sum to {end.l}.",
        "减去最终的最大值 {end.m:short} 之后，各权重 $e^{{s-m}}$ 之和为 {end.l}。",
    ),
    way=lambda s: s,
    rows=(LARGEST, P, L),
)


# --- the accumulator


def _u(held: State) -> Answer:
    return tuple(held.u)


ACCUMULATOR: Question[Scenario] = Question(
    slug="accumulator",
    title=Text("The accumulator u", "累加器 u"),
    prompt=below_the_keys(
        Told(
            "The kernel reads tiles of {tile_size:key}. u is the sum of the values times their weights $e^{{s-m}}$. "
            "What is u before the division?",
            "内核按每个分块 {tile_size} 个键读取。u 是值乘以权重 $e^{{s-m}}$ 之和。做除法之前，u 是多少？",
        )
    ),
    form=SOME_VISIBLE,
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=lambda s: _u(s.end),
    slips=(
        led_to(Mistake.RESCALE_L_ONLY, _u, name="no_rescale"),
        led_to(Mistake.TILE_MAX, _u),
        led_to(Mistake.NO_MAX, _u),
        Slip(
            "divided",
            Text("Divided already", "已经除过了"),
            lambda s: _o(s.end),
            Text(
                r"That is the output $o = u / \ell$. The question asks for u, before the division.",
                r"这是输出 $o = u / \ell$。题目问的是除法之前的 u。",
            ),
        ),
    ),
    working=Told(
        "Each value counts $e^{{s-m}}$ with m = {end.m:short}: u = ({end.u:vector}).",
        "每个值按 $e^{{s-m}}$ 计入，m = {end.m:short}：u =（{end.u:vector}）。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=(LARGEST, P, U),
)
