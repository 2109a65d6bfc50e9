"""Fold the keys of a table: the output, the rescale factor, ℓ and u."""

from __future__ import annotations

import math

from engine.online_softmax import Mistake, Scenario, output
from lessons.kit.format import fixed, short, vector
from lessons.kit.question import Question, Row, Slip, together
from lessons.kit.reply import Number, Vector
from lessons.kit.text import Text
from lessons.online_softmax.form import KEYS, TILE, form
from lessons.online_softmax.questions.drawn import (
    BASE_TWO,
    CHAPTER,
    first_shrink,
    in_base_two,
    invented,
    keys_in_words,
    l_row,
    last,
    mean,
    output_slip,
    tile_states,
    u_row,
    weight_rows,
    with_,
)

# --- the output

OUTPUT: Question[Scenario] = Question(
    slug="output",
    title=Text("The output", "输出"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            f"Read the table in tiles of {s.tile_size} and fold. What is the output "
            f"o?{' Give its ' + str(s.d) + ' numbers.' if s.d > 1 else ''}",
            f"按每个分块 {s.tile_size} 个键读取并累计。输出 o 是多少？"
            f"{'请写出 ' + str(s.d) + ' 个数。' if s.d > 1 else ''}",
        )
    ),
    form=form(KEYS, TILE),
    inputs=CHAPTER,
    invent=invented,
    formula=lambda s: tuple(output(s).tolist()),
    slips=(
        *map(output_slip, (Mistake.NO_RESCALE, Mistake.RESCALE_L_ONLY, Mistake.RESCALE_U_ONLY, Mistake.TILE_MAX)),
        Slip(
            "mean_of_tiles",
            Text("Averaged the tiles", "把各分块的输出取平均"),
            lambda s: mean([t.output for t in tile_states(s)]),
            Text(
                "Each tile’s own output counted alike. A tile weighs as much as its ℓ on the common scale.",
                "把各分块自己的输出一视同仁了。一个分块的分量应是它在同一基准上的 ℓ。",
            ),
        ),
        Slip(
            "base_two",
            Text("2 instead of e", "用 2 代替了 e"),
            lambda s: tuple(output(in_base_two(s)).tolist()),
            lambda s: BASE_TWO,
        ),
    ),
    working=lambda s: Text(
        f"At the end m = {short(float(last(s).m))}, ℓ = {fixed(float(last(s).l))}, u = "
        f"({vector(last(s).u.tolist())}), and o = u ÷ ℓ.",
        f"最后 m = {short(float(last(s).m))}，ℓ = {fixed(float(last(s).l))}，u =（{vector(last(s).u.tolist())}），o "
        "= u ÷ ℓ。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=lambda s: (
        *weight_rows(s),
        l_row(s),
        u_row(s),
        Row(Text("o, number by number", "o，逐个数相除"), "u ÷ ℓ", vector(output(s).tolist())),
    ),
)


# --- the rescale factor


def alpha_of(scenario: Scenario) -> float:
    step = first_shrink(scenario)
    return 1.0 if step is None else step.alpha


def rise(scenario: Scenario) -> float:
    step = first_shrink(scenario)
    return 0.0 if step is None else step.m_new - step.m_old


def _alpha_rows(s: Scenario) -> tuple[Row, ...]:
    step = first_shrink(s)
    tops = ", ".join(short(max(s.scores[key] for key in tile.keys)) for tile in s.tiles)
    maxima = Row(
        Text("The largest score of each tile", "各分块最大的分数"), Text("in reading order", "按读取顺序"), tops
    )
    if step is None:
        return (maxima, Row(Text("The maximum never rises: α", "最大值从不上升：α"), "e^0", fixed(alpha_of(s))))
    power = f"e^({short(step.m_old)} − {short(step.m_new) if step.m_new >= 0 else f'({short(step.m_new)})'})"
    rises = Row(Text("Its first rise", "第一次上升"), f"{short(step.m_old)} → {short(step.m_new)}", short(rise(s)))
    return (maxima, rises, Row(Text("α, old less new in the exponent", "α：指数是旧减新"), power, fixed(alpha_of(s))))


