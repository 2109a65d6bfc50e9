"""The sentences of the first page, both languages side by side."""

from lessons.kit.text import Text

LEAD = Text(
    "Three mechanisms make long contexts affordable, and they are constantly mixed up. Each saves something "
    "different: **work** done, "
    "**bytes moved**, or **bytes resident**. Step through them with numbers that are computed as you read, change "
    "the numbers, run "
    "the usual mistakes on purpose, and check yourself.",
    "有三种机制让长上下文负担得起，却常被混为一谈。它们省下的东西各不相同：**计算**、**搬运的字节**、**驻留的字节**。"
    "在这里，数字都是实时算出的：可以一步一步地看，动手修改，故意走一遍常见的错误，再自测。",
)
PICTURE_TITLE = Text("Three storage problems, three different savings", "三个存储问题，三种不同的节约")
PICTURE_HINT = Text("Scroll the picture sideways.", "可左右滑动，查看整幅图。")
PATH = Text("The reading path", "阅读路线")
CHECK_TITLE = Text("Before you read: can you count this?", "开始之前：先试着数一数")
