"""The picture of one step: the tokens in order, the table below them, the pool of blocks, and what is worked out."""

from __future__ import annotations

from engine.paged import blocks_for
from engine.paged_lookup import FIRST, SECOND, Appended, Arrived, Freed, LookUp, Read, WhichBlock, WhichOffset
from engine.paged_memory import Table, Token
from engine.paged_output import Attended, Scenario, Step
from lessons.block_table.scene.layout import ENTRY_H, LEFT, MARGIN, ROW_H, SLOT_H, TOKEN_H, WIDTH, Layout
from lessons.block_table.scene.notes import notes
from lessons.kit.phrases import bracketed
from lessons.kit.roles import Role
from lessons.kit.scene import Scene, marked
from lessons.kit.shapes import Bracket, Cell, Label, Route, Shape
from lessons.kit.text import Text, same

TITLE_W = 470.0
LOOKED_AT = 10_000.0  # added to what a slot is compared by: reading another slot is a difference, too


def draw(scenario: Scenario, step: Step, wrong: Step | None) -> Scene:
    """Both ways in one picture where a mistake is chosen, each slot of the wrong way that differs hatched."""
    lay = Layout(scenario)
    right = _pool(lay, step, lay.pool_y, "")
    shapes = [*_tokens(lay, step), *_table(lay, step), *_pool_title(lay, step, wrong is not None), *right]
    if wrong is not None:
        table = bracketed(held.blocks) if (held := _held(wrong)) else "[]"
        title = Text(
            f"Wrong way: what it has written and reads, block table {table}", f"错误做法：它写过和读到的，块表 {table}"
        )
        shapes.append(Label("wrong.pool.title", MARGIN, lay.wrong_pool_y - 16, title, "body strong bad start"))
        shapes += marked(_pool(lay, wrong, lay.wrong_pool_y, "wrong."), right, prefix="wrong.")
    shapes += notes(lay, step, wrong)
    shapes += _arrow(lay, step)
    return Scene(WIDTH, lay.height, _label(step), tuple(shapes))


# --- what the model sees


def _held(step: Step) -> Table | None:
    """A's table, None once it has been freed."""
    return next((table for table in step.memory.tables if table.name == FIRST), None)


def _tokens(lay: Layout, step: Step) -> list[Shape]:
    shapes: list[Shape] = [
        Label("tokens.title", MARGIN, lay.token_y + 17, Text("Request A", "请求 A"), "body strong start"),
        Label(
            "tokens.note", MARGIN, lay.token_y + 36, Text("what the model sees", "模型看到的顺序"), "small muted start"
        ),
    ]
    table = _held(step)
    if table is None:
        return [*shapes, Label("tokens.gone", LEFT, lay.token_y + 26, Text("done", "已结束"), "body muted start")]
    now = _now(step)
    for p in range(table.length):
        roles = (Role.FIRST, *((Role.NOW,) if p == now else ()), *((Role.NEW,) if p in _new(step) else ()))
        shapes.append(Cell(f"token.{p}", lay.token_x(p), lay.token_y, str(p), lay.token_w, TOKEN_H, roles=roles))
    looked = step.logical if isinstance(step, WhichBlock | WhichOffset | LookUp) else None
    for block in range(blocks_for(table.length, lay.scenario.block_size)):
        word = {
            "long": Text(f"logical block {block}", f"逻辑块 {block}"),
            "short": Text(f"block {block}", f"块 {block}"),
            "number": same(str(block)),
        }[lay.words]
        roles = (Role.NOW,) if block == looked else ()
        shapes.append(
            Bracket(f"logical.{block}", lay.block_x(block), lay.bracket_y, lay.block_w(block), word, roles=roles)
        )
    if lay.words == "number":
        shapes.append(
            Label("logical.title", MARGIN, lay.bracket_y + 26, Text("logical block", "逻辑块"), "small muted start")
        )
    return shapes


def _now(step: Step) -> int | None:
    match step:
        case WhichBlock(position=p) | WhichOffset(position=p) | LookUp(position=p) | Read(position=p):
            return p
        case _:
            return None


