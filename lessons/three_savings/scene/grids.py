"""The two tables of the picture: all eight ways, and which switch saves in which ledger."""

from __future__ import annotations

from engine.three_ledgers import Ledger, Switch
from engine.three_savings import Outcome, Turn
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.scene import marked
from lessons.kit.shapes import Box, Cell, Label, Shape
from lessons.kit.text import Text
from lessons.three_savings.naming import LEDGERS, NAMES, OFF, ON, OWN, SHORT, effect, ratio, written
from lessons.three_savings.scene.layout import PARTS, QUESTIONS, SWITCH_W, Layout

SWITCH_X: dict[Switch, float] = {"cache": 24.0, "tiles": 98.0, "paging": 172.0}
COLUMN: dict[Ledger, float] = {"work": 262.0, "moved": 466.0, "resident": 676.0}
ERROR_X, WRONG_X = 900.0, 1020.0


def eight(lay: Layout, ways: tuple[Outcome, ...], wrong: tuple[Outcome, ...] | None) -> list[Shape]:
    """A line a way; in a wrong way's run its largest difference beside the right one's."""
    top, pitch = 44.0, (lay.height - 60) / 8
    shapes = _heads()
    if wrong is not None:
        shapes.append(Label("head.wrong", WRONG_X, 28, Text("wrong way", "错误做法"), "small strong bad start"))
    for i, way in enumerate(ways):
        y, h = top + i * pitch, min(32.0, pitch - 6)
        for name, x in SWITCH_X.items():
            on = way.switches.has(name)
            shapes.append(
                Cell(f"eight.{i}.{name}", x, y, ON if on else OFF, 68, h, roles=(Role.ON if on else Role.OFF,))
            )
        for ledger in COLUMN:
            shapes += _amount(lay, i, way, ledger, y, h)
        error = _error(f"eight.{i}.error", ERROR_X, y, way, 128.0 if wrong is None else 104.0, h)
        shapes.append(error)
        if wrong is not None:
            shapes += marked(
                [_error(f"wrong.eight.{i}.error", WRONG_X, y, wrong[i], 92.0, h)], [error], prefix="wrong."
            )
    return shapes


def _heads() -> list[Shape]:
    return [
        *(
            Label(f"head.{name}", x + 34, 28, Text(SHORT[name].en.capitalize(), SHORT[name].zh), "small strong middle")
            for name, x in SWITCH_X.items()
        ),
        Label("head.work", COLUMN["work"], 28, LEDGERS["work"] + Text(" (pairs)", "（配对）"), "small strong start"),
        Label("head.moved", COLUMN["moved"], 28, LEDGERS["moved"], "small strong start"),
        Label("head.resident", COLUMN["resident"], 28, LEDGERS["resident"], "small strong start"),
        Label("head.error", ERROR_X, 28, Text("largest |Δ logit|", "最大 |Δ logit|"), "small strong start"),
    ]


def _amount(lay: Layout, i: int, way: Outcome, ledger: Ledger, y: float, h: float) -> list[Shape]:
    """A number, and a small bar cut into its parts."""
    key, x = f"eight.{i}.{ledger}", COLUMN[ledger]
    shapes: list[Shape] = [Label(f"{key}.number", x + 74, y + h / 2 + 6, count(way.ledgers.amount(ledger)), "num end")]
    left = x + 84
    for name, role, value in PARTS[ledger]:
        w = value(way.ledgers) / lay.most[ledger] * 104
        if w:
            shapes.append(Cell(f"{key}.{name}", left, y + 5, "", max(w, 1.5), h - 10, roles=(role,)))
            left += w + 1
    return shapes


def _error(key: str, x: float, y: float, way: Outcome, w: float, h: float) -> Cell:
    return Cell(key, x, y, written(way.error), w, h, value=way.error)


# --- which is which

OWN_ROLE: dict[Switch, Role] = {"cache": Role.PAIRS, "tiles": Role.VECTORS, "paging": Role.KEPT}
LEFT, TOP, CELL_W, GAP = 216.0, 56.0, 290.0, 12.0


def which(lay: Layout, turns: tuple[Turn, ...]) -> list[Shape]:
    """Three switches by three ledgers. The outlined diagonal is each one’s own."""
    h = (lay.height - TOP - 16) / 3 - GAP
    columns: dict[Ledger, float] = {ledger: LEFT + j * (CELL_W + GAP) for j, ledger in enumerate(LEDGERS)}
    shapes: list[Shape] = []
    for ledger, x in columns.items():
        shapes += [
            Label(f"which.{ledger}", x + CELL_W / 2, 24, LEDGERS[ledger], "big middle"),
            Label(f"which.{ledger}.q", x + CELL_W / 2, 44, QUESTIONS[ledger], "small muted middle"),
        ]
    for i, turn in enumerate(turns):
        y = TOP + i * (h + GAP)
        small = Text("over the cache", "在缓存之上") if turn.name == "paging" else ""
        title = NAMES[turn.name]
        shapes.append(Cell(f"switch.{turn.name}", 24, y + (h - 60) / 2, title, SWITCH_W, 60, small, roles=(Role.ON,)))
        for ledger, x in columns.items():
            shapes += _effect(turn, ledger, x, y, h)
    return shapes


def _effect(turn: Turn, ledger: Ledger, x: float, y: float, h: float) -> list[Shape]:
    key, own = f"which.{turn.name}.{ledger}", OWN[turn.name] == ledger
    before, now = turn.before.ledgers, turn.now.ledgers
    a, b = before.amount(ledger), now.amount(ledger)
    middle, style = x + CELL_W / 2, "body muted middle" if a == b else "big middle"
    return [
        Cell(key, x, y, "", CELL_W, h, roles=(OWN_ROLE[turn.name],) if own else ()),
        *((Box(f"which.{turn.name}.own", x, y, CELL_W, h, "frame"),) if own else ()),
        Label(f"{key}.ratio", middle, y + h / 2 - 12, ratio(ledger, turn.before, turn.now), style),
        Label(f"{key}.numbers", middle, y + h / 2 + 12, f"{count(a)} → {count(b)}", "num middle"),
        Label(
            f"{key}.why",
            middle,
            y + h / 2 + 34,
            effect(turn.name, ledger, before, now),
            "small middle strong" if own else "small middle",
        ),
    ]
