"""The bytes of a cache as a product, one factor a step; and the wrong factors people put in.

Source: chapter 07, Q026, whose order is kept: one K in numbers, then bytes, then V as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from engine.checked import checked_int
from engine.models import LayerGroup, Model


class FactorName(Enum):
    """What a factor counts."""

    LAYERS = "n_layers"
    BATCH = "batch"
    TOKENS = "seq_len"  # cached ones: no more than the window
    KV_HEADS = "n_kv_heads"
    HEAD_DIM = "head_dim"
    LATENT = "latent"  # MLA: rank + rotated part, in place of heads × head_dim
    ITEMSIZE = "itemsize"
    K_AND_V = "k_and_v"


@dataclass(frozen=True)
class Factor:
    """One factor of the product; `product` is what has been multiplied so far, this one included."""

    name: FactorName
    value: int
    product: int


class Mistake(Enum):
    """Wrong ways to count the bytes, each the right product with something changed in it."""

    NONE = "none"
    FORGOT_V = "forgot_v"
    QUERY_HEADS = "query_heads"  # n_heads where n_kv_heads belongs
    ONE_HEAD = "one_head"
    HIDDEN_OVER_HEADS = "hidden_over_heads"  # head_dim guessed as hidden / n_heads
    ONE_LAYER = "one_layer"
    BITS_FOR_BYTES = "bits_for_bytes"
    GB_FOR_GIB = "gb_for_gib"  # a figure in GiB read as GB
    THOUSAND_FOR_1024 = "thousand_for_1024"  # 32K taken for 32,000 tokens
    NO_WINDOW = "no_window"  # every layer keeps every token
    MLA_NO_ROPE = "mla_no_rope"  # the latent alone
    MLA_TWICE = "mla_twice"  # the latent without its rotated part, once for K and once for V
    MLA_AS_GQA = "mla_as_gqa"  # K and V of head_dim numbers for every head
    MLA_ROPE_AS_HEAD_DIM = "mla_rope_as_head_dim"  # the same, with the width of the rotated part


_MLA_ONLY = {Mistake.MLA_NO_ROPE, Mistake.MLA_TWICE, Mistake.MLA_AS_GQA, Mistake.MLA_ROPE_AS_HEAD_DIM}
_NOT_MLA = {Mistake.FORGOT_V, Mistake.QUERY_HEADS, Mistake.ONE_HEAD}


def applies(mistake: Mistake, model: Model) -> bool:
    """Whether the mistake can be made on this model (it may still make no difference there)."""
    if mistake is Mistake.HIDDEN_OVER_HEADS:
        return model.hidden is not None
    return mistake not in (_NOT_MLA if model.is_mla else _MLA_ONLY)


def ladders(
    model: Model, seq_len: int, *, batch: int = 1, itemsize: int = 2, mistake: Mistake = Mistake.NONE
) -> tuple[tuple[Factor, ...], ...]:
    """One ladder of factors for each kind of layer; the last products add up to the cache's bytes.

    GB_FOR_GIB changes no factor. Raises ValueError for a bad count, or where the mistake does not apply.

    >>> from engine.models import MODELS
    >>> [ladder] = ladders(MODELS["Llama-3-8B"], 32_768)
    >>> [factor.value for factor in ladder]
    [32, 1, 32768, 8, 128, 2, 2]
    >>> ladder[4].product, ladder[-1].product  # numbers of one K; bytes of K and V
    (1073741824, 4294967296)
    """
    if not applies(mistake, model):
        raise ValueError(f"mistake: {mistake.value} cannot be made on {model.name}")
    counts = checked_int("seq_len", seq_len), checked_int("batch", batch), checked_int("itemsize", itemsize, 1)
    groups = model.groups
    if mistake is Mistake.ONE_LAYER:
        groups = (replace(groups[-1], n_layers=1),)  # a global one, if there is any
    elif mistake is Mistake.NO_WINDOW:
        groups = (LayerGroup(model.n_layers),)
    return tuple(tuple(_climb(_factors(model, group, *counts, mistake))) for group in groups)


def kv_bytes(model: Model, seq_len: int, *, batch: int = 1, itemsize: int = 2, mistake: Mistake = Mistake.NONE) -> int:
    """Bytes of the cache as the mistake has it; GB_FOR_GIB is rounded down to a whole byte.

    >>> from engine.models import MODELS
    >>> kv_bytes(MODELS["Llama-3-70B"], 131_072, mistake=Mistake.GB_FOR_GIB)  # "40 GB"; 40 GiB are 42.95 GB
    40000000000
    """
    rungs = ladders(model, seq_len, batch=batch, itemsize=itemsize, mistake=mistake)
    total = sum(ladder[-1].product for ladder in rungs)
    return total * 10**9 // 2**30 if mistake is Mistake.GB_FOR_GIB else total


def _climb(factors: list[tuple[FactorName, int]]) -> Iterator[Factor]:
    product = 1
    for name, value in factors:
        product *= value
        yield Factor(name, value, product)


def _factors(
    model: Model, group: LayerGroup, seq_len: int, batch: int, itemsize: int, mistake: Mistake
) -> list[tuple[FactorName, int]]:
    if mistake is Mistake.THOUSAND_FOR_1024:
        seq_len = seq_len * 1000 // 1024
    outer = [
        (FactorName.LAYERS, group.n_layers),
        (FactorName.BATCH, batch),
        (FactorName.TOKENS, group.cached_tokens(seq_len)),
    ]
    size = (FactorName.ITEMSIZE, itemsize * 8 if mistake is Mistake.BITS_FOR_BYTES else itemsize)
    inner = _latent(model, mistake) if model.is_mla else _heads(model, mistake)
    both = [factor for factor in inner if factor[0] is FactorName.K_AND_V]
    return [*outer, *(factor for factor in inner if factor not in both), size, *both]


def _heads(model: Model, mistake: Mistake) -> list[tuple[FactorName, int]]:
    """Heads, their width, and 2 for K and V."""
    heads = {Mistake.QUERY_HEADS: model.n_heads, Mistake.ONE_HEAD: 1}.get(mistake, model.n_kv_heads or model.n_heads)
    width = model.guessed_head_dim if mistake is Mistake.HIDDEN_OVER_HEADS else model.head_dim
    return [
        (FactorName.KV_HEADS, heads),
        (FactorName.HEAD_DIM, width),
        (FactorName.K_AND_V, 1 if mistake is Mistake.FORGOT_V else 2),
    ]


def _latent(model: Model, mistake: Mistake) -> list[tuple[FactorName, int]]:
    """One latent vector for all heads, or what it is mistaken for."""
    match mistake:
        case Mistake.MLA_NO_ROPE:
            return [(FactorName.LATENT, model.mla_rank)]
        case Mistake.MLA_TWICE:
            return [(FactorName.LATENT, model.mla_rank), (FactorName.K_AND_V, 2)]
        case Mistake.MLA_AS_GQA | Mistake.HIDDEN_OVER_HEADS:
            return _heads(model, mistake)
        case Mistake.MLA_ROPE_AS_HEAD_DIM:
            return _heads(replace(model, head_dim=model.rope_dim), mistake)
        case _:
            return [(FactorName.LATENT, model.numbers)]
