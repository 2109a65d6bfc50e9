"""Several shapes that belong together: a row of cells, a block of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lessons.kit.roles import Role
from lessons.kit.shapes import CELL_H, CELL_W, Cell, Label, Shape, Words


def row(
    key: str,
    x: float,
    y: float,
    values: Sequence[float],
    texts: Sequence[Words],
    *,
    roles: tuple[Role, ...] = (),
    w: float = CELL_W,
    h: float = CELL_H,
    gap: float = 6.0,
) -> tuple[Cell, ...]:
    """Cells side by side, keyed `key.0`, `key.1`, …"""
    return tuple(
        Cell(f"{key}.{i}", x + i * (w + gap), y, text, w, h, value=value, roles=roles)
        for i, (value, text) in enumerate(zip(values, texts, strict=True))
    )


@dataclass(frozen=True)
class Slot:
    """One place of a block: what is written in it, the number it is compared by, its roles."""

    text: Words = ""
    roles: tuple[Role, ...] = (Role.FREE,)
    value: float | None = None


def block(
    key: str,
    x: float,
    y: float,
    name: Words,
    slots: Sequence[Slot],
    *,
    owner: Words = "",
    below: Words = "",
    roles: tuple[Role, ...] = (),
    name_style: str = "small strong",
    owner_style: str = "small muted",
    below_style: str = "small muted",
    first: int | None = None,
    w: float = 40.0,
    h: float = 40.0,
    gap: float = 2.0,
    least: float = 0.0,
) -> tuple[Shape, ...]:
    """A block of memory: its name and owner above, its slots as cells, their offsets and a line of words under them.

    (x, y) is the top left of the slots; `roles` are of the block as a whole (shared: a double outline around it).
    Slots are keyed `slot.i`, counted from `first`, or `key.0`, `key.1`, …; the words above and below take at least
    the width `least`."""
    full = len(slots) * (w + gap) - gap
    keys = [f"{key}.{i}" if first is None else f"slot.{first + i}" for i in range(len(slots))]
    wide = max(full, least)
    shapes: list[Shape] = [
        *([Cell(f"{key}.frame", x - 3, y - 3, "", full + 6, h + 6, roles=roles)] if roles else []),
        Label(f"{key}.name", x, y - 11, name, f"{name_style} start"),
        *(
            Cell(k, x + i * (w + gap), y, slot.text, w, h, value=slot.value, roles=slot.roles)
            for i, (k, slot) in enumerate(zip(keys, slots, strict=True))
        ),
        *(
            Label(f"{k}.offset", x + i * (w + gap) + w / 2, y + h + 18, str(i), "small muted middle")
            for i, k in enumerate(keys)
        ),
    ]
    if owner:
        shapes.append(Label(f"{key}.owner", x + wide, y - 11, owner, f"{owner_style} end"))
    if below:
        shapes.append(Label(f"{key}.below", x, y + h + 38, below, f"{below_style} start"))
    return tuple(shapes)
