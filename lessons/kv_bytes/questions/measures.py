"""Put measures against a large cache in order: each taken alone, the smallest cache first."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from engine.kv_formats import Format
from engine.kv_ladder import Mistake
from engine.kv_size import Scenario, cache_bytes
from lessons.kit.controls import BadInput, Whole
from lessons.kit.form import Form
from lessons.kit.format import count, many, size
from lessons.kit.places import place, shuffled
from lessons.kit.question import Question, Row, Slip
from lessons.kit.reply import Answer, Order
from lessons.kit.text import Text
from lessons.kv_bytes.form import TOKENS, plain_form
from lessons.kv_bytes.quantities import plain_number
from lessons.kv_bytes.questions.drawn import figures, own, product, sequences, with_


@dataclass(frozen=True)
class Measures:
    """One cache, and four measures each taken alone: fewer bits with scales, fewer KV heads, windows, half the query
    heads."""

    base: Scenario
    quantised: Format
    kv_heads: int
    n_local: int
    window: int

    @property
    def taken(self) -> tuple[Scenario, ...]:
        s, m = self.base, self.base.model
        return (
            replace(s, format=self.quantised),
            replace(s, model=replace(m, n_kv_heads=self.kv_heads)),
            replace(s, model=replace(m, n_local=self.n_local, window=self.window)),
            replace(s, model=replace(m, n_heads=m.n_heads // 2)),
        )

    @cached_property
    def sizes(self) -> list[int]:
        return [cache_bytes(s) for s in self.taken]

    @cached_property
    def offered(self) -> tuple[int, ...]:
        """The measures as they stand: never from the smallest cache to the largest."""
        ranked, numbers = _ranked(self.sizes), (*figures(self.base), self.kv_heads, self.n_local, self.window)
        return tuple(ranked[i] for i in shuffled(4, *numbers, moved=True))

    def order(self, sizes: list[int]) -> Answer:
        """The answer of one who takes the caches for so large."""
        return tuple(place(self.offered, i) for i in _ranked(sizes))


def _ranked(sizes: list[int]) -> list[int]:
    return sorted(range(len(sizes)), key=lambda i: sizes[i])


_BITS = Whole("measure_bits", Text("Bits a number, with scales", "每个数的位数（带比例因子）"), 1, 8)
_GROUP = Whole("measure_group", Text("Numbers that share a scale", "几个数共用一个比例因子"), 8, 1_024)
_SCALE = Whole("measure_scale", Text("Bytes of a scale", "比例因子的字节数"), 1, 16)
_KV = Whole("fewer", Text("KV heads, instead", "改用的 KV 头数"), 1, 256)
_LOCAL = Whole("measure_local", Text("Layers with a window, instead", "改为带窗口的层数"), 1, 256)
_WINDOW = Whole("measure_window", Text("Window, in tokens", "窗口（token 数）"), 1, 16_777_216)
_INNER = plain_form()


def _measured(values: Mapping[str, Any]) -> Measures:
    base = _INNER.made(values, None)  # type: ignore[arg-type]
    f = Format(Fraction(values["measure_bits"], 8), values["measure_group"], values["measure_scale"])
    m = base.model
    if m.n_heads % values["fewer"] or values["measure_local"] > m.n_layers:
        raise BadInput(
            Text(
                f"**{_KV.label.en}** must divide the {many(m.n_heads, 'query head')}, **{_LOCAL.label.en}** be at "
                f"most the {many(m.n_layers, 'layer')}.",
                f"**{_KV.label.zh}**应整除 {m.n_heads} 个查询头，**{_LOCAL.label.zh}**应不超过 {m.n_layers} 层。",
            )
        )
    measures = Measures(base, f, values["fewer"], values["measure_local"], values["measure_window"])
    if len(set(measures.sizes)) < 4:
        raise BadInput(
            Text(
                "Two of the measures leave caches of the same size; change a number.",
                "有两种办法留下的缓存一样大，请改动一个数。",
            )
        )
    return measures


def _measure_values(x: Measures) -> dict[str, Any]:
    f = x.quantised
    taken = {
        "measure_bits": int(f.itemsize * 8),
        "measure_group": f.group,
        "measure_scale": f.scale_bytes,
        "measure_local": x.n_local,
        "measure_window": x.window,
    }
    return {**_INNER.taken_apart(x.base), **taken, "fewer": x.kv_heads}


_MEASURE_FORM: Form[Measures] = Form(
    (TOKENS, _BITS, _GROUP, _SCALE, _KV, _LOCAL, _WINDOW),
    _measured,
    _measure_values,
)


def _four_measures(rng: random.Random) -> Measures:
    """Four that leave differently much, with scales that matter."""
    while True:
        kv = rng.choice((6, 8, 12, 16))
        heads, layers = kv * rng.choice((2, 4, 6)), rng.choice((24, 36, 48, 60))
        base = Scenario(
            own(n_layers=layers, n_heads=heads, n_kv_heads=kv, head_dim=128, hidden=None),
            1_024 * rng.choice((16, 32, 64)),
        )
        f = Format(Fraction(rng.choice((4, 4, 8)), 8), rng.choice((8, 16, 32)), rng.choice((2, 4)))
        fewer = kv // rng.choice([n for n in (2, 3, 4) if kv % n == 0])
        measures = Measures(base, f, fewer, layers * rng.choice((3, 4, 5)) // 6, rng.choice((512, 1_024, 2_048)))
        if len(set(measures.sizes)) == 4 == len(set(_no_scales(measures))) and _ranked(measures.sizes) != _ranked(
            _no_scales(measures)
        ):
            return measures


def _measure_words(x: Measures) -> tuple[Text, ...]:
    m, f = x.base.model, x.quantised
    bits, keep = int(f.itemsize * 8), f"keep{'s' * (x.n_local == 1)}"
    words = (
        Text(
            f"{many(bits, 'bit')} a number; every {f.group} share a scale of {many(f.scale_bytes, 'byte')}",
            f"每个数 {bits} 位，每 {f.group} 个共用一个 {f.scale_bytes} 字节的比例因子",
        ),
        Text(
            f"{many(x.kv_heads, 'KV head')} instead of {m.n_kv_heads}",
            f"KV 头改为 {x.kv_heads} 个，不再是 {m.n_kv_heads} 个",
        ),
        Text(
            f"{x.n_local} of {many(m.n_layers, 'layer')} {keep} only the last {many(x.window, 'token')}",
            f"{x.n_local} 层（共 {m.n_layers} 层）只保存最近 {count(x.window)} 个 token",
        ),
        Text(
            f"{many(m.n_heads // 2, 'query head')} instead of {m.n_heads}",
            f"查询头改为 {m.n_heads // 2} 个，不再是 {m.n_heads} 个",
        ),
    )
    return words


def _base_words(x: Measures) -> Text:
    m = x.base.model
    return Text(
        f"{m.n_layers} layer{'s' * (m.n_layers != 1)}, {m.n_heads} query head{'s' * (m.n_heads != 1)}, "
        f"{m.n_kv_heads} KV head{'s' * (m.n_kv_heads != 1)} of size {m.head_dim}, 16 bits a number; "
        f"{sequences(x.base).en}. ",
        f"{m.n_layers} 层，{m.n_heads} 个查询头，{m.n_kv_heads} 个 KV 头，头维度 {m.head_dim}，每个数 16 位；"
        f"{sequences(x.base).zh}。",
    )


def _no_scales(x: Measures) -> list[int]:
    return [cache_bytes(replace(x.taken[0], format=Format(x.quantised.itemsize))), *x.sizes[1:]]


def _by_query_heads(x: Measures) -> list[int]:
    return [cache_bytes(with_(s, Mistake.QUERY_HEADS)) for s in x.taken]


def _measure_rows(x: Measures) -> tuple[Row, ...]:
    words = _measure_words(x)
    base = cache_bytes(x.base)
    ranked = _ranked(x.sizes)
    return (
        Row(Text("As it is", "原来"), product(x.base), size(base)),
        *(Row(words[i], f"× {x.sizes[i] / base:.4g}", size(x.sizes[i])) for i in ranked),
        Row(
            Text("In order", "排好顺序"),
            Text("smallest cache first", "缓存最小的在前"),
            " < ".join(size(x.sizes[i]) for i in ranked),
        ),
    )


SAVES: Question[Measures] = Question(
    slug="saves",
    title=Text("Which measure saves most?", "哪种办法最省？"),
    prompt=lambda x: (
        _base_words(x)
        + Text(
            "Each of these measures is taken alone. In which order do they stand, the smallest cache first?",
            "下列办法各自单独采用。按留下的缓存从小到大，应怎样排列？",
        )
    ),
    form=_MEASURE_FORM,
    inputs=Measures(
        Scenario(own(n_layers=36, n_heads=24, n_kv_heads=6, head_dim=128, hidden=None)),
        Format(Fraction(1, 2), 16, 4),
        2,
        18,
        1_024,
    ),
    invent=_four_measures,
    formula=lambda x: x.order(x.sizes),
    slips=(
        Slip(
            "reversed",
            Text("The largest first", "从大到小排了"),
            lambda x: x.order([-n for n in x.sizes]),
            Text("That is from the largest cache to the smallest.", "这是从最大的缓存排到最小的。"),
        ),
        Slip(
            "query-heads",
            Text("Counted query heads", "按查询头数算了"),
            lambda x: x.order(_by_query_heads(x)),
            lambda x: Text(
                f"Query heads are not kept: with {x.base.model.n_heads // 2} of them the cache stays as it is, while "
                "fewer KV heads shrink it.",
                f"查询头并不保存：改为 {x.base.model.n_heads // 2} 个，缓存不变；减少 KV 头才会变小。",
            ),
        ),
        Slip(
            "no-scales",
            Text("Forgot the scales", "漏了比例因子"),
            lambda x: x.order(_no_scales(x)),
            lambda x: Text(
                f"With its scales a number takes {_bits_each(x)} bits, not {int(x.quantised.itemsize * 8)}.",
                f"连同比例因子，每个数占 {_bits_each(x)} 位，不是 {int(x.quantised.itemsize * 8)} 位。",
            ),
        ),
    ),
    working=lambda x: Text(
        "Against the cache as it is, in the order offered: " + ", ".join(_parts(x)) + ".",
        "与原来的缓存相比，按题中次序：" + "，".join(_parts(x)) + "。",
    ),
    way=lambda x: x.base,
    reply=Order(lambda x: tuple(_measure_words(x)[i] for i in x.offered)),
    rows=_measure_rows,
)


def _bits_each(x: Measures) -> str:
    f = x.quantised
    return plain_number(f.itemsize * 8 + Fraction(8 * f.scale_bytes, f.group or 1))


def _parts(x: Measures) -> list[str]:
    return [f"× {x.sizes[i] / cache_bytes(x.base):.4g}" for i in x.offered]
