"""The measuring itself, from one run on NumPy: tiles against the plain formula, decoding with a cache, what a timing
costs.

python -m tests.bench.measured            # about a minute; needs no browser, and a machine that does nothing else
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from engine.measure import Comparison, Done, Run, Settings, comparisons, drifted, measure
from engine.measuring.arrays import NumpyArrays
from engine.measuring.settings import FULL
from tests.bench.figures import Figure, Section, median, table

LENGTHS, STEPS, HELD_AT = (1024, 4096, 8192), 256, 4096
SETTINGS = Settings(
    operations=("attention", "decode"),
    lengths=LENGTHS,
    head_dim=64,
    tile_q=FULL.tile_q,
    tile_k=FULL.tile_k,
    steps=(STEPS,),
    product_size=FULL.product_size,
    case_seconds=5.0,
    seconds=240.0,
    noise=0.01,
)
EMPTY = 20_000  # timings of an empty function


def run() -> Run:
    *_, done = measure(SETTINGS)
    assert isinstance(done, Done)
    missing = {skip.reason for skip in done.run.skipped}
    if missing:
        raise RuntimeError(f"not measured: {'; '.join(missing)}")
    return done.run


def sections(found: Run) -> tuple[Section, ...]:
    place = found.places[0]
    how = (
        f"{place.device}, {place.threads} BLAS threads, load {dict(found.host)['load']}; float32, one head of "
        f"{SETTINGS.head_dim}; tiles {SETTINGS.tile_q} × {SETTINGS.tile_k}; medians of runs taken in turn; "
        f"the machine's own product changed by ×{drifted(found):.2f} meanwhile"
    )
    against = {(c.way.case.operation, c.way.case.size("n")): c for c in comparisons(found)}
    attention = [figure for n in LENGTHS for figure in tiled(n, against["attention", n])]
    cached = against["decode", STEPS]
    decode = Figure(
        f"cached / uncached, {STEPS} tokens",
        cached.time.ratio,
        "×",
        note=f"{milliseconds(cached)}, {cached.verdict.value}",
    )
    return (
        Section("NumPy: tiled attention against the plain formula", how, tuple(attention)),
        Section(
            "NumPy: decoding with a cache against without",
            f"d_model {SETTINGS.d_model}, {SETTINGS.n_layers} layers",
            (decode,),
        ),
        overhead(),
    )


def tiled(n: int, found: Comparison) -> Iterator[Figure]:
    """Time and extra memory, each as a ratio; held to the aim at one length."""
    held = n == HELD_AT
    runs = f"{found.way.timing.runs} runs, noise {100 * found.time.noise:.1f} %"
    note = f"{milliseconds(found)}, {found.verdict.value}; {runs}"
    yield Figure(f"tiled / plain, time, N = {n:,}", found.time.ratio, "×", 1.0 if held else None, note=note)
    assert found.memory is not None
    peaks = [m.timing.peak_bytes or 0 for m in (found.way, found.base)]
    sizes = f"{peaks[0] / 2**20:.2f} of {peaks[1] / 2**20:.2f} MiB"
    yield Figure(f"tiled / plain, extra memory, N = {n:,}", found.memory, "×", 1 / 8 if held else None, note=sizes)


def milliseconds(found: Comparison) -> str:
    return f"{1e3 * found.way.timing.median:.3g} of {1e3 * found.base.timing.median:.3g} ms"


def overhead() -> Section:
    """What the clock adds to a sample of one call, and to each call of a long sample."""
    b = NumpyArrays()
    one = [1e9 * b.seconds(lambda: None, 1) for _ in range(EMPTY)]
    many = [1e9 * b.seconds(lambda: None, 1000) for _ in range(EMPTY // 100)]
    return Section(
        "A timing of an empty function",
        "seconds that a Timing would show for it",
        (
            Figure("one call a sample, median", median(one), "ns", note=f"{len(one)} samples"),
            Figure("a thousand calls a sample, per call", median(many), "ns", note=f"{len(many)} samples"),
        ),
    )


def main() -> int:
    print(table(sections(run())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
