"""The prose around the player."""

# TODO: why (the waste), how (the algorithm), limits (what it does not save), check (how to tell it was done right).

from __future__ import annotations

from lessons.kit.text import Text

TITLE = Text("Running total", "累计求和")
QUESTION = Text("What must be kept so that nothing is added twice?", "要保存什么，才不必重复相加？")
WHY = Text(
    "Whoever adds all numbers again for every new one does the same [work](term:ledger) over and over.",
    "每来一个新数就从头相加，等于一遍遍做同样的[计算](term:ledger)。",
)
HOW = Text("Keep one number, the total, and add each new number to it.", "只保存一个数，即总和，每个新数都加到它上面。")
LIMITS = Text(
    "It saves **work**, and neither bytes moved nor bytes resident.",
    "它省的是**计算**，不省搬运的字节，也不省驻留的字节。",
)
CHECK = Text(
    "Compare with the sum over all numbers, and choose numbers on which the slip shows.",
    "与所有数的总和比较，并选能让错误显形的数。",
)
FOLLOW_UPS = (
    (
        Text("Does the order matter?", "次序有影响吗？"),
        Text("Not for whole numbers; for floats the last bits may differ.", "整数没有；浮点数末几位可能不同。"),
    ),
)
