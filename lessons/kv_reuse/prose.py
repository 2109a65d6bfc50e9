"""The text around the player. Figures are computed with the engine."""

from __future__ import annotations

from engine.invalidation import Edit, Reuse, error
from engine.kv_reuse import EXPERIMENT
from engine.prompt_edits import ROUNDING, Experiment, Operation, Sight, kept_tokens, measure, other_than
from lessons.kit.format import fixed
from lessons.kit.text import Text

_AT, _BLOCK, _N = EXPERIMENT.position, 16, EXPERIMENT.length
_LAB = measure(EXPERIMENT)
_EDIT = Edit(EXPERIMENT.tokens, _AT, other_than(EXPERIMENT.tokens[_AT]), 5)
_ALL, _ONE = (fixed(error(_EDIT, reuse), 7) for reuse in (Reuse.EVERYTHING, Reuse.ALL_BUT_EDITED))
_BOTH = measure(Experiment(Operation.APPEND, length=20), Sight.BOTH_WAYS)
_BOTH_K = [fixed(float(k.max()), 3) for k in _BOTH.k]

TITLE = Text("Why old K and V can be kept", "旧的 K 和 V 为什么可以留着")
QUESTION = Text(
    "Which computations really do not change when a token is appended?", "追加一个 token 时，哪些计算真的不会变？"
)

WHY = Text(
    """
To write one [token](term:token), a decoder runs every [layer](term:layer) over the whole text so far. For the next
token it would do all of that again, although only one token is
new. If the old positions’ numbers are the same each time, computing them again is waste.

Whether they are the same is not a matter of taste. It follows from what depends on what, layer by layer; and where
the dependencies
differ, so does the answer. A cache that is kept one step too long gives plausible, wrong text, and no error.
""",
    """
要写出一个 [token](term:token)，解码器要让每一[层](term:layer)走一遍到目前为止的全文。写下一个 token 时又要全部重来，虽
然新的只有一个。
如果旧位置的数每次都一样，重算就是浪费。

它们是否一样，不由感觉决定，而由逐层的依赖关系决定；依赖关系不同，答案也不同。多留了一步的缓存会给出看似合理的错误文
本，而且不报错。
""",
)

HOW = Text(
    r"""
By induction over the layers, for the old positions:

1. Layer 0’s input is token and position: unchanged.
2. In any layer, $k$ and $v$ are made from the input of their own position. Same input, same $k$ and $v$.
3. The [causal mask](term:mask) lets an old query see old positions only. Same query, same visible set: same attention
   output. [Residual](term:residual), [normalisation](term:normalisation) and [feed-forward](term:ffn)
   work position by position: same layer output.
4. That [output](term:hidden-state) is the next layer’s input. So the argument holds in every layer.

The new token then needs, **in each layer**, its own $q, k, v$; it appends $k$ and $v$ to that layer’s table and
computes
$\mathrm{softmax}(q K^{T} / \sqrt{d})\,V$ over all rows. Old $q$ are never used again. A common layout of the tables
is [batch](term:batch), [KV head](term:kv-head), position,
number within the head; [kernels](term:kernel) choose others.
""",
    r"""
对旧位置，逐层归纳：

1. 第 0 层的输入是 token 和位置：没变。
2. 在任何一层，$k$、$v$ 只由本位置的输入算出。输入相同，$k$、$v$ 就相同。
3. [因果掩码](term:mask)只让旧查询看旧位置。查询相同、可见集合相同：注意力输出相同。[残差](term:residual)、[归一
   化](term:normalisation)和[前馈](term:ffn)逐位置进行：层输出相同。
4. 这个[输出](term:hidden-state)就是下一层的输入。于是论证在每一层成立。

新 token 在**每一层**需要自己的 $q, k, v$：把 $k$、$v$ 接到该层的表上，再对所有行计算 $\mathrm{softmax}(q K^{T} /
\sqrt{d})\,V$。
旧的 $q$ 再也用不到。表的一种常见布局是[批](term:batch)、[KV 头](term:kv-head)、位置、头内的数；[内核](term:kernel)也有
别的选择。
""",
)

