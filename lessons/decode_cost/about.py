"""The matter around the player: why, how, limits, how to check, follow-ups. Figures are computed."""

from __future__ import annotations

from engine.counts import cached, decode, naive, prefill, without_cache
from engine.models import MODELS
from lessons.kit.format import count, fixed, short, size
from lessons.kit.text import Text

N = 100  # the second text's number of steps
P, M = 1000, 100
LLAMA, LONG = MODELS["Llama-3-8B"], 32_768

WHY = Text(
    """
A [decoder](term:decoder) produces one token at a time. Without a [KV cache](term:kv-cache) each new token costs a
pass over everything before it, and all but the last row of that pass
was computed already. With a cache only the newest position is run, and reads the K and V that were kept.

How much that saves depends on what is counted. A [query row](term:query-row) stands for the
[projections](term:projection) and the [FFN](term:ffn) of one position; a
[query·key pair](term:pair) is one attention score. The cache takes one power of the length off each, but from
different powers, so a number without its unit says little.
""",
    """
[解码器](term:decoder)一次产生一个 token。没有 [KV 缓存](term:kv-cache)时，每个新 token 都要对前面的一切再做一次前向，
而其中除最后一行外全都算过。
有缓存时只算最新的位置，它读取保留下来的 K 和 V。

究竟省多少，取决于数的是什么。[查询行](term:query-row)代表一个位置的[投影](term:projection)和 [FFN](term:ffn)；[查询·键
配对](term:pair)是一个注意力分数。
缓存让两者各降一次幂，但起点的幂次不同，所以没有单位的数字说明不了什么。
""",
)

HOW = Text(
    r"""
Let P be the [prompt](term:prompt), M the new tokens, N = P + M − 1 the positions run when the prompt’s last
[logits](term:logits) give the first new token.

1. Without a cache pass $n$ runs $n$ rows and $n(n+1)/2$ pairs, for $n = P, P+1, \ldots, N$. From one token on, that
   is $N(N+1)/2$ rows and
   $N(N+1)(N+2)/6$ pairs: [cubic](term:complexity).
2. With a cache every position is run once: $N$ rows. Each meets itself and what came before: $N(N+1)/2$ pairs.
   Quadratic.
3. Of these, [prefill](term:prefill) takes $P(P+1)/2$ and [decode](term:decode) $(M-1)P + M(M-1)/2$, or $MP +
   M(M+1)/2$ if the last new token is run as well.

In one layer of width $d$ a row costs $O(d^2)$ and a pair, over all heads, $O(d)$. One cached step at length $T$ is
therefore $O(d^2) + O(Td)$, and M steps are
$O(Md^2) + O((PM + M^2)d)$. A full pass over T positions is $O(Td^2) + O(T^2 d)$.
""",
    r"""
设[提示](term:prompt)长 P，新 token 数为 M；若提示最后一行的 [logits](term:logits) 给出第一个新 token，送过模型的位置数
就是 N = P + M − 1。

1. 没有缓存时，长度为 $n$ 的前向算 $n$ 行、$n(n+1)/2$ 对，$n = P, P+1, \ldots, N$。若从一个 token 开始，就是
   $N(N+1)/2$ 行、
   $N(N+1)(N+2)/6$ 对：[立方级](term:complexity)。
2. 有缓存时每个位置只算一次：$N$ 行。每行遇到自己和之前的位置：$N(N+1)/2$ 对。平方级。
3. 其中[预填充](term:prefill)占 $P(P+1)/2$，[解码](term:decode)占 $(M-1)P + M(M-1)/2$；若最后一个新 token 也送入，则是
   $MP + M(M+1)/2$。

在宽度为 $d$ 的一层里，一行要 $O(d^2)$，一对（所有头合计）要 $O(d)$。因此长度 $T$ 时有缓存的一步是 $O(d^2) + O(Td)$，M
步是
$O(Md^2) + O((PM + M^2)d)$。对 T 个位置做一次完整前向则是 $O(Td^2) + O(T^2 d)$。
""",
)

