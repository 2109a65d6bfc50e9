"""What a reader may edit, and how the fields become a Scenario: the table and the free list are one hand-out order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.paged import Mistake, blocks_for
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.kit.controls import BadInput, Choice, Control, Line, Whole, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.text import Text

MOST_TOKENS, MOST_APPENDED, MOST_SECOND, MOST_BLOCK_SIZE = 24, 8, 16, 16
N_BLOCKS = Scenario().n_blocks

TABLE = Line(
    "table",
    Text("Block table of A", "请求 A 的块表"),
    Text(
        "physical blocks of logical blocks 0, 1, 2, …; one too many is handed out next, one too few comes from the "
        "free list",
        "逻辑块 0、1、2……各在哪个物理块；多写的下一个就发出去，少写的从空闲表补",
    ),
)
FREE = Line(
    "free",
    Text("Free blocks", "空闲块"),
    Text("in the order in which they are handed out", "按发放的先后"),
)
BLOCK_SIZE = Whole("block_size", Text("Block size", "内存块大小"), 1, MOST_BLOCK_SIZE)
TOKENS = Whole("tokens", Text("Tokens of A", "A 的 token 数"), 1, MOST_TOKENS)
POSITION = Line(
    "position",
    Text("Position looked up", "要查的位置"),
    Text("a position of A, counted from 0", "A 的一个位置，从 0 数起"),
    20,
)
APPENDED = Whole("appended", Text("Tokens appended to A", "给 A 追加的 token 数"), 0, MOST_APPENDED)
SECOND = Whole("second", Text("Tokens of B", "B 的 token 数"), 0, MOST_SECOND)
MISTAKE = Choice(
    "mistake",
    Text("Compare with a mistake", "与一种错误比较"),
    tuple((mistake.value, words) for mistake, words in MISTAKES.items()),
    short=Text("Mistake", "错误"),
)


def blocks_of(control: Line, typed: str, *, least: int = 0) -> tuple[int, ...]:
    """The block numbers of a line: `[7, 2, 19]`, with or without brackets. Raises BadInput that says what is wrong
    with which."""
    name, last = control.label, N_BLOCKS - 1
    words = [word for word in re.split(r"[\s,;、]+", ascii_number(typed).strip("[]()")) if word]
    blocks: list[int] = []
    for word in words:
        if not re.fullmatch(r"-?\d{1,6}", word):
            raise BadInput(
                Text(
                    f"**{name.en}** must be block numbers with commas between, such as `7, 2, 19`; “{shown(word)}” "
                    "is none.",
                    f"**{name.zh}**应为用逗号分开的块号，例如 `7, 2, 19`；“{shown(word)}”不是块号。",
                )
            )
        block = int(word)
        if block < 0:
            raise BadInput(
                Text(
                    f"**{name.en}** names block {block}, and there is none: a negative entry only says that there is "
                    "no block. The pool has "
                    f"blocks 0 to {last}.",
                    f"**{name.zh}**里有 {block}，没有这样的块：负数只表示“这里没有块”。池中的块是 0 到 {last}。",
                )
            )
        if block > last:
            raise BadInput(
                Text(
                    f"**{name.en}** names block {block}, outside the pool: its blocks are 0 to {last}.",
                    f"**{name.zh}**里的块 {block} 不在池中：池中的块是 0 到 {last}。",
                )
            )
        blocks.append(block)
    repeated = [block for i, block in enumerate(blocks) if block in blocks[:i]]
    if repeated:
        raise BadInput(
            Text(
                f"**{name.en}** names block {repeated[0]} twice: two stretches of tokens would overwrite each other.",
                f"**{name.zh}**里块 {repeated[0]} 重复了：两段 token 会互相覆盖。",
            )
        )
    if len(blocks) < least:
        raise BadInput(
            Text(
                f"**{name.en}** must name at least {least} block; it names {len(blocks)}.",
                f"**{name.zh}**至少要写 {least} 个块；现在是 {len(blocks)} 个。",
            )
        )
    return tuple(blocks)


def position_of(typed: str, length: int) -> int:
    """A position of a sequence of `length` tokens, or BadInput: nothing wraps."""
    plain, name = ascii_number(typed), POSITION.label
    if not re.fullmatch(r"-?\d{1,9}", plain):
        raise BadInput(
            Text(
                f"**{name.en}** must be a whole number from 0 to {length - 1}; it reads “{shown(typed)}”.",
                f"**{name.zh}**应为 0 到 {length - 1} 的整数，现在是“{shown(typed)}”。",
            )
        )
    position = int(plain)
    if position < 0:
        raise BadInput(
            Text(
                f"**{name.en}** is {position}, before the beginning: positions run from 0 to {length - 1}. A lookup "
                "refuses it and never counts from "
                "the end.",
                f"**{name.zh}**是 {position}，在开头之前：位置从 0 到 {length - 1}。查表会拒绝它，绝不从末尾倒数。",
            )
        )
    if position >= length:
        raise BadInput(
            Text(
                f"**{name.en}** is {position}, past the end: positions run from 0 to {length - 1}. Nothing lies at "
                f"{position} yet.",
                f"**{name.zh}**是 {position}，超出末尾：位置从 0 到 {length - 1}。位置 {position} 上还没有东西。",
            )
        )
    return position


def listed(blocks: tuple[int, ...]) -> str:
    """Block numbers as they are typed."""
    return ", ".join(map(str, blocks))


def _values(scenario: Scenario) -> dict[str, Any]:
    return {
        "table": listed(scenario.table),
        "free": listed(scenario.free),
        "block_size": scenario.block_size,
        "tokens": scenario.n_tokens,
        "position": str(scenario.position),
        "appended": scenario.n_appended,
        "second": scenario.n_second,
        "mistake": scenario.mistake.value,
    }


def _build(values: Mapping[str, Any]) -> Scenario:
    complaints: list[Text] = []
    table: tuple[int, ...] = ()
    free: tuple[int, ...] = ()
    position = 0
    try:
        table = blocks_of(TABLE, values["table"], least=1)
    except BadInput as bad:
        complaints += bad.complaints
    try:
        free = blocks_of(FREE, values["free"])
    except BadInput as bad:
        complaints += bad.complaints
    try:
        position = position_of(values["position"], values["tokens"])
    except BadInput as bad:
        complaints += bad.complaints
    both = sorted(set(table) & set(free))
    if both:
        complaints.append(
            Text(
                f"**{FREE.label.en}** names block {both[0]}, which **{TABLE.label.en}** holds: a block is free or "
                "taken, never both.",
                f"**{FREE.label.zh}**里的块 {both[0]} 已在**{TABLE.label.zh}**里：一个块要么空闲，要么已占用。",
            )
        )
    if not complaints:
        complaints += _out_of_blocks(values, len(table) + len(free))
    if complaints:
        raise BadInput(*complaints)
    return Scenario(
        values["tokens"],
        values["block_size"],
        position,
        values["appended"],
        values["second"],
        table,
        free,
        N_BLOCKS,
        Mistake(values["mistake"]),
    )


def _out_of_blocks(values: Mapping[str, Any], have: int) -> list[Text]:
    size, total, second = values["block_size"], values["tokens"] + values["appended"], values["second"]
    a, b = blocks_for(total, size), blocks_for(second, size)
    if a + b <= have:
        return []
    return [
        Text(
            f"**{FREE.label.en}**: out of blocks. In blocks of {size}, the {total} tokens of A need {a} and the "
            f"{second} of B {b}, together {a + b}; table "
            f"and free list name {have}.",
            f"**{FREE.label.zh}**：块不够用。每块 {size} 个位置时，A 的 {total} 个 token 要 {a} 块，B 的 {second} 个"
            f"要 {b} 块，共 {a + b} 块；"
            f"块表和空闲表一共只有 {have} 块。",
        )
    ]


CONTROLS: tuple[Control, ...] = (TABLE, FREE, BLOCK_SIZE, TOKENS, POSITION, APPENDED, SECOND, MISTAKE)
FORM: Form[Scenario] = Form(CONTROLS, _build, _values)
