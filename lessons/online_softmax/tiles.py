"""Small facts about a step that both its picture and its words need."""

from __future__ import annotations

from engine.online_softmax import AddTile, Check, CompareMax, Divide, ReadTile, Scenario, Shrink, Step, Tile
from lessons.kit.text import Text, listed, literal

LONG = (1_024, 32_768, 131_072)
"""Lengths for which the whole table of scores is weighed: short, the chapter's, and a long context."""


def tile_of(step: Step) -> Tile | None:
    """The tile a step is about."""
    match step:
        case ReadTile(tile=tile) | CompareMax(tile=tile) | Shrink(tile=tile) | AddTile(tile=tile):
            return tile
        case _:
            return None


def read_so_far(scenario: Scenario, step: Step) -> frozenset[int]:
    """The keys folded in before this step."""
    if isinstance(step, Divide | Check):
        return frozenset(scenario.reading)
    tile = tile_of(step)
    return frozenset() if tile is None else frozenset(k for t in scenario.tiles[: tile.index] for k in t.keys)


def names(scenario: Scenario, tile: Tile, *, markdown: bool) -> Text:
    """The tile's labels, or how many keys it has where there are more than three."""
    if len(tile.keys) > 3:
        return Text(f"{len(tile.keys)} keys", f"{len(tile.keys)} 个键")
    labels = (scenario.labels[key] for key in tile.keys)
    return listed(tuple(literal(label) if markdown else label for label in labels))
