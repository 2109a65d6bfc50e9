"""Attention tile by tile, every byte counted as it crosses between HBM and the chip; then the plain way beside it.

Source: doc 001, the tiled kernel (audit 1.23 to 1.31); Dao et al. 2022, algorithms 0 and 1; Dao 2023. The sums are
those of `engine.flash`; here the loop stops wherever the reader should look. Forward pass of one head; the backward
pass is `engine.flash_backward`, formulas of the bytes are `engine.traffic_laws`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from engine.attention import Array, softmax
from engine.chip import Chip
from engine.flash_backward import Forward, Gradients, Rebuild, WriteKV, backward, backward_trace
from engine.flash_run import Run
from engine.flash_scenario import BLIND, UNEQUAL, Mistake, Scenario, numbers
from engine.flash_steps import (
    Clear,
    Compare,
    Fold,
    LoadKV,
    LoadQ,
    Now,
    Pass,
    Score,
    Skip,
    Start,
    Step,
    Write,
    Written,
)
from engine.intensity import intensity
from engine.tile_state import Rows
from engine.tile_walk import hidden, visible
from engine.traffic_laws import PLAIN, Shape, tiled
from engine.weights import read_only

__all__ = [
    "BLIND",
    "UNEQUAL",
    "Clear",
    "Compare",
    "Fold",
    "Forward",
    "Gradients",
    "LoadKV",
    "LoadQ",
    "Mistake",
    "Now",
    "Pass",
    "Rebuild",
    "Scenario",
    "Score",
    "Skip",
    "Start",
    "Step",
    "Stop",
    "Write",
    "WriteKV",
    "Written",
    "backward",
    "backward_trace",
    "intensity",
    "trace",
    "walk",
]


Stop = Step | Forward | Rebuild | WriteKV | Gradients


def walk(scenario: Scenario) -> Iterator[Stop]:
    """The pass that the scenario names. The backward pass makes no mistake."""
    yield from (backward_trace if scenario.backward else trace)(scenario)


def trace(scenario: Scenario) -> Iterator[Step]:
    """The tiles' way, the plain way, both compared. Stops in the same places whatever the mistake."""
    run = Run(scenario)
    yield Start(run.now(), *numbers(scenario.n_q, scenario.n_k, scenario.d))
    yield from (_keys_outside if scenario.keys_outside else _queries_outside)(scenario, run)
    yield from _plain(scenario, run.now(), run.written.o)


def _queries_outside(s: Scenario, run: Run) -> Iterator[Step]:
    """FlashAttention-2's order: a query tile stays until it is done, K and V come by."""
    left = Rows.empty(s.tile_q, s.d)  # on the chip, by the last query tile
    for rows in s.query_tiles:
        q = run.load("q", rows)
        held = left.first(len(rows)) if s.mistake is Mistake.KEPT_STATE else Rows.empty(len(rows), s.d)
        yield LoadQ(run.now(q=q, held=held), rows, held)
        for keys in s.key_tiles:
            if hidden(rows, keys, s.sight):
                break  # nor does the tile see any later one
            k, v, trip = run.load_kv(keys)
            yield LoadKV(run.now(q=q, k=k, v=v, held=held), keys, trip)
            held = yield from _one_tile(s, run, rows, keys, q, k, v, held)
        if skipped := s.skipped_by(rows):
            yield Skip(run.now(q=q, held=held), skipped)
        left = held.over(left)
        run.store("o", rows, held.output)
        run.store("lse", rows, held.lse)
        yield Write(run.now(), rows, held)


