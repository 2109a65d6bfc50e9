"""What a reader may edit, and how the fields become a Scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.online_softmax import Mistake, Scenario
from lessons.kit.controls import BadInput, Choice, Control, Line, Whole, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.key_table import KeyTable, Row
from lessons.kit.text import Text
from lessons.online_softmax.wrong import MISTAKES

KEYS = KeyTable("keys", Text("Scores and values", "分数与值"))
TILE = Whole("tile", Text("Tile size", "分块大小"), 1, 16)
ORDER = Line(
    "order",
    Text("Reading order", "读取顺序"),
    Text(
        "row numbers or labels, e.g. 3, 1, 2; empty reads the rows as written",
        "行号或标签，例如 3, 1, 2；留空则按表中顺序",
    ),
)
MISTAKE = Choice(
    "mistake",
    Text("Compare with a mistake", "与一种错误比较"),
    tuple((mistake.value, words) for mistake, words in MISTAKES.items()),
    short=Text("Mistake", "错误"),
)


def _values(scenario: Scenario) -> dict[str, Any]:
    rows = zip(scenario.labels, scenario.scores, scenario.values, strict=True)
    order = "" if scenario.order is None else ", ".join(str(key + 1) for key in scenario.order)
    return {
        "keys": tuple(Row(*row) for row in rows),
        "tile": scenario.tile_size,
        "order": order,
        "mistake": scenario.mistake.value,
    }


def _build(values: Mapping[str, Any]) -> Scenario:
    rows: tuple[Row, ...] = values["keys"]
    return Scenario(
        tuple(row.score for row in rows),
        tuple(row.value for row in rows),
        tuple(row.label for row in rows),
        values["tile"],
        Mistake(values.get("mistake", Mistake.NONE.value)),
        _order(values.get("order", ""), tuple(row.label for row in rows)),
    )


def _order(typed: str, labels: tuple[str, ...]) -> tuple[int, ...] | None:
    """Row numbers (from 1) or labels, each once, as positions from 0; None where that is the order written."""
    n = len(labels)
    words = [word for word in re.split(r"[\s,，、;；]+", typed) if word]
    if not words:
        return None
    numbers = [
        int(plain) - 1 if (plain := ascii_number(word)).isdecimal() and len(plain) < 4 else None for word in words
    ]
    if None in numbers:
        numbers = [labels.index(word) if labels.count(word) == 1 else None for word in words]
    order = tuple(number for number in numbers if number is not None)
    if len(order) != len(words) or sorted(order) != list(range(n)):
        raise BadInput(
            Text(
                f"**{ORDER.label.en}** must name each of the {n} rows once, by number or by label, e.g. "
                f"`{', '.join(map(str, range(n, 0, -1)))}`; it reads “{shown(typed)}”.",
                f"**{ORDER.label.zh}**应把 {n} 行各列一次（行号或标签），例如 "
                f"`{', '.join(map(str, range(n, 0, -1)))}`；"
                f"现在是“{shown(typed)}”。",
            )
        )
    return None if order == tuple(range(n)) else order


def form(*controls: Control) -> Form[Scenario]:
    """A form of these controls; what it leaves out stays as it is in the Scenario edited."""
    return Form(controls, _build, _values)


FORM = form(KEYS, TILE, ORDER, MISTAKE)
