"""The small table beside a step's sentence: before and after, logical and physical, right and wrong."""

from __future__ import annotations

from engine.paged import Mistake, blocks_for, last_block_fill
from engine.paged_lookup import FIRST, SECOND, Appended, Arrived, Freed, LookUp, Read, WhichBlock, WhichOffset
from engine.paged_memory import Memory
from engine.paged_output import Attended, Scenario, Step, rows
from lessons.block_table.mistakes import bracketed
from lessons.kit.format import fixed, vector
from lessons.kit.lesson import Facts
from lessons.kit.text import Text

Line = tuple[Text | str, ...]

BEFORE, AFTER, WRONG = Text("before", "之前"), Text("after", "之后"), Text("wrong way", "错误做法")
LOGICAL, PHYSICAL = Text("logical", "逻辑"), Text("physical", "物理")
BLOCK, OFFSET, SLOT = Text("block", "块"), Text("offset", "偏移"), Text("position, slot", "位置、槽位")


def facts(scenario: Scenario, step: Step, wrong: Step | None) -> Facts | None:
    """The step's numbers; a last column for the wrong way where there is one."""
    match step:
        case WhichBlock() | WhichOffset():
            offset = str(step.offset) if isinstance(step, WhichOffset) else "?"
            lines: list[Line] = [
                (BLOCK, str(step.logical), "?"),
                (OFFSET, offset, offset),
                (SLOT, str(step.position), "?"),
            ]
            return Facts(("", LOGICAL, PHYSICAL), tuple(lines), frozenset({1 if offset != "?" else 0}))
        case LookUp() | Read():
            return _looked_up(scenario, step, wrong)
        case Attended():
            return _attended(step, wrong)
        case Appended():
            return _appended(scenario, step, wrong)
        case Arrived(memory=memory, allocated=blocks):
            n = len(memory.free)
            size = scenario.block_size
            length = memory.table(SECOND).length
            spare = blocks_for(length, size) * size - length
            return _both(
                [
                    (Text("tokens of B", "B 的 token 数"), "0", str(length)),
                    (Text("block table of B", "B 的块表"), "[]", bracketed(blocks)),
                    (Text("slots left in its blocks", "块里还空的槽位"), "0", str(spare)),
                    (Text("free blocks", "空闲块数"), str(n + len(blocks)), str(n)),
                ],
                None
                if not isinstance(wrong, Arrived)
                else [str(length), bracketed(wrong.allocated), str(spare), str(len(wrong.memory.free))],
            )
        case Freed(memory=memory, blocks=blocks):
            n, tokens = len(memory.free), memory.block_size * len(blocks)
            return _both(
                [
                    (Text("slots A holds", "A 占的槽位数"), str(tokens), "0"),
                    (Text("free blocks", "空闲块数"), str(n - len(blocks)), str(n)),
                    (Text("reference count", "引用计数"), "1", "0"),
                ],
                None if not isinstance(wrong, Freed) else ["0", str(len(wrong.memory.free)), "0"],
            )
        case _:
            return _held(step.memory)


def _held(memory: Memory) -> Facts:
    table, size = memory.table(FIRST), memory.block_size
    fill = last_block_fill(table.length, size)
    lines: tuple[Line, ...] = (
        (Text("tokens of A", "A 的 token 数"), str(table.length)),
        (Text("block table", "块表"), bracketed(table.blocks)),
        (Text("tokens in the last block", "末块里的 token 数"), str(fill)),
        (Text("slots left in it", "末块还空的槽位"), str(size - fill)),
    )
    return Facts(("", Text("now", "现在")), lines)


def _both(lines: list[tuple[Text, str, str]], wrong: list[str] | None) -> Facts:
    changed = frozenset(i for i, (_, a, b) in enumerate(lines) if a != b)
    if wrong is None:
        return Facts(("", BEFORE, AFTER), tuple(lines), changed)
    table = tuple((*line, word) for line, word in zip(lines, wrong, strict=True))
    spoilt = frozenset(i for i, line in enumerate(table) if line[-1] != line[-2])
    return Facts(("", BEFORE, AFTER, WRONG), table, changed, spoilt)


