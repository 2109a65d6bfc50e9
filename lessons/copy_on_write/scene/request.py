"""One request in the picture: what it reads in order, the names of its full blocks, its table, a line on what it
does."""

from __future__ import annotations

from engine.copy_on_write import NAMES, Wants, Wrote
from engine.paged_memory import Table, Token
from engine.shared_blocks import Arrived, Attended, LookUp, Named, Step, token
from lessons.copy_on_write.naming import identity, short_name
from lessons.copy_on_write.scene.layout import HALF, Layout
from lessons.kit.format import fixed
from lessons.kit.roles import Role
from lessons.kit.shapes import Cell, Label, Shape
from lessons.kit.text import Text, same
from lessons.kit.told import Told

WRITER = {"A": Role.FIRST, "B": Role.SECOND}
MISS, NOT_ASKED = Text("miss", "没有"), same("–")


def request(lay: Layout, step: Step, left: float, y: float, key: str, name: str) -> list[Shape]:
    event = step.event
    table = _held(step.memory.tables, name)
    arrived = table is not None or isinstance(event, Arrived | LookUp)
    title, tone = Text(f"Request {name}", f"请求 {name}"), "" if arrived else " muted"
    if lay.compare:
        way = Text("Wrong way · ", "错误做法 · ") if key else Text("Right way · ", "正确做法 · ")
        title = way + Text(f"request {name}", f"请求 {name}")
        tone = " bad" if key else tone
    shapes: list[Shape] = [Label(f"{key}title.{name}", left, y + 24, title, f"body strong start{tone}")]
    output = event if isinstance(event, Attended) and event.name == name else None
    if output is None:
        shapes.append(_line(lay, step, left, y, key, name, table))
    if not arrived:
        return shapes
    if not key:
        rows = Text("token with its K, V · name · block table", "token 及其 K、V · 名字 · 块表")
        if not lay.named:
            rows = Text("K, V in order · block table", "按顺序的 K、V · 块表")
        shapes.append(Label(f"rows.{name}", left + HALF, y + 24, rows, "small muted end"))
    shapes += _cells(lay, step, left, y, key, name, table)
    if lay.named:
        shapes += _names(lay, step, left, y, key, name)
    shapes += _hits(lay, step, left, y, key) if table is None else _table(lay, step, left, y, key, table)
    return shapes if output is None else [*shapes, *_output(lay, output, left, y, key)]


def _held(tables: tuple[Table, ...], name: str) -> Table | None:
    """The request's table, None where it has none yet."""
    return next((table for table in tables if table.name == name), None)


def _line(lay: Layout, step: Step, left: float, y: float, key: str, name: str, table: Table | None) -> Label:
    """A few words on the request, in colour where it is the one that acts."""
    first, second = lay.scenario.identities
    style = "body accent start"
    match step.event:
        case Wants() as event if event.name == name:
            said = Told(
                "wants position {position}: logical block {logical}, offset {offset}",
                "要写位置 {position}：逻辑块 {logical}，偏移 {offset}",
            ).on(event)
        case Wrote() as event if event.name == name:
            said = Told("position {position} is in slot {slot}", "位置 {position} 在槽位 {slot}").on(event)
        case Arrived() if name == "B":
            said = identity(second)
        case Named() if name == "A":
            said = identity(first)
        case event:
            style = "small muted start"
            if isinstance(event, LookUp) and name == "B":
                said = identity(second)
            elif table is None:
                said = Text("not here yet", "尚未到来")
            else:
                said = Told("{length:position} in {n:block}", "{length} 个位置，{n} 块").on(table, n=len(table.blocks))
    return Label(f"{key}line.{name}", left, y + lay.tops["line"] + 20, said, style)


def code(found: Token | None) -> float:
    """A number for a token, so that two ways can be compared."""
    return -1.0 if found is None else 1000.0 * NAMES.index(found.request) + found.position


