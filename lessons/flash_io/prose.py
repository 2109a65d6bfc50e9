"""The prose around the player."""

from __future__ import annotations

from lessons.kit.text import Lang, Text, paragraphs

TITLE = Text("Tiles and traffic", "分块与搬运")
QUESTION = Text("Which bytes does FlashAttention move, and which not?", "FlashAttention 搬运哪些字节，不搬运哪些？")

WHY = Text(
    """
An [accelerator](term:gpu) has a small fast memory on the chip and a large slow one, [HBM](term:hbm). Arithmetic
happens on
the chip only, so every number has to come through the door between them. The plain way of computing
[attention](term:attention) sends the whole [table of scores](term:score-table) through that door twice, and the table
of
weights twice more. [FlashAttention](term:flash-attention) computes the same output and sends neither table through.

It does so by cutting the table into [tiles](term:tile). One tile of queries waits on the chip with its
[maximum](term:maximum), [denominator](term:denominator) and [accumulator](term:accumulator); tiles of keys and values
come
by and are folded in as in [online softmax](term:online-softmax). What this costs is easily overlooked: K and V come in
again for every tile of queries.
""",
    """
[加速器](term:gpu)片上有一小块快速存储，片外有一大块慢速显存 [HBM](term:hbm)。计算只在片上进行，每个数都要经过两者之间
的门。
普通写法计算[注意力](term:attention)时，让整张[分数表](term:score-table)过两次门，权重表再过两次。
[FlashAttention](term:flash-attention) 算出同样的输出，两张表都不过门。

办法是把表切成[分块](term:tile)。查询的一个分块带着自己的[最大值](term:maximum)、[分母](term:denominator)和
[累加器](term:accumulator)等在片上；键和值的分块轮流进来，像[在线 softmax](term:online-softmax) 那样累计。容易忽略的是
代价：
每个查询分块都要把 K、V 再读一遍。
""",
)

_VERSIONS = (
    (
        Text("FlashAttention (2022)", "FlashAttention（2022）"),
        Text(
            "tiles in fast memory, exact result, backward by recomputation; keys outside",
            "在快速存储里分块，结果精确，反向靠重算；键在外层",
        ),
        Text("secondary: abstract", "二手：摘要"),
    ),
    (
        Text("FlashAttention-2 (2023)", "FlashAttention-2（2023）"),
        Text(
            "queries outside, more parallel over the sequence, fewer operations besides the products; about 2× the "
            "first",
            "查询在外层，沿序列并行，乘积以外的运算更少；约为第一版的 2 倍",
        ),
        Text("read: README", "已读：README"),
    ),
    (
        Text("FlashAttention-3 (2024)", "FlashAttention-3（2024）"),
        Text(
            "Hopper: loading and computing overlap, FP8; 1.5–2.0× FlashAttention-2 in the forward pass, up to 740 "
            "TFLOP/s in FP16",
            "Hopper：读取与计算重叠，FP8；前向为 FlashAttention-2 的 1.5–2.0 倍，FP16 最高 740 TFLOP/s",
        ),
        Text("secondary: abstract", "二手：摘要"),
    ),
    (
        Text("FlashAttention-4 (code 2025, paper 2026)", "FlashAttention-4（代码 2025，论文 2026）"),
        Text(
            "Blackwell: five kinds of warps side by side, part of the exponentials by polynomial, small rescales "
            "skipped; forward and backward",
            "Blackwell：五类线程束分工，部分指数用多项式计算，跳过小的缩放；前向和反向都有",
        ),
        Text("read: source code", "已读：源代码"),
    ),
)


def _table(head: Text, rows: tuple[tuple[Text, ...], ...]) -> Text:
    """A table in Markdown; `head` has the names of its columns."""

    def written(lang: Lang) -> str:
        lines = ["| " + " | ".join(cell.of(lang) for cell in row) + " |" for row in rows]
        return "\n".join([head.of(lang), "|---" * len(rows[0]) + "|", *lines])

    return Text(written("en"), written("zh"))


VERSIONS = _table(Text("| version | what changed | standing |", "| 版本 | 变化 | 依据 |"), _VERSIONS)

_BEFORE_VERSIONS = Text(
    r"""
With queries in the outer loop (FlashAttention-2):

1. Load a tile of $B_q$ rows of Q. Start with $m = -\infty$, $\ell = 0$, $u = 0$ for each row.
2. For every tile of $B_k$ keys that some row may see: load K and V, compute the scores on the chip, mask, fold them in.
3. Write $o = u / \ell$ and the [log-sum-exp](term:lse) $m + \ln \ell$ once, and go on with the next rows.

Bytes that cross, in numbers for one head of length $T$ without a mask: Q and O once, $2 T d$, and K and V for each of
the $T / B_q$ tiles of queries, $2 T^2 d / B_q$. The tile that fits is about $M / 4d$ numbers wide for a chip of $M$
numbers,
so the traffic is about proportional to $T^2 d^2 / M$: still **quadratic** in $T$, but divided by the size of the
chip. The
plain way moves $4 T^2$ numbers in tables.

With keys in the outer loop (FlashAttention-1) each K and V is read once, and O is read and written for every tile of
keys.

**Backward**: no table was stored, so the scores are computed again, tile by tile, and $p = e^{s - LSE}$. One product
more
is computed than in the plain way, and far fewer bytes are fetched.
""",
    r"""
查询在外层循环（FlashAttention-2）：

1. 读入 Q 的 $B_q$ 行，每行从 $m = -\infty$、$\ell = 0$、$u = 0$ 开始。
2. 对每个含有可见键的 $B_k$ 键分块：读入 K、V，在片上算分数、加掩码、累计进去。
3. 写出 $o = u / \ell$ 和 [log-sum-exp](term:lse) $m + \ln \ell$，各一次，再换下一批行。

一个头、长度 $T$、没有掩码时，过门的数：Q 和 O 各一次，$2 T d$；$T / B_q$ 个查询分块各读一遍 K、V，$2 T^2 d / B_q$。片
上能放
$M$ 个数时，分块约宽 $M / 4d$，搬运量因此约与 $T^2 d^2 / M$ 成正比：对 $T$ 仍是**平方级**，只是除以了片上存储的大小。普
通写法单
是表就搬运 $4 T^2$ 个数。

键在外层循环（FlashAttention-1）：K、V 各读一次，而 O 在每个键分块都要读一次、写一次。

**反向**：没有保存表，所以逐块重算分数，$p = e^{s - LSE}$。比普通写法多算一次乘积，取回的字节却少得多。
""",
)

