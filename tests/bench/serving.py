"""Completions through one pool: how long a thousand take, a hundred thousand, and how the time grows.

python -m tests.bench.serving                  # about a minute
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Sequence

from engine.serving import BestFit, FirstFit, Paged, Policy, PowerOfTwo, Reserve, chat_lengths, simulate
from tests.bench.figures import Figure, Section, table

POOL = 16_384  # tokens: eight times the longest completion
COUNTS = (1_000, 3_000, 10_000, 30_000, 100_000)
TARGETS = {1_000: 1.0, 100_000: 60.0}  # seconds
GROWTH = 1.1
POLICIES: dict[str, Policy] = {
    "reserve": Reserve(2_048),
    "first fit": FirstFit(),
    "best fit": BestFit(),
    "powers of two": PowerOfTwo(),
    "paged, 16": Paged(16),
    "paged, 1": Paged(1),
}


def seconds(n: int, policy: Policy) -> float:
    lengths = chat_lengths(n)
    start = time.process_time()
    simulate(lengths, policy, pool_tokens=POOL)
    return time.process_time() - start


def exponent(counts: Sequence[int], times: Sequence[float]) -> float:
    """The slope of log time over log count, by least squares: time grows as countᵉˣᵖᵒⁿᵉⁿᵗ.

    >>> round(exponent([10, 100, 1000], [3, 300, 30_000]), 6)
    2.0
    """
    return statistics.linear_regression([math.log(n) for n in counts], [math.log(t) for t in times]).slope


def figures(name: str, policy: Policy) -> tuple[Figure, ...]:
    seconds(COUNTS[0], policy)  # to warm the code
    times = [seconds(n, policy) for n in COUNTS]
    return (
        *(Figure(f"{name}: {n:,} completions", times[COUNTS.index(n)], "s", most) for n, most in TARGETS.items()),
        Figure(f"{name}: exponent of growth", exponent(COUNTS, times), "", GROWTH),
    )


def section() -> Section:
    return Section(
        "10  Many completions through one pool",
        f"engine.serving.simulate, lengths 1 to 2,048, a pool of {POOL:,} tokens; processor time, growth fitted over "
        f"{', '.join(f'{n:,}' for n in COUNTS)}",
        tuple(figure for name, policy in POLICIES.items() for figure in figures(name, policy)),
    )


if __name__ == "__main__":
    print(table([section()]))
