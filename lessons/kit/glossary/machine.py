"""Terms of the machine: its memories, its programs, and what sets the pace."""

from __future__ import annotations

from lessons.kit.glossary.term import Term
from lessons.kit.text import Text

MACHINE: dict[str, Term] = {
    "gpu": Term(
        Text("GPU (accelerator)", "GPU（加速器）"),
        Text(
            "A processor with very many arithmetic units (in [SMs](term:sm)), a little [SRAM](term:sram) beside them "
            "and a large main memory, often [HBM](term:hbm).",
            "有大量运算单元的处理器（分在各个 [SM](term:sm) 里）：旁边是一点 [SRAM](term:sram)，外面是大容量的主显"
            "存，常用 [HBM](term:hbm)。",
        ),
    ),
    "hbm": Term(
        Text("HBM (slow memory)", "HBM（慢速显存）"),
        Text(
            "“High-bandwidth memory”: the [accelerator’s](term:gpu) large main memory, slow only beside "
            "[SRAM](term:sram); every byte to or from it takes time.",
            "“高带宽内存”：[加速器](term:gpu)的大容量主显存，只是比 [SRAM](term:sram) 慢；进出的每个字节都要花时间。",
        ),
    ),
    "sram": Term(
        Text("SRAM (fast memory, on-chip)", "SRAM（快速片上内存）"),
        Text(
            "Small memory on the chip, beside the arithmetic units; a [tile](term:tile) must fit into it.",
            "芯片上紧挨运算单元的小内存；一个[分块](term:tile)必须放得下。",
        ),
    ),
    "sm": Term(
        Text("SM (streaming multiprocessor)", "SM（流式多处理器）"),
        Text(
            "One of the many processors inside an NVIDIA [GPU](term:gpu), each with a share of the [SRAM](term:sram).",
            "NVIDIA [GPU](term:gpu) 里的许多处理器之一，各有自己的一份 [SRAM](term:sram)。",
        ),
    ),
    "tile": Term(
        Text("tile", "分块（tile）"),
        Text(
            "The keys and values (or queries) computed on together in [fast memory](term:sram): the unit of compute. "
            "Not a [block](term:block), the unit of memory.",
            "在[快速内存](term:sram)里一起参与计算的一组键和值（或查询），是计算的单位；[内存块（block）"
            "](term:block)则是存储的单位。",
        ),
    ),
    "kernel": Term(
        Text("kernel", "内核（kernel）"),
        Text(
            "One program that a [GPU](term:gpu) runs, such as a matrix product. It reads its inputs from "
            "[HBM](term:hbm) and leaves its results there.",
            "[GPU](term:gpu) 运行的一个程序，例如一次矩阵乘法。它从 [HBM](term:hbm) 读输入，把结果写回那里。",
        ),
    ),
    "fusion": Term(
        Text("kernel fusion", "内核融合"),
        Text(
            "Several operations in one [kernel](term:kernel), so that what lies between them never goes to "
            "[HBM](term:hbm).",
            "把几个运算放进一个[内核](term:kernel)，中间结果就不必经过 [HBM](term:hbm)。",
        ),
    ),
    "flash-attention": Term(
        Text("FlashAttention", "FlashAttention"),
        Text(
            "A [fused](term:fusion) kernel for [exact](term:exact) attention: [online softmax](term:online-softmax) "
            "over tiles, so that the [score table](term:score-table) is never stored. It saves bytes moved, not "
            "pairs.",
            "[融合](term:fusion)的[精确](term:exact)注意力内核：按分块做[在线 softmax](term:online-softmax)，从不保存"
            "[分数表](term:score-table)。省的是搬运的字节，不是配对。",
        ),
    ),
    "bandwidth": Term(
        Text("memory bandwidth", "显存带宽"),
        Text(
            "Bytes that can be read or written per second. Bytes to move ÷ bandwidth is the least time it takes, "
            "whatever the arithmetic.",
            "每秒能读写的字节数。要搬运的字节 ÷ 带宽，就是至少要花的时间，与运算多快无关。",
        ),
    ),
    "flop": Term(
        Text("FLOP", "FLOP（浮点运算）"),
        Text(
            "One operation on [floating-point](term:rounding) numbers, an addition or a multiplication; FLOP/s is "
            "how many a second.",
            "对[浮点数](term:rounding)的一次运算：一次加法或一次乘法；FLOP/s 是每秒多少次。",
        ),
    ),
    "arithmetic-intensity": Term(
        Text("arithmetic intensity", "计算强度"),
        Text(
            "[FLOP](term:flop) for each byte moved. Where it is low, [bandwidth](term:bandwidth) sets the time: "
            "[memory-bound](term:bound).",
            "每搬运一个字节所做的 [FLOP](term:flop)。强度低时，时间由[带宽](term:bandwidth)决定：[受内存限制"
            "](term:bound)。",
        ),
    ),
    "bound": Term(
        Text("memory-bound, compute-bound", "受内存限制、受算力限制"),
        Text(
            "What sets the time: moving bytes or computing; see [arithmetic intensity](term:arithmetic-intensity). "
            "[Decode](term:decode) at long context is often the former, [prefill](term:prefill) usually the latter.",
            "时间由什么决定：搬运字节还是运算，见[计算强度](term:arithmetic-intensity)。长上下文的[解码"
            "](term:decode)常是前者，[预填充](term:prefill)通常是后者。",
        ),
    ),
    "tensor-parallelism": Term(
        Text("tensor parallelism", "张量并行"),
        Text(
            "The [weights](term:weights) and [heads](term:head) of each layer are split over several devices; as a "
            "rule each keeps the part of the [KV cache](term:kv-cache) that its heads need.",
            "把每层的[权重](term:weights)和[头](term:head)分到几台设备上；通常每台只存自己那些头所需的 [KV 缓存"
            "](term:kv-cache)。",
        ),
    ),
    "varlen": Term(
        Text("varlen (variable length)", "varlen（变长）"),
        Text(
            "A [batch](term:batch) of sequences of unequal length, laid end to end without padding; the "
            "[kernel](term:kernel) is told where each one starts.",
            "一[批](term:batch)长短不一的序列首尾相接，不填充；另外告诉[内核](term:kernel)每条从哪里开始。",
        ),
    ),
}
