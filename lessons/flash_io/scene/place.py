"""Where a step stands in the walk: which tile is on the chip, which have been folded in."""

from __future__ import annotations

from dataclasses import dataclass

from engine.flash_io import (
    Clear,
    Compare,
    Fold,
    Forward,
    Gradients,
    LoadKV,
    LoadQ,
    Pass,
    Rebuild,
    Scenario,
    Score,
    Skip,
    Start,
    Stop,
    Write,
    WriteKV,
)

EMPTY = range(0)
Tile = tuple[range, range]


@dataclass(frozen=True)
class Place:
    """`rows` and `keys` are on the chip; `done` and `begun` are the tiles folded in, and those whose keys have come."""

    rows: range
    keys: range
    done: tuple[Tile, ...]
    begun: tuple[Tile, ...]
    computing: bool  # the tile's scores are there


def place(s: Scenario, step: Stop) -> Place:
    """Of any step."""
    match step:
        case Score(rows=rows, keys=keys) | Fold(rows=rows, keys=keys):
            done = s.visits[: step.now.n_done]
            return Place(rows, keys, done, (*done, (rows, keys)) if isinstance(step, Score) else done, True)
        case LoadKV(keys=keys):
            done, coming = s.visits[: step.now.n_done], s.visits[step.now.n_done]
            return Place(EMPTY if s.keys_outside else coming[0], keys, done, (*done, coming), False)
        case LoadQ(rows=rows):
            done = s.visits[: step.now.n_done]
            coming = s.visits[step.now.n_done] if s.keys_outside else (rows, EMPTY)
            return Place(rows, coming[1], done, (*done, coming) if s.keys_outside else done, False)
        case Skip(tiles=tiles):
            done = s.visits[: step.now.n_done]
            rows, keys = tiles[0]
            return Place(*((EMPTY, keys) if s.keys_outside else (rows, EMPTY)), done, done, False)
        case Write(rows=rows):
            done = s.visits[: step.now.n_done]
            return Place(rows, done[-1][1] if s.keys_outside and done else EMPTY, done, done, False)
        case Start() | Clear():
            return Place(EMPTY, EMPTY, (), (), False)
        case Pass() | Compare() | Gradients():
            return Place(EMPTY, EMPTY, s.visits, s.visits, False)
        case Forward():
            return Place(EMPTY, EMPTY, (), (), False)
        case Rebuild(rows=rows, keys=keys):
            order = _backward(s)
            done = order[: order.index((rows, keys)) + 1]
            return Place(rows, keys, done, done, True)
        case WriteKV(keys=keys):
            return Place(EMPTY, keys, tuple(t for t in _backward(s) if t[1].start <= keys.start), (), False)


def _backward(s: Scenario) -> tuple[Tile, ...]:
    """The tiles of the backward pass, whose outer loop is over keys."""
    visits = set(s.visits)
    return tuple((rows, keys) for keys in s.key_tiles for rows in s.query_tiles if (rows, keys) in visits)
