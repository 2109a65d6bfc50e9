"""Questions on folding tiles. Every answer and every slip is computed by the engine or by a formula of one line."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np

from engine.attention import Array, exp_limit
from engine.online_softmax import AddTile, Mistake, Scenario, Shrink, State, output, trace
from lessons.kit.format import fixed, short, vector
from lessons.kit.question import Question, Slip
from lessons.kit.reply import Answer, Vector
from lessons.kit.text import Text, literal
from lessons.online_softmax.form import KEYS, TILE, form

CHAPTER = Scenario((0.0, 2.0, 1.0), ((5.0, 5.0), (10.0, 0.0), (0.0, 20.0)), ("C", "A", "B"))
TWO_TILES = Scenario((1.0, 3.0), ((2.0,), (10.0,)), ("A", "B"))


def _last(scenario: Scenario) -> State:
    *_, last = (step for step in trace(scenario) if isinstance(step, AddTile))
    return last.after


def _tile_states(scenario: Scenario) -> list[State]:
    """Each tile on its own."""
    s, v = np.asarray(scenario.scores), np.asarray(scenario.values)
    return [State.of(s[list(tile.keys)], v[list(tile.keys)]) for tile in scenario.tiles]


def _mean(rows: list[Array]) -> Answer:
    return tuple(np.mean(rows, axis=0).tolist())


def _with(scenario: Scenario, mistake: Mistake) -> Scenario:
    return replace(scenario, mistake=mistake)


def _output(mistake: Mistake) -> Slip[Scenario]:
    """The slip that ends in the output of this mistake, with the mistake's own trace as its working."""
    title, said = {
        Mistake.NO_RESCALE: (
            Text("Forgot to rescale ℓ and u", "ℓ 和 u 都忘了缩放"),
            Text("The maximum rose, but ℓ and u stayed on the old scale, so keys on two scales were added.",
                 "最大值上升了，ℓ 和 u 却留在旧基准上，两种基准的键被加在了一起。"),
        ),
        Mistake.RESCALE_L_ONLY: (
            Text("Forgot to rescale u", "忘了缩放 u"),
            Text("ℓ was multiplied by α, u was not: the early values count too much.", "ℓ 乘了 α，u 没有乘：先读到的值被算得太重。"),
        ),
        Mistake.RESCALE_U_ONLY: (
            Text("Forgot to rescale ℓ", "忘了缩放 ℓ"),
            Text("u was multiplied by α, ℓ was not: everything is divided by too much.", "u 乘了 α，ℓ 没有乘：除数偏大。"),
        ),
        Mistake.TILE_MAX: (
            Text("Used the tile’s own maximum", "用了本分块自己的最大值"),
            Text("The weights of a later tile were measured against that tile’s own maximum, not the running one.",
                 "后面的分块用了自己的最大值作基准，而不是当前最大值。"),
        ),
    }[mistake]  # fmt: skip
    return Slip(
        mistake.value,
        title,
        lambda s: tuple(output(_with(s, mistake)).tolist()),
        lambda s: said,
        lambda s: _with(s, mistake),
    )


def _base_two(scenario: Scenario) -> Scenario:
    """The scenario whose e^s equal the given one's 2^s."""
    return replace(scenario, scores=tuple(s * math.log(2) for s in scenario.scores))


BASE_TWO = Text(
    "That is 2 to the power of the scores. Kernels do use exp2, but then multiply the scores by log₂ e first.",
    "这是用 2 的幂算的。内核确实用 exp2，但会先把分数乘以 log₂ e。",
)


def _invented(rng: random.Random, *, n: tuple[int, int] = (3, 5), d: int = 2) -> Scenario:
    """Small whole numbers whose maximum rises after the first tile and is followed by a lower tile."""
    count = rng.randint(*n)
    scores = tuple(float(rng.randint(-2, 4)) for _ in range(count))
    values = tuple(tuple(float(rng.randint(0, 20)) for _ in range(d)) for _ in range(count))
    return Scenario(scores, values, tuple("ABCDEFGH"[:count]), rng.choice((1, 1, 2)))


