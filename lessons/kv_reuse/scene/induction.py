"""The right half of the picture during the proof: what is known so far, and who may see whom."""

from __future__ import annotations

from engine.kv_reuse import (
    Appended,
    Conclusion,
    NextLayer,
    Proof,
    ProofStep,
    Replaced,
    SameInputs,
    SameOutputs,
    SameView,
    Scenario,
)
from engine.prompt_edits import holds
from lessons.kit.format import delta
from lessons.kit.roles import Role
from lessons.kit.shapes import Box, Cell, Label, Line, Shape, Table
from lessons.kit.text import Text, same
from lessons.kit.told import Told
from lessons.kv_reuse.naming import letter, names
from lessons.kv_reuse.scene.layout import PANEL_W, PANEL_X, Layout

DONE = {Appended: 0, SameInputs: 2, SameView: 3, SameOutputs: 4, NextLayer: 4}


def draw_induction(lay: Layout, scenario: Scenario, step: ProofStep) -> list[Shape]:
    """The list with its ticks, or the whole proof as a table."""
    if isinstance(step, Conclusion):
        return _conclusion(lay, step)
    layer = 0 if isinstance(step, Appended) else step.layer
    done = DONE[type(step)]
    shapes: list[Shape] = [
        Box("proof.panel", PANEL_X, 20, PANEL_W, 322, "panel"),
        Label(
            "proof.title",
            PANEL_X + 20,
            52,
            Text(f"The induction step, layer {layer}", f"归纳的一步，第 {layer} 层"),
            "body strong start",
        ),
    ]
    for i, (good, claim, figure) in enumerate(_claims(scenario, step.proof, layer)):
        y = 90 + 54 * i
        known = i < done
        tick, tone = ("○", "muted") if not known else ("✓", "good") if good else ("≠", "bad")
        shapes += [
            Label(f"proof.tick.{i}", PANEL_X + 22, y, tick, f"num strong start {tone}"),
            Label(f"proof.claim.{i}", PANEL_X + 50, y, claim, "body start" + " muted" * (not known)),
        ]
        if known:
            shapes.append(
                Label(f"proof.figure.{i}", PANEL_X + 50, y + 20, figure, f"small start {tone if not good else 'muted'}")
            )
    last = layer == lay.n_layers - 1
    onward = (
        Text("which is the model’s last layer", "这已是最后一层")
        if last
        else Text(f"which are layer {layer + 1}’s inputs", f"也就是第 {layer + 1} 层的输入")
    )
    if done >= 4:
        shapes += [
            Label("proof.arrow", PANEL_X + 22, 306, "→", "num strong accent start"),
            Label("proof.onward", PANEL_X + 50, 306, onward, "body start"),
        ]
    if done >= 3:
        shapes += _sight(scenario, step.proof, new=isinstance(step, SameView))
    return shapes


def _claims(scenario: Scenario, proof: Proof, layer: int) -> list[tuple[bool, Text, Text]]:
    """Whether it holds, what, and the figure that says so."""
    moved = proof.moved(layer)
    if proof.same_view:
        view = Told("{new} is masked from them", "{new} 对它们不可见")
    else:
        view = Told("now some see {new} as well", "现在有的还看得见 {new}")
    return [
        (holds(moved.x), Told("inputs of {old}", "{old} 的输入").on(names(scenario)), _figure(moved.x)),
        (holds(moved.kv), Text("so their k and v", "所以它们的 k 和 v"), _figure(moved.kv)),
        (proof.same_view, Text("what they may see", "它们能看见的"), view.on(names(scenario))),
        (holds(moved.y), Text("so their outputs", "所以它们的输出"), _figure(moved.y)),
    ]


def _figure(x: float) -> Text:
    if x == 0:
        kind = Told("largest |Δ| = {x:delta}, measured", "最大 |Δ| = {x:delta}，实测")
    elif holds(x):
        kind = Told("largest |Δ| = {x:delta}: rounding", "最大 |Δ| = {x:delta}：舍入")
    else:
        kind = Told("largest |Δ| = {x:delta}: changed", "最大 |Δ| = {x:delta}：变了")
    return kind.on(x=x)


