"""The matter around the player: why, how, limits, how to check, follow-ups. Figures are computed."""

from __future__ import annotations

from engine.counts import decode
from engine.decode_cost import Scenario
from engine.models import MODELS
from lessons.kit.text import Text
from lessons.kit.told import Told

_HUNDRED = Scenario(1, 100)  # the second text's number of steps
_LONG = Scenario(1000, 100)
_LLAMA, _CONTEXT = MODELS["Llama-3-8B"], 32_768

TITLE = Text("What decoding costs", "解码的代价")
QUESTION = Text(
    "How much work does a KV cache save, and what still grows quadratically?", "KV 缓存省下多少计算？什么仍按平方增长？"
)

WHY = Text(
    """
A [decoder](term:decoder) produces one token at a time. Without a [KV cache](term:kv-cache) each new token costs a
pass over everything before it, and all but the last row of that pass was computed already. With a cache only the
newest position is run, and reads the K and V that were kept.

How much that saves depends on what is counted. A [query row](term:query-row) stands for the
[projections](term:projection) and the [FFN](term:ffn) of one position; a [query·key pair](term:pair) is one attention
score. The cache takes one power of the length off each, but from different powers, so a number without its unit says
little.
""",
    """
[解码器](term:decoder)一次产生一个 token。没有 [KV 缓存](term:kv-cache)时，每个新 token 都要对前面的一切再做一次前向，
而其中除最后一行外全都算过。有缓存时只算最新的位置，它读取保留下来的 K 和 V。

究竟省多少，取决于数的是什么。[查询行](term:query-row)代表一个位置的[投影](term:projection)和 [FFN](term:ffn)；[查
询·键配对](term:pair)是一个注意力分数。缓存让两者各降一次幂，但起点的幂次不同，所以没有单位的数字说明不了什么。
""",
)

HOW = Text(
    r"""
Let P be the [prompt](term:prompt), M the new tokens, N = P + M − 1 the positions run when the prompt’s last
[logits](term:logits) give the first new token.

1. Without a cache pass $n$ runs $n$ rows and $n(n+1)/2$ pairs, for $n = P, P+1, \ldots, N$. From one token on, that
   is $N(N+1)/2$ rows and $N(N+1)(N+2)/6$ pairs: [cubic](term:complexity).
2. With a cache every position is run once: $N$ rows. Each meets itself and what came before: $N(N+1)/2$ pairs.
   Quadratic.
3. Of these, [prefill](term:prefill) takes $P(P+1)/2$ and [decode](term:decode) $(M-1)P + M(M-1)/2$, or
   $MP + M(M+1)/2$ if the last new token is run as well.

In one layer of width $d$ a row costs $O(d^2)$ and a pair, over all heads, $O(d)$. One cached step at length $T$ is
therefore $O(d^2) + O(Td)$, and M steps are $O(Md^2) + O((PM + M^2)d)$. A full pass over T positions is
$O(Td^2) + O(T^2 d)$.
""",
    r"""
设[提示](term:prompt)长 P，新 token 数为 M；若提示最后一行的 [logits](term:logits) 给出第一个新 token，送过模型的位置
数就是 N = P + M − 1。

1. 没有缓存时，长度为 $n$ 的前向算 $n$ 行、$n(n+1)/2$ 对，$n = P, P+1, \ldots, N$。若从一个 token 开始，就是
   $N(N+1)/2$ 行、$N(N+1)(N+2)/6$ 对：[立方级](term:complexity)。
2. 有缓存时每个位置只算一次：$N$ 行。每行遇到自己和之前的位置：$N(N+1)/2$ 对。平方级。
3. 其中[预填充](term:prefill)占 $P(P+1)/2$，[解码](term:decode)占 $(M-1)P + M(M-1)/2$；若最后一个新 token 也送入，则是
   $MP + M(M+1)/2$。

在宽度为 $d$ 的一层里，一行要 $O(d^2)$，一对（所有头合计）要 $O(d)$。因此长度 $T$ 时有缓存的一步是 $O(d^2) + O(Td)$，M
步是 $O(Md^2) + O((PM + M^2)d)$。对 T 个位置做一次完整前向则是 $O(Td^2) + O(T^2 d)$。
""",
)

