"""The matter around the player: why, how, limits, check, follow-ups."""

from __future__ import annotations

from lessons.kit.text import Text

TITLE = Text("Three savings, three ledgers", "三种节约，三本账")
QUESTION = Text(
    "Cache, FlashAttention, PagedAttention: which of them saves what?",
    "缓存、FlashAttention、PagedAttention：哪个省的是什么？",
)

WHY = Text(
    """
All three are said to “make [attention](term:attention) efficient”, and so they are taken for one trick, or for
rivals. They answer three different questions. What need not be
computed again? What need not be carried between [slow](term:hbm) and [fast memory](term:sram)? What room need not be
set aside?

So one sentence about “saving” needs the name of a [ledger](term:ledger). Here each ledger is counted while the same
little decoder writes the same tokens in all
eight ways, and the output is compared each time.
""",
    """
三者都号称“让[注意力](term:attention)更高效”，于是常被当成同一招，或者当成彼此的替代品。其实它们回答三个不同的问题：什
么不必重算？
什么不必在[慢速](term:hbm)与[快速内存](term:sram)之间搬来搬去？哪些空间不必预留？

所以说“省”，要先说清是哪一本[账](term:ledger)。这里让同一个小解码器用八种做法写出同样的 token，边跑边记三本账，每次都比
较输出。
""",
)

HOW = Text(
    """
- **[KV cache](term:kv-cache)**: after a pass the K and V rows of every layer stay. The next pass runs the new token
  alone and lets its query meet all kept keys.
- **Tiles** ([FlashAttention](term:flash-attention)): one attention is computed tile by tile with an [online
  softmax](term:online-softmax), so the [tables of scores and weights](term:score-table) are never
  written to slow memory. Whether the keys come from a cache or were just computed makes no difference to it.
- **Paging** ([PagedAttention](term:paged-attention)): what the cache keeps lies in [blocks](term:block) taken on
  demand; a [block table](term:block-table) says which. Attention
  reads the rows in their logical order and sees the same keys.

The three work on different things (rows, tables, memory), so they combine freely, and [serving
systems](term:serving-system) usually use all three.
""",
    """
- **[KV 缓存](term:kv-cache)**：一遍之后，每层的 K、V 行都留下。下一遍只处理新 token，让它的查询去遇所有留下的键。
- **分块**（[FlashAttention](term:flash-attention)）：用[在线 softmax](term:online-softmax) 一个分块一个分块地计算一次
  注意力，[分数表和权重表](term:score-table)从不写进慢速显存。键来自缓存还是刚算出来，对它没有区别。
- **分页**（[PagedAttention](term:paged-attention)）：缓存留下的东西放在按需取用的[内存块](term:block)里，由[块
  表](term:block-table)说明在哪个内存块。注意力按逻辑次序读各行，看到的还是那些键。

三者作用的对象不同（行、表、内存），所以可以自由组合，[服务系统](term:serving-system)通常三个都用。
""",
)

LIMITS = Text(
    """
- The cache does not make attention linear: every new query still meets every kept key, so a whole generation stays
  quadratic in [pairs](term:pair).
  It buys work with bytes resident.
- Tiles are [exact](term:exact): no score is skipped. The number of pairs stays. They read K and V again for every
  tile of queries, and
  for a single new query, where the “table” is one row, they save little.
- Paging compresses nothing. It saves what was set aside and not used; a last block may still have a tail, and the
  table has to be looked up. With no cache there is nothing to page.
- Ledgers are linked: less attention also moves less, and no table of scores is also no resident table. Consequences
  are not the mechanism.
- Only attention’s own data is counted: no weights, no other activations, no [workspace](term:workspace). Heads run
  one after the other here; a GPU runs many together, and then
  their tables are there at once. The [block pool](term:block-pool) itself is set aside once for all requests; what
  one request does not take, others can.
- Counts are not times. What any of this is worth on a device has to be measured there.
""",
    """
- 缓存没有把注意力变成线性：每个新查询仍要遇到所有留下的键，整段生成的[配对](term:pair)数仍是平方级。它是用驻留字节换计
  算。
- 分块是[精确](term:exact)的：不跳过任何分数，配对数不变。每个查询分块都要重读 K、V；只有一个新查询时，“表”只是一行，省
  得很少。
- 分页不压缩任何东西。它省下的是预留而没用上的部分；最后一个内存块仍可能有空尾，而且要查表。没有缓存就没有东西可分页。
- 三本账有牵连：少算注意力也就少搬；没有分数表，也就没有驻留的表。连带的结果不等于机制本身。
- 这里只数注意力自己的数据：不含权重、其他激活和[工作区](term:workspace)。这里各个头依次计算；GPU 会同时计算许多头，它
  们的表也就同时存在。[内存块池](term:block-pool)本身是为所有请求一次预留的；一个请求没取的内存块，别的请求可以用。
- 计数不是时间。在某个设备上值多少，要在那里实测。
""",
)