LIMITS = Text(
    f"""
- It saves **work**: the old rows are not computed again. It costs **resident bytes**, which grow with every token and
  layer, and every step **moves** the old K and V: they
  are read back for each new token. Attention over a long text still grows with its length.
- The proof holds for fixed [weights](term:weights), fixed positions, a mask that never shows an old query anything
  new, and no statistics over positions. [Position rules](term:position-encoding) that change with the total
  length break it, and so does expert routing that drops tokens when a batch is full.
- *The same* is exact in mathematics. In [floating point](term:rounding) a batch of another shape may sum in another
  order: compare with a [tolerance](term:tolerance), and choose it tight. Replacing only the edited
  row of {_N} is off by {_ONE}, which a loose tolerance lets pass.
- A cache belongs to its layer. One layer’s rows are made by that layer’s weights, and mean nothing to another.
- Layer 0 behind a *replaced* token survives, deeper layers do not. That is no licence: a token is reusable only where
  all of its layers are.
""",
    f"""
- 省的是**计算**：旧的行不再重算。代价是**驻留字节**，随 token 数和层数增长；而且每一步都要**搬运**旧的 K、V：每个新
  token 都要把它们读一遍。
  长文本上的注意力仍随长度增长。
- 证明的前提：[权重](term:weights)固定、位置固定、掩码从不让旧查询看到新东西、没有跨位置的统计量。[位置规
  则](term:position-encoding)若随总长度变化，证明就不成立；批满时丢 token 的专家路由也一样。
- “相同”在数学上是精确的。[浮点](term:rounding)运算中，批的形状不同，求和次序就可能不同：要用[容差](term:tolerance)比
  较，而且要取得紧。{_N} 个 token 中只更新被编辑的一行，误差为 {_ONE}，宽松的容差会放过它。
- 缓存属于它的层。一层的行由这一层的权重算出，对别的层没有意义。
- 在**被替换**的 token 之后，第 0 层仍有效，更深的层则不然。但不能因此放行：一个 token 的所有层都有效，才可复用。
""",
)

CHECK = Text(
    f"""
Run once with the cache and once without, and compare the [logits](term:logits) at every position with a tolerance
near rounding (in float64, {fixed(ROUNDING)} is generous). Use more than one layer, several tokens, and an edit
with text behind it: with one layer, another layer’s cache or the edited row alone pass; with an edit at the very end,
so does the edited row alone. Compare K and V row by row as well: the logits of one question can hide a stale row that
nobody looked at. Then
change something that must invalidate, a token, an adapter, a position, and see that the comparison fails.
""",
    f"""
带缓存跑一遍，不带缓存再跑一遍，逐位置比较 [logits](term:logits)，容差取在舍入附近（float64 下 {fixed(ROUNDING)} 已很
宽）。要用不止一层、好几个 token，编辑之后还要有文本：只有一层时，“用错层的缓存”和“只更新被编辑的一行”都会通过；编辑在
最末尾时，后者也会通过。
还要逐行比较 K 和 V：一个问题的 logits 可能掩盖没人看过的失效行。最后故意改一样必须使缓存失效的东西，token、适配器或位
置，确认比较会不通过。
""",
)

