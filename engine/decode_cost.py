"""What decoding costs with a KV cache and without, counted right and in four wrong ways, cached right and wrong.

Work is of one head of one layer, as in engine.counts. Source: chapter 07, Q026, and the first two builds of doc 001
(audit 1.44, 1.49, 1.50; cases T69, T70).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from engine.checked import checked_int
from engine.counts import Work, decode, naive, naive_squares, prefill, without_cache
from engine.counts import cached as with_cache
from engine.generation import MOST_RUN, Pass, bytes_of, generate, prompt

Ints = npt.NDArray[np.int64]
Counts = tuple[Work, tuple[int, ...], tuple[tuple[int, ...], ...]]  # the counters, then by cell the rows and the pairs

FEW = 7  # positions up to which a picture has a cell for each
MOST_CELLS = 5  # cells of a picture's side beyond that
GRAINS = (2, 3, 4, 5, 10, 20, 25, 50, 100, 200, 250, 500)


class Mistake(Enum):
    """Wrong ways to count, and one to cache."""

    NONE = "none"
    ROWS_AS_PAIRS = "rows_as_pairs"  # a row is reported as one "attention operation"
    NEWEST_QUERY = "newest_query"  # without a cache, only the newest query's pairs are counted
    OWN_KEY = "own_key"  # with a cache, a step is counted as one pair, as if nothing old were read
    FULL_SQUARE = "full_square"  # masked pairs are counted too
    NO_APPEND = "no_append"  # the cache is read, but what is new is never appended


@dataclass(frozen=True)
class Scenario:
    """A prompt of `n_prompt` tokens and `n_new` tokens decoded greedily (engine.generation).

    The last new token is chosen, not run: `n_positions` = n_prompt + n_new − 1. Raises ValueError for fewer than one
    of either."""

    n_prompt: int = 3
    n_new: int = 4
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        checked_int("n_prompt", self.n_prompt, 1)
        checked_int("n_new", self.n_new, 1)

    @property
    def n_positions(self) -> int:
        """Positions that go through the model."""
        return self.n_prompt + self.n_new - 1

    @property
    def prompt(self) -> tuple[int, ...]:
        return prompt(self.n_prompt)

    @property
    def doubled(self) -> Scenario:
        """The same with twice as many new tokens."""
        return replace(self, n_new=2 * self.n_new)

    # what the right way counts, by formula

    @property
    def prefill(self) -> Work:
        """The prompt's pass."""
        return prefill(self.n_prompt)

    @property
    def decode(self) -> Work:
        """With a cache, the passes behind the prompt's, whose logits give the first new token."""
        return decode(self.n_prompt, self.n_new, first_from_prefill=True)

    @property
    def last_plain(self) -> Work:
        """The last pass without a cache."""
        return prefill(self.n_positions)

    @property
    def plain(self) -> Work:
        """The whole generation without a cache."""
        return without_cache(self.n_prompt, self.n_new)

    @property
    def cached(self) -> Work:
        """The whole generation with a cache."""
        return with_cache(self.n_positions)

    @property
    def ratio(self) -> float:
        """How many times the pairs without a cache."""
        return self.plain.pairs / self.cached.pairs

    @property
    def read_back(self) -> int:
        """Positions whose K and V the decode passes read from the cache."""
        return self.decode.pairs - self.decode.rows

    @property
    def squares(self) -> int:
        """Scores in the unmasked tables of all passes without a cache."""
        return naive_squares(self.n_positions) - naive_squares(self.n_prompt - 1)

    @property
    def is_run(self) -> bool:
        """Whether the decoder runs; longer ones are counted pass by pass without it."""
        return self.n_positions <= MOST_RUN

    @property
    def grain(self) -> int:
        """Positions that share a cell of the picture."""
        n = self.n_positions
        return 1 if n <= FEW else next((g for g in GRAINS if g * MOST_CELLS >= n), -(-n // MOST_CELLS))

    @property
    def shown(self) -> tuple[int, ...]:
        """The decode passes after which the trace stops: all of a few, else 1, 4, 16, … and the last."""
        last = self.n_new - 1
        if last <= 6:
            return tuple(range(1, last + 1))
        return (*(4**i for i in range(last.bit_length()) if 4**i < last), last)


@dataclass(frozen=True)
class Side:
    """One decoder's counters, and where the counts lie, before and after some passes.

    `rows` holds a number for each `grain` positions, `table` one for each grain × grain of query (down) and key
    (across)."""

    before: Work
    after: Work
    rows_before: tuple[int, ...]
    rows: tuple[int, ...]
    table_before: tuple[tuple[int, ...], ...]
    table: tuple[tuple[int, ...], ...]
    n_old: int  # positions that the last of these passes reads from the cache
    held: int = 0  # positions in the cache afterwards

    @property
    def new(self) -> Work:
        """Counted in these passes."""
        return Work(self.after.rows - self.before.rows, self.after.pairs - self.before.pairs)


@dataclass(frozen=True)
class Start:
    """The prompt, and nothing counted yet."""

    prompt: tuple[int, ...]


@dataclass(frozen=True)
class Passes:
    """Passes first … last (0: the prompt's), run by both. `tokens` were chosen so far, by each; `error` is the largest
    |difference| between their logits in these passes. Both None where the decoder did not run."""

    first: int
    last: int
    plain: Side
    cached: Side
    tokens_plain: tuple[int, ...] | None
    tokens: tuple[int, ...] | None
    error: float | None


@dataclass(frozen=True)
class Same:
    """All tokens chosen by each, and the largest |difference| of the logits pass by pass."""

    tokens_plain: tuple[int, ...]
    tokens: tuple[int, ...]
    errors: tuple[float, ...]

    @property
    def error(self) -> float:
        """The largest of all."""
        return max(self.errors)


@dataclass(frozen=True)
class Totals:
    """The whole generation, by both."""

    plain: Work
    cached: Work


@dataclass(frozen=True)
class Convention:
    """With a cache: the prompt's pass, the n_new − 1 decode passes, and one more if the last new token is run as
    well."""

    prefill: Work
    decode: Work
    more: Work

    @property
    def every(self) -> Work:
        """Decoding with every new token run."""
        return self.decode + self.more


@dataclass(frozen=True)
class Twice:
    """A count at n positions and at 2n."""

    at_n: int
    at_2n: int

    @property
    def factor(self) -> float:
        return self.at_2n / self.at_n


@dataclass(frozen=True)
class Doubled:
    """The pairs of one step and of the whole generation, with a cache and without."""

    step: Twice
    whole: Twice
    step_plain: Twice
    whole_plain: Twice


@dataclass(frozen=True)
class Growth:
    """`step` is the last pass with a cache, `whole` the generation; `lengths` are 1 … n_positions, at most eight,
    evenly apart, with the pairs counted for the row at each, and for all rows up to it. `doubled` is by formula."""

    step: Work
    whole: Work
    lengths: tuple[int, ...]
    steps: tuple[int, ...]
    wholes: tuple[int, ...]
    doubled: Doubled


@dataclass(frozen=True)
class Price:
    """Bytes of K and V, all layers: resident after, and read back in, the passes `at` (0: the prompt's); then for all
    passes."""

    per_position: int
    at: tuple[int, ...]
    resident: tuple[int, ...]
    read: tuple[int, ...]
    resident_last: int
    read_total: int


Step = Start | Passes | Same | Totals | Convention | Growth | Price


def trace(scenario: Scenario) -> Iterator[Step]:
    """Both decoders pass by pass, then what it comes to. Where it stops does not depend on the mistake."""
    yield Start(scenario.prompt)
    both = generate(scenario.n_prompt, scenario.n_new, append=scenario.mistake is not Mistake.NO_APPEND)
    plain, cache, errors = both.plain, both.cached, both.errors
    tally_plain, tally_cache = _Tally(scenario, cached=False), _Tally(scenario, cached=True)
    done = 0
    for stop in (0, *scenario.shown):
        before, before_cache = tally_plain.now(), tally_cache.now()
        for i in range(done, stop + 1):
            tally_plain.add(plain[i])
            tally_cache.add(cache[i])
        yield Passes(
            done,
            stop,
            _side(before, tally_plain, 0, 0),
            _side(before_cache, tally_cache, cache[stop].n_old, cache[stop].held // bytes_of(1)),
            _tokens(plain[: stop + 1]),
            _tokens(cache[: stop + 1]),
            max(errors[done : stop + 1]) if errors else None,
        )
        done = stop + 1
    decoded = cache[: scenario.n_new]
    chosen, chosen_cached = _tokens(plain), _tokens(decoded)
    if chosen is not None and chosen_cached is not None:
        yield Same(chosen, chosen_cached, errors)
    yield Totals(tally_plain.work, tally_cache.work)
    yield Convention(
        _cached_work(scenario, cache[0]),
        sum((_cached_work(scenario, run) for run in decoded[1:]), Work()),
        _cached_work(scenario, cache[-1]),
    )
    yield _growth(scenario, _cached_work(scenario, decoded[-1]), tally_cache)
    at = (0, *scenario.shown)
    yield Price(
        bytes_of(1),
        at,
        tuple(cache[i].held for i in at),
        tuple(cache[i].read for i in at),
        decoded[-1].held,
        sum(run.read for run in decoded),
    )


def _growth(scenario: Scenario, step: Work, tally: _Tally) -> Growth:
    n = scenario.n_positions
    marks = min(n, 8)
    lengths = tuple(sorted({round(n * (i + 1) / marks) for i in range(marks)}))
    counted = tally.table.sum(axis=1)  # (positions,): with a cache each row is run once
    steps = tuple(int(counted[x - 1]) for x in lengths)
    wholes = tuple(int(counted[:x].sum()) for x in lengths)
    doubled = Doubled(
        Twice(n, 2 * n),  # one row, which meets every key
        Twice(with_cache(n).pairs, with_cache(2 * n).pairs),
        Twice(prefill(n).pairs, prefill(2 * n).pairs),
        Twice(naive(n).pairs, naive(2 * n).pairs),
    )
    return Growth(step, tally.work, lengths, steps, wholes, doubled)


# --- what is counted, and where it lies


def _pairs(scenario: Scenario, run: Pass, *, cached: bool) -> Ints:
    """(rows, cells): the pairs that this way counts for each query of a pass, by cell of keys."""
    n, g = scenario.n_positions + 1, scenario.grain  # one position more, for the pass more
    start = np.arange(0, n, g)  # (cells,)
    i = run.first + np.arange(run.rows)[:, None]  # (rows, 1)
    own: Ints = ((i >= start) & (i < start + g)).astype(np.int64)
    seen: Ints = np.clip(i + 1 - start, 0, g)
    decoding = cached and run.first > 0
    match scenario.mistake:
        case Mistake.ROWS_AS_PAIRS:
            return own
        case Mistake.NEWEST_QUERY if not cached:
            return np.asarray(np.where(i == run.first + run.rows - 1, seen, 0))
        case Mistake.OWN_KEY if decoding:
            return own
        case Mistake.FULL_SQUARE:
            return np.broadcast_to(np.clip(run.first + run.rows - start, 0, g), seen.shape).astype(np.int64)
        case Mistake.NO_APPEND if decoding:
            return np.asarray(np.clip(run.n_old - start, 0, g) + own)
        case _:
            return seen


def _counted(scenario: Scenario, run: Pass, pairs: Ints) -> Work:
    """What this way counts for a pass. Only a wrong way to count does not take the pass's own counters."""
    if scenario.mistake in (Mistake.NONE, Mistake.NO_APPEND):
        return run.work
    return Work(run.work.rows, int(pairs.sum()))


def _cached_work(scenario: Scenario, run: Pass) -> Work:
    return _counted(scenario, run, _pairs(scenario, run, cached=True))


class _Tally:
    """One decoder's counts so far, position by position."""

    def __init__(self, scenario: Scenario, *, cached: bool) -> None:
        n = scenario.n_positions
        self.scenario, self.cached = scenario, cached
        self.cells = np.arange(0, n, scenario.grain)  # the first position of each cell
        self.work = Work()
        self.rows = np.zeros(n, np.int64)  # (positions,)
        self.table = np.zeros((n, len(self.cells)), np.int64)  # (positions, cells)

    def add(self, run: Pass) -> None:
        at, pairs = slice(run.first, run.first + run.rows), _pairs(self.scenario, run, cached=self.cached)
        self.rows[at] += 1
        self.table[at] += pairs[:, : len(self.cells)]
        self.work += _counted(self.scenario, run, pairs)

    def now(self) -> Counts:
        """The counters, then the counts by cell: of rows, and of pairs."""
        rows, table = np.add.reduceat(self.rows, self.cells), np.add.reduceat(self.table, self.cells)
        return self.work, tuple(map(int, rows)), tuple(tuple(map(int, line)) for line in table)


def _side(before: Counts, tally: _Tally, n_old: int, held: int) -> Side:
    after = tally.now()
    return Side(before[0], after[0], before[1], after[1], before[2], after[2], n_old, held)


def _tokens(passes: tuple[Pass, ...]) -> tuple[int, ...] | None:
    tokens = tuple(run.token for run in passes if run.token is not None)
    return tokens if len(tokens) == len(passes) else None
