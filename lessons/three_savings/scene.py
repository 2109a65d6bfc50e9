"""The picture: each switch on the left, on its right the ledger that is its own; below, the output that never
changes."""

from __future__ import annotations

from engine.three_ledgers import ALL_OFF, Switches
from engine.three_savings import Ask, Baseline, Eight, Outcome, Scenario, Step, Together, Turn, Which, Yours
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Arrow, Box, Cell, Label, Line, Pill, Shape
from lessons.kit.text import Text
from lessons.three_savings.effects import effect
from lessons.three_savings.grids import eight, which
from lessons.three_savings.layout import (
    BAR_X,
    LEDGER_X,
    PARTS,
    PILL_W,
    PILL_X,
    QUESTIONS,
    SWITCH_W,
    WHAT,
    WIDTH,
    Layout,
)
from lessons.three_savings.ways import HEADS, LEDGERS, NAMES, OFF, ON, amount, is_on, named, ratio, written_error
from lessons.three_savings.words import headline


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """The step; with a misunderstanding, its bars below the right ones, hatched where they differ."""
    lay = Layout.of(scenario)
    match step:
        case Ask():
            shapes = [*_switches(lay, ALL_OFF, ALL_OFF), *_asked(lay), *_prompt(lay, scenario)]
        case Baseline(now=now):
            shapes = _compared(lay, None, now, wrong.now if isinstance(wrong, Baseline) else None, None)
        case Turn(name=name, before=before, now=now):
            shapes = _compared(lay, before, now, wrong.now if isinstance(wrong, Turn) else None, name)
        case Together(before=before, now=now):
            shapes = _compared(lay, before, now, wrong.now if isinstance(wrong, Together) else None, None)
        case Yours(before=before, now=now):
            shapes = _compared(lay, before, now, wrong.now if isinstance(wrong, Yours) else None, None)
        case Eight(ways=ways):
            shapes = eight(lay, ways, wrong.ways if isinstance(wrong, Eight) else None)
        case Which(turns=turns):
            shapes = which(lay, turns)
    return Scene(WIDTH, lay.height, _label(step) + headline(scenario, step), tuple(shapes))


# --- switches and ledgers


def _switches(lay: Layout, before: Switches, now: Switches) -> list[Shape]:
    cells: list[Shape] = []
    for i, (name, title) in enumerate(NAMES.items()):
        on, new = is_on(now, name), is_on(before, name) != is_on(now, name)
        word = title + Text(": ", "：") + (ON if on else OFF)
        roles = (Role.ON if on else Role.OFF, *((Role.NEW,) if new else ()))
        cells.append(Cell(f"switch.{name}", 24, 12 + i * lay.pitch + 32, word, SWITCH_W, 52, roles=roles))
    return cells


def _asked(lay: Layout) -> list[Shape]:
    shapes: list[Shape] = []
    for i, ledger in enumerate(LEDGERS):
        y = 12 + i * lay.pitch
        shapes += [
            Label(f"{ledger}.title", LEDGER_X, y + 20, WHAT[ledger], "body strong start"),
            Box(f"{ledger}.empty", LEDGER_X, y + 34, WIDTH - LEDGER_X - 24, 48, "panel"),
            Label(f"{ledger}.question", LEDGER_X + 20, y + 64, QUESTIONS[ledger], "body start"),
        ]
    return shapes


def _compared(
    lay: Layout, before: Outcome | None, now: Outcome, wrong: Outcome | None, name: str | None
) -> list[Shape]:
    shapes = _switches(lay, before.switches if before else ALL_OFF, now.switches)
    if name is not None:
        y = 12 + list(NAMES).index(name) * lay.pitch + 58
        shapes.append(Arrow("own", 24 + SWITCH_W + 8, y, LEDGER_X - SWITCH_W - 44))
    for i, ledger in enumerate(LEDGERS):
        y = 12 + i * lay.pitch
        shapes.append(Label(f"{ledger}.title", LEDGER_X, y + 20, WHAT[ledger], "body strong start"))
        if before is not None:
            shapes += _bar(lay, ledger, before, y + 26, None, key="before.")
        right = _bar(lay, ledger, now, y + 57, before)
        shapes += right
        if before is not None:
            shapes += _change(ledger, before, now, y, name)
        if wrong is not None:
            shapes += marked(_bar(lay, ledger, wrong, y + 88, None, key="wrong."), right, prefix="wrong.")
    strip = _strip(lay.strip_y, now)
    shapes += [Line("strip.rule", 24, lay.strip_y, WIDTH - 48), *strip]
    if wrong is not None:
        shapes += marked(_strip(lay.strip_y + 46, wrong, key="wrong."), strip, prefix="wrong.")
    return shapes