LIMITS = Text(
    f"""
- **Not “linear for good”.** Per step linear, whole generation still quadratic: {count(N)} cached steps score
  {count(cached(N).pairs)} pairs, {count(2 * N)}
  score {count(cached(2 * N).pairs)}.
- Say which: one step or the whole generation; P fixed, or growing with M; rows or pairs. P = {count(P)} and
  M = {count(M)} give {count(prefill(P).pairs)} pairs for the prompt,
  {count(decode(P, M, first_from_prefill=True).pairs)} or {count(decode(P, M, first_from_prefill=False).pairs)} for
  decoding, and {count(without_cache(P, M).pairs)} without a cache.
- The price is memory: K and V of every position stay **resident**, and each step **moves** all of them once. With
  long [contexts](term:context) that reading, not arithmetic, may set the pace.
- Counts are not a speed-up. Many rows at once use the hardware better than one row, a single row still reads every
  weight, and [kernels](term:kernel) may compute part of what is
  masked. Nothing on this page is a time.
- Counts are of one head of one layer of a causal model. A [sliding window](term:sliding-window) bounds the keys and
  makes the pairs linear, but that is another model.
""",
    f"""
- **并没有“一劳永逸地变成线性”**：每一步是线性的，整段生成仍是平方级：{count(N)} 个有缓存的步算
  {count(cached(N).pairs)} 对，{count(2 * N)} 步就是
  {count(cached(2 * N).pairs)} 对。
- 要说清：一步还是整段；P 固定，还是随 M 增长；行还是配对。P = {count(P)}、M = {count(M)} 时，提示
  {count(prefill(P).pairs)} 对，解码
  {count(decode(P, M, first_from_prefill=True).pairs)} 或 {count(decode(P, M, first_from_prefill=False).pairs)} 对，没
  有缓存则是 {count(without_cache(P, M).pairs)} 对。
- 代价是内存：每个位置的 K、V 都要**驻留**，每一步又把它们全部**搬运**一遍。[上下文](term:context)很长时，决定快慢的可
  能是读取而不是运算。
- 计数不是加速比。许多行一起算比一行更能用好硬件；单独一行也要读每个权重；[内核](term:kernel)还可能算掉一部分被屏蔽的配
  对。本页没有任何时间。
- 计数针对因果模型一层中的一个头。[滑动窗口](term:sliding-window)限制了键的个数，使配对数变成线性，但那是另一个模型。
""",
)

CHECK = Text(
    """
Run both decoders from the same prompt. At every pass compare the chosen token, and the logits within a
[tolerance](term:tolerance), never bit for bit. Decode at least three tokens: a
cache to which nothing is appended is still right in the first decode pass. Let the code count while it runs, name
each counter’s unit, and compare with
the formulas: each pair exactly once with a cache. If both decoders report the same number, one of them is counting
something else. Then measure on your own hardware.
""",
    """
让两个解码器从同一段提示出发。每一步比较选出的 token，并用[容差](term:tolerance)比较 logits，绝不逐位比较。至少解码三
个 token：从不追加的缓存在第一个解码步里仍是对的。
让代码边运行边计数，写明每个计数器的单位，再与公式比较：有缓存时每一对恰好一次。如果两个解码器报告同一个数，必有一个数
的是别的东西。
最后在自己的硬件上实测。
""",
)

