"""What a reader may edit. One table gives labels, scores and values together, and the reading order names its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.online_softmax import Scenario
from lessons.kit.controls import Complaint, Line, Whole, about, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.key_table import KeyTable, Row
from lessons.kit.text import Text
from lessons.online_softmax.mistakes import MISTAKES

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


def _reading(values: Mapping[str, Any]) -> tuple[int, ...]:
    """The keys, from 0, that row numbers or labels name; −1 for what names none. As written where none is named."""
    labels = [row.label for row in values["keys"]]
    words = [word for word in re.split(r"[\s,，、;；]+", values["order"]) if word]
    numbers = [ascii_number(word) for word in words]
    if not words:
        return tuple(range(len(labels)))
    if all(number.isdecimal() and len(number) < 4 for number in numbers):
        return tuple(int(number) - 1 for number in numbers)
    return tuple(labels.index(word) if labels.count(word) == 1 else -1 for word in words)


def _each_row_once(values: Mapping[str, Any]) -> Iterator[Complaint]:
    n, typed = len(values["keys"]), shown(values["order"])
    if sorted(_reading(values)) != list(range(n)):
        example = ", ".join(map(str, range(n, 0, -1)))
        yield about(
            ORDER,
            f"must name each of the {n} rows once, by number or by label, e.g. `{example}`; it reads “{typed}”.",
            f"应把 {n} 行各列一次（行号或标签），例如 `{example}`；现在是“{typed}”。",
        )


def _build(values: Mapping[str, Any]) -> Scenario:
    rows: tuple[Row, ...] = values["keys"]
    order = _reading(values)
    return Scenario(
        scores=tuple(row.score for row in rows),
        values=tuple(row.value for row in rows),
        labels=tuple(row.label for row in rows),
        tile_size=values["tile"],
        mistake=values["mistake"],
        order=None if order == tuple(range(len(rows))) else order,
    )


def _values(s: Scenario) -> dict[str, Any]:
    return {
        "keys": tuple(Row(*row) for row in zip(s.labels, s.scores, s.values, strict=True)),
        "tile": s.tile_size,
        "order": "" if s.order is None else ", ".join(str(key + 1) for key in s.order),
        "mistake": s.mistake,
    }


FORM: Form[Scenario] = Form((KEYS, TILE, ORDER, MISTAKES.choice), _build, _values, together=_each_row_once)
BY_TILE = FORM.only(KEYS, TILE)
