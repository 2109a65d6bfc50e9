"""Charts of a run on logarithmic axes: time or memory against size, time against tile size, the roofline."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from engine.measure import BASE, Ceiling, Fit, Measured, Point, Run, ceilings, fits, roofline
from lessons.kit.charts import BLUE, GREEN, ORANGE, PURPLE, VERMILION, plain
from lessons.kit.format import count
from lessons.kit.text import Lang
from pages.shell.measured import say, words
from pages.shell.measured.axes import Drawn, finished, line, log_figure, y_ticks

SKY, GREY = "#56B4E9", "#8A939E"
COLOUR = {
    "plain": BLUE,
    "tiled": VERMILION,
    "sdpa-math": GREEN,
    "sdpa-efficient": PURPLE,
    "sdpa-flash": ORANGE,
    "sdpa-cudnn": SKY,
    "uncached": BLUE,
    "cached": VERMILION,
    "contiguous": BLUE,
    "gathered": ORANGE,
    "block-by-block": VERMILION,
    "copy": GREY,
    "product": GREY,
}
SYMBOL = {
    "plain": "circle",
    "tiled": "square",
    "sdpa-math": "cross",
    "sdpa-efficient": "x",
    "sdpa-flash": "star",
    "sdpa-cudnn": "hexagon",
    "uncached": "triangle-up",
    "cached": "triangle-down",
    "contiguous": "diamond",
    "gathered": "pentagon",
    "block-by-block": "bowtie",
    "copy": "triangle-right",
    "product": "triangle-left",
}
DASH = {"numpy": "solid", "torch-cpu": "dash", "torch-cuda": "longdashdot"}
GROWING = tuple(operation for operation in BASE if operation != "tiles")

Place = tuple[str, str]  # backend and number type
Series = dict[tuple[str, str, str], list[Measured]]


def series(run: Run, operation: str, place: Place | None = None) -> Series:
    """By way, backend and number type, each from small to large; in one place or in all."""
    found: Series = {}
    for m in run.results:
        if m.case.operation == operation and (place is None or place == (m.case.backend, m.case.dtype)):
            found.setdefault((m.case.way, m.case.backend, m.case.dtype), []).append(m)
    return {key: sorted(ms, key=lambda m: (m.case.shape[0][1], m.case.tile)) for key, ms in found.items()}


def named(key: tuple[str, str, str], lang: Lang, *, alone: bool = False) -> str:
    """`alone`: the place need not be said."""
    way, backend, dtype = key
    if alone:
        return words.WAY[way].of(lang)
    return f"{words.WAY[way].of(lang)} · {words.BACKEND[backend].of(lang)} · {dtype}"


def growth(
    run: Run,
    operation: str,
    lang: Lang,
    *,
    place: Place | None = None,
    memory: bool = False,
    other: tuple[str, Run] | None = None,
) -> Drawn | None:
    """Time (or extra memory) against n, in one place or in all. `other` is a second run and its name, drawn hollow.

    None where nothing was timed.
    """
    alone = place is not None
    slopes = {
        (f.way, f.backend, f.dtype): f
        for f in fits(run)
        if f.operation == operation and (place is None or place == (f.backend, f.dtype))
    }
    fig = log_figure(
        words.AXIS_N[operation].of(lang),
        words.AXIS_MEMORY.of(lang) if memory else words.AXIS_TIME.of(lang),
    )
    said, sizes = [], set()
    for key, ms in series(run, operation, place).items():
        shown = [m for m in ms if not memory or m.timing.peak_bytes]
        if not shown:
            continue
        fit = None if memory else slopes.get(key)
        slope = "" if fit is None else f" · {_slopes(fit, lang)}"
        _dots(fig, shown, f"{named(key, lang, alone=alone)}{slope}", memory=memory, lang=lang)
        if fit is not None:
            line(fig, fit.sizes, _through(fit), COLOUR[key[0]], dash=DASH[key[1]])
        sizes |= {m.case.size("n") for m in shown}
        said.append(_said(shown, key, fit, memory, lang))
    if not said:
        return None
    if not memory and (law := next((f for f in slopes.values() if f.way == BASE[operation]), None)) is not None:
        power = dict(law.counted)["operations"]
        y = [law.seconds[-1] * (n / law.sizes[-1]) ** power for n in law.sizes]
        line(fig, law.sizes, y, GREY, f"{words.LAW.of(lang)} · {words.HEADS['slope'].of(lang)} {power:.2f}")
        said.append(f"{words.LAW.of(lang)}: {words.HEADS['slope'].of(lang)} {power:.2f}")
    if other is not None:
        for key, ms in series(other[1], operation, place).items():
            if shown := [m for m in ms if not memory or m.timing.peak_bytes]:
                _dots(
                    fig,
                    shown,
                    f"{named(key, lang, alone=alone)} · {plain(other[0])}",
                    memory=memory,
                    lang=lang,
                    hollow=True,
                )
                sizes |= {m.case.size("n") for m in shown}
    ticks = sorted(sizes)
    fig.update_xaxes(tickvals=ticks, ticktext=[count(n) for n in ticks])
    y_ticks(fig, say.memory if memory else say.seconds, base=2 if memory else 10)
    return finished(fig, words.OPERATION[operation], words.MEMORY if memory else words.TIME, said, lang)


def tiles(run: Run, lang: Lang) -> Drawn | None:
    """Time against tile size, and the plain formula's time as a line."""
    fig = log_figure(words.AXIS_TILE.of(lang), words.AXIS_TIME.of(lang))
    said, found = [], series(run, "tiles")
    sizes = sorted({m.case.tile for ms in found.values() for m in ms if m.case.tile})
    for key, ms in found.items():
        if key[0] == "plain" and sizes:
            at = [sizes[0], sizes[-1]]
            line(fig, at, [ms[-1].timing.median] * 2, COLOUR["plain"], named(key, lang))
            said.append(f"{named(key, lang)}: {say.seconds(ms[-1].timing.median)}")
        elif key[0] != "plain":
            _dots(fig, ms, named(key, lang), memory=False, lang=lang, joined=True)
            best = min(ms, key=lambda m: m.timing.median)
            said.append(
                f"{named(key, lang)}: {words.AXIS_TILE.of(lang)} {best.case.tile}, {say.seconds(best.timing.median)}"
            )
    if not sizes:
        return None
    fig.update_xaxes(tickvals=sizes, ticktext=[count(n) for n in sizes])
    y_ticks(fig, say.seconds)
    return finished(fig, words.TILE_CHART, words.TIME, said, lang)


