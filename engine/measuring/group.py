"""An operation at one size and the ways to do it: what each must do by count, and how each is set up to be timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.attention import Array
from engine.measuring.arrays import Arrays, Tensor

Inputs = tuple[Tensor, ...]
DRAWN = 2**22  # random numbers drawn; larger arrays repeat them
CHECKED_ROWS = 128  # of a large result that are computed again in float64,
CHECKED_HEADS = 4  # in so many heads


@dataclass(frozen=True)
class Count:
    """By count, not measured. `operations`: floating-point operations of the products. `must_move`: bytes of inputs,
    read once, and result, written once. `moves`: bytes that this way moves, if what does not fit a tile goes to
    memory. `exponentials`: numbers that go through exp. `issued`: array operations that Python issues one after
    another. `workspace`: bytes beyond inputs and result."""

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

    @property
    def size(self) -> int:
        """The first number of its shape, by which it grows."""
        return self.shape[0][1]


def random(rng: np.random.Generator, shape: tuple[int, ...], scale: float = 1.0) -> Array:
    """Normal float32 numbers, finite and far from denormal on any path that follows."""
    drawn = rng.standard_normal(min(int(np.prod(shape)), DRAWN), dtype=np.float32) * np.float32(scale)
    return np.resize(drawn, shape)


def uploads(b: Arrays, dtype: str, rng: np.random.Generator, *shapes: tuple[int, ...]) -> Inputs:
    return tuple(b.upload(random(rng, shape), dtype) for shape in shapes)


def poisoned(b: Arrays, shape: tuple[int, ...], dtype: str) -> Tensor:
    """A result that is NaN until it is written; filling also makes the system hand out its pages before the clock
    starts."""
    out = b.empty(shape, dtype)
    b.fill(out, float("nan"))
    return out


def some_rows(n: int) -> Array:
    """All rows of a small result; of a large one the first, the last and evenly spread others."""
    return np.unique(np.linspace(0, n - 1, min(n, CHECKED_ROWS)).round().astype(np.intp))


def some_heads(heads: int) -> slice:
    """At most CHECKED_HEADS of them, the first among them."""
    return slice(None, None, -(-heads // CHECKED_HEADS))
