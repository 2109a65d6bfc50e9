"""The picture language: what a shape stands for, the same in every lesson."""

from __future__ import annotations

from enum import Enum

from lessons.kit.text import Text


class Role(Enum):
    """What a shape stands for. Each has a shape, mark or word besides its colour, and its words in the legend."""

    Q = Text("query", "查询 q")
    K = Text("key", "键 k")
    V = Text("value", "值 v")
    SCORE = Text("score", "分数")
    DENOMINATOR = Text("denominator ℓ", "分母 ℓ")
    ACCUMULATOR = Text("accumulator u", "累加器 u")
    OUTPUT = Text("output o", "输出 o")
    FIRST = Text("request A", "请求 A")
    SECOND = Text("request B", "请求 B")
    THIRD = Text("request C", "请求 C")
    FOURTH = Text("request D", "请求 D")
    OTHER = Text("somebody else’s", "别人的")
    LATENT = Text("latent (MLA)", "潜在向量（MLA）")
    AHEAD = Text("still to come", "尚未用到")
    ON = Text("switched on", "已打开")
    OFF = Text("switched off", "已关闭")
    PAIRS = Text("query·key pairs", "查询·键配对")
    VECTORS = Text("q, k, v and o", "q、k、v、o 向量")
    TABLES = Text("tables of scores", "分数表")
    KEPT = Text("K and V in use", "在用的 K、V")
    RESERVED = Text("set aside, not used", "已预留、未使用")
    NEW = Text("changed in this step", "本步改变")
    REUSED = Text("reused", "复用")
    WRONG = Text("differs from the right way", "与正确做法不同")
    SHARED = Text("shared", "共享")
    FREE = Text("free", "空闲")
    LATER = Text("not read yet", "尚未读取")
    HELD = Text("read and folded in", "已读入并累计")
    NOW = Text("looked at now", "正在处理")
    MASK = Text("masked: may not be seen", "被屏蔽：不可见")
    STALE = Text("no longer valid", "已失效")
    PENDING = Text("not computed yet", "尚未计算")
    DONE = Text("computed in an earlier pass", "前面的步已算过")
    AGAIN = Text("computed once more", "又算一遍")
    GONE = Text("not kept", "不保存")
    SKIPPED = Text("skipped: neither read nor computed", "跳过：不读也不算")

    @property
    def css(self) -> str:
        return f"role-{self.name.lower()}"
