"""The new token's q meets the cached k, and the values are summed."""

from __future__ import annotations

from engine.kv_reuse import Look, Mistake, Scenario
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told
from lessons.kv_reuse.naming import letter, names
from lessons.kv_reuse.steps.table import row, where_apart


def look(s: Scenario, step: Look, wrong: Look | None) -> Narration:
    if step.n_old_seen == step.n_cached:
        headline = Told(
            "{new}’s q meets every cached k of layer {layer}, and its own",
            "{new} 的 q 与第 {layer} 层缓存的每个 k 以及自己的 k 相乘",
        )
    else:
        headline = Told(
            "{new}’s q meets {n_old_seen} of {n_cached} cached k of layer {layer}, and its own",
            "{new} 的 q 与第 {layer} 层缓存的 {n_cached} 个 k 中的 {n_old_seen} 个以及自己的 k 相乘",
        )
    seen = str(step.n_seen)
    return Narration(
        id=f"path-{step.layer}/look",
        title=Told("Weights in layer {layer}", "第 {layer} 层的权重").on(step),
        headline=headline.on(names(s), step),
        why=Told(
            "{n_seen} [{n_seen|score|scores}](term:score), softmax, and the weighted sum of {n_seen} "
            "[{n_seen|value|values}](term:value). Most [weight](term:attention-weight), {weight:fixed3}, goes to "
            "{token} at position {most}. The old queries take no part.",
            "{n_seen} 个[分数](term:score)，softmax，再对 {n_seen} 个[值](term:value)加权求和。[权重"
            "](term:attention-weight)最大的是位置 {most} 的 {token}：{weight:fixed3}。旧的查询没有参与。",
        ).on(step, weight=float(step.p[step.most]), token=letter(s.longer[step.most])),
        facts=Facts(
            (
                Told("layer {layer}, one head", "第 {layer} 层，一个头").on(step),
                Text("number", "个数"),
            ),
            (
                (Text("scores", "分数"), seen),
                (Text("rows of k read", "读取 k 的行数"), seen),
                (Text("rows of v read", "读取 v 的行数"), seen),
            ),
        ),
        wrong=where_apart(s, step, wrong, lambda wrong: _saw(s, wrong)),
        row=row(layer=step.layer),
    )


def _saw(s: Scenario, wrong: Look) -> Text:
    if s.mistake is not Mistake.OLD_Q:
        return Text(
            "other keys, other scores, other values: another output.", "键不同，分数就不同，值也不同，输出随之改变。"
        )
    return Told(
        "a stored q was a question; it hands nothing over. {new} sees itself alone, with weight {weight}.",
        "存下的 q 是提过的问题，交不出任何内容。{new} 只看见自己，权重 {weight}。",
    ).on(names(s), weight=float(wrong.p[-1]))
