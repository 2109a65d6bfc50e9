"""The matter around the player. Figures are computed with the engine or stand in one place with their source."""

from __future__ import annotations

from engine.models import MODELS
from engine.paged import blocks_for, slot
from engine.paged_output import Scenario
from engine.serving import chat_lengths, static_waste
from lessons.kit.format import count, fixed, size
from lessons.kit.phrases import bracketed
from lessons.kit.text import Text

VLLM_BLOCK = 16  # vllm/config/cache.py, as read by the audit
FA2_PAGE = 256  # flash-attention's README: its paged kernel takes page sizes that are multiples of this

_CHAPTER = Scenario()
_HELD = _CHAPTER.hand_out[: blocks_for(_CHAPTER.n_tokens, _CHAPTER.block_size)]
_SLOT = slot(_CHAPTER.position, _HELD, _CHAPTER.block_size)
_LONGEST = 2_048
_CHAT = chat_lengths(longest=_LONGEST)
_PAGED, _RESERVED = static_waste(_CHAT, VLLM_BLOCK), static_waste(_CHAT, _LONGEST)


def share(wasted: int, blocks: int, block_size: int) -> str:
    """Wasted places in percent of all places handed out."""
    return fixed(100 * wasted / (blocks * block_size), 2)


_SHARE_PAGED = share(_PAGED.wasted_tokens, _PAGED.blocks, VLLM_BLOCK)
_SHARE_RESERVED = share(_RESERVED.wasted_tokens, _RESERVED.blocks, _LONGEST)
_MODEL = "Llama-3-8B"
_BLOCK_BYTES = size(MODELS[_MODEL].kv_bytes(VLLM_BLOCK))
_NAME = _MODEL.replace("-", " ")

TITLE = Text("The block table", "块表")
QUESTION = Text(
    f"Where do the K and V of logical position {_CHAPTER.position} really lie?",
    f"逻辑位置 {_CHAPTER.position} 的 K 和 V 究竟放在哪里？",
)

WHY = Text(
    f"""
Nobody knows in advance how long an answer will be. If the [KV cache](term:kv-cache) of each request must be one
[contiguous](term:contiguous) piece of memory, a server
that wants to be safe reserves the longest length allowed, and much of it stays empty. For {count(len(_CHAT))} made-up
chats of 1 to {count(_LONGEST)} tokens that is {_SHARE_RESERVED} % of all that
is reserved. Pieces of unequal size also leave gaps between them that fit nobody: [fragmentation](term:fragmentation).

[Paging](term:paged-attention) cuts each sequence into blocks of equal size and keeps a [block
table](term:block-table) per request. Blocks are taken one at a time, when there is
something to write. With blocks of {VLLM_BLOCK} the same chats waste {_SHARE_PAGED} %. The memory saved is room for
more requests at once: that is how paging raises
[concurrency](term:concurrency). It computes nothing faster.
""",
    f"""
没人能预知一个回答有多长。如果每个请求的 [KV 缓存](term:kv-cache)必须是一整段[连续](term:contiguous)内存，服务器为保险
只好按允许的最大长度预留，而其中许多一直空着。
拿 {count(len(_CHAT))} 段虚构的对话（1 到 {count(_LONGEST)} 个 token）来算，预留的内存有 {_SHARE_RESERVED} % 是空的。大
小不一的段之间还会留下谁也放不进的缝隙：[碎片](term:fragmentation)。

[分页](term:paged-attention)把每条序列切成同样大小的块，每个请求一张[块表](term:block-table)。有东西要写时才取一块。用
{VLLM_BLOCK} 个槽位的块，同样的对话只浪费 {_SHARE_PAGED} %。
省下的内存可以同时容纳更多请求：分页就是这样提高[并发](term:concurrency)的。它并没有让任何计算变快。
""",
)

