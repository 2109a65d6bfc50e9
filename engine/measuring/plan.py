"""What a run would do, how long it would take and how much memory, before it starts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.measuring import gpu
from engine.measuring.arrays import ITEMSIZE, Arrays, NumpyArrays, Unsupported
from engine.measuring.group import Count, Group, Way, random
from engine.measuring.operations import groups
from engine.measuring.settings import OPERATIONS, Settings
from engine.measuring.timing import Rule

MOST_SETS = 64  # of inputs to rotate through
ORDER = ("copy", "product", *OPERATIONS)  # of operations in a record and a table
MINIMUM = 5  # runs of everything that is timed at all


@dataclass(frozen=True)
class Case:
    """One way of one operation at one size in one place. `tile` is 0 unless tile sizes are what is compared."""

    operation: str
    way: str
    backend: str
    dtype: str
    shape: tuple[tuple[str, int], ...]
    tile: int = 0

    def size(self, name: str) -> int:
        """A number of its shape, by name. Raises KeyError."""
        return dict(self.shape)[name]


@dataclass(frozen=True)
class Place:
    """A backend and the device under it; `reason` says why it cannot be used, and is empty if it can.

    `issue_seconds` is what one array operation costs however small it is.
    """

    backend: str
    device: str = ""
    threads: int = 0
    versions: tuple[tuple[str, str], ...] = ()
    clock: str = ""
    peak_by: str = ""
    free_bytes: int | None = None
    cache_bytes: int = 0
    issue_seconds: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class Planned:
    """A case with its estimates; `refused` says why it will not be tried, and is empty if it will."""

    case: Case
    seconds: float
    n_bytes: int
    refused: str = ""


@dataclass(frozen=True)
class Plan:
    """`seconds` of the whole run, at most about; `n_bytes` of the largest moment; `limit` bytes that a group may
    take."""

    places: tuple[Place, ...]
    cases: tuple[Planned, ...]
    seconds: float
    n_bytes: int
    limits: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class Job:
    """A group in one place with the ways that will be tried. Seconds: of everything, and the least that makes sense."""

    arrays: Arrays
    dtype: str
    group: Group
    ways: tuple[Way, ...]
    sets: int
    seconds: float
    least_seconds: float

    def case(self, way: Way) -> Case:
        return case_of(self.arrays, self.dtype, self.group, way)


@dataclass(frozen=True)
class Rates:
    """Of one place, from a probe of milliseconds: rough, for estimates only. `host` is NumPy's copying."""

    copied: float  # bytes/s, read and written
    multiplied: float  # floating-point operations/s
    exponentials: float  # numbers/s
    issue: float  # seconds an array operation costs however small
    host: float  # bytes/s

    def seconds(self, count: Count) -> float:
        """One call, as if nothing overlapped."""
        return (
            count.operations / self.multiplied
            + count.moves / self.copied
            + 2 * count.exponentials / self.exponentials  # as much again for maximum, difference and sum
            + count.issued * self.issue
        )


def case_of(arrays: Arrays, dtype: str, group: Group, way: Way) -> Case:
    return Case(group.operation, way.name, arrays.name, dtype, group.shape, way.tile)


def arrays_of(backend: str) -> Arrays:
    """Raises Unsupported with the reason, ValueError for a name that is none."""
    match backend:
        case "numpy":
            return NumpyArrays()
        case "torch-cpu":
            return gpu.TorchArrays("cpu")
        case "torch-cuda":
            return gpu.TorchArrays("cuda")
    raise ValueError(f"backend: numpy, torch-cpu or torch-cuda, got {backend!r}")


def place_of(b: Arrays) -> Place:
    """With a moment's probe of what an operation costs."""
    small, out = b.empty((1,), "float32"), b.empty((1,), "float32")
    b.fill(small, 0.0)
    issue = min(b.seconds(lambda: b.exp(small, out), 100) for _ in range(5))
    return Place(
        b.name, b.device, b.threads, b.versions, b.clock, b.peak_by, b.free_bytes(), b.cache_bytes, max(1e-9, issue)
    )


def probe(b: Arrays, dtype: str, issue_seconds: float) -> Rates:
    """A few short runs of each kind of work."""
    n, length = (256, 2**20) if b.name != "torch-cuda" else (2048, 2**24)
    rng = np.random.default_rng(0)
    item = ITEMSIZE[dtype]
    long, out_long = b.upload(random(rng, (length,)), dtype), b.empty((length,), dtype)
    square, out_square = b.upload(random(rng, (n, n)), dtype), b.empty((n, n), dtype)
    host, out_host = np.ones(2**20), np.empty(2**20)
    start = time.perf_counter()
    np.copyto(out_host, host)
    np.copyto(out_host, host)
    host_seconds = time.perf_counter() - start

    def best(call: Callable[[], None]) -> float:
        return max(1e-9, min(b.seconds(call, 1) for _ in range(3)))

    return Rates(
        2 * length * item / best(lambda: b.copy(long, out_long)),
        2 * n**3 / best(lambda: b.matmul(square, square, out_square)),
        length / best(lambda: b.exp(long, out_long)),
        issue_seconds,
        4 * out_host.nbytes / max(1e-9, host_seconds),
    )


