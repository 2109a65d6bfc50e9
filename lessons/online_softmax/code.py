"""The program of this lesson: what each step runs, and what each mistake changes in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

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
    WholeTable,
    output,
)
from lessons.kit.code import Code
from lessons.kit.format import few, fixed, short, size
from lessons.online_softmax import listing
from lessons.online_softmax.trace import Saved, Step


def _given(s: Scenario) -> Mapping[str, Any]:
    return {
        "labels": list(s.labels),
        "scores": np.asarray(s.scores),
        "values": np.asarray(s.values),
        "order": list(s.reading),
        "tile_size": s.tile_size,
    }


def _runs(s: Scenario, step: Step) -> Mapping[str, str]:
    match step:
        case WholeTable():
            return {"plain": ""}
        case ReadTile():
            return {"read": f"s = {few((s.scores[key] for key in step.tile.keys), short)}"}
        case CompareMax(m_old=old, m_new=new):
            compared = {"compare": f"m_new = {short(new)}"}
            if -math.inf < old < new:  # the next step shrinks
                return compared
            return compared | {"alpha": f"α = {int(old > -math.inf)}", "shrink": ""}
        case Shrink():
            return {"alpha": f"α = {fixed(step.alpha)}", "shrink": _held(step.after)}
        case AddTile():
            return {"weights": f"p = {few(step.p)}", "add": _held(step.after), "keep": ""}
        case Divide():
            return {"divide": f"o = ({few(step.output)})"}
        case Check():
            return {"plain": f"o = ({few(step.plain)})"}
        case Saved():
            return {"plain": size(step.plain.total), "read": size(step.tiled.total)}


def _held(state: State) -> str:
    return f"ℓ = {fixed(float(state.l))}, u = ({few(state.u)})"


CODE: Code[Scenario, Step] = Code.of(
    listing,
    given=_given,
    call="fold(scores, values, order, tile_size)",
    check="plain(scores, values)",
    result=output,
    runs=_runs,
    wrong={
        Mistake.NO_RESCALE: {"shrink": ""},
        Mistake.RESCALE_L_ONLY: {"shrink": "        l, u = alpha * l, u"},
        Mistake.RESCALE_U_ONLY: {"shrink": "        l, u = l, alpha * u"},
        Mistake.TILE_MAX: {"weights": "        p = exp(s, s.max())"},
        Mistake.NO_MAX: {"shrink": "", "weights": "        p = np.exp(s)"},
    },
)
