"""One prompt, two decoders, nothing counted yet."""

from __future__ import annotations

from engine.decode_cost import Scenario, Start
from engine.generation import CONFIG, MOST_RUN
from lessons.decode_cost.mistakes import MISTAKES
from lessons.decode_cost.steps.table import Line, facts, row
from lessons.kit.format import count
from lessons.kit.lesson import Narration
from lessons.kit.text import Text
from lessons.kit.told import Told

_WHY = Told(
    "Each pass chooses the token with the largest logit, and appends it. The left decoder keeps nothing between "
    "passes; the right one keeps K and V in a [KV cache](term:kv-cache). A [query row](term:query-row) is one "
    "position sent through the layer: projections, attention, FFN. A [query·key pair](term:pair) is one score. "
    "Counts are of one head of one layer; this model does {layers} times the rows and {heads} times the pairs. "
    "{ran}\n\nLines are queries, columns keys, positions count from 0. {cell}",
    "每一步选出 logits 最大的 token，接到末尾。左边的解码器在各步之间什么也不留；右边的把 K、V 留在 [KV 缓存"
    "](term:kv-cache)里。一个[查询行](term:query-row)是送过这一层的一个位置：投影、注意力、FFN。一个[查询·键配对"
    "](term:pair)是一个分数。计数针对一层中的一个头；整个模型的行数是它的 {layers} 倍，配对数是它的 {heads} 倍。"
    "{ran}\n\n横行是查询，竖列是键，位置从 0 数起。{cell}",
)


def start(s: Scenario, step: Start, wrong: Start | None) -> Narration:
    if s.is_run:
        ran = Text(
            "Both really run, and the counters count what runs.", "两者都真的在运行，计数器数的是实际发生的计算。"
        )
    else:
        ran = Text(
            f"This is longer than the {MOST_RUN} positions that are run here: passes are counted without the model.",
            f"这比这里能运行的 {MOST_RUN} 个位置更长：只逐步计数，不运行模型。",
        )
    if s.grain == 1:
        cell = Told("The number in a cell: how often it has been computed so far.", "格里的数字：到目前为止算过几遍。")
    else:
        cell = Told(
            "A cell stands for {grain} × {grain} positions; its number: pairs scored in it so far.",
            "一格代表 {grain} × {grain} 个位置；格里的数字：到目前为止其中算过的配对数。",
        )

    def lines(_: Start) -> tuple[Line, ...]:
        return (
            (Text("prompt P", "提示 P"), count(s.n_prompt)),
            (Text("new M", "新 token M"), count(s.n_new)),
            (Text("positions run, P + M − 1", "送过模型的位置，P + M − 1"), count(s.n_positions)),
        )

    return Narration(
        id="start",
        title=Text("Two decoders", "两个解码器"),
        headline=Text("One prompt, two decoders, and for each two counters", "同一段提示，两个解码器，各有两个计数器"),
        why=_WHY.on(layers=CONFIG.n_layers, heads=CONFIG.n_layers * CONFIG.n_heads, ran=ran, cell=cell.on(s)),
        facts=facts(("", Text("tokens", "token 数")), lines, step, wrong),
        wrong=MISTAKES.beside(
            s, wrong, lambda _: Text("runs beside the right one from the next step on.", "从下一步起与正确做法并排。")
        ),
        row=row(),
    )
