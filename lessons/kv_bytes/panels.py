"""What stands beside the ladder: the cache to scale, both ways as bars, units, other head counts, a device."""

from __future__ import annotations

from engine.kv_size import Device, HeadCounts, Layout, Multiply, OnDevice, OneMore, Scenario, Step, Units
from lessons.kit.format import count, short
from lessons.kit.roles import Role
from lessons.kit.shapes import Bar, Box, Cell, Label, Line, Shape, Table
from lessons.kit.text import Text, same
from lessons.kv_bytes.quantities import gb, gib, times
from lessons.kv_bytes.rungs import in_bytes, product, short_size
from lessons.kv_bytes.sheets import sheets

BASE, TALL = 330.0, 240.0  # the floor of the bars, and the tallest


def panel(scenario: Scenario, step: Step, wrong: Step | None, x: float, w: float, height: float) -> list[Shape]:
    """The panel of one step, its left edge at x, w wide."""
    match step:
        case HeadCounts():
            return _head_counts(step.layouts, x, w)
        case OnDevice() if wrong is None:
            return _device(step, scenario.device, scenario.model.is_mla, x, w)
        case Units() if wrong is None:
            return _units(scenario, step, x, w)
        case _ if wrong is not None:
            return _both(step, wrong, x, w)
        case Multiply() | OneMore():
            return sheets(scenario, step, x, w)
    return []


# --- both ways as bars


def _both(step: Step, wrong: Step, x: float, w: float) -> list[Shape]:
    """Right and wrong to scale. On a device a line shows the room beside the weights."""
    a, b, words = _amounts(step, wrong)
    room = max(0, step.memory - step.weights) if isinstance(step, OnDevice) else 0
    top = max(a, b, room, 1)
    title = Text("Product so far, to scale", "到目前为止的乘积（按比例）")
    if isinstance(step, OneMore):
        title = Text("One more token adds", "再多一个 token 增加")
    elif isinstance(step, OnDevice):
        title = Text("Room for it on the device", "设备上的余地")
    elif isinstance(step, Units):
        title = Text("The total as it is taken", "各自认定的总量")
    differ = a != b
    bw = 84.0
    left, right = x + 18, x + 18 + bw + 34
    shapes: list[Shape] = [
        Label("panel.title", x, 28, title, "body strong start"),
        Line("both.floor", x, BASE, w - 10),
        *([Line("both.room", x, BASE - TALL * room / top, w - 10, style="dash")] if isinstance(step, OnDevice) else []),
        Bar("both.right", left, BASE, words[0], bw, max(2.0, TALL * a / top)),
        Bar("both.wrong", right, BASE, words[1], bw, max(2.0, TALL * b / top), roles=(Role.WRONG,) if differ else ()),
        Label("both.right.name", left + bw / 2, BASE + 24, Text("right", "正确"), "body middle"),
        Label(
            "both.wrong.name",
            right + bw / 2,
            BASE + 24,
            Text("wrong ✗", "错误 ✗") if differ else Text("wrong", "错误"),
            f"body middle{' bad strong' if differ else ''}",
        ),
    ]
    if isinstance(step, OnDevice):
        room_word = Text(f"dashed: room, {short_size(room)}", f"虚线：余地 {short_size(room)}")
        shapes.append(Label("both.room.word", x, BASE + 54, room_word, "small accent start"))
    elif differ:
        word = Text(f"wrong ÷ right = {times(b, a)}", f"错误 ÷ 正确 = {times(b, a)}")
        shapes.append(Label("both.ratio", x + w / 2 - 5, BASE + 54, word, "body strong bad middle"))
    else:
        shapes.append(
            Label("both.ratio", x + w / 2 - 5, BASE + 54, Text("still the same", "仍然相同"), "body muted middle")
        )
    return shapes