FOLLOW_UPS = (
    (
        Text(
            f"After editing token {_AT} of a prompt, which cache can still be used?",
            f"改了提示的第 {_AT} 个 token，缓存还剩多少能用？",
        ),
        Text(
            f"Say first how you count. Counted **from 0**, positions 0 to {_AT - 1} come before it: {_AT} tokens "
            f"stay, position {_AT} and all later ones are computed again. Counted **from 1**, "
            f"the {_AT}th token is position {_AT - 1}: {_AT - 1} tokens stay. A cache that keeps whole blocks of "
            f"{_BLOCK} keeps {kept_tokens(_AT, _BLOCK)} in both cases. In the laboratory, with {_N} tokens, "
            f"layer 0 loses {_LAB.changed(0)[0]} row and each deeper layer {_LAB.changed(1)[0]}. Keeping everything "
            f"puts the next logits off by {_ALL}; renewing only the edited row, by {_ONE}. "
            "All this presumes the same weights, template and positions: another [system "
            "prompt](term:system-prompt), tool list, adapter or position rule may leave a shorter common "
            "[prefix](term:prefix), or none.",
            f"先说清怎么数。**从 0 数**，位置 0 到 {_AT - 1} 在它之前：{_AT} 个 token 可留，位置 {_AT} 及之后重算。"
            f"**从 1 数**，第 {_AT} 个 token 是位置 {_AT - 1}：可留 {_AT - 1} 个。"
            f"按内存块（每块 {_BLOCK} 个）整块保留的缓存，两种数法都留 {kept_tokens(_AT, _BLOCK)} 个。实验室里 {_N} "
            f"个 token，第 0 层失效 {_LAB.changed(0)[0]} 行，更深的每层失效 {_LAB.changed(1)[0]} 行。"
            f"全部照用，接下来的 logits 偏差 {_ALL}；只更新被编辑的行，偏差 {_ONE}。以上都以权重、模板、位置不变为前"
            "提：[系统提示](term:system-prompt)、工具列表、适配器或位置规则一换，公共[前缀](term:prefix)就可能变短，"
            "甚至一个也不剩。",
        ),
    ),
    (
        Text("Why does training not reuse K and V across optimizer steps?", "训练为什么不跨优化步复用 K 和 V？"),
        Text(
            "Each step changes the weights, and K and V are made by the weights: the old ones belong to a model that "
            "no longer exists. The laboratory’s [adapter](term:adapter) shows it: one layer’s V "
            "weights change, and that layer’s v and everything above it change. Training also needs the graph of the "
            "computation for its [gradients](term:backward), which stored numbers lack. "
            "Within one step a whole text goes through at once, so there is nothing to save in the first place. "
            "Caching belongs to [inference](term:inference) with fixed weights.",
            "每一步都改权重，而 K、V 由权重算出：旧的属于一个已不存在的模型。实验室里的[适配器](term:adapter)说明了这"
            "一点：只改一层的 V 权重，该层的 v 和上面的一切就变了。"
            "训练还要靠计算图求[梯度](term:backward)，而存下来的只是数。而且训练一步里全文一次走完，本来就没有可省"
            "的。缓存属于权重固定的[推理](term:inference)。",
        ),
    ),
    (
        Text("For which models does the proof fail?", "这个证明对哪些模型不成立？"),
        Text(
            f"Where an old position can see a new one. Appending one token to {_BOTH.compared} in a [bidirectional "
            f"model](term:bidirectional) changes old k by {_BOTH_K[0]}, {_BOTH_K[1]} and {_BOTH_K[2]} in layers 0, 1 "
            "and 2: layer 0 still holds, for its k comes "
            "from the token and its position alone. A prefix-LM is safe as long as the append falls behind its "
            "prefix. A [sliding window](term:sliding-window) is safe for appends, and needs only the rows in the "
            "window. Normalisation over "
            "positions, positions that depend on the total length, [recurrent states](term:recurrent-state) and "
            "mixtures of these each need an argument of their own.",
            f"旧位置能看见新位置的模型。[双向模型](term:bidirectional)的 {_BOTH.compared} 个 token 之后追加一个，第 "
            f"0、1、2 层旧 k 的变化是 {_BOTH_K[0]}、{_BOTH_K[1]}、{_BOTH_K[2]}：第 0 层仍有效，因为它的 k 只由 token "
            "和位置算出。"
            "前缀 LM 只要追加在前缀之后就没问题。[滑动窗口](term:sliding-window)模型追加没问题，而且只需要窗口内的"
            "行。跨位置的归一化、随总长度变化的位置、[循环状态](term:recurrent-state)，以及它们的混合，都要各自论证。",
        ),
    ),
    (
        Text("Is the cache one vector of the text that all layers share?", "缓存是不是各层共用的一份文本向量？"),
        Text(
            "No. Each layer has its own rows. Choose the mistakes “only the top layer cached” and “layer 0’s cache "
            "for all layers” in the player: the rows fit in shape, so nothing complains, and the logits are off.",
            "不是。每一层有自己的行。在播放器里选“只缓存最顶层”或“所有层共用第 0 层的缓存”：形状都对得上，没有任何报"
            "错，logits 却错了。",
        ),
    ),
)
