"""Questions on the bytes of a cache. Every answer and every slip is computed by the engine or by a formula of one line."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from engine.kv_formats import BF16, Format
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Device, Scenario, cache_bytes, one_more, read_seconds
from engine.models import MODELS, Model
from lessons.kit.format import count, short
from lessons.kit.question import Question, Slip
from lessons.kit.text import Text
from lessons.kv_bytes.form import (
    BANDWIDTH,
    BATCH,
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
)  # fmt: skip
from lessons.kv_bytes.mistakes import MISTAKES, said
from lessons.kv_bytes.presets import CHAPTER, CHECK_24, SCALED
from lessons.kv_bytes.quantities import bytes_, decimal, gb, gib, plain_number
from lessons.kv_bytes.room import MEMORY_FREE, Room, room_form

KIB = 2**10
_SHAPE = tuple(plain(control) for control in (LAYERS, HEADS, KV_HEADS, HEAD_DIM, HIDDEN))


def _with(scenario: Scenario, mistake: Mistake) -> Scenario:
    return replace(scenario, mistake=mistake)


def _slip(mistake: Mistake, measure: Callable[[Scenario], float]) -> Slip[Scenario]:
    """The slip that `measure` gives when the mistake is made, with the mistake's own trace as its working."""
    title = MISTAKES[mistake]
    return Slip(
        mistake.value.replace("_", "-"),
        Text(title.en[:1].upper() + title.en[1:], title.zh),
        lambda s: (measure(_with(s, mistake)),),
        lambda s: _sentence(_with(s, mistake)),
        lambda s: _with(s, mistake),
    )


def _sentence(scenario: Scenario) -> Text:
    """What the mistake does, as a sentence about the answer given."""
    what = said(scenario)
    return Text(f"This way {what.en}", f"这种算法{what.zh}")


def _own(**numbers: int | None) -> Model:
    """A model of invented numbers; it goes by the name of the chapter's."""
    base = CHAPTER.model
    return replace(base, **{"n_local": 0, "window": None, **numbers})  # type: ignore[arg-type]


def _invented(rng: random.Random) -> Scenario:
    """Grouped heads whose size is not hidden ÷ heads, a power-of-two length, 16 or 8 bits."""
    kv = rng.choice((2, 4, 8))
    heads = kv * rng.choice((2, 4, 8))
    dim = rng.choice((64, 128, 256))
    guess = rng.choice([n for n in (48, 80, 96, 160, 192) if n != dim])
    model = _own(
        n_layers=rng.choice((24, 28, 36, 40, 48, 60, 80)),
        n_heads=heads,
        n_kv_heads=kv,
        head_dim=dim,
        hidden=guess * heads,
    )
    bits = rng.choice((16, 16, 8))
    return Scenario(
        model, 1_024 * rng.choice((4, 8, 16, 32, 64, 128)), rng.choice((1, 2, 4, 6)), Format(Fraction(bits, 8))
    )


def _given(s: Scenario) -> Text:
    """The model's numbers in a sentence."""
    m, bits = s.model, plain_number(s.format.itemsize * 8)
    hidden = (
        Text(f"hidden size {count(m.hidden)}, ", f"隐藏维度 {count(m.hidden)}，")
        if m.hidden is not None
        else Text("", "")
    )
    return Text(
        f"{m.n_layers} layers, {hidden.en}{m.n_heads} query heads, {m.n_kv_heads} KV heads of size {m.head_dim}, numbers of {bits} bits. ",
        f"{m.n_layers} 层，{hidden.zh}{m.n_heads} 个查询头，{m.n_kv_heads} 个 KV 头，头维度 {m.head_dim}，每个数 {bits} 位。",
    )


def _sequences(s: Scenario) -> Text:
    b, t = s.batch, count(s.seq_len)
    return Text(f"{b} sequence{'s' * (b > 1)} of {t} tokens{' each' * (b > 1)}", f"{b} 条序列，每条 {t} 个 token")


def _product(s: Scenario) -> str:
    """The whole product, written out."""
    m = s.model
    return f"2 × {m.n_layers} × {s.batch} × {count(s.seq_len)} × {m.n_kv_heads} × {m.head_dim} × {plain_number(s.format.itemsize)}"


# --- 1 the whole cache

QWEN = Scenario(MODELS["Qwen3-4B"], 32_768, 2)


def _gib(s: Scenario) -> float:
    return cache_bytes(s) / GIB


