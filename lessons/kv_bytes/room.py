"""A question's own inputs: a model, and memory that is free for its cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.kv_size import GIB, Scenario, one_more
from lessons.kit.controls import Control, Real
from lessons.kit.form import Form
from lessons.kit.text import Text
from lessons.kv_bytes.form import plain_form

MEMORY_FREE = Real("free", Text("Free memory in GiB", "可用显存（GiB）"), 0.25, 1_000.0)


@dataclass(frozen=True)
class Room:
    """`free` GiB for the cache of one sequence of the scenario's model."""

    scenario: Scenario
    free: float

    @property
    def way(self) -> Scenario:
        """The longest sequence that fits, one token at the least."""
        fits = int(self.free * GIB) // max(1, one_more(self.scenario)[0])
        return replace(self.scenario, seq_len=max(1, fits))


def room_form(*controls: Control) -> Form[Room]:
    """A form of these controls over a Room."""
    inner = plain_form()

    def values(room: Room) -> dict[str, Any]:
        return {**inner.taken_apart(room.scenario), "free": room.free}

    def build(values: Mapping[str, Any]) -> Room:
        return Room(inner.made(values, None), values["free"])  # type: ignore[arg-type]

    return Form(controls, build, values)
