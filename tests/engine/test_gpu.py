"""engine.measuring.gpu: PyTorch gives what NumPy gives in float64, on the CPU and, with -m gpu, by the same tests on
a GPU."""

from __future__ import annotations

import contextlib
import importlib
import os
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.measure import KERNELS, Done, Measured, Settings, Skipped, as_json, load, look_from_outside, measure, plan
from engine.measuring import gpu, runner
from engine.measuring.arrays import DTYPES, TOLERANCE, Unsupported
from engine.measuring.group import Group
from engine.measuring.operations import groups
from engine.measuring.plan import Job

# On CI a missing PyTorch is a fault, elsewhere a reason to skip.
torch: Any = importlib.import_module("torch") if os.environ.get("CI") else pytest.importorskip("torch")

PLACES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
TINY = Settings(
    lengths=(64, 160),
    head_dim=64,
    heads=2,
    tile_q=48,
    tile_k=64,
    tiles_length=160,
    tile_sizes=(32, 64),
    steps=(12,),
    d_model=128,
    contexts=(256,),
    kv_heads=2,
    copy_bytes=2**20,
    product_size=64,
    case_seconds=0.001,
    seconds=600.0,
)


class SmallCache(gpu.TorchArrays):
    """As on a device with a small cache, so that the copy past the caches is short."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.cache_bytes = 2**20


def answers(b: gpu.TorchArrays, dtype: str, group: Group) -> list[Measured | Skipped]:
    job = Job(b, dtype, group, group.ways, 2 if group.rotated else 1, 1.0, 0.0)
    return [event for event in runner._group(job, TINY, 1.0, float("inf"), time.perf_counter) if event is not None]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_way_is_numpys_float64_within_the_dtypes_tolerance_or_refused_with_a_reason(
    place: str, dtype: str
) -> None:
    b = SmallCache(place)
    reason = b.refuses(dtype)
    if reason is not None:
        assert place == "cuda", reason  # PyTorch on the CPU has all four
        return
    ours = set()
    for group in groups(TINY, b, dtype):
        found = answers(b, dtype, group)
        assert {answer.case.way for answer in found} == {way.name for way in group.ways}
        for answer in found:
            if isinstance(answer, Skipped):
                assert answer.case.way.startswith("sdpa-"), answer
                assert answer.case.way != "sdpa-math", answer
                assert len(answer.reason) > 10
                assert not answer.reason.startswith(("wrong", "does not fit", "out of time"))
            else:
                assert answer.error <= TOLERANCE[dtype]
                assert answer.timing.device == b.device
                ours.add(answer.case.way)
    assert ours >= {
        "copy",
        "product",
        "plain",
        "tiled",
        "sdpa-math",
        "uncached",
        "cached",
        "gathered",
        "block-by-block",
    }


@pytest.mark.parametrize("place", PLACES)
def test_every_kernel_name_is_pytorchs_and_a_foreign_one_is_refused(place: str) -> None:
    b = gpu.TorchArrays(place)
    q, k, v = (b.upload(np.random.default_rng(i).standard_normal((2, 64, 64)), "float32") for i in range(3))
    done = []
    for name in KERNELS:
        with b.kernel(name), contextlib.suppress(Unsupported), b.explained():
            assert b.sdpa(q, k, v).shape == (2, 64, 64)
            done.append(name)
    assert "math" in done


@pytest.mark.parametrize("place", PLACES)
def test_the_kernel_chosen_is_the_only_one_allowed(place: str) -> None:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    enabled = {
        "math": torch.backends.cuda.math_sdp_enabled,
        "flash": torch.backends.cuda.flash_sdp_enabled,
        "efficient": torch.backends.cuda.mem_efficient_sdp_enabled,
        "cudnn": torch.backends.cuda.cudnn_sdp_enabled,
    }
    b = gpu.TorchArrays(place)
    with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):  # whatever stood before
        for name in KERNELS:
            with b.kernel(name):
                assert {other for other, is_on in enabled.items() if is_on()} == {name}


def test_on_the_cpu_kernels_of_the_gpu_are_refused_with_pytorchs_own_words() -> None:
    b = gpu.TorchArrays("cpu")
    q = b.upload(np.ones((1, 8, 64)), "float32")
    with b.kernel("cudnn"), pytest.raises(Unsupported, match=r"backend|kernel"), b.explained():
        b.sdpa(q, q, q)


@pytest.mark.parametrize("place", PLACES)
def test_a_type_without_arithmetic_is_refused_with_a_reason(place: str) -> None:
    b = gpu.TorchArrays(place)
    for dtype in ("float8_e4m3fn", "float128"):
        assert b.refuses(dtype)


class Recorder:
    """Stands for torch.cuda: keeps the order in which it is called."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def synchronize(self) -> None:
        self.calls.append("synchronize")

    def Event(self, *, enable_timing: bool) -> Any:
        assert enable_timing
        recorder, name = self, f"event {sum(call.startswith('new') for call in self.calls)}"
        recorder.calls.append(f"new {name}")

        class Event:
            def record(self) -> None:
                recorder.calls.append(f"record {name}")

            def synchronize(self) -> None:
                recorder.calls.append(f"wait {name}")

            def elapsed_time(self, other: Any) -> float:
                recorder.calls.append("elapsed")
                return 6.0

        return Event()