def _new(step: Step) -> range:
    """A's positions that this step wrote."""
    return range(step.position, step.position + len(step.slots)) if isinstance(step, Appended) else range(0)


# --- the table


def _table(lay: Layout, step: Step) -> list[Shape]:
    y = lay.entry_y
    shapes: list[Shape] = [
        Label("table.title", MARGIN, y + 15, Text("Block table", "块表"), "body strong start"),
        Label("table.note", MARGIN, y + 33, Text("physical block", "物理块号"), "small muted start"),
    ]
    table = _held(step)
    if table is None:
        return [*shapes, Label("table.gone", LEFT, y + 23, Text("given back", "已归还"), "body muted start")]
    taken = len(step.allocated) if isinstance(step, Appended) else 0
    looked = step.logical if isinstance(step, LookUp) else None
    for j, block in enumerate(table.blocks):
        roles = (Role.NEW,) if j == looked or j >= len(table.blocks) - taken else ()
        x = lay.middle(j) - lay.entry_w / 2
        shapes.append(Cell(f"entry.{j}", x, y, str(block), lay.entry_w, ENTRY_H, roles=roles))
    return shapes


# --- the pool


def _pool_title(lay: Layout, step: Step, compare: bool) -> list[Shape]:
    """Where the arrow does not pass."""
    n, free = len(step.memory.ref_counts), len(step.memory.free)
    title = Text("Right way: the pool", "正确做法：内存块池") if compare else Text("Physical blocks", "池中的物理块")
    note = Text(
        f"{len(lay.pool_blocks)} of the pool’s {n} drawn; {free} free",
        f"池中 {n} 块，画出 {len(lay.pool_blocks)} 块；空闲 {free} 块",
    )
    x = MARGIN if _drop_x(lay) > 510 else WIDTH - MARGIN - TITLE_W
    y = lay.pool_y - 16
    return [
        Label("pool.title", x, y, title, "body strong start"),
        Label("pool.note", x + TITLE_W, y, note, "small muted end"),
    ]


def _pool(lay: Layout, step: Step, top: float, key: str) -> list[Shape]:
    memory, size = step.memory, lay.scenario.block_size
    owners = {block: table.name for table in memory.tables for block in table.blocks}
    read, new, gone = _read(step), _written(step), isinstance(step, Freed)
    shapes: list[Shape] = []
    for block in lay.pool_blocks:
        x, y = lay.pool_x(block), top + lay.pool_line(block) * ROW_H
        owner = owners.get(block)
        somebody = owner is None and memory.ref_counts[block] > 0
        for offset in range(size):
            place = block * size + offset
            found = memory.contents[place]
            text = "·" if somebody else _short(found)
            roles: list[Role] = []
            if somebody:
                roles.append(Role.OTHER)
            elif owner is None or found is None:
                roles.append(Role.FREE)
            else:
                roles.append(Role.FIRST if found.request == FIRST else Role.SECOND)
            roles += [Role.NOW] * (place in read) + [Role.NEW] * (place in new)
            value = _value(found) + LOOKED_AT * (place in read)
            name = None if key else _slot_name(place, size, None if somebody else found)
            shapes.append(
                Cell(
                    f"{key}pool.{place}",
                    x + offset * (lay.slot_w + 2),
                    y,
                    text,
                    lay.slot_w,
                    SLOT_H,
                    value=value,
                    name=name,
                    roles=tuple(roles),
                )
            )
            shapes.append(
                Label(
                    f"{key}offset.{place}",
                    x + offset * (lay.slot_w + 2) + lay.slot_w / 2,
                    y + SLOT_H + 16,
                    str(offset),
                    "small muted middle",
                )
            )
        shapes += _header(lay, block, owner, somebody, gone, x, y + SLOT_H + 37, key)
    return shapes


def _slot_name(place: int, block_size: int, found: Token | None) -> Text:
    """A slot in words, for whoever picks it: where it is, and what is written in it."""
    block, offset = divmod(place, block_size)
    where = Text(f"slot {place} (block {block}, offset {offset})", f"槽位 {place}（块 {block}，偏移 {offset}）")
    match found:
        case None:
            return where
        case Token(request="A", position=p):
            return where + Text(f", holding position {p}", f"，存着位置 {p}")
        case _:
            return where + Text(f", holding {_short(found)}", f"，存着 {_short(found)}")


