"""Terms of attention: queries, keys, values, heads, and what is counted."""

from __future__ import annotations

from lessons.kit.glossary.term import Term
from lessons.kit.text import Text

ATTENTION: dict[str, Term] = {
    "attention": Term(
        Text("attention", "注意力"),
        Text(
            "An average of [values](term:value); the better a value’s [key](term:key) fits the [query](term:query), "
            "the larger its [attention weight](term:attention-weight).",
            "[值](term:value)的加权平均：一个值的[键](term:key)与[查询](term:query)越契合，它的[注意力权重"
            "](term:attention-weight)越大。",
        ),
    ),
    "query": Term(
        Text("query", "查询"),
        Text(
            "What a position asks with: a vector multiplied with every [key](term:key) it may see, to give the "
            "[scores](term:score). Used once, so not cached.",
            "某个位置用来提问的向量：与它能看到的每个[键](term:key)相乘，得到[分数](term:score)。只用一次，所以不缓"
            "存。",
        ),
    ),
    "key": Term(
        Text("key", "键"),
        Text(
            "What a position is found by: its product with a [query](term:query) is a [score](term:score).",
            "某个位置被查到的依据：与[查询](term:query)相乘得到[分数](term:score)。",
        ),
    ),
    "value": Term(
        Text("value", "值"),
        Text(
            "What a position hands over: the output of [attention](term:attention) is a weighted average of values.",
            "某个位置交出的内容：[注意力](term:attention)的输出就是各个值的加权平均。",
        ),
    ),
    "score": Term(
        Text("score", "分数"),
        Text(
            "How well a [key](term:key) fits a [query](term:query): their dot product, scaled by 1/√d.",
            "[键](term:key)与[查询](term:query)的契合程度：两者的点积乘以 1/√d。",
        ),
    ),
    "attention-weight": Term(
        Text("attention weight", "注意力权重"),
        Text(
            "The share of one [value](term:value) in an output: its score after [softmax](term:softmax). The table "
            "of them is often called P, for probabilities.",
            "一个[值](term:value)在输出里所占的份额：分数经 [softmax](term:softmax) 之后的结果。整张表常叫概率矩阵 P。",
        ),
    ),
    "score-table": Term(
        Text("score table", "分数表"),
        Text(
            "All [scores](term:score) of one head, queries × keys; the table of [weights](term:attention-weight) is "
            "as large. Both grow with the square of the length.",
            "一个头的全部[分数](term:score)：查询 × 键；[权重](term:attention-weight)表同样大。两张表都随长度的平方增"
            "长。",
        ),
    ),
    "mask": Term(
        Text("mask (causal mask)", "掩码（因果掩码）"),
        Text(
            "Says which [keys](term:key) a query may see; a masked [score](term:score) is −∞ and weighs exactly 0. A "
            "*causal* mask hides every later position.",
            "规定查询可以看到哪些[键](term:key)；被屏蔽的[分数](term:score)为 −∞，权重恰为 0。**因果**掩码遮住后面的"
            "所有位置。",
        ),
    ),
    "head": Term(
        Text("attention head", "注意力头"),
        Text(
            "One of several attentions that run side by side in a [layer](term:layer), each with a "
            "[query](term:query) of its own; some may read the same [KV head](term:kv-head).",
            "一[层](term:layer)里并列的几份注意力之一，各有自己的[查询](term:query)；几个头可以读同一个 [KV 头"
            "](term:kv-head)。",
        ),
    ),
    "head-dim": Term(
        Text("head size", "头维度"),
        Text(
            "Numbers in a key or value vector of one [head](term:head); a setting of its own, not always [hidden "
            "size](term:hidden-size) ÷ heads.",
            "一个[头](term:head)的键或值向量里数的个数；它是独立的设置，不一定等于[隐藏维度](term:hidden-size) ÷ 头"
            "数。",
        ),
    ),
    "kv-head": Term(
        Text("KV head", "KV 头"),
        Text(
            "One [key](term:key) and one [value](term:value) vector kept for each token and layer. A group of query "
            "heads may share it ([GQA](term:gqa)), or all query heads ([MQA](term:mqa)).",
            "每层为每个 token 保存的一对[键](term:key)、[值](term:value)向量；可由一组查询头共用（[GQA](term:gqa)），"
            "也可由全部查询头共用（[MQA](term:mqa)）。",
        ),
    ),
    "mha": Term(
        Text("MHA (multi-head attention)", "MHA（多头注意力）"),
        Text(
            "Every query head has a [KV head](term:kv-head) of its own. With as many query heads, [GQA](term:gqa) "
            "and [MQA](term:mqa) keep less.",
            "每个查询头各有自己的 [KV 头](term:kv-head)。查询头数相同时，[GQA](term:gqa) 和 [MQA](term:mqa) 要存的更"
            "少。",
        ),
    ),
    "gqa": Term(
        Text("GQA (grouped-query attention)", "GQA（分组查询注意力）"),
        Text(
            "Each group of query heads shares one [KV head](term:kv-head); the [KV cache](term:kv-cache) is that of "
            "[MHA](term:mha), divided by the heads in a group.",
            "每组查询头共用一个 [KV 头](term:kv-head)；[KV 缓存](term:kv-cache)的大小等于 [MHA](term:mha) 时的大小除"
            "以每组头数。",
        ),
    ),
    "mqa": Term(
        Text("MQA (multi-query attention)", "MQA（多查询注意力）"),
        Text(
            "All query heads of a layer share one [KV head](term:kv-head): [GQA](term:gqa) with a single group.",
            "一层的所有查询头共用一个 [KV 头](term:kv-head)：只有一组的 [GQA](term:gqa)。",
        ),
    ),
    "mla": Term(
        Text("MLA (multi-head latent attention)", "MLA（多头潜在注意力）"),
        Text(
            "Keeps one short latent vector and a [rotated](term:rope) key part for each token and layer; K and V of "
            "all [heads](term:head) follow from them.",
            "每层为每个 token 只保存一个短的潜在向量和一段[旋转](term:rope)过的键；所有[头](term:head)的 K 和 V 都可"
            "由它们得出。",
        ),
    ),
    "sliding-window": Term(
        Text("sliding window", "滑动窗口"),
        Text(
            "Lets a layer see, and so keep in the [KV cache](term:kv-cache), only the last W tokens, the newest "
            "included.",
            "带滑动窗口的层只看最近 W 个 token（含最新的），[KV 缓存](term:kv-cache)里也就只留这些。",
        ),
    ),
    "exact": Term(
        Text("exact attention", "精确注意力"),
        Text(
            "Nothing is dropped or approximated, unlike [approximate attention](term:approximate). Not a promise of "
            "identical bits: sums are [rounded](term:rounding).",
            "不丢弃、不近似任何一项，与[近似注意力](term:approximate)相对；并不保证逐位相同，因为求和要[舍入"
            "](term:rounding)。",
        ),
    ),
    "approximate": Term(
        Text("approximate attention", "近似注意力"),
        Text(
            "Leaves [pairs](term:pair) out (sparse), or replaces the [score table](term:score-table) by a product of "
            "smaller matrices (low-rank).",
            "略去一部分[配对](term:pair)（稀疏），或用较小矩阵的乘积代替[分数表](term:score-table)（低秩）。",
        ),
    ),
    "query-row": Term(
        Text("query row", "查询行"),
        Text(
            "One position sent through a [layer](term:layer): its [projections](term:projection), its query’s "
            "attention, its [FFN](term:ffn).",
            "送过一[层](term:layer)的一个位置：它的[投影](term:projection)、它的查询所做的注意力、它的 "
            "[FFN](term:ffn)。",
        ),
    ),
    "pair": Term(
        Text("query·key pair", "查询·键配对"),
        Text(
            "One [score](term:score) that is not [masked](term:mask): one query meeting one key.",
            "一个未被[屏蔽](term:mask)的[分数](term:score)：一个查询遇到一个键。",
        ),
    ),
    "complexity": Term(
        Text("O notation", "O 记号（复杂度）"),
        Text(
            "Growth without constants: O(T²) grows at most like the square of T. It needs a unit beside it: "
            "[rows](term:query-row), [pairs](term:pair) or bytes.",
            "只看增长，不计常数：O(T²) 至多像 T 的平方那样增长。还要写明单位：[行](term:query-row)、[配对"
            "](term:pair)还是字节。",
        ),
    ),
    "semantic-compression": Term(
        Text("semantic compression", "语义压缩"),
        Text(
            "Making a text shorter by what it means: merging or summing up tokens. None of the mechanisms in the "
            "[three ledgers](term:ledger) does it.",
            "按意思把文本变短：合并或概括 token。[三本账](term:ledger)里的机制都不做这件事。",
        ),
    ),
}