def _looked_up(scenario: Scenario, step: LookUp | Read, wrong: Step | None) -> Facts:
    size = scenario.block_size
    logical, offset = divmod(step.position, size)
    place = step.slot if step.slot is not None else 0
    lines: list[Line] = [
        (BLOCK, str(logical), str(place // size)),
        (OFFSET, str(offset), str(place % size)),
        (SLOT, str(step.position), str(place)),
    ]
    other = wrong.slot if isinstance(wrong, LookUp | Read) else None
    words = ["", "", ""] if other is None else [str(other // size), str(other % size), str(other)]
    if isinstance(step, Read):
        lines.append((Text("k read", "读到的 k"), "–", _key(step)))
        words.append(_key(wrong) if isinstance(wrong, Read) else "")
    changed = frozenset({3}) if isinstance(step, Read) else frozenset({0, 2})
    if wrong is None:
        return Facts(("", LOGICAL, PHYSICAL), tuple(lines), changed)
    table = tuple((*line, word) for line, word in zip(lines, words, strict=True))
    return Facts(
        ("", LOGICAL, PHYSICAL, WRONG),
        table,
        changed,
        frozenset(i for i, line in enumerate(table) if line[-1] != line[-2]),
    )


def _key(step: Read) -> str:
    """The key that lies in the slot read; an unwritten slot holds what an earlier request left."""
    slot = step.slot or 0
    return vector(rows(step.memory.contents)[0][slot].tolist())


def _attended(step: Attended, wrong: Step | None) -> Facts:
    lines: list[Line] = [
        (Text("rows read", "读的行数"), str(len(step.slots))),
        (Text("through the table", "经块表"), vector(step.output)),
        (Text("side by side", "连续存放"), vector(step.plain)),
        (Text("largest |difference|", "最大差"), _error(step.error)),
    ]
    if not isinstance(wrong, Attended):
        return Facts(("", "o"), tuple(lines), frozenset({3}))
    lines += [
        (Text("wrong way: rows read", "错误做法：读的行数"), str(len(wrong.slots))),
        (Text("wrong way: output", "错误做法：输出"), vector(wrong.output)),
        (Text("off by", "偏差"), _error(wrong.error)),
    ]
    off = frozenset({5, 6}) if wrong.error > 1e-9 else frozenset()
    return Facts(("", "o"), tuple(lines), frozenset({3}), off | ({4} if len(wrong.slots) != len(step.slots) else set()))


def _error(error: float) -> str:
    return fixed(error) if error else "0"


def _appended(scenario: Scenario, step: Appended, wrong: Step | None) -> Facts:
    size, n = scenario.block_size, len(step.slots)
    after = step.memory.table(FIRST)
    held = after.blocks[: len(after.blocks) - len(step.allocated)]
    free = len(step.memory.free)
    lines = [
        (Text("tokens of A", "A 的 token 数"), str(step.position), str(after.length)),
        (Text("blocks", "块数"), str(len(held)), str(len(after.blocks))),
        (
            Text("tokens in the last block", "末块里的 token 数"),
            str(last_block_fill(step.position, size)),
            str(last_block_fill(after.length, size)),
        ),
        (Text("slot of the first", "第一个的槽位"), "–", str(step.slots[0])),
        (Text("free blocks", "空闲块数"), str(free + len(step.allocated)), str(free)),
    ]
    if n > 1:
        lines.insert(4, (Text("slot of the last", "最后一个的槽位"), "–", str(step.slots[-1])))
    if not isinstance(wrong, Appended):
        return _both(lines, None)
    theirs = wrong.memory.table(FIRST)
    fill = last_block_fill(
        theirs.length, size, scenario.mistake if scenario.mistake is Mistake.FILL_MODULO else Mistake.NONE
    )
    words = [str(theirs.length), str(len(theirs.blocks)), str(fill), str(wrong.slots[0]), str(len(wrong.memory.free))]
    if n > 1:
        words.insert(4, str(wrong.slots[-1]))
    return _both(lines, words)
