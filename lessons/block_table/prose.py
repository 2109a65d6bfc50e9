"""The text around the player. Figures are computed with the engine or stand in one place with their source."""

from __future__ import annotations

from engine.paged import blocks_for, slot
from engine.paged_output import Scenario
from engine.serving import chat_lengths, static_waste
from lessons.block_table.naming import MODEL_NAME, kv_bytes
from lessons.kit.format import count, fixed, size
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text

VLLM_BLOCK = 16  # vllm/config/cache.py, as read by the audit
FA2_PAGE = 256  # flash-attention's README: its paged kernel takes page sizes that are multiples of this

_CHAPTER = Scenario()
_HELD = _CHAPTER.hand_out[: blocks_for(_CHAPTER.n_tokens, _CHAPTER.block_size)]
_SLOT = slot(_CHAPTER.position, _HELD, _CHAPTER.block_size)
_LOGICAL, _OFFSET = divmod(_CHAPTER.position, _CHAPTER.block_size)
_LONGEST = 2_048
_CHAT = chat_lengths(longest=_LONGEST)
_PAGED, _RESERVED = static_waste(_CHAT, VLLM_BLOCK), static_waste(_CHAT, _LONGEST)
_SMALL = static_waste(_CHAT, 4)


def share(wasted: int, blocks: int, block_size: int) -> str:
    """Wasted slots in percent of all slots handed out."""
    return fixed(100 * wasted / (blocks * block_size), 2)


_SHARE_PAGED = share(_PAGED.wasted_tokens, _PAGED.blocks, VLLM_BLOCK)
_SHARE_RESERVED = share(_RESERVED.wasted_tokens, _RESERVED.blocks, _LONGEST)

TITLE = Text("The block table", "块表")
QUESTION = Text(
    f"In which slot of memory do the K and V of position {_CHAPTER.position} lie?",
    f"位置 {_CHAPTER.position} 的 K 和 V 放在内存的哪个槽位？",
)

WHY = Text(
    f"""
Nobody knows in advance how long an answer will be. If the [KV cache](term:kv-cache) of a request must be one
[contiguous](term:contiguous) piece of memory, a server reserves the longest length allowed, and much of it stays empty.
For {count(len(_CHAT))} made-up chats of 1 to {count(_LONGEST)} tokens, {_SHARE_RESERVED} % of the reserved memory is
empty. Pieces of unequal size also leave gaps between them into which no request fits:
[fragmentation](term:fragmentation).

[Paging](term:paged-attention) cuts each sequence into [blocks](term:block) of equal size and keeps a [block
table](term:block-table) for each request. A request takes a block only when it has something to write. With
{VLLM_BLOCK} tokens per block the same chats waste {_SHARE_PAGED} %. The memory saved has room for more requests at
once: that is how paging raises [concurrency](term:concurrency). It does not make any computation faster.
""",
    f"""
没人能预知一个回答有多长。如果每个请求的 [KV 缓存](term:kv-cache)必须是一整段[连续](term:contiguous)内存，服务器就按允许
的最大长度预留，其中许多一直空着。拿 {count(len(_CHAT))} 段虚构的对话（1 到 {count(_LONGEST)} 个 token）来算，预留的内
存有 {_SHARE_RESERVED} % 是空的。大小不一的各段之间还会留下谁也放不进的缝隙：[碎片](term:fragmentation)。

[分页](term:paged-attention)把每条序列切成同样大小的[块](term:block)，每个请求一张[块表](term:block-table)，有东西要写时
才取一块。每块 {VLLM_BLOCK} 个 token 时，同样的对话只浪费 {_SHARE_PAGED} %。省下的内存可以同时容纳更多请求：分页就是这样
提高[并发](term:concurrency)的。它并没有让任何计算变快。
""",
)