def _bar(lay: Layout, ledger: str, way: Outcome, y: float, before: Outcome | None, *, key: str = "") -> list[Shape]:
    """One way's bar, cut into its parts; parts that are not as `before` are outlined."""
    wrong = key == "wrong."
    word = Text("wrong way", "错误做法") if wrong else named(way.switches)
    shapes: list[Shape] = [
        Label(
            f"{key}{ledger}.way", BAR_X - 10, y + 18, word, "small end" + (" bad" if wrong else " muted" if key else "")
        )
    ]
    x = BAR_X
    for name, role, value in PARTS[ledger]:
        n = value(way)
        w = n * lay.scale(ledger)
        if n == 0:
            continue
        new = before is not None and value(before) != n
        roles = (role, *((Role.NEW,) if new else ()))
        shapes.append(Cell(f"{key}{ledger}.{name}", x, y, "", max(w, 1.5), 26, value=float(n), roles=roles))
        x += max(w, 1.5) + 2
    number = count(amount(way, ledger))
    if ledger == "work":
        number += f" = {HEADS} × {count(way.ledgers.pairs // HEADS)}"
    style = "num start" + (" bad" if wrong else " muted" if key else " strong")
    shapes.append(Label(f"{key}{ledger}.number", x + 8, y + 19, number, style))
    return shapes


def _change(ledger: str, before: Outcome, now: Outcome, y: float, name: str | None) -> list[Shape]:
    a, b = amount(before, ledger), amount(now, ledger)
    word = ratio(a, b)
    if a == b:
        return [Label(f"{ledger}.same", PILL_X + PILL_W / 2, y + 76, word, "body muted middle")]
    shapes: list[Shape] = [Pill(f"{ledger}.change", PILL_X, y + 70, word, PILL_W, 30)]
    if name is not None:
        shapes.append(
            Label(f"{ledger}.why", PILL_X + PILL_W / 2, y + 45, effect(name, ledger, before, now), "small middle")
        )
    return shapes


# --- the output


def _strip(y: float, way: Outcome, *, key: str = "") -> list[Shape]:
    """The tokens it picks, and how far its logits are from those of all off."""
    wrong = key == "wrong."
    title = Text("Wrong way: picks", "错误做法选出") if wrong else Text("Output: new tokens", "输出：新 token")
    tone = " bad" if wrong else ""
    shapes: list[Shape] = [Label(f"{key}strip.title", 24, y + 40, title, "body strong start" + tone)]
    for i, token in enumerate(way.picks):
        shapes.append(
            Cell(
                f"{key}pick.{i}",
                LEDGER_X + i * 50,
                y + 16,
                str(token),
                44,
                36,
                value=float(token),
                roles=(Role.OUTPUT,),
            )
        )
    word = Text("largest |Δ logit| against all off", "与全关相比，最大 |Δ logit|")
    shapes += [
        Label(f"{key}error.word", 900, y + 40, word, "body end" + tone),
        Cell(f"{key}error", 914, y + 16, written_error(way), 192, 36, value=way.error),
    ]
    return shapes


def _prompt(lay: Layout, scenario: Scenario) -> list[Shape]:
    y, n = lay.strip_y, len(scenario.prompt)
    pitch = min(50.0, (WIDTH - LEDGER_X - 24) / n)
    return [
        Line("strip.rule", 24, y, WIDTH - 48),
        Label("prompt.title", 24, y + 40, Text("The prompt: tokens", "提示的 token"), "body strong start"),
        *(
            Cell(f"prompt.{i}", LEDGER_X + i * pitch, y + 16, str(token), pitch - 6, 36)
            for i, token in enumerate(scenario.prompt)
        ),
    ]


def _label(step: Step) -> Text:
    """What kind of picture it is, for those who cannot see it."""
    match step:
        case Ask():
            return Text("Three switches, each beside an empty ledger. ", "三个开关，各对着一本空账。")
        case Eight():
            return Text("Table of all eight ways with three ledgers each. ", "八种做法的表，各有三本账。")
        case Which():
            return Text("Grid of three switches by three ledgers. ", "三个开关对三本账的方格。")
        case _:
            return Text("Bars of work, bytes moved and bytes resident. ", "计算、搬运、驻留三组横条。")
