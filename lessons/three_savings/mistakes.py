"""The three misunderstandings: their names, what came of making each true, why the output may not show it."""

from __future__ import annotations

from engine.three_savings import KEEP, Mistake, Scenario
from lessons.kit.mistake import Mistakes, Wrong
from lessons.kit.text import Text

NOT_READ = Text(
    "the prompt’s own pass gives the only new token, and no pass reads what was kept.",
    "唯一的新 token 由提示那一遍给出，没有哪一遍会去读保留下来的内容。",
)
FEW_KEYS = Text(f"no query has more than {KEEP} keys to look at.", f"没有哪个查询有超过 {KEEP} 个键可看。")
LIGHT = Text("what is left out weighs too little to see here.", "被漏掉的部分在这里权重太小，看不出来。")


def _few_keys(s: Scenario) -> Text:
    return FEW_KEYS if s.n_kept <= KEEP else LIGHT


MISTAKES: Mistakes[Scenario] = Mistakes(
    Mistake.NONE,
    {
        Mistake.LINEAR: Wrong(
            title=Text("the cache makes attention linear", "缓存让注意力变成线性"),
            said=Text(
                "If every new token cost the same, it could look at a fixed number of keys only. Made true: the "
                f"newest {KEEP}.",
                f"若每个新 token 的代价都一样，它就只能看固定个数的键。照此实现：只看最新的 {KEEP} 个。",
            ),
            invisible=lambda s: NOT_READ if s.n_new == 1 else _few_keys(s),
        ),
        Mistake.SKIP_LOW: Wrong(
            title=Text("tiles skip low scores", "分块跳过低分"),
            said=Text(
                f"Made true: each query drops all but its {KEEP} highest scores. To know which are low it still has "
                "to score every pair, so nothing is saved either.",
                f"照此实现：每个查询只留最高的 {KEEP} 个分数。要知道哪些低，仍得给每一对打分，所以什么也没省。",
            ),
            invisible=_few_keys,
        ),
        Mistake.COMPRESS: Wrong(
            title=Text("paging compresses", "分页会压缩"),
            said=Text(
                "Made true: only every second position goes into the blocks. Less is resident because something is "
                "missing.",
                "照此实现：每两个位置只把一个放进内存块。驻留变少，是因为丢了东西。",
            ),
            invisible=lambda s: NOT_READ if s.n_new == 1 else LIGHT,
        ),
    },
    label=Text("Compare with a misunderstanding", "与一种误解比较"),
    short=Text("Mistake", "误解"),
    unseen=Text("**the output does not show it here**, because ", "**在这组输入上，输出里看不出来**，因为"),
)
