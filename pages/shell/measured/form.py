"""The fields of a run, and the presets that fill them. Sizes are typed as text and read here, with complaints in both
languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.measure import OPERATIONS, Settings
from lessons.kit.controls import BadInput, Control, Line, OptionalWhole, Real, Whole, ascii_number
from lessons.kit.form import Form
from lessons.kit.text import Text, literal, shown
from pages.shell.measured import words

MIB = 2**20
MOST_SIZES = 12


@dataclass(frozen=True)
class Sizes(Line):
    """One to twelve whole numbers from 1 to `high`, each larger than the one before, with spaces or commas between."""

    high: int = 1

    def read(self, typed: str) -> Any:
        parts = ascii_number(typed[: self.most + 1]).replace(",", " ").replace("、", " ").split()
        good = all(part.isascii() and part.isdigit() and len(part) <= 12 for part in parts)
        values = tuple(int(part) for part in parts) if good else ()
        if (
            1 <= len(values) <= MOST_SIZES
            and len(typed) <= self.most
            and values[0] >= 1
            and values[-1] <= self.high
            and all(a < b for a, b in pairwise(values))
        ):
            return values
        raise BadInput(
            Text(
                f"**{self.label.en}** must be 1 to {MOST_SIZES} whole numbers from 1 to {self.high}, each larger "
                "than the one before; "
                f"it reads “{shown(typed, 40)}”.",
                f"**{self.label.zh}**应为 1 到 {MOST_SIZES} 个整数，每个在 1 到 {self.high} 之间，从小到大；现在是"
                f"“{shown(typed, 40)}”。",
            )
        )

    def write(self, value: Any) -> str:
        return " ".join(map(str, value))


def _sizes(name: str, label: Text, high: int) -> Sizes:
    return Sizes(
        name,
        label,
        Text(
            f"whole numbers up to {high}, from small to large, with spaces between",
            f"不超过 {high} 的整数，从小到大，用空格隔开",
        ),
        high=high,
    )


_HEAD_DIM = Whole("head_dim", Text("Head dimension d", "头维度 d"), 1, 512)
_OF: dict[str, tuple[Control, ...]] = {
    "attention": (
        _sizes("lengths", Text("Lengths n", "长度 n"), 2**17),
        Whole("heads", Text("Heads", "头数"), 1, 256),
        Whole("tile_q", Text("Query tile", "查询分块"), 1, 2**14),
        Whole("tile_k", Text("Key tile", "键分块"), 1, 2**14),
    ),
    "tiles": (
        Whole("tiles_length", Text("Length n, the same for all", "长度 n，都相同"), 1, 2**17),
        _sizes("tile_sizes", Text("Tile sizes", "分块大小"), 2**14),
    ),
    "decode": (
        _sizes("steps", Text("Tokens decoded", "解码的 token 数"), 2**12),
        Whole("d_model", Text("Model width", "模型宽度"), 1, 2**14),
        Whole("n_layers", Text("Layers", "层数"), 1, 128),
    ),
    "paged": (
        _sizes("contexts", Text("Context lengths n", "上下文长度 n"), 2**22),
        Whole("kv_heads", Text("KV heads", "KV 头数"), 1, 256),
        Whole("block_size", Text("Block size", "块大小"), 1, 2**12),
    ),
}
_ALWAYS: tuple[Control, ...] = (
    _HEAD_DIM,
    Whole("copy_mib", Text("Copy, MiB", "复制，MiB"), 1, 2**14),
    Whole("product_size", Text("Product, rows", "矩阵乘积，行数"), 16, 2**15),
)
_BUDGET: tuple[Control, ...] = (
    Real("seconds", Text("Seconds at most", "最多用时（秒）"), 0.5, 900.0),
    Real("case_seconds", Text("Seconds each", "每项用时（秒）"), 0.005, 30.0),
    OptionalWhole(
        "memory_mib", Text("Memory, MiB", "内存，MiB"), 1, 2**24, Text("half of what is free", "空闲内存的一半")
    ),
)


def form_of(operations: tuple[str, ...]) -> Form[Settings]:
    """The fields that these operations need. What it leaves out keeps the value that it had."""
    sections = [(words.OPERATION[name], _OF[name]) for name in OPERATIONS if name in operations]
    sections += [(words.ALWAYS, _ALWAYS), (words.BUDGET, _BUDGET)]
    groups = tuple((title, tuple(control.name for control in controls)) for title, controls in sections)
    return Form(tuple(control for _, controls in sections for control in controls), _build, _values, groups)


def everything() -> Form[Settings]:
    """All fields at once."""
    return form_of(OPERATIONS)


def _values(settings: Settings) -> Mapping[str, Any]:
    memory = settings.memory // MIB or None
    return vars(settings) | {"copy_mib": settings.copy_bytes // MIB, "memory_mib": memory}


def _build(values: Mapping[str, Any]) -> Settings:
    complaints = []
    if "decode" in values["operations"] and values["d_model"] % values["head_dim"]:
        complaints.append(
            Text(
                f"**Model width** must be a multiple of the head dimension {values['head_dim']}; it reads "
                f"“{values['d_model']}”.",
                f"**模型宽度**应为头维度 {values['head_dim']} 的倍数，现在是“{values['d_model']}”。",
            )
        )
    odd = [n for n in values["contexts"] if n % values["block_size"]]
    if "paged" in values["operations"] and odd:
        complaints.append(
            Text(
                f"**Context lengths n** must be multiples of the block size {values['block_size']}; one of them is "
                f"{odd[0]}.",
                f"**上下文长度 n** 应为块大小 {values['block_size']} 的倍数，其中一个是 {odd[0]}。",
            )
        )
    if complaints:
        raise BadInput(*complaints)
    fields = {name: value for name, value in values.items() if name not in ("copy_mib", "memory_mib")}
    fields |= {"copy_bytes": values["copy_mib"] * MIB, "memory": (values["memory_mib"] or 0) * MIB}
    return settings_of_fields(fields)


def settings_of_fields(fields: Mapping[str, Any]) -> Settings:
    """Settings, or BadInput with the engine's words. Fields of operations that are not chosen may not suit each
    other: they rest."""
    base, resting = Settings(), dict(fields)
    if "decode" not in fields["operations"] and fields["d_model"] % fields["head_dim"]:
        resting["d_model"] = fields["head_dim"]
    if "paged" not in fields["operations"]:
        resting |= {"contexts": base.contexts, "block_size": base.block_size}
    try:
        return Settings(**resting)
    except ValueError as error:
        why = literal(str(error)[:200])
        raise BadInput(Text(f"These settings cannot be used: {why}.", f"这些设置不能用：{why}。")) from None