HOW = Text(
    rf"""
With block size $b$ and table $T$, the token at position $p$ (from 0) lies in

$\text{{slot}}(p) = T[\lfloor p / b \rfloor] \cdot b + (p \bmod b)$

1. [Logical block](term:logical-block) $\lfloor p/b \rfloor$ and [offset](term:offset) $p \bmod b$. For position
   {_CHAPTER.position} and blocks of {_CHAPTER.block_size}: {_CHAPTER.position // _CHAPTER.block_size} and
   {_CHAPTER.position % _CHAPTER.block_size}.
2. The table {bracketed(_HELD)} turns the logical block into a [physical](term:physical-block) one:
   {_HELD[_CHAPTER.position // _CHAPTER.block_size]}. The slot is {_SLOT}.
3. To append, fill what the last block has left; only when it is full take a block from the [pool](term:block-pool)
   and add an entry to the table.
4. To read, the attention [kernel](term:kernel) looks up each block as it goes. Order, [positions](term:position) and
   [mask](term:mask) are those of the sequence, never those of memory.
5. When a request ends, each block’s [count](term:ref-count) goes down by one; at zero it is free.
""",
    rf"""
设块大小为 $b$、块表为 $T$，位置 $p$（从 0 数起）的 token 放在

$\text{{slot}}(p) = T[\lfloor p / b \rfloor] \cdot b + (p \bmod b)$

1. [逻辑块](term:logical-block) $\lfloor p/b \rfloor$，[偏移](term:offset) $p \bmod b$。位置 {_CHAPTER.position}、块大
   小 {_CHAPTER.block_size} 时：{_CHAPTER.position // _CHAPTER.block_size} 和
   {_CHAPTER.position % _CHAPTER.block_size}。
2. 块表 {bracketed(_HELD)} 把逻辑块换成[物理
   块](term:physical-block)：{_HELD[_CHAPTER.position // _CHAPTER.block_size]}。槽位是 {_SLOT}。
3. 追加时先填满末块剩下的槽位；满了才从[池](term:block-pool)中取一块，给块表加一项。
4. 读取时，注意力[内核](term:kernel)边走边查块表。顺序、[位置](term:position)和[掩码](term:mask)都按序列计算，从不按内
   存计算。
5. 请求结束时，每个块的[引用计数](term:ref-count)减一；减到零就空闲了。
""",
)

LIMITS = Text(
    f"""
- It saves **bytes resident**: no reserved tail. Work is unchanged, and so are the bytes of K and V that are moved;
  the table lookup comes on top.
- It ends *external* [fragmentation](term:fragmentation), not the internal kind: the last block of a sequence wastes
  from none up to one slot less
  than a block, about half a block on average if lengths are spread evenly.
- Attention needs a kernel that reads through the table. Kernels have demands of their own: the paged kernel of
  [FlashAttention](term:flash-attention) 2 takes page sizes that are multiples
  of {FA2_PAGE}, while vLLM’s default block has {VLLM_BLOCK} tokens.
- The physical block numbers here are made up. Block size, what may be shared and how a kernel walks the blocks depend
  on the system.
- Here one block holds its tokens for all layers: in {_NAME}, {VLLM_BLOCK} tokens in 16-bit numbers are {_BLOCK_BYTES}.
- A position never changes: position {_CHAPTER.position} stays {_CHAPTER.position} wherever it lies. Code that mixes
  up position and slot reads plausible numbers of somebody else, and nothing warns.
""",
    f"""
- 它省的是**驻留的字节**：没有预留的尾巴。计算量不变，搬运的 K、V 字节也不变，另外还多一次查表。
- 它消除的是**外部**[碎片](term:fragmentation)，不是内部碎片：每条序列的末块可能一个槽位也不浪费，最多浪费一块少一个槽
  位；长度分布均匀时，平均约浪费半块。
- 注意力需要能经块表读取的内核。内核自有要求：[FlashAttention](term:flash-attention) 2 的分页内核要求页大小是
  {FA2_PAGE} 的倍数，而 vLLM 默认每块 {VLLM_BLOCK} 个 token。
- 这里的物理块号是假想的。块多大、能共享什么、内核怎样走过各块，都由具体系统决定。
- 这里一个块保存它那些 token 的所有层：在 {_NAME} 里，{VLLM_BLOCK} 个 token 用 16 位数存是 {_BLOCK_BYTES}。
- 位置永远不变：位置 {_CHAPTER.position} 放在哪里都还是 {_CHAPTER.position}。代码若把位置和槽位混为一谈，读到的是别人
  的、看上去很正常的数，而且没有任何报错。
""",
)

