"""The two memories of one run of `engine.flash_io`: HBM, the chip, and the book of what crosses between them."""

from __future__ import annotations

import numpy as np

from engine.attention import Array
from engine.chip import Chip
from engine.flash_scenario import Mistake, Scenario, numbers
from engine.flash_steps import Now, Written
from engine.tile_state import Rows
from engine.tile_walk import part
from engine.traffic_laws import tiled_arrays
from engine.weights import read_only


class Run:
    """HBM with q, k and v and room for what is written, and a chip that everything has to pass."""

    def __init__(self, scenario: Scenario) -> None:
        s = self._scenario = scenario
        self._chip = Chip(*tiled_arrays(s.keys_outside), itemsize=s.itemsize)
        q, k, v = numbers(s.n_q, s.n_k, s.d)
        self._hbm = {"q": q, "k": k, "v": v, "o": np.full((s.n_q, s.d), np.nan)}
        self._hbm |= {name: np.full(s.n_q, np.nan) for name in ("lse", "m", "l")}
        self._written: Written | None = None  # HBM's arrays as they are, unless something was stored since
        self._trips: dict[range, int] = {}
        self._n_done = self._n_pairs = 0

    def load(self, name: str, positions: range) -> Array:
        """Those rows of the array, on the chip."""
        return self._chip.load(name, part(self._hbm[name], positions))

    def load_kv(self, keys: range) -> tuple[Array, Array, int]:
        """A tile of k and v, and how often it has come. COUNT_ONCE looks away when it comes again."""
        trip = self._trips[keys] = self._trips.get(keys, 0) + 1
        counted = trip == 1 or self._scenario.mistake is not Mistake.COUNT_ONCE
        k, v = (self._chip.load(name, part(self._hbm[name], keys), counted=counted) for name in ("k", "v"))
        return k, v, trip

    def store(self, name: str, positions: range, array: Array) -> None:
        """Into HBM, over those rows."""
        self._chip.store(name, part(self._hbm[name], positions), array)
        self._written = None

    def score(self, rows: range, keys: range, q: Array, k: Array) -> Array:
        """(rows, keys): s = q kᵀ · scale on the chip, −∞ where this run's mask hides."""
        self._n_pairs += len(rows) * len(keys)
        return np.where(self._scenario.mask(rows, keys), (q @ k.T) * self._scenario.scale, -np.inf)

    def done(self) -> None:
        """One tile more is folded in."""
        self._n_done += 1

    def now(
        self,
        *,
        q: Array | None = None,
        k: Array | None = None,
        v: Array | None = None,
        s: Array | None = None,
        p: Array | None = None,
        held: Rows | None = None,
    ) -> Now:
        """Both memories, with these and nothing else on the chip."""
        arrays = [("q", q), ("k", k), ("v", v), ("s", s), ("p", p)]
        if held is not None:
            arrays += [("m", held.m), ("l", held.l), ("u", held.u)]
        chip = tuple((name, read_only(array)) for name, array in arrays if array is not None)
        self._chip.holds(*(array for _, array in chip))
        return Now(self._chip.moved, chip, self.written, self._n_done, self._n_pairs)

    @property
    def written(self) -> Written:
        """Copies of what HBM has besides q, k and v."""
        if self._written is None:
            self._written = Written(*(read_only(self._hbm[name].copy()) for name in ("o", "lse", "m", "l")))
        return self._written
