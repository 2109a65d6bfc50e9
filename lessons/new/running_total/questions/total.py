"""What the total comes to."""

# TODO: a right formula, the slips that people make, each with its own sentence, and the way in lines.

from __future__ import annotations

from lessons.kit.question import COUNTED, Line, Question, Slip
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.new.running_total.engine import Mistake, Scenario
from lessons.new.running_total.form import BY_NUMBER
from lessons.new.running_total.mistakes import MISTAKES
from lessons.new.running_total.presets import SMALL

TOTAL: Question[Scenario] = Question(
    slug="total",
    title=Text("The total", "总和"),
    prompt=Told(
        "{n:number} are added, beginning with {first} and each 1 more than the one before. What is the total?",
        "{n} 个数相加，从 {first} 开始，每个比前一个多 1。总和是多少？",
    ),
    form=BY_NUMBER,
    inputs=SMALL,
    invent=lambda rng: Scenario(rng.randint(3, 40), rng.randint(3, 8)),
    formula=lambda s: s.total,
    slips=(
        MISTAKES.slip(Mistake.OVERWRITES, lambda s: s.numbers[-1], lambda s: s),
        Slip(
            "all_alike",
            Text("All taken for the first.", "全当成第一个数。"),
            lambda s: s.n * s.first,
            Text("Each number is larger than the one before.", "每个数都比前一个大。"),
        ),
    ),
    working=Told("First and last number, averaged, times {n}.", "首末两数取平均，再乘 {n}。"),
    way=lambda s: s,
    tolerance=COUNTED,
    rows=(
        Line(Text("last number", "最后一个数"), Text("counted on", "往后数"), "{first} + {n} − 1"),
        Line(Text("total", "总和"), Text("average times number", "平均乘个数"), "{total}"),
    ),
)
