"""How the lesson writes its things: the names of blocks, whose they are, and the model in whose bytes it counts."""

from __future__ import annotations

from engine.models import MODELS
from engine.prefix_cache import Identity
from lessons.kit.format import size
from lessons.kit.text import Text

NAME_DIGITS = 4  # of a hash, enough to tell a lesson's blocks apart
MODEL = "Llama-3-8B"
LAYERS = MODELS[MODEL].n_layers


def kv_bytes(n_tokens: int) -> int:
    """K and V of so many tokens over all layers of MODEL."""
    return MODELS[MODEL].kv_bytes(n_tokens)


A_TOKEN = size(kv_bytes(1))


def identity(who: Identity) -> Text:
    """Model, adapter and salt in words."""
    adapter, salt = who.adapter or "–", who.salt or "–"
    return Text(f"model {who.model}, adapter {adapter}, salt {salt}", f"模型 {who.model}，适配器 {adapter}，盐 {salt}")


def short_name(digest: str) -> str:
    """The first digits of a block's hash, as shown.

    >>> short_name("ea55c0")
    '#ea55'
    """
    return f"#{digest[:NAME_DIGITS]}"
