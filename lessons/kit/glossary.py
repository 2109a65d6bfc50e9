"""Each term of the lessons in one line, in both languages. `[word](term:slug)` in any text opens it."""

from __future__ import annotations

from dataclasses import dataclass

from lessons.kit.text import Text


@dataclass(frozen=True)
class Term:
    """A word of the field and one line (Markdown) that says what it is."""

    name: Text
    meaning: Text


GLOSSARY: dict[str, Term] = {
    "query": Term(
        Text("query", "查询"),
        Text("What a position asks with: a vector multiplied with every key to give the scores.", "某个位置用来提问的向量：与每个键相乘得到分数。"),
    ),
    "key": Term(
        Text("key", "键"),
        Text("What a position is found by: its product with a query is a score.", "某个位置被查到的依据：与查询相乘得到分数。"),
    ),
    "value": Term(
        Text("value", "值"),
        Text("What a position hands over: the output is an average of values.", "某个位置交出的内容：输出就是各个值的加权平均。"),
    ),
    "score": Term(
        Text("score", "分数"),
        Text("How well a key fits a query: their dot product, scaled by 1/√d.", "键与查询的契合程度：两者的点积乘以 1/√d。"),
    ),
    "softmax": Term(
        Text("softmax", "softmax"),
        Text("Turns scores into weights that sum to 1: e^s of each, divided by the sum of all.", "把分数变成总和为 1 的权重：各自取 e^s，再除以总和。"),
    ),
    "maximum": Term(
        Text("running maximum m", "当前最大值 m"),
        Text("The largest score read so far; subtracted before exp so that no power overflows.", "目前读到的最大分数；取 exp 前先减去它，以免溢出。"),
    ),
    "denominator": Term(
        Text("denominator ℓ", "分母 ℓ"),
        Text("The sum of e^(s − m) over the keys read so far.", "已读各键的 e^(s − m) 之和。"),
    ),
    "accumulator": Term(
        Text("accumulator u", "累加和 u"),
        Text("The sum of e^(s − m) times the value over the keys read so far; not yet divided.", "已读各键的 e^(s − m) 乘以值之和；尚未除以分母。"),
    ),
    "alpha": Term(
        Text("rescale factor α", "缩放因子 α"),
        Text("e^(old maximum − new maximum), at most 1: puts what is held on the new scale.", "e^(旧最大值 − 新最大值)，不超过 1：把已有累计换到新基准。"),
    ),
    "tile": Term(
        Text("tile", "块（tile）"),
        Text("The keys and values computed on together: the unit of compute. Not a block, the unit of memory.", "一起参与计算的一组键和值，是计算的单位；与作为存储单位的内存块（block）不同。"),
    ),
    "block": Term(
        Text("block", "内存块（block）"),
        Text("A fixed number of token slots in the paged cache: the unit of memory.", "分页缓存里固定个数的 token 位置，是存储的单位。"),
    ),
    "hbm": Term(
        Text("slow memory (HBM)", "慢速显存（HBM）"),
        Text("The accelerator’s large main memory; every byte to or from it takes time.", "加速器的大容量主显存；进出的每个字节都要花时间。"),
    ),
    "sram": Term(
        Text("fast memory (on-chip)", "快速片上内存"),
        Text("Small memory beside the arithmetic units; a tile must fit into it.", "紧挨运算单元的小内存；一块数据必须放得下。"),
    ),
    "mask": Term(
        Text("mask", "遮罩"),
        Text("Says which keys a query may see; a masked score is −∞ and weighs exactly 0.", "规定查询可以看到哪些键；被遮罩的分数为 −∞，权重恰为 0。"),
    ),
    "exp": Term(
        Text("exp", "指数函数 exp"),
        Text("e to a power. It grows so fast that each number format overflows at a modest argument.", "e 的幂。增长极快，每种数值格式在不大的自变量处就会溢出。"),
    ),
    "lse": Term(
        Text("log-sum-exp", "log-sum-exp"),
        Text("ln Σ e^s = m + ln ℓ: one number that lets two partial results be merged.", "ln Σ e^s = m + ln ℓ：凭这一个数就能合并两份部分结果。"),
    ),
    "rounding": Term(
        Text("floating point", "浮点数"),
        Text("Numbers with a fixed count of digits; each sum is rounded, so the order of a sum can change its last bits.", "位数固定的数；每次相加都要舍入，所以求和次序会影响末几位。"),
    ),
    "kv-cache": Term(
        Text("KV cache", "KV 缓存"),
        Text("Keys and values of earlier tokens kept for later steps, so that they are not computed again.", "保留以前 token 的键和值供后续步骤使用，免得重算。"),
    ),
    "exact": Term(
        Text("exact attention", "精确注意力"),
        Text("Nothing is dropped or approximated. Not a promise of identical bits.", "不丢弃、不近似任何一项；并不保证逐位相同。"),
    ),
}  # fmt: skip
