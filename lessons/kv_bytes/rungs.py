"""What each rung is called, in which unit its product stands, and how its factor is written. For picture and words
alike."""

from __future__ import annotations

from engine.kv_size import Rung, RungName, Scenario
from lessons.kit.format import count, size
from lessons.kit.text import Text, same
from lessons.kv_bytes.quantities import big, bytes_, plain_number, rounded

NAMES: dict[RungName, Text] = {
    RungName.LAYERS: Text("layers L", "层数 L"),
    RungName.BATCH: Text("batch B", "序列数 B"),
    RungName.TOKENS: Text("tokens T", "token 数 T"),
    RungName.HEADS: Text("KV heads", "KV 头数"),
    RungName.WIDTH: Text("head size", "头维度"),
    RungName.ITEMSIZE: Text("bytes each", "每数字节"),
    RungName.SCALES: Text("scales", "比例因子"),
    RungName.K_AND_V: Text("K and V", "K 和 V"),
}

TITLES: dict[RungName, Text] = {
    RungName.LAYERS: Text("Layers", "层"),
    RungName.BATCH: Text("Batch", "序列数"),
    RungName.TOKENS: Text("Tokens", "多少 token"),
    RungName.HEADS: Text("KV heads", "KV 头"),
    RungName.WIDTH: Text("Head size", "头维度"),
    RungName.ITEMSIZE: Text("Bytes", "字节"),
    RungName.SCALES: Text("Scales", "比例因子"),
    RungName.K_AND_V: Text("K and V", "K 和 V"),
}


def name_of(scenario: Scenario, name: RungName) -> Text:
    """The factor's name; MLA has a latent where others have heads."""
    if scenario.model.is_mla:
        mla = {RungName.HEADS: Text("latents", "潜在向量数"), RungName.WIDTH: Text("numbers", "数的个数")}
        return mla.get(name, NAMES[name])
    return NAMES[name]


def factor(rung: Rung) -> str:
    """The factor in one line: `32`, `52 + 10`, `0.5`."""
    written = [
        plain_number(part) if part < 1 else count(int(part)) if part == int(part) else plain_number(part)
        for part in rung.parts
    ]
    return " × ".join(written) if rung.name is RungName.SCALES else " + ".join(written)


def in_bytes(name: RungName) -> bool:
    """Whether the product of this rung is a number of bytes."""
    return name in (RungName.ITEMSIZE, RungName.SCALES, RungName.K_AND_V)


def product(rung: Rung) -> str:
    """The product in full, bytes with their unit."""
    return bytes_(rung.product) if in_bytes(rung.name) else big(rung.product)


def unit(scenario: Scenario, rung: Rung) -> Text:
    """What the product counts, or the same bytes in a larger unit."""
    if in_bytes(rung.name):
        return same(size(rung.product) if rung.product < 1024 or rung.product % 1024 == 0 else rounded(rung.product))
    mla, s = scenario.model.is_mla, "s" * (rung.product != 1)
    return {
        RungName.LAYERS: Text(f"layer{s}", "层"),
        RungName.BATCH: Text("layers × sequences", "层 × 序列"),
        RungName.TOKENS: Text(f"row{s}: token × layer", "行：token × 层"),
        RungName.HEADS: Text(f"latent vector{s}", "潜在向量") if mla else Text(f"vector{s} of K", "K 的向量"),
        RungName.WIDTH: Text(f"number{s}", "个数") if mla else Text(f"number{s} in K", "K 中的数"),
    }[rung.name]


def short_size(n: int) -> str:
    """Bytes in few digits: exactly where that is short."""
    exact = size(n)
    return exact if len(exact) <= 9 else rounded(n)
