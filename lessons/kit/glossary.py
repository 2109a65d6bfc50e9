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
        Text("What a position asks with: a vector multiplied with every key it may see, to give the scores.", "某个位置用来提问的向量：与它能看到的每个键相乘，得到分数。"),
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
        Text("accumulator u", "累加器 u"),
        Text("The sum of e^(s − m) times the value over the keys read so far; not yet divided.", "已读各键的 e^(s − m) 乘以值之和；尚未除以分母。"),
    ),
    "alpha": Term(
        Text("rescale factor α", "缩放因子 α"),
        Text("e^(old maximum − new maximum), at most 1: puts what is held on the new scale.", "e^(旧最大值 − 新最大值)，不超过 1：把已有累计换到新基准。"),
    ),
    "tile": Term(
        Text("tile", "分块（tile）"),
        Text("The keys and values (or queries) computed on together: the unit of compute. Not a block, the unit of memory.", "一起参与计算的一组键和值（或查询），是计算的单位；内存块（block）则是存储的单位。"),
    ),
    "block": Term(
        Text("block", "内存块（block）"),
        Text("A fixed number of token slots in the paged cache: the unit of memory. Not a tile, the unit of compute.", "分页缓存里固定个数的槽位，是存储的单位；在“逻辑块、物理块、块表”里简称块。分块（tile）则是计算的单位。"),
    ),
    "hbm": Term(
        Text("slow memory (HBM)", "慢速显存（HBM）"),
        Text("The accelerator’s large main memory; every byte to or from it takes time.", "加速器的大容量主显存；进出的每个字节都要花时间。"),
    ),
    "sram": Term(
        Text("fast memory (on-chip)", "快速片上内存"),
        Text("Small memory beside the arithmetic units; a tile must fit into it.", "紧挨运算单元的小内存；一个分块必须放得下。"),
    ),
    "mask": Term(
        Text("mask", "掩码"),
        Text("Says which keys a query may see; a masked score is −∞ and weighs exactly 0.", "规定查询可以看到哪些键；被屏蔽的分数为 −∞，权重恰为 0。"),
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
    "block-table": Term(
        Text("block table", "块表"),
        Text("One entry per logical block: the physical block in which it lies.", "每个逻辑块一项：它放在哪个物理块里。"),
    ),
    "slot": Term(
        Text("slot", "槽位（slot）"),
        Text("Room for one token in the pool. Its number: physical block × block size + offset.", "池中能放一个 token 的一格。编号：物理块号 × 块大小 + 偏移。"),
    ),
    "block-pool": Term(
        Text("block pool", "内存块池"),
        Text("All blocks of the cache; each is free, or counts the tables that name it.", "缓存的全部内存块；每块要么空闲，要么记着有几张块表引用它。"),
    ),
    "fragmentation": Term(
        Text("fragmentation", "碎片"),
        Text("Memory nobody can use: *external* between pieces of unequal size, *internal* inside a piece that is not full.", "谁也用不上的内存：**外部**碎片在大小不一的各段之间，**内部**碎片在没有装满的一段里面。"),
    ),
    "preemption": Term(
        Text("preemption", "抢占"),
        Text("Pausing a running request and taking its blocks for another; it continues later.", "暂停一个运行中的请求，把它的块让给别的请求，稍后再继续。"),
    ),
    "ref-count": Term(
        Text("reference count", "引用计数"),
        Text("How many block tables name a block; at 0 the block is free.", "有多少张块表引用这一块；到 0 就空闲。"),
    ),
    "copy-on-write": Term(
        Text("copy-on-write", "写时复制"),
        Text("Share until somebody writes; only then is the one block written to copied.", "写之前一直共享；要写时才复制被写的那一块。"),
    ),
    "fork": Term(
        Text("fork", "分叉"),
        Text("A second continuation of the same tokens: another sample, or another beam.", "从同样的 token 接着生成的另一条序列：另一个采样，或另一条束。"),
    ),
    "prefix-cache": Term(
        Text("prefix cache", "前缀缓存"),
        Text("Keeps full blocks under a name (a hash), so that a later prompt with the same beginning can use them.", "把装满的块按名字（哈希）保留，开头相同的后续提示就能直接用。"),
    ),
    "block-name": Term(
        Text("name of a block (hash)", "块的名字（哈希）"),
        Text("A hash of all that its K and V depend on: model, adapter, salt, the block before it, its own tokens.", "由决定其 K、V 的一切算出的哈希：模型、适配器、盐、前一块、本块的 token。"),
    ),
    "adapter": Term(
        Text("adapter", "适配器"),
        Text("A small change to a model’s weights, chosen by the request (LoRA, say); K and V change with it.", "按请求选用的一小部分权重改动（如 LoRA）；K 和 V 会随之改变。"),
    ),
    "salt": Term(
        Text("cache salt", "盐（cache salt）"),
        Text("A word that enters every hash of one tenant, so that tenants never find each other’s blocks.", "混入某个租户所有哈希的一个词，使租户之间互相找不到对方的块。"),
    ),
    "kv-head": Term(
        Text("KV head", "KV 头"),
        Text("One key and one value vector kept for each token and layer. A group of query heads may share it (GQA), or all query heads (MQA).", "每层为每个 token 保存的一对键、值向量；可由一组查询头共用（GQA），也可由全部查询头共用（MQA）。"),
    ),
    "head-dim": Term(
        Text("head size", "头维度"),
        Text("Numbers in a key or value vector of one head; a setting of its own, not always hidden size ÷ heads.", "一个头的键或值向量里数的个数；它是独立的设置，不一定等于隐藏维度 ÷ 头数。"),
    ),
    "mla": Term(
        Text("multi-head latent attention (MLA)", "多头潜在注意力（MLA）"),
        Text("Keeps one short latent vector and a rotated key part for each token; K and V of all heads follow from them.", "每个 token 只保存一个短的潜在向量和一段旋转过的键；所有头的 K 和 V 都可由它们得出。"),
    ),
    "sliding-window": Term(
        Text("sliding window", "滑动窗口"),
        Text("A layer that sees, and so keeps, only the last W tokens, the newest included.", "该层只看、因而只保存最近 W 个 token（含最新的）。"),
    ),
    "gib": Term(
        Text("GiB and GB", "GiB 与 GB"),
        Text("GiB is 2³⁰ bytes, GB is 10⁹ bytes; the same memory has a larger figure in GB.", "GiB 是 2³⁰ 字节，GB 是 10⁹ 字节；同样的内存用 GB 表示数字更大。"),
    ),
    "quantisation": Term(
        Text("quantisation", "量化"),
        Text("Storing numbers in fewer bits, usually with a scale shared by a group of them.", "用更少的位存数，通常每组数共用一个比例因子。"),
    ),
    "decode": Term(
        Text("decode", "解码（decode）"),
        Text("Generating token by token: each step has one new query and reads all kept keys and values.", "逐个生成 token：每一步只有一个新查询，却要读全部已存的键和值。"),
    ),
    "query-row": Term(
        Text("query row", "查询行"),
        Text("One position sent through a layer: its projections, its query’s attention, its FFN.", "送过一层的一个位置：它的投影、它的查询所做的注意力、它的 FFN。"),
    ),
    "pair": Term(
        Text("query·key pair", "查询·键配对"),
        Text("One score that is not masked: one query meeting one key.", "一个未被屏蔽的分数：一个查询遇到一个键。"),
    ),
    "prefill": Term(
        Text("prefill", "预填充（prefill）"),
        Text("One pass over the whole prompt; its last logits give the first new token.", "对整段提示做一次前向；最后的 logits 给出第一个新 token。"),
    ),
}  # fmt: skip
