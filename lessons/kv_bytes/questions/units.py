"""GiB and GB: the same bytes converted, and a cache in the one held against a device in the other."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.kv_formats import BF16
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Device, Scenario
from engine.models import MODELS
from lessons.kit.finding import Correction, Finding, Sound, Wrong
from lessons.kit.format import gb
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Slip
from lessons.kit.reply import Number, Pick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import GB as IN_GB
from lessons.kv_bytes.form import BATCH, MEMORY, TOKENS, plain_form
from lessons.kv_bytes.presets import LONG
from lessons.kv_bytes.questions.drawn import (
    GROUPED,
    IN_BYTES,
    IN_GIB,
    SHAPE,
    figures,
    gib_of,
    invented,
    itself,
    mistaken,
    of_all_heads,
    without_hidden,
)
from lessons.kv_bytes.questions.drawn import TOKEN as TOKEN_LINES
from lessons.kv_bytes.questions.finding import ASKED, drawn, finding_form, unshared_takes, whole_takes

SEVENTY = without_hidden(Scenario(MODELS["Llama-3-70B"], LONG))
TURNED = Text("Converted the other way round", "换算方向反了")


def _turned(n_bytes: int) -> int:
    """What is thought of as bytes where GiB are turned into GB the other way round."""
    return n_bytes * GB // GIB * GB // GIB


# --- the same in GB

UNITS: Question[Scenario] = Question(
    slug="units",
    title=Text("The same in GB", "换成 GB"),
    prompt=Told(
        "A program reports a cache of {cache_bytes:GiB}. A data sheet counts in GB (10⁹ bytes). How many GB does "
        "the cache take?",
        "程序报告缓存占 {cache_bytes:GiB}。规格表按 GB（10⁹ 字节）计。缓存占多少 GB？",
    ),
    form=plain_form(*SHAPE, TOKENS, BATCH),
    inputs=Scenario(MODELS["Llama-3-70B"], LONG),
    invent=lambda rng: replace(invented(rng), format=BF16),
    formula=lambda s: s.cache_bytes / GB,
    slips=(
        mistaken(
            Mistake.GB_FOR_GIB, gib_of, itself, name="same-figure", title=Text("Read GiB as GB", "把 GiB 读作 GB")
        ),
        Slip(
            "other-way",
            Text("The other way round", "方向反了"),
            lambda s: gib_of(s) * GB / GIB,
            Text(
                "A GB is smaller than a GiB, so the figure in GB must be the larger one.",
                "GB 比 GiB 小，所以用 GB 表示的数字应当更大。",
            ),
        ),
        Slip(
            "once-1024",
            Text("1024 only once", "只换了一次 1024"),
            lambda s: s.cache_bytes / (2**20 * 1000),
            Text(
                "That divides by 1024 twice and by 1000 once. A GB is 1000 × 1000 × 1000 bytes: divide by 1000 "
                "each time.",
                "这是两次除以 1024、一次除以 1000。一个 GB 是 1000 × 1000 × 1000 字节：每一级都除以 1000。",
            ),
        ),
    ),
    working=Told("{cache_bytes:B} ÷ 10⁹ = {cache_bytes:GB}.", "{cache_bytes:B} ÷ 10⁹ = {cache_bytes:GB}。"),
    way=itself,
    reply=Number(IN_GB),
    rows=(
        Line(Text("In bytes", "换成字节"), "{cache_bytes:GiB} × 2³⁰", "{cache_bytes:B}"),
        Line(Text("In GB", "换成 GB"), "{cache_bytes:B} ÷ 10⁹", "{cache_bytes:GB}"),
    ),
)


# --- a cache in GiB, a device in GB


def _verdict(n_bytes: int, memory: int) -> Text:
    if n_bytes <= memory:
        fits = Told("It fits: it takes {n:GB}, and {left:GB} are left.", "放得下：占 {n:GB}，还剩 {left:GB}。")
    else:
        fits = Told(
            "It does not fit: it takes {n:GB}, {lacking:GB} too many.", "放不下：要占 {n:GB}，多出 {lacking:GB}。"
        )
    return fits.on(n=n_bytes, left=memory - n_bytes, lacking=n_bytes - memory)


def _at(s: Scenario) -> tuple[int, ...]:
    return shuffled(3, *figures(s), s.device.memory_gb)


def _verdicts(s: Scenario) -> tuple[Text, ...]:
    """On the bytes of the cache, of its figure in GiB read as GB, and of the figure converted the wrong way."""
    n = s.cache_bytes
    readings = n, n * GB // GIB, _turned(n)
    return tuple(_verdict(readings[i], s.device.memory) for i in _at(s))


def _near(rng: random.Random) -> Scenario:
    base = without_hidden(replace(invented(rng), format=BF16, batch=1))
    memory = gib_of(base) * rng.choice((0.95, 1.0, 1.0, 1.04, 1.06, 1.09, 1.15, 1.3))
    return replace(base, device=Device(memory_gb=max(0.5, round(2 * memory) / 2)))


HOLDS: Question[Scenario] = Question(
    slug="holds",
    title=Text("GiB into GB: does it fit?", "GiB 装进 GB：放得下吗？"),
    prompt=Told(
        "A program reports a cache of {cache_bytes:GiB}. A device has {device.memory:GB} free, in the units of its "
        "data sheet. Does the cache fit?",
        "程序报告缓存占 {cache_bytes:GiB}。设备空闲 {device.memory:GB}（按规格表的单位）。缓存放得下吗？",
    ),
    form=plain_form(*GROUPED, TOKENS, MEMORY),
    inputs=replace(SEVENTY, device=Device(memory_gb=40.0)),
    invent=_near,
    formula=lambda s: place(_at(s), 0),
    slips=(
        Slip(
            "same-figure",
            Text("Read GiB as GB", "把 GiB 读作 GB"),
            lambda s: place(_at(s), 1),
            Told(
                "{cache_bytes:GiB} are not as many GB: a GiB is 2³⁰ B, a GB 10⁹ B.",
                "{cache_bytes:GiB} 不等于同样多的 GB：一个 GiB 是 2³⁰ B，一个 GB 是 10⁹ B。",
            ),
        ),
        Slip(
            "other-way",
            TURNED,
            lambda s: place(_at(s), 2),
            Text(
                "A GB is the smaller unit, so the figure in GB must be the larger one.",
                "GB 是较小的单位，所以用 GB 表示时数字应当更大。",
            ),
        ),
    ),
    working=Told(
        "{cache_bytes:GiB} = {cache_bytes:B} = {cache_bytes:GB}, against {device.memory:GB}.",
        "{cache_bytes:GiB} = {cache_bytes:B} = {cache_bytes:GB}，而空闲的是 {device.memory:GB}。",
    ),
    way=itself,
    reply=Pick(_verdicts),
    rows=(
        IN_BYTES,
        Line(Text("In GB", "换成 GB"), "{cache_bytes:B} ÷ 10⁹", "{cache_bytes:GB}"),
        Line(
            Text("Against what is free", "与空闲的相比"),
            "{device.memory:GB}",
            lambda s: _verdict(s.cache_bytes, s.device.memory),
        ),
    ),
)


# --- audit 1.20: a cache of 40 GiB on a device of 40 GB


def _free(s: Scenario) -> int:
    """Bytes of as many GB as the cache has GiB, to six figures."""
    return round(float(f"{gib_of(s):.6g}") * GB)


def _short_by(s: Scenario) -> int:
    return s.cache_bytes - _free(s)


def _lacks(s: Scenario, n_bytes: int) -> Text:
    return Told("A device with {free:GB} free lacks {n:GB}.", "空闲 {free:GB} 的设备还差 {n:GB}。").on(
        free=_free(s), n=n_bytes
    )


def _spares(s: Scenario, n_bytes: int) -> Text:
    return Told(
        "A device with {free:GB} free holds it with {n:GB} to spare.", "空闲 {free:GB} 的设备放得下，还剩 {n:GB}。"
    ).on(free=_free(s), n=n_bytes)


def _each(n_bytes: int) -> Text:
    return Told("One token takes {n:size}.", "一个 token 占 {n:size}。").on(n=n_bytes)


_FIT: Finding[Scenario] = Finding(
    (
        Sound(
            "doubted-token",
            Text("Doubted the bytes of one token", "怀疑了一个 token 的字节数"),
            lambda s: _each(s.token_bytes),
            (
                lambda s: _each(s.token_bytes // 2),
                lambda s: _each(s.token_bytes * s.model.sharing),
                lambda s: _each(s.layer_bytes),
            ),
            Told(
                "This one is right: 2 × {model.n_layers} × {model.n_kv_heads} × {model.head_dim} × 2 bytes.",
                "这条是对的：2 × {model.n_layers} × {model.n_kv_heads} × {model.head_dim} × 2 字节。",
            ),
        ),
        Sound(
            "doubted-total",
            Text("Doubted the bytes of the sequence", "怀疑了整条序列的字节数"),
            lambda s: whole_takes(s.cache_bytes),
            (
                lambda s: whole_takes(s.cache_bytes // 2),
                lambda s: whole_takes(s.cache_bytes * GIB // GB),
                lambda s: whole_takes(s.cache_bytes * GB // GIB),
            ),
            Told("This one is right: {cache_bytes:B} ÷ 2³⁰.", "这条是对的：{cache_bytes:B} ÷ 2³⁰。"),
        ),
        Sound(
            "doubted-mha",
            Text("Doubted the effect of grouping", "怀疑了分组的作用"),
            lambda s: unshared_takes(of_all_heads(s)),
            (
                lambda s: unshared_takes(of_all_heads(s) * 2),
                lambda s: unshared_takes(s.cache_bytes * 2),
                lambda s: unshared_takes(s.cache_bytes),
            ),
            Told(
                "This one is right: {model.sharing} query heads share a KV head, so it would be {model.sharing} "
                "times {cache_bytes:GiB}.",
                "这条是对的：每 {model.sharing} 个查询头共用一个 KV 头，所以是 {cache_bytes:GiB} 的 "
                "{model.sharing} 倍。",
            ),
        ),
        Wrong(
            lambda s: Told(
                "A device with {free:GB} free just holds the cache.", "空闲 {free:GB} 的设备刚好放得下这个缓存。"
            ).on(free=_free(s)),
            lambda s: _lacks(s, _short_by(s)),
            (
                Correction(
                    "other-way",
                    TURNED,
                    lambda s: _spares(s, _free(s) - _turned(s.cache_bytes)),
                    Told(
                        "A GiB is more than a GB: {cache_bytes:GiB} are {cache_bytes:GB}.",
                        "GiB 比 GB 大：{cache_bytes:GiB} 就是 {cache_bytes:GB}。",
                    ),
                ),
                Correction(
                    "forgot-v",
                    Text("Counted K alone", "只算了 K"),
                    lambda s: _spares(s, _free(s) - s.cache_bytes // 2),
                    Told(
                        "That is room beside K alone. K and V take {cache_bytes:GB}.",
                        "这是只放 K 时的余量。K 和 V 共占 {cache_bytes:GB}。",
                    ),
                ),
            ),
        ),
    ),
    figures,
)


def _overflow(s: Scenario) -> str:
    return f"{gb(s.cache_bytes)} − {gb(_free(s))}"


FIT: Question[Scenario] = Question(
    slug="find-fit",
    title=Text("Find the error: does it fit?", "找错：放得下吗？"),
    prompt=ASKED,
    form=finding_form(_FIT),
    inputs=SEVENTY,
    invent=drawn(_FIT),
    formula=_FIT.answer,
    slips=_FIT.slips,
    working=lambda s: Told(
        "{cache_bytes:GiB} are {cache_bytes:GB}, and {overflow} = {short:GB}.",
        "{cache_bytes:GiB} 就是 {cache_bytes:GB}，而 {overflow} = {short:GB}。",
    ).on(s, overflow=_overflow(s), short=_short_by(s)),
    way=itself,
    reply=_FIT.reply,
    rows=(
        *TOKEN_LINES,
        Line(Text("The sequence", "整条序列"), "{seq_len} × {token_bytes:B}", "{cache_bytes:B}"),
        IN_GIB,
        Line(Text("In GB, as the device is sold", "换成设备所用的 GB"), "{cache_bytes:B} ÷ 10⁹", "{cache_bytes:GB}"),
        Line(Text("More than is free", "超出空闲的部分"), _overflow, lambda s: gb(_short_by(s))),
    ),
)