def _header(
    lay: Layout, block: int, owner: str | None, somebody: bool, gone: bool, x: float, y: float, key: str
) -> list[Shape]:
    """The block's number and whose it is, below its slots."""
    w = lay.pool_block_w
    if w >= 118:
        whose = (
            Text(f"of {owner}", f"属于 {owner}")
            if owner
            else Text("others’", "别人的")
            if somebody
            else Text("free", "空闲")
        )
        return [
            Label(f"{key}block.{block}", x, y, Text(f"block {block}", f"块 {block}"), "small strong start"),
            Label(f"{key}owner.{block}", x + w, y, whose, "small muted end"),
        ]
    word = f"{block} {owner}" if owner else f"{block}"
    return [Label(f"{key}block.{block}", x + w / 2, y, word, "small strong middle")]


def _short(found: Token | None) -> str:
    """A token's name in its slot: A's by position alone, as the model sees them."""
    match found:
        case None:
            return ""
        case Token(request="A", position=p):
            return str(p)
        case Token(request=name, position=p):
            return f"{name.lower()}{p}"


def _value(found: Token | None) -> float:
    """What two ways are compared by: A's tokens. Where B finds room is not an error."""
    return float(found.position) if found is not None and found.request == FIRST else -1.0


def _read(step: Step) -> frozenset[int]:
    match step:
        case LookUp(slot=place) | Read(slot=place) if place is not None:
            return frozenset({place})
        case Attended(slots=slots):
            return frozenset(slots)
        case _:
            return frozenset()


def _written(step: Step) -> frozenset[int]:
    match step:
        case Appended(slots=slots):
            return frozenset(slots)
        case Arrived(memory=memory, allocated=blocks):
            size = memory.block_size
            places = [block * size + i for block in blocks for i in range(size)]
            return frozenset(p for p in places if (t := memory.contents[p]) is not None and t.request == SECOND)
        case _:
            return frozenset()


# --- from the table to the pool


def _drop_x(lay: Layout) -> float:
    """Where the arrow of the position looked up comes down to the first line of the pool."""
    x, y = lay.slot_at(_place(lay))
    return x + lay.slot_w / 2 if y == 0 else lay.pool_x(_place(lay) // lay.scenario.block_size) - 9


def _place(lay: Layout) -> int:
    logical, offset = divmod(lay.scenario.position, lay.scenario.block_size)
    return lay.scenario.hand_out[logical] * lay.scenario.block_size + offset


def _arrow(lay: Layout, step: Step) -> list[Shape]:
    match step:
        case LookUp(logical=logical):
            pass
        case Read(position=position):
            logical = position // lay.scenario.block_size
        case WhichBlock(logical=logical) | WhichOffset(logical=logical):
            return []
        case _:
            return []
    x, y = lay.slot_at(_place(lay))
    start = lay.middle(logical)
    below = lay.entry_y + ENTRY_H + 1
    lane = lay.table_end + 20
    target = x + lay.slot_w / 2
    end = lay.pool_y + y - 3
    if y == 0:
        legs: tuple[tuple[float, float], ...] = ((0, lane - below), (target - start, 0), (0, end - lane))
    else:
        drop, low = _drop_x(lay), end - 15
        legs = ((0, lane - below), (drop - start, 0), (0, low - lane), (target - drop, 0), (0, end - low))
    return [
        Route("arrow.down", start, lay.bracket_y + 34, ((0, lay.entry_y - lay.bracket_y - 37),)),
        Route("arrow", start, below, legs),
    ]


def _label(step: Step) -> Text:
    """What the picture shows, for those who cannot see it."""
    table = _held(step)
    tokens = table.length if table else 0
    blocks = ", ".join(map(str, table.blocks)) if table else "–"
    return Text(
        f"Request A with {tokens} tokens, its block table ({blocks}) and the pool of blocks. ",
        f"请求 A（{tokens} 个 token）、它的块表（{blocks}）和内存块池。",
    )
