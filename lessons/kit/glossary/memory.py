"""Terms of paged memory: where the cache lies."""

from __future__ import annotations

from lessons.kit.glossary.term import Term
from lessons.kit.text import Text

MEMORY: dict[str, Term] = {
    "paged-attention": Term(
        Text("PagedAttention", "PagedAttention（分页注意力）"),
        Text(
            "Attention over a [KV cache](term:kv-cache) that lies in [blocks](term:block) found by a [block "
            "table](term:block-table). Storage changes; the tokens’ order and the result do not.",
            "[KV 缓存](term:kv-cache)放在[内存块](term:block)里、经[块表](term:block-table)查找的注意力。变的是存放方"
            "式，token 的次序和结果不变。",
        ),
    ),
    "block": Term(
        Text("block", "内存块（block）"),
        Text(
            "A fixed number of token [slots](term:slot) in the paged cache: the unit of memory. Not a "
            "[tile](term:tile), the unit of compute.",
            "分页缓存里固定个数的[槽位](term:slot)，是存储的单位；在“逻辑块、物理块、块表”里简称块。[分块（tile）"
            "](term:tile)则是计算的单位。",
        ),
    ),
    "logical-block": Term(
        Text("logical block", "逻辑块"),
        Text(
            "A [block](term:block) by its place in the sequence: [position](term:position) ÷ block size, rounded "
            "down. The [block table](term:block-table) says in which physical block it lies.",
            "按序列次序来数的[块](term:block)：[位置](term:position) ÷ 块大小，向下取整。[块表](term:block-table)说明"
            "它放在哪个物理块里。",
        ),
    ),
    "physical-block": Term(
        Text("physical block", "物理块"),
        Text(
            "A [block](term:block) by its place in the [pool](term:block-pool). Neighbours in the sequence need not "
            "be neighbours there.",
            "按[池](term:block-pool)中位置来数的[块](term:block)。序列里相邻的块，在那里不必相邻。",
        ),
    ),
    "offset": Term(
        Text("offset", "偏移"),
        Text(
            "The place of a token within its [block](term:block), from 0: the remainder of [position](term:position) "
            "÷ block size. The table leaves it alone.",
            "token 在[块](term:block)内的第几个，从 0 数起：[位置](term:position) ÷ 块大小的余数。查块表不会改变它。",
        ),
    ),
    "block-table": Term(
        Text("block table (page table)", "块表（页表）"),
        Text(
            "One entry per [logical block](term:logical-block): the [physical block](term:physical-block) in which "
            "it lies.",
            "每个[逻辑块](term:logical-block)一项：它放在哪个[物理块](term:physical-block)里。",
        ),
    ),
    "slot": Term(
        Text("slot", "槽位（slot）"),
        Text(
            "Room for one token in the [pool](term:block-pool). Its number: [physical block](term:physical-block) × "
            "block size + [offset](term:offset).",
            "[池](term:block-pool)中能放一个 token 的一格。编号：[物理块](term:physical-block)号 × 块大小 + [偏移"
            "](term:offset)。",
        ),
    ),
    "block-pool": Term(
        Text("block pool (free list)", "内存块池（空闲列表）"),
        Text(
            "All [blocks](term:block) of the cache; each stands in the list of free ones, or [counts the "
            "tables](term:ref-count) that name it.",
            "缓存的全部[内存块](term:block)；每块要么在空闲列表里，要么[记着有几张块表](term:ref-count)引用它。",
        ),
    ),
    "contiguous": Term(
        Text("contiguous allocation", "连续分配"),
        Text(
            "One piece of memory for each request, as long as it may ever need. What it does not fill is lost to "
            "others: [fragmentation](term:fragmentation). The other way is [paging](term:paged-attention).",
            "给每个请求一整段内存，按可能的最大长度预留。没装满的部分别人也用不上：[碎片](term:fragmentation)。另一种"
            "办法是[分页](term:paged-attention)。",
        ),
    ),
    "fragmentation": Term(
        Text("fragmentation", "碎片"),
        Text(
            "Memory nobody can use: *external* between pieces of unequal size, *internal* inside a piece that is not "
            "full. [Paging](term:paged-attention) ends the first, and leaves some of the second.",
            "谁也用不上的内存：**外部**碎片在大小不一的各段之间，**内部**碎片在没有装满的一段里面。[分页"
            "](term:paged-attention)消除前者，后者还剩一点。",
        ),
    ),
    "ref-count": Term(
        Text("reference count", "引用计数"),
        Text(
            "How many [block tables](term:block-table) name a [block](term:block); at 0 the block is free.",
            "有多少张[块表](term:block-table)引用这一[块](term:block)；到 0 就空闲。",
        ),
    ),
    "copy-on-write": Term(
        Text("copy-on-write", "写时复制"),
        Text(
            "Share until somebody writes; only then is the one [block](term:block) written to copied, if its "
            "[reference count](term:ref-count) is above 1.",
            "写之前一直共享；要写时才复制被写的那一[块](term:block)，而且只在它的[引用计数](term:ref-count)大于 1 时。",
        ),
    ),
    "fork": Term(
        Text("fork", "分叉"),
        Text(
            "A second continuation of the same tokens: another [sample](term:sampling), or another "
            "[beam](term:beam-search).",
            "从同样的 token 接着生成的另一条序列：另一次[采样](term:sampling)，或另一条[束](term:beam-search)。",
        ),
    ),
    "preemption": Term(
        Text("preemption", "抢占"),
        Text(
            "Pausing a running request and taking its blocks for another; it continues later, when they have been "
            "[fetched back](term:swap) or computed again.",
            "暂停一个运行中的请求，把它的块让给别的请求；等[取回](term:swap)或重算之后再继续。",
        ),
    ),
    "swap": Term(
        Text("swapping out", "换出"),
        Text(
            "Copying the blocks of a [preempted](term:preemption) request to other memory, to fetch them later. It "
            "costs moving; to drop and recompute them costs work.",
            "把被[抢占](term:preemption)的请求的块复制到别的存储，以后取回。代价是搬运；丢掉以后重算，代价是计算。",
        ),
    ),
    "workspace": Term(
        Text("workspace", "工作区（workspace）"),
        Text(
            "Memory that a [kernel](term:kernel) needs for intermediate results while it runs, beside the "
            "[weights](term:weights) and the [KV cache](term:kv-cache).",
            "[内核](term:kernel)运行时放中间结果的内存，另算在[权重](term:weights)和 [KV 缓存](term:kv-cache)之外。",
        ),
    ),
}
