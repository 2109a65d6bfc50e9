"""Pick: does it fit, and which model keeps most."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.kv_formats import BF16
from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Device, Scenario, cache_bytes
from engine.models import MODELS
from lessons.kit.controls import BadInput, Line, ascii_number
from lessons.kit.form import Form
from lessons.kit.format import count, many, size
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Pick
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_bytes.form import MEMORY, TOKENS, plain_form
from lessons.kv_bytes.quantities import bytes_, gb, gib
from lessons.kv_bytes.questions.drawn import GROUPED, figures, invented, own, with_

# --- a cache in GiB, a device in GB


def _readings(s: Scenario) -> tuple[int, int, int]:
    """Bytes of the cache, of its figure in GiB read as GB, and of the figure converted the wrong way."""
    n = cache_bytes(s)
    return n, n * GB // GIB, n * GB // GIB * GB // GIB


def _verdict(n_bytes: int, memory: int) -> Text:
    if n_bytes <= memory:
        left = gb(memory - n_bytes)
        return Text(
            f"It fits: it takes {gb(n_bytes)}, and {left} are left.", f"放得下：占 {gb(n_bytes)}，还剩 {left}。"
        )
    lacking = gb(n_bytes - memory)
    return Text(
        f"It does not fit: it takes {gb(n_bytes)}, {lacking} too many.", f"放不下：要占 {gb(n_bytes)}，多出 {lacking}。"
    )


def _at(s: Scenario) -> tuple[int, ...]:
    return shuffled(3, *figures(s), s.device.memory_gb)


def _verdicts(s: Scenario) -> tuple[Text, ...]:
    readings = _readings(s)
    return tuple(_verdict(readings[i], s.device.memory) for i in _at(s))


def _near(rng: random.Random) -> Scenario:
    base = replace(invented(rng), format=BF16, batch=1)
    memory = cache_bytes(base) / GIB * rng.choice((0.95, 1.0, 1.0, 1.04, 1.06, 1.09, 1.15, 1.3))
    return replace(
        base, model=replace(base.model, hidden=None), device=Device(memory_gb=max(0.5, round(2 * memory) / 2))
    )


HOLDS: Question[Scenario] = Question(
    slug="holds",
    title=Text("GiB into GB: does it fit?", "GiB 装进 GB：放得下吗？"),
    prompt=lambda s: Text(
        f"A program reports a cache of {gib(cache_bytes(s))}. A device has {gb(s.device.memory)} free, in the units "
        "of its data sheet. Does the cache fit?",
        f"程序报告缓存占 {gib(cache_bytes(s))}。设备空闲 {gb(s.device.memory)}（按规格表的单位）。缓存放得下吗？",
    ),
    form=plain_form(*GROUPED, TOKENS, MEMORY),
    inputs=Scenario(replace(MODELS["Llama-3-70B"], hidden=None), 131_072, device=Device(memory_gb=40.0)),
    invent=_near,
    formula=lambda s: (place(_at(s), 0),),
    slips=(
        Slip(
            "same-figure",
            Text("Read GiB as GB", "把 GiB 读作 GB"),
            lambda s: (place(_at(s), 1),),
            lambda s: Text(
                f"{gib(cache_bytes(s))} are not as many GB: a GiB is 2³⁰ B, a GB 10⁹ B.",
                f"{gib(cache_bytes(s))} 不等于同样多的 GB：一个 GiB 是 2³⁰ B，一个 GB 是 10⁹ B。",
            ),
        ),
        Slip(
            "other-way",
            Text("Converted the other way round", "换算方向反了"),
            lambda s: (place(_at(s), 2),),
            Text(
                "A GB is the smaller unit, so the figure in GB must be the larger one.",
                "GB 是较小的单位，所以用 GB 表示时数字应当更大。",
            ),
        ),
    ),
    working=lambda s: Text(
        f"{gib(cache_bytes(s))} = {bytes_(cache_bytes(s))} = {gb(cache_bytes(s))}, against {gb(s.device.memory)}.",
        f"{gib(cache_bytes(s))} = {bytes_(cache_bytes(s))} = {gb(cache_bytes(s))}，而空闲的是 {gb(s.device.memory)}。",
    ),
    way=lambda s: s,
    reply=Pick(_verdicts),
    rows=lambda s: (
        Row(Text("The cache in bytes", "缓存的字节数"), f"{gib(cache_bytes(s))} × 2³⁰", bytes_(cache_bytes(s))),
        Row(Text("In GB", "换成 GB"), f"{bytes_(cache_bytes(s))} ÷ 10⁹", gb(cache_bytes(s))),
        Row(
            Text("Against what is free", "与空闲的相比"), gb(s.device.memory), _verdict(cache_bytes(s), s.device.memory)
        ),
    ),
)


# --- which of four models keeps most

Entry = tuple[int, int, int, int]  # layers, query heads, KV heads, head size
NAMES = "ABCD"


@dataclass(frozen=True)
class Compared:
    """Four models with as many tokens each."""

    models: tuple[Entry, ...]
    seq_len: int = 32_768

    def scenario(self, i: int) -> Scenario:
        layers, heads, kv, dim = self.models[i]
        return Scenario(own(n_layers=layers, n_heads=heads, n_kv_heads=kv, head_dim=dim, hidden=None), self.seq_len)

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        return tuple(self.scenario(i) for i in range(len(self.models)))

    def most(self, mistake: Mistake = Mistake.NONE) -> int:
        sizes = [cache_bytes(with_(s, mistake)) for s in self.scenarios]
        return sizes.index(max(sizes))

    @property
    def deepest(self) -> int:
        layers = [entry[0] for entry in self.models]
        return layers.index(max(layers))


def _line(name: str) -> Line:
    return Line(
        f"model_{name.lower()}",
        Text(f"Model {name}", f"模型 {name}"),
        Text("layers, query heads, KV heads, head size", "层数、查询头数、KV 头数、头维度"),
    )


_LINES = tuple(map(_line, NAMES))


def _entry(line: Line, typed: str) -> Entry:
    words = ascii_number(typed).replace("，", ",").replace("、", ",").split(",")
    try:
        layers, heads, kv, dim = (int(word) for word in words if len(word.strip()) < 6)
        if 1 <= layers <= 256 and 1 <= kv <= heads <= 256 and heads % kv == 0 and 1 <= dim <= 1_024:
            return layers, heads, kv, dim
    except ValueError:
        pass
    raise BadInput(
        Text(
            f"**{line.label.en}** must be four whole numbers, such as `32, 32, 8, 128`: {line.help.en}; the query "
            "heads a multiple of the KV heads.",
            f"**{line.label.zh}**应为四个整数，例如 `32, 32, 8, 128`：{line.help.zh}；查询头数应是 KV 头数的倍数。",
        )
    )


def _compared(values: Mapping[str, Any]) -> Compared:
    compared = Compared(tuple(_entry(line, values[line.name]) for line in _LINES), values["tokens"])
    sizes = sorted(map(cache_bytes, compared.scenarios))
    if sizes[-1] == sizes[-2]:
        raise BadInput(
            Text("Two of the models take the same; change one of them.", "有两个模型占得一样多，请改动其中一个。")
        )
    return compared


def _lines(compared: Compared) -> dict[str, Any]:
    lines = {line.name: ", ".join(map(str, entry)) for line, entry in zip(_LINES, compared.models, strict=True)}
    return {**lines, "tokens": compared.seq_len}


def _four(rng: random.Random) -> Compared:
    """One with many KV heads, one with many query heads, one with many layers, one with large heads."""
    models = [
        (rng.choice((28, 32, 36)), (kv := rng.choice((16, 20, 24))) * rng.choice((1, 2)), kv, 128),
        (rng.choice((36, 40, 48)), rng.choice((64, 96, 128)), rng.choice((2, 4, 8)), 128),
        (rng.choice((60, 72, 80, 96)), rng.choice((16, 32)), rng.choice((2, 4, 8)), 64),
        (rng.choice((26, 34, 42)), rng.choice((8, 16)), rng.choice((1, 2, 4)), 256),
    ]
    rng.shuffle(models)
    return Compared(tuple(models), 1_024 * rng.choice((8, 32, 128)))


def _described(compared: Compared) -> tuple[Text, ...]:
    return tuple(
        Text(
            f"{name}: {many(layers, 'layer')}, {many(heads, 'query head')}, {many(kv, 'KV head')} of size {dim}",
            f"{name}：{layers} 层，{heads} 个查询头，{kv} 个 KV 头，头维度 {dim}",
        )
        for name, (layers, heads, kv, dim) in zip(NAMES, compared.models, strict=True)
    )


LARGEST: Question[Compared] = Question(
    slug="largest",
    title=Text("Which keeps most?", "哪个模型的缓存最大？"),
    prompt=Told(
        "Each of these models holds one sequence of {seq_len:token}, 16 bits a number. Whose KV cache is the largest?",
        "下列模型各保存一条 {seq_len} 个 token 的序列，每个数 16 位。谁的 KV 缓存最大？",
    ),
    form=Form((*_LINES, TOKENS), _compared, _lines),
    inputs=Compared(((32, 16, 16, 128), (40, 96, 8, 128), (80, 32, 4, 64), (34, 16, 2, 256))),
    invent=_four,
    formula=lambda c: (c.most() + 1.0,),
    slips=(
        Slip(
            "query-heads",
            Text("Counted query heads", "按查询头数算了"),
            lambda c: (c.most(Mistake.QUERY_HEADS) + 1.0,),
            lambda c: Text(
                f"Query heads are not kept. Only KV heads are, and it has {c.models[c.most(Mistake.QUERY_HEADS)][2]}.",
                f"查询头并不保存，只保存 KV 头，而它的 KV 头是 {c.models[c.most(Mistake.QUERY_HEADS)][2]} 个。",
            ),
        ),
        Slip(
            "most-layers",
            Text("Looked at the layers alone", "只看了层数"),
            lambda c: (c.deepest + 1.0,),
            Text(
                "It has the most layers, but each of them keeps little: layers, KV heads and head size multiply.",
                "它的层数最多，但每层存得少：要看层数、KV 头数和头维度的乘积。",
            ),
        ),
        Slip(
            "one-head",
            Text("Left the KV heads out", "漏乘了 KV 头数"),
            lambda c: (c.most(Mistake.ONE_HEAD) + 1.0,),
            Text(
                "Layers × head size is the largest there, but it has few KV heads.",
                "它的层数 × 头维度最大，但 KV 头少。",
            ),
        ),
    ),
    working=lambda c: Text(
        "Only layers × KV heads × head size differ: " + ", ".join(_factors(c)) + ".",
        "不同的只有“层数 × KV 头数 × 头维度”：" + "，".join(_factors(c)) + "。",
    ),
    way=lambda c: c.scenario(c.most()),
    reply=Pick(_described),
    rows=lambda c: (
        *(
            Row(
                Text(f"Model {name}", f"模型 {name}"),
                f"2 × {layers} × {count(c.seq_len)} × {kv} × {dim} × 2",
                size(cache_bytes(s)),
            )
            for name, s, (layers, _, kv, dim) in zip(NAMES, c.scenarios, c.models, strict=True)
        ),
        Row(Text("The largest", "最大的"), size(max(map(cache_bytes, c.scenarios))), same(NAMES[c.most()])),
    ),
)


def _factors(c: Compared) -> list[str]:
    return [f"{name} {count(layers * kv * dim)}" for name, (layers, _, kv, dim) in zip(NAMES, c.models, strict=True)]
