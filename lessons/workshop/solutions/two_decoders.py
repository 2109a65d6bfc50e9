"""Two decoders with the same outputs; one of them keeps K and V. | 两个输出相同的解码器，其中一个保留 K 和 V。"""

import numpy as np


def attend(q, k, v):
    """The output of one query over the keys it may see. | 一个查询对它可见的键的输出。"""
    s = k @ q / np.sqrt(len(q))
    p = np.exp(s - s.max())
    return p @ v / p.sum()


def naive(xs, wq, wk, wv):
    """One pass per token, and each pass computes all tokens so far. | 每个 token 一次前向，每次计算全部 token。"""
    # Returns the last token's output of each pass (n, d), | 返回每次前向最后一个 token 的输出 (n, d)，
    # how many rows were projected, and how many scores were computed. | 以及投影了多少行、算了多少个分数。
    # A token is scored against itself and those before it. | 每个 token 与自己和前面的 token 计算分数。
    outputs, rows, pairs = [], 0, 0
    for n in range(1, len(xs) + 1):
        q, k, v = xs[:n] @ wq, xs[:n] @ wk, xs[:n] @ wv  # @todo
        every = [attend(q[i], k[: i + 1], v[: i + 1]) for i in range(n)]  # @todo
        outputs.append(every[-1])  # @todo
        rows += n  # @todo
        pairs += n * (n + 1) // 2  # @todo
    return np.array(outputs), rows, pairs


def cached(xs, wq, wk, wv):
    """One pass per token, and each pass computes only the new token. | 每个 token 一次前向，每次只计算新的 token。"""
    # Returns the same three as naive. | 返回与 naive 相同的三项。
    outputs, rows, pairs = [], 0, 0
    k, v = np.zeros((0, wk.shape[1])), np.zeros((0, wv.shape[1]))
    for x in xs:
        k, v = np.vstack((k, x @ wk)), np.vstack((v, x @ wv))  # @todo
        outputs.append(attend(x @ wq, k, v))  # @todo
        rows += 1  # @todo
        pairs += len(k)  # @todo
    return np.array(outputs), rows, pairs
