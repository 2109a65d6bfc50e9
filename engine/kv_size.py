"""The bytes of a cache multiplied up, one factor a step; then what the number means: units, one more token, a device.

Source: chapter 07, Q026. One ladder serves every model: windows shorten the rows of some layers, and MLA has one
vector (latent and rotated part) in place of heads, which serves K and V alike. `engine.kv_ladder` has the same
products as ints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property

from engine.checked import checked_int
from engine.kv_formats import BF16, Format
from engine.kv_ladder import Mistake, applies
from engine.models import MODELS, Model

GIB, GB = 2**30, 10**9


@dataclass(frozen=True)
class Device:
    """Where the cache is to live: memory and bandwidth as sold (GB, TB/s; powers of ten), and the weights beside it."""

    memory_gb: float = 80.0
    bandwidth_tb: float = 3.35
    billions: float = 8.0  # parameters
    weight_bits: int = 16

    @property
    def memory(self) -> int:
        """Bytes."""
        return round(self.memory_gb * GB)

    @property
    def weight_bytes(self) -> Fraction:
        """Bytes a weight."""
        return Fraction(self.weight_bits, 8)

    @property
    def weights(self) -> int:
        """Bytes of the parameters, without anything else."""
        return round(self.billions * GB * self.weight_bits / 8)

    @property
    def room(self) -> int:
        """Bytes beside the weights; below 0 where they do not fit themselves."""
        return self.memory - self.weights

    def read_seconds(self, n_bytes: int) -> float:
        """The least time to read so many bytes once at this bandwidth. A quotient, not a measurement."""
        return n_bytes / (self.bandwidth_tb * 1e12)


@dataclass(frozen=True)
class Scenario:
    """A cache of `batch` sequences of `seq_len` tokens; the defaults are the source's example."""

    model: Model = MODELS["Llama-3-8B"]
    seq_len: int = 32_768
    batch: int = 1
    format: Format = BF16
    device: Device = Device()
    mistake: Mistake = Mistake.NONE

    def __post_init__(self) -> None:
        checked_int("seq_len", self.seq_len, 1)
        checked_int("batch", self.batch, 1)

    @property
    def made(self) -> Mistake:
        """The mistake, or NONE where it cannot be made on this model."""
        return self.mistake if applies(self.mistake, self.model) else Mistake.NONE

    @cached_property
    def cache_bytes(self) -> int:
        """Bytes of the whole cache as the mistake has it; GB_FOR_GIB reads n GiB as n GB.

        >>> Scenario().cache_bytes == 4 * GIB
        True
        """
        total = ladder(self)[-1].product
        return total * GB // GIB if self.made is Mistake.GB_FOR_GIB else total

    @property
    def counted_tokens(self) -> int:
        """Tokens of a sequence as the mistake counts them: fewer where K is read as 1000."""
        return self.seq_len * 1000 // 1024 if self.made is Mistake.THOUSAND_FOR_1024 else self.seq_len

    @property
    def growing(self) -> int:
        """Layers that one more token makes larger: those that do not forget one for it."""
        windows = self.made is not Mistake.NO_WINDOW
        groups = zip(self.model.groups, _layers(self), strict=True)
        return sum(n for g, n in groups if g.window is None or not windows or self.seq_len < g.window)

    @property
    def token_bytes(self) -> int:
        """Bytes that one more token of one sequence adds.

        >>> Scenario().token_bytes
        131072
        """
        vector = _vector(self)
        each = vector.number_bytes + vector.scales * self.format.scale_bytes
        return self.growing * vector.heads * each * vector.sides

    @property
    def vector_bytes(self) -> int:
        """Bytes of K, or of V, of one KV head for one token in one layer, the right way."""
        return self.format.vector_bytes(self.model.head_dim)

    @property
    def layer_bytes(self) -> int:
        """Bytes of one token in one layer, the right way."""
        return self.format.token_layer_bytes(self.model)


class RungName(Enum):
    """What a rung of the ladder counts."""

    LAYERS = "layers"
    BATCH = "batch"
    TOKENS = "tokens"  # cached ones: no more than the window
    HEADS = "heads"  # KV heads; 1 for MLA
    WIDTH = "width"  # numbers of a vector: head_dim, or MLA's latent and rotated part
    ITEMSIZE = "bytes"
    SCALES = "scales"  # added, not multiplied; only where the format keeps any
    K_AND_V = "k-and-v"


