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
    Proof,
    ProofStep,
    Replaced,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
    Step,
)
from engine.prompt_edits import holds
from lessons.kit.format import delta, fixed
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Shape
from lessons.kit.text import Text
from lessons.kv_reuse.naming import brief, letter
from lessons.kv_reuse.scene.layout import MAP_X, ROW, ROW_H, Layout

Place = tuple[str, int, int]  # row x, k or v · layer · position
OWN = {"k": Role.K, "v": Role.V}
State = tuple[tuple[Role, ...], str]  # what is known of a cell, and the small line in it
KNOWN: State = (), ""
FRESH: State = (Role.NEW,), ""
PENDING: State = (Role.PENDING,), ""


def draw_map(lay: Layout, scenario: Scenario, step: Step) -> list[Shape]:
    """The map after a step of the right way."""
    shapes = [*_heads(lay, scenario, step), *_names(lay)]
    for place in _places(lay):
        state = _state(lay, scenario, step, place)
        if state is not None:
            shapes.append(_cell(lay, scenario, step.run, place, state))
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
            was = letter(scenario.replaced)
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


def _cell(lay: Layout, scenario: Scenario, run: Run, place: Place, state: State) -> Cell:
    (row, layer, t), (roles, small) = place, state
    vector = run.hidden[layer, t] if row == "x" else (run.k if row == "k" else run.v)[layer][scenario.kv_head, t]
    text = ", ".join(fixed(round(float(a), 2), 2) for a in vector[: lay.numbers]) if lay.wide else row
    if lay.wide and (lay.numbers == 1 or lay.pitch > 110):
        text += ", …"
    if state is PENDING:
        text = ""
    elif row in OWN:
        roles = (OWN[row], *roles)
    return Cell(f"{row}.{layer}.{t}", lay.column(t), lay.line(row, layer), text, lay.cell_w, ROW_H, small, roles=roles)


def _places(lay: Layout) -> Iterator[Place]:
    for t in range(lay.n):
        for layer in range(lay.n_layers):
            yield from ((row, layer, t) for row in "xkv")
        yield "x", lay.n_layers, t


def _state(lay: Layout, scenario: Scenario, step: Step, place: Place) -> State | None:
    """What is known of a cell; None where it is not drawn."""
    row, layer, t = place
    newest = t == lay.n - 1
    match step:
        case Cached():
            return None if newest else KNOWN
        case Appended():
            return KNOWN if not newest else FRESH if (row, layer) == ("x", 0) else PENDING
        case SameInputs() | SameView() | SameOutputs() | NextLayer() | Conclusion():
            if not _compared(step, row, layer):
                return PENDING
            if newest:
                return FRESH if _just_now(step, row, layer) else KNOWN
            return _measured(lay, step.proof, place)
        case Project(layer=at) | Look(layer=at) | Finish(layer=at) if newest:
            if layer < at or (layer == at and (row == "x" or not isinstance(step, Project))):
                return KNOWN
            handed_up = isinstance(step, Finish) and (row, layer) == ("x", at + 1)
            return FRESH if layer == at or handed_up else PENDING
        case NextToken() if newest:
            return KNOWN
        case Project() | Look() | Finish() | NextToken():
            return None if row == "x" else _measured(lay, step.proof, place)
        case Replaced():
            return _measured(lay, step, place)
        case Mended() | AskedNext():
            if row == "x":
                return None
            if t < scenario.first_to_recompute:
                return (Role.REUSED,), ""
            return FRESH if isinstance(step, Mended) else KNOWN


def _measured(lay: Layout, tables: Proof | Replaced, place: Place) -> State:
    """Whether the cell still holds, and by how much it is off."""
    row, layer, t = place
    off = float({"x": tables.x, "k": tables.k, "v": tables.v}[row][layer, t])
    return (Role.REUSED if holds(off) else Role.STALE,), f"|Δ| = {delta(off)}" if lay.pitch >= 110 else brief(off)


def _compared(step: ProofStep, row: str, layer: int) -> bool:
    """Whether the row has been compared by now."""
    match step:
        case SameInputs() | SameView():
            return layer == 0
        case SameOutputs(layer=at) | NextLayer(layer=at):
            return layer <= at or (row, layer) == ("x", at + 1)
        case _:
            return True


def _just_now(step: ProofStep, row: str, layer: int) -> bool:
    """Whether the row has been compared in this step."""
    match step:
        case SameInputs():
            return row != "x"
        case SameOutputs():
            return layer == 1
        case NextLayer(layer=at):
            return (layer == at and row != "x") or layer == at + 1
        case _:
            return False
