"""The picture of one step."""

# TODO: at most 1130 × 440 units, the same at every step; keys equal where the reader sees the same thing.

from __future__ import annotations

from lessons.kit.lesson import like
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Cell, Label, Shape
from lessons.kit.text import Text
from lessons.new.running_total.engine import Add, Done, Scenario, Start, Step

WIDTH, HEIGHT = 720.0, 190.0
LEFT, PITCH, TOTAL_X = 24.0, 56.0, 520.0


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """The wrong way's total stands beside the right one, hatched where it differs."""
    right = _total(step, 40.0, "", Text("total", "总和"))
    shapes = (*_numbers(scenario, step), *right)
    other = like(step, wrong)
    if other is not None:
        shapes += marked(_total(other, 120.0, "wrong.", Text("wrong way", "错误做法")), right, prefix="wrong.")
    return Scene(WIDTH, HEIGHT, Text("A row of numbers and their total. ", "一行数和它们的总和。"), shapes)


def _numbers(s: Scenario, step: Step) -> tuple[Shape, ...]:
    done = step.i if isinstance(step, Add) else s.n if isinstance(step, Done) else -1
    cells = [
        Cell(
            f"number.{i}",
            LEFT + i * PITCH,
            60,
            str(number),
            48,
            44,
            roles=(Role.NEW,) if isinstance(step, Add) and i == done else (Role.DONE if i < done else Role.PENDING,),
        )
        for i, number in enumerate(s.numbers)
    ]
    return (Label("numbers", LEFT, 40, Text("numbers", "数"), "body strong start"), *cells)


def _total(step: Step, y: float, key: str, name: Text) -> tuple[Shape, ...]:
    total = 0 if isinstance(step, Start) else step.total
    return (
        Label(f"{key}name", TOTAL_X, y, name, "body strong start"),
        Cell(f"{key}total", TOTAL_X, y + 14, str(total), value=float(total)),
    )
