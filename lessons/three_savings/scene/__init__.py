"""The picture: each switch on the left, on its right the ledger that is its own; below, the output that never
changes."""

from __future__ import annotations

from engine.three_ledgers import ALL_OFF, Ledger, Switch, Switches
from engine.three_savings import HEADS, Ask, Baseline, Eight, Outcome, Scenario, Step, Together, Turn, Which, Yours
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Arrow, Box, Cell, Label, Line, Pill, Shape
from lessons.kit.text import Text
from lessons.three_savings.naming import LEDGERS, NAMES, OFF, ON, effect, named, ratio, written
from lessons.three_savings.scene.grids import eight, which
from lessons.three_savings.scene.layout import (
    BAR_W,
    BAR_X,
    LEDGER_X,
    PARTS,
    PILL_W,
    PILL_X,
    QUESTIONS,
    SWITCH_W,
    WIDTH,
    Layout,
)

WHAT: dict[Ledger, Text] = {
    "work": Text("Work: query·key pairs", "计算：查询·键配对"),
    "moved": Text("Bytes moved by attention, to and from slow memory", "搬运字节：注意力进出慢速显存"),
    "resident": Text("Bytes resident at the fullest moment", "驻留字节：最满的时刻"),
}


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """The step; with a misunderstanding, its bars below the right ones, hatched where they differ."""
    lay = Layout.of(scenario)
    other = wrong.now if isinstance(wrong, Baseline | Turn | Together | Yours) else None
    match step:
        case Ask():
            shapes = [*_switches(lay, ALL_OFF, ALL_OFF), *_asked(lay), *_prompt(lay, scenario)]
        case Baseline(now=now):
            shapes = _compared(lay, None, now, other, None)
        case Turn(name=name, before=before, now=now):
            shapes = _compared(lay, before, now, other, name)
        case Together(before=before, now=now) | Yours(before=before, now=now):
            shapes = _compared(lay, before, now, other, None)
        case Eight(ways=ways):
            shapes = eight(lay, ways, wrong.ways if isinstance(wrong, Eight) else None)
        case Which(turns=turns):
            shapes = which(lay, turns)
    return Scene(WIDTH, lay.height, _label(step), tuple(shapes))


# --- switches and ledgers


def _switches(lay: Layout, before: Switches, now: Switches) -> list[Shape]:
    cells: list[Shape] = []
    for i, (name, title) in enumerate(NAMES.items()):
        on, new = now.has(name), before.has(name) != now.has(name)
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
    lay: Layout, before: Outcome | None, now: Outcome, wrong: Outcome | None, name: Switch | None
) -> list[Shape]:
    shapes = _switches(lay, ALL_OFF if before is None else before.switches, now.switches)
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


TONE = {"": "strong", "before.": "muted", "wrong.": "bad"}


def _bar(lay: Layout, ledger: Ledger, way: Outcome, y: float, before: Outcome | None, *, key: str = "") -> list[Shape]:
    """One way's bar, cut into its parts; parts that are not as `before` are outlined."""
    word = Text("wrong way", "错误做法") if key == "wrong." else named(way.switches)
    tone = TONE[key]
    shapes: list[Shape] = [
        Label(f"{key}{ledger}.way", BAR_X - 10, y + 18, word, f"small end {tone}" if key else "small end")
    ]
    x = BAR_X
    for name, role, value in PARTS[ledger]:
        n = value(way.ledgers)
        if n == 0:
            continue
        w = max(n * (BAR_W / lay.most[ledger]), 1.5)
        new = before is not None and value(before.ledgers) != n
        roles = (role, *((Role.NEW,) if new else ()))
        shapes.append(Cell(f"{key}{ledger}.{name}", x, y, "", w, 26, value=float(n), roles=roles))
        x += w + 2
    number = count(way.ledgers.amount(ledger))
    if ledger == "work":
        number += f" = {HEADS} × {count(way.ledgers.per_head.pairs)}"
    shapes.append(Label(f"{key}{ledger}.number", x + 8, y + 19, number, f"num start {tone}"))
    return shapes


def _change(ledger: Ledger, before: Outcome, now: Outcome, y: float, name: Switch | None) -> list[Shape]:
    word, middle = ratio(ledger, before, now), PILL_X + PILL_W / 2
    if before.ledgers.amount(ledger) == now.ledgers.amount(ledger):
        return [Label(f"{ledger}.same", middle, y + 76, word, "body muted middle")]
    shapes: list[Shape] = [Pill(f"{ledger}.change", PILL_X, y + 70, word, PILL_W, 30)]
    if name is not None:
        why = effect(name, ledger, before.ledgers, now.ledgers)
        shapes.append(Label(f"{ledger}.why", middle, y + 45, why, "small middle"))
    return shapes


# --- the output


def _strip(y: float, way: Outcome, *, key: str = "") -> list[Shape]:
    """The tokens it picks, and how far its logits are from those of all off."""
    title = Text("Wrong way: picks", "错误做法选出") if key else Text("Output: new tokens", "输出：新 token")
    tone = " bad" if key else ""
    word = Text("largest |Δ logit| against all off", "与全关相比，最大 |Δ logit|")
    return [
        Label(f"{key}strip.title", 24, y + 40, title, "body strong start" + tone),
        *(
            Cell(f"{key}pick.{i}", LEDGER_X + i * 50, y + 16, str(t), 44, 36, value=float(t), roles=(Role.OUTPUT,))
            for i, t in enumerate(way.picks)
        ),
        Label(f"{key}error.word", 900, y + 40, word, "body end" + tone),
        Cell(f"{key}error", 914, y + 16, written(way.error), 192, 36, value=way.error),
    ]


def _prompt(lay: Layout, scenario: Scenario) -> list[Shape]:
    y, pitch = lay.strip_y, min(50.0, (WIDTH - LEDGER_X - 24) / scenario.n_prompt)
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
