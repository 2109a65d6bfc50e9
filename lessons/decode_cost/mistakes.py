"""The wrong ways that this lesson runs: four to count, one to cache."""

from __future__ import annotations

from engine.decode_cost import Mistake, Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text

UNCHANGED = Text("no difference in this step.", "这一步没有差别。")
_SINGLE = Text("a single position has one row, one key and one pair.", "只有一个位置时，行、键、配对都只有一个。")

MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.ROWS_AS_PAIRS: Wrong(
            title=Text("rows reported as attention operations", "把行数当作注意力操作数"),
            said=Text(
                "each row is put down as one operation, however many keys its query meets.",
                "不管一行的查询遇到多少键，都只记一次操作。",
            ),
            invisible=_SINGLE,
        ),
        Mistake.NEWEST_QUERY: Wrong(
            title=Text("without a cache, only the newest query counted", "没有缓存时只数最新的查询"),
            said=Text(
                "only the last row’s pairs are counted without a cache, though every row above it was scored again. "
                "That is the work of the cached decoder, so the difference is lost.",
                "没有缓存时只数最后一行的配对，可它上面的每一行都又算了一遍。这其实是有缓存时的工作量，差别就不见了。",
            ),
            invisible=_SINGLE,
        ),
        Mistake.OWN_KEY: Wrong(
            title=Text("with a cache, one pair a step", "有缓存时每步只算一对"),
            said=Text(
                "a cached step is taken for one pair. It runs one row, but that row’s query reads every old key.",
                "把有缓存的一步当成一对。它确实只算一行，但这一行的查询要读每一个旧键。",
            ),
            invisible=Text(
                "there is no decode pass: the prompt gives the only token.", "没有解码步：唯一的 token 由提示给出。"
            ),
        ),
        Mistake.FULL_SQUARE: Wrong(
            title=Text("masked pairs counted too", "把被屏蔽的配对也算上"),
            said=Text(
                "the whole square is counted. A causal query never meets later keys: the pairs above the diagonal "
                "are masked.",
                "数的是整个方阵。因果查询从不遇到后面的键：对角线以上的配对被屏蔽了。",
            ),
            invisible=_SINGLE,
        ),
        Mistake.NO_APPEND: Wrong(
            title=Text("new K and V never appended", "新的 K、V 从不追加"),
            said=Text(
                "the cache still ends with the prompt. The newest token sees the prompt and itself, at the wrong "
                "position, and no token in between.",
                "缓存仍停在提示的末尾。最新的 token 只看到提示和自己，位置也错了，中间的 token 一个也看不到。",
            ),
            invisible=Text(
                "what is not appended is first missed in the second decode pass, and there is none. Decode more "
                "tokens.",
                "没有追加的内容要到第二个解码步才会缺，而这里没有那一步。请多解码几个 token。",
            ),
        ),
    },
    unseen=Text("**invisible in this generation**, because ", "**在这段生成里看不出来**，因为"),
)
