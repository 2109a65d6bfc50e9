"""The table in figure 2 of the FlashAttention paper, rebuilt: which of its figures follow from the algorithms.

Dao et al. 2022 (arXiv 2205.14135v2), figure 2, left: attention forward and backward, GPT-2 medium, N = 1,024, d = 64,
16 heads, batch 64, A100. The figures were read in transcriptions of the paper, which agree, not in the PDF. How they
were obtained the paper does not say: bytes read and written are what a profiler gives.

What the standard attention ran is known from the authors' first benchmark (flash-attention, commit 9dbc491a, May 2022,
read): 16-bit, batch 64, 16 heads, N = 1,024; a key-padding mask filled into the scores and dropout at 0.1 are
operations of their own. Whether the table comes from it is not known. Of the GFLOPs the first author has said that
they "might have been off by some factor", and gives 825 and 963 (flash-attention, issue 741, December 2023, read in a
stored copy).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from engine.checked import checked_int
from engine.tile_memory import paper_tiles
from engine.traffic_laws import Shape, tiled_backward
from engine.traffic_laws import tiled as tiled_forward

Standing = Literal["computed", "read", "secondary"]
VECTORS = frozenset(("q", "k", "v", "o", "do", "dq", "dk", "dv"))
SRAM = 192 * 1024  # bytes of an A100's multiprocessor, as the paper gives them


@dataclass(frozen=True)
class Printed:
    """One column of the table."""

    gflop: Fraction
    gb: Fraction
    ms: Fraction
    standing: Standing = "secondary"

    @property
    def gb_per_s(self) -> float:
        """Bandwidth that bytes and time imply."""
        return float(self.gb / self.ms * 1000)

    @property
    def tflop_per_s(self) -> float:
        """Rate that operations and time imply."""
        return float(self.gflop / self.ms)


def _printed(gflop: str, gb: str, ms: str) -> Printed:
    return Printed(Fraction(gflop), Fraction(gb), Fraction(ms))


PLAIN, TILED = _printed("66.6", "40.3", "41.7"), _printed("75.2", "4.4", "7.3")
# Another version of the paper, without date in the copy, says "key-padding mask and no dropout" and prints these.
NO_DROPOUT_PLAIN, NO_DROPOUT_TILED = _printed("66.6", "35.3", "35.1"), _printed("75.2", "4.4", "11.7")


@dataclass(frozen=True)
class Workload:
    """`batch` · `heads` heads of n queries and keys, no causal mask; 16-bit numbers, statistics in 32 bits."""

    batch: int = 64
    heads: int = 16
    n: int = 1024
    d: int = 64
    itemsize: int = 2
    statistics: int = 4

    def __post_init__(self) -> None:
        for name in ("batch", "heads", "n", "d", "itemsize", "statistics"):
            checked_int(name, getattr(self, name), 1)

    @property
    def n_heads(self) -> int:
        """Heads of the whole batch."""
        return self.batch * self.heads

    @property
    def product(self) -> int:
        """FLOP of one product that has a table in it, such as q kᵀ, of all heads."""
        return 2 * self.n**2 * self.d * self.n_heads


@dataclass(frozen=True)
class Passes:
    """What the plain way does besides the algorithm, as operations that go over whole tables.

    `mask`: filled into s. `mask_gradient`: and into its gradient. `dropout`: on p and on its gradient. `keep_bytes`: of
    a number that says whether dropout kept a weight; written once, read once."""

    mask: bool = False
    mask_gradient: bool = False
    dropout: bool = False
    keep_bytes: int = 0


@dataclass(frozen=True)
class Operation:
    """One kernel of the plain way: arrays that it reads and writes whole, and how many products it is."""

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    products: int = 0


@dataclass(frozen=True)
class Figures:
    """What a way comes to: FLOP of its products, bytes that cross."""

    flop: int
    moved: int

    @property
    def gflop(self) -> float:
        return self.flop / 1e9

    @property
    def gb(self) -> float:
        """10⁹ bytes."""
        return self.moved / 1e9


def operations(passes: Passes) -> tuple[Operation, ...]:
    """Algorithms 0 and 3 of the paper, with the passes asked for."""
    every: tuple[tuple[Operation, bool], ...] = (
        (Operation("s = q kᵀ", ("q", "k"), ("s",), 1), True),
        (Operation("mask s", ("s",), ("s",)), passes.mask),
        (Operation("p = softmax(s)", ("s",), ("p",)), True),
        (Operation("drop p", ("p",), ("p", "keep")), passes.dropout),
        (Operation("o = p v", ("p", "v"), ("o",), 1), True),
        (Operation("dv = pᵀ do", ("p", "do"), ("dv",), 1), True),
        (Operation("dp = do vᵀ", ("do", "v"), ("dp",), 1), True),
        (Operation("drop dp", ("dp", "keep"), ("dp",)), passes.dropout),
        (Operation("ds = p (dp − Σ p dp)", ("p", "dp"), ("ds",)), True),
        (Operation("mask ds", ("ds",), ("ds",)), passes.mask_gradient),
        (Operation("dq = ds k", ("ds", "k"), ("dq",), 1), True),
        (Operation("dk = dsᵀ q", ("ds", "q"), ("dk",), 1), True),
    )
    return tuple(operation for operation, on in every if on)


def plain(workload: Workload | None = None, passes: Passes | None = None) -> Figures:
    """The plain way, forward and backward, each operation once over all its arrays.

    >>> round(plain().gb, 1), round(plain().gflop, 1)
    (25.2, 824.6)
    """
    w, on = workload or Workload(), passes or Passes()
    table = w.n * w.n

    def size(array: str) -> int:
        if array in VECTORS:
            return w.n * w.d * w.itemsize
        return table * (on.keep_bytes if array == "keep" else w.itemsize)

    steps = operations(on)
    moved = sum(size(array) for step in steps for array in (*step.reads, *step.writes))
    return Figures(sum(step.products for step in steps) * w.product, moved * w.n_heads)


def tiled(
    workload: Workload | None = None,
    *,
    memory: int = SRAM,
    tile_q: int | None = None,
    tile_k: int | None = None,
    backward: bool = True,
) -> Figures:
    """Tiles with keys outside, of the paper's sizes for a chip of `memory` bytes unless given; forward alone where not
    `backward`. Mask and dropout happen on the chip and move nothing.

    >>> round(tiled().gb, 1), round(tiled().gflop, 1)
    (4.4, 962.1)
    """
    w = workload or Workload()
    b_r, b_c = paper_tiles(memory, w.d, itemsize=w.itemsize)
    rows, keys = b_r if tile_q is None else tile_q, b_c if tile_k is None else tile_k
    shape, sizes = Shape(w.n, w.n, w.d), {"itemsize": w.itemsize, "statistics": w.statistics}
    moved = tiled_forward(shape, tile_q=rows, tile_k=keys, keys_outside=True, **sizes).total
    if backward:
        moved += tiled_backward(shape, tile_q=rows, tile_k=keys, **sizes).total
    products = 2 + 5 * backward  # q kᵀ and p v; q kᵀ again, dv, dp, dq, dk
    return Figures(products * w.product, moved * w.n_heads)


@dataclass(frozen=True)
class Verdict:
    """A printed figure beside what the algorithms give under one assumption."""

    column: Literal["plain", "tiled"]
    unit: Literal["gflop", "gb"]
    printed: Fraction
    ours: float
    passes: Passes | None = None  # of the plain way's bytes
    tile_k: int | None = None  # of the tiles' bytes

    @property
    def follows(self) -> bool:
        """Whether ours rounds to the figure printed, which has one digit after the point."""
        return abs(Fraction(self.ours) - self.printed) <= Fraction(1, 20)

    @property
    def ratio(self) -> float:
        """Ours over printed."""
        return self.ours / float(self.printed)


ASSUMED = (
    Passes(),
    Passes(mask=True),
    Passes(mask=True, dropout=True),
    Passes(mask=True, dropout=True, keep_bytes=1),
    Passes(mask=True, mask_gradient=True, dropout=True, keep_bytes=1),
)


def verdicts() -> tuple[Verdict, ...]:
    """GFLOPs, which do not follow, and bytes, which do under some assumptions and not under others that are as good.

    >>> [v.follows for v in verdicts()]
    [False, False, False, False, False, True, False, True, False]
    """
    gflops = (
        Verdict("plain", "gflop", PLAIN.gflop, plain().gflop),
        Verdict("tiled", "gflop", TILED.gflop, tiled().gflop),
    )
    plain_bytes = (Verdict("plain", "gb", PLAIN.gb, plain(passes=p).gb, passes=p) for p in ASSUMED)
    b_c = paper_tiles(SRAM, Workload().d, itemsize=Workload().itemsize)[1]
    tiled_bytes = (Verdict("tiled", "gb", TILED.gb, tiled(tile_k=c).gb, tile_k=c) for c in (b_c, 256))
    return (*gflops, *plain_bytes, *tiled_bytes)


def heads_of_difference() -> float:
    """Tiles do one product more than the plain way, q kᵀ a second time. For how many heads is that the difference of
    the printed GFLOPs? For 64, as if they were of a sixteenth of the workload's 1,024. The products of 64 heads are
    51.5 and 60.1 GFLOP; what the other 15.1 of each column are, the paper does not say.

    >>> round(heads_of_difference(), 1)
    64.1
    """
    w = Workload()
    return float((TILED.gflop - PLAIN.gflop) * 10**9 * w.n_heads / w.product)
