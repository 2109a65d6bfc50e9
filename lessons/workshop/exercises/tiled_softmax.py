"""The fold: three keys whose numbers every textbook example uses, and what tiles, masks and large scores do to it."""

from __future__ import annotations

from lessons.kit.text import Text
from lessons.workshop.exercise import Case, Exercise, Slip

_VALUES = "np.array([[5.0, 5.0], [10.0, 0.0], [0.0, 20.0]])"
_FOUR = "np.array([[1.0], [2.0], [3.0], [4.0]])"

TILED_SOFTMAX = Exercise(
    "tiled_softmax",
    Text(
        "softmax(scores) @ values, tile by tile, holding only m, l and u",
        "逐块计算 softmax(scores) @ values，只保留 m、l 和 u",
    ),
    cases=(
        Case("one key per tile", f"found = fold(np.array([0.0, 2.0, 1.0]), {_VALUES}, 1)"),
        Case("a tile of two, then one key", f"found = fold(np.array([0.0, 2.0, 1.0]), {_VALUES}, 2)"),
        Case("the maximum rises twice", f"found = fold(np.array([0.0, 1.0, 2.0]), {_VALUES}, 1)"),
        Case("a tile below the maximum", f"found = fold(np.array([2.0, 1.0, 0.0]), {_VALUES}, 1)"),
        Case("scores near 1000", f"found = fold(np.array([1000.0, 1002.0, 1001.0]), {_VALUES}, 1)"),
        Case("first tile masked", f"found = fold(np.array([-np.inf, -np.inf, 0.0, 1.0]), {_FOUR}, 2)"),
        Case("no key visible", f"found = fold(np.full(3, -np.inf), {_VALUES}, 2)"),
    ),
    slips=(
        Slip(
            "        l = alpha * l + p.sum()\n        u = alpha * u + p @ v\n",
            "        l = l + p.sum()\n        u = u + p @ v\n",
            Text("ℓ and u stay on the old scale", "ℓ 和 u 留在旧基准上"),
        ),
        Slip("u = alpha * u + p @ v", "u = u + p @ v", Text("u stays on the old scale", "u 留在旧基准上")),
        Slip("l = alpha * l + p.sum()", "l = l + p.sum()", Text("ℓ stays on the old scale", "ℓ 留在旧基准上")),
        Slip(
            "alpha = np.exp(m - m_new)",
            "alpha = np.exp(m_new - m) if m > -np.inf else 0.0",
            Text("the exponent of α has the wrong sign", "α 的指数符号反了"),
        ),
        Slip(
            "p = np.exp(s - m_new)",
            "p = np.exp(s - s.max())",
            Text("each tile is measured against its own maximum", "每个分块以自己的最大值为基准"),
        ),
        Slip(
            "        alpha = np.exp(m - m_new)\n        p = np.exp(s - m_new)\n",
            "        alpha = 1.0\n        p = np.exp(s)\n",
            Text("no maximum is subtracted, so exp overflows", "没有减去最大值，exp 溢出"),
        ),
        Slip(
            "        if m_new == -np.inf:\n            continue\n",
            "",
            Text("a masked tile computes −∞ − (−∞)", "被屏蔽的分块算了 −∞ − (−∞)"),
        ),
        Slip(
            "return u / l if l > 0 else u",
            "return u / l",
            Text("the sums are divided by ℓ = 0", "除以了 ℓ = 0"),
        ),
        Slip("return u / l if l > 0 else u", "return u", Text("u is never divided by ℓ", "u 没有除以 ℓ")),
        Slip(
            "        m = m_new\n",
            "        m = s.max()\n",
            Text("m forgets a larger score of an earlier tile", "m 忘掉了前面分块里更大的分数"),
        ),
    ),
)
