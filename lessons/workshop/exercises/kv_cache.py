"""The cache: two layers that must not share a list, and one token at a time through one layer."""

from __future__ import annotations

from lessons.kit.text import Text
from lessons.workshop.exercise import Case, Exercise, Slip

_FILLED = "\n".join(
    (
        "cache = KVCache(2)",
        "cache.append(0, np.array([1.0, 2.0]), np.array([3.0, 4.0]))",
        "cache.append(1, np.array([9.0, 9.0]), np.array([8.0, 8.0]))",
        "cache.append(0, np.array([5.0, 6.0]), np.array([7.0, 0.0]))",
    )
)
_DECODED = "\n".join(
    (
        "xs = np.array([[1.0, 0.0], [0.5, 1.0], [-1.0, 2.0]])",
        "wq, wk, wv = np.array([[1.0, 0.5], [0.0, 2.0]]), np.array([[0.5, 1.0], [1.0, -1.0]]), np.diag([10.0, 20.0])",
        "cache = KVCache(1)",
        "found = [decode(x, wq, wk, wv, cache, 0) for x in xs]",
    )
)

KV_CACHE = Exercise(
    "kv_cache",
    Text("append, read, and one token through one layer", "追加、读取，以及一个 token 经过一层"),
    cases=(
        Case("what a layer has read", f"{_FILLED}\nfound = cache.read(0)"),
        Case("bytes", f"{_FILLED}\nfound = cache.n_bytes(4)"),
        Case(
            "one query",
            "found = attend(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[4.0], [8.0]]))",
        ),
        Case("three tokens, one after the other", _DECODED),
    ),
    slips=(
        Slip(
            "        self.k = [[] for _ in range(n_layers)]\n        self.v = [[] for _ in range(n_layers)]\n",
            "        self.k = [[]] * n_layers\n        self.v = [[]] * n_layers\n",
            Text("all layers share one list, as [[]] * n_layers does", "各层共用一个列表，[[]] * n_layers 就是这样"),
        ),
        Slip(
            "return np.array(self.k[layer]), np.array(self.v[layer])",
            "return np.array(self.k[layer]), np.array(self.k[layer])",
            Text("the keys are returned twice", "键返回了两次"),
        ),
        Slip(
            "for table in self.k + self.v",
            "for table in self.k",
            Text("the keys alone are counted; the values take as much again", "只数了键，而值还要占同样多"),
        ),
        Slip(
            "for row in table) * itemsize",
            "for row in table)",
            Text("numbers are counted, not their bytes", "数的是数的个数，不是字节"),
        ),
        Slip(
            "s = k @ q / np.sqrt(len(q))",
            "s = k @ q",
            Text("the scores are not divided by √d", "分数没有除以 √d"),
        ),
        Slip(
            "s = k @ q / np.sqrt(len(q))",
            "s = k @ q / len(q)",
            Text("the scores are divided by d, not by √d", "分数除以了 d，而不是 √d"),
        ),
        Slip(
            "return p @ v / p.sum()",
            "return p @ v",
            Text("the weights are not divided by their sum", "权重没有除以它们的和"),
        ),
        Slip(
            "    cache.append(layer, x @ wk, x @ wv)\n    return attend(x @ wq, *cache.read(layer))\n",
            "    k, v = cache.read(layer)\n    cache.append(layer, x @ wk, x @ wv)\n"
            "    return attend(x @ wq, k, v) if len(k) else x @ wv\n",
            Text("the new token does not see itself", "新 token 看不到自己"),
        ),
        Slip(
            "cache.append(layer, x @ wk, x @ wv)",
            "cache.append(layer, x @ wq, x @ wv)",
            Text("the query is cached where the key belongs", "该存键的地方存了查询"),
        ),
    ),
)
