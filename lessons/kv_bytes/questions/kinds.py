"""Caches that are not simply K and V of every KV head for every token: a latent, windows, fewer bits with scales."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from engine.kv_formats import BF16, Format
from engine.kv_ladder import Mistake
from engine.kv_size import Scenario, cache_bytes, one_more
from engine.models import MODELS
from lessons.kit.format import count, many
from lessons.kit.question import Question, Row, Slip, together
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import BYTE
from lessons.kit.units import GIB as IN_GIB
from lessons.kv_bytes.form import (
    BITS,
    GROUP,
    HEAD_DIM,
    HEADS,
    HIDDEN,
    KV_HEADS,
    LAYERS,
    LOCAL,
    RANK,
    ROPE,
    SCALE,
    TOKENS,
    WINDOW,
    plain,
    plain_form,
)
from lessons.kv_bytes.presets import CHAPTER, SCALED
from lessons.kv_bytes.quantities import bytes_, gib, plain_number
from lessons.kv_bytes.questions.drawn import gib_of, given, in_gib, invented, sequences, slip

# --- MLA


def _token_bytes(s: Scenario) -> float:
    return float(one_more(s)[0])


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


def _latent_rows(s: Scenario) -> tuple[Row, ...]:
    m, each = s.model, s.format.token_layer_bytes(s.model)
    return (
        Row(
            Text("Numbers of one vector, for all heads", "一个向量里数的个数（供所有头）"),
            f"{m.mla_rank} + {m.rope_dim}",
            count(m.numbers),
        ),
        Row(
            Text("One layer; K and V both follow from it", "一层；K 和 V 都由它得出"),
            f"{m.numbers} × {plain_number(s.format.itemsize)}",
            bytes_(each),
        ),
        Row(Text("All layers", "所有层"), f"{m.n_layers} × {bytes_(each)}", bytes_(one_more(s)[0])),
    )


MLA: Question[Scenario] = Question(
    slug="mla",
    title=Text("A latent instead of heads (MLA)", "用潜在向量代替各个头（MLA）"),
    prompt=lambda s: Text(
        f"{s.model.n_layers} layer{'s' * (s.model.n_layers != 1)}, hidden size {count(s.model.hidden or 0)}, "
        f"{s.model.n_heads} head{'s' * (s.model.n_heads != 1)} of size {s.model.head_dim}; MLA caches a latent of "
        f"{s.model.mla_rank} number{'s' * (s.model.mla_rank != 1)} and a rotated part of "
        f"{s.model.rope_dim}; {plain_number(s.format.itemsize * 8)} bits. How many bytes does one token take, over "
        "all layers?",
        f"{s.model.n_layers} 层，隐藏维度 {count(s.model.hidden or 0)}，{s.model.n_heads} 个头，头维度 "
        f"{s.model.head_dim}；MLA 缓存的潜在向量有 {s.model.mla_rank} 个数，旋转部分 "
        f"{s.model.rope_dim} 个；{plain_number(s.format.itemsize * 8)} 位。一个 token 在所有层共占多少字节？",
    ),
    form=plain_form(plain(LAYERS), plain(HEADS), plain(HEAD_DIM), plain(HIDDEN), plain(RANK), plain(ROPE), BITS),
    inputs=Scenario(MODELS["DeepSeek-V3"]),
    invent=_latent,
    formula=lambda s: (_token_bytes(s),),
    slips=tuple(
        slip(m, _token_bytes)
        for m in (
            Mistake.MLA_AS_GQA,
            Mistake.MLA_TWICE,
            Mistake.MLA_NO_ROPE,
            Mistake.MLA_ROPE_AS_HEAD_DIM,
            Mistake.HIDDEN_OVER_HEADS,
        )
    ),
    working=lambda s: Text(
        f"{s.model.n_layers} × ({s.model.mla_rank} + {s.model.rope_dim}) × {plain_number(s.format.itemsize)} = "
        f"{bytes_(one_more(s)[0])}; no 2 for K and V.",
        f"{s.model.n_layers} ×（{s.model.mla_rank} + {s.model.rope_dim}）× {plain_number(s.format.itemsize)} = "
        f"{bytes_(one_more(s)[0])}；不必为 K 和 V 再乘 2。",
    ),
    way=lambda s: s,
    reply=Number(BYTE),
    rows=_latent_rows,
)


# --- windows


def _windows(rng: random.Random) -> Scenario:
    layers = rng.choice((24, 36, 48, 60))
    local = layers * rng.choice((1, 2, 3, 5)) // 6
    model = replace(invented(rng).model, n_layers=layers, n_local=local, window=rng.choice((512, 1_024, 4_096)))
    return Scenario(model, 1_024 * rng.choice((16, 32, 64, 128)))


def _kinds_of_layers(s: Scenario, local: int, full: int) -> float:
    """GiB where so many layers have the window and so many have none."""
    if not local + full:
        return 0.0
    return gib_of(replace(s, model=replace(s.model, n_layers=local + full, n_local=local)))


def _window_rows(s: Scenario) -> tuple[Row, ...]:
    m, each = s.model, s.format.token_layer_bytes(s.model)
    lines = [
        Row(
            Text(
                f"Rows in the {g.n_layers} layer{'s' * (g.n_layers != 1)} with a window",
                f"{g.n_layers} 个带窗口的层的行数",
            )
            if g.window
            else Text(
                f"Rows in the {g.n_layers} layer{'s' * (g.n_layers != 1)} without one",
                f"{g.n_layers} 个不带窗口的层的行数",
            ),
            f"{g.n_layers} × {count(g.cached_tokens(s.seq_len))}",
            count(g.n_layers * g.cached_tokens(s.seq_len)),
        )
        for g in m.groups
    ]
    return (
        *lines,
        Row(
            Text("One row: K and V of all KV heads", "一行：所有 KV 头的 K 和 V"),
            f"2 × {m.n_kv_heads} × {m.head_dim} × {plain_number(s.format.itemsize)}",
            bytes_(each),
        ),
        Row(
            Text("All rows of all sequences", "全部序列的全部行"),
            f"{s.batch} × {count(m.layer_tokens(s.seq_len))} × {bytes_(each)}",
            bytes_(cache_bytes(s)),
        ),
        in_gib(cache_bytes(s)),
    )


def _rows(s: Scenario) -> str:
    parts = " + ".join(f"{group.n_layers} × {count(group.cached_tokens(s.seq_len))}" for group in s.model.groups)
    return f"{parts} = {count(s.model.layer_tokens(s.seq_len))}"


def _full(s: Scenario) -> int:
    return s.model.n_layers - s.model.n_local


_NO_WINDOW, _NO_V = slip(Mistake.NO_WINDOW, gib_of), slip(Mistake.FORGOT_V, gib_of)

WINDOWS: Question[Scenario] = Question(
    slug="windows",
    title=Text("Layers with a window", "带窗口的层"),
    prompt=lambda s: (
        given(s)
        + Text(
            f"{s.model.n_local} of the layers keep{'s' * (s.model.n_local == 1)} only the last "
            f"{count(s.model.window or 0)} token{'s' * (s.model.window != 1)}. How many GiB for {sequences(s).en}?",
            f"其中 {s.model.n_local} 层只保存最近 {count(s.model.window or 0)} 个 token。{sequences(s).zh}，缓存占多"
            "少 GiB？",
        )
    ),
    form=plain_form(plain(LAYERS), plain(LOCAL), plain(WINDOW), plain(KV_HEADS), plain(HEAD_DIM), TOKENS),
    inputs=Scenario(MODELS["Gemma-3-27B"], 131_072),
    invent=_windows,
    formula=lambda s: (gib_of(s),),
    slips=(
        _NO_WINDOW,
        Slip(
            "all-local",
            Text("A window in every layer", "每层都算窗口"),
            lambda s: (_kinds_of_layers(s, s.model.n_layers, 0),),
            lambda s: Text(
                f"{many(_full(s), 'layer')} {'has' if _full(s) == 1 else 'have'} no window and "
                f"keep{'s' * (_full(s) == 1)} every token.",
                f"有 {_full(s)} 层没有窗口，保存全部 token。",
            ),
        ),
        Slip(
            "only-full",
            Text("Left out the layers with a window", "把带窗口的层漏掉了"),
            lambda s: (_kinds_of_layers(s, 0, _full(s)),),
            Told(
                "The {model.n_local:layer} with a window keep{model.n_local|s|} something, too.",
                "{model.n_local} 个带窗口的层也存了一部分。",
            ),
        ),
        Slip(
            "swapped",
            Text("Swapped the two kinds", "两种层弄反了"),
            lambda s: (_kinds_of_layers(s, _full(s), s.model.n_local),),
            lambda s: Text(
                f"{many(s.model.n_local, 'layer')} {'has' if s.model.n_local == 1 else 'have'} the window, not "
                f"{_full(s)}.",
                f"带窗口的是 {s.model.n_local} 层，不是 {_full(s)} 层。",
            ),
        ),
        _NO_V,
        together(
            _NO_V,
            _NO_WINDOW,
            lambda s: (gib_of(replace(s, model=replace(s.model, n_local=0, window=None), mistake=Mistake.FORGOT_V)),),
        ),
    ),
    working=lambda s: Text(
        f"Rows: {_rows(s)}. Each takes {bytes_(s.format.token_layer_bytes(s.model))}: {gib(cache_bytes(s))} in all.",
        f"行数：{_rows(s)}。每行 {bytes_(s.format.token_layer_bytes(s.model))}：共 {gib(cache_bytes(s))}。",
    ),
    way=lambda s: s,
    reply=Number(IN_GIB),
    rows=_window_rows,
)


# --- scales


def _quantised(rng: random.Random) -> Scenario:
    base = invented(rng)
    f = Format(Fraction(rng.choice((4, 8)), 8), rng.choice((16, 32, 64)), rng.choice((2, 4)))
    return replace(base, batch=1, format=f, model=replace(base.model, head_dim=rng.choice((128, 256))))


def _unscaled(s: Scenario) -> Scenario:
    return replace(s, format=Format(s.format.itemsize))


def _groups(s: Scenario) -> int:
    """Scales of one vector."""
    return -(-s.model.head_dim // (s.format.group or s.model.head_dim))


def _sharing(s: Scenario) -> Text:
    if s.format.group == 1:
        return Text("each has", "每个数都有")
    return Text(f"every {s.format.group} share", f"每 {s.format.group} 个共用")


def _scale_rows(s: Scenario) -> tuple[Row, ...]:
    m, f = s.model, s.format
    vector, numbers = f.vector_bytes(m.head_dim), Format(f.itemsize).vector_bytes(m.head_dim)
    return (
        Row(
            Text("The numbers of one vector", "一个向量的数"),
            f"{m.head_dim} × {plain_number(f.itemsize)}",
            bytes_(numbers),
        ),
        Row(Text("Its scales", "它的比例因子"), f"{_groups(s)} × {f.scale_bytes}", bytes_(_groups(s) * f.scale_bytes)),
        Row(Text("One vector", "一个向量"), f"{numbers} + {_groups(s) * f.scale_bytes}", bytes_(vector)),
        Row(
            Text("K and V of all KV heads and layers, all tokens", "所有 KV 头、所有层、全部 token 的 K 和 V"),
            f"2 × {m.n_kv_heads} × {m.n_layers} × {count(s.seq_len)} × {bytes_(vector)}",
            bytes_(cache_bytes(s)),
        ),
        in_gib(cache_bytes(s)),
    )


_NO_SCALES: Slip[Scenario] = Slip(
    "no-scales",
    Text("Forgot the scales", "漏了比例因子"),
    lambda s: (gib_of(_unscaled(s)),),
    Text("That is the numbers alone. The scales lie in the cache beside them.", "这只是数本身。比例因子也放在缓存里。"),
)

SCALES: Question[Scenario] = Question(
    slug="scales",
    title=Text("Fewer bits, with scales", "更少的位，带比例因子"),
    prompt=lambda s: Text(
        f"{s.model.n_layers} layer{'s' * (s.model.n_layers != 1)}, {s.model.n_kv_heads} KV "
        f"head{'s' * (s.model.n_kv_heads != 1)} of size {s.model.head_dim}, {count(s.seq_len)} "
        f"token{'s' * (s.seq_len != 1)}. Numbers of {plain_number(s.format.itemsize * 8)} bits; {_sharing(s).en} "
        f"a scale of {many(s.format.scale_bytes, 'byte')}. How many GiB?",
        f"{s.model.n_layers} 层，{s.model.n_kv_heads} 个 KV 头，头维度 {s.model.head_dim}，{count(s.seq_len)} 个 "
        f"token。每个数 {plain_number(s.format.itemsize * 8)} 位；{_sharing(s).zh}"
        f"一个 {s.format.scale_bytes} 字节的比例因子。占多少 GiB？",
    ),
    form=plain_form(plain(LAYERS), plain(KV_HEADS), plain(HEAD_DIM), TOKENS, BITS, plain(GROUP), SCALE),
    inputs=replace(CHAPTER, format=SCALED),
    invent=_quantised,
    formula=lambda s: (gib_of(s),),
    slips=(
        _NO_SCALES,
        Slip(
            "one-scale",
            Text("One scale a vector", "每个向量只算一个"),
            lambda s: (gib_of(replace(s, format=replace(s.format, group=s.model.head_dim))),),
            lambda s: Text(
                f"A vector of {many(s.model.head_dim, 'number')} has {many(_groups(s), 'group')}.",
                f"{s.model.head_dim} 个数的向量有 {_groups(s)} 组。",
            ),
        ),
        Slip(
            "16-bits",
            Text("Kept 16 bits", "仍按 16 位"),
            lambda s: (gib_of(replace(s, format=BF16)),),
            Text("That is the cache before quantisation.", "这是量化之前的缓存。"),
        ),
        _NO_V,
        slip(Mistake.BITS_FOR_BYTES, gib_of),
        together(_NO_SCALES, _NO_V, lambda s: (gib_of(replace(_unscaled(s), mistake=Mistake.FORGOT_V)),)),
    ),
    working=lambda s: Text(
        f"One vector: {s.format.vector_bytes(s.model.head_dim)} B with its scales; all together "
        f"{bytes_(cache_bytes(s))}.",
        f"一个向量连同比例因子：{s.format.vector_bytes(s.model.head_dim)} B；合计 {bytes_(cache_bytes(s))}。",
    ),
    way=lambda s: s,
    reply=Number(IN_GIB),
    rows=_scale_rows,
)
