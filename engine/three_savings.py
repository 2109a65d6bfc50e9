"""One prompt, one set of weights, three switches: KV cache, tiles, paging. The same output in all eight ways.

Source: chapter 07, its opening warning; Q027 and Q028, follow-ups. The little decoder runs and its cost is counted as
it runs (engine.three_ledgers): six runs for eight ways, since without a cache paging has nothing to act on. A wrong
way is what a misunderstanding would have to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import ClassVar

import numpy as np

from engine.attention import Array, attention, causal_mask
from engine.checked import checked_int
from engine.config import Config
from engine.counts import prefill
from engine.kept_rows import Kept, Paged, Reserved, Workspace
from engine.paged import blocks_for
from engine.rotary import rotate
from engine.stages import Ints
from engine.three_ledgers import (
    ALL_OFF,
    ALL_ON,
    CACHE,
    CACHE_PAGING,
    CACHE_TILES,
    EVERY,
    ITEM,
    PAGING,
    TILES,
    Ledgers,
    Resident,
    Switch,
    Switches,
    from_shapes,
    row_bytes,
)
from engine.tiled_heads import standard, tiled
from engine.weights import LayerWeights, Weights, norm, read_only

CONFIG = Config()
WEIGHTS, KV_HEAD = Weights.of(CONFIG), list(CONFIG.kv_head)
HEADS = CONFIG.n_layers * CONFIG.n_heads
KEEP = 4  # keys that a wrong way keeps for a query
SAME_OUTPUT = 1e-9  # far above float64's rounding, far below what a mistake makes


class Mistake(Enum):
    """Misunderstandings made real, each of one switch."""

    NONE = "none"
    LINEAR = "linear"  # the cache makes attention linear: a new query looks at a fixed number of keys, the newest
    SKIP_LOW = "skip_low"  # tiles skip low scores: a query drops all keys but the few that score highest
    COMPRESS = "compress"  # paging compresses: only every second position goes into the blocks

    def made_by(self, switches: Switches) -> bool:
        """Whether the switch that is misunderstood is on."""
        return self in MISUNDERSTOOD and switches.effective.has(MISUNDERSTOOD[self])


MISUNDERSTOOD: dict[Mistake, Switch] = {
    Mistake.LINEAR: "cache",
    Mistake.SKIP_LOW: "tiles",
    Mistake.COMPRESS: "paging",
}


def tokens(n: int) -> tuple[int, ...]:
    """The source's prompt of n tokens, (7i + 3) mod 11.

    >>> tokens(5)
    (3, 10, 6, 2, 9)
    """
    return tuple((7 * i + 3) % CONFIG.vocab_size for i in range(checked_int("n", n)))


@dataclass(frozen=True)
class Scenario:
    """A prompt, `n_new` tokens to generate, the sizes, and the reader's own choice of switches.

    `max_len` is what an unpaged cache sets aside. Raises ValueError that names the argument.
    """

    prompt: tuple[int, ...] = tokens(10)
    n_new: int = 5
    tile_size: int = 4
    block_size: int = 4
    max_len: int = 32
    choice: Switches = CACHE_TILES
    mistake: Mistake = Mistake.NONE
    itemsize: ClassVar[int] = ITEM

    def __post_init__(self) -> None:
        object.__setattr__(self, "prompt", tuple(self.prompt))
        if not self.prompt or any(not 0 <= t < CONFIG.vocab_size for t in self.prompt):
            raise ValueError(f"prompt: tokens of 0 … {CONFIG.vocab_size - 1}, at least one, got {self.prompt}")
        for name in ("n_new", "tile_size", "block_size"):
            checked_int(name, getattr(self, name), 1)
        checked_int("max_len", self.max_len, self.n_kept)
        if not isinstance(self.mistake, Mistake):
            raise ValueError(f"mistake: one of {', '.join(map(str, Mistake))}, got {self.mistake!r}")

    @property
    def n_prompt(self) -> int:
        return len(self.prompt)

    @property
    def n_later(self) -> int:
        """Passes after the prompt's own, which gives the first new token."""
        return self.n_new - 1

    @property
    def n_kept(self) -> int:
        """Positions that go through the model: the last new token is read off and never goes in."""
        return self.n_prompt + self.n_later

    @property
    def n_unused(self) -> int:
        """Positions that an unpaged cache sets aside and never fills."""
        return self.max_len - self.n_kept

    @property
    def n_tiles(self) -> int:
        """Tiles of the prompt."""
        return blocks_for(self.n_prompt, self.tile_size)

    @property
    def n_blocks(self) -> int:
        """Blocks of a paged cache after the last pass."""
        return blocks_for(self.n_kept, self.block_size)

    @property
    def n_slots(self) -> int:
        """Positions that those blocks have room for."""
        return self.n_blocks * self.block_size

    @property
    def row_bytes(self) -> int:
        """Bytes of K and V of one position, in all layers."""
        return row_bytes(CONFIG)

    @property
    def prompt_pairs(self) -> int:
        """Pairs that one head scores in the prompt's own pass."""
        return prefill(self.n_prompt).pairs

    @property
    def linear_pairs(self) -> int:
        """Pairs that one head would score if a later query met KEEP keys at most: Mistake.LINEAR."""
        later = range(self.n_prompt + 1, self.n_kept + 1)
        return self.prompt_pairs + sum(min(KEEP, keys) for keys in later)

    def cost(self, switches: Switches) -> Ledgers:
        """What a way costs, by formula."""
        return from_shapes(
            self.n_prompt,
            self.n_new,
            switches,
            tile_size=self.tile_size,
            block_size=self.block_size,
            max_len=self.max_len,
        )

    @property
    def off(self) -> Ledgers:
        """Cost with nothing on."""
        return self.cost(ALL_OFF)

    @property
    def cached(self) -> Ledgers:
        """Cost with the cache alone."""
        return self.cost(CACHE)

    @property
    def tiled(self) -> Ledgers:
        """Cost with tiles alone."""
        return self.cost(TILES)

    @property
    def paged(self) -> Ledgers:
        """Cost with a paged cache."""
        return self.cost(CACHE_PAGING)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One of the eight ways: what it cost, and what came out.

    `logits` (n_new, vocab_size) are those behind each pass's last position; all ways are fed the same tokens, so they
    can be compared. `picks` are the tokens this way would choose itself; `error` the largest |Δ logit| against all
    off."""

    switches: Switches
    ledgers: Ledgers
    logits: Array
    picks: tuple[int, ...]
    error: float

    @property
    def same_output(self) -> bool:
        """Whether the output is that of all off, but for rounding."""
        return self.error <= SAME_OUTPUT


# --- steps


@dataclass(frozen=True, eq=False)
class Ask:
    """Before anything runs: three switches, three questions."""


@dataclass(frozen=True, eq=False)
class Baseline:
    """All off."""

    now: Outcome


@dataclass(frozen=True, eq=False)
class Turn:
    """The switch `name` is turned on. `alone` is the way with nothing else on."""

    name: Switch
    before: Outcome
    now: Outcome
    alone: Outcome


@dataclass(frozen=True, eq=False)
class Together:
    """All three on, beside all off."""

    before: Outcome
    now: Outcome


@dataclass(frozen=True, eq=False)
class Eight:
    """Every way, in the order of `EVERY`."""

    ways: tuple[Outcome, ...]


@dataclass(frozen=True, eq=False)
class Yours:
    """The reader's choice, beside all off."""

    before: Outcome
    now: Outcome


