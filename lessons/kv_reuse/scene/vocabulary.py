"""The logits of every token of the vocabulary, one way beside the other."""

from __future__ import annotations

from engine.attention import Array
from engine.kv_reuse import AskedNext, NextToken
from lessons.kit.roles import Role
from lessons.kit.scene import marked
from lessons.kit.shapes import Arrow, Cell, Label, Shape
from lessons.kit.text import Text
from lessons.kv_reuse.naming import LETTERS
from lessons.kv_reuse.scene.closeup import number, small
from lessons.kv_reuse.scene.layout import PANEL_X, VOCABULARY_ROW


def vocabulary(step: NextToken | AskedNext, wrong: NextToken | AskedNext | None, head: Text) -> list[Shape]:
    """The logits, a line a token: over the cache, with all computed anew, and the wrong way's."""
    top, w, h = 78.0, 104.0, VOCABULARY_ROW - 4
    columns: list[tuple[str, Text, Array]] = [
        ("", Text("over the cache", "用缓存"), step.logits),
        ("plain.", Text("all anew", "全部重算"), step.plain),
    ]
    if wrong is not None:
        columns.append(("wrong.", Text("wrong way", "错误做法"), wrong.logits))
    shapes: list[Shape] = [Label("logit.title", PANEL_X, 30, head, "body strong start")]
    shapes += [
        Label(f"logit.token.{t}", PANEL_X + 4, top + t * VOCABULARY_ROW + 18, name, "body strong start")
        for t, name in enumerate(LETTERS)
    ]
    right: list[Shape] = []
    best = int(step.logits.argmax())
    for i, (key, name, xs) in enumerate(columns):
        x = PANEL_X + 34 + i * (w + 12)
        shapes.append(
            small(f"{key}logit.head", x + w / 2, top - 10, name, "small middle " + ("bad" if i == 2 else "muted"))
        )
        column = [
            Cell(
                f"{key}logit.{t}",
                x,
                top + t * VOCABULARY_ROW,
                number(float(a), 5),
                w,
                h,
                value=float(a),
                roles=(Role.NEW,) if not i and t == best else (),
            )
            for t, a in enumerate(xs)
        ]
        right = right or list(column)
        shapes += marked(column, right, prefix="wrong.") if i == 2 else column
    x = PANEL_X + 34 + len(columns) * (w + 12)
    if wrong is None:
        shapes.append(Arrow("logit.best", x + 30, top + best * VOCABULARY_ROW + 12, -26))
        shapes.append(
            Label(
                "logit.best.word",
                x + 40,
                top + best * VOCABULARY_ROW + 17,
                Text("most likely next", "最可能的下一个"),
                "small accent start",
            )
        )
    return shapes
