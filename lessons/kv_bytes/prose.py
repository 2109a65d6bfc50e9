"""The matter around the player: why, how, limits, how to check, the questions asked next. Every number is computed."""

from __future__ import annotations

from engine.kv_error import Part
from engine.kv_formats import INT4
from engine.kv_size import GIB, Device, Scenario
from engine.models import MODELS
from lessons.kit.format import count, gb, gib, short, six
from lessons.kit.text import Text
from lessons.kv_bytes.charts.rounding import K_SAID, SAID, V_SAID, small, weights_moved
from lessons.kv_bytes.naming import decimal, milliseconds, rounded
from lessons.kv_bytes.presets import CHAPTER, LONG, SCALED

_M, _T, _BYTES = CHAPTER.model, CHAPTER.seq_len, CHAPTER.cache_bytes
_BANDWIDTH = short(Device().bandwidth_tb)
_READ = milliseconds(Device().read_seconds(_BYTES))
_INT4, _INT4_SCALED = INT4.kv_bytes(_M, _T), SCALED.kv_bytes(_M, _T)
_70B = Scenario(MODELS["Llama-3-70B"], LONG).cache_bytes

TITLE = Text("KV bytes", "KV 字节数")
QUESTION = Text(
    "How much memory do the keys and values of a long context take?", "一段长上下文的键和值到底占多少显存？"
)

WHY = Text(
    f"""
The [KV cache](term:kv-cache) trades memory for work: old keys and values are kept so that nothing old is computed
again. What is kept grows with every token of every sequence, and can come to rival the weights: {count(_T)} tokens of
{_M.name} take {gib(_BYTES)}. Anyone who serves long contexts must know the figure before the memory runs out, and it
is easily wrong by a factor: several slips on this page stand in published texts and tools.
""",
    f"""
[KV 缓存](term:kv-cache)用显存换计算：旧的键和值留着，就不必重算。留下的东西随每条序列的每个 token 增长，积累起来可与
权重相当：{_M.name} 的 {count(_T)} 个 token 占 {gib(_BYTES)}。要服务长上下文，就得在显存用完之前知道这个数；而它很容易
差出好几倍：本页的好几种失误，都真的出现在公开的文章和工具里。
""",
)

HOW = Text(
    r"""
Multiply what is kept, one factor at a time:

$\mathrm{bytes} = 2 \cdot L \cdot B \cdot T \cdot H_{kv} \cdot D_h \cdot b$

1. $L$ layers, $B$ sequences, $T$ tokens: the rows. A layer with a [window](term:sliding-window) counts $\min(T, W)$
   tokens.
2. $H_{kv}$ [KV heads](term:kv-head) of $D_h$ numbers: one K. [MLA](term:mla) has one latent and one rotated part
   instead.
3. $b$ bytes a number, and the [scales](term:quantisation) where a format has them.
4. The 2 in front is K and V. It is not the number of bytes, and MLA does without it.
""",
    r"""
把保存的东西逐个因子乘起来：

$\mathrm{bytes} = 2 \cdot L \cdot B \cdot T \cdot H_{kv} \cdot D_h \cdot b$

1. $L$ 层、$B$ 条序列、$T$ 个 token：得到行数。带[窗口](term:sliding-window)的层只算 $\min(T, W)$ 个 token。
2. $H_{kv}$ 个 [KV 头](term:kv-head)，每个 $D_h$ 个数：得到一份 K。[MLA](term:mla) 则是一个潜在向量和一个旋转部分。
3. 每个数 $b$ 字节；格式若带[比例因子](term:quantisation)，再加上它们。
4. 最前面的 2 是 K 和 V 两份。它不是字节数，MLA 也不用它。
""",
)

LIMITS = Text(
    f"""
- It counts **bytes resident** and nothing else: no weights, no workspace, no activations, no tables of the server.
  Memory handed out in blocks is rounded up, and freed memory may lie in pieces.
- Device memory divided by this number is **not** the number of requests that can run. Lengths differ and grow, and a
  server keeps room in reserve.
- One product does not fit every model: windows, latents, layers that share a cache, other widths for K than for V.
  Every layer is taken here to have a cache of its own, and no cache to be copied over several devices.
- A figure in GB and one in GiB are different numbers: {gib(_70B)} are {gb(_70B)}, which is more than {
        six(_70B / GIB)
    } GB.
- Smaller is not free: fewer KV heads, windows and fewer bits each change what the model computes. Only measuring
  tells whether it matters.
""",
    f"""
- 它只数**驻留的字节**：不含权重、工作区、激活值和服务的各种表。按内存块分配时要向上取整，释放后的显存还可能零碎。
- 设备显存除以这个数，**不等于**能同时处理的请求数。长度各异且会增长，服务还要留出余地。
- 一个乘积套不住所有模型：窗口、潜在向量、几层共用一份缓存、K 与 V 宽度不同。这里假定每层各有一份缓存，并且没有在多台
  设备上重复存放。
- GB 与 GiB 是不同的数：{gib(_70B)} 等于 {gb(_70B)}，超过 {six(_70B / GIB)} GB。
- 变小不是免费的：减少 KV 头、加窗口、降低位数，都会改变模型算出的东西。影响大不大，只有实测才知道。
""",
)

