"""engine.decoder against the same model written out as loops, and against the source's own figures (cases B2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.attention import attention, causal_mask
from engine.counts import Work
from engine.decoder import Config, Decoder, Mistake, Run
from engine.invalidation import changes
from engine.kv_cache import KVCache
from engine.rotary import rotate
from engine.stages import (
    Append,
    AttentionWeights,
    Embed,
    FeedForward,
    Key,
    Logits,
    Norm,
    Output,
    Query,
    Residual,
    Scores,
    Value,
    WeightedSum,
)

THREE = Config(n_layers=3)
TIGHT = 1e-13
modest = settings(max_examples=40)


def tokens_of(n: int) -> list[int]:
    return [(7 * i + 3) % 11 for i in range(n)]


def largest(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def in_chunks(
    decoder: Decoder, tokens: Sequence[int], sizes: Sequence[int], cache: KVCache | None = None
) -> np.ndarray:
    """Logits (T, vocab_size) of one call a chunk over one cache."""
    cache = KVCache(decoder.config) if cache is None else cache
    rows, start = [], 0
    for size in sizes:
        rows.append(decoder.forward(tokens[start : start + size], cache).logits)
        start += size
    assert start == len(tokens)
    return np.concatenate(rows)


# The oracle: design's formulas, number by number, one position at a time, no masks and no arrays.

Row = list[float]


def dot(a: Row, b: Row) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def oracle(c: Config, tokens: Sequence[int]) -> list[Row]:
    def w(a: float, columns: int, s: float) -> Any:
        def times(x: Row) -> Row:
            entry = [
                [s * math.sin(a + 0.7 * i + 1.3 * j + 0.11 * i * j) for j in range(columns)] for i in range(len(x))
            ]
            return [math.fsum(x[i] * entry[i][j] for i in range(len(x))) for j in range(columns)]

        return times

    def normed(x: Row) -> Row:
        root = math.sqrt(math.fsum(number * number for number in x) / len(x) + 1e-6)
        return [number / root for number in x]

    def turned(x: Row, position: int) -> Row:
        half, out = len(x) // 2, list(x)
        for i in range(half):
            angle = position * 10000 ** (-2 * i / len(x))
            pair = complex(x[i], x[i + half]) * complex(math.cos(angle), math.sin(angle))
            out[i], out[i + half] = pair.real, pair.imag
        return out

    def head(x: Row, h: int) -> Row:
        return x[h * c.head_dim : (h + 1) * c.head_dim]

    def sees(i: int, j: int) -> bool:
        near = c.window is None or abs(i - j) < c.window
        return near and (not c.causal or j <= i or max(i, j) < c.prefix)

    q_width, kv_width = c.n_heads * c.head_dim, c.n_kv_heads * c.head_dim
    xs = [[math.sin(0.9 * t + 0.4 * j + 0.1) for j in range(c.d_model)] for t in tokens]
    for l in range(c.n_layers):
        hs = [normed(x) for x in xs]
        qs, ks = [w(1 + l, q_width, 0.5)(h) for h in hs], [w(2 + l, kv_width, 0.5)(h) for h in hs]
        vs = [w(3 + l, kv_width, 0.5)(h) for h in hs]
        after = []
        for i, x in enumerate(xs):
            o: Row = []
            for h in range(c.n_heads):
                g = h // (c.n_heads // c.n_kv_heads)
                q = turned(head(qs[i], h), i)
                seen = [j for j in range(len(xs)) if sees(i, j)]
                s = [dot(q, turned(head(ks[j], g), j)) for j in seen]
                p = [math.exp(number / math.sqrt(c.head_dim)) for number in s]
                total = math.fsum(p)
                o += [
                    math.fsum(p[n] * head(vs[j], g)[e] for n, j in enumerate(seen)) / total for e in range(c.head_dim)
                ]
            x = [a + b for a, b in zip(x, w(4 + l, c.d_model, 0.3)(o), strict=True)]
            inner = [math.tanh(a) for a in w(5 + l, c.d_ff, 0.4)(normed(x))]
            after.append([a + b for a, b in zip(x, w(6 + l, c.d_model, 0.3)(inner), strict=True)])
        xs = after
    return [w(9, c.vocab_size, 1.0)(normed(x)) for x in xs]


@pytest.mark.parametrize(
    "config",
    [
        THREE,
        Config(n_layers=1, n_heads=6, head_dim=2),
        Config(n_heads=3, n_kv_heads=1, d_model=5, d_ff=7, vocab_size=13, head_dim=6),
        replace(THREE, window=3),
        replace(THREE, causal=False),
        replace(THREE, causal=False, window=2),
        replace(THREE, prefix=4),
        replace(THREE, prefix=5, window=3),
    ],
)
def test_the_model_is_the_formulas_written_out_as_loops(config: Config) -> None:
    np.testing.assert_allclose(Decoder(config).forward(tokens_of(9)).logits, oracle(config, tokens_of(9)), atol=TIGHT)


def test_the_check_value_of_five_tokens() -> None:  # T2
    last = Decoder(THREE).forward(tokens_of(5)).logits[-1]
    expected = [-0.865863567, -0.398199285, -0.396955954, -1.543951696, 2.732936269, 1.883939662]
    expected += [-4.499904106, -0.529910262, 4.248932566, -1.264173105, -1.918827169]
    np.testing.assert_allclose(last, expected, atol=6e-10)


def test_the_check_value_of_128_tokens() -> None:  # T2
    last = Decoder(THREE).forward(tokens_of(128)).logits[-1]
    assert last.argmax() == 8
    np.testing.assert_allclose(last[:2], [-1.298517178, -0.283424564], atol=6e-10)


def test_attention_in_the_model_is_engine_attention_on_repeated_kv_heads() -> None:
    for stage in Decoder(replace(THREE, window=3)).trace(tokens_of(7)):
        match stage:
            case Query(q=q):
                pass
            case Append(k=k, v=v):
                pass
            case WeightedSum(o=o):
                near = np.abs(np.subtract.outer(np.arange(7), np.arange(7))) < 3
                k, v = np.repeat(k, 2, axis=0), np.repeat(v, 2, axis=0)
                np.testing.assert_allclose(o, attention(q, k, v, mask=causal_mask(7, 7) & near), atol=TIGHT)


def test_a_forward_pass_over_128_tokens_takes_no_more_than_30_ms() -> None:
    decoder = Decoder(THREE)

    def seconds() -> float:
        start = perf_counter()
        decoder.forward(tokens_of(128))
        return perf_counter() - start

    assert min(seconds() for _ in range(7)) < 0.030


# Shapes, and that nothing can be changed


def test_shapes_of_a_run_with_and_without_a_cache() -> None:
    cache = KVCache(THREE)
    first = Decoder(THREE).forward(tokens_of(5), cache)
    second = Decoder(THREE).forward(tokens_of(2), cache)
    assert (first.logits.shape, first.hidden.shape) == ((5, 11), (4, 5, 8))
    assert (second.logits.shape, second.hidden.shape) == ((2, 11), (4, 2, 8))
    assert [a.shape for a in (*first.k, *first.v)] == [(2, 5, 4)] * 6
    assert [a.shape for a in (*second.k, *second.v)] == [(2, 7, 4)] * 6
    assert {a.dtype for a in (first.logits, first.hidden, *first.k, *first.v)} == {np.dtype(np.float64)}


def test_a_run_and_its_stages_are_read_only() -> None:
    run = Decoder(THREE).forward([1, 2])
    with pytest.raises(FrozenInstanceError):
        run.logits = run.hidden  # type: ignore[misc]
    arrays = [run.logits, run.hidden, *run.k, *run.v]
    for stage in Decoder(THREE).trace([1, 2]):
        arrays += [value for value in vars(stage).values() if isinstance(value, np.ndarray)]
    assert not any(a.flags.writeable for a in arrays)


def test_equal_configs_make_the_same_model() -> None:
    np.testing.assert_array_equal(Decoder(Config()).forward([1, 2]).logits, Decoder(Config()).forward([1, 2]).logits)


# Cached and uncached

configs = st.builds(
    Config,
    n_layers=st.integers(1, 3),
    n_heads=st.just(6),
    n_kv_heads=st.sampled_from([1, 2, 3, 6]),
    head_dim=st.sampled_from([2, 4, 6]),
    window=st.one_of(st.none(), st.integers(1, 8)),
)


@modest
@given(configs, st.lists(st.integers(1, 6), min_size=1, max_size=6), st.data())
def test_cached_equals_uncached_for_any_chunks_window_and_head_grouping(c: Config, sizes: list[int], data: Any) -> None:
    tokens = data.draw(st.lists(st.integers(0, 10), min_size=sum(sizes), max_size=sum(sizes)))
    decoder, cache = Decoder(c), KVCache(c)
    whole = decoder.forward(tokens)
    np.testing.assert_allclose(in_chunks(decoder, tokens, sizes, cache), whole.logits, atol=TIGHT)
    for held, full in zip((*cache.k, *cache.v), (*whole.k, *whole.v), strict=True):
        np.testing.assert_allclose(held, full, atol=TIGHT)


@modest
@given(st.integers(1, 5), st.lists(st.integers(1, 4), max_size=4))
def test_a_prefix_lm_too_if_the_prefix_arrives_in_one_call(prefix: int, sizes: list[int]) -> None:
    decoder, sizes = Decoder(replace(THREE, prefix=prefix)), [prefix, *sizes]
    tokens = tokens_of(sum(sizes))
    assert largest(in_chunks(decoder, tokens, sizes), decoder.forward(tokens).logits) < TIGHT


def test_a_prefix_cut_in_two_is_not_the_same() -> None:
    decoder = Decoder(replace(THREE, prefix=4))
    assert largest(in_chunks(decoder, tokens_of(8), [2, 6]), decoder.forward(tokens_of(8)).logits) > 0.1


def test_one_token_at_a_time_over_128_agrees_to_rounding_and_not_bit_for_bit() -> None:  # audit 0.6
    cached = in_chunks(Decoder(THREE), tokens_of(128), [1] * 128)
    whole = Decoder(THREE).forward(tokens_of(128)).logits
    assert 0 < largest(cached, whole) < 1e-14  # 2.2e-15 in the audit; which bits differ is the machine's doing
    assert 0 < (cached == whole).mean() < 1


def test_chunks_of_3_3_and_4_equal_the_whole_and_a_top_left_mask_gets_all_but_the_first_wrong() -> None:  # T21
    whole = Decoder(THREE).forward(tokens_of(10)).logits
    assert largest(in_chunks(Decoder(THREE), tokens_of(10), [3, 3, 4]), whole) < TIGHT
    wrong = in_chunks(Decoder(replace(THREE, mistake=Mistake.TOP_LEFT_MASK)), tokens_of(10), [3, 3, 4])
    errors = [largest(wrong[a:b], whole[a:b]) for a, b in ((0, 3), (3, 6), (6, 10))]
    assert errors[0] < TIGHT
    assert errors[1:] == [pytest.approx(2.7717, abs=5e-5), pytest.approx(2.0723, abs=5e-5)]


def test_without_a_cache_the_top_left_mask_is_right() -> None:
    wrong, right = Decoder(replace(THREE, mistake=Mistake.TOP_LEFT_MASK)), Decoder(THREE)
    np.testing.assert_array_equal(wrong.forward(tokens_of(9)).logits, right.forward(tokens_of(9)).logits)


# Masks


@pytest.mark.parametrize(
    ("config", "n_old", "n_new", "expected"),
    [
        (Config(), 0, 3, ["100", "110", "111"]),
        (Config(), 3, 2, ["11110", "11111"]),
        (Config(window=1), 1, 2, ["010", "001"]),
        (Config(window=4), 0, 6, ["100000", "110000", "111000", "111100", "011110", "001111"]),
        (Config(causal=False), 1, 2, ["111", "111"]),
        (Config(causal=False, window=2), 0, 3, ["110", "111", "011"]),
        (Config(prefix=2), 0, 4, ["1100", "1100", "1110", "1111"]),
        (Config(prefix=2), 2, 1, ["111"]),
        (Config(mistake=Mistake.TOP_LEFT_MASK), 3, 2, ["10000", "11000"]),
    ],
)
def test_who_sees_whom(config: Config, n_old: int, n_new: int, expected: list[str]) -> None:
    assert ["".join("01"[int(seen)] for seen in row) for row in config.visible(n_old, n_new)] == expected


@pytest.mark.parametrize("window", [None, 2, 4])
def test_a_later_token_never_changes_an_earlier_row(window: int | None) -> None:  # audit 0.6, 0.8, 0.19
    decoder = Decoder(replace(THREE, window=window))
    before, after = decoder.forward(tokens_of(20)), decoder.forward(tokens_of(21))
    assert largest(after.hidden[:, :20], before.hidden) < TIGHT
    assert max(changes(before, after).k.max(), changes(before, after).v.max()) < TIGHT


@pytest.mark.parametrize(
    ("heads", "kv_heads", "expected"),
    [(6, 2, (0, 0, 0, 1, 1, 1)), (4, 2, (0, 0, 1, 1)), (4, 4, (0, 1, 2, 3)), (4, 1, (0, 0, 0, 0))],
)
def test_query_head_h_reads_kv_head_h_over_group(heads: int, kv_heads: int, expected: tuple[int, ...]) -> None:  # T22
    assert Config(n_heads=heads, n_kv_heads=kv_heads).kv_head == expected


def test_tiled_heads_are_another_order_and_another_answer() -> None:  # T22
    assert Config(n_heads=6, n_kv_heads=2, mistake=Mistake.TILED_HEADS).kv_head == (0, 1, 0, 1, 0, 1)
    tiled = Decoder(replace(THREE, mistake=Mistake.TILED_HEADS)).forward(tokens_of(10)).logits
    assert largest(tiled, Decoder(THREE).forward(tokens_of(10)).logits) == pytest.approx(3.6358, abs=5e-5)


@pytest.mark.parametrize("kv_heads", [1, 4])
def test_with_one_kv_head_or_one_a_query_head_tiling_does_not_show(kv_heads: int) -> None:
    right = Config(n_kv_heads=kv_heads)
    assert right.kv_head == replace(right, mistake=Mistake.TILED_HEADS).kv_head


# Rotation


def test_scores_depend_on_distance_alone_so_that_shifted_positions_give_the_same_logits() -> None:
    shifted = Decoder(THREE).forward(tokens_of(9), positions=range(50, 59))
    plain = Decoder(THREE).forward(tokens_of(9))
    assert largest(shifted.logits, plain.logits) < TIGHT
    assert changes(plain, shifted).k.min() > 0.01
    assert changes(plain, shifted).v.max() < TIGHT


def test_a_cache_continued_at_the_wrong_position_is_wrong() -> None:
    cache = KVCache(THREE)
    Decoder(THREE).forward(tokens_of(8), cache)
    wrong = Decoder(THREE).forward(tokens_of(9)[8:], cache, [0]).logits[-1]
    assert largest(wrong, Decoder(THREE).forward(tokens_of(9)).logits[-1]) > 0.01


# The trace

LAYER = [Norm, Query, Key, Value, Append, Scores, AttentionWeights, WeightedSum, Output, Residual, FeedForward]


def test_a_trace_has_the_same_stages_whatever_the_mistake() -> None:
    expected = [Embed, *LAYER * 3, Logits]
    for mistake in Mistake:
        assert [type(s) for s in Decoder(replace(THREE, mistake=mistake)).trace([1, 2])] == expected


def test_the_trace_of_the_newest_token_joins_up_and_leaves_the_cache_alone() -> None:
    decoder, cache = Decoder(THREE), KVCache(THREE)
    decoder.forward(tokens_of(5), cache)
    stages = list(decoder.trace(tokens_of(6)[5:], cache))
    assert cache.length == 5
    run = decoder.forward(tokens_of(6)[5:], cache)
    assert cache.length == 6
    for stage in stages:
        match stage:
            case Embed(tokens=tokens, positions=positions, x=x):
                assert (tokens.tolist(), positions.tolist()) == ([5], [5])
            case Norm(x=before):
                np.testing.assert_array_equal(before, x)
            case Query(plain=plain, q=q):
                np.testing.assert_array_equal(q, rotate(plain, [5]))
                assert q.shape == (4, 1, 4)
            case Key(plain=plain, k=k):
                np.testing.assert_array_equal(k, rotate(plain, [5]))
                assert k.shape == (2, 1, 4)
            case Value(v=v):
                assert v.shape == (2, 1, 4)
            case Append(layer=layer, n_old=5, k=all_k, v=all_v):
                np.testing.assert_array_equal(all_k, run.k[layer])
                np.testing.assert_array_equal(all_k[:, 5:], k)
                np.testing.assert_array_equal(all_v[:, 5:], v)
            case Scores(s=s):
                np.testing.assert_allclose(s[3, 0, 2], q[3, 0] @ all_k[1, 2] / 2, atol=1e-15)
            case AttentionWeights(p=p):
                np.testing.assert_allclose(p.sum(axis=-1), 1, atol=1e-15)
            case WeightedSum(o=o):
                np.testing.assert_allclose(o[2, 0], p[2, 0] @ all_v[1], atol=1e-15)
            case Output(o=heads, added=added):
                np.testing.assert_array_equal(heads, o)
                np.testing.assert_allclose(added, o.reshape(1, 16) @ decoder.weights.layers[stage.layer].o, atol=1e-14)
            case Residual(before=before, after=between):
                np.testing.assert_array_equal(between, before + added)
            case FeedForward(before=before, added=added, after=x):
                np.testing.assert_array_equal(before, between)
                np.testing.assert_array_equal(x, before + added)
                np.testing.assert_array_equal(x, run.hidden[stage.layer + 1])
            case Logits(logits=logits):
                np.testing.assert_array_equal(logits, run.logits)


def test_a_trace_reads_the_cache_when_it_is_asked_for_and_later_changes_do_not_show() -> None:
    decoder, cache = Decoder(THREE), KVCache(THREE)
    decoder.forward([1, 2], cache)
    asked = decoder.trace([3], cache)
    cache.truncate(0)
    *_, last = asked
    assert isinstance(last, Logits)
    np.testing.assert_array_equal(last.logits[-1:], in_chunks(decoder, [1, 2, 3], [2, 1])[-1:])


def test_a_trace_refuses_at_once_and_not_at_its_first_stage() -> None:
    with pytest.raises(ValueError, match=r"^tokens:"):
        Decoder(THREE).trace([11])


# Refusals


@pytest.mark.parametrize(
    ("named", "change"),
    [
        *((name, {name: bad}) for name in ("n_layers", "d_model", "d_ff", "vocab_size") for bad in (0, -1, 1.5, True)),
        ("n_heads", {"n_heads": 0}),
        ("n_kv_heads", {"n_kv_heads": 0}),
        ("n_kv_heads", {"n_kv_heads": 3}),
        ("n_kv_heads", {"n_heads": 2, "n_kv_heads": 4}),
        ("head_dim", {"head_dim": 3}),
        ("head_dim", {"head_dim": 0}),
        ("window", {"window": 0}),
        ("window", {"window": -4}),
        ("window", {"window": 2.5}),
        ("prefix", {"prefix": -1}),
        ("prefix", {"prefix": None}),
        ("causal", {"causal": 1}),
        ("adapter", {"adapter": (2, 0.1)}),
        ("adapter", {"adapter": (-1, 0.1)}),
        ("adapter", {"adapter": (0, math.nan)}),
        ("adapter", {"adapter": (0, math.inf)}),
        ("adapter", {"adapter": (0,)}),
        ("adapter", {"adapter": [0, 0.1]}),
        ("adapter", {"adapter": 0.1}),
        ("mistake", {"mistake": "tiled_heads"}),
    ],
)
def test_a_config_names_what_is_wrong(named: str, change: Any) -> None:
    with pytest.raises(ValueError, match=f"^{named}:"):
        Config(**change)


bad_calls = pytest.mark.parametrize(
    ("named", "tokens", "positions"),
    [
        ("tokens", [], None),
        ("tokens", [11], None),
        ("tokens", [1, -1], None),
        ("tokens", [1.0], None),
        ("tokens", [True], None),
        ("tokens", ["1"], None),
        ("tokens", [[1]], None),
        ("tokens", [[1], [1, 2]], None),
        ("tokens", 1, None),
        ("tokens", None, None),
        ("tokens", np.array([2**63], np.uint64), None),
        ("positions", [1, 2], [0]),
        ("positions", [1, 2], [0, 1, 2]),
        ("positions", [1, 2], []),
        ("positions", [1, 2], [0, -1]),
        ("positions", [1, 2], [0.0, 1.0]),
        ("positions", [1, 2], 0),
        ("positions", [1, 2], [[0, 1]]),
    ],
)


@bad_calls
def test_a_call_that_fails_names_what_is_wrong_and_changes_nothing(named: str, tokens: Any, positions: Any) -> None:
    decoder, cache = Decoder(THREE), KVCache(THREE)
    decoder.forward([1, 2], cache)
    held = (*cache.k, *cache.v)
    with pytest.raises(ValueError, match=f"^{named}:"):
        decoder.forward(tokens, cache, positions)
    assert all(a is b for a, b in zip(held, (*cache.k, *cache.v), strict=True))


@pytest.mark.parametrize(
    "other", [Config(n_layers=2), Config(n_layers=3, n_kv_heads=4), Config(n_layers=3, head_dim=2)]
)
def test_a_cache_of_another_size_is_refused(other: Config) -> None:
    cache = KVCache(other)
    with pytest.raises(ValueError, match=r"^cache:"):
        Decoder(THREE).forward([1], cache)
    assert cache.length == 0


def test_tokens_and_positions_come_as_any_whole_numbers_and_are_not_kept() -> None:
    tokens, positions = np.array([1, 2, 3], np.uint8), np.array([4, 5, 6], np.int32)
    first, *_ = Decoder(THREE).trace(tokens, positions=positions)
    tokens[:], positions[:] = 0, 0
    assert isinstance(first, Embed)
    assert (first.tokens.tolist(), first.positions.tolist()) == ([1, 2, 3], [4, 5, 6])
    run: Run = Decoder(THREE).forward((1, 2, 3), positions=range(3))
    assert run.work == Work(3, 6)