HOW = Text(
    rf"""
With block size $b$ and block table $T$, the token at position $p$ (counted from 0) lies in

$\text{{slot}}(p) = T[\lfloor p / b \rfloor] \cdot b + (p \bmod b)$

1. The [logical block](term:logical-block) is $\lfloor p/b \rfloor$, the [offset](term:offset) in it $p \bmod b$. For
   position {_CHAPTER.position} and block size {_CHAPTER.block_size} they are {_LOGICAL} and {_OFFSET}.
2. Entry {_LOGICAL} of the table {bracketed(_HELD)} is the [physical block](term:physical-block), {_HELD[_LOGICAL]}. The
   slot is {_SLOT}.
3. To append, a request first fills its last block. When that is full, it takes a block from the
   [pool](term:block-pool) and adds an entry to its table.
4. To read, the attention [kernel](term:kernel) looks up each block inside its loop. Order, [positions](term:position)
   and [mask](term:mask) are those of the sequence, never those of memory.
5. When a request ends, the [reference count](term:ref-count) of each of its blocks goes down by one. At 0 the block is
   free.
""",
    rf"""
设块大小为 $b$、块表为 $T$，位置 $p$（从 0 数起）的 token 放在

$\text{{slot}}(p) = T[\lfloor p / b \rfloor] \cdot b + (p \bmod b)$

1. [逻辑块](term:logical-block)是 $\lfloor p/b \rfloor$，块内[偏移](term:offset)是 $p \bmod b$。位置
   {_CHAPTER.position}、块大小 {_CHAPTER.block_size} 时：{_LOGICAL} 和 {_OFFSET}。
2. 块表 {bracketed(_HELD)} 的第 {_LOGICAL} 项就是[物理块](term:physical-block)号 {_HELD[_LOGICAL]}。槽位是 {_SLOT}。
3. 追加时先填满末块；满了才从[内存块池](term:block-pool)取一块，给块表加一项。
4. 读取时，注意力[内核](term:kernel)在循环里逐块查表。顺序、[位置](term:position)和[掩码](term:mask)都按序列计算，从不
   按内存计算。
5. 请求结束时，它每个块的[引用计数](term:ref-count)减一；到 0 就空闲。
""",
)

LIMITS = Text(
    f"""
- Paging saves **bytes resident**, because nothing is reserved ahead. Work is unchanged, and so are the bytes of K and V
  moved; the table lookups come on top.
- It ends *external* [fragmentation](term:fragmentation), not the internal kind. The last block of a sequence wastes
  between none and all but one of its slots: about half a block on average if lengths are spread evenly.
- Attention needs a kernel that reads through the table, and kernels have demands of their own: the paged kernel of
  [FlashAttention](term:flash-attention) 2 takes page sizes that are multiples of {FA2_PAGE}, while vLLM’s default block
  has {VLLM_BLOCK} tokens.
- The physical block numbers here are made up. Block size, what may be shared and how a kernel reads the blocks depend
  on the system.
- Here a block holds its tokens for all layers. In {MODEL_NAME}, {VLLM_BLOCK} tokens in 16-bit numbers take
  {size(kv_bytes(VLLM_BLOCK))}.
- A position never changes: position {_CHAPTER.position} stays {_CHAPTER.position} wherever it lies. Code that mixes up
  position and slot reads plausible numbers of somebody else, and no error is raised.
""",
    f"""
- 分页省的是**驻留字节**：不再预留未用空间。计算量不变，搬运的 K、V 字节也不变，另外还要查块表。
- 它消除的是**外部**[碎片](term:fragmentation)，不是内部碎片：每条序列的末块可能一个槽位也不空，最多只用一个；长度分布
  均匀时，平均约浪费半块。
- 注意力需要能经块表读取的内核，内核自有要求：[FlashAttention](term:flash-attention) 2 的分页内核要求页大小是
  {FA2_PAGE} 的倍数，而 vLLM 默认每块 {VLLM_BLOCK} 个 token。
- 这里的物理块号是假想的。块多大、什么可以共享、内核怎样读取各块，都由具体系统决定。
- 这里一个块保存它那些 token 的所有层。在 {MODEL_NAME} 里，{VLLM_BLOCK} 个 token 用 16 位数存是
  {size(kv_bytes(VLLM_BLOCK))}。
- 位置永远不变：位置 {_CHAPTER.position} 放在哪里都还是 {_CHAPTER.position}。代码若把位置和槽位混为一谈，读到的是别人
  的、看上去很正常的数，而且没有任何报错。
""",
)

