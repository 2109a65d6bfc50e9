"""What is to be served: a model, devices, formats, lengths, how many at once; and a draft, if there is to be one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from engine.checked import checked_int
from engine.devices import DEVICES, Device, Format
from engine.model import Model
from engine.models import PUBLISHED
from engine.speculative import MOST_DRAFTED, Number, exact

BLOCK_SIZE = 16  # tokens; vLLM's default (vllm/config/cache.py)
UTILISATION = Fraction(92, 100)  # of a device's memory that vLLM takes by default (the same file)
MOST_DEVICES, MOST_REQUESTS, MOST_CONTEXT = 4_096, 1_000_000, 10**8


class Priority(Enum):
    """What comes first."""

    LATENCY = "latency"
    THROUGHPUT = "throughput"


@dataclass(frozen=True)
class Draft:
    """`k` tokens guessed a pass, each accepted with `alpha`, a guess or a measurement.

    `model` is the draft's, run on the same devices in the target's formats; or `cost` is the time of one of its passes
    in passes of the target (0: a search in the prompt).
    """

    k: int = 4
    alpha: Number = Fraction(7, 10)
    model: Model | None = None
    cost: Number = 0

    def __post_init__(self) -> None:
        if checked_int("draft.k", self.k) > MOST_DRAFTED:
            raise ValueError(f"draft.k: at most {MOST_DRAFTED}, got {self.k}")
        if not 0 <= exact("draft.alpha", self.alpha) <= 1:
            raise ValueError(f"draft.alpha: a probability from 0 to 1, got {self.alpha!r}")
        if exact("draft.cost", self.cost) < 0:
            raise ValueError(f"draft.cost: at least 0, got {self.cost!r}")


@dataclass(frozen=True)
class Deployment:
    """`requests` at once, each as long as `context` at the end, of which the first `shared_prefix` tokens are common.

    `n_devices` share every layer (tensor parallelism). Bits are of a number: weights, and K and V each. Raises
    ValueError that names the argument; that something does not fit is no error but said in the plan.
    """

    model: Model = PUBLISHED["Llama-3.1-8B"]
    device: Device = DEVICES["H100 SXM5"]
    n_devices: int = 1
    weight_bits: Number = 16
    k_bits: Number = 16
    v_bits: Number = 16
    context: int = 8_192
    requests: int = 16
    shared_prefix: int = 0
    draft: Draft | None = None
    priority: Priority = Priority.THROUGHPUT

    def __post_init__(self) -> None:
        for name, most in (("n_devices", MOST_DEVICES), ("requests", MOST_REQUESTS), ("context", MOST_CONTEXT)):
            if checked_int(name, getattr(self, name), 1) > most:
                raise ValueError(f"{name}: at most {most}, got {getattr(self, name)}")
        if checked_int("shared_prefix", self.shared_prefix) > self.context:
            raise ValueError(f"shared_prefix: at most the context of {self.context} tokens, got {self.shared_prefix}")
        for name in ("weight_bits", "k_bits", "v_bits"):
            if not 0 < exact(name, getattr(self, name)) <= 64:
                raise ValueError(f"{name}: bits a number, above 0 and at most 64, got {getattr(self, name)!r}")
        self.model.kv_bytes(0, k_bits=self.k_bits, v_bits=self.v_bits, devices=self.n_devices)  # heads divide?
        _ = self.model.known_parameters
        if self.draft is not None and self.draft.model is not None:
            _ = self.draft.model.known_parameters
            self.draft.model.kv_heads_on(self.n_devices)

    @property
    def number(self) -> Format:
        """What the matrix units multiply: the fastest that the device has for weights of so many bits."""
        bits = exact("weight_bits", self.weight_bits)
        wanted = [(5, Format.FP4), (8, Format.FP8), (8, Format.INT8)]
        return next((f for most, f in wanted if bits <= most and f in self.device.flops), Format.BF16)

    @property
    def n_blocks_shared(self) -> int:
        """Whole blocks that all requests have in common."""
        return self.shared_prefix // BLOCK_SIZE