def _keys_outside(s: Scenario, run: Run) -> Iterator[Step]:
    """FlashAttention-1's order: a tile of K and V stays; the queries come by, each time with all that is known of
    them."""
    nothing = left = Rows.empty(s.n_q, s.d)
    for name, array in (("o", nothing.u), ("m", nothing.m), ("l", nothing.l)):
        run.store(name, range(s.n_q), array)
    yield Clear(run.now())
    for keys in s.key_tiles:
        k, v, trip = run.load_kv(keys)
        yield LoadKV(run.now(k=k, v=v), keys, trip)
        if skipped := s.skipped_by(keys):
            yield Skip(run.now(k=k, v=v), skipped)
        for rows in s.query_tiles:
            if hidden(rows, keys, s.sight):
                continue
            q = run.load("q", rows)
            if s.mistake is Mistake.KEPT_STATE:
                held = left.first(len(rows))
            else:
                o, m, l = run.load("o", rows), run.load("m", rows), run.load("l", rows)
                held = Rows(m, l, o * l[:, None])
            yield LoadQ(run.now(q=q, k=k, v=v, held=held), rows, held)
            held = yield from _one_tile(s, run, rows, keys, q, k, v, held)
            left = held.over(left)
            for name, array in (("o", held.output), ("m", held.m), ("l", held.l)):
                run.store(name, rows, array)
            yield Write(run.now(k=k, v=v), rows, held)


def _one_tile(
    scenario: Scenario, run: Run, rows: range, keys: range, q: Array, k: Array, v: Array, held: Rows
) -> Generator[Step, None, Rows]:
    """Scores and weights of one tile. They never leave the chip."""
    s = run.score(rows, keys, q, k)
    yield Score(run.now(q=q, k=k, v=v, s=s, held=held), rows, keys, held, s, visible(rows, keys, scenario.sight))
    fold = held.fold(s, v)
    run.done()
    now = run.now(q=q, k=k, v=v, s=s, p=fold.p, held=fold.after)
    yield Fold(now, rows, keys, held, fold.after, fold.alpha, fold.p)
    return fold.after


def _plain(scenario: Scenario, now: Now, output: Array) -> Iterator[Step]:
    """Three operations, each of which reads what it needs once, and two tables that go out to HBM and come back."""
    q_hbm, k_hbm, v_hbm = numbers(scenario.n_q, scenario.n_k, scenario.d)
    chip = Chip(*PLAIN, itemsize=scenario.itemsize)
    s_hbm, p_hbm = np.empty((scenario.n_q, scenario.n_k)), np.empty((scenario.n_q, scenario.n_k))
    o_hbm = np.empty((scenario.n_q, scenario.d))

    q, k = chip.load("q", q_hbm), chip.load("k", k_hbm)
    mask = visible(range(scenario.n_q), range(scenario.n_k), scenario.sight)
    s = read_only(np.where(mask, (q @ k.T) * scenario.right_scale, -np.inf))  # all of it, hidden or not
    chip.holds(q, k, s)
    chip.store("s", s_hbm, s)
    yield Pass(now, chip.moved, 1, "s", "written", s)

    s = read_only(chip.load("s", s_hbm))
    chip.holds(s)
    yield Pass(now, chip.moved, 2, "s", "read", s)

    p = read_only(softmax(s))
    chip.holds(s, p)
    chip.store("p", p_hbm, p)
    yield Pass(now, chip.moved, 3, "p", "written", p)

    p, v = read_only(chip.load("p", p_hbm)), chip.load("v", v_hbm)
    o = read_only(p @ v)
    chip.holds(p, v, o)
    chip.store("o", o_hbm, o)
    yield Pass(now, chip.moved, 4, "p", "read", p)

    chip.holds()
    law = tiled(
        Shape(scenario.n_q, scenario.n_k, scenario.d, scenario.causal),
        tile_q=scenario.tile_q,
        tile_k=scenario.tile_k,
        keys_outside=scenario.keys_outside,
        itemsize=scenario.itemsize,
    )
    kept = sum(a.size for a in (now.written.lse, now.written.m, now.written.l) if not np.isnan(a).any())
    extra, plain_extra = kept * scenario.itemsize, (s_hbm.size + p_hbm.size) * scenario.itemsize
    yield Compare(now, chip.moved, law, extra, plain_extra, output, o, float(np.abs(output - o).max()))