def _cells(lay: Layout, step: Step, left: float, y: float, key: str, name: str, table: Table | None) -> list[Shape]:
    """One cell a position: whose K and V the table finds there; with a prefix cache the token above it."""
    prompt = lay.scenario.prompts[NAMES.index(name)]
    found = () if table is None else step.memory.read(name)
    before = _held(step.before.tables, name)
    old = found if before is None else step.before.read(name)  # a table that begins with tokens has none that are new
    fresh = isinstance(step.event, Arrived) and name == "B"
    shapes: list[Shape] = []
    h = 44.0 if lay.named else 34.0
    for p in range(max(len(found), len(prompt)) if lay.named else len(found)):
        held = found[p] if p < len(found) else None
        new = fresh or (held is not None and (p >= len(old) or old[p] != held))
        roles = ((WRITER[held.request],) if held else ()) + ((Role.NEW,) if new else ())
        typed = str(prompt[p] if p < len(prompt) else token(name, p))
        text, small = (typed, str(held or "")) if lay.named else (str(held or ""), "")
        x = lay.cell_x(left, p)
        shapes.append(
            Cell(f"{key}at.{name}.{p}", x, y + lay.tops["cells"], text, lay.cell_w, h, small, code(held), roles=roles)
        )
    return shapes


def _names(lay: Layout, step: Step, left: float, y: float, key: str, name: str) -> list[Shape]:
    """The names of the full blocks of a prompt."""
    now = step.names[NAMES.index(name)]
    shapes: list[Shape] = []
    for i, digest in enumerate(now):
        x, w = lay.group(left, i)
        roles: tuple[Role, ...] = ()
        match step.event:
            case Named() if name == "A":
                roles = (Role.NEW,)
            case Arrived() if name == "B":
                roles = (Role.NEW,)
            case LookUp(index=index) if name == "B":
                roles = (Role.NOW,) if i == index else ()
        shapes.append(Cell(f"{key}name.{name}.{i}", x, y + lay.tops["names"], short_name(digest), w, 26, roles=roles))
    return shapes


def _table(lay: Layout, step: Step, left: float, y: float, key: str, table: Table) -> list[Shape]:
    """The block of each logical block; `19 → 5` where it has just changed."""
    before = _held(step.before.tables, table.name)
    shapes: list[Shape] = []
    for i, number in enumerate(table.blocks):
        x, w = lay.group(left, i)
        old = before.blocks[i] if before is not None and i < len(before.blocks) else None
        text = _block(number, w) if old in (None, number) else same(f"{old} → {number}")
        roles = (Role.NEW,) if old != number else (Role.SHARED,) if step.memory.ref_counts[number] > 1 else ()
        top = y + lay.tops["table"]
        shapes.append(Cell(f"{key}entry.{table.name}.{i}", x, top, text, w, 28, value=float(number), roles=roles))
    return shapes


def _block(number: int, w: float) -> Text:
    return Text(f"block {number}", f"块 {number}") if w >= 70 else same(str(number))


def _hits(lay: Layout, step: Step, left: float, y: float, key: str) -> list[Shape]:
    """B has no table yet: what was found so far stands in its place."""
    if not isinstance(step.event, LookUp):
        return []
    event = step.event
    shapes: list[Shape] = []
    for i, hit in enumerate(event.hits):
        x, w = lay.group(left, i)
        text = _block(hit, w) if hit is not None else NOT_ASKED if None in event.hits[:i] else MISS
        roles = (Role.NEW,) if i == event.index else (Role.REUSED,) if hit is not None else ()
        value = -1.0 if hit is None else float(hit)
        shapes.append(Cell(f"{key}entry.B.{i}", x, y + lay.tops["table"], text, w, 28, value=value, roles=roles))
    return shapes


def _output(lay: Layout, event: Attended, left: float, y: float, key: str) -> list[Shape]:
    top = y + lay.tops["line"]
    word = Text(f"output of {event.name}", f"{event.name} 的输出")
    shapes: list[Shape] = [Label(f"{key}output.{event.name}", left, top + 22, word, "body strong start")]
    roles = (Role.OUTPUT, Role.NEW)
    for i, x in enumerate(event.output):
        at = left + 126 + i * 100
        shapes.append(Cell(f"{key}o.{event.name}.{i}", at, top, fixed(x), 94, 34, value=x, roles=roles))
    return shapes