@dataclass(frozen=True)
class Rung:
    """A factor, and the product with it.

    `parts` is the factor: one number, or two where kinds of layers (local, full) or parts of a vector (latent, rotated)
    differ. Of SCALES they are the scales of a vector and the bytes of one; their product is added to each vector.
    """

    name: RungName
    parts: tuple[int | Fraction, ...]
    product: int

    @property
    def in_bytes(self) -> bool:
        """Whether the product is a number of bytes: from the bytes of a number on."""
        return self.name in (RungName.ITEMSIZE, RungName.SCALES, RungName.K_AND_V)


Ladder = tuple[Rung, ...]


@dataclass(frozen=True)
class Multiply:
    """Rung `at` is put in."""

    ladder: Ladder
    at: int

    @property
    def rung(self) -> Rung:
        return self.ladder[self.at]

    @property
    def before(self) -> Rung | None:
        """The rung put in last."""
        return self.ladder[self.at - 1] if self.at else None

    @property
    def added(self) -> int:
        """By how much the product has grown."""
        return self.rung.product - (self.before.product if self.before else 0)


@dataclass(frozen=True)
class Units:
    """The bytes in GiB and in GB. `total` is what the reader of the figure takes it for."""

    ladder: Ladder
    total: int


@dataclass(frozen=True)
class OneMore:
    """One more token of one sequence adds `added` bytes, in the `growing` layers that do not forget one for it."""

    ladder: Ladder
    total: int
    added: int
    growing: int

    @property
    def each(self) -> int:
        """Bytes that it adds in one of these layers."""
        return self.added // self.growing if self.growing else 0


@dataclass(frozen=True)
class Layout:
    """The same model with other K and V: `heads` KV heads, or None for MLA's latent."""

    heads: int | None
    total: int
    own: bool


@dataclass(frozen=True)
class HeadCounts:
    """What the cache would be with other numbers of KV heads."""

    ladder: Ladder
    total: int
    more: OneMore
    layouts: tuple[Layout, ...]

    @property
    def own(self) -> Layout:
        """The cache as it is."""
        return next(layout for layout in self.layouts if layout.own)

    @property
    def other(self) -> Layout | None:
        """The largest cache that is not the model's own."""
        return next((layout for layout in reversed(self.layouts) if not layout.own), None)


@dataclass(frozen=True)
class OnDevice:
    """Weights and cache on a device; `left` is below 0 where they do not fit. Bytes, and seconds to read the cache
    once."""

    ladder: Ladder
    total: int
    more: OneMore
    memory: int
    weights: int
    left: int
    read_seconds: float

    @property
    def quotient(self) -> float:
        """Caches of this size that the memory beside the weights would hold, by division: not the concurrency."""
        return max(0.0, (self.memory - self.weights) / self.total) if self.total else math.inf


Step = Multiply | Units | OneMore | HeadCounts | OnDevice


def trace(scenario: Scenario) -> Iterator[Step]:
    """Each rung, then four looks at the total. Where it yields depends on the model's kind and format, never on the
    mistake.

    >>> [step.rung.product for step in trace(Scenario()) if isinstance(step, Multiply)][-3:]
    [1073741824, 2147483648, 4294967296]
    """
    rungs = ladder(scenario)
    for at in range(len(rungs)):
        yield Multiply(rungs, at)
    total = scenario.cache_bytes
    yield Units(rungs, total)
    more = OneMore(rungs, total, scenario.token_bytes, scenario.growing)
    yield more
    yield HeadCounts(rungs, total, more, layouts(scenario))
    device = scenario.device
    left, seconds = device.room - total, device.read_seconds(total)
    yield OnDevice(rungs, total, more, device.memory, device.weights, left, seconds)


def ladder(scenario: Scenario) -> Ladder:
    """The rungs, with the mistake in them."""
    s, f = scenario, scenario.format
    vector = _vector(s)
    layers, tokens = _layers(s), _tokens(s)
    rows = s.batch * sum(n * t for n, t in zip(layers, tokens, strict=True))
    vectors = rows * vector.heads
    rungs = [
        Rung(RungName.LAYERS, layers, sum(layers)),
        Rung(RungName.BATCH, (s.batch,), sum(layers) * s.batch),
        Rung(RungName.TOKENS, tokens, rows),
        Rung(RungName.HEADS, (vector.heads,), vectors),
        Rung(RungName.WIDTH, vector.widths, vectors * sum(vector.widths)),
        Rung(RungName.ITEMSIZE, vector.itemsizes, vectors * vector.number_bytes),
    ]
    if f.group is not None and f.scale_bytes:
        product = vectors * (vector.number_bytes + vector.scales * f.scale_bytes)
        rungs.append(Rung(RungName.SCALES, (vector.scales, f.scale_bytes), product))
    return (*rungs, Rung(RungName.K_AND_V, (vector.sides,), rungs[-1].product * vector.sides))


