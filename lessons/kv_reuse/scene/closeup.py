"""The right half of the picture on the new token's path and after the edit: the numbers themselves, one way below the
other."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from engine.attention import Array
from engine.kv_reuse import Cached, Finish, Look, Mended, Project, Scenario, Step
from lessons.kit.format import delta, fixed
from lessons.kit.roles import Role
from lessons.kit.scene import marked
from lessons.kit.shapes import Cell, Label, Shape, Strip, Words
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import brief, letter
from lessons.kv_reuse.scene.layout import (
    CELL,
    LINE,
    LINE_H,
    MENDED_LINE,
    PANEL_W,
    PANEL_X,
    ROWS_AT,
    ROWS_TOP,
    SCORES_AT,
    VALUES_AT,
    VECTOR,
    Layout,
)

S = TypeVar("S", bound=Step)


@dataclass(frozen=True)
class Way:
    """One of the ways in the picture: its name where there are two, where it begins, what its keys begin with."""

    name: Text | None = None
    y: float = 0
    key: str = ""


def both(
    draw: Callable[[Layout, Scenario, S, Way], list[Shape]], lay: Layout, scenario: Scenario, step: S, wrong: S | None
) -> list[Shape]:
    """A step's close-up; with a wrong way's below it, whose cells that differ are hatched."""
    if wrong is None:
        return draw(lay, scenario, step, Way())
    right = draw(lay, scenario, step, Way(Text("Right way · ", "正确做法 · ")))
    below = draw(lay, scenario, wrong, Way(Text("Wrong way · ", "错误做法 · "), lay.way_h, "wrong."))
    return [*right, *marked(below, right, prefix="wrong.")]


def number(x: float, places: int = 3) -> str:
    """A number for a small cell; nothing where nothing was kept."""
    return "–" if math.isnan(x) else fixed(round(x, places), places)


def strip(key: str, x: float, y: float, xs: Array, roles: tuple[Role, ...], w: float = VECTOR) -> Strip:
    """A vector; two that differ anywhere have different `value`s."""
    mixed = float(np.dot(xs, 1.0 + 0.37 * np.arange(len(xs))))
    texts = ("–",) if np.isnan(xs).all() else tuple(number(float(a)) for a in xs)
    return Strip(key, x, y, "", w, LINE_H, value=mixed, roles=roles, texts=texts)


def title(way: Way, words: Text) -> Label:
    """What this close-up shows, and of which way where there are two."""
    named = way.name + words if way.name else Text(words.en[:1].upper() + words.en[1:], words.zh)
    return Label(f"{way.key}title", PANEL_X, way.y + 30, named, "body strong start" + " bad" * bool(way.key))


def rows(key: str, lay: Layout, x: float, top: float, table: Array, role: Role, *, new: bool) -> list[Shape]:
    """A table of k or v, a line a token; an anchor before each that was cached, the appended one new where `new`."""
    shapes: list[Shape] = []
    for t, line in enumerate(table):
        appended = t == lay.n - 1
        shapes.append(strip(f"{key}.{t}", x, top + t * LINE, line, (role, Role.NEW) if new and appended else (role,)))
        if not appended and np.isfinite(line).all():
            shapes.append(Label(f"{key}.{t}.reused", x - 10, top + t * LINE + 20, "⚓", "small good middle"))
    return shapes


def letters(key: str, tokens: Sequence[int], top: float, newest: bool = True) -> list[Shape]:
    """The tokens' letters before their lines."""
    last = len(tokens) - 1
    return [
        Label(
            f"{key}token.{t}",
            PANEL_X + 2,
            top + t * LINE + 21,
            letter(token),
            "body strong start" + " accent" * (newest and t == last),
        )
        for t, token in enumerate(tokens)
    ]


def small(key: str, x: float, y: float, words: Words, style: str = "small muted start") -> Label:
    return Label(key, x, y, words, style)


def _heads(scenario: Scenario) -> Text:
    return Told("query head {head} and its KV head, {kv_head}", "查询头 {head} 和它的 KV 头 {kv_head}").on(scenario)


def cached(lay: Layout, scenario: Scenario, step: Cached) -> list[Shape]:
    """Layer 0 of the old tokens: k and v, kept, and where there is room q, not kept."""
    kv, n = scenario.kv_head, len(scenario.tokens)
    shapes: list[Shape] = [
        title(Way(), Text("Layer 0, kept for every later token", "第 0 层：为以后每个 token 留着")),
        small("q.note", PANEL_X, 58, _heads(scenario)),
        small("k.head", ROWS_AT, ROWS_TOP - 12, Text("key k", "键 k")),
        small("v.head", VALUES_AT, ROWS_TOP - 12, Text("value v", "值 v")),
        *letters("", scenario.tokens, ROWS_TOP, newest=False),
        *rows("close.k", lay, ROWS_AT, ROWS_TOP, step.run.k[0][kv], Role.K, new=False),
        *rows("close.v", lay, VALUES_AT, ROWS_TOP, step.run.v[0][kv], Role.V, new=False),
    ]
    below = ROWS_TOP + n * LINE + 56
    if below + n * LINE <= lay.height:
        done = Text(
            "query q: it has had its answer, nobody asks for it again", "查询 q：已经得到回答，以后没有人再要它"
        )
        shapes.append(small("q.head", ROWS_AT, below - 12, done))
        shapes += letters("q.", scenario.tokens, below, newest=False)
        shapes += [
            strip(f"close.q.{t}", ROWS_AT, below + t * LINE, q, (Role.Q, Role.GONE)) for t, q in enumerate(step.q)
        ]
    return shapes


def project(lay: Layout, scenario: Scenario, step: Project, way: Way) -> list[Shape]:
    """The new token's q, and the tables of k and v with its row appended."""
    y, key, new = way.y, way.key, letter(scenario.appended)
    top = y + ROWS_TOP
    words = Text(f"layer {step.layer}: q, k and v of {new}", f"第 {step.layer} 层：{new} 的 q、k、v")
    return [
        title(way, words),
        small(f"{key}q.name", PANEL_X + 4, y + 69, "q", "num italic start"),
        strip(f"{key}close.q", ROWS_AT, y + 48, step.q, (Role.Q, Role.NEW)),
        small(f"{key}q.note", SCORES_AT, y + 69, _heads(scenario)),
        small(f"{key}k.head", ROWS_AT, top - 12, Text("k: cached rows, then its own", "k：缓存的行，再加自己的")),
        small(f"{key}v.head", VALUES_AT, top - 12, Text("v: cached rows, then its own", "v：缓存的行，再加自己的")),
        *letters(key, scenario.longer, top),
        *rows(f"{key}close.k", lay, ROWS_AT, top, step.k, Role.K, new=True),
        *rows(f"{key}close.v", lay, VALUES_AT, top, step.v, Role.V, new=True),
    ]


def look(lay: Layout, scenario: Scenario, step: Look, way: Way) -> list[Shape]:
    """q times every k, softmax, and the weighted sum of v."""
    y, key, new = way.y, way.key, letter(scenario.appended)
    top = y + ROWS_TOP
    words = Text(
        f"layer {step.layer}: {new} looks at every row it may see", f"第 {step.layer} 层：{new} 查看能看见的每一行"
    )
    shapes: list[Shape] = [
        title(way, words),
        small(f"{key}q.name", PANEL_X + 4, y + 69, "q", "num italic start"),
        strip(f"{key}close.q", ROWS_AT, y + 48, step.q, (Role.Q,)),
        small(f"{key}k.head", ROWS_AT, top - 12, "k"),
        small(f"{key}s.head", SCORES_AT + CELL / 2, top - 12, Text("score", "分数"), "small muted middle"),
        small(f"{key}p.head", SCORES_AT + CELL * 1.5 + 4, top - 12, Text("weight", "权重"), "small muted middle"),
        small(f"{key}v.head", VALUES_AT, top - 12, "v"),
        *letters(key, scenario.longer, top),
        *rows(f"{key}close.k", lay, ROWS_AT, top, step.k, Role.K, new=False),
        *rows(f"{key}close.v", lay, VALUES_AT, top, step.v, Role.V, new=False),
    ]
    for t, (s, p) in enumerate(zip(step.s, step.p, strict=True)):
        mask = (Role.MASK,) if s == -math.inf else ()
        pair = strip(
            f"{key}close.s.{t}",
            SCORES_AT,
            top + t * LINE,
            np.array([s, p]),
            (Role.SCORE, Role.NEW, *mask),
            2 * CELL + 4,
        )
        shapes.append(replace(pair, value=float(p)))  # a masked score is −∞ in both ways
    below = top + lay.n * LINE + 10
    shapes.append(
        small(f"{key}o.name", VALUES_AT - 12, below + 21, Text("o = Σ weight · v", "o = Σ 权重 · v"), "body end")
    )
    shapes.append(strip(f"{key}close.o", VALUES_AT, below, step.o, (Role.V, Role.NEW)))
    return shapes


def finish(lay: Layout, scenario: Scenario, step: Finish, way: Way) -> list[Shape]:
    """The stream x through the rest of the layer."""
    y, key, new = way.y, way.key, letter(scenario.appended)
    w, left = 432.0, PANEL_X + 122
    words = Text(f"layer {step.layer}: what {new} hands upwards", f"第 {step.layer} 层：{new} 交给上一层的")
    lines: tuple[tuple[str, Text, Array, tuple[Role, ...]], ...] = (
        ("x", Text("x, before", "原来的 x"), step.before, ()),
        ("a", Text("+ o · Wo", "+ o · Wo"), step.attended, ()),
        ("f", Text("+ feed-forward", "+ 前馈 FFN"), step.fed, ()),
        ("y", Text("= x, after", "= 新的 x"), step.after, (Role.NEW,)),
    )
    shapes: list[Shape] = [title(way, words)]
    for i, (name, label, xs, roles) in enumerate(lines):
        top = y + 52 + i * 42
        shapes.append(Label(f"{key}{name}.name", PANEL_X + 2, top + 21, label, "body start"))
        shapes.append(strip(f"{key}close.{name}", left, top, xs, roles, w))
    return shapes


def mended(lay: Layout, scenario: Scenario, step: Mended, way: Way) -> list[Shape]:
    """The cache in use: how far each row is from the right one."""
    words = Text("how far each cached row is from right", "每个缓存行与正确值相差多少")
    y, key, left = way.y, way.key, PANEL_X + 112
    w = min(108.0, (PANEL_W - 112) / lay.n - 6)
    shapes: list[Shape] = [title(way, words)]
    for t, token in enumerate(scenario.edited):
        style = "small strong middle" + " accent" * (t == scenario.edit_at)
        shapes.append(Label(f"{key}mend.head.{t}", left + t * (w + 6) + w / 2, y + 56, letter(token), style))
    for layer in range(lay.n_layers):
        for j, (row, table, role) in enumerate((("k", step.k, Role.K), ("v", step.v, Role.V))):
            top = y + 66 + (2 * layer + j) * MENDED_LINE
            name = Text(f"layer {layer} · {row}", f"第 {layer} 层 · {row}")
            shapes.append(Label(f"{key}mend.{row}.{layer}", PANEL_X + 2, top + 21, name, "body start"))
            for t in range(lay.n):
                off = float(table[layer, t])
                roles = (role, Role.NEW if t in step.computed else Role.REUSED)
                text = delta(off) if w >= 70 else brief(off)
                shapes.append(
                    Cell(
                        f"{key}mend.{row}.{layer}.{t}", left + t * (w + 6), top, text, w, LINE_H, value=off, roles=roles
                    )
                )
    return shapes