def _sight(scenario: Scenario, proof: Proof, *, new: bool) -> list[Shape]:
    """Rows ask, columns are looked at; the appended token's are outlined."""
    n = len(proof.seen)
    size = min(46.0, 196.0 / n)
    left, top = PANEL_X + PANEL_W - 24 - n * size, 104.0
    shapes: list[Shape] = [
        Label(
            "sight.title",
            left + n * size / 2,
            68,
            Text("row asks, column is seen", "行提问，列被看"),
            "small muted middle",
        ),
    ]
    style = "small strong middle"
    for t, token in enumerate(scenario.longer):
        accent = " accent" * (t == n - 1)
        shapes.append(Label(f"sight.column.{t}", left + (t + 0.5) * size, top - 12, letter(token), style + accent))
        shapes.append(Label(f"sight.row.{t}", left - 14, top + (t + 0.5) * size + 5, letter(token), style + accent))
        for j in range(n):
            sees, late = bool(proof.seen[t, j]), n - 1 in (t, j)
            changed = sees and j == n - 1 and t != n - 1
            roles = (
                *((Role.NEW,) if late and new and not changed else ()),
                *((Role.STALE,) if changed else ()),
                *(() if sees else (Role.MASK,)),
            )
            shapes.append(
                Cell(
                    f"sight.{t}.{j}",
                    left + j * size + 2,
                    top + t * size + 2,
                    "✓" if sees and size >= 30 else "",
                    size - 4,
                    size - 4,
                    roles=roles,
                )
            )
    return shapes


def _conclusion(lay: Layout, step: Conclusion) -> list[Shape]:
    """Every layer's figures in one table."""
    proof = step.proof
    rows: list[tuple[Text | str, ...]] = [(Text("old positions, largest |Δ|", "旧位置，最大 |Δ|"), same("x"), "k", "v")]
    for layer in range(lay.n_layers):
        moved = proof.moved(layer)
        rows.append((Text(f"layer {layer}", f"第 {layer} 层"), delta(moved.x), delta(moved.k), delta(moved.v)))
    rows.append((Text("output", "输出"), delta(moved.y), "", ""))
    y = 60 + 32 * len(rows) + 20
    good = proof.holds_everywhere
    verdict = (
        Text("✓ every old k and v may be kept", "✓ 每个旧的 k 和 v 都可以留着")
        if good
        else Text("≠ the old k and v may not be kept", "≠ 旧的 k 和 v 不能照用")
    )
    return [
        Label(
            "proof.title",
            PANEL_X + 20,
            52,
            Text("The induction, layer by layer", "逐层归纳的结果"),
            "body strong start",
        ),
        Table("proof.table", PANEL_X + 20, 62, tuple(rows), (196.0, 106.0, 106.0, 106.0)),
        Label("proof.verdict", PANEL_X + 20, y + 16, verdict, "num strong start " + ("good" if good else "bad")),
    ]


def draw_replaced(lay: Layout, scenario: Scenario, step: Replaced) -> list[Shape]:
    """How many rows of each layer no longer hold."""
    head = (Text("rows no longer valid", "失效的行数"), "k", "v", Text("of", "共"))
    rows: list[tuple[Text | str, ...]] = [head]
    for layer in range(lay.n_layers):
        rows.append((Text(f"layer {layer}", f"第 {layer} 层"), *map(str, step.changed(layer)), str(lay.n)))
    y = 62 + 32 * len(rows) + 40
    kept = Told("reusable prefix: {first_to_recompute:token}", "可复用的前缀：{first_to_recompute} 个 token")
    return [
        Label(
            "edit.title",
            PANEL_X + 20,
            52,
            Text("The old cache against the edited prompt", "旧缓存与编辑后的提示相比"),
            "body strong start",
        ),
        Table("edit.table", PANEL_X + 20, 62, tuple(rows), (230.0, 70.0, 70.0, 70.0)),
        Label("edit.kept", PANEL_X + 20, y, kept.on(scenario), "num strong accent start"),
        Line("edit.rule", PANEL_X + 20, y + 14, 440.0),
    ]
