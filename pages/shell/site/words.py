"""The words of the frame around a lesson, both languages side by side."""

from __future__ import annotations

from lessons.kit.text import Lang, Text
from lessons.kit.told import Told

APP = Text("See how attention saves", "看懂注意力的三种节约")
LANGUAGES: dict[Lang, str] = {"en": "English", "zh": "中文"}
LANGUAGE = Text("Language", "语言")
HOME = Text("Home", "首页")
LESSONS = Text("Lessons", "课程")
MORE = Text("More", "更多")
REFERENCE = Text("Glossary and sources", "术语与来源")
GLOSSARY = Text("Glossary", "术语")

PLAYER = {
    "next": Text("Next", "下一步"),
    "previous": Text("Previous", "上一步"),
    "play": Text("Play", "播放"),
    "pause": Text("Pause", "暂停"),
    "present": Text("Present", "投影"),
    "leave": Text("Leave", "退出"),
    "enlarge": Text("Enlarge", "放大"),
    "close": Text("Close", "关闭"),
    "keys": Text("Keys, once the player has been clicked", "快捷键（先点一下播放器）"),
    "all": Text("Whole text", "显示全文"),
    "larger": Text("Larger figure", "放大图形"),
    "hall": Text("Ask the hall", "向全场提问"),
    "contrast": Text("Stronger colours", "加深颜色"),
    "closer": Text("Look closer", "放大细看"),
    "farther": Text("Look from farther away", "缩小"),
    "onward": Text("Go there", "进入下一课"),
    "speed": Text("Speed", "速度"),
    "steps": Text("Steps", "步骤"),
    "figure": Text("Figure", "图"),
    "legend": Text("Legend", "图例"),
    "scroll": Text("scroll the figure sideways, or enlarge it", "可左右滑动图形，或将其放大"),
    "parts": Text("the wrong way departs here", "错误做法从这里开始不同"),
    "predict": Text("Predict first", "先猜后看"),
    "asks": Text("asks first", "先提问"),
    "commit": Text("That is my guess", "就猜这个"),
    "skip": Text("Just show it", "直接看"),
    "tap": Text(
        "Pick the cell in the figure. By keyboard: Tab to it, then Enter.",
        "在图中点选一格。用键盘时按 Tab 移到该格，再按 Enter。",
    ),
    "guess": Text("Your guess:", "你猜："),
    "guess_right": Text("Right.", "猜对了。"),
    "truth": Text("it is", "实际是"),
    "nonsense": Text(
        "This needs one number, such as 24, 0.8125 or e^-3. What you wrote is still there.",
        "这里要填一个数，例如 24、0.8125 或 e^-3。你写的内容还在。",
    ),
    "next_lesson": Text("Next lesson:", "下一课："),
}
KEYS = (
    ("← →", Text("previous or next step", "上一步或下一步")),
    ("Home End", Text("first or last step", "第一步或最后一步")),
    ("Space", Text("play or pause", "播放或暂停")),
    ("P", Text("present: the player alone, full screen", "投影：只留播放器，全屏")),
    ("?", Text("this list", "显示本列表")),
    ("Esc", Text("leave or close", "退出或关闭")),
    (
        "↑ ↓ PageUp PageDown Enter",
        Text("previous or next step while presenting (clickers)", "投影时：上一步或下一步（翻页笔）"),
    ),
    ("B .", Text("black screen while presenting", "投影时：黑屏")),
    ("T", Text("whole text or larger figure while presenting", "投影时：显示全文，或放大图形")),
    ("Q", Text("ask the hall the next step’s question while presenting", "投影时：把下一步的问题先问全场")),
    ("H", Text("stronger colours while presenting", "投影时：加深颜色")),
    (
        "+ − 0",
        Text("enlarged or presenting: look closer, less close, at all of it", "放大或投影时：放大、缩小、看全图"),
    ),
    (
        "← → ↑ ↓",
        Text(
            "enlarged: move the figure; the mouse drags it, its wheel zooms",
            "放大时：移动图形；也可用鼠标拖动，用滚轮缩放",
        ),
    ),
)
ROW = Text("quantity", "量")  # over the names of a table's rows, for those who hear it
EXAMPLE = Text("Example", "例子")
OWN = Text("your own numbers", "你自己的数字")
LEDGER = {
    "work": Text("work", "计算"),
    "moved": Text("bytes moved", "搬运字节"),
    "resident": Text("bytes resident", "驻留字节"),
    "all": Text("each of the three", "三本账各一"),
}