CHECK = Text(
    """
Switch one thing at a time and keep three counters, each with its unit: rows and pairs; bytes read and written; bytes
held at the fullest moment, with what is set aside and
unused kept apart. Then compare the [logits](term:logits) of all eight ways, within a [tolerance](term:tolerance), on
the same tokens. A “saving” that moves the output beyond rounding is not one of
these three.
""",
    """
一次只动一个开关，记三个计数，各带单位：行数与配对数；读写的字节；最满时持有的字节，并把预留而未用的分开记。
然后在同样的 token 上，用[容差](term:tolerance)比较八种做法的 [logits](term:logits)。凡是让输出变动超过舍入误差的“节
约”，都不是这三种之一。
""",
)

FOLLOW_UPS = (
    (
        Text("Can FlashAttention replace the KV cache?", "有了 FlashAttention，还要 KV 缓存吗？"),
        Text(
            "No. In the step *Tiles on* the pairs are those of all off: every new token still runs the whole text, "
            "only the tables are no longer carried. With the cache alone there are fewer pairs, "
            "but each head still writes scores and weights to slow memory and reads them back. One settles how a "
            "single attention is computed, the other whether old rows are computed again, "
            "so both are used.",
            "还要。“打开分块”那一步里，配对数与全关一样：每个新 token 仍要处理全文，只是不再搬表。反过来，只打开缓"
            "存，配对少了，"
            "每个头的分数和权重照样写进慢速显存再读回。一个管单次注意力怎样算，一个管旧的行要不要重算，所以两者并用。",
        ),
    ),
    (
        Text("Does paging by itself share prefixes between requests?", "分页本身会在请求之间共享前缀吗？"),
        Text(
            "No, and on this page nothing is shared: paging saves only the reserved tail. To share, a [prefix "
            "cache](term:prefix-cache) must also recognise that a new prompt begins like an "
            "earlier one, and must have kept those rows. Blocks are a handy unit for that, but other layouts serve "
            "as well: the two savings belong to two mechanisms.",
            "不会。本页就没有任何共享：分页只省下预留的尾部。要共享，还得有[前缀缓存](term:prefix-cache)：认出新提示"
            "的开头与以前的相同，并且那些行还留着。"
            "内存块是方便的共享单位，但别的布局也行：这两种节约出自两种机制。",
        ),
    ),
    (
        Text("Is any of them semantic compression?", "其中有没有哪个是语义压缩？"),
        Text(
            "None. All three keep every token and every number; that is why the outputs agree to rounding. [Dropping "
            "keys](term:approximate), merging tokens, [summarising](term:semantic-compression), storing K and V with "
            "[fewer bits](term:quantisation): those change the numbers and must be judged by quality. Choose one of "
            "the three misunderstandings in the player to see what happens if one "
            "of the mechanisms is taken for such a thing.",
            "都不是。三者都保留每个 token、每个数，所以输出只差舍入。[丢掉键](term:approximate)、合并 token、[做摘要"
            "](term:semantic-compression)、用[更少的位数](term:quantisation)存 K、V：这些会改变数值，要按质量评判。"
            "在播放器里选一种误解，就能看到把某个机制当成那种东西会怎样。",
        ),
    ),
    (
        Text("Does FlashAttention turn O(T²) into O(T)?", "FlashAttention 把 O(T²) 变成 O(T) 了吗？"),
        Text(
            "Not the time: the pairs stay [quadratic](term:complexity). The tables it never stores were quadratic, "
            "so the *extra memory* becomes linear. A paper’s factor of speed "
            "belongs to that paper’s device and lengths.",
            "时间没有：配对数仍是[平方级](term:complexity)。它从不保存的那两张表是平方级的，所以变成线性的是**额外内"
            "存**。论文里的加速倍数只属于那篇论文的设备和长度。",
        ),
    ),
    (
        Text("What if memory runs out with all three on?", "三样都用上，内存还是用完了呢？"),
        Text(
            "Then a request has to make room: a running one is [preempted](term:preemption), and its blocks are "
            "[fetched](term:swap) or computed again later; or a new one is turned away. "
            "Computing again pays in work for room: the two ledgers can be traded, but not confused.",
            "那就得有请求让位：[抢占](term:preemption)一个正在运行的，收回它的内存块，以后[取回](term:swap)或重算；再"
            "不行，就不接新的。"
            "重算是用计算换空间：两本账可以互换，但不能混为一谈。",
        ),
    ),
)
