"""engine.prefix_reuse: requests over one cache, right and in six wrong ways, down to the logits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from engine.counts import Work, prefill
from engine.prefix_reuse import (
    Act,
    Appended,
    Evicted,
    Filled,
    Finished,
    LookUp,
    Mistake,
    Ran,
    Scenario,
    Step,
    Took,
    trace,
)

E = TypeVar("E")
P = (3, 8, 2, 7)
Q = (1, 6, 0, 5)
REPEATED = Scenario(((*P, *Q, 10), (*Q, *P, 4)), ("+A", "+B"))
WHOLE = Scenario(((*P, *Q), (*P, *Q)), ("+A", "-A", "+B"))
PARTLY = Scenario(((*P, 1, 6), (*P, 1, 6, 0)), ("+A", "+B", "A", "B"))
SEEN = [  # where each mistake shows, and whether it shows in the logits
    (Scenario(), Mistake.PARENT_FIRST, False),
    (Scenario(), Mistake.OLD_NAME, True),
    (Scenario(), Mistake.HASHES_ONLY, True),
    (REPEATED, Mistake.NO_PARENT, True),
    (WHOLE, Mistake.WHOLE_PROMPT, True),
    (PARTLY, Mistake.PARTIAL_BLOCKS, True),
]


def events(kind: type[E], scenario: Scenario) -> list[E]:
    return [step.event for step in trace(scenario) if isinstance(step.event, kind)]


def last(scenario: Scenario) -> Step:
    *_, step = trace(scenario)
    return step


def wrong(scenario: Scenario) -> list[Ran]:
    """The passes whose logits are not those of the request alone."""
    return [ran for ran in events(Ran, scenario) if ran.error is None or ran.error > 1e-6]


@st.composite
def scenarios(draw: Any) -> Scenario:
    size = draw(st.integers(2, 4))
    blocks = st.lists(st.integers(0, 1), min_size=size, max_size=size)  # few, so that prefixes are common
    n = draw(st.integers(1, 5))
    prompts = [
        tuple(token for block in draw(st.lists(blocks, max_size=3)) for token in block)
        + tuple(draw(st.lists(st.integers(0, 1), max_size=3)))
        or (0,)
        for _ in range(n)
    ]
    lives = []
    for name in "ABCDE"[:n]:
        life = ["+" + name] + [name] * draw(st.integers(0, 3)) + ["-" + name] * draw(st.integers(0, 1))
        lives.append(life)
    actions = []
    while any(lives):
        live = draw(st.sampled_from([life for life in lives if life]))
        actions.append(live.pop(0))
    try:
        return Scenario(
            tuple(prompts), tuple(actions), size, draw(st.integers(5, 16)), draw(st.sampled_from([1, 4, 256]))
        )
    except ValueError:  # a token that is appended finds no block
        reject()


# The default story


def test_the_first_request_computes_all_and_its_blocks_stay_named_when_it_ends() -> None:
    filled = events(Filled, Scenario())[0]
    assert (filled.name, filled.position, filled.work) == ("A", 0, prefill(9))
    ended = events(Finished, Scenario())[0]
    assert ended.freed == (2, 1, 0)
    assert [node.block for node in ended.cached.nodes] == [0, 1]
    assert ended.cached.memory.ref_counts == (0,) * 8


def test_the_second_walks_down_and_recomputes_what_is_not_there() -> None:
    walk = [look for look in events(LookUp, Scenario()) if look.name == "B"]
    assert [look.hit for look in walk] == [0, 1, None]
    filled = events(Filled, Scenario())[1]
    assert (filled.position, filled.work) == (8, Work(5, 9 + 10 + 11 + 12 + 13))


def test_the_third_branches_after_the_first_block() -> None:
    nodes = events(Filled, Scenario())[2].cached.nodes
    assert [(node.block, node.parent, node.depth) for node in nodes] == [(0, None, 0), (1, 0, 1), (4, 0, 1), (2, 1, 2)]
    assert all(node.reached for node in nodes)


def test_a_full_pool_evicts_the_oldest_leaf_first_and_what_it_was_called_is_forgotten() -> None:
    evicted, _ = events(Evicted, Scenario())
    assert [name.tokens for name in evicted.forgotten] == [(6, 2, 1, 9), (9, 4, 10, 2)]
    assert [node.block for node in evicted.cached.nodes] == [0, 1]


def test_a_hit_rescues_the_block_that_would_have_gone_next() -> None:
    steps = [step for step in trace(Scenario()) if isinstance(step.event, Took)]
    before, took = steps[-1].before, steps[-1].event
    assert isinstance(took, Took)
    assert before.unused[0] in took.rescued
    assert took.blocks == (0, 1)
    evicted = events(Evicted, Scenario())[-1]
    assert [name.tokens for name in evicted.forgotten] == [(6, 2, 1, 5)]  # the next one after those rescued


def test_what_was_computed_and_what_was_not_make_up_every_prompt() -> None:
    step = last(Scenario())
    assert [(s.name, s.computed.rows, s.reused.rows) for s in step.spent] == [
        ("A", 9, 0),
        ("B", 5, 8),
        ("C", 5, 4),
        ("D", 22, 0),
        ("E", 5, 8),
    ]
    assert step.total == (Work(46, 443), Work(20, 82))


def test_t52_the_last_block_of_a_prompt_found_completely_is_found_and_not_used() -> None:
    look = events(LookUp, WHOLE)[-1]
    assert (look.hit, look.last) == (1, True)
    assert [(took.blocks, took.hit_tokens) for took in events(Took, WHOLE)] == [((), 0), ((0,), 4)]


def test_a_prompt_that_does_not_fit_is_refused_and_nothing_has_changed() -> None:
    tight = Scenario(((*P, *Q, 1), (*P, *Q, *range(9))), ("+A", "+B", "B", "A", "-B", "-A"), n_blocks=4)
    steps = list(trace(tight))
    [step] = [step for step in steps if isinstance(step.event, Took) and step.event.refused]
    assert isinstance(step.event, Took)
    assert (step.event.blocks, step.event.wanted, step.event.spare) == ((0, 1), 3, 1)
    assert step.cached == step.before
    assert [type(s.event) for s in steps[steps.index(step) + 1 : -1]] == [Appended, Finished]  # A's: B does no more


def test_what_a_request_appends_is_named_when_it_fills_a_block() -> None:
    chat = Scenario((P + Q[:3], (*P, *Q[:3], 0, 0)), ("+A", "A", "-A"))
    follow = replace(chat, prompts=(P + Q[:3], P + Q[:3] + chat.appended("A") + (9,)), actions=(*chat.actions, "+B"))
    assert events(Took, follow)[-1].hit_tokens == 8


# Mistakes


@pytest.mark.parametrize(("scenario", "mistake", "in_logits"), SEEN)
def test_each_mistake_shows_somewhere(scenario: Scenario, mistake: Mistake, in_logits: bool) -> None:
    assert wrong(scenario) == []
    mistaken = replace(scenario, mistake=mistake)
    assert bool(wrong(mistaken)) == in_logits
    assert last(mistaken).total != last(scenario).total


def test_parent_first_costs_work_and_no_more() -> None:
    right, mistaken = last(Scenario()), last(Scenario(mistake=Mistake.PARENT_FIRST))
    assert mistaken.total[0].rows - right.total[0].rows == 8
    assert any(not node.reached for step in trace(Scenario(mistake=Mistake.PARENT_FIRST)) for node in step.cached.nodes)


def test_an_old_name_says_what_the_block_no_longer_holds() -> None:
    stale = [
        node
        for step in trace(Scenario(mistake=Mistake.OLD_NAME))
        for node in step.cached.nodes
        if step.cached.held[node.block][: len(node.name.tokens)] != node.name.tokens
    ]
    assert stale


def test_a_collision_is_invisible_with_a_long_hash() -> None:
    assert wrong(Scenario(hash_bits=256, mistake=Mistake.HASHES_ONLY)) == []


def test_a_prompt_that_is_not_run_has_no_logits() -> None:
    filled = events(Filled, replace(WHOLE, mistake=Mistake.WHOLE_PROMPT))[-1]
    assert (filled.work, filled.error, filled.token) == (Work(), None, None)


def test_two_writers_of_one_partial_block_spoil_it_for_the_first() -> None:
    assert [ran.name for ran in wrong(replace(PARTLY, mistake=Mistake.PARTIAL_BLOCKS))] == ["B"]


# Every scenario


@settings(max_examples=60)
@given(scenarios())
def test_each_request_gets_the_logits_it_gets_alone(scenario: Scenario) -> None:
    for step in trace(scenario):
        if isinstance(step.event, Ran):
            assert step.event.error is not None
            assert step.event.error < 1e-12
            assert step.event.token == step.event.fresh
    for spent in last(scenario).spent:
        if spent.computed.rows:
            n = len(scenario.prompt(spent.name)) + scenario.actions.count(spent.name)
            assert spent.computed + spent.reused == prefill(n)


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(Mistake))
def test_a_trace_stops_in_the_same_places_whatever_the_mistake(scenario: Scenario, mistake: Mistake) -> None:
    right, mistaken = list(trace(scenario)), list(trace(replace(scenario, mistake=mistake)))
    assert [type(step.event) for step in right] == [type(step.event) for step in mistaken]
    for one, other in zip(right, mistaken, strict=True):
        assert isinstance(hash(one), int)
        if isinstance(one.event, Act):
            assert isinstance(other.event, Act)
            assert one.event.name == other.event.name


@settings(max_examples=60)
@given(scenarios(), st.sampled_from(Mistake))
def test_free_and_counted_blocks_make_up_the_pool_and_counts_the_tables(scenario: Scenario, mistake: Mistake) -> None:
    for step in trace(replace(scenario, mistake=mistake)):
        memory = step.cached.memory
        assert len(memory.free) + sum(n > 0 for n in memory.ref_counts) == len(memory.ref_counts)
        assert sum(memory.ref_counts) == sum(len(table.blocks) for table in memory.tables)


@settings(max_examples=60)
@given(scenarios())
def test_every_name_can_be_reached_and_says_what_its_block_holds(scenario: Scenario) -> None:
    for step in trace(scenario):
        for node in step.cached.nodes:
            assert node.reached
            known = isinstance(step.event, Evicted) or step.cached.held[node.block] == node.name.tokens
            assert known
        if not step.cached.memory.tables:
            assert len(step.cached.memory.free) == scenario.n_blocks


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"prompts": ()}, "prompts"),
        ({"prompts": ((11,),)}, "prompts"),
        ({"prompts": ((),)}, "prompts"),
        ({"prompts": ((1,) * 25,), "actions": ("+A",)}, "prompts"),
        ({"prompts": ((1,),), "actions": ("+B",)}, "actions"),
        ({"prompts": ((1,),), "actions": ("*A",)}, "actions"),
        ({"prompts": ((1,),), "actions": ("A",)}, "actions"),
        ({"prompts": ((1,),), "actions": ("+A", "+A")}, "actions"),
        ({"prompts": ((1,),), "actions": ("+A", "-A", "A")}, "actions"),
        ({"prompts": ((1,),), "actions": ("+A", "-A", "+A")}, "actions"),
        ({"prompts": ((1, 2),), "actions": ("+A", "A"), "block_size": 2, "n_blocks": 1}, "actions"),
        ({"actions": ("+A",) * 41}, "actions"),
        ({"block_size": 1}, "block_size"),
        ({"n_blocks": 17}, "n_blocks"),
        ({"hash_bits": 0}, "hash_bits"),
        ({"mistake": "none"}, "mistake"),
    ],
)
def test_what_cannot_be_is_refused_by_name(fields: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: "):
        Scenario(**fields)
