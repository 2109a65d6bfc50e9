"""What a reader may edit: the steps' prompt, who sees whom, and the laboratory's experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.kv_reuse import Scenario
from engine.prompt_edits import Operation, Sight
from lessons.kit.controls import BadInput, Choice, Complaint, Line, Whole, about, shown, within
from lessons.kit.form import Form
from lessons.kit.text import Text, same
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.naming import LETTERS, letter

MOST_TOKENS = 7
MOST_LENGTH = 256


def _tokens(line: Line, typed: str) -> tuple[int, ...]:
    """Letters with anything of space, comma or stop between them."""
    plain = [c for c in typed.upper() if c not in " \t,，、;；"]
    if not 1 <= len(plain) <= MOST_TOKENS or set(plain) - set(LETTERS):
        raise BadInput(
            about(
                line,
                f"must be 1 to {MOST_TOKENS} letters from A to K, such as `A B`; it reads “{shown(typed)}”.",
                f"应为 1 到 {MOST_TOKENS} 个 A 到 K 的字母，例如 `A B`；现在是“{shown(typed)}”。",
            )
        )
    return tuple(map(LETTERS.index, plain))


def _token(name: str, label: Text) -> Choice:
    return Choice(name, label, tuple((c, same(c)) for c in LETTERS), values=tuple(range(len(LETTERS))))


TOKENS = Line(
    "tokens",
    Text("Old tokens", "旧 token"),
    Text(f"1 to {MOST_TOKENS} letters from A to K, e.g. A B", f"1 到 {MOST_TOKENS} 个字母，A 到 K，例如 A B"),
    parse=_tokens,
    show=lambda tokens: " ".join(map(letter, tokens)),
)
APPENDED = _token("appended", Text("Token appended", "追加的 token"))
LAYERS = Whole("layers", Text("Layers", "层数"), 1, 3, of="n_layers")
HEAD = Whole("head", Text("Query head shown (from 0)", "显示哪个查询头（从 0 数）"), 0, 3)
EDIT_AT = Whole("edit_at", Text("Replace at position (from 0)", "替换哪个位置（从 0 数）"), 0, MOST_TOKENS)
EDIT_TO = _token("edit_to", Text("Replace by", "替换成"))
ASKED = _token("asked", Text("Token asked next", "接着询问的 token"))
SIGHT = Choice.among(
    "sight",
    Text("Who may see whom", "谁能看见谁"),
    {
        Sight.CAUSAL: Text("causal: oneself and earlier ones", "因果：自己和之前的"),
        Sight.BOTH_WAYS: Text("bidirectional: everyone", "双向：所有的"),
        Sight.WINDOW: Text("causal within a sliding window", "滑动窗口内的因果"),
        Sight.PREFIX: Text("prefix-LM: the prefix both ways", "前缀 LM：前缀内双向"),
    },
)
WINDOW = Whole("window", Text("Window, itself included", "窗口大小（含自己）"), 1, 128)
PREFIX = Whole("prefix", Text("Prefix length", "前缀长度"), 0, 128)

OPERATION = Choice.among(
    "op",
    Text("What is changed", "做什么改动"),
    {
        Operation.APPEND: Text("append a token", "追加一个 token"),
        Operation.REPLACE: Text("replace the token at the position", "替换该位置的 token"),
        Operation.INSERT: Text("insert a token at the position", "在该位置插入 token"),
        Operation.ADAPTER: Text("swap an adapter in one layer", "在某一层更换适配器"),
        Operation.SHIFT: Text("shift all positions up", "所有位置号加大"),
        Operation.DROP: Text("forget the oldest tokens", "忘掉最早的 token"),
    },
    of="operation",
)
LENGTH = Whole("length", Text("Prompt length", "提示长度"), 2, MOST_LENGTH)
AT = Whole("at", Text("Position (from 0)", "位置（从 0 数）"), 0, MOST_LENGTH, of="position")
LAB_LAYERS = Whole("lab_layers", Text("Layers of the laboratory’s model", "实验室模型的层数"), 1, 4, of="n_layers")
ADAPTER = Whole("adapter", Text("Adapter in layer (from 0)", "适配器在哪一层（从 0 数）"), 0, 3, of="layer")
BY = Whole("by", Text("Shift or forget by", "移动或忘掉多少"), 1, 64)

STEPS = (TOKENS, APPENDED, LAYERS, HEAD, EDIT_AT, EDIT_TO, ASKED)
SHARED = (SIGHT, WINDOW, PREFIX)
LABORATORY = (OPERATION, LENGTH, AT, LAB_LAYERS, ADAPTER, BY)


def at_most(control: Whole, value: int, most: int) -> Iterator[Complaint]:
    """What is wrong with a number that may be no larger, the other fields being what they are."""
    if value > most:
        yield about(control, f"may be at most {most} here; it reads {value}.", f"在这里最多为 {most}；现在是 {value}。")


def _together(values: Mapping[str, Any]) -> Iterator[Complaint]:
    yield from at_most(EDIT_AT, values["edit_at"], len(values["tokens"]))
    operation, length = values["op"], values["length"]
    for control, most in ((AT, operation.last(length)), (ADAPTER, values["lab_layers"] - 1), (BY, length - 1)):
        if (control.of or control.name) in operation.used:
            yield from at_most(control, values[control.name], most)


FORM: Form[Scenario] = Form(
    (*STEPS, *SHARED, *(within("experiment", control) for control in LABORATORY), MISTAKES.choice),
    groups=tuple(
        (title, tuple(control.name for control in controls))
        for title, controls in (
            (Text("The steps above", "上面的步骤"), STEPS),
            (Text("Steps and laboratory", "步骤与实验室共用"), SHARED),
            (
                Text("Invalidation laboratory (its picture is under Explore)", "失效实验室（图在“探索”里）"),
                LABORATORY,
            ),
        )
    ),
    together=_together,
)
