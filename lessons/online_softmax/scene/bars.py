"""The scores as bars in reading order, the running maximum across them; below, what lies in slow memory."""

from __future__ import annotations

import math

from engine.online_softmax import AddTile, Check, CompareMax, Divide, ReadTile, Shrink
from lessons.kit.format import fixed, short, vector
from lessons.kit.roles import Role
from lessons.kit.shapes import Arrow, Bar, Box, Label, Line, Shape, cut, width_of
from lessons.kit.text import Text
from lessons.online_softmax.scene.layout import BARS_X, Layout

Holding = ReadTile | CompareMax | Shrink | AddTile | Divide | Check

STATES = {
    Role.NOW: Text("read now", "正在读"),
    Role.HELD: Text("read", "已读"),
    Role.LATER: Text("not yet", "未读"),
}


def bars(lay: Layout, step: Holding) -> list[Shape]:
    s = lay.scenario
    heights = dict(zip(s.reading, _heights([s.scores[key] for key in s.reading], lay.bar_h), strict=True))
    shapes: list[Shape] = [
        Box("slow", BARS_X - 12, lay.floor + 8, lay.n * lay.pitch + 24, lay.slow_h),
        *_caption(lay),
        Label(
            "bars.title", BARS_X - 12, 20, Text("Scores, in reading order", "分数（按读取顺序）"), "body strong start"
        ),
        Line("bars.floor", BARS_X, lay.floor, lay.n * lay.pitch),
        *_maximum(lay, step, heights),
    ]
    for at, key in enumerate(s.reading):
        shapes += _bar(lay, step, key, BARS_X + (at + 0.5) * lay.pitch, heights[key])
    return shapes


def _caption(lay: Layout) -> list[Shape]:
    """What the labels and values are, below them or beside."""
    if lay.beside and lay.n > 1:
        words = Text("Slow memory: key and value", "慢速显存：键和值")
        return [Label("slow.name", BARS_X, lay.floor + lay.slow_h, words, "small muted start")]
    x, y = (BARS_X, lay.floor + lay.slow_h) if lay.beside else (lay.bars_end + 18, lay.floor + 29)
    name, what = Text("Slow memory", "慢速显存"), Text("key and value", "键和值")
    caption: list[Shape] = [Label("slow.name", x, y, name, "small muted start")]
    return caption if lay.beside else [*caption, Label("slow.what", x, y + 18, what, "small muted start")]


def _heights(scores: list[float], most: float) -> list[float]:
    """Bar heights in units; the floor is 0 where that leaves the differences visible."""
    finite = [s for s in scores if s > -math.inf]
    if not finite:
        return [0.0] * len(scores)
    low, high = min(finite), max(finite)
    if low < 0 or high - low < 0.4 * high:
        low -= 0.25 * (high - low)
    else:
        low = 0.0
    span = high - low
    return [0.0 if s == -math.inf else most * (s - low) / span if span > 0 else most / 2 for s in scores]


def _bar(lay: Layout, step: Holding, key: int, middle: float, height: float) -> list[Shape]:
    """One key: its bar, label, value, and what becomes of it in this step."""
    score, label, value = lay.scenario.scores[key], lay.scenario.labels[key], lay.scenario.values[key]
    w, masked, state = min(58.0, lay.pitch * 0.64), score == -math.inf, _state(lay, step, key)
    roles = (state, Role.MASK) if masked else (state,)
    h = min(26.0, lay.bar_h / 2) if masked else max(height, 4.0)
    top = cut(short(score), (lay.pitch + 4) / 8)
    shapes: list[Shape] = [Bar(f"bar.{key}", middle - w / 2, lay.floor, top, w, h, roles=roles)]
    if state is Role.NOW:
        legs = 26.0 + 18 * lay.lines + 18 * (lay.roomy or isinstance(step, AddTile))
        shapes.append(Box(f"now.{key}", middle - lay.pitch / 2 + 1, lay.floor + 12, lay.pitch - 2, legs, "frame"))
    tone = " muted" if state is Role.LATER else ""
    size = "big" if width_of(label) * 11 < lay.pitch - 6 else "small strong"
    shown = cut(label, (lay.pitch - 4) / 8)
    shapes.append(Label(f"label.{key}", middle, lay.floor + 29, shown, f"{size} middle{tone}"))
    lines = [f"({vector(value, short)})"] if lay.beside else [*map(short, value)]
    for i, line in enumerate(lines):
        word = cut(line, (lay.pitch - 4) / 7.2)
        shapes.append(Label(f"value.{key}.{i}", middle, lay.floor + 47 + 18 * i, word, f"small middle{tone}"))
    y = lay.floor + 47 + 18 * len(lines)
    if isinstance(step, AddTile) and state is Role.NOW:
        p = step.p[step.tile.keys.index(key)]
        weight = f"p = {fixed(p)}" if lay.roomy else fixed(p, 3)
        weight = weight if width_of(weight) * 7.4 < lay.pitch else cut(fixed(p, 3), (lay.pitch - 4) / 7.2)
        shapes.append(Label(f"p.{key}", middle, y, weight, "small strong accent middle"))
    elif lay.roomy:
        tone = "accent" if state is Role.NOW else "muted"
        shapes.append(Label(f"state.{key}", middle, y, STATES[state], f"small {tone} middle"))
    return shapes


def _state(lay: Layout, step: Holding, key: int) -> Role:
    """Whether a key is being read, has been or will be."""
    match step:
        case Divide() | Check():
            return Role.HELD
        case ReadTile(tile=tile) | CompareMax(tile=tile) | Shrink(tile=tile) | AddTile(tile=tile):
            if key in tile.keys:
                return Role.NOW
            return Role.HELD if any(key in one.keys for one in lay.scenario.tiles[: tile.index]) else Role.LATER


def _maximum(lay: Layout, step: Holding, heights: dict[int, float]) -> list[Shape]:
    """The running maximum as a dashed line; where it has just risen, the old one dotted and an arrow."""
    m, old = _running_maximum(step)
    if m == -math.inf:
        return []
    at = {lay.scenario.scores[key]: lay.floor - h for key, h in heights.items()}
    length, right = lay.n * lay.pitch, lay.bars_end
    shapes: list[Shape] = [
        Line("max.line", BARS_X, at[m], length + 4, style="dash"),
        Label("max.word", right + 8, at[m] + 5, f"m = {short(m)}", "small strong accent start"),
    ]
    if -math.inf < old < m:
        before, y = Text(f"before: {short(old)}", f"此前：{short(old)}"), max(at[old], at[m] + 18) + 5
        shapes += [
            Line("max.old", BARS_X, at[old], length + 4, style="dots"),
            Label("max.old.word", right + 8, y, before, "small muted start"),
        ]
        if at[old] - at[m] > 46:
            shapes.append(Arrow("max.arrow", right + 28, at[old] - 14, 0, at[m] - at[old] + 28))
    return shapes


def _running_maximum(step: Holding) -> tuple[float, float]:
    """The maximum now, and the one before where the step tells it; −∞ where there is none."""
    match step:
        case CompareMax(m_old=old, m_new=new) | Shrink(m_old=old, m_new=new):
            return new, old
        case AddTile(after=held) | ReadTile(held=held) | Divide(held=held) | Check(held=held):
            return float(held.m), -math.inf
