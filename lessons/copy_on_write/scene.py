"""The picture of one step: what each request reads in order, its block table under it, and the blocks of the pool."""

from __future__ import annotations

from dataclasses import replace

from engine.copy_on_write import NAMES, Prepared, Wants, Way
from engine.paged_memory import Memory, Token
from engine.shared_blocks import HAND_OUT, Arrived, Attended, LookUp, Mistake, Named, Scenario, Step, token
from lessons.copy_on_write.layout import CELL_GAP, HALF, MARGIN, ROW_H, WIDTH, Layout, blocks_used
from lessons.copy_on_write.naming import short_name
from lessons.copy_on_write.words import headline, status
from lessons.kit.format import fixed
from lessons.kit.roles import Role
from lessons.kit.rows import Slot, block
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Arrow, Box, Cell, Label, Shape
from lessons.kit.text import Text, same

WRITER = {"A": Role.FIRST, "B": Role.SECOND}


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each cell of the wrong way that differs hatched."""
    used = blocks_used(replace(scenario, mistake=Mistake.NONE))
    lay = Layout(scenario, min(used + 1, len(HAND_OUT)))
    shapes = _panel(lay, step, 0.0, "", None)
    if wrong is not None:
        below = _panel(lay, wrong, lay.panel_h + 10, "wrong.", step.memory)
        shapes += [Box("between", 0, lay.panel_h + 2, WIDTH, lay.panel_h + 12, "panel")]
        shapes += marked(below, shapes, prefix="wrong.")
    height = (lay.panel_h + 10) * (2 if lay.compare else 1) + 4
    return Scene(WIDTH, height, _label(scenario, step), tuple(shapes))


def _panel(lay: Layout, step: Step, y: float, key: str, right: Memory | None) -> list[Shape]:
    """Requests and pool after one step. Keys start with `key`; `right`: the right way's memory, in a wrong way's
    panel."""
    shapes: list[Shape] = []
    for i, name in enumerate(NAMES):
        left = MARGIN + i * (WIDTH / 2 - MARGIN / 2)
        shapes += _request(lay, step, left, y, key, name)
    return shapes + _pool(lay, step, y, key, right)


# --- a request: what it reads, its table


def _request(lay: Layout, step: Step, left: float, y: float, key: str, name: str) -> list[Shape]:
    there = name in {table.name for table in step.memory.tables}
    arrived = there or isinstance(step.event, Arrived | LookUp)
    title = Text(f"Request {name}", f"请求 {name}")
    tone = "" if arrived else " muted"
    if lay.compare:
        way = Text("Wrong way · ", "错误做法 · ") if key else Text("Right way · ", "正确做法 · ")
        title = way + Text(f"request {name}", f"请求 {name}")
        tone = " bad" if key else tone
    shapes: list[Shape] = [Label(f"{key}title.{name}", left, y + 24, title, f"body strong start{tone}")]
    text, accent = status(lay.scenario, step, name)
    style = "body accent start" if accent else "small muted start"
    output = isinstance(step.event, Attended) and step.event.name == name
    if not output:
        shapes.append(Label(f"{key}line.{name}", left, y + lay.tops["line"] + 20, text, style))
    if not arrived:
        return shapes
    if not key:
        rows = Text("token with its K, V · name · block table", "token 及其 K、V · 名字 · 块表")
        if not lay.named:
            rows = Text("K, V in order · block table", "按顺序的 K、V · 块表")
        shapes.append(Label(f"rows.{name}", left + HALF, y + 24, rows, "small muted end"))
    shapes += _cells(lay, step, left, y, key, name, there)
    if lay.named:
        shapes += _names(lay, step, left, y, key, name)
    shapes += _table(lay, step, left, y, key, name, there)
    if output and isinstance(step.event, Attended):
        shapes += _output(lay, step.event, left, y, key)
    return shapes


def _code(found: Token | None) -> float:
    """A number for a token, so that two ways can be compared."""
    return -1.0 if found is None else 1000.0 * NAMES.index(found.request) + found.position


def _cells(lay: Layout, step: Step, left: float, y: float, key: str, name: str, there: bool) -> list[Shape]:
    """One cell a position: whose K and V the table finds there; with a prefix cache the token above it."""
    prompt = lay.scenario.prompts[NAMES.index(name)]
    found = step.memory.read(name) if there else ()
    tables = {table.name: step.before.read(table.name) for table in step.before.tables}
    old = tables.get(name, ())
    fresh = isinstance(step.event, Arrived) and name == "B"
    shapes: list[Shape] = []
    h = 44.0 if lay.named else 34.0
    n = max(len(found), len(prompt)) if lay.named else len(found)
    for p in range(n):
        token = found[p] if p < len(found) else None
        new = fresh or (token is not None and (p >= len(old) or old[p] != token) and name in tables)
        roles = ((WRITER[token.request],) if token else ()) + ((Role.NEW,) if new else ())
        label = str(token or "")
        text, small = (_token(lay, name, p), label) if lay.named else (label, "")
        x = lay.cell_x(left, p)
        shapes.append(
            Cell(f"{key}at.{name}.{p}", x, y + lay.tops["cells"], text, lay.cell_w, h, small, _code(token), roles=roles)
        )
    return shapes


def _token(lay: Layout, name: str, position: int) -> str:
    prompt = lay.scenario.prompts[NAMES.index(name)]
    return str(prompt[position] if position < len(prompt) else token(name, position))


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


def _table(lay: Layout, step: Step, left: float, y: float, key: str, name: str, there: bool) -> list[Shape]:
    """The block of each logical block; `19 → 5` where it has just changed."""
    if not there:
        return _hits(lay, step, left, y, key)
    blocks = step.memory.table(name).blocks
    before = {table.name: table.blocks for table in step.before.tables}.get(name, ())
    shapes: list[Shape] = []
    for i, number in enumerate(blocks):
        x, w = lay.group(left, i)
        old = before[i] if i < len(before) else None
        changed = old != number
        moved = old is not None and changed
        words = Text(f"block {number}", f"块 {number}") if w >= 70 else same(str(number))
        text = same(f"{old} → {number}") if moved else words
        roles = (Role.NEW,) if changed else (Role.SHARED,) if step.memory.ref_counts[number] > 1 else ()
        shapes.append(
            Cell(f"{key}entry.{name}.{i}", x, y + lay.tops["table"], text, w, 28, value=float(number), roles=roles)
        )
    return shapes


def _hits(lay: Layout, step: Step, left: float, y: float, key: str) -> list[Shape]:
    """B has no table yet: what was found so far stands in its place."""
    if not isinstance(step.event, LookUp):
        return []
    event = step.event
    shapes: list[Shape] = []
    for i, hit in enumerate(event.hits):
        x, w = lay.group(left, i)
        asked = hit is not None or None not in event.hits[:i]
        text: Text = (
            Text(f"block {hit}", f"块 {hit}")
            if hit is not None and w >= 70
            else same(str(hit))
            if hit is not None
            else Text("miss", "没有")
            if asked
            else same("–")
        )
        roles = (Role.NEW,) if i == event.index else (Role.REUSED,) if hit is not None else ()
        value = -1.0 if hit is None else float(hit)
        shapes.append(Cell(f"{key}entry.B.{i}", x, y + lay.tops["table"], text, w, 28, value=value, roles=roles))
    return shapes


def _output(lay: Layout, event: Attended, left: float, y: float, key: str) -> list[Shape]:
    top = y + lay.tops["line"]
    word = Text(f"output of {event.name}", f"{event.name} 的输出")
    shapes: list[Shape] = [Label(f"{key}output.{event.name}", left, top + 22, word, "body strong start")]
    for i, x in enumerate(event.output):
        shapes.append(
            Cell(
                f"{key}o.{event.name}.{i}",
                left + 126 + i * 100,
                top,
                fixed(x),
                94,
                34,
                value=x,
                roles=(Role.OUTPUT, Role.NEW),
            )
        )
    return shapes


# --- the pool


def _pool(lay: Layout, step: Step, y: float, key: str, right: Memory | None) -> list[Shape]:
    title = Text("Physical blocks", "物理块")
    top = y + lay.tops["pool"]
    shapes: list[Shape] = [] if lay.compare else [Label("pool.title", MARGIN, top - 4, title, "body strong start")]
    shown = HAND_OUT[: lay.n_blocks]
    for i, number in enumerate(shown):
        shapes += _block(lay, step, i, number, y, key, right)
    if isinstance(step.event, Prepared) and step.event.copied is not None:
        shapes += _copy_arrow(lay, shown.index(step.event.copied.source), y, key)
    if isinstance(step.event, LookUp) and (hit := step.event.hits[-1]) in shown:
        x, at = lay.place(shown.index(hit), y)
        shapes.append(Box(f"{key}look", x - 8, at - 29, lay.block_w + 16, ROW_H - 6, "frame"))
    return shapes


def _block(lay: Layout, step: Step, i: int, number: int, y: float, key: str, right: Memory | None) -> tuple[Shape, ...]:
    x, top = lay.place(i, y)
    now, old = step.memory, step.before
    refs, was = now.ref_counts[number], old.ref_counts[number]
    owners = ", ".join(table.name for table in now.tables if number in table.blocks)
    first = number * lay.size
    slots = []
    for s in range(first, first + lay.size):
        token = now.contents[s]
        roles: tuple[Role, ...] = (WRITER[token.request],) if token else (Role.FREE,)
        if token != old.contents[s]:
            roles += (Role.NEW,)
        if _target(step) == s:
            roles = (Role.NOW,)
        value = None if key and token is None else _code(token)  # an empty slot of the wrong way is no cell gone wrong
        slots.append(Slot(str(token or "") or ("?" if Role.NOW in roles else ""), roles, value))
    wrong = right is not None and right.ref_counts[number] != refs
    word, style = _count(refs, was, wrong)
    shapes = block(
        f"{key}block.{number}",
        x,
        top,
        Text(f"block {number}", f"块 {number}"),
        slots,
        owner=owners,
        owner_style="small strong",
        below=word,
        below_style=style,
        roles=(Role.SHARED,) if refs > 1 else (),
        name_style="small strong" if refs else "small muted",
        w=lay.slot_w,
        h=38,
        gap=CELL_GAP,
        least=lay.block_w,
    )
    if not lay.named:
        return shapes
    name = _name_of(step, number)
    tone = "accent" if isinstance(step.event, Named) else "muted"
    return (
        (*shapes, Label(f"{key}block.{number}.hash", x + 60, top - 11, name, f"small {tone} start")) if name else shapes
    )


def _name_of(step: Step, number: int) -> Text | None:
    blocks = step.memory.table("A").blocks
    for i, name in enumerate(step.names[0]):
        if blocks[i] == number:
            digits = short_name(name)
            return same(digits)
    return None


def _count(refs: int, was: int, wrong: bool) -> tuple[Text, str]:
    """How many tables name the block, before and after where that has changed."""
    if refs == was == 0:
        return Text("free", "空闲"), "small muted"
    number = f"{was} → {refs}" if refs != was else f"{refs}"
    mark = " ✗" if wrong else ""
    style = "small strong bad" if wrong else "small strong accent" if refs != was else "small"
    return Text(f"references {number}{mark}", f"引用 {number}{mark}"), style


def _target(step: Step) -> int | None:
    """The slot that somebody wants to write to."""
    match step.event:
        case Wants(block=int(number), offset=offset, way=Way.COPY | Way.IN_PLACE):
            return number * step.memory.block_size + offset
    return None


def _copy_arrow(lay: Layout, source: int, y: float, key: str) -> list[Shape]:
    """From a block to the one beside it, which was handed out next; none across the end of a row."""
    x, top = lay.place(source, y)
    if (source + 1) % lay.per_row == 0:
        return []
    full = lay.size * (lay.slot_w + CELL_GAP) - CELL_GAP
    return [Arrow(f"{key}copy", x + full + 3, top + 19, lay.block_w + lay.gap - full - 6)]


def _label(scenario: Scenario, step: Step) -> Text:
    """What the picture shows, for those who cannot see it."""
    text = headline(scenario, step)
    for table in step.memory.tables:
        blocks = ", ".join(map(str, table.blocks))
        text += Text(f". Table of {table.name}: {blocks}", f"。{table.name} 的块表：{blocks}")
    counts = [(b, step.memory.ref_counts[b]) for b in HAND_OUT if step.memory.ref_counts[b]]
    listed = ", ".join(f"{b}: {n}" for b, n in counts)
    return text + Text(f". References: {listed}.", f"。引用计数：{listed}。")
