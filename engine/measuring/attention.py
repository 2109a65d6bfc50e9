"""Attention of whole sequences: one table of scores, our tiles of any size, and the library's own kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.attention import Array, attention
from engine.measuring import kernels
from engine.measuring.arrays import ITEMSIZE, KERNELS, Arrays, Tensor, accumulator
from engine.measuring.group import (
    CHECKED_HEADS,
    Count,
    Group,
    Inputs,
    Ready,
    Way,
    poisoned,
    some_heads,
    some_rows,
    uploads,
)


def attention_group(
    operation: str,
    b: Arrays,
    dtype: str,
    heads: int,
    n: int,
    d: int,
    tiles: Sequence[tuple[int, int]],
    library: bool,
) -> Group:
    item, wide = ITEMSIZE[dtype], ITEMSIZE[accumulator(dtype)]
    rows, few = some_rows(n), some_heads(heads)
    once = 4 * heads * n * d * item  # q, k, v, o
    work = 4 * heads * n * n * d  # two products of 2·n·n·d
    scores = heads * n * n

    def build_plain(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (heads, n, d), dtype)
        buffers = kernels.PlainWork.of(b, dtype, heads, n, n, d)

        def call(i: int) -> None:
            q, k, v = sets[i]
            kernels.plain(b, q, k, v, out, buffers)

        return Ready(call, lambda: out)

    def build_tiled(tile_q: int, tile_k: int, b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (heads, n, d), dtype)
        buffers = kernels.TiledWork.of(b, dtype, heads, tile_q, tile_k, d)

        def call(i: int) -> None:
            q, k, v = sets[i]
            kernels.tiled(b, q, k, v, out, buffers)

        return Ready(call, lambda: out)

    def build_library(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        kept: list[Tensor] = [None]

        def call(i: int) -> None:
            kept[0] = b.sdpa(*sets[i])

        return Ready(call, lambda: kept[0])

    table = heads * n * n * item
    plain = Count(
        work, scores, once, once + 4 * table, kernels.PLAIN_ISSUED, heads * n * (d * item + item + wide) + table
    )  # the table of scores and that of weights are each written and read
    ways = [Way("plain", plain, build_plain)]
    for tile_q, tile_k in tiles:
        tile_q, tile_k = min(tile_q, n), min(tile_k, n)
        n_q, n_k = -(-n // tile_q), -(-n // tile_k)
        moves = heads * n * d * item * (2 + 2 * n_q)  # q and o once, k and v once for each tile of queries
        held = heads * tile_q * ((2 * d + tile_k + 1) * item + (4 + d) * wide)
        count = Count(work, scores, once, moves, kernels.tiled_issued(n_q, n_k), held)
        build = partial(build_tiled, tile_q, tile_k)
        ways.append(Way("tiled", count, build, tile=tile_q if operation == "tiles" else 0))
    if library:
        for kernel in KERNELS:
            # What the kernel holds is its own affair; the one called math is known to make tables, in float32 at least.
            held = 2 * heads * n * n * max(item, 4) if kernel == "math" else 0
            ways.append(Way(f"sdpa-{kernel}", Count(work, scores, once, once, 1, held), build_library, kernel))
    return Group(
        operation,
        (("n", n), ("head_dim", d), ("heads", heads)),
        3 * heads * n * d * item,
        heads * n * d * item,
        8 * (heads * n * d + min(heads, CHECKED_HEADS) * (4 * n * d + 4 * len(rows) * n)),
        tuple(ways),
        lambda b, dtype, rng: uploads(b, dtype, rng, *[(heads, n, d)] * 3),
        lambda b, inputs: _reference(b, inputs, few, rows),
        lambda result: result[few, rows],
    )


def _reference(b: Arrays, inputs: Inputs, few: slice, rows: Array) -> Array:
    q, k, v = (b.download(a[few]) for a in inputs)
    return attention(q[:, rows], k, v)
