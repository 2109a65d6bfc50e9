"""Memory to scale: what one piece for each request reserves, and beside it what the same requests hold in blocks."""

from __future__ import annotations

from engine.paged_lookup import FIRST
from engine.paged_output import Piece, Reserved, Saved
from lessons.block_table.scene.layout import LEFT, MARGIN, WIDTH, Layout
from lessons.kit.roles import Role
from lessons.kit.shapes import Bracket, Cell, Label, Shape
from lessons.kit.text import Text
from lessons.kit.told import Told

STRIP_H = 32.0
NUMBERED = 20.0  # a slot of this width has room for its token's number


def reserved(lay: Layout, step: Reserved) -> list[Shape]:
    most = step.held.pieces[0].slots
    pitch = (WIDTH - MARGIN - LEFT) / most
    title = Told(
        "Without paging: one contiguous piece of {most:slot} for each request",
        "不分页：每个请求一整段连续内存，{most} 个槽位",
    ).on(most=most)
    shapes: list[Shape] = [Label("pieces.title", MARGIN, 26, title, "body strong start")]
    for i, piece in enumerate(step.held.pieces):
        y = 52 + 92 * i
        shapes += _named(piece, y, _request(piece), Told("{slots:slot}", "{slots} 个槽位").on(piece), "one")
        shapes += _strip(piece, y, pitch, "one", 0)
        shapes += _counted(piece, y + STRIP_H + 5, pitch)
    return shapes


def saved(lay: Layout, step: Saved) -> list[Shape]:
    size = lay.scenario.block_size
    pieces = (*step.reserved.pieces, *step.paged.pieces)
    pitch = (WIDTH - MARGIN - LEFT) / max(piece.slots for piece in pieces)
    title = Text("The slots held, drawn to scale; the dashed ones are empty", "占用的槽位，按比例画；虚线的空着")
    shapes: list[Shape] = [Label("pieces.title", MARGIN, 26, title, "body strong start")]
    for i, (one, paged) in enumerate(zip(step.reserved.pieces, step.paged.pieces, strict=True)):
        y = 44 + 98 * i
        note = Told("{slots:slot}, {empty} empty", "{slots} 个槽位，空 {empty}")
        shapes += _named(one, y, Text(f"{one.name} in one piece", f"{one.name}：一整段"), note.on(one), "one")
        shapes += _strip(one, y, pitch, "one", 0)
        shapes += _named(paged, y + 42, Text(f"{one.name} in blocks", f"{one.name}：分块"), note.on(paged), "paged")
        shapes += _strip(paged, y + 42, pitch, "paged", size)
    return shapes


def _request(piece: Piece) -> Text:
    return Text(f"Request {piece.name}", f"请求 {piece.name}")


def _named(piece: Piece, y: float, title: Text, note: Text, key: str) -> list[Shape]:
    return [
        Label(f"{key}.{piece.name}.title", MARGIN, y + 13, title, "body strong start"),
        Label(f"{key}.{piece.name}.note", MARGIN, y + 30, note, "small muted start"),
    ]


def _strip(piece: Piece, y: float, pitch: float, key: str, block_size: int) -> list[Shape]:
    """Slot by slot; blocks stand a little apart, so that none moves along the scale."""
    role = Role.FIRST if piece.name == FIRST else Role.SECOND
    gap = min(2.0, pitch / 6)
    shapes: list[Shape] = []
    for i in range(piece.slots):
        taken = i < piece.tokens
        last = block_size > 0 and (i + 1) % block_size == 0
        text = str(i) if taken and pitch - gap >= NUMBERED else ""
        # A's tokens in one piece are those that stand in order in the next step
        name = f"token.{i}" if taken and piece.name == FIRST and key == "one" else f"{key}.{piece.name}.{i}"
        w = pitch - gap * (2 if last else 1)
        shapes.append(Cell(name, LEFT + i * pitch, y, text, w, STRIP_H, roles=(role if taken else Role.RESERVED,)))
    return shapes


def _counted(piece: Piece, y: float, pitch: float) -> list[Shape]:
    """How many slots are used and how many empty, in words where there is room for them."""
    spans = (
        ("used", 0, piece.tokens, Told("{n:token}", "{n} 个 token").on(n=piece.tokens)),
        ("empty", piece.tokens, piece.empty, Told("{n:slot} empty", "空 {n} 个槽位").on(n=piece.empty)),
    )
    return [
        Bracket(f"{name}.{piece.name}", LEFT + start * pitch, y, n * pitch - 2, words if n * pitch >= 104 else "")
        for name, start, n, words in spans
        if n
    ]
