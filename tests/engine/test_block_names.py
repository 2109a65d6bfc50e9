"""engine.block_names: which blocks two prompts may share."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.block_names import (
    Identity,
    Mistake,
    block_hash,
    block_hashes,
    matched_blocks,
    reusable_tokens,
    shortened,
)

BASE = Identity("m")
PROMPT = [1, 2, 3, 4]

tokens = st.lists(st.integers(0, 3), max_size=12)  # few, so that blocks repeat
text = st.text(max_size=3)
identities = st.builds(Identity, text.filter(bool), st.none() | text, st.none() | text)


def shared(a: list[int], b: list[int], block_size: int, mistake: Mistake = Mistake.NONE) -> int:
    """How many blocks of b are found when a is cached."""
    cached = set(block_hashes(a, block_size, BASE, mistake))
    return matched_blocks(block_hashes(b, block_size, BASE, mistake), cached)


def test_t48_equal_blocks_after_different_tokens_have_different_hashes() -> None:
    one, two = block_hashes([1, 2, 3, 4, 1, 2, 3, 4], 4, BASE)
    assert one != two
    assert block_hashes(PROMPT, 4, BASE) == (one,)


def test_t48_without_the_parent_a_block_is_found_in_the_wrong_place() -> None:
    one, two = block_hashes([1, 2, 3, 4, 1, 2, 3, 4], 4, BASE, Mistake.NO_PARENT)
    assert one == two
    assert shared([9, 9, 1, 2], [1, 2], 2, Mistake.NO_PARENT) == 1
    assert shared([9, 9, 1, 2], [1, 2], 2) == 0


@pytest.mark.parametrize(
    ("other", "mistake"),
    [
        (Identity("m2"), Mistake.NO_MODEL),
        (Identity("m", adapter="a"), Mistake.NO_ADAPTER),
        (Identity("m", salt="s1"), Mistake.NO_SALT),
    ],
)
def test_t49_another_identity_misses_and_hits_wrongly_once_it_is_left_out(other: Identity, mistake: Mistake) -> None:
    assert block_hashes(PROMPT, 4, other) != block_hashes(PROMPT, 4, BASE)
    assert block_hashes(PROMPT, 4, other, mistake) == block_hashes(PROMPT, 4, BASE, mistake)
    others = {Mistake.NO_MODEL, Mistake.NO_ADAPTER, Mistake.NO_SALT, Mistake.NO_PARENT} - {mistake}
    for kept in others:  # only the ingredient left out is missed
        assert block_hashes(PROMPT, 4, other, kept) != block_hashes(PROMPT, 4, BASE, kept)


def test_t49_adapters_a_and_b_and_salts_s1_and_s2_miss_each_other() -> None:
    all_of_them = [Identity("m", a, s) for a, s in itertools.product((None, "a", "b"), (None, "s1", "s2"))]
    assert len({block_hashes(PROMPT, 4, identity) for identity in all_of_them}) == 9


def test_t49_adapter_x_is_not_salt_x_unless_the_tag_is_lost() -> None:
    adapter, salt = Identity("m", adapter="X"), Identity("m", salt="X")
    assert block_hashes(PROMPT, 4, adapter) != block_hashes(PROMPT, 4, salt)
    assert block_hashes(PROMPT, 4, adapter, Mistake.UNTAGGED) == block_hashes(PROMPT, 4, salt, Mistake.UNTAGGED)


def test_t51_full_blocks_only_are_shared() -> None:
    cached = [1, 2, 3, 4, 5]
    assert len(block_hashes(cached, 2, BASE)) == 2
    assert shared(cached, [1, 2, 3, 4, 5, 6], 2) == 2
    assert shared(cached, [1, 2, 3, 9], 2) == 1
    assert shared(list(range(35)), list(range(36)), 32) * 32 == 32 == reusable_tokens(36, 35, 32)


@pytest.mark.parametrize(
    ("n", "block_size", "reused"), [(48, 16, 32), (49, 16, 48), (16, 16, 0), (1, 16, 0), (48, 1, 47), (0, 16, 0)]
)
def test_t52_a_full_hit_still_runs_the_last_token(n: int, block_size: int, reused: int) -> None:
    assert reusable_tokens(n, n, block_size) == reused


@pytest.mark.parametrize(("edited", "kept"), [(0, 0), (15, 0), (16, 16), (95, 80), (96, 96), (99, 96), (100, 96)])
def test_t53_after_an_edit_at_index_i_whole_blocks_before_it_are_kept(edited: int, kept: int) -> None:
    assert reusable_tokens(128, edited, 16) == kept
    before = list(range(128))
    after = before.copy()
    after[edited] = 999
    assert shared(before, after, 16) * 16 == kept


@given(tokens, tokens, st.integers(1, 4), identities, identities)
@example([1, 2], [1, 2], 2, Identity("m", "X"), Identity("m", None, "X"))
def test_a_block_is_found_exactly_where_identity_and_all_tokens_up_to_it_are_equal(
    a: list[int], b: list[int], block_size: int, mine: Identity, yours: Identity
) -> None:
    hashes = block_hashes(a, block_size, mine), block_hashes(b, block_size, yours)
    for i, j in itertools.product(range(len(hashes[0])), range(len(hashes[1]))):
        same = mine == yours and a[: (i + 1) * block_size] == b[: (j + 1) * block_size]
        assert (hashes[0][i] == hashes[1][j]) == same


@given(tokens, st.integers(1, 4))
def test_one_hash_a_full_block_and_more_tokens_change_none(prompt: list[int], block_size: int) -> None:
    hashes = block_hashes(prompt, block_size, BASE)
    assert len(hashes) == len(prompt) // block_size
    assert block_hashes([*prompt, 7], block_size, BASE)[: len(hashes)] == hashes


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 40))
def test_what_is_reused_is_whole_blocks_of_what_is_cached_and_leaves_a_token(n: int, cached: int, size: int) -> None:
    reused = reusable_tokens(n, cached, size)
    assert reused % size == 0
    assert 0 <= reused <= cached
    assert reused < n or reused == n == 0
    assert reused + size > min(cached, n - 1)  # and no block more would do


def test_the_hash_is_the_same_in_every_process() -> None:
    assert block_hashes([1], 1, BASE)[0].startswith("73752ca7d6164ca9")


def test_a_hash_is_made_block_by_block() -> None:
    one, two = block_hashes([*PROMPT, *PROMPT], 4, BASE)
    assert (one, two) == (block_hash(None, PROMPT, BASE), block_hash(one, PROMPT, BASE))


def test_pythons_own_hash_takes_different_tokens_for_the_same() -> None:
    assert hash(-1) == hash(-2)
    assert hash((3, -1)) == hash((3, -2))
    assert block_hash(None, [3, -1], BASE) != block_hash(None, [3, -2], BASE)


def test_a_short_name_is_the_beginning_of_the_long_one() -> None:
    [name] = block_hashes([1], 1, BASE)
    assert [shortened(name, bits) for bits in (1, 4, 8, 256)] == ["0", "7", "73", name]
    assert len({shortened(block_hash(None, [i], BASE), 4) for i in range(17)}) <= 16  # so two of them collide


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Identity(""), "model"),
        (lambda: Identity("m", adapter=3), "adapter"),  # type: ignore[arg-type]
        (lambda: Identity("m", salt=b"s"), "salt"),  # type: ignore[arg-type]
        (lambda: block_hashes([1.5], 4, BASE), "tokens"),  # type: ignore[list-item]
        (lambda: block_hashes([1], 0, BASE), "block_size"),
        (lambda: block_hashes([1], 4, "m"), "identity"),  # type: ignore[arg-type]
        (lambda: shortened("a", 0), "bits"),
        (lambda: shortened("a", 257), "bits"),
        (lambda: reusable_tokens(-1, 0, 4), "n_prompt"),
        (lambda: reusable_tokens(1, -1, 4), "n_cached"),
        (lambda: reusable_tokens(1, 1, 0), "block_size"),
    ],
)
def test_a_bad_argument_is_refused_by_name(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()
