"""The picture of one step: the scores as bars on the left, what is held before and after on the right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from engine.attention import score_table_bytes
from engine.online_softmax import (
    AddTile,
    Check,
    CompareMax,
    Divide,
    Mistake,
    ReadTile,
    Scenario,
    Shrink,
    State,
    Step,
    WholeTable,
)
from lessons.kit.format import count, fixed, short, size, vector
from lessons.kit.roles import Role
from lessons.kit.rows import row
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Arrow, Bar, Box, Cell, Label, Line, Pill, Shape, Table, cut, width_of
from lessons.kit.text import Text, same
from lessons.online_softmax.tiles import LONG, read_so_far, tile_of
from lessons.online_softmax.words import headline

BAR_H = 140.0
CELL_W, GAP, PILL_W = 92.0, 6.0, 118.0

RIGHT, WRONG = Text("Right way", "正确做法"), Text("Wrong way", "错误做法")


@dataclass(frozen=True)
class Layout:
    """Where things stand. Depends on the Scenario alone, so nothing jumps between steps."""

    n: int
    d: int
    compare: bool

    @cached_property
    def beside(self) -> bool:
        """Few enough keys and numbers to put bars and held state side by side."""
        return self.n <= 4 and self.d <= 2

    @cached_property
    def pitch(self) -> float:
        return 100.0 if self.beside else min(100.0, 950.0 / self.n)

    @cached_property
    def floor(self) -> float:
        return 240.0 if self.beside and not self.compare else 210.0

    @cached_property
    def lines(self) -> int:
        """Lines under a bar for its value: all numbers in one, or one each where bars stand close."""
        return 1 if self.beside else self.d

    @cached_property
    def bars_end(self) -> float:
        return self.floor + 70 + 20 * self.lines

    @cached_property
    def held_at(self) -> tuple[float, float]:
        return (530.0, 0.0) if self.beside else (40.0, self.bars_end + 8)

    @cached_property
    def pitch_y(self) -> float:
        return 46.0 if self.compare else 62.0

    @cached_property
    def cell_h(self) -> float:
        return 34.0 if self.compare else 40.0

    @cached_property
    def panel_h(self) -> float:
        return 44 + 4 * self.pitch_y

    @cached_property
    def after_x(self) -> float:
        """From the left edge of the cells before to that of the cells after."""
        return max(self.d, 2) * (CELL_W + GAP) + 26 + PILL_W

    @cached_property
    def width(self) -> float:
        return 1130.0

    @cached_property
    def height(self) -> float:
        held = self.held_at[1] + self.panel_h * (2 if self.compare else 1) + 16
        return max(self.bars_end + 16, held)


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    lay = Layout(len(scenario.scores), scenario.d, scenario.mistake is not Mistake.NONE)
    shapes = [*_bars(lay, scenario, step)]
    if isinstance(step, WholeTable):
        shapes += _whole_table(lay)
    else:
        x, y = lay.held_at
        right = _panel(lay, step, x, y, "", RIGHT if wrong else None)
        shapes += right
        if wrong is not None:
            below = _panel(lay, wrong, x, y + lay.panel_h, "wrong.", WRONG)
            shapes += marked(below, right, prefix="wrong.")
    return Scene(lay.width, lay.height, _label(scenario, step), tuple(shapes))


# --- the scores


def _heights(scores: tuple[float, ...]) -> list[float]:
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


def _bars(lay: Layout, scenario: Scenario, step: Step) -> list[Shape]:
    reading = scenario.reading
    heights = _heights(tuple(scenario.scores[key] for key in reading))
    now, held = tile_of(step), read_so_far(scenario, step)
    x0 = 40.0
    shapes: list[Shape] = [
        Label("bars.title", 24, 30, Text("Scores, in reading order", "分数（按读取顺序）"), "body strong start"),
        Line("bars.floor", x0, lay.floor, lay.n * lay.pitch),
        *_maximum(lay, scenario, step, dict(zip(reading, heights, strict=True))),
    ]
    w = min(64.0, lay.pitch * 0.64)
    for at, key in enumerate(reading):
        left = x0 + at * lay.pitch + (lay.pitch - w) / 2
        middle = x0 + (at + 0.5) * lay.pitch
        masked = scenario.scores[key] == -math.inf
        is_now = now is not None and key in now.keys
        state = Role.NOW if is_now else Role.HELD if key in held else Role.LATER
        roles = (state, Role.MASK) if masked else (state,)
        h = 26.0 if masked else max(heights[at], 4.0)
        shapes.append(Bar(f"bar.{key}", left, lay.floor, short(scenario.scores[key]), w, h, roles=roles))
        if is_now:
            shapes.append(
                Box(f"now.{key}", middle - lay.pitch / 2 + 4, lay.floor + 7, lay.pitch - 8, _legs(lay, step), "frame")
            )
        tone = "" if state is not Role.LATER else " muted"
        name = scenario.labels[key]
        big = "big" if width_of(name) * 11 < lay.pitch - 6 else "small strong"
        shown = cut(name, (lay.pitch - 4) / 8)
        shapes.append(Label(f"label.{key}", middle, lay.floor + 28, shown, f"{big} middle{tone}"))
        lines = [f"({vector(scenario.values[key], short)})"] if lay.beside else [*map(short, scenario.values[key])]
        for i, line in enumerate(lines):
            shapes.append(Label(f"value.{key}.{i}", middle, lay.floor + 48 + 20 * i, line, f"small middle{tone}"))
        y = lay.floor + 48 + 20 * len(lines)
        if isinstance(step, AddTile) and is_now:
            p = step.p[step.tile.keys.index(key)]
            weight = f"p = {fixed(p)}" if lay.pitch >= 80 else fixed(p, 3)
            shapes.append(Label(f"p.{key}", middle, y, weight, "small strong accent middle"))
        elif lay.pitch >= 80:
            word = {
                Role.NOW: Text("read now", "正在读"),
                Role.HELD: Text("read", "已读"),
                Role.LATER: Text("not read yet", "尚未读取"),
            }[state]
            tone = "accent" if is_now else "muted"
            shapes.append(Label(f"state.{key}", middle, y, word, f"small {tone} middle"))
    return shapes


def _legs(lay: Layout, step: Step) -> float:
    last_line = lay.pitch >= 80 or isinstance(step, AddTile)
    return 30.0 + 20 * lay.lines + 18 * last_line


def _maximum(lay: Layout, scenario: Scenario, step: Step, heights: dict[int, float]) -> list[Shape]:
    """The running maximum as a dashed line; where it has just risen, the old one dotted and an arrow."""
    m, old = _running_maximum(step)
    if m is None or m == -math.inf:
        return []
    at = {scenario.scores[key]: lay.floor - h for key, h in heights.items()}
    right = 40.0 + lay.n * lay.pitch
    shapes: list[Shape] = [
        Line("max.line", 40.0, at[m], lay.n * lay.pitch + 4, style="dash"),
        Label("max.word", right + 10, at[m] + 5, f"m = {short(m)}", "body strong accent start"),
    ]
    if old is not None and -math.inf < old < m:
        shapes += [
            Line("max.old", 40.0, at[old], lay.n * lay.pitch + 4, style="dots"),
            Label(
                "max.old.word",
                right + 10,
                max(at[old], at[m] + 20) + 5,
                Text(f"before: {short(old)}", f"此前：{short(old)}"),
                "small muted start",
            ),
        ]
        if at[old] - at[m] > 46:
            shapes.append(Arrow("max.arrow", right + 30, at[old] - 14, 0, at[m] - at[old] + 30))
    return shapes


def _running_maximum(step: Step) -> tuple[float | None, float | None]:
    match step:
        case WholeTable():
            return None, None
        case ReadTile(held=held):
            return float(held.m), None
        case CompareMax(m_old=old, m_new=new) | Shrink(m_old=old, m_new=new):
            return new, old
        case AddTile(after=after):
            return float(after.m), None
        case Divide(held=held) | Check(held=held):
            return float(held.m), None


# --- what is held


def _panel(lay: Layout, step: Step, x: float, y: float, key: str, way: Text | None) -> list[Shape]:
    """The rows m, ℓ, u, o before and after one step. Keys start with `key`."""
    title, title_after = _titles(step)
    title = _capital(title) if way is None else way + same(" · ") + title
    shapes: list[Shape] = [
        Label(f"{key}title", x, y + 30, title, "body strong start" + (" bad" if key else "")),
        Label(f"{key}title.after", x + 40 + lay.after_x, y + 30, _capital(title_after), "body strong start"),
    ]
    left, right = x + 40, x + 40 + lay.after_x
    tops = {name: y + 44 + i * lay.pitch_y for i, name in enumerate("mluo")}

    def name(letter: str, word: str) -> Label:
        return Label(f"{key}{letter}.name", x, tops[letter] + lay.cell_h / 2 + 6, word, "big italic start")

    def cells(letter: str, side: str, xs: list[float], role: Role | None, *, new: bool = False) -> tuple[Cell, ...]:
        roles = tuple(r for r in (role, Role.NEW if new else None) if r is not None)
        write = short if letter == "m" else fixed
        return row(
            f"{key}{letter}.{side}",
            left if side == "before" else right,
            tops[letter],
            xs,
            [write(v) for v in xs],
            roles=roles,
            h=lay.cell_h,
        )

    def change(letter: str, word: Text | str) -> list[Shape]:
        middle = tops[letter] + lay.cell_h / 2
        n = lay.d if letter in "uo" else 1
        start = left + n * (CELL_W + GAP) + 2
        pill = right - 26 - PILL_W
        return [
            Arrow(f"{key}{letter}.arrow", start, middle, right - 8 - start),
            Pill(f"{key}{letter}.pill", pill, middle, word, PILL_W, 28),
        ]

    if isinstance(step, Check):
        return [*shapes, *_check(lay, step, x, tops, key)]
    before, after = _states(step)
    m_role = Role.SCORE
    shapes += [name("m", "m"), name("l", "ℓ"), name("u", "u"), name("o", "o")]
    shapes += cells("m", "before", [float(before.m)], m_role)
    shapes += cells("l", "before", [float(before.l)], Role.DENOMINATOR)
    shapes += cells("u", "before", before.u.tolist(), Role.ACCUMULATOR)
    match step:
        case CompareMax(m_old=old, m_tile=tile, m_new=new, reference=reference):
            shapes += change("m", f"max({short(old)}, {short(tile)})" if reference == new else Text("not used", "不用"))
            shapes += cells("m", "after", [reference], m_role, new=reference != float(before.m))
        case Shrink(alpha_l=a_l, alpha_u=a_u) if after is not None:
            shapes += cells("m", "after", [float(after.m)], m_role)
            shapes += [*change("l", f"× {fixed(a_l)}"), *change("u", f"× {fixed(a_u)}")]
            shapes += cells("l", "after", [float(after.l)], Role.DENOMINATOR, new=after.l != before.l)
            shapes += cells("u", "after", after.u.tolist(), Role.ACCUMULATOR, new=a_u != 1)
        case AddTile(p=p) if after is not None:
            shapes += cells("m", "after", [float(after.m)], m_role)
            shapes += [*change("l", f"+ {fixed(sum(p))}"), *change("u", "+ Σ p v")]
            shapes += cells("l", "after", [float(after.l)], Role.DENOMINATOR, new=sum(p) > 0)
            shapes += cells("u", "after", after.u.tolist(), Role.ACCUMULATOR, new=sum(p) > 0)
        case Divide(output=o):
            shapes += change("o", "u ÷ ℓ")
            shapes += cells("o", "after", list(o), Role.OUTPUT, new=True)
    for side, state in (("before", before), ("after", after)):
        if state is None:
            continue
        at = left if side == "before" else right
        word = vector(state.output) if state.l != 0 else "–"
        if isinstance(step, Divide) or (not isinstance(step, Shrink | AddTile) and side == "after"):
            continue
        shapes.append(Label(f"{key}o.{side}", at, tops["o"] + lay.cell_h / 2 + 6, word, "num start"))
        if not lay.compare and side == "before":
            shapes.append(
                Label(
                    f"{key}o.note",
                    at,
                    tops["o"] + 48,
                    Text("u ÷ ℓ, if we stopped here", "若就此停止：u ÷ ℓ"),
                    "small muted start",
                )
            )
        if not lay.compare and side == "after" and isinstance(step, Shrink):
            shapes.append(
                Label(
                    f"{key}o.same",
                    at,
                    tops["o"] + 48,
                    Text("unchanged: both shrank alike", "不变：两者同比缩小"),
                    "small muted start",
                )
            )
    return shapes


def _states(step: Step) -> tuple[State, State | None]:
    match step:
        case Shrink(before=before, after=after) | AddTile(before=before, after=after):
            return before, after
        case ReadTile(held=held) | CompareMax(held=held) | Divide(held=held) | Check(held=held):
            return held, None
        case WholeTable():
            raise ValueError("step: nothing is held before the first tile")


def _titles(step: Step) -> tuple[Text, Text]:
    match step:
        case CompareMax():
            return Text("what we hold", "手中的状态"), Text("the maximum now", "现在的最大值")
        case Shrink():
            return Text("on the old scale", "旧基准"), Text("on the new scale", "新基准")
        case AddTile():
            return Text("before", "相加前"), Text("with the tile added", "加入本分块后")
        case Divide():
            return Text("all keys read", "已读完全部键"), Text("the output", "输出")
        case Check():
            return Text("the output", "输出"), same("")
        case _:
            return Text("what we hold", "手中的状态"), same("")


def _capital(title: Text) -> Text:
    return Text(title.en[:1].upper() + title.en[1:], title.zh)


def _check(lay: Layout, step: Check, x: float, tops: dict[str, float], key: str) -> list[Shape]:
    """The output tile by tile above the output at once, and how far they are apart."""
    at = x + 150
    middle = lay.cell_h / 2 + 5
    shapes: list[Shape] = [
        Label(f"{key}check.tiles", x, tops["m"] + middle, Text("tile by tile", "分块累计"), "body start"),
        *row(
            f"{key}o.after", at, tops["m"], step.output, [*map(fixed, step.output)], roles=(Role.OUTPUT,), h=lay.cell_h
        ),
        Label(f"{key}check.plain", x, tops["l"] + middle, Text("softmax at once", "一次算完"), "body start"),
        *row(f"{key}plain", at, tops["l"], step.plain, [*map(fixed, step.plain)], roles=(Role.OUTPUT,), h=lay.cell_h),
        Label(f"{key}check.error", x, tops["u"] + middle, Text("largest |difference|", "最大差的绝对值"), "body start"),
        Label(
            f"{key}check.number",
            at + 20,
            tops["u"] + middle,
            fixed(step.error) if step.error else "0",
            "num strong start",
        ),
    ]
    return shapes


# --- the plain way


def _whole_table(lay: Layout) -> list[Shape]:
    x, y = lay.held_at
    side, cells = 184.0, 12
    left, top = x, y + 62
    rows: list[tuple[Text | str, ...]] = [(Text("tokens T", "长度 T"), Text("scores T × T", "分数 T × T"), "float16")]
    rows += [(count(t), count(t * t), size(score_table_bytes(t, t, itemsize=2))) for t in LONG]
    grid: list[Shape] = [Box("table.frame", left, top, side, side, "panel")]
    for i in range(1, cells):
        grid.append(Line(f"table.h{i}", left, top + side * i / cells, side))
        grid.append(Line(f"table.v{i}", left + side * i / cells, top, 0, side))
    return [
        Label(
            "table.title",
            x,
            y + 30,
            Text("The plain way: a row of scores for every query, all kept", "普通写法：每个查询一行分数，全部保存"),
            "body strong start",
        ),
        *grid,
        Box("table.row", left, top + side * 7 / cells, side, side / cells, "heat"),
        Label("table.keys", left + side / 2, top - 8, Text("T keys", "T 个键"), "small muted middle"),
        Label(
            "table.one",
            left,
            top + side + 20,
            Text(
                "filled row: one query, as on the left" if lay.beside else "filled row: one query, as above",
                "实心行：一个查询，如左图" if lay.beside else "实心行：一个查询，如上图",
            ),
            "small muted start",
        ),
        Table(
            "table.sizes", left + side + 36, top + 4, tuple(rows), (90.0, 170.0, 100.0), strong=1 + LONG.index(32_768)
        ),
    ]


def _label(scenario: Scenario, step: Step) -> Text:
    """What the picture shows, for those who cannot see it."""
    scores = ", ".join(f"{scenario.labels[k]} {short(scenario.scores[k])}" for k in scenario.reading)
    return Text(
        f"Bar chart of the scores in reading order: {scores}. ", f"按读取顺序排列的分数柱状图：{scores}。"
    ) + headline(scenario, step, markdown=False)
