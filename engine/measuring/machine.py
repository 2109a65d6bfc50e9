"""What this machine is and has: processor, cores, caches, memory that is free, threads of NumPy's BLAS."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import sys
from pathlib import Path

import numpy as np

FALLBACK_CACHE = 64 * 2**20  # where the system does not tell: larger than most


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name as the system gives it, never empty."""
    with contextlib.suppress(OSError):
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown processor"


def cores() -> int:
    """Processors that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cache_bytes(folder: Path = Path("/sys/devices/system/cpu/cpu0/cache")) -> int:
    """Bytes of the largest cache of processor 0."""
    sizes = []
    for file in folder.glob("index*/size"):
        with contextlib.suppress(OSError, ValueError):
            text = file.read_text(encoding="ascii").strip()
            unit = {"K": 2**10, "M": 2**20, "G": 2**30}.get(text[-1:], 1)
            sizes.append(int(text.rstrip("KMG")) * unit)
    return max(sizes, default=FALLBACK_CACHE)


def free_bytes(meminfo: Path = Path("/proc/meminfo"), cgroup: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Bytes that can be had without pushing others out, in a container at most what it has left; None if unknown."""
    found = [value for value in (_available(meminfo), _cgroup_left(cgroup)) if value is not None]
    return max(0, min(found)) if found else None


def _available(meminfo: Path) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        for line in meminfo.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if sys.platform == "win32":
        return _windows_available()
    with contextlib.suppress(AttributeError, OSError, ValueError):
        # Elsewhere the system only tells what there is; half of it is a guess on the safe side.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return None


def _windows_available() -> int | None:
    status = (ctypes.c_uint64 * 8)()  # MEMORYSTATUSEX: two 32-bit fields, then seven 64-bit ones
    status[0] = ctypes.sizeof(status)
    kernel32 = getattr(ctypes, "windll").kernel32  # noqa: B009  (exists on Windows only; mypy runs elsewhere)
    return int(status[2]) if kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else None


def _cgroup_left(folder: Path) -> int | None:
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        with contextlib.suppress(OSError, ValueError):  # "max": no limit
            return int((folder / limit).read_text("ascii")) - int((folder / used).read_text("ascii"))
    return None


def blas_threads() -> int:
    """Threads of the BLAS inside NumPy's wheel, as it says itself; else the cores that it would take."""
    names = ("scipy_openblas_get_num_threads64_", "scipy_openblas_get_num_threads", "openblas_get_num_threads")
    root = Path(np.__file__).parent
    for file in [*root.parent.glob("numpy.libs/*openblas*"), *root.glob(".dylibs/*openblas*")]:
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(str(file))  # already loaded by NumPy: this is a second name for it
            for name in names:
                if hasattr(library, name):
                    return int(getattr(library, name)())
    return cores()


def blas_name() -> str:
    """Name and version of the BLAS that NumPy was built with."""
    with contextlib.suppress(KeyError, TypeError):
        blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return f"{blas['name']} {blas['version']}".strip()
    return "unknown"


def limit_memory(more: int) -> bool:
    """Let this process map `more` bytes beyond what it maps now; True if the system obeys.

    Not for a process that uses a GPU: its driver maps far more than it uses. A library's first call may map as well,
    so call this when they are loaded.
    """
    try:
        import resource

        mapped = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = mapped + more if hard == resource.RLIM_INFINITY else min(mapped + more, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    except (ImportError, OSError, ValueError):
        return False
    return True