def _keys_in_words(scenario: Scenario) -> Text:
    """The keys in reading order as a Markdown table, a paragraph before the question."""
    head = " | ".join(literal(scenario.labels[k]) for k in scenario.reading)
    scores = " | ".join(short(scenario.scores[k]) for k in scenario.reading)
    values = " | ".join(f"({vector(scenario.values[k], short)})" for k in scenario.reading)
    line = "---|" * (len(scenario.scores) + 1)
    return Text(
        f"|  | {head} |\n|{line}\n| **score s** | {scores} |\n| **value v** | {values} |\n\n",
        f"|  | {head} |\n|{line}\n| **分数 s** | {scores} |\n| **值 v** | {values} |\n\n",
    )


# --- 1 the output

OUTPUT: Question[Scenario] = Question(
    "output",
    Text("The output", "输出"),
    lambda s: _keys_in_words(s)
    + Text(
        f"Read the table in tiles of {s.tile_size} and fold. What is the output o?{' Give its ' + str(s.d) + ' numbers.' if s.d > 1 else ''}",
        f"按每个分块 {s.tile_size} 个键读取并累计。输出 o 是多少？{'请写出 ' + str(s.d) + ' 个数。' if s.d > 1 else ''}",
    ),
    form(KEYS, TILE),
    CHAPTER,
    _invented,
    lambda s: tuple(output(s).tolist()),
    (
        *map(_output, (Mistake.NO_RESCALE, Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY, Mistake.TILE_MAX)),
        Slip(
            "mean_of_tiles",
            Text("Averaged the tiles", "把各分块的输出取平均"),
            lambda s: _mean([t.output for t in _tile_states(s)]),
            lambda s: Text("Each tile’s own output counted alike. A tile weighs as much as its ℓ on the common scale.",
                           "把各分块自己的输出一视同仁了。一个分块的分量应是它在同一基准上的 ℓ。"),
        ),
        Slip(
            "base_two",
            Text("2 instead of e", "用 2 代替了 e"),
            lambda s: tuple(output(_base_two(s)).tolist()),
            lambda s: BASE_TWO,
        ),
    ),
    lambda s: Text(
        f"At the end m = {short(float(_last(s).m))}, ℓ = {fixed(float(_last(s).l))}, u = ({vector(_last(s).u.tolist())}), and o = u ÷ ℓ.",
        f"最后 m = {short(float(_last(s).m))}，ℓ = {fixed(float(_last(s).l))}，u =（{vector(_last(s).u.tolist())}），o = u ÷ ℓ。",
    ),
    lambda s: s,
    reply=Vector(),
)  # fmt: skip


# --- 2 the rescale factor


def _first_shrink(scenario: Scenario) -> Shrink | None:
    return next((step for step in trace(scenario) if isinstance(step, Shrink)), None)


def _alpha(scenario: Scenario) -> float:
    step = _first_shrink(scenario)
    return 1.0 if step is None else step.alpha


def _rise(scenario: Scenario) -> float:
    step = _first_shrink(scenario)
    return 0.0 if step is None else step.m_new - step.m_old


ALPHA: Question[Scenario] = Question(
    "alpha",
    Text("The rescale factor", "缩放因子"),
    lambda s: _keys_in_words(s)
    + Text(
        f"Tiles of {s.tile_size}. By which factor α is what we hold multiplied the first time it must change scale? (If it never must: 1.)",
        f"每个分块 {s.tile_size} 个键。手中的累计第一次换基准时乘以哪个因子 α？（若从不换：1。）",
    ),
    form(KEYS, TILE),
    CHAPTER,
    lambda rng: _invented(rng, d=1),
    lambda s: (_alpha(s),),
    (
        Slip("inverted", Text("Upside down", "上下颠倒"), lambda s: (math.exp(min(_rise(s), 700.0)),),
             lambda s: Text("That is e^(new − old), which is above 1. What we hold must shrink: e^(old − new).",
                            "这是 e^(新 − 旧)，大于 1。已有累计应当缩小：e^(旧 − 新)。")),
        Slip("base_two", Text("2 instead of e", "用 2 代替了 e"), lambda s: (2.0 ** -_rise(s),), lambda s: BASE_TWO),
        Slip("difference", Text("The difference itself", "只算了差"), lambda s: (_rise(s),),
             lambda s: Text("That is how far the maximum rose. The factor is e to minus that.", "这是最大值上升的幅度。因子是 e 的负这么多次幂。")),
        Slip("no_rescale", Text("Forgot to rescale", "忘了缩放"), lambda s: (1.0 if _rise(s) else 0.0,),
             lambda s: Text("A factor of 1 leaves everything on the old scale.", "乘以 1 等于留在旧基准上。"), lambda s: _with(s, Mistake.NO_RESCALE)),
    ),
    lambda s: Text(f"The maximum first rises by {short(_rise(s))}: α = e^−{short(_rise(s))} = {fixed(_alpha(s))}.",
                   f"最大值第一次上升了 {short(_rise(s))}：α = e^−{short(_rise(s))} = {fixed(_alpha(s))}。"),
    lambda s: s,
)  # fmt: skip


