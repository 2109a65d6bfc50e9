"""Terms of the online softmax, and of the numbers that it is computed with."""

from __future__ import annotations

from lessons.kit.glossary.term import Term
from lessons.kit.text import Text

SOFTMAX: dict[str, Term] = {
    "softmax": Term(
        Text("softmax", "softmax"),
        Text(
            "Turns [scores](term:score) into weights that sum to 1: [e^s](term:exp) of each, divided by the sum of "
            "all.",
            "把[分数](term:score)变成总和为 1 的权重：各自取 [e^s](term:exp)，再除以总和。",
        ),
    ),
    "online-softmax": Term(
        Text("online softmax", "在线 softmax"),
        Text(
            "A [softmax](term:softmax) average [tile](term:tile) by tile: holds [m](term:maximum), "
            "[ℓ](term:denominator) and [u](term:accumulator), and [rescales](term:alpha) ℓ and u when m rises.",
            "按[分块](term:tile)逐个计算的 [softmax](term:softmax) 加权平均：只留 [m](term:maximum)、"
            "[ℓ](term:denominator)、[u](term:accumulator)，m 上升时[缩放](term:alpha) ℓ 和 u。",
        ),
    ),
    "maximum": Term(
        Text("running maximum m", "当前最大值 m"),
        Text(
            "The largest [score](term:score) read so far; subtracted before [exp](term:exp) so that no power "
            "overflows.",
            "目前读到的最大[分数](term:score)；取 [exp](term:exp) 前先减去它，以免溢出。",
        ),
    ),
    "denominator": Term(
        Text("denominator ℓ", "分母 ℓ"),
        Text(
            "The sum of e^(s − [m](term:maximum)) over the keys read so far.",
            "已读各键的 e^(s − [m](term:maximum)) 之和。",
        ),
    ),
    "accumulator": Term(
        Text("accumulator u", "累加器 u"),
        Text(
            "The sum of e^(s − [m](term:maximum)) times the [value](term:value) over the keys read so far; not yet "
            "divided by [ℓ](term:denominator).",
            "已读各键的 e^(s − [m](term:maximum)) 乘以[值](term:value)之和；尚未除以 [ℓ](term:denominator)。",
        ),
    ),
    "alpha": Term(
        Text("rescale factor α", "缩放因子 α"),
        Text(
            "e^(old [maximum](term:maximum) − new maximum), at most 1: puts [ℓ](term:denominator) and "
            "[u](term:accumulator) on the new scale.",
            "e^(旧[最大值](term:maximum) − 新最大值)，不超过 1：把 [ℓ](term:denominator) 和 [u](term:accumulator) 换"
            "到新基准。",
        ),
    ),
    "exp": Term(
        Text("exp", "指数函数 exp"),
        Text(
            "e to a power. It grows so fast that each [number format](term:dtype) overflows at a modest argument.",
            "e 的幂。增长极快，每种[数值格式](term:dtype)在不大的自变量处就会溢出。",
        ),
    ),
    "lse": Term(
        Text("log-sum-exp", "log-sum-exp"),
        Text(
            "ln Σ e^s = [m](term:maximum) + ln [ℓ](term:denominator): one number that lets two partial results be "
            "merged.",
            "ln Σ e^s = [m](term:maximum) + ln [ℓ](term:denominator)：凭这一个数就能合并两份部分结果。",
        ),
    ),
    "rounding": Term(
        Text("floating point and rounding", "浮点数与舍入"),
        Text(
            "Numbers with a fixed count of digits ([dtype](term:dtype)); each sum is rounded, so the order of a sum "
            "can change its last bits. Compare with a [tolerance](term:tolerance).",
            "位数固定的数（[dtype](term:dtype)）；每次相加都要舍入，所以求和次序会影响末几位。比较时要用[容差"
            "](term:tolerance)。",
        ),
    ),
    "tolerance": Term(
        Text("tolerance", "容差"),
        Text(
            "How far apart two results may be and still count as equal, because of [rounding](term:rounding). A "
            "loose one lets real errors pass.",
            "考虑到[舍入](term:rounding)，两个结果相差多少以内仍算相同。取得太宽，真正的错误也会放过。",
        ),
    ),
    "dtype": Term(
        Text("number format (dtype)", "数值格式（dtype）"),
        Text(
            "How many bits a number has: FP32 takes 4 bytes, FP16 and BF16 take 2, FP8 takes 1. Fewer bits "
            "[round](term:rounding) more coarsely.",
            "一个数用多少位：FP32 占 4 字节，FP16 和 BF16 占 2 字节，FP8 占 1 字节。位数越少，[舍入](term:rounding)越"
            "粗。",
        ),
    ),
    "quantisation": Term(
        Text("quantisation", "量化"),
        Text(
            "Storing numbers in fewer bits, usually with a scale shared by a group. Of [weights](term:weights): less "
            "to load; of K and V: a smaller [KV cache](term:kv-cache).",
            "用更少的位存数，通常每组数共用一个比例因子。量化[权重](term:weights)，要读的字节变少；量化 K、V，[KV 缓"
            "存](term:kv-cache)变小。",
        ),
    ),
    "nan": Term(
        Text("NaN", "NaN"),
        Text(
            "“Not a number”: what −∞ − (−∞) or 0 ÷ 0 gives, for instance in a fully [masked](term:mask) row. Sums "
            "and products with it are NaN as well.",
            "“不是一个数”：−∞ − (−∞) 或 0 ÷ 0 的结果，例如在全被[屏蔽](term:mask)的一行里。与它相加、相乘，结果还是 "
            "NaN。",
        ),
    ),
    "gib": Term(
        Text("GiB and GB", "GiB 与 GB"),
        Text(
            "GiB is 2³⁰ bytes, GB is 10⁹ bytes; the same memory has a larger figure in GB.",
            "GiB 是 2³⁰ 字节，GB 是 10⁹ 字节；同样的内存用 GB 表示数字更大。",
        ),
    ),
}
