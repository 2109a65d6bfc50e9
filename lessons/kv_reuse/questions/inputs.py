"""What the questions on reuse share: their numbers, their fields, and the scenario that shows them step by step."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from engine.kv_reuse import Mistake, Scenario
from engine.prompt_edits import Experiment, Operation
from lessons.kit.controls import BadInput, Whole
from lessons.kit.form import Form
from lessons.kit.question import Slip
from lessons.kit.text import Text
from lessons.kit.units import Unit

I = TypeVar("I")
MOST = 100_000
RELATIVE = 0.0005  # counts are whole, but a student may write four digits

LENGTH = Whole("length", Text("Prompt length", "提示长度"), 2, MOST)
SHORT = Whole("length", Text("Prompt length", "提示长度"), 2, 8)
AT = Whole("at", Text("Position (from 0)", "位置（从 0 数）"), 0, MOST)
LAYERS = Whole("layers", Text("Layers", "层数"), 1, 200)
FEW_LAYERS = Whole("layers", Text("Layers", "层数"), 1, 3)
WINDOW = Whole("window", Text("Window, itself included", "窗口大小（含自己）"), 1, MOST)
BLOCK = Whole("block", Text("Block size", "内存块大小"), 1, 1024)
POSITION = Unit(Text("positions", "个位置"), "positions")

SHORTER = Text(" The steps show the same on a shorter prompt.", "下面的步骤用一个较短的提示演示同样的道理。")


def form(of: type[I], *controls: Whole) -> Form[I]:
    """A form whose fields are some of the dataclass's own; a position must lie inside the prompt."""

    def build(values: Mapping[str, Any]) -> I:
        if {"length", "at"} <= values.keys() and values["at"] >= values["length"]:
            most = values["length"] - 1
            raise BadInput(
                Text(
                    f"**{AT.label.en}** may be at most {most} here; it reads {values['at']}.",
                    f"**{AT.label.zh}**在这里最多为 {most}；现在是 {values['at']}。",
                )
            )
        return of(**values)

    return Form(controls, build, lambda inputs: asdict(inputs))  # type: ignore[call-overload]


def slip(
    name: str, title: Text, formula: Callable[[I], float], said: Text, way: Callable[[I], Scenario] | None = None
) -> Slip[I]:
    return Slip(name, title, lambda inputs: formula(inputs), lambda inputs: said, way)


def prompt(length: int, at: int, layers: int = 3) -> Scenario:
    """A prompt of at most eight tokens, edited at most two before its end, so that something stands behind the edit."""
    n = max(3, min(length, 8))
    return Scenario(
        tuple(range(n - 1)), appended=n - 1, edit_at=min(at, n - 2), edit_to=10, asked=9, n_layers=min(layers, 3)
    )


@dataclass(frozen=True)
class Prompt:
    """A cached prompt and a position in it, from 0."""

    length: int
    at: int


@dataclass(frozen=True)
class Rows:
    """A short cached prompt, a position in it, and a model's layers."""

    length: int
    at: int
    layers: int


def long_prompt(rng: random.Random) -> Prompt:
    length = rng.randint(20, 400)
    return Prompt(length, rng.randint(3, length - 3))


def short_way(inputs: Prompt, operation: Operation, mistake: Mistake = Mistake.NONE) -> Scenario:
    n = min(inputs.length, 128)
    lab = Experiment(operation, length=n, position=min(inputs.at, n - 1))
    return replace(prompt(inputs.length, inputs.at), experiment=lab, mistake=mistake)


def exactly(q: Rows) -> Scenario:
    """The very prompt of the question."""
    return Scenario(
        tuple(range(q.length - 1)), appended=q.length - 1, edit_at=q.at, edit_to=10, asked=9, n_layers=q.layers
    )


def up_to(n: int) -> Text:
    """Positions 0 to n − 1 in words."""
    return Text("none", "没有") if n <= 0 else Text(f"0 to {n - 1}", f"0 到 {n - 1}")
