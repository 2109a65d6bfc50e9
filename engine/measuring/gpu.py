"""PyTorch as a backend of the measurements, on the CPU and on a GPU. Nothing else in the app needs PyTorch.

It is imported inside functions only: without it everything else works, and `look` says what was looked for.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.attention import Array
from engine.measuring import machine
from engine.measuring.arrays import KERNELS, Tensor, Unsupported, host_seconds

_ENUM = {"math": "MATH", "efficient": "EFFICIENT_ATTENTION", "flash": "FLASH_ATTENTION", "cudnn": "CUDNN_ATTENTION"}
assert tuple(_ENUM) == KERNELS


@dataclass(frozen=True)
class Sight:
    """What there is: PyTorch's version and the GPU's name, or why not (`torch_reason`, `cuda_reason`)."""

    torch_version: str | None
    torch_reason: str
    cuda_name: str | None
    cuda_reason: str


def look() -> Sight:
    """Import PyTorch, which takes seconds and memory, and ask it for a GPU. Never raises."""
    try:
        torch = _torch()
    except Unsupported as error:
        return Sight(None, str(error), None, "a GPU is reached through PyTorch, which is not here")
    reason = _no_cuda(torch)
    return Sight(str(torch.__version__), "", None if reason else str(torch.cuda.get_device_name(0)), reason)


def installed() -> str | None:
    """PyTorch's version as its package says, without importing it; None if there is none."""
    if importlib.util.find_spec("torch") is None:
        return None
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


