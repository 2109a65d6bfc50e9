"""The output of one query, folded tile by tile. | 逐个分块累计一个查询的输出。"""

import numpy as np


def exp(s, m):
    """e^(s − m), and 0 where all is masked. | e^(s − m)；全被屏蔽时为 0。"""
    return np.exp(s - m) if m > -np.inf else np.zeros_like(s)


def divide(u, l):
    """u / l, and 0 where no key was visible. | u / l；没有可见的键时为 0。"""
    return np.zeros_like(u) if l == 0 else u / l


def plain(scores, values):
    """With the whole table of scores. | 用整张分数表。"""
    p = exp(scores, scores.max())  # @plain
    return divide(p @ values, p.sum())  # @plain


def fold(scores, values, order, tile_size):
    m, l, u = -np.inf, 0.0, np.zeros(values.shape[1])  # all that is held | 全部累计
    for start in range(0, len(order), tile_size):  # @read
        tile = order[start : start + tile_size]  # @read
        s, v = scores[tile], values[tile]  # @read

        m_new = max(m, s.max())  # @compare
        alpha = exp(m, m_new)  # 1 unless the maximum rises | 最大值不升则为 1  # @alpha
        l, u = alpha * l, alpha * u  # @shrink

        p = exp(s, m_new)  # @weights
        l, u = l + p.sum(), u + p @ v  # @add
        m = m_new  # @keep
    return divide(u, l)  # @divide
