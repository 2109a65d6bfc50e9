"""The device's own ceilings: a copy larger than its caches, and a product of square matrices."""

from __future__ import annotations

from collections.abc import Sequence

from engine.measuring.arrays import ITEMSIZE, Arrays
from engine.measuring.group import Count, Group, Inputs, Ready, Way, poisoned, some_rows, uploads

CHECKED = 2**20  # numbers of a copy that are compared with what was copied


def copy_group(dtype: str, numbers: int) -> Group:
    size = numbers * ITEMSIZE[dtype]
    step = -(-numbers // CHECKED)

    def build(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (numbers,), dtype)
        return Ready(lambda i: b.copy(sets[i][0], out), lambda: out[::step])

    return Group(
        "copy",
        (("bytes", size),),
        size,
        size,
        3 * 8 * CHECKED,
        (Way("copy", Count(0, 0, 2 * size, 2 * size, 1, 0), build),),
        lambda b, dtype, rng: uploads(b, dtype, rng, (numbers,)),
        lambda b, inputs: b.download(inputs[0][::step]),
        lambda result: result,
        rotated=1,
    )


def product_group(dtype: str, n: int) -> Group:
    item = ITEMSIZE[dtype]
    rows = some_rows(n)

    def build(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (n, n), dtype)
        return Ready(lambda i: b.matmul(sets[i][0], sets[i][1], out), lambda: out)

    return Group(
        "product",
        (("n", n),),
        2 * n * n * item,
        n * n * item,
        4 * 8 * n * n,
        (Way("product", Count(2 * n**3, 0, 3 * n * n * item, 3 * n * n * item, 1, 0), build),),
        lambda b, dtype, rng: uploads(b, dtype, rng, (n, n), (n, n)),
        lambda b, inputs: b.download(inputs[0])[rows] @ b.download(inputs[1]),
        lambda result: result[rows],
    )
