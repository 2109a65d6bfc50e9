"""The two tables of the picture: all eight ways, and which switch saves in which ledger."""

from __future__ import annotations

from engine.three_savings import Outcome, Turn
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.scene import marked
from lessons.kit.shapes import Box, Cell, Label, Shape
from lessons.kit.text import Text, same
from lessons.three_savings.effects import CELLS, effect
from lessons.three_savings.layout import PARTS, QUESTIONS, SWITCH_W, Layout
from lessons.three_savings.ways import LEDGERS, NAMES, OFF, ON, OWN, amount, is_on, ratio, written_error


def eight(lay: Layout, ways: tuple[Outcome, ...], wrong: tuple[Outcome, ...] | None) -> list[Shape]:
    """A line a way; in a wrong way's run its largest difference beside the right one's."""
    pitch, top = (lay.height - 60) / 8, 44.0
    columns = {"work": 262.0, "moved": 466.0, "resident": 676.0}
    error_x = 900.0
    shapes: list[Shape] = [
        *(
            Label(
                f"head.{name}",
                24 + i * 74 + 34,
                28,
                Text(title.en.removeprefix("KV ").capitalize(), title.zh.removeprefix("KV ")),
                "small strong middle",
            )
            for i, (name, title) in enumerate(NAMES.items())
        ),
        *(
            Label(f"head.{ledger}", x, 28, LEDGERS[ledger] + _unit(ledger), "small strong start")
            for ledger, x in columns.items()
        ),
        Label("head.error", error_x, 28, Text("largest |Δ logit|", "最大 |Δ logit|"), "small strong start"),
    ]
    if wrong is not None:
        shapes.append(Label("head.wrong", error_x + 114, 28, Text("wrong way", "错误做法"), "small strong bad start"))
    for i, way in enumerate(ways):
        y = top + i * pitch
        h = min(32.0, pitch - 6)
        for j, name in enumerate(NAMES):
            on = is_on(way.switches, name)
            shapes.append(
                Cell(
                    f"eight.{i}.{name}", 24 + j * 74, y, ON if on else OFF, 68, h, roles=(Role.ON if on else Role.OFF,)
                )
            )
        for ledger, x in columns.items():
            shapes.append(
                Label(f"eight.{i}.{ledger}.number", x + 74, y + h / 2 + 6, count(amount(way, ledger)), "num end")
            )
            left = x + 84
            for name, role, value in PARTS[ledger]:
                w = value(way) / dict(lay.most)[ledger] * 104
                if w:
                    shapes.append(
                        Cell(f"eight.{i}.{ledger}.{name}", left, y + 5, "", max(w, 1.5), h - 10, roles=(role,))
                    )
                    left += w + 1
        error = Cell(f"eight.{i}.error", error_x, y, written_error(way), 104 if wrong else 128, h, value=way.error)
        shapes.append(error)
        if wrong is not None:
            other = Cell(
                f"wrong.eight.{i}.error", error_x + 114, y, written_error(wrong[i]), 92, h, value=wrong[i].error
            )
            shapes += marked([other], [error], prefix="wrong.")
    return shapes


def _unit(ledger: str) -> Text:
    return Text(" (pairs)", "（配对）") if ledger == "work" else same("")


# --- which is which


def which(lay: Layout, turns: tuple[Turn, ...]) -> list[Shape]:
    """Three switches by three ledgers. The outlined diagonal is each one’s own."""
    left, top, w, gap = 216.0, 56.0, 290.0, 12.0
    h = (lay.height - top - 16) / 3 - gap
    shapes: list[Shape] = []
    for j, ledger in enumerate(LEDGERS):
        shapes += [
            Label(f"which.{ledger}", left + j * (w + gap) + w / 2, 24, LEDGERS[ledger], "big middle"),
            Label(f"which.{ledger}.q", left + j * (w + gap) + w / 2, 44, QUESTIONS[ledger], "small muted middle"),
        ]
    for i, turn in enumerate(turns):
        y = top + i * (h + gap)
        shapes.append(
            Cell(
                f"switch.{turn.name}",
                24,
                y + (h - 60) / 2,
                NAMES[turn.name],
                SWITCH_W,
                60,
                Text("over the cache", "在缓存之上") if turn.name == "paging" else "",
                roles=(Role.ON,),
            )
        )
        for j, ledger in enumerate(LEDGERS):
            own = OWN[turn.name] == ledger
            a, b = amount(turn.before, ledger), amount(turn.now, ledger)
            x = left + j * (w + gap)
            roles = (CELLS[ledger],) if own else ()
            shapes += [
                Cell(f"which.{turn.name}.{ledger}", x, y, "", w, h, roles=roles),
                *((Box(f"which.{turn.name}.own", x, y, w, h, "frame"),) if own else ()),
                Label(
                    f"which.{turn.name}.{ledger}.ratio",
                    x + w / 2,
                    y + h / 2 - 12,
                    ratio(a, b),
                    "big middle" if a != b else "body muted middle",
                ),
                Label(
                    f"which.{turn.name}.{ledger}.numbers",
                    x + w / 2,
                    y + h / 2 + 12,
                    f"{count(a)} → {count(b)}",
                    "num middle",
                ),
                Label(
                    f"which.{turn.name}.{ledger}.why",
                    x + w / 2,
                    y + h / 2 + 34,
                    effect(turn.name, ledger, turn.before, turn.now),
                    "small middle" + (" strong" if own else ""),
                ),
            ]
    return shapes
