"""Terms of serving: many requests at once, and several tokens at a time."""

from __future__ import annotations

from lessons.kit.glossary.term import Term
from lessons.kit.text import Text

SERVING: dict[str, Term] = {
    "serving-system": Term(
        Text("serving system", "服务系统"),
        Text(
            "The program that runs a model for many requests: forms [batches](term:batch), hands out cache memory, "
            "splits the model over devices ([tensor parallelism](term:tensor-parallelism)). Examples: vLLM, SGLang, "
            "TensorRT-LLM, llama.cpp.",
            "为许多请求运行模型的程序：组成[批](term:batch)，分配缓存内存，把模型分到几台设备上（[张量并行"
            "](term:tensor-parallelism)）。例如 vLLM、SGLang、TensorRT-LLM、llama.cpp。",
        ),
    ),
    "batch": Term(
        Text("batch", "批（batch）"),
        Text(
            "Sequences that go through the model in one pass. They share the reading of the [weights](term:weights); "
            "each brings a [KV cache](term:kv-cache) of its own. See [continuous batching](term:continuous-batching).",
            "在同一次前向里处理的几条序列。[权重](term:weights)共用，只读一遍；[KV 缓存](term:kv-cache)各有各的。另见"
            "[连续批处理](term:continuous-batching)。",
        ),
    ),
    "continuous-batching": Term(
        Text("continuous batching", "连续批处理"),
        Text(
            "Between steps, finished sequences leave the [batch](term:batch) and waiting ones join it; nobody waits "
            "for the longest to end, and [throughput](term:throughput) rises. Lengths differ: [varlen](term:varlen).",
            "每步之间，完成的序列离开[批](term:batch)，等候的补进来；谁也不必等最长的那条结束，[吞吐量"
            "](term:throughput)随之提高。各条长短不一，见 [varlen](term:varlen)。",
        ),
    ),
    "concurrency": Term(
        Text("concurrency", "并发"),
        Text(
            "How many requests are in progress at once. Room for their [KV caches](term:kv-cache) is one limit; "
            "[paging](term:paged-attention) raises it by wasting less.",
            "同时处理多少个请求。[KV 缓存](term:kv-cache)放不放得下是限制之一；[分页](term:paged-attention)浪费得少，"
            "因而能提高并发。",
        ),
    ),
    "throughput": Term(
        Text("throughput", "吞吐量"),
        Text(
            "Tokens, or requests, finished per second, over all requests together. A larger [batch](term:batch) "
            "raises it, often at the price of [latency](term:latency).",
            "所有请求合计，每秒完成的 token 数或请求数。[批](term:batch)越大，吞吐量通常越高，代价往往是[延迟"
            "](term:latency)。",
        ),
    ),
    "latency": Term(
        Text("latency", "延迟"),
        Text(
            "How long one request waits for its first token, and from token to token. Tail latency is that of the "
            "slowest few, which [preemption](term:preemption) makes worse.",
            "一个请求要等多久：等第一个 token，以及此后每个 token。尾延迟指最慢的少数请求的延迟，[抢占"
            "](term:preemption)会使它更糟。",
        ),
    ),
    "speculative-decoding": Term(
        Text("speculative decoding", "推测解码"),
        Text(
            "A [draft](term:draft-model) proposes several tokens; the large model checks them in one pass, keeps the "
            "beginning it accepts and adds one. The right rule of acceptance leaves its distribution as it was.",
            "[草稿模型](term:draft-model)提出几个 token，大模型一次前向核对，留下开头被接受的几个，再加一个。接受规则"
            "正确，大模型的输出分布就不变。",
        ),
    ),
    "draft-model": Term(
        Text("draft model", "草稿模型"),
        Text(
            "Proposes the tokens that [speculative decoding](term:speculative-decoding) checks: a small model, or "
            "extra heads on the large one’s [hidden states](term:hidden-state) (EAGLE, Medusa). "
            "[Lookahead](term:lookahead) needs none.",
            "提出 token 供[推测解码](term:speculative-decoding)核对：一个小模型，或接在大模型[隐藏状态"
            "](term:hidden-state)上的草稿头（EAGLE、Medusa）。[前瞻解码](term:lookahead)不需要它。",
        ),
    ),
    "lookahead": Term(
        Text("lookahead decoding", "前瞻解码"),
        Text(
            "Guesses several tokens at once by Jacobi iteration, without a [draft model](term:draft-model), and "
            "checks them. Fewer steps, at the price of more arithmetic.",
            "不用[草稿模型](term:draft-model)，用 Jacobi 迭代一次猜几个 token 再核对。步数变少，代价是运算变多。",
        ),
    ),
}