def test_events_lie_around_the_calls_and_the_last_is_waited_for() -> None:
    cuda = Recorder()
    seconds = gpu.event_seconds(cuda, lambda: cuda.calls.append("call"), 3)
    assert seconds == pytest.approx(0.002)  # 6 ms over 3 calls
    assert cuda.calls == [
        "new event 0", "new event 1", "synchronize", "record event 0", "call", "call", "call", "record event 1",
        "wait event 1", "elapsed",
    ]  # fmt: skip


def test_the_host_is_timed_by_its_own_clock() -> None:
    b = gpu.TorchArrays("cpu")
    calls: list[int] = []
    assert b.seconds(lambda: calls.append(1), 7) >= 0
    assert len(calls) == 7
    assert (b.clock, b.peak_by) == ("host clock", "torch profiler")


@pytest.mark.gpu
def test_the_gpu_is_timed_by_its_events() -> None:
    b = gpu.TorchArrays("cuda")
    assert (b.clock, b.peak_by) == ("device events", "torch.cuda allocator")
    a = b.upload(np.random.default_rng(0).standard_normal((4096, 4096)), "float32")
    out = b.empty((4096, 4096), "float32")
    assert b.seconds(lambda: b.matmul(a, a, out), 3) > 2 * 4096**3 / 1e16  # no device is that fast: it was waited for


@pytest.mark.parametrize("place", PLACES)
def test_the_peak_is_what_is_held_at_once(place: str) -> None:
    b = gpu.TorchArrays(place)
    mib = 2**20

    def one_after_another() -> Any:
        for _ in range(5):
            a = b.empty((4, mib), "float32")
            b.fill(a, 1.0)
        return a

    def together() -> Any:
        return [b.empty((4, mib), "float32") for _ in range(5)]

    assert b.peak(lambda: None) == 0
    assert b.peak(together) == pytest.approx(5 * 16 * mib, rel=0.01)  # a GPU's allocator rounds
    peak = b.peak(one_after_another)
    assert peak is not None
    assert 16 * mib <= peak <= 2 * 16 * mib  # the next is taken before the last name lets go


@pytest.mark.parametrize("place", PLACES)
def test_the_plain_formula_holds_the_table_that_is_counted(place: str) -> None:
    b = SmallCache(place)
    settings = replace(TINY, lengths=(1024,), operations=("attention",))
    group = next(g for g in groups(settings, b, "float32") if g.operation == "attention")
    timed = {answer.case.way: answer for answer in answers(b, "float32", group)}
    plain = timed["plain"]
    assert isinstance(plain, Measured)
    assert plain.timing.peak_bytes is not None
    assert plain.timing.peak_bytes == pytest.approx(plain.count.workspace, rel=0.02)
    tiled = timed["tiled"]
    assert isinstance(tiled, Measured)
    assert tiled.timing.peak_bytes is not None
    assert tiled.timing.peak_bytes < plain.timing.peak_bytes / 8


