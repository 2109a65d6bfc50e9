"""Which of four models keeps most."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from engine.kv_ladder import Mistake
from engine.kv_size import Scenario
from lessons.kit.controls import BadInput, Line, about, ascii_number
from lessons.kit.form import Form
from lessons.kit.format import count, size
from lessons.kit.question import Line as Step
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Pick
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_bytes.form import TOKENS
from lessons.kv_bytes.questions.drawn import own, with_

Entry = tuple[int, int, int, int]  # layers, query heads, KV heads, head size
NAMES = "ABCD"


@dataclass(frozen=True)
class Compared:
    """Four models with as many tokens each."""

    models: tuple[Entry, ...]
    seq_len: int = 32_768

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        return tuple(
            Scenario(own(n_layers=layers, n_heads=heads, n_kv_heads=kv, head_dim=dim, hidden=None), self.seq_len)
            for layers, heads, kv, dim in self.models
        )

    def most(self, mistake: Mistake = Mistake.NONE) -> int:
        sizes = [with_(s, mistake).cache_bytes for s in self.scenarios]
        return sizes.index(max(sizes))

    @property
    def deepest(self) -> int:
        layers = [s.model.n_layers for s in self.scenarios]
        return layers.index(max(layers))


def _entry(line: Line, typed: str) -> Entry:
    words = ascii_number(typed).replace("，", ",").replace("、", ",").split(",")
    try:
        layers, heads, kv, dim = (int(word) for word in words if len(word.strip()) < 6)
        if 1 <= layers <= 256 and 1 <= kv <= heads <= 256 and heads % kv == 0 and 1 <= dim <= 1_024:
            return layers, heads, kv, dim
    except ValueError:
        pass
    raise BadInput(
        about(
            line,
            f"must be four whole numbers, such as `32, 32, 8, 128`: {line.help.en}; the query heads a multiple of "
            "the KV heads.",
            f"应为四个整数，例如 `32, 32, 8, 128`：{line.help.zh}；查询头数应是 KV 头数的倍数。",
        )
    )


_LINES = tuple(
    Line(
        f"model_{name.lower()}",
        Text(f"Model {name}", f"模型 {name}"),
        Text("layers, query heads, KV heads, head size", "层数、查询头数、KV 头数、头维度"),
        parse=_entry,
        show=lambda entry: ", ".join(map(str, entry)),
    )
    for name in NAMES
)


def _compared(values: Mapping[str, Any]) -> Compared:
    return Compared(tuple(values[line.name] for line in _LINES), values["tokens"])


def _lines(c: Compared) -> dict[str, Any]:
    return {**{line.name: entry for line, entry in zip(_LINES, c.models, strict=True)}, "tokens": c.seq_len}


def _two_alike(c: Compared) -> Iterator[Text]:
    *_, second, first = sorted(s.cache_bytes for s in c.scenarios)
    if first == second:
        yield Text("Two of the models take the same; change one of them.", "有两个模型占得一样多，请改动其中一个。")


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


def _described(c: Compared) -> tuple[Text, ...]:
    words = Told(
        "{name}: {model.n_layers:layer}, {model.n_heads:query head}, {model.n_kv_heads:KV head} of size "
        "{model.head_dim}",
        "{name}：{model.n_layers} 层，{model.n_heads} 个查询头，{model.n_kv_heads} 个 KV 头，头维度 {model.head_dim}",
    )
    return tuple(words.on(s, name=name) for name, s in zip(NAMES, c.scenarios, strict=True))


def _factors(c: Compared) -> tuple[str, ...]:
    return tuple(
        f"{name} {count(layers * kv * dim)}" for name, (layers, _, kv, dim) in zip(NAMES, c.models, strict=True)
    )


_BYTES: Step[Scenario] = Step(
    same(""), "2 × {model.n_layers} × {seq_len} × {model.n_kv_heads} × {model.head_dim} × 2", "{cache_bytes:size}"
)

LARGEST: Question[Compared] = Question(
    slug="largest",
    title=Text("Which keeps most?", "哪个模型的缓存最大？"),
    prompt=Told(
        "Each of these models holds one sequence of {seq_len:token}, 16 bits a number. Whose KV cache is the largest?",
        "下列模型各保存一条 {seq_len} 个 token 的序列，每个数 16 位。谁的 KV 缓存最大？",
    ),
    form=Form((*_LINES, TOKENS), _compared, _lines, unfit=_two_alike),
    inputs=Compared(((32, 16, 16, 128), (40, 96, 8, 128), (80, 32, 4, 64), (34, 16, 2, 256))),
    invent=_four,
    formula=lambda c: c.most() + 1,
    slips=(
        Slip(
            "query-heads",
            Text("Counted query heads", "按查询头数算了"),
            lambda c: c.most(Mistake.QUERY_HEADS) + 1,
            lambda c: Told(
                "Query heads are not kept. Only KV heads are, and it has {n_kv_heads}.",
                "查询头并不保存，只保存 KV 头，而它的 KV 头是 {n_kv_heads} 个。",
            ).on(c.scenarios[c.most(Mistake.QUERY_HEADS)].model),
        ),
        Slip(
            "most-layers",
            Text("Looked at the layers alone", "只看了层数"),
            lambda c: c.deepest + 1,
            Text(
                "It has the most layers, but each of them keeps little: layers, KV heads and head size multiply.",
                "它的层数最多，但每层存得少：要看层数、KV 头数和头维度的乘积。",
            ),
        ),
        Slip(
            "one-head",
            Text("Left the KV heads out", "漏乘了 KV 头数"),
            lambda c: c.most(Mistake.ONE_HEAD) + 1,
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
    way=lambda c: c.scenarios[c.most()],
    reply=Pick(_described),
    rows=lambda c: (
        *(
            replace(_BYTES, what=Text(f"Model {name}", f"模型 {name}")).row(s)
            for name, s in zip(NAMES, c.scenarios, strict=True)
        ),
        Row(Text("The largest", "最大的"), size(c.scenarios[c.most()].cache_bytes), same(NAMES[c.most()])),
    ),
)
