"""What several steps have in common: m, ℓ and u before and after, and the line of the trace's table."""

from __future__ import annotations

import math

from engine.online_softmax import Scenario, State, Tile
from lessons.kit.format import fixed, short, vector
from lessons.kit.lesson import Facts
from lessons.kit.text import Text
from lessons.kit.told import Told

BEFORE, AFTER, WRONG = Text("before", "之前"), Text("after", "之后"), Text("wrong way", "错误做法")

Numbers = tuple[str, ...]


def three(held: State, m: float | None = None) -> Numbers:
    """m, ℓ and u as they are written; with another m where that is already known."""
    return short(float(held.m) if m is None else m), fixed(float(held.l)), vector(held.u)


def before_and_after(before: Numbers, after: Numbers, wrong: Numbers | None) -> Facts:
    """m, ℓ, u and perhaps o; a last column for the wrong way where there is one."""
    head, lines = ("", BEFORE, AFTER), tuple(zip("mℓuo", before, after, strict=False))
    changed = frozenset(i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)
    if wrong is None:
        return Facts(head, lines, changed)
    spoilt = frozenset(i for i, (a, b) in enumerate(zip(after, wrong, strict=True)) if a != b)
    table = tuple((*line, word) for line, word in zip(lines, wrong, strict=True))
    return Facts((*head, WRONG), table, changed, spoilt)


def holds(right: State, wrong: State) -> Text:
    """What the wrong way holds, where that is something else."""
    if right == wrong:
        return Text("no difference so far.", "到目前为止没有差别。")
    return Told("it holds ℓ = {l}, u = ({u:vector}).", "它保存的是 ℓ = {l}，u =（{u:vector}）。").on(wrong)


def already(right: State, wrong: State) -> Text:
    """Where nothing held changes: whether the ways have parted before."""
    if right == wrong:
        return Text("no difference so far.", "到目前为止没有差别。")
    return Text("nothing new; what it holds differs since an earlier step.", "没有新的差别；它保存的数此前已经不同。")


def row(
    s: Scenario, tile: Tile | None, held: State | None, *, alpha: float | None = None, total: float | None = None
) -> dict[str, object]:
    """A step as one line of the trace's table: plain numbers, empty where the step does not say."""
    output = None if held is None or held.l == 0 else held.output
    return {
        "tile": None if tile is None else tile.index + 1,
        "keys": "" if tile is None else " ".join(s.labels[key] for key in tile.keys),
        "m": None if held is None else float(held.m),
        "α": alpha,
        "Σp": total,
        "ℓ": None if held is None else float(held.l),
        **{f"u{i + 1}": None if held is None else float(held.u[i]) for i in range(s.d)},
        **{f"o{i + 1}": None if output is None else float(output[i]) for i in range(s.d)},
    }


def power(x: float) -> float:
    """e^x, ∞ where that is too large."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
