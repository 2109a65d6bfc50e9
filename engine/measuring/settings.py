"""What to measure: everything a reader may choose, checked and hashable."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.checked import checked_int
from engine.measuring.arrays import DTYPES

BACKENDS = ("numpy", "torch-cpu", "torch-cuda")
OPERATIONS = ("attention", "tiles", "decode", "paged")  # beside the two ceilings, which are always measured


@dataclass(frozen=True)
class Settings:
    """Sizes, places and budgets of one run. Raises ValueError that names the field.

    attention: `heads` heads of `lengths` queries and as many keys, `head_dim` numbers each, with tiles of `tile_q` ×
    `tile_k` scores. tiles: `tiles_length` positions, square tiles of `tile_sizes`. decode: `steps` new rows through
    `n_layers` layers of `d_model`, in heads of `head_dim`, with an MLP four times as wide. paged: one query of
    `kv_heads` heads against `contexts` keys, in blocks of `block_size`. `copy_bytes` and `product_size` (rows of the
    square matrices) are of the two ceilings.

    Budgets: `case_seconds` of repeats for each way of each size, `seconds` for the whole run, `memory` bytes (0: half
    of what is free). `noise` is the share of the median at which repeating may stop."""

    backends: tuple[str, ...] = ("numpy",)
    dtypes: tuple[str, ...] = ("float32",)
    operations: tuple[str, ...] = OPERATIONS
    lengths: tuple[int, ...] = (256, 512, 1024, 2048)
    head_dim: int = 64
    heads: int = 1
    tile_q: int = 512
    tile_k: int = 1024
    tiles_length: int = 1024
    tile_sizes: tuple[int, ...] = (32, 64, 128, 256, 512)
    steps: tuple[int, ...] = (32, 64, 128)
    d_model: int = 128
    n_layers: int = 2
    contexts: tuple[int, ...] = (1024, 4096, 16384)
    kv_heads: int = 8
    block_size: int = 16
    copy_bytes: int = 64 * 2**20
    product_size: int = 1024
    case_seconds: float = 0.2
    seconds: float = 30.0
    memory: int = 0
    noise: float = 0.02
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("backends", BACKENDS), ("dtypes", DTYPES), ("operations", OPERATIONS)):
            chosen = getattr(self, name)
            if not isinstance(chosen, tuple) or len(set(chosen)) < len(chosen) or not set(chosen) <= set(known):
                raise ValueError(f"{name}: some of {', '.join(known)}, each once, got {chosen!r}")
        for name in ("backends", "dtypes"):
            if not getattr(self, name):
                raise ValueError(f"{name}: at least one")
        for name, most in _MANY.items():
            values = getattr(self, name)
            if not isinstance(values, tuple) or not 1 <= len(values) <= 12 or list(values) != sorted(set(values)):
                raise ValueError(
                    f"{name}: one to twelve whole numbers, each larger than the one before, got {values!r}"
                )
            for value in values:
                _between(name, value, 1, most)
        for name, (least, most) in _ONE.items():
            _between(name, getattr(self, name), least, most)
        for name, top in (("case_seconds", 60.0), ("seconds", 3600.0), ("noise", 1.0)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= top:
                raise ValueError(f"{name}: a number above 0, at most {top:g}, got {number!r}")
        if self.d_model % self.head_dim:
            raise ValueError(f"d_model: a multiple of head_dim = {self.head_dim}, got {self.d_model}")
        for context in self.contexts:
            if context % self.block_size:
                raise ValueError(f"contexts: multiples of block_size = {self.block_size}, got {context}")

    def as_dict(self) -> dict[str, Any]:
        """For JSON; `settings_of` reads it back."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in dataclasses.asdict(self).items()}


_MANY = {"lengths": 2**17, "tile_sizes": 2**14, "steps": 2**12, "contexts": 2**22}
_ONE = {
    "head_dim": (1, 512),
    "heads": (1, 256),
    "tile_q": (1, 2**14),
    "tile_k": (1, 2**14),
    "tiles_length": (1, 2**17),
    "d_model": (1, 2**14),
    "n_layers": (1, 128),
    "kv_heads": (1, 256),
    "block_size": (1, 2**12),
    "copy_bytes": (2**20, 2**34),
    "product_size": (16, 2**15),
    "memory": (0, 2**44),
    "seed": (0, 2**31),
}


def _between(name: str, value: int, least: int, most: int) -> None:
    if checked_int(name, value, least) > most:
        raise ValueError(f"{name}: at most {most:,}, got {value:,}")


def settings_of(raw: object, base: Settings | None = None) -> Settings:
    """From what `Settings.as_dict` gave, or from its JSON text; fields that are not there are those of `base`.

    Raises ValueError that names what is wrong.

    >>> settings_of({"lengths": [8, 16]}).lengths
    (8, 16)
    >>> settings_of({"length": 3})
    Traceback (most recent call last):
    ValueError: settings: no field length
    """
    if isinstance(raw, str):
        try:
            raw = json.loads(raw)
        except ValueError as error:
            raise ValueError(f"settings: no JSON: {error}") from None
    if not isinstance(raw, Mapping):
        raise ValueError(f"settings: an object with the fields of Settings, got {type(raw).__name__}")
    unknown = sorted(str(name) for name in set(raw) - {field.name for field in dataclasses.fields(Settings)})
    if unknown:
        raise ValueError(f"settings: no field {', '.join(unknown)}")
    values: dict[str, Any] = {str(name): tuple(v) if isinstance(v, list) else v for name, v in raw.items()}
    return dataclasses.replace(base or Settings(), **values)


QUICK = Settings()  # ends within 40 s on two cores
FULL = Settings(
    lengths=(512, 1024, 2048, 4096, 8192),
    tiles_length=4096,
    tile_sizes=(64, 128, 256, 512, 1024, 2048),
    steps=(32, 64, 128, 256),
    contexts=(1024, 4096, 16384, 65536),
    copy_bytes=128 * 2**20,
    product_size=2048,
    case_seconds=1.5,
    seconds=300.0,
)
CUDA_QUICK = Settings(
    backends=("torch-cuda",),
    dtypes=("bfloat16",),
    lengths=(1024, 2048, 4096, 8192),
    heads=16,
    tile_q=1024,
    tile_k=1024,
    tiles_length=4096,
    tile_sizes=(128, 256, 512, 1024, 2048, 4096),
    steps=(32, 64, 128, 256),
    d_model=1024,
    n_layers=4,
    contexts=(2048, 8192, 32768),
    kv_heads=32,
    copy_bytes=2**28,
    product_size=8192,
    case_seconds=0.25,
    seconds=33.0,
)
CUDA_FULL = dataclasses.replace(
    CUDA_QUICK,
    dtypes=("bfloat16", "float32"),
    lengths=(512, 1024, 2048, 4096, 8192, 16384),
    tiles_length=8192,
    steps=(32, 64, 128, 256, 512),
    contexts=(512, 2048, 8192, 32768),
    case_seconds=0.7,
    seconds=170.0,
)


def preset(*, quick: bool, cuda: bool) -> Settings:
    """The four presets. `backends` of the CPU's names NumPy alone; add torch-cpu where PyTorch is."""
    return (CUDA_QUICK if quick else CUDA_FULL) if cuda else (QUICK if quick else FULL)
