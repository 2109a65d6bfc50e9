"""A worked solution as steps of the player: its lines, one more at each step."""

from __future__ import annotations

from lessons.kit.lesson import Frame, Narration
from lessons.kit.question import Row
from lessons.kit.roles import Role
from lessons.kit.scene import Scene
from lessons.kit.shapes import Cell, Label, Shape, cut
from lessons.kit.text import Text, same

WIDTH, _LINE, _VALUE = 900.0, 76.0, 300.0
_EM = 8.5  # of a small letter


def frames(rows: tuple[Row, ...]) -> tuple[Frame, ...]:
    """One frame a line."""
    return tuple(Frame(_narration(i, row), _scene(rows, i)) for i, row in enumerate(rows))


def _text(words: Text | str) -> Text:
    return same(words) if isinstance(words, str) else words


def _narration(i: int, row: Row) -> Narration:
    how, value = _text(row.how), _text(row.value)
    return Narration(
        f"line-{i + 1}",
        row.what,
        Text(f"{row.what.en}: {value.en}", f"{row.what.zh}：{value.zh}"),
        how,
    )


def _scene(rows: tuple[Row, ...], last: int) -> Scene:
    shapes: list[Shape] = []
    for i, row in enumerate(rows[: last + 1]):
        y = i * _LINE
        value, how = _text(row.value), _text(row.how)
        shapes += [
            Label(f"{i}.what", 12, y + 30, row.what, "strong start"),
            Label(f"{i}.how", 12, y + 54, _short(how), "small muted start"),
            Cell(
                f"{i}.value",
                WIDTH - _VALUE - 12,
                y + 14,
                _short(value, _VALUE - 20),
                _VALUE,
                44,
                roles=(Role.NEW,) if i == last else (),
            ),
        ]
    said = rows[last]
    label = Text(f"{said.what.en}: {_text(said.value).en}", f"{said.what.zh}：{_text(said.value).zh}")
    return Scene(WIDTH, _LINE * len(rows) + 10, label, tuple(shapes))


def _short(words: Text, room: float = WIDTH - _VALUE - 40) -> Text:
    """Cut where the line would run into the value; the sentence beside the figure has it all."""
    return Text(cut(words.en, room / _EM), cut(words.zh, room / _EM))
