"""The picture: each switch on the left, on its right the ledger that is its own; below, the output that never changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.three_ledgers import ALL_OFF, EVERY, Switches
from engine.three_savings import (
    Ask,
    Baseline,
    Eight,
    Mistake,
    Outcome,
    Scenario,
    Step,
    Together,
    Turn,
    Which,
    Yours,
    outcome,
)
from lessons.kit.format import count
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Arrow, Box, Cell, Label, Line, Pill, Shape
from lessons.kit.text import Text, same
from lessons.three_savings.effects import CELLS, effect
from lessons.three_savings.ways import LEDGERS, NAMES, OFF, ON, OWN, amount, is_on, named, ratio, written_error
from lessons.three_savings.words import HEADS, headline

WIDTH = 1130.0
SWITCH_W, LEDGER_X, BAR_X, BAR_W, PILL_X, PILL_W = 168.0, 244.0, 356.0, 440.0, 962.0, 144.0
Part = tuple[str, Role, Callable[[Outcome], int]]

PARTS: dict[str, tuple[Part, ...]] = {
    "work": (("pairs", Role.PAIRS, lambda o: o.ledgers.pairs),),
    "moved": (
        ("vectors", Role.VECTORS, lambda o: o.ledgers.moved_vectors),
        ("tables", Role.TABLES, lambda o: o.ledgers.moved_tables),
    ),
    "resident": (
        ("kv", Role.KEPT, lambda o: o.ledgers.resident.kv),
        ("unused", Role.RESERVED, lambda o: o.ledgers.resident.unused),
        ("scores", Role.TABLES, lambda o: o.ledgers.resident.scores),
    ),
}
WHAT: dict[str, Text] = {
    "work": Text("Work: query·key pairs", "计算：查询·键配对"),
    "moved": Text("Bytes moved by attention, to and from slow memory", "搬运字节：注意力进出慢速显存"),
    "resident": Text("Bytes resident at the fullest moment", "驻留字节：最满的时刻"),
}
QUESTIONS: dict[str, Text] = {
    "work": Text("What need not be computed again?", "什么不必重算？"),
    "moved": Text("What need not be carried to and fro?", "什么不必搬来搬去？"),
    "resident": Text("What room need not be set aside?", "哪些空间不必预留？"),
}


@dataclass(frozen=True)
class Layout:
    """Where things stand. Depends on the Scenario alone."""

    compare: bool
    most: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, scenario: Scenario) -> Layout:
        """Bars are as long as the largest of the eight ways allows."""
        ways = [outcome(scenario, switches) for switches in EVERY]
        most = tuple((ledger, max(amount(way, ledger) for way in ways)) for ledger in LEDGERS)
        return cls(scenario.mistake is not Mistake.NONE, most)

    @property
    def pitch(self) -> float:
        return 130.0 if self.compare else 102.0

    @property
    def strip_y(self) -> float:
        return 12 + 3 * self.pitch

    @property
    def height(self) -> float:
        return self.strip_y + (108.0 if self.compare else 62.0)

    def scale(self, ledger: str) -> float:
        return BAR_W / dict(self.most)[ledger]


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
            shapes = _eight(lay, ways, wrong.ways if isinstance(wrong, Eight) else None)
        case Which(turns=turns):
            shapes = _which(lay, turns)
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


# --- all eight ways


def _eight(lay: Layout, ways: tuple[Outcome, ...], wrong: tuple[Outcome, ...] | None) -> list[Shape]:
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


def _which(lay: Layout, turns: tuple[Turn, ...]) -> list[Shape]:
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
            Cell(f"switch.{turn.name}", 24, y + (h - 60) / 2, NAMES[turn.name], SWITCH_W, 60,
                 Text("over the cache", "在缓存之上") if turn.name == "paging" else "", roles=(Role.ON,))
        )  # fmt: skip
        for j, ledger in enumerate(LEDGERS):
            own = OWN[turn.name] == ledger
            a, b = amount(turn.before, ledger), amount(turn.now, ledger)
            x = left + j * (w + gap)
            roles = (CELLS[ledger],) if own else ()
            shapes += [
                Cell(f"which.{turn.name}.{ledger}", x, y, "", w, h, roles=roles),
                *((Box(f"which.{turn.name}.own", x, y, w, h, "frame"),) if own else ()),
                Label(f"which.{turn.name}.{ledger}.ratio", x + w / 2, y + h / 2 - 12, ratio(a, b), "big middle" if a != b else "body muted middle"),
                Label(f"which.{turn.name}.{ledger}.numbers", x + w / 2, y + h / 2 + 12, f"{count(a)} → {count(b)}", "num middle"),
                Label(f"which.{turn.name}.{ledger}.why", x + w / 2, y + h / 2 + 34,
                      effect(turn.name, ledger, turn.before, turn.now), "small middle" + (" strong" if own else "")),
            ]  # fmt: skip
    return shapes


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
