"""A measuring run that is over at once: every operation, every way, the smallest sizes."""

from __future__ import annotations

from engine.measure import Settings
from engine.measuring.arrays import NumpyArrays

TINY = Settings(
    lengths=(48, 96),
    head_dim=16,
    heads=2,
    tile_q=32,
    tile_k=40,
    tiles_length=96,
    tile_sizes=(32, 64),
    steps=(6, 12),
    d_model=32,
    contexts=(64, 128),
    kv_heads=2,
    copy_bytes=2**20,
    product_size=32,
    case_seconds=0.001,
    seconds=600.0,
)


class SmallCache(NumpyArrays):
    """As on a machine with a small cache, so that the copy past the caches is short."""

    def __init__(self) -> None:
        super().__init__()
        self.cache_bytes = 2**20
