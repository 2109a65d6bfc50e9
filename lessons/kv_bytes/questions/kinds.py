"""Caches that are not simply K and V of every KV head: a latent, and fewer bits with scales."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from engine.kv_formats import BF16, Format
from engine.kv_ladder import Mistake
from engine.kv_size import Scenario
from engine.models import MODELS
from lessons.kit.format import in_bytes
from lessons.kit.question import Line, Question, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE, GIB
from lessons.kv_bytes.form import (
    BITS,
    GROUP,
    HEAD_DIM,
    HEADS,
    HIDDEN,
    KV_HEADS,
    LAYERS,
    RANK,
    ROPE,
    SCALE,
    TOKENS,
    plain,
    plain_form,
)
from lessons.kv_bytes.presets import CHAPTER, SCALED
from lessons.kv_bytes.questions.drawn import IN_GIB, gib_of, invented, itself, slip

# --- MLA


def _token_bytes(s: Scenario) -> float:
    return float(s.token_bytes)


def _latent(rng: random.Random) -> Scenario:
    heads = rng.choice((16, 32, 64, 128))
    model = replace(
        MODELS["DeepSeek-V3"],
        n_layers=rng.choice((27, 36, 48, 60, 61, 72)),
        n_heads=heads,
        head_dim=rng.choice((96, 128, 192)),
        hidden=heads * rng.choice((40, 56, 80, 112)),
        mla_rank=rng.choice((256, 384, 512, 768)),
        rope_dim=rng.choice((32, 64)),
    )
    return Scenario(model)


MLA: Question[Scenario] = Question(
    slug="mla",
    title=Text("A latent instead of heads (MLA)", "用潜在向量代替各个头（MLA）"),
    prompt=Told(
        "{model.n_layers:layer}, hidden size {model.hidden}, {model.n_heads:head} of size {model.head_dim}; MLA "
        "caches a latent of {model.mla_rank:number} and a rotated part of {model.rope_dim}; {format.bits:short} "
        "bits. How many bytes does one token take, over all layers?",
        "{model.n_layers} 层，隐藏维度 {model.hidden}，{model.n_heads} 个头，头维度 {model.head_dim}；MLA 缓存的潜"
        "在向量有 {model.mla_rank} 个数，旋转部分 {model.rope_dim} 个；{format.bits:short} 位。一个 token 在所有层"
        "共占多少字节？",
    ),
    form=plain_form(plain(LAYERS), plain(HEADS), plain(HEAD_DIM), plain(HIDDEN), plain(RANK), plain(ROPE), BITS),
    inputs=Scenario(MODELS["DeepSeek-V3"]),
    invent=_latent,
    formula=_token_bytes,
    slips=(
        slip(Mistake.MLA_AS_GQA, _token_bytes),
        slip(Mistake.MLA_TWICE, _token_bytes),
        slip(Mistake.MLA_NO_ROPE, _token_bytes),
        slip(Mistake.MLA_ROPE_AS_HEAD_DIM, _token_bytes),
        slip(Mistake.HIDDEN_OVER_HEADS, _token_bytes),
    ),
    working=Told(
        "{model.n_layers} × ({model.mla_rank} + {model.rope_dim}) × {format.itemsize:short} = {token_bytes:B}; no "
        "2 for K and V.",
        "{model.n_layers} ×（{model.mla_rank} + {model.rope_dim}）× {format.itemsize:short} = {token_bytes:B}；不必"
        "为 K 和 V 再乘 2。",
    ),
    way=itself,
    reply=Number(BYTE),
    rows=(
        Line(
            Text("Numbers of one vector, for all heads", "一个向量里数的个数（供所有头）"),
            "{model.mla_rank} + {model.rope_dim}",
            "{model.numbers}",
        ),
        Line(
            Text("One layer; K and V both follow from it", "一层；K 和 V 都由它得出"),
            "{model.numbers} × {format.itemsize:short}",
            "{layer_bytes:B}",
        ),
        Line(Text("All layers", "所有层"), "{model.n_layers} × {layer_bytes:B}", "{token_bytes:B}"),
    ),
)


# --- scales


def _quantised(rng: random.Random) -> Scenario:
    base = invented(rng)
    f = Format(Fraction(rng.choice((4, 8)), 8), rng.choice((16, 32, 64)), rng.choice((2, 4)))
    return replace(base, batch=1, format=f, model=replace(base.model, head_dim=rng.choice((128, 256))))


def _unscaled(s: Scenario) -> Scenario:
    return replace(s, format=Format(s.format.itemsize))


def _numbers(s: Scenario) -> int:
    """Bytes of the numbers of one vector."""
    return _unscaled(s).vector_bytes


def _scales(s: Scenario) -> int:
    """Scales of one vector."""
    return s.format.scales(s.model.head_dim)


_SHAPE = Told(
    "{model.n_layers:layer}, {model.n_kv_heads:KV head} of size {model.head_dim}, {seq_len:token}. Numbers of "
    "{format.bits:short} bits; ",
    "{model.n_layers} 层，{model.n_kv_heads} 个 KV 头，头维度 {model.head_dim}，{seq_len} 个 token。每个数 "
    "{format.bits:short} 位；",
)
_EACH, _EVERY = Text("each has", "每个数都有"), Told("every {format.group} share", "每 {format.group} 个共用")
_A_SCALE = Told(
    " a scale of {format.scale_bytes:byte}. How many GiB?", "一个 {format.scale_bytes} 字节的比例因子。占多少 GiB？"
)

_NO_SCALES: Slip[Scenario] = Slip(
    "no-scales",
    Text("Forgot the scales", "漏了比例因子"),
    lambda s: gib_of(_unscaled(s)),
    Text("That is the numbers alone. The scales lie in the cache beside them.", "这只是数本身。比例因子也放在缓存里。"),
)
_NO_V = slip(Mistake.FORGOT_V, gib_of)

SCALES: Question[Scenario] = Question(
    slug="scales",
    title=Text("Fewer bits, with scales", "更少的位，带比例因子"),
    prompt=lambda s: (_SHAPE + (_EACH if s.format.group == 1 else _EVERY) + _A_SCALE).on(s),
    form=plain_form(plain(LAYERS), plain(KV_HEADS), plain(HEAD_DIM), TOKENS, BITS, plain(GROUP), SCALE),
    inputs=replace(CHAPTER, format=SCALED),
    invent=_quantised,
    formula=gib_of,
    slips=(
        _NO_SCALES,
        Slip(
            "one-scale",
            Text("One scale a vector", "每个向量只算一个"),
            lambda s: gib_of(replace(s, format=replace(s.format, group=s.model.head_dim))),
            lambda s: Told(
                "A vector of {model.head_dim:number} has {groups:group}.", "{model.head_dim} 个数的向量有 {groups} 组。"
            ).on(s, groups=_scales(s)),
        ),
        Slip(
            "16-bits",
            Text("Kept 16 bits", "仍按 16 位"),
            lambda s: gib_of(replace(s, format=BF16)),
            Text("That is the cache before quantisation.", "这是量化之前的缓存。"),
        ),
        _NO_V,
        slip(Mistake.BITS_FOR_BYTES, gib_of),
        together(_NO_SCALES, _NO_V, lambda s: gib_of(replace(_unscaled(s), mistake=Mistake.FORGOT_V))),
    ),
    working=Told(
        "One vector: {vector_bytes:B} with its scales; all together {cache_bytes:B}.",
        "一个向量连同比例因子：{vector_bytes:B}；合计 {cache_bytes:B}。",
    ),
    way=itself,
    reply=Number(GIB),
    rows=(
        Line(
            Text("The numbers of one vector", "一个向量的数"),
            "{model.head_dim} × {format.itemsize:short}",
            lambda s: in_bytes(_numbers(s)),
        ),
        Line(
            Text("Its scales", "它的比例因子"),
            lambda s: f"{_scales(s)} × {s.format.scale_bytes}",
            lambda s: in_bytes(s.vector_bytes - _numbers(s)),
        ),
        Line(
            Text("One vector", "一个向量"),
            lambda s: f"{_numbers(s)} + {s.vector_bytes - _numbers(s)}",
            "{vector_bytes:B}",
        ),
        Line(
            Text("K and V of all KV heads and layers, all tokens", "所有 KV 头、所有层、全部 token 的 K 和 V"),
            "2 × {model.n_kv_heads} × {model.n_layers} × {seq_len} × {vector_bytes:B}",
            "{cache_bytes:B}",
        ),
        IN_GIB,
    ),
)
