"""The table beside a step's sentence: before and now, and the wrong way."""

from __future__ import annotations

from collections.abc import Callable

from engine.three_savings import Ask, Baseline, Eight, Outcome, Step, Together, Turn, Which, Yours
from lessons.kit.format import count
from lessons.kit.lesson import Facts
from lessons.kit.text import Text
from lessons.three_savings.ways import HEADS, amount, named, same_output, written_error

Line = tuple[Text | str, Callable[[Outcome], int]]

_ROWS: Line = (Text("rows a layer", "每层行数"), lambda o: o.ledgers.rows)
_HEAD: Line = (Text("pairs a head", "每头配对"), lambda o: o.ledgers.pairs // HEADS)
_VECTORS: Line = (Text("moved: q, k, v, o", "搬运：q、k、v、o"), lambda o: o.ledgers.moved_vectors)
_TABLES: Line = (Text("moved: tables", "搬运：分数表"), lambda o: o.ledgers.moved_tables)
_KV: Line = (Text("K, V at the end", "最后的 K、V"), lambda o: o.ledgers.at_end.kv)
_UNUSED: Line = (Text("set aside, unused", "预留未用"), lambda o: o.ledgers.at_end.unused)
_BLOCKS: Line = (Text("block table", "块表"), lambda o: o.ledgers.at_end.block_table)
_PASS: Line = (Text("fullest in pass", "最满在第几遍"), lambda o: o.ledgers.peak_pass + 1)
_TOTALS: tuple[Line, ...] = (
    (Text("pairs", "配对"), lambda o: amount(o, "work")),
    (Text("bytes moved", "搬运字节"), lambda o: amount(o, "moved")),
    (Text("bytes resident", "驻留字节"), lambda o: amount(o, "resident")),
)


def facts(step: Step, wrong: Step | None) -> Facts | None:
    """The step's numbers; a last column for the wrong way where there is one."""
    match step:
        case Baseline(now=now):
            other = wrong.now if isinstance(wrong, Baseline) else None
            return _table((_ROWS, _HEAD, _VECTORS, _TABLES, _PASS), None, now, other)
        case Turn(name=name, before=before, now=now):
            lines = {
                "cache": (_ROWS, _HEAD, _KV, _UNUSED, _PASS),
                "tiles": (_HEAD, _VECTORS, _TABLES, _PASS),
                "paging": (_KV, _UNUSED, _BLOCKS, _VECTORS, _PASS),
            }[name]
            return _table(lines, before, now, wrong.now if isinstance(wrong, Turn) else None)
        case Together(before=before, now=now):
            return _table(_TOTALS, before, now, wrong.now if isinstance(wrong, Together) else None)
        case Yours(before=before, now=now):
            return _table(_TOTALS, before, now, wrong.now if isinstance(wrong, Yours) else None)
        case Ask() | Eight() | Which():
            return None


def _table(lines: tuple[Line, ...], before: Outcome | None, now: Outcome, wrong: Outcome | None) -> Facts:
    head: list[Text | str] = ["", *([named(before.switches)] if before else []), named(now.switches)]
    rows: list[tuple[Text | str, ...]] = []
    for label, value in lines:
        rows.append((label, *([count(value(before))] if before else []), count(value(now))))
    changed = frozenset(i for i, (_, value) in enumerate(lines) if before and value(before) != value(now))
    error: tuple[Text | str, ...] = (
        Text("largest |Δ logit|", "最大 |Δ logit|"),
        *([""] if before else []),
        written_error(now),
    )
    rows.append(error)
    if wrong is None:
        return Facts(tuple(head), tuple(rows), changed)
    others = [*(count(value(wrong)) for _, value in lines), written_error(wrong)]
    spoilt = {i for i, (line, word) in enumerate(zip(rows[:-1], others, strict=False)) if line[-1] != word}
    spoilt |= {len(lines)} if not same_output(wrong) else set()
    table = tuple((*line, word) for line, word in zip(rows, others, strict=True))
    return Facts((*head, Text("wrong way", "错误做法")), table, changed, frozenset(spoilt))