@dataclass(frozen=True, eq=False)
class Which:
    """Which is which: the three turns once more."""

    turns: tuple[Turn, ...]


Step = Ask | Baseline | Turn | Together | Eight | Yours | Which


def trace(scenario: Scenario) -> Iterator[Step]:
    """The eight ways, told switch by switch. Paging is turned on over a cache: alone it has nothing to act on."""

    def way(switches: Switches) -> Outcome:
        return outcome(scenario, switches)

    off, cache, tiles = way(ALL_OFF), way(CACHE), way(TILES)
    turns = (
        Turn("cache", off, cache, cache),
        Turn("tiles", off, tiles, tiles),
        Turn("paging", cache, way(CACHE_PAGING), way(PAGING)),
    )
    yield Ask()
    yield Baseline(off)
    yield from turns
    yield Together(off, way(ALL_ON))
    yield Eight(tuple(map(way, EVERY)))
    yield Yours(off, way(scenario.choice))
    yield Which(turns)


# --- one way, run


@lru_cache(maxsize=1024)
def outcome(scenario: Scenario, switches: Switches) -> Outcome:
    """Run one way, with the scenario's mistake where it is one of a switch that is on.

    >>> [o.ledgers.pairs for o in (outcome(Scenario(), ALL_OFF), outcome(Scenario(), ALL_ON))]
    [3160, 840]
    """
    on, mistake = switches.effective, scenario.mistake
    plain = replace(
        scenario,  # without the sizes that this way never looks at, so that an edit runs again only what it changes
        tile_size=scenario.tile_size if on.tiles else 1,
        block_size=scenario.block_size if on.paging else 1,
        max_len=scenario.max_len if on.cache and not on.paging else scenario.n_kept,
        choice=ALL_OFF,
        mistake=mistake if mistake.made_by(on) else Mistake.NONE,
    )
    return replace(_outcome(plain, on), switches=switches)