CHECK = Text(
    """
Compare attention through the table with attention over contiguous K and V: for the same rows in the same order the
outputs must agree to rounding. Use tables on which
slips show: shuffled, never the identity; lengths just below, at and just above a multiple of the block size; an empty
and a full pool. Fill unused slots with [NaN](term:nan), so
that reading a wrong one cannot go unseen. After every operation count: free blocks plus blocks named by some table
are all blocks. A position outside the sequence, −1
included, must be refused.
""",
    """
把经块表的注意力与连续存放的注意力相比：同样的行、同样的顺序，输出应在舍入误差内一致。要选能让错误显形的块表：打乱的，
绝不要恒等的；长度取块大小倍数的前一个、
恰好和后一个；池取空的和满的。没用到的槽位填 [NaN](term:nan)，读错了就藏不住。每次操作之后清点：空闲块加上被某张表引用
的块，应等于全部块。序列之外的位置（包括 −1）必须被拒绝。
""",
)

FOLLOW_UPS = (
    (
        Text("Why is a smaller block not always better?", "内存块能不能一直往小里切？"),
        Text(
            "A small block wastes less at the end of a sequence but needs more table entries, more lookups and more "
            "bookkeeping, and gives the kernel shorter runs of contiguous memory. "
            f"For the made-up chats, going from {VLLM_BLOCK} to 4 slots a block saves "
            f"{count(_PAGED.wasted_tokens - static_waste(_CHAT, 4).wasted_tokens)} slots and needs "
            f"{count(static_waste(_CHAT, 4).blocks - _PAGED.blocks)} more entries (see Explore). Which size is best "
            "depends on the lengths, the kernel and the device.",
            "块小，序列末尾浪费少，但块表项、查表次数和管理开销都多，内核能连续读的一段也更短。对那些虚构的对话，每"
            f"块从 {VLLM_BLOCK} 个槽位改成 4 个，省下 "
            f"{count(_PAGED.wasted_tokens - static_waste(_CHAT, 4).wasted_tokens)} 个槽位，却要多 "
            f"{count(static_waste(_CHAT, 4).blocks - _PAGED.blocks)} 个表项（见“探索”）。"
            "哪种大小合适，要看请求有多长、用什么内核、跑在什么设备上。",
        ),
    ),
    (
        Text("What can a server do when it is out of memory?", "显存用完了，服务器还有哪几条路？"),
        Text(
            "Take blocks back from a running request, or let no new one in. A request that is "
            "[preempted](term:preemption) has its blocks [copied to other memory](term:swap) and fetched later, or "
            "dropped and "
            "computed again: room is bought with time, and the [slowest answers](term:latency) get slower still. The "
            "more requests are let in, the more they push each other out, until less gets done than "
            "before. Frequent preemptions and long queues are the sign; compare them with the blocks in use and the "
            "requests that finish.",
            "要么从正在运行的请求手里收回块，要么不放新请求进来。被[抢占](term:preemption)的请求，它的块或者[搬到别的"
            "存储](term:swap)、以后取回，或者丢掉、以后再算一遍："
            "空间是用时间换来的，[本来就慢的回答](term:latency)会更慢。放进来的请求越多，彼此挤出得越频繁，到头来完成"
            "的反而更少。"
            "抢占变多、队伍变长就是征兆；再对照已用块数和完成的请求数来看。",
        ),
    ),
    (
        Text("Is paged attention the same as prefix caching?", "分页注意力就是前缀缓存吗？"),
        Text(
            "No. Paging answers *where*: how memory is cut into blocks and found again. [Prefix "
            "caching](term:prefix-cache) answers *whether again*: which blocks stay when a request is over, and by "
            "what name a later "
            "one finds them. A system may page and still empty everything with each request; another may reuse "
            "prefixes that it keeps in some other way. So each gets its own entry in the books.",
            "不是。分页回答**放在哪里**：内存怎样切成块、怎样再找到。[前缀缓存](term:prefix-cache)回答**还用不用**："
            "请求结束后哪些块留着，后来的请求凭什么名字找到它们。"
            "有的系统分了页，请求一结束照样全部清空；有的用别的方式留着前缀，照样复用。所以省下的东西要各记各的账。",
        ),
    ),
)
