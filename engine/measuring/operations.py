"""What is timed: each operation at each size, the ways to do it, and what each way must do and move by count.

The ways of one `Group` get the same numbers and are compared with each other; the first is the one to compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine import counts
from engine.attention import Array, attention
from engine.measuring import kernels
from engine.measuring.arrays import ITEMSIZE, KERNELS, Arrays, NumpyArrays, Tensor, accumulator
from engine.measuring.settings import Settings

Inputs = tuple[Tensor, ...]
DRAWN = 2**22  # random numbers drawn; larger arrays repeat them
CHECKED_ROWS = 128  # of a large result that are computed again in float64


@dataclass(frozen=True)
class Count:
    """By count, not measured. `operations`: floating-point operations of the products. `must_move`: bytes of inputs, read
    once, and result, written once. `moves`: bytes that this way moves, if what does not fit a tile goes to memory.
    `exponentials`: numbers that go through exp. `issued`: array operations that Python issues one after another.
    `workspace`: bytes beyond inputs and result."""

    operations: int
    exponentials: int
    must_move: int
    moves: int
    issued: int
    workspace: int


@dataclass(frozen=True, eq=False)
class Ready:
    """A way with its buffers: `call(i)` computes from input set i, `result` is what it left."""

    call: Callable[[int], None]
    result: Callable[[], Tensor]


@dataclass(frozen=True, eq=False)
class Way:
    """`kernel` names PyTorch's own, to be chosen around the call; `tile` is the tile size where that is what varies."""

    name: str
    count: Count
    build: Callable[[Arrays, str, Sequence[Inputs]], Ready]
    kernel: str = ""
    tile: int = 0


@dataclass(frozen=True, eq=False)
class Group:
    """One operation at one size."""

    operation: str
    shape: tuple[tuple[str, int], ...]
    input_bytes: int
    result_bytes: int
    check_bytes: int  # of the float64 reference
    ways: tuple[Way, ...]
    inputs: Callable[[Arrays, str, np.random.Generator], Inputs]
    reference: Callable[[Arrays, Inputs], Array]
    checked: Callable[[Array], Array]  # the part of the result that the reference covers
    rotated: int = 0  # so many of the inputs, the first, are rotated past the caches: the operation is bound by memory


def groups(settings: Settings, b: Arrays, dtype: str) -> Iterator[Group]:
    """All that `settings` asks for, the two ceilings first."""
    s = settings
    yield from ceilings(s, b, dtype)
    if "attention" in s.operations:
        for n in s.lengths:
            tiles = [(s.tile_q, s.tile_k)]
            yield _attention("attention", b, dtype, s.heads, n, s.head_dim, tiles, b.name != "numpy")
    if "tiles" in s.operations:
        tiles = [(tile, tile) for tile in s.tile_sizes if tile <= s.tiles_length]
        yield _attention("tiles", b, dtype, s.heads, s.tiles_length, s.head_dim, tiles, False)
    if "decode" in s.operations:
        for n in s.steps:
            yield _decode(b, dtype, s, n)
    if "paged" in s.operations:
        for n in s.contexts:
            yield _paged(dtype, s.kv_heads, n, s.head_dim, s.block_size)


def ceilings(settings: Settings, b: Arrays, dtype: str) -> tuple[Group, Group]:
    """The device's own: a copy larger than its caches, and a product of square matrices."""
    numbers = max(settings.copy_bytes, 2 * b.cache_bytes) // ITEMSIZE[dtype]
    return _copy(dtype, numbers), _product(dtype, settings.product_size)


def random(rng: np.random.Generator, shape: tuple[int, ...], scale: float = 1.0) -> Array:
    """Normal float32 numbers, finite and far from denormal on any path that follows."""
    drawn = rng.standard_normal(min(int(np.prod(shape)), DRAWN), dtype=np.float32) * np.float32(scale)
    return np.resize(drawn, shape)


def _uploads(b: Arrays, dtype: str, rng: np.random.Generator, *shapes: tuple[int, ...]) -> Inputs:
    return tuple(b.upload(random(rng, shape), dtype) for shape in shapes)


def _copy(dtype: str, numbers: int) -> Group:
    size = numbers * ITEMSIZE[dtype]

    def build(b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (numbers,), dtype)
        return Ready(lambda i: b.copy(sets[i][0], out), lambda: out)

    return Group(
        "copy",
        (("bytes", size),),
        size,
        size,
        3 * 8 * numbers,
        (Way("copy", Count(0, 0, 2 * size, 2 * size, 1, 0), build),),
        lambda b, dtype, rng: _uploads(b, dtype, rng, (numbers,)),
        lambda b, inputs: b.download(inputs[0]),
        lambda result: result,
        rotated=1,
    )


def _product(dtype: str, n: int) -> Group:
    item = ITEMSIZE[dtype]
    rows = _some_rows(n)

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
        lambda b, dtype, rng: _uploads(b, dtype, rng, (n, n), (n, n)),
        lambda b, inputs: b.download(inputs[0])[rows] @ b.download(inputs[1]),
        lambda result: result[rows],
    )


