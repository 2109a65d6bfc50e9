"""A device: weights and cache in its memory, and the total in the unit in which it is sold."""

from __future__ import annotations

from engine.kv_size import GB, GIB, OnDevice, Scenario, Units
from lessons.kit.format import count, short, six
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Line, Shape, Table
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.naming import short_size
from lessons.kv_bytes.scene.layout import TITLE_Y

_FLOOR, _TALL, _COLUMN_W = 388.0, 330.0, 120.0
_LEAST_H = 2.0

_NOT_COUNTED = (
    Text("activations and workspace of the kernels", "激活值与内核工作区"),
    Text("block rounding, tables, fragments", "内存块取整、块表、碎片"),
    Text("room for sequences still to grow", "序列继续增长所需的余地"),
    Text("what the runtime itself reserves", "运行时自身的预留"),
)


# --- the total in two units


def units(s: Scenario, step: Units, x: float) -> list[Shape]:
    """K alone, the cache and the device, in GiB and in GB."""
    k = [] if s.model.is_mla else [_line(Text("K alone", "仅 K"), step.ladder[-2].product)]
    cache, sold = (
        _line(Text("the cache", "缓存"), step.total),
        _line(Text("the device, as sold", "设备标称"), s.device.memory),
    )
    rows = (("", "GiB", "GB"), *k, cache, sold)
    ratio = short(round(GIB / GB, 6))
    said = (
        ("gib", Text(f"1 GiB = 2³⁰ B = {count(GIB)} B", f"1 GiB = 2³⁰ B = {count(GIB)} B"), "body start"),
        ("gb", Text(f"1 GB = 10⁹ B = {count(GB)} B", f"1 GB = 10⁹ B = {count(GB)} B"), "body start"),
        (
            "ratio",
            Text(f"A figure in GB is {ratio} times the figure in GiB.", f"以 GB 计的数字是以 GiB 计的 {ratio} 倍。"),
            "body muted start",
        ),
    )
    return [
        Label(
            "panel.title", x, TITLE_Y, Text("The same bytes in two units", "同样的字节，两种单位"), "body strong start"
        ),
        Table("units.table", x, 52, rows, (190.0, 140.0, 140.0), strong=rows.index(cache)),
        *(Label(f"units.{key}", x, 250 + i * 28, words, tone) for i, (key, words, tone) in enumerate(said)),
    ]


def _line(name: Text, n_bytes: int) -> tuple[Text | str, ...]:
    return name, six(n_bytes / GIB), six(n_bytes / GB)


# --- weights and cache in its memory


def device(s: Scenario, step: OnDevice, x: float, w: float) -> list[Shape]:
    """A column to scale: weights, then the cache, then what is left; a dashed line at the device's memory."""
    tints = (Role.LATENT,) if s.model.is_mla else (Role.V, Role.K)
    scale = _TALL / max(step.weights + step.total, step.memory)
    return [
        Label("panel.title", x, TITLE_Y, Text("On the device, to scale", "放到设备上（按比例）"), "body strong start"),
        *_column(step, scale, tints, x),
        *_legend(step, tints, x + _COLUMN_W + 40),
        *_memory(s, step, x + _COLUMN_W + 40, w - _COLUMN_W - 40),
    ]


def _column(step: OnDevice, scale: float, tints: tuple[Role, ...], x: float) -> list[Shape]:
    weights_h, cache_h, left_h = (n * scale for n in (step.weights, step.total, step.left))
    weights_h, cache_h = max(_LEAST_H, weights_h), max(_LEAST_H, cache_h)
    y, each = _FLOOR - weights_h - cache_h, cache_h / len(tints)
    left = Cell("device.left", x, _FLOOR - _TALL, "", _COLUMN_W, left_h, roles=(Role.FREE,))
    return [
        *([left] if left_h > 3 else []),
        *(
            Box(f"device.cache.{i}", x, y + i * each, _COLUMN_W, each, "sheet", roles=(role, Role.NEW))
            for i, role in enumerate(tints)
        ),
        Cell("device.weights", x, _FLOOR - weights_h, "", _COLUMN_W, weights_h),
        Line("device.line", x - 8, _FLOOR - step.memory * scale, _COLUMN_W + 16, style="dash"),
    ]


def _legend(step: OnDevice, tints: tuple[Role, ...], x: float) -> list[Shape]:
    """What the parts of the column are, with their sizes."""
    if step.left >= 0:
        left, tone = Told("left over: {size}", "剩余：{size}"), ""
    else:
        left, tone = Told("does not fit: {size} too much", "放不下：超出 {size}"), " bad strong"
    rows: tuple[tuple[str, Told, int, str, tuple[Role, ...]], ...] = (
        ("left", left, abs(step.left), tone, (Role.FREE,)),
        ("cache", Told("cache: {size}", "缓存：{size}"), step.total, "", tints[::-1]),
        ("weights", Told("weights: {size}", "权重：{size}"), step.weights, "", ()),
    )
    shapes: list[Shape] = []
    for i, (name, words, n_bytes, tone, roles) in enumerate(rows):
        y, w = 66.0 + i * 44, 30 / max(1, len(roles))
        if not roles:
            shapes.append(Cell(f"device.{name}.swatch", x, y, "", w, 24))
        shapes += [
            Cell(f"device.{name}.swatch.{j}", x + j * w, y, "", w, 24, roles=(role,)) for j, role in enumerate(roles)
        ]
        said = words.on(size=short_size(n_bytes))
        shapes.append(Label(f"device.{name}.word", x + 42, y + 18, said, f"body start{tone}"))
    return shapes


def _memory(s: Scenario, step: OnDevice, x: float, w: float) -> list[Shape]:
    """What the dashed line is, and a box with what no number here contains."""
    line = Told("dashed line: {memory_gb:short} GB = {memory:GiB}", "虚线：{memory_gb:short} GB = {memory:GiB}").on(
        s.device
    )
    return [
        Label("device.memory", x, 222, line, "body accent start"),
        Box("device.box", x, 244, w, 140, "panel"),
        Label("device.out", x + 14, 270, Text("not in these numbers", "这些数字里没有"), "small strong start"),
        *(Label(f"device.out.{i}", x + 14, 294 + i * 23, word, "small start") for i, word in enumerate(_NOT_COUNTED)),
    ]
