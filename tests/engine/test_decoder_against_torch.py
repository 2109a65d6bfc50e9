"""engine.decoder against PyTorch on the CPU: attention, masks and head grouping of the running model."""

from __future__ import annotations

import importlib
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.decoder import Config, Decoder, Mistake
from engine.kv_cache import KVCache
from engine.rotary import rotate
from engine.stages import Append, Query, WeightedSum
from engine.weights import norm

# On CI a missing PyTorch is a fault, elsewhere a reason to skip.
torch: Any = importlib.import_module("torch") if os.environ.get("CI") else pytest.importorskip("torch")

THREE = Config(n_layers=3)
TOKENS = [(7 * i + 3) % 11 for i in range(24)]
CONFIGS = [
    THREE,
    Config(n_heads=6, n_kv_heads=2),
    Config(n_heads=6, n_kv_heads=1),
    Config(n_heads=3, n_kv_heads=3, head_dim=6),
    replace(THREE, window=4),
    replace(THREE, window=1),
    replace(THREE, causal=False),
    replace(THREE, causal=False, window=3),
    replace(THREE, prefix=5),
]


def sdpa(q: Any, k: Any, v: Any, **kwargs: Any) -> Any:
    """PyTorch's scaled_dot_product_attention on (heads, T, d) arrays, grouped heads and all."""
    kwargs = {name: torch.from_numpy(a) if isinstance(a, np.ndarray) else a for name, a in kwargs.items()}
    tensors = (torch.from_numpy(np.array(a)[None]) for a in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(*tensors, enable_gqa=True, **kwargs)[0].numpy()


def mask_of(c: Config, n: int) -> np.ndarray:
    """(n, n) booleans, entry by entry."""

    def sees(i: int, j: int) -> bool:
        return (not c.causal or j <= i or max(i, j) < c.prefix) and (c.window is None or abs(i - j) < c.window)

    return np.array([[sees(i, j) for j in range(n)] for i in range(n)])


def attention_inputs(c: Config, n_old: int) -> list[tuple[Any, Any, Any, Any]]:
    """(q, k, v, o) of each layer, of the tokens behind the n_old that are cached."""
    decoder, cache = Decoder(c), KVCache(c)
    if n_old:
        decoder.forward(TOKENS[:n_old], cache)
    seen, q, k, v = [], None, None, None
    for stage in decoder.trace(TOKENS[n_old:], cache):
        match stage:
            case Query():
                q = stage.q
            case Append():
                k, v = stage.k, stage.v
            case WeightedSum():
                seen.append((q, k, v, stage.o))
    return seen


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("n_old", [0, 7, 23])
def test_each_layers_attention_agrees_with_pytorch(config: Config, n_old: int) -> None:
    for q, k, v, o in attention_inputs(config, n_old):
        np.testing.assert_allclose(o, sdpa(q, k, v, attn_mask=mask_of(config, 24)[n_old:]), rtol=0, atol=1e-14)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_without_a_cache_causal_is_pytorchs_is_causal(kv_heads: int) -> None:
    for q, k, v, o in attention_inputs(Config(n_kv_heads=kv_heads), 0):
        np.testing.assert_allclose(o, sdpa(q, k, v, is_causal=True), rtol=0, atol=1e-14)


def test_behind_a_cache_pytorchs_is_causal_is_our_top_left_mistake() -> None:  # T21
    for q, k, v, o in attention_inputs(replace(THREE, mistake=Mistake.TOP_LEFT_MASK), 7):
        np.testing.assert_allclose(o, sdpa(q, k, v, is_causal=True), rtol=0, atol=1e-14)
    for q, k, v, o in attention_inputs(THREE, 7):
        assert np.abs(o - sdpa(q, k, v, is_causal=True)).max() > 0.1


def test_pytorch_repeats_kv_heads_and_does_not_tile_them() -> None:  # T22
    right, tiled = (attention_inputs(Config(n_heads=6, mistake=m), 0)[0] for m in (Mistake.NONE, Mistake.TILED_HEADS))
    q, k, v, o = right
    np.testing.assert_allclose(o, sdpa(q, k, v, is_causal=True), rtol=0, atol=1e-14)
    assert np.abs(tiled[3] - sdpa(*tiled[:3], is_causal=True)).max() > 0.1


def test_rotation_is_rotate_half_with_repeated_angles() -> None:
    x, positions = np.random.default_rng(0).normal(size=(3, 9, 8)), np.arange(4, 13)
    t = torch.from_numpy(x)
    angles = torch.outer(torch.from_numpy(positions).double(), 10000 ** (-torch.arange(0, 8, 2).double() / 8))
    angles = torch.cat([angles, angles], dim=-1)
    half = torch.cat([-t[..., 4:], t[..., :4]], dim=-1)
    np.testing.assert_allclose(rotate(x, positions), (t * angles.cos() + half * angles.sin()).numpy(), atol=1e-14)


def test_norm_is_pytorchs_rms_norm_with_eps_1e_6() -> None:
    x = np.random.default_rng(0).normal(size=(5, 8))
    np.testing.assert_allclose(norm(x), torch.nn.functional.rms_norm(torch.from_numpy(x), (8,), eps=1e-6), atol=1e-15)


@pytest.mark.parametrize("config", CONFIGS)
def test_the_whole_model_agrees_with_the_same_in_pytorch(config: Config) -> None:
    c, w = config, Decoder(config).weights

    def t(a: Any) -> Any:
        return torch.from_numpy(np.array(a))

    def rms(x: Any) -> Any:
        return torch.nn.functional.rms_norm(x, (c.d_model,), eps=1e-6)

    def heads(flat: Any) -> Any:
        return flat.reshape(24, -1, c.head_dim).transpose(0, 1).numpy()

    x = t(w.embedding[TOKENS])
    for layer in w.layers:
        h = rms(x)
        q, k = (rotate(heads(h @ t(m)), np.arange(24)) for m in (layer.q, layer.k))
        o = t(sdpa(q, k, heads(h @ t(layer.v)), attn_mask=mask_of(c, 24)))
        x = x + o.transpose(0, 1).reshape(24, -1) @ t(layer.o)
        x = x + torch.tanh(rms(x) @ t(layer.w1)) @ t(layer.w2)
    np.testing.assert_allclose(Decoder(c).forward(TOKENS).logits, (rms(x) @ t(w.unembedding)).numpy(), atol=1e-12)
