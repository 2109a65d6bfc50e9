"""Put measures against a large cache in order: each taken alone, the smallest cache first."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from engine.kv_formats import Format
from engine.kv_ladder import Mistake
from engine.kv_size import Scenario
from lessons.kit.controls import Whole, about
from lessons.kit.form import Form
from lessons.kit.format import many, size
from lessons.kit.places import place, shuffled
from lessons.kit.question import Line, Question, Row, Slip
from lessons.kit.reply import Answer, Order
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.form import TOKENS
from lessons.kv_bytes.naming import number
from lessons.kv_bytes.questions.drawn import PRODUCT, figures, own, with_


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
    def half(self) -> int:
        """Query heads."""
        return self.base.model.n_heads // 2

    @property
    def taken(self) -> tuple[Scenario, ...]:
        s, m = self.base, self.base.model
        return (
            replace(s, format=self.quantised),
            replace(s, model=replace(m, n_kv_heads=self.kv_heads)),
            replace(s, model=replace(m, n_local=self.n_local, window=self.window)),
            replace(s, model=replace(m, n_heads=self.half)),
        )

    @cached_property
    def sizes(self) -> list[int]:
        return [s.cache_bytes for s in self.taken]

    @cached_property
    def offered(self) -> tuple[int, ...]:
        """The measures as they stand: never from the smallest cache to the largest."""
        ranked, numbers = _ranked(self.sizes), (*figures(self.base), self.kv_heads, self.n_local, self.window)
        return tuple(ranked[i] for i in shuffled(4, *numbers, moved=True))

    def order(self, sizes: list[int]) -> Answer:
        """The answer of one who takes the caches for so large."""
        return tuple(place(self.offered, i) for i in _ranked(sizes))

    def part(self, i: int) -> str:
        """What measure i leaves of the cache."""
        return f"× {self.sizes[i] / self.base.cache_bytes:.4g}"


def _ranked(sizes: list[int]) -> list[int]:
    return sorted(range(len(sizes)), key=lambda i: sizes[i])


_BITS = Whole("measure_bits", Text("Bits a number, with scales", "每个数的位数（带比例因子）"), 1, 8)
_GROUP = Whole("measure_group", Text("Numbers that share a scale", "几个数共用一个比例因子"), 8, 1_024)
_SCALE = Whole("measure_scale", Text("Bytes of a scale", "比例因子的字节数"), 1, 16)
_KV = Whole("fewer", Text("KV heads, instead", "改用的 KV 头数"), 1, 256)
_LOCAL = Whole("measure_local", Text("Layers with a window, instead", "改为带窗口的层数"), 1, 256)
_WINDOW = Whole("measure_window", Text("Window, in tokens", "窗口（token 数）"), 1, 16_777_216)


def _build(values: Mapping[str, Any]) -> Measures:
    f = Format(Fraction(values[_BITS.name], 8), values[_GROUP.name], values[_SCALE.name])
    base = replace(values["base"], seq_len=values[TOKENS.name])
    return Measures(base, f, values[_KV.name], values[_LOCAL.name], values[_WINDOW.name])


def _values(x: Measures) -> dict[str, Any]:
    """By the names of the controls; the cache itself goes with them, of which only the tokens are asked."""
    f = x.quantised
    return {
        "base": x.base,
        TOKENS.name: x.base.seq_len,
        _BITS.name: int(f.bits),
        _GROUP.name: f.group,
        _SCALE.name: f.scale_bytes,
        _KV.name: x.kv_heads,
        _LOCAL.name: x.n_local,
        _WINDOW.name: x.window,
    }


def _unfit(x: Measures) -> Iterator[Text]:
    m = x.base.model
    if m.n_heads % x.kv_heads or x.n_local > m.n_layers:
        yield about(
            _KV,
            f"must divide the {many(m.n_heads, 'query head')}, **{_LOCAL.label.en}** be at most the "
            f"{many(m.n_layers, 'layer')}.",
            f"应整除 {m.n_heads} 个查询头，**{_LOCAL.label.zh}**应不超过 {m.n_layers} 层。",
        )
    elif len(set(x.sizes)) < 4:
        yield Text(
            "Two of the measures leave caches of the same size; change a number.",
            "有两种办法留下的缓存一样大，请改动一个数。",
        )


def _four_measures(rng: random.Random) -> Measures:
    """Four that leave differently much, with scales that matter."""
    while True:
        kv = rng.choice((6, 8, 12, 16))
        heads, layers = kv * rng.choice((2, 4, 6)), rng.choice((24, 36, 48, 60))
        model = own(n_layers=layers, n_heads=heads, n_kv_heads=kv, head_dim=128, hidden=None)
        base = Scenario(model, 1_024 * rng.choice((16, 32, 64)))
        f = Format(Fraction(rng.choice((4, 4, 8)), 8), rng.choice((8, 16, 32)), rng.choice((2, 4)))
        fewer = kv // rng.choice([n for n in (2, 3, 4) if kv % n == 0])
        x = Measures(base, f, fewer, layers * rng.choice((3, 4, 5)) // 6, rng.choice((512, 1_024, 2_048)))
        bare = _no_scales(x)
        if len(set(x.sizes)) == 4 == len(set(bare)) and _ranked(x.sizes) != _ranked(bare):
            return x


_MEASURES = (
    Told(
        "{quantised.bits:bit} a number; every {quantised.group} share a scale of {quantised.scale_bytes:byte}",
        "每个数 {quantised.bits:short} 位，每 {quantised.group} 个共用一个 {quantised.scale_bytes} 字节的比例因子",
    ),
    Told(
        "{kv_heads:KV head} instead of {base.model.n_kv_heads}",
        "KV 头改为 {kv_heads} 个，不再是 {base.model.n_kv_heads} 个",
    ),
    Told(
        "{n_local} of {base.model.n_layers:layer} keep{n_local|s|} only the last {window:token}",
        "{n_local} 层（共 {base.model.n_layers} 层）只保存最近 {window} 个 token",
    ),
    Told("{half:query head} instead of {base.model.n_heads}", "查询头改为 {half} 个，不再是 {base.model.n_heads} 个"),
)


def _no_scales(x: Measures) -> list[int]:
    return [replace(x.base, format=Format(x.quantised.itemsize)).cache_bytes, *x.sizes[1:]]


def _by_query_heads(x: Measures) -> list[int]:
    return [with_(s, Mistake.QUERY_HEADS).cache_bytes for s in x.taken]


def _bits_each(x: Measures) -> str:
    """Bits of a number and of its part in a scale."""
    f = x.quantised
    return number(f.bits + Fraction(8 * f.scale_bytes, f.group or 1))


_AS_IT_IS: Line[Scenario] = Line(Text("As it is", "原来"), PRODUCT, "{cache_bytes:size}")


def _rows(x: Measures) -> tuple[Row, ...]:
    ranked = _ranked(x.sizes)
    return (
        _AS_IT_IS.row(x.base),
        *(Row(_MEASURES[i].on(x), x.part(i), size(x.sizes[i])) for i in ranked),
        Row(
            Text("In order", "排好顺序"),
            Text("smallest cache first", "缓存最小的在前"),
            " < ".join(size(x.sizes[i]) for i in ranked),
        ),
    )


SAVES: Question[Measures] = Question(
    slug="saves",
    title=Text("Which measure saves most?", "哪种办法最省？"),
    prompt=Told(
        "{base.model.n_layers:layer}, {base.model.n_heads:query head}, {base.model.n_kv_heads:KV head} of size "
        "{base.model.head_dim}, 16 bits a number; {base.batch:sequence} of {base.seq_len:token}. Each of these "
        "measures is taken alone. In which order do they stand, the smallest cache first?",
        "{base.model.n_layers} 层，{base.model.n_heads} 个查询头，{base.model.n_kv_heads} 个 KV 头，头维度 "
        "{base.model.head_dim}，每个数 16 位；{base.batch} 条 {base.seq_len} 个 token 的序列。下列办法各自单独采"
        "用。按留下的缓存从小到大，应怎样排列？",
    ),
    form=Form((TOKENS, _BITS, _GROUP, _SCALE, _KV, _LOCAL, _WINDOW), _build, _values, unfit=_unfit),
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
            Told(
                "Query heads are not kept: with {half} of them the cache stays as it is, while fewer KV heads "
                "shrink it.",
                "查询头并不保存：改为 {half} 个，缓存不变；减少 KV 头才会变小。",
            ),
        ),
        Slip(
            "no-scales",
            Text("Forgot the scales", "漏了比例因子"),
            lambda x: x.order(_no_scales(x)),
            lambda x: Told(
                "With its scales a number takes {each} bits, not {quantised.bits:short}.",
                "连同比例因子，每个数占 {each} 位，不是 {quantised.bits:short} 位。",
            ).on(x, each=_bits_each(x)),
        ),
    ),
    working=lambda x: Text(
        "Against the cache as it is, in the order offered: " + ", ".join(map(x.part, x.offered)) + ".",
        "与原来的缓存相比，按题中次序：" + "，".join(map(x.part, x.offered)) + "。",
    ),
    way=lambda x: x.base,
    reply=Order(lambda x: tuple(_MEASURES[i].on(x) for i in x.offered)),
    rows=_rows,
)
