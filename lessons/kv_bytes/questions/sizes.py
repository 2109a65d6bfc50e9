"""How large is it, how much is one more, how many fit."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.kv_formats import BF16
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Scenario, cache_bytes, one_more
from engine.models import MODELS
from lessons.kit.format import count, short
from lessons.kit.question import COUNTED, Question, Row, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import GIB as IN_GIB
from lessons.kit.units import KIB as IN_KIB
from lessons.kit.units import TOKEN as IN_TOKENS
from lessons.kv_bytes.form import BATCH, BITS, HEAD_DIM, LAYERS, TOKENS, plain, plain_form
from lessons.kv_bytes.presets import CHAPTER, CHECK_24
from lessons.kv_bytes.quantities import bytes_, gib
from lessons.kv_bytes.questions.drawn import (
    SHAPE,
    cache_rows,
    gib_of,
    given,
    in_gib,
    invented,
    no_v_of_query_heads,
    of_query_heads,
    product,
    sentence,
    sequences,
    slip,
    title,
    token_rows,
    with_,
)
from lessons.kv_bytes.room import MEMORY_FREE, Room, room_form

KIB = 2**10
QWEN = Scenario(MODELS["Qwen3-4B"], 32_768, 2)

# --- the whole cache

_IN_GB: Slip[Scenario] = Slip(
    "gb",
    Text("In GB, not GiB", "用了 GB 而不是 GiB"),
    lambda s: (cache_bytes(s) / GB,),
    Text(
        "The bytes were divided by 10⁹. The question asks for GiB: divide by 2³⁰.",
        "这是用字节数除以 10⁹。问的是 GiB：应除以 2³⁰。",
    ),
)

TOTAL: Question[Scenario] = Question(
    slug="total",
    title=Text("The whole cache, in GiB", "整个缓存（GiB）"),
    prompt=lambda s: (
        given(s)
        + Text(f"{sequences(s).en}. How many GiB does the KV cache take?", f"{sequences(s).zh}。KV 缓存占多少 GiB？")
    ),
    form=plain_form(*SHAPE, TOKENS, BATCH, BITS),
    inputs=QWEN,
    invent=invented,
    formula=lambda s: (gib_of(s),),
    slips=(
        slip(Mistake.FORGOT_V, gib_of),
        slip(Mistake.QUERY_HEADS, gib_of),
        slip(Mistake.HIDDEN_OVER_HEADS, gib_of),
        slip(Mistake.ONE_LAYER, gib_of),
        slip(Mistake.BITS_FOR_BYTES, gib_of),
        _IN_GB,
        no_v_of_query_heads(gib_of),
        together(slip(Mistake.FORGOT_V, gib_of), _IN_GB, lambda s: (cache_bytes(with_(s, Mistake.FORGOT_V)) / GB,)),
        together(
            slip(Mistake.QUERY_HEADS, gib_of), _IN_GB, lambda s: (cache_bytes(with_(s, Mistake.QUERY_HEADS)) / GB,)
        ),
    ),
    working=lambda s: Text(
        f"{product(s)} = {bytes_(cache_bytes(s))} = {gib(cache_bytes(s))}.",
        f"{product(s)} = {bytes_(cache_bytes(s))} = {gib(cache_bytes(s))}。",
    ),
    way=lambda s: s,
    reply=Number(IN_GIB),
    rows=lambda s: (*cache_rows(s), in_gib(cache_bytes(s))),
)


# --- one token


def _kib(s: Scenario) -> float:
    return one_more(s)[0] / KIB


TOKEN: Question[Scenario] = Question(
    slug="token",
    title=Text("One more token, in KiB", "再多一个 token（KiB）"),
    prompt=lambda s: (
        given(s)
        + Text("How many KiB does one more token of one sequence add?", "一条序列再多一个 token，增加多少 KiB？")
    ),
    form=plain_form(*SHAPE, BITS),
    inputs=replace(CHAPTER, model=MODELS["Qwen3-4B"]),
    invent=lambda rng: replace(invented(rng), batch=1),
    formula=lambda s: (_kib(s),),
    slips=(
        slip(Mistake.FORGOT_V, _kib),
        slip(Mistake.QUERY_HEADS, _kib),
        slip(Mistake.ONE_HEAD, _kib),
        slip(Mistake.HIDDEN_OVER_HEADS, _kib),
        slip(Mistake.ONE_LAYER, _kib),
        Slip(
            "kb",
            Text("In kB, not KiB", "用了 kB 而不是 KiB"),
            lambda s: (one_more(s)[0] / 1000,),
            Text(
                "The bytes are right, divided by 10³. The question asks for KiB: divide by 2¹⁰.",
                "字节数对了，但除以的是 10³。问的是 KiB：应除以 2¹⁰。",
            ),
        ),
        no_v_of_query_heads(_kib),
    ),
    working=lambda s: Text(
        f"The product without T: {bytes_(one_more(s)[0])}.", f"去掉 T 的乘积：{bytes_(one_more(s)[0])}。"
    ),
    way=lambda s: s,
    reply=Number(IN_KIB),
    rows=lambda s: (
        *token_rows(s),
        Row(Text("In KiB", "换成 KiB"), f"{bytes_(one_more(s)[0])} ÷ 2¹⁰", f"{short(_kib(s))} KiB"),
    ),
)


# --- how many tokens fit


def _fit(room: Room, mistake: Mistake = Mistake.NONE, unit: int = GIB) -> float:
    return float(int(room.free * unit) // one_more(with_(room.scenario, mistake))[0])


def _room(rng: random.Random) -> Room:
    return Room(replace(invented(rng), batch=1, format=BF16), float(rng.choice((3, 6, 10, 12, 20, 30, 45))))


def _room_slip(mistake: Mistake) -> Slip[Room]:
    return Slip(
        mistake.value.replace("_", "-"),
        title(mistake),
        lambda r: (_fit(r, mistake),),
        lambda r: sentence(with_(r.scenario, mistake)),
        lambda r: with_(r.way, mistake),
    )


_GIB_AS_GB: Slip[Room] = Slip(
    "gb",
    Text("Took GiB for GB", "把 GiB 当作 GB"),
    lambda r: (_fit(r, unit=GB),),
    lambda r: Text(
        f"{short(r.free)} GiB hold {bytes_(int(r.free * GIB))}, more than {short(r.free)} GB.",
        f"{short(r.free)} GiB 是 {bytes_(int(r.free * GIB))}，比 {short(r.free)} GB 多。",
    ),
)


def _fit_rows(r: Room) -> tuple[Row, ...]:
    free, each = int(r.free * GIB), one_more(r.scenario)[0]
    return (
        *token_rows(r.scenario),
        Row(Text("Free, in bytes", "可用的字节数"), f"{short(r.free)} × 2³⁰", bytes_(free)),
        Row(
            Text("Whole tokens in it", "放得下的整数个 token"),
            f"{bytes_(free)} ÷ {bytes_(each)}",
            IN_TOKENS.after(count(int(_fit(r)))),
        ),
    )


FITS: Question[Room] = Question(
    slug="fits",
    title=Text("How many tokens fit", "放得下多少 token"),
    prompt=lambda r: (
        given(r.scenario)
        + Text(
            f"{short(r.free)} GiB are free for the cache of one sequence. How many tokens fit?",
            f"有 {short(r.free)} GiB 可用于一条序列的缓存。放得下多少个 token？",
        )
    ),
    form=room_form(*SHAPE, BITS, MEMORY_FREE),
    inputs=Room(replace(QWEN, batch=1), 10.0),
    invent=_room,
    formula=lambda r: (_fit(r),),
    slips=(
        _room_slip(Mistake.FORGOT_V),
        _room_slip(Mistake.QUERY_HEADS),
        _room_slip(Mistake.HIDDEN_OVER_HEADS),
        _room_slip(Mistake.ONE_LAYER),
        _GIB_AS_GB,
        together(
            _room_slip(Mistake.FORGOT_V),
            _room_slip(Mistake.QUERY_HEADS),
            lambda r: (_fit(replace(r, scenario=of_query_heads(r.scenario)), Mistake.FORGOT_V),),
        ),
        together(_room_slip(Mistake.FORGOT_V), _GIB_AS_GB, lambda r: (_fit(r, Mistake.FORGOT_V, GB),)),
    ),
    working=lambda r: Text(
        f"{bytes_(int(r.free * GIB))} ÷ {bytes_(one_more(r.scenario)[0])} a token, rounded down. The steps show a "
        "cache of that length.",
        f"{bytes_(int(r.free * GIB))} ÷ 每个 token {bytes_(one_more(r.scenario)[0])}，向下取整。下面的步骤就是这么长"
        "的缓存。",
    ),
    way=lambda r: r.way,
    reply=Number(IN_TOKENS),
    rows=_fit_rows,
)


# --- counting by hand


def _numbers(s: Scenario) -> float:
    """Numbers kept: at one byte a number the bytes are the numbers."""
    return float(cache_bytes(s))


def _by_hand(rng: random.Random) -> Scenario:
    dim, layers = rng.randint(2, 9), rng.randint(1, 4)
    model = replace(CHECK_24.model, n_layers=layers, head_dim=dim, hidden=dim)
    return replace(CHECK_24, model=model, seq_len=rng.randint(2, 9))


def _by_hand_rows(s: Scenario) -> tuple[Row, ...]:
    m, t, d = s.model, s.seq_len, s.model.head_dim
    layer = 2 * t * d
    return (
        Row(Text("K of one layer", "一层的 K"), f"{t} × {d}", count(t * d)),
        Row(Text("K and V of one layer", "一层的 K 和 V"), f"2 × {count(t * d)}", count(layer)),
        Row(Text("All layers", "所有层"), f"{m.n_layers} × {count(layer)}", count(cache_bytes(s))),
    )


BY_HAND: Question[Scenario] = Question(
    slug="by-hand",
    title=Text("Count the numbers by hand", "亲手数一数"),
    prompt=Told(
        "{model.n_layers:layer}, {seq_len:position}, {model.head_dim:number} in a row of K and in a row of V. How "
        "many numbers does the cache hold?",
        "{model.n_layers} 层，{seq_len} 个位置，K 和 V 每行各 {model.head_dim} 个数。缓存里共有多少个数？",
    ),
    form=plain_form(plain(LAYERS), TOKENS, plain(HEAD_DIM)),
    inputs=CHECK_24,
    invent=_by_hand,
    formula=lambda s: (_numbers(s),),
    slips=(
        slip(Mistake.FORGOT_V, _numbers),
        Slip(
            "q-too",
            Text("Counted Q, too", "把 Q 也算上了"),
            lambda s: (_numbers(s) * 3 / 2,),
            Text(
                "Q, K and V make three, but a query is used once and dropped. Only K and V are kept.",
                "Q、K、V 是三样，但查询用一次就丢掉。只保存 K 和 V。",
            ),
        ),
        Slip(
            "one-position",
            Text("One position only", "只数了一个位置"),
            lambda s: (_numbers(s) / s.seq_len,),
            Told("Every position has a row of its own: {seq_len:row}.", "每个位置各有一行：共 {seq_len} 行。"),
        ),
        Slip(
            "added",
            Text("Added instead of multiplied", "用了加法而不是乘法"),
            lambda s: (2.0 * s.model.n_layers * (s.seq_len + s.model.head_dim),),
            Told(
                "{seq_len:row} of {model.head_dim:number} {seq_len|is|are} a product, not a sum.",
                "{seq_len} 行、每行 {model.head_dim} 个数，是乘积，不是和。",
            ),
        ),
    ),
    working=Told(
        "2 × {model.n_layers} × {seq_len} × {model.head_dim}. The steps take one byte a number, so that bytes are "
        "numbers.",
        "2 × {model.n_layers} × {seq_len} × {model.head_dim}。下面的步骤每个数占一个字节，所以字节数就是个数。",
    ),
    way=lambda s: s,
    reply=Number(),
    rows=_by_hand_rows,
    tolerance=COUNTED,
)