def roofs(run: Run) -> dict[tuple[str, str], Ceiling]:
    return {(c.backend, c.dtype): c for c in ceilings(run)}


def under_roof(run: Run, roof: Ceiling, lang: Lang) -> Drawn:
    """Every timing of one place under what its own copy and product allow."""
    points = [
        p
        for p in roofline(run)
        if (p.measured.case.backend, p.measured.case.dtype) == (roof.backend, roof.dtype) and p.intensity > 0
    ]
    fig = log_figure(words.AXIS_INTENSITY.of(lang), words.AXIS_RATE.of(lang))
    ends = [roof.ridge, *(p.intensity for p in points)]
    x = [min(ends) / 3, roof.ridge, max(ends) * 3]
    line(fig, x, [roof.roof(i) for i in x], GREY, words.ROOF.of(lang), dash="solid")
    said = [f"{words.ROOF.of(lang)}: {_rate(roof.copied)}B/s, {_rate(roof.multiplied)}{words.AXIS_RATE.of(lang)}"]
    groups: dict[tuple[str, str], list[Point]] = {}
    for p in points:
        groups.setdefault((p.measured.case.operation, p.measured.case.way), []).append(p)
    for (operation, way), ps in groups.items():
        title = words.OPERATION[operation].of(lang)
        label = title if operation in ("copy", "product") else f"{title} · {words.WAY[way].of(lang)}"
        fig.add_trace(
            go.Scatter(
                x=[p.intensity for p in ps],
                y=[p.rate for p in ps],
                name=label,
                mode="markers",
                marker={
                    "symbol": f"{SYMBOL[way]}-open" if operation == "tiles" else SYMBOL[way],
                    "size": 10,
                    "color": COLOUR[way],
                },
                customdata=[[plain(_size(p.measured)), f"{100 * p.share:.0f} %"] for p in ps],
                hovertemplate=f"{label}<br>%{{customdata[0]}}<br>%{{y:.3s}} · "
                f"{words.HEADS['share'].of(lang).split(',')[0].split('，')[0]} %{{customdata[1]}}<extra"
                "></extra>",
            )
        )
        last = max(ps, key=lambda p: p.measured.case.shape[0][1])
        said.append(f"{label}: {100 * last.share:.0f} %")
    y_ticks(fig, lambda y: _rate(y).strip())
    return finished(fig, words.ROOFLINE, words.HEADS["share"], said, lang, hover="closest")


