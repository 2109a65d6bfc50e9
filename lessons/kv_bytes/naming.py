"""How this lesson writes its things: the factors and what their products count, bytes in few digits, the model."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from engine.kv_size import Rung, RungName, Scenario
from engine.models import MODELS
from lessons.kit.format import count, in_bytes, short, size, whole
from lessons.kit.text import Text, same
from lessons.kit.told import Told

_NAMES: dict[RungName, Text] = {
    RungName.LAYERS: Text("layers L", "层数 L"),
    RungName.BATCH: Text("batch B", "序列数 B"),
    RungName.TOKENS: Text("tokens T", "token 数 T"),
    RungName.HEADS: Text("KV heads", "KV 头数"),
    RungName.WIDTH: Text("head size", "头维度"),
    RungName.ITEMSIZE: Text("bytes each", "每数字节"),
    RungName.SCALES: Text("scales", "比例因子"),
    RungName.K_AND_V: Text("K and V", "K 和 V"),
}
_OF_MLA = _NAMES | {RungName.HEADS: Text("latents", "潜在向量数"), RungName.WIDTH: Text("numbers", "数的个数")}

_COUNTED: dict[RungName, Told] = {
    RungName.LAYERS: Told("{product|layer|layers}", "层"),
    RungName.BATCH: Told("layers × sequences", "层 × 序列"),
    RungName.TOKENS: Told("{product|row|rows}: token × layer", "行：token × 层"),
    RungName.HEADS: Told("{product|vector|vectors} of K", "K 的向量"),
    RungName.WIDTH: Told("{product|number|numbers} in K", "K 中的数"),
}
_COUNTED_OF_MLA = _COUNTED | {
    RungName.HEADS: Told("latent {product|vector|vectors}", "潜在向量"),
    RungName.WIDTH: Told("{product|number|numbers}", "个数"),
}


def name_of(s: Scenario, name: RungName) -> Text:
    """The factor's name; MLA has a latent where others have heads."""
    return (_OF_MLA if s.model.is_mla else _NAMES)[name]


def number(x: int | Fraction, write: Callable[[int], str] = count) -> str:
    """A part of a factor: `32 768`, `0.5`."""
    return write(int(x)) if x == int(x) else f"{float(x):g}"


def factor(rung: Rung, write: Callable[[int], str] = count) -> str:
    """The factor in one line: `32`, `52 + 10`, `0.5`."""
    sign = " × " if rung.name is RungName.SCALES else " + "
    return sign.join(number(part, write) for part in rung.parts)


def product(rung: Rung) -> str:
    """The product in full, bytes with their unit."""
    return in_bytes(rung.product) if rung.in_bytes else whole(rung.product)


def unit(s: Scenario, rung: Rung) -> Text:
    """What the product counts, or the same bytes in a larger unit."""
    if rung.in_bytes:
        exact = rung.product < 1024 or rung.product % 1024 == 0
        return same(size(rung.product) if exact else rounded(rung.product))
    return (_COUNTED_OF_MLA if s.model.is_mla else _COUNTED)[rung.name].on(rung)


def rounded(n_bytes: int) -> str:
    """Bytes in a binary unit, four digits."""
    return size(n_bytes, 4)


def short_size(n_bytes: int) -> str:
    """Bytes in few digits: exactly where that is short."""
    exact = size(n_bytes)
    return exact if len(exact) <= 9 else rounded(n_bytes)


def decimal(n_bytes: int) -> str:
    """Bytes in the largest unit of powers of ten that leaves at least 1.

    >>> decimal(4 * 2**30), decimal(131072)
    ('4.29497 GB', '131.072 kB')
    """
    units = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
    x, at = float(n_bytes), 0
    while x >= 1000 and at < len(units) - 1:
        x, at = x / 1000, at + 1
    return f"{x:.6g} {units[at]}"


def times(a: int, b: int) -> str:
    """How many times as large: `4`, `0.5`, `5.958`."""
    return "∞" if b == 0 else f"{a / b:.4g}"


def milliseconds(seconds: float) -> str:
    """`1.28 ms`."""
    return f"{seconds * 1e3:.3g} ms" if seconds * 1e3 < 1e4 else f"{seconds:.3g} s"


def billions_zh(billions: float) -> str:
    """So many billions as Chinese counts them: in 万, 亿 and 万亿.

    >>> billions_zh(8.0), billions_zh(0.6), billions_zh(671.0), billions_zh(0.05), billions_zh(1500.0), billions_zh(0.0)
    ('80 亿个', '6 亿个', '6710 亿个', '5000 万个', '1.5 万亿个', '0 个')
    """
    yi = billions * 10
    if yi == 0:
        return "0 个"
    if yi < 1:
        return f"{short(yi * 10_000)} 万个"
    return f"{short(yi)} 亿个" if yi < 10_000 else f"{short(yi / 10_000)} 万亿个"


def model_name(s: Scenario) -> Text:
    """The model's name; where its numbers were changed, that it is only like it."""
    name = s.model.name
    return same(name) if s.model == MODELS[name] else Text(f"own numbers, from {name}", f"自定数字（改自 {name}）")