class Small(SmallCache):
    """A device with little memory, which raises as PyTorch's allocator does."""

    most = 2**20

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        if int(np.prod(shape)) * 4 > self.most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 1.00 MiB.\nMore lines follow.")
        return super().empty(shape, dtype)


@pytest.mark.parametrize("place", PLACES)
def test_out_of_memory_is_a_size_that_does_not_fit_and_the_others_go_on(place: str) -> None:
    b = Small(place)
    settings = replace(TINY, lengths=(512,), operations=("attention",))  # a table of 2 × 512 × 512 floats: 2 MiB
    group = next(g for g in groups(settings, b, "float32") if g.operation == "attention")
    found = {answer.case.way: answer for answer in answers(b, "float32", group)}
    plain = found["plain"]
    assert isinstance(plain, Skipped)
    assert plain.reason == "does not fit in memory: CUDA out of memory. Tried to allocate 1.00 MiB."
    assert isinstance(found["tiled"], Measured)
    assert isinstance(found["sdpa-math"], Measured)


@pytest.mark.parametrize("place", PLACES)
def test_the_allocators_own_refusal_is_known(place: str) -> None:
    b = gpu.TorchArrays(place)
    with pytest.raises(RuntimeError) as raised:  # 4 EiB
        b.empty((2**60,), "float32")
    assert b.is_out_of_memory(raised.value)
    assert b.is_out_of_memory(MemoryError())
    with pytest.raises(RuntimeError) as raised:
        b.matmul(b.empty((2, 3), "float32"), b.empty((2, 3), "float32"), b.empty((2, 2), "float32"))
    assert not b.is_out_of_memory(raised.value)


def test_without_a_gpu_its_place_says_why_and_nothing_is_measured_there() -> None:
    sight = gpu.look()
    assert sight.torch_version == torch.__version__
    if sight.cuda_name is not None:
        pytest.skip(f"here is one: {sight.cuda_name}")
    assert "GPU" in sight.cuda_reason
    with pytest.raises(Unsupported, match="GPU"):
        gpu.TorchArrays("cuda")
    settings = replace(TINY, backends=("torch-cuda",))
    made = plan(settings)
    assert [(place.backend, place.reason) for place in made.places] == [("torch-cuda", sight.cuda_reason)]
    *_, done = measure(settings)
    assert isinstance(done, Done)
    assert (done.run.results, done.run.ended) == ((), "done")


def test_a_look_from_outside_sees_the_same() -> None:
    assert look_from_outside(300) == gpu.look()
    assert gpu.installed() is not None


def test_why_there_is_no_gpu_is_told_apart() -> None:
    def a_torch(cuda: str | None, found: bool) -> Any:
        module = type("torch", (), {"__version__": "9.9"})
        module.version = type("version", (), {"cuda": cuda, "hip": None})  # type: ignore[attr-defined]
        module.cuda = type("cuda", (), {"is_available": staticmethod(lambda: found)})  # type: ignore[attr-defined]
        return module

    assert "built without GPU support" in gpu._no_cuda(a_torch(None, False))
    assert "finds no GPU" in gpu._no_cuda(a_torch("13.0", False))
    assert gpu._no_cuda(a_torch("13.0", True)) == ""


@pytest.mark.parametrize("place", PLACES)
def test_a_whole_run_survives_its_file(place: str) -> None:
    settings = replace(TINY, backends=(f"torch-{place}",), operations=("attention",))
    *_, done = measure(settings)
    assert isinstance(done, Done)
    assert load(as_json(done.run)) == done.run
    assert len(done.run.drift) == 1  # the one dtype
    versions = dict(done.run.results[0].timing.versions)
    assert versions["torch"] == torch.__version__
    if place == "cuda":
        assert done.run.results[0].timing.device == torch.cuda.get_device_name(0)
        assert versions["driver"][0].isdigit() or versions["driver"].startswith("for CUDA")
