"""The same bytes in GiB and in GB."""

from __future__ import annotations

from engine.kv_ladder import Mistake
from engine.kv_size import GB, GIB, Scenario, Units
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import gb, gib, in_bytes
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_bytes.mistakes import MISTAKES
from lessons.kv_bytes.steps.table import VALUE, Line, done, facts, row, unseen

LEAST_ASKED = GB // 100  # bytes; below them the figures have no digits to compare


def units(s: Scenario, step: Units, wrong: Units | None) -> Narration:
    return Narration(
        id="units",
        title=Text("GiB and GB", "GiB 与 GB"),
        headline=Told("{total:GiB} are {total:GB}", "{total:GiB} 等于 {total:GB}").on(step),
        why=Told(
            "{total:B} divided by 2³⁰ is {total:GiB}; by 10⁹ it is {total:GB}. Many programs count in "
            "[GiB](term:gib), data sheets write GB, and a label alone does not always tell which is meant. For the "
            "same bytes the figure in GB is the larger one: compare like with like.",
            "{total:B} 除以 2³⁰ 是 {total:GiB}，除以 10⁹ 是 {total:GB}。许多程序用 [GiB](term:gib)，规格表写 GB，光"
            "看标签未必知道指的是哪一种。同样的字节，用 GB 表示的数字更大：要用同一种单位比较。",
        ).on(step),
        facts=facts(VALUE, _lines(step), None if wrong is None else _lines(wrong)),
        ask=_in_gb(step) if step.total >= LEAST_ASKED else None,
        wrong=MISTAKES.beside(s, wrong, lambda wrong: unseen(s, step, wrong) or _spoilt(s, step, wrong)),
        row=row((wrong or step).total),
    )


def _lines(step: Units) -> list[Line]:
    return [(Text("bytes", "字节"), in_bytes(step.total)), ("÷ 2³⁰", gib(step.total)), ("÷ 10⁹", gb(step.total))]


def _spoilt(s: Scenario, step: Units, wrong: Units) -> Text:
    if s.mistake is Mistake.GB_FOR_GIB:
        return done(s)
    return Told("ends at {total:GiB} instead of {right:GiB}.", "得到 {total:GiB}，而不是 {right:GiB}。").on(
        wrong, right=step.total
    )


def _in_gb(step: Units) -> Ask | None:
    figure = step.total / GIB
    return asking(
        Told(
            "The cache takes {total:GiB}. How many GB is that (10⁹ bytes each)?",
            "缓存占 {total:GiB}。合多少 GB（每 GB 10⁹ 字节）？",
        ).on(step),
        step.total / GB,
        (
            Guess(
                figure,
                Told(
                    "That is the figure in GiB. A GiB is 2³⁰ B, more than a GB: the same {total:B} are more GB.",
                    "这是以 GiB 计的数字。一个 GiB 是 2³⁰ B，比 GB 大：同样的 {total:B} 合更多的 GB。",
                ).on(step),
            ),
            Guess(
                figure * GB / GIB,
                Text(
                    "That converts the other way: a GB is the smaller unit, so the figure must grow.",
                    "换算方向反了：GB 是较小的单位，数字应当变大。",
                ),
            ),
        ),
        absolute=0.0,
        shown=gb(step.total),
    )
