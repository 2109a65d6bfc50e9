"""The matter around the player: title, question, why, how, limits, how to check, what is asked next."""

from __future__ import annotations

from engine.prefix_cache import reusable_tokens
from lessons.kit.text import Text

_N, _SIZE = 48, 16  # the worked example of a full hit
_REUSED = reusable_tokens(_N, _N, _SIZE)

TITLE = Text("Sharing and copy-on-write", "共享与写时复制")
QUESTION = Text(
    "If two requests share a block, what happens when one of them writes?",
    "两个请求共享一个内存块，其中一个要写入时会怎样？",
)

WHY = Text(
    """
Many requests start alike: several [samples](term:sampling) of one answer, the [beams](term:beam-search) of a search, a
thousand chats behind one [system prompt](term:system-prompt). Their K and V for the common part are the same numbers.
With a [block table](term:block-table) they need to lie in memory once: two tables simply name the same blocks, and each
block counts how many tables do.

Sharing is easy as long as everybody only reads. The trouble is the one block that is not full: the next token of *each*
sharer belongs in it, at the same offset. Without care, what A appends pollutes what B reads, and nothing raises an
error.
""",
    """
许多请求的开头相同：同一回答的多个[采样](term:sampling)、[束搜索](term:beam-search)的各条束、同一
[系统提示](term:system-prompt)后面的上千个对话。公共部分的 K、V 是完全一样的数。有了[块表](term:block-table)，它们在内存
里只需一份：两张块表引用同样的块，每块记下有几张表引用它。

只要大家都只读，共享就很简单。麻烦在没装满的那一块：**每个**共享者的下一个 token 都该写进它，偏移还相同。稍不小心，A 追
加的内容就会污染 B 读到的内容，而且不会有任何报错。
""",
)

HOW = Text(
    r"""
1. **Share**: copy the table and add 1 to the [reference count](term:ref-count) of every block in it.
2. **Write**: look at the last block. Full: take a new block, with a count of 1. Not full and count 1: write in place.
   Not full and count above 1: take a new block, copy the slots in use, subtract 1 from the old one, put the new one
   into the table, write ([copy-on-write](term:copy-on-write)).
3. **Free**: subtract 1 from every block; those that reach 0 go back to the [pool](term:block-pool).

So appending $a$ tokens to a request that shares its $s$ tokens takes $\lceil (s+a)/b \rceil - \lfloor s/b \rfloor$ new
blocks of $b$ slots, one for the copy included.

A [prefix cache](term:prefix-cache) finds blocks for requests that were never forked. The [name](term:block-name) of a
block is a [hash](term:hash) of model, [adapter](term:adapter), [salt](term:salt), the name of the block before it, and
the block’s tokens: everything that its K and V depend on, and who may know of them. B looks up its blocks from the
first on and stops at the first [miss](term:hit).
""",
    r"""
1. **共享**：复制块表，并把表中每块的[引用计数](term:ref-count)加 1。
2. **写入**：看最后一块。已满：取新块，计数为 1。未满且计数为 1：直接写入。未满且计数大于 1：取新块，复制已用的槽位，原
   块计数减 1，把新块放进块表，再写入（[写时复制](term:copy-on-write)）。
3. **释放**：每块计数减 1，减到 0 的块回到[池](term:block-pool)中。

因此，一个请求共享了自己的 $s$ 个 token，再追加 $a$ 个，需要 $\lceil (s+a)/b \rceil - \lfloor s/b \rfloor$ 个新块（每块
$b$ 个槽位），其中包括复制用的那一块。

[前缀缓存](term:prefix-cache)为并非分叉而来的请求找到可用的块。块的[名字](term:block-name)由模型、
[适配器](term:adapter)、[盐](term:salt)、前一块的名字和本块的 token 一起求[哈希](term:hash)得到：凡是决定 K、V 的，以及
谁可以知道它的，都要在内。B 从第一块查起，遇到第一次[未命中](term:hit)就停。
""",
)

LIMITS = Text(
    """
- Sharing saves **resident** bytes, once per sharer. A copy **moves** bytes: the slots in use, over all layers. The
  attention itself still reads the shared blocks for each request; only special [kernels](term:kernel) read a common
  prefix once for all.
- Copy-on-write belongs to **forks**: parallel samples and beams. vLLM’s V1 prefix caching shares *full blocks only* and
  therefore needs no copy; its price is that up to a block of tokens is computed again.
- Sharing by prefix saves **work** as well: the [prefill](term:prefill) of the part found. It helps nothing in
  [decode](term:decode), and nothing if the prompts differ early: a time stamp in the first line spoils every block
  behind it.
- Names must be **tagged** and complete. An adapter called X and a salt called X are different things, and so are two
  adapters that share a name but not their weights. Images and other inputs enter the name, too.
- A salt does not make the numbers more right. It keeps [tenants](term:tenant) from finding each other’s blocks, and
  from measuring that they are there.
- The block numbers, the little model and its weights are made up. Bytes are counted, not timed: nothing on this page is
  a speed measurement.
""",
    """
- 共享省的是**驻留**字节，每多一个共享者就多省一份。复制会**搬运**字节：已用的槽位，包括所有层。注意力本身仍要为每个请求
  各读一遍共享块；只有专门的[内核](term:kernel)才会为大家只读一次公共前缀。
- 写时复制属于**分叉**：并行采样和束搜索。vLLM V1 的前缀缓存**只共享满块**，所以不需要复制；代价是最多有一块的 token 要
  重算。
- 按前缀共享还省**计算**：找到的那部分不用[预填充](term:prefill)。它对[解码](term:decode)没有帮助；提示若在前面就不同，
  也没有帮助：第一行里的时间戳会使后面的块全部落空。
- 名字必须**带标签**，并且完整。名叫 X 的适配器与名叫 X 的盐是两回事；同名但权重不同的两个适配器也是两回事。图像等其他输
  入也要进入名字。
- 盐不会让数值更正确。它让[租户](term:tenant)之间找不到对方的块，也无法靠计时察觉它们存在。
- 块号、小模型及其权重都是虚构的。字节是数出来的，不是计时得来的：本页没有任何速度测量。
""",
)

