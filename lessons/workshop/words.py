"""The words of the folder, in the student's language."""

from __future__ import annotations

from lessons.kit.text import Text

WRITE_THIS = Text("write this part", "请写出这一部分")
TESTS = Text("Run `python -m pytest` in this folder.", "请在本文件夹里运行 `python -m pytest`。")
SLIPPED = Text(
    "the output is {found}: that is what you get if {slip}",
    "输出是 {found}：{slip}，就会得到这个结果",
)
OTHER = Text(
    "the output is {found}; it should be {right}. None of the usual slips gives this.",
    "输出是 {found}，应当是 {right}。常见的失误都不会得到这个结果。",
)
TODO = Text("not written yet: {what}", "还没有写：{what}")
OR = Text(", or if ", "，或者")

TITLE = Text("Build it yourself", "自己动手实现")
HOW = Text(
    "Each file below is a skeleton. Replace every `raise NotImplementedError(…)` by code of your own, then run the "
    "tests in this folder. A test that fails names the slip, if it is one of the usual ones.",
    "下面每个文件都是骨架。请把每一处 `raise NotImplementedError(…)` 换成自己的代码，然后在本文件夹里运行测试。"
    "测试不通过时，如果是常见的失误，会指出是哪一个。",
)
NEEDS = Text("You need Python 3.11 or newer, NumPy and pytest:", "需要 Python 3.11 或更新的版本、NumPy 和 pytest：")
ORDER = Text("A good order:", "建议的顺序：")
SOLUTIONS = Text(
    "The folder `solutions` holds one way to write each of them.", "文件夹 `solutions` 里是每个练习的一种写法。"
)

NOT_EMPTY = Text(
    "{folder} exists and is not empty. Name a folder that does not exist yet, so that nothing of yours is lost.",
    "{folder} 已存在且不为空。请换一个尚不存在的文件夹，以免覆盖你的文件。",
)
NO_FOLDER = Text("{folder} cannot be written: {why}.", "无法写入 {folder}：{why}。")
WRITTEN = Text(
    "{n} files are in {folder}; begin with README.md.", "已在 {folder} 写入 {n} 个文件，请从 README.md 开始。"
)
