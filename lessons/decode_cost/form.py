"""What a reader may edit."""

from __future__ import annotations

from engine.decode_cost import Scenario
from lessons.decode_cost.mistakes import MISTAKES
from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.text import Text

PROMPT = Whole("prompt", Text("Prompt tokens P", "提示 token 数 P"), 1, 1000, of="n_prompt")
NEW = Whole("new", Text("New tokens M", "新 token 数 M"), 1, 200, of="n_new")

FORM: Form[Scenario] = Form((PROMPT, NEW, MISTAKES.choice))