def prepare(settings: Settings) -> tuple[Plan, tuple[Job, ...]]:
    """Look at the places, probe them, and decide what will be tried. Nothing of size is allocated."""
    places: list[Place] = []
    planned: list[Planned] = []
    jobs: list[Job] = []
    limits: list[tuple[str, int]] = []
    for backend in settings.backends:
        try:
            arrays = arrays_of(backend)
        except Unsupported as error:
            places.append(Place(backend, reason=str(error)))
            continue
        places.append(place_of(arrays))
        limit = memory_limit(settings, arrays)
        limits.append((backend, limit))
        for dtype in settings.dtypes:
            found = tuple(groups(settings, arrays, dtype))
            reason = arrays.refuses(dtype)
            if reason is not None:
                planned += [
                    Planned(case_of(arrays, dtype, group, way), 0.0, 0, reason) for group in found for way in group.ways
                ]
                continue
            rates = probe(arrays, dtype, places[-1].issue_seconds)
            for group in found:
                job, cases = _job(settings, arrays, dtype, group, rates, limit)
                planned += cases
                jobs += [job] if job.ways else []
    seconds = min(settings.seconds, sum(job.seconds for job in jobs))
    n_bytes = max((case.n_bytes for case in planned if not case.refused), default=0)
    return Plan(tuple(places), tuple(planned), seconds, n_bytes, tuple(limits)), _in_turn(jobs)


def _in_turn(jobs: list[Job]) -> tuple[Job, ...]:
    """All ceilings first; then the smallest size of every operation in every place, then the next larger of each, and
    so on: if time runs out, the large sizes are missing and nothing else."""
    sizes: dict[str, list[int]] = {}
    for job in jobs:
        sizes.setdefault(job.group.operation, []).append(job.group.size)
    ranks = {operation: sorted(set(found)) for operation, found in sizes.items()}

    def turn(job: Job) -> tuple[bool, int, int]:
        operation = job.group.operation
        ceiling = operation in ("copy", "product")
        return not ceiling, 0 if ceiling else ranks[operation].index(job.group.size), ORDER.index(operation)

    return tuple(sorted(jobs, key=turn))


def memory_limit(settings: Settings, arrays: Arrays) -> int:
    """Bytes that one group may take: the budget, and never more than nine tenths of what is free."""
    free = arrays.free_bytes()
    if free is None:
        return settings.memory or 2**30
    return min(settings.memory or free // 2, free * 9 // 10)


def sets_of(group: Group, arrays: Arrays, limit: int) -> int:
    """Input sets that it takes to be past the caches twice over, within half of the memory."""
    if not group.rotated:
        return 1
    wanted = 1 + -(-2 * arrays.cache_bytes // group.ways[0].count.must_move)
    return max(1, min(wanted, MOST_SETS, limit // 2 // max(1, group.input_bytes)))


def _job(
    settings: Settings, arrays: Arrays, dtype: str, group: Group, rates: Rates, limit: int
) -> tuple[Job, list[Planned]]:
    """The buffers of all ways are held together, so the smallest are let in first."""
    sets = sets_of(group, arrays, limit)
    on_host = group.check_bytes if arrays.name != "torch-cuda" else 0  # then it lies in the host's memory
    held = group.input_bytes * sets + on_host
    refused: dict[Way, str] = {}
    needs: dict[Way, int] = {}
    for way in sorted(group.ways, key=lambda way: way.count.workspace):
        own = way.count.workspace + 2 * group.result_bytes  # its result, and one more while it is checked
        needs[way] = held + own
        if held + own > limit:
            refused[way] = f"needs {mib(held + own)}, {mib(limit)} may be used"
        else:
            held += own
    ways = tuple(way for way in group.ways if way not in refused)
    once = sum(rates.seconds(way.count) for way in ways)
    setup = 3 * (group.input_bytes * sets + group.check_bytes) / rates.host + 0.005 * len(ways)
    least = setup + (MINIMUM + 4) * once
    most = setup + 4 * once + max((MINIMUM + 1) * once, settings.case_seconds * len(ways) + once)
    job = Job(arrays, dtype, group, ways, sets, most, least)
    share = most / max(1, len(ways))
    return job, [
        Planned(job.case(way), 0.0 if way in refused else share, needs[way], refused.get(way, "")) for way in group.ways
    ]


def rule_of(settings: Settings, n_ways: int, share: float, deadline: float) -> Rule:
    """`share`, at most 1, of the seconds that were planned: less where the run is behind its plan."""
    return Rule(MINIMUM, 100, settings.noise, settings.case_seconds * n_ways * share, deadline)


def mib(n_bytes: int) -> str:
    """
    >>> mib(3 * 2**20), mib(5 * 2**30)
    ('3 MiB', '5.0 GiB')
    """
    return f"{n_bytes / 2**30:.1f} GiB" if n_bytes >= 2**30 else f"{-(-n_bytes // 2**20):,} MiB"
