"""The wrong ways that this lesson runs."""

from __future__ import annotations

from engine.paged import Mistake
from engine.paged_output import Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told


def _too_light(s: Scenario) -> Text:
    if s.n_final == 1:
        return Text(
            "that slot holds A’s only token, and a value averaged with itself stays the same. Append a token.",
            "那个槽位里就是 A 唯一的 token，同一个值与自己平均不变。追加一个 token 试试。",
        )
    return Text(
        "the value in the slot read too early weighs too little. Try another length.",
        "多读的那个槽位里的值权重太小。换一个长度试试。",
    )


MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.LOGICAL_AS_PHYSICAL: Wrong(
            title=Text("logical block used as physical", "把逻辑块当物理块"),
            said=Text(
                "the block table is not read: the number of the logical block is taken for that of the physical "
                "block, so every slot equals its position.",
                "没有查块表，把逻辑块号当成了物理块号，于是槽位总等于位置。",
            ),
            invisible=Text(
                "each logical block happens to lie in the physical block of the same number. Shuffle the table.",
                "每个逻辑块恰好放在同号的物理块里。把块表打乱试试。",
            ),
        ),
        Mistake.FILL_MODULO: Wrong(
            title=Text("last block’s fill as n mod block size", "末块填充数用 n 对块大小取余"),
            said=Text(
                "$n$ mod block size is 0 where the last block is full, so the full block is taken for an empty one.",
                "末块满时 $n$ 对块大小取余得 0，于是满块被当成空块。",
            ),
            invisible=Told(
                "the last block is never exactly full when it is counted or written to. Try a length that {block_size} "
                "divides.",
                "每次计数或写入时，末块都没有恰好装满。换一个能被 {block_size} 整除的长度。",
            ),
        ),
        Mistake.MINUS_ONE_WRAPS: Wrong(
            title=Text("table index −1 wraps to the end", "块表下标 −1 绕到末尾"),
            said=Text(
                "a loop that starts one position too early asks for index −1, which in Python is the last entry and "
                "raises no error.",
                "循环早了一个位置，用到下标 −1；在 Python 里那是最后一项，不报错。",
            ),
            invisible=_too_light,
        ),
    },
)
