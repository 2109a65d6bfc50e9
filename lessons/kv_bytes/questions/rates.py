"""GiB and GB, a device's memory and bandwidth, and the formula turned round."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from engine.kv_formats import BF16
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Device, Scenario, cache_bytes, one_more, read_seconds
from engine.models import MODELS
from lessons.kit.format import count, fixed, many, short
from lessons.kit.question import COUNTED, Question, Row, Slip, Tolerance, together
from lessons.kit.reply import Number
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kit.units import GB as IN_GB
from lessons.kit.units import MS
from lessons.kit.units import TOKEN as IN_TOKENS
from lessons.kv_bytes.form import BANDWIDTH, BATCH, BILLIONS, MEMORY, TOKENS, plain_form
from lessons.kv_bytes.quantities import billions_zh, bytes_, decimal, gb, gib, plain_number
from lessons.kv_bytes.questions.drawn import (
    GROUPED,
    SHAPE,
    cache_rows,
    gib_of,
    given,
    invented,
    of_query_heads,
    own,
    sentence,
    sequences,
    slip,
    token_rows,
    with_,
)

# --- GB and GiB


def _ten(n_bytes: int) -> str:
    return f"{bytes_(n_bytes)} ÷ 10⁹"


UNITS: Question[Scenario] = Question(
    slug="units",
    title=Text("The same in GB", "换成 GB"),
    prompt=lambda s: Text(
        f"A program reports a cache of {gib(cache_bytes(s))}. A data sheet counts in GB (10⁹ bytes). How many GB "
        "does the cache take?",
        f"程序报告缓存占 {gib(cache_bytes(s))}。规格表按 GB（10⁹ 字节）计。缓存占多少 GB？",
    ),
    form=plain_form(*SHAPE, TOKENS, BATCH),
    inputs=Scenario(MODELS["Llama-3-70B"], 131_072),
    invent=lambda rng: replace(invented(rng), format=BF16),
    formula=lambda s: (cache_bytes(s) / GB,),
    slips=(
        Slip(
            "same-figure",
            Text("Read GiB as GB", "把 GiB 读作 GB"),
            lambda s: (gib_of(s),),
            lambda s: sentence(with_(s, Mistake.GB_FOR_GIB)),
            lambda s: with_(s, Mistake.GB_FOR_GIB),
        ),
        Slip(
            "other-way",
            Text("The other way round", "方向反了"),
            lambda s: (gib_of(s) * GB / GIB,),
            Text(
                "A GB is smaller than a GiB, so the figure in GB must be the larger one.",
                "GB 比 GiB 小，所以用 GB 表示的数字应当更大。",
            ),
        ),
        Slip(
            "once-1024",
            Text("1024 only once", "只换了一次 1024"),
            lambda s: (cache_bytes(s) / (2**20 * 1000),),
            Text(
                "That divides by 1024 twice and by 1000 once. A GB is 1000 × 1000 × 1000 bytes: divide by 1000 each "
                "time.",
                "这是两次除以 1024、一次除以 1000。一个 GB 是 1000 × 1000 × 1000 字节：每一级都除以 1000。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"{_ten(cache_bytes(s))} = {gb(cache_bytes(s))}.", f"{_ten(cache_bytes(s))} = {gb(cache_bytes(s))}。"
    ),
    way=lambda s: s,
    reply=Number(IN_GB),
    rows=lambda s: (
        Row(Text("In bytes", "换成字节"), f"{gib(cache_bytes(s))} × 2³⁰", bytes_(cache_bytes(s))),
        Row(Text("In GB", "换成 GB"), _ten(cache_bytes(s)), gb(cache_bytes(s))),
    ),
)


# --- the time to read it


def _ms(s: Scenario) -> float:
    return read_seconds(cache_bytes(s), s.device) * 1e3


def _reading(rng: random.Random) -> Scenario:
    device = Device(bandwidth_tb=rng.choice((0.4, 1.0, 1.5, 2.0, 3.35, 4.8, 8.0)))
    return replace(invented(rng), format=BF16, device=device)


_GIB_OVER_TB: Slip[Scenario] = Slip(
    "gib",
    Text("GiB over TB/s", "用 GiB 除以 TB/s"),
    lambda s: (gib_of(s) / s.device.bandwidth_tb,),
    lambda s: Text(
        f"TB/s are powers of ten: the cache of {gib(cache_bytes(s))} is {decimal(cache_bytes(s))}.",
        f"TB/s 是十进制：{gib(cache_bytes(s))} 的缓存是 {decimal(cache_bytes(s))}。",
    ),
    lambda s: with_(s, Mistake.GB_FOR_GIB),
)
_HALF_READ = slip(Mistake.FORGOT_V, _ms)

READ: Question[Scenario] = Question(
    slug="read",
    title=Text("Just reading it, in ms", "光读一遍要多少毫秒"),
    prompt=lambda s: (
        given(s)
        + Text(
            f"{sequences(s).en}. A decode step reads the whole cache once at {short(s.device.bandwidth_tb)} TB/s "
            "(10¹² bytes each). How many ms at least?",
            f"{sequences(s).zh}。一个解码步以 {short(s.device.bandwidth_tb)} TB/s（每 TB 10¹² 字节）把整个缓存读一"
            "遍，至少要多少 ms？",
        )
    ),
    form=plain_form(*SHAPE, TOKENS, BATCH, BANDWIDTH),
    inputs=Scenario(MODELS["Qwen3-4B"], 32_768),
    invent=_reading,
    formula=lambda s: (_ms(s),),
    slips=(
        _GIB_OVER_TB,
        Slip(
            "one-token",
            Text("Read one token only", "只读了一个 token"),
            lambda s: (read_seconds(one_more(s)[0], s.device) * 1e3,),
            Text(
                "That is what one token adds. A new query reads the keys and values of all tokens.",
                "这是一个 token 增加的量。新的查询要读所有 token 的键和值。",
            ),
        ),
        _HALF_READ,
        slip(Mistake.QUERY_HEADS, _ms),
        slip(Mistake.HIDDEN_OVER_HEADS, _ms),
        together(_HALF_READ, _GIB_OVER_TB, lambda s: (gib_of(with_(s, Mistake.FORGOT_V)) / s.device.bandwidth_tb,)),
    ),
    working=lambda s: Text(
        f"{decimal(cache_bytes(s))} ÷ {short(s.device.bandwidth_tb)} TB/s. A lower bound for the cache alone, not a "
        "measurement.",
        f"{decimal(cache_bytes(s))} ÷ {short(s.device.bandwidth_tb)} TB/s。这只是读缓存的下限，不是实测。",
    ),
    way=lambda s: s,
    reply=Number(MS),
    rows=lambda s: (
        *cache_rows(s),
        Row(
            Text("Read once", "读一遍"),
            f"{bytes_(cache_bytes(s))} ÷ ({short(s.device.bandwidth_tb)} × 10¹² B/s)",
            MS.after(fixed(_ms(s))),
        ),
    ),
    tolerance=Tolerance(0.005, 0.0),
)


# --- beside the weights


def _beside(s: Scenario, memory: float, weights: float) -> float:
    """Whole tokens of one sequence in what the weights leave."""
    return float(max(0, int(memory) - int(weights)) // one_more(s)[0])


def _right(s: Scenario) -> float:
    return _beside(s, s.device.memory, s.device.weights)


def _device(rng: random.Random) -> Scenario:
    memory, billions = rng.choice(((16, 3), (24, 7), (24, 8), (40, 13), (48, 14), (48, 8), (80, 27), (80, 32), (80, 8)))
    base = replace(invented(rng), batch=1, format=BF16, device=Device(float(memory), billions=float(billions)))
    return replace(base, model=replace(base.model, hidden=None))


def _fits(s: Scenario) -> Scenario:
    return replace(s, seq_len=int(max(1, _right(s))))


_BESIDE_NO_V: Slip[Scenario] = Slip(
    "forgot-v",
    Text("Forgot V", "忘了 V"),
    lambda s: (_right(with_(s, Mistake.FORGOT_V)),),
    lambda s: sentence(with_(s, Mistake.FORGOT_V)),
    lambda s: with_(_fits(s), Mistake.FORGOT_V),
)
_NO_WEIGHTS: Slip[Scenario] = Slip(
    "no-weights",
    Text("Forgot the weights", "忘了权重"),
    lambda s: (_beside(s, s.device.memory, 0),),
    lambda s: Text(
        f"The weights are there first: {gb(s.device.weights)} of the {gb(s.device.memory)}.",
        f"权重先占了 {gb(s.device.memory)} 中的 {gb(s.device.weights)}。",
    ),
)


def _beside_rows(s: Scenario) -> tuple[Row, ...]:
    d, each = s.device, one_more(s)[0]
    left = d.memory - d.weights
    return (
        Row(
            Text("Weights", "权重"), f"{short(d.billions)} × 10⁹ × {plain_number(d.weight_bits)} ÷ 8", bytes_(d.weights)
        ),
        Row(
            Text("Left for the cache", "留给缓存的"),
            f"{bytes_(d.memory)} − {bytes_(d.weights)}",
            bytes_(left) if left >= 0 else f"−{bytes_(-left)}",
        ),
        *token_rows(s),
        Row(
            Text("Whole tokens in it", "放得下的整数个 token"),
            f"{bytes_(max(0, left))} ÷ {bytes_(each)}",
            IN_TOKENS.after(count(int(_right(s)))),
        ),
    )


BESIDE: Question[Scenario] = Question(
    slug="beside-weights",
    title=Text("Beside the weights", "权重之外还放得下多少"),
    prompt=lambda s: (
        given(s)
        + Text(
            f"The weights are {short(s.device.billions)} billion numbers of {plain_number(s.device.weight_bits)} "
            f"bits, the device has {gb(s.device.memory)} (10⁹ bytes each). How many tokens of one sequence fit "
            "beside the weights, if nothing else needs room?",
            f"权重有 {billions_zh(s.device.billions)}参数，每个 {plain_number(s.device.weight_bits)} 位；设备有 "
            f"{gb(s.device.memory)}（每 GB 10⁹ 字节）。若没有别的占用，权重之外放得下一条序列的多少个 token？",
        )
    ),
    form=plain_form(*GROUPED, MEMORY, BILLIONS),
    inputs=replace(Scenario(MODELS["Llama-3-8B"]), device=Device(40.0, billions=8.0)),
    invent=_device,
    formula=lambda s: (_right(s),),
    slips=(
        _NO_WEIGHTS,
        Slip(
            "one-byte",
            Text("One byte a weight", "每个权重算一个字节"),
            lambda s: (_beside(s, s.device.memory, s.device.weights * 8 / s.device.weight_bits),),
            lambda s: Text(
                f"A weight of {plain_number(s.device.weight_bits)} bits takes "
                f"{many(Fraction(s.device.weight_bits, 8), 'byte')}.",
                f"{plain_number(s.device.weight_bits)} 位的权重占 {plain_number(Fraction(s.device.weight_bits, 8))} "
                "个字节。",
            ),
        ),
        Slip(
            "gib",
            Text("Took GB for GiB", "把 GB 当作 GiB"),
            lambda s: (_beside(s, s.device.memory_gb * GIB, s.device.weights),),
            lambda s: Text(
                f"{gb(s.device.memory)} are {gib(s.device.memory)}, less than the figure suggests.",
                f"{gb(s.device.memory)} 只有 {gib(s.device.memory)}，比字面上少。",
            ),
        ),
        _BESIDE_NO_V,
        Slip(
            "query-heads",
            Text("Query heads for KV heads", "把查询头当 KV 头"),
            lambda s: (_right(with_(s, Mistake.QUERY_HEADS)),),
            lambda s: sentence(with_(s, Mistake.QUERY_HEADS)),
            lambda s: with_(_fits(s), Mistake.QUERY_HEADS),
        ),
        together(_BESIDE_NO_V, _NO_WEIGHTS, lambda s: (_beside(with_(s, Mistake.FORGOT_V), s.device.memory, 0),)),
    ),
    working=lambda s: Text(
        f"({bytes_(s.device.memory)} − {bytes_(s.device.weights)}) ÷ {bytes_(one_more(s)[0])} a token, rounded down.",
        f"（{bytes_(s.device.memory)} − {bytes_(s.device.weights)}）÷ 每个 token {bytes_(one_more(s)[0])}，向下取整。",
    ),
    way=_fits,
    reply=Number(IN_TOKENS),
    rows=_beside_rows,
)


# --- from the bytes back to the heads


def _heads(s: Scenario) -> float:
    """KV heads of a cache of so many bytes: what the product lacks."""
    m = s.model
    return cache_bytes(s) / (2 * m.n_layers * s.batch * s.seq_len * m.head_dim * float(s.format.itemsize))


def _group(s: Scenario) -> float:
    return s.model.n_heads / (s.model.n_kv_heads or 1)


def _heads_rows(s: Scenario) -> tuple[Row, ...]:
    m = s.model
    one = cache_bytes(replace(s, model=replace(m, n_kv_heads=1)))
    return (
        Row(Text("The cache in bytes", "缓存的字节数"), f"{gib(cache_bytes(s))} × 2³⁰", bytes_(cache_bytes(s))),
        Row(
            Text("With a single KV head it would be", "若只有一个 KV 头"),
            f"2 × {m.n_layers} × {count(s.seq_len)} × {m.head_dim} × {plain_number(s.format.itemsize)}",
            bytes_(one),
        ),
        Row(
            Text("So many KV heads", "所以 KV 头有"),
            f"{bytes_(cache_bytes(s))} ÷ {bytes_(one)}",
            count(round(_heads(s))),
        ),
    )


def _turned_round(rng: random.Random) -> Scenario:
    base = invented(rng)
    kv = rng.choice((2, 4, 5, 6, 8, 10, 12, 16))
    m = own(
        n_layers=base.model.n_layers,
        n_heads=kv * rng.choice((3, 5, 6, 7, 8)),
        n_kv_heads=kv,
        head_dim=base.model.head_dim,
        hidden=None,
    )
    return Scenario(m, base.seq_len)


BACK: Question[Scenario] = Question(
    slug="kv-heads",
    title=Text("How many KV heads must it have?", "它有多少个 KV 头？"),
    prompt=lambda s: Text(
        f"A model has {s.model.n_layers} layer{'s' * (s.model.n_layers != 1)} and {s.model.n_heads} query "
        f"head{'s' * (s.model.n_heads != 1)}; a head has {many(s.model.head_dim, 'number')} of "
        f"{plain_number(s.format.itemsize * 8)} bits. Its cache of {many(s.seq_len, 'token')} "
        f"takes {gib(cache_bytes(s))}. How many KV heads does it have?",
        f"一个模型有 {s.model.n_layers} 层、{s.model.n_heads} 个查询头；每个头 {s.model.head_dim} 个数，每个数 "
        f"{plain_number(s.format.itemsize * 8)} 位。它在 {count(s.seq_len)} 个 token 时的缓存"
        f"占 {gib(cache_bytes(s))}。它有多少个 KV 头？",
    ),
    form=plain_form(*GROUPED, TOKENS),
    inputs=Scenario(own(n_layers=28, n_heads=24, n_kv_heads=8, head_dim=128, hidden=None), 32_768),
    invent=_turned_round,
    formula=lambda s: (_heads(s),),
    slips=(
        Slip(
            "one-two",
            Text("Left out a 2", "漏了一个 2"),
            lambda s: (_heads(s) * 2,),
            Text(
                "K and V give one 2, and the two bytes of a number give another. One of them is missing.",
                "K 和 V 给出一个 2，每个数的两个字节又给出一个。这里少了其中之一。",
            ),
        ),
        Slip(
            "both-twos",
            Text("Left out both 2s", "两个 2 都漏了"),
            lambda s: (_heads(s) * 4,),
            Text(
                "K and V are two, and a number of 16 bits takes two bytes: divide by 4 more.",
                "K 和 V 是两份，16 位的数占两个字节：还要再除以 4。",
            ),
        ),
        Slip(
            "group",
            Text("Gave the size of a group", "答成了每组的大小"),
            lambda s: (_group(s),),
            Told(
                "That is how many query heads share a KV head: {model.n_heads} ÷ {model.n_kv_heads}.",
                "这是共用一个 KV 头的查询头数：{model.n_heads} ÷ {model.n_kv_heads}。",
            ),
        ),
        Slip(
            "query-heads",
            Text("Gave the query heads", "答成了查询头数"),
            lambda s: s.model.n_heads,
            lambda s: Text(
                f"With {s.model.n_heads} KV head{'s' * (s.model.n_heads != 1)} the cache would take "
                f"{gib(cache_bytes(of_query_heads(s)))}.",
                f"若有 {s.model.n_heads} 个 KV 头，缓存就占 {gib(cache_bytes(of_query_heads(s)))}。",
            ),
        ),
    ),
    working=lambda s: same(
        f"{bytes_(cache_bytes(s))} ÷ (2 × {s.model.n_layers} × {count(s.seq_len)} × {s.model.head_dim} × "
        f"{plain_number(s.format.itemsize)}) = {count(round(_heads(s)))}"
    ),
    way=lambda s: s,
    reply=Number(),
    rows=_heads_rows,
    tolerance=COUNTED,
)