def _amounts(step: Step, wrong: Step) -> tuple[int, int, tuple[str, str]]:
    match step, wrong:
        case Multiply(), Multiply():
            a, b = step.rung, wrong.rung
            if in_bytes(a.name):
                return a.product, b.product, (short_size(a.product), short_size(b.product))
            return a.product, b.product, (product(a), product(b))
        case OneMore(added=one), OneMore(added=other):
            return one, other, (short_size(one), short_size(other))
    assert not isinstance(step, Multiply)
    assert not isinstance(wrong, Multiply)
    return step.total, wrong.total, (short_size(step.total), short_size(wrong.total))


# --- the total in two units


def _units(scenario: Scenario, step: Units, x: float, w: float) -> list[Shape]:
    device, half = scenario.device, step.ladder[-2].product
    rows: list[tuple[Text | str, ...]] = [("", "GiB", "GB")]
    if not scenario.model.is_mla:
        rows.append((Text("K alone", "仅 K"), _bare(gib(half)), _bare(gb(half))))
    rows.append((Text("the cache", "缓存"), _bare(gib(step.total)), _bare(gb(step.total))))
    rows.append((Text("the device, as sold", "设备标称"), _bare(gib(device.memory)), _bare(gb(device.memory))))
    ratio = 2**30 / 10**9
    return [
        Label("panel.title", x, 28, Text("The same bytes in two units", "同样的字节，两种单位"), "body strong start"),
        Table("units.table", x, 52, tuple(rows), (190.0, 140.0, 140.0), strong=len(rows) - 2),
        Label(
            "units.gib",
            x,
            250,
            Text(f"1 GiB = 2³⁰ B = {count(2**30)} B", f"1 GiB = 2³⁰ B = {count(2**30)} B"),
            "body start",
        ),
        Label(
            "units.gb",
            x,
            278,
            Text(f"1 GB = 10⁹ B = {count(10**9)} B", f"1 GB = 10⁹ B = {count(10**9)} B"),
            "body start",
        ),
        Label(
            "units.ratio",
            x,
            306,
            Text(
                f"A figure in GB is {short(round(ratio, 6))} times the figure in GiB.",
                f"以 GB 计的数字是以 GiB 计的 {short(round(ratio, 6))} 倍。",
            ),
            "body muted start",
        ),
    ]


def _bare(written: str) -> str:
    return written.split(" ")[0]


# --- other numbers of KV heads


def _head_counts(layouts: tuple[Layout, ...], x: float, w: float) -> list[Shape]:
    top = max(layout.total for layout in layouts)
    pitch = (w - 10) / len(layouts)
    bw = min(96.0, pitch - 18)
    shapes: list[Shape] = [
        Label("panel.title", x, 28, Text("With other KV heads", "换成别的 KV 头数"), "body strong start"),
        Line("counts.floor", x, BASE, w - 10),
    ]
    for i, layout in enumerate(layouts):
        left = x + i * pitch + (pitch - bw) / 2
        middle = left + bw / 2
        roles = (Role.NEW,) if layout.own else ()
        shapes += [
            Bar(
                f"counts.{i}",
                left,
                BASE,
                short_size(layout.total),
                bw,
                max(2.0, TALL * layout.total / top),
                roles=roles,
            ),
            Label(f"counts.{i}.n", middle, BASE + 24, _heads(layout), f"body middle{' strong' if layout.own else ''}"),
            Label(f"counts.{i}.kind", middle, BASE + 46, _kind(layouts, i), "small muted middle"),
        ]
        if layout.own:
            shapes.append(
                Label(f"counts.{i}.own", middle, BASE + 66, Text("as it is", "本模型"), "small accent middle")
            )
    return shapes


def _heads(layout: Layout) -> Text:
    return (
        Text("latent", "潜在向量")
        if layout.heads is None
        else Text(f"{layout.heads} head{'s' * (layout.heads > 1)}", f"{layout.heads} 头")
    )


