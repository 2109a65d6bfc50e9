"""What several steps have in common: the small table beside the words, the line of the trace's table, and what a
mistake does there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from engine.kv_reuse import OnLayer, Proof, Scenario, Step, apart
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import delta
from lessons.kit.lesson import Facts
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.mistakes import MISTAKES

T = TypeVar("T", bound=Step)

COMPUTED, KEPT = Text("computed", "计算"), Text("kept", "留用")


def row(
    *,
    layer: int | None = None,
    x: float | None = None,
    k: float | None = None,
    v: float | None = None,
    computed: int | None = None,
    kept: int | None = None,
    off: float | None = None,
) -> dict[str, object]:
    """A step as one line of the trace's table; empty where the step does not say."""
    return {
        "layer": layer,
        "max |Δx|": x,
        "max |Δk|": k,
        "max |Δv|": v,
        "computed": computed,
        "kept": kept,
        "max |Δlogit|": off,
    }


def row_of(step: OnLayer) -> dict[str, object]:
    """The line of a step that compares one layer."""
    moved = step.moved
    return row(layer=step.layer, x=moved.x, k=moved.k, v=moved.v)


def row_of_all(proof: Proof) -> dict[str, object]:
    """The line of a step that concerns every layer."""
    x, k, v = (float(table.max()) for table in (proof.x, proof.k, proof.v))
    return row(x=x, k=k, v=v)


def compared(step: OnLayer, *, outputs: bool) -> Facts:
    """How many old rows of a layer may stay, and the differences that say so."""
    moved, n = step.moved, step.proof.n_old
    rows: list[tuple[Text | str, ...]] = [
        (Text("rows of k, v", "k、v 的行数"), "1", str(n) if step.proof.holds(step.layer) else "0"),
        (Text("largest |Δ| of k, v", "k、v 的最大 |Δ|"), "", delta(moved.kv)),
    ]
    if outputs:
        rows.append((Text("largest |Δ| of the output", "输出的最大 |Δ|"), "", delta(moved.y)))
    return Facts((in_layer(step.layer), COMPUTED, KEPT), tuple(rows), frozenset({1}))


def in_layer(layer: int) -> Text:
    return Text(f"layer {layer}", f"第 {layer} 层")


def rounding(x: float) -> Text:
    """What a figure is: to the last bit, or the rounding of another order of summation."""
    if x == 0:
        return Text(", the same to the last bit", "，逐位相同")
    return Text(
        ", rounding: a batch of another shape sums in another order", "，这是舍入：批的形状不同，求和次序就不同"
    )


def counting(prompt: Told, answer: int, *slips: tuple[int, Told], on: tuple[object, ...]) -> Ask | None:
    """A question that only the very number answers; its words are filled from these things."""
    guesses = (Guess(float(value), said.on(*on)) for value, said in slips)
    return asking(prompt.on(*on), float(answer), guesses, relative=0, absolute=0, shown=str(answer))


def where_apart(s: Scenario, step: T, wrong: T | None, did: Callable[[T], Text]) -> Text | None:
    """The paragraph on the wrong way where its numbers differ; None elsewhere, where `narrate` says at which step they
    do."""
    return MISTAKES.beside(s, wrong, did) if wrong is not None and apart(step, wrong) else None