READ = Text("Why and how", "为什么与怎样做")
CHANGE = Text("Change the numbers", "修改数字")
EXPLORE = Text("Explore", "探索")
QUIZ = Text("Check yourself", "自测")
CHECK_ALL = Text("Check yourself: a mixed set over all lessons", "自测：各课混合的一套题")
TABLE = Text("As a table", "数据表")
CODE = Text("The code", "代码")
CODE_SAID = Text(
    "This is the program behind the picture, in plain Python and NumPy. The files hold your numbers and run by "
    "themselves; the notebook tells the lesson step by step and checks itself.",
    "这是图背后的程序，只用 Python 和 NumPy。文件里是你的数字，可以单独运行；笔记本逐步讲解本课，并自行核对结果。",
)
TAKE_PROGRAM = Text("Download the program (.py)", "下载程序（.py）")
TAKE_NOTEBOOK = Text("Download the notebook (.ipynb)", "下载笔记本（.ipynb）")
WORKSHOP_SAID = Text(
    "**Build it yourself**: three skeletons to fill in (a cache, a tiled softmax, two decoders), and tests that name "
    "your slip. They run on your own machine.",
    "**自己动手实现**：三个待补全的骨架（缓存、分块 softmax、两个解码器），以及能指出失误的测试。它们在你自己的"
    "机器上运行。",
)
WORKSHOP = Text("Download the exercises (.zip)", "下载练习（.zip）")

WHY = Text("Why it is needed", "为什么需要")
HOW = Text("How it is done", "怎样实现")
LIMITS = Text("What it costs, and what it is not", "代价与误解")
CHECK = Text("How to tell it was done right", "如何判断做对了")
FOLLOW_UPS = Text("Asked next", "追问")
SOURCES = Text("Sources", "依据")

ABOVE, BELOW = Text("above", "上面"), Text("below", "下面")  # where the steps are, seen from the sentence


def instead(where: Text) -> Text:
    """Over the complaints about some fields, where the others can be used without them."""
    return Text(
        f"Some inputs cannot be used: in their place the steps {where.en} use the lesson’s own values or the last "
        "ones that could be used; all the others are used as given.",
        f"有些输入不能用，{where.zh}的步骤在这几处采用本课自带的值或上一次可用的值；其余都按给出的值。",
    )


def apart(where: Text) -> Text:
    """Over the complaints where nothing was left that goes together."""
    return Text(
        f"These inputs cannot be used together, so the steps {where.en} show the lesson’s own example or the last "
        "inputs that could be used.",
        f"这些输入不能一起使用，所以{where.zh}的步骤是本课自带的例子，或上一次可用的输入。",
    )


def and_more(n: int) -> Text:
    """After the complaints that are written out."""
    return Text(f"and {n} more", f"另有 {n} 处")


NAMED_THERE = Text(f" They are named under “{CHANGE.en}”.", f"具体是哪些，见“{CHANGE.zh}”。")
TABLE_HELP = Text(
    "Click a cell to edit it; add a row at the bottom; select rows at the left to delete them. Write `-inf` for a "
    "masked "
    "score; leave v2 to v4 empty for shorter values.",
    "点单元格即可修改；最下面可加行；在左侧选中行可删除。被屏蔽的分数写 `-inf`；值较短时 v2 到 v4 留空。",
)
DOWNLOAD = Text("Download as CSV", "下载 CSV")
TABLE_NOTE = Text(
    "Every step above as a row; with a mistake chosen, the wrong way’s rows. The file holds every digit.",
    "上面每一步各占一行；若选了一种错误，则为错误做法的各行。下载的文件保留全部位数。",
)

