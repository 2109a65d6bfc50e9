"""The waste to be saved: room for the longest answer, most of it empty."""

from __future__ import annotations

from engine.paged_output import Reserved, Scenario
from lessons.block_table.mistakes import MISTAKES
from lessons.block_table.steps.table import row
from lessons.kit.claims import alike
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told


def reserved(s: Scenario, step: Reserved, wrong: Reserved | None) -> Narration:
    held = step.held
    if held.empty:
        headline = Told(
            "Reserving for the longest answer leaves {empty} of {slots:slot} empty",
            "按最长的回答预留，{slots} 个槽位里空着 {empty} 个",
        )
        waste = Text("No other request can use the dashed, empty ones.", "虚线的空槽位，别的请求用不上。")
    else:
        headline = Told(
            "Here both requests fill all {slots:slot} reserved for them", "这里两个请求用满了预留的 {slots} 个槽位"
        )
        waste = Text(
            "Here both have that length, so nothing is empty. Raise the limit to see what reserving costs.",
            "这里两个请求恰好都这么长，所以没有空的。把上限调大，就能看到预留的代价。",
        )
    why = Told(
        "Nobody knows in advance how long an answer will be. If the [KV cache](term:kv-cache) of a request must be one "
        "[contiguous](term:contiguous) piece, the server reserves the longest length allowed: {most:slot}. A "
        "[slot](term:slot) holds the K and V of one token. ",
        "没人能预知回答有多长。如果一个请求的 [KV 缓存](term:kv-cache)必须是一整段[连续](term:contiguous)内存，服务器就"
        "按允许的最大长度预留：{most} 个槽位。一个[槽位](term:slot)存一个 token 的 K 和 V。",
    )
    return Narration(
        id="reserve",
        title=Text("The waste", "浪费"),
        headline=headline.on(held),
        why=(why + waste).on(s),
        facts=_facts(step),
        wrong=MISTAKES.beside(s, wrong, lambda _: None),
        row=row(wrong or step),
        claims=(alike(held.tokens + held.empty, held.slots),),
    )


def _facts(step: Reserved) -> Facts:
    a, b = step.held.pieces
    lines = (
        (Text("tokens", "token 数"), a.tokens, b.tokens, step.held.tokens),
        (Text("slots reserved", "预留的槽位"), a.slots, b.slots, step.held.slots),
        (Text("slots empty", "空着的槽位"), a.empty, b.empty, step.held.empty),
    )
    head = (Text("request", "请求"), "A", "B", Text("both", "合计"))
    return Facts(head, tuple((name, *map(str, numbers)) for name, *numbers in lines))