# --- 3 the denominator


DENOMINATOR: Question[Scenario] = Question(
    "denominator",
    Text("The denominator ℓ", "分母 ℓ"),
    lambda s: _keys_in_words(s)
    + Text(f"Tiles of {s.tile_size}. What is ℓ when all keys are read?", f"每个分块 {s.tile_size} 个键。读完所有键时 ℓ 是多少？"),
    form(KEYS, TILE),
    CHAPTER,
    lambda rng: _invented(rng, d=1),
    lambda s: (float(_last(s).l),),
    (
        Slip("no_rescale", Text("Forgot to rescale ℓ", "忘了缩放 ℓ"), lambda s: (float(_last(_with(s, Mistake.NO_RESCALE)).l),),
             lambda s: Text("The early keys stayed on the old scale when the maximum rose.", "最大值上升时，先读到的键还留在旧基准上。"),
             lambda s: _with(s, Mistake.NO_RESCALE)),
        Slip("tile_max", Text("Used the tile’s own maximum", "用了本分块自己的最大值"), lambda s: (float(_last(_with(s, Mistake.TILE_MAX)).l),),
             lambda s: Text("A later tile was measured against its own maximum, so its keys weigh too much.", "后面的分块以自己的最大值为基准，权重偏大。"),
             lambda s: _with(s, Mistake.TILE_MAX)),
        Slip("no_max", Text("Forgot the maximum", "忘了减最大值"), lambda s: (float(_last(_with(s, Mistake.NO_MAX)).l),),
             lambda s: Text("That is Σ e^s with nothing subtracted. The quotient would survive it, until exp overflows.",
                            "这是什么也不减的 Σ e^s。做商时它会约掉，但 exp 迟早溢出。"), lambda s: _with(s, Mistake.NO_MAX)),
        Slip("base_two", Text("2 instead of e", "用 2 代替了 e"), lambda s: (float(_last(_base_two(s)).l),), lambda s: BASE_TWO),
        Slip("count", Text("Counted the keys", "数了键的个数"), lambda s: (float(len(s.scores)),),
             lambda s: Text("That is the number of keys. Each counts e^(s − m), at most 1.", "这是键的个数。每个键只算 e^(s − m)，至多为 1。")),
    ),
    lambda s: Text(f"Against the final maximum {short(float(_last(s).m))} the weights e^(s − m) sum to {fixed(float(_last(s).l))}.",
                   f"以最终的最大值 {short(float(_last(s).m))} 为基准，各权重 e^(s − m) 之和为 {fixed(float(_last(s).l))}。"),
    lambda s: s,
)  # fmt: skip


# --- 4 the accumulator

