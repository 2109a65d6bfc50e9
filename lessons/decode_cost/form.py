"""What a reader may edit, and how the fields become a Scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.decode_cost import Mistake, Scenario
from lessons.decode_cost.wrong import MISTAKES
from lessons.kit.controls import Choice, Control, Whole
from lessons.kit.form import Form
from lessons.kit.text import Text

PROMPT = Whole("prompt", Text("Prompt tokens P", "提示 token 数 P"), 1, 1000)
NEW = Whole("new", Text("New tokens M", "新 token 数 M"), 1, 200)
MISTAKE = Choice(
    "mistake",
    Text("Compare with a mistake", "与一种错误比较"),
    tuple((mistake.value, words) for mistake, words in MISTAKES.items()),
    short=Text("Mistake", "错误"),
)


def _values(scenario: Scenario) -> dict[str, Any]:
    return {"prompt": scenario.n_prompt, "new": scenario.n_new, "mistake": scenario.mistake.value}


def _build(values: Mapping[str, Any]) -> Scenario:
    return Scenario(values["prompt"], values["new"], Mistake(values["mistake"]))


def form(*controls: Control) -> Form[Scenario]:
    """A form of these controls; what it leaves out stays as it is in the Scenario edited."""
    return Form(controls, _build, _values)


FORM = form(PROMPT, NEW, MISTAKE)