CHECK = Text(
    """
Compare attention through the table with attention over contiguous K and V: for the same rows in the same order the
outputs must agree up to [rounding error](term:rounding). Choose tables that let slips show: shuffled ones, never the
identity; lengths just below, at and just above a multiple of the block size; an empty pool and a full one. Fill unused
slots with [NaN](term:nan), so that reading a wrong one cannot go unseen. Count after every operation: the free blocks
and the blocks named by some table are together all blocks. A position outside the sequence, −1 included, must be
refused.
""",
    """
把经块表的注意力与连续存放的注意力相比：同样的行、同样的顺序，输出应在[舍入误差](term:rounding)内一致。要选能让错误显形
的块表：用打乱的，绝不用恒等的；长度取块大小倍数的前一个、恰好和后一个；池取空的和满的。没用到的槽位填 [NaN](term:nan)，
读错了就藏不住。每次操作之后清点：空闲块加上被某张块表指向的块，应等于全部块。序列之外的位置（包括 −1）必须报错。
""",
)

FOLLOW_UPS = (
    (
        Text("Why is a smaller block not always better?", "内存块能不能一直往小里切？"),
        Text(
            "A small block wastes less at the end of a sequence. But it needs more table entries, lookups and "
            "bookkeeping, and gives the kernel shorter runs of contiguous memory. For the made-up chats, going from "
            f"{VLLM_BLOCK} to 4 slots per block saves {count(_PAGED.wasted_tokens - _SMALL.wasted_tokens)} slots and "
            f"needs {count(_SMALL.blocks - _PAGED.blocks)} more entries (see Explore). Which size is best depends on "
            "the lengths, the kernel and the device.",
            "块小，序列末尾浪费少；但块表项、查表次数和管理开销都多，内核能连续读的一段也更短。对那些虚构的对话，每块"
            f"从 {VLLM_BLOCK} 个槽位改成 4 个，省下 {count(_PAGED.wasted_tokens - _SMALL.wasted_tokens)} 个槽位，却要"
            f"多 {count(_SMALL.blocks - _PAGED.blocks)} 个表项（见“探索”）。哪种大小合适，要看请求有多长、用什么内核、"
            "跑在什么设备上。",
        ),
    ),
    (
        Text("What can a server do when it is out of memory?", "显存用完了，服务器还有哪几条路？"),
        Text(
            "It can take blocks back from a running request, or admit no new one. The blocks of a "
            "[preempted](term:preemption) request are either [copied to other memory](term:swap) and fetched later, "
            "or dropped and computed again. Both buy room with time, so the [slowest answers](term:latency) get "
            "slower. The more requests a server admits, the more often they push each other out, until it finishes "
            "fewer than before. Frequent preemptions and long queues are the sign; compare them with the blocks in "
            "use and the requests finished.",
            "要么从正在运行的请求收回块，要么不放新请求进来。被[抢占](term:preemption)的请求，它的块或者[搬到别的存储"
            "](term:swap)、以后取回，或者丢掉、以后重算：两者都是用时间换空间，[本来就慢的回答](term:latency)会更慢。"
            "放进来的请求越多，彼此挤出得越频繁，到头来完成的反而更少。抢占变多、队伍变长就是征兆；再对照已用块数和完"
            "成的请求数来看。",
        ),
    ),
    (
        Text("Is paged attention the same as prefix caching?", "分页注意力就是前缀缓存吗？"),
        Text(
            "No. Paging says **where** K and V lie: how memory is cut into blocks and found again. [Prefix "
            "caching](term:prefix-cache) says **whether they are used again**: which blocks stay after a request is "
            "over, and by which name a later request finds them. A system can page and still empty every block when a "
            "request ends; another can reuse prefixes that it stores in some other way. So each saving is counted "
            "separately.",
            "不是。分页决定 K、V **放在哪里**：内存怎样切成块、怎样再找到。[前缀缓存](term:prefix-cache)决定**还用不用"
            "**：请求结束后哪些块留着，后来的请求凭什么名字找到它们。有的系统分了页，请求一结束照样全部清空；有的用别"
            "的方式存前缀，照样复用。所以两种节省要分开记账。",
        ),
    ),
)
