"""What several rooms of this lesson have in common: the model whose bytes are told, and when an output is wrong."""

from __future__ import annotations

from engine.models import MODELS
from engine.paged_output import Attended

MODEL = "Llama-3-8B"
MODEL_NAME = MODEL.replace("-", " ")
ROUNDING = 1e-9


def kv_bytes(n_slots: int) -> int:
    """K and V of so many tokens over all layers of the model, 16-bit numbers."""
    return MODELS[MODEL].kv_bytes(n_slots)


def differs(step: Attended) -> bool:
    """Whether the output is off by more than rounding."""
    return step.error > ROUNDING
