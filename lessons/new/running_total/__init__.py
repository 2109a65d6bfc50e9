"""The example lesson that `make lesson SLUG=…` copies; it is not one of the course's."""

from __future__ import annotations

from lessons.kit.lesson import Ledger, Lesson
from lessons.kit.sources import Source
from lessons.kit.text import Text
from lessons.new.running_total import prose
from lessons.new.running_total.charts import CHARTS
from lessons.new.running_total.engine import Scenario, Step
from lessons.new.running_total.form import FORM
from lessons.new.running_total.mistakes import MISTAKES
from lessons.new.running_total.presets import PRESETS, SMALL
from lessons.new.running_total.questions import QUESTIONS
from lessons.new.running_total.scene import draw
from lessons.new.running_total.steps import narrate
from lessons.new.running_total.trace import trace

# TODO: place, minutes, ledger and sources; a listing and `code=CODE`, so that the program stands beside the picture.
LESSON: Lesson[Scenario, Step] = Lesson(
    slug="running_total",
    title=prose.TITLE,
    question=prose.QUESTION,
    place=Text("Example", "示例"),
    minutes=5,
    ledger=Ledger(
        work=Text("each number once", "每个数一次"),
        moved=Text("unchanged", "不变"),
        resident=Text("one number more", "多一个数"),
        saves="work",
    ),
    form=FORM,
    scenario=SMALL,
    presets=PRESETS,
    trace=trace,
    narrate=narrate,
    draw=draw,
    mistakes=MISTAKES,
    questions=QUESTIONS,
    charts=CHARTS,
    why=prose.WHY,
    how=prose.HOW,
    limits=prose.LIMITS,
    check=prose.CHECK,
    follow_ups=prose.FOLLOW_UPS,
    sources=(Source(Text("your source", "你的来源"), Text("what is taken from it", "取用了什么"), "computed"),),
)
