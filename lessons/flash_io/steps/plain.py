"""The plain way: four passes over a whole table."""

from __future__ import annotations

from engine.flash_io import Pass, Scenario
from lessons.flash_io.mistakes import MISTAKES
from lessons.flash_io.steps.table import crossed, row
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told

_HEADLINES = {
    1: Told(
        "Plain way, pass 1 of 4: all {n} scores are written to HBM, {size:B}",
        "普通做法第 1 趟（共 4 趟）：{n} 个分数全部写进 HBM，{size:B}",
    ),
    2: Told(
        "Plain way, pass 2 of 4: all {n} scores are read back for the softmax, {size:B}",
        "普通做法第 2 趟（共 4 趟）：{n} 个分数全部读回来做 softmax，{size:B}",
    ),
    3: Told(
        "Plain way, pass 3 of 4: all {n} weights are written to HBM, {size:B}",
        "普通做法第 3 趟（共 4 趟）：{n} 个权重全部写进 HBM，{size:B}",
    ),
    4: Told(
        "Plain way, pass 4 of 4: all {n} weights are read back to average V, {size:B}",
        "普通做法第 4 趟（共 4 趟）：{n} 个权重全部读回来，对 V 求平均，{size:B}",
    ),
}
_REASONS = {
    1: Text(
        "Now the other way, for comparison, with its own count. One [kernel](term:kernel) reads Q and K and "
        "multiplies them. Its result, the table S, is far too large for the chip when sequences are long, so it "
        "goes to HBM. A mask hides numbers in it, but moves them all the same.",
        "再看另一种做法，单独计数。一个[内核](term:kernel)读 Q 和 K，相乘。序列一长，结果 S 远大于片上存储，只能写"
        "进 HBM。掩码只是遮住其中的数，照样要搬运。",
    ),
    2: Text(
        "The softmax is a second kernel. It cannot start before S is complete, and it finds S only in HBM.",
        "softmax 是第二个内核。S 全部算完它才能开始，而 S 只在 HBM 里。",
    ),
    3: Text(
        "The weights P are a second table of the same size, and they go out as well.",
        "权重 P 是同样大小的第二张表，也要写出去。",
    ),
    4: Text(
        "A third kernel reads P and V and writes O. Both tables crossed the door twice.",
        "第三个内核读 P 和 V，写出 O。两张表各过了两次门。",
    ),
}
_ARRAYS = {1: ("q", "k", "s"), 2: ("s",), 3: ("p",), 4: ("p", "v", "o")}


def plain_pass(s: Scenario, step: Pass, wrong: Pass | None) -> Narration:
    n = step.values.size
    return Narration(
        id=f"plain{step.number}",
        title=Told("Plain {number}", "普通 {number}").on(step),
        headline=_HEADLINES[step.number].on(n=n, size=n * s.itemsize),
        why=_REASONS[step.number],
        facts=crossed(step.plain, _ARRAYS[step.number]),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(step.plain, n),
    )