@lru_cache(maxsize=256)
def _outcome(scenario: Scenario, switches: Switches) -> Outcome:
    if switches == ALL_OFF:
        logits, ledgers = _run(scenario, switches, None)
        error = 0.0
    else:
        off = outcome(scenario, ALL_OFF)
        logits, ledgers = _run(scenario, switches, off.picks)
        error = float(np.abs(logits - off.logits).max())
    return Outcome(switches, ledgers, read_only(logits), tuple(map(int, logits.argmax(axis=1))), error)


def _run(scenario: Scenario, switches: Switches, fed: tuple[int, ...] | None) -> tuple[Array, Ledgers]:
    """Logits (n_new, vocab_size) and counts. `fed` are the new tokens to go on with; None: the way's own picks."""
    one_pass = _Pass(scenario, switches)
    known, logits = list(scenario.prompt), np.empty((scenario.n_new, CONFIG.vocab_size))
    for i in range(scenario.n_new):
        first = one_pass.kept.length if switches.cache else 0
        logits[i] = one_pass(np.array(known[first:]), first)
        known.append(int(logits[i].argmax()) if fed is None else fed[i])
    return logits, one_pass.ledgers


@dataclass
class _Pass:
    """Passes through the little decoder, one after the other, with attention as the switches say."""

    scenario: Scenario
    switches: Switches

    def __post_init__(self) -> None:
        s, every = self.scenario, 2 if self.scenario.mistake is Mistake.COMPRESS else 1
        self.kept: Kept = (
            Paged(CONFIG, s.block_size, s.max_len, every)
            if self.switches.paging
            else Reserved(CONFIG, s.max_len)
            if self.switches.cache
            else Workspace(CONFIG)
        )
        self.ledgers, self.n_passes = Ledgers(heads=HEADS), 0

    def __call__(self, new: Ints, first: int) -> Array:
        """Run the tokens `new` (T,), which stand at positions first …; the last one's logits (vocab_size,)."""
        where = np.arange(first, first + len(new))
        self.pairs = self.vectors = self.tables = self.lookups = self.scores = 0
        self.kept.make_room(where)
        x = WEIGHTS.embedding[new]  # (T, d_model)
        for layer, w in enumerate(WEIGHTS.layers):
            x = x + self._attend(layer, w, norm(x), where)
            x = x + np.tanh(norm(x) @ w.w1) @ w.w2
        now = Resident(self.kept.kv_bytes, self.kept.unused_bytes, self.kept.table_bytes, self.scores)
        self.ledgers = self.ledgers.after(
            len(new), self.pairs, self.vectors, self.tables, self.lookups, now, self.n_passes
        )
        self.n_passes += 1
        logits: Array = norm(x[-1:]) @ WEIGHTS.unembedding  # (1, vocab_size)
        return np.asarray(logits[0])

    def _attend(self, layer: int, w: LayerWeights, h: Array, where: Ints) -> Array:
        def heads(flat: Array) -> Array:  # (T, heads · head_dim) → (heads, T, head_dim)
            return np.asarray(flat.reshape(len(h), -1, CONFIG.head_dim).swapaxes(0, 1))

        q, k_new, v_new = rotate(heads(h @ w.q), where), rotate(heads(h @ w.k), where), heads(h @ w.v)
        self.kept.put(layer, k_new, v_new)
        k, v = self.kept.read(layer, k_new, v_new)
        if self.scenario.mistake is Mistake.LINEAR and where[0] > 0:
            k, v = k[:, -KEEP:], v[:, -KEEP:]
        self.lookups += CONFIG.n_heads * self.kept.n_entries
        o = self._heads(q, k[KV_HEAD], v[KV_HEAD])
        return np.asarray(o.swapaxes(0, 1).reshape(len(h), -1) @ w.o)  # (T, d_model)

    def _heads(self, q: Array, k: Array, v: Array) -> Array:
        """Attention of all heads, (heads, T, d) over (heads, T_total, d), in the way of the switch."""
        visible = causal_mask(q.shape[1], k.shape[1])
        self.pairs += len(q) * int(np.count_nonzero(visible))
        o, crossed = tiled(q, k, v, self.scenario.tile_size) if self.switches.tiles else standard(q, k, v)
        self.vectors += crossed.vectors
        self.tables += crossed.tables
        self.scores = max(self.scores, crossed.both_tables)
        if self.scenario.mistake is Mistake.SKIP_LOW and self.switches.tiles:
            s = np.where(visible, q @ k.swapaxes(1, 2), -np.inf)  # every score is needed to know which are low
            rank = (-s).argsort(axis=2, kind="stable").argsort(axis=2, kind="stable")
            o = attention(q, k, v, mask=visible & (rank < KEEP))
        return o
