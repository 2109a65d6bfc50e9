"""What a run times: each operation at each size that the settings ask for.

The ways of one `Group` get the same numbers and are compared with each other; the first is the one to compare with.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.measuring.arrays import ITEMSIZE, Arrays
from engine.measuring.attention import attention_group
from engine.measuring.ceilings import copy_group, product_group
from engine.measuring.decode import decode_group
from engine.measuring.group import Group
from engine.measuring.paged import paged_group
from engine.measuring.settings import Settings


def groups(settings: Settings, b: Arrays, dtype: str) -> Iterator[Group]:
    """All that `settings` asks for, the two ceilings first."""
    s = settings
    yield from ceilings(s, b, dtype)
    if "attention" in s.operations:
        for n in s.lengths:
            tiles = [(s.tile_q, s.tile_k)]
            yield attention_group("attention", b, dtype, s.heads, n, s.head_dim, tiles, b.name != "numpy")
    if "tiles" in s.operations:
        tiles = [(tile, tile) for tile in s.tile_sizes if tile <= s.tiles_length]
        yield attention_group("tiles", b, dtype, s.heads, s.tiles_length, s.head_dim, tiles, False)
    if "decode" in s.operations:
        for n in s.steps:
            yield decode_group(b, dtype, s, n)
    if "paged" in s.operations:
        for n in s.contexts:
            yield paged_group(dtype, s.kv_heads, n, s.head_dim, s.block_size)


def ceilings(settings: Settings, b: Arrays, dtype: str) -> tuple[Group, Group]:
    """The device's own: a copy larger than its caches, and a product of square matrices."""
    numbers = max(settings.copy_bytes, 2 * b.cache_bytes) // ITEMSIZE[dtype]
    return copy_group(dtype, numbers), product_group(dtype, settings.product_size)
