"""Three ledgers of one generation: work done, bytes moved by attention, bytes resident. Never one for another.

They count the whole little model. Source: chapter 07, its opening warning. `from_shapes` knows the same figures without
running anything; `engine.three_savings` counts them as it runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Literal

import numpy as np

from engine.checked import checked_int
from engine.config import Config
from engine.paged import blocks_for

ITEM = 8  # bytes of a number: the little model computes in float64
ENTRY = 4  # bytes of an entry of a block table: int32

Switch = Literal["cache", "tiles", "paging"]
Ledger = Literal["work", "moved", "resident"]


@dataclass(frozen=True)
class Switches:
    """Which of the three mechanisms are on."""

    cache: bool = False
    tiles: bool = False
    paging: bool = False

    @property
    def effective(self) -> Switches:
        """The same without a switch that has nothing to act on: with no cache, no K and V are kept that could be
        paged."""
        return replace(self, paging=self.cache and self.paging)

    def has(self, name: Switch) -> bool:
        """Whether that one is on."""
        return {"cache": self.cache, "tiles": self.tiles, "paging": self.paging}[name]


ALL_OFF, ALL_ON = Switches(), Switches(True, True, True)
CACHE, TILES, PAGING = Switches(cache=True), Switches(tiles=True), Switches(paging=True)
CACHE_TILES, CACHE_PAGING = Switches(cache=True, tiles=True), Switches(cache=True, paging=True)
EVERY = tuple(Switches(*on) for on in product((False, True), repeat=3))


@dataclass(frozen=True)
class Resident:
    """Bytes of attention's own data in slow memory at one moment. Weights and other activations are not in it.

    `kv` holds positions; `unused` is set aside for positions that are not there (or not yet); `block_table` says where
    blocks lie; `scores` are the two tables, scores and weights, of the head being computed.
    """

    kv: int = 0
    unused: int = 0
    block_table: int = 0
    scores: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.kv + self.unused + self.block_table + self.scores


@dataclass(frozen=True)
class Ledgers:
    """Counts of one generation.

    `rows` are the positions run through each layer, each projecting a q, k and v row; `pairs` the query·key scores of
    all heads of all layers, masked ones left out. `moved_tables` are bytes of score tables written and read,
    `moved_vectors` those of q, k, v and o. `resident` holds the fullest moment (the latest, where several are), which
    is in pass `peak_pass` of 0 …; `at_end` the last pass. `lookups` are entries read from block tables; not in the
    bytes moved. `heads` are those of all layers."""

    rows: int = 0
    pairs: int = 0
    moved_vectors: int = 0
    moved_tables: int = 0
    resident: Resident = Resident()
    peak_pass: int = 0
    at_end: Resident = Resident()
    lookups: int = 0
    heads: int = 1

    @property
    def moved(self) -> int:
        """Bytes across the border between slow and fast memory."""
        return self.moved_vectors + self.moved_tables

    @property
    def moved_per_pair(self) -> float:
        """Bytes."""
        return self.moved / self.pairs

    @property
    def per_head(self) -> Ledgers:
        """What one head scores and moves; rows run through all heads, and what is resident stays."""
        return replace(
            self,
            pairs=self.pairs // self.heads,
            moved_vectors=self.moved_vectors // self.heads,
            moved_tables=self.moved_tables // self.heads,
            heads=1,
        )

    def amount(self, ledger: Ledger) -> int:
        """What a ledger comes to: pairs, bytes, bytes."""
        return {"work": self.pairs, "moved": self.moved, "resident": self.resident.total}[ledger]

    def after(
        self, rows: int, pairs: int, vectors: int, tables: int, lookups: int, now: Resident, n_pass: int
    ) -> Ledgers:
        """These ledgers with one pass more."""
        fuller = now.total >= self.resident.total
        return Ledgers(
            self.rows + rows,
            self.pairs + pairs,
            self.moved_vectors + vectors,
            self.moved_tables + tables,
            now if fuller else self.resident,
            n_pass if fuller else self.peak_pass,
            now,
            self.lookups + lookups,
            self.heads,
        )


def row_bytes(config: Config, n_layers: int | None = None) -> int:
    """Bytes of K and V of one position, in all layers unless told how many.

    >>> row_bytes(Config())
    256
    """
    return 2 * (config.n_layers if n_layers is None else n_layers) * config.n_kv_heads * config.head_dim * ITEM


def tables_share(n_keys: int, head_dim: int) -> float:
    """Percent of what moves when one query attends without tiles: its rows of scores and weights, out and back, beside
    q, o, K and V.

    >>> round(tables_share(32_768, 128), 1)
    1.5
    """
    tables, vectors = 4 * n_keys, 2 * head_dim * (1 + n_keys)
    return 100 * tables / (tables + vectors)


def pass_lengths(n_prompt: int, n_new: int, cache: bool) -> tuple[tuple[int, int], ...]:
    """(query rows, keys) of each pass. The prompt's pass gives the first new token, so n_new passes give n_new.

    >>> pass_lengths(10, 3, cache=False), pass_lengths(10, 3, cache=True)
    (((10, 10), (11, 11), (12, 12)), ((10, 10), (1, 11), (1, 12)))
    """
    lengths = range(n_prompt, n_prompt + n_new)
    return tuple((1 if cache and i else t, t) for i, t in enumerate(lengths))


@lru_cache(maxsize=4096)
def from_shapes(
    n_prompt: int,
    n_new: int,
    switches: Switches,
    *,
    tile_size: int,
    block_size: int,
    max_len: int,
    config: Config | None = None,
) -> Ledgers:
    """What a generation costs, by formula. Raises ValueError below 1 and where `max_len` holds too little.

    >>> shapes = {"tile_size": 4, "block_size": 4, "max_len": 32}
    >>> [from_shapes(10, 5, switches, **shapes).per_head.pairs for switches in (ALL_OFF, CACHE)]
    [395, 105]
    """
    c, on = Config() if config is None else config, switches.effective
    for name, value in (("n_prompt", n_prompt), ("n_new", n_new), ("tile_size", tile_size), ("block_size", block_size)):
        checked_int(name, value, 1)
    checked_int("max_len", max_len, n_prompt + n_new - 1)
    heads, d = c.n_layers * c.n_heads, c.head_dim * ITEM
    ledgers = Ledgers(heads=heads)
    for i, (t_q, t_k) in enumerate(pass_lengths(n_prompt, n_new, on.cache)):
        pairs = t_q * (t_k - t_q) + t_q * (t_q + 1) // 2
        table = 0 if on.tiles else t_q * t_k * ITEM
        keys = _key_rows_read(t_q, t_k, tile_size) if on.tiles else t_k
        blocks = blocks_for(t_k, block_size)
        slots = blocks * block_size if on.paging else max_len if on.cache else t_k
        per_row = row_bytes(c, None if on.cache else 1)
        now = Resident(per_row * t_k, per_row * (slots - t_k), ENTRY * blocks * on.paging, 2 * table)
        ledgers = ledgers.after(
            t_q, heads * pairs, heads * 2 * d * (t_q + keys), heads * 4 * table, heads * blocks * on.paging, now, i
        )  # q and o, k and v; both tables out and back
    return ledgers


def _key_rows_read(t_q: int, t_k: int, tile: int) -> int:
    """Rows of K that the query tiles read in all: each whole key tiles up to the one its last query stands in."""
    last = np.minimum(np.arange(tile, t_q + tile, tile), t_q) - 1 + t_k - t_q  # (query tiles,)
    return int(np.minimum((last // tile + 1) * tile, t_k).sum())
