"""Decoding token by token: the whole prefix again at every step, or the new row alone against a cache."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from engine import counts
from engine.attention import Array
from engine.measuring.arrays import ITEMSIZE, Arrays, NumpyArrays, accumulator
from engine.measuring.group import Count, Group, Inputs, Ready, Way, poisoned, random
from engine.measuring.settings import Settings
from engine.measuring.stack import Layer, Stack, causal, decode, decode_issued, forward


def decode_group(b: Arrays, dtype: str, settings: Settings, n: int) -> Group:
    item, wide = ITEMSIZE[dtype], ITEMSIZE[accumulator(dtype)]
    d, n_layers = settings.d_model, settings.n_layers
    heads, d_ff = d // settings.head_dim, 4 * d
    shapes = [(d, d)] * 4 + [(d, d_ff), (d_ff, d)]
    weights = n_layers * sum(a * b for a, b in shapes)  # numbers
    kv = 2 * n_layers * n * d * item

    def inputs(b: Arrays, dtype: str, rng: np.random.Generator) -> Inputs:
        """The rows, the mask, then the weights layer by layer, scaled so that no product grows."""
        scaled = [random(rng, shape, 1 / np.sqrt(shape[0])) for _ in range(n_layers) for shape in shapes]
        return tuple(b.upload(a, dtype) for a in (random(rng, (n, d)), causal(n), *scaled))

    def stack_of(b: Arrays, dtype: str, inputs: Inputs) -> Stack:
        _, mask, *flat = inputs
        layers = tuple(Layer(*flat[i : i + 6]) for i in range(0, len(flat), 6))
        k, v = (tuple(b.empty((heads, n, d // heads), dtype) for _ in layers) for _ in range(2))
        return Stack(dtype, layers, k, v, mask)

    def build(cached: bool, b: Arrays, dtype: str, sets: Sequence[Inputs]) -> Ready:
        out = poisoned(b, (n, d), dtype)
        stack = stack_of(b, dtype, sets[0])
        return Ready(lambda i: decode(b, stack, sets[0][0], out, cached=cached), lambda: out)

    def reference(b: Arrays, inputs: Inputs) -> Array:
        """All rows in one pass in float64: row t sees what step t saw."""
        exact = NumpyArrays()
        wide_inputs = tuple(exact.upload(b.download(a), "float64") for a in inputs)
        return np.asarray(forward(exact, stack_of(exact, "float64", wide_inputs), wide_inputs[0], 0))

    # Weights that fit the caches need to come from memory once; others at every step.
    passes = 1 if weights * item <= b.cache_bytes else n

    def count(cached: bool) -> Count:
        done = counts.cached(n) if cached else counts.naive(n)
        operations = 2 * weights * done.rows + 4 * settings.head_dim * heads * n_layers * done.pairs
        kv_row = (
            2 * n_layers * d * item
        )  # a position's keys and values are written once it is processed, and read by each step
        kept = kv_row * (done.rows + counts.cached(n).pairs)
        once = weights * item * passes + 2 * n * d * item
        widest = 1 if cached else n
        held = widest * (d * 6 + d_ff) * item + heads * widest * (n + 1) * (item + wide)
        moves = weights * item * n + kept + 2 * n * d * item
        scored = heads * n_layers * (counts.cached(n).pairs if cached else counts.naive_squares(n))
        return Count(operations, scored, once, moves, decode_issued(n, n_layers, cached=cached), kv + held)

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
