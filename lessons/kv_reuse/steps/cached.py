"""The old tokens have run, and every layer keeps their k and v."""

from __future__ import annotations

from engine.kv_reuse import Cached, Scenario
from lessons.kit.format import count, size
from lessons.kit.lesson import Facts, Narration
from lessons.kit.text import Text
from lessons.kit.told import Told, say
from lessons.kv_reuse.mistakes import MISTAKES
from lessons.kv_reuse.naming import named, names
from lessons.kv_reuse.steps.table import row


def cached(s: Scenario, step: Cached, wrong: Cached | None) -> Narration:
    return Narration(
        id="cached",
        title=Text("Cache ", "缓存 ") + named(s.tokens),
        headline=Told("{Old}: every layer’s k and v are kept, q is not", "{Old}：每一层的 k 和 v 留下，q 不留").on(
            names(s)
        ),
        why=Told(
            "A [KV cache](term:kv-cache) is one pair of tables for **each layer**, a row a token: here 2 × "
            "{n_layers:layer} × {n_kv_heads} KV heads × {head_dim} numbers = {per_token} a token. A "
            "[query](term:query) is used once, for its own token’s output.",
            "[KV 缓存](term:kv-cache)是**每一层**各有一对表，每个 token 一行：这里每个 token 有 2 × {n_layers} 层 "
            "× {n_kv_heads} 个 KV 头 × {head_dim} 个数 = {per_token} 个数。[查询](term:query)只为自己那个 token 的"
            "输出用一次。",
        ).on(s.config, per_token=step.n_numbers // len(s.tokens)),
        facts=Facts(
            (Text("kept", "保存"), Text("numbers", "个数")),
            (
                ("k, v", count(step.n_numbers)),
                (Text("bytes (8 a number)", "字节（每个数 8 字节）"), size(step.n_bytes)),
                ("q", "0"),
            ),
        ),
        wrong=MISTAKES.beside(s, wrong, lambda _: _kept(s)),
        row=row(),
    )


def _kept(s: Scenario) -> Text:
    if s.mistake.on_the_edit:
        kept = Text(
            "it is right so far. It goes wrong when a token is replaced, in the last steps.",
            "到这里都对。等到最后几步有 token 被替换时才出错。",
        )
    else:
        kept = say(MISTAKES.of(s).said, s)
    return kept + Text(" The figure shows the right way.", "图中画的是正确做法。")
