"""Before anything runs: which switch saves in which ledger?"""

from __future__ import annotations

from engine.three_savings import CONFIG, Ask, Scenario
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.steps.table import row


def asked(s: Scenario, step: Ask, wrong: Ask | None) -> Narration:
    return Narration(
        id="ask",
        title=Text("What is saved?", "省的是什么？"),
        headline=Text(
            "Three switches, three ledgers: which switch saves in which?", "三个开关、三本账：哪个开关省哪一本？"
        ),
        why=Told(
            "One prompt of {n_prompt:token}, {n_new:new token}, one set of weights: the little decoder with "
            "{n_layers:layer} of {n_heads:head}. The [KV cache](term:kv-cache), [tiles](term:tile) "
            "(FlashAttention) and [paging](term:block-table) (PagedAttention) all “save”. Guess before you go on: "
            "which one computes less, which one carries less, which one takes up less room? None of the three "
            "drops, merges or summarises a token.",
            "同一段 {n_prompt} 个 token 的提示，生成 {n_new} 个新 token，同一套权重：{n_layers} 层、每层 {n_heads} "
            "头的小解码器。[KV 缓存](term:kv-cache)、[分块](term:tile)（FlashAttention）、[分页](term:block-table)"
            "（PagedAttention）都说自己“省”。先猜一猜再往下看：哪个少算，哪个少搬，哪个少占地方？三者都不丢弃、不合"
            "并、不概括任何 token。",
        ).on(s, CONFIG),
        wrong=MISTAKES.beside(
            s,
            wrong,
            lambda _: Text(
                "runs beside the right one wherever its switch is on.", "凡它的开关打开之处，都与正确做法并排计算。"
            ),
        ),
        row=row(None),
    )
