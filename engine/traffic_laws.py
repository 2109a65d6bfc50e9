"""How many bytes attention moves, by formula: what the counted runs must come to, without running anything.

Names of arrays as in the runs. T_q queries, T_k keys, d numbers a query or key, d_v a value (d unless given). Source of
the algorithms: Dao et al. 2022, algorithms 0, 1, 3 and 4; Dao 2023, algorithm 1. "Θ(T²d²/M)" there is `tiled` with
tiles sized to a chip of M bytes (`tiles_for`). Statistics (m, l, log-sum-exp) may count with an itemsize of their own:
16-bit kernels keep them in 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.checked import checked_int
from engine.chip import Crossing, Moved
from engine.tile_walk import tiles

QUERIES_OUTSIDE = ("q", "k", "v", "o", "lse")
KEYS_OUTSIDE = ("q", "k", "v", "o", "m", "l")
PLAIN = ("q", "k", "v", "s", "p", "o")
BACKWARD = ("q", "k", "v", "o", "do", "lse", "dq", "dk", "dv")
PLAIN_BACKWARD = ("q", "k", "v", "do", "p", "dp", "ds", "dq", "dk", "dv")
STATISTICS = frozenset(("m", "l", "lse"))

Numbers = dict[str, tuple[int, int]]  # of each array, numbers read and numbers written


def tiled_arrays(keys_outside: bool) -> tuple[str, ...]:
    """The arrays that cross in that order of the loops."""
    return KEYS_OUTSIDE if keys_outside else QUERIES_OUTSIDE


@dataclass(frozen=True)
class Shape:
    """One head: `n_q` queries and `n_k` keys of `d` numbers, values of `d_v` (d unless given).

    Raises ValueError below 1."""

    n_q: int
    n_k: int
    d: int
    causal: bool = False
    d_v: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "d_v", self.d_v or self.d)
        for name in ("n_q", "n_k", "d", "d_v"):
            checked_int(name, getattr(self, name), 1)

    @property
    def sight(self) -> int | None:
        """As in `engine.tile_walk`."""
        return self.n_k - self.n_q if self.causal else None

    @property
    def table(self) -> int:
        """Numbers in a table of scores or weights."""
        return self.n_q * self.n_k


def plain(shape: Shape, *, itemsize: int) -> Moved:
    """Scores and weights go out and come back, whole: causality hides numbers and moves them.

    >>> plain(Shape(8, 8, 2), itemsize=1).total == 4 * 8 * 2 + 4 * 8 * 8
    True
    """
    n_q, n_k, d, d_v, table = shape.n_q, shape.n_k, shape.d, shape.d_v, shape.table
    numbers: Numbers = {
        "q": (n_q * d, 0),
        "k": (n_k * d, 0),
        "v": (n_k * d_v, 0),
        "s": (table, table),
        "p": (table, table),
        "o": (0, n_q * d_v),
    }
    return _moved(PLAIN, numbers, max((n_q + n_k) * d + table, 2 * table, table + (n_k + n_q) * d_v), itemsize)


def tiled(
    shape: Shape,
    *,
    tile_q: int,
    tile_k: int,
    keys_outside: bool = False,
    itemsize: int,
    statistics: int | None = None,
) -> Moved:
    """Queries outside: q and o cross once, k and v once for every query tile that sees some of them. Keys outside: k
    and v once, q, o, m and l for every key tile that they see some of, o, m and l both ways and once more to begin
    with.

    >>> tiled(Shape(8, 8, 2), tile_q=4, tile_k=4, itemsize=1).total == 2 * 8 * 2 + 2 * (8 * 2 + 8 * 2) + 8
    True
    """
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    if keys_outside:
        rows = queries_read(shape, tile_q=tile_q, tile_k=tile_k)
        once_more = rows + n_q
        numbers: Numbers = {
            "q": (rows * d, 0),
            "k": (n_k * d, 0),
            "v": (n_k * d_v, 0),
            "o": (rows * d_v, once_more * d_v),
            "m": (rows, once_more),
            "l": (rows, once_more),
        }
    else:
        keys = keys_read(shape, tile_q=tile_q, tile_k=tile_k)
        numbers = {
            "q": (n_q * d, 0),
            "k": (keys * d, 0),
            "v": (keys * d_v, 0),
            "o": (0, n_q * d_v),
            "lse": (0, n_q),
        }
    on_chip = _most_on_chip(shape, tile_q, tile_k, keys_outside)
    return _moved(tiled_arrays(keys_outside), numbers, on_chip, itemsize, statistics)


def tiled_backward(shape: Shape, *, tile_q: int, tile_k: int, itemsize: int, statistics: int | None = None) -> Moved:
    """`engine.flash_backward.backward`: keys outside; q, o, do and the log-sum-exp come in for every key tile, dq comes
    in and goes out again, after its zeros went out once. The chip's fullest moment is not in it."""
    n_q, n_k, d, d_v = shape.n_q, shape.n_k, shape.d, shape.d_v
    rows = queries_read(shape, tile_q=tile_q, tile_k=tile_k)
    numbers: Numbers = {
        "q": (rows * d, 0),
        "k": (n_k * d, 0),
        "v": (n_k * d_v, 0),
        "o": (rows * d_v, 0),
        "do": (rows * d_v, 0),
        "lse": (rows, 0),
        "dq": (rows * d, (rows + n_q) * d),
        "dk": (0, n_k * d),
        "dv": (0, n_k * d_v),
    }
    return _moved(BACKWARD, numbers, 0, itemsize, statistics)


