"""The program of this lesson: what each step runs, and what each mistake changes in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from engine.paged import Mistake, last_block_fill
from engine.paged_lookup import FIRST, Appended, Arrived, Divided, Filled, Freed, LookUp, Read
from engine.paged_output import Attended, Reserved, Saved, Scenario, Step
from lessons.block_table import listing
from lessons.block_table.trace import trace
from lessons.kit.code import Code
from lessons.kit.format import few
from lessons.kit.phrases import bracketed


def _given(s: Scenario) -> Mapping[str, Any]:
    return {
        "n": s.n_tokens,
        "more": s.n_appended,
        "second": s.n_second,
        "free": list(s.hand_out),
        "n_blocks": s.n_blocks,
        "size": s.block_size,
    }


def _runs(s: Scenario, step: Step) -> Mapping[str, str]:
    size = s.block_size
    match step:
        case Reserved():
            return {"pool": f"len(memory) = {s.n_blocks * size}", "made": ""}
        case Filled(memory=memory):
            return {"first": f"table = {bracketed(memory.table(FIRST).blocks)}", "take": "", "store": ""}
        case Divided(logical=logical, offset=offset):
            return {"divide": f"logical, offset = {logical}, {offset}"}
        case LookUp(slot=place):
            assert place is not None
            return {"look_up": f"block = {place // size}", "slot": str(place)}
        case Read(slot=place):
            return {"attend": f"memory[{place}]"}
        case Attended():
            end = "last" if step.again else "first"
            read = {"rows": "", "loop": f"slots = {_few(step.slots)}", "attend": "", "weigh": ""}
            return read | {end: f"({few(step.output)})"}
        case Appended(position=p, slots=slots, allocated=allocated, memory=memory):
            miscounted = s.mistake if s.mistake is Mistake.FILL_MODULO else Mistake.NONE
            grown = {"grow": f"table = {bracketed(memory.table(FIRST).blocks)}"}
            return {
                "more": "",
                "fill": str(last_block_fill(p, size, miscounted)),
                "full": "",
                **(grown if allocated else {}),
                "write": f"memory[{slots[0]}]" if len(slots) == 1 else f"memory[{slots[0]} : {slots[-1] + 1}]",
            }
        case Arrived(allocated=blocks):
            return {"second": _few(blocks), "take": "", "store": ""}
        case Freed(memory=memory):
            return {"release": f"len(free) = {len(memory.free)}"}
        case Saved(paged=paged, entries=entries):
            return {"take": "", "grow": f"{entries} × {size} = {paged.slots}"}


def _few(numbers: Iterable[int]) -> str:
    return f"[{few(numbers, str)}]"


CODE: Code[Scenario, Step] = Code.of(
    listing,
    given=_given,
    call="serve(n, more, second, list(free), n_blocks, size)",
    check="np.array([attend(end - 1, made(range(end))) for end in (n, n + more)])",
    result=lambda s: np.array([step.output for step in trace(s) if isinstance(step, Attended)]),
    runs=_runs,
    wrong={
        Mistake.LOGICAL_AS_PHYSICAL: {"look_up": "    block = logical"},
        Mistake.FILL_MODULO: {"fill": "    return n % size  # tokens in the last block | 末块里的 token 数"},
        Mistake.MINUS_ONE_WRAPS: {"loop": "    slots = [slot(p, table, size) for p in range(-1, rows)]"},
    },
)
