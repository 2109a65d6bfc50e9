"""What only this lesson says and shows; what every lesson must do is tested for all of them."""

# TODO: the figures of your source in words and picture, and each complaint at its field.

from __future__ import annotations

import pytest

from lessons.kit.controls import BadInput
from lessons.new.running_total import LESSON


def test_the_last_step_tells_the_total() -> None:
    assert LESSON.told(LESSON.scenario)[-1].headline.en == "After 4 numbers the total is 18"


def test_too_many_numbers_are_refused_with_the_bounds() -> None:
    with pytest.raises(BadInput) as raised:
        LESSON.form.read({"n": "9"}, LESSON.scenario)
    assert "from 1 to 8" in raised.value.complaints[0].en