ACCUMULATOR: Question[Scenario] = Question(
    "accumulator",
    Text("The accumulator u", "累加器 u"),
    lambda s: _keys_in_words(s)
    + Text(f"Tiles of {s.tile_size}. What is u, before the division?", f"每个分块 {s.tile_size} 个键。做除法之前 u 是多少？"),
    form(KEYS, TILE),
    CHAPTER,
    lambda rng: _invented(rng, d=1),
    lambda s: tuple(_last(s).u.tolist()),
    (
        Slip("no_rescale", Text("Forgot to rescale u", "忘了缩放 u"), lambda s: tuple(_last(_with(s, Mistake.NO_RESCALE)).u.tolist()),
             lambda s: Text("The maximum rose and the old u was not multiplied by α.", "最大值上升后，旧的 u 没有乘 α。"),
             lambda s: _with(s, Mistake.RESCALE_L_ONLY)),
        Slip("tile_max", Text("Used the tile’s own maximum", "用了本分块自己的最大值"), lambda s: tuple(_last(_with(s, Mistake.TILE_MAX)).u.tolist()),
             lambda s: Text("A later tile was measured against its own maximum.", "后面的分块以自己的最大值为基准。"), lambda s: _with(s, Mistake.TILE_MAX)),
        Slip("no_max", Text("Forgot the maximum", "忘了减最大值"), lambda s: tuple(_last(_with(s, Mistake.NO_MAX)).u.tolist()),
             lambda s: Text("That is Σ e^s v with nothing subtracted.", "这是什么也不减的 Σ e^s v。"), lambda s: _with(s, Mistake.NO_MAX)),
        Slip("divided", Text("Divided already", "已经除过了"), lambda s: tuple(output(s).tolist()),
             lambda s: Text("That is o = u ÷ ℓ. The accumulator is not divided until the end.", "这是 o = u ÷ ℓ。累加器到最后才做除法。")),
    ),
    lambda s: Text(f"Each value counts e^(s − m) with m = {short(float(_last(s).m))}: u = ({vector(_last(s).u.tolist())}).",
                   f"每个值按 e^(s − m) 计入，m = {short(float(_last(s).m))}：u =（{vector(_last(s).u.tolist())}）。"),
    lambda s: s,
    reply=Vector(),
)  # fmt: skip


# --- 5 two partial results


def _by(weights: list[float], states: list[State]) -> Answer:
    total = sum(weights)
    if total == 0:
        return tuple(0.0 for _ in states[0].u)
    return tuple(
        sum(w * float(t.output[i]) for w, t in zip(weights, states, strict=True)) / total
        for i in range(len(states[0].u))
    )


def _powers(base: float, xs: list[float]) -> list[float]:
    """base^x for each, up to a common factor; 0 for −∞."""
    top = max(xs)
    return [0.0 if x == -math.inf else base ** (x - top) for x in xs]


def _halves(rng: random.Random) -> Scenario:
    scenario = _invented(rng, n=(3, 5), d=1)
    return replace(scenario, tile_size=rng.choice((2, 3)))


def _partials(scenario: Scenario) -> Text:
    lines = [
        f"o = ({vector(t.output.tolist())}), m = {short(float(t.m))}, ℓ = {fixed(float(t.l))}"
        for t in _tile_states(scenario)
    ]
    return Text("; ".join(lines), "；".join(lines))


MERGE: Question[Scenario] = Question(
    "merge",
    Text("Merge partial results", "合并部分结果"),
    lambda s: Text(
        f"The keys are split among {len(s.tiles)} processors, {s.tile_size} keys each at most. They report: {_partials(s).en}. What is the output of all keys together?",
        f"把键分给 {len(s.tiles)} 个处理器，每个至多 {s.tile_size} 个键。它们报告：{_partials(s).zh}。全部键合起来的输出是多少？",
    ),
    form(KEYS, TILE),
    replace(CHAPTER, tile_size=2),
    _halves,
    lambda s: tuple(output(s).tolist()),
    (
        Slip("mean_of_tiles", Text("Averaged the outputs", "把输出取平均"), lambda s: _mean([t.output for t in _tile_states(s)]),
             lambda s: Text("Each part counted alike, however much its keys weigh.", "不论权重大小，把各部分一视同仁了。")),
        Slip("by_count", Text("Weighed by the number of keys", "按键数加权"),
             lambda s: _by([float(len(t.keys)) for t in s.tiles], _tile_states(s)),
             lambda s: Text("Weighed by how many keys each part has. The weight is e^m · ℓ: what the keys weigh, not how many they are.",
                            "按键数加权了。权重应是 e^m · ℓ：看分量，不看个数。")),
        Slip("by_l", Text("Weighed by ℓ, forgot the maximum", "按 ℓ 加权，忘了最大值"),
             lambda s: _by([float(t.l) for t in _tile_states(s)], _tile_states(s)),
             lambda s: Text("The ℓ of the parts are measured against different maxima. Put both on one scale first.", "各个 ℓ 的基准不同，要先换到同一基准。")),
        Slip("by_exp_m", Text("Weighed by e^m alone", "只按 e^m 加权"),
             lambda s: _by(_powers(math.e, [float(t.m) for t in _tile_states(s)]), _tile_states(s)),
             lambda s: Text("e^m is the scale; it still has to be multiplied by ℓ.", "e^m 只是基准，还要乘以 ℓ。")),
        Slip("base_two", Text("2 to a natural log-sum-exp", "对自然对数的 LSE 取了 2 的幂"),
             lambda s: _by(_powers(2.0, [t.lse for t in _tile_states(s)]), _tile_states(s)),
             lambda s: Text("m + ln ℓ is a natural logarithm; its weight is e to that power, not 2.", "m + ln ℓ 是自然对数，权重是 e 的幂，不是 2 的幂。")),
    ),
    lambda s: Text(f"Each part weighs e^m · ℓ. All together: ({vector(output(s).tolist())}).", f"每部分的权重是 e^m · ℓ。合起来：（{vector(output(s).tolist())}）。"),
    lambda s: s,
    reply=Vector(),
)  # fmt: skip


