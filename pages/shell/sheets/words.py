"""The words of the page for instructors, both languages side by side."""

from __future__ import annotations

from lessons.kit.text import Text
from lessons.kit.told import Told

SHEETS = Text("Question sheets", "出题")
INTRO = Text(
    "For instructors: choose questions, get a printable sheet with other numbers for every student, an answer key "
    "that names the "
    "slips, a table, and a file that Moodle imports. The same choice and the same seed give the same files.",
    "供教师使用：选题后即可得到可打印的练习题（每个学生的数字不同）、注明常见失误的参考答案、表格，以及可导入 Moodle "
    "的文件。"
    "同样的选择加同样的种子，得到同样的文件。",
)
CHOOSE = Text("1 · Questions", "1 · 选题")
SEARCH = Text("Search", "搜索")
SEARCH_HELP = Text("a word of a title, a lesson, or a kind of question", "题目、课程或题型中的词")
ALL = Text("Choose all", "全选")
NONE = Text("Choose none", "全不选")
NOT_FOUND = Text("No question has this in its title, its lesson or its kind.", "题目、课程和题型里都没有这个词。")
KINDS = {
    "number": Text("number", "填数"),
    "vector": Text("several numbers", "填几个数"),
    "choice": Text("choice", "选择"),
    "order": Text("order", "排序"),
    "cells": Text("cells", "勾选格子"),
    "error": Text("find the error", "找错"),
    "line": Text("find the line", "找出错行"),
}

SETTINGS = Text("2 · The sheet", "2 · 设置")
TITLE = Text("Title", "标题")
TITLE_HELP = Text("stands on every page; may stay empty", "印在每一页上；可以不填")
SEED = Text("Seed", "种子")
VARIANTS = Text("Variants", "份数")
LANGUAGES = Text("Language of the sheet", "练习题的语言")
LANGUAGE = {
    "en": Text("English", "英文"),
    "zh": Text("Chinese", "中文"),
    "both": Text("both, one after the other", "两种，先英文后中文"),
}
LINES = Text("Room for answers", "答题空间")
LINE = {"with": Text("with answer lines", "留答题线"), "without": Text("without", "不留")}

MAKE_HEAD = Text("3 · The files", "3 · 文件")
MAKE = Text("Make the files", "生成文件")
SHEET = Text("Sheet to print (HTML)", "练习题（HTML，可打印）")
KEY = Text("Answer key (HTML)", "参考答案（HTML）")
TABLE = Text("Table (CSV)", "表格（CSV）")
MOODLE = Text("For Moodle (XML)", "供 Moodle 导入（XML）")
PRINT = Text(
    "Open the sheet in a browser and print it: every variant starts on a new page, with its number and seed on each. "
    "In Moodle: "
    "*Question bank*, *Import*, *Moodle XML format*; each question becomes a category that holds its variants.",
    "在浏览器中打开练习题并打印：每份都从新的一页开始，每页印有份号和种子。在 Moodle 中：“题库”→“导入”→“Moodle XML 格"
    "式”；"
    "每道题成为一个类别，其中是它的各份变式。",
)
PREVIEW = Text("Preview of variant 1", "第 1 份预览")
EMPTY = Text(
    "Choose at least one question: open a lesson above and tick what you want.",
    "请至少选一道题：展开上面的课程，勾选要用的题。",
)
NO_FILES = Text("No files can be made of this yet.", "这样还不能生成文件。")


def chosen(n: int, of: int, groups: tuple[tuple[Text, int], ...]) -> Text:
    """`groups`: each lesson's title with how many are chosen of it."""
    en = f"{n} of {of} chosen" + "".join(f" · {title.en} {k}" for title, k in groups)
    return Text(en, f"已选 {n} / {of}" + "".join(f" · {title.zh} {k}" for title, k in groups))


def group(title: Text, n: int) -> Text:
    return Told("{title} · {n:question}", "{title} · {n} 道题").on(title=title, n=n)


def question(title: Text, kind: Text) -> Text:
    """The kind is left out where the title begins with it."""
    en = title.en if title.en.casefold().startswith(kind.en) else f"{title.en} · {kind.en}"
    return Text(en, title.zh if title.zh.startswith(kind.zh) else f"{title.zh} · {kind.zh}")


def making(n: int, of: int) -> Text:
    return Text(f"variant {n} of {of}", f"第 {n} 份，共 {of} 份")


def made(questions: int, variants: int, seed: int) -> Text:
    return Told(
        "Made: {questions:question}, {variants:variant}, seed {seed:plain}.",
        "已生成：{questions} 道题，{variants} 份，种子 {seed:plain}。",
    ).on(questions=questions, variants=variants, seed=seed)


def stale(questions: int, variants: int, seed: int) -> Text:
    earlier = made(questions, variants, seed)
    return Text(
        f"{earlier.en} Since then the choice has changed: make the files again to take it over.",
        f"{earlier.zh}此后选择有改动：要用新的选择，请重新生成。",
    )