_INVERTED: Slip[Scenario] = Slip(
    "inverted",
    Text("Upside down", "上下颠倒"),
    lambda s: (math.exp(min(rise(s), 700.0)),),
    Text(
        "That is e^(new − old), which is above 1. What we hold must shrink: e^(old − new).",
        "这是 e^(新 − 旧)，大于 1。已有累计应当缩小：e^(旧 − 新)。",
    ),
)
_TWO_TO_THE: Slip[Scenario] = Slip(
    "base_two", Text("2 instead of e", "用 2 代替了 e"), lambda s: (2.0 ** -min(rise(s), 1_000.0),), lambda s: BASE_TWO
)


ALPHA: Question[Scenario] = Question(
    slug="alpha",
    title=Text("The rescale factor", "缩放因子"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            f"Tiles of {s.tile_size}. By what factor α is what we hold multiplied the first time it must change "
            "scale? (If it never has to: 1.)",
            f"每个分块 {s.tile_size} 个键。手中的累计第一次换基准时乘以哪个因子 α？（若从不换：1。）",
        )
    ),
    form=form(KEYS, TILE),
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=lambda s: (alpha_of(s),),
    slips=(
        _INVERTED,
        _TWO_TO_THE,
        together(_INVERTED, _TWO_TO_THE, lambda s: (2.0 ** min(rise(s), 1_000.0),)),
        Slip(
            "difference",
            Text("The difference itself", "只算了差"),
            lambda s: (rise(s),),
            Text(
                "That is how far the maximum rose. The factor is e to minus that.",
                "这是最大值上升的幅度。取它的相反数作 e 的指数，才是因子。",
            ),
        ),
        Slip(
            "no_rescale",
            Text("Forgot to rescale", "忘了缩放"),
            lambda s: (1.0 if rise(s) else 0.0,),
            Text("A factor of 1 leaves everything on the old scale.", "乘以 1 等于留在旧基准上。"),
            lambda s: with_(s, Mistake.NO_RESCALE),
        ),
    ),
    working=lambda s: Text(
        f"The maximum first rises by {short(rise(s))}: α = e^−{short(rise(s))} = {fixed(alpha_of(s))}.",
        f"最大值第一次上升了 {short(rise(s))}：α = e^−{short(rise(s))} = {fixed(alpha_of(s))}。",
    ),
    way=lambda s: s,
    reply=Number(),
    rows=_alpha_rows,
)


# --- the denominator


_L_NOT_RESCALED: Slip[Scenario] = Slip(
    "no_rescale",
    Text("Forgot to rescale ℓ", "忘了缩放 ℓ"),
    lambda s: last(with_(s, Mistake.NO_RESCALE)).l,
    Text("The early keys stayed on the old scale when the maximum rose.", "最大值上升时，先读到的键还留在旧基准上。"),
    lambda s: with_(s, Mistake.NO_RESCALE),
)
_L_TILE_MAX: Slip[Scenario] = Slip(
    "tile_max",
    Text("Used the tile’s own maximum", "用了本分块自己的最大值"),
    lambda s: last(with_(s, Mistake.TILE_MAX)).l,
    Text(
        "A later tile was measured against its own maximum, so its keys weigh too much.",
        "后面的分块以自己的最大值为基准，权重偏大。",
    ),
    lambda s: with_(s, Mistake.TILE_MAX),
)

