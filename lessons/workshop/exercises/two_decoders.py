"""Two decoders on 100 tokens: the same outputs, and what each has computed for them."""

from __future__ import annotations

from lessons.kit.text import Text
from lessons.workshop.exercise import Case, Exercise, Slip

_WEIGHTS = "wq, wk, wv = np.array([[1.0, 0.5], [0.0, 2.0]]), np.array([[0.5, 1.0], [1.0, -1.0]]), np.diag([10.0, 20.0])"
_FOUR = f"xs = np.array([[1.0, 0.0], [0.5, 1.0], [-1.0, 2.0], [0.0, -1.0]])\n{_WEIGHTS}"
_HUNDRED = f"xs = np.sin(np.arange(200.0)).reshape(100, 2)\n{_WEIGHTS}"

# Two lines of `cached`.
_KEEP = "k, v = np.vstack((k, x @ wk)), np.vstack((v, x @ wv))"
_READ = "outputs.append(attend(x @ wq, k, v))"

TWO_DECODERS = Exercise(
    "two_decoders",
    Text(
        "the same outputs with and without a cache, and how much each computes",
        "有缓存和没有缓存时输出相同，各算了多少",
    ),
    cases=(
        Case("naive: outputs", f"{_FOUR}\nfound = naive(xs, wq, wk, wv)[0]"),
        Case("naive: rows and scores of 100 tokens", f"{_HUNDRED}\nfound = naive(xs, wq, wk, wv)[1:]"),
        Case("cached: outputs", f"{_FOUR}\nfound = cached(xs, wq, wk, wv)[0]"),
        Case("cached: rows and scores of 100 tokens", f"{_HUNDRED}\nfound = cached(xs, wq, wk, wv)[1:]"),
    ),
    slips=(
        Slip(
            "outputs.append(every[-1])",
            "outputs.append(every[0])",
            Text(
                "the first token’s output is kept instead of the last’s",
                "留下的是第一个 token 的输出，而不是最后一个的",
            ),
        ),
        Slip(
            "        rows += n\n",
            "        rows += 1\n",
            Text("passes are counted, not the rows that each projects", "数的是前向的次数，而不是每次投影的行数"),
        ),
        Slip(
            "pairs += n * (n + 1) // 2",
            "pairs += n * n",
            Text("masked scores are counted too", "被屏蔽的分数也数进去了"),
        ),
        Slip(
            "pairs += n * (n + 1) // 2",
            "pairs += n",
            Text("only the last token’s scores are counted", "只数了最后一个 token 的分数"),
        ),
        Slip(
            _KEEP,
            "k, v = (x @ wk)[None], (x @ wv)[None]",
            Text("only the newest token’s K and V are kept", "只保留了最新 token 的 K 和 V"),
        ),
        Slip(
            f"        {_KEEP}\n        {_READ}\n",
            f"        {_READ}\n        {_KEEP}\n",
            Text(
                "the query reads the cache before the new K and V are in it", "新的 K 和 V 还没有存入，查询就读了缓存"
            ),
        ),
        Slip(
            "        rows += 1\n",
            "        rows += len(k)\n",
            Text("cached rows are counted as if they were projected again", "缓存的行被当成又投影了一遍"),
        ),
        Slip(
            "pairs += len(k)",
            "pairs += 1",
            Text(
                "one score is counted per token, though its query is scored against every cached key",
                "每个 token 只数了一个分数，而它的查询要与每个缓存的键计算分数",
            ),
        ),
    ),
)
