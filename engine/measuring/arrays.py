"""The few array operations that the kernels are made of, so that one kernel runs on NumPy and on PyTorch.

`Arrays` is the protocol; `NumpyArrays` is here, PyTorch's is `engine.measuring.gpu.TorchArrays`. Every operation
writes into `out`: memory is taken before the clock starts."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import numpy as np

from engine.attention import Array
from engine.measuring import machine

Tensor = Any  # the backend's own array

ITEMSIZE = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
DTYPES = tuple(ITEMSIZE)
# ‖ours − float64‖ / ‖float64‖ that rounding explains: sums of thousands of float32 products stay far under 1e-5; in
# half
# precision scores, weights and results are each rounded to 11 or 8 bits, and a score's error grows in the exponential.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 6e-3, "bfloat16": 4e-2}
KERNELS = ("math", "efficient", "flash", "cudnn")  # PyTorch's scaled_dot_product_attention, by backend


class Unsupported(Exception):
    """This backend, dtype or kernel is not to be had here; the message says why."""


class Arrays(Protocol):
    """What a kernel may ask of a backend. `name` is "numpy", "torch-cpu" or "torch-cuda"."""

    name: str
    device: str
    threads: int
    versions: tuple[tuple[str, str], ...]
    cache_bytes: int
    clock: str  # what times: "host clock" or "device events"
    peak_by: str  # what counts memory

    def refuses(self, dtype: str) -> str | None:
        """Why numbers of this type are not supported here; None if they are."""

    def upload(self, a: Array, dtype: str) -> Tensor: ...
    def download(self, a: Tensor) -> Array:
        """As float64 on the host."""

    def empty(self, shape: tuple[int, ...], dtype: str) -> Tensor: ...
    def index(self, a: Any) -> Tensor:
        """Whole numbers to take by."""

    def fill(self, a: Tensor, value: float) -> None: ...
    def copy(self, a: Tensor, out: Tensor) -> None: ...
    def take(self, a: Tensor, index: Tensor, axis: int, out: Tensor) -> None: ...
    def matmul(self, a: Tensor, b: Tensor, out: Tensor) -> None: ...
    def add(self, a: Tensor, b: Tensor, out: Tensor) -> None: ...
    def subtract(self, a: Tensor, b: Tensor, out: Tensor) -> None: ...
    def multiply(self, a: Tensor, b: Tensor | float, out: Tensor) -> None: ...
    def divide(self, a: Tensor, b: Tensor, out: Tensor) -> None: ...
    def maximum(self, a: Tensor, b: Tensor, out: Tensor) -> None: ...
    def exp(self, a: Tensor, out: Tensor) -> None: ...
    def tanh(self, a: Tensor, out: Tensor) -> None: ...
    def row_max(self, a: Tensor, out: Tensor) -> None:
        """Over the last axis, which stays with length 1."""

    def row_sum(self, a: Tensor, out: Tensor) -> None:
        """Over the last axis, which stays with length 1; summed in `out`'s type."""

    def kernel(self, name: str) -> AbstractContextManager[object]:
        """Inside, `sdpa` uses this kernel alone. Raises Unsupported."""

    def sdpa(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """The library's own attention, (heads, n, d), by the kernel chosen around it."""

    def explained(self) -> AbstractContextManager[None]:
        """Inside, a refusal of the library becomes Unsupported, with its reason."""

    def seconds(self, call: Callable[[], None], calls: int) -> float:
        """Run it `calls` times and wait for the device; seconds a call."""

    def peak(self, call: Callable[[], object]) -> int | None:
        """Run it once; the most bytes allocated at once meanwhile, beyond those before. None if that cannot be
        counted."""

    def free_bytes(self) -> int | None: ...
    def is_out_of_memory(self, error: BaseException) -> bool: ...
    def release(self) -> None:
        """Give back what the allocator keeps for later."""


def accumulator(dtype: str) -> str:
    """The type of m, l and u: half precision would lose what many tiles add up.

    >>> accumulator("bfloat16"), accumulator("float64")
    ('float32', 'float64')
    """
    return "float32" if ITEMSIZE[dtype] == 2 else dtype


class NumpyArrays:
    """NumPy: matrix products run on all of the BLAS's threads, everything else on one."""

    name = "numpy"
    clock = "host clock"
    peak_by = "tracemalloc"

    def __init__(self) -> None:
        self.device = machine.processor()
        self.threads = machine.blas_threads()
        self.versions: tuple[tuple[str, str], ...] = (("numpy", np.__version__), ("blas", machine.blas_name()))
        self.cache_bytes = machine.cache_bytes()

    def refuses(self, dtype: str) -> str | None:
        if dtype in ("float32", "float64"):
            return None
        return f"NumPy has no {dtype}" if dtype == "bfloat16" else "NumPy multiplies float16 matrices without a BLAS"

    def upload(self, a: Array, dtype: str) -> Tensor:
        return np.ascontiguousarray(a, dtype=dtype)

    def download(self, a: Tensor) -> Array:
        return np.array(a, np.float64)

    def empty(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        return np.empty(shape, dtype)

    def index(self, a: Any) -> Tensor:
        return np.asarray(a, np.intp)

    def fill(self, a: Tensor, value: float) -> None:
        a.fill(value)

    def copy(self, a: Tensor, out: Tensor) -> None:
        np.copyto(out, a)

    def take(self, a: Tensor, index: Tensor, axis: int, out: Tensor) -> None:
        np.take(a, index, axis=axis, out=out, mode="clip")  # "raise" would go through a buffer

    def matmul(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        np.matmul(a, b, out=out)

    def add(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        np.add(a, b, out=out)

    def subtract(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        np.subtract(a, b, out=out)

    def multiply(self, a: Tensor, b: Tensor | float, out: Tensor) -> None:
        np.multiply(a, b, out=out)

    def divide(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        np.divide(a, b, out=out)

    def maximum(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        np.maximum(a, b, out=out)

    def exp(self, a: Tensor, out: Tensor) -> None:
        np.exp(a, out=out)

    def tanh(self, a: Tensor, out: Tensor) -> None:
        np.tanh(a, out=out)

    def row_max(self, a: Tensor, out: Tensor) -> None:
        np.amax(a, axis=-1, keepdims=True, out=out)

    def row_sum(self, a: Tensor, out: Tensor) -> None:
        np.sum(a, axis=-1, keepdims=True, out=out)

    def kernel(self, name: str) -> AbstractContextManager[object]:
        raise Unsupported("NumPy has no attention kernel of its own")

    def sdpa(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        raise Unsupported("NumPy has no attention kernel of its own")

    def explained(self) -> AbstractContextManager[None]:
        return nullcontext()

    def seconds(self, call: Callable[[], None], calls: int) -> float:
        return host_seconds(call, calls)

    def peak(self, call: Callable[[], object]) -> int | None:
        tracemalloc.start()
        try:
            before, _ = tracemalloc.get_traced_memory()
            tracemalloc.reset_peak()
            call()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()

    def free_bytes(self) -> int | None:
        return machine.free_bytes()

    def is_out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError)

    def release(self) -> None:
        pass


def host_seconds(call: Callable[[], None], calls: int) -> float:
    """Seconds a call on the host's clock, over `calls` in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls
