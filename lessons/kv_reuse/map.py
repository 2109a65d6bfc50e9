"""The left half of the picture: every layer's x, k and v at every position, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator

from engine.decoder import Run
from engine.kv_reuse import (
    Appended,
    AskedNext,
    Cached,
    Conclusion,
    Finish,
    Look,
    Mended,
    NextLayer,
    NextToken,
    Project,
    Replaced,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
    Step,
)
from lessons.kit.format import fixed
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Shape
from lessons.kit.text import Text
from lessons.kv_reuse.layout import MAP_X, ROW, ROW_H, Layout
from lessons.kv_reuse.tokens import brief, delta, holds, letter

Place = tuple[str, int, int]  # row x, k or v · layer · position
OWN = {"k": Role.K, "v": Role.V}
PENDING = (Role.PENDING,)


def draw_map(lay: Layout, scenario: Scenario, step: Step) -> list[Shape]:
    """The map after a step of the right way."""
    shapes = [*_heads(lay, scenario, step), *_names(lay)]
    for place, (roles, small) in _states(lay, scenario, step).items():
        shapes.append(_cell(lay, scenario, step.run, place, roles, small))
    if isinstance(step, Look):
        y = lay.line("k", step.layer) - 6
        shapes.append(Box("map.now", MAP_X - 7, y, lay.n * lay.pitch + 4, ROW + ROW_H + 12, "frame"))
    return shapes


def _heads(lay: Layout, scenario: Scenario, step: Step) -> Iterator[Shape]:
    edited = isinstance(step, Replaced | Mended | AskedNext)
    tokens = scenario.edited if edited else scenario.longer
    for t, token in enumerate(tokens):
        x = lay.column(t) + lay.cell_w / 2
        newest = t == lay.n - 1
        if isinstance(step, Cached) and newest:
            continue
        now = (edited and t == scenario.edit_at) or (newest and not edited)
        yield Label(f"head.{t}", x, 30, letter(token), "big middle" + " accent" * now)
        note = Text(f"position {t}", f"位置 {t}") if lay.wide else Text(str(t), str(t))
        if edited and t == scenario.edit_at and lay.wide:
            was = letter(scenario.longer[t])
            note = Text(f"{t}, was {was}", f"{t}，原为 {was}")
        elif newest and not edited and lay.wide:
            note = Text(f"{t}, appended", f"{t}，追加")
        yield Label(f"place.{t}", x, 52, note, "small middle " + ("accent" if now else "muted"))


def _names(lay: Layout) -> Iterator[Shape]:
    for layer in range(lay.n_layers + 1):
        last = layer == lay.n_layers
        name = Text("output x", "输出 x") if last else Text(f"Layer {layer} · x", f"第 {layer} 层 · x")
        yield Label(f"name.x.{layer}", 20, lay.line("x", layer) + 25, name, "body start" + " strong" * (not last))
        if not last:
            yield Label(f"name.k.{layer}", 102, lay.line("k", layer) + 25, "k", "num italic start")
            yield Label(f"name.v.{layer}", 102, lay.line("v", layer) + 25, "v", "num italic start")


def _cell(lay: Layout, scenario: Scenario, run: Run, place: Place, roles: tuple[Role, ...], small: str) -> Cell:
    row, layer, t = place
    vector = {
        "x": lambda: run.hidden[layer, t],
        "k": lambda: run.k[layer][scenario.kv_head, t],
        "v": lambda: run.v[layer][scenario.kv_head, t],
    }[row]()
    text = ", ".join(fixed(round(float(a), 2), 2) for a in vector[: lay.numbers]) if lay.wide else row
    if lay.wide and (lay.numbers == 1 or lay.pitch > 110):
        text += ", …"
    if Role.PENDING in roles:
        text, small = "", ""
    roles = (*((OWN[row],) if row in OWN and Role.PENDING not in roles else ()), *roles)
    return Cell(f"{row}.{layer}.{t}", lay.column(t), lay.line(row, layer), text, lay.cell_w, ROW_H, small, roles=roles)


def _measured(lay: Layout, x: float) -> tuple[tuple[Role, ...], str]:
    role = Role.REUSED if holds(x) else Role.STALE
    return (role,), f"|Δ| = {delta(x)}" if lay.pitch >= 110 else brief(x)


def _places(lay: Layout) -> Iterator[Place]:
    for t in range(lay.n):
        for layer in range(lay.n_layers):
            yield from ((row, layer, t) for row in "xkv")
        yield "x", lay.n_layers, t


def _states(lay: Layout, scenario: Scenario, step: Step) -> dict[Place, tuple[tuple[Role, ...], str]]:
    """What is known of each cell that is drawn."""
    new, old = lay.n - 1, range(lay.n - 1)
    states: dict[Place, tuple[tuple[Role, ...], str]] = {}
    match step:
        case Cached():
            return {place: ((), "") for place in _places(lay) if place[2] != new}
        case Appended():
            states = {place: ((), "") if place[2] != new else (PENDING, "") for place in _places(lay)}
            states["x", 0, new] = ((Role.NEW,), "")
            return states
        case (
            SameInputs(proof=proof)
            | SameView(proof=proof)
            | SameOutputs(proof=proof)
            | NextLayer(proof=proof)
            | Conclusion(proof=proof)
        ):
            known = _known(step, lay.n_layers)
            for row, layer, t in _places(lay):
                if (row, layer) not in known:
                    states[row, layer, t] = PENDING, ""
                elif t in old:
                    table = {"x": proof.x, "k": proof.k, "v": proof.v}[row]
                    states[row, layer, t] = _measured(lay, float(table[layer, t]))
                else:
                    fresh = known[row, layer] and not isinstance(step, SameView | Conclusion)
                    states[row, layer, t] = (Role.NEW,) if fresh else (), ""
            return states
        case Project(layer=at, proof=proof) | Look(layer=at, proof=proof) | Finish(layer=at, proof=proof):
            for row, layer, t in _places(lay):
                if t != new:
                    if row != "x":
                        states[row, layer, t] = _measured(lay, float((proof.k if row == "k" else proof.v)[layer, t]))
                elif layer < at or (layer == at and (row == "x" or not isinstance(step, Project))):
                    states[row, layer, t] = (), ""
                elif layer == at and isinstance(step, Project):
                    states[row, layer, t] = (Role.NEW,), ""
                else:
                    states[row, layer, t] = PENDING, ""
            if isinstance(step, Finish):
                states["x", at + 1, new] = (Role.NEW,), ""
            return states
        case NextToken(proof=proof):
            for row, layer, t in _places(lay):
                if t == new:
                    states[row, layer, t] = (), ""
                elif row != "x":
                    states[row, layer, t] = _measured(lay, float((proof.k if row == "k" else proof.v)[layer, t]))
            return states
        case Replaced(x=x, k=k, v=v):
            tables = {"x": x, "k": k, "v": v}
            return {(row, layer, t): _measured(lay, float(tables[row][layer, t])) for row, layer, t in _places(lay)}
        case Mended() | AskedNext():
            computed = range(scenario.first_to_recompute, lay.n)
            for row, layer, t in _places(lay):
                if row != "x":
                    fresh = t in computed and isinstance(step, Mended)
                    states[row, layer, t] = (Role.NEW,) if fresh else (Role.REUSED,) if t not in computed else (), ""
            return states


def _known(step: Step, n_layers: int) -> dict[tuple[str, int], bool]:
    """The rows compared so far, and whether just now."""
    match step:
        case SameInputs() | SameView():
            return dict.fromkeys((("x", 0), ("k", 0), ("v", 0)), True) | {("x", 0): False}
        case SameOutputs():
            return {("x", 0): False, ("k", 0): False, ("v", 0): False, ("x", 1): True}
        case NextLayer(layer=layer):
            known = {(row, below): False for below in range(layer) for row in "xkv"} | {("x", layer): False}
            return known | dict.fromkeys((("k", layer), ("v", layer), ("x", layer + 1)), True)
        case _:
            return {(row, layer): False for layer in range(n_layers) for row in "xkv"} | {("x", n_layers): False}
