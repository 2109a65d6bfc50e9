"""Terms of the model itself: what a token goes through."""

from __future__ import annotations

from lessons.kit.glossary.term import Term
from lessons.kit.text import Text

MODEL: dict[str, Term] = {
    "token": Term(
        Text("token", "token"),
        Text(
            "The unit that a model reads and writes: a word or a piece of one, given as a number.",
            "模型读写的单位：一个词或词的一部分，用一个编号表示。",
        ),
    ),
    "prompt": Term(
        Text("prompt", "提示（prompt）"),
        Text(
            "The [tokens](term:token) that a request sends to be continued; the [prefill](term:prefill) runs them.",
            "请求送来、要求续写的那些 [token](term:token)；由[预填充](term:prefill)处理。",
        ),
    ),
    "context": Term(
        Text("context", "上下文"),
        Text(
            "All [tokens](term:token) that the next one may look back on: the [prompt](term:prompt) and what has "
            "been written since.",
            "下一个 [token](term:token) 可以回看的全部 token：[提示](term:prompt)和此后已写出的内容。",
        ),
    ),
    "position": Term(
        Text("position", "位置"),
        Text(
            "The place of a [token](term:token) in its sequence, counted from 0. A [slot](term:slot) is a place in "
            "memory; paging decides the slot and leaves the position alone.",
            "[token](term:token) 在序列中的次序，从 0 数起。[槽位](term:slot)是内存里的地方；分页决定槽位，不改变位"
            "置。",
        ),
    ),
    "embedding": Term(
        Text("embedding", "嵌入（embedding）"),
        Text(
            "The vector with which a [token](term:token) enters the first [layer](term:layer), read from a table "
            "among the [model weights](term:weights).",
            "[token](term:token) 进入第一[层](term:layer)时的向量，从[模型权重](term:weights)里的一张表查得。",
        ),
    ),
    "position-encoding": Term(
        Text("position encoding", "位置编码"),
        Text(
            "What tells the model where a token stands, such as a vector added to its [embedding](term:embedding), "
            "or a rotation of query and key ([RoPE](term:rope)).",
            "让模型知道 token 在第几位的办法，例如给[嵌入](term:embedding)加一个向量，或旋转查询和键"
            "（[RoPE](term:rope)）。",
        ),
    ),
    "rope": Term(
        Text("RoPE (rotary position embedding)", "RoPE（旋转位置编码）"),
        Text(
            "Turns pairs of numbers in [query](term:query) and [key](term:key) by angles proportional to the "
            "[position](term:position), so that positions enter a score only by their difference.",
            "把[查询](term:query)和[键](term:key)里成对的数旋转一个与[位置](term:position)成正比的角度，于是位置只以"
            "两者之差影响分数。",
        ),
    ),
    "decoder": Term(
        Text("decoder", "解码器（decoder）"),
        Text(
            "A stack of [layers](term:layer) with a causal [mask](term:mask) that predicts the next token. Not "
            "[decode](term:decode), a phase of running it.",
            "由多个带因果[掩码](term:mask)的[层](term:layer)叠成，预测下一个 token。[解码](term:decode)则是运行它的一"
            "个阶段。",
        ),
    ),
    "autoregressive": Term(
        Text("autoregressive", "自回归"),
        Text(
            "Writing one [token](term:token) after another, each predicted from all before it and then appended to "
            "them.",
            "一个接一个地写 [token](term:token)：每个都由前面的全部 token 预测，再接到后面。",
        ),
    ),
    "layer": Term(
        Text("layer", "层"),
        Text(
            "One stage of the model: as a rule [attention](term:attention), then an [FFN](term:ffn), each added as a "
            "[residual](term:residual). Every layer has weights of its own.",
            "模型的一级：通常先做[注意力](term:attention)，再过 [FFN](term:ffn)，两者都以[残差](term:residual)方式相"
            "加。每层有自己的权重。",
        ),
    ),
    "hidden-state": Term(
        Text("hidden state", "隐藏状态"),
        Text(
            "The vector of one [position](term:position) on its way through the [layers](term:layer). Under a causal "
            "[mask](term:mask) it depends on this and earlier tokens only.",
            "一个[位置](term:position)在各[层](term:layer)之间传递的向量。有因果[掩码](term:mask)时，它只依赖本 "
            "token 和更早的 token。",
        ),
    ),
    "hidden-size": Term(
        Text("hidden size", "隐藏维度"),
        Text(
            "How many numbers a [hidden state](term:hidden-state) has: the width d of the model.",
            "[隐藏状态](term:hidden-state)里数的个数，即模型的宽度 d。",
        ),
    ),
    "residual": Term(
        Text("residual connection", "残差连接（residual）"),
        Text(
            "A part’s result is added to its input instead of replacing it: x becomes x + "
            "[attention](term:attention), then x + [FFN](term:ffn).",
            "一部分的结果加到输入上，而不是取代输入：x 变成 x + [注意力](term:attention)，再变成 x + [FFN](term:ffn)。",
        ),
    ),
    "ffn": Term(
        Text("FFN (feed-forward network)", "FFN（前馈网络）"),
        Text(
            "Matrix products with a nonlinear function between them, applied to the [hidden "
            "state](term:hidden-state) of each position by itself; in a [layer](term:layer) it usually follows "
            "attention.",
            "几次矩阵乘法，中间夹一个非线性函数，对每个位置的[隐藏状态](term:hidden-state)单独进行；在[层"
            "](term:layer)里通常排在注意力之后。",
        ),
    ),
    "normalisation": Term(
        Text("normalisation", "归一化"),
        Text(
            "Brings one position’s [hidden state](term:hidden-state) to a standard size (LayerNorm, RMSNorm). In a "
            "[softmax](term:softmax) the word means dividing by the [denominator](term:denominator).",
            "把一个位置的[隐藏状态](term:hidden-state)调到标准大小（LayerNorm、RMSNorm）。说 [softmax](term:softmax) "
            "时，则指除以[分母](term:denominator)。",
        ),
    ),
    "projection": Term(
        Text("projection (Wq, Wk, Wv, Wo)", "投影（Wq、Wk、Wv、Wo）"),
        Text(
            "A vector times a weight matrix: Wq, Wk and Wv make [query](term:query), [key](term:key) and "
            "[value](term:value); Wo turns the outputs of all [heads](term:head) back into one vector.",
            "向量乘以权重矩阵：Wq、Wk、Wv 得到[查询](term:query)、[键](term:key)、[值](term:value)；Wo 把所有[头"
            "](term:head)的输出变回一个向量。",
        ),
    ),
    "weights": Term(
        Text("model weights (parameters)", "模型权重（参数）"),
        Text(
            "The numbers learned in training, the same for every request. An [attention "
            "weight](term:attention-weight) is something else: it is computed anew each time.",
            "训练得到的数，对每个请求都相同。[注意力权重](term:attention-weight)是另一回事：它每次重新算出。",
        ),
    ),
    "logits": Term(
        Text("logits", "logits"),
        Text(
            "One number for each possible next [token](term:token), from the last [hidden state](term:hidden-state); "
            "[softmax](term:softmax) turns them into probabilities.",
            "每个可能的下一个 [token](term:token) 各有一个数，由最后的[隐藏状态](term:hidden-state)算出；经 "
            "[softmax](term:softmax) 变成概率。",
        ),
    ),
    "sampling": Term(
        Text("sampling", "采样"),
        Text(
            "Drawing the next token at random, by the probabilities from the [logits](term:logits). Greedy decoding "
            "takes the most likely one instead.",
            "按 [logits](term:logits) 给出的概率随机抽取下一个 token。贪心解码则总取最可能的那个。",
        ),
    ),
    "beam-search": Term(
        Text("beam search", "束搜索"),
        Text(
            "Follows several continuations (beams) at once and drops the less likely ones; a beam that splits is a "
            "[fork](term:fork).",
            "同时跟踪几条续写（束），丢掉可能性较小的；一条束分成几条，就是[分叉](term:fork)。",
        ),
    ),
    "inference": Term(
        Text("inference", "推理（inference）"),
        Text(
            "Running a model whose [weights](term:weights) stay fixed. A [KV cache](term:kv-cache) rests on that: a "
            "training step changes the weights, and with them K and V.",
            "运行[权重](term:weights)固定的模型。[KV 缓存](term:kv-cache)以此为前提：训练每走一步权重就变，K 和 V 也"
            "随之改变。",
        ),
    ),
    "backward": Term(
        Text("backward pass (gradients)", "反向传播（梯度）"),
        Text(
            "Training’s way from the output back to the gradients of the [weights](term:weights). There "
            "[FlashAttention](term:flash-attention) recomputes attention weights instead of storing them.",
            "训练时从输出往回求[权重](term:weights)的梯度。[FlashAttention](term:flash-attention) 在这里重算注意力权"
            "重，而不是存着它们。",
        ),
    ),
    "bidirectional": Term(
        Text("bidirectional model", "双向模型"),
        Text(
            "Its positions see later ones too, as in an encoder. Appending a token changes old [hidden "
            "states](term:hidden-state), so old K and V cannot simply be kept.",
            "每个位置也能看到后面的位置，例如编码器。追加一个 token 会改变旧的[隐藏状态](term:hidden-state)，所以旧的"
            " K、V 不能照用。",
        ),
    ),
    "recurrent-state": Term(
        Text("recurrent state", "循环状态"),
        Text(
            "Some layers keep one state of fixed size, updated at each token, instead of K and V of every token. "
            "Hybrid models mix them with [attention](term:attention).",
            "有些层不保存每个 token 的 K、V，而是保存一份大小固定的状态，每个 token 更新一次。混合模型把它们与[注意力"
            "](term:attention)并用。",
        ),
    ),
    "adapter": Term(
        Text("adapter", "适配器"),
        Text(
            "A small change to a model’s [weights](term:weights), chosen by the request (LoRA, say); K and V change "
            "with it.",
            "按请求选用的一小部分[权重](term:weights)改动（如 LoRA）；K 和 V 会随之改变。",
        ),
    ),
}
