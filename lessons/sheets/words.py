"""The words of a printed sheet, its answer key and the file for Moodle."""

from __future__ import annotations

from lessons.kit.text import Text
from lessons.kit.units import Unit

SHEET = Text("Question sheet", "练习题")
KEY = Text("Answer key", "参考答案")
NAME = Text("Name", "姓名")
DATE = Text("Date", "日期")
ANSWER = Text("Answer:", "答案：")
LINE = Text("Wrong line:", "错行的行号：")
ORDER = Text("First to last:", "从先到后：")
HEADS = (Text("answer given", "所给答案"), Text("slip", "失误"), Text("what to say", "怎样说明"))
ANY = Text("any", "任意")
NOT_THIS = Text("Not this, and none of the usual slips gives it either.", "不是这个答案，也不是常见的失误之一。")
CHOOSE = Text(
    "Choose the claim that is wrong together with what it should say.", "选出错误的那一条，以及它应当怎么说。"
)
SHOULD = Text("It should say:", "应当是：")


def variant(number: int, seed: int) -> Text:
    return Text(f"Variant {number} · seed {seed}", f"第 {number} 份 · 种子 {seed}")


def in_unit(unit: Unit) -> Text:
    zh = unit.one.zh
    return Text(f"Answer in {unit.name.en}.", f"答案以{f' {zh} ' if zh[0].isascii() else zh}为单位。")


def within(tolerances: str) -> Text:
    return Text(f"within ± {tolerances}", f"误差不超过 ± {tolerances}")


def line(n: int) -> Text:
    return Text(f"line {n}", f"第 {n} 行")


def any_correction(claim: str) -> Text:
    return Text(f"{claim}, whatever is put instead", f"{claim}，不论怎样改")
