"""What was saved, in which ledger, at what price."""

from __future__ import annotations

from engine.paged_output import Attended, Saved, Scenario
from engine.three_ledgers import ENTRY
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.naming import MODEL_NAME, kv_bytes
from lessons.block_table.steps.attended import seen_anywhere
from lessons.block_table.steps.table import WRONG, Line, row
from lessons.block_table.trace import trace
from lessons.kit.claims import Claim, alike, less, more
from lessons.kit.format import size
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def saved(s: Scenario, step: Saved, wrong: Saved | None) -> Narration:
    return Narration(
        id="saved",
        title=Text("What was saved", "省了什么"),
        headline=_headline(step),
        why=_ledgers(step) + _price(s, step),
        facts=_facts(step, wrong),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: _worth(s, step, wrong)),
        row=row(wrong or step),
        claims=(_claim(step),),
    )


def _claim(step: Saved) -> Claim:
    before, now = step.reserved.slots, step.paged.slots
    return (less if now < before else more if now > before else alike)(now, before)


def _headline(step: Saved) -> Text:
    before, now = step.reserved, step.paged
    if now.slots < before.slots:
        told = Told(
            "In blocks, A and B held {now.slots:slot} instead of {before.slots}; {now.empty} instead of {before.empty} "
            "{now.empty|was|were} empty",
            "分块后，A、B 占 {now.slots} 个槽位（原 {before.slots} 个），空 {now.empty} 个（原 {before.empty} 个）",
        )
    elif now.slots > before.slots:
        told = Told(
            "Paging saved nothing: A and B held {now.slots:slot}, and one piece each needs {before.slots}",
            "分页没有省：A 和 B 占 {now.slots} 个槽位，各用一整段只要 {before.slots} 个",
        )
    else:
        told = Told(
            "Paging saved nothing: A and B held {now.slots:slot}, as in one piece each",
            "分页没有省：A 和 B 占 {now.slots} 个槽位，与各用一整段一样",
        )
    return told.on(now=now, before=before)


def _ledgers(step: Saved) -> Text:
    before, now = kv_bytes(step.reserved.slots), kv_bytes(step.paged.slots)
    bytes_ = {"model": MODEL_NAME, "before": size(before), "now": size(now), "slot": size(kv_bytes(1))}
    if now < before:
        told = Told(
            "The saving is in bytes resident: at {slot} per slot, as in {model}, {now} instead of {before}, which "
            "leaves room for more requests at once. ",
            "省的是驻留字节：按 {model} 每个槽位 {slot} 算，占 {now} 而不是 {before}，余下的可同时容纳更多请求。",
        )
    else:
        told = Told(
            "Bytes resident, at {slot} per slot as in {model}: {now} in blocks, {before} in one piece each. The limit "
            "is too close to these lengths for a saving. ",
            "驻留字节按 {model} 每个槽位 {slot} 算：分块 {now}，各用一整段 {before}。上限与实际长度太近，没有可省的。",
        )
    return told.on(**bytes_)


def _price(s: Scenario, step: Saved) -> Text:
    return Told(
        "Work and the bytes of K and V moved stay as they were. The price: {entries:table entry} of {entry} bytes, one "
        "lookup per block read, and up to {tail:empty slot} in each last block.",
        "计算量和搬运的 K、V 字节都不变。代价：{entries} 个块表项（每项 {entry} 字节），每读一块查一次表，每个末块最多"
        "空 {tail} 个槽位。",
    ).on(step, entry=ENTRY, tail=s.block_size - 1)


def _facts(step: Saved, wrong: Saved | None) -> Facts:
    lines: list[Line] = [
        (Text("slots held", "占用的槽位"), str(step.reserved.slots), str(step.paged.slots)),
        (Text("slots empty", "空着的槽位"), str(step.reserved.empty), str(step.paged.empty)),
        (Text("tokens stored", "存着的 token"), str(step.reserved.tokens), str(step.paged.tokens)),
        (Text("block tables", "块表"), "0 B", size(step.table_bytes)),
        (
            Text(f"in {MODEL_NAME}", f"{MODEL_NAME} 中"),
            size(kv_bytes(step.reserved.slots)),
            size(kv_bytes(step.paged.slots)),
        ),
    ]
    head: Line = ("", Text("one piece", "一整段"), Text("in blocks", "分块"))
    if wrong is None:
        return Facts(head, tuple(lines), frozenset({0, 4}))
    held = wrong.paged
    words = (str(held.slots), str(held.empty), str(held.tokens), size(wrong.table_bytes), size(kv_bytes(held.slots)))
    table = tuple((*line, word) for line, word in zip(lines, words, strict=True))
    spoilt = frozenset(i for i, line in enumerate(table) if line[-1] != line[-2])
    return Facts((*head, WRONG), table, frozenset({0, 4}), spoilt)


def _worth(s: Scenario, step: Saved, wrong: Saved) -> Text:
    """A wrong output is no saving."""
    error = max(attended.error for attended in trace(s) if isinstance(attended, Attended))
    if not seen_anywhere(s):
        return MISTAKES.invisible(s)
    lost = step.paged.tokens - wrong.paged.tokens
    off = Told("A’s output was off by up to {error}. ", "A 的输出最多偏差 {error}。").on(error=error)
    if lost:
        return off + Told(
            "It held {n:slot}, but the K and V of {lost:token} {lost|is|are} lost: that is no saving.",
            "它占 {n} 个槽位，却丢了 {lost} 个 token 的 K 和 V：这不是节省。",
        ).on(n=wrong.paged.slots, lost=lost)
    return off + Text("Memory saved with a wrong output is no saving.", "输出错了，省下内存也不算节省。")
