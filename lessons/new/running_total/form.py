"""What a reader may edit."""

# TODO: one line a field, with its bounds. `of` names the Scenario's attribute where it is not the field's own name.

from __future__ import annotations

from lessons.kit.controls import Whole
from lessons.kit.form import Form
from lessons.kit.text import Text
from lessons.new.running_total.engine import Scenario
from lessons.new.running_total.mistakes import MISTAKES

FIRST = Whole("first", Text("First number", "第一个数"), 0, 50)
N = Whole("n", Text("How many", "个数"), 1, 8)

FORM: Form[Scenario] = Form((FIRST, N, MISTAKES.choice))
BY_NUMBER = FORM.only(FIRST, N)
