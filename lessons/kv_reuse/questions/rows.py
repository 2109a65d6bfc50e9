"""Which rows, and how many: after a replacement, and after an insertion that turns every later k."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from engine.kv_reuse import Mistake
from engine.prompt_edits import Experiment, Operation
from lessons.kit.controls import BadInput, Whole
from lessons.kit.form import Form
from lessons.kit.question import Question, Row, Slip, Tolerance
from lessons.kit.reply import Answer, Number, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kit.units import ROW
from lessons.kv_reuse.questions.inputs import (
    AT,
    FEW_LAYERS,
    RELATIVE,
    SHORT,
    Prompt,
    Rows,
    exactly,
    form,
    short_way,
    slip,
)
from lessons.kv_reuse.questions.tables import KEYS_BY_LAYER, Bools, answer, changed, from_position, positions

ROWS: Question[Rows] = Question(
    slug="rows",
    title=Text("How many rows change?", "有几行会变？"),
    prompt=Told(
        "A causal model with {layers:layer} has cached {length:token}. The token at position {at}, counted from 0, "
        "is replaced by another. Counting one row of k for each layer and position: how many rows of k change?",
        "{layers} 层的因果模型缓存了 {length} 个 token。位置 {at}（从 0 数）的 token 换成另一个。每层每个位置算一行 "
        "k：有多少行 k 会变？",
    ),
    form=form(Rows, SHORT, AT, FEW_LAYERS),
    inputs=Rows(6, 2, 3),
    invent=lambda rng: Rows(length := rng.randint(4, 8), rng.randint(0, length - 2), rng.randint(2, 3)),
    formula=lambda q: 1 + (q.layers - 1) * (q.length - q.at),
    slips=(
        slip(
            "all_layers_alike",
            Text("Took layer 0 for a deeper one", "把第 0 层当成更深的层"),
            lambda q: q.layers * (q.length - q.at),
            Text(
                "In layer 0, k comes from one token and its position alone: behind a replaced token it stays.",
                "第 0 层的 k 只由一个 token 和它的位置算出：被替换的 token 之后，它不变。",
            ),
        ),
        slip(
            "edited_alone",
            Text("Only the replaced position", "只算了被替换的位置"),
            lambda q: q.layers,
            Text(
                "From layer 1 on, every later position’s input has looked at the replaced token.",
                "从第 1 层起，后面每个位置的输入都看过被替换的 token。",
            ),
            lambda q: replace(exactly(q), mistake=Mistake.EDITED_ONLY),
        ),
        slip(
            "no_layer_0",
            Text("Forgot layer 0", "漏了第 0 层"),
            lambda q: (q.layers - 1) * (q.length - q.at),
            Text("In layer 0 the replaced position’s own row changes.", "第 0 层里，被替换位置自己的那一行会变。"),
        ),
        slip(
            "everything",
            Text("Counted every row", "把每一行都算了"),
            lambda q: q.layers * q.length,
            Text("What stands before the edit cannot see it.", "编辑位置之前的 token 看不到它。"),
        ),
    ),
    working=lambda q: (
        Text(
            f"Layer 0: 1. Each of the {q.layers - 1} layers above: positions {q.at} to {q.length - 1}, "
            f"{q.length - q.at} rows.",
            f"第 0 层：1 行。上面的 {q.layers - 1} 层，每层是位置 {q.at} 到 {q.length - 1}，{q.length - q.at} 行。",
        )
        if q.layers > 2
        else Text(
            f"Layer 0: 1. Layer 1: positions {q.at} to {q.length - 1}, {q.length - q.at} rows.",
            f"第 0 层：1 行。第 1 层：位置 {q.at} 到 {q.length - 1}，{q.length - q.at} 行。",
        )
        if q.layers == 2
        else Text("Layer 0 alone: 1 row, the replaced token’s own.", "只有第 0 层：1 行，被替换的 token 自己的。")
    ),
    way=exactly,
    reply=Number(ROW),
    rows=lambda q: (
        Row(Text("rows of layer 0", "第 0 层的行"), Text("the replaced position’s own", "被替换位置自己的"), "1"),
        Row(Text("rows of a deeper layer", "更深一层的行"), f"{q.length} − {q.at}", str(q.length - q.at)),
        Row(
            Text("all layers", "所有层"),
            f"1 + {q.layers - 1} × {q.length - q.at}",
            ROW.after(str(1 + (q.layers - 1) * (q.length - q.at))),
        ),
    ),
    tolerance=Tolerance(RELATIVE, 0.01),
)


# --- which rows, after a replacement


def stale_rows(q: Rows) -> Bools:
    return changed(Operation.REPLACE, q.length, q.at, q.layers).k


def _column(q: Rows) -> Bools:
    cells: Bools = np.zeros((q.layers, q.length), bool)
    cells[:, q.at] = True
    return cells


REPLACED = tuple(Rows(n, at, layers) for layers in (2, 3) for n in range(4, 9) for at in range(1, n - 1))

STALE: Question[Rows] = Question(
    slug="stale",
    title=Text("Which rows no longer hold?", "哪些行失效？"),
    prompt=Told(
        "A causal model of {layers:layer} has cached {length:token}. The one at position {at}, counted from 0, is "
        "replaced. Which rows of k no longer hold?",
        "{layers} 层的因果模型缓存了 {length} 个 token。位置 {at}（从 0 数）的 token 被替换。哪些 k 行失效？",
    ),
    form=form(Rows, SHORT, AT, FEW_LAYERS),
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
        Slip(
            "edited_alone",
            Text("Only the replaced position", "只有被替换的位置"),
            lambda q: answer(_column(q)),
            Text(
                "From layer 1 on, every later position’s input has looked at the replaced token.",
                "从第 1 层起，后面每个位置的输入都看过被替换的 token。",
            ),
            lambda q: replace(exactly(q), mistake=Mistake.EDITED_ONLY),
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
    working=lambda q: (
        Text(
            f"Layer 0 loses position {q.at} alone; from layer 1 on it is lost with all behind it.",
            f"第 0 层只失去位置 {q.at}；从第 1 层起，它和后面的全部失效。",
        )
        if q.layers > 1
        else Text(f"Layer 0 loses position {q.at} alone.", f"第 0 层只失去位置 {q.at}。")
    ),
    way=exactly,
    reply=KEYS_BY_LAYER,
    rows=lambda q: (
        Row(
            Text(
                f"positions 0 to {q.at - 1}" if q.at > 1 else "position 0" if q.at else "before it",
                f"位置 0 到 {q.at - 1}" if q.at > 1 else "位置 0" if q.at else "它之前",
            ),
            Text("cannot see the edit", "看不到编辑") if q.at else Text("there is none", "没有"),
            Text("hold in every layer", "每层都有效") if q.at else Text("nothing", "无"),
        ),
        Row(
            Text("layer 0", "第 0 层"),
            Text("k comes from its own token and position", "k 只由自己的 token 和位置算出"),
            Text(f"position {q.at} changes", f"位置 {q.at} 变了"),
        ),
        *(
            Row(
                Text(f"layer {i}", f"第 {i} 层"),
                Text("its inputs have looked at the edit", "它的输入看过编辑"),
                Text(f"positions {q.at} to {q.length - 1} change", f"位置 {q.at} 到 {q.length - 1} 变了")
                if q.at < q.length - 1
                else Text(f"position {q.at} changes", f"位置 {q.at} 变了"),
            )
            for i in range(1, q.layers)
        ),
    ),
)


# --- which rows, after an insertion


@dataclass(frozen=True)
class Inserted:
    """A short cached prompt into which a token is inserted at a position."""

    length: int = 5
    at: int = 2
    layers: int = 2


def _k_and_v(k: Bools, v: Bools) -> Answer:
    """Line by line: layer 0's k, layer 0's v, layer 1's k, …"""
    return answer(np.stack([k, v], axis=1))