# --- 6 the log-sum-exp

LSE: Question[Scenario] = Question(
    "lse",
    Text("The log-sum-exp", "log-sum-exp"),
    lambda s: _keys_in_words(s)
    + Text("Training keeps one number per query to redo the weights later: ln Σ e^s. What is it?", "训练时每个查询只留一个数，供以后重算权重：ln Σ e^s。它是多少？"),
    form(KEYS),
    CHAPTER,
    lambda rng: replace(_invented(rng, d=1), tile_size=1),
    lambda s: (_last(s).lse,),
    (
        Slip("forgot_max", Text("Forgot the maximum", "忘了加回最大值"), lambda s: (float(np.log(_last(s).l)) if _last(s).l > 0 else 0.0,),
             lambda s: Text("That is ln ℓ. ℓ was measured against m, so m has to be added back.", "这是 ln ℓ。ℓ 以 m 为基准，还要把 m 加回来。")),
        Slip("base_two", Text("log₂ instead of ln", "用 log₂ 代替了 ln"), lambda s: (_last(s).lse / math.log(2),),
             lambda s: Text("That is the base-2 logarithm. Some kernels store it so; then the weights are powers of 2, too.",
                            "这是以 2 为底的对数。有的内核就这样存，但权重也要用 2 的幂。")),
        Slip("no_log", Text("Forgot the logarithm", "忘了取对数"), lambda s: (float(_last(_with(s, Mistake.NO_MAX)).l),),
             lambda s: Text("That is Σ e^s itself.", "这是 Σ e^s 本身。"), lambda s: _with(s, Mistake.NO_MAX)),
        Slip("product", Text("Multiplied m by ℓ", "把 m 乘以 ℓ"), lambda s: (float(_last(s).m * _last(s).l) if _last(s).l > 0 else 0.0,),
             lambda s: Text("A scale is taken out of a logarithm by adding: m + ln ℓ.", "对数里的基准要用加法取出：m + ln ℓ。")),
    ),
    lambda s: Text(f"m + ln ℓ = {short(float(_last(s).m))} + ln {fixed(float(_last(s).l))} = {fixed(_last(s).lse)}.",
                   f"m + ln ℓ = {short(float(_last(s).m))} + ln {fixed(float(_last(s).l))} = {fixed(_last(s).lse)}。"),
    lambda s: s,
)  # fmt: skip


# --- 7 how often it must shrink


def _shrinks(scenario: Scenario) -> int:
    return sum(isinstance(step, Shrink) for step in trace(scenario))


def _rising(rng: random.Random) -> Scenario:
    """Five tiles whose maxima rise and fall, their keys in any order."""
    size = rng.choice((2, 3))
    maxima = rng.sample(range(1, 10), 5)
    tiles = [rng.sample((m, *(rng.randint(-2, m) for _ in range(size - 1))), size) for m in maxima]
    scores = tuple(float(s) for tile in tiles for s in tile)
    return Scenario(scores, ((1.0,),) * len(scores), tuple("ABCDEFGHIJKLMNO"[: len(scores)]), size)


