"""The matter around the player."""

from __future__ import annotations

from lessons.kit.text import Text

TITLE = Text("Online softmax", "在线 softmax")
QUESTION = Text(
    "How can the output be right if the table of scores is never stored?",
    "不保存整张分数表，输出为什么仍然正确？",
)

WHY = Text(
    """
[Attention](term:attention) turns a row of scores into [weights](term:attention-weight) with
[softmax](term:softmax) and averages the values with them. The plain way writes the scores of all queries to
[slow memory](term:hbm), reads them back for the softmax, writes the weights, and reads those back for the average.
For long sequences this [table](term:score-table) is far larger than queries, keys and values, and at common head
sizes moving it takes an [accelerator](term:gpu) longer than computing it.

Softmax seems to need the whole row at once. Its denominator is a sum over all keys. And to keep [exp](term:exp)
from overflowing one subtracts the largest score, which is known only at the end.
[Online softmax](term:online-softmax) removes both reasons: it reads the keys [tile](term:tile) by tile and keeps
only the [maximum](term:maximum) so far, the [denominator](term:denominator) and the [accumulator](term:accumulator).
[FlashAttention](term:flash-attention) is built on it.
""",
    """
[注意力](term:attention)先用 [softmax](term:softmax) 把一行分数变成[权重](term:attention-weight)，再用权重对值求加权
平均。普通写法把所有查询的分数写进[慢速显存](term:hbm)，读回来做 softmax，写出权重，再读回来求平均。序列一长，
[这张表](term:score-table)就远大于查询、键和值；在常见的头宽下，[加速器](term:gpu)搬运它的时间比计算它还长。

softmax 似乎必须一次拿到整行：分母要对所有键求和；为了防止 [exp](term:exp) 溢出，还要减去最大的分数，而最大值到最后
才知道。[在线 softmax](term:online-softmax) 同时去掉了这两个理由：它按[分块](term:tile)读取键，只保存目前的
[最大值](term:maximum)、[分母](term:denominator)和[累加器](term:accumulator)。[FlashAttention](term:flash-attention)
就建立在它之上。
""",
)

HOW = Text(
    r"""
The kernel keeps $m$, the largest score so far, and the sums $\ell$ and $u$ of weights with $m$ subtracted. For each
tile with scores $s_j$ and values $v_j$:

1. $m_{new} = \max(m, \max_j s_j)$ and $\alpha = e^{m - m_{new}}$
2. $\ell \leftarrow \alpha\,\ell + \sum_j e^{s_j - m_{new}}$
3. $u \leftarrow \alpha\,u + \sum_j e^{s_j - m_{new}} v_j$

As long as $m_{new}$ is $-\infty$, the kernel takes every weight and $\alpha$ as 0. It never computes
$-\infty - (-\infty)$.

After the last tile $o = u / \ell$. Two partial results [merge](term:lse) by the same rule, up to rounding error in
any order and grouping. So a long context can be split over many processors and put together again. Many published
[kernels](term:kernel) call $u$ `acc` and fold the scale $1/\sqrt{d}$ into an exponential to base 2.
""",
    r"""
内核保存 $m$（目前最大的分数），以及减去 $m$ 之后的权重之和 $\ell$ 和加权和 $u$。对每个分块的分数 $s_j$ 和值 $v_j$：

1. $m_{new} = \max(m, \max_j s_j)$，$\alpha = e^{m - m_{new}}$
2. $\ell \leftarrow \alpha\,\ell + \sum_j e^{s_j - m_{new}}$
3. $u \leftarrow \alpha\,u + \sum_j e^{s_j - m_{new}} v_j$

只要 $m_{new}$ 还是 $-\infty$，内核就把权重和 $\alpha$ 都取为 0，绝不计算 $-\infty - (-\infty)$。

读完最后一个分块，$o = u / \ell$。两份部分结果按同一规则[合并](term:lse)，次序和分组随意，只差舍入误差。所以长上下文
可以拆给许多处理器，再拼回来。许多公开的[内核](term:kernel)把 $u$ 叫作 `acc`，并把缩放 $1/\sqrt{d}$ 并进以 2 为底的
指数。
""",
)

