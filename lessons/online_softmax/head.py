"""One head at the chapter's length: what the plain way and tiles move, by the engine's laws of traffic."""

from __future__ import annotations

from engine.attention import score_table_bytes
from engine.chip import Moved
from engine.traffic_laws import Shape, plain, tiled

LENGTH, WIDTH, TILE = 32_768, 128, 128
"""Tokens, numbers in a query, key or value, and queries that share a tile."""
ITEMSIZE, STATISTICS = 2, 4  # float16; the log-sum-exp of each query in float32
TABLE = score_table_bytes(LENGTH, LENGTH, itemsize=ITEMSIZE)
"""Bytes of one T × T table."""

_HEAD = Shape(LENGTH, LENGTH, WIDTH)
PLAIN = plain(_HEAD, itemsize=ITEMSIZE)
TILED = tiled(_HEAD, tile_q=TILE, tile_k=TILE, itemsize=ITEMSIZE, statistics=STATISTICS)
KEPT = WIDTH + 2
"""Numbers that tiles keep for one query: m, ℓ and u."""


def tables(moved: Moved) -> int:
    """Bytes of scores and weights."""
    return moved.of("s").moved + moved.of("p").moved


def vectors(moved: Moved) -> int:
    """Bytes of everything else."""
    return moved.total - tables(moved)


def row(n_keys: int, d: int) -> int:
    """Bytes of scores and weights that the plain way moves for one query and so many keys."""
    return tables(plain(Shape(1, n_keys, d), itemsize=ITEMSIZE))