class TorchArrays:
    """PyTorch on "cpu" or "cuda". Raises Unsupported, which says what is missing.

    Products of float32 stay float32: TensorFloat-32 is off, as is PyTorch's default.
    """

    def __init__(self, place: str) -> None:
        self.torch = torch = _torch()
        self.place = place
        self.name = f"torch-{place}"
        self.versions: tuple[tuple[str, str], ...] = (("torch", str(torch.__version__)),)
        if place == "cpu":
            self.device = machine.processor()
            self.threads = int(torch.get_num_threads())
            self.cache_bytes = machine.cache_bytes()
            self.clock, self.peak_by = "host clock", "torch profiler"
            return
        reason = _no_cuda(torch)
        if reason:
            raise Unsupported(reason)
        properties = torch.cuda.get_device_properties(0)
        self.device = str(torch.cuda.get_device_name(0))
        self.threads = 1  # of the host, which only hands out work
        self.cache_bytes = int(getattr(properties, "L2_cache_size", 0)) or machine.FALLBACK_CACHE
        self.clock, self.peak_by = "device events", "torch.cuda allocator"
        self.versions += (("cuda", str(torch.version.cuda or torch.version.hip)), ("driver", _driver(torch)))
        warm = torch.ones((2, 8, 8), device=place)
        torch.matmul(warm, warm)  # takes the library's workspace now, or it would count as the first kernel's memory
        if torch.backends.cudnn.is_available():
            self.versions += (("cudnn", str(torch.backends.cudnn.version())),)

    def refuses(self, dtype: str) -> str | None:
        torch = self.torch
        kind = getattr(torch, dtype, None)
        if kind is None:
            return f"this PyTorch has no {dtype}"
        # Emulated bfloat16 would run, and time the emulation.
        if dtype == "bfloat16" and self.place == "cuda" and not _has_bfloat16(torch):
            return f"{self.device} has no bfloat16"
        try:
            a = torch.ones((2, 8, 8), dtype=kind, device=self.place)
            torch.exp(torch.matmul(a, a)).sum().item()
        except (RuntimeError, NotImplementedError, TypeError) as error:
            return f"PyTorch on {self.device}: {_first_line(error)}"
        return None

    def upload(self, a: Array, dtype: str) -> Tensor:
        host = self.torch.from_numpy(np.ascontiguousarray(a))
        return host.to(device=self.place, dtype=getattr(self.torch, dtype), copy=True)

    def download(self, a: Tensor) -> Array:
        return np.asarray(a.detach().to(device="cpu", dtype=self.torch.float64).numpy())

    def empty(self, shape: tuple[int, ...], dtype: str) -> Tensor:
        return self.torch.empty(shape, dtype=getattr(self.torch, dtype), device=self.place)

    def index(self, a: Any) -> Tensor:
        return self.torch.as_tensor(np.asarray(a, np.int64), device=self.place)

    def fill(self, a: Tensor, value: float) -> None:
        a.fill_(value)

    def copy(self, a: Tensor, out: Tensor) -> None:
        out.copy_(a)

    def take(self, a: Tensor, index: Tensor, axis: int, out: Tensor) -> None:
        self.torch.index_select(a, axis, index, out=out)

    def matmul(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        self.torch.matmul(a, b, out=out)

    def add(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        self.torch.add(a, b, out=out)

    def subtract(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        self.torch.sub(a, b, out=out)

    def multiply(self, a: Tensor, b: Tensor | float, out: Tensor) -> None:
        self.torch.mul(a, b, out=out)

    def divide(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        self.torch.div(a, b, out=out)

    def maximum(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        self.torch.maximum(a, b, out=out)

    def exp(self, a: Tensor, out: Tensor) -> None:
        self.torch.exp(a, out=out)

    def tanh(self, a: Tensor, out: Tensor) -> None:
        self.torch.tanh(a, out=out)

    def row_max(self, a: Tensor, out: Tensor) -> None:
        self.torch.amax(a, -1, keepdim=True, out=out)

    def row_sum(self, a: Tensor, out: Tensor) -> None:
        self.torch.sum(a, -1, keepdim=True, dtype=out.dtype, out=out)

    def kernel(self, name: str) -> AbstractContextManager[object]:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        chosen = getattr(SDPBackend, _ENUM[name], None)
        if chosen is None:
            raise Unsupported(f"PyTorch {self.torch.__version__} has no kernel of this name")
        context: AbstractContextManager[object] = sdpa_kernel(chosen)
        return context

    def sdpa(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]

    @contextmanager
    def explained(self) -> Iterator[None]:
        """PyTorch says why a kernel will not do in warnings, and then raises RuntimeError: both go into the reason."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield
            except (RuntimeError, NotImplementedError) as error:
                if self.is_out_of_memory(error):
                    raise
                said = [_first_line(warning.message) for warning in caught]
                raise Unsupported("; ".join(dict.fromkeys([_first_line(error), *said]))) from error

    def seconds(self, call: Callable[[], None], calls: int) -> float:
        return host_seconds(call, calls) if self.place == "cpu" else event_seconds(self.torch.cuda, call, calls)

    def peak(self, call: Callable[[], object]) -> int | None:
        return _host_peak(self.torch, call) if self.place == "cpu" else _device_peak(self.torch.cuda, call)

    def free_bytes(self) -> int | None:
        return machine.free_bytes() if self.place == "cpu" else int(self.torch.cuda.mem_get_info()[0])

    def is_out_of_memory(self, error: BaseException) -> bool:
        """The host's allocator and cuBLAS raise a plain RuntimeError, told by its words alone."""
        if isinstance(error, (MemoryError, self.torch.cuda.OutOfMemoryError)):
            return True
        words = ("can't allocate memory", "not enough memory", "out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
        return isinstance(error, RuntimeError) and any(word in str(error) for word in words)

    def release(self) -> None:
        if self.place == "cuda":
            self.torch.cuda.empty_cache()


def event_seconds(cuda: Any, call: Callable[[], None], calls: int) -> float:
    """Seconds a call between two events on the device: work is queued, so the host's clock would only time the
    queueing."""
    start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    cuda.synchronize()
    start.record()
    for _ in range(calls):
        call()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1e3 / calls  # elapsed_time is in milliseconds


def _device_peak(cuda: Any, call: Callable[[], object]) -> int:
    """The allocator's own peak."""
    cuda.synchronize()
    cuda.reset_peak_memory_stats()
    before = cuda.memory_allocated()
    call()
    cuda.synchronize()
    return int(cuda.max_memory_allocated()) - int(before)


def _host_peak(torch: Any, call: Callable[[], object]) -> int | None:
    """PyTorch's allocator on the host reports to its profiler: each [memory] event is bytes taken (or given back,
    below 0)."""
    profiler = torch.autograd.profiler.profile(profile_memory=True)
    with profiler:
        call()
    try:
        events = [event for event in profiler.kineto_results.events() if event.name() == "[memory]"]
        changes = [int(event.nbytes()) for event in sorted(events, key=lambda event: event.start_ns())]
    except AttributeError:  # not a public interface: another PyTorch may not have it
        return None
    return max(0, int(np.cumsum(changes).max())) if changes else 0


def _torch() -> Any:
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # its profiler, which counts memory here, talks on stderr
    try:
        import torch
    except (ImportError, OSError) as error:  # OSError: it is here, and a library that it needs is not
        raise Unsupported(f"PyTorch cannot be imported: {_first_line(error)}") from error
    return torch


def _no_cuda(torch: Any) -> str:
    """Why PyTorch sees no GPU; empty if it sees one."""
    if torch.version.cuda is None and torch.version.hip is None:
        return f"PyTorch {torch.__version__} was built without GPU support"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about an old driver; the reason says it
        if torch.cuda.is_available():
            return ""
    return f"PyTorch {torch.__version__} finds no GPU, or no driver for one"


def _has_bfloat16(torch: Any) -> bool:
    try:
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    except TypeError:  # an older PyTorch without that argument
        return bool(torch.cuda.is_bf16_supported())


def _driver(torch: Any) -> str:
    """The driver's version; asked of the management library, for PyTorch has no public way."""
    ask = getattr(torch._C, "_cuda_getDriverVersion", None)
    supports = int(ask()) if ask is not None else 0
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
        text = ctypes.create_string_buffer(96)
        if nvml.nvmlInit_v2() == 0 and nvml.nvmlSystemGetDriverVersion(text, ctypes.c_uint(96)) == 0:
            return text.value.decode("ascii", "replace")
    except OSError:
        pass
    return f"for CUDA {supports // 1000}.{supports % 1000 // 10}" if supports else "unknown"


def _first_line(message: object) -> str:
    text = str(message).strip() or type(message).__name__
    return text.splitlines()[0].partition(" (Triggered internally")[0].strip()
