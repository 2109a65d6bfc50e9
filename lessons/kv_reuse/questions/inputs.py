"""What the questions on reuse share: their numbers, their fields, and the scenario that shows them step by step."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.kv_reuse import Scenario
from engine.prompt_edits import Experiment, Operation
from lessons.kit.controls import Complaint, Whole
from lessons.kit.question import Tolerance
from lessons.kit.text import Text
from lessons.kit.units import Unit
from lessons.kv_reuse import form

MOST = 100_000
FOUR_DIGITS = Tolerance(0.0005, 0.01)  # counts are whole, but a student may write four digits

LENGTH = Whole("length", form.LENGTH.label, 2, MOST)
SHORT = Whole("length", form.LENGTH.label, 2, 8)
AT = Whole("at", form.AT.label, 0, MOST)
LAYERS = Whole("layers", form.LAYERS.label, 1, 200)
FEW_LAYERS = Whole("layers", form.LAYERS.label, 1, 3)
WINDOW = Whole("window", form.WINDOW.label, 1, MOST)
BLOCK = Whole("block", Text("Block size", "内存块大小"), 1, 1024)
ORDINAL = Whole("ordinal", Text("Which token (from 1)", "第几个 token（从 1 数）"), 1, MOST)
POSITION = Unit(Text("positions", "个位置"), "positions")

SHORTER = Text(" The steps show the same on a shorter prompt.", "下面的步骤用一个较短的提示演示同样的道理。")


def inside(values: Mapping[str, Any]) -> Iterator[Complaint]:
    """What is wrong with a position that does not lie inside the prompt."""
    return form.at_most(AT, values["at"], values["length"] - 1)


@dataclass(frozen=True)
class Prompt:
    """A cached prompt and a position in it, from 0."""

    length: int
    at: int

    @property
    def last(self) -> int:
        return self.length - 1

    @property
    def longer(self) -> int:
        """Positions once a token is inserted."""
        return self.length + 1

    @property
    def from_there(self) -> int:
        """Of these, those from the inserted one on."""
        return self.longer - self.at


@dataclass(frozen=True)
class Rows:
    """A short cached prompt, a position in it, and a model's layers."""

    length: int
    at: int
    layers: int

    @property
    def last(self) -> int:
        return self.length - 1

    @property
    def behind(self) -> int:
        """The position and all behind it."""
        return self.length - self.at

    @property
    def above(self) -> int:
        """Layers above layer 0."""
        return self.layers - 1

    @property
    def changed(self) -> int:
        """Rows of k that a replacement changes."""
        return 1 + self.above * self.behind


def long_prompt(rng: random.Random) -> Prompt:
    length = rng.randint(20, 400)
    return Prompt(length, rng.randint(3, length - 3))


def prompt(length: int, at: int, layers: int = 3) -> Scenario:
    """A prompt of at most eight tokens, edited at most two before its end, so that something stands behind the edit."""
    n = max(3, min(length, 8))
    return exactly(Rows(n, min(at, n - 2), min(layers, 3)))


def exactly(q: Rows) -> Scenario:
    """The very prompt of the question."""
    tokens, appended = tuple(range(q.last)), q.last
    return Scenario(tokens, appended, edit_at=q.at, edit_to=10, asked=9, n_layers=q.layers)


def replacing(q: Prompt) -> Scenario:
    """A token replaced: on a shorter prompt in the steps, on one as long as possible in the laboratory."""
    return _changing(q, Operation.REPLACE)


def inserting(q: Prompt) -> Scenario:
    """The same with a token inserted, in the laboratory alone: the steps replace one."""
    return _changing(q, Operation.INSERT)


def _changing(q: Prompt, operation: Operation) -> Scenario:
    n = min(q.length, 128)
    return replace(prompt(q.length, q.at), experiment=Experiment(operation, length=n, position=min(q.at, n - 1)))