CHECK = Text(
    """
After every operation, free blocks plus blocks with a count above 0 must make up the whole pool, and the counts must add
up to the lengths of all tables; freeing twice must raise an error. Then compare each request’s output with the same
request run alone, with *two writers at the same position*: with one writer the missing copy cannot show. Try both
orders, since the one who writes first is the one who loses. Try a full last block, where no copy may happen. For names:
take two requests that differ in exactly one ingredient, and check that they miss.
""",
    """
每次操作之后，空闲块与计数大于 0 的块合起来必须是整个池，各计数之和必须等于所有块表长度之和；重复释放必须报错。然后把每
个请求的输出与它独自运行时比较，并且要有**两方在同一位置写入**：只有一方写入时，漏掉的复制不会显形。两种次序都要试，因为
受损的是先写的一方。再试最后一块已满的情形，这时不应发生复制。对于名字：取两个恰好只差一项的请求，检查它们确实不会命中。
""",
)

FOLLOW_UPS = (
    (
        Text("Is PagedAttention the same as prefix caching?", "PagedAttention 就是前缀缓存吗？"),
        Text(
            "No. [Paging](term:paged-attention) says *where* K and V lie: in blocks that a table names. Prefix "
            "caching is a policy on top: *whose* blocks a new request may name. Paging without it shares only "
            "between requests that were forked from one another; a prefix cache can also be built without paging. "
            "Blocks make it convenient, since sharing is one more number in a table.",
            "不是。[分页](term:paged-attention)规定 K、V 放在**哪里**：放在块表引用的块里。前缀缓存是在其上的策略："
            "新请求可以引用**谁的**块。只有分页时，只有分叉出来的请求之间才共享；没有分页也能做前缀缓存。有了块就方"
            "便得多：共享只是表里多一个数。",
        ),
    ),
    (
        Text("What must enter a prefix’s identity?", "前缀的身份必须包含什么？"),
        Text(
            "Everything that changes K and V: the model and its precision, the adapter’s weights, the position "
            "rule, images, *all* tokens from position 0 on (through the name of the block before). And who may "
            "share: the salt. The text a person typed is not enough: the same text can be other tokens, behind "
            "another system prompt, for another adapter.",
            "一切会改变 K、V 的东西：模型及其精度、适配器的权重、位置规则、图像、从位置 0 起的**所有** token（通过"
            "前一块的名字）。还有谁可以共享：盐。只看人输入的文本是不够的：同样的文本可能分成不同的 token、前面有不"
            "同的系统提示、用于不同的适配器。",
        ),
    ),
    (
        Text("When is no copy needed?", "什么时候不需要复制？"),
        Text(
            "When nobody can write into what is shared. A full block is never written to; a block with a count of "
            "1 has nobody else to disturb. So: share full blocks only, and run the last token always anew. A "
            f"prompt of {_N} tokens that is cached completely reuses {_REUSED} with blocks of {_SIZE}; the last "
            "block is computed again, in a block of its own.",
            "当没有人会写入共享的内容时。满块不会再被写；计数为 1 的块不会妨碍别人。所以：只共享满块，并且最后一个 "
            f"token 总要重新运行。一段 {_N} 个 token 的提示即使全部缓存过，块大小为 {_SIZE} 时也只复用 {_REUSED} "
            "个；最后一块重新计算，放进自己的块里。",
        ),
    ),
    (
        Text("Are smaller blocks better for sharing?", "块越小越利于共享吗？"),
        Text(
            "They share more of a prefix and copy less, for the part that does not fill a block is smaller. But "
            "each table gets longer, there are more names to compute and more addresses to follow. The best size "
            "depends on lengths, kernel and device.",
            "块小时，前缀能共享得更多，复制得更少，因为装不满一块的余数更小。但块表变长，要算的名字和要查的地址都变"
            "多。哪种大小合适，要看请求有多长、用什么内核、跑在什么设备上。",
        ),
    ),
    (
        Text("What if the pool has no block left for the copy?", "池里没有空块可供复制时怎么办？"),
        Text(
            "Then the write must wait. A [server](term:serving-system) drops cached blocks that nobody names, "
            "[pauses](term:preemption) a request and computes or fetches its blocks later, or turns a new one "
            "away. Sharing postpones this, and makes it less predictable: the block is due when somebody writes, "
            "not when it was shared.",
            "那么写入只能等待。[服务器](term:serving-system)会丢弃没人引用的缓存块，[暂停](term:preemption)某个请"
            "求、以后重算或取回它的块，或者拒绝新请求。共享推迟了这一刻，也使它更难预料：要块的时刻是有人写入时，而"
            "不是共享时。",
        ),
    ),
)
