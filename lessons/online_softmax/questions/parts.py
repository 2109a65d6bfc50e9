"""Results of parts of the keys: merge them, weigh them, and the one number that says what a part weighs."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.online_softmax import Mistake, Scenario, State, output
from lessons.kit.format import fixed, short, vector
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip, together
from lessons.kit.reply import Answer, Number, Order, Vector
from lessons.kit.text import Text
from lessons.online_softmax.form import KEYS, TILE, form
from lessons.online_softmax.questions.drawn import (
    CHAPTER,
    bracketed,
    invented,
    keys_in_words,
    last,
    mean,
    tile_states,
    with_,
)

# --- two partial results


def weighted(weights: list[float], states: Sequence[State]) -> Answer:
    total = sum(weights)
    if total == 0:
        return tuple(0.0 for _ in states[0].u)
    return tuple(
        sum(w * float(t.output[i]) for w, t in zip(weights, states, strict=True)) / total
        for i in range(len(states[0].u))
    )


def powers(base: float, xs: list[float]) -> list[float]:
    """base^x for each, up to a common factor; 0 for −∞."""
    top = max(xs)
    return [0.0 if x == -math.inf else base ** (x - top) for x in xs]


def _halves(rng: random.Random) -> Scenario:
    scenario = invented(rng, n=(3, 5), d=1)
    return replace(scenario, tile_size=rng.choice((2, 3)))


def _partials(scenario: Scenario) -> Text:
    lines = [
        f"o = ({vector(t.output.tolist())}), m = {short(float(t.m))}, ℓ = {fixed(float(t.l))}"
        for t in tile_states(scenario)
    ]
    return Text("; ".join(lines), "；".join(lines))


def _merge_rows(s: Scenario) -> tuple[Row, ...]:
    states, total = tile_states(s), last(s)
    top = float(total.m)
    weights = [float(t.scaled_to(total.m).l) for t in states]
    how = ", ".join(f"e^({short(float(t.m))} − {bracketed(top)}) × {fixed(float(t.l))}" for t in states)
    return (
        Row(
            Text("The largest maximum", "最大的最大值"),
            f"max({vector([float(t.m) for t in states], short)})",
            short(top),
        ),
        Row(Text("What each part weighs on that scale", "各部分在这一基准上的分量"), how, vector(weights)),
        Row(Text("All together", "合计"), " + ".join(map(fixed, weights)), fixed(float(total.l))),
        Row(
            Text("The outputs, averaged by weight", "输出按分量加权平均"),
            f"Σ w o ÷ {fixed(float(total.l))}",
            vector(output(s).tolist()),
        ),
    )


MERGE: Question[Scenario] = Question(
    slug="merge",
    title=Text("Merge partial results", "合并部分结果"),
    prompt=lambda s: Text(
        f"The keys are split among {len(s.tiles)} processors, {s.tile_size} key{'s' * (s.tile_size != 1)} each at "
        f"most. They report: {_partials(s).en}. What is the output of all keys together?",
        f"把键分给 {len(s.tiles)} 个处理器，每个至多 {s.tile_size} 个键。它们报告：{_partials(s).zh}。全部键合起来的"
        "输出是多少？",
    ),
    form=form(KEYS, TILE),
    inputs=replace(CHAPTER, tile_size=2),
    invent=_halves,
    formula=lambda s: tuple(output(s).tolist()),
    slips=(
        Slip(
            "mean_of_tiles",
            Text("Averaged the outputs", "把输出取平均"),
            lambda s: mean([t.output for t in tile_states(s)]),
            Text("Each part counted alike, however much its keys weigh.", "不论权重大小，把各部分一视同仁了。"),
        ),
        Slip(
            "by_count",
            Text("Weighed by the number of keys", "按键数加权"),
            lambda s: weighted([float(len(t.keys)) for t in s.tiles], tile_states(s)),
            Text(
                "Weighed by how many keys each part has. The weight is e^m · ℓ: what the keys weigh, not how many "
                "they are.",
                "按键数加权了。权重应是 e^m · ℓ：看分量，不看个数。",
            ),
        ),
        Slip(
            "by_l",
            Text("Weighed by ℓ, forgot the maximum", "按 ℓ 加权，忘了最大值"),
            lambda s: weighted([float(t.l) for t in tile_states(s)], tile_states(s)),
            Text(
                "The ℓ of the parts are measured against different maxima. Put both on one scale first.",
                "各个 ℓ 的基准不同，要先换到同一基准。",
            ),
        ),
        Slip(
            "by_exp_m",
            Text("Weighed by e^m alone", "只按 e^m 加权"),
            lambda s: weighted(powers(math.e, [float(t.m) for t in tile_states(s)]), tile_states(s)),
            Text("e^m is the scale; it still has to be multiplied by ℓ.", "e^m 只是基准，还要乘以 ℓ。"),
        ),
        Slip(
            "base_two",
            Text("2 to a natural log-sum-exp", "对自然对数的 LSE 取了 2 的幂"),
            lambda s: weighted(powers(2.0, [t.lse for t in tile_states(s)]), tile_states(s)),
            Text(
                "m + ln ℓ is a natural logarithm; its weight is e to that power, not 2.",
                "m + ln ℓ 是自然对数，权重是 e 的幂，不是 2 的幂。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"Each part weighs e^m · ℓ. All together: ({vector(output(s).tolist())}).",
        f"每部分的权重是 e^m · ℓ。合起来：（{vector(output(s).tolist())}）。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=_merge_rows,
)


# --- the log-sum-exp

_NO_M: Slip[Scenario] = Slip(
    "forgot_max",
    Text("Forgot the maximum", "忘了加回最大值"),
    lambda s: (float(np.log(last(s).l)) if last(s).l > 0 else 0.0,),
    Text(
        "That is ln ℓ. ℓ was measured against m, so m has to be added back.",
        "这是 ln ℓ。ℓ 以 m 为基准，还要把 m 加回来。",
    ),
)
_LOG_2: Slip[Scenario] = Slip(
    "base_two",
    Text("log₂ instead of ln", "用 log₂ 代替了 ln"),
    lambda s: (last(s).lse / math.log(2),),
    Text(
        "That is the base-2 logarithm. Some kernels store it so; then the weights are powers of 2, too.",
        "这是以 2 为底的对数。有的内核就这样存，但权重也要用 2 的幂。",
    ),
)

LSE: Question[Scenario] = Question(
    slug="lse",
    title=Text("The log-sum-exp", "log-sum-exp"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            "Training keeps one number per query to redo the weights later: ln Σ e^s. What is it?",
            "训练时每个查询只留一个数，供以后重算权重：ln Σ e^s。它是多少？",
        )
    ),
    form=form(KEYS),
    inputs=CHAPTER,
    invent=lambda rng: replace(invented(rng, d=1), tile_size=1),
    formula=lambda s: (last(s).lse,),
    slips=(
        _NO_M,
        _LOG_2,
        together(_NO_M, _LOG_2, lambda s: (float(np.log2(last(s).l)) if last(s).l > 0 else 0.0,)),
        Slip(
            "no_log",
            Text("Forgot the logarithm", "忘了取对数"),
            lambda s: last(with_(s, Mistake.NO_MAX)).l,
            Text("That is Σ e^s itself.", "这是 Σ e^s 本身。"),
            lambda s: with_(s, Mistake.NO_MAX),
        ),
        Slip(
            "product",
            Text("Multiplied m by ℓ", "把 m 乘以 ℓ"),
            lambda s: (float(last(s).m * last(s).l) if last(s).l > 0 else 0.0,),
            Text("A scale is taken out of a logarithm by adding: m + ln ℓ.", "对数里的基准要用加法取出：m + ln ℓ。"),
        ),
    ),
    working=lambda s: Text(
        f"m + ln ℓ = {short(float(last(s).m))} + ln {fixed(float(last(s).l))} = {fixed(last(s).lse)}.",
        f"m + ln ℓ = {short(float(last(s).m))} + ln {fixed(float(last(s).l))} = {fixed(last(s).lse)}。",
    ),
    way=lambda s: s,
    reply=Number(),
    rows=lambda s: (
        Row(
            Text("The largest score m", "最大的分数 m"),
            f"max({vector([s.scores[key] for key in s.reading], short)})",
            short(float(last(s).m)),
        ),
        Row(Text("ℓ against it", "以它为基准的 ℓ"), "Σ e^(s − m)", fixed(float(last(s).l))),
        Row(
            Text("The logarithm", "取对数"),
            f"{short(float(last(s).m))} + ln {fixed(float(last(s).l))}",
            fixed(last(s).lse),
        ),
    ),
)


# --- which part counts most


def _shares(s: Scenario) -> list[float]:
    return [t.lse for t in tile_states(s)]


def _ranked(xs: list[float]) -> list[int]:
    return sorted(range(len(xs)), key=lambda i: xs[i])


def _offered(s: Scenario) -> tuple[int, ...]:
    """The parts as they stand: never from the lightest to the heaviest."""
    ranked = _ranked(_shares(s))
    return tuple(ranked[i] for i in shuffled(len(ranked), *(x for x in s.scores if x > -math.inf), moved=True))


def _ordered(s: Scenario, xs: list[float]) -> Answer:
    offered = _offered(s)
    return tuple(place(offered, i) for i in _ranked(xs))


def _reports(s: Scenario) -> tuple[Text, ...]:
    states, offered = tile_states(s), _offered(s)
    words = [f"m = {short(float(states[i].m))}, ℓ = {fixed(float(states[i].l))}" for i in offered]
    return tuple(
        Text(f"processor {i + 1}: {said}", f"处理器 {i + 1}：{said.replace(', ', '，')}")
        for i, said in zip(offered, words, strict=True)
    )


def _parts(rng: random.Random) -> Scenario:
    """Four parts of four keys, where neither m nor ℓ alone tells the order."""
    while True:
        tops = rng.sample((0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0), 4)
        scores = [
            x for top in tops for x in (top, *(top - rng.choice((0.0, 0.0, 0.5, 1.0, 2.0, 4.0)) for _ in range(3)))
        ]
        s = Scenario(tuple(scores), ((1.0,),) * 16, tuple("ABCDEFGHIJKLMNOP"), 4)
        states = tile_states(s)
        orders = {tuple(_ranked(xs)) for xs in (_shares(s), [float(t.m) for t in states], [float(t.l) for t in states])}
        if len(orders) == 3 and min(np.diff(np.sort(_shares(s)))) > 0.02 and len({float(t.l) for t in states}) == 4:
            return s


WEIGHTS: Question[Scenario] = Question(
    slug="weights",
    title=Text("Which part counts most?", "哪一部分最重？"),
    prompt=lambda s: Text(
        f"{len(s.tiles)} processors have each read a part of the keys and report m and ℓ. In which order do their "
        "outputs count in the merged one, the lightest first?",
        f"{len(s.tiles)} 个处理器各读了一部分键，报告 m 和 ℓ。合并时它们的输出各占多少分量？请从轻到重排列。",
    ),
    form=form(KEYS, TILE),
    inputs=Scenario(
        (2.0, 0.0, -2.0, -2.0, 1.5, 1.5, 1.0, 1.5, 1.0, 1.0, 1.0, 1.0, 3.0, -1.0, -1.0, -1.0),
        ((1.0,),) * 16,
        tuple("ABCDEFGHIJKLMNOP"),
        4,
    ),
    invent=_parts,
    formula=lambda s: _ordered(s, _shares(s)),
    slips=(
        Slip(
            "by_m",
            Text("Went by the maximum alone", "只看了最大值"),
            lambda s: _ordered(s, [float(t.m) for t in tile_states(s)]),
            Text(
                "e^m is only the scale: a part with many scores near its maximum has a large ℓ and may weigh more.",
                "e^m 只是基准：有许多分数接近最大值的部分，ℓ 大，可能更重。",
            ),
        ),
        Slip(
            "by_l",
            Text("Went by ℓ alone", "只看了 ℓ"),
            lambda s: _ordered(s, [float(t.l) for t in tile_states(s)]),
            Text(
                "The ℓ are measured against different maxima; multiply each by e^m first.",
                "各个 ℓ 的基准不同，要先各乘 e^m。",
            ),
        ),
        Slip(
            "reversed",
            Text("The heaviest first", "从重到轻排了"),
            lambda s: _ordered(s, [-x for x in _shares(s)]),
            Text("That is from the heaviest to the lightest.", "这是从最重排到最轻的。"),
        ),
    ),
    working=Text(
        "A part weighs e^m · ℓ; compare m + ln ℓ, its log-sum-exp.",
        "一部分的分量是 e^m · ℓ；比较 m + ln ℓ，也就是它的 log-sum-exp。",
    ),
    way=lambda s: s,
    reply=Order(_reports),
    rows=lambda s: (
        Row(
            Text("m + ln ℓ of each processor", "各处理器的 m + ln ℓ"),
            Text("processors 1, 2, …", "处理器 1、2、…"),
            vector(_shares(s)),
        ),
        Row(Text("In order", "排好顺序"), Text("lightest first", "最轻的在前"), vector(sorted(_shares(s)))),
    ),
)
