"""Which rows, and how many, change when a token is replaced."""

from __future__ import annotations

import numpy as np

from engine.kv_reuse import Mistake
from engine.prompt_edits import Operation
from lessons.kit.form import Form
from lessons.kit.question import Line, Question, Row, Slip
from lessons.kit.reply import Number
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import ROW
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.questions.inputs import (
    AT,
    FEW_LAYERS,
    FOUR_DIGITS,
    SHORT,
    Rows,
    exactly,
    inside,
)
from lessons.kv_reuse.questions.tables import KEYS_BY_LAYER, Bools, answer, changed, from_position


def _counted(q: Rows) -> Text:
    if q.layers == 1:
        said = Told("Layer 0 alone: 1 row, the replaced token’s own.", "只有第 0 层：1 行，被替换的 token 自己的。")
    elif q.layers == 2:
        said = Told(
            "Layer 0: 1. Layer 1: positions {at} to {last}, {behind:row}.",
            "第 0 层：1 行。第 1 层：位置 {at} 到 {last}，{behind} 行。",
        )
    else:
        said = Told(
            "Layer 0: 1. Each of the {above} layers above: positions {at} to {last}, {behind:row}.",
            "第 0 层：1 行。上面的 {above} 层，每层是位置 {at} 到 {last}，{behind} 行。",
        )
    return said.on(q)


ROWS: Question[Rows] = Question(
    slug="rows",
    title=Text("How many rows change?", "有几行会变？"),
    prompt=Told(
        "A causal model with {layers:layer} has cached {length:token}. The token at position {at}, counted from 0, "
        "is replaced by another. Counting one row of k for each layer and position: how many rows of k change?",
        "{layers} 层的因果模型缓存了 {length} 个 token。位置 {at}（从 0 数）的 token 换成另一个。每层每个位置算一行 "
        "k：有多少行 k 会变？",
    ),
    form=Form((SHORT, AT, FEW_LAYERS), together=inside),
    inputs=Rows(6, 2, 3),
    invent=lambda rng: Rows(length := rng.randint(4, 8), rng.randint(0, length - 2), rng.randint(2, 3)),
    formula=lambda q: q.changed,
    slips=(
        Slip(
            "all_layers_alike",
            Text("Took layer 0 for a deeper one", "把第 0 层当成更深的层"),
            lambda q: q.layers * q.behind,
            Text(
                "In layer 0, k comes from one token and its position alone: behind a replaced token it stays.",
                "第 0 层的 k 只由一个 token 和它的位置算出：被替换的 token 之后，它不变。",
            ),
        ),
        MISTAKES.slip(
            Mistake.EDITED_ONLY,
            lambda q: q.layers,
            exactly,
            name="edited_alone",
            title=Text("Only the replaced position", "只算了被替换的位置"),
            said=Text(
                "From layer 1 on, every later position’s input has looked at the replaced token.",
                "从第 1 层起，后面每个位置的输入都看过被替换的 token。",
            ),
        ),
        Slip(
            "no_layer_0",
            Text("Forgot layer 0", "漏了第 0 层"),
            lambda q: q.above * q.behind,
            Text("In layer 0 the replaced position’s own row changes.", "第 0 层里，被替换位置自己的那一行会变。"),
        ),
        Slip(
            "everything",
            Text("Counted every row", "把每一行都算了"),
            lambda q: q.layers * q.length,
            Text("What stands before the edit cannot see it.", "编辑位置之前的 token 看不到它。"),
        ),
    ),
    working=_counted,
    way=exactly,
    reply=Number(ROW),
    rows=(
        Line(Text("rows of layer 0", "第 0 层的行"), Text("the replaced position’s own", "被替换位置自己的"), "1"),
        Line(Text("rows of a deeper layer", "更深一层的行"), "{length} − {at}", "{behind}"),
        Line(Text("all layers", "所有层"), "1 + {above} × {behind}", Told("{changed:row}", "{changed} 行")),
    ),
    tolerance=FOUR_DIGITS,
)


# --- which rows, after a replacement


def stale_rows(q: Rows) -> Bools:
    return changed(Operation.REPLACE, q.length, q.at, q.layers).k