SHRINKS: Question[Scenario] = Question(
    "shrinks",
    Text("How often must it shrink?", "要缩放几次？"),
    lambda s: _keys_in_words(s)
    + Text(f"Tiles of {s.tile_size}. How many times must what we hold change scale?", f"每个分块 {s.tile_size} 个键。手中的累计要换几次基准？"),
    form(KEYS, TILE),
    Scenario((0.0, 1.0, 2.0, 3.0, 1.0, 2.0, 4.0, 5.0), ((1.0,),) * 8, tuple("ABCDEFGH"), 2),
    _rising,
    lambda s: (float(_shrinks(s)),),
    (
        Slip("first_too", Text("Counted the first tile", "把第一个分块也算了"), lambda s: (_shrinks(s) + 1.0,),
             lambda s: Text("At the first visible tile nothing is held yet, so nothing changes scale.", "第一个可见的分块到来时手中什么也没有，谈不上换基准。")),
        Slip("by_key", Text("Counted keys, not tiles", "按键数了，没有按分块数"), lambda s: (float(_shrinks(replace(s, tile_size=1))),),
             lambda s: Text("That is how often the maximum rises key by key. A tile brings its maximum in one go.", "这是逐个键读取时最大值上升的次数。一个分块的最大值是一次带来的。"),
             lambda s: replace(s, tile_size=1)),
        Slip("every_tile", Text("Counted every tile", "每个分块都算了"), lambda s: (float(len(s.tiles)),),
             lambda s: Text("A tile whose maximum is not above the running one changes no scale.", "最大值没有超过当前值的分块不会引起换基准。")),
    ),
    lambda s: Text(f"The running maximum rises {_shrinks(s)} times after the first visible tile.", f"第一个可见的分块之后，最大值上升了 {_shrinks(s)} 次。"),
    lambda s: s,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 8 room before the overflow


def _lowest(scenario: Scenario) -> float:
    return min((s for s in scenario.scores if s > -math.inf), default=0.0)


def _highest(scenario: Scenario) -> float:
    return max((s for s in scenario.scores if s > -math.inf), default=0.0)


OVERFLOW: Question[Scenario] = Question(
    "overflow",
    Text("Room before the overflow", "离溢出还有多远"),
    lambda s: _keys_in_words(s)
    + Text(
        "No maximum is subtracted. What is the largest number that can be added to every score, in float64, before exp of one of them overflows?",
        "假如不减最大值。float64 下，所有分数最多能同时加上多少，而没有一个 exp 溢出？",
    ),
    form(KEYS),
    replace(CHAPTER, scores=(30.0, -20.0, 60.0)),
    lambda rng: Scenario(tuple(float(rng.randint(-90, 90)) for _ in range(4)), ((1.0,), (2.0,), (3.0,), (4.0,)), tuple("ABCD")),
    lambda s: (exp_limit("float64") - _highest(s),),
    (
        Slip("forgot_scores", Text("Forgot the scores", "忘了分数本身"), lambda s: (exp_limit("float64"),),
             lambda s: Text("That is the limit of exp itself. The largest score uses up part of it.", "这是 exp 自己的界限，最大的分数已经占去一部分。")),
        Slip("lowest", Text("Used the lowest score", "用了最低分"), lambda s: (exp_limit("float64") - _lowest(s),),
             lambda s: Text("The highest score overflows first.", "最先溢出的是最高分。")),
        Slip("float32", Text("The limit of float32", "用了 float32 的界限"), lambda s: (exp_limit("float32") - _highest(s),),
             lambda s: Text("That is where float32 overflows.", "这是 float32 溢出的地方。")),
        Slip("base_two", Text("Powers of 2", "按 2 的幂算"), lambda s: (exp_limit("float64") / math.log(2) - _highest(s),),
             lambda s: Text("That is where 2^s overflows. e^s gets there sooner.", "这是 2^s 溢出的地方，e^s 更早。")),
    ),
    lambda s: Text(
        f"exp overflows above {fixed(exp_limit('float64'))}; the largest score is {short(_highest(s))}. The steps add 1 more than "
        "that and subtract nothing.",
        f"exp 在 {fixed(exp_limit('float64'))} 以上溢出；最大的分数是 {short(_highest(s))}。下面的步骤比这个数再多加 1，并且什么也不减。",
    ),
    lambda s: replace(s, scores=tuple(x + exp_limit("float64") - _highest(s) + 1 for x in s.scores), mistake=Mistake.NO_MAX),
)  # fmt: skip

QUESTIONS = (OUTPUT, ALPHA, DENOMINATOR, ACCUMULATOR, MERGE, LSE, SHRINKS, OVERFLOW)