def _new_rows(q: Inserted) -> Answer:
    return _k_and_v(*changed(Operation.INSERT, q.length, q.at, q.layers))


def _with_layer_0(q: Inserted, k: Bools, v: Bools) -> Answer:
    """The right rows, but for these in layer 0: (T,) each."""
    right = changed(Operation.INSERT, q.length, q.at, q.layers)
    return _k_and_v(*(np.concatenate([line[None], table[1:]]) for line, table in zip((k, v), right, strict=True)))


def _alone(q: Inserted) -> Bools:
    return np.asarray(np.arange(q.length + 1) == q.at)


def _behind(q: Inserted) -> Bools:
    return np.asarray(np.arange(q.length + 1) >= q.at)


def _checked(values: Mapping[str, Any]) -> Inserted:
    q = Inserted(**values)
    if q.at > q.length:
        raise BadInput(
            Text(
                f"**{AT.label.en}** may be at most {q.length} here; it reads {q.at}.",
                f"**{AT.label.zh}**在这里最多为 {q.length}；现在是 {q.at}。",
            )
        )
    return q


INSERTED = tuple(Inserted(n, at, layers) for layers in (2, 3) for n in range(3, 8) for at in range(1, n))

MOVED: Question[Inserted] = Question(
    slug="moved",
    title=Text("What an insertion spoils", "插入让哪些行失效？"),
    prompt=Told(
        "A causal model of {layers:layer} with rotated keys has cached {length:token}. One is inserted so that it "
        "stands at position {at}, counted from 0; what was there and behind moves on by one. Which rows of the new "
        "prompt must be computed, because no stored row of the same token serves?",
        "{layers} 层的因果模型（键按位置旋转）缓存了 {length} 个 token。再插入一个，使它位于位置 {at}（从 0 数），原"
        "来在那里和之后的都后移一位。新提示的哪些行必须计算，因为没有同一个 token 的旧行可用？",
    ),
    form=Form((Whole("length", Text("Prompt length", "提示长度"), 2, 8), AT, FEW_LAYERS), _checked, asdict),
    inputs=Inserted(),
    invent=lambda rng: rng.choice(INSERTED),
    formula=_new_rows,
    slips=(
        Slip(
            "v_like_k",
            Text("Took v for k", "把 v 当成 k"),
            lambda q: _with_layer_0(q, _behind(q), _behind(q)),
            Text(
                "In layer 0 v comes from the token alone: it is not rotated, so the moved tokens’ v still serve.",
                "第 0 层的 v 只由 token 算出，不旋转：移动过的 token 的 v 仍可用。",
            ),
        ),
        Slip(
            "not_rotated",
            Text("Forgot that k turns with the position", "忘了 k 随位置旋转"),
            lambda q: _with_layer_0(q, _alone(q), _alone(q)),
            Text(
                "A stored k is turned to its old position. One position further on it is another k, even in layer 0.",
                "存下的 k 转在旧位置上。后移一位就是另一个 k，第 0 层也不例外。",
            ),
        ),
        Slip(
            "inserted_alone",
            Text("Only the inserted token", "只有插入的 token"),
            lambda q: answer(np.broadcast_to(_alone(q), (2 * q.layers, q.length + 1))),
            Text(
                "What stands behind has moved, and from layer 1 on its inputs have looked at one token more.",
                "后面的 token 都移了位，而且从第 1 层起，它们的输入多看了一个 token。",
            ),
            lambda q: short_way(Prompt(q.length, min(q.at, q.length - 1)), Operation.INSERT, Mistake.EDITED_ONLY),
        ),
        Slip(
            "everything",
            Text("Every row", "每一行"),
            lambda q: answer(np.ones((2 * q.layers, q.length + 1), bool)),
            Text(
                "What stands before the insertion has not moved and cannot see it.",
                "插入位置之前的 token 没有移动，也看不到它。",
            ),
        ),
    ),
    working=Told(
        "From position {at} on everything is computed, but for layer 0’s v, which neither moves with the position "
        "nor looks at others.",
        "从位置 {at} 起全部要算，只有第 0 层的 v 例外：它不随位置变，也不看别的 token。",
    ),
    way=lambda q: replace(
        short_way(Prompt(q.length, min(q.at, q.length - 1)), Operation.INSERT),
        experiment=Experiment(Operation.INSERT, length=q.length, position=q.at, n_layers=q.layers),
    ),
    reply=Tick(
        lambda q: tuple(Text(f"layer {i} · {row}", f"第 {i} 层 · {row}") for i in range(q.layers) for row in "kv"),
        lambda q: positions(q.length + 1),
    ),
    rows=lambda q: (
        Row(
            Text("before the insertion", "插入位置之前"),
            Text("same position, same view", "位置不变，看到的也不变"),
            Text("every row serves", "每一行都可用"),
        ),
        Row(
            Text("the inserted token", "插入的 token"),
            Text("new", "新的"),
            Text(f"all rows at position {q.at}", f"位置 {q.at} 的所有行"),
        ),
        Row(
            Text("layer 0, behind it: v", "第 0 层，之后的 v"),
            Text("from the token alone", "只由 token 算出"),
            Text("serves", "可用"),
        ),
        Row(
            Text("layer 0, behind it: k", "第 0 层，之后的 k"),
            Text("turned to the old position", "转在旧位置上"),
            Text("computed", "要算"),
        ),
        *(
            (
                Row(
                    Text("layers above, behind it", "上面各层，之后"),
                    Text("inputs have seen one token more", "输入多看了一个 token"),
                    Text("computed", "要算"),
                ),
            )
            if q.layers > 1
            else ()
        ),
    ),
)
