"""Numbers added one by one, against the sum and the formula."""

# TODO: an outside oracle: a plain formula in float64, PyTorch, a figure of the source. Never our own output.

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.new.running_total.engine import Add, Done, Mistake, Scenario, trace


@given(st.integers(0, 50), st.integers(1, 8))
def test_the_total_is_the_sum(first: int, n: int) -> None:
    (*_, done) = trace(Scenario(first, n))
    assert isinstance(done, Done)
    assert done.total == sum(range(first, first + n)) == Scenario(first, n).total


def test_the_wrong_way_stops_in_the_same_places() -> None:
    right, wrong = (list(trace(Scenario(mistake=mistake))) for mistake in Mistake)
    assert [type(step) for step in right] == [type(step) for step in wrong]
    assert right[-1] != wrong[-1]


@given(st.integers(0, 50), st.integers(1, 8))
def test_the_mistake_shows_exactly_where_a_number_meets_a_total_that_is_not_0(first: int, n: int) -> None:
    right, wrong = (list(trace(Scenario(first, n, mistake))) for mistake in Mistake)
    assert (right != wrong) == any(isinstance(step, Add) and step.before != 0 for step in right)


def test_what_cannot_be_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="n:"):
        Scenario(n=0)
