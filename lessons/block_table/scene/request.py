"""Request A as the model sees it: its tokens in order, and below each logical block its entry of the block table."""

from __future__ import annotations

from engine.paged import blocks_for
from engine.paged_lookup import FIRST, Appended, Divided, LookUp, Read
from engine.paged_memory import Table
from engine.paged_output import Step
from lessons.block_table.scene.layout import ENTRY_H, LEFT, MARGIN, TOKEN_H, Layout
from lessons.kit.roles import Role
from lessons.kit.shapes import Bracket, Cell, Label, Shape
from lessons.kit.text import Text, same


def held(step: Step) -> Table | None:
    """A's table, None once it has been freed."""
    return next((table for table in step.memory.tables if table.name == FIRST), None)


def request(lay: Layout, step: Step) -> list[Shape]:
    table = held(step)
    shapes = _titles(lay)
    if table is None:
        return [
            *shapes,
            Label("tokens.gone", LEFT, lay.token_y + 21, Text("done", "已结束"), "body muted start"),
            Label("table.gone", LEFT, lay.entry_y + 20, Text("given back", "已归还"), "body muted start"),
        ]
    return [*shapes, *_tokens(lay, step, table), *_logical(lay, step, table), *_entries(lay, step, table)]


def _titles(lay: Layout) -> list[Shape]:
    return [
        Label("tokens.title", MARGIN, lay.token_y + 13, Text("Request A", "请求 A"), "body strong start"),
        Label(
            "tokens.note", MARGIN, lay.token_y + 30, Text("what the model sees", "模型看到的顺序"), "small muted start"
        ),
        Label("table.title", MARGIN, lay.entry_y + 12, Text("Block table", "块表"), "body strong start"),
        Label("table.note", MARGIN, lay.entry_y + 29, Text("physical block", "物理块号"), "small muted start"),
    ]


def _tokens(lay: Layout, step: Step, table: Table) -> list[Shape]:
    now = step.position if isinstance(step, Divided | LookUp | Read) else None
    new = range(step.position, step.position + len(step.slots)) if isinstance(step, Appended) else range(0)
    shapes: list[Shape] = []
    for p in range(table.length):
        roles = (Role.FIRST, *((Role.NOW,) if p == now else ()), *((Role.NEW,) if p in new else ()))
        shapes.append(Cell(f"token.{p}", lay.token_x(p), lay.token_y, str(p), lay.token_w, TOKEN_H, roles=roles))
    if now is not None:
        offset = now % lay.scenario.block_size
        words = Text(f"offset {offset}", f"偏移 {offset}")
        shapes.append(
            Label("offset", lay.token_x(now) + lay.token_w / 2, lay.token_y - 7, words, "small accent middle")
        )
    return shapes


def _logical(lay: Layout, step: Step, table: Table) -> list[Shape]:
    looked = step.logical if isinstance(step, Divided | LookUp) else None
    shapes: list[Shape] = []
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
    if lay.words != "long":
        shapes.append(
            Label("logical.title", MARGIN, lay.bracket_y + 26, Text("logical block", "逻辑块"), "small muted start")
        )
    return shapes


def _entries(lay: Layout, step: Step, table: Table) -> list[Shape]:
    taken = len(step.allocated) if isinstance(step, Appended) else 0
    looked = step.logical if isinstance(step, LookUp) else None
    shapes: list[Shape] = []
    for j, block in enumerate(table.blocks):
        roles = (Role.NEW,) if j == looked or j >= len(table.blocks) - taken else ()
        x = lay.middle(j) - lay.entry_w / 2
        shapes.append(Cell(f"entry.{j}", x, lay.entry_y, str(block), lay.entry_w, ENTRY_H, roles=roles))
    return shapes
