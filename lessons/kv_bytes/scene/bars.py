"""Bars to scale: both ways beside each other, and the cache with other numbers of KV heads."""

from __future__ import annotations

from engine.kv_size import Layout as Heads
from engine.kv_size import Multiply, OnDevice, OneMore, Step, Units
from lessons.kit.roles import Role
from lessons.kit.shapes import Bar, Label, Line, Shape
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_bytes.naming import product, short_size, times
from lessons.kv_bytes.scene.layout import FLOOR, TALL, TITLE_Y

BAR_W, LEAST_H = 84.0, 2.0


# --- both ways


def both_ways(step: Step, wrong: Step, x: float, w: float) -> list[Shape]:
    """Right and wrong. On a device a line shows the room beside the weights."""
    (a, a_word), (b, b_word) = _amount(step), _amount(wrong)
    room = max(0, step.memory - step.weights) if isinstance(step, OnDevice) else 0
    top, differ = max(a, b, room, 1), a != b
    left, right = x + 18, x + 18 + BAR_W + 34
    name = Text("wrong ✗", "错误 ✗") if differ else Text("wrong", "错误")
    roles = (Role.WRONG,) if differ else ()
    shapes: list[Shape] = [
        Label("panel.title", x, TITLE_Y, _title(step), "body strong start"),
        Line("both.floor", x, FLOOR, w - 10),
        *(
            [Line("both.room", x, FLOOR - TALL * room / top, w - 10, style="dash")]
            if isinstance(step, OnDevice)
            else []
        ),
        Bar("both.right", left, FLOOR, a_word, BAR_W, max(LEAST_H, TALL * a / top)),
        Bar("both.wrong", right, FLOOR, b_word, BAR_W, max(LEAST_H, TALL * b / top), roles=roles),
        Label("both.right.name", left + BAR_W / 2, FLOOR + 24, Text("right", "正确"), "body middle"),
        Label("both.wrong.name", right + BAR_W / 2, FLOOR + 24, name, f"body middle{' bad strong' if differ else ''}"),
    ]
    if isinstance(step, OnDevice):
        word = Told("dashed: room, {room}", "虚线：余地 {room}").on(room=short_size(room))
        return [*shapes, Label("both.room.word", x, FLOOR + 54, word, "small accent start")]
    if differ:
        word = Told("wrong ÷ right = {times}", "错误 ÷ 正确 = {times}").on(times=times(b, a))
        return [*shapes, Label("both.ratio", x + w / 2 - 5, FLOOR + 54, word, "body strong bad middle")]
    word = Text("still the same", "仍然相同")
    return [*shapes, Label("both.ratio", x + w / 2 - 5, FLOOR + 54, word, "body muted middle")]


def _title(step: Step) -> Text:
    match step:
        case Units():
            return Text("The total as it is taken", "各自认定的总量")
        case OneMore():
            return Text("One more token adds", "再多一个 token 增加")
        case OnDevice():
            return Text("Room for it on the device", "设备上的余地")
        case _:
            return Text("Product so far, to scale", "到目前为止的乘积（按比例）")


def _amount(step: Step) -> tuple[int, str]:
    """What a bar stands for, and its words."""
    match step:
        case Multiply(rung=rung):
            return rung.product, short_size(rung.product) if rung.in_bytes else product(rung)
        case OneMore(added=added):
            return added, short_size(added)
        case _:
            return step.total, short_size(step.total)


# --- other numbers of KV heads


def other_heads(layouts: tuple[Heads, ...], x: float, w: float) -> list[Shape]:
    """A bar for each number of heads, the model's own emphasised."""
    top = max(layout.total for layout in layouts)
    pitch = (w - 10) / len(layouts)
    bw = min(96.0, pitch - 18)
    shapes: list[Shape] = [
        Label("panel.title", x, TITLE_Y, Text("With other KV heads", "换成别的 KV 头数"), "body strong start"),
        Line("counts.floor", x, FLOOR, w - 10),
    ]
    for i, layout in enumerate(layouts):
        left = x + i * pitch + (pitch - bw) / 2
        middle, tall = left + bw / 2, max(LEAST_H, TALL * layout.total / top)
        roles = (Role.NEW,) if layout.own else ()
        tone = " strong" if layout.own else ""
        shapes += [
            Bar(f"counts.{i}", left, FLOOR, short_size(layout.total), bw, tall, roles=roles),
            Label(f"counts.{i}.n", middle, FLOOR + 24, _heads(layout), f"body middle{tone}"),
            Label(f"counts.{i}.kind", middle, FLOOR + 46, _kind(layouts, layout), "small muted middle"),
        ]
        if layout.own:
            word = Text("as it is", "本模型")
            shapes.append(Label(f"counts.{i}.own", middle, FLOOR + 66, word, "small accent middle"))
    return shapes


def _heads(layout: Heads) -> Text:
    if layout.heads is None:
        return Text("latent", "潜在向量")
    return Told("{heads:head}", "{heads} 头").on(layout)


def _kind(layouts: tuple[Heads, ...], layout: Heads) -> Text:
    """The field's name for so many heads."""
    if layout.heads is None:
        return same("MLA")
    if layouts[0].heads is None:
        return Text("written out", "展开")
    return same("MHA" if layout == layouts[-1] else "MQA" if layout.heads == 1 else "GQA")