_STAYED = Text(
    "What stayed in all of them: the same sums, no table of scores in HBM, work quadratic in $T$.",
    "各版不变的是：同样的求和，HBM 里没有分数表，计算量对 $T$ 是平方级。",
)
HOW = paragraphs(_BEFORE_VERSIONS, VERSIONS, _STAYED)

LIMITS = Text(
    """
- It saves **bytes moved** and two **resident** tables. It saves no **work**: every visible pair is still computed,
  and the
  backward pass computes the scores a second time.
- “One trip per tile” hides a loop. A tile of K and V makes one trip for every tile of queries that needs it; the
  traffic
  stays quadratic in the length.
- Bytes are counted as these loops ask for them. A real chip also has a cache in front of HBM, which can serve some of
  the repeated reads.
- The gain depends on the chip and the head size. For one query at a time, as in [decode](term:decode), there is hardly
  a table to avoid: K and V are read once either way.
- Nothing on this page is a speed measurement; the page *Measured on this machine* has those.
""",
    """
- 它省的是**搬运的字节**和两张**驻留**的表，不省**计算**：每个可见的配对照样要算，反向时分数还要再算一遍。
- “每个分块一趟”的说法掩盖了一层循环：K、V 的一个分块，每有一个需要它的查询分块就要来一趟；搬运量对长度仍是平方级。
- 这里按循环的要求给字节计数。真正的芯片在 HBM 前面还有缓存，重复的读取有一部分由它提供。
- 收益取决于芯片和头的维数。像[解码](term:decode)那样一次只有一个查询时，本来就没有什么表可省：无论哪种做法，K、V 都读
  一遍。
- 本页没有任何速度测量；测量在“在本机上测得”一页。
""",
)

CHECK = Text(
    """
Compare the output with the plain formula in float64, row by row, within a [tolerance](term:tolerance). Choose inputs on
which each slip shows: fewer queries than keys (the alignment of the mask), several tiles of queries (state that is not
reset), tiles that do not divide the length, a query that sees no key. Count the bytes in the loop that moves them,
not by a
formula, and compare the count with the formula afterwards. For the backward pass compare dQ, dK and dV with automatic
differentiation.
""",
    """
逐行与 float64 的普通公式比较输出，用[容差](term:tolerance)。要选能让每种错误显形的输入：查询比键少（掩码的对齐）、有好
几个
查询分块（状态没有清零）、分块除不尽长度、有查询看不到任何键。字节要在搬运它的循环里数，不要用公式代替；数完再与公式核
对。
反向则把 dQ、dK、dV 与自动微分比较。
""",
)

FOLLOW_UPS = (
    (
        Text("Is attention memory-bound from some length on?", "注意力从某个长度起才受带宽限制吗？"),
        Text(
            "No length is such a threshold. Unfused, attention does at most d divided by the bytes of a number "
            "FLOP for every byte it moves, 64 for d = 128 in 16 bits, at **every** length: it only comes closer to "
            "that from below. Recent accelerators need 100 to 400 FLOP per byte before arithmetic is the limit. "
            "See the chart of arithmetic intensity.",
            "没有这样的长度界限。不融合时，每搬运一个字节最多做 d 除以每个数字节数那么多次浮点运算，d = 128、16 位"
            "时是 64，**任何**长度都如此：变长只是从下面接近它。近年的加速器要到每字节 100 至 400 次浮点运算，才由"
            "计算决定快慢。见“计算强度”一图。",
        ),
    ),
    (
        Text("Why not keep all of K and V on the chip?", "为什么不把 K、V 全部放在片上？"),
        Text(
            "For a short sequence one can, and then each is read once. A head of 8,192 keys with d = 128 in 16 "
            "bits has 4 MiB of K and V; one multiprocessor of an H100 has 228 KiB of fast memory. So either K and "
            "V are read again, or O is.",
            "序列短就可以，这时各读一遍。一个头 8,192 个键、d = 128、16 位，K 和 V 共 4 MiB；H100 的一个多处理器只"
            "有 228 KiB 快速存储。所以要么重读 K、V，要么重读 O。",
        ),
    ),
    (
        Text("Does the mask have to start at the bottom right?", "掩码一定要从右下角对齐吗？"),
        Text(
            "When new queries follow older keys, as with a KV cache, the last query is the newest and sees every "
            "key, so query i sees key j where j ≤ i + T_k − T_q. Aligned at the top left, new queries would be "
            "blind to the cache. With as many queries as keys both are the same, which is why the slip survives "
            "tests on square matrices.",
            "有 KV 缓存时，新查询排在旧键之后，最后一个查询最新，应当看到所有键，所以 j ≤ i + T_k − T_q 时查询 i 看"
            "得到键 j。若从左上角对齐，新查询就看不到缓存。查询与键一样多时两者相同，所以这个错误在方阵上测不出来。",
        ),
    ),
)