FOLLOW_UPS = (
    (
        Text(
            "Why can decoding a long context be limited by memory bandwidth?",
            "长上下文解码时，瓶颈为什么可能是内存带宽？",
        ),
        Text(
            f"One new row is little arithmetic, but it needs all old K and V, layer by layer. In {LLAMA.name}, "
            f"{count(LONG)} tokens hold {size(LLAMA.kv_bytes(LONG))} in [float16](term:dtype), read "
            f"once for each new token; a number read serves {short(LLAMA.n_heads / (LLAMA.n_kv_heads or 1))} query "
            "heads, one multiplication each. If the memory delivers numbers more slowly than the chip "
            "can use them, [reading sets the time](term:bound), whatever the peak arithmetic. Larger "
            "[batches](term:batch) share the reading of *weights*; each request still brings K and V of its "
            "own. Whether this is the limit depends on model, length, batch and kernel: measure it.",
            f"新的一行运算很少，却要逐层用到全部旧的 K、V。{LLAMA.name} 里，{count(LONG)} 个 token 在 "
            f"[float16](term:dtype) 下占 {size(LLAMA.kv_bytes(LONG))}，每个新 token 都要读一遍；"
            f"读出的一个数只供 {short(LLAMA.n_heads / (LLAMA.n_kv_heads or 1))} 个查询头各做一次乘法。如果内存供数比"
            "芯片用数慢，[时间就由读取决定](term:bound)，峰值算力再高也没用。增大[批量](term:batch)可以分摊**权重"
            "**的读取，"
            "但每个请求都带来自己的 K、V。它是不是瓶颈取决于模型、长度、批量和内核：请实测。",
        ),
    ),
    (
        Text("“From O(T²) to O(T) per step”: how is that meant?", "“每步从 O(T²) 降到 O(T)”是什么意思？"),
        Text(
            "It is about the attention pairs of *one* step at context length T. A full pass scores T(T + 1)/2, a "
            f"cached step T: at T = {count(N)} that is {count(prefill(N).pairs)} against {count(N)}. "
            f"Projections and FFN fall from T rows to one. Summed over a whole generation of {count(N)} steps the "
            f"pairs fall from {count(naive(N).pairs)} to {count(cached(N).pairs)}: from cubic to quadratic.",
            "它说的是上下文长 T 时**一步**的注意力配对。完整前向算 T(T + 1)/2 对，有缓存的一步算 T 对：T = "
            f"{count(N)} 时是 {count(prefill(N).pairs)} 比 {count(N)}。"
            f"投影和 FFN 从 T 行降到一行。整段 {count(N)} 步加起来，配对数从 {count(naive(N).pairs)} 降到 "
            f"{count(cached(N).pairs)}：从立方级到平方级。",
        ),
    ),
    (
        Text(
            f"Find the error: “attention operations over {N} tokens: O(N²) = {naive(N).rows} naive, O(N) = "
            f"{cached(N).rows} cached”.",
            f"找出错误：“{N} 个 token 的注意力操作：朴素 O(N²) = {naive(N).rows}，缓存 O(N) = {cached(N).rows}”。",
        ),
        Text(
            f"The unit is missing. {count(naive(N).rows)} against {count(cached(N).rows)} are query *rows*. As "
            f"attention is counted, in *pairs*, it is {count(naive(N).pairs)} against {count(cached(N).pairs)}, and "
            f"{count(cached(N).pairs)} now belongs to the cached decoder, which is quadratic. Read "
            f"{count(naive(N).rows)} as the pairs of each newest query and {count(cached(N).rows)} as rows, and the "
            "sentence "
            "compares two different units. A program that counts only the newest query on both sides prints the same "
            "number twice.",
            f"缺了单位。{count(naive(N).rows)} 比 {count(cached(N).rows)} 是查询**行**。注意力该按**配对**数，那是 "
            f"{count(naive(N).pairs)} 比 {count(cached(N).pairs)}；这时 {count(cached(N).pairs)} "
            f"属于有缓存的解码器，它是平方级的。若把 {count(naive(N).rows)} 理解为每步最新查询的配对、把 "
            f"{count(cached(N).rows)} 理解为行，这句话就是拿两种单位相比。"
            "一个程序若两边都只数最新的查询，就会把同一个数打印两遍。",
        ),
    ),
    (
        Text("Is the ratio of the counts the speed-up?", "计数之比就是加速比吗？"),
        Text(
            f"No. {count(N)} steps have {fixed(naive(N).pairs / cached(N).pairs, 1)} times the pairs and "
            f"{fixed(naive(N).rows / cached(N).rows, 1)} times the rows without a cache, and neither is a time. One "
            "pass over many rows "
            "keeps a processor busy; one row at a time often waits for memory. Only a measurement says what is "
            "gained, and it names the device, the length and the batch.",
            f"不是。没有缓存时，{count(N)} 步的配对数是 {fixed(naive(N).pairs / cached(N).pairs, 1)} 倍，行数是 "
            f"{fixed(naive(N).rows / cached(N).rows, 1)} 倍，但两者都不是时间。一次前向处理许多行能让处理器忙起来；"
            "一次一行则常常在等内存。收益要靠测量，并写明设备、长度和批量。",
        ),
    ),
)
