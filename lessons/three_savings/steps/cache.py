"""The cache is turned on: old rows are not run again, and have to be kept."""

from __future__ import annotations

from engine.three_savings import CONFIG, Scenario, Turn
from lessons.kit.ask import Ask, Guess, asking
from lessons.kit.format import count
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.three_savings.mistakes import MISTAKES
from lessons.three_savings.naming import turned
from lessons.three_savings.steps.table import HEAD, KV, PASS, ROWS, UNUSED, facts, made_true, row


def cache(s: Scenario, step: Turn, wrong: Turn | None) -> Narration:
    return Narration(
        id="cache",
        title=Text("Cache on", "打开缓存"),
        headline=Told("The cache: work {turned} pairs", "缓存：计算{turned} 个配对").on(
            turned=turned("work", step.before, step.now)
        ),
        why=_why(s, step),
        facts=facts((ROWS, HEAD, KV, UNUSED, PASS), step.before, step.now, wrong.now if wrong else None),
        ask=_pairs(s, step),
        wrong=MISTAKES.beside(s, wrong, lambda wrong: made_true(s, step.now, wrong.now)),
        row=row((wrong or step).now),
    )


def _why(s: Scenario, step: Turn) -> Text:
    before, now = step.before.ledgers, step.now.ledgers
    if now.pairs == before.pairs:
        return Told(
            "With one new token there is one pass, and nothing old to compute again: a cache pays only from the second "
            "new token on. It is set aside all the same: K and V of its {n_layers:layer}, {max_len} positions.",
            "只有一个新 token 时只跑一遍，没有旧的东西可重算：从第二个新 token 起缓存才有用。但它照样被预留：全部 "
            "{n_layers} 层、{max_len} 个位置的 K、V。",
        ).on(s, CONFIG)
    why = Told(
        "After the prompt’s pass only the new token is run: {before.rows:row} a layer become {now.rows}. Pairs still "
        "grow with the text, for every new query meets all kept keys. Less attention also moves less",
        "提示那一遍之后，每遍只处理新 token：每层 {before.rows} 行变成 {now.rows} 行。配对数仍随文本增长，因为每个"
        "新查询都要遇到所有保留的键。注意力少算了，搬运也跟着少",
    )
    if now.moved_per_pair > before.moved_per_pair:
        why += Text(", but each pair costs more moving", "，但每个配对要搬的更多")
    why += Told(
        "; bytes a pair: {before.moved_per_pair:fixed1} → {now.moved_per_pair:fixed1}. The price is in another ledger: "
        "K and V of its {n_layers:layer} stay, in room set aside for {max_len} positions.",
        "；每个配对的字节：{before.moved_per_pair:fixed1} → {now.moved_per_pair:fixed1}。代价记在另一本账上：全部 "
        "{n_layers} 层的 K、V 要留着，占用为 {max_len} 个位置预留的空间。",
    )
    if now.resident.total <= before.resident.total:
        why += Text(
            " Here the smaller tables outweigh it: the largest, of the last pass over everything, is gone.",
            "这里反被变小的表抵消：最后一遍处理全文时那张最大的表没有了。",
        )
    return why.on(s, CONFIG, before=before, now=now)


def _pairs(s: Scenario, step: Turn) -> Ask | None:
    before, now = step.before.ledgers.per_head.pairs, step.now.ledgers.per_head.pairs

    def guess(value: int, said: Told) -> Guess:
        return Guess(float(value), said.on(s, now=now))

    return asking(
        Told(
            "Without a cache each head scores {before} pairs: {n_prompt:prompt token}, {n_new} new. How many are there "
            "with a cache?",
            "没有缓存时每个头要算 {before} 个配对：提示 {n_prompt} 个 token，生成 {n_new} 个。有缓存时是多少个？",
        ).on(s, before=before),
        float(now),
        (
            guess(
                s.linear_pairs,
                Told(
                    "That lets a later query look at a few keys only. It meets every key that is kept: {now}.",
                    "这等于让后来的查询只看少数几个键。它要遇到所有留下的键：{now}。",
                ),
            ),
            guess(
                step.now.ledgers.rows,
                Told(
                    "Those are the rows that are run. Each row meets every key up to its own: {now} pairs.",
                    "这是处理的行数。每一行要遇到直到它自己为止的每个键：{now} 个配对。",
                ),
            ),
            guess(
                s.prompt_pairs,
                Told(
                    "That is the prompt’s pass alone. Then {n_later:later pass} of one query {n_later|comes|come} "
                    "on top.",
                    "这只是提示那一遍。后面还有 {n_later} 遍，每遍一个查询。",
                ),
            ),
            guess(
                now - s.prompt_pairs,
                Told(
                    "Those are the later passes alone. The prompt’s own pass scores {prompt_pairs}.",
                    "这只是后面各遍。提示那一遍自己要算 {prompt_pairs} 个。",
                ),
            ),
        ),
        relative=0,
        absolute=0,
        shown=count(now),
    )