def _kind(layouts: tuple[Layout, ...], i: int) -> Text:
    heads = layouts[i].heads
    if heads is None:
        return same("MLA")
    if layouts[0].heads is None:
        return Text("written out", "展开")
    last = max(layout.heads or 0 for layout in layouts)
    return same("MHA" if heads == last else "MQA" if heads == 1 else "GQA")


# --- on a device


def _device(step: OnDevice, device: Device, mla: bool, x: float, w: float) -> list[Shape]:
    """A column to scale: weights, then the cache, then what is left; a dashed line at the device's memory."""
    need = step.weights + step.total
    top = max(need, step.memory)
    floor, tall, cw = 388.0, 330.0, 120.0
    scale = tall / top
    weights_h, cache_h = max(2.0, step.weights * scale), max(2.0, step.total * scale)
    fits = step.left >= 0
    tints = (Role.LATENT,) if mla else (Role.V, Role.K)
    cache_y = floor - weights_h - cache_h
    shapes: list[Shape] = [
        Label("panel.title", x, 28, Text("On the device, to scale", "放到设备上（按比例）"), "body strong start"),
    ]
    if fits and step.left * scale > 3:
        shapes.append(Cell("device.left", x, floor - tall, "", cw, step.left * scale, roles=(Role.FREE,)))
    shapes += [
        *(
            Box(
                f"device.cache.{i}",
                x,
                cache_y + i * cache_h / len(tints),
                cw,
                cache_h / len(tints),
                "sheet",
                roles=(role, Role.NEW),
            )
            for i, role in enumerate(tints)
        ),
        Cell("device.weights", x, floor - weights_h, "", cw, weights_h),
        Line("device.line", x - 8, floor - step.memory * scale, cw + 16, style="dash"),
    ]
    rows: list[tuple[str, Text, tuple[Role, ...]]] = [
        (
            "left",
            Text(f"left over: {short_size(step.left)}", f"剩余：{short_size(step.left)}")
            if fits
            else Text(f"does not fit: {short_size(-step.left)} too much", f"放不下：超出 {short_size(-step.left)}"),
            (Role.FREE,),
        ),
        ("cache", Text(f"cache: {short_size(step.total)}", f"缓存：{short_size(step.total)}"), tints[::-1]),
        ("weights", Text(f"weights: {short_size(step.weights)}", f"权重：{short_size(step.weights)}"), ()),
    ]
    tx = x + cw + 40
    for i, (name, word, roles) in enumerate(rows):
        y = 66.0 + i * 44
        tone = " bad strong" if name == "left" and not fits else ""
        sw = 30 / max(1, len(roles))
        shapes += [
            *(
                Cell(f"device.{name}.swatch.{j}", tx + j * sw, y, "", sw, 24, roles=(role,))
                for j, role in enumerate(roles)
            ),
            *([] if roles else [Cell(f"device.{name}.swatch", tx, y, "", sw, 24)]),
            Label(f"device.{name}.word", tx + 42, y + 18, word, f"body start{tone}"),
        ]
    memory = Text(
        f"dashed line: {short(device.memory_gb)} GB = {gib(step.memory)}",
        f"虚线：{short(device.memory_gb)} GB = {gib(step.memory)}",
    )
    shapes += [
        Label("device.memory", tx, 222, memory, "body accent start"),
        Box("device.box", tx, 244, w - cw - 40, 140, "panel"),
        Label("device.out", tx + 14, 270, Text("not in these numbers", "这些数字里没有"), "small strong start"),
    ]
    missing = (
        Text("activations and workspace of the kernels", "激活值与内核工作区"),
        Text("block rounding, tables, fragments", "内存块取整、块表、碎片"),
        Text("room for sequences still to grow", "序列继续增长所需的余地"),
        Text("what the runtime itself reserves", "运行时自身的预留"),
    )
    for i, word in enumerate(missing):
        shapes.append(Label(f"device.out.{i}", tx + 14, 294 + i * 23, word, "small start"))
    return shapes