def layouts(scenario: Scenario) -> tuple[Layout, ...]:
    """The cache with fewer and more KV heads (1, as it is, one each query head); for MLA the latent and K, V written
    out."""
    s, m = replace(scenario, mistake=Mistake.NONE), scenario.model
    rows = s.batch * m.layer_tokens(s.seq_len)
    if m.n_kv_heads is None:
        f = replace(s.format, rope_itemsize=None)
        written = m.n_heads * (f.vector_bytes(m.head_dim + m.rope_dim) + f.vector_bytes(m.head_dim))
        return Layout(None, s.cache_bytes, True), Layout(m.n_heads, rows * written, False)
    counts = {1, m.n_kv_heads, m.n_heads}
    if m.n_kv_heads == m.n_heads and m.n_heads % 4 == 0:
        counts.add(m.n_heads // 4)
    each = rows * 2 * s.format.vector_bytes(m.head_dim)
    return tuple(Layout(n, n * each, n == m.n_kv_heads) for n in sorted(counts))


@dataclass(frozen=True)
class _Vector:
    """What one row (a token in one layer) keeps: `heads` vectors of `widths` numbers, `sides` times."""

    heads: int
    widths: tuple[int, ...]
    itemsizes: tuple[int | Fraction, ...]
    number_bytes: int  # of one vector, without scales
    scales: int
    sides: int


def _vector(s: Scenario) -> _Vector:
    m, f = s.model, s.format
    bits = 8 if s.made is Mistake.BITS_FOR_BYTES else 1
    itemsize = f.itemsize * bits
    heads, widths, sides = _shape(m, s.made)
    rope_size = f.rope_itemsize if len(widths) == 2 else None
    if rope_size is None:
        sizes: tuple[int | Fraction, ...] = (itemsize,)
        number_bytes, scaled = math.ceil(sum(widths) * itemsize), sum(widths)
    else:
        sizes = (itemsize, rope_size * bits)
        number_bytes, scaled = math.ceil(widths[0] * itemsize) + math.ceil(widths[1] * rope_size * bits), widths[0]
    return _Vector(heads, widths, sizes, number_bytes, f.scales(scaled), sides)


def _shape(m: Model, mistake: Mistake) -> tuple[int, tuple[int, ...], int]:
    """Heads, numbers of a vector, and how often the vector is kept."""
    if m.n_kv_heads is None:
        match mistake:
            case Mistake.MLA_NO_ROPE:
                return 1, (m.mla_rank, 0), 1
            case Mistake.MLA_TWICE:
                return 1, (m.mla_rank, 0), 2
            case Mistake.MLA_AS_GQA:
                return m.n_heads, (m.head_dim,), 2
            case Mistake.MLA_ROPE_AS_HEAD_DIM:
                return m.n_heads, (m.rope_dim,), 2
            case Mistake.HIDDEN_OVER_HEADS:
                return m.n_heads, (m.guessed_head_dim,), 2
            case _:
                return 1, (m.mla_rank, m.rope_dim), 1
    heads = {Mistake.QUERY_HEADS: m.n_heads, Mistake.ONE_HEAD: 1}.get(mistake, m.n_kv_heads)
    width = m.guessed_head_dim if mistake is Mistake.HIDDEN_OVER_HEADS else m.head_dim
    return heads, (width,), 1 if mistake is Mistake.FORGOT_V else 2


def _layers(s: Scenario) -> tuple[int, ...]:
    """Layers of each kind."""
    counts = [group.n_layers for group in s.model.groups]
    if s.made is Mistake.ONE_LAYER:
        counts = [0] * (len(counts) - 1) + [1]
    return tuple(counts)


def _tokens(s: Scenario) -> tuple[int, ...]:
    """Tokens kept in a layer of each kind."""
    n, groups = s.counted_tokens, s.model.groups
    return tuple(n if s.made is Mistake.NO_WINDOW else group.cached_tokens(n) for group in groups)
