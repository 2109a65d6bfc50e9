"""The rungs that count rows: layers, sequences, tokens."""

from __future__ import annotations

from engine.kv_size import Multiply, Scenario
from engine.models import MODELS
from lessons.kit.format import count, whole
from lessons.kit.lesson import Narration
from lessons.kit.text import Text, literal
from lessons.kit.told import Told
from lessons.kv_bytes.steps.rung import put_in


def layers(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    m = s.model
    if len(m.groups) > 1:
        headline = Told(
            "Each layer keeps its own: {n_local} of them a window, {n_full} everything",
            "每层各存各的：{n_local} 层只存窗口，{n_full} 层全存",
        )
    elif m.n_layers == 1:
        headline = Told("{n_layers:layer} keeps its {what}", "{n_layers} 层，保存自己的{what}")
    else:
        headline = Told("Each of the {n_layers} layers keeps its own {what}", "{n_layers} 层各存各的{what}")
    why = Told(
        "K and V of a layer are computed from that layer’s input and are of no use to another, so the [KV "
        "cache](term:kv-cache) has a part for every layer. ",
        "一层的 K 和 V 由该层自己的输入算出，对别的层没有用，所以 [KV 缓存](term:kv-cache)每层都有一份。",
    )
    if m != MODELS[m.name]:
        why += Text("The numbers are your own.", "这些数字由你填写。")
    else:
        why += Told("The numbers are those of **{name}** ({read_in}).", "数字取自 **{name}**（{read_in}）。")
        if not m.verified:
            why += Text(" They were not checked in the publisher’s own files.", "未在发布者自己的文件中核对。")
    if m.n_local:
        why += Told(
            " {n_local} of its {n_layers:layer} {n_local|has|have} a [sliding window](term:sliding-window) of "
            "{window:token}.",
            "{n_layers} 层中有 {n_local} 层带 {window} 个 token 的[滑动窗口](term:sliding-window)。",
        )
    return put_in(
        s,
        step,
        wrong,
        title=Text("Layers", "层"),
        headline=headline.on(m, what=Text("latents", "潜在向量") if m.is_mla else Text("K and V", " K 和 V")),
        why=why.on(m, read_in=literal(m.source)),
    )


def batch(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    if s.batch > 1:
        headline = Told("{batch:sequence}, each with a history of its own", "{batch} 条序列，各有自己的历史")
    else:
        headline = Told("{batch:sequence}, with one history", "{batch} 条序列，一份历史")
    return put_in(
        s,
        step,
        wrong,
        title=Text("Batch", "序列数"),
        headline=headline.on(s),
        why=Text(
            "Sequences that are served together each keep their own history. Only a prefix they share could be "
            "kept once; this count shares nothing.",
            "一起处理的序列各自保存历史。只有共同的前缀才可能只存一份；这里按完全不共享来数。",
        ),
    )


def tokens(s: Scenario, step: Multiply, wrong: Multiply | None) -> Narration:
    return put_in(
        s,
        step,
        wrong,
        title=Text("Tokens", "多少 token"),
        headline=Told("A row for each token in each layer: {rows}", "每层每个 token 一行：{rows} 行").on(
            rows=whole(step.rung.product)
        ),
        why=_windows(s) if s.model.n_local else _all_stay(s),
    )


def _all_stay(s: Scenario) -> Text:
    zh = "全部 {seq_len} 个 token 都留着：新的查询可能看其中任何一个。"
    if s.seq_len == 1:
        stay = Told("The {seq_len:token} stays: a new query may look at it.", zh)
    else:
        stay = Told("All {seq_len:token} stay: a new query may look at any of them.", zh)
    return (
        stay + Text(" While a sequence is generated, only this factor grows.", "生成过程中只有这个因子在增长。")
    ).on(s)


def _windows(s: Scenario) -> Text:
    m, t = s.model, s.seq_len
    if t >= (m.window or 0):
        state = Text(
            "the window is full, and each new token pushes the oldest out", "窗口已满，每来一个新 token 就挤掉最旧的"
        )
    else:
        state = Text("the window is not full yet and saves nothing", "窗口还没装满，什么也没省下")
    such = Told(" ({batch} such sequences)", "（这样的序列有 {batch} 条）").on(s) if s.batch > 1 else ""
    return Told(
        "A layer with a [window](term:sliding-window) keeps the last {window:token}, the newest included: {state}. "
        "Rows: {rows}{such}. No constant number of bytes a token can describe this.",
        "带[窗口](term:sliding-window)的层只保存最近 {window} 个 token（含最新的）：{state}。行数：{rows}{such}。用"
        "固定的“每 token 字节数”描述不了它。",
    ).on(
        m,
        state=state,
        rows=" + ".join(f"{group.n_layers} × {count(group.cached_tokens(t))}" for group in m.groups),
        such=such,
    )
