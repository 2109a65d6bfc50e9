"""After an insertion, which turns every later k: how many positions must be computed, and which rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.kv_reuse import Mistake, Scenario
from engine.prompt_edits import Experiment, Operation
from lessons.kit.form import Form
from lessons.kit.question import Line, Question, Slip
from lessons.kit.reply import Answer, Number, Tick
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.form import at_most
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.questions.inputs import (
    AT,
    FEW_LAYERS,
    FOUR_DIGITS,
    LENGTH,
    POSITION,
    SHORT,
    SHORTER,
    Prompt,
    inserting,
    inside,
    long_prompt,
)
from lessons.kv_reuse.questions.tables import Bools, answer, changed, positions

INSERTION: Question[Prompt] = Question(
    slug="insertion",
    title=Text("After an insertion", "插入之后"),
    prompt=Told(
        "{length} tokens are cached in a causal model of several layers. One token is inserted so that it stands at "
        "position {at}, counted from 0. How many positions must be computed, the inserted one included?",
        "多层因果模型缓存了 {length} 个 token。插入一个 token，让它位于位置 {at}（从 0 数）。连插入的在内，有多少个位"
        "置要计算？",
    ),
    form=Form((LENGTH, AT), together=inside),
    inputs=Prompt(24, 8),
    invent=long_prompt,
    formula=lambda q: q.from_there,
    slips=(
        MISTAKES.slip(
            Mistake.EDITED_ONLY,
            lambda q: 1,
            inserting,
            name="inserted_alone",
            title=Text("Only the inserted token", "只算了插入的"),
            said=Text(
                "What stands behind has moved on by one position and now sees one token more.",
                "后面的 token 都往后移了一位，而且多看见一个 token。",
            ),
        ),
        Slip(
            "forgot_inserted",
            Text("Forgot the inserted one", "漏了插入的那个"),
            lambda q: q.from_there - 1,
            Text(
                "That is how many stand behind it. It has to be computed as well.", "这是它后面的个数。它自己也要算。"
            ),
        ),
        Slip(
            "everything",
            Text("Counted every position", "全部都算了"),
            lambda q: q.longer,
            Text(
                "What stands before the insertion neither moves nor sees it.",
                "插入位置之前的 token 既没有移动，也看不到它。",
            ),
        ),
        Slip(
            "one_less",
            Text("Left out two", "漏了两个"),
            lambda q: q.from_there - 2,
            Text(
                "That leaves out the inserted token and the one it pushed on, whose stored k is still turned to the "
                "old position.",
                "这漏了插入的 token，也漏了被它挤后一位的那个：后者存下的 k 还转在旧位置上。",
            ),
        ),
    ),
    working=Told(
        "The prompt now has {longer} positions; those from {at} on are computed. In layer 0 the moved v would still "
        "hold, but a token counts as reusable only if all its layers do.",
        "提示现在有 {longer} 个位置；从 {at} 起都要算。第 0 层移动过的 v 其实仍有效，但一个 token 要所有层都有效才"
        "算可复用。",
    )
    + SHORTER,
    way=inserting,
    reply=Number(POSITION),
    rows=(
        Line(Text("positions now", "现在的位置数"), "{length} + 1", "{longer}"),
        Line(Text("positions kept", "可留用的位置"), Text("all before the insertion", "插入位置之前的全部"), "{at}"),
        Line(
            Text("positions to compute", "要计算的位置"),
            "{longer} − {at}",
            Told("{from_there:position}", "{from_there} 个位置"),
        ),
    ),
    tolerance=FOUR_DIGITS,
)


# --- which rows


@dataclass(frozen=True)
class Inserted:
    """A short cached prompt into which a token is inserted at a position."""

    length: int = 5
    at: int = 2
    layers: int = 2


def _k_and_v(k: Bools, v: Bools) -> Answer:
    """Line by line: layer 0's k, layer 0's v, layer 1's k, …"""
    return answer(np.stack([k, v], axis=1))


def _with_layer_0(q: Inserted, k: Bools, v: Bools) -> Answer:
    """The right rows, but for these in layer 0: (T,) each."""
    right = changed(Operation.INSERT, q.length, q.at, q.layers)
    return _k_and_v(*(np.concatenate([line[None], table[1:]]) for line, table in zip((k, v), right, strict=True)))


def _alone(q: Inserted) -> Bools:
    return np.asarray(np.arange(q.length + 1) == q.at)


def _behind(q: Inserted) -> Bools:
    return np.asarray(np.arange(q.length + 1) >= q.at)


def _shorter(q: Inserted) -> Scenario:
    return inserting(Prompt(q.length, min(q.at, q.length - 1)))


def _way(q: Inserted) -> Scenario:
    """The steps replace a token; the laboratory inserts this one."""
    lab = Experiment(Operation.INSERT, length=q.length, position=q.at, n_layers=q.layers)
    return replace(_shorter(q), experiment=lab)


_SERVING = (
    Line[Inserted](
        Text("before the insertion", "插入位置之前"),
        Text("same position, same view", "位置不变，看到的也不变"),
        Text("every row serves", "每一行都可用"),
    ),
    Line[Inserted](
        Text("the inserted token", "插入的 token"),
        Text("new", "新的"),
        Told("all rows at position {at}", "位置 {at} 的所有行"),
    ),
    Line[Inserted](
        Text("layer 0, behind it: v", "第 0 层，之后的 v"),
        Text("from the token alone", "只由 token 算出"),
        Text("serves", "可用"),
    ),
    Line[Inserted](
        Text("layer 0, behind it: k", "第 0 层，之后的 k"),
        Text("turned to the old position", "转在旧位置上"),
        Text("computed", "要算"),
    ),
    Line[Inserted](
        Text("layers above, behind it", "上面各层，之后"),
        Text("inputs have seen one token more", "输入多看了一个 token"),
        Text("computed", "要算"),
    ),
)

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
    form=Form((SHORT, AT, FEW_LAYERS), together=lambda v: at_most(AT, v["at"], v["length"])),
    inputs=Inserted(),
    invent=lambda rng: rng.choice(INSERTED),
    formula=lambda q: _k_and_v(*changed(Operation.INSERT, q.length, q.at, q.layers)),
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
        MISTAKES.slip(
            Mistake.EDITED_ONLY,
            lambda q: answer(np.broadcast_to(_alone(q), (2 * q.layers, q.length + 1))),
            _shorter,
            name="inserted_alone",
            title=Text("Only the inserted token", "只有插入的 token"),
            said=Text(
                "What stands behind has moved, and from layer 1 on its inputs have looked at one token more.",
                "后面的 token 都移了位，而且从第 1 层起，它们的输入多看了一个 token。",
            ),
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
    way=_way,
    reply=Tick(
        lambda q: tuple(Text(f"layer {i} · {row}", f"第 {i} 层 · {row}") for i in range(q.layers) for row in "kv"),
        lambda q: positions(q.length + 1),
    ),
    rows=lambda q: tuple(line.row(q) for line in (_SERVING if q.layers > 1 else _SERVING[:-1])),
)
