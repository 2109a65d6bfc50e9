"""A run for the terminal: a progress bar, and a table that can be read."""

from __future__ import annotations

from collections.abc import Iterator

from engine.measuring.laws import Comparison, busy, comparisons, drifted, fits, roofline
from engine.measuring.plan import Case, Place, Plan, mib
from engine.measuring.record import Run
from engine.measuring.runner import Progress
from engine.measuring.timing import Verdict

WIDTH = 24


def bar(progress: Progress) -> str:
    """One line: how far, how long to go, what is being measured.

    >>> bar(Progress(3, 6, 2.0, 2.4, None))
    '[############------------] 3 of 6, about 2 s left'
    """
    filled = round(WIDTH * progress.done / progress.total) if progress.total else WIDTH
    doing = "" if progress.now is None else f": {named(progress.now)}"
    return (
        f"[{'#' * filled}{'-' * (WIDTH - filled)}] {progress.done} of {progress.total}, "
        f"about {progress.left:.0f} s left{doing}"
    )


def named(case: Case) -> str:
    """
    >>> named(Case("attention", "plain", "numpy", "float32", (("n", 8), ("heads", 1))))
    'attention, n 8, numpy float32'
    """
    name, size = case.shape[0]
    return f"{case.operation}, {name} {size}, {case.backend} {case.dtype}"


def plan_lines(plan: Plan) -> Iterator[str]:
    """What will be done, before it is."""
    for place in plan.places:
        yield place_line(place)
    tried = [planned for planned in plan.cases if not planned.refused]
    yield (
        f"{len(tried)} timings, at most about {plan.seconds:.0f} s and a second or two to start, at most about "
        f"{mib(plan.n_bytes)}"
    )
    for planned in plan.cases:
        if planned.refused:
            yield f"refused: {named(planned.case)}, {planned.case.way}: {planned.refused}"


def place_line(place: Place) -> str:
    """A backend, its device and versions, or why it is not there."""
    if place.reason:
        return f"{place.backend}: not measured: {place.reason}"
    versions = ", ".join(f"{name} {version}" for name, version in place.versions)
    threads = f"{place.threads} threads" if place.threads != 1 else "1 thread"
    return f"{place.backend}: {place.device}, {threads}; {versions}"


def table(run: Run) -> str:
    """Every timing with what it is of its floor and against the way it is compared with; slopes below."""
    shares = {id(point.measured): point.share for point in roofline(run)}
    against = {id(comparison.way): comparison for comparison in comparisons(run)}
    head = (
        f"{'n':>9}  "
        f"{'way':<15}{'median':>11}{'p10':>11}{'p90':>11}{'noise':>7}{'extra memory':>14}{'of floor':>10}  "
        "against the first"
    )
    lines = []
    title = ""
    for m in run.results:
        case = m.case
        rest = ", ".join(f"{name} {size}" for name, size in case.shape[1:])
        now = f"{case.operation} ({case.backend} {case.dtype}{', ' + rest if rest else ''})"
        if now != title:
            lines += ["", now, head]
            title = now
        way = f"tile {case.tile}" if case.tile else case.way
        share = f"{100 * shares[id(m)]:.0f} %" if id(m) in shares else ""
        peak = "?" if m.timing.peak_bytes is None else _bytes(m.timing.peak_bytes)
        t = m.timing
        lines.append(
            f"{case.shape[0][1]:>9,}  {way:<15}{_time(t.median):>11}{_time(t.p10):>11}{_time(t.p90):>11}"
            f"{100 * t.noise:>5.0f} %{peak:>14}{share:>10}  {_said(against.get(id(m)))}".rstrip()
        )
    lines += ["", "growth with n: time ~ n to the power of"]
    for fit in fits(run):
        counted = dict(fit.counted)
        lines.append(
            f"    {fit.operation:<10} {fit.way:<15} {fit.backend:<11}{fit.dtype:<9}{fit.slope:>6.2f}, "
            f"{fit.last:.2f} between the two largest; counted: operations {counted['operations']:.2f}, "
            f"bytes that must move {counted['must_move']:.2f}"
        )
    for skip in run.skipped:
        lines.append(f"not measured: {named(skip.case)}, {skip.case.way}: {skip.reason}")
    if busy(run) > 0.5:
        lines.append(f"the machine was busy before the start: {busy(run):.1f} processes wanted to run on each core")
    lines.append(
        f"between start and end the machine's own matrix product changed by a factor of {drifted(run):.2f}; "
        f"{run.seconds:.0f} s in all, {run.ended}"
    )
    return "\n".join(lines).lstrip("\n")


def _said(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    memory = "" if comparison.memory is None else f", memory x {comparison.memory:.3g}"
    reasons = ", ".join(reason.value for reason in comparison.reasons)
    why = f" ({reasons})" if reasons and comparison.verdict is not Verdict.FASTER else ""
    said = {
        Verdict.NONE: f"within the noise of {100 * comparison.time.noise:.0f} %",
        Verdict.FASTER: "faster",
        Verdict.SLOWER: "slower",
    }[comparison.verdict]
    return f"time x {comparison.time.ratio:.2f}, {said}{why}{memory}"


def _time(seconds: float) -> str:
    """
    >>> _time(0.00123), _time(2.5), _time(3.2e-6)
    ('1.23 ms', '2.5 s', '3.2 µs')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _bytes(n: int) -> str:
    """
    >>> _bytes(2048), _bytes(5 * 2**20)
    ('2.0 KiB', '5.0 MiB')
    """
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n / 1024:.1f} KiB"