LIMITS = Told(
    """
- **Not “linear for good”.** Per step linear, whole generation still quadratic: {hundred.n_new} cached steps score
  {hundred.cached.pairs} pairs, {hundred.doubled.n_new} score {hundred.doubled.cached.pairs}.
- Say which: one step or the whole generation; P fixed, or growing with M; rows or pairs. P = {long.n_prompt} and
  M = {long.n_new} give {long.prefill.pairs} pairs for the prompt, {long.decode.pairs} or {every.pairs} for decoding,
  and {long.plain.pairs} without a cache.
- The price is memory: K and V of every position stay **resident**, and each step **moves** all of them once. With
  long [contexts](term:context) that reading, not arithmetic, may set the pace.
- Counts are not a speed-up. Many rows at once use the hardware better than one row, a single row still reads every
  weight, and [kernels](term:kernel) may compute part of what is masked. Nothing on this page is a time.
- Counts are of one head of one layer of a causal model. A [sliding window](term:sliding-window) bounds the keys and
  makes the pairs linear, but that is another model.
""",
    """
- **并没有“一劳永逸地变成线性”**：每一步是线性的，整段生成仍是平方级：{hundred.n_new} 个有缓存的步算
  {hundred.cached.pairs} 对，{hundred.doubled.n_new} 步就是 {hundred.doubled.cached.pairs} 对。
- 要说清：一步还是整段；P 固定，还是随 M 增长；行还是配对。P = {long.n_prompt}、M = {long.n_new} 时，提示
  {long.prefill.pairs} 对，解码 {long.decode.pairs} 或 {every.pairs} 对，没有缓存则是 {long.plain.pairs} 对。
- 代价是内存：每个位置的 K、V 都要**驻留**，每一步又把它们全部**搬运**一遍。[上下文](term:context)很长时，决定快慢的可
  能是读取而不是运算。
- 计数不是加速比。许多行一起算比一行更能用好硬件；单独一行也要读每个权重；[内核](term:kernel)还可能算掉一部分被屏蔽的
  配对。本页没有任何时间。
- 计数针对因果模型一层中的一个头。[滑动窗口](term:sliding-window)限制了键的个数，使配对数变成线性，但那是另一个模型。
""",
).on(hundred=_HUNDRED, long=_LONG, every=decode(_LONG.n_prompt, _LONG.n_new, first_from_prefill=False))

CHECK = Text(
    """
Run both decoders from the same prompt. At every pass compare the chosen token, and the logits within a
[tolerance](term:tolerance), never bit for bit. Decode at least three tokens: a cache to which nothing is appended is
still right in the first decode pass. Let the code count while it runs, name each counter’s unit, and compare with the
formulas: each pair exactly once with a cache. If both decoders report the same number, one of them is counting
something else. Then measure on your own hardware.
""",
    """
让两个解码器从同一段提示出发。每一步比较选出的 token，并用[容差](term:tolerance)比较 logits，绝不逐位比较。至少解码三
个 token：从不追加的缓存在第一个解码步里仍是对的。让代码边运行边计数，写明每个计数器的单位，再与公式比较：有缓存时每一
对恰好一次。如果两个解码器报告同一个数，必有一个数的是别的东西。最后在自己的硬件上实测。
""",
)

