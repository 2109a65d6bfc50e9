"""What a reader may edit, and how the fields become a Scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.kv_reuse import Mistake, Scenario
from engine.prompt_edits import Experiment, Operation, Sight
from lessons.kit.controls import BadInput, Choice, Line, Whole, shown
from lessons.kit.form import Form
from lessons.kit.text import Text, same
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.tokens import LETTERS, letter

MOST_TOKENS = 7
MOST_LENGTH = 256

_LETTERS = tuple((name, same(name)) for name in LETTERS)

TOKENS = Line(
    "tokens",
    Text("Old tokens", "旧 token"),
    Text(f"1 to {MOST_TOKENS} letters from A to K, e.g. A B", f"1 到 {MOST_TOKENS} 个字母，A 到 K，例如 A B"),
)
APPENDED = Choice("appended", Text("Token appended", "追加的 token"), _LETTERS)
LAYERS = Whole("layers", Text("Layers", "层数"), 1, 3)
HEAD = Whole("head", Text("Query head shown (from 0)", "显示哪个查询头（从 0 数）"), 0, 3)
EDIT_AT = Whole("edit_at", Text("Replace at position (from 0)", "替换哪个位置（从 0 数）"), 0, MOST_TOKENS)
EDIT_TO = Choice("edit_to", Text("Replace by", "替换成"), _LETTERS)
ASKED = Choice("asked", Text("Token asked next", "接着询问的 token"), _LETTERS)
SIGHT = Choice(
    "sight",
    Text("Who may see whom", "谁能看见谁"),
    (
        (Sight.CAUSAL.value, Text("causal: oneself and earlier ones", "因果：自己和之前的")),
        (Sight.BOTH_WAYS.value, Text("bidirectional: everyone", "双向：所有的")),
        (Sight.WINDOW.value, Text("causal within a sliding window", "滑动窗口内的因果")),
        (Sight.PREFIX.value, Text("prefix-LM: the prefix both ways", "前缀 LM：前缀内双向")),
    ),
)
WINDOW = Whole("window", Text("Window, itself included", "窗口大小（含自己）"), 1, 128)
PREFIX = Whole("prefix", Text("Prefix length", "前缀长度"), 0, 128)

OPERATION = Choice(
    "op",
    Text("What is changed", "做什么改动"),
    (
        (Operation.APPEND.value, Text("append a token", "追加一个 token")),
        (Operation.REPLACE.value, Text("replace the token at the position", "替换该位置的 token")),
        (Operation.INSERT.value, Text("insert a token at the position", "在该位置插入 token")),
        (Operation.ADAPTER.value, Text("swap an adapter in one layer", "在某一层更换适配器")),
        (Operation.SHIFT.value, Text("shift all positions up", "所有位置号加大")),
        (Operation.DROP.value, Text("forget the oldest tokens", "忘掉最早的 token")),
    ),
)
LENGTH = Whole("length", Text("Prompt length", "提示长度"), 2, MOST_LENGTH)
AT = Whole("at", Text("Position (from 0)", "位置（从 0 数）"), 0, MOST_LENGTH)
LAB_LAYERS = Whole("lab_layers", Text("Layers of the laboratory’s model", "实验室模型的层数"), 1, 4)
ADAPTER = Whole("adapter", Text("Adapter in layer (from 0)", "适配器在哪一层（从 0 数）"), 0, 3)
BY = Whole("by", Text("Shift or forget by", "移动或忘掉多少"), 1, 64)

MISTAKE = Choice(
    "mistake",
    Text("Compare with a mistake", "与一种错误比较"),
    tuple((mistake.value, words) for mistake, words in MISTAKES.items()),
    short=Text("Mistake", "错误"),
)


def _values(scenario: Scenario) -> dict[str, Any]:
    lab = scenario.experiment
    return {
        "tokens": " ".join(map(letter, scenario.tokens)),
        "appended": letter(scenario.appended),
        "layers": scenario.n_layers,
        "head": scenario.head,
        "edit_at": scenario.edit_at,
        "edit_to": letter(scenario.edit_to),
        "asked": letter(scenario.asked),
        "sight": scenario.sight.value,
        "window": scenario.window,
        "prefix": scenario.prefix,
        "op": lab.operation.value,
        "length": lab.length,
        "at": lab.position,
        "lab_layers": lab.n_layers,
        "adapter": lab.layer,
        "by": lab.by,
        "mistake": scenario.mistake.value,
    }


def _build(values: Mapping[str, Any]) -> Scenario:
    complaints: list[Text] = []
    tokens = _tokens(values["tokens"], complaints)
    edit_at: int = values["edit_at"]
    if tokens and edit_at > len(tokens):
        complaints.append(_above(EDIT_AT.label, len(tokens), edit_at))
    lab = _experiment(values, complaints)
    if complaints or lab is None:
        raise BadInput(*complaints)
    return Scenario(
        tokens,
        LETTERS.index(values["appended"]),
        edit_at,
        LETTERS.index(values["edit_to"]),
        LETTERS.index(values["asked"]),
        values["layers"],
        values["head"],
        Sight(values["sight"]),
        values["window"],
        values["prefix"],
        Mistake(values["mistake"]),
        lab,
    )


def _tokens(typed: str, complaints: list[Text]) -> tuple[int, ...]:
    """Letters with anything of space, comma or stop between them, or nothing."""
    plain = [c for c in typed.upper() if c not in " \t,，、;；"]
    if not 1 <= len(plain) <= MOST_TOKENS or set(plain) - set(LETTERS):
        complaints.append(
            Text(
                f"**{TOKENS.label.en}** must be 1 to {MOST_TOKENS} letters from A to K, such as `A B`; it reads "
                f"“{shown(typed)}”.",
                f"**{TOKENS.label.zh}**应为 1 到 {MOST_TOKENS} 个 A 到 K 的字母，例如 `A B`；现在是“{shown(typed)}”。",
            )
        )
        return ()
    return tuple(map(LETTERS.index, plain))


def _experiment(values: Mapping[str, Any], complaints: list[Text]) -> Experiment | None:
    operation = Operation(values["op"])
    length, at, layers, layer, by = (values[name] for name in ("length", "at", "lab_layers", "adapter", "by"))
    used = Experiment(operation, length=2, position=0, layer=0, by=1, n_layers=1).used
    found = len(complaints)
    last = length - (operation is not Operation.INSERT)
    if "position" in used and at > last:
        complaints.append(_above(AT.label, last, at))
    if "layer" in used and layer >= layers:
        complaints.append(_above(ADAPTER.label, layers - 1, layer))
    if "by" in used and by >= length:
        complaints.append(_above(BY.label, length - 1, by))
    return None if len(complaints) > found else Experiment(operation, length, at, layer, by, layers)


def _above(label: Text, most: int, value: int) -> Text:
    return Text(
        f"**{label.en}** may be at most {most} here; it reads {value}.",
        f"**{label.zh}**在这里最多为 {most}；现在是 {value}。",
    )


FORM: Form[Scenario] = Form(
    (
        TOKENS,
        APPENDED,
        LAYERS,
        HEAD,
        EDIT_AT,
        EDIT_TO,
        ASKED,
        SIGHT,
        WINDOW,
        PREFIX,
        OPERATION,
        LENGTH,
        AT,
        LAB_LAYERS,
        ADAPTER,
        BY,
        MISTAKE,
    ),
    _build,
    _values,
    (
        (
            Text("The steps above", "上面的步骤"),
            ("tokens", "appended", "layers", "head", "edit_at", "edit_to", "asked"),
        ),
        (Text("Steps and laboratory", "步骤与实验室共用"), ("sight", "window", "prefix")),
        (
            Text("Invalidation laboratory (its picture is under Explore)", "失效实验室（图在“探索”里）"),
            ("op", "length", "at", "lab_layers", "adapter", "by"),
        ),
    ),
)