QUESTION = Text("Question", "题目")
NO_SUCH_QUESTION = Text(
    "The link names a question that this lesson does not have; the list above has all that there are.",
    "链接里的题目在这一课中不存在；上面的列表里是全部题目。",
)
NEW_NUMBERS = Text("New numbers", "换一组数")
EDIT_INPUTS = Text("Edit the numbers of this question", "修改本题的数字")
ANSWER = Text("Your answer", "你的答案")
ANSWER_HELP = Text(
    "numbers such as 0.8125 or 1.25, −0.5, or arithmetic such as 3*5*7 or e^-3; three figures of a decimal are enough, "
    "whole numbers in full",
    "写数字，例如 0.8125 或 1.25, −0.5，也可写算式，例如 3*5*7 或 e^-3；小数写三位有效数字即可，整数请写全",
)
SUBMIT = Text("Check", "检查")
HINT = Text("Hint", "提示")
WORKED_EXAMPLE = Text("An example with other numbers.", "换一组数的完整例子。")
LAST_LINE_BLANK = Text("With these numbers; the last line is yours.", "用本题的数字；最后一行留给你。")
ROW_HEADS = (Text("what", "求什么"), Text("how", "怎样算"), Text("it gives", "得到"))
WRONG_CLAIM = Text("Which of these is wrong?", "下面哪一条是错的？")
WRONG_LINE = Text("Which line is wrong?", "哪一行是错的？")
LINE = Told("line {n}", "第 {n} 行")
SHOULD_SAY = Text("What should it say?", "它应当怎么说？")
EARLIER = Text("earlier", "上移")
LATER = Text("later", "下移")
STOP = Text(".", "。")
COLON = Text(": ", "：")
RIGHT = Text("Right.", "正确。")
RIGHT_ROUNDED = Text("Right to two digits.", "两位有效数字正确。")
TOO_ROUND = Text(
    "To two digits the right answer and a usual slip read alike. Write a third digit.",
    "只看两位有效数字，正确答案和一个常见错误没有区别。请再写一位。",
)
MEANT = Told("What you wrote can be read as {either}.", "你写的内容可以读作 {either}。")
EXACTLY = Text("Exactly:", "精确值：")
ANSWER_IS = Text("The answer:", "答案：")
NOT_YET = Text(
    "Not this, and none of the usual slips gives it either. Step through the way below, or try again.",
    "不是这个答案，也不是常见的失误之一。可以看下面的步骤，或再试一次。",
)
SLIP_TOO = Text("On these numbers this slip would give the same answer:", "在这组数字上，下面的失误会得到同样的答案：")
NEXT = Text("Next question", "下一题")
SHOW_WAY = Text("Show the way, step by step", "逐步显示过程")
WAY_SLIP = Text(
    "The right way, and beside it the one that gives your answer:", "正确做法，旁边是会得到你的答案的做法："
)
WAY = Text("The way there:", "过程：")
MINUTES = Text("minutes", "分钟")

# What the browser keeps of a reader's answers

ERASED = Text("Your progress has been erased.", "进度已清除。")
DESK = {
    "export": Text("Download as a file", "下载为文件"),
    "import": Text("Add from a file", "从文件加入"),
    "erase": Text("Erase", "清除"),
    "sure": Text("Really erase? Click again", "确定清除？再点一次"),
}


def imported(n: int) -> Text:
    if not n:
        return Text("All answers in the file were here already.", "文件里的记录这里都有了。")
    return Told("Added {n:answer} from the file.", "已从文件加入 {n} 条记录。").on(n=n)
