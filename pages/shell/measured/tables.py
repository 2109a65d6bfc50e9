"""Tables of a run: all timings, slopes beside the counted ones, two runs side by side; and the same as CSV."""

from __future__ import annotations

import pandas as pd

from engine.measure import BASE, Measured, Run, compare, fits, roofline
from lessons.kit.text import Lang
from pages.shell.lesson.explore import not_a_formula
from pages.shell.measured import words

ORDER = ("copy", "product", *BASE)
MIB = 2**20


def timings(run: Run, lang: Lang) -> pd.DataFrame:
    """One row a timing, units in the heads."""
    points = {id(p.measured): p for p in roofline(run)}
    rows = []
    for m in sorted(run.results, key=_turn):
        t, p = m.timing, points.get(id(m))
        rows.append(
            _case(m, lang)
            | {
                "median": 1e3 * t.median,
                "p10": 1e3 * t.p10,
                "p90": 1e3 * t.p90,
                "noise": 100 * t.noise,
                "runs": t.runs,
                "peak": None if t.peak_bytes is None else t.peak_bytes / MIB,
                "share": None if p is None else 100 * p.share,
                "bound": "" if p is None else words.BOUND[p.bound_by_memory].of(lang),
                "error": m.error,
            }
        )
    return _named(pd.DataFrame(rows), lang)


def slopes(run: Run, lang: Lang) -> pd.DataFrame:
    """One row for each way that was timed at two sizes or more."""
    rows = [
        {
            "operation": words.OPERATION[f.operation].of(lang),
            "way": words.WAY[f.way].of(lang),
            "place": words.BACKEND[f.backend].of(lang),
            "dtype": f.dtype,
            "slope": f.slope,
            "last": f.last,
            **{name: round(power, 3) + 0.0 for name, power in f.counted},
        }
        for f in fits(run)
    ]
    return _named(pd.DataFrame(rows), lang)


def side_by_side(run: Run, other: Run, lang: Lang) -> pd.DataFrame:
    """What both runs timed. A difference is named only where both come from one device, and only beyond the noise."""
    theirs = {m.case: m for m in other.results}
    rows = []
    for m in sorted(run.results, key=_turn):
        if (same := theirs.get(m.case)) is None:
            continue
        try:
            verdict = words.VERDICT[compare(m.timing, same.timing).verdict.value].of(lang)
        except ValueError:
            verdict = words.OTHER_DEVICE.of(lang)
        a, b = m.timing.median, same.timing.median
        rows.append(_case(m, lang) | {"this": 1e3 * a, "other": 1e3 * b, "ratio": a / b, "verdict": verdict})
    return _named(pd.DataFrame(rows), lang)


def csv(run: Run) -> bytes:
    """Seconds, bytes and counts as they are, heads alike in both languages."""
    points = {id(p.measured): p for p in roofline(run)}
    rows = []
    for m in run.results:
        c, t, p = m.case, m.timing, points.get(id(m))
        rows.append(
            {
                "operation": c.operation,
                "way": c.way,
                "backend": c.backend,
                "dtype": c.dtype,
                "shape": " ".join(f"{name}={n}" for name, n in c.shape),
                "tile": c.tile or None,
                "device": t.device,
                "threads": t.threads,
                "versions": " ".join(f"{name}={v}" for name, v in t.versions),
                "date": t.date,
                "runs": t.runs,
                "calls": t.calls,
                "median_s": t.median,
                "p10_s": t.p10,
                "p90_s": t.p90,
                "noise": t.noise,
                "peak_bytes": t.peak_bytes,
                "operations": m.count.operations,
                "must_move_bytes": m.count.must_move,
                "moves_bytes": m.count.moves,
                "issued": m.count.issued,
                "share_of_floor": None if p is None else p.share,
                "error": m.error,
                "clock": m.clock,
                "peak_by": m.peak_by,
            }
        )
    frame = pd.DataFrame(rows).astype({"tile": "Int64", "peak_bytes": "Int64"}) if rows else pd.DataFrame()
    return frame.map(not_a_formula).to_csv(index=False).encode("utf-8-sig")


def _case(m: Measured, lang: Lang) -> dict[str, object]:
    c = m.case
    return {
        "operation": words.OPERATION[c.operation].of(lang),
        "way": words.WAY[c.way].of(lang),
        "place": words.BACKEND[c.backend].of(lang),
        "dtype": c.dtype,
        "n": None if c.operation == "copy" else c.shape[0][1],
        "tile": c.tile or None,
    }


def _turn(m: Measured) -> tuple[int, str, str, int, int]:
    c = m.case
    return ORDER.index(c.operation), c.backend, c.dtype, c.shape[0][1], c.tile


def _named(frame: pd.DataFrame, lang: Lang) -> pd.DataFrame:
    if "n" in frame:
        frame["n"] = frame["n"].astype("Int64")
    if "tile" in frame and frame["tile"].notna().any():
        frame["tile"] = frame["tile"].astype("Int64")
    elif "tile" in frame:
        frame = frame.drop(columns="tile")
    return frame.rename(columns={name: words.HEADS[name].of(lang) for name in frame.columns})