def _size(m: Measured) -> str:
    tile = f", tile = {m.case.tile}" if m.case.tile else ""
    return ", ".join(f"{name} = {count(n)}" for name, n in m.case.shape) + tile


def _rate(x: float) -> str:
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x:.3g} "


def _dots(
    fig: go.Figure,
    ms: Sequence[Measured],
    label: str,
    *,
    memory: bool,
    lang: Lang,
    hollow: bool = False,
    joined: bool = False,
) -> None:
    y = [m.timing.peak_bytes if memory else m.timing.median for m in ms]
    way, backend = ms[0].case.way, ms[0].case.backend
    symbol, colour = SYMBOL[way], COLOUR[way]
    bars = {
        "type": "data",
        "symmetric": False,
        "thickness": 1.5,
        "width": 4,
        "array": [m.timing.p90 - m.timing.median for m in ms],
        "arrayminus": [m.timing.median - m.timing.p10 for m in ms],
    }
    fig.add_trace(
        go.Scatter(
            x=[m.case.tile or m.case.size("n") for m in ms],
            y=y,
            name=label,
            mode="lines+markers" if joined or memory or hollow else "markers",
            line={"color": colour, "width": 1.5, "dash": "dot" if hollow else DASH[backend]},
            marker={"symbol": f"{symbol}-open" if hollow else symbol, "size": 9, "color": colour},
            error_y=None if memory else bars,
            customdata=[[say.memory(m.timing.peak_bytes or 0) if memory else _spread(m)] for m in ms],
            hovertemplate="%{customdata[0]}",
        )
    )


def _spread(m: Measured) -> str:
    return f"{say.seconds(m.timing.median)} (p10 {say.seconds(m.timing.p10)}, p90 {say.seconds(m.timing.p90)})"


def _through(fit: Fit) -> list[float]:
    """The fitted line goes through the middle of the points, in logarithms."""
    middle_n = _mean(fit.sizes)
    middle_t = _mean(fit.seconds)
    return [middle_t * (n / middle_n) ** fit.slope for n in fit.sizes]


def _mean(values: Sequence[float]) -> float:
    product = 1.0
    for value in values:
        product *= float(value) ** (1 / len(values))
    return product


def _slopes(fit: Fit, lang: Lang) -> str:
    counted = dict(fit.counted)["operations"]
    return f"{words.HEADS['slope'].of(lang)} {fit.slope:.2f} ({words.COUNTED.of(lang)} {counted:.2f})"


def _said(ms: Sequence[Measured], key: tuple[str, str, str], fit: Fit | None, memory: bool, lang: Lang) -> str:
    def one(m: Measured) -> str:
        return (
            f"{say.memory(m.timing.peak_bytes or 0) if memory else say.seconds(m.timing.median)} (n = "
            f"{count(m.case.size('n'))})"
        )

    slope = "" if fit is None else f", {_slopes(fit, lang)}"
    return f"{named(key, lang)}: {one(ms[0])} – {one(ms[-1])}{slope}"
