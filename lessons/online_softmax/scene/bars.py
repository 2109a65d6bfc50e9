"""The scores as bars in reading order, the running maximum across them."""

from __future__ import annotations

import math

from engine.online_softmax import AddTile, Check, CompareMax, Divide, ReadTile, Shrink, Step, WholeTable
from lessons.kit.format import fixed, short, vector
from lessons.kit.roles import Role
from lessons.kit.shapes import Arrow, Bar, Box, Label, Line, Shape, cut, width_of
from lessons.kit.text import Text
from lessons.online_softmax.scene.layout import BAR_H, BARS_X, Layout

STATES = {
    Role.NOW: Text("read now", "正在读"),
    Role.HELD: Text("read", "已读"),
    Role.LATER: Text("not read yet", "尚未读取"),
}


def bars(lay: Layout, step: Step) -> list[Shape]:
    s = lay.scenario
    heights = dict(zip(s.reading, _heights([s.scores[key] for key in s.reading]), strict=True))
    shapes: list[Shape] = [
        Label("bars.title", 24, 30, Text("Scores, in reading order", "分数（按读取顺序）"), "body strong start"),
        Line("bars.floor", BARS_X, lay.floor, lay.n * lay.pitch),
        *_maximum(lay, step, heights),
    ]
    for at, key in enumerate(s.reading):
        shapes += _bar(lay, step, key, BARS_X + (at + 0.5) * lay.pitch, heights[key])
    return shapes


def _heights(scores: list[float]) -> list[float]:
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
    return [0.0 if s == -math.inf else BAR_H * (s - low) / span if span > 0 else BAR_H / 2 for s in scores]


def _bar(lay: Layout, step: Step, key: int, middle: float, height: float) -> list[Shape]:
    """One key: its bar, label, value, and what becomes of it in this step."""
    score, label, value = lay.scenario.scores[key], lay.scenario.labels[key], lay.scenario.values[key]
    w, masked, state = min(64.0, lay.pitch * 0.64), score == -math.inf, _state(lay, step, key)
    roles = (state, Role.MASK) if masked else (state,)
    h = 26.0 if masked else max(height, 4.0)
    shapes: list[Shape] = [Bar(f"bar.{key}", middle - w / 2, lay.floor, short(score), w, h, roles=roles)]
    if state is Role.NOW:
        left, legs = middle - lay.pitch / 2 + 4, 30.0 + 20 * lay.lines
        legs += 18 * (lay.roomy or isinstance(step, AddTile))
        shapes.append(Box(f"now.{key}", left, lay.floor + 7, lay.pitch - 8, legs, "frame"))
    tone = " muted" if state is Role.LATER else ""
    size = "big" if width_of(label) * 11 < lay.pitch - 6 else "small strong"
    shown = cut(label, (lay.pitch - 4) / 8)
    shapes.append(Label(f"label.{key}", middle, lay.floor + 28, shown, f"{size} middle{tone}"))
    lines = [f"({vector(value, short)})"] if lay.beside else [*map(short, value)]
    for i, line in enumerate(lines):
        shapes.append(Label(f"value.{key}.{i}", middle, lay.floor + 48 + 20 * i, line, f"small middle{tone}"))
    y = lay.floor + 48 + 20 * len(lines)
    if isinstance(step, AddTile) and state is Role.NOW:
        p = step.p[step.tile.keys.index(key)]
        weight = f"p = {fixed(p)}" if lay.roomy else fixed(p, 3)
        shapes.append(Label(f"p.{key}", middle, y, weight, "small strong accent middle"))
    elif lay.roomy:
        tone = "accent" if state is Role.NOW else "muted"
        shapes.append(Label(f"state.{key}", middle, y, STATES[state], f"small {tone} middle"))
    return shapes


def _state(lay: Layout, step: Step, key: int) -> Role:
    """Whether a key is being read, has been or will be."""
    match step:
        case WholeTable():
            return Role.LATER
        case Divide() | Check():
            return Role.HELD
        case ReadTile(tile=tile) | CompareMax(tile=tile) | Shrink(tile=tile) | AddTile(tile=tile):
            if key in tile.keys:
                return Role.NOW
            return Role.HELD if any(key in one.keys for one in lay.scenario.tiles[: tile.index]) else Role.LATER


def _maximum(lay: Layout, step: Step, heights: dict[int, float]) -> list[Shape]:
    """The running maximum as a dashed line; where it has just risen, the old one dotted and an arrow."""
    m, old = _running_maximum(step)
    if m == -math.inf:
        return []
    at = {lay.scenario.scores[key]: lay.floor - h for key, h in heights.items()}
    length = lay.n * lay.pitch
    right = BARS_X + length
    shapes: list[Shape] = [
        Line("max.line", BARS_X, at[m], length + 4, style="dash"),
        Label("max.word", right + 10, at[m] + 5, f"m = {short(m)}", "body strong accent start"),
    ]
    if -math.inf < old < m:
        before, y = Text(f"before: {short(old)}", f"此前：{short(old)}"), max(at[old], at[m] + 20) + 5
        shapes += [
            Line("max.old", BARS_X, at[old], length + 4, style="dots"),
            Label("max.old.word", right + 10, y, before, "small muted start"),
        ]
        if at[old] - at[m] > 46:
            shapes.append(Arrow("max.arrow", right + 30, at[old] - 14, 0, at[m] - at[old] + 30))
    return shapes


def _running_maximum(step: Step) -> tuple[float, float]:
    """The maximum now, and the one before where the step tells it; −∞ where there is none."""
    match step:
        case WholeTable():
            return -math.inf, -math.inf
        case CompareMax(m_old=old, m_new=new) | Shrink(m_old=old, m_new=new):
            return new, old
        case AddTile(after=held) | ReadTile(held=held) | Divide(held=held) | Check(held=held):
            return float(held.m), -math.inf
