"""The wrong ways that this lesson runs."""

from __future__ import annotations

from engine.paged import Mistake
from engine.paged_output import Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text
from lessons.kit.told import Told

MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.LOGICAL_AS_PHYSICAL: Wrong(
            title=Text("logical block used as physical", "把逻辑块当物理块"),
            said=Text(
                "a block number of the sequence is taken for one of the pool.", "把序列里的块号当成了池里的块号。"
            ),
            invisible=Text(
                "each logical block happens to lie in the physical block of the same number. Shuffle the table.",
                "每个逻辑块恰好放在同号的物理块里。把块表打乱试试。",
            ),
        ),
        Mistake.FILL_MODULO: Wrong(
            title=Text("last block’s fill as n mod block size", "末块填充数用 n 对块大小取余"),
            said=Text("the remainder is 0 where the last block is full.", "末块满时余数是 0。"),
            invisible=Told(
                "the last block is never exactly full when it is counted or written to. Try a length that {block_size} "
                "divides.",
                "数末块或写末块时，它从来没有恰好装满。换一个能被 {block_size} 整除的长度。",
            ),
        ),
        Mistake.MINUS_ONE_WRAPS: Wrong(
            title=Text("table index −1 wraps to the end", "块表下标 −1 绕到末尾"),
            said=Text("index −1 is the last entry in Python, not an error.", "Python 的下标 −1 是最后一项，不报错。"),
            invisible=Text(
                "what the extra slot holds weighs too little to be seen.", "多读的那个槽位权重太小，看不出来。"
            ),
        ),
    },
)