LIMITS = Text(
    """
- It saves **bytes moved** and the **resident** table. It saves no work: every query is still scored against every
  key, so the number of [pairs](term:pair) stays quadratic, and each rise of the maximum adds a few multiplications.
- It is [exact](term:exact), but not bit-identical. Sums rounded in another order differ in the last bits, and
  [low-precision](term:dtype) accumulators can differ far more (see *Explore*).
- The steps show one query. A real kernel handles a tile of queries at once, [fuses](term:fusion) mask and scale,
  and must suit the hardware. For short sequences the gain can vanish. Nothing on this page is a speed measurement.
- A stale maximum is not always wrong. Some kernels skip small rescales on purpose. That is right as long as the new
  tile is measured against the *same* old maximum.
- A masked key must weigh exactly 0. A large negative stand-in such as −10 000 fails as soon as real scores are that
  low.
""",
    """
- 它省的是**搬运的字节**和**驻留**的那张表，不省计算：每个查询仍要与每个键算分数，[配对](term:pair)数仍是平方级；最
  大值每上升一次，还要多做几次乘法。
- 它是[精确](term:exact)的，但不是逐位相同：求和次序不同，末几位就可能不同。[低精度](term:dtype)的累加器可能差得多得
  多（见“探索”）。
- 这些步骤只演示一个查询。真正的内核同时处理一个分块的查询，[融合](term:fusion)掩码与缩放，还要适配硬件。序列短时，
  收益可能消失。本页没有任何速度测量。
- 沿用旧的最大值不一定错。有些内核会有意跳过小的缩放；只要新分块也用**同一个**旧最大值，结果就是对的。
- 被屏蔽的键权重必须恰好为 0。用 −10 000 之类的大负数代替，一旦真实分数也这么低就会出错。
""",
)

CHECK = Text(
    """
Compare with the plain formula, softmax over all keys at once, in float64 and within a [tolerance](term:tolerance):
never bit for bit. Choose inputs on which every mistake shows: a maximum that rises after the first tile, a later
tile below the maximum, a first tile that is fully masked, a number of keys that the tile size does not divide.
Check also that no output lies outside the range of the values, which a weighted average cannot leave. In low
precision compare both ways with the float64 answer; comparing them with each other proves little. Then measure on
your own hardware: a count of bytes is not a speed-up.
""",
    """
与 float64 下一次算完的 softmax 公式比较，用[容差](term:tolerance)，绝不逐位比较。要选能让每种错误显形的输入：第一个
分块之后最大值上升、后面有一个分块低于最大值、第一个分块全被屏蔽、键的个数不能被分块大小整除。再检查输出是否超出值的
范围，加权平均不可能超出。低精度时，把两种算法都与 float64 答案比；两者互相比说明不了什么。然后在自己的硬件上实测：
字节数不等于加速。
""",
)

FOLLOW_UPS = (
    (
        Text("If it is exact, why is the result not bit-identical?", "精确为什么不等于逐位相同？"),
        Text(
            "*Exact* says that no term is dropped or approximated, unlike [sparse or low-rank "
            "attention](term:approximate). Floating-point addition is not associative: another tile size, another "
            "order or a fused multiply-add rounds differently. Choose a tolerance that suits the precision, and do "
            "not take rounding error for randomness.",
            "“精确”指没有丢弃或近似任何一项，与[稀疏、低秩注意力](term:approximate)相对。浮点加法不满足结合律：换一种"
            "分块大小、次序或融合乘加，舍入就不同。容差要与精度相称；也不要把舍入误差当成随机性。",
        ),
    ),
    (
        Text("Does it replace the KV cache?", "有了它，还要 KV 缓存吗？"),
        Text(
            "No. FlashAttention organises how *one* attention is computed and what moves meanwhile. The [KV "
            "cache](term:kv-cache) keeps keys and values from earlier forward passes. With tiles alone, each new "
            "token means computing all old keys and values again. With a cache alone, scores and weights still travel "
            "to slow memory and back. So both are used.",
            "还要，两者管的不是一件事。FlashAttention 安排**一次**注意力怎样计算、其间搬运什么；[KV 缓存"
            "](term:kv-cache)把键和值从前面的前向留到后面。只有前者，每生成一个 token 都要重算全部旧的键和值；只有后"
            "者，分数和权重照样要写进慢速显存再读回。所以两者并用。",
        ),
    ),
    (
        Text("Does it make attention O(T) in time?", "它把注意力的时间变成 O(T) 了吗？"),
        Text(
            "No. Each of T queries is still scored against up to T keys: the pairs, and with them the "
            "multiplications, stay [quadratic](term:complexity). What becomes linear is the *extra memory*. Traffic "
            "to slow memory falls by a factor that grows with fast memory, but it stays quadratic in T as well, since "
            "the keys are read again for every tile of queries.",
            "没有。T 个查询各自仍要与至多 T 个键算分数：配对数以及乘法次数仍是[平方级](term:complexity)。变成线性的是*"
            "*额外内存**。快速内存越大，对慢速显存的访问量就越少，但它对 T 仍是平方级，因为每个查询分块都要把键重读一"
            "遍。",
        ),
    ),
)
