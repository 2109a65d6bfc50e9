"""A KV cache: the keys and values of all tokens so far. | KV 缓存：目前所有 token 的键和值。"""

import numpy as np


class KVCache:
    """Per layer one table of keys and one of values, one row per token. | 每层两张表，每个 token 占一行。"""

    def __init__(self, n_layers):
        """Every layer starts empty. | 每一层开始时都是空的。"""
        self.k = [[] for _ in range(n_layers)]  # @todo
        self.v = [[] for _ in range(n_layers)]  # @todo

    def append(self, layer, k, v):
        """Keep the key and the value of one new token. | 存入一个新 token 的键和值。"""
        self.k[layer].append(k)  # @todo
        self.v[layer].append(v)  # @todo

    def read(self, layer):
        """All keys and all values of a layer, each of shape (n, d). | 一层的全部键和全部值，形状都是 (n, d)。"""
        return np.array(self.k[layer]), np.array(self.v[layer])  # @todo

    def n_bytes(self, itemsize):
        """The memory of all cached numbers, at itemsize bytes each. | 缓存的全部数所占内存，每个数 itemsize 字节。"""
        return sum(np.size(row) for table in self.k + self.v for row in table) * itemsize  # @todo


def attend(q, k, v):
    """The output of one query: values weighed by softmax(k·q / √d). | 一个查询的输出：以 softmax(k·q / √d) 为权重。"""
    s = k @ q / np.sqrt(len(q))  # @todo
    p = np.exp(s - s.max())  # @todo
    return p @ v / p.sum()  # @todo


def decode(x, wq, wk, wv, cache, layer):
    """One new token x (d,) through one layer, with its cache. | 一个新 token x (d,) 经过一层，使用这一层的缓存。"""
    # Its key is x @ wk, its value x @ wv. | 键是 x @ wk，值是 x @ wv。
    # Its query x @ wq reads every cached row, its own too. | 查询 x @ wq 读取缓存的每一行，包括自己的。
    cache.append(layer, x @ wk, x @ wv)  # @todo
    return attend(x @ wq, *cache.read(layer))  # @todo
