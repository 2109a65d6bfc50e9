"""One decode step's attention: keys and values contiguous, or found through a block table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.attention import attention
from engine.measuring import kernels
from engine.measuring.arrays import ITEMSIZE, Arrays, accumulator
from engine.measuring.group import CHECKED_HEADS, Count, Group, Inputs, Ready, Way, poisoned, random, some_heads


def paged_group(dtype: str, heads: int, n: int, d: int, block_size: int) -> Group:
    item, wide = ITEMSIZE[dtype], ITEMSIZE[accumulator(dtype)]
    n_blocks, few = n // block_size, some_heads(heads)
    kv = 2 * heads * n * d * item
    once = kv + 2 * heads * d * item  # k, v, q, o
    work = 4 * heads * n * d

    def block_table() -> NDArray[np.int64]:
        """Physical blocks in the order in which a busy pool would have handed them out: any. Always the same; a plan
        makes none."""
        return np.random.default_rng(n).permutation(n_blocks)

    def inputs(b: Arrays, dtype: str, rng: np.random.Generator) -> Inputs:
        """q; k and v contiguous; k and v of the same sequence in a pool; the block table on the device."""
        q, k, v = (random(rng, (heads, t, d)) for t in (1, n, n))
        pools, table = [], block_table()
        for a in (k, v):
            pool = np.empty((heads, n_blocks, block_size, d), np.float32)
            pool[:, table] = a.reshape(heads, n_blocks, block_size, d)
            pools.append(pool)
        return (*(b.upload(a, dtype) for a in (q, k, v, *pools)), b.index(table))

    def build_contiguous(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (heads, 1, d), dtype)
        work = kernels.PlainWork.of(b, dtype, heads, 1, n, d)

        def call(i: int) -> None:
            q, k, v = sets[i][:3]
            kernels.plain(b, q, k, v, out, work)

        return Ready(call, lambda: out)

    def build_gathered(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (heads, 1, d), dtype)
        k, v = (b.empty((heads, n_blocks, block_size, d), dtype) for _ in range(2))
        work = kernels.GatheredWork(k, v, kernels.PlainWork.of(b, dtype, heads, 1, n, d))

        def call(i: int) -> None:
            q, _, _, k_pool, v_pool, on_device = sets[i]
            kernels.gathered(b, q, k_pool, v_pool, on_device, out, work)

        return Ready(call, lambda: out)

    def build_blocks(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (heads, 1, d), dtype)
        fold = kernels.Fold.of(b, dtype, heads, 1, block_size, d)
        blocks = block_table().tolist()

        def call(i: int) -> None:
            q, _, _, k_pool, v_pool, _ = sets[i]
            kernels.block_by_block(b, q, k_pool, v_pool, blocks, out, fold)

        return Ready(call, lambda: out)

    held = heads * (d * item + n * item + item + wide)
    fold = heads * ((2 * d + block_size + 1) * item + (4 + d) * wide)
    ways = (
        Way("contiguous", Count(work, heads * n, once, once, kernels.PLAIN_ISSUED, held), build_contiguous),
        Way(
            "gathered", Count(work, heads * n, once, once + 2 * kv, kernels.PLAIN_ISSUED + 2, held + kv), build_gathered
        ),
        Way("block-by-block", Count(work, heads * n, once, once, kernels.blocks_issued(n_blocks), fold), build_blocks),
    )
    return Group(
        "paged",
        (("n", n), ("head_dim", d), ("heads", heads), ("block_size", block_size)),
        2 * kv + heads * d * item + 8 * n_blocks,
        heads * d * item,
        8 * min(heads, CHECKED_HEADS) * 5 * n * d,
        ways,
        inputs,
        lambda b, inputs: attention(*(b.download(a[few]) for a in inputs[:3])),
        lambda result: result[few],
        rotated=5,
    )
