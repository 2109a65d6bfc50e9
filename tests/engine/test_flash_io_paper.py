"""engine.paper_table: laws held by counted runs, and which printed figures they reach."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from engine.flash import standard_attention
from engine.flash_backward import Gradients, backward_trace, plain_backward
from engine.flash_io import Compare, Scenario, trace
from engine.paper_table import (
    ASSUMED,
    NO_DROPOUT_PLAIN,
    PLAIN,
    TILED,
    Passes,
    Workload,
    heads_of_difference,
    operations,
    plain,
    tiled,
    verdicts,
)

SMALL = Workload(batch=2, heads=3, n=12, d=4, itemsize=4, statistics=4)
EVERYTHING = Passes(mask=True, mask_gradient=True, dropout=True, keep_bytes=1)


def test_the_plain_figures_are_those_of_counted_runs() -> None:
    draw = np.random.default_rng(0)
    q, k, v, do = (draw.normal(size=(12, 4)).astype(np.float32) for _ in range(4))
    forward, back = standard_attention(q, k, v)[1], plain_backward(q, k, v, do)[3]
    assert plain(SMALL).moved == 6 * (forward.hbm_moved + back.hbm_moved)


@pytest.mark.parametrize(("tile_q", "tile_k"), [(4, 4), (3, 5), (12, 12), (1, 7)])
def test_the_tiled_figures_are_those_of_counted_runs(tile_q: int, tile_k: int) -> None:
    s = Scenario(12, 12, 4, tile_q, tile_k, causal=False, keys_outside=True)
    *_, last = trace(s)
    *_, gradients = backward_trace(s)
    assert isinstance(last, Compare)
    assert isinstance(gradients, Gradients)
    found = tiled(SMALL, tile_q=tile_q, tile_k=tile_k)
    assert found.moved == 6 * (last.now.moved.total + gradients.moved.total)
    assert found.flop == 6 * (4 * last.now.n_pairs * 4 + gradients.flop)
    assert plain(SMALL).flop == 6 * (4 * 12 * 12 * 4 + gradients.plain_flop)
    assert tiled(SMALL, tile_q=tile_q, tile_k=tile_k, backward=False).moved == 6 * last.now.moved.total


def test_the_algorithms_alone_go_over_a_table_eleven_times_and_everything_nineteen_and_a_byte_twice() -> None:
    def tables(passes: Passes) -> int:
        names = [name for step in operations(passes) for name in (*step.reads, *step.writes)]
        return sum(name in ("s", "p", "dp", "ds") for name in names)

    assert [tables(passes) for passes in ASSUMED] == [11, 13, 17, 17, 19]
    table = 1024 * 1024 * Workload().n_heads
    vectors = 12 * 1024 * 64 * 2 * Workload().n_heads
    assert plain(passes=EVERYTHING).moved == vectors + 19 * 2 * table + 2 * table


def test_the_gflops_printed_are_twelve_to_thirteen_times_too_small_for_the_batch_printed() -> None:
    of_plain, of_tiles = verdicts()[:2]
    assert (round(of_plain.ours, 1), round(of_tiles.ours, 1)) == (824.6, 962.1)
    assert (round(of_plain.ratio, 1), round(of_tiles.ratio, 1)) == (12.4, 12.8)
    assert not of_plain.follows
    assert not of_tiles.follows
    assert round(heads_of_difference()) == 64  # of 1,024


def test_the_first_authors_later_figures_are_ours() -> None:
    assert plain().gflop == pytest.approx(825, abs=0.5)
    assert tiled().gflop == pytest.approx(963, abs=1)  # he takes 275 · 3.5


def test_the_plain_bytes_are_25_gb_alone_38_with_passes_and_40_3_with_dropouts_bytes() -> None:
    assert [round(plain(passes=passes).gb, 1) for passes in ASSUMED] == [25.2, 29.5, 38.1, 40.3, 44.6]
    follows = [v.follows for v in verdicts() if v.column == "plain" and v.unit == "gb"]
    assert follows == [False, False, False, True, False]


def test_the_other_versions_bytes_without_dropout_follow_from_neither_count() -> None:
    printed = float(NO_DROPOUT_PLAIN.gb)
    counts = [plain(passes=Passes(mask=True, mask_gradient=gradient)).gb for gradient in (False, True)]
    assert [round(count, 1) for count in counts] == [29.5, 33.8]
    assert all(abs(count - printed) > 1 for count in counts)


def test_the_tiled_bytes_are_4_4_gb_with_the_papers_block_and_5_5_with_256() -> None:
    papers, smaller = (v for v in verdicts() if v.column == "tiled" and v.unit == "gb")
    assert (papers.tile_k, round(papers.ours, 2), papers.follows) == (384, 4.37, True)
    assert (smaller.tile_k, round(smaller.ours, 2), smaller.follows) == (256, 5.46, False)
    assert tiled(tile_q=64, tile_k=384) == tiled() == tiled(memory=192 * 1024)


def test_larger_blocks_move_less() -> None:
    moved = [tiled(tile_k=size).moved for size in (64, 128, 256, 512, 1024)]
    assert moved == sorted(moved, reverse=True)
    forward = [tiled(tile_k=size, backward=False).gb for size in (64, 512)]
    assert [round(gb, 1) for gb in forward] == [7.1, 1.2]


def test_printed_times_fit_our_operations_better_than_the_printed_ones() -> None:
    assert PLAIN.gb_per_s == pytest.approx(966, abs=1)
    assert TILED.gb_per_s == pytest.approx(603, abs=1)
    assert TILED.tflop_per_s == pytest.approx(10.3, abs=0.01)
    assert tiled().gflop / float(TILED.ms) == pytest.approx(131.8, abs=0.1)


def test_a_figure_follows_if_it_rounds_to_what_is_printed() -> None:
    assert Fraction("40.3") == PLAIN.gb
    verdict = verdicts()[0]
    for ours, follows in ((66.64, True), (66.56, True), (66.66, False), (66.5, False)):
        assert type(verdict)(verdict.column, verdict.unit, verdict.printed, ours).follows is follows


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Workload(batch=0), "batch"),
        (lambda: tiled(tile_k=0), "tile_k"),
        (lambda: tiled(memory=10), "memory"),
    ],
)
def test_bad_input_is_refused_by_name(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()