TOTAL: Question[Scenario] = Question(
    "total",
    Text("The whole cache, in GiB", "整个缓存（GiB）"),
    lambda s: _given(s) + Text(f"{_sequences(s).en}. How many GiB does the KV cache take?", f"{_sequences(s).zh}。KV 缓存占多少 GiB？"),
    plain_form(*_SHAPE, TOKENS, BATCH, BITS),
    QWEN,
    _invented,
    lambda s: (_gib(s),),
    (
        _slip(Mistake.FORGOT_V, _gib),
        _slip(Mistake.QUERY_HEADS, _gib),
        _slip(Mistake.HIDDEN_OVER_HEADS, _gib),
        _slip(Mistake.ONE_LAYER, _gib),
        _slip(Mistake.BITS_FOR_BYTES, _gib),
        Slip("gb", Text("In GB, not GiB", "用了 GB 而不是 GiB"), lambda s: (cache_bytes(s) / GB,),
             lambda s: Text("The bytes are right, divided by 10⁹. GiB are asked: divide by 2³⁰.", "字节数对了，但除的是 10⁹。问的是 GiB：应除以 2³⁰。")),
    ),
    lambda s: Text(f"{_product(s)} = {bytes_(cache_bytes(s))} = {gib(cache_bytes(s))}.", f"{_product(s)} = {bytes_(cache_bytes(s))} = {gib(cache_bytes(s))}。"),
    lambda s: s,
)  # fmt: skip


# --- 2 one token


def _kib(s: Scenario) -> float:
    return one_more(s)[0] / KIB


TOKEN: Question[Scenario] = Question(
    "token",
    Text("One more token, in KiB", "再多一个 token（KiB）"),
    lambda s: _given(s) + Text("How many KiB does one more token of one sequence add?", "一条序列再多一个 token，增加多少 KiB？"),
    plain_form(*_SHAPE, BITS),
    replace(CHAPTER, model=replace(MODELS["Qwen3-4B"])),
    lambda rng: replace(_invented(rng), batch=1),
    lambda s: (_kib(s),),
    (
        _slip(Mistake.FORGOT_V, _kib),
        _slip(Mistake.QUERY_HEADS, _kib),
        _slip(Mistake.ONE_HEAD, _kib),
        _slip(Mistake.HIDDEN_OVER_HEADS, _kib),
        _slip(Mistake.ONE_LAYER, _kib),
        Slip("kb", Text("In kB, not KiB", "用了 kB 而不是 KiB"), lambda s: (one_more(s)[0] / 1000,),
             lambda s: Text("The bytes are right, divided by 10³. KiB are asked: divide by 2¹⁰.", "字节数对了，但除的是 10³。问的是 KiB：应除以 2¹⁰。")),
    ),
    lambda s: Text(f"The product without T: {bytes_(one_more(s)[0])}.", f"去掉 T 的乘积：{bytes_(one_more(s)[0])}。"),
    lambda s: s,
)  # fmt: skip


# --- 3 how many tokens fit


