"""What the cache costs: bytes resident, and bytes read back."""

from __future__ import annotations

from engine.decode_cost import Price, Scenario
from engine.generation import CONFIG, ITEMSIZE
from lessons.decode_cost.mistakes import MISTAKES, UNCHANGED
from lessons.decode_cost.steps.table import Line, facts, row
from lessons.kit.format import count
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def price(s: Scenario, step: Price, wrong: Price | None) -> Narration:
    def forgot(wrong: Price) -> Text:
        if wrong == step:
            return UNCHANGED
        return Told(
            "nothing is added, so only {resident_last:size} stay. It looks cheaper because it forgets.",
            "什么也没加进去，所以只驻留 {resident_last:size}。看上去更省，是因为它在遗忘。",
        ).on(wrong)

    return Narration(
        id="price",
        title=Text("The price", "代价"),
        headline=Told(
            "The price: {resident_last:size} stay resident, {read_total:size} are read back",
            "代价：{resident_last:size} 驻留在内存里，读回 {read_total:size}",
        ).on(step),
        why=Told(
            "A position costs 2 · {n_layers} layers · {n_kv_heads} KV heads · {head_dim} numbers · {itemsize} "
            "bytes = {per_position:size}, kept until the sequence ends. Each pass reads all old K and V back for a "
            "single row, so the bytes moved grow with the context as the pairs do. The work is not done again; the "
            "memory and the reading are what it costs.",
            "一个位置占 2 · {n_layers} 层 · {n_kv_heads} 个 KV 头 · {head_dim} 个数 · {itemsize} 字节 = "
            "{per_position:size}，一直留到序列结束。每一步都为仅仅一行把全部旧的 K、V 读回来，所以搬运的字节和配对"
            "数一样随上下文增长。计算不再重做；代价是内存和读取。",
        ).on(step, CONFIG, itemsize=ITEMSIZE),
        facts=facts(("", Text("bytes", "字节")), _lines, step, wrong),
        wrong=MISTAKES.beside(s, wrong, forgot),
        row=row(),
    )


def _lines(way: Price) -> tuple[Line, ...]:
    return (
        (Text("one position", "一个位置"), count(way.per_position)),
        (Text("resident at the end", "结束时驻留"), count(way.resident_last)),
        (Text("read back in all passes", "各步读回合计"), count(way.read_total)),
    )