FOLLOW_UPS = (
    (
        Text(
            "Why can decoding a long context be limited by memory bandwidth?",
            "长上下文解码时，瓶颈为什么可能是内存带宽？",
        ),
        Told(
            "One new row is little arithmetic, but it needs all old K and V, layer by layer. In {name}, {tokens} "
            "tokens hold {held:size} in [float16](term:dtype), read once for each new token; a number read serves "
            "{heads:short} query heads, one multiplication each. If the memory delivers numbers more slowly than "
            "the chip can use them, [reading sets the time](term:bound), whatever the peak arithmetic. Larger "
            "[batches](term:batch) share the reading of *weights*; each request still brings K and V of its own. "
            "Whether this is the limit depends on model, length, batch and kernel: measure it.",
            "新的一行运算很少，却要逐层用到全部旧的 K、V。{name} 里，{tokens} 个 token 在 [float16](term:dtype) 下"
            "占 {held:size}，每个新 token 都要读一遍；读出的一个数只供 {heads:short} 个查询头各做一次乘法。如果内存"
            "供数比芯片用数慢，[时间就由读取决定](term:bound)，峰值算力再高也没用。增大[批量](term:batch)可以分摊**"
            "权重**的读取，但每个请求都带来自己的 K、V。它是不是瓶颈取决于模型、长度、批量和内核：请实测。",
        ).on(_LLAMA, tokens=_CONTEXT, held=_LLAMA.kv_bytes(_CONTEXT), heads=_LLAMA.n_heads / (_LLAMA.n_kv_heads or 1)),
    ),
    (
        Text("“From O(T²) to O(T) per step”: how is that meant?", "“每步从 O(T²) 降到 O(T)”是什么意思？"),
        Told(
            "It is about the attention pairs of *one* step at context length T. A full pass scores T(T + 1)/2, a "
            "cached step T: at T = {n_new} that is {last_plain.pairs} against {n_new}. Projections and FFN fall "
            "from T rows to one. Summed over a whole generation of {n_new} steps the pairs fall from {plain.pairs} "
            "to {cached.pairs}: from cubic to quadratic.",
            "它说的是上下文长 T 时**一步**的注意力配对。完整前向算 T(T + 1)/2 对，有缓存的一步算 T 对：T = {n_new} "
            "时是 {last_plain.pairs} 比 {n_new}。投影和 FFN 从 T 行降到一行。整段 {n_new} 步加起来，配对数从 "
            "{plain.pairs} 降到 {cached.pairs}：从立方级到平方级。",
        ).on(_HUNDRED),
    ),
    (
        Told(
            "Find the error: “attention operations over {n_new} tokens: O(N²) = {plain.rows:plain} naive, O(N) = "
            "{cached.rows:plain} cached”.",
            "找出错误：“{n_new} 个 token 的注意力操作：朴素 O(N²) = {plain.rows:plain}，缓存 O(N) = "
            "{cached.rows:plain}”。",
        ).on(_HUNDRED),
        Told(
            "The unit is missing. {plain.rows} against {cached.rows} are query *rows*. As attention is counted, in "
            "*pairs*, it is {plain.pairs} against {cached.pairs}, and {cached.pairs} now belongs to the cached "
            "decoder, which is quadratic. Read {plain.rows} as the pairs of each newest query and {cached.rows} as "
            "rows, and the sentence compares two different units. A program that counts only the newest query on "
            "both sides prints the same number twice.",
            "缺了单位。{plain.rows} 比 {cached.rows} 是查询**行**。注意力该按**配对**数，那是 {plain.pairs} 比 "
            "{cached.pairs}；这时 {cached.pairs} 属于有缓存的解码器，它是平方级的。若把 {plain.rows} 理解为每步最新"
            "查询的配对、把 {cached.rows} 理解为行，这句话就是拿两种单位相比。一个程序若两边都只数最新的查询，就会"
            "把同一个数打印两遍。",
        ).on(_HUNDRED),
    ),
    (
        Text("Is the ratio of the counts the speed-up?", "计数之比就是加速比吗？"),
        Told(
            "No. {n_new} steps have {ratio:fixed1} times the pairs and {rows:fixed1} times the rows without a "
            "cache, and neither is a time. One pass over many rows keeps a processor busy; one row at a time often "
            "waits for memory. Only a measurement says what is gained, and it names the device, the length and the "
            "batch.",
            "不是。没有缓存时，{n_new} 步的配对数是 {ratio:fixed1} 倍，行数是 {rows:fixed1} 倍，但两者都不是时间。"
            "一次前向处理许多行能让处理器忙起来；一次一行则常常在等内存。收益要靠测量，并写明设备、长度和批量。",
        ).on(_HUNDRED, rows=_HUNDRED.plain.rows / _HUNDRED.cached.rows),
    ),
)
