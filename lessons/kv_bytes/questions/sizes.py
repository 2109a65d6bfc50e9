"""How large is it, how much is one more: the product counted by hand, written out, and turned round."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.kv_ladder import Mistake
from engine.kv_size import GB, Scenario
from engine.models import MODELS
from lessons.kit.format import count, in_bytes, short
from lessons.kit.question import COUNTED, Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import GIB, KIB
from lessons.kv_bytes.form import BATCH, BITS, HEAD_DIM, LAYERS, TOKENS, plain, plain_form
from lessons.kv_bytes.presets import CHAPTER, CHECK_24
from lessons.kv_bytes.questions.drawn import (
    CACHE,
    GIVEN_HIDDEN,
    GROUPED,
    IN_BYTES,
    IN_GIB,
    PRODUCT,
    SHAPE,
    gib_of,
    invented,
    itself,
    no_v_of_query_heads,
    of_all_heads,
    of_kv_heads,
    own,
    sequences,
    slip,
    with_,
)
from lessons.kv_bytes.questions.drawn import TOKEN as TOKEN_LINES

# --- counting by hand


def _numbers(s: Scenario) -> float:
    """Numbers kept: at one byte a number the bytes are the numbers."""
    return float(s.cache_bytes)


def _by_hand(rng: random.Random) -> Scenario:
    dim, layers = rng.randint(2, 9), rng.randint(1, 4)
    model = replace(CHECK_24.model, n_layers=layers, head_dim=dim, hidden=dim)
    return replace(CHECK_24, model=model, seq_len=rng.randint(2, 9))


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
    formula=_numbers,
    slips=(
        slip(Mistake.FORGOT_V, _numbers),
        Slip(
            "q-too",
            Text("Counted Q, too", "把 Q 也算上了"),
            lambda s: _numbers(s) * 3 / 2,
            Text(
                "Q, K and V make three, but a query is used once and dropped. Only K and V are kept.",
                "Q、K、V 是三样，但查询用一次就丢掉。只保存 K 和 V。",
            ),
        ),
        Slip(
            "one-position",
            Text("One position only", "只数了一个位置"),
            lambda s: _numbers(s) / s.seq_len,
            Told("Every position has a row of its own: {seq_len:row}.", "每个位置各有一行：共 {seq_len} 行。"),
        ),
        Slip(
            "added",
            Text("Added instead of multiplied", "用了加法而不是乘法"),
            lambda s: 2 * s.model.n_layers * (s.seq_len + s.model.head_dim),
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
    way=itself,
    rows=(
        Line(
            Text("K of one layer", "一层的 K"),
            "{seq_len} × {model.head_dim}",
            lambda s: count(s.seq_len * s.model.head_dim),
        ),
        Line(
            Text("K and V of one layer", "一层的 K 和 V"),
            lambda s: f"2 × {count(s.seq_len * s.model.head_dim)}",
            lambda s: count(2 * s.seq_len * s.model.head_dim),
        ),
        Line(
            Text("All layers", "所有层"),
            lambda s: f"{s.model.n_layers} × {count(2 * s.seq_len * s.model.head_dim)}",
            "{cache_bytes}",
        ),
    ),
    tolerance=COUNTED,
)


# --- the whole cache

_IN_GB: Slip[Scenario] = Slip(
    "gb",
    Text("In GB, not GiB", "用了 GB 而不是 GiB"),
    lambda s: s.cache_bytes / GB,
    Text(
        "The bytes were divided by 10⁹. The question asks for GiB: divide by 2³⁰.",
        "这是用字节数除以 10⁹。问的是 GiB：应除以 2³⁰。",
    ),
)
_NO_V, _QUERY_HEADS = slip(Mistake.FORGOT_V, gib_of), slip(Mistake.QUERY_HEADS, gib_of)

TOTAL: Question[Scenario] = Question(
    slug="total",
    title=Text("The whole cache, in GiB", "整个缓存（GiB）"),
    prompt=lambda s: (
        GIVEN_HIDDEN + Told("{sequences}. How many GiB does the KV cache take?", "{sequences}。KV 缓存占多少 GiB？")
    ).on(s, sequences=sequences(s)),
    form=plain_form(*SHAPE, TOKENS, BATCH, BITS),
    inputs=Scenario(MODELS["Qwen3-4B"], 32_768, 2),
    invent=invented,
    formula=gib_of,
    slips=(
        _NO_V,
        _QUERY_HEADS,
        slip(Mistake.HIDDEN_OVER_HEADS, gib_of),
        slip(Mistake.ONE_LAYER, gib_of),
        slip(Mistake.BITS_FOR_BYTES, gib_of),
        _IN_GB,
        no_v_of_query_heads(gib_of),
        together(_NO_V, _IN_GB, lambda s: with_(s, Mistake.FORGOT_V).cache_bytes / GB),
        together(_QUERY_HEADS, _IN_GB, lambda s: with_(s, Mistake.QUERY_HEADS).cache_bytes / GB),
    ),
    working=Told(
        f"{PRODUCT} = {{cache_bytes:B}} = {{cache_bytes:GiB}}.",
        f"{PRODUCT} = {{cache_bytes:B}} = {{cache_bytes:GiB}}。",
    ),
    way=itself,
    reply=Number(GIB),
    rows=(*CACHE, IN_GIB),
)


# --- one token


def _kib(s: Scenario) -> float:
    return s.token_bytes / 2**10


TOKEN: Question[Scenario] = Question(
    slug="token",
    title=Text("One more token, in KiB", "再多一个 token（KiB）"),
    prompt=GIVEN_HIDDEN
    + Text("How many KiB does one more token of one sequence add?", "一条序列再多一个 token，增加多少 KiB？"),
    form=plain_form(*SHAPE, BITS),
    inputs=replace(CHAPTER, model=MODELS["Qwen3-4B"]),
    invent=lambda rng: replace(invented(rng), batch=1),
    formula=_kib,
    slips=(
        slip(Mistake.FORGOT_V, _kib),
        slip(Mistake.QUERY_HEADS, _kib),
        slip(Mistake.ONE_HEAD, _kib),
        slip(Mistake.HIDDEN_OVER_HEADS, _kib),
        slip(Mistake.ONE_LAYER, _kib),
        Slip(
            "kb",
            Text("In kB, not KiB", "用了 kB 而不是 KiB"),
            lambda s: s.token_bytes / 1000,
            Text(
                "The bytes are right, divided by 10³. The question asks for KiB: divide by 2¹⁰.",
                "字节数对了，但除以的是 10³。问的是 KiB：应除以 2¹⁰。",
            ),
        ),
        no_v_of_query_heads(_kib),
    ),
    working=Told("The product without T: {token_bytes:B}.", "去掉 T 的乘积：{token_bytes:B}。"),
    way=itself,
    reply=Number(KIB),
    rows=(*TOKEN_LINES, Line(Text("In KiB", "换成 KiB"), "{token_bytes:B} ÷ 2¹⁰", lambda s: f"{short(_kib(s))} KiB")),
)


# --- from the bytes back to the heads


def _heads(s: Scenario) -> float:
    """KV heads of a cache of so many bytes: what the product lacks."""
    m = s.model
    return s.cache_bytes / (2 * m.n_layers * s.batch * s.seq_len * m.head_dim * float(s.format.itemsize))


def _turned_round(rng: random.Random) -> Scenario:
    base = invented(rng)
    kv = rng.choice((2, 4, 5, 6, 8, 10, 12, 16))
    heads = kv * rng.choice((3, 5, 6, 7, 8))
    m = own(n_layers=base.model.n_layers, n_heads=heads, n_kv_heads=kv, head_dim=base.model.head_dim, hidden=None)
    return Scenario(m, base.seq_len)


_ONE_HEAD = "2 × {model.n_layers} × {seq_len} × {model.head_dim} × {format.itemsize:short}"
_SOLVED = f"{{cache_bytes:B}} ÷ ({_ONE_HEAD}) = {{found}}"


def _found(s: Scenario) -> str:
    return count(round(_heads(s)))


def _single(s: Scenario) -> str:
    """Bytes of the cache with one KV head."""
    return in_bytes(of_kv_heads(s, 1).cache_bytes)


BACK: Question[Scenario] = Question(
    slug="kv-heads",
    title=Text("How many KV heads must it have?", "它有多少个 KV 头？"),
    prompt=Told(
        "A model has {model.n_layers:layer} and {model.n_heads:query head}; a head has {model.head_dim:number} of "
        "{format.bits:short} bits. Its cache of {seq_len:token} takes {cache_bytes:GiB}. How many KV heads does it "
        "have?",
        "一个模型有 {model.n_layers} 层、{model.n_heads} 个查询头；每个头 {model.head_dim} 个数，每个数 "
        "{format.bits:short} 位。它在 {seq_len} 个 token 时的缓存占 {cache_bytes:GiB}。它有多少个 KV 头？",
    ),
    form=plain_form(*GROUPED, TOKENS),
    inputs=Scenario(own(n_layers=28, n_heads=24, n_kv_heads=8, head_dim=128, hidden=None), 32_768),
    invent=_turned_round,
    formula=_heads,
    slips=(
        Slip(
            "one-two",
            Text("Left out a 2", "漏了一个 2"),
            lambda s: _heads(s) * 2,
            Text(
                "K and V give one 2, and the two bytes of a number give another. One of them is missing.",
                "K 和 V 给出一个 2，每个数的两个字节又给出一个。这里少了其中之一。",
            ),
        ),
        Slip(
            "both-twos",
            Text("Left out both 2s", "两个 2 都漏了"),
            lambda s: _heads(s) * 4,
            Text(
                "K and V are two, and a number of 16 bits takes two bytes: divide by 4 more.",
                "K 和 V 是两份，16 位的数占两个字节：还要再除以 4。",
            ),
        ),
        Slip(
            "group",
            Text("Gave the size of a group", "答成了每组的大小"),
            lambda s: s.model.sharing,
            Told(
                "That is how many query heads share a KV head: {model.n_heads} ÷ {model.n_kv_heads}.",
                "这是共用一个 KV 头的查询头数：{model.n_heads} ÷ {model.n_kv_heads}。",
            ),
        ),
        Slip(
            "query-heads",
            Text("Gave the query heads", "答成了查询头数"),
            lambda s: s.model.n_heads,
            lambda s: Told(
                "With {model.n_heads:KV head} the cache would take {all:GiB}.",
                "若有 {model.n_heads} 个 KV 头，缓存就占 {all:GiB}。",
            ).on(s, all=of_all_heads(s)),
        ),
    ),
    working=lambda s: Told(_SOLVED, _SOLVED).on(s, found=_found(s)),
    way=itself,
    rows=(
        IN_BYTES,
        Line(Text("With a single KV head it would be", "若只有一个 KV 头"), _ONE_HEAD, _single),
        Line(
            Text("So many KV heads", "所以 KV 头有"),
            lambda s: f"{in_bytes(s.cache_bytes)} ÷ {_single(s)}",
            _found,
        ),
    ),
    tolerance=COUNTED,
)