def plain_backward(shape: Shape, *, itemsize: int) -> Moved:
    """`engine.flash_backward.plain_backward`: seven passes over tables. The chip's fullest moment is not in it."""
    n_q, n_k, d, d_v, table = shape.n_q, shape.n_k, shape.d, shape.d_v, shape.table
    numbers: Numbers = {
        "q": (n_q * d, 0),
        "k": (n_k * d, 0),
        "v": (n_k * d_v, 0),
        "do": (2 * n_q * d_v, 0),
        "p": (2 * table, 0),
        "dp": (table, table),
        "ds": (2 * table, table),
        "dq": (0, n_q * d),
        "dk": (0, n_k * d),
        "dv": (0, n_k * d_v),
    }
    return _moved(PLAIN_BACKWARD, numbers, 0, itemsize)


def plain_extra(shape: Shape, *, itemsize: int) -> int:
    """Bytes in HBM besides q, k, v and o: both tables, quadratic in T."""
    return 2 * shape.table * itemsize


def tiled_extra(shape: Shape, *, keys_outside: bool = False, itemsize: int) -> int:
    """Bytes in HBM besides q, k, v and o: log-sum-exp, or m and l; linear in T. `itemsize` is theirs."""
    return shape.n_q * (2 if keys_outside else 1) * itemsize


def keys_read(shape: Shape, *, tile_q: int, tile_k: int) -> int:
    """Keys that the query tiles read in all, each whole tiles up to the one that its last query sees.

    >>> keys_read(Shape(6, 6, 2, causal=True), tile_q=2, tile_k=3)
    15
    """
    return sum(seen for _, seen in _seen(shape, tile_q, tile_k))


def queries_read(shape: Shape, *, tile_q: int, tile_k: int) -> int:
    """Queries that the key tiles read in all, each whole tiles from the one whose last query sees its first key on.

    >>> queries_read(Shape(6, 6, 2, causal=True), tile_q=2, tile_k=3)
    10
    """
    tile_q, tile_k = checked_int("tile_q", tile_q, 1), checked_int("tile_k", tile_k, 1)
    if shape.sight is None:
        return -(-shape.n_k // tile_k) * shape.n_q
    firsts = (max(keys.start - shape.sight, 0) for keys in tiles(shape.n_k, tile_k))  # queries that see its first key
    return sum(shape.n_q - first // tile_q * tile_q for first in firsts)


def pairs_computed(shape: Shape, *, tile_q: int, tile_k: int) -> int:
    """Scores computed, hidden ones within a tile that is not skipped included: still quadratic in T."""
    return sum(rows * seen for rows, seen in _seen(shape, tile_q, tile_k))


def _seen(shape: Shape, tile_q: int, tile_k: int) -> Iterator[tuple[int, int]]:
    """Of each query tile, its rows and the keys that it reads."""
    tile_q, tile_k = checked_int("tile_q", tile_q, 1), checked_int("tile_k", tile_k, 1)
    for rows in tiles(shape.n_q, tile_q):
        end = shape.n_k if shape.sight is None else max(rows.stop + shape.sight, 0)  # keys that its last query sees
        yield len(rows), min(-(-end // tile_k) * tile_k, shape.n_k)


def _moved(
    names: tuple[str, ...], numbers: Numbers, on_chip: int, itemsize: int, statistics: int | None = None
) -> Moved:
    checked_int("itemsize", itemsize, 1)
    sizes = {name: itemsize if statistics is None or name not in STATISTICS else statistics for name in names}
    arrays = tuple(Crossing(name, *(n * sizes[name] for n in numbers[name])) for name in names)
    return Moved(arrays, 0, on_chip * itemsize)


def _most_on_chip(shape: Shape, tile_q: int, tile_k: int, keys_outside: bool) -> int:
    """Numbers at the fullest moment: a tile that is computed, or a query tile that sees nothing and waits alone."""
    rows = max((rows for rows, seen in _seen(shape, tile_q, tile_k) if seen), default=0)
    computed = tile_numbers(rows, min(tile_k, shape.n_k), shape.d, shape.d_v)
    alone = 0 if keys_outside else min(tile_q, shape.n_q) * (shape.d + shape.d_v + 2)
    return max(computed, alone)


def tile_numbers(rows: int, keys: int, d: int, d_v: int) -> int:
    """Numbers on the chip while a tile is folded in: q, k, v, s, p, m, l, u.

    >>> tile_numbers(2, 3, 2, 2)
    36
    """
    return rows * d + keys * (d + d_v) + 2 * rows * keys + rows * (2 + d_v)
