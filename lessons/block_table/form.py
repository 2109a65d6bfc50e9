"""What a reader may edit: the block table and the free blocks are one order in which blocks are handed out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from engine.paged import blocks_for
from engine.paged_output import Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.kit.controls import BadInput, Complaint, Line, Whole, about, ascii_number, shown
from lessons.kit.form import Form
from lessons.kit.format import many
from lessons.kit.text import Text

MOST_TOKENS, MOST_APPENDED, MOST_SECOND, MOST_BLOCK_SIZE, MOST_RESERVED = 24, 8, 16, 16, 64
N_BLOCKS = Scenario().n_blocks


def listed(blocks: tuple[int, ...]) -> str:
    """Block numbers as they are typed."""
    return ", ".join(map(str, blocks))


def _blocks(line: Line, typed: str, *, least: int = 0) -> tuple[int, ...]:
    """The block numbers of a line: `[7, 2, 19]`, with or without brackets."""
    words = [word for word in re.split(r"[\s,;、]+", ascii_number(typed).strip("[]()")) if word]
    blocks = [_block(line, word) for word in words]
    repeated = [block for i, block in enumerate(blocks) if block in blocks[:i]]
    if repeated:
        raise BadInput(
            about(
                line,
                f"names block {repeated[0]} twice, so two logical blocks would overwrite each other.",
                f"里块 {repeated[0]} 重复了：两个逻辑块会互相覆盖。",
            )
        )
    if len(blocks) < least:
        raise BadInput(
            about(
                line,
                f"must name at least {many(least, 'block')}; it names {len(blocks)}.",
                f"至少要写 {least} 个块；现在是 {len(blocks)} 个。",
            )
        )
    return tuple(blocks)


def _block(line: Line, word: str) -> int:
    last = N_BLOCKS - 1
    if not re.fullmatch(r"-?\d{1,6}", word):
        raise BadInput(
            about(
                line,
                f"must be block numbers separated by commas, such as `7, 2, 19`; “{shown(word)}” is not a number.",
                f"应为用逗号分开的块号，例如 `7, 2, 19`；“{shown(word)}”不是块号。",
            )
        )
    block = int(word)
    if block < 0:
        raise BadInput(
            about(
                line,
                f"names block {block}, which does not exist: a negative entry means that there is no block. The pool "
                f"has blocks 0 to {last}.",
                f"里有 {block}，没有这样的块：负数只表示“这里没有块”。池中的块是 0 到 {last}。",
            )
        )
    if block > last:
        raise BadInput(
            about(
                line,
                f"names block {block}, outside the pool: its blocks are 0 to {last}.",
                f"里的块 {block} 不在池中：池中的块是 0 到 {last}。",
            )
        )
    return block


def _position(line: Line, typed: str) -> int | str:
    """A whole number; what is none stays text, to be refused beside the length that it must fit."""
    plain = ascii_number(typed)
    return int(plain) if re.fullmatch(r"-?\d{1,9}", plain) else typed


TABLE = Line(
    "table",
    Text("Block table of A", "请求 A 的块表"),
    Text(
        "the physical blocks of logical blocks 0, 1, 2, … in this order. Blocks that A does not need yet are handed "
        "out next; blocks that are missing come from the free ones",
        "逻辑块 0、1、2……依次在哪个物理块。多写的块接下来先发放，少写的从空闲块里补",
    ),
    parse=partial(_blocks, least=1),
    show=listed,
)


def table_of(least: int) -> Line:
    """The table's field where it must name more blocks."""
    return replace(TABLE, parse=partial(_blocks, least=least))


FREE = Line(
    "free",
    Text("Free blocks", "空闲块"),
    Text("in the order in which the pool hands them out", "按内存块池发放的先后"),
    parse=_blocks,
    show=listed,
)
BLOCK_SIZE = Whole("block_size", Text("Block size", "内存块大小"), 1, MOST_BLOCK_SIZE)
TOKENS = Whole("tokens", Text("Tokens of A", "A 的 token 数"), 1, MOST_TOKENS, of="n_tokens")
POSITION = Line(
    "position",
    Text("Position looked up", "要查的位置"),
    Text("a position of A, counted from 0", "A 的一个位置，从 0 数起"),
    20,
    parse=_position,
)
APPENDED = Whole("appended", Text("Tokens appended to A", "给 A 追加的 token 数"), 0, MOST_APPENDED, of="n_appended")
MOST = Whole("most", Text("Longest length allowed", "允许的最大长度"), 1, MOST_RESERVED)
SECOND = Whole("second", Text("Tokens of B", "B 的 token 数"), 0, MOST_SECOND, of="n_second")


def within(position: int | str, length: int) -> Iterator[Complaint]:
    """What is wrong with a position of a sequence of `length` tokens: nothing wraps."""
    if isinstance(position, str):
        yield about(
            POSITION,
            f"must be a whole number from 0 to {length - 1}; it reads “{shown(position)}”.",
            f"应为 0 到 {length - 1} 的整数，现在是“{shown(position)}”。",
        )
    elif position < 0:
        yield about(
            POSITION,
            f"is {position}, before the beginning: positions run from 0 to {length - 1}. A lookup refuses it and "
            "never counts from the end.",
            f"是 {position}，在开头之前：位置从 0 到 {length - 1}。查表会报错，不会从末尾倒数。",
        )
    elif position >= length:
        yield about(
            POSITION,
            f"is {position}, past the end: positions run from 0 to {length - 1}. There is no token at {position} yet.",
            f"是 {position}，超出末尾：位置从 0 到 {length - 1}。位置 {position} 上还没有 token。",
        )


def _together(values: Mapping[str, Any]) -> Iterator[Complaint]:
    table, free, size = values["table"], values["free"], values["block_size"]
    wrong = list(within(values["position"], values["tokens"]))
    both = sorted(set(table) & set(free))
    if both:
        wrong.append(
            about(
                FREE,
                f"names block {both[0]}, which also stands in **{TABLE.label.en}**: a block is free or taken, never "
                "both.",
                f"里的块 {both[0]} 也在**{TABLE.label.zh}**里：一个块要么空闲，要么已占用。",
            )
        )
    yield from wrong
    total, second, have = values["tokens"] + values["appended"], values["second"], len(table) + len(free)
    if values["most"] < max(total, second):
        yield about(
            MOST,
            f"must be at least {max(total, second)}, since A grows to {total} and B to {second}; it reads "
            f"{values['most']}.",
            f"至少应为 {max(total, second)}，因为 A 会长到 {total}，B 会长到 {second}；现在是 {values['most']}。",
        )
    a, b = blocks_for(total, size), blocks_for(second, size)
    if not wrong and a + b > have:
        yield about(
            FREE,
            f": there are too few blocks. With block size {size}, A needs {a} and B needs {b}, together {a + b}; the "
            f"table and the free blocks name {have}.",
            f"：块不够用。块大小 {size} 时，A 要 {a} 块，B 要 {b} 块，共 {a + b} 块；块表和空闲块一共只有 {have} 块。",
        )


FORM: Form[Scenario] = Form(
    (TABLE, FREE, BLOCK_SIZE, TOKENS, POSITION, APPENDED, SECOND, MOST, MISTAKES.choice), together=_together
)
