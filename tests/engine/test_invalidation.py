"""engine.invalidation against recomputing everything, and the source's own figures (cases B2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.decoder import Config, Decoder
from engine.invalidation import Edit, Reuse, answer, cache_after, changes, error, one_layer, one_position
from engine.kv_cache import KVCache
from engine.rotary import rotate

THREE = Config(n_layers=3)
TIGHT = 1e-13
modest = settings(max_examples=40)


def tokens_of(n: int) -> list[int]:
    return [(7 * i + 3) % 11 for i in range(n)]


def largest(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


EDIT = Edit(tuple(tokens_of(128)), position=100, token=0, query=5)


@pytest.mark.parametrize(
    ("reuse", "expected", "within"),
    [
        (Reuse.NOTHING, 0, 0),
        (Reuse.BEFORE_EDIT, 0, 1e-14),
        (Reuse.EVERYTHING, 0.0241428, 5e-8),
        (Reuse.ALL_BUT_EDITED, 8.21e-4, 5e-7),
        (Reuse.THROUGH_EDIT, 0.0241428, 5e-8),
    ],
)
def test_the_error_of_each_way_to_reuse_after_an_edit_at_100(
    reuse: Reuse, expected: float, within: float
) -> None:  # T15
    assert abs(error(EDIT, reuse) - expected) <= within


def test_recomputing_from_the_position_after_the_edit_is_ignoring_the_edit() -> None:  # T15
    ignored, off_by_one = answer(EDIT, Reuse.EVERYTHING), answer(EDIT, Reuse.THROUGH_EDIT)
    assert largest(ignored.logits, off_by_one.logits) < TIGHT


def test_an_edit_at_100_changes_one_position_of_layer_0_and_all_28_later_ones_above() -> None:  # T16, audit 0.15
    change = changes(Decoder(THREE).forward(EDIT.tokens), Decoder(THREE).forward(EDIT.edited))
    for table in (change.k, change.v):
        assert table.shape == (3, 128)
        assert table[:, :100].max() == 0
        assert np.flatnonzero(table[0]).tolist() == [100]
        assert np.flatnonzero(table[1]).tolist() == np.flatnonzero(table[2]).tolist() == list(range(100, 128))


def test_after_an_insertion_layer_0_keeps_values_and_unrotated_keys_one_position_on() -> None:  # audit 0.15
    old, new = tokens_of(12), [*tokens_of(12)[:5], 0, *tokens_of(12)[5:]]
    before, after = Decoder(THREE).forward(old), Decoder(THREE).forward(new)
    assert largest(before.v[0][:, 5:], after.v[0][:, 6:]) < TIGHT
    assert largest(rotate(before.k[0][:, 5:], 1), after.k[0][:, 6:]) < TIGHT
    assert largest(before.k[0][:, 5:], after.k[0][:, 6:]) > 0.1
    assert largest(before.v[1][:, 5:], after.v[1][:, 6:]) > 0.1


@modest
@given(st.integers(2, 16), st.data())
def test_keeping_what_lies_before_any_edit_is_right(n: int, data: Any) -> None:
    position, token, query = (data.draw(st.integers(0, top)) for top in (n - 1, 10, 10))
    edit = Edit(tuple(tokens_of(n)), position, token, query)
    assert error(edit, Reuse.BEFORE_EDIT) < TIGHT
    assert cache_after(edit, Reuse.BEFORE_EDIT).length == n


def test_an_edit_that_changes_nothing_costs_nothing_however_it_is_done() -> None:
    edit = replace(EDIT, token=EDIT.tokens[100])
    assert max(error(edit, reuse) for reuse in Reuse) < TIGHT


def test_at_the_last_position_replacing_that_one_alone_is_right() -> None:
    edit = Edit(tuple(tokens_of(20)), position=19, token=0, query=5)
    assert error(edit, Reuse.ALL_BUT_EDITED) < TIGHT
    assert error(edit, Reuse.EVERYTHING) > 0.01
    assert error(edit, Reuse.THROUGH_EDIT) == error(edit, Reuse.EVERYTHING)


@pytest.mark.parametrize(
    ("named", "arguments"),
    [
        ("position", ((1, 2), 2, 0, 0)),
        ("position", ((1, 2), -1, 0, 0)),
        ("position", ((), 0, 0, 0)),
        ("tokens", ((1, 11), 0, 0, 0)),
        ("token", ((1, 2), 0, 11, 0)),
        ("query", ((1, 2), 0, 0, -1)),
    ],
)
def test_an_edit_names_what_is_wrong(named: str, arguments: Any) -> None:
    with pytest.raises(ValueError, match=f"^{named}:"):
        Edit(*arguments)


# Other people's caches


def test_one_layers_cache_used_for_all_layers_is_wrong() -> None:  # audit 0.9
    cache = KVCache(THREE)
    Decoder(THREE).forward(tokens_of(19), cache)
    right = Decoder(THREE).forward(tokens_of(20)).logits[-1]
    for layer, expected in ((0, 1.9682), (2, 3.5685)):
        wrong = Decoder(THREE).forward(tokens_of(20)[19:], one_layer(cache, layer)).logits[-1]
        assert largest(wrong, right) == pytest.approx(expected, abs=5e-5)


def test_an_adapter_on_layer_1_changes_its_values_and_all_layers_above() -> None:  # audit 0.17
    base = Decoder(THREE).forward(tokens_of(12))
    adapted = Decoder(replace(THREE, adapter=(1, 0.1))).forward(tokens_of(12))
    change = changes(base, adapted)
    assert change.k[:2].max() == change.v[0].max() == 0
    assert min(change.v[1].min(), change.k[2].min(), change.v[2].min()) > 0
    assert largest(base.logits, adapted.logits) > 0.01


def test_a_cache_of_the_base_model_is_wrong_under_an_adapter() -> None:
    adapted, cache = Decoder(replace(THREE, adapter=(1, 0.1))), KVCache(THREE)
    Decoder(THREE).forward(tokens_of(12), cache)
    wrong = adapted.forward(tokens_of(13)[12:], cache).logits[-1]
    assert largest(wrong, adapted.forward(tokens_of(13)).logits[-1]) > 0.01


def test_an_adapter_of_scale_0_is_no_adapter() -> None:
    off = Decoder(replace(THREE, adapter=(1, 0.0))).forward([1, 2]).logits
    np.testing.assert_array_equal(off, Decoder(THREE).forward([1, 2]).logits)


def test_appending_changes_old_keys_of_a_bidirectional_model() -> None:  # T24, audit 0.14
    both_ways = Decoder(replace(THREE, causal=False))
    change = changes(both_ways.forward(tokens_of(20)), both_ways.forward(tokens_of(21)))
    np.testing.assert_allclose(change.k.max(axis=1), [0, 0.163, 0.112], atol=5e-4)
    assert change.v[0].max() < TIGHT
    assert min(change.v[1].max(), change.v[2].max()) > 0.1


def test_appending_behind_the_prefix_of_a_prefix_lm_changes_nothing() -> None:  # T24
    decoder = Decoder(replace(THREE, prefix=8))
    change = changes(decoder.forward(tokens_of(20)), decoder.forward(tokens_of(21)))
    assert max(change.k.max(), change.v.max()) < TIGHT
    inside = changes(decoder.forward(tokens_of(7)), decoder.forward(tokens_of(8)))
    assert inside.k[0].max() < TIGHT
    assert inside.k[1].max() > 0.01


def test_splices_leave_their_sources_alone_and_refuse_what_is_not_there() -> None:
    cache, other = KVCache(THREE), KVCache(THREE)
    Decoder(THREE).forward([1, 2, 3], cache)
    Decoder(THREE).forward([1, 4], other)
    before = cache.fork()
    spliced = one_position(cache, other, 1)
    assert changes(cache, before).k.max() == 0
    assert np.flatnonzero(changes(cache, spliced).v[1]).tolist() == [1]
    for position in (2, -1):
        with pytest.raises(ValueError, match=r"^position:"):
            one_position(cache, other, position)
    for layer in (3, -1):
        with pytest.raises(ValueError, match=r"^layer:"):
            one_layer(cache, layer)
    with pytest.raises(ValueError, match=r"^after:"):
        changes(cache, KVCache(Config(n_layers=3, head_dim=2)))
