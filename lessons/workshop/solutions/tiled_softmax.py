"""Softmax without the table of scores, folded tile by tile. | 不存分数表的 softmax：逐个分块累计。"""

import numpy as np


def fold(scores, values, tile_size):
    """The values (n, d), averaged with weights softmax(scores). | 以 softmax(scores) 为权重的平均。"""
    # Between tiles only m, l and u are held: | 分块之间只保留 m、l 和 u：
    # m is the largest score so far, l = Σ e^(s − m), u = Σ e^(s − m) v. | m 是目前最大的分数，后两者是和。
    # A masked key has the score −∞. Where no key is visible, return 0. | 被屏蔽的键分数为 −∞；没有可见的键时返回 0。
    m, l, u = -np.inf, 0.0, np.zeros(values.shape[1])
    for start in range(0, len(scores), tile_size):
        s, v = scores[start : start + tile_size], values[start : start + tile_size]
        m_new = max(m, s.max())  # @todo
        if m_new == -np.inf:  # @todo
            continue  # @todo
        alpha = np.exp(m - m_new)  # @todo
        p = np.exp(s - m_new)  # @todo
        l = alpha * l + p.sum()  # @todo
        u = alpha * u + p @ v  # @todo
        m = m_new  # @todo
    return u / l if l > 0 else u  # @todo
