"""Terms of the cache: what is kept from step to step, and when it is found again."""

from __future__ import annotations

from lessons.kit.glossary.term import Term
from lessons.kit.text import Text

CACHE: dict[str, Term] = {
    "ledger": Term(
        Text("three ledgers", "三本账"),
        Text(
            "Work done, bytes moved, bytes resident. The [KV cache](term:kv-cache) saves the first, "
            "[FlashAttention](term:flash-attention) the second, [PagedAttention](term:paged-attention) the third.",
            "计算、搬运的字节、驻留的字节。[KV 缓存](term:kv-cache)省第一本，[FlashAttention](term:flash-attention) "
            "省第二本，[PagedAttention](term:paged-attention) 省第三本。",
        ),
    ),
    "kv-cache": Term(
        Text("KV cache", "KV 缓存"),
        Text(
            "[Keys](term:key) and [values](term:value) of earlier tokens, kept in each [layer](term:layer) for later "
            "steps, so that they are not computed again.",
            "每[层](term:layer)保留以前 token 的[键](term:key)和[值](term:value)供后续步骤使用，免得重算。",
        ),
    ),
    "prefill": Term(
        Text("prefill", "预填充（prefill）"),
        Text(
            "One pass over the whole [prompt](term:prompt); it fills the [KV cache](term:kv-cache), and its last "
            "[logits](term:logits) give the first new token.",
            "对整段[提示](term:prompt)做一次前向；它填好 [KV 缓存](term:kv-cache)，最后的 [logits](term:logits) 给出"
            "第一个新 token。",
        ),
    ),
    "decode": Term(
        Text("decode", "解码（decode）"),
        Text(
            "Generating [token by token](term:autoregressive): each step has one new [query](term:query) and reads "
            "all keys and values in the [KV cache](term:kv-cache). [Speculative decoding](term:speculative-decoding) "
            "checks several tokens at once.",
            "[逐个生成 token](term:autoregressive)：每一步只有一个新[查询](term:query)，却要读 [KV 缓存"
            "](term:kv-cache)里全部的键和值。[推测解码](term:speculative-decoding)则一次核对几个 token。",
        ),
    ),
    "prefix": Term(
        Text("prefix", "前缀"),
        Text(
            "What two sequences have in common from the beginning, up to the first [token](term:token) that differs. "
            "Tokens count, not the characters that we see.",
            "两条序列从头开始相同的部分，到第一个不同的 [token](term:token) 为止。算数的是 token，不是人眼看到的字符。",
        ),
    ),
    "prefix-cache": Term(
        Text("prefix cache", "前缀缓存"),
        Text(
            "Keeps full [blocks](term:block) under a [name](term:block-name) when their request is over, so that a "
            "later prompt with the same beginning can use them. Not a [prompt cache](term:prompt-cache), which is a "
            "service.",
            "请求结束后仍把装满的[块](term:block)按[名字](term:block-name)留着，开头相同的后续提示就能直接用。它不是"
            "[提示缓存](term:prompt-cache)，后者是一项服务。",
        ),
    ),
    "prompt-cache": Term(
        Text("prompt cache", "提示缓存（prompt cache）"),
        Text(
            "A service that does not redo the work on a [prefix](term:prefix) it has seen. Below it may lie a [KV "
            "cache](term:kv-cache); billed “cached tokens” do not show what is in memory.",
            "一种服务：见过的[前缀](term:prefix)不再重算。底下可能是 [KV 缓存](term:kv-cache)；账单上的“缓存 token”看"
            "不出内存里有什么。",
        ),
    ),
    "hit": Term(
        Text("hit and miss", "命中与未命中"),
        Text(
            "A [prefix cache](term:prefix-cache) finds the block it looks for, or does not. A miss only costs work; "
            "a hit under an incomplete [name](term:block-name) can give wrong results.",
            "[前缀缓存](term:prefix-cache)查到了要找的块，或没有查到。未命中只是多费计算；[名字](term:block-name)不完"
            "整就会错误命中，结果可能出错。",
        ),
    ),
    "block-name": Term(
        Text("name of a block", "块的名字"),
        Text(
            "A [hash](term:hash) of all that its K and V depend on: model, [adapter](term:adapter), the block before "
            "it, its own tokens; and of the [salt](term:salt), which says who may use it.",
            "由决定其 K、V 的一切算出的[哈希](term:hash)：模型、[适配器](term:adapter)、前一块、本块的 token；再加上"
            "[盐](term:salt)，它规定谁可以用。",
        ),
    ),
    "hash": Term(
        Text("hash", "哈希（hash）"),
        Text(
            "A short number computed from data of any length. Equal data give equal hashes; with a good hash, "
            "different data practically never do.",
            "由任意长的数据算出的一个长度固定的短数值。数据相同，哈希就相同；哈希函数够好时，不同的数据几乎不会得到同"
            "一个。",
        ),
    ),
    "salt": Term(
        Text("cache salt", "盐（cache salt）"),
        Text(
            "A word that enters every [hash](term:hash) of one [tenant](term:tenant), so that tenants never find "
            "each other’s blocks.",
            "混入某个[租户](term:tenant)所有[哈希](term:hash)的一个词，使租户之间互相找不到对方的块。",
        ),
    ),
    "tenant": Term(
        Text("tenant", "租户"),
        Text(
            "One of several customers who share a service. They must not see each other’s data, nor notice it by how "
            "fast an answer comes; hence the [salt](term:salt).",
            "共用一项服务的几个客户之一。他们不应看到彼此的数据，也不应从回答快慢上察觉；所以要有[盐](term:salt)。",
        ),
    ),
    "system-prompt": Term(
        Text("system prompt", "系统提示"),
        Text(
            "What a service’s template puts before every user’s text, often with a list of tools: a long common "
            "[prefix](term:prefix). Change it, and nothing behind it can be reused.",
            "服务的模板放在每个用户文本之前的内容，常带工具列表：一段很长的公共[前缀](term:prefix)。改了它，后面的就"
            "都不能复用。",
        ),
    ),
}
