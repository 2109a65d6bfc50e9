"""The words of Check yourself and of the progress kept in the browser, both languages side by side."""

from __future__ import annotations

from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.practice.practice import ENOUGH, EVERY, Outcome

LEAD = Text(
    "A mixed set, one question at a time. A wrong answer is traced to **the slip** it comes from, and you can step "
    "through the way.",
    "各课混合出题，一次一题。答案不对时会指出**是哪一种失误**，过程可以逐步查看。",
)
LESSONS = Text("Lessons", "课程")
HOW_MANY = Text("How many questions", "题数")
START = Text("Start", "开始")
NO_LESSON = Text("Choose at least one lesson.", "请至少选择一课。")
NOT_A_SET = Text(
    "This link names no set that can be read. Here is a new one.", "这个链接里读不出一套题。下面可以另出一套。"
)

TO_SUMMARY = Text("To the summary", "看总结")
AGAIN = Text("Try again with new numbers", "换一组数再试")
SKIP = Text("Skip", "跳过")
BACK = Text("Back", "上一题")
COPY = {
    "copy": Text("The same set for a friend: copy link", "把同一套题发给朋友：复制链接"),
    "copied": Text("The link is copied", "链接已复制"),
    "refused": Text("The browser does not allow it: copy the address above", "浏览器不允许：请复制地址栏中的地址"),
}
EXAMPLE = Text("A worked example with other numbers", "一个完整的例子（另一组数）")
PLAN = Text("What to work out, with the numbers of this question", "用本题的数字，要算的是这些")
LAST_LINE = Text("The way with these numbers; the last line is yours", "用本题数字的过程；最后一行留给你")

SUMMARY = Text("What this set shows", "这一套题的结果")
OUTCOMES: dict[Outcome | None, Text] = {
    Outcome.FIRST: Text("✓ first try", "✓ 一次答对"),
    Outcome.HELPED: Text("○ with help", "○ 提示或再试后答对"),
    Outcome.MISSED: Text("✗ missed", "✗ 未答对"),
    None: Text("– skipped", "– 跳过"),
}
HEADS = (Text("question", "题目"), Text("lesson", "课程"), Text("result", "结果"))
SLIPS = Text("The slips, most frequent first", "失误，按次数排列")
NO_SLIPS = Text("No answer came from a known slip.", "没有哪个答案对应已知的失误。")
ANOTHER = Text("Another set", "再来一套")
SAME_SET = Text("This set once more", "这一套再做一遍")
CHOOSE = Text("Choose lessons", "选择课程")

PROGRESS = Text("Your progress", "你的进度")
PRIVATE = Text(
    "Your progress is kept in this browser only: no account, nothing about you on the server, which sees it while "
    "the page is open and keeps "
    "none of it. To take it to another browser, download it here and add the file there.",
    "进度只存在这个浏览器里：没有账号，服务器上没有关于你的任何东西；页面打开时它看得到进度，但不保存。"
    "想带到另一个浏览器，就在这里下载，再到那里加入这个文件。",
)
FOR_THIS_VISIT = Text(
    "This browser does not allow pages to store anything, so your progress lasts for this visit only. Everything "
    "else works; download "
    "the file to keep it.",
    "这个浏览器不允许网页保存数据，所以进度只在这次访问中有效。其他功能都正常；想留下进度，请下载文件。",
)
DAMAGED = Text(
    "Some of what this browser had stored could not be read and is left out.",
    "浏览器里存的进度有一部分无法读取，已略过。",
)
NOTHING_YET = Text("No answers yet.", "还没有答过题。")
RULE = Text(
    f"A question answered wrong comes back with new numbers {EVERY.days} days after it was last asked, until it has "
    "been right without a hint "
    f"on {ENOUGH} days.",
    f"答错的题会在上次出现 {EVERY.days} 天后换一组数再来，直到有 {ENOUGH} 天不看提示就答对。",
)
RETURNS_HEADS = (Text("comes back", "再来的题"), Text("lesson", "课程"), Text("due", "时间"))


def position(i: int, n: int, lesson: Text, link: str) -> Text:
    return Text(f"{i} of {n} · from [{lesson.en}]({link})", f"第 {i} 题，共 {n} 题 · 出自[{lesson.zh}]({link})")


def due_in(days: int) -> Text:
    if days <= 0:
        return Text("today", "今天")
    return Text("tomorrow", "明天") if days == 1 else Text(f"in {days} days", f"{days} 天后")


def due(n: int) -> Text:
    return Told(
        "**{n:question}** that you missed {n|is|are} due today: {n|it comes|they come} first, with new numbers.",
        "今天有 **{n} 道**答错过的题该再做：它们排在最前面，数字是新的。",
    ).on(n=n)


def slip(title: Text, n: int, lesson: Text, link: str, step: int | None) -> Text:
    """One slip of the summary; `link` leads to the step."""
    place = Text(
        lesson.en if step is None else f"{lesson.en}, step {step}",
        lesson.zh if step is None else f"{lesson.zh}，第 {step} 步",
    )
    return Text(
        f"**{title.en}**, {'once' if n == 1 else f'{n} times'}: see [{place.en}]({link})",
        f"**{title.zh}**，{n} 次：见[{place.zh}]({link})",
    )


def score(first: int, n: int) -> Text:
    return Text(
        f"{first} of {n} right at the first try, without a hint.", f"{n} 题中有 {first} 题不看提示、第一次就对。"
    )


def answered(n: int, days: int) -> Text:
    return Told("{n:answer} on {days:day}.", "{days} 天里答了 {n} 次。").on(n=n, days=days)