DENOMINATOR: Question[Scenario] = Question(
    slug="denominator",
    title=Text("The denominator ℓ", "分母 ℓ"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            f"Tiles of {s.tile_size}. ℓ is the sum of the weights against the maximum m. What is it when all keys "
            "are read?",
            f"每个分块 {s.tile_size} 个键。ℓ 是以最大值 m 为基准的权重之和。读完所有键时它是多少？",
        )
    ),
    form=form(KEYS, TILE),
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=lambda s: last(s).l,
    slips=(
        _L_NOT_RESCALED,
        _L_TILE_MAX,
        Slip(
            "no_max",
            Text("Forgot the maximum", "忘了减最大值"),
            lambda s: last(with_(s, Mistake.NO_MAX)).l,
            Text(
                "That is Σ e^s with nothing subtracted. The quotient would survive it, until exp overflows.",
                "这是什么也不减的 Σ e^s。做商时它会约掉，但 exp 迟早溢出。",
            ),
            lambda s: with_(s, Mistake.NO_MAX),
        ),
        Slip(
            "base_two",
            Text("2 instead of e", "用 2 代替了 e"),
            lambda s: last(in_base_two(s)).l,
            lambda s: BASE_TWO,
        ),
        Slip(
            "count",
            Text("Counted the keys", "数了键的个数"),
            lambda s: len(s.scores),
            Text(
                "That is the number of keys. Each counts e^(s − m), at most 1.",
                "这是键的个数。每个键只算 e^(s − m)，至多为 1。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"Against the final maximum {short(float(last(s).m))} the weights e^(s − m) sum to {fixed(float(last(s).l))}.",
        f"以最终的最大值 {short(float(last(s).m))} 为基准，各权重 e^(s − m) 之和为 {fixed(float(last(s).l))}。",
    ),
    way=lambda s: s,
    reply=Number(),
    rows=lambda s: (*weight_rows(s), l_row(s)),
)


# --- the accumulator

ACCUMULATOR: Question[Scenario] = Question(
    slug="accumulator",
    title=Text("The accumulator u", "累加器 u"),
    prompt=lambda s: (
        keys_in_words(s)
        + Text(
            f"Tiles of {s.tile_size}. What is u, with the maximum m as its scale, before the division?",
            f"每个分块 {s.tile_size} 个键。做除法之前，以最大值 m 为基准的 u 是多少？",
        )
    ),
    form=form(KEYS, TILE),
    inputs=CHAPTER,
    invent=lambda rng: invented(rng, d=1),
    formula=lambda s: tuple(last(s).u.tolist()),
    slips=(
        Slip(
            "no_rescale",
            Text("Forgot to rescale u", "忘了缩放 u"),
            lambda s: tuple(last(with_(s, Mistake.NO_RESCALE)).u.tolist()),
            Text("The maximum rose and the old u was not multiplied by α.", "最大值上升后，旧的 u 没有乘 α。"),
            lambda s: with_(s, Mistake.RESCALE_L_ONLY),
        ),
        Slip(
            "tile_max",
            Text("Used the tile’s own maximum", "用了本分块自己的最大值"),
            lambda s: tuple(last(with_(s, Mistake.TILE_MAX)).u.tolist()),
            Text("A later tile was measured against its own maximum.", "后面的分块以自己的最大值为基准。"),
            lambda s: with_(s, Mistake.TILE_MAX),
        ),
        Slip(
            "no_max",
            Text("Forgot the maximum", "忘了减最大值"),
            lambda s: tuple(last(with_(s, Mistake.NO_MAX)).u.tolist()),
            Text("That is Σ e^s v with nothing subtracted.", "这是什么也不减的 Σ e^s v。"),
            lambda s: with_(s, Mistake.NO_MAX),
        ),
        Slip(
            "divided",
            Text("Divided already", "已经除过了"),
            lambda s: tuple(output(s).tolist()),
            Text(
                "That is o = u ÷ ℓ. The accumulator is not divided until the end.",
                "这是 o = u ÷ ℓ。累加器到最后才做除法。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"Each value counts e^(s − m) with m = {short(float(last(s).m))}: u = ({vector(last(s).u.tolist())}).",
        f"每个值按 e^(s − m) 计入，m = {short(float(last(s).m))}：u =（{vector(last(s).u.tolist())}）。",
    ),
    way=lambda s: s,
    reply=Vector(),
    rows=lambda s: (*weight_rows(s), u_row(s)),
)