def _attention(
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
    rows = _some_rows(n)
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
        8 * heads * (5 * n * d + 4 * len(rows) * n),
        tuple(ways),
        lambda b, dtype, rng: _uploads(b, dtype, rng, *[(heads, n, d)] * 3),
        lambda b, inputs: _reference_attention(b, inputs, rows),
        lambda result: result[:, rows],
    )


def _reference_attention(b: Arrays, inputs: Inputs, rows: Array) -> Array:
    q, k, v = (b.download(a) for a in inputs)
    return attention(q[:, rows], k, v)


def _paged(dtype: str, heads: int, n: int, d: int, block_size: int) -> Group:
    item, wide = ITEMSIZE[dtype], ITEMSIZE[accumulator(dtype)]
    n_blocks = n // block_size
    kv = 2 * heads * n * d * item
    once = kv + 2 * heads * d * item  # k, v, q, o
    work = 4 * heads * n * d
    # Physical blocks in the order in which a busy pool would have handed them out: any.
    table = np.random.default_rng(n).permutation(n_blocks)

    def inputs(b: Arrays, dtype: str, rng: np.random.Generator) -> Inputs:
        """q; k and v contiguous; k and v of the same sequence in a pool; the block table on the device."""
        q, k, v = (random(rng, (heads, t, d)) for t in (1, n, n))
        pools = []
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
        blocks = table.tolist()

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
        8 * heads * 5 * n * d,
        ways,
        inputs,
        lambda b, inputs: attention(*(b.download(a) for a in inputs[:3])),
        lambda result: result,
        rotated=5,
    )


def _decode(b: Arrays, dtype: str, settings: Settings, n: int) -> Group:
    item, wide = ITEMSIZE[dtype], ITEMSIZE[accumulator(dtype)]
    d, n_layers = settings.d_model, settings.n_layers
    heads, d_ff = d // settings.head_dim, 4 * d
    shapes = [(d, d)] * 4 + [(d, d_ff), (d_ff, d)]
    weights = n_layers * sum(a * b for a, b in shapes)  # numbers
    kv = 2 * n_layers * n * d * item

    def inputs(b: Arrays, dtype: str, rng: np.random.Generator) -> Inputs:
        """The rows, the mask, then the weights layer by layer, scaled so that no product grows."""
        scaled = [random(rng, shape, 1 / np.sqrt(shape[0])) for _ in range(n_layers) for shape in shapes]
        return tuple(b.upload(a, dtype) for a in (random(rng, (n, d)), kernels.causal(n), *scaled))

    def stack_of(b: Arrays, dtype: str, inputs: Inputs) -> kernels.Stack:
        _, mask, *flat = inputs
        layers = tuple(kernels.Layer(*flat[i : i + 6]) for i in range(0, len(flat), 6))
        k, v = (tuple(b.empty((heads, n, d // heads), dtype) for _ in layers) for _ in range(2))
        return kernels.Stack(dtype, layers, k, v, mask)

    def build(cached: bool, b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (n, d), dtype)
        stack = stack_of(b, dtype, sets[0])
        return Ready(lambda i: kernels.decode(b, stack, sets[0][0], out, cached=cached), lambda: out)

    def reference(b: Arrays, inputs: Inputs) -> Array:
        """All rows in one pass in float64: row t sees what step t saw."""
        exact = NumpyArrays()
        wide_inputs = tuple(exact.upload(b.download(a), "float64") for a in inputs)
        return np.asarray(kernels.forward(exact, stack_of(exact, "float64", wide_inputs), wide_inputs[0], 0))

    # Weights that fit the caches need to come from memory once; others at every step.
    passes = 1 if weights * item <= b.cache_bytes else n

    def count(cached: bool) -> Count:
        done = counts.cached(n) if cached else counts.naive(n)
        operations = 2 * weights * done.rows + 4 * settings.head_dim * heads * n_layers * done.pairs
        cache_read = 2 * n_layers * d * item * counts.cached(n).pairs if cached else 0
        once = weights * item * passes + 2 * n * d * item
        widest = 1 if cached else n
        held = widest * (d * 6 + d_ff) * item + heads * widest * (n + 1) * (item + wide)
        moves = weights * item * n + cache_read + 2 * n * d * item
        scored = heads * n_layers * (counts.cached(n).pairs if cached else counts.naive_squares(n))
        return Count(operations, scored, once, moves, kernels.decode_issued(n, n_layers, cached=cached), kv + held)

    return Group(
        "decode",
        (("n", n), ("d_model", d), ("n_layers", n_layers), ("head_dim", settings.head_dim)),
        (weights + n * d + n * n) * item,
        n * d * item,
        8 * (weights + n * (14 * d + 2 * d_ff) + 3 * heads * n * n),
        (Way("uncached", count(False), partial(build, False)), Way("cached", count(True), partial(build, True))),
        inputs,
        reference,
        lambda result: result,
    )


def poisoned(b: Arrays, shape: tuple[int, ...], dtype: str) -> Tensor:
    """A result that is NaN until it is written; filling also makes the system hand out its pages before the clock starts."""
    out = b.empty(shape, dtype)
    b.fill(out, float("nan"))
    return out


def _some_rows(n: int) -> Array:
    """All rows of a small result; of a large one the first, the last and evenly spread others."""
    return np.unique(np.linspace(0, n - 1, min(n, CHECKED_ROWS)).round().astype(np.intp))
