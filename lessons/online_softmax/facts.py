"""The table beside a step: m, ℓ and u before and after, and what the wrong way holds."""

from __future__ import annotations

from engine.online_softmax import (
    Check,
    CompareMax,
    Divide,
    Step,
    WholeTable,
)
from lessons.kit.format import fixed, short, vector
from lessons.kit.lesson import Facts
from lessons.kit.text import Text
from lessons.online_softmax.sides import sides, three
from lessons.online_softmax.wrong import differs


def facts_of(step: Step, wrong: Step | None) -> Facts | None:
    match step:
        case WholeTable():
            return None
        case Check(output=o, plain=plain, error=error):
            rows: list[tuple[Text | str, ...]] = [
                (Text("tile by tile", "分块累计"), vector(o)),
                (Text("softmax at once", "一次算完"), vector(plain)),
                (Text("largest |difference|", "最大差"), fixed(error) if error else "0"),
            ]
            if isinstance(wrong, Check):
                rows += [
                    (Text("wrong way", "错误做法"), vector(wrong.output)),
                    (Text("off by", "偏差"), fixed(wrong.error) if wrong.error else "0"),
                ]
            off = isinstance(wrong, Check) and differs(step, wrong)
            return Facts(("", "o"), tuple(rows), frozenset({2}), frozenset({3, 4} if off else ()))
    before, after = three(sides(step)[0]), _after(step)
    head: tuple[Text | str, ...] = ("", Text("before", "之前"), Text("after", "之后"))
    table: list[tuple[Text | str, ...]] = list(zip("mℓu", before, after, strict=True))
    if isinstance(step, Divide):
        table.append(("o", "", vector(step.output)))
    changed = frozenset(i for i, (_, a, b) in enumerate(table) if a != b)
    if wrong is not None:
        other = (*_after(wrong), *((vector(wrong.output),) if isinstance(wrong, Divide) else ()))
        spoilt = frozenset(i for i, (line, word) in enumerate(zip(table, other, strict=True)) if word != line[-1])
        head = (*head, Text("wrong way", "错误做法"))
        table = [(*line, word) for line, word in zip(table, other, strict=True)]
        return Facts(head, tuple(table), changed, spoilt)
    return Facts(head, tuple(table), changed)


def _after(step: Step) -> tuple[str, str, str]:
    """m, ℓ, u once the step is done; a comparison already names the maximum to come."""
    m, l, u = three(sides(step)[1])
    return (short(step.reference) if isinstance(step, CompareMax) else m), l, u