def _column(q: Rows) -> Bools:
    cells: Bools = np.zeros((q.layers, q.length), bool)
    cells[:, q.at] = True
    return cells


def _lost(q: Rows) -> Text:
    if q.layers == 1:
        return Told("Layer 0 loses position {at} alone.", "第 0 层只失去位置 {at}。").on(q)
    return Told(
        "Layer 0 loses position {at} alone; from layer 1 on it is lost with all behind it.",
        "第 0 层只失去位置 {at}；从第 1 层起，它和后面的全部失效。",
    ).on(q)


def _by_layer(q: Rows) -> tuple[Row, ...]:
    before = (
        Text("before it", "它之前"),
        Text("position 0", "位置 0"),
        Text(f"positions 0 to {q.at - 1}", f"位置 0 到 {q.at - 1}"),
    )[min(q.at, 2)]
    if q.at:
        first = Row(before, Text("cannot see the edit", "看不到编辑"), Text("hold in every layer", "每层都有效"))
    else:
        first = Row(before, Text("there is none", "没有"), Text("nothing", "无"))
    one = Told("position {at} changes", "位置 {at} 变了").on(q)
    all_behind = Told("positions {at} to {last} change", "位置 {at} 到 {last} 变了").on(q)
    return (
        first,
        Row(
            Text("layer 0", "第 0 层"),
            Text("k comes from its own token and position", "k 只由自己的 token 和位置算出"),
            one,
        ),
        *(
            Row(
                Text(f"layer {i}", f"第 {i} 层"),
                Text("its inputs have looked at the edit", "它的输入看过编辑"),
                all_behind if q.behind > 1 else one,
            )
            for i in range(1, q.layers)
        ),
    )


REPLACED = tuple(Rows(n, at, layers) for layers in (2, 3) for n in range(4, 9) for at in range(1, n - 1))

STALE: Question[Rows] = Question(
    slug="stale",
    title=Text("Which rows no longer hold?", "哪些行失效？"),
    prompt=Told(
        "A causal model of {layers:layer} has cached {length:token}. The one at position {at}, counted from 0, is "
        "replaced. Which rows of k no longer hold?",
        "{layers} 层的因果模型缓存了 {length} 个 token。位置 {at}（从 0 数）的 token 被替换。哪些 k 行失效？",
    ),
    form=Form((SHORT, AT, FEW_LAYERS), together=inside),
    inputs=Rows(6, 2, 3),
    invent=lambda rng: rng.choice(REPLACED),
    formula=lambda q: answer(stale_rows(q)),
    slips=(
        Slip(
            "all_layers_alike",
            Text("Took layer 0 for a deeper one", "把第 0 层当成更深的层"),
            lambda q: answer(from_position(q.at, q.length, q.layers)),
            Text(
                "In layer 0, k comes from one token and its position alone: behind the replaced token it still holds.",
                "第 0 层的 k 只由一个 token 和它的位置算出：被替换的 token 之后，它仍有效。",
            ),
        ),
        MISTAKES.slip(
            Mistake.EDITED_ONLY,
            lambda q: answer(_column(q)),
            exactly,
            name="edited_alone",
            title=Text("Only the replaced position", "只有被替换的位置"),
            said=Text(
                "From layer 1 on, every later position’s input has looked at the replaced token.",
                "从第 1 层起，后面每个位置的输入都看过被替换的 token。",
            ),
        ),
        Slip(
            "what_holds",
            Text("Ticked what still holds", "勾成了仍有效的"),
            lambda q: answer(~stale_rows(q)),
            Text(
                "Those are the rows that still hold. The others were asked for.",
                "这些是仍然有效的行。题目问的是其余的。",
            ),
        ),
        Slip(
            "everything",
            Text("Every row", "每一行"),
            lambda q: answer(np.ones_like(stale_rows(q))),
            Text(
                "What stands before the edit cannot see it, in any layer.", "编辑位置之前的 token 在哪一层都看不到它。"
            ),
        ),
    ),
    working=_lost,
    way=exactly,
    reply=KEYS_BY_LAYER,
    rows=_by_layer,
)