def _fit(room: Room, mistake: Mistake = Mistake.NONE, unit: int = GIB) -> float:
    return float(int(room.free * unit) // one_more(_with(room.scenario, mistake))[0])


def _room(rng: random.Random) -> Room:
    return Room(replace(_invented(rng), batch=1, format=BF16), float(rng.choice((3, 6, 10, 12, 20, 30, 45))))


def _room_slip(mistake: Mistake) -> Slip[Room]:
    title = MISTAKES[mistake]
    return Slip(
        mistake.value.replace("_", "-"), Text(title.en[:1].upper() + title.en[1:], title.zh), lambda r: (_fit(r, mistake),),
        lambda r: _sentence(_with(r.scenario, mistake)), lambda r: _with(r.way, mistake),
    )  # fmt: skip


FITS: Question[Room] = Question(
    "fits",
    Text("How many tokens fit", "放得下多少 token"),
    lambda r: _given(r.scenario) + Text(f"{short(r.free)} GiB are free for the cache of one sequence. How many tokens fit?", f"有 {short(r.free)} GiB 可用于一条序列的缓存。放得下多少个 token？"),
    room_form(*_SHAPE, BITS, MEMORY_FREE),
    Room(replace(QWEN, batch=1), 10.0),
    _room,
    lambda r: (_fit(r),),
    (
        _room_slip(Mistake.FORGOT_V),
        _room_slip(Mistake.QUERY_HEADS),
        _room_slip(Mistake.HIDDEN_OVER_HEADS),
        _room_slip(Mistake.ONE_LAYER),
        Slip("gb", Text("Took GiB for GB", "把 GiB 当作 GB"), lambda r: (_fit(r, unit=GB),),
             lambda r: Text(f"{short(r.free)} GiB hold {bytes_(int(r.free * GIB))}, more than {short(r.free)} GB.", f"{short(r.free)} GiB 是 {bytes_(int(r.free * GIB))}，比 {short(r.free)} GB 多。")),
    ),
    lambda r: Text(f"{bytes_(int(r.free * GIB))} ÷ {bytes_(one_more(r.scenario)[0])} a token, rounded down. The steps show a cache of that length.",
                   f"{bytes_(int(r.free * GIB))} ÷ 每个 token {bytes_(one_more(r.scenario)[0])}，向下取整。下面的步骤就是这么长的缓存。"),
    lambda r: r.way,
)  # fmt: skip


# --- 4 MLA


def _token_bytes(s: Scenario) -> float:
    return float(one_more(s)[0])


def _latent(rng: random.Random) -> Scenario:
    heads = rng.choice((16, 32, 64, 128))
    model = replace(
        MODELS["DeepSeek-V3"], n_layers=rng.choice((27, 36, 48, 60, 61, 72)), n_heads=heads, head_dim=rng.choice((96, 128, 192)),
        hidden=heads * rng.choice((40, 56, 80, 112)), mla_rank=rng.choice((256, 384, 512, 768)), rope_dim=rng.choice((32, 64)),
    )  # fmt: skip
    return Scenario(model)


MLA: Question[Scenario] = Question(
    "mla",
    Text("A latent instead of heads (MLA)", "用潜在向量代替各个头（MLA）"),
    lambda s: Text(
        f"{s.model.n_layers} layers, hidden size {count(s.model.hidden or 0)}, {s.model.n_heads} heads of size {s.model.head_dim}; MLA with a latent of {s.model.mla_rank} numbers and a rotated part of "
        f"{s.model.rope_dim}; {plain_number(s.format.itemsize * 8)} bits. How many bytes does one token take?",
        f"{s.model.n_layers} 层，隐藏维度 {count(s.model.hidden or 0)}，{s.model.n_heads} 个头，头维度 {s.model.head_dim}；MLA 的潜在向量有 {s.model.mla_rank} 个数，旋转部分 "
        f"{s.model.rope_dim} 个；{plain_number(s.format.itemsize * 8)} 位。一个 token 占多少字节？",
    ),
    plain_form(plain(LAYERS), plain(HEADS), plain(HEAD_DIM), plain(HIDDEN), plain(RANK), plain(ROPE), BITS),
    Scenario(MODELS["DeepSeek-V3"]),
    _latent,
    lambda s: (_token_bytes(s),),
    tuple(_slip(m, _token_bytes) for m in (Mistake.MLA_AS_GQA, Mistake.MLA_TWICE, Mistake.MLA_NO_ROPE, Mistake.MLA_ROPE_AS_HEAD_DIM, Mistake.HIDDEN_OVER_HEADS)),
    lambda s: Text(f"{s.model.n_layers} × ({s.model.mla_rank} + {s.model.rope_dim}) × {plain_number(s.format.itemsize)} = {bytes_(one_more(s)[0])}; no 2 for K and V.",
                   f"{s.model.n_layers} ×（{s.model.mla_rank} + {s.model.rope_dim}）× {plain_number(s.format.itemsize)} = {bytes_(one_more(s)[0])}；没有 K 和 V 的那个 2。"),
    lambda s: s,
)  # fmt: skip


# --- 5 windows


def _windows(rng: random.Random) -> Scenario:
    base = _invented(rng)
    layers = rng.choice((24, 36, 48, 60))
    local = layers * rng.choice((1, 2, 3, 5)) // 6
    model = replace(base.model, n_layers=layers, n_local=local, window=rng.choice((512, 1_024, 4_096)))
    return Scenario(model, 1_024 * rng.choice((16, 32, 64, 128)))


def _swapped(s: Scenario) -> float:
    """Local and full layers taken for each other."""
    return _gib(replace(s, model=replace(s.model, n_local=s.model.n_layers - s.model.n_local)))


WINDOWS: Question[Scenario] = Question(
    "windows",
    Text("Layers with a window", "带窗口的层"),
    lambda s: _given(s) + Text(
        f"{s.model.n_local} of the layers keep only the last {count(s.model.window or 0)} tokens. How many GiB for {_sequences(s).en}?",
        f"其中 {s.model.n_local} 层只保存最近 {count(s.model.window or 0)} 个 token。{_sequences(s).zh}，缓存占多少 GiB？",
    ),
    plain_form(plain(LAYERS), plain(LOCAL), plain(WINDOW), plain(KV_HEADS), plain(HEAD_DIM), TOKENS),
    Scenario(MODELS["Gemma-3-27B"], 131_072),
    _windows,
    lambda s: (_gib(s),),
    (
        _slip(Mistake.NO_WINDOW, _gib),
        Slip("all-local", Text("A window in every layer", "每层都算窗口"), lambda s: (_gib(replace(s, model=replace(s.model, n_local=s.model.n_layers))),),
             lambda s: Text(f"{s.model.n_layers - s.model.n_local} layers have no window and keep every token.", f"有 {s.model.n_layers - s.model.n_local} 层没有窗口，保存全部 token。")),
        Slip("only-full", Text("Left the windows out altogether", "把带窗口的层漏掉了"), lambda s: (_gib(replace(s, model=replace(s.model, n_layers=s.model.n_layers - s.model.n_local, n_local=0))) if s.model.n_local < s.model.n_layers else 0.0,),
             lambda s: Text(f"The {s.model.n_local} layers with a window keep something, too.", f"{s.model.n_local} 个带窗口的层也存了一部分。")),
        Slip("swapped", Text("Swapped the two kinds", "两种层弄反了"), lambda s: (_swapped(s),),
             lambda s: Text(f"{s.model.n_local} layers have the window, not {s.model.n_layers - s.model.n_local}.", f"带窗口的是 {s.model.n_local} 层，不是 {s.model.n_layers - s.model.n_local} 层。")),
        _slip(Mistake.FORGOT_V, _gib),
    ),
    lambda s: Text(f"Rows: {_rows(s)}. Each takes {bytes_(s.format.token_layer_bytes(s.model))}: {gib(cache_bytes(s))} in all.",
                   f"行数：{_rows(s)}。每行 {bytes_(s.format.token_layer_bytes(s.model))}：共 {gib(cache_bytes(s))}。"),
    lambda s: s,
)  # fmt: skip


def _rows(s: Scenario) -> str:
    parts = " + ".join(f"{group.n_layers} × {count(group.cached_tokens(s.seq_len))}" for group in s.model.groups)
    return f"{parts} = {count(s.model.layer_tokens(s.seq_len))}"


# --- 6 GB and GiB


def _units(rng: random.Random) -> Scenario:
    return replace(_invented(rng), format=BF16)


UNITS: Question[Scenario] = Question(
    "units",
    Text("The same in GB", "换成 GB"),
    lambda s: Text(f"A program reports a cache of {gib(cache_bytes(s))}. A data sheet counts in GB (10⁹ bytes). How many GB does the cache take?",
                   f"程序报告缓存占 {gib(cache_bytes(s))}。规格表按 GB（10⁹ 字节）计。缓存占多少 GB？"),
    plain_form(*_SHAPE, TOKENS, BATCH),
    Scenario(MODELS["Llama-3-70B"], 131_072),
    _units,
    lambda s: (cache_bytes(s) / GB,),
    (
        Slip("same-figure", Text("Read GiB as GB", "把 GiB 读作 GB"), lambda s: (_gib(s),), lambda s: _sentence(_with(s, Mistake.GB_FOR_GIB)), lambda s: _with(s, Mistake.GB_FOR_GIB)),
        Slip("other-way", Text("The other way round", "方向反了"), lambda s: (_gib(s) * GB / GIB,),
             lambda s: Text("A GB is smaller than a GiB, so the figure in GB must be the larger one.", "GB 比 GiB 小，所以用 GB 表示的数字应当更大。")),
        Slip("once-1024", Text("1024 only once", "只换了一次 1024"), lambda s: (cache_bytes(s) / (2**20 * 1000),),
             lambda s: Text("That divides by 1024 twice and by 1000 once. A GB is 1000 × 1000 × 1000 bytes: divide by 1000 each time.",
                            "这是两次除以 1024、一次除以 1000。一个 GB 是 1000 × 1000 × 1000 字节：每一级都除以 1000。")),
    ),
    lambda s: Text(f"{bytes_(cache_bytes(s))} ÷ 10⁹ = {gb(cache_bytes(s))}.", f"{bytes_(cache_bytes(s))} ÷ 10⁹ = {gb(cache_bytes(s))}。"),
    lambda s: s,
)  # fmt: skip


# --- 7 counting by hand


def _numbers(s: Scenario) -> float:
    """Numbers kept: at one byte a number the bytes are the numbers."""
    return float(cache_bytes(s))


def _by_hand(rng: random.Random) -> Scenario:
    dim, layers = rng.randint(2, 9), rng.randint(1, 4)
    return replace(
        CHECK_24, model=replace(CHECK_24.model, n_layers=layers, head_dim=dim, hidden=dim), seq_len=rng.randint(2, 9)
    )


BY_HAND: Question[Scenario] = Question(
    "by-hand",
    Text("Count the numbers by hand", "亲手数一数"),
    lambda s: Text(
        f"{s.model.n_layers} layer{'s' * (s.model.n_layers > 1)}, {s.seq_len} positions, {s.model.head_dim} numbers in a row of K and in a row of V. How many numbers does the cache hold?",
        f"{s.model.n_layers} 层，{s.seq_len} 个位置，K 和 V 每行各 {s.model.head_dim} 个数。缓存里共有多少个数？",
    ),
    plain_form(plain(LAYERS), TOKENS, plain(HEAD_DIM)),
    CHECK_24,
    _by_hand,
    lambda s: (_numbers(s),),
    (
        _slip(Mistake.FORGOT_V, _numbers),
        Slip("q-too", Text("Counted Q, too", "把 Q 也算上了"), lambda s: (_numbers(s) * 3 / 2,),
             lambda s: Text("Q, K and V make three, but a query is used once and dropped. Only K and V are kept.", "Q、K、V 是三样，但查询用一次就丢掉。只保存 K 和 V。")),
        Slip("one-position", Text("One position only", "只数了一个位置"), lambda s: (_numbers(s) / s.seq_len,),
             lambda s: Text(f"Each of the {s.seq_len} positions has its own row.", f"{s.seq_len} 个位置各有一行。")),
        Slip("added", Text("Added instead of multiplied", "用了加法而不是乘法"), lambda s: (2.0 * s.model.n_layers * (s.seq_len + s.model.head_dim),),
             lambda s: Text(f"{s.seq_len} rows of {s.model.head_dim} numbers are a product, not a sum.", f"{s.seq_len} 行、每行 {s.model.head_dim} 个数，是乘积，不是和。")),
    ),
    lambda s: Text(f"2 × {s.model.n_layers} × {s.seq_len} × {s.model.head_dim}. The steps take one byte a number, so that bytes are numbers.",
                   f"2 × {s.model.n_layers} × {s.seq_len} × {s.model.head_dim}。下面的步骤每个数占一个字节，所以字节数就是个数。"),
    lambda s: s,
    relative=0.0,
    absolute=0.01,
)  # fmt: skip


# --- 8 scales


def _quantised(rng: random.Random) -> Scenario:
    base = _invented(rng)
    f = Format(Fraction(rng.choice((4, 8)), 8), rng.choice((16, 32, 64)), rng.choice((2, 4)))
    return replace(base, batch=1, format=f, model=replace(base.model, head_dim=rng.choice((128, 256))))


def _one_scale(s: Scenario) -> float:
    """A single scale for a whole vector."""
    return _gib(replace(s, format=replace(s.format, group=s.model.head_dim)))


SCALES: Question[Scenario] = Question(
    "scales",
    Text("Fewer bits, with scales", "更少的位，带比例因子"),
    lambda s: Text(
        f"{s.model.n_layers} layers, {s.model.n_kv_heads} KV heads of size {s.model.head_dim}, {count(s.seq_len)} tokens. Numbers of {plain_number(s.format.itemsize * 8)} bits; every {s.format.group} "
        f"share a scale of {s.format.scale_bytes} bytes. How many GiB?",
        f"{s.model.n_layers} 层，{s.model.n_kv_heads} 个 KV 头，头维度 {s.model.head_dim}，{count(s.seq_len)} 个 token。每个数 {plain_number(s.format.itemsize * 8)} 位；每 {s.format.group} 个"
        f"共用一个 {s.format.scale_bytes} 字节的比例因子。占多少 GiB？",
    ),
    plain_form(plain(LAYERS), plain(KV_HEADS), plain(HEAD_DIM), TOKENS, BITS, GROUP, SCALE),
    replace(CHAPTER, format=SCALED),
    _quantised,
    lambda s: (_gib(s),),
    (
        Slip("no-scales", Text("Forgot the scales", "漏了比例因子"), lambda s: (_gib(replace(s, format=Format(s.format.itemsize))),),
             lambda s: Text("That is the numbers alone. The scales lie in the cache beside them.", "这只是数本身。比例因子也放在缓存里。")),
        Slip("one-scale", Text("One scale a vector", "每个向量只算一个"), lambda s: (_one_scale(s),),
             lambda s: Text(f"A vector of {s.model.head_dim} numbers has {-(-s.model.head_dim // (s.format.group or s.model.head_dim))} groups.", f"{s.model.head_dim} 个数的向量有 {-(-s.model.head_dim // (s.format.group or s.model.head_dim))} 组。")),
        Slip("16-bits", Text("Kept 16 bits", "仍按 16 位"), lambda s: (_gib(replace(s, format=BF16)),),
             lambda s: Text("That is the cache before quantisation.", "这是量化之前的缓存。")),
        _slip(Mistake.FORGOT_V, _gib),
        _slip(Mistake.BITS_FOR_BYTES, _gib),
    ),
    lambda s: Text(f"One vector: {s.format.vector_bytes(s.model.head_dim)} B with its scales; all together {bytes_(cache_bytes(s))}.",
                   f"一个向量连同比例因子：{s.format.vector_bytes(s.model.head_dim)} B；合计 {bytes_(cache_bytes(s))}。"),
    lambda s: s,
)  # fmt: skip


# --- 9 the time to read it


def _ms(s: Scenario) -> float:
    return read_seconds(cache_bytes(s), s.device) * 1e3


def _reading(rng: random.Random) -> Scenario:
    return replace(
        _invented(rng), format=BF16, device=Device(bandwidth_tb=rng.choice((0.4, 1.0, 1.5, 2.0, 3.35, 4.8, 8.0)))
    )


READ: Question[Scenario] = Question(
    "read",
    Text("Just reading it, in ms", "光读一遍要多少毫秒"),
    lambda s: _given(s) + Text(f"{_sequences(s).en}. A decode step reads the whole cache once at {short(s.device.bandwidth_tb)} TB/s. How many ms at least?",
                               f"{_sequences(s).zh}。一个解码步以 {short(s.device.bandwidth_tb)} TB/s 把整个缓存读一遍，至少要多少 ms？"),
    plain_form(*_SHAPE, TOKENS, BATCH, BANDWIDTH),
    replace(QWEN, batch=1),
    _reading,
    lambda s: (_ms(s),),
    (
        Slip("gib", Text("GiB over TB/s", "用 GiB 除以 TB/s"), lambda s: (_gib(s) / s.device.bandwidth_tb,),
             lambda s: Text(f"TB/s are powers of ten: {decimal(cache_bytes(s))} are to be read, not {gib(cache_bytes(s))} taken as GB.", f"TB/s 是十进制：要读的是 {decimal(cache_bytes(s))}，不能把 {gib(cache_bytes(s))} 当作 GB。"),
             lambda s: _with(s, Mistake.GB_FOR_GIB)),
        Slip("one-token", Text("Read one token only", "只读了一个 token"), lambda s: (read_seconds(one_more(s)[0], s.device) * 1e3,),
             lambda s: Text("That is what one token adds. A new query reads the keys and values of all tokens.", "这是一个 token 增加的量。新的查询要读所有 token 的键和值。")),
        _slip(Mistake.FORGOT_V, _ms),
        _slip(Mistake.QUERY_HEADS, _ms),
        _slip(Mistake.HIDDEN_OVER_HEADS, _ms),
    ),
    lambda s: Text(f"{decimal(cache_bytes(s))} ÷ {short(s.device.bandwidth_tb)} TB/s. A lower bound for the cache alone, not a measurement.",
                   f"{decimal(cache_bytes(s))} ÷ {short(s.device.bandwidth_tb)} TB/s。这只是读缓存的下限，不是实测。"),
    lambda s: s,
    absolute=0.0,
)  # fmt: skip

QUESTIONS = (BY_HAND, TOTAL, TOKEN, FITS, MLA, WINDOWS, UNITS, SCALES, READ)
