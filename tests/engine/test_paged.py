"""engine.paged and what stands on it: one table, a pool that loses no block, forks that cannot see each other."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError, replace
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine import copy_on_write, paged_lookup
from engine.attention import attention, causal_mask
from engine.copy_on_write import Prepared, ReadBack, Shared, Wants, Way, Wrote
from engine.paged import BlockPool, Copy, Mistake, OutOfBlocks, Sequence, blocks_for, last_block_fill, slot
from engine.paged_attention import copied, gather, paged_attention, written
from engine.paged_lookup import Appended, Arrived, Freed, LookUp, Read
from engine.paged_memory import Memory, Token, after_copy, after_write

TABLE = (7, 2, 19)  # Q028
SOURCE = (7, 2, 19, 5)  # and the block that A's 13th token takes


def state(pool: BlockPool, *sequences: Sequence) -> Any:
    return pool.ref_counts, pool.free_blocks, [(s.block_table, s.length) for s in sequences]


def ten_tokens_twice() -> tuple[BlockPool, Sequence, Sequence]:
    pool = BlockPool(20, 4, SOURCE)
    a = Sequence(pool)
    a.append(10)
    return pool, a, a.fork()


# T41 and T42: lookup


@pytest.mark.parametrize(("position", "block", "offset"), [(0, 7, 0), (5, 2, 1), (9, 19, 1), (10, 19, 2), (11, 19, 3)])
def test_t41_position_lies_in_block_at_offset(position: int, block: int, offset: int) -> None:
    assert divmod(slot(position, TABLE, 4), 4) == (block, offset)


def test_t41_position_5_lies_in_physical_block_2_offset_1() -> None:
    assert [slot(p, TABLE, 4) for p in (0, 5, 9, 10, 11)] == [28, 9, 77, 78, 79]
    assert slot(5, TABLE, 4, Mistake.LOGICAL_AS_PHYSICAL) == 5


def test_t41_position_12_is_not_mapped_until_a_block_is_allocated() -> None:
    with pytest.raises(IndexError, match="position: 12"):
        slot(12, TABLE, 4)
    assert slot(12, (*TABLE, 5), 4) == 20


@pytest.mark.parametrize("position", [-1, -12, -13, 12, 10**6])
def test_t41_a_position_outside_never_wraps(position: int) -> None:
    with pytest.raises(IndexError, match="position"):
        slot(position, TABLE, 4)


def test_t41_minus_one_wraps_to_the_last_slot_where_python_is_left_to_itself() -> None:
    assert slot(-1, TABLE, 4, Mistake.MINUS_ONE_WRAPS) == 79
    assert slot(0, (-1, 2), 4, Mistake.MINUS_ONE_WRAPS) == -4
    with pytest.raises(IndexError, match="position"):
        slot(-13, TABLE, 4, Mistake.MINUS_ONE_WRAPS)


def test_a_table_entry_of_minus_one_is_not_a_block() -> None:
    with pytest.raises(IndexError, match="block_table: entry 1 is -1"):
        slot(5, (7, -1, 19), 4)
    assert slot(3, (7, -1), 4) == 31  # what is not looked up does no harm


@pytest.mark.parametrize(("n", "fill", "naive"), [(0, 0, 0), (1, 1, 1), (4, 4, 0), (7, 3, 3), (8, 4, 0)])
def test_t42_tokens_in_the_last_block(n: int, fill: int, naive: int) -> None:
    assert last_block_fill(n, 4) == fill
    assert last_block_fill(n, 4, Mistake.FILL_MODULO) == naive


@pytest.mark.parametrize(("n", "blocks"), [(0, 0), (1, 1), (16, 1), (17, 2), (32_769, 2_049)])
def test_t37_blocks_are_whole(n: int, blocks: int) -> None:
    assert blocks_for(n, 16) == blocks


# T43: copy-on-write


def test_t43_the_first_writer_copies_and_the_second_writes_in_place() -> None:
    pool, a, b = ten_tokens_twice()
    assert [pool.ref_count(block) for block in TABLE] == [2, 2, 2]

    assert a.append().copied == Copy(source=19, target=5, n_slots=2)
    assert (a.block_table, b.block_table) == ((7, 2, 5), (7, 2, 19))
    assert [pool.ref_count(block) for block in (7, 2, 19, 5)] == [2, 2, 1, 1]

    append = b.append()
    assert (append.copied, append.allocated, append.slots) == (None, (), (78,))
    assert pool.n_free == 0


def test_t43_a_full_shared_block_is_not_copied() -> None:
    pool = BlockPool(20, 4, SOURCE)
    a = Sequence(pool)
    a.append(12)
    b = a.fork()
    append = a.append()
    assert (append.copied, append.allocated) == (None, (5,))
    assert (a.block_table, b.block_table) == ((*TABLE, 5), TABLE)


@pytest.mark.parametrize(("held", "more", "new"), [(1, 16, 3), (16, 1, 1), (129, 129, 17)])
def test_t43_new_blocks_of_a_fork_that_grows(held: int, more: int, new: int) -> None:
    a = Sequence(BlockPool(64, 8))
    a.append(held)
    append = a.fork().append(more)
    assert len(append.allocated) == new == blocks_for(held + more, 8) - held // 8
    assert (append.copied is not None) == (held % 8 > 0)


def test_no_copy_writes_into_what_the_other_reads() -> None:
    pool = BlockPool(20, 4, SOURCE)
    a = Sequence(pool, Mistake.NO_COPY)
    a.append(10)
    b = a.fork()
    assert a.append().slots == b.append().slots == (78,)
    assert a.block_table == b.block_table


def test_fill_modulo_overwrites_the_last_block_when_it_is_full() -> None:
    a = Sequence(BlockPool(20, 4, SOURCE), Mistake.FILL_MODULO)
    assert a.append(12).slots == tuple(slot(p, TABLE, 4) for p in range(12))
    append = a.append()
    assert (append.slots, append.allocated) == ((76,), ())  # position 8 lay there


# T46: what fails changes nothing


def test_t46_a_sequence_is_freed_once() -> None:
    pool, a, b = ten_tokens_twice()
    a.free()
    assert (pool.n_free, a.block_table, a.length) == (1, (), 0)
    before = state(pool, a, b)
    for call in (a.free, a.append, a.fork):
        with pytest.raises(ValueError, match="freed"):
            call()
    assert state(pool, a, b) == before
    b.free()
    assert pool.free_blocks == (5, 19, 2, 7)


def test_t46_a_block_named_once_is_not_released_twice_in_one_call() -> None:
    pool = BlockPool(4, 4)
    [block] = pool.allocate()
    before = state(pool)
    with pytest.raises(ValueError, match="blocks: block 0 released 2 times"):
        pool.release([block, block])
    assert state(pool) == before
    pool.release([block])
    with pytest.raises(ValueError, match="blocks"):
        pool.release([block])


def test_freed_blocks_are_handed_out_tail_first_behind_those_that_were_free_before() -> None:
    pool = BlockPool(6, 4)
    first, second = Sequence(pool), Sequence(pool)
    first.append(12)
    second.append(4)
    first.free()
    assert pool.free_blocks == (4, 5, 2, 1, 0)
    second.free()
    assert pool.allocate(6) == (4, 5, 2, 1, 0, 3)


def test_released_blocks_named_as_front_are_handed_out_before_all_others() -> None:
    pool = BlockPool(6, 4)
    pool.allocate(4)
    pool.release((0, 1, 2, 3), front={1, 3})
    assert pool.free_blocks == (3, 1, 4, 5, 2, 0)


def test_touch_takes_a_free_block_out_of_the_queue_and_counts_one_that_is_in_use_once_more() -> None:
    pool = BlockPool(4, 4)
    pool.allocate()
    pool.touch((0, 2))
    assert (pool.free_blocks, pool.ref_counts) == ((1, 3), (2, 0, 1, 0))
    before = state(pool)
    with pytest.raises(ValueError, match="blocks"):
        pool.touch((1, 4))
    assert state(pool) == before


def test_t46_one_bad_block_and_none_is_released_or_shared() -> None:
    pool = BlockPool(4, 4)
    taken = pool.allocate(2)
    before = state(pool)
    for call in (pool.release, pool.share):
        for bad in (3, 4, -1):  # free, not there, not a block
            with pytest.raises(ValueError, match="blocks"):
                call([*taken, bad])
    assert state(pool) == before


def test_an_append_that_runs_out_takes_nothing() -> None:
    pool, a, b = ten_tokens_twice()
    before = state(pool, a, b)
    with pytest.raises(OutOfBlocks, match="2 blocks wanted, 1 free"):
        a.append(3)  # the copy would fit, the block after it not
    assert state(pool, a, b) == before
    a.append(2)


def test_blocks_outside_the_free_list_belong_to_somebody_else() -> None:
    pool = BlockPool(20, 4, SOURCE)
    assert (pool.n_free, pool.ref_count(0), pool.ref_count(7)) == (4, 1, 0)
    with pytest.raises(OutOfBlocks):
        pool.allocate(5)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: BlockPool(-1, 4), "n_blocks"),
        (lambda: BlockPool(4, 0), "block_size"),
        (lambda: BlockPool(4, 4, [1, 1]), "free"),
        (lambda: BlockPool(4, 4, [4]), "free"),
        (lambda: BlockPool(4, 4, [-1]), "free"),
        (lambda: BlockPool(4, 4).ref_count(-1), "block"),
        (lambda: BlockPool(4, 4).allocate(-1), "n"),
        (lambda: Sequence(BlockPool(4, 4)).append(-1), "n"),
        (lambda: Sequence(BlockPool(4, 4)).append(1.5), "n"),  # type: ignore[arg-type]
        (lambda: slot(0, TABLE, 0), "block_size"),
        (lambda: slot(0.5, TABLE, 4), "position"),  # type: ignore[arg-type]
        (lambda: blocks_for(-1, 4), "n_tokens"),
        (lambda: paged_lookup.Scenario(n_tokens=-1), "n_tokens"),
        (lambda: paged_lookup.Scenario(n_appended=99), "hand_out"),
        (lambda: paged_lookup.Scenario(mistake="none"), "mistake"),  # type: ignore[arg-type]
        (lambda: copy_on_write.Scenario(writers=("C",)), "writers"),
        (lambda: copy_on_write.Scenario(hand_out=TABLE), "hand_out"),
        (lambda: copy_on_write.Scenario(n_blocks=5), "free"),
    ],
)
def test_a_bad_argument_is_refused_by_name(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        call()


# Any sequence of calls, against lists of tokens that share nothing


class Paging(RuleBasedStateMachine):
    """Sequences that append, fork and free in one pool, each beside a plain list of the tokens it should hold."""

    @initialize(n_blocks=st.integers(1, 8), block_size=st.integers(1, 4))
    def start(self, n_blocks: int, block_size: int) -> None:
        self.pool = BlockPool(n_blocks, block_size)
        self.storage = np.full((n_blocks * block_size, 1), -1.0)
        self.running: list[tuple[Sequence, list[float]]] = [(Sequence(self.pool), [])]
        self.written = 0

    def pick(self, i: int) -> tuple[Sequence, list[float]]:
        if not self.running:
            self.running.append((Sequence(self.pool), []))
        return self.running[i % len(self.running)]

    @rule(i=st.integers(0, 9), n=st.integers(0, 9))
    def append(self, i: int, n: int) -> None:
        sequence, tokens = self.pick(i)
        before = state(self.pool, *(s for s, _ in self.running))
        full, size = len(tokens) // self.pool.block_size, self.pool.block_size
        partly = len(tokens) % size > 0
        shared = partly and self.pool.ref_count(sequence.block_table[-1]) > 1
        needed = blocks_for(len(tokens) + n, size) - full - (partly and not shared) if n else 0
        try:
            append = sequence.append(n)
        except OutOfBlocks:
            assert needed > self.pool.n_free
            assert state(self.pool, *(s for s, _ in self.running)) == before
            return
        assert len(append.allocated) == needed
        assert append.slots == tuple(slot(len(tokens) + j, sequence.block_table, size) for j in range(n))
        new = [float(self.written + j) for j in range(n)]
        self.written += n
        self.storage = copied(self.storage, append.copied, size)
        self.storage = written(self.storage, append.slots, np.reshape(new, (n, 1)))
        tokens.extend(new)

    @rule(i=st.integers(0, 9))
    def fork(self, i: int) -> None:
        sequence, tokens = self.pick(i)
        self.running.append((sequence.fork(), tokens.copy()))

    @rule(i=st.integers(0, 9))
    def free(self, i: int) -> None:
        sequence, _ = self.pick(i)
        self.running = [(s, t) for s, t in self.running if s is not sequence]
        sequence.free()
        before = state(self.pool, *(s for s, _ in self.running))
        with pytest.raises(ValueError, match="freed"):
            sequence.free()
        assert state(self.pool, *(s for s, _ in self.running)) == before

    @rule(i=st.integers(0, 9))
    def release_too_often(self, i: int) -> None:
        before = state(self.pool, *(s for s, _ in self.running))
        block = i % self.pool.n_blocks
        with pytest.raises(ValueError, match="blocks"):
            self.pool.release([block] * (self.pool.ref_count(block) + 1))
        assert state(self.pool, *(s for s, _ in self.running)) == before

    @invariant()
    def every_block_is_free_or_counted(self) -> None:
        if not hasattr(self, "pool"):
            return
        named = Counter(block for sequence, _ in self.running for block in sequence.block_table)
        assert self.pool.ref_counts == tuple(named[block] for block in range(self.pool.n_blocks))
        assert set(self.pool.free_blocks) == set(range(self.pool.n_blocks)) - set(named)
        assert self.pool.n_free + len(named) == self.pool.n_blocks

    @invariant()
    def everyone_reads_their_own_tokens(self) -> None:
        if not hasattr(self, "pool"):
            return
        for sequence, tokens in self.running:
            assert sequence.length == len(tokens)
            rows = gather(self.storage, sequence.block_table, sequence.length, self.pool.block_size)
            assert rows.ravel().tolist() == tokens


Paging.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestPaging = Paging.TestCase


# Storage and attention


@given(st.data(), st.integers(1, 5), st.integers(1, 6), st.integers(0, 99))
def test_paged_attention_equals_contiguous_for_any_table(data: Any, block_size: int, n_blocks: int, seed: int) -> None:
    table = data.draw(st.permutations(range(n_blocks + 2)))[:n_blocks]
    length = data.draw(st.integers(1, n_blocks * block_size))
    draw = np.random.default_rng(seed)
    q, k, v = (draw.normal(size=(2, n, 3)) for n in (2, length, length))  # two heads
    slots = [slot(p, table, block_size) for p in range(length)]
    empty = np.full((2, (n_blocks + 2) * block_size, 3), np.nan)  # reading a wrong slot cannot go unseen
    storage = written(empty, slots, k), written(empty, slots, v)
    mask = causal_mask(2, length)
    paged = paged_attention(q, *storage, table, length, block_size, mask=mask)
    np.testing.assert_array_equal(paged, attention(q, k, v, mask=mask))


def test_without_the_table_attention_reads_other_rows() -> None:
    k = np.arange(10.0)[:, None]
    storage = written(np.zeros((80, 1)), [slot(p, TABLE, 4) for p in range(10)], k)
    right = paged_attention(np.ones((1, 1)), storage, storage, TABLE, 10, 4)
    wrong = paged_attention(np.ones((1, 1)), storage, storage, TABLE, 10, 4, mistake=Mistake.LOGICAL_AS_PHYSICAL)
    assert right == attention(np.ones((1, 1)), k, k) != wrong


def test_gather_returns_a_copy_and_writing_changes_no_argument() -> None:
    storage = np.zeros((4, 1))
    gather(storage, [0], 1, 4)[0] = 9
    written(storage, [1], [[9.0]])
    copied(storage, Copy(0, 1, 1), 2)
    copied(storage, None, 2)[0] = 9
    assert not storage.any()


def test_what_the_table_does_not_map_or_the_storage_does_not_have_is_refused() -> None:
    storage = np.zeros((8, 1))
    with pytest.raises(IndexError, match="position"):
        gather(storage, [0, 1], 9, 4)
    with pytest.raises(IndexError, match="block_table"):
        gather(storage, [2], 1, 4)
    with pytest.raises(IndexError, match="block_table"):
        gather(storage, [0, -1], 5, 4)
    for place in (-1, 8):
        with pytest.raises(IndexError, match="slots"):
            written(storage, [place], [[1.0]])
    with pytest.raises(ValueError, match="pool_storage"):
        gather(np.zeros(8), [0], 1, 4)
    assert gather(storage, [], 0, 4).shape == (0, 1)


# The traces

S = TypeVar("S")


def lookup(kind: type[S], **rest: Any) -> list[S]:
    return [step for step in paged_lookup.trace(paged_lookup.Scenario(**rest)) if isinstance(step, kind)]


def cow(kind: type[S], **rest: Any) -> list[S]:
    return [step for step in copy_on_write.trace(copy_on_write.Scenario(**rest)) if isinstance(step, kind)]


def test_q028_the_worked_example_step_by_step() -> None:
    [look_up], [read] = lookup(LookUp), lookup(Read)
    assert (look_up.logical, look_up.offset, look_up.entry, look_up.slot) == (1, 1, 2, 9)
    assert read.found == read.expected == Token("A", 5)

    fills, thirteenth = lookup(Appended)
    assert (fills.position, fills.slots, fills.allocated) == (10, (78, 79), ())
    assert (thirteenth.position, thirteenth.slots, thirteenth.allocated) == (12, (20,), (5,))
    assert fills.overwritten == thirteenth.overwritten == ()

    [arrived], [freed] = lookup(Arrived), lookup(Freed)
    assert arrived.allocated == (3, 15)
    assert (freed.blocks, freed.memory.free) == ((7, 2, 19, 5), (5, 19, 2, 7))
    assert arrived.memory.read("A") == tuple(Token("A", p) for p in range(13))
    assert freed.memory.read("B") == tuple(Token("B", p) for p in range(6))


def test_logical_as_physical_finds_nothing_in_slot_5() -> None:
    [read] = lookup(Read, mistake=Mistake.LOGICAL_AS_PHYSICAL)
    assert (read.slot, read.found, read.expected) == (5, None, Token("A", 5))


def test_minus_one_is_refused_or_wraps() -> None:
    [right], [wrong] = (lookup(LookUp, position=-1, mistake=m) for m in (Mistake.NONE, Mistake.MINUS_ONE_WRAPS))
    assert (right.slot, right.entry, wrong.slot) == (None, None, 79)
    [read] = lookup(Read, position=-1, n_tokens=12, mistake=Mistake.MINUS_ONE_WRAPS)
    assert (read.found, read.expected) == (Token("A", 11), None)


def test_fill_modulo_loses_a_token_at_the_13th() -> None:
    _, thirteenth = lookup(Appended, mistake=Mistake.FILL_MODULO)
    assert (thirteenth.slots, thirteenth.allocated, thirteenth.overwritten) == ((76,), (), (Token("A", 8),))
    assert thirteenth.memory.read("A")[8:] == (Token("A", 12), Token("A", 9), Token("A", 10), Token("A", 11), None)


def test_t43_in_steps() -> None:
    [shared] = cow(Shared)
    assert [shared.memory.ref_counts[block] for block in TABLE] == [2, 2, 2]

    a, b = cow(Wants)
    assert (a.block, a.ref_count, a.offset, a.way) == (19, 2, 2, Way.COPY)
    assert (b.block, b.ref_count, b.offset, b.way) == (19, 1, 2, Way.IN_PLACE)

    a_ready, b_ready = cow(Prepared)
    assert (a_ready.copied, b_ready.copied) == (Copy(19, 5, 2), None)
    assert a_ready.memory.contents[20:24] == (Token("A", 8), Token("A", 9), None, None)
    assert [a_ready.memory.ref_counts[block] for block in (7, 2, 19, 5)] == [2, 2, 1, 1]
    assert a_ready.memory.table("A").length == 10

    assert [(w.name, w.slot, w.overwritten) for w in cow(Wrote)] == [("A", 22, None), ("B", 78, None)]
    for read in cow(ReadBack):
        assert read.found == read.expected
    assert [read.expected[-1] for read in cow(ReadBack)] == [Token("A", 10), Token("B", 10)]


def test_without_a_copy_b_overwrites_what_a_reads() -> None:
    assert [w.overwritten for w in cow(Wrote, mistake=Mistake.NO_COPY)] == [None, Token("A", 10)]
    a, b = cow(ReadBack, mistake=Mistake.NO_COPY)
    assert (a.found[-1], a.expected[-1]) == (Token("B", 10), Token("A", 10))
    assert b.found == b.expected


def test_a_full_last_block_makes_no_copy_needed_and_the_mistake_invisible() -> None:
    for mistake in (Mistake.NONE, Mistake.NO_COPY):
        assert [w.way for w in cow(Wants, n_tokens=12, mistake=mistake)] == [Way.NEW_BLOCK] * 2
        assert all(read.found == read.expected for read in cow(ReadBack, n_tokens=12, mistake=mistake))


@given(st.integers(0, 9), st.integers(1, 4), st.integers(-3, 20), st.integers(0, 6), st.sampled_from(Mistake))
def test_a_lookup_trace_stops_in_the_same_places_and_is_right_without_a_mistake(
    n_tokens: int, block_size: int, position: int, n_appended: int, mistake: Mistake
) -> None:
    right = paged_lookup.Scenario(n_tokens, block_size, position, n_appended, 3, tuple(range(18)), 18)
    steps, wrong = list(paged_lookup.trace(right)), list(paged_lookup.trace(replace(right, mistake=mistake)))
    assert [type(step) for step in steps] == [type(step) for step in wrong]
    for step in steps:
        for table in step.memory.tables:
            assert step.memory.read(table.name) == tuple(Token(table.name, p) for p in range(table.length))
        assert isinstance(hash(step), int)


@given(st.integers(0, 9), st.integers(1, 4), st.lists(st.sampled_from("AB"), max_size=5), st.sampled_from(Mistake))
def test_a_copy_trace_stops_in_the_same_places_and_is_right_without_a_mistake(
    n_tokens: int, block_size: int, writers: list[str], mistake: Mistake
) -> None:
    right = copy_on_write.Scenario(n_tokens, block_size, tuple(writers), tuple(range(16)), 16)
    steps, wrong = list(copy_on_write.trace(right)), list(copy_on_write.trace(replace(right, mistake=mistake)))
    assert [type(step) for step in steps] == [type(step) for step in wrong]
    for step in steps:
        if isinstance(step, ReadBack):
            assert step.found == step.expected
        if isinstance(step, Wants):
            assert (step.way is Way.NEW_BLOCK) == (step.offset == 0)


def test_a_scenario_that_asks_for_just_enough_blocks_is_accepted() -> None:
    for rest in ({"writers": ("A",), "hand_out": SOURCE}, {"writers": (), "hand_out": TABLE}):
        assert cow(ReadBack, **rest)[0].found
    assert lookup(Freed, n_second=0, hand_out=SOURCE)


def test_steps_are_frozen_snapshots() -> None:
    [first, *_] = steps = list(paged_lookup.trace(paged_lookup.Scenario()))
    assert first.memory.table("A").length == 10  # still, though A has grown and gone since
    assert steps[-1].memory.tables[0].name == "B"
    with pytest.raises(FrozenInstanceError):
        first.memory.block_size = 1  # type: ignore[misc]
    assert isinstance(first.memory, Memory)


def test_contents_and_storage_follow_the_same_rules() -> None:
    _, a, _ = ten_tokens_twice()
    append = a.append()
    numbers, tokens = np.arange(80.0)[:, None], tuple(Token("A", i) for i in range(80))
    storage = written(copied(numbers, append.copied, 4), append.slots, [[99.0]])
    assert [
        t and t.position for t in after_write(after_copy(tokens, append, 4), append, [Token("A", 99)])
    ] == storage.ravel().tolist()
