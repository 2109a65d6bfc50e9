"""Results of parts of the keys: merge them, weigh them, and the one number that says what a part weighs."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from engine.online_softmax import Mistake, Scenario
from lessons.kit.format import fixed, short, vector
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Answer, Order, Vector
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.online_softmax.form import BY_TILE, FORM, KEYS
from lessons.online_softmax.naming import subtrahend
from lessons.online_softmax.presets import CHAPTER
from lessons.online_softmax.questions.keys import (
    LARGEST,
    SOME_VISIBLE,
    below_the_keys,
    invented,
    mean_of_parts,
    some_visible,
    visible,
)

# --- two partial results


def _averaged(s: Scenario, weights: list[float]) -> Answer:
    """The outputs of the parts, averaged with these weights."""
    total = sum(weights)
    if total == 0:
        return (0.0,) * s.d
    return tuple(
        sum(w * float(part.output[i]) for w, part in zip(weights, s.parts, strict=True)) / total for i in range(s.d)
    )


def _powers(base: float, exponents: Iterable[float]) -> list[float]:
    """base^x for each, up to a common factor; 0 for −∞."""
    xs = [*exponents]
    top = max(xs)
    return [0.0 if x == -math.inf else base ** (x - top) for x in xs]


def _weights(s: Scenario) -> list[float]:
    """What each part weighs on the common scale."""
    return [float(part.scaled_to(s.end.m).l) for part in s.parts]


def _how_each_weighs(s: Scenario) -> str:
    top = subtrahend(float(s.end.m))
    return ", ".join(f"e^({short(float(part.m))} − {top}) × {fixed(float(part.l))}" for part in s.parts)


def _merge_asked(s: Scenario) -> Text:
    reports = [f"o = ({vector(p.output)}), m = {short(float(p.m))}, ℓ = {fixed(float(p.l))}" for p in s.parts]
    return Told(
        "The keys are split among {n_tiles:processor}, at most {tile_size:key} each. The processors report: {reports}. "
        "What is the output of all keys together?",
        "把键分给 {n_tiles} 个处理器，每个至多 {tile_size} 个键。它们报告：{reports}。全部键合起来的输出是多少？",
    ).on(s, reports=Text("; ".join(reports), "；".join(reports)))


def _one_part(s: Scenario) -> Iterator[Text]:
    yield from some_visible(s)
    if s.n_tiles < 2:
        yield Text(
            "This is only one part, so there is nothing to merge: make the tiles smaller.",
            "现在只有一部分，没有什么可合并。请把分块改小。",
        )


def _halves(rng: random.Random) -> Scenario:
    scenario = invented(rng, n=(3, 5), d=1)
    return replace(scenario, tile_size=rng.choice((2, 3)))


MERGE: Question[Scenario] = Question(
    slug="merge",
    title=Text("Merge partial results", "合并部分结果"),
    prompt=_merge_asked,
    form=replace(SOME_VISIBLE, unfit=_one_part),
    inputs=replace(CHAPTER, tile_size=2),
    invent=_halves,
    formula=lambda s: tuple(s.end.output),
    slips=(
        Slip(
            "mean_of_tiles",
            Text("Averaged the outputs", "把输出取平均"),
            mean_of_parts,
            Text(
                r"That counts each part alike. A part weighs $e^m \ell$.",
                r"这是把各部分同等平均。一部分的权重是 $e^m \ell$。",
            ),
        ),
        Slip(
            "by_count",
            Text("Weighed by the number of keys", "按键数加权"),
            lambda s: _averaged(s, [float(len(tile.keys)) for tile in s.tiles]),
            Text(
                r"That weighs a part by its number of keys. Its weight is $e^m \ell$, the sum of what its keys weigh.",
                r"这是按键的个数加权。一部分的权重是 $e^m \ell$，即它各个键的权重之和。",
            ),
        ),
        Slip(
            "by_l",
            Text("Weighed by ℓ, forgot the maximum", "按 ℓ 加权，忘了最大值"),
            lambda s: _averaged(s, [float(part.l) for part in s.parts]),
            Text(
                r"That weighs a part by ℓ alone. Each ℓ is measured against the m of its own part; $e^m \ell$ is on "
                r"one scale.",
                r"这是只按 ℓ 加权。每个 ℓ 以本部分的 m 为基准；$e^m \ell$ 才在同一基准上。",
            ),
        ),
        Slip(
            "by_exp_m",
            Text("Weighed by the maximum alone", "只按最大值加权"),
            lambda s: _averaged(s, _powers(math.e, s.maxima)),
            Text(
                r"That weighs a part by $e^m$ alone. Its weight is $e^m \ell$.",
                r"这是只按 $e^m$ 加权。权重应是 $e^m \ell$。",
            ),
        ),
        Slip(
            "base_two",
            Text("2 to a natural log-sum-exp", "对自然对数的 LSE 取了 2 的幂"),
            lambda s: _averaged(s, _powers(2.0, _shares(s))),
            Text(
                r"$m + \ln \ell$ is a natural logarithm, so the weight is e to this power, not 2.",
                r"$m + \ln \ell$ 是自然对数，权重是 e 的幂，不是 2 的幂。",
            ),
        ),
    ),
    working=Told(
        r"Each part weighs $e^m \ell$. The outputs, averaged with these weights, give ({end.output:vector}).",
        r"每部分的权重是 $e^m \ell$。以它为权重对各输出求平均，得（{end.output:vector}）。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=(
        Line(Text("The largest maximum", "最大的最大值"), lambda s: f"max({vector(s.maxima, short)})", "{end.m:short}"),
        Line(
            Text("What each part weighs on that scale", "各部分在这一基准上的分量"),
            _how_each_weighs,
            lambda s: vector(_weights(s)),
        ),
        Line(Text("All together", "合计"), lambda s: " + ".join(map(fixed, _weights(s))), "{end.l}"),
        Line(Text("The outputs, averaged by weight", "输出按分量加权平均"), "Σ w o ÷ {end.l}", "{end.output:vector}"),
    ),
)


# --- the log-sum-exp

_NO_M: Slip[Scenario] = Slip(
    "forgot_max",
    Text("Forgot the maximum", "忘了加回最大值"),
    lambda s: np.log(s.end.l) if s.end.l > 0 else 0.0,
    Text(
        r"That is $\ln \ell$. m was subtracted from each score, so it has to be added again.",
        r"这是 $\ln \ell$。每个分数都减过 m，所以要把 m 加回来。",
    ),
)
_LOG_2: Slip[Scenario] = Slip(
    "base_two",
    Text("log₂ instead of ln", "用 log₂ 代替了 ln"),
    lambda s: s.end.lse / math.log(2),
    Text(
        "That is the logarithm to base 2. Some kernels store it; then their weights are powers of 2, too.",
        "这是以 2 为底的对数。有的内核就这样存，那时权重也用 2 的幂。",
    ),
)


def _sum_of_powers(s: Scenario) -> float:
    return float(replace(s, mistake=Mistake.NO_MAX).end.l)


LSE: Question[Scenario] = Question(
    slug="lse",
    title=Text("The log-sum-exp", "log-sum-exp"),
    prompt=below_the_keys(
        Text(
            r"For the backward pass a kernel stores one number per query, from which it computes the weights again: "
            r"$\ln \sum_j e^{s_j}$. What is it?",
            r"内核为反向传播给每个查询只存一个数，以后用它重算权重：$\ln \sum_j e^{s_j}$。它是多少？",
        )
    ),
    form=replace(FORM.only(KEYS), unfit=some_visible),
    inputs=CHAPTER,
    invent=lambda rng: replace(invented(rng, d=1), tile_size=1),
    formula=lambda s: s.end.lse,
    slips=(
        _NO_M,
        _LOG_2,
        together(_NO_M, _LOG_2, lambda s: np.log2(s.end.l) if s.end.l > 0 else 0.0),
        Slip(
            "no_log",
            Text("Forgot the logarithm", "忘了取对数"),
            _sum_of_powers,
            Text(r"That is $\sum_j e^{s_j}$ itself.", r"这是 $\sum_j e^{s_j}$ 本身。"),
            lambda s: replace(s, mistake=Mistake.NO_MAX),
        ),
        Slip(
            "product",
            Text("Multiplied m by ℓ", "把 m 乘以 ℓ"),
            lambda s: s.end.m * s.end.l if s.end.l > 0 else 0.0,
            Text(
                r"The logarithm of a product is a sum: $\ln (e^m \ell) = m + \ln \ell$.",
                r"乘积的对数是和：$\ln (e^m \ell) = m + \ln \ell$。",
            ),
        ),
    ),
    working=Told(
        r"$m + \ln \ell$ = {end.m:short} + ln {end.l} = {end.lse}.",
        r"$m + \ln \ell$ = {end.m:short} + ln {end.l} = {end.lse}。",
    ),
    way=lambda s: s,
    rows=(
        LARGEST,
        Line(Text("ℓ against it", "以它为基准的 ℓ"), "Σ e^(s − m)", "{end.l}"),
        Line(Text("The logarithm", "取对数"), "{end.m:short} + ln {end.l}", "{end.lse}"),
    ),
)


# --- which part counts most


def _shares(s: Scenario) -> list[float]:
    return [part.lse for part in s.parts]


def _tied(s: Scenario) -> Iterator[Text]:
    """Complaints where no order is the right one, or every one is."""
    shares = sorted(_shares(s))
    if len(shares) < 2:
        yield Text("This is only one part: make the tiles smaller.", "现在只有一部分：请把分块改小。")
    elif any(a == b or b - a < 0.001 for a, b in pairwise(shares)):
        yield Text(
            "Two of the parts weigh the same, or nearly so, and have no order. Change one of their scores.",
            "有两部分的权重相同或几乎相同，分不出先后。请改动其中一个分数。",
        )


def _ranked(xs: list[float]) -> list[int]:
    return sorted(range(len(xs)), key=xs.__getitem__)


def _offered(s: Scenario) -> tuple[int, ...]:
    """The parts as they stand: never from the lightest to the heaviest."""
    ranked = _ranked(_shares(s))
    return tuple(ranked[i] for i in shuffled(len(ranked), *visible(s), moved=True))


def _ordered(s: Scenario, xs: list[float]) -> Answer:
    offered = _offered(s)
    return tuple(place(offered, i) for i in _ranked(xs))


def _reports(s: Scenario) -> tuple[Text, ...]:
    report = Told("processor {i}: m = {m:short}, ℓ = {l}", "处理器 {i}：m = {m:short}，ℓ = {l}")
    return tuple(report.on(s.parts[i], i=i + 1) for i in _offered(s))


def _parts(rng: random.Random) -> Scenario:
    """Four parts of four keys, where neither m nor ℓ alone tells the order."""
    while True:
        tops = rng.sample((0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0), 4)
        scores = [
            x for top in tops for x in (top, *(top - rng.choice((0.0, 0.0, 0.5, 1.0, 2.0, 4.0)) for _ in range(3)))
        ]
        s = Scenario(tuple(scores), ((1.0,),) * 16, tuple("ABCDEFGHIJKLMNOP"), 4)
        sums = [float(part.l) for part in s.parts]
        orders = {tuple(_ranked(xs)) for xs in (_shares(s), [*s.maxima], sums)}
        if len(orders) == 3 and min(np.diff(np.sort(_shares(s)))) > 0.02 and len(set(sums)) == 4:
            return s


WEIGHTS: Question[Scenario] = Question(
    slug="weights",
    title=Text("Which part counts most?", "哪一部分最重？"),
    prompt=Told(
        "{n_tiles:processor} each read a part of the keys and report m and ℓ. In which order do their outputs weigh "
        "in the merged output, the lightest first?",
        "{n_tiles} 个处理器各读了一部分键，报告 m 和 ℓ。合并时它们的输出按权重从轻到重是什么次序？",
    ),
    form=replace(BY_TILE, unfit=_tied),
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
            lambda s: _ordered(s, [*s.maxima]),
            Text(
                r"That is the order of m alone. A part with a lower m weighs more if its ℓ is large enough: its "
                r"weight is $e^m \ell$.",
                r"这是只按 m 排的次序。m 较低的部分，只要 ℓ 足够大，就可能更重：权重是 $e^m \ell$。",
            ),
        ),
        Slip(
            "by_l",
            Text("Went by ℓ alone", "只看了 ℓ"),
            lambda s: _ordered(s, [float(part.l) for part in s.parts]),
            Text(
                "That is the order of ℓ alone. Each ℓ is measured against the m of its own part; multiply it by $e^m$ "
                "first.",
                "这是只按 ℓ 排的次序。每个 ℓ 以本部分的 m 为基准，要先乘以 $e^m$。",
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
        r"A part weighs $e^m \ell$. Compare the logarithms, $m + \ln \ell$.",
        r"一部分的权重是 $e^m \ell$。比较它们的对数 $m + \ln \ell$。",
    ),
    way=lambda s: s,
    reply=Order(_reports),
    rows=(
        Line(
            Text("m + ln ℓ of each processor", "各处理器的 m + ln ℓ"),
            Text("processors 1, 2, …", "处理器 1、2、…"),
            lambda s: vector(_shares(s)),
        ),
        Line(Text("In order", "排好顺序"), Text("lightest first", "最轻的在前"), lambda s: vector(sorted(_shares(s)))),
    ),
)