CHECK = Text(
    f"""
Count one token first: {rounded(CHAPTER.token_bytes)} for {_M.name}, then multiply by the tokens. Take every factor
from the model’s own configuration, the number of KV heads and the head size above all. For a small case count the
numbers by hand: one layer, three positions of four numbers, K and V. Then compare with what the server reports when
it starts, in the same unit, and expect it to reserve more than this.
""",
    f"""
先算一个 token：{_M.name} 是 {rounded(CHAPTER.token_bytes)}，再乘 token 数。每个因子都从模型自己的配置里取，尤其是
KV 头数和头维度。再用小例子亲手数一遍：一层、三个位置、每行四个数，K 和 V。最后与服务启动时报告的数比较，单位要一致；
它通常会预留得更多。
""",
)

FOLLOW_UPS = (
    (
        Text("Why may memory bandwidth limit decoding at long contexts?", "长上下文解码时，瓶颈为什么可能是显存带宽？"),
        Text(
            "A [decode](term:decode) step computes for one new token, but reads the whole cache, layer by layer. "
            f"At {_BANDWIDTH} TB/s the chapter’s {gib(_BYTES)} ({decimal(_BYTES)}) take at least {_READ} to read, "
            "for each token, whatever the arithmetic could do meanwhile; the weights must be read as well. More "
            "sequences in a batch share the reading of the weights, but each brings its own cache. A high peak of "
            "arithmetic therefore says little about one long request: look at the kernel and measure.",
            f"一个[解码](term:decode)步只为一个新 token 计算，却要逐层读完整个缓存。以 {_BANDWIDTH} TB/s 计，本章例"
            f"子的 {gib(_BYTES)}（{decimal(_BYTES)}）每个 token 至少要读 {_READ}，无论这段时间里能做多少运算；权重也"
            "要读一遍。多条序列一起处理，权重只读一遍，缓存却要各读各的。算力峰值因此说明不了单个长请求有多快：请看"
            "内核，请实测。",
        ),
    ),
    (
        Text("Is quantising the cache the same as quantising the weights?", "量化缓存和量化权重是一回事吗？"),
        Text(
            "No. [Quantised](term:quantisation) weights shrink what is stored and read once for all requests. A "
            "quantised cache shrinks what grows with context and with the number of requests. The errors differ as "
            "well: an error in K moves the [scores](term:score), so attention looks elsewhere; an error in V "
            "changes what is handed over. See the last chart under Explore, computed on the little decoder: at "
            f"{SAID} bits, in the first layer that reads the cache, rounded K changes {weights_moved(Part.K).en}, "
            f"by up to {small(K_SAID.weights)}; rounded V changes {weights_moved(Part.V).en}, yet the output by up "
            f"to {small(V_SAID.output)}. Count the scales: at 4 bits the chapter’s cache is {rounded(_INT4)}, with "
            f"a scale for every {SCALED.group} numbers {rounded(_INT4_SCALED)}. Judge it on long contexts and "
            "several tasks, not on short answers.",
            "不是。[量化](term:quantisation)权重，省在大家共用、只存一份的参数上；量化缓存，省在每条序列各有一份、"
            "还会变长的那部分上。出错的方式也不同：K 错了，[分数](term:score)就错，注意力会看错地方；V 错了，看对了"
            f"地方，取回的内容却错了。“探索”里最后一张图用小解码器算给你看：{SAID} 位时，在最先读缓存的一层里，舍入 "
            f"K，{weights_moved(Part.K).zh}变了，最多变 {small(K_SAID.weights)}；舍入 V，{weights_moved(Part.V).zh}"
            f"变了，输出却最多变 {small(V_SAID.output)}。别忘了比例因子：4 位时本章的缓存是 {rounded(_INT4)}，每 "
            f"{SCALED.group} 个数配一个比例因子则是 {rounded(_INT4_SCALED)}。短回答好不代表长上下文也好：两样都要"
            "测，任务也要多几种。",
        ),
    ),
    (
        Text("How is a prompt cache related to the KV cache?", "提示缓存（prompt cache）和 KV 缓存有什么关系？"),
        Text(
            "The KV cache is a state of the computation. A prompt cache is a service’s promise to reuse the work "
            "on a repeated prefix; it may keep K and V for it, or something else. A hit follows the service’s own "
            "rules: a conversation that is stored is not a hit, and the tokens billed as cached do not tell which "
            "bytes lie in which memory.",
            "两者不在同一层。KV 缓存是推理中间的一份数据；提示缓存是一项服务：提示的开头若与以前相同，就不再重算。"
            "它可以留着 K 和 V，也可以用别的办法。聊天记录还在，不代表下次就会命中，命中与否由服务的规则决定；账单"
            "上的“缓存 token”也看不出哪些字节还在显存里。",
        ),
    ),
)
