"""A model as its cache and its weights are counted: layers that attend, heads, widths, windows, experts.

Bytes of K and V held, reserved and in blocks, on one of several devices; parameters that a token passes; FLOPs of
attention. Published models are in engine.models, Hugging Face's config.json is read in engine.hf_config.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from engine.checked import checked_int
from engine.layer_groups import Cross, LayerGroup, Layers

Number = int | float | Fraction


@dataclass(frozen=True)
class Model:
    """The numbers of a model that its cache depends on, and where they were read.

    MLA (a latent vector of `mla_rank` numbers and a rotated key part of `rope_dim`, both shared by all heads) has no
    KV heads: `n_kv_heads` is None, and `head_dim` is the width of a value, and of a key without its rotated part.
    `n_local` layers see `window` tokens, `n_without` keep neither K nor V (recurrent ones, or no attention at all).
    `v_head_dim` is None where a value is as wide as a key. `hidden` is None where it was not read. `verified`: the
    numbers were read in the publisher's own code, or in the library that implements the model; not in a copy.

    `parameters` are all, `active` those that one token passes (None: all), both None where they are not known.
    `table` of them are the input embedding, of which a token reads one row; `tied`: it is the output as well. Of
    `n_experts` a token is sent to `experts_used`. `context` is the published length in tokens, `repo` the name on the
    Hugging Face hub. `assumed` names fields that a config.json left out and its library fills in.
    """

    name: str
    n_layers: int
    n_heads: int
    n_kv_heads: int | None
    head_dim: int
    source: str
    verified: bool = True
    hidden: int | None = None
    n_local: int = 0
    window: int | None = None
    mla_rank: int = 0
    rope_dim: int = 0
    n_without: int = 0
    v_head_dim: int | None = None
    cross: Cross | None = None
    parameters: int | None = None
    active: int | None = None
    table: int = 0
    tied: bool = False
    n_experts: int = 0
    experts_used: int = 0
    context: int | None = None
    repo: str | None = None
    weight_bits: Fraction | None = None
    quantisation: str | None = None
    assumed: tuple[str, ...] = ()

    @classmethod
    def from_config(cls, text: str) -> Model:
        """Read a Hugging Face config.json. ValueError names what is missing or unknown; see engine.hf_config."""
        from engine.hf_config import read_config  # it makes Models, so it cannot be imported above

        return read_config(text)

    @property
    def is_mla(self) -> bool:
        """Whether a latent vector is kept instead of K and V."""
        return self.n_kv_heads is None

    @property
    def n_attending(self) -> int:
        """Layers that keep K and V of the sequence."""
        return self.n_layers - self.n_without

    @property
    def n_full(self) -> int:
        """Layers that keep every token."""
        return self.n_attending - self.n_local

    @property
    def layers(self) -> Layers:
        """Which layers forget."""
        return {0: Layers.UNIFORM, self.n_attending: Layers.SLIDING}.get(self.n_local, Layers.MIXED)

    @property
    def groups(self) -> tuple[LayerGroup, ...]:
        """Layers that keep equally many tokens, local ones first; no group is empty."""
        both = LayerGroup(self.n_local, self.window), LayerGroup(self.n_full)
        return tuple(group for group in both if group.n_layers)

    @property
    def v_dim(self) -> int:
        """Width of a value."""
        return self.head_dim if self.v_head_dim is None else self.v_head_dim

    @property
    def numbers(self) -> int:
        """Numbers kept for one token in one layer: K and V of every KV head, or one latent and one rotated key."""
        if self.n_kv_heads is None:
            return self.mla_rank + self.rope_dim
        return self.n_kv_heads * (self.head_dim + self.v_dim)

    @property
    def sharing(self) -> int:
        """Query heads that read the same KV head."""
        return self.n_heads // (self.n_kv_heads or 1)

    @property
    def guessed_head_dim(self) -> int:
        """Hidden size over query heads, rounded down: what is often taken for head_dim.

        Raises ValueError where `hidden` is not known.
        """
        if self.hidden is None:
            raise ValueError(f"{self.name}: its hidden size is not known")
        return self.hidden // self.n_heads

    # --- the cache

    def layer_tokens(self, seq_len: int) -> int:
        """Cached tokens summed over the layers; n_attending × seq_len while no window is full."""
        n = checked_int("seq_len", seq_len)
        return sum(group.n_layers * group.cached_tokens(n) for group in self.groups)

    def kv_heads_on(self, devices: int) -> int | None:
        """KV heads that each of `devices` keeps; one that fewer heads than devices share is kept several times.

        None for MLA, whose latent is kept whole on every device. ValueError where heads do not divide, as in vLLM.

        >>> from engine.models import MODELS
        >>> [MODELS["Llama-3-8B"].kv_heads_on(n) for n in (1, 4, 8, 16)]
        [8, 2, 1, 1]
        """
        n = checked_int("devices", devices, 1)
        if self.n_heads % n:
            raise ValueError(f"devices: must divide the {self.n_heads} query heads of {self.name}, got {n}")
        if self.n_kv_heads is None:
            return None
        return _split(self.name, self.n_kv_heads, n)

    def kv_bytes(
        self,
        seq_len: int,
        *,
        batch: int = 1,
        itemsize: Number = 2,
        k_bits: Number | None = None,
        v_bits: Number | None = None,
        devices: int = 1,
    ) -> int:
        """Bytes held on one of `devices` for `batch` sequences of `seq_len` tokens; part of a byte counts as one.

        `itemsize` may be a fraction of a byte (4 bits: 1/2); `k_bits` and `v_bits` override it, scales spread over the
        numbers (q8_0: 17/2). Scales of other groups: engine.kv_formats. Cross-attention is in it, a recurrent state is
        not. Raises ValueError for a negative count, a width that is not above 0, or heads that do not divide.

        >>> from engine.models import MODELS
        >>> MODELS["Llama-3-8B"].kv_bytes(32_768) == 4 * 2**30
        True
        >>> MODELS["DeepSeek-V3"].kv_bytes(1)  # 61 layers × (512 + 64) numbers × 2 bytes
        70272
        >>> MODELS["Mistral-7B-v0.1"].kv_bytes(32_768) == MODELS["Mistral-7B-v0.1"].kv_bytes(4_096)
        True
        >>> MODELS["Llama-3-8B"].kv_bytes(1, k_bits=16, v_bits=Fraction(17, 2))  # K in 16 bits, V in q8_0
        100352
        """
        return self._bytes(self.layer_tokens(seq_len), batch, itemsize, k_bits, v_bits, devices)

    def reserved_bytes(
        self,
        seq_len: int,
        *,
        block_size: int = 1,
        windows: bool = False,
        batch: int = 1,
        itemsize: Number = 2,
        k_bits: Number | None = None,
        v_bits: Number | None = None,
        devices: int = 1,
    ) -> int:
        """What an engine takes for the same, in whole blocks of `block_size` tokens.

        `windows`: it gives back the blocks that a window has left. Otherwise it treats every layer as if none forgot.

        >>> from engine.models import MODELS
        >>> MODELS["Llama-3-8B"].reserved_bytes(17, block_size=16) == MODELS["Llama-3-8B"].kv_bytes(32)
        True
        """
        n, size = checked_int("seq_len", seq_len), checked_int("block_size", block_size, 1)
        groups = self.groups if windows else (LayerGroup(self.n_attending),)
        rows = sum(group.n_layers * group.block_tokens(n, size) for group in groups)
        return self._bytes(rows, batch, itemsize, k_bits, v_bits, devices)

    def expanded_bytes(self, seq_len: int, *, batch: int = 1, itemsize: int = 2) -> int:
        """MLA with K and V of every head written out instead of the latent: right as well, and many times larger.

        Raises ValueError for a model without MLA.
        """
        if not self.is_mla:
            raise ValueError(f"{self.name}: keeps K and V already, there is nothing to expand")
        numbers = self.n_heads * (self.head_dim + self.rope_dim + self.v_dim)  # K with its rotated part, then V
        return checked_int("batch", batch) * self.layer_tokens(seq_len) * numbers * checked_int("itemsize", itemsize, 1)

    def _bytes(
        self, rows: int, batch: int, itemsize: Number, k_bits: Number | None, v_bits: Number | None, devices: int
    ) -> int:
        """`rows` are tokens in a layer, summed over the layers of one sequence."""
        both = _positive("itemsize", itemsize) * 8
        k = both if k_bits is None else _positive("k_bits", k_bits)
        v = (k if self.is_mla else both) if v_bits is None else _positive("v_bits", v_bits)
        heads = self.kv_heads_on(devices)
        if heads is None and v != k:
            raise ValueError(f"v_bits: {self.name} keeps one latent for K and V, in {k} bits; got {v}")
        row = self.numbers * k if heads is None else heads * (self.head_dim * k + self.v_dim * v)
        bits = rows * row
        if self.cross is not None:
            c = self.cross
            bits += c.n_layers * c.n_tokens * _split(self.name, c.n_kv_heads, devices) * c.head_dim * (k + v)
        return math.ceil(checked_int("batch", batch) * bits / 8)

    # --- the weights, and the work

    @property
    def known_parameters(self) -> int:
        """All parameters. Raises ValueError where they are not known."""
        if self.parameters is None:
            raise ValueError(f"parameters: those of {self.name} are not known; give them")
        return self.parameters

    @property
    def step_parameters(self) -> int:
        """Parameters that a decode step of one token reads and multiplies: without unchosen experts and the table."""
        active = self.known_parameters if self.active is None else self.active
        return active if self.tied else active - self.table

    @property
    def body_parameters(self) -> int:
        """Those that every token of a prompt is multiplied with: the output is needed for the last alone."""
        return self.step_parameters - self.table

    def touched_parameters(self, tokens: int) -> float:
        """Parameters that a step over `tokens` tokens reads, if experts are chosen evenly and independently.

        It is step_parameters for one token and nears all for many; for a dense model always step_parameters.
        """
        n = checked_int("tokens", tokens, 1)
        if not self.n_experts or self.active is None or self.n_experts == self.experts_used:
            return float(self.step_parameters)
        expert = Fraction(self.known_parameters - self.active, self.n_experts - self.experts_used)
        touched = self.n_experts * (1 - (1 - self.experts_used / self.n_experts) ** n)
        return self.step_parameters + float(expert) * max(0.0, touched - self.experts_used)

    def attention_flops(self, seq_len: int) -> int:
        """Multiplications and additions of one new token's attention, itself and all it still sees: `seq_len` tokens.

        q·k and p·v, two operations a number. MLA is counted as it is run on the latent, without writing out K and V.
        """
        cross = self.cross
        more = 0 if cross is None else 4 * cross.n_layers * self.n_heads * cross.head_dim * cross.n_tokens
        return 2 * self.n_heads * self._pair_numbers * self.layer_tokens(seq_len) + more

    def prefill_attention_flops(self, seq_len: int) -> int:
        """The same for `seq_len` tokens that are run at once, each seeing itself and those before it."""
        n = checked_int("seq_len", seq_len)
        cross = self.cross
        more = 0 if cross is None else 4 * cross.n_layers * self.n_heads * cross.head_dim * cross.n_tokens * n
        pairs = sum(group.n_layers * group.pairs(n) for group in self.groups)
        return 2 * self.n_heads * (self.head_dim + self.rope_dim + self.v_dim) * pairs + more

    @property
    def _pair_numbers(self) -> int:
        """Numbers multiplied for one pair of a query head and a cached row: of the score, and of the sum."""
        return 2 * self.mla_rank + self.rope_dim if self.is_mla else self.head_dim + self.v_dim


def _split(name: str, heads: int, devices: int) -> int:
    """Heads on each device. ValueError unless one number divides the other."""
    if max(heads, devices) % min(heads, devices):
        raise ValueError(f"devices: must divide, or be a multiple of, the {heads} KV heads of {name}, got {devices}")
    return max(1, heads // devices)


def _positive(name: str, value: Number) -> Fraction:
    """`value` as a fraction above 0, or ValueError that names the argument."""
    what = "bytes" if name == "itemsize" else "bits"
    if isinstance(value, bool) or not math.isfinite(value) or value <= 0:
        raise ValueError(f"{name}: {what} a number, above 0, got {value!r}")
    return Fraction(value)
