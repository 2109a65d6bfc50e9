"""The small table beside a step's sentence: before and after, and the wrong way."""

from __future__ import annotations

from engine.models import MODELS
from engine.shared_blocks import HAND_OUT, Arrived, Attended, Bill, LookUp, Named, Scenario, Step
from lessons.copy_on_write.naming import MODEL, short_name
from lessons.kit.format import fixed, size
from lessons.kit.lesson import Facts
from lessons.kit.scene import ROUNDING
from lessons.kit.text import Text

BEFORE, AFTER, NOW = Text("before", "之前"), Text("after", "之后"), Text("now", "现在")
WRONG = Text("wrong way", "错误做法")
MOST_BLOCKS = 5


def facts(scenario: Scenario, step: Step, wrong: Step | None) -> Facts | None:
    """The step's numbers; a last column for the wrong way where there is one."""
    match step.event:
        case Attended():
            return _attended(step.event, wrong)
        case Bill():
            return _bill(scenario, step.event, wrong)
        case Named() | Arrived() | LookUp():
            return _names(step)
    return _counts(step, wrong)


def _counts(step: Step, wrong: Step | None) -> Facts:
    """Reference counts and free blocks before and after."""
    before, after = step.before, step.memory
    other = None if wrong is None else wrong.memory
    held = [b for b in HAND_OUT if after.ref_counts[b] or before.ref_counts[b] or (other and other.ref_counts[b])]
    if len(held) > MOST_BLOCKS:  # those that change, then the newest
        changing = [b for b in held if before.ref_counts[b] != after.ref_counts[b]]
        still = [b for b in reversed(held) if b not in changing]
        held = [b for b in held if b in (changing + still)[:MOST_BLOCKS]]
    rows: list[tuple[Text | str, ...]] = [
        (
            Text(f"references of block {b}", f"块 {b} 的引用"),
            str(before.ref_counts[b]),
            str(after.ref_counts[b]),
            *(() if other is None else (str(other.ref_counts[b]),)),
        )
        for b in held
    ]
    free = [str(len(m.free)) for m in (before, after, other) if m is not None]
    rows.append((Text("free blocks", "空闲块数"), *free))
    changed = frozenset(i for i, row in enumerate(rows) if row[1] != row[2])
    if other is None and before == after:
        return Facts(("", NOW), tuple((name, number) for name, number, _ in rows))
    if other is None:
        return Facts(("", BEFORE, AFTER), tuple(rows), changed)
    return Facts(("", BEFORE, AFTER, WRONG), tuple(rows), changed, _spoilt(rows))


def _spoilt(rows: list[tuple[Text | str, ...]]) -> frozenset[int]:
    return frozenset(i for i, row in enumerate(rows) if row[-1] != row[-2])


def _names(step: Step) -> Facts | None:
    """A's and B's names, block by block."""
    a, b = step.names
    if not (a or b):
        return None
    event = step.event
    rows: list[tuple[Text | str, ...]] = []
    for i in range(max(len(a), len(b))):
        one, two = (short_name(names[i]) if i < len(names) else "–" for names in (a, b))
        rows.append((Text(f"logical block {i}", f"逻辑块 {i}"), one, two))
    changed = frozenset({event.index}) if isinstance(event, LookUp) else frozenset()
    return Facts(("", Text("name, A", "名字，A"), Text("name, B", "名字，B")), tuple(rows[:8]), changed)


def _attended(event: Attended, wrong: Step | None) -> Facts:
    """The output number by number, as found through the table and as run alone."""
    other = wrong.event if wrong is not None and isinstance(wrong.event, Attended) else None
    columns = [
        (*map(fixed, event.output), _error(event.error), _error(event.logit_error)),
        (*map(fixed, event.fresh), "–", "–"),
    ]
    head: tuple[Text | str, ...] = ("", Text("shared", "共享"), Text("alone", "独自"))
    if other is not None:
        columns.append((*map(fixed, other.output), _error(other.error), _error(other.logit_error)))
        head = (*head, WRONG)
    n = len(event.output)
    names = (*(f"o{i + 1}" for i in range(n)), Text("off by", "偏差"), Text("logits off by", "logits 偏差"))
    rows = tuple((name, *cells) for name, cells in zip(names, zip(*columns, strict=True), strict=True))
    spoilt = frozenset(range(n + 2)) if other is not None and other.error > ROUNDING else frozenset[int]()
    return Facts(head, rows, frozenset({n}), spoilt)


def _error(x: float) -> str:
    return fixed(x) if x > ROUNDING else "0"


def _bill(scenario: Scenario, event: Bill, wrong: Step | None) -> Facts:
    """What sharing costs beside two requests that share nothing."""
    block = MODELS[MODEL].kv_bytes(scenario.block_size)
    slot = MODELS[MODEL].kv_bytes(1)
    prompts = sum(map(len, scenario.prompts))

    def column(n_blocks: int, copied: int, run: int) -> tuple[str, ...]:
        return str(n_blocks), size(n_blocks * block), str(copied), size(copied * slot), str(run)

    columns = [
        column(event.n_alone, 0, prompts),
        column(event.n_used, event.n_copied, prompts - event.n_reused),
    ]
    head: tuple[Text | str, ...] = ("", Text("separate", "各自独立"), Text("shared", "共享"))
    if wrong is not None and isinstance(wrong.event, Bill):
        e = wrong.event
        columns.append(column(e.n_used, e.n_copied, prompts - e.n_reused))
        head = (*head, WRONG)
    names = (
        Text("blocks in use", "占用的块"),
        Text("resident", "驻留"),
        Text("slots copied", "复制的槽位"),
        Text("copied", "复制量"),
        Text("prompt tokens run", "运行的提示 token"),
    )
    rows: list[tuple[Text | str, ...]] = [
        (name, *cells) for name, cells in zip(names, zip(*columns, strict=True), strict=True)
    ]
    changed = frozenset(i for i, row in enumerate(rows) if row[1] != row[2])
    return Facts(head, tuple(rows), changed, _spoilt(rows) if wrong is not None else frozenset())
