"""The words of the files that a reader takes along."""

from __future__ import annotations

from lessons.kit.text import Text
from lessons.kit.told import Told

PLAIN_WAY = Text("the plain way", "普通做法")
RIGHT_LINE = Text("right: ", "正确：")
MADE_OF = Text(
    "Made by *See how attention saves* with the numbers that stood on the page. It runs with Python and NumPy alone.",
    "由“看懂注意力的三种节约”用页面上的数字生成。运行只需要 Python 和 NumPy。",
)
PROGRAM = Text("The program", "程序")
PROGRAM_SAID = Text(
    "Run these cells in order. Each defines one function, with the names that the lesson’s pictures use.",
    "请按顺序运行下面的单元格。每个单元格定义一个函数，名称与课程图中的一致。",
)
NUMBERS = Text("Your numbers", "你的数字")
NUMBERS_SAID = Text("Change them, and run the cells below again.", "可以修改，然后重新运行下面的单元格。")
STEPS = Text("What happens, step by step", "逐步看发生了什么")
STEPS_SAID = Text(
    "Under each step stand the lines of the program that it runs, and what has changed there.",
    "每一步下面是它运行的程序行，以及那里变了什么。",
)
CHECK = Text("Check it against the plain way", "与普通做法核对")
CHECK_SAID = Text(
    "The plain way is short and obviously right, but does not save anything. Both must agree up to rounding error.",
    "普通做法简短而且显然正确，但什么也不节约。两者只能相差舍入误差。",
)
MISTAKE = Told("A mistake: {title}", "一种错误：{title}")
MISTAKE_SAID = Text(
    "Only the marked lines differ. Compare the result with the right one.",
    "只有带标记的行不同。请与正确的结果比较。",
)
YOURS = Text("Your turn", "轮到你了")
YOURS_SAID = Text(
    "Find numbers with which the wrong program gives the right result. Why can nobody see the mistake there? And which "
    "numbers make the difference as large as you can?",
    "请找一组数字，使错误的程序给出正确的结果。为什么这时看不出错误？再找一组数字，让差别尽可能大。",
)
